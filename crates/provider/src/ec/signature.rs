//! SIGNATURE `ECDSA`: of a digest or a message.

use super::keys::Key;
use super::{Group, Private, Public};
use crate::abi::{Dispatch, Param, kind, signature};
use crate::counters;
use crate::digests::{self, Digest, Running};
use crate::failure::{Failure, bytes, text, write};
use crate::held::{self, Held};
use crate::param::{Params, wanted};
use carrysave::hash::Hash;
use core::ffi::{c_char, c_int, c_void};
use std::sync::Arc;
use zeroize::Zeroizing;

/// An operation with its parameters.
#[derive(Clone, Default)]
struct Context {
    group: Option<&'static Group>,
    private: Option<Arc<dyn Private>>,
    public: Option<Arc<dyn Public>>,
    digest: Option<Digest>,
    running: Option<Running>,
    /// Whether the nonce is that of RFC 6979.
    deterministic: bool,
}

impl Context {
    /// Takes a key; without one, goes on with the last.
    fn init(&mut self, key: Option<&Key>, signing: bool) -> Result<(), Failure> {
        if let Some(key) = key {
            *self = Context {
                group: Some(key.group()?),
                private: key.private.clone(),
                public: key.public.clone(),
                ..Context::default()
            };
        }
        self.running = None;
        let missing = match signing {
            true if self.private.is_none() => "the key has no private part",
            false if self.public.is_none() => "the key has no public part",
            _ => return self.group.map(drop).ok_or_else(Failure::order),
        };
        Err(Failure::new(missing))
    }

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
        if let Some(nonce) = params.find(c"nonce-type") {
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

    /// Takes the hash of this name; without one, that which is set, or SHA-256.
    fn message(&mut self, name: Option<&str>) -> Result<(), Failure> {
        if let Some(name) = name {
            self.digest = Some(digests::find(name)?);
        }
        let digest = *self.digest.get_or_insert(Digest::Of(Hash::Sha256));
        self.running = Some(digest.running());
        Ok(())
    }

    fn most(&self) -> Result<usize, Failure> {
        Ok(self.group.ok_or_else(Failure::order)?.signature_size())
    }

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

    fn sign(&self, tbs: &[u8]) -> Result<Zeroizing<Vec<u8>>, Failure> {
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
        counters::SIGNATURES.count();
        Ok(Zeroizing::new(signature))
    }

    fn verify(&self, signature: &[u8], tbs: &[u8]) -> Result<(), Failure> {
        self.check(tbs)?;
        let key = self.public.as_ref().ok_or_else(Failure::order)?;
        counters::VERIFICATIONS.count();
        key.verify(tbs, signature)
    }

    fn update(&mut self, data: &[u8]) -> Result<(), Failure> {
        let running = self.running.as_mut().ok_or_else(Failure::order)?;
        running.update(data);
        Ok(())
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

unsafe extern "C" fn new(provider: *mut c_void, _properties: *const c_char) -> *mut c_void {
    // SAFETY: OpenSSL passes what the provider gave it.
    unsafe { held::new::<Context>(provider) }
}

unsafe extern "C" fn init<const SIGNING: bool>(
    context: *mut c_void,
    key: *mut c_void,
    params: *const Param,
) -> c_int {
    // SAFETY: OpenSSL passes a context and a key of ours, and a list.
    unsafe {
        Held::change(context, |context: &mut Context| {
            context.init(Held::get(key), SIGNING)?;
            context.set(&Params::new(params))
        })
    }
}

unsafe extern "C" fn message_init<const SIGNING: bool>(
    context: *mut c_void,
    digest: *const c_char,
    key: *mut c_void,
    params: *const Param,
) -> c_int {
    // SAFETY: OpenSSL passes a context and a key of ours, a text, and a list.
    unsafe {
        Held::change(context, |context: &mut Context| {
            context.init(Held::get(key), SIGNING)?;
            context.set(&Params::new(params))?;
            context.message(text(digest)?)
        })
    }
}

unsafe extern "C" fn update(context: *mut c_void, data: *const u8, len: usize) -> c_int {
    // SAFETY: OpenSSL passes a context of ours, and data.
    unsafe {
        Held::change(context, |context: &mut Context| {
            context.update(bytes(data, len))
        })
    }
}

unsafe extern "C" fn sign(
    context: *mut c_void,
    out: *mut u8,
    len: *mut usize,
    size: usize,
    tbs: *const u8,
    tbs_len: usize,
) -> c_int {
    // SAFETY: OpenSSL passes a context of ours, room, and data.
    unsafe {
        Held::look(context, |context: &Context| {
            write(out, len, size, context.most()?, || {
                context.sign(bytes(tbs, tbs_len))
            })
        })
    }
}

unsafe extern "C" fn sign_final(
    context: *mut c_void,
    out: *mut u8,
    len: *mut usize,
    size: usize,
) -> c_int {
    // SAFETY: OpenSSL passes a context of ours, and room.
    unsafe {
        Held::change(context, |context: &mut Context| {
            write(out, len, size, context.most()?, || {
                let digest = context.finish()?;
                context.sign(&digest)
            })
        })
    }
}

unsafe extern "C" fn verify(
    context: *mut c_void,
    signature: *const u8,
    signature_len: usize,
    tbs: *const u8,
    tbs_len: usize,
) -> c_int {
    // SAFETY: OpenSSL passes a context of ours, and data.
    unsafe {
        Held::look(context, |context: &Context| {
            context.verify(bytes(signature, signature_len), bytes(tbs, tbs_len))
        })
    }
}

unsafe extern "C" fn verify_final(context: *mut c_void, signature: *const u8, len: usize) -> c_int {
    // SAFETY: OpenSSL passes a context of ours, and data.
    unsafe {
        Held::change(context, |context: &mut Context| {
            let digest = context.finish()?;
            context.verify(bytes(signature, len), &digest)
        })
    }
}

unsafe extern "C" fn get(context: *mut c_void, params: *mut Param) -> c_int {
    // SAFETY: OpenSSL passes a context of ours, and a list.
    unsafe {
        Held::look(context, |context: &Context| {
            for mut param in wanted(params) {
                match param.name().to_bytes() {
                    b"algorithm-id" => param.set_octets(&context.identifier()?)?,
                    b"digest" => {
                        let name = context.digest.map_or(c"", |digest| digest.row().name);
                        param.set_text(name)?;
                    }
                    b"digest-size" => {
                        param.set_count(context.digest.map_or(0, |digest| digest.len() as u64))?;
                    }
                    b"nonce-type" => param.set_integer(context.deterministic.into())?,
                    _ => (),
                }
            }
            Ok(())
        })
    }
}

static GETTABLE: [Param; 5] = [
    Param::describe(c"algorithm-id", kind::OCTETS),
    Param::describe(c"digest", kind::UTF8),
    Param::describe(c"digest-size", kind::UNSIGNED),
    Param::describe(c"nonce-type", kind::UNSIGNED),
    Param::END,
];

unsafe extern "C" fn gettable(_context: *mut c_void, _provider: *mut c_void) -> *const Param {
    GETTABLE.as_ptr()
}

unsafe extern "C" fn set(context: *mut c_void, params: *const Param) -> c_int {
    // SAFETY: OpenSSL passes a context of ours, and a list.
    unsafe {
        Held::change(context, |context: &mut Context| {
            context.set(&Params::new(params))
        })
    }
}

static SETTABLE: [Param; 4] = [
    Param::describe(c"digest", kind::UTF8),
    Param::describe(c"properties", kind::UTF8),
    Param::describe(c"nonce-type", kind::UNSIGNED),
    Param::END,
];

unsafe extern "C" fn settable(_context: *mut c_void, _provider: *mut c_void) -> *const Param {
    SETTABLE.as_ptr()
}

pub static ECDSA: [Dispatch; 18] = [
    signature::NEWCTX.is(new),
    signature::FREECTX.is(held::free::<Context>),
    signature::DUPCTX.is(held::dup::<Context>),
    signature::SIGN_INIT.is(init::<true>),
    signature::SIGN.is(sign),
    signature::VERIFY_INIT.is(init::<false>),
    signature::VERIFY.is(verify),
    signature::DIGEST_SIGN_INIT.is(message_init::<true>),
    signature::DIGEST_SIGN_UPDATE.is(update),
    signature::DIGEST_SIGN_FINAL.is(sign_final),
    signature::DIGEST_VERIFY_INIT.is(message_init::<false>),
    signature::DIGEST_VERIFY_UPDATE.is(update),
    signature::DIGEST_VERIFY_FINAL.is(verify_final),
    signature::GET_CTX_PARAMS.is(get),
    signature::GETTABLE_CTX_PARAMS.is(gettable),
    signature::SET_CTX_PARAMS.is(set),
    signature::SETTABLE_CTX_PARAMS.is(settable),
    Dispatch::END,
];
