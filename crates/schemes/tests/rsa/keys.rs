//! Keys: formats, generation, and the traits of other crates.

use crate::support::*;
use carrysave_arith::Nat;
use carrysave_schemes::hash::Hash;
use carrysave_schemes::rsa::{
    Error, KeyError, KeygenOptions, Padding, PrivateKey, Progress, PublicKey, SigningKey,
    most_primes,
};
use pkcs8::{DecodePrivateKey, EncodePrivateKey};
use signature::{Keypair, RandomizedSigner, SignatureEncoding, Signer, Verifier};
use spki::{DecodePublicKey, EncodePublicKey};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

#[test]
fn generated_keys_keep_the_rules() {
    for (bits, primes, e) in [
        (512, 2, 65_537),
        (520, 2, 3),
        (1000, 2, 17),
        (1024, 2, 65_537),
        (1024, 3, 65_537),
        (1536, 5, 257),
        (2048, 2, 65_537),
    ] {
        for threads in [1, 3] {
            let options = KeygenOptions {
                e: Nat::from_limb(e),
                threads,
                ..options(primes)
            };
            let found = Cell::new(0);
            let count = |event| found.set(found.get() + usize::from(event == Progress::Prime));
            let key = PrivateKey::generate_with(rng, bits, &options, &count).unwrap();
            assert_eq!((key.bits(), key.primes().count()), (bits, primes));
            assert!(found.get() >= primes);
            key.validate().unwrap();
            let falling = |pair: &[&Nat]| pair[1].lt(pair[0]);
            assert!(key.primes().collect::<Vec<_>>().windows(2).all(falling));
            let lengths: Vec<usize> = key.primes().map(Nat::bits_vartime).collect();
            assert!(
                lengths.iter().max().unwrap() - lengths.iter().min().unwrap() <= 1,
                "{lengths:?}"
            );
            let m = Nat::random_below(key.public().n(), &mut rng());
            let s = key.rsasp1(&mut rng(), &m).unwrap();
            assert!(key.public().rsavp1(&s).unwrap() == m);
        }
    }
}

#[test]
fn generation_refuses_what_cannot_be() {
    let sizes = [
        (511, true),
        (504, true),
        (2047, false),
        (1024, false),
        (16_392, false),
        (16_392, true),
        (0, true),
        // Not whole octets.
        (516, true),
        (2052, false),
    ];
    for (bits, allow_small) in sizes {
        let options = KeygenOptions {
            allow_small,
            ..Default::default()
        };
        let error = PrivateKey::generate_with(rng, bits, &options, &|_| ()).unwrap_err();
        assert!(matches!(error, KeyError::Size { .. }), "{bits}: {error}");
    }
    let exponents = ["0", "1", "2", "10000"].map(nat);
    for e in exponents.into_iter().chain([
        Nat::power_of_two(256).add_limb(1),
        Nat::power_of_two(400).add_limb(1),
    ]) {
        let options = KeygenOptions { e, ..options(2) };
        assert!(matches!(
            PrivateKey::generate_with(rng, 512, &options, &|_| ()),
            Err(KeyError::Options(_))
        ));
    }
    // OpenSSL's caps, and beyond them before anything is searched for.
    for (bits, most) in [
        (512, 2),
        (1016, 2),
        (1024, 3),
        (4088, 3),
        (4096, 4),
        (8184, 4),
        (8192, 5),
        (16_384, 5),
    ] {
        assert_eq!(most_primes(bits), most);
        let options = KeygenOptions {
            allow_many_primes: false,
            ..options(most + 1)
        };
        let error = PrivateKey::generate_with(rng, bits, &options, &|_| ()).unwrap_err();
        match most {
            5 => assert!(matches!(error, KeyError::Options(_))),
            _ => assert_eq!(error, KeyError::Primes { bits, most }),
        }
    }
    // The last would have primes of 102 bits.
    for (bits, primes) in [(1024, 0), (1024, 1), (1024, 6), (512, 5)] {
        assert!(matches!(
            PrivateKey::generate_with(rng, bits, &options(primes), &|_| ()),
            Err(KeyError::Options(_))
        ));
    }
    let nobody = KeygenOptions {
        threads: 0,
        ..options(2)
    };
    assert!(matches!(
        PrivateKey::generate_with(rng, 1024, &nobody, &|_| ()),
        Err(KeyError::Options(_))
    ));
}

#[test]
fn one_thread_that_searches_is_the_callers() {
    let caller = thread::current().id();
    for threads in [1, 2] {
        let on_its_thread = || {
            assert_eq!(thread::current().id() == caller, threads == 1);
            rng()
        };
        let options = KeygenOptions {
            threads,
            ..options(2)
        };
        PrivateKey::generate_with(on_its_thread, 512, &options, &|_| ()).unwrap();
    }
}

/// A key of 16,384 bits takes minutes: without the flag this test would take as long.
#[test]
fn a_caller_stops_the_search() {
    for (threads, after) in [(1, 0), (1, 2), (2, 3)] {
        let stop = Arc::new(AtomicBool::new(after == 0));
        let options = KeygenOptions {
            threads,
            stop: Some(stop.clone()),
            ..Default::default()
        };
        let candidates = Cell::new(0);
        let count = |_| {
            candidates.set(candidates.get() + 1);
            stop.store(candidates.get() >= after, Relaxed);
        };
        let key = PrivateKey::generate_with(rng, 16_384, &options, &count);
        assert_eq!(key.unwrap_err(), KeyError::Stopped);
        assert!(candidates.get() > 0);
    }
    // A flag that stays false changes nothing.
    let options = KeygenOptions {
        stop: Some(Arc::default()),
        ..options(2)
    };
    let key = PrivateKey::generate_with(rng, 512, &options, &|_| ()).unwrap();
    assert_eq!(key.bits(), 512);
}

#[test]
fn candidates_of_a_reproducible_generation() {
    let Some(text) = read("rsa_keygen/rsa.bench.2048.txt") else {
        return;
    };
    let candidates: Vec<Nat> = text.lines().map(nat).collect();
    assert_eq!(candidates.len(), 708);
    let primes: Vec<&Nat> = candidates
        .iter()
        .filter(|n| carrysave_arith::prime::is_prime_vartime(n))
        .collect();
    assert_eq!(primes.len(), 2);
    assert!(primes[1] == candidates.last().unwrap());
    let key = PrivateKey::from_primes(
        primes.into_iter().cloned().collect(),
        Nat::from_limb(65_537),
    )
    .unwrap();
    assert_eq!(key.bits(), 2048);
}

#[test]
fn private_formats_go_round() {
    for key in [
        some_key().clone(),
        PrivateKey::generate_with(rng, 1024, &options(3), &|_| ()).unwrap(),
    ] {
        let password = b"correct horse";
        let encrypted = key.to_pkcs8_encrypted_pem(password, &mut rng());
        let der = [key.to_pkcs1_der(), key.to_pkcs8_der()];
        let read = [
            PrivateKey::from_pkcs1_der(&der[0]),
            PrivateKey::from_pkcs8_der(&der[1]),
            PrivateKey::from_pkcs1_pem(&key.to_pkcs1_pem()),
            PrivateKey::from_pkcs8_pem(&key.to_pkcs8_pem()),
            PrivateKey::from_pkcs8_encrypted_pem(&encrypted, password),
            PrivateKey::from_any(&der[0], None),
            PrivateKey::from_any(&der[1], None),
            PrivateKey::from_any(key.to_pkcs1_pem().as_bytes(), None),
            PrivateKey::from_any(key.to_pkcs8_pem().as_bytes(), None),
            PrivateKey::from_any(encrypted.as_bytes(), Some(password)),
        ];
        for again in read {
            assert_eq!(*again.unwrap().to_pkcs8_der(), *der[1]);
        }
        assert_eq!(
            PrivateKey::from_any(encrypted.as_bytes(), None).unwrap_err(),
            KeyError::PasswordNeeded
        );
        assert_eq!(
            PrivateKey::from_any(encrypted.as_bytes(), Some(b"battery")).unwrap_err(),
            KeyError::Password
        );
        // The traits of pkcs8 give the same.
        let document = EncodePrivateKey::to_pkcs8_der(&key).unwrap();
        assert_eq!(document.as_bytes(), &**der[1]);
        let again = <PrivateKey as DecodePrivateKey>::from_pkcs8_der(document.as_bytes()).unwrap();
        assert_eq!(again.public(), key.public());
        // Without primes they are found again.
        if key.primes().count() == 2 {
            let (n, e, d) = (key.public().n(), key.public().e(), key.d());
            let again =
                PrivateKey::from_components(n.clone(), e.clone(), d.clone(), Vec::new()).unwrap();
            assert_eq!(*again.to_pkcs8_der(), *der[1]);
        }
    }
}

#[test]
fn public_formats_go_round() {
    let key = some_key().public();
    let line = key.to_openssh("me@here");
    let read = [
        PublicKey::from_spki_der(&key.to_spki_der()),
        PublicKey::from_pkcs1_der(&key.to_pkcs1_der()),
        PublicKey::from_spki_pem(&key.to_spki_pem()),
        PublicKey::from_pkcs1_pem(&key.to_pkcs1_pem()),
        PublicKey::from_openssh(&line),
        PublicKey::from_any(&key.to_spki_der()),
        PublicKey::from_any(&key.to_pkcs1_der()),
        PublicKey::from_any(key.to_spki_pem().as_bytes()),
        PublicKey::from_any(key.to_pkcs1_pem().as_bytes()),
        PublicKey::from_any(line.as_bytes()),
        PublicKey::from_any(&some_key().to_pkcs8_der()),
        PublicKey::from_any(some_key().to_pkcs1_pem().as_bytes()),
    ];
    for again in read {
        assert_eq!(again.as_ref(), Ok(key));
    }
    let document = key.to_public_key_der().unwrap();
    assert_eq!(
        PublicKey::from_public_key_der(document.as_bytes()).as_ref(),
        Ok(key)
    );
}

/// What code does that knows the traits only.
fn sign_and_verify<K, S: SignatureEncoding>(signer: &K)
where
    K: Signer<S> + RandomizedSigner<S> + Keypair,
    K::VerifyingKey: Verifier<S>,
{
    let verifier = signer.verifying_key();
    for signature in [
        signer.sign(b"message"),
        signer.sign_with_rng(&mut rng(), b"message"),
    ] {
        assert_eq!(signature.encoded_len(), 128);
        verifier.verify(b"message", &signature).unwrap();
        assert!(verifier.verify(b"massage", &signature).is_err());
    }
}

#[test]
fn signature_traits() {
    for padding in [Padding::Pkcs1v15, Padding::pss(Hash::Sha384)] {
        sign_and_verify(&SigningKey::new(some_key().clone(), Hash::Sha384, padding));
    }
    let sha1 = SigningKey::new(some_key().clone(), Hash::Sha1, Padding::Pkcs1v15);
    assert!(sha1.try_sign(b"message").is_err());
}

#[test]
fn a_signing_key_in_three_lines() {
    let key = SigningKey::generate(2048).unwrap();
    let signature = key.sign(b"message");
    let verifier = key.verifying_key();
    verifier.verify(b"message", &signature).unwrap();
    // Its bytes are PSS with SHA-256, for the operations of RFC 8017 and for other programs.
    let (public, sha256) = (verifier.public_key(), Hash::Sha256);
    let digest = sha256.digest(b"message");
    let verified = public.rsassa_pss_verify(sha256, sha256, Some(32), &digest, signature.as_ref());
    assert_eq!(verified, Ok(()));
    let other = |message: &[u8], signature: &[u8]| verifier.verify(message, signature);
    assert_eq!(
        other(b"massage", signature.as_ref()),
        Err(Error::Verification)
    );
    assert_eq!(other(b"message", b""), Err(Error::Verification));
    assert!(matches!(
        SigningKey::generate(1024),
        Err(KeyError::Size { bits: 1024, .. })
    ));
}
