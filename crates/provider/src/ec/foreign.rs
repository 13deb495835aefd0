//! Keys on curves that are not here. The default provider has them and does all that is asked of them: whoever asks for
//! the algorithm `EC` gets this provider, and OpenSSL does not go on to the next where a generation or `fromdata` fails.

use super::exchange::COFACTOR;
use super::parts::{ENCODED, GROUP, PRIVATE, PUBLIC};
use super::signature::NONCE;
use super::{Private, Public};
use crate::abi::{Callback, Param, UNMODIFIED, kind, select};
use crate::digests::Digest;
use crate::failure::Failure;
use crate::groups::{Group, TLS_1_0, TLS_1_2};
use crate::keys::selected;
use crate::libcrypto::functions;
use crate::param::{List, Params};
use carrysave::hash::Hash;
use core::any::Any;
use core::ffi::{CStr, c_char, c_int, c_uint, c_void};
use core::ptr::null_mut;
use zeroize::Zeroizing;

type Pkey = *mut c_void;
type Ctx = *mut c_void;

functions! {
    /// What the default provider's keys are used by (openssl/evp.h).
    Library {
        named = EVP_PKEY_CTX_new_from_name(*mut c_void, *const c_char, *const c_char) -> Ctx;
        keyed = EVP_PKEY_CTX_new_from_pkey(*mut c_void, Pkey, *const c_char) -> Ctx;
        free_ctx = EVP_PKEY_CTX_free(Ctx);
        set_ctx = EVP_PKEY_CTX_set_params(Ctx, *const Param) -> c_int;
        settable = EVP_PKEY_CTX_settable_params(Ctx) -> *const Param;
        fromdata_init = EVP_PKEY_fromdata_init(Ctx) -> c_int;
        fromdata = EVP_PKEY_fromdata(Ctx, *mut Pkey, c_int, *const Param) -> c_int;
        keygen_init = EVP_PKEY_keygen_init(Ctx) -> c_int;
        paramgen_init = EVP_PKEY_paramgen_init(Ctx) -> c_int;
        generate = EVP_PKEY_generate(Ctx, *mut Pkey) -> c_int;
        todata = EVP_PKEY_todata(Pkey, c_int, *mut *mut Param) -> c_int;
        free_params = OSSL_PARAM_free(*mut Param);
        export = EVP_PKEY_export(Pkey, c_int, Callback, *mut c_void) -> c_int;
        get = EVP_PKEY_get_params(Pkey, *mut Param) -> c_int;
        set = EVP_PKEY_set_params(Pkey, *const Param) -> c_int;
        equal = EVP_PKEY_eq(Pkey, Pkey) -> c_int;
        equal_params = EVP_PKEY_parameters_eq(Pkey, Pkey) -> c_int;
        check_params = EVP_PKEY_param_check(Ctx) -> c_int;
        check_params_quick = EVP_PKEY_param_check_quick(Ctx) -> c_int;
        check_public = EVP_PKEY_public_check(Ctx) -> c_int;
        check_public_quick = EVP_PKEY_public_check_quick(Ctx) -> c_int;
        check_private = EVP_PKEY_private_check(Ctx) -> c_int;
        check_pair = EVP_PKEY_pairwise_check(Ctx) -> c_int;
        sign_init = EVP_PKEY_sign_init(Ctx) -> c_int;
        sign = EVP_PKEY_sign(Ctx, *mut u8, *mut usize, *const u8, usize) -> c_int;
        verify_init = EVP_PKEY_verify_init(Ctx) -> c_int;
        verify = EVP_PKEY_verify(Ctx, *const u8, usize, *const u8, usize) -> c_int;
        derive_init = EVP_PKEY_derive_init(Ctx) -> c_int;
        set_peer = EVP_PKEY_derive_set_peer_ex(Ctx, Pkey, c_int) -> c_int;
        derive = EVP_PKEY_derive(Ctx, *mut u8, *mut usize) -> c_int;
        free = EVP_PKEY_free(Pkey);
    }
}

/// Looks the functions up. Called while the module is loaded, when no other thread can be forked away meanwhile.
pub fn prepare() {
    Library::get();
}

/// The parameters of a curve, by its name or in numbers.
pub const CURVE: &[Param] = &[
    Param::describe(GROUP, kind::UTF8),
    Param::describe(c"encoding", kind::UTF8),
    Param::describe(c"point-format", kind::UTF8),
    Param::describe(c"field-type", kind::UTF8),
    Param::describe(c"p", kind::UNSIGNED),
    Param::describe(c"a", kind::UNSIGNED),
    Param::describe(c"b", kind::UNSIGNED),
    Param::describe(c"generator", kind::OCTETS),
    Param::describe(c"order", kind::UNSIGNED),
    Param::describe(c"cofactor", kind::UNSIGNED),
    Param::describe(c"seed", kind::OCTETS),
    Param::describe(c"use-cofactor-flag", kind::INTEGER),
    Param::END,
];

/// The parameters of a pair, beside those of its curve.
const PAIR: &[Param] = &[
    Param::describe(c"include-public", kind::INTEGER),
    Param::describe(PUBLIC, kind::OCTETS),
    Param::describe(PRIVATE, kind::UNSIGNED),
];

/// The parameters of a key that programs set.
const SET: &[Param] = &[
    Param::describe(ENCODED, kind::OCTETS),
    Param::describe(c"point-format", kind::UTF8),
    Param::describe(c"encoding", kind::UTF8),
    Param::describe(c"group-check", kind::UTF8),
    Param::describe(c"use-cofactor-flag", kind::INTEGER),
    Param::describe(c"include-public", kind::INTEGER),
    Param::describe(c"seed", kind::OCTETS),
];

const DEFAULT: &CStr = c"provider=default";

/// What OpenSSL answered. Its own queue of errors says more.
fn good(result: c_int) -> Result<(), Failure> {
    match result {
        1.. => Ok(()),
        _ => Err(Failure::new(
            "carrysave does not have the curve, and the default provider refused",
        )),
    }
}

/// An operation of the default provider's.
struct Context {
    library: &'static Library,
    it: Ctx,
}

impl Context {
    fn new(make: impl FnOnce(&Library) -> Ctx) -> Result<Context, Failure> {
        let library = Library::get().ok_or_else(|| {
            Failure::new(
                "carrysave does not have the curve, and does not find libcrypto's functions in this program: ask for provider=default",
            )
        })?;
        let it = make(library);
        good((!it.is_null()).into())?;
        Ok(Context { library, it })
    }

    /// With keys of the algorithm.
    fn named() -> Result<Context, Failure> {
        // SAFETY: both are C strings.
        Context::new(|library| unsafe {
            (library.named)(null_mut(), c"EC".as_ptr(), DEFAULT.as_ptr())
        })
    }

    /// A key that a call made.
    fn key(&self, make: impl FnOnce(&mut Pkey) -> c_int) -> Result<Foreign, Failure> {
        let mut it = null_mut();
        good(make(&mut it))?;
        Ok(Foreign {
            library: self.library,
            it,
        })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: it is used no more.
        unsafe { (self.library.free_ctx)(self.it) };
    }
}

/// A key of the default provider's: an `EVP_PKEY`.
pub struct Foreign {
    library: &'static Library,
    it: Pkey,
}

// SAFETY: OpenSSL lets every thread use a key.
unsafe impl Send for Foreign {}
// SAFETY: as above.
unsafe impl Sync for Foreign {}

impl Drop for Foreign {
    fn drop(&mut self) {
        // SAFETY: it is used no more.
        unsafe { (self.library.free)(self.it) };
    }
}

impl Foreign {
    /// The key of these parameters.
    pub fn import(selection: c_int, params: &Params<'_>) -> Result<Foreign, Failure> {
        // Copied, as the default provider reads texts up to a null, and not all programs end them so.
        let mut stated = List::default();
        stated.take(params, CURVE)?;
        stated.take(params, PAIR)?;
        let params = stated.params();
        let context = Context::named()?;
        let library = context.library;
        // SAFETY: the context is new, and the list outlives the call.
        unsafe {
            good((library.fromdata_init)(context.it))?;
            let params = params.as_ptr();
            context.key(|key| (library.fromdata)(context.it, key, selection, params))
        }
    }

    /// A new key, or parameters alone, as parameters say and on the curve of a template, as far as there are any.
    pub fn generate(
        pair: bool,
        params: &Params<'_>,
        template: Option<&Foreign>,
    ) -> Result<Foreign, Failure> {
        let context = match template {
            Some(template) => template.context()?,
            None => Context::named()?,
        };
        let library = context.library;
        let init = if pair {
            library.keygen_init
        } else {
            library.paramgen_init
        };
        // SAFETY: the context is new, and the list outlives the call.
        unsafe {
            good(init(context.it))?;
            good((library.set_ctx)(context.it, params.as_ptr()))?;
            context.key(|key| (library.generate)(context.it, key))
        }
    }

    /// An operation with this key.
    fn context(&self) -> Result<Context, Failure> {
        // SAFETY: the key is alive, and the text a C string.
        Context::new(|library| unsafe { (library.keyed)(null_mut(), self.it, DEFAULT.as_ptr()) })
    }

    /// A key of the selected parts.
    pub fn part(&self, selection: c_int) -> Result<Foreign, Failure> {
        let mut params = null_mut();
        // SAFETY: the list is OpenSSL's, and freed once.
        unsafe {
            good((self.library.todata)(self.it, selection, &mut params))?;
            let part = Foreign::import(selection, &Params::new(params));
            (self.library.free_params)(params);
            part
        }
    }

    /// Answers what is asked for.
    ///
    /// # Safety
    /// `params` must be a list of OpenSSL's.
    pub unsafe fn answer(&self, params: *mut Param) -> Result<(), Failure> {
        // SAFETY: as the caller says.
        good(unsafe { (self.library.get)(self.it, params) })
    }

    /// Takes what a program sets.
    pub fn set(&self, params: &Params<'_>) -> Result<(), Failure> {
        let mut stated = List::default();
        stated.take(params, SET)?;
        let params = stated.params();
        // SAFETY: the list outlives the call.
        good(unsafe { (self.library.set)(self.it, params.as_ptr()) })
    }

    /// Passes the selected parts to a callback.
    ///
    /// # Safety
    /// The argument must be what belongs to the callback.
    pub unsafe fn export(
        &self,
        selection: c_int,
        callback: Callback,
        argument: *mut c_void,
    ) -> Result<(), Failure> {
        // SAFETY: as the caller says.
        good(unsafe { (self.library.export)(self.it, selection, callback, argument) })
    }

    /// Asks for a parameter, whose value is in the room then: whether there is one.
    ///
    /// # Safety
    /// T must be an integer, or octets.
    unsafe fn ask<T>(&self, name: &'static CStr, kind: c_uint, room: &mut T) -> bool {
        let mut params = [
            Param {
                data: (&raw mut *room).cast(),
                size: size_of::<T>(),
                ..Param::describe(name, kind)
            },
            Param::END,
        ];
        // SAFETY: the room is as long as it is said to be.
        let answer = unsafe { self.answer(params.as_mut_ptr()) };
        answer.is_ok() && params[0].return_size != UNMODIFIED
    }

    pub fn has(&self, selection: c_int) -> bool {
        let there = |name, kind| {
            // More than the longest number of a curve takes.
            let mut room = Zeroizing::new([0_u8; 1024]);
            // SAFETY: they are octets.
            unsafe { self.ask(name, kind, &mut *room) }
        };
        let has = |part, name, kind| !selected(selection, part) || there(name, kind);
        has(select::PRIVATE, PRIVATE, kind::UNSIGNED) && has(select::PUBLIC, PUBLIC, kind::OCTETS)
    }

    pub fn matches(&self, other: &Foreign, selection: c_int) -> bool {
        let compare = if selected(selection, select::PAIR) {
            self.library.equal
        } else {
            self.library.equal_params
        };
        // SAFETY: both keys are alive.
        unsafe { compare(self.it, other.it) == 1 }
    }

    /// Checks what is selected.
    pub fn validate(&self, selection: c_int, quick: bool) -> Result<(), Failure> {
        let (library, context) = (self.library, self.context()?);
        let params = if quick {
            library.check_params_quick
        } else {
            library.check_params
        };
        let public = if quick {
            library.check_public_quick
        } else {
            library.check_public
        };
        let pair = match selection & select::PAIR {
            select::PAIR => Some(library.check_pair),
            select::PUBLIC => Some(public),
            select::PRIVATE => Some(library.check_private),
            _ => None,
        };
        let domain = selected(selection, select::DOMAIN).then_some(params);
        domain.into_iter().chain(pair).try_for_each(|check| {
            // SAFETY: the context has the key.
            good(unsafe { check(context.it) })
        })
    }

    /// The longest signature, in octets.
    pub fn signature_size(&self) -> usize {
        let mut size: c_int = 0;
        // SAFETY: it is an integer.
        match unsafe { self.ask(c"max-size", kind::INTEGER, &mut size) } {
            true => size.unsigned_abs() as usize,
            false => 0,
        }
    }

    /// A signature, of an operation with these parameters.
    fn signed(&self, octets: &[u8], stated: &List) -> Result<Vec<u8>, Failure> {
        let (library, context) = (self.library, self.context()?);
        let mut signature = vec![0; self.signature_size()];
        let mut len = signature.len();
        let params = stated.params();
        // SAFETY: the context has the key, and there is room for so many octets.
        unsafe {
            good((library.sign_init)(context.it))?;
            let settable = Params::new((library.settable)(context.it));
            if params.len() > 1 && settable.find(NONCE).is_none() {
                return Err(Failure::new(
                    "this OpenSSL has no nonces of RFC 6979 on the curve: leave nonce-type at 0",
                ));
            }
            good((library.set_ctx)(context.it, params.as_ptr()))?;
            let (data, size) = (octets.as_ptr(), octets.len());
            good((library.sign)(
                context.it,
                signature.as_mut_ptr(),
                &mut len,
                data,
                size,
            ))?;
        }
        signature.truncate(len);
        Ok(signature)
    }
}

impl Private for Foreign {
    fn fits(&self, peer: &dyn Public) -> bool {
        let peer = peer.as_any().downcast_ref::<Foreign>();
        peer.is_some_and(|peer| self.matches(peer, select::DOMAIN))
    }

    fn agree(&self, peer: &dyn Public, cofactor: c_int) -> Result<Zeroizing<Vec<u8>>, Failure> {
        let peer = peer.as_any().downcast_ref::<Foreign>();
        let peer = peer.ok_or(carrysave::ec::Error::OtherCurve)?;
        let (library, context) = (self.library, self.context()?);
        let mut len = 0;
        let mut stated = List::default();
        stated.integer(COFACTOR, cofactor);
        let params = stated.params();
        // SAFETY: both keys are alive, lists live on, and there is room for so many octets.
        unsafe {
            good((library.derive_init)(context.it))?;
            good((library.set_ctx)(context.it, params.as_ptr()))?;
            // Whoever met the peer has had it checked.
            good((library.set_peer)(context.it, peer.it, 0))?;
            good((library.derive)(context.it, null_mut(), &mut len))?;
            let mut secret = Zeroizing::new(vec![0; len]);
            good((library.derive)(context.it, secret.as_mut_ptr(), &mut len))?;
            secret.truncate(len);
            Ok(secret)
        }
    }

    fn sign(&self, octets: &[u8]) -> Result<Vec<u8>, Failure> {
        self.signed(octets, &List::default())
    }

    fn sign_deterministic(&self, hash: Hash, digest: &[u8]) -> Result<Vec<u8>, Failure> {
        let mut stated = List::default();
        stated.text(c"digest", Digest::Of(hash).row().name);
        stated.natural(NONCE, &1_u32.to_be_bytes());
        self.signed(digest, &stated)
    }
}

impl Public for Foreign {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn verify(&self, octets: &[u8], signature: &[u8]) -> Result<(), Failure> {
        let (library, context) = (self.library, self.context()?);
        // SAFETY: the context has the key, and lengths are those of the slices.
        unsafe {
            good((library.verify_init)(context.it))?;
            let (data, size) = (octets.as_ptr(), octets.len());
            let verify = library.verify;
            good(verify(
                context.it,
                signature.as_ptr(),
                signature.len(),
                data,
                size,
            ))
        }
    }
}

/// The groups of TLS up to 1.2 on these curves (RFC 8422): the name, another name of the group, that of its keys, its
/// number and its strength in bits.
#[rustfmt::skip]
static GROUPS: [(&CStr, Option<&CStr>, &CStr, c_int, c_int); 20] = [
    (c"sect163k1", Some(c"K-163"), c"sect163k1", 1, 80),
    (c"sect163r1", None, c"sect163r1", 2, 80),
    (c"sect163r2", Some(c"B-163"), c"sect163r2", 3, 80),
    (c"sect193r1", None, c"sect193r1", 4, 80),
    (c"sect193r2", None, c"sect193r2", 5, 80),
    (c"sect233k1", Some(c"K-233"), c"sect233k1", 6, 112),
    (c"sect233r1", Some(c"B-233"), c"sect233r1", 7, 112),
    (c"sect239k1", None, c"sect239k1", 8, 112),
    (c"sect283k1", Some(c"K-283"), c"sect283k1", 9, 128),
    (c"sect283r1", Some(c"B-283"), c"sect283r1", 10, 128),
    (c"sect409k1", Some(c"K-409"), c"sect409k1", 11, 192),
    (c"sect409r1", Some(c"B-409"), c"sect409r1", 12, 192),
    (c"sect571k1", Some(c"K-571"), c"sect571k1", 13, 256),
    (c"sect571r1", Some(c"B-571"), c"sect571r1", 14, 256),
    (c"secp160k1", None, c"secp160k1", 15, 80),
    (c"secp160r1", None, c"secp160r1", 16, 80),
    (c"secp160r2", None, c"secp160r2", 17, 80),
    (c"secp192k1", None, c"secp192k1", 18, 80),
    (c"secp192r1", Some(c"P-192"), c"prime192v1", 19, 80),
    (c"secp224k1", None, c"secp224k1", 20, 112),
];

/// The groups of TLS on these curves, where the default provider can be asked for their keys. Where it lacks a curve,
/// a handshake that asks for its group fails.
pub fn groups() -> impl Iterator<Item = Group> {
    let there = Library::get().is_some();
    let rows = GROUPS.iter().filter(move |_| there);
    rows.flat_map(|&(name, alias, keys, id, security_bits)| {
        core::iter::once(name).chain(alias).map(move |name| Group {
            name,
            keys,
            algorithm: c"EC",
            id,
            security_bits,
            versions: [TLS_1_0, TLS_1_2],
        })
    })
}
