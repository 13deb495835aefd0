//! A fault in a signature of ECDSA must not reveal the key: neither by a signature that does not verify, nor by one with
//! another nonce.

use carrysave_arith::Nat;
use carrysave_schemes::ec::{Error, Named, P256, P521, PrivateKey, Secp256k1};
use carrysave_schemes::hash::Hash;
use carrysave_schemes::testing::{EcdsaStage, ecdsa_sign};

const STAGES: [EcdsaStage; 10] = [
    EcdsaStage::Digest,
    EcdsaStage::Nonce,
    EcdsaStage::Multiple,
    EcdsaStage::Point,
    EcdsaStage::X,
    EcdsaStage::R,
    EcdsaStage::Inverse,
    EcdsaStage::Key,
    EcdsaStage::Sum,
    EcdsaStage::S,
];

/// Flips bits of the value at every stage; returns the number of flips that were detected. The others must have no
/// effect.
fn flip<C: Named>(step: usize) -> usize {
    let (key, hash) = (PrivateKey::<C>::generate(), Hash::Sha256);
    let digest = hash.digest(&key.public().to_sec1());
    let right = key
        .ecdsa_sign_recoverable(hash, &digest)
        .expect("a signature");
    let mut caught = 0;
    for (stage, bit) in STAGES.into_iter().flat_map(|stage| {
        (0..8 * size_of::<Nat>().max(66))
            .step_by(step)
            .map(move |bit| (stage, bit))
    }) {
        let mut reached = false;
        let made = ecdsa_sign(&key, hash, &digest, &[], &mut |_, at, value: &Nat| {
            reached |= at == stage;
            let octets = value.to_be_bytes(66).expect("below 2^528");
            let mut octets = octets.to_vec();
            octets[65 - bit / 8 % 66] ^= 1 << (bit % 8);
            (at == stage).then(|| Nat::from_be_bytes(&octets))
        });
        assert!(reached, "{stage:?} was not reached");
        match made {
            Ok(made) => assert_eq!(made, right, "{stage:?}, bit {bit}"),
            Err(error) => {
                assert_eq!(error, Error::Fault);
                caught += 1;
            }
        }
    }
    caught
}

#[test]
fn no_faulty_signature_is_released() {
    // Flips above the lengths of the numbers change nothing.
    assert!(flip::<P256>(3) > 8 * 256 / 3 - 8);
    assert!(flip::<Secp256k1>(13) > 8 * 256 / 13 - 8);
    assert!(flip::<P521>(13) > 8 * 521 / 13 - 8);
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
