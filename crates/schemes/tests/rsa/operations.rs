//! What each operation takes and refuses at its limits.

use crate::support::*;
use carrysave_schemes::hash::Hash;
use carrysave_schemes::rsa::{
    Error, PrivateKey, PublicKey, eme_oaep_decode, emsa_pss_encode, emsa_pss_verify,
};

#[test]
fn operations_refuse_what_does_not_fit() {
    let (key, mut rng) = (some_key(), rng());
    let (public, sha256) = (key.public(), Hash::Sha256);
    let error = |result: Result<Vec<u8>, Error>| result.unwrap_err();
    assert_eq!(
        error(public.rsaes_oaep_encrypt(&mut rng, sha256, sha256, b"", &[0; 63])),
        Error::MessageTooLong { max: 62 }
    );
    assert_eq!(
        error(public.rsaes_oaep_encrypt(&mut rng, Hash::Sha512, sha256, b"", b"")),
        Error::KeyTooSmall
    );
    assert_eq!(
        error(public.rsaes_pkcs1_v1_5_encrypt(&mut rng, &[0; 118])),
        Error::MessageTooLong { max: 117 }
    );
    assert_eq!(
        error(key.rsassa_pss_sign(&mut rng, sha256, sha256, 95, &[0; 32])),
        Error::KeyTooSmall
    );
    assert_eq!(
        error(key.rsassa_pss_sign(&mut rng, sha256, sha256, usize::MAX, &[0; 32])),
        Error::KeyTooSmall
    );
    assert_eq!(
        error(key.rsassa_pkcs1_v1_5_sign(&mut rng, Hash::Sha1, &[0; 20])),
        Error::Sha1Signature
    );
    // SHAKE has no DigestInfo: it is for PSS.
    for (hash, len) in [(Hash::Shake128, 32), (Hash::Shake256, 64)] {
        let digest = vec![0; len];
        let signed = key.rsassa_pkcs1_v1_5_sign(&mut rng, hash, &digest);
        assert!(matches!(signed, Err(Error::Unfit(_))), "{signed:?}");
        let verified = public.rsassa_pkcs1_v1_5_verify(hash, &digest, &[0; 128]);
        assert!(matches!(verified, Err(Error::Unfit(_))), "{verified:?}");
        let signature = key.rsassa_pss_sign(&mut rng, hash, hash, 20, &digest);
        let signature = signature.unwrap();
        let verified = public.rsassa_pss_verify(hash, hash, Some(20), &digest, &signature);
        assert_eq!(verified, Ok(()));
    }
    let length = Error::DigestLength {
        expected: 32,
        found: 31,
    };
    assert_eq!(
        error(key.rsassa_pkcs1_v1_5_sign(&mut rng, sha256, &[0; 31])),
        length
    );
    assert_eq!(
        error(key.rsassa_pss_sign(&mut rng, sha256, sha256, 32, &[0; 31])),
        length
    );
    for salt_len in [None, Some(32)] {
        let verified = public.rsassa_pss_verify(sha256, sha256, salt_len, &[0; 31], &[0; 128]);
        assert_eq!(verified, Err(length.clone()));
    }
    let verified = public.rsassa_pkcs1_v1_5_verify(sha256, &[0; 31], &[0; 128]);
    assert_eq!(verified, Err(length));
    let sha1 = key.rsassa_pss_sign(&mut rng, Hash::Sha1, Hash::Sha1, 20, &[0; 20]);
    assert_eq!(error(sha1), Error::Sha1Signature);
    assert_eq!(
        key.rsadp(&mut rng, public.n()).unwrap_err(),
        Error::OutOfRange
    );
    for operation in [PublicKey::rsaep, PublicKey::rsavp1] {
        assert_eq!(operation(public, public.n()), Err(Error::OutOfRange));
        assert!(operation(public, &public.n().sub_limb(1).unwrap()).is_ok());
    }
    assert_eq!(
        public.rsassa_pss_verify(sha256, sha256, Some(usize::MAX), &[0; 32], &[0; 128]),
        Err(Error::Verification)
    );
    for length in [0, 1, 127, 129, 1280] {
        let c = vec![1; length];
        assert_eq!(
            key.rsaes_pkcs1_v1_5_decrypt(&mut rng, &c).unwrap_err(),
            Error::Decryption
        );
        assert_eq!(
            key.rsaes_oaep_decrypt(&mut rng, sha256, sha256, b"", &c)
                .unwrap_err(),
            Error::Decryption
        );
        assert_eq!(
            public.rsassa_pkcs1_v1_5_verify(sha256, &[0; 32], &c),
            Err(Error::Verification)
        );
        assert_eq!(
            public.rsassa_pss_verify(sha256, sha256, None, &[0; 32], &c),
            Err(Error::Verification)
        );
    }
}

/// What is drawn at random makes two results of one input differ. What is shorter than any encoding is none.
#[test]
fn the_longest_that_fits_differs_each_time() {
    let (key, rng, sha256) = (some_key(), &mut rng(), Hash::Sha256);
    let public = key.public();
    let oaep = [(); 2].map(|()| public.rsaes_oaep_encrypt(rng, sha256, sha256, b"", &[5; 62]));
    let pkcs1 = [(); 2].map(|()| public.rsaes_pkcs1_v1_5_encrypt(rng, &[5; 100]));
    let pss = [(); 2].map(|()| key.rsassa_pss_sign(rng, sha256, sha256, 32, &[5; 32]));
    for [a, b] in [oaep, pkcs1, pss] {
        assert_ne!(a.unwrap(), b.unwrap());
    }
    for length in 0..66 {
        let decoded = eme_oaep_decode(sha256, sha256, b"", &vec![0; length]);
        assert_eq!(decoded, Err(Error::Decryption), "{length}");
    }
    for length in 0..34 {
        let em = vec![0xbc; length];
        let verified = emsa_pss_verify(sha256, sha256, None, &[0; 32], &em, 8 * length);
        assert_eq!(verified, Err(Error::Verification), "{length}");
    }
    let em = emsa_pss_encode(sha256, sha256, &[5; 32], 1023, &[6; 32]).unwrap();
    let verify = |em: &[u8]| emsa_pss_verify(sha256, sha256, None, &[5; 32], em, 1023);
    assert_eq!(verify(&em), Ok(()));
    for other in [
        &em[1..],
        &em[..127],
        &[&em[..], &[0]].concat(),
        &[&[0], &em[..]].concat(),
    ] {
        assert_eq!(verify(other), Err(Error::Verification));
    }
    let verified = emsa_pss_verify(sha256, sha256, None, &[0; 31], &[0; 128], 1023);
    assert!(matches!(verified, Err(Error::DigestLength { .. })));
}

/// The longest of each operation works, beside what is refused as too long.
#[test]
fn the_longest_that_fits_works() {
    let (key, rng, sha256) = (some_key(), &mut rng(), Hash::Sha256);
    let public = key.public();
    let c = public
        .rsaes_oaep_encrypt(rng, sha256, sha256, b"", &[5; 62])
        .unwrap();
    assert_eq!(
        *key.rsaes_oaep_decrypt(rng, sha256, sha256, b"", &c)
            .unwrap(),
        [5; 62]
    );
    let c = public.rsaes_pkcs1_v1_5_encrypt(rng, &[5; 117]).unwrap();
    assert_eq!(*key.rsaes_pkcs1_v1_5_decrypt(rng, &c).unwrap(), [5; 117]);
    let s = key
        .rsassa_pss_sign(rng, sha256, sha256, 94, &[5; 32])
        .unwrap();
    public
        .rsassa_pss_verify(sha256, sha256, Some(94), &[5; 32], &s)
        .unwrap();
    // DigestInfo of SHA-384 is 67 octets long, and 11 come before it.
    let (sha384, digest) = (Hash::Sha384, [5; 48]);
    for (bits, fits) in [(616, false), (624, true)] {
        let key =
            PrivateKey::generate_with(crate::support::rng, bits, &options(2), &|_| ()).unwrap();
        let signed = key.rsassa_pkcs1_v1_5_sign(rng, sha384, &digest);
        match signed {
            Ok(signature) => {
                assert!(fits);
                key.public()
                    .rsassa_pkcs1_v1_5_verify(sha384, &digest, &signature)
                    .unwrap();
            }
            Err(error) => assert!(!fits && error == Error::KeyTooSmall),
        }
        // Whatever the signature is.
        let verified = key
            .public()
            .rsassa_pkcs1_v1_5_verify(sha384, &digest, &[0xff; 78]);
        let expected = if fits {
            Error::Verification
        } else {
            Error::KeyTooSmall
        };
        assert_eq!(verified, Err(expected));
    }
}
