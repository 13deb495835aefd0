//! ECDSA on a curve of 223 points, by the code that all curves share: every key with every nonce, and every pair of numbers
//! as a signature, against the definition.

use carrysave_arith::Cpu;
use carrysave_arith::curve::{A, BaseTable, Curve, Point};
use carrysave_arith::field::Fe;
use carrysave_schemes::ec::ecdsa::{RecoveryId, Signature};
use carrysave_schemes::ec::{Named, PrivateKey, PublicKey};
use carrysave_schemes::hash::Hash;
use carrysave_schemes::testing::ecdsa_sign_with_nonce;
use getrandom::SysRng;
use pkcs8::ObjectIdentifier;
use rand_core::UnwrapErr;
use std::sync::OnceLock;

carrysave_arith::prime_field! {
    /// Modulo 251.
    pub struct F251 = "251", 1 limbs, 1 bytes, "00000000000000fb";
    /// Modulo 223.
    pub struct F223 = "223", 1 limbs, 1 bytes, "00000000000000df";
}

/// `y^2 = x^3 - 3 x + 26` modulo 251.
#[derive(Clone, Copy, Debug)]
struct Toy;

const ORDER: u8 = 223;

impl Curve for Toy {
    const NAME: &'static str = "toy";
    type Base = F251;
    type BaseInLanes = F251;
    type Scalar = F223;
    const A: A = A::MinusThree;
    const PRIME_ORDER: bool = true;
    fn a() -> Fe<F251> {
        -Fe::from_limb(3)
    }
    fn b() -> Fe<F251> {
        Fe::from_limb(26)
    }
    fn g() -> (Fe<F251>, Fe<F251>) {
        (Fe::from_limb(2), Fe::from_limb(84))
    }
}

impl Named for Toy {
    const OID: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.999.1");
    const HASH: Hash = Hash::Sha256;

    fn base() -> &'static BaseTable<Toy> {
        static BASE: OnceLock<BaseTable<Toy>> = OnceLock::new();
        BASE.get_or_init(|| BaseTable::new(Cpu::native()))
    }
}

/// The x-coordinates of 1 to 222 times the base point, modulo the order, from sums of points.
fn coordinates() -> Vec<u32> {
    let g = Point::<Toy>::generator();
    let multiples = std::iter::successors(Some(g), |p| Some(g.add(p)));
    let x = |p: Point<Toy>| p.to_affine().expect("not infinity").0.to_le_bytes()[0];
    let all = multiples.take(usize::from(ORDER) - 1).map(x);
    all.map(|x| u32::from(x) % u32::from(ORDER)).collect()
}

/// The inverse modulo the order, by trial.
fn inverse(x: u32) -> u32 {
    let n = u32::from(ORDER);
    (1..n).find(|y| x * y % n == 1).expect("not 0")
}

/// A key, which takes the number as one octet.
fn key(d: u8) -> PrivateKey<Toy> {
    PrivateKey::from_be_bytes(&[d]).expect("from 1 to below the order")
}

#[test]
fn every_key_signs_with_every_nonce() {
    let (x, n) = (coordinates(), u32::from(ORDER));
    let inverses: Vec<u32> = (1..n).map(inverse).collect();
    let mut refused = 0;
    for d in 1..ORDER {
        let key = key(d);
        for k in 1..ORDER {
            for z in [0, 1, 7, 222, 223, 255] {
                let r = x[usize::from(k) - 1];
                let sum = u32::from(z) + r * u32::from(d);
                let s = inverses[usize::from(k) - 1] * (sum % n) % n;
                let found = ecdsa_sign_with_nonce(&key, &[z], &[k]);
                if r == 0 || s == 0 {
                    assert!(found.is_err(), "d = {d}, k = {k}, z = {z}");
                    refused += 1;
                    continue;
                }
                let octets = [r, s].map(|number| number as u8);
                let found = found.expect("it is a signature").to_be_bytes();
                assert_eq!(found, octets, "d = {d}, k = {k}, z = {z}");
            }
        }
    }
    assert!(refused > 0);
}

/// Nonces of RFC 6979 are 0 once in 256 digests, and coordinates reach the order in one point of nine.
#[test]
fn derived_nonces_are_never_0_and_every_id_recovers_the_key() {
    let keys: Vec<PrivateKey<Toy>> = (1..ORDER).map(key).collect();
    let mut ids = [0; 4];
    for i in 0..2000 {
        // Of a digest one octet counts, and of a key, too.
        let (key, digest) = (&keys[i % keys.len()], Hash::Sha256.digest(&i.to_le_bytes()));
        let made = key.ecdsa_sign_recoverable(Hash::Sha256, &digest);
        let (signature, id) = made.expect("nothing miscalculates");
        let found = signature.recover(id, Hash::Sha256, &digest);
        assert_eq!(found.as_ref(), Ok(key.public()), "digest {i}");
        ids[usize::from(id.to_byte())] += 1;
    }
    assert!(ids.into_iter().all(|count| count > 20), "{ids:?}");
}

/// Also by an id that did not make the signature.
#[test]
fn every_key_that_is_recovered_verifies() {
    let mut recovered = 0;
    for (r, s) in (1..ORDER).flat_map(|r| [1, 100, 222].map(|s| (r, s))) {
        let signature = Signature::<Toy>::from_be_bytes(&[r, s]).expect("numbers below the order");
        let digest = Hash::Sha256.digest(&[r, s]);
        for id in 0..4 {
            let id = RecoveryId::from_byte(id).expect("below 4");
            if let Ok(key) = signature.recover(id, Hash::Sha256, &digest) {
                let verdict = key.ecdsa_verify(Hash::Sha256, &digest, &signature);
                assert_eq!(verdict, Ok(()), "r = {r}, s = {s}, {id:?}");
                recovered += 1;
            }
        }
    }
    assert!(recovered > 300, "{recovered}");
}

/// A number below the order is 0 once in 223.
#[test]
fn generated_keys_are_never_0() {
    let rng = &mut UnwrapErr(SysRng);
    let mut keys = PrivateKey::<Toy>::generate_many_with(rng, 3000);
    keys.extend((0..1000).map(|_| PrivateKey::<Toy>::generate_with(rng)));
    for generated in keys {
        let d = generated.to_be_bytes()[0];
        assert_ne!(d, 0);
        assert_eq!(generated.public(), key(d).public());
    }
}

#[test]
fn every_pair_is_a_signature_by_definition_or_none() {
    let (x, n) = (coordinates(), u32::from(ORDER));
    for (d, z) in [(1, 0), (5, 9), (111, 255), (222, 1)] {
        let key = key(d);
        for s in 1..ORDER {
            let w = inverse(s.into());
            for r in 1..ORDER {
                // The point is (z + r d) / s times the base point.
                let number = (u32::from(z) + u32::from(r) * u32::from(d)) % n * w % n;
                let valid = number != 0 && x[number as usize - 1] == u32::from(r);
                let signature = Signature::from_be_bytes(&[r, s]).expect("numbers below the order");
                let found = key.public().ecdsa_verify_octets(&[z], &signature);
                assert_eq!(found.is_ok(), valid, "d = {d}, z = {z}, r = {r}, s = {s}");
            }
        }
        assert!(Signature::<Toy>::from_be_bytes(&[0, 1]).is_err());
        assert!(Signature::<Toy>::from_be_bytes(&[1, ORDER]).is_err());
    }
}

#[test]
fn every_pair_of_keys_agrees() {
    let keys: Vec<PrivateKey<Toy>> = (1..ORDER).map(key).collect();
    for (a, key) in (1..).zip(&keys) {
        let multiple = Point::<Toy>::generator().mul(Cpu::native(), &[a]);
        let octets = multiple.to_sec1().expect("not infinity");
        assert_eq!(PublicKey::from_sec1(&octets).as_ref(), Ok(key.public()));
        for (b, other) in (1..).zip(&keys) {
            // The coordinate itself, not modulo the order.
            let product = Point::<Toy>::generator().mul(Cpu::native(), &[a * b % 223]);
            let (x, _) = product.to_affine().expect("not infinity");
            let secret = key.agree(other.public()).expect("it is no fault");
            assert_eq!(secret[..], x.to_be_bytes());
        }
    }
}
