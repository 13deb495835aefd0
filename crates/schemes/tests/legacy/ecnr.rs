//! Nyberg-Rueppel on curves: Crypto++ both ways, what is refused, and faults.

use crate::cryptopp::peer;
use crate::support::*;
use carrysave_arith::Nat;
use carrysave_schemes::ec::ecdsa::Signature;
use carrysave_schemes::ec::{Error, Named, P224, P256, P384, P521, PrivateKey, Secp256k1};
use carrysave_schemes::hash::Hash;
use carrysave_schemes::legacy::nr::{ecnr_sign, ecnr_verify};
use carrysave_schemes::testing::{EcdsaStage, NoFaults, ecnr_sign as sign_with};

/// Hashes that are shorter than the orders, as long, and longer.
const HASHES: [Hash; 3] = [Hash::Sha1, Hash::Sha256, Hash::Sha512];

fn both_ways<C: Named>() {
    let key = PrivateKey::<C>::generate_with(&mut rng());
    let (private, public) = (key.to_pkcs8_der(), key.public().to_spki_der());
    for hash in HASHES {
        for message in [&b""[..], b"a message", &[7; 300]] {
            let digest = hash.digest(message);
            let ours = sign_with(&key, hash, &digest, &mut NoFaults).unwrap();
            assert_eq!(ecnr_verify(key.public(), hash, &digest, &ours), Ok(()));
            let other = hash.digest(b"another message");
            let refused = Err(Error::Verification);
            assert_eq!(ecnr_verify(key.public(), hash, &other, &ours), refused);
            // It is no signature of ECDSA, and its nonce differs.
            assert_eq!(key.public().ecdsa_verify(hash, &digest, &ours), refused);
            let Some(peer) = peer() else { continue };
            let request = format!("ecnr-verify-{hash}");
            let words = [&public[..], message, &ours.to_be_bytes()];
            assert!(peer.ask(&request, &words).is_some());
            peer.refuses(&request, &[&public, b"another message", words[2]]);
            let theirs = peer.one(&format!("ecnr-sign-{hash}"), &[&private, message]);
            let theirs = Signature::from_be_bytes(&theirs).unwrap();
            assert_eq!(ecnr_verify(key.public(), hash, &digest, &theirs), Ok(()));
        }
    }
}

#[test]
fn signatures_go_both_ways() {
    both_ways::<P224>();
    both_ways::<P256>();
    both_ways::<P384>();
    both_ways::<P521>();
    both_ways::<Secp256k1>();
}

#[test]
fn bad_digests_are_refused() {
    let key = PrivateKey::<P256>::generate_with(&mut rng());
    let digest = Hash::Sha256.digest(b"a message");
    let signature = ecnr_sign(&key, Hash::Sha256, &digest).unwrap();
    let sha1 = ecnr_sign(&key, Hash::Sha1, &Hash::Sha1.digest(b"a message"));
    assert_eq!(sha1, Err(Error::Sha1Signature));
    for len in [0, 31, 33] {
        let (expected, found) = (32, len);
        let error = Error::DigestLength { expected, found };
        let digest = vec![1; len];
        let result = ecnr_verify(key.public(), Hash::Sha256, &digest, &signature);
        assert_eq!(result, Err(error.clone()));
        assert_eq!(ecnr_sign(&key, Hash::Sha256, &digest), Err(error));
    }
    let octets = signature.to_be_bytes();
    for bit in 0..8 * octets.len() {
        let mut octets = octets.clone();
        octets[bit / 8] ^= 1 << (bit % 8);
        let result = Signature::from_be_bytes(&octets);
        let result = result.and_then(|it| ecnr_verify(key.public(), Hash::Sha256, &digest, &it));
        assert_eq!(result, Err(Error::Verification), "{bit}");
    }
}

#[test]
fn no_faulty_signature_is_released() {
    let key = PrivateKey::<P256>::generate_with(&mut rng());
    let digest = Hash::Sha256.digest(b"a message");
    let mut caught = 0;
    for stage in [
        EcdsaStage::Nonce,
        EcdsaStage::Again,
        EcdsaStage::Multiple,
        EcdsaStage::Point,
        EcdsaStage::Digest,
        EcdsaStage::R,
        EcdsaStage::Key,
        EcdsaStage::S,
    ] {
        for bit in 0..256 {
            let mut flipped_one = false;
            let mut flip = |_, at, value: &Nat| {
                (at == stage).then(|| {
                    flipped_one = true;
                    flipped(value, bit)
                })
            };
            let signature = sign_with(&key, Hash::Sha256, &digest, &mut flip);
            assert!(flipped_one, "{stage:?}");
            // A number that reaches the prime is not planted.
            if signature == Err(Error::Fault) {
                caught += 1;
            } else {
                assert_eq!(
                    signature,
                    ecnr_sign(&key, Hash::Sha256, &digest),
                    "{bit} {stage:?}"
                );
            }
        }
    }
    assert!(caught > 1_650, "{caught}");
}
