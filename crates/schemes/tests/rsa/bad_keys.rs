//! Keys that are refused: each defect has its sentence, and none takes long to find.

use crate::support::*;
use carrysave_arith::prime::{PrimeOptions, random_prime};
use carrysave_arith::{Cpu, Nat};
use carrysave_schemes::rsa::{KeyError, PrivateKey, PublicKey};
use der::asn1::UintRef;
use der::{Decode, Encode};
use pkcs1::RsaPrivateKeyRef;
use std::time::{Duration, Instant};

/// Checks that reading anything ends without a panic, and returns the result of `read`. It takes less than a second on
/// an idle machine; the limit is larger, to detect hangs even on a busy one.
fn quickly<T>(what: &str, read: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = read();
    let took = start.elapsed();
    assert!(took < Duration::from_secs(30), "{what} took {took:?}");
    result
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
    // Valid keys that are there as such.
    assert_eq!(accepted, 7);
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
