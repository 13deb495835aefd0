//! Keys of each algorithm through each form.

use super::*;
use crate::keys::*;

const EC: [cs_algorithm; 10] = [
    cs_algorithm::CS_P224,
    cs_algorithm::CS_P256,
    cs_algorithm::CS_P384,
    cs_algorithm::CS_P521,
    cs_algorithm::CS_SECP256K1,
    cs_algorithm::CS_BRAINPOOL_P256,
    cs_algorithm::CS_BRAINPOOL_P384,
    cs_algorithm::CS_BRAINPOOL_P512,
    cs_algorithm::CS_X25519,
    cs_algorithm::CS_ED25519,
];

/// A key in each of its forms is the key.
fn forms(key: *mut cs_key, algorithm: i32) {
    // SAFETY: keys are freed once; pointers lead to what lengths say.
    unsafe {
        assert_eq!(cs_key_algorithm(key), algorithm);
        assert_eq!(cs_key_is_private(key), 1);
        let public = made(|public| cs_key_public_half(key, public));
        assert_eq!(
            (cs_key_algorithm(public), cs_key_is_private(public)),
            (algorithm, 0)
        );
        assert_eq!(cs_key_bits(public), cs_key_bits(key));
        assert!(cs_key_bits(key) >= 224);
        for format in 1..=4 {
            let file = bytes(|out, size, len| cs_key_write(key, format, out, size, len));
            let read = made(|key| cs_key_read(file.as_ptr(), file.len(), null(), 0, key));
            assert_eq!(cs_key_is_private(read), i32::from(format <= 2));
            assert!(of(read).has_public_of(of(key)));
            assert_eq!(
                bytes(|out, size, len| cs_key_write(read, format, out, size, len)),
                file
            );
            cs_key_free(read);
            let mut len = 0;
            let error = cs_key_write(public, format, null_mut(), 0, &mut len);
            assert_eq!(
                error,
                if format <= 2 {
                    CS_ERROR_KEY_KIND
                } else {
                    CS_ERROR_ROOM
                }
            );
        }
        let octets = bytes(|out, size, len| cs_key_public_octets(key, out, size, len));
        if algorithm != cs_algorithm::CS_RSA as i32 {
            let read = made(|key| cs_key_public(algorithm, octets.as_ptr(), octets.len(), key));
            assert!(of(read).has_public_of(of(key)));
            cs_key_free(read);
            let octets = bytes(|out, size, len| cs_key_private_octets(key, out, size, len));
            let read = made(|key| cs_key_private(algorithm, octets.as_ptr(), octets.len(), key));
            assert!(of(read).is_private() && of(read).has_public_of(of(key)));
            cs_key_free(read);
            let mut len = 0;
            let error = cs_key_private_octets(public, null_mut(), 0, &mut len);
            assert_eq!(error, CS_ERROR_KEY_KIND);
        }
        cs_key_free(public);
        cs_key_free(key);
    }
}

#[test]
fn keys_survive_each_form() {
    for algorithm in EC {
        // SAFETY: the pointer is that of `made`.
        forms(
            made(|key| unsafe { cs_key_generate(algorithm as i32, 0, key) }),
            algorithm as i32,
        );
    }
    let group = cs_algorithm::CS_FFDHE2048 as i32;
    // SAFETY: the pointer is that of `made`.
    forms(made(|key| unsafe { cs_key_generate(group, 0, key) }), group);
    forms(rsa_key(), cs_algorithm::CS_RSA as i32);
}

#[test]
fn rsa_keys_are_made_of_their_numbers() {
    let key = rsa_key();
    let Key::RsaPrivate(rsa) = of(key) else {
        panic!()
    };
    let [p, q] = [0, 1].map(|i| rsa.primes().nth(i).unwrap().to_be_bytes_vartime());
    let (n, e) = (rsa.public().n().to_be_bytes_vartime(), [1, 0, 1]);
    // SAFETY: keys are freed once; pointers lead to what lengths say.
    unsafe {
        let (p, q) = ((p.as_ptr(), p.len()), (q.as_ptr(), q.len()));
        let (n, e) = ((n.as_ptr(), n.len()), (e.as_ptr(), e.len()));
        let made_of = made(|key| cs_key_rsa_private(p.0, p.1, q.0, q.1, e.0, e.1, key));
        assert!(of(made_of).is_private() && of(made_of).has_public_of(of(key)));
        cs_key_free(made_of);
        let made_of = made(|key| cs_key_rsa_public(n.0, n.1, e.0, e.1, key));
        assert!(of(made_of).has_public_of(of(key)));
        cs_key_free(made_of);
        let composite = refused(|key| cs_key_rsa_private(n.0, n.1, q.0, q.1, e.0, e.1, key));
        assert_eq!(composite, CS_ERROR_KEY_INVALID);
        let short = refused(|key| cs_key_rsa_private(null(), 0, q.0, q.1, e.0, e.1, key));
        assert_eq!(short, CS_ERROR_KEY_INVALID);
        for (which, expected) in [CS_ERROR_NULL; 3].into_iter().enumerate() {
            let at = |i, real: *const u8| if i == which { null() } else { real };
            let private = refused(|key| {
                cs_key_rsa_private(at(0, p.0), p.1, at(1, q.0), q.1, at(2, e.0), e.1, key)
            });
            assert_eq!(private, expected);
        }
        assert_eq!(
            refused(|key| cs_key_rsa_public(null(), n.1, e.0, e.1, key)),
            CS_ERROR_NULL
        );
        assert_eq!(
            refused(|key| cs_key_rsa_public(n.0, n.1, null(), e.1, key)),
            CS_ERROR_NULL
        );
        assert_eq!(
            cs_key_rsa_public(n.0, n.1, e.0, e.1, null_mut()),
            CS_ERROR_NULL
        );
        cs_key_free(key);
    }
}

#[test]
fn what_is_no_key_is_refused() {
    let p256 = cs_algorithm::CS_P256 as i32;
    let (zeros, text) = ([0; 200], b"no key");
    // SAFETY: pointers lead to what lengths say, or are null.
    unsafe {
        let read =
            |file: &[u8]| refused(|key| cs_key_read(file.as_ptr(), file.len(), null(), 0, key));
        assert_eq!(read(text), CS_ERROR_KEY_FORMAT);
        assert_eq!(read(&[]), CS_ERROR_KEY_FORMAT);
        assert_eq!(
            refused(|key| cs_key_read(null(), 5, null(), 0, key)),
            CS_ERROR_NULL
        );
        assert_eq!(
            cs_key_read(text.as_ptr(), 6, null(), 0, null_mut()),
            CS_ERROR_NULL
        );
        for algorithm in EC {
            for len in [0, 1, 31, 200] {
                let at = zeros.as_ptr();
                let error = refused(|key| cs_key_private(algorithm as i32, at, len, key));
                assert_eq!(error, CS_ERROR_LENGTH, "{algorithm:?} {len}");
                let error = refused(|key| cs_key_public(algorithm as i32, at, len, key));
                assert!(
                    [CS_ERROR_LENGTH, CS_ERROR_KEY_FORMAT, CS_ERROR_KEY_INVALID].contains(&error)
                );
            }
        }
        // The number 0 is no private key.
        assert_eq!(
            refused(|key| cs_key_private(p256, zeros.as_ptr(), 32, key)),
            CS_ERROR_KEY_INVALID
        );
        assert_eq!(
            refused(|key| cs_key_private(p256, null(), 32, key)),
            CS_ERROR_NULL
        );
        assert_eq!(
            refused(|key| cs_key_public(p256, null(), 65, key)),
            CS_ERROR_NULL
        );
        for algorithm in [0, 2, 99, -1] {
            let at = zeros.as_ptr();
            assert_eq!(
                refused(|key| cs_key_generate(algorithm, 0, key)),
                CS_ERROR_ARGUMENT
            );
            assert_eq!(
                refused(|key| cs_key_private(algorithm, at, 32, key)),
                CS_ERROR_ARGUMENT
            );
            assert_eq!(
                refused(|key| cs_key_public(algorithm, at, 32, key)),
                CS_ERROR_ARGUMENT
            );
        }
        assert_eq!(
            refused(|key| cs_key_generate(p256, 256, key)),
            CS_ERROR_ARGUMENT
        );
        for bits in [0, 1024, 2049, 1 << 40] {
            assert_eq!(
                refused(|key| cs_key_generate(1, bits, key)),
                CS_ERROR_ARGUMENT
            );
        }
        assert_eq!(cs_key_generate(p256, 0, null_mut()), CS_ERROR_NULL);
        assert_eq!(
            refused(|public| cs_key_public_half(null(), public)),
            CS_ERROR_NULL
        );
        assert_eq!(
            (
                cs_key_algorithm(null()),
                cs_key_is_private(null()),
                cs_key_bits(null())
            ),
            (0, 0, 0)
        );
        let mut len = 0;
        assert_eq!(
            cs_key_write(null(), 1, null_mut(), 0, &mut len),
            CS_ERROR_NULL
        );
        assert_eq!(
            cs_key_public_octets(null(), null_mut(), 0, &mut len),
            CS_ERROR_NULL
        );
        assert_eq!(
            cs_key_private_octets(null(), null_mut(), 0, &mut len),
            CS_ERROR_NULL
        );
        let key = made(|key| cs_key_generate(p256, 0, key));
        assert_eq!(
            cs_key_write(key, 5, null_mut(), 0, &mut len),
            CS_ERROR_ARGUMENT
        );
        cs_key_free(key);
        cs_key_free(null_mut());
    }
}
