//! Operations with keys, one at a time: as functions and as jobs.

use super::*;
use crate::hashes::{cs_digest, cs_hash};
use crate::jobs::cs_operation::*;
use crate::jobs::*;
use crate::keys::{cs_algorithm, cs_key_free, cs_key_generate, cs_key_public_half, cs_key_read};
use crate::schemes::*;

pub(super) const SHA256: i32 = cs_hash::CS_SHA256 as i32;

pub(super) fn digest(hash: i32) -> Vec<u8> {
    // SAFETY: the pointers are those of `bytes`.
    bytes(|out, size, len| unsafe { cs_digest(hash, b"abc".as_ptr(), 3, out, size, len) })
}

pub(super) fn generated(algorithm: cs_algorithm) -> *mut cs_key {
    // SAFETY: the pointer is that of `made`.
    made(|key| unsafe { cs_key_generate(algorithm as i32, 0, key) })
}

/// A DSA key that OpenSSL has made: 2048 and 224 bits.
fn dsa_key() -> *mut cs_key {
    let pem = include_bytes!("dsa2048.pem");
    // SAFETY: the pointers lead to what the lengths say.
    made(|key| unsafe { cs_key_read(pem.as_ptr(), pem.len(), null(), 0, key) })
}

pub(super) fn public_half(key: *const cs_key) -> *mut cs_key {
    // SAFETY: the pointer is that of `made`.
    made(|public| unsafe { cs_key_public_half(key, public) })
}

/// Signing operation, its verifying one, key, hash and what is signed.
pub(super) fn signers() -> Vec<(i32, i32, *mut cs_key, i32, Vec<u8>)> {
    let (sha256, message) = (digest(SHA256), b"a message".to_vec());
    let mut all = vec![
        (
            CS_SIGN_PSS,
            CS_VERIFY_PSS,
            rsa_key(),
            SHA256,
            sha256.clone(),
        ),
        (
            CS_SIGN_PKCS1,
            CS_VERIFY_PKCS1,
            rsa_key(),
            SHA256,
            sha256.clone(),
        ),
        (
            CS_SIGN_DSA,
            CS_VERIFY_DSA,
            dsa_key(),
            SHA256,
            sha256.clone(),
        ),
        (
            CS_SIGN_ED25519,
            CS_VERIFY_ED25519,
            generated(cs_algorithm::CS_ED25519),
            0,
            message.clone(),
        ),
        (
            CS_SIGN_ED25519,
            CS_VERIFY_ED25519_ZIP215,
            generated(cs_algorithm::CS_ED25519),
            0,
            message,
        ),
    ];
    for curve in [
        cs_algorithm::CS_P224,
        cs_algorithm::CS_P256,
        cs_algorithm::CS_P521,
        cs_algorithm::CS_BRAINPOOL_P384,
    ] {
        all.push((
            CS_SIGN_ECDSA,
            CS_VERIFY_ECDSA,
            generated(curve),
            SHA256,
            sha256.clone(),
        ));
    }
    all.into_iter()
        .map(|(sign, verify, key, hash, input)| (sign as i32, verify as i32, key, hash, input))
        .collect()
}

pub(super) fn job(
    operation: i32,
    key: *const cs_key,
    hash: i32,
    input: &[u8],
    extra: &[u8],
    output: &mut [u8],
) -> cs_job {
    cs_job {
        operation,
        hash,
        mgf_hash: 0,
        salt_len: CS_SALT_AS_HASH,
        key,
        other: null(),
        input: input.as_ptr(),
        input_len: input.len(),
        extra: extra.as_ptr(),
        extra_len: extra.len(),
        output: output.as_mut_ptr(),
        output_size: output.len(),
        output_len: 77,
        status: 77,
    }
}

#[test]
fn digests_are_known() {
    assert_eq!(digest(SHA256)[..4], [0xba, 0x78, 0x16, 0xbf]);
    assert_eq!(
        digest(cs_hash::CS_SHA1 as i32)[..4],
        [0xa9, 0x99, 0x3e, 0x36]
    );
    let mut len = 0;
    // SAFETY: the pointers lead to what the lengths say.
    unsafe {
        assert_eq!(
            cs_digest(0, null(), 0, null_mut(), 0, &mut len),
            CS_ERROR_ARGUMENT
        );
        assert_eq!(
            cs_digest(14, null(), 0, null_mut(), 0, &mut len),
            CS_ERROR_ARGUMENT
        );
        assert_eq!(
            cs_digest(SHA256, null(), 3, null_mut(), 0, &mut len),
            CS_ERROR_NULL
        );
    }
}

#[test]
fn signatures_verify_and_no_others() {
    for (sign, verify, key, hash, input) in signers() {
        let public = public_half(key);
        // SAFETY: keys are freed once; pointers lead to what lengths say.
        unsafe {
            let size = cs_output_size(sign, key);
            assert!(
                size >= 64 && cs_output_size(verify, key) == 0 && cs_output_size(sign, public) == 0
            );
            let (input_at, input_len) = (input.as_ptr(), input.len());
            let mut signature = vec![0; size];
            let mut len = 0;
            let out = signature.as_mut_ptr();
            assert_eq!(
                cs_sign(
                    sign,
                    key,
                    hash,
                    input_at,
                    input_len,
                    out,
                    size - 1,
                    &mut len
                ),
                CS_ERROR_ROOM
            );
            assert_eq!(len, size);
            assert_eq!(
                cs_sign(sign, key, hash, input_at, input_len, out, size, &mut len),
                CS_OK,
                "{sign}"
            );
            signature.truncate(len);
            let at = signature.as_ptr();
            for key in [key, public] {
                assert_eq!(
                    cs_verify(verify, key, hash, input_at, input_len, at, len),
                    CS_OK,
                    "{verify}"
                );
            }
            let mut other = input.clone();
            other[0] ^= 1;
            let other = cs_verify(verify, public, hash, other.as_ptr(), input_len, at, len);
            assert_eq!(other, CS_ERROR_VERIFICATION);
            assert_eq!(
                cs_verify(verify, public, hash, input_at, input_len, at, 5),
                CS_ERROR_VERIFICATION
            );
            assert_eq!(
                cs_verify(verify, public, hash, input_at, input_len, null(), 0),
                CS_ERROR_VERIFICATION
            );
            if hash != 0 {
                assert_eq!(
                    cs_verify(verify, public, hash, input_at, 5, at, len),
                    CS_ERROR_DIGEST_LENGTH
                );
                assert_eq!(
                    cs_verify(verify, public, 99, input_at, input_len, at, len),
                    CS_ERROR_ARGUMENT
                );
                let out = signature.as_mut_ptr();
                assert_eq!(
                    cs_sign(sign, key, hash, input_at, 5, out, size, &mut len),
                    CS_ERROR_DIGEST_LENGTH
                );
            }
            // Each pointer null.
            let (out, at) = (signature.as_mut_ptr(), signature.as_ptr());
            let errors = [
                cs_sign(sign, null(), hash, input_at, input_len, out, size, &mut len),
                cs_sign(sign, key, hash, null(), input_len, out, size, &mut len),
                cs_sign(
                    sign,
                    key,
                    hash,
                    input_at,
                    input_len,
                    null_mut(),
                    size,
                    &mut len,
                ),
                cs_sign(
                    sign,
                    key,
                    hash,
                    input_at,
                    input_len,
                    out,
                    signature.len(),
                    null_mut(),
                ),
                cs_verify(verify, null(), hash, input_at, input_len, at, 5),
                cs_verify(verify, key, hash, null(), input_len, at, 5),
                cs_verify(verify, key, hash, input_at, input_len, null(), 5),
            ];
            assert_eq!(errors, [CS_ERROR_NULL; 7]);
            // A public key does not sign.
            assert_eq!(
                cs_sign(sign, public, hash, input_at, input_len, out, size, &mut len),
                CS_ERROR_KEY_KIND
            );
            cs_key_free(public);
            cs_key_free(key);
        }
    }
}

/// Every operation with every kind of key, private and public: `cs_output_size` and `cs_run` know the same ones.
#[test]
fn operations_need_their_keys() {
    use cs_algorithm::*;
    // Name, key, the operations it is for: those with the private half, and those with the public one.
    let keys = [
        (
            "RSA",
            rsa_key(),
            (
                vec![
                    CS_SIGN_PSS,
                    CS_SIGN_PKCS1,
                    CS_DECRYPT_OAEP,
                    CS_DECRYPT_PKCS1,
                    CS_RSA_PRIVATE,
                ],
                vec![
                    CS_VERIFY_PSS,
                    CS_VERIFY_PKCS1,
                    CS_ENCRYPT_OAEP,
                    CS_RSA_PUBLIC,
                ],
            ),
        ),
        (
            "DSA",
            dsa_key(),
            (vec![CS_SIGN_DSA, CS_AGREE], vec![CS_VERIFY_DSA]),
        ),
        (
            "P-256",
            generated(CS_P256),
            (vec![CS_SIGN_ECDSA, CS_AGREE], vec![CS_VERIFY_ECDSA]),
        ),
        (
            "secp256k1",
            generated(CS_SECP256K1),
            (vec![CS_SIGN_ECDSA, CS_AGREE], vec![CS_VERIFY_ECDSA]),
        ),
        ("X25519", generated(CS_X25519), (vec![CS_AGREE], vec![])),
        (
            "Ed25519",
            generated(CS_ED25519),
            (
                vec![CS_SIGN_ED25519],
                vec![CS_VERIFY_ED25519, CS_VERIFY_ED25519_ZIP215],
            ),
        ),
        (
            "ffdhe2048",
            generated(CS_FFDHE2048),
            (vec![CS_AGREE], vec![]),
        ),
    ];
    let mut out = [0; 512];
    let mut fit = 0;
    for (name, key, (private, public)) in keys {
        let half = public_half(key);
        for &operation in OPERATIONS {
            for (key, fits) in [
                (
                    key,
                    private.contains(&operation) || public.contains(&operation),
                ),
                (half, public.contains(&operation)),
            ] {
                let code = operation as i32;
                let mut job = job(code, key, SHA256, &[1; 32], &[1; 64], &mut out);
                job.other = half;
                // SAFETY: the pointers lead to what the lengths say.
                let (error, size) = unsafe { (cs_run(&mut job), cs_output_size(code, key)) };
                let verifies = (11..=16).contains(&code);
                assert_eq!(size > 0, fits && !verifies, "{operation:?} with {name}");
                assert_eq!(
                    error != CS_ERROR_KEY_KIND,
                    fits,
                    "{operation:?} with {name}"
                );
                assert_eq!(job.status, error as i32);
                fit += usize::from(fits);
            }
        }
        // SAFETY: they are freed once.
        unsafe {
            cs_key_free(half);
            cs_key_free(key);
        }
    }
    assert_eq!(fit, 13 + 4 + 4 + 4 + 1 + 5 + 1);
    let rsa = rsa_key();
    let mut unknown = job(0, rsa, SHA256, &[1; 32], &[], &mut out);
    // SAFETY: keys are freed once; pointers lead to what lengths say.
    unsafe {
        assert_eq!(cs_run(&mut unknown), CS_ERROR_ARGUMENT);
        assert_eq!(cs_run(null_mut()), CS_ERROR_NULL);
        assert_eq!(cs_run_many(null(), null_mut(), 3), CS_ERROR_NULL);
        assert_eq!(cs_run_many(null(), null_mut(), 0), CS_OK);
        assert_eq!((cs_output_size(99, rsa), cs_output_size(1, null())), (0, 0));
        cs_key_free(rsa);
    }
}

/// A public key that its file permits PSS alone.
fn public_key_for_pss() -> *mut cs_key {
    let rsa = rsa_key();
    let Key::RsaPrivate(key) = of(rsa) else {
        panic!()
    };
    // rsaEncryption and its NULL become id-RSASSA-PSS without parameters (RFC 4055, 3.1): two bytes fewer.
    let mut der = key.public().to_spki_der();
    let at = (der.windows(2)).position(|at| at == [0x30, 13]).unwrap();
    assert_eq!(der[at + 12..at + 15], [1, 5, 0]);
    der.splice(at + 12..at + 15, [10]);
    der[at + 1] = 11;
    der[3] -= 2;
    // SAFETY: the pointers lead to what the lengths say; the key is freed once.
    unsafe {
        cs_key_free(rsa);
        made(|key| cs_key_read(der.as_ptr(), der.len(), null(), 0, key))
    }
}

#[test]
fn a_key_for_pss_does_not_encrypt() {
    let key = public_key_for_pss();
    let (mut c, mut len) = ([0; 256], 7);
    // SAFETY: the key is freed once; pointers lead to what lengths say.
    unsafe {
        let error = cs_encrypt_oaep(
            key,
            SHA256,
            null(),
            0,
            b"m".as_ptr(),
            1,
            c.as_mut_ptr(),
            256,
            &mut len,
        );
        assert_eq!((error, c), (CS_ERROR_REFUSED, [0; 256]));
        cs_key_free(key);
    }
}

#[test]
fn encryption_is_inverted() {
    let (key, hash) = (rsa_key(), SHA256);
    let (label, message) = (b"label", b"a message");
    let (mut c, mut m, mut len) = ([0; 256], [0; 256], 0);
    // SAFETY: keys are freed once; pointers lead to what lengths say.
    unsafe {
        let (l, t) = (label.as_ptr(), message.as_ptr());
        assert_eq!(
            cs_encrypt_oaep(key, hash, l, 5, t, 9, c.as_mut_ptr(), 256, &mut len),
            CS_OK
        );
        assert_eq!(len, 256);
        assert_eq!(
            cs_decrypt_oaep(
                key,
                hash,
                l,
                5,
                c.as_ptr(),
                256,
                m.as_mut_ptr(),
                256,
                &mut len
            ),
            CS_OK
        );
        assert_eq!(&m[..len], message);
        for (label_len, c_len, size, expected) in [
            (4, 256, 256, CS_ERROR_DECRYPTION),
            (5, 255, 256, CS_ERROR_DECRYPTION),
            (5, 256, 255, CS_ERROR_ROOM),
        ] {
            let out = m.as_mut_ptr();
            let error = cs_decrypt_oaep(
                key,
                hash,
                l,
                label_len,
                c.as_ptr(),
                c_len,
                out,
                size,
                &mut len,
            );
            assert_eq!(error, expected);
        }
        let long = [0; 191];
        let error = cs_encrypt_oaep(
            key,
            hash,
            null(),
            0,
            long.as_ptr(),
            191,
            c.as_mut_ptr(),
            256,
            &mut len,
        );
        assert_eq!(error, CS_ERROR_MESSAGE_LENGTH);
        let before = c;
        m.fill(0);
        let (c_at, m_at) = (c.as_mut_ptr(), m.as_mut_ptr());
        let errors = [
            cs_encrypt_oaep(null(), hash, l, 5, t, 9, c_at, 256, &mut len),
            cs_encrypt_oaep(key, hash, null(), 5, t, 9, c_at, 256, &mut len),
            cs_encrypt_oaep(key, hash, l, 5, null(), 9, c_at, 256, &mut len),
            cs_encrypt_oaep(key, hash, l, 5, t, 9, null_mut(), 256, &mut len),
            cs_encrypt_oaep(key, hash, l, 5, t, 9, c_at, 256, null_mut()),
            cs_decrypt_oaep(null(), hash, l, 5, c_at, 256, m_at, 256, &mut len),
            cs_decrypt_oaep(key, hash, null(), 5, c_at, 256, m_at, 256, &mut len),
            cs_decrypt_oaep(key, hash, l, 5, null(), 256, m_at, 256, &mut len),
            cs_decrypt_oaep(key, hash, l, 5, c_at, 256, null_mut(), 256, &mut len),
            cs_decrypt_oaep(key, hash, l, 5, c_at, 256, m_at, 256, null_mut()),
        ];
        assert_eq!(errors, [CS_ERROR_NULL; 10]);
        assert!(c == before && m.iter().all(|&byte| byte == 0));
        // Without padding: c^d, and back, in place.
        let mut x = [0; 256];
        x[255] = 42;
        let mut y = x;
        let mut raw = job(CS_RSA_PRIVATE as i32, key, 0, &[], &[], &mut y);
        (raw.input, raw.input_len) = (raw.output, 256);
        assert_eq!(cs_run(&mut raw), CS_OK);
        assert_ne!(y, x);
        raw.operation = CS_RSA_PUBLIC as i32;
        assert_eq!(cs_run(&mut raw), CS_OK);
        assert_eq!(y, x);
        let mut above = job(CS_RSA_PUBLIC as i32, key, 0, &[0xff; 256], &[], &mut y);
        assert_eq!(cs_run(&mut above), CS_ERROR_RANGE);
        cs_key_free(key);
    }
}

#[test]
fn salts_are_as_asked_for() {
    let (key, digest) = (rsa_key(), digest(SHA256));
    for (made_with, checked_with, expected) in [
        (20, 20, CS_OK),
        (20, CS_SALT_AS_HASH, CS_OK),
        (20, 32, CS_ERROR_VERIFICATION),
        (20, CS_SALT_NONE, CS_ERROR_VERIFICATION),
        (0, 0, CS_OK),
        (0, 32, CS_OK),
        (0, CS_SALT_NONE, CS_ERROR_VERIFICATION),
        (CS_SALT_NONE, CS_SALT_NONE, CS_OK),
        (CS_SALT_NONE, 0, CS_OK),
        (CS_SALT_NONE, 32, CS_ERROR_VERIFICATION),
    ] {
        let mut output = [0; 256];
        let mut sign = job(CS_SIGN_PSS as i32, key, SHA256, &digest, &[], &mut output);
        sign.salt_len = made_with;
        sign.mgf_hash = cs_hash::CS_SHA512 as i32;
        // SAFETY: the pointers lead to what the lengths say.
        assert_eq!(unsafe { cs_run(&mut sign) }, CS_OK);
        let mut check = job(CS_VERIFY_PSS as i32, key, SHA256, &digest, &output, &mut []);
        (check.salt_len, check.mgf_hash) = (checked_with, sign.mgf_hash);
        // SAFETY: the pointers lead to what the lengths say.
        assert_eq!(unsafe { cs_run(&mut check) }, expected);
    }
    for (salt_len, expected) in [
        (-2, CS_ERROR_ARGUMENT),
        (i32::MIN, CS_ERROR_ARGUMENT),
        (1000, CS_ERROR_KEY_SIZE),
    ] {
        let mut output = [0; 256];
        let mut sign = job(CS_SIGN_PSS as i32, key, SHA256, &digest, &[], &mut output);
        sign.salt_len = salt_len;
        // SAFETY: the pointers lead to what the lengths say.
        assert_eq!(unsafe { cs_run(&mut sign) }, expected);
    }
    let mut sha1 = job(
        CS_SIGN_PKCS1 as i32,
        key,
        cs_hash::CS_SHA1 as i32,
        &digest[..20],
        &[],
        &mut [],
    );
    let mut output = [0; 256];
    (sha1.output, sha1.output_size) = (output.as_mut_ptr(), 256);
    // SAFETY: the pointers lead to what the lengths say.
    assert_eq!(unsafe { cs_run(&mut sha1) }, CS_ERROR_REFUSED);
    // SAFETY: it is freed once.
    unsafe { cs_key_free(key) };
}
