//! KEYMGMT of `RSA` and `RSA-PSS`.

use crate::abi::{Callback, Dispatch, Param, keymgmt, kind, operation, select};
use crate::counters;
use crate::digests::Digest;
use crate::failure::Failure;
use crate::held::{self, Held};
use crate::keys::{self, Progress};
use crate::param::{List, Params, significant, wanted};
use crate::work;
use carrysave::arith::Nat;
use carrysave::hash::Hash;
use carrysave::rsa::{self, KeygenOptions, PrivateKey, PssParameters, PublicKey};
use carrysave::{KeyError, system_rng};
use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr::null;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

const N: &CStr = c"n";
const E: &CStr = c"e";
const D: &CStr = c"d";
const FACTORS: [&CStr; 10] = [
    c"rsa-factor1",
    c"rsa-factor2",
    c"rsa-factor3",
    c"rsa-factor4",
    c"rsa-factor5",
    c"rsa-factor6",
    c"rsa-factor7",
    c"rsa-factor8",
    c"rsa-factor9",
    c"rsa-factor10",
];
const EXPONENTS: [&CStr; 10] = [
    c"rsa-exponent1",
    c"rsa-exponent2",
    c"rsa-exponent3",
    c"rsa-exponent4",
    c"rsa-exponent5",
    c"rsa-exponent6",
    c"rsa-exponent7",
    c"rsa-exponent8",
    c"rsa-exponent9",
    c"rsa-exponent10",
];
const COEFFICIENTS: [&CStr; 9] = [
    c"rsa-coefficient1",
    c"rsa-coefficient2",
    c"rsa-coefficient3",
    c"rsa-coefficient4",
    c"rsa-coefficient5",
    c"rsa-coefficient6",
    c"rsa-coefficient7",
    c"rsa-coefficient8",
    c"rsa-coefficient9",
];

/// What a key is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// `RSA`: signatures of any padding, and encryption.
    Any,
    /// `RSA-PSS`: signatures with PSS.
    Pss,
}

/// A key with its parts.
pub struct Parts {
    pub public: PublicKey,
    pub private: Option<PrivateKey>,
    pub purpose: Use,
    /// What signatures of an RSA-PSS key must have.
    pub restriction: Option<PssParameters>,
}

/// The place of a key, which import fills.
pub struct Key {
    purpose: Use,
    parts: OnceLock<Arc<Parts>>,
}

impl Key {
    /// The parts, or the failure that there are none.
    pub fn parts(&self) -> Result<&Arc<Parts>, Failure> {
        self.parts
            .get()
            .ok_or_else(|| Failure::new("the key is empty: import or generate one first"))
    }

    /// The parts of the key of an `init`, if there is one.
    ///
    /// # Safety
    /// `key` must be null or a key of ours.
    pub unsafe fn given(key: *const c_void) -> Result<Option<Arc<Parts>>, Failure> {
        // SAFETY: as the caller says.
        let key = unsafe { Held::<Key>::get(key) };
        key.map(|key| key.parts().cloned()).transpose()
    }
}

impl Parts {
    pub fn private(&self) -> Result<&PrivateKey, Failure> {
        self.private.as_ref().ok_or_else(|| {
            Failure::new("the key is public: signing and decrypting need the private key")
        })
    }

    fn read(purpose: Use, selection: c_int, params: &Params<'_>) -> Result<Parts, Failure> {
        let number = |name| params.find(name).map(|value| value.natural()).transpose();
        let nat = |name| -> Result<Option<Nat>, Failure> {
            let bytes = number(name)?.filter(|bytes| bytes.iter().any(|&byte| byte != 0));
            Ok(bytes.map(|bytes| Nat::from_be_bytes(significant(&bytes))))
        };
        let missing = || Failure::new("the key lacks its modulus or its public exponent");
        let n = nat(N)?.ok_or_else(missing)?;
        let e = nat(E)?.ok_or_else(missing)?;
        let public = PublicKey::new(n.clone(), e.clone())?;
        let mut private = None;
        if selection & select::PRIVATE != 0
            && let Some(d) = nat(D)?
        {
            let mut primes = Vec::new();
            for name in FACTORS {
                primes.extend(nat(name)?);
            }
            private = Some(PrivateKey::from_components(n, e, d, primes)?);
        }
        Ok(Parts {
            public,
            private,
            purpose,
            restriction: restriction(purpose, None, params)?,
        })
    }

    /// The parts as OpenSSL names them: all of a private key's, as it takes all or none.
    fn list(&self, selection: c_int) -> List {
        let mut list = List::default();
        let public = &self.public;
        if selection & select::PAIR != 0 {
            list.natural(N, &public.n().to_be_bytes_vartime());
            list.natural(E, &public.e().to_be_bytes_vartime());
        }
        if selection & select::PRIVATE != 0
            && let Some(key) = &self.private
        {
            let mut secret = |name, number: &Nat, size| {
                if let Some(bytes) = number.to_be_bytes(size) {
                    list.natural(name, &bytes);
                }
            };
            let size = key.size();
            secret(D, key.d(), size);
            for (name, prime) in FACTORS.into_iter().zip(key.primes()) {
                secret(name, prime, prime.bits().div_ceil(8));
            }
            let coefficients = [COEFFICIENTS[0], c""].into_iter();
            let coefficients = coefficients.chain(COEFFICIENTS.into_iter().skip(1));
            let sizes = key.primes().map(|prime| prime.bits().div_ceil(8));
            let names = EXPONENTS.into_iter().zip(coefficients).zip(sizes);
            for (((exponent, coefficient), size), (d, t)) in names.zip(key.crt()) {
                secret(exponent, d, size);
                // The second prime has none.
                if !coefficient.is_empty() {
                    secret(coefficient, t, size);
                }
            }
        }
        if selection & select::OTHER != 0
            && let Some(restriction) = self.restriction
        {
            list.text(c"digest", Digest::Of(restriction.hash).row().name);
            list.text(c"mgf", c"MGF1");
            list.text(c"mgf1-digest", Digest::Of(restriction.mgf).row().name);
            list.integer(c"saltlen", restriction.min_salt_len as c_int);
        }
        list
    }
}

/// The restriction that parameters state (RFC 4055, 3.1), beside what was stated before.
fn restriction(
    purpose: Use,
    before: Option<PssParameters>,
    params: &Params<'_>,
) -> Result<Option<PssParameters>, Failure> {
    let names = [c"digest", c"mgf1-digest", c"saltlen"];
    if purpose == Use::Any || names.iter().all(|name| params.find(name).is_none()) {
        return Ok(before);
    }
    let mut stated = before.unwrap_or(PssParameters {
        hash: Hash::Sha1,
        mgf: Hash::Sha1,
        min_salt_len: 20,
    });
    if let Some(mgf) = params.find(c"mgf")
        && !mgf.text()?.eq_ignore_ascii_case("mgf1")
    {
        return Err(Failure::new(
            "the mask generation function of a key is MGF1",
        ));
    }
    if let Some(hash) = params.find(c"digest") {
        stated.hash = super::digest(hash)?.modern()?;
    }
    if let Some(mgf) = params.find(c"mgf1-digest") {
        stated.mgf = super::digest(mgf)?.modern()?;
    }
    if let Some(len) = params.find(c"saltlen") {
        stated.min_salt_len = usize::try_from(len.integer()?)
            .map_err(|_| Failure::new("the least length of a salt is negative: use 0 or more"))?;
    }
    Ok(Some(stated))
}

/// The strength in bits of a modulus whose factors are hard to find, or of a prime modulo which logarithms are (SP 800-56B, appendix D, with the bounds that OpenSSL sets).
pub fn security_bits(bits: usize) -> i32 {
    let most = match bits {
        0..8 => return 0,
        8..=7680 => 192,
        7681..=15_360 => 256,
        _ => 1200,
    };
    let x = bits as f64 * core::f64::consts::LN_2;
    let strength = (1.923 * (x * x.ln().powi(2)).cbrt() - 4.69) / core::f64::consts::LN_2;
    ((strength as i32 + 4) & !7).min(most)
}

/// Options of a key to be generated.
struct Generation<const PSS: bool> {
    bits: usize,
    options: KeygenOptions,
    restriction: Option<PssParameters>,
}

impl Key {
    fn new(purpose: Use, parts: Option<Parts>) -> Key {
        Key {
            purpose,
            parts: parts
                .map(|parts| Arc::new(parts).into())
                .unwrap_or_default(),
        }
    }
}

unsafe extern "C" fn new<const PSS: bool>(provider: *mut c_void) -> *mut c_void {
    // SAFETY: OpenSSL passes what the provider gave it.
    unsafe { Held::<()>::make(provider, |()| Ok(Key::new(purpose::<PSS>(), None))) }
}

const fn purpose<const PSS: bool>() -> Use {
    if PSS { Use::Pss } else { Use::Any }
}

unsafe extern "C" fn has(key: *const c_void, selection: c_int) -> c_int {
    // SAFETY: it is a key of ours.
    let Some(key) = (unsafe { Held::<Key>::get(key) }) else {
        return 0;
    };
    let parts = key.parts.get();
    let missing = (selection & select::PAIR != 0 && parts.is_none())
        || (selection & select::PRIVATE != 0 && parts.is_none_or(|parts| parts.private.is_none()));
    c_int::from(!missing)
}

unsafe extern "C" fn validate(key: *const c_void, selection: c_int, _kind: c_int) -> c_int {
    // SAFETY: it is a key of ours.
    unsafe {
        Held::look(key, |key: &Key| {
            let parts = key.parts()?;
            if selection & select::PRIVATE != 0 {
                work::apart(|| parts.private()?.validate().map_err(Failure::from))?;
            }
            Ok(())
        })
    }
}

unsafe extern "C" fn matches(a: *const c_void, b: *const c_void, selection: c_int) -> c_int {
    // SAFETY: they are keys of ours.
    let (a, b) = unsafe { (Held::<Key>::get(a), Held::<Key>::get(b)) };
    let parts = |key: Option<&'static Key>| key?.parts.get();
    let (Some(a), Some(b)) = (parts(a), parts(b)) else {
        return 0;
    };
    // A private key that fits a public one is the only one, but for multiples of its exponent.
    let equal = selection & select::PAIR == 0 || a.public == b.public;
    c_int::from(equal)
}

unsafe extern "C" fn import(key: *mut c_void, selection: c_int, params: *const Param) -> c_int {
    // SAFETY: it is a key of ours, and a list of OpenSSL's.
    unsafe {
        Held::look(key, |key: &Key| {
            let params = Params::new(params);
            let parts = work::apart(|| Parts::read(key.purpose, selection, &params))?;
            counters::IMPORTS.count();
            let set = key.parts.set(Arc::new(parts));
            set.map_err(|_| Failure::new("the key has its parts already: make a new one"))
        })
    }
}

unsafe extern "C" fn export(
    key: *mut c_void,
    selection: c_int,
    callback: Callback,
    argument: *mut c_void,
) -> c_int {
    // SAFETY: it is a key of ours, and a callback of OpenSSL's.
    unsafe {
        Held::look(key, |key: &Key| {
            key.parts()?.list(selection).pass(callback, argument)
        })
    }
}

unsafe extern "C" fn dup(key: *const c_void, selection: c_int) -> *mut c_void {
    let private = selection & select::PRIVATE != 0;
    // SAFETY: it is a key of ours.
    unsafe {
        Held::make(key, |key: &Key| {
            let parts = key.parts.get().map(|parts| Parts {
                public: parts.public.clone(),
                private: parts.private.clone().filter(|_| private),
                purpose: parts.purpose,
                restriction: parts.restriction,
            });
            Ok(Key::new(key.purpose, parts))
        })
    }
}

unsafe extern "C" fn get_params(key: *mut c_void, params: *mut Param) -> c_int {
    // SAFETY: it is a key of ours, and a list of OpenSSL's.
    unsafe {
        Held::look(key, |key: &Key| {
            let parts = key.parts()?;
            let public = &parts.public;
            let mut list = None;
            for mut param in wanted(params) {
                match param.name().to_bytes() {
                    b"bits" => param.set_integer(public.bits() as i32)?,
                    b"max-size" => param.set_integer(public.size() as i32)?,
                    b"security-bits" => param.set_integer(security_bits(public.bits()))?,
                    b"default-digest" if parts.restriction.is_none() => {
                        param.set_text(c"SHA256")?
                    }
                    b"mandatory-digest" => {
                        if let Some(restriction) = parts.restriction {
                            param.set_text(Digest::Of(restriction.hash).row().name)?;
                        }
                    }
                    _ => {
                        let all = select::PAIR | select::OTHER;
                        list.get_or_insert_with(|| parts.list(all))
                            .answer(&mut param)?;
                    }
                }
            }
            Ok(())
        })
    }
}

/// The parts of a key that can be imported, exported and asked for.
const fn described<const LEN: usize>(front: &[Param]) -> [Param; LEN] {
    let mut all = [Param::END; LEN];
    let mut at = 0;
    while at < front.len() {
        all[at] = front[at];
        at += 1;
    }
    let mut i = 0;
    while i < FACTORS.len() {
        all[at] = Param::describe(FACTORS[i], kind::UNSIGNED);
        all[at + 1] = Param::describe(EXPONENTS[i], kind::UNSIGNED);
        at += 2;
        i += 1;
    }
    let mut i = 0;
    while i < COEFFICIENTS.len() {
        all[at] = Param::describe(COEFFICIENTS[i], kind::UNSIGNED);
        at += 1;
        i += 1;
    }
    assert!(at + 1 == LEN);
    all
}

static PARTS: [Param; 37] = described(&[
    Param::describe(N, kind::UNSIGNED),
    Param::describe(E, kind::UNSIGNED),
    Param::describe(D, kind::UNSIGNED),
    Param::describe(c"digest", kind::UTF8),
    Param::describe(c"mgf", kind::UTF8),
    Param::describe(c"mgf1-digest", kind::UTF8),
    Param::describe(c"saltlen", kind::INTEGER),
]);

static GETTABLE: [Param; 38] = described(&[
    Param::describe(c"bits", kind::INTEGER),
    Param::describe(c"max-size", kind::INTEGER),
    Param::describe(c"security-bits", kind::INTEGER),
    Param::describe(c"default-digest", kind::UTF8),
    Param::describe(c"mandatory-digest", kind::UTF8),
    Param::describe(N, kind::UNSIGNED),
    Param::describe(E, kind::UNSIGNED),
    Param::describe(D, kind::UNSIGNED),
]);

unsafe extern "C" fn types(selection: c_int) -> *const Param {
    if selection & (select::PAIR | select::OTHER) == 0 {
        null()
    } else {
        PARTS.as_ptr()
    }
}

unsafe extern "C" fn gettable(_provider: *mut c_void) -> *const Param {
    GETTABLE.as_ptr()
}

/// RSA-PSS keys sign by the algorithm named RSA.
unsafe extern "C" fn operation_name(operation: c_int) -> *const c_char {
    match operation {
        operation::SIGNATURE | operation::ASYM_CIPHER => c"RSA".as_ptr(),
        _ => null(),
    }
}

impl<const PSS: bool> keys::Generation for Generation<PSS> {
    type Key = Key;
    const SETTABLE: &'static [Param] = {
        const ANY: [Param; 4] = [
            Param::describe(c"bits", kind::UNSIGNED),
            Param::describe(c"primes", kind::UNSIGNED),
            Param::describe(E, kind::UNSIGNED),
            Param::END,
        ];
        if PSS {
            &[
                ANY[0],
                ANY[1],
                ANY[2],
                Param::describe(c"digest", kind::UTF8),
                Param::describe(c"mgf", kind::UTF8),
                Param::describe(c"mgf1-digest", kind::UTF8),
                Param::describe(c"saltlen", kind::INTEGER),
                Param::END,
            ]
        } else {
            &ANY
        }
    };

    fn new(selection: c_int) -> Result<Self, Failure> {
        if !keys::selected(selection, select::PAIR) {
            return Err(Failure::new("only pairs of keys are generated"));
        }
        Ok(Generation {
            bits: 2048,
            options: KeygenOptions {
                allow_small: true,
                ..KeygenOptions::default()
            },
            restriction: None,
        })
    }

    fn set(&mut self, params: &Params<'_>) -> Result<(), Failure> {
        let small = |value: i64| {
            usize::try_from(value)
                .map_err(|_| Failure::new("a negative size: use 2048 bits or more"))
        };
        if let Some(bits) = params.find(c"bits") {
            self.bits = small(bits.integer()?)?;
        }
        if let Some(primes) = params.find(c"primes") {
            self.options.primes = small(primes.integer()?)?;
        }
        if let Some(e) = params.find(E) {
            self.options.e = Nat::from_be_bytes(significant(&e.natural()?));
        }
        self.restriction = restriction(purpose::<PSS>(), self.restriction, params)?;
        Ok(())
    }

    fn generate(&self, progress: &Progress) -> Result<Key, Failure> {
        let key = work::apart(|| {
            let (tested, stop) = (AtomicI32::new(0), Arc::new(AtomicBool::new(false)));
            let options = KeygenOptions {
                stop: Some(stop.clone()),
                ..self.options.clone()
            };
            let tick = |event| {
                if event == rsa::Progress::Candidate && !stop.load(Relaxed) {
                    let tested = tested.fetch_add(1, Relaxed);
                    stop.store(!progress.report(tested), Relaxed);
                }
            };
            let key = PrivateKey::generate_with(system_rng, self.bits, &options, &tick)?;
            // It may be found while the program answers that the search is to end.
            if stop.load(Relaxed) {
                return Err(KeyError::Stopped.into());
            }
            Ok(key)
        })?;
        counters::KEYS.count();
        let parts = Parts {
            public: key.public().clone(),
            private: Some(key),
            purpose: purpose::<PSS>(),
            restriction: self.restriction,
        };
        Ok(Key::new(purpose::<PSS>(), Some(parts)))
    }
}

const fn table<const PSS: bool>() -> [Dispatch; 19] {
    [
        keymgmt::NEW.is(new::<PSS>),
        keymgmt::FREE.is(held::free::<Key>),
        keymgmt::HAS.is(has),
        keymgmt::VALIDATE.is(validate),
        keymgmt::MATCH.is(matches),
        keymgmt::IMPORT.is(import),
        keymgmt::IMPORT_TYPES.is(types),
        keymgmt::EXPORT.is(export),
        keymgmt::EXPORT_TYPES.is(types),
        keymgmt::DUP.is(dup),
        keymgmt::GET_PARAMS.is(get_params),
        keymgmt::GETTABLE_PARAMS.is(gettable),
        keymgmt::QUERY_OPERATION_NAME.is(operation_name),
        keymgmt::GEN_INIT.is(keys::generation::<Generation<PSS>>),
        keymgmt::GEN_SET_PARAMS.is(keys::set_generation::<Generation<PSS>>),
        keymgmt::GEN_SETTABLE_PARAMS.is(keys::settable_generation::<Generation<PSS>>),
        keymgmt::GEN.is(keys::generate::<Generation<PSS>>),
        keymgmt::GEN_CLEANUP.is(held::free::<Generation<PSS>>),
        Dispatch::END,
    ]
}

pub static RSA: [Dispatch; 19] = table::<false>();
pub static PSS: [Dispatch; 19] = table::<true>();

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strengths_are_those_of_sp_800_56b() {
        let strengths = [1024, 2048, 3072, 4096, 6144, 8192, 15_360].map(security_bits);
        assert_eq!(strengths, [80, 112, 128, 152, 176, 200, 256]);
    }
}
