//! SIGNATURE of `RSA`: PKCS #1 v1.5, PSS and no padding, of a digest, of a message, and of bytes without a hash.

use super::keys::{Key, Parts, Use};
use super::{Padding, der};
use crate::abi::{Dispatch, KeyTypes, Param, kind, signature};
use crate::counters;
use crate::digests::{self, Digest, Running};
use crate::failure::{Failure, bytes, write};
use crate::held::{self, Held, Operation};
use crate::param::{Params, Wanted};
use crate::signing::{self, Signing, Streaming};
use crate::work::{self, Private};
use carrysave::arith::Nat;
use carrysave::hash::Hash;
use carrysave::rand_core::Rng as _;
use carrysave::rsa::{
    PrivateKey, emsa_pkcs1_v1_5_block, emsa_pss_encode, emsa_pss_verify, task::RawPrivate,
};
use carrysave::system_rng;
use core::ffi::{CStr, c_char, c_int, c_void};
use std::sync::Arc;
use zeroize::Zeroizing;

/// How long the salt of PSS is (`RSA_PSS_SALTLEN_*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Salt {
    Bytes(usize),
    /// As long as a digest.
    Digest,
    /// The longest that fits; verifying, any.
    Auto,
    Longest,
    /// As long as a digest, or the longest that fits if that is shorter; verifying, any.
    AutoDigest,
}

const SALTS: &[(Salt, i32, &CStr)] = &[
    (Salt::Digest, -1, c"digest"),
    (Salt::Auto, -2, c"auto"),
    (Salt::Longest, -3, c"max"),
    (Salt::AutoDigest, -4, c"auto-digestmax"),
];

/// An operation with its parameters.
#[derive(Clone)]
struct Context {
    key: Option<Arc<Parts>>,
    padding: Padding,
    digest: Option<Digest>,
    /// The hash of MGF1, if it is another than that of the message.
    mgf: Option<Digest>,
    salt: Salt,
    running: Option<Running>,
    /// Whether the operation is on a message, not on a digest.
    message: bool,
    /// Whether one hash is part of the algorithm's name.
    fixed: bool,
    /// What a message is verified against.
    signature: Vec<u8>,
}

impl Default for Context {
    fn default() -> Context {
        Context {
            key: None,
            padding: Padding::Pkcs1,
            digest: None,
            mgf: None,
            salt: Salt::AutoDigest,
            running: None,
            message: false,
            fixed: false,
            signature: Vec::new(),
        }
    }
}

impl Context {
    fn key(&self) -> Result<&Parts, Failure> {
        self.key.as_deref().ok_or_else(Failure::order)
    }

    fn take(&mut self, key: Option<Arc<Parts>>, signing: bool) -> Result<(), Failure> {
        let digest = if key.is_none() { self.digest } else { None };
        if let Some(key) = key.or_else(|| self.key.take()) {
            *self = Context {
                fixed: self.fixed,
                digest,
                ..Context::default()
            };
            if key.purpose == Use::Pss {
                self.padding = Padding::Pss;
                if let Some(own) = key.restriction {
                    self.digest = Some(Digest::Of(own.hash));
                    self.mgf = Some(Digest::Of(own.mgf));
                    self.salt = Salt::Bytes(own.min_salt_len);
                }
            }
            self.key = Some(key);
            self.check_restriction()?;
        }
        if signing {
            self.key()?.private()?;
        }
        Ok(())
    }

    fn set_digest(&mut self, digest: Digest) -> Result<(), Failure> {
        self.restricted(|own| Digest::Of(own.hash) == digest)?;
        if self.padding == Padding::Pss {
            digest.modern()?;
        }
        self.digest = Some(digest);
        Ok(())
    }

    /// Refuses what an RSA-PSS key does not permit.
    fn restricted(
        &self,
        permits: impl Fn(&carrysave::rsa::PssParameters) -> bool,
    ) -> Result<(), Failure> {
        let own = self.key.as_ref().and_then(|key| key.restriction);
        if own.is_none_or(|own| permits(&own)) {
            return Ok(());
        }
        Err(Failure::new(
            "the key is for RSASSA-PSS with another hash or a longer salt: use the parameters of its certificate",
        ))
    }

    /// Refuses a length of the salt that a restricted key has no room for, or does not permit.
    fn check_restriction(&self) -> Result<(), Failure> {
        let restricted = self.key()?.restriction.is_some();
        match self.salt {
            Salt::Bytes(_) | Salt::Digest if restricted => self.pss().map(drop),
            _ => Ok(()),
        }
    }

    /// The hash of the message, that of MGF1, and the length of a new salt.
    fn pss(&self) -> Result<(Hash, Hash, usize), Failure> {
        let key = self.key()?;
        let hash = self.digest.unwrap_or(Digest::Of(Hash::Sha1)).modern()?;
        let mgf = self.mgf.map(Digest::modern).transpose()?.unwrap_or(hash);
        let em_len = (key.public.bits() - 1).div_ceil(8);
        let longest = em_len.checked_sub(hash.len() + 2);
        let longest = longest.ok_or_else(|| {
            Failure::new("the key is too small for this hash: use a longer key or a shorter hash")
        })?;
        let len = match self.salt {
            Salt::Bytes(len) => len,
            Salt::Digest => hash.len(),
            Salt::Auto | Salt::Longest => longest,
            Salt::AutoDigest => hash.len().min(longest),
        };
        if len > longest {
            return Err(Failure::new(format!(
                "the salt has {len} bytes, and this key and hash have room for {longest}: use a shorter one"
            )));
        }
        self.restricted(|own| len >= own.min_salt_len)?;
        Ok((hash, mgf, len))
    }

    /// The block of PKCS #1 v1.5 for a digest, or for bytes if there is no hash (RFC 8017, 9.2).
    fn block(&self, tbs: &[u8]) -> Result<Vec<u8>, Failure> {
        let info = self.digest.map_or(&[][..], Digest::info);
        self.is_digest(tbs)?;
        let size = self.key()?.public.size();
        Ok(emsa_pkcs1_v1_5_block(info, tbs, size)?)
    }

    fn is_digest(&self, tbs: &[u8]) -> Result<(), Failure> {
        match self.digest {
            Some(digest) if digest.len() != tbs.len() => Err(Failure::new(format!(
                "the digest has {} bytes, and the hash gives {}: pass the digest, not the message",
                tbs.len(),
                digest.len()
            ))),
            _ => Ok(()),
        }
    }

    fn sign_digest(&self, tbs: &[u8]) -> Result<Zeroizing<Vec<u8>>, Failure> {
        let key = self.key()?.private()?;
        // Nothing that must be freed lies on the stack while the operation runs: it may be paused, and never resumed.
        let signature = work::number(Private::Raw(self.task(key, tbs)?), key.size())?;
        counters::SIGNATURES.count();
        Ok(signature)
    }

    fn task(&self, key: &PrivateKey, tbs: &[u8]) -> Result<RawPrivate, Failure> {
        let em = match self.padding {
            Padding::Pss => {
                let (hash, mgf, len) = self.pss()?;
                let mut salt = vec![0; len];
                system_rng().fill_bytes(&mut salt);
                emsa_pss_encode(hash, mgf, tbs, key.bits() - 1, &salt)?
            }
            Padding::None if tbs.len() == key.size() => tbs.to_vec(),
            Padding::None => {
                return Err(Failure::new(
                    "without padding the data must be as long as the modulus: pad it, or use PSS",
                ));
            }
            _ => self.block(tbs)?,
        };
        Ok(RawPrivate {
            key: key.clone(),
            x: Nat::from_be_bytes(&em),
        })
    }

    /// The block that a signature holds.
    fn open(&self, signature: &[u8]) -> Result<Vec<u8>, Failure> {
        let public = &self.key()?.public;
        let wrong = || Failure::new("the signature is not as long as the modulus, or not below it");
        if signature.len() != public.size() {
            return Err(wrong());
        }
        let m = public
            .rsavp1(&Nat::from_be_bytes(signature))
            .map_err(|_| wrong())?;
        let mut em = m.to_be_bytes(public.size()).ok_or_else(wrong)?;
        counters::VERIFICATIONS.count();
        Ok(core::mem::take(&mut *em))
    }

    fn verify_digest(&self, signature: &[u8], tbs: &[u8]) -> Result<(), Failure> {
        let wrong =
            || Failure::new("the signature does not fit the message, key, padding and hash");
        let em = self.open(signature)?;
        match self.padding {
            Padding::Pss => {
                let (hash, mgf, len) = self.pss()?;
                let any = matches!(self.salt, Salt::Auto | Salt::AutoDigest);
                if any && self.key()?.restriction.is_some() {
                    return Err(Failure::new(
                        "the key's restriction needs a length of the salt: set it to a number or to digest",
                    ));
                }
                let bits = self.key()?.public.bits() - 1;
                // With a key of 8n + 1 bits, the block is a byte shorter than the modulus.
                let (top, em) = em.split_at(em.len() - bits.div_ceil(8));
                if top.iter().any(|&byte| byte != 0) {
                    return Err(wrong());
                }
                Ok(emsa_pss_verify(
                    hash,
                    mgf,
                    (!any).then_some(len),
                    tbs,
                    em,
                    bits,
                )?)
            }
            Padding::None if em == tbs => Ok(()),
            Padding::None => Err(wrong()),
            _ if em == self.block(tbs)? => Ok(()),
            _ => Err(wrong()),
        }
    }

    /// What a signature of PKCS #1 v1.5 says: the digest, or the bytes that were signed.
    fn recover(&self, signature: &[u8]) -> Result<Zeroizing<Vec<u8>>, Failure> {
        let wrong =
            || Failure::new("the signature has not the form of PKCS #1 v1.5 with this hash");
        let em = self.open(signature)?;
        match self.padding {
            Padding::None => return Ok(Zeroizing::new(em)),
            Padding::Pkcs1 => (),
            _ => {
                return Err(Failure::new(
                    "only signatures of PKCS #1 v1.5 and those without padding hold what was signed",
                ));
            }
        }
        let body = em.strip_prefix(&[0, 1]).ok_or_else(wrong)?;
        let padding = body.iter().take_while(|&&byte| byte == 0xff).count();
        let tbs = body[padding..].strip_prefix(&[0]).filter(|_| padding >= 8);
        let tbs = tbs.ok_or_else(wrong)?;
        let info = self.digest.map_or(&[][..], Digest::info);
        let tbs = tbs.strip_prefix(info).ok_or_else(wrong)?;
        self.is_digest(tbs)?;
        Ok(Zeroizing::new(tbs.to_vec()))
    }

    /// Takes the last piece, or all, of a message; `false` if the operation is on a digest. A message that has ended needs
    /// another operation.
    fn takes(&mut self, tbs: &[u8]) -> Result<bool, Failure> {
        if self.message {
            self.update(tbs)?;
        }
        Ok(self.message)
    }

    fn finish(&mut self) -> Result<Vec<u8>, Failure> {
        let running = self.running.take();
        Ok(running.ok_or_else(Failure::order)?.finish())
    }

    fn finish_into(&mut self, out: &mut [u8; 64]) -> Result<usize, Failure> {
        let digest = self.finish()?;
        out[..digest.len()].copy_from_slice(&digest);
        Ok(digest.len())
    }

    fn answer_salt(&self, wanted: &mut Wanted<'_>) -> Result<(), Failure> {
        let row = SALTS.iter().find(|row| row.0 == self.salt);
        match (row, self.salt) {
            (Some((_, _, name)), _) if wanted.wants_text() => wanted.set_text(name),
            (Some((_, number, _)), _) => wanted.set_integer(*number),
            (None, Salt::Bytes(len)) if wanted.wants_text() => wanted.set_string(&len.to_string()),
            (None, Salt::Bytes(len)) => wanted.set_integer(len as i32),
            (None, _) => Ok(()),
        }
    }

    /// The `AlgorithmIdentifier` of the signature.
    fn identifier(&self) -> Result<Vec<u8>, Failure> {
        let digest = self.digest.ok_or_else(Failure::order)?;
        let none = || Failure::new("a signature with this padding and hash has no identifier");
        match self.padding {
            Padding::Pss => {
                let (hash, mgf, len) = self.pss()?;
                Ok(der::pss(hash, mgf, len))
            }
            Padding::Pkcs1 => der::pkcs1(digest).ok_or_else(none),
            _ => Err(none()),
        }
    }
}

impl Operation for Context {
    const SETTABLE: &'static [Param] = &[
        Param::describe(c"pad-mode", kind::UTF8),
        Param::describe(c"digest", kind::UTF8),
        Param::describe(c"properties", kind::UTF8),
        Param::describe(c"mgf1-digest", kind::UTF8),
        Param::describe(c"mgf1-properties", kind::UTF8),
        Param::describe(c"saltlen", kind::UTF8),
        Param::END,
    ];
    const GETTABLE: &'static [Param] = &[
        Param::describe(c"algorithm-id", kind::OCTETS),
        Param::describe(c"pad-mode", kind::UTF8),
        Param::describe(c"digest", kind::UTF8),
        Param::describe(c"mgf1-digest", kind::UTF8),
        Param::describe(c"saltlen", kind::UTF8),
        Param::END,
    ];

    fn set(&mut self, params: &Params<'_>) -> Result<(), Failure> {
        if let Some(signature) = params.find(c"signature") {
            self.signature = signature.octets()?.to_vec();
        }
        if self.fixed {
            return Ok(());
        }
        if let Some(padding) = params.find(c"pad-mode") {
            let padding = Padding::read(padding)?;
            let only_pss = self.key.as_ref().is_some_and(|key| key.purpose == Use::Pss);
            if matches!(padding, Padding::Oaep | Padding::Tls)
                || (only_pss && padding != Padding::Pss)
            {
                return Err(Failure::new(
                    "the padding is not for signatures of this key: use PSS or, with an RSA key, PKCS #1 v1.5",
                ));
            }
            self.padding = padding;
        }
        if let Some(digest) = params.find(c"digest") {
            let digest = super::digest(digest)?;
            if self.running.is_some() && self.digest != Some(digest) {
                return Err(Failure::new(
                    "the hash of this operation is fixed: start another",
                ));
            }
            self.set_digest(digest)?;
        }
        if let Some(mgf) = params.find(c"mgf1-digest") {
            if self.padding != Padding::Pss {
                return Err(Failure::new("only PSS has a mask: set the padding first"));
            }
            let mgf = super::digest(mgf)?;
            mgf.modern()?;
            self.restricted(|own| Digest::Of(own.mgf) == mgf)?;
            self.mgf = Some(mgf);
        }
        if let Some(salt) = params.find(c"saltlen") {
            if self.padding != Padding::Pss {
                return Err(Failure::new("only PSS has a salt: set the padding first"));
            }
            let wrong = || {
                Failure::new("the length of the salt is none: use a number, or digest, max or auto")
            };
            let known = |number: i64| SALTS.iter().find(|row| i64::from(row.1) == number);
            let by_name = salt.is_text().then(|| salt.text()).transpose()?;
            let row = by_name.and_then(|name| SALTS.iter().find(|row| row.2.to_str() == Ok(name)));
            self.salt = match (row, by_name) {
                (Some(row), _) => row.0,
                (None, name) => {
                    let number = match name {
                        Some(name) => name.parse().map_err(|_| wrong())?,
                        None => salt.integer()?,
                    };
                    match known(number) {
                        Some(row) => row.0,
                        None => Salt::Bytes(usize::try_from(number).map_err(|_| wrong())?),
                    }
                }
            };
            self.check_restriction()?;
        }
        Ok(())
    }

    fn answer(&self, wanted: &mut Wanted<'_>) -> Result<(), Failure> {
        let name = |digest: Option<Digest>| digest.map_or(c"", |digest| digest.row().name);
        match wanted.name().to_bytes() {
            b"algorithm-id" => wanted.set_octets(&self.identifier()?),
            b"pad-mode" => self.padding.answer(wanted),
            b"digest" => wanted.set_text(name(self.digest)),
            b"mgf1-digest" => wanted.set_text(name(self.mgf.or(self.digest))),
            b"saltlen" => self.answer_salt(wanted),
            _ => Ok(()),
        }
    }
}

/// A whole message is signed and verified by an algorithm with a hash in its name, else a digest or bytes.
impl Signing for Context {
    unsafe fn init(&mut self, key: *const c_void, signing: bool) -> Result<(), Failure> {
        // SAFETY: as the caller says.
        let key = unsafe { Key::given(key) }?;
        self.take(key, signing)
    }

    fn most(&self) -> Result<usize, Failure> {
        Ok(self.key()?.public.size())
    }

    fn sign(&mut self, tbs: &[u8]) -> Result<Zeroizing<Vec<u8>>, Failure> {
        match self.takes(tbs)? {
            true => self.sign_message(),
            false => self.sign_digest(tbs),
        }
    }

    fn verify(&mut self, signature: &[u8], tbs: &[u8]) -> Result<(), Failure> {
        match self.takes(tbs)? {
            true => self.verify_message(signature),
            false => self.verify_digest(signature, tbs),
        }
    }
}

impl Streaming for Context {
    /// Without a hash, by that of the key or SHA-256.
    fn message(&mut self, hash: Option<&str>) -> Result<(), Failure> {
        if let Some(name) = hash {
            self.set_digest(digests::find(name)?)?;
        }
        let digest = *self.digest.get_or_insert(Digest::Of(Hash::Sha256));
        self.running = Some(digest.running());
        self.message = true;
        Ok(())
    }

    fn update(&mut self, data: &[u8]) -> Result<(), Failure> {
        self.running
            .as_mut()
            .ok_or_else(Failure::order)?
            .update(data);
        Ok(())
    }

    fn sign_message(&mut self) -> Result<Zeroizing<Vec<u8>>, Failure> {
        let mut digest = [0; 64];
        let len = self.finish_into(&mut digest)?;
        self.sign_digest(&digest[..len])
    }

    fn verify_message(&mut self, signature: &[u8]) -> Result<(), Failure> {
        let digest = self.finish()?;
        self.verify_digest(signature, &digest)
    }
}

/// As [`signing::verify_final`], with the signature that is set as a parameter.
unsafe extern "C" fn verify_message_final(context: *mut c_void) -> c_int {
    // SAFETY: OpenSSL passes a context of ours.
    unsafe {
        Held::change(context, |context: &mut Context| {
            let digest = context.finish()?;
            context.verify_digest(&context.signature, &digest)
        })
    }
}

unsafe extern "C" fn recover(
    context: *mut c_void,
    out: *mut u8,
    len: *mut usize,
    size: usize,
    signature: *const u8,
    signature_len: usize,
) -> c_int {
    // SAFETY: OpenSSL passes a context of ours, room, and data.
    unsafe {
        Held::change(context, |context: &mut Context| {
            let most = context.key()?.public.size();
            let recovered = || context.recover(bytes(signature, signature_len));
            write(out, len, size, most, recovered)
        })
    }
}

pub static RSA: [Dispatch; 20] = [
    signature::NEWCTX.is(signing::new::<Context>),
    signature::FREECTX.is(held::free::<Context>),
    signature::DUPCTX.is(held::dup::<Context>),
    signature::SIGN_INIT.is(signing::init::<Context, true>),
    signature::SIGN.is(signing::sign::<Context>),
    signature::VERIFY_INIT.is(signing::init::<Context, false>),
    signature::VERIFY.is(signing::verify::<Context>),
    signature::VERIFY_RECOVER_INIT.is(signing::init::<Context, false>),
    signature::VERIFY_RECOVER.is(recover),
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

/// An `init` of an algorithm whose name has a hash: PKCS #1 v1.5 with the hash in row `ROW` of [`digests::ALL`]
/// (OpenSSL 3.4 and later).
unsafe extern "C" fn fixed_init<const ROW: usize, const SIGNING: bool, const MESSAGE: bool>(
    context: *mut c_void,
    key: *mut c_void,
    params: *const Param,
) -> c_int {
    // SAFETY: OpenSSL passes a context and a key of ours, and a list.
    unsafe {
        Held::change(context, |context: &mut Context| {
            context.fixed = true;
            context.init(key, SIGNING)?;
            context.padding = Padding::Pkcs1;
            context.digest = Some(digests::ALL[ROW].digest);
            context.running = MESSAGE.then(|| digests::ALL[ROW].digest.running());
            context.message = MESSAGE;
            context.set(&Params::new(params))
        })
    }
}

/// The keys that these algorithms take.
unsafe extern "C" fn key_types() -> *const *const c_char {
    static TYPES: KeyTypes = KeyTypes::new(c"RSA");
    TYPES.as_ptr()
}

static FIXED_SETTABLE: [Param; 2] = [Param::describe(c"signature", kind::OCTETS), Param::END];

unsafe extern "C" fn fixed_settable(_context: *mut c_void, _provider: *mut c_void) -> *const Param {
    FIXED_SETTABLE.as_ptr()
}

/// The functions of such an algorithm.
pub const fn fixed<const ROW: usize>() -> [Dispatch; 21] {
    [
        signature::NEWCTX.is(signing::new::<Context>),
        signature::FREECTX.is(held::free::<Context>),
        signature::DUPCTX.is(held::dup::<Context>),
        signature::SIGN_INIT.is(fixed_init::<ROW, true, false>),
        signature::SIGN.is(signing::sign::<Context>),
        signature::VERIFY_INIT.is(fixed_init::<ROW, false, false>),
        signature::VERIFY.is(signing::verify::<Context>),
        signature::VERIFY_RECOVER_INIT.is(fixed_init::<ROW, false, false>),
        signature::VERIFY_RECOVER.is(recover),
        signature::SIGN_MESSAGE_INIT.is(fixed_init::<ROW, true, true>),
        signature::SIGN_MESSAGE_UPDATE.is(signing::update::<Context>),
        signature::SIGN_MESSAGE_FINAL.is(signing::sign_final::<Context>),
        signature::VERIFY_MESSAGE_INIT.is(fixed_init::<ROW, false, true>),
        signature::VERIFY_MESSAGE_UPDATE.is(signing::update::<Context>),
        signature::VERIFY_MESSAGE_FINAL.is(verify_message_final),
        signature::QUERY_KEY_TYPES.is(key_types),
        signature::GET_CTX_PARAMS.is(held::get::<Context>),
        signature::GETTABLE_CTX_PARAMS.is(held::gettable::<Context>),
        signature::SET_CTX_PARAMS.is(held::set::<Context>),
        signature::SETTABLE_CTX_PARAMS.is(fixed_settable),
        Dispatch::END,
    ]
}
