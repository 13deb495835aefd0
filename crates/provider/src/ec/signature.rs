//! SIGNATURE `ECDSA`: of a digest or a message.

use super::keys::Key;
use super::{Private, Public};
use crate::abi::{Dispatch, Param, kind, signature};
use crate::digests::{self, Digest, Running};
use crate::failure::Failure;
use crate::held::{self, Held, Operation};
use crate::param::{Params, Wanted};
use crate::signing::{self, Signing, Streaming};
use carrysave::hash::Hash;
use core::ffi::{CStr, c_void};
use std::sync::Arc;
use zeroize::Zeroizing;

/// The parameter for the kind of nonces.
pub const NONCE: &CStr = c"nonce-type";

/// An operation with its parameters.
#[derive(Clone, Default)]
struct Context {
    /// The most octets of a signature, once there is a key.
    most: Option<usize>,
    private: Option<Arc<dyn Private>>,
    public: Option<Arc<dyn Public>>,
    digest: Option<Digest>,
    running: Option<Running>,
    /// Whether the nonce is that of RFC 6979.
    deterministic: bool,
}

impl Context {
    fn check(&self, tbs: &[u8]) -> Result<(), Failure> {
        match self.digest {
            Some(digest) if digest.len() != tbs.len() => Err(Failure::new(format!(
                "the digest has {} bytes, and the hash gives {}: pass the digest, not the message",
                tbs.len(),
                digest.len()
            ))),
            _ => Ok(()),
        }
    }

    fn finish(&mut self) -> Result<Vec<u8>, Failure> {
        let running = self.running.take();
        Ok(running.ok_or_else(Failure::order)?.finish())
    }

    /// The `AlgorithmIdentifier` of the signature (RFC 5758, 3.2; NIST's register for SHA-3).
    fn identifier(&self) -> Result<Vec<u8>, Failure> {
        let none = || Failure::new("a signature with this hash has no identifier");
        let oid: &[u8] = match self.digest.ok_or_else(Failure::order)? {
            Digest::Of(Hash::Sha1) => &[0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 1],
            Digest::Of(Hash::Sha224) => &[0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 1],
            Digest::Of(Hash::Sha256) => &[0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2],
            Digest::Of(Hash::Sha384) => &[0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 3],
            Digest::Of(Hash::Sha512) => &[0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 4],
            Digest::Of(Hash::Sha3_224) => &[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 3, 9],
            Digest::Of(Hash::Sha3_256) => &[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 3, 10],
            Digest::Of(Hash::Sha3_384) => &[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 3, 11],
            Digest::Of(Hash::Sha3_512) => &[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 3, 12],
            _ => return Err(none()),
        };
        let len = oid.len() as u8;
        Ok([&[0x30, len + 2, 0x06, len], oid].concat())
    }
}

impl Operation for Context {
    const SETTABLE: &'static [Param] = &[
        Param::describe(c"digest", kind::UTF8),
        Param::describe(c"properties", kind::UTF8),
        Param::describe(NONCE, kind::UNSIGNED),
        Param::END,
    ];
    const GETTABLE: &'static [Param] = &[
        Param::describe(c"algorithm-id", kind::OCTETS),
        Param::describe(c"digest", kind::UTF8),
        Param::describe(c"digest-size", kind::UNSIGNED),
        Param::describe(NONCE, kind::UNSIGNED),
        Param::END,
    ];

    fn set(&mut self, params: &Params<'_>) -> Result<(), Failure> {
        if let Some(digest) = params.find(c"digest") {
            let digest = digests::find(digest.text()?)?;
            if self.running.is_some() && self.digest != Some(digest) {
                return Err(Failure::new(
                    "the hash of this operation is fixed: start another",
                ));
            }
            self.digest = Some(digest);
        }
        if let Some(nonce) = params.find(NONCE) {
            self.deterministic = match nonce.integer()? {
                0 => false,
                1 => true,
                _ => {
                    return Err(Failure::new(
                        "the type of a nonce is 0, random, or 1, that of RFC 6979",
                    ));
                }
            };
        }
        Ok(())
    }

    fn answer(&self, wanted: &mut Wanted<'_>) -> Result<(), Failure> {
        match wanted.name().to_bytes() {
            b"algorithm-id" => wanted.set_octets(&self.identifier()?),
            b"digest" => wanted.set_text(self.digest.map_or(c"", |digest| digest.row().name)),
            b"digest-size" => wanted.set_count(self.digest.map_or(0, |digest| digest.len() as u64)),
            b"nonce-type" => wanted.set_integer(self.deterministic.into()),
            _ => Ok(()),
        }
    }
}

impl Signing for Context {
    unsafe fn init(&mut self, key: *const c_void, signing: bool) -> Result<(), Failure> {
        // SAFETY: as the caller says.
        if let Some(key) = unsafe { Held::<Key>::get(key) } {
            *self = Context {
                most: Some(key.signature_size()?),
                private: key.private(),
                public: key.public(),
                ..Context::default()
            };
        }
        self.running = None;
        let missing = match signing {
            true if self.private.is_none() => "the key has no private part",
            false if self.public.is_none() => "the key has no public part",
            _ => return self.most.map(drop).ok_or_else(Failure::order),
        };
        Err(Failure::new(missing))
    }

    fn most(&self) -> Result<usize, Failure> {
        self.most.ok_or_else(Failure::order)
    }

    fn sign(&mut self, tbs: &[u8]) -> Result<Zeroizing<Vec<u8>>, Failure> {
        self.check(tbs)?;
        let key = self.private.as_ref().ok_or_else(Failure::order)?;
        let signature = match (self.deterministic, self.digest) {
            (false, _) => key.sign(tbs)?,
            (true, Some(digest)) => key.sign_deterministic(digest.modern()?, tbs)?,
            (true, None) => {
                return Err(Failure::new(
                    "the nonce of RFC 6979 needs the hash of the digest: set it",
                ));
            }
        };
        Ok(Zeroizing::new(signature))
    }

    fn verify(&mut self, signature: &[u8], tbs: &[u8]) -> Result<(), Failure> {
        self.check(tbs)?;
        let key = self.public.as_ref().ok_or_else(Failure::order)?;
        key.verify(tbs, signature)
    }
}

impl Streaming for Context {
    /// Without a hash, by that which is set, or SHA-256.
    fn message(&mut self, hash: Option<&str>) -> Result<(), Failure> {
        if let Some(name) = hash {
            self.digest = Some(digests::find(name)?);
        }
        let digest = *self.digest.get_or_insert(Digest::Of(Hash::Sha256));
        self.running = Some(digest.running());
        Ok(())
    }

    fn update(&mut self, data: &[u8]) -> Result<(), Failure> {
        let running = self.running.as_mut().ok_or_else(Failure::order)?;
        running.update(data);
        Ok(())
    }

    fn sign_message(&mut self) -> Result<Zeroizing<Vec<u8>>, Failure> {
        let digest = self.finish()?;
        self.sign(&digest)
    }

    fn verify_message(&mut self, signature: &[u8]) -> Result<(), Failure> {
        let digest = self.finish()?;
        self.verify(signature, &digest)
    }
}

pub static ECDSA: [Dispatch; 18] = [
    signature::NEWCTX.is(signing::new::<Context>),
    signature::FREECTX.is(held::free::<Context>),
    signature::DUPCTX.is(held::dup::<Context>),
    signature::SIGN_INIT.is(signing::init::<Context, true>),
    signature::SIGN.is(signing::sign::<Context>),
    signature::VERIFY_INIT.is(signing::init::<Context, false>),
    signature::VERIFY.is(signing::verify::<Context>),
    signature::DIGEST_SIGN_INIT.is(signing::message_init::<Context, true>),
    signature::DIGEST_SIGN_UPDATE.is(signing::update::<Context>),
    signature::DIGEST_SIGN_FINAL.is(signing::sign_final::<Context>),
    signature::DIGEST_VERIFY_INIT.is(signing::message_init::<Context, false>),
    signature::DIGEST_VERIFY_UPDATE.is(signing::update::<Context>),
    signature::DIGEST_VERIFY_FINAL.is(signing::verify_final::<Context>),
    signature::GET_CTX_PARAMS.is(held::get::<Context>),
    signature::GETTABLE_CTX_PARAMS.is(held::gettable::<Context>),
    signature::SET_CTX_PARAMS.is(held::set::<Context>),
    signature::SETTABLE_CTX_PARAMS.is(held::settable::<Context>),
    Dispatch::END,
];
