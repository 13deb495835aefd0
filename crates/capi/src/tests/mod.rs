//! Each entry against the facade and known values, and with wrong pointers and lengths.

mod absurd;
mod fields;
mod jobs;
mod keys;
mod many;
mod numbers;
pub(crate) mod panics;
mod symmetric;

use crate::error::{ALL, cs_error, cs_error::*, cs_error_text};
use crate::keys::cs_key;
use carrysave::keys::Key;
use core::ffi::CStr;
use core::ptr::{null, null_mut};

/// What a constructor made; null if it failed.
fn made<T>(make: impl FnOnce(*mut *mut T) -> cs_error) -> *mut T {
    let mut object = null_mut();
    assert_eq!(make(&mut object), CS_OK);
    assert!(!object.is_null());
    object
}

/// A constructor that fails, and leaves null.
fn refused<T>(make: impl FnOnce(*mut *mut T) -> cs_error) -> cs_error {
    let mut object: *mut T = core::ptr::dangling_mut();
    let error = make(&mut object);
    assert!(object.is_null());
    error
}

/// What a key is.
fn of(key: *const cs_key) -> &'static Key {
    // SAFETY: tests free keys last.
    unsafe { &(*key).0 }
}

/// Bytes of a function with a place, a size and a length, which is asked for its length first.
fn bytes(call: impl Fn(*mut u8, usize, *mut usize) -> cs_error) -> Vec<u8> {
    let mut len = 0;
    assert_eq!(call(null_mut(), 0, &mut len), CS_ERROR_ROOM);
    let mut out = vec![0; len];
    assert_eq!(call(out.as_mut_ptr(), len - 1, &mut len), CS_ERROR_ROOM);
    assert_eq!(call(null_mut(), out.len(), &mut len), CS_ERROR_NULL);
    assert_eq!(call(out.as_mut_ptr(), out.len(), null_mut()), CS_ERROR_NULL);
    assert!(
        out.iter().all(|&byte| byte == 0),
        "a refusal writes nothing"
    );
    assert_eq!(call(out.as_mut_ptr(), out.len(), &mut len), CS_OK);
    out.truncate(len);
    out
}

/// A key of the size that tests can afford.
fn rsa_key() -> *mut cs_key {
    use carrysave::rsa::{KeygenOptions, PrivateKey};
    use std::sync::OnceLock;
    static KEY: OnceLock<PrivateKey> = OnceLock::new();
    let key = KEY.get_or_init(|| {
        let options = KeygenOptions::default();
        PrivateKey::generate_with(carrysave::system_rng, 2048, &options, &|_| ()).unwrap()
    });
    let der = key.to_pkcs8_der();
    // SAFETY: the pointers lead to what the lengths say.
    made(|key| unsafe { crate::keys::cs_key_read(der.as_ptr(), der.len(), null(), 0, key) })
}

#[test]
fn every_code_has_a_text_of_its_own() {
    let text = |code| {
        // SAFETY: the text ends with a null.
        let text = unsafe { CStr::from_ptr(cs_error_text(code)) };
        text.to_str().unwrap()
    };
    let mut texts: Vec<&str> = ALL.iter().map(|&error| text(error as i32)).collect();
    assert_eq!(texts[0], "success");
    assert_eq!(text(-1), text(10_000));
    texts.push(text(-1));
    texts.sort_unstable();
    texts.dedup();
    assert_eq!(texts.len(), CS_ERROR_BUG as usize + 2);
}

/// A panic becomes a code.
#[test]
fn no_panic_passes() {
    assert_eq!(crate::error::guard(|| panic!("on purpose")), CS_ERROR_BUG);
}

#[test]
fn says_what_is_used() {
    use crate::about::{cs_kernels, cs_plan, cs_version};
    // SAFETY: the pointers are those of `bytes`; the text ends with a null.
    let (kernels, plan, version) = unsafe {
        (
            bytes(|out, size, len| cs_kernels(out, size, len)),
            bytes(|out, size, len| cs_plan(out, size, len)),
            CStr::from_ptr(cs_version()),
        )
    };
    assert!(String::from_utf8(kernels).unwrap().contains("\nmpn_add_n "));
    let plan = String::from_utf8(plan).unwrap();
    assert!(carrysave::engine::plan::from_toml(&plan).is_ok());
    assert_eq!(version.to_str().unwrap(), env!("CARGO_PKG_VERSION"));
}
