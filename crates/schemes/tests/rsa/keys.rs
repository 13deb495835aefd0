//! Keys: formats, generation, and every defect of a key. A defect is a test of its own, and there are many.

use crate::support::*;
use carrysave_arith::prime::{PrimeOptions, random_prime};
use carrysave_arith::{Cpu, Nat};
use carrysave_schemes::hash::Hash;
use carrysave_schemes::rsa::{
    Error, KeyError, KeygenOptions, Padding, PrivateKey, Progress, PublicKey, SigningKey,
    eme_oaep_decode, emsa_pss_encode, emsa_pss_verify, most_primes,
};
use der::asn1::UintRef;
use der::{Decode, Encode};
use pkcs1::RsaPrivateKeyRef;
use pkcs8::{DecodePrivateKey, EncodePrivateKey};
use signature::{Keypair, RandomizedSigner, SignatureEncoding, Signer, Verifier};
use spki::{DecodePublicKey, EncodePublicKey};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

fn options(primes: usize) -> KeygenOptions {
    KeygenOptions {
        allow_small: true,
        primes,
        allow_many_primes: true,
        ..Default::default()
    }
}

/// One key for the tests that only need some key.
fn some_key() -> &'static PrivateKey {
    static KEY: OnceLock<PrivateKey> = OnceLock::new();
    KEY.get_or_init(|| PrivateKey::generate_with(rng, 1024, &options(2), &|_| ()).unwrap())
}

/// Checks that reading anything ends without a panic, and returns the result of `read`. It takes less than a second on
/// an idle machine; the limit is larger, to detect hangs even on a busy one.
fn quickly<T>(what: &str, read: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = read();
    let took = start.elapsed();
    assert!(took < Duration::from_secs(30), "{what} took {took:?}");
    result
}

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

/// A key of 16,384 bits takes minutes: without the flag this test would take as long.
#[test]
fn a_caller_stops_the_search() {
    for (threads, after) in [(1, 0), (2, 3)] {
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

/// The parts of `RSAPrivateKey`, to be spoilt one by one.
#[derive(Clone)]
struct Parts([Nat; 8]);

const N: usize = 0;
const E: usize = 1;
const D: usize = 2;
const P: usize = 3;
const Q: usize = 4;
const DP: usize = 5;
const DQ: usize = 6;
const QINV: usize = 7;

impl Parts {
    fn of(key: &PrivateKey) -> Parts {
        let der = key.to_pkcs1_der();
        let k = RsaPrivateKeyRef::from_der(&der).unwrap();
        let fields = [
            k.modulus,
            k.public_exponent,
            k.private_exponent,
            k.prime1,
            k.prime2,
            k.exponent1,
            k.exponent2,
            k.coefficient,
        ];
        Parts(fields.map(|x| Nat::from_be_bytes(x.as_bytes())))
    }

    /// The key parts derived from two "primes" and e, whether or not they are prime.
    fn from_primes(p: Nat, q: Nat, e: u64) -> Parts {
        let e = Nat::from_limb(e);
        let one = Nat::one();
        let (p1, q1) = (p.sub(&one).unwrap(), q.sub(&one).unwrap());
        let d = carrysave_arith::inv_mod_vartime(&e, &p1.lcm(&q1)).unwrap_or_else(Nat::one);
        let q_inv = carrysave_arith::inv_mod_vartime(&q.rem(&p), &p).unwrap_or_else(Nat::one);
        Parts([p.mul(&q), e, d.clone(), p, q, d.rem(&p1), d.rem(&q1), q_inv])
    }

    fn with(&self, part: usize, value: Nat) -> Parts {
        let mut parts = self.clone();
        parts.0[part] = value;
        parts
    }

    fn der(&self) -> Vec<u8> {
        let bytes = self.0.each_ref().map(|x| match x.to_be_bytes_vartime() {
            empty if empty.is_empty() => vec![0],
            bytes => bytes,
        });
        let [
            modulus,
            public_exponent,
            private_exponent,
            prime1,
            prime2,
            exponent1,
            exponent2,
            coefficient,
        ] = bytes.each_ref().map(|bytes| UintRef::new(bytes).unwrap());
        let key = RsaPrivateKeyRef {
            modulus,
            public_exponent,
            private_exponent,
            prime1,
            prime2,
            exponent1,
            exponent2,
            coefficient,
            other_prime_infos: None,
        };
        key.to_der().unwrap()
    }
}

#[test]
fn systematic_bad_keys() {
    let good = Parts::of(some_key());
    PrivateKey::from_pkcs1_der(&good.der()).unwrap();
    let [n, e, d, p, q, ..] = &good.0;
    let (one, two) = (Nat::one(), Nat::from_limb(2));
    let mut bad: Vec<(String, Parts)> = Vec::new();
    let mut spoil = |what: &str, parts: Parts| bad.push((what.to_owned(), parts));
    // Every part: absent, one, two, one off either way, one bit off at the top.
    for (part, name) in ["n", "e", "d", "p", "q", "dP", "dQ", "qInv"]
        .into_iter()
        .enumerate()
    {
        let value = &good.0[part];
        spoil(&format!("{name} = 0"), good.with(part, Nat::zero()));
        spoil(&format!("{name} = 1"), good.with(part, one.clone()));
        spoil(&format!("{name} + 2"), good.with(part, value.add(&two)));
        spoil(
            &format!("{name} - 2"),
            good.with(part, value.sub(&two).unwrap()),
        );
        spoil(&format!("2 {name}"), good.with(part, value.shl(1)));
        spoil(
            &format!("{name} with 100,000 more bits"),
            good.with(part, value.add(&Nat::one().shl(100_000))),
        );
    }
    spoil("d = n", good.with(D, n.clone()));
    spoil("d + n", good.with(D, d.add(n)));
    spoil("e = n", good.with(E, n.clone()));
    spoil("e of 300 bits", good.with(E, Nat::one().shl(299).add(&one)));
    spoil("e even", good.with(E, e.add(&one)));
    spoil("n even", good.with(N, n.add(&one)));
    spoil("p = q", Parts::from_primes(p.clone(), p.clone(), 65_537));
    spoil(
        "p and q exchanged, the rest left",
        good.with(P, q.clone()).with(Q, p.clone()),
    );
    spoil("p = n, q = 1", good.with(P, n.clone()).with(Q, one.clone()));
    spoil(
        "p = -1 mod 2^512",
        good.with(P, Nat::one().shl(512).sub(&one).unwrap()),
    );
    spoil(
        "dP not reduced",
        good.with(DP, good.0[DP].add(&p.sub(&one).unwrap())),
    );
    spoil("dQ of p", good.with(DQ, good.0[DP].clone()));
    spoil("qInv not reduced", good.with(QINV, good.0[QINV].add(p)));
    // Numbers that fit each other but are unsafe.
    let composite = |bits: usize| {
        let half = || {
            carrysave_arith::prime::random_prime(
                bits / 2,
                &Default::default(),
                &mut rng(),
                &mut || (),
            )
            .unwrap()
        };
        half().mul(&half()).trim_vartime()
    };
    let prime = |bits| {
        let options = carrysave_arith::prime::PrimeOptions {
            top_two_bits: true,
            ..Default::default()
        };
        carrysave_arith::prime::random_prime(bits, &options, &mut rng(), &mut || ()).unwrap()
    };
    spoil(
        "p composite",
        Parts::from_primes(composite(512), prime(512), 65_537),
    );
    spoil(
        "q composite",
        Parts::from_primes(prime(512), composite(512), 65_537),
    );
    let square = prime(256);
    spoil(
        "p square",
        Parts::from_primes(square.sqr().trim_vartime(), prime(512), 65_537),
    );
    spoil(
        "p even",
        Parts::from_primes(prime(512).add(&one), prime(512), 65_537),
    );
    spoil(
        "lengths differ by far",
        Parts::from_primes(prime(780), prime(244), 65_537),
    );
    let mut near = p.add(&two);
    while !carrysave_arith::prime::is_prime_vartime(&near) {
        near = near.add(&two).trim_vartime();
    }
    spoil(
        "p and q are neighbours",
        Parts::from_primes(p.clone(), near, 65_537),
    );
    spoil(
        "e = p",
        Parts::from_primes(p.clone(), q.clone(), 65_537).with(E, p.clone()),
    );
    // Wiener: a small d, for which e is large.
    let (p1, q1) = (p.sub(&one).unwrap(), q.sub(&one).unwrap());
    let small =
        carrysave_arith::prime::random_prime(200, &Default::default(), &mut rng(), &mut || ())
            .unwrap();
    let large_e = carrysave_arith::inv_mod_vartime(&small, &p1.lcm(&q1)).unwrap();
    let crt = good
        .with(E, large_e)
        .with(D, small.clone())
        .with(DP, small.rem(&p1))
        .with(DQ, small.rem(&q1));
    spoil("d small", crt);
    assert!(bad.len() >= 40, "{}", bad.len());
    for (what, parts) in bad {
        let result = quickly(&what, || PrivateKey::from_any(&parts.der(), None));
        let error = result.expect_err(&what);
        assert!(
            matches!(
                error,
                KeyError::Invalid(_) | KeyError::Size { .. } | KeyError::Format { .. }
            ),
            "{what}: {error}"
        );
    }
}

#[test]
fn long_keys_are_read_without_a_hang() {
    // Everything fits except that the primes are composite, so every check runs; beyond 16,384 bits there is no test of
    // primality.
    for bits in [2048, 4096, 8192, 16_384, 32_768, 65_536] {
        let (p, q) = (
            multiple_of(3, bits / 2, 59),
            multiple_of(5, bits / 2, (1 << 50) + 1),
        );
        let der = Parts::from_primes(p, q, 65_537).der();
        let result = quickly(&format!("{bits} bits"), || PrivateKey::from_any(&der, None));
        assert_eq!(result.is_err(), bits <= 16_384, "{bits}");
        let n = Nat::one().shl(bits).sub(&Nat::one()).unwrap();
        let public = quickly("a public key", || {
            PublicKey::new(n.clone(), Nat::from_limb(65_537))
        });
        assert!(public.is_ok());
    }
    let too_long = Nat::one().shl(65_536).add(&Nat::one());
    let refused = PublicKey::new(too_long, Nat::from_limb(3));
    assert!(matches!(refused, Err(KeyError::Size { bits: 65_537, .. })));
}

/// PROTOCOL.key of OpenSSH: it has d, but not modulo p - 1.
#[test]
fn long_numbers_of_openssh_are_refused_without_a_hang() {
    use base64ct::Encoding;
    let string = |octets: &[u8]| [&(octets.len() as u32).to_be_bytes(), octets].concat();
    let number = |octets: usize| string(&[&[1][..], &vec![7; octets - 1]].concat());
    for [n, d, p, q] in [
        [300_000, 300_000, 150_000, 150_000],
        [256, 400_000, 128, 128],
        [256, 256, 400_000, 128],
        [256, 256, 128, 400_000],
    ] {
        let kind = string(b"ssh-rsa");
        let public = [&kind[..], &number(3), &number(n)].concat();
        let numbers = [n, 3, d, 128, p, q].map(number).concat();
        let private = [&[7; 8][..], &kind, &numbers, &string(b"a comment")].concat();
        let file = [
            &b"openssh-key-v1\0"[..],
            &[&b"none"[..], b"none", b""].map(string).concat(),
            &[0, 0, 0, 1],
            &string(&public),
            &string(&private),
        ]
        .concat();
        let text = format!(
            "-----BEGIN OPENSSH PRIVATE KEY-----\n{}\n-----END OPENSSH PRIVATE KEY-----\n",
            base64ct::Base64::encode_string(&file)
        );
        let error = quickly("long numbers", || {
            PrivateKey::from_any(text.as_bytes(), None).unwrap_err()
        });
        assert!(error.to_string().contains("too long"), "{error}");
    }
}

#[test]
fn keys_without_primes_are_read_without_a_hang() {
    // A prime, the square of one and a number too long to be factored, with exponents that fit: none has two factors.
    let mersenne = |bits: usize| Nat::one().shl(bits).sub(&Nat::one()).unwrap();
    for (n, lambda) in [
        (mersenne(2203), mersenne(2203).sub(&Nat::one()).unwrap()),
        (
            mersenne(521).sqr(),
            mersenne(521).mul(&mersenne(521).sub(&Nat::one()).unwrap()),
        ),
        (mersenne(9689), mersenne(9689).sub(&Nat::one()).unwrap()),
    ] {
        let e = Nat::from_limb(65_537);
        let d = carrysave_arith::inv_mod(&e, &lambda).unwrap();
        let key = quickly("a key without primes", || {
            PrivateKey::from_components(n.clone().trim(), e, d, Vec::new())
        });
        match key {
            Err(KeyError::Invalid(why)) => assert_eq!(why.contains("too long"), n.bits() > 8192),
            other => panic!("{other:?}"),
        }
    }
}

/// What is refused beside what is taken, at each limit of a public key.
#[test]
fn public_keys_at_the_limits() {
    let ones = |bits: usize| Nat::power_of_two(bits).sub_limb(1).unwrap();
    let three = Nat::from_limb(3);
    for (bits, taken) in [(383, false), (384, true), (65_536, true), (65_537, false)] {
        match PublicKey::new(ones(bits), three.clone()) {
            Ok(key) => assert!(taken && key.bits() == bits),
            Err(error) => assert!(
                !taken && matches!(error, KeyError::Size { bits: found, .. } if found == bits),
                "{bits}: {error}"
            ),
        }
    }
    let even = ones(384).sub_limb(1).unwrap();
    let refused = |n: Nat, e: Nat| match PublicKey::new(n, e) {
        Err(KeyError::Invalid(why)) => why,
        other => panic!("{other:?}"),
    };
    assert!(refused(even, three).contains("even"));
    assert!(refused(ones(384), Nat::zero()).contains("is missing"));
    for e in [
        Nat::one(),
        Nat::from_limb(2),
        ones(256).add_limb(1),
        ones(257),
    ] {
        assert!(refused(ones(384), e).contains("exponent"));
    }
    PublicKey::new(ones(384), ones(256)).unwrap();
    // A long exponent is below the modulus, too.
    let long = |e: Nat| PublicKey::with_long_exponent(ones(384), e, Cpu::native());
    assert!(long(ones(384)).is_err() && long(ones(384).sub_limb(2).unwrap()).is_ok());
}

/// FIPS 186-5, A.1.1: d is longer than half of the modulus (Wiener 1990). A short one has a long public exponent.
#[test]
fn private_exponents_of_half_the_length_are_refused() {
    let key = some_key();
    let primes: Vec<Nat> = key.primes().cloned().collect();
    let lambda = primes[0]
        .sub_limb(1)
        .unwrap()
        .lcm(&primes[1].sub_limb(1).unwrap());
    for (bits, taken) in [
        (200, false),
        (511, false),
        (512, false),
        (513, true),
        (800, true),
    ] {
        let random =
            || random_prime(bits, &PrimeOptions::default(), &mut rng(), &mut || ()).unwrap();
        let inverse = |d: Nat| Some((carrysave_arith::inv_mod_vartime(&d, &lambda)?, d));
        let (e, d) = std::iter::repeat_with(random).find_map(inverse).unwrap();
        let n = key.public().n().clone();
        let public = PublicKey::with_long_exponent(n, e, Cpu::native()).unwrap();
        match PrivateKey::from_public(public, d, primes.clone()) {
            Ok(_) => assert!(taken, "{bits}"),
            Err(error) => assert!(
                !taken && error.to_string().contains("too small"),
                "{bits}: {error}"
            ),
        }
    }
}

/// Each condition on the primes has its sentence, though a later one would refuse the key, too.
#[test]
fn primes_at_the_limits() {
    let e = || Nat::from_limb(65_537);
    let options = PrimeOptions {
        top_two_bits: true,
        coprime_to_minus_one: Some(&e()),
        ..Default::default()
    };
    let prime = |bits| random_prime(bits, &options, &mut rng(), &mut || ()).unwrap();
    let refused = |key: Result<PrivateKey, KeyError>| match key {
        Err(KeyError::Invalid(why)) => why,
        other => panic!("{other:?}"),
    };
    // Their number.
    for (count, taken) in [(1, false), (2, true), (16, true), (17, false)] {
        let primes = (0..count).map(|_| prime(1024 / count)).collect();
        match PrivateKey::from_primes(primes, e()) {
            Ok(_) => assert!(taken, "{count}"),
            refusal => assert!(!taken && refused(refusal).contains("2 to 16 primes")),
        }
    }
    // Their distance: 2^412 is too close for 1024 bits.
    for (bits, taken) in [(411, false), (412, false), (413, true)] {
        let p = prime(512);
        let mut q = p.add(&Nat::power_of_two(bits - 1));
        while !carrysave_arith::prime::is_prime_vartime(&q) || q.rem_limb_vartime(65_537) == 1 {
            q = q.add_limb(2).trim_vartime();
        }
        match PrivateKey::from_primes(vec![p, q], e()) {
            Ok(_) => assert!(taken, "{bits}"),
            refusal => assert!(!taken && refused(refusal).contains("so close")),
        }
    }
    // What is no prime, or not another one, in a key that has all its parts.
    let (key, p) = (some_key(), prime(512));
    let (n, d, one) = (key.public().n(), key.d(), Nat::one());
    let with = |primes: [Nat; 2]| {
        let key = PrivateKey::from_components(n.clone(), e(), d.clone(), primes.to_vec());
        refused(key)
    };
    assert!(with([n.clone(), one.clone()]).contains("even or 1"));
    assert!(with([p.add(&one), prime(512)]).contains("even or 1"));
    assert!(with([p.clone(), p.clone()]).contains("equal"));
    // d is that of FIPS 186-5, A.1.1: below the least common multiple.
    let primes: Vec<Nat> = key.primes().cloned().collect();
    let minus_one = |p: &Nat| p.sub_limb(1).unwrap();
    let lambda = minus_one(&primes[0]).lcm(&minus_one(&primes[1]));
    let expected = carrysave_arith::inv_mod_vartime(key.public().e(), &lambda).unwrap();
    assert_eq!(*key.d(), expected);
}

#[test]
fn ones_are_no_primes() {
    let one = || Nat::one();
    let key = PrivateKey::from_primes(vec![one(), one()], Nat::from_limb(3));
    assert!(matches!(key, Err(KeyError::Invalid(_))), "{key:?}");
}

/// An odd multiple of `factor` of this length, which passes as a prime with e = 65,537.
fn multiple_of(factor: u64, bits: usize, tweak: u64) -> Nat {
    let two = Nat::from_limb(2);
    let tweak = Nat::from_limb(tweak).shl(bits - 60);
    let mut x = Nat::one()
        .shl(bits)
        .sub(&tweak)
        .unwrap()
        .sub(&Nat::one())
        .unwrap();
    while !x.rem_limb_vartime(15).is_multiple_of(factor)
        || x.rem_limb_vartime(15 / factor) == 0
        || x.rem_limb_vartime(65_537) == 1
    {
        x = x.sub(&two).unwrap();
    }
    x.trim_vartime()
}

#[test]
fn corpora_of_bad_keys() {
    let mut accepted = 0;
    for (folder, count) in [
        ("boringssl_privkey", 71),
        ("boringssl_pkcs8", 15),
        ("boringssl_spki", 8),
    ] {
        let Some(folder) = path(&format!("badkeys/{folder}")) else {
            return;
        };
        let files: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        assert_eq!(files.len(), count);
        for file in files {
            let bytes = std::fs::read(&file).unwrap();
            let name = file.display().to_string();
            if let Ok(key) = quickly(&name, || PrivateKey::from_any(&bytes, None)) {
                key.validate().unwrap();
                accepted += 1;
            }
            accepted += usize::from(quickly(&name, || PublicKey::from_any(&bytes)).is_ok());
        }
    }
    println!("{accepted} readings of the corpora are valid keys");
}

#[test]
fn damaged_files_are_refused_with_a_sentence() {
    let key = some_key();
    let der = key.to_pkcs8_der();
    // Every truncation, and every bit flipped in the frame around the numbers; a flip in a number is refused as well.
    for length in 0..der.len() {
        assert!(PrivateKey::from_any(&der[..length], None).is_err());
    }
    for bit in (0..8 * der.len()).step_by(7) {
        let mut bytes = der.to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(PrivateKey::from_any(&bytes, None).is_err(), "bit {bit}");
    }
    let trailing = [&der[..], &[0]].concat();
    let pem = key.to_pkcs8_pem();
    let foreign: [&[u8]; 9] = [
        b"",
        b"\n",
        b"hello",
        b"-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n",
        b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        b"-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n",
        b"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0FOf",
        &trailing,
        &pem.as_bytes()[..pem.len() / 2],
    ];
    for bytes in foreign {
        for error in [
            PrivateKey::from_any(bytes, None).unwrap_err(),
            PublicKey::from_any(bytes).unwrap_err(),
        ] {
            let sentence = error.to_string();
            assert!(
                sentence.len() > 30 && !sentence.contains('\n'),
                "{sentence}"
            );
        }
    }
}
