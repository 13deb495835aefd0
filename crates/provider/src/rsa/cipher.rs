//! ASYM_CIPHER of `RSA`: OAEP, PKCS #1 v1.5 with implicit rejection, the premaster secret of TLS, and no padding.

use super::keys::{Key, Parts, Use};
use super::{Padding, tls};
use crate::abi::{Dispatch, Param, asym_cipher, kind};
use crate::counters;
use crate::digests::Digest;
use crate::failure::{Failure, bytes, write};
use crate::held::{self, Held, Operation};
use crate::param::{Params, Wanted};
use crate::work::{self, Private};
use carrysave::arith::Nat;
use carrysave::hash::Hash;
use carrysave::rand_core::Rng as _;
use carrysave::rsa::task::{DecryptOaep, DecryptPkcs1v15, RawPrivate};
use carrysave::system_rng;
use core::ffi::{c_int, c_void};
use std::sync::Arc;
use zeroize::Zeroizing;

/// An operation with its parameters.
#[derive(Clone)]
struct Context {
    key: Option<Arc<Parts>>,
    padding: Padding,
    hash: Hash,
    /// The hash of MGF1, if it is another than that of the label.
    mgf: Option<Hash>,
    label: Vec<u8>,
    /// The versions of TLS: the client's, and the negotiated one.
    versions: (u16, Option<u16>),
}

impl Default for Context {
    fn default() -> Context {
        Context {
            key: None,
            padding: Padding::Pkcs1,
            hash: Hash::Sha1,
            mgf: None,
            label: Vec::new(),
            versions: (0, None),
        }
    }
}

impl Context {
    fn key(&self) -> Result<&Parts, Failure> {
        self.key.as_deref().ok_or_else(Failure::order)
    }

    fn mgf(&self) -> Hash {
        self.mgf.unwrap_or(self.hash)
    }

    fn init(&mut self, key: Option<Arc<Parts>>, private: bool) -> Result<(), Failure> {
        if let Some(key) = key {
            if key.purpose == Use::Pss {
                return Err(Failure::new(
                    "the key is for RSASSA-PSS alone: use an RSA key",
                ));
            }
            *self = Context::default();
            self.key = Some(key);
        }
        if private {
            self.key()?.private()?;
        }
        Ok(())
    }

    fn encrypt(&self, m: &[u8]) -> Result<Zeroizing<Vec<u8>>, Failure> {
        let public = &self.key()?.public;
        let c = match self.padding {
            Padding::Oaep => {
                let (hash, mgf) = (self.hash, self.mgf());
                public.rsaes_oaep_encrypt(&mut system_rng(), hash, mgf, &self.label, m)?
            }
            Padding::Pkcs1 | Padding::Tls => {
                public.rsaes_pkcs1_v1_5_encrypt(&mut system_rng(), m)?
            }
            _ => {
                self.whole(m)?;
                let c = public.rsaep(&Nat::from_be_bytes(m))?;
                let c = c.to_be_bytes(public.size()).ok_or_else(Failure::order)?;
                counters::ENCRYPTIONS.count();
                return Ok(c);
            }
        };
        counters::ENCRYPTIONS.count();
        Ok(Zeroizing::new(c))
    }

    fn whole(&self, data: &[u8]) -> Result<(), Failure> {
        if data.len() == self.key()?.public.size() {
            return Ok(());
        }
        Err(Failure::new(
            "without padding, data and ciphertexts must be as long as the modulus: use OAEP",
        ))
    }

    fn at_most_whole(&self, c: &[u8]) -> Result<(), Failure> {
        if c.len() <= self.key()?.public.size() {
            return Ok(());
        }
        Err(Failure::new(
            "the ciphertext is longer than the modulus: use the key that it was made with",
        ))
    }

    fn decrypt(&self, c: &[u8]) -> Result<Zeroizing<Vec<u8>>, Failure> {
        let key = self.key()?.private()?;
        // Some programs drop the zeros in front of a ciphertext.
        let zeros = key.size().saturating_sub(c.len());
        let padded = || [&vec![0; zeros], c].concat();
        let raw = || {
            let job = RawPrivate {
                key: key.clone(),
                x: Nat::from_be_bytes(c),
            };
            work::number(Private::Raw(job), key.size())
        };
        let m = match self.padding {
            Padding::Oaep => work::bytes(Private::Oaep(DecryptOaep {
                key: key.clone(),
                hash: self.hash,
                mgf: self.mgf(),
                label: self.label.clone(),
                ciphertext: padded(),
            }))?,
            Padding::Pkcs1 => work::bytes(Private::Pkcs1(DecryptPkcs1v15 {
                key: key.clone(),
                ciphertext: padded(),
            }))?,
            Padding::Tls => {
                self.at_most_whole(c)?;
                if self.versions.0 == 0 {
                    return Err(Failure::new(
                        "the premaster secret needs the client's version of TLS: set tls-client-version",
                    ));
                }
                let mut random = Zeroizing::new([0; tls::LEN]);
                system_rng().fill_bytes(&mut *random);
                tls::premaster(&raw()?, self.versions.0, self.versions.1, random)?
            }
            _ => {
                self.at_most_whole(c)?;
                raw()?
            }
        };
        counters::DECRYPTIONS.count();
        Ok(m)
    }
}

impl Operation for Context {
    const SETTABLE: &'static [Param] = &[
        Param::describe(c"pad-mode", kind::UTF8),
        Param::describe(c"digest", kind::UTF8),
        Param::describe(c"digest-props", kind::UTF8),
        Param::describe(c"mgf1-digest", kind::UTF8),
        Param::describe(c"mgf1-properties", kind::UTF8),
        Param::describe(c"oaep-label", kind::OCTETS),
        Param::describe(c"tls-client-version", kind::UNSIGNED),
        Param::describe(c"tls-negotiated-version", kind::UNSIGNED),
        Param::describe(c"implicit-rejection", kind::UNSIGNED),
        Param::END,
    ];
    const GETTABLE: &'static [Param] = &[
        Param::describe(c"pad-mode", kind::UTF8),
        Param::describe(c"digest", kind::UTF8),
        Param::describe(c"mgf1-digest", kind::UTF8),
        Param::describe(c"oaep-label", kind::OCTETS_POINTER),
        Param::describe(c"tls-client-version", kind::UNSIGNED),
        Param::describe(c"tls-negotiated-version", kind::UNSIGNED),
        Param::describe(c"implicit-rejection", kind::UNSIGNED),
        Param::END,
    ];

    fn set(&mut self, params: &Params<'_>) -> Result<(), Failure> {
        if let Some(padding) = params.find(c"pad-mode") {
            let padding = Padding::read(padding)?;
            if padding == Padding::Pss {
                return Err(Failure::new("PSS is for signatures: encrypt with OAEP"));
            }
            self.padding = padding;
        }
        if let Some(digest) = params.find(c"digest") {
            self.hash = super::digest(digest)?.modern()?;
        }
        if let Some(mgf) = params.find(c"mgf1-digest") {
            self.mgf = Some(super::digest(mgf)?.modern()?);
        }
        if let Some(label) = params.find(c"oaep-label") {
            self.label = label.octets()?.to_vec();
        }
        let version = |name| {
            let value = params.find(name).map(|value| value.integer()).transpose()?;
            let wrong = |_| Failure::new("the version of TLS is none");
            value.map(u16::try_from).transpose().map_err(wrong)
        };
        if let Some(client) = version(c"tls-client-version")? {
            self.versions.0 = client;
        }
        if let Some(negotiated) = version(c"tls-negotiated-version")? {
            self.versions.1 = Some(negotiated).filter(|&version| version != 0);
        }
        if let Some(implicit) = params.find(c"implicit-rejection")
            && implicit.integer()? == 0
        {
            return Err(Failure::new(
                "PKCS #1 v1.5 is decrypted with implicit rejection only: use OAEP, or ask for provider=default",
            ));
        }
        Ok(())
    }

    fn answer(&self, wanted: &mut Wanted<'_>) -> Result<(), Failure> {
        let name = |hash| Digest::Of(hash).row().name;
        match wanted.name().to_bytes() {
            b"pad-mode" => self.padding.answer(wanted),
            b"digest" => wanted.set_text(name(self.hash)),
            b"mgf1-digest" => wanted.set_text(name(self.mgf())),
            // The pointer is good as long as the context.
            b"oaep-label" => wanted.set_pointer(&self.label),
            b"tls-client-version" => wanted.set_integer(self.versions.0.into()),
            b"tls-negotiated-version" => wanted.set_integer(self.versions.1.unwrap_or(0).into()),
            b"implicit-rejection" => wanted.set_integer(1),
            _ => Ok(()),
        }
    }
}

unsafe extern "C" fn init<const PRIVATE: bool>(
    context: *mut c_void,
    key: *mut c_void,
    params: *const Param,
) -> c_int {
    // SAFETY: OpenSSL passes a context and a key of ours, and a list.
    unsafe {
        Held::change(context, |context: &mut Context| {
            context.init(Key::given(key)?, PRIVATE)?;
            context.set(&Params::new(params))
        })
    }
}

unsafe extern "C" fn run<const PRIVATE: bool>(
    context: *mut c_void,
    out: *mut u8,
    len: *mut usize,
    size: usize,
    input: *const u8,
    input_len: usize,
) -> c_int {
    // SAFETY: OpenSSL passes a context of ours, room, and data.
    unsafe {
        Held::change(context, |context: &mut Context| {
            let most = match context.padding {
                Padding::Tls if PRIVATE => tls::LEN,
                _ => context.key()?.public.size(),
            };
            let input = bytes(input, input_len);
            write(out, len, size, most, || {
                if PRIVATE {
                    context.decrypt(input)
                } else {
                    context.encrypt(input)
                }
            })
        })
    }
}

pub static RSA: [Dispatch; 12] = [
    asym_cipher::NEWCTX.is(held::new::<Context>),
    asym_cipher::FREECTX.is(held::free::<Context>),
    asym_cipher::DUPCTX.is(held::dup::<Context>),
    asym_cipher::ENCRYPT_INIT.is(init::<false>),
    asym_cipher::ENCRYPT.is(run::<false>),
    asym_cipher::DECRYPT_INIT.is(init::<true>),
    asym_cipher::DECRYPT.is(run::<true>),
    asym_cipher::GET_CTX_PARAMS.is(held::get::<Context>),
    asym_cipher::GETTABLE_CTX_PARAMS.is(held::gettable::<Context>),
    asym_cipher::SET_CTX_PARAMS.is(held::set::<Context>),
    asym_cipher::SETTABLE_CTX_PARAMS.is(held::settable::<Context>),
    Dispatch::END,
];
