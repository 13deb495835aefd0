//! KEYMGMT and SIGNATURE of `ED25519` (RFC 8032).

use crate::abi::{Dispatch, KeyTypes, Param, kind, signature};
use crate::counters;
use crate::ecx::{self, Algorithm, LEN};
use crate::failure::{Failure, text};
use crate::held::{self, Held, Operation};
use crate::param::{Params, Wanted};
use crate::signing::{self, Signing};
use ::signature::Signer;
use carrysave::ec::{Ed25519PrivateKey, Ed25519PublicKey, Ed25519Signature, Error};
use carrysave::hash::Hash;
use core::ffi::{c_char, c_int, c_void};
use zeroize::Zeroizing;

/// The length of a signature.
const SIGNATURE_LEN: usize = 64;

struct Ed25519;

impl Algorithm for Ed25519 {
    const NAME: &str = "Ed25519";
    const BITS: i32 = 256;
    const MOST: i32 = SIGNATURE_LEN as i32;
    const SIGNS: bool = true;
    type Private = Ed25519PrivateKey;
    type Public = Ed25519PublicKey;

    fn generate() -> Ed25519PrivateKey {
        Ed25519PrivateKey::generate()
    }

    fn private(octets: &[u8; LEN]) -> Ed25519PrivateKey {
        Ed25519PrivateKey::from_bytes(octets)
    }

    fn octets(private: &Ed25519PrivateKey) -> &[u8; LEN] {
        private.as_bytes()
    }

    fn public_of(private: &Ed25519PrivateKey) -> Ed25519PublicKey {
        *private.public()
    }

    fn public(octets: &[u8; LEN]) -> Result<Ed25519PublicKey, Failure> {
        Ok(Ed25519PublicKey::from_bytes(octets)?)
    }
}

type Key = ecx::Key<Ed25519>;

pub static KEYS: [Dispatch; 20] = ecx::keys::<Ed25519>();

/// The variants (RFC 8032, 5.1).
#[derive(Clone, Copy, Default, PartialEq)]
enum Instance {
    #[default]
    Pure,
    Context,
    Prehashed,
}

/// Who chooses the variant, and what the program passes.
#[derive(Clone, Copy, Default, PartialEq)]
enum Use {
    /// A message, and the program may choose.
    #[default]
    Chosen,
    /// A message, of the variant that the name of the algorithm says.
    Message,
    /// A digest, and the program must choose the variant for these.
    Digest,
}

/// An operation with its parameters.
#[derive(Clone, Default)]
struct Context {
    private: Option<Ed25519PrivateKey>,
    public: Option<Ed25519PublicKey>,
    instance: Instance,
    using: Use,
    string: Vec<u8>,
}

impl Context {
    /// Takes a key; without one, goes on with the last and its parameters.
    fn take(&mut self, key: Option<&Key>, signing: bool, using: Use) -> Result<(), Failure> {
        if let Some(key) = key {
            *self = Context {
                private: key.private.clone(),
                public: key.public,
                using,
                ..Context::default()
            };
        }
        match signing {
            true if self.private.is_none() => Err(Failure::new("the key has no private part")),
            false if self.public.is_none() => Err(Failure::new("the key has no public part")),
            _ => Ok(()),
        }
    }

    /// Refuses a context that the variant has no place for.
    fn check(&self) -> Result<(), Failure> {
        if self.instance == Instance::Pure && !self.string.is_empty() {
            return Err(Failure::new(
                "Ed25519 has no context: use the variant Ed25519ctx or Ed25519ph",
            ));
        }
        if self.instance != Instance::Prehashed && self.using == Use::Digest {
            return Err(Failure::new(
                "this operation takes a digest: use the variant Ed25519ph, or an operation for messages",
            ));
        }
        Ok(())
    }

    /// The digest for Ed25519ph.
    fn digest(&self, tbs: &[u8]) -> Result<[u8; 64], Failure> {
        let own;
        let digest = match self.using {
            Use::Digest => tbs,
            _ => {
                own = Hash::Sha512.digest(tbs);
                &own[..]
            }
        };
        digest.try_into().map_err(|_| {
            Failure::new(format!(
                "the digest for Ed25519ph has 64 bytes, those of SHA-512, and this one {}",
                digest.len()
            ))
        })
    }
}

impl Operation for Context {
    const SETTABLE: &'static [Param] = &[
        Param::describe(c"instance", kind::UTF8),
        Param::describe(c"context-string", kind::OCTETS),
        Param::END,
    ];
    const GETTABLE: &'static [Param] =
        &[Param::describe(c"algorithm-id", kind::OCTETS), Param::END];

    fn set(&mut self, params: &Params<'_>) -> Result<(), Failure> {
        if let Some(instance) = params.find(c"instance") {
            if self.using == Use::Message {
                return Err(Failure::new(
                    "the variant is that of the algorithm's name: fetch another algorithm",
                ));
            }
            let name = instance.text()?;
            self.instance = match name.to_ascii_lowercase().as_str() {
                "ed25519" => Instance::Pure,
                "ed25519ctx" => Instance::Context,
                "ed25519ph" => Instance::Prehashed,
                _ => {
                    return Err(Failure::new(format!(
                        "\"{name}\" is no variant of Ed25519: use Ed25519, Ed25519ctx or Ed25519ph"
                    )));
                }
            };
        }
        if let Some(string) = params.find(c"context-string") {
            let string = string.octets()?;
            if string.len() > 255 {
                return Err(Error::Context.into());
            }
            self.string = string.to_vec();
        }
        Ok(())
    }

    fn answer(&self, wanted: &mut Wanted<'_>) -> Result<(), Failure> {
        match wanted.name().to_bytes() {
            b"algorithm-id" => wanted.set_octets(&IDENTIFIER),
            _ => Ok(()),
        }
    }
}

impl Signing for Context {
    unsafe fn init(&mut self, key: *const c_void, signing: bool) -> Result<(), Failure> {
        // SAFETY: as the caller says.
        let key = unsafe { Held::get(key) };
        self.take(key, signing, Use::Chosen)
    }

    fn most(&self) -> Result<usize, Failure> {
        Ok(SIGNATURE_LEN)
    }

    fn sign(&mut self, tbs: &[u8]) -> Result<Zeroizing<Vec<u8>>, Failure> {
        self.check()?;
        let key = self.private.as_ref().ok_or_else(Failure::order)?;
        let signature = match self.instance {
            Instance::Pure => key.try_sign(tbs).map_err(|_| Error::Fault),
            Instance::Context => key.sign_ctx(tbs, &self.string),
            Instance::Prehashed => key.sign_ph(&self.digest(tbs)?, &self.string),
        }?;
        counters::SIGNATURES.count();
        Ok(Zeroizing::new(signature.into()))
    }

    fn verify(&mut self, signature: &[u8], tbs: &[u8]) -> Result<(), Failure> {
        self.check()?;
        let key = self.public.as_ref().ok_or_else(Failure::order)?;
        counters::VERIFICATIONS.count();
        let signature = Ed25519Signature::try_from(signature).map_err(|_| Error::Verification)?;
        Ok(match self.instance {
            Instance::Pure => key.verify(tbs, &signature),
            Instance::Context => key.verify_ctx(tbs, &self.string, &signature),
            Instance::Prehashed => key.verify_ph(&self.digest(tbs)?, &self.string, &signature),
        }?)
    }
}

/// The `AlgorithmIdentifier` (RFC 8410, 3).
const IDENTIFIER: [u8; 7] = [0x30, 5, 0x06, 3, 0x2b, 0x65, 0x70];

unsafe extern "C" fn init<const SIGNING: bool, const MESSAGE: bool>(
    context: *mut c_void,
    key: *mut c_void,
    params: *const Param,
) -> c_int {
    let using = if MESSAGE { Use::Message } else { Use::Digest };
    // SAFETY: OpenSSL passes a context and a key of ours, and a list.
    unsafe {
        Held::change(context, |context: &mut Context| {
            context.take(Held::get(key), SIGNING, using)?;
            context.set(&Params::new(params))
        })
    }
}

unsafe extern "C" fn digest_init<const SIGNING: bool>(
    context: *mut c_void,
    digest: *const c_char,
    key: *mut c_void,
    params: *const Param,
) -> c_int {
    // SAFETY: OpenSSL passes a context and a key of ours, a text, and a list.
    unsafe {
        Held::change(context, |context: &mut Context| {
            if text(digest)?.is_some() {
                return Err(Failure::new(
                    "Ed25519 has a hash of its own: leave the digest out",
                ));
            }
            context.take(Held::get(key), SIGNING, Use::Chosen)?;
            context.set(&Params::new(params))
        })
    }
}

/// The keys that the algorithm takes.
unsafe extern "C" fn key_types() -> *const *const c_char {
    static TYPES: KeyTypes = KeyTypes::new(c"ED25519");
    TYPES.as_ptr()
}

pub static SIGNATURE: [Dispatch; 19] = [
    signature::NEWCTX.is(signing::new::<Context>),
    signature::FREECTX.is(held::free::<Context>),
    signature::DUPCTX.is(held::dup::<Context>),
    signature::SIGN_INIT.is(init::<true, false>),
    signature::SIGN.is(signing::sign::<Context>),
    signature::VERIFY_INIT.is(init::<false, false>),
    signature::VERIFY.is(signing::verify::<Context>),
    signature::DIGEST_SIGN_INIT.is(digest_init::<true>),
    signature::DIGEST_SIGN.is(signing::sign::<Context>),
    signature::DIGEST_VERIFY_INIT.is(digest_init::<false>),
    signature::DIGEST_VERIFY.is(signing::verify::<Context>),
    signature::SIGN_MESSAGE_INIT.is(init::<true, true>),
    signature::VERIFY_MESSAGE_INIT.is(init::<false, true>),
    signature::QUERY_KEY_TYPES.is(key_types),
    signature::GET_CTX_PARAMS.is(held::get::<Context>),
    signature::GETTABLE_CTX_PARAMS.is(held::gettable::<Context>),
    signature::SET_CTX_PARAMS.is(held::set::<Context>),
    signature::SETTABLE_CTX_PARAMS.is(held::settable::<Context>),
    Dispatch::END,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The stack of OpenSSL's asynchronous jobs is enough, as nothing here runs on another.
    #[test]
    fn operations_fit_the_stack_of_a_job() {
        let all = || {
            let key = Ed25519::generate();
            let key = Ed25519::private(Ed25519::octets(&key));
            let public = Ed25519::public(Ed25519::public_of(&key).as_bytes()).expect("a point");
            for instance in [Instance::Pure, Instance::Context, Instance::Prehashed] {
                let string = match instance {
                    Instance::Pure => vec![],
                    _ => vec![7; 255],
                };
                let mut context = Context {
                    private: Some(key.clone()),
                    public: Some(public),
                    instance,
                    using: Use::Chosen,
                    string,
                };
                let signature = context.sign(&[7; 1000]).expect("a signature");
                context.verify(&signature, &[7; 1000]).expect("it is valid");
                context.verify(&signature, &[8; 1000]).expect_err("another");
            }
        };
        let thread = std::thread::Builder::new().stack_size(32 << 10);
        thread
            .spawn(all)
            .expect("a thread")
            .join()
            .expect("no fault");
    }
}
