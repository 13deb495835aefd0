//! KEYEXCH `ECDH`: the shared secret, as it is or through the KDF of ANSI X9.63.

use super::keys::Key;
use super::{Private, Public};
use crate::abi::{Dispatch, Param, kind};
use crate::agreement::{self, Agreement};
use crate::failure::Failure;
use crate::held::Operation;
use crate::kdf::Kdf;
use crate::param::{Params, Wanted};
use core::ffi::{CStr, c_int};
use std::sync::Arc;
use zeroize::Zeroizing;

/// An agreement: the own key, and the other's.
#[derive(Clone)]
struct Exchange {
    own: Option<Arc<dyn Private>>,
    /// The octets of a secret, unless only an agreement tells.
    size: Option<usize>,
    peer: Option<Arc<dyn Public>>,
    /// The mode of [`Private::agree`].
    cofactor: c_int,
    kdf: Kdf,
}

/// The parameter for the cofactor's mode.
pub const COFACTOR: &CStr = c"ecdh-cofactor-mode";

impl Exchange {
    fn agree(&self) -> Result<Zeroizing<Vec<u8>>, Failure> {
        let (Some(own), Some(peer)) = (&self.own, &self.peer) else {
            return Err(Failure::order());
        };
        own.agree(&**peer, self.cofactor)
    }
}

impl Default for Exchange {
    fn default() -> Exchange {
        Exchange {
            own: None,
            size: None,
            peer: None,
            cofactor: -1,
            kdf: Kdf::new(c"X963KDF"),
        }
    }
}

impl Agreement for Exchange {
    type Key = Key;

    fn of(key: &Key) -> Result<Exchange, Failure> {
        Ok(Exchange {
            own: Some(agreement::own(key.private())?),
            size: key.secret_size()?,
            ..Exchange::default()
        })
    }

    fn meet(&mut self, key: &Key) -> Result<(), Failure> {
        let peer = agreement::others(key.public())?;
        let own = self.own.as_ref().ok_or_else(Failure::order)?;
        if !own.fits(&*peer) {
            return Err(carrysave::ec::Error::OtherCurve.into());
        }
        self.peer = Some(peer);
        Ok(())
    }

    /// Without a derivation, less room gets the first octets, as from the default provider.
    fn most(&self, room: Option<usize>) -> Result<usize, Failure> {
        if let Some(len) = self.kdf.len() {
            return Ok(len);
        }
        let size = match self.size {
            Some(size) => size,
            None => self.agree()?.len(),
        };
        Ok(room.map_or(size, |room| room.min(size)))
    }

    fn derive(&self) -> Result<Zeroizing<Vec<u8>>, Failure> {
        // SEC 1, 3.6.1.
        self.kdf.derive(self.agree()?, |counter, ukm| {
            [&counter.to_be_bytes(), ukm].concat()
        })
    }
}

impl Operation for Exchange {
    const SETTABLE: &'static [Param] = &[
        Param::describe(COFACTOR, kind::INTEGER),
        Param::describe(c"kdf-type", kind::UTF8),
        Param::describe(c"kdf-digest", kind::UTF8),
        Param::describe(c"kdf-outlen", kind::UNSIGNED),
        Param::describe(c"kdf-ukm", kind::OCTETS),
        Param::END,
    ];
    const GETTABLE: &'static [Param] = &[
        Param::describe(COFACTOR, kind::INTEGER),
        Param::describe(c"kdf-type", kind::UTF8),
        Param::describe(c"kdf-digest", kind::UTF8),
        Param::describe(c"kdf-outlen", kind::UNSIGNED),
        Param::describe(c"kdf-ukm", kind::OCTETS_POINTER),
        Param::END,
    ];

    fn set(&mut self, params: &Params<'_>) -> Result<(), Failure> {
        if let Some(mode) = params.find(COFACTOR) {
            self.cofactor = match mode.integer()? {
                mode @ -1..=1 => mode as c_int,
                _ => {
                    return Err(Failure::new(
                        "the mode of the cofactor is 0, 1, or -1 for that of the key",
                    ));
                }
            };
        }
        self.kdf.set(params)
    }

    fn answer(&self, wanted: &mut Wanted<'_>) -> Result<(), Failure> {
        match wanted.name().to_bytes() {
            b"ecdh-cofactor-mode" => wanted.set_integer(self.cofactor.max(0)),
            _ => self.kdf.answer(wanted),
        }
    }
}

pub static ECDH: [Dispatch; 11] = agreement::table_with_params::<Exchange>();
