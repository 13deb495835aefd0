//! Schemes and ciphers against OpenSSL: what one makes the other takes, and both refuse it where a bit was changed.

#![no_main]

use carrysave_contract::Rng;
use carrysave_fuzz::{KEY, Octets};
use carrysave_schemes::ec::{Algorithm, AnyPrivateKey, AnyPublicKey};
use carrysave_schemes::hash::Hash;
use carrysave_symmetric::aes::Aes;
use libfuzzer_sys::fuzz_target;
use openssl::{
    derive::Deriver,
    hash::{MessageDigest, hash},
    pkey::{HasPublic, PKey, PKeyRef, Private},
    sign::{Signer, Verifier},
    symm::{self, Cipher},
};
use rand_core::Rng as _;
use std::sync::LazyLock;

/// OpenSSL's copy of the lab's key.
static RSA: LazyLock<PKey<Private>> =
    LazyLock::new(|| PKey::private_key_from_der(&KEY.to_pkcs8_der()).expect("it is a key"));

/// Whether OpenSSL accepts a signature of this message; the hash of `None` is the algorithm's own.
fn accepts<K: HasPublic>(
    key: &PKeyRef<K>,
    digest: Option<MessageDigest>,
    message: &[u8],
    signature: &[u8],
) -> bool {
    let verifier = match digest {
        Some(digest) => Verifier::new(digest, key),
        None => Verifier::new_without_digest(key),
    };
    let mut verifier = verifier.expect("the key is for signatures");
    verifier.verify_oneshot(signature, message).unwrap_or(false)
}

/// A signature with one bit changed, or as it was.
fn changed(rng: &mut Rng, signature: &[u8]) -> Vec<u8> {
    let mut signature = signature.to_vec();
    if rng.once_in(2) {
        let bit = rng.below(8 * signature.len());
        signature[bit / 8] ^= 1 << (bit % 8);
    }
    signature
}

/// The modes of AES.
fn aes(rng: &mut Rng, data: &[u8]) {
    let length = rng.pick(&[16, 24, 32]);
    let [key, block] = [length, 16].map(|length| {
        let mut octets = vec![0; length];
        Octets(rng).fill_bytes(&mut octets);
        octets
    });
    let cipher = |[short, middle, long]: [Cipher; 3]| match length {
        16 => short,
        24 => middle,
        _ => long,
    };
    let ours = Aes::new(&key).expect("a length that AES has");
    let block: &[u8; 16] = block.as_slice().try_into().expect("a block");

    let ctr = cipher([
        Cipher::aes_128_ctr(),
        Cipher::aes_192_ctr(),
        Cipher::aes_256_ctr(),
    ]);
    let mut text = data.to_vec();
    ours.apply_ctr(block, 128, 0, &mut text);
    assert_eq!(
        text,
        symm::encrypt(ctr, &key, Some(block), data).expect("CTR")
    );

    let cbc = cipher([
        Cipher::aes_128_cbc(),
        Cipher::aes_192_cbc(),
        Cipher::aes_256_cbc(),
    ]);
    let mut text = data.to_vec();
    ours.cbc_encrypt_padded(block, &mut text);
    assert_eq!(
        text,
        symm::encrypt(cbc, &key, Some(block), data).expect("CBC")
    );
    ours.cbc_decrypt_padded(block, &mut text)
        .expect("it is padded");
    assert_eq!(text, data);
    // What has whole blocks may be a ciphertext; most have no padding.
    let mut text = data[..data.len() / 16 * 16].to_vec();
    if !text.is_empty() {
        let theirs = symm::decrypt(cbc, &key, Some(block), &text).ok();
        let ours = ours.cbc_decrypt_padded(block, &mut text);
        assert_eq!(ours.is_ok().then_some(text), theirs);
    }
}

/// A hash of OpenSSL, where it has it; SHAKE has digests of another length there.
fn digest_of(hash: Hash) -> Option<MessageDigest> {
    let name = hash.to_string();
    let shake = name.starts_with("shake");
    MessageDigest::from_name(&name).filter(|_| !shake)
}

/// Keys, agreements and signatures of a curve.
fn curve(rng: &mut Rng, message: &[u8]) {
    let algorithm = rng.pick(Algorithm::ALL);
    let rng = &mut Octets(rng);
    let key = AnyPrivateKey::generate_with(algorithm, rng);
    let theirs = PKey::private_key_from_der(&key.to_pkcs8_der()).expect("OpenSSL reads it");
    let public = theirs.public_key_to_der().expect("it has one");
    assert_eq!(
        AnyPublicKey::from_spki_der(&public)
            .expect("it is read")
            .to_octets(),
        key.public().to_octets()
    );
    if algorithm.agrees() {
        let other = AnyPrivateKey::generate_with(algorithm, rng);
        let point = PKey::public_key_from_der(&other.public().to_spki_der()).expect("a key");
        let mut deriver = Deriver::new(&theirs).expect("it agrees");
        deriver.set_peer(&point).expect("on the same curve");
        let shared = deriver.derive_to_vec().expect("they agree");
        assert_eq!(*key.agree(&other.public()).expect("they agree"), shared);
    }
    if !algorithm.signs() {
        return;
    }
    let edwards = matches!(algorithm, Algorithm::Ed25519 | Algorithm::Ed448);
    let hash = rng.0.pick(&[Hash::Sha256, Hash::Sha384, Hash::Sha512]);
    let digest = digest_of(hash).filter(|_| !edwards);
    let made = match &key {
        AnyPrivateKey::Ed25519(key) => key.sign(message).into(),
        AnyPrivateKey::Ed448(key) => key.sign(message).into(),
        _ => key
            .sign_digest(hash, &hash.digest(message))
            .expect("it signs"),
    };
    let public = key.public();
    let verified = |signature: &[u8]| match &public {
        AnyPublicKey::Ed25519(key) => {
            let signature = signature.try_into().expect("64 octets");
            key.verify(message, &signature).is_ok()
        }
        AnyPublicKey::Ed448(key) => {
            let signature = signature.try_into().expect("114 octets");
            key.verify(message, &signature).is_ok()
        }
        _ => public
            .verify_digest(hash, &hash.digest(message), signature)
            .is_ok(),
    };
    let signature = changed(rng.0, &made);
    assert_eq!(
        verified(&signature),
        accepts(&theirs, digest, message, &signature)
    );
    assert_eq!(verified(&signature), signature == made);
    let signer = match digest {
        Some(digest) => Signer::new(digest, &theirs),
        None => Signer::new_without_digest(&theirs),
    };
    let signature = signer.expect("it signs").sign_oneshot_to_vec(message);
    assert!(verified(&signature.expect("it signs")));
    if !edwards {
        let numbers = public.signature_from_der(&made).expect("it is DER");
        assert_eq!(public.signature_to_der(&numbers).as_deref(), Ok(&made[..]));
    }
}

/// Signatures of RSA.
fn rsa(rng: &mut Rng, message: &[u8]) {
    let hash = rng.pick(&[Hash::Sha256, Hash::Sha384, Hash::Sha512]);
    let digest = hash.digest(message);
    let made = KEY
        .rsassa_pkcs1_v1_5_sign(&mut Octets(rng), hash, &digest)
        .expect("it fits");
    let signature = changed(rng, &made);
    let verified = KEY
        .public()
        .rsassa_pkcs1_v1_5_verify(hash, &digest, &signature)
        .is_ok();
    assert_eq!(
        verified,
        accepts(&RSA, digest_of(hash), message, &signature)
    );
    assert_eq!(verified, signature == made);
}

fuzz_target!(|data: &[u8]| {
    let [choice, rest @ ..] = data else { return };
    let (seed, message) = rest.split_at(rest.len().min(16));
    let rng = &mut Rng::from_octets(seed);
    let ours = rng.pick(Hash::ALL);
    if let Some(theirs) = digest_of(ours) {
        let theirs = hash(theirs, message).expect("it hashes");
        assert_eq!(ours.digest(message)[..], theirs[..]);
    }
    aes(rng, message);
    match choice % 64 {
        0..8 => curve(rng, message),
        8 => rsa(rng, message),
        _ => (),
    }
});
