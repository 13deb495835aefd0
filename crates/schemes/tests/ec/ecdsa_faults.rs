//! A fault in a signature of ECDSA, alone or one of many at once, must not reveal the key: neither by a signature that does not
//! verify, nor by one with another nonce.

use carrysave_arith::Nat;
use carrysave_schemes::ec::{BrainpoolP256r1, Error, Named, P256, P521, PrivateKey, Secp256k1};
use carrysave_schemes::hash::Hash;
use carrysave_schemes::testing::{EcdsaStage, ecdsa_sign, ecdsa_sign_group};
use std::fmt::Debug;

const STAGES: [EcdsaStage; 12] = [
    EcdsaStage::Digest,
    EcdsaStage::Nonce,
    EcdsaStage::Again,
    EcdsaStage::Multiple,
    EcdsaStage::Point,
    EcdsaStage::Y,
    EcdsaStage::X,
    EcdsaStage::R,
    EcdsaStage::Inverse,
    EcdsaStage::Key,
    EcdsaStage::Sum,
    EcdsaStage::S,
];

/// A fault, as the tests plant it.
type Plant<'a> = &'a mut dyn FnMut(usize, EcdsaStage, &Nat) -> Option<Nat>;

/// Flips one bit in so many of the value at every stage of the signature at `place` of a group; returns the number of flips
/// that were detected. The others must have no effect, and none has one on the rest of the group.
fn flip<T: PartialEq + Debug>(
    step: usize,
    place: usize,
    right: &[T],
    mut sign: impl FnMut(Plant<'_>) -> Vec<Result<T, Error>>,
) -> usize {
    let mut caught = 0;
    for (stage, bit) in STAGES.into_iter().flat_map(|stage| {
        (0..8 * size_of::<Nat>().max(66))
            .step_by(step)
            .map(move |bit| (stage, bit))
    }) {
        let mut reached = false;
        let made = sign(&mut |i, at, value| {
            let here = (i, at) == (place, stage);
            reached |= here;
            let octets = value.to_be_bytes(66).expect("below 2^528");
            let mut octets = octets.to_vec();
            octets[65 - bit / 8 % 66] ^= 1 << (bit % 8);
            here.then(|| Nat::from_be_bytes(&octets))
        });
        assert!(reached, "{stage:?} was not reached");
        assert_eq!(made.len(), right.len());
        for (i, (made, right)) in made.iter().zip(right).enumerate() {
            match made {
                Ok(made) => assert_eq!(made, right, "{i}: {stage:?}, bit {bit}"),
                Err(error) => {
                    assert_eq!((error, i), (&Error::Fault, place), "{stage:?}, bit {bit}");
                    caught += 1;
                }
            }
        }
    }
    caught
}

fn flip_alone<C: Named>(step: usize) -> usize {
    let (key, hash) = (PrivateKey::<C>::generate(), Hash::Sha256);
    let digest = hash.digest(&key.public().to_sec1());
    let right = key
        .ecdsa_sign_recoverable(hash, &digest)
        .expect("a signature");
    flip(step, 0, &[right], |mut plant| {
        vec![ecdsa_sign(&key, hash, &digest, &[], &mut plant)]
    })
}

fn flip_in_group<C: Named>(step: usize, count: usize, place: usize) -> usize {
    let hash = Hash::Sha256;
    let keys: Vec<_> = (0..count).map(|_| PrivateKey::<C>::generate()).collect();
    let digests = keys.iter().map(|key| hash.digest(&key.public().to_sec1()));
    let digests: Vec<_> = digests.collect();
    let jobs = keys.iter().zip(&digests);
    let jobs: Vec<_> = jobs.map(|(key, it)| (key, hash, &it[..])).collect();
    let each = jobs.iter().map(|(key, hash, it)| key.ecdsa_sign(*hash, it));
    let right: Vec<_> = each.map(|it| it.expect("a signature")).collect();
    flip(step, place, &right, |mut plant| {
        ecdsa_sign_group(&jobs, &mut plant)
    })
}

/// Every third bit of each value on P-256, every 13th on other curves, alone. `tests/faults.rs` flips any, several
/// at once.
#[test]
fn no_faulty_signature_is_released() {
    // Flips above the lengths of the numbers change nothing.
    assert!(flip_alone::<P256>(3) > 11 * 256 / 3 - 8);
    assert!(flip_alone::<Secp256k1>(13) > 11 * 256 / 13 - 8);
    assert!(flip_alone::<P521>(13) > 11 * 521 / 13 - 8);
}

/// Every 13th bit of each value of one signature among eight, and of one that is the whole group, on curves with lanes and on
/// one without.
#[test]
fn no_faulty_signature_is_released_from_a_group() {
    for (count, place) in [(1, 0), (8, 5)] {
        assert!(flip_in_group::<P256>(13, count, place) > 11 * 256 / 13 - 8);
        assert!(flip_in_group::<P521>(13, count, place) > 11 * 521 / 13 - 8);
        assert!(flip_in_group::<BrainpoolP256r1>(13, count, place) > 10 * 256 / 13 - 8);
    }
}

/// The check itself: 2^n - 1 flips of a nonce are caught wherever they come from.
#[test]
fn a_nonce_with_a_short_top_word_is_another_nonce() {
    let (key, hash) = (PrivateKey::<P256>::generate(), Hash::Sha256);
    let digest = hash.digest(b"a message");
    let made = ecdsa_sign(&key, hash, &digest, &[], &mut |_, at, value: &Nat| {
        let short = value.to_be_bytes(32).expect("below 2^256");
        (at == EcdsaStage::Nonce).then(|| Nat::from_be_bytes(&short[8..]))
    });
    assert_eq!(made, Err(Error::Fault));
}
