//! Algorithms of messages: the functions of OpenSSL 3.4 and later.

mod common;

use common::libcrypto::*;
use std::ffi::{CStr, c_char, c_int};
use std::ptr::{null, null_mut};

/// Functions of OpenSSL 3.4 and later, for algorithms with a hash in their name.
struct Named {
    fetch: unsafe extern "C" fn(Ptr, *const c_char, *const c_char) -> Ptr,
    sign_init: unsafe extern "C" fn(Ptr, Ptr, *const Param) -> c_int,
    sign_update: unsafe extern "C" fn(Ptr, *const u8, usize) -> c_int,
    sign_final: unsafe extern "C" fn(Ptr, *mut u8, *mut usize) -> c_int,
    verify_init: unsafe extern "C" fn(Ptr, Ptr, *const Param) -> c_int,
    verify_update: unsafe extern "C" fn(Ptr, *const u8, usize) -> c_int,
    verify_final: unsafe extern "C" fn(Ptr) -> c_int,
    set_signature: unsafe extern "C" fn(Ptr, *const u8, usize) -> c_int,
}

impl Named {
    fn find() -> Option<Named> {
        /// # Safety
        /// F must be the type of the function.
        unsafe fn function<F>(name: &CStr) -> Option<F> {
            // SAFETY: functions are as long as addresses.
            unsafe {
                let address = libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr());
                (!address.is_null()).then(|| std::mem::transmute_copy(&address))
            }
        }
        // SAFETY: the types are those of openssl/evp.h.
        unsafe {
            Some(Named {
                fetch: function(c"EVP_SIGNATURE_fetch")?,
                sign_init: function(c"EVP_PKEY_sign_message_init")?,
                sign_update: function(c"EVP_PKEY_sign_message_update")?,
                sign_final: function(c"EVP_PKEY_sign_message_final")?,
                verify_init: function(c"EVP_PKEY_verify_message_init")?,
                verify_update: function(c"EVP_PKEY_verify_message_update")?,
                verify_final: function(c"EVP_PKEY_verify_message_final")?,
                set_signature: function(c"EVP_PKEY_CTX_set_signature")?,
            })
        }
    }
}

#[test]
fn algorithms_with_a_hash_in_their_name_agree_with_the_others() {
    let Some(named) = Named::find() else {
        eprintln!("SKIPPED: libcrypto is older than 3.4");
        return;
    };
    let library = Turn::take();
    let (ours, theirs) = (c"provider=carrysave".as_ptr(), c"provider=default".as_ptr());
    let names = [
        c"RSA-SHA1",
        c"RSA-SHA256",
        c"RSA-SHA2-384",
        c"RSA-SHA2-512/256",
        c"RSA-SHA3-256",
    ];
    for (i, name) in (1..).zip(names) {
        for (signer, verifier) in [(ours, theirs), (theirs, ours)] {
            // SAFETY: each gets what the one before made, and lengths are those of the data.
            unsafe {
                let sign = (named.fetch)(library.context, name.as_ptr(), signer);
                let verify = (named.fetch)(library.context, name.as_ptr(), verifier);
                let context = EVP_PKEY_CTX_new_from_pkey(library.context, library.key, signer);
                assert_eq!((named.sign_init)(context, sign, null()), 1, "{name:?}");
                for part in [&b"a mes"[..], b"sage"] {
                    assert_eq!((named.sign_update)(context, part.as_ptr(), part.len()), 1);
                }
                let (mut signature, mut len) = (vec![0; 256], 256);
                assert_eq!(
                    (named.sign_final)(context, signature.as_mut_ptr(), &mut len),
                    1
                );
                // The message has ended: what comes next is no digest.
                let mut again = 256;
                let signed = EVP_PKEY_sign(
                    context,
                    signature.clone().as_mut_ptr(),
                    &mut again,
                    [7; 32].as_ptr(),
                    32,
                );
                assert!(signed <= 0, "{name:?}");
                EVP_PKEY_CTX_free(context);
                let context = EVP_PKEY_CTX_new_from_pkey(library.context, library.key, verifier);
                for (message, good) in [(b"a message", true), (b"b message", false)] {
                    assert_eq!((named.verify_init)(context, verify, null()), 1);
                    assert_eq!((named.set_signature)(context, signature.as_ptr(), len), 1);
                    assert_eq!((named.verify_update)(context, message.as_ptr(), 9), 1);
                    assert_eq!((named.verify_final)(context) == 1, good, "{name:?}");
                }
                EVP_PKEY_CTX_free(context);
                ERR_clear_error();
            }
        }
        assert_eq!(
            (library.count("signatures"), library.count("verifications")),
            (i, 2 * i)
        );
    }
}

/// By OpenSSL's functions for messages, each verifies what the other signs; those for digests need another variant.
#[test]
fn ed25519_signs_messages_and_no_digests() {
    let Some(named) = Named::find() else {
        eprintln!("SKIPPED: libcrypto is older than 3.4");
        return;
    };
    let library = Turn::take();
    let name = c"ED25519".as_ptr();
    let message = b"a message";
    let mut key = null_mut();
    // SAFETY: each gets what the one before made, and lengths are those of the data.
    unsafe {
        let generation = EVP_PKEY_CTX_new_from_name(library.context, name, null());
        assert_eq!(EVP_PKEY_keygen_init(generation), 1);
        assert_eq!(EVP_PKEY_generate(generation, &mut key), 1);
        EVP_PKEY_CTX_free(generation);
        let (ours, theirs) = (c"provider=carrysave".as_ptr(), c"provider=default".as_ptr());
        for (signer, verifier) in [(ours, theirs), (theirs, ours), (ours, ours)] {
            let context = EVP_PKEY_CTX_new_from_pkey(library.context, key, signer);
            let algorithm = (named.fetch)(library.context, name, signer);
            let (mut signature, mut len) = ([0; 64], 64);
            let mut sign = || {
                let (at, m) = (signature.as_mut_ptr(), message.as_ptr());
                EVP_PKEY_sign(context, at, &mut len, m, message.len()) == 1
            };
            assert_eq!((named.sign_init)(context, algorithm, null()), 1);
            assert!(sign());
            assert_eq!(EVP_PKEY_sign_init(context), 1);
            let mut other = [1; 64];
            let (at, m) = (other.as_mut_ptr(), message.as_ptr());
            assert!(EVP_PKEY_sign(context, at, &mut 64, m, message.len()) <= 0);
            EVP_PKEY_CTX_free(context);
            let context = EVP_PKEY_CTX_new_from_pkey(library.context, key, verifier);
            let algorithm = (named.fetch)(library.context, name, verifier);
            for (message, good) in [(message, true), (b"b message", false)] {
                assert_eq!((named.verify_init)(context, algorithm, null()), 1);
                let (s, m) = (signature.as_ptr(), message.as_ptr());
                let verdict = EVP_PKEY_verify(context, s, 64, m, message.len());
                assert_eq!(verdict == 1, good);
            }
            EVP_PKEY_CTX_free(context);
            ERR_clear_error();
        }
        EVP_PKEY_free(key);
    }
    let counts = ["keys", "signatures", "verifications"].map(|name| library.count(name));
    assert_eq!(counts, [1, 2, 4]);
}
