//! KEYEXCH `DH`: the shared secret, as it is or through the KDF of ANSI X9.42.

use super::keys::Key;
use super::{Group, Private};
use crate::abi::{Dispatch, Param, kind};
use crate::agreement::{self, Agreement};
use crate::counters;
use crate::der::{OBJECT, OCTETS, SEQUENCE, explicit, tagged};
use crate::failure::Failure;
use crate::held::Operation;
use crate::kdf::Kdf;
use crate::param::{Params, Wanted, names};
use carrysave::arith::Nat;
use core::ffi::CStr;
use std::sync::Arc;
use zeroize::Zeroizing;

/// The cipher that wraps keys with a derived key.
struct Wrap {
    name: &'static CStr,
    /// Its other names.
    aliases: &'static [&'static str],
    oid: &'static [u8],
    /// The length of its keys, in bits.
    bits: u32,
}

static WRAPS: [Wrap; 4] = [
    Wrap {
        name: c"AES-128-WRAP",
        aliases: &["id-aes128-wrap", "AES128-WRAP", "2.16.840.1.101.3.4.1.5"],
        oid: &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01, 0x05],
        bits: 128,
    },
    Wrap {
        name: c"AES-192-WRAP",
        aliases: &["id-aes192-wrap", "AES192-WRAP", "2.16.840.1.101.3.4.1.25"],
        oid: &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01, 0x19],
        bits: 192,
    },
    Wrap {
        name: c"AES-256-WRAP",
        aliases: &["id-aes256-wrap", "AES256-WRAP", "2.16.840.1.101.3.4.1.45"],
        oid: &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01, 0x2d],
        bits: 256,
    },
    Wrap {
        name: c"DES3-WRAP",
        aliases: &["id-smime-alg-CMS3DESwrap", "1.2.840.113549.1.9.16.3.6"],
        oid: &[
            0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x10, 0x03, 0x06,
        ],
        bits: 192,
    },
];

impl Wrap {
    fn find(name: &str) -> Result<&'static Wrap, Failure> {
        let mut wraps = WRAPS.iter();
        let found = wraps.find(|wrap| names(name, wrap.name, wrap.aliases));
        found.ok_or_else(|| {
            Failure::new(format!(
                "the cipher \"{name}\" wraps no keys here: use AES-256-WRAP as cekalg"
            ))
        })
    }

    /// `OtherInfo` (RFC 2631, 2.1.2).
    fn info(&self, counter: u32, ukm: &[u8]) -> Vec<u8> {
        let octets = |part: &[u8]| tagged(OCTETS, &[part]);
        let key = [tagged(OBJECT, &[self.oid]), octets(&counter.to_be_bytes())];
        let key = tagged(SEQUENCE, &[&key.concat()]);
        let party = match ukm {
            [] => Vec::new(),
            ukm => tagged(explicit(0), &[&octets(ukm)]),
        };
        let public = tagged(explicit(2), &[&octets(&self.bits.to_be_bytes())]);
        tagged(SEQUENCE, &[&key, &party, &public])
    }
}

/// An agreement: the own key, and the other's.
#[derive(Clone)]
struct Exchange {
    own: Option<(Arc<Group>, Arc<Private>)>,
    peer: Option<Nat>,
    /// Whether zeros in front of the secret are kept.
    pad: bool,
    kdf: Kdf,
    wrap: Option<&'static Wrap>,
}

impl Default for Exchange {
    fn default() -> Exchange {
        Exchange {
            own: None,
            peer: None,
            pad: false,
            kdf: Kdf::new(c"X942KDF-ASN1"),
            wrap: None,
        }
    }
}

impl Agreement for Exchange {
    type Key = Key;

    fn of(key: &Key) -> Result<Exchange, Failure> {
        let own = agreement::own(key.private.clone())?;
        Ok(Exchange {
            own: Some((key.group()?.clone(), own)),
            ..Exchange::default()
        })
    }

    fn meet(&mut self, key: &Key) -> Result<(), Failure> {
        let (own, _) = self.own.as_ref().ok_or_else(Failure::order)?;
        if !own.agrees_with(key.group()?) {
            return Err(carrysave::dl::Error::OtherGroup.into());
        }
        self.peer = Some(agreement::others(key.public.clone())?);
        Ok(())
    }

    fn most(&self, _room: Option<usize>) -> Result<usize, Failure> {
        let (group, _) = self.own.as_ref().ok_or_else(Failure::order)?;
        Ok(self.kdf.len().unwrap_or(group.parameters.size()))
    }

    fn derive(&self) -> Result<Zeroizing<Vec<u8>>, Failure> {
        let (Some((group, own)), Some(peer)) = (&self.own, &self.peer) else {
            return Err(Failure::order());
        };
        let secret = group.parameters.agree(peer, &own.x, own.bits)?;
        let result = match (self.kdf.len(), self.wrap) {
            (Some(_), Some(wrap)) => self.kdf.derive(secret, |i, ukm| wrap.info(i, ukm)),
            (Some(_), None) => Err(Failure::new("X942KDF-ASN1 has no cipher: set cekalg")),
            (None, _) if self.pad => Ok(secret),
            (None, _) => Ok(without_zeros(secret)),
        }?;
        counters::AGREEMENTS.count();
        Ok(result)
    }
}

/// A secret without zeros in front, as TLS 1.2 has it (RFC 5246, 8.1.2). All octets are read; how many are left is told by
/// what TLS hashes, whatever is done here.
fn without_zeros(mut secret: Zeroizing<Vec<u8>>) -> Zeroizing<Vec<u8>> {
    let (mut zeros, mut only) = (0, 1);
    for &octet in secret.iter() {
        only &= usize::from(octet == 0);
        zeros += only;
    }
    secret.rotate_left(zeros);
    let len = secret.len() - zeros;
    secret.truncate(len);
    secret
}

impl Operation for Exchange {
    const SETTABLE: &'static [Param] = &[
        Param::describe(c"pad", kind::UNSIGNED),
        Param::describe(c"kdf-type", kind::UTF8),
        Param::describe(c"kdf-digest", kind::UTF8),
        Param::describe(c"kdf-outlen", kind::UNSIGNED),
        Param::describe(c"kdf-ukm", kind::OCTETS),
        Param::describe(c"cekalg", kind::UTF8),
        Param::END,
    ];
    const GETTABLE: &'static [Param] = &[
        Param::describe(c"kdf-type", kind::UTF8),
        Param::describe(c"kdf-digest", kind::UTF8),
        Param::describe(c"kdf-outlen", kind::UNSIGNED),
        Param::describe(c"kdf-ukm", kind::OCTETS_POINTER),
        Param::describe(c"cekalg", kind::UTF8),
        Param::END,
    ];

    fn set(&mut self, params: &Params<'_>) -> Result<(), Failure> {
        if let Some(pad) = params.find(c"pad") {
            self.pad = pad.integer()? != 0;
        }
        if let Some(wrap) = params.find(c"cekalg") {
            self.wrap = match wrap.text()? {
                "" => None,
                name => Some(Wrap::find(name)?),
            };
        }
        self.kdf.set(params)
    }

    fn answer(&self, wanted: &mut Wanted<'_>) -> Result<(), Failure> {
        match wanted.name().to_bytes() {
            b"cekalg" => wanted.set_text(self.wrap.map_or(c"", |wrap| wrap.name)),
            _ => self.kdf.answer(wanted),
        }
    }
}

pub static DH: [Dispatch; 11] = agreement::table_with_params::<Exchange>();

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_in_front_go() {
        for (secret, rest) in [
            (&[0, 0, 7, 0][..], &[7, 0][..]),
            (&[7, 0], &[7, 0]),
            (&[0, 0], &[]),
        ] {
            assert_eq!(*without_zeros(Zeroizing::new(secret.to_vec())), rest);
        }
    }
}
