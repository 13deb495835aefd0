//! A fault in a signature must not reveal the key: neither by a signature that does not verify, nor by one with another
//! nonce.

use crate::support::*;
use carrysave_arith::Nat;
use carrysave_schemes::dl::{Error, Group, PrivateKey};
use carrysave_schemes::hash::Hash;
use carrysave_schemes::testing::{DsaStage, dsa_sign};

/// Flips every bit of the value at `stage` in turn; returns the number of detected faults. The others must have no
/// effect: no wrong result may be released.
fn flip_all(key: &PrivateKey, stage: DsaStage, digest: &[u8]) -> usize {
    let hash = Hash::Sha256;
    let right = key.dsa_sign(hash, digest).unwrap();
    let mut bits = 0;
    let none = dsa_sign(key, hash, digest, &[], &mut |_, at, value: &Nat| {
        bits = bits.max(if at == stage { 64 * value.width() } else { 0 });
        None
    });
    assert_eq!(none.as_ref(), Ok(&right));
    assert!(bits >= 160, "{stage:?} was not reached");
    let mut caught = 0;
    for bit in 0..bits {
        let mut once = false;
        let result = dsa_sign(key, hash, digest, &[], &mut |_, at, value: &Nat| {
            (at == stage && !std::mem::replace(&mut once, true)).then(|| flipped(value, bit))
        });
        match result {
            Ok(signature) => assert_eq!(
                signature, right,
                "a wrong signature came out after a flip of bit {bit} at {stage:?}"
            ),
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
    let stages = [
        DsaStage::Digest,
        DsaStage::Nonce,
        DsaStage::Again,
        DsaStage::Power,
        DsaStage::R,
        DsaStage::Inverse,
        DsaStage::Exponent,
        DsaStage::Sum,
        DsaStage::S,
    ];
    let (mut caught, mut flipped) = (0, 0);
    let (group, _) = Group::generate_with(&mut rng(), 512, 160, Hash::Sha256, &mut || ()).unwrap();
    while caught < 10_000 {
        let key = PrivateKey::generate_with(&group, &mut rng());
        let digest = Hash::Sha256.digest(&key.public().to_be_bytes());
        for stage in stages {
            let found = flip_all(&key, stage, &digest);
            // Flips above the lengths of the numbers may change nothing.
            assert!(found >= 160, "only {found} flips at {stage:?} were caught");
            caught += found;
            flipped += 1;
        }
    }
    println!("{caught} faults caught in {flipped} runs, none released");
}
