//! The API of elliptic curves: keys, agreements and signatures of every curve, with secret random numbers.

use crate::hidden::{SecretRng, algorithms, array, secrets};
use carrysave_schemes::{
    ec::{
        Algorithm, AnyPrivateKey, AnyPublicKey, Ed448PrivateKey, Ed448PublicKey, Ed25519PrivateKey,
        Ed25519PublicKey, Named, PrivateKey, PublicKey, X448PrivateKey, X25519PrivateKey, ecdsa,
    },
    hash::Hash,
    legacy::nr,
};
use carrysave_secrets::valgrind::{poison, reveal};
use rand_core::UnwrapErr;
use signature::{RandomizedSigner, Signer};
use std::hint::black_box;

/// A key of each algorithm, one and several at once, without its name in the type: octets, agreements, signatures.
pub fn any() {
    let rng = &mut UnwrapErr(SecretRng);
    for algorithm in algorithms() {
        let key = AnyPrivateKey::generate_with(algorithm, rng);
        let peer = AnyPrivateKey::generate_many_with(algorithm, rng, 2).swap_remove(1);
        black_box((key.to_octets(), key.to_pkcs8_der(), key.to_sec1_der()));
        if algorithm.agrees() {
            let publics = [&key, &peer].map(|key| open(&key.public()));
            let shared = [key.agree(&publics[1]), peer.agree(&publics[0])];
            let [a, b] = shared.map(|shared| shared.expect("one curve"));
            reveal(&a);
            reveal(&b);
            assert!(a == b, "{algorithm:?}");
        }
        if algorithm.signs() && !matches!(algorithm, Algorithm::Ed25519 | Algorithm::Ed448) {
            let hash = algorithm.hash();
            let digest = hash.digest(b"a message");
            let signature = key.sign_digest(hash, &digest).expect("a right signature");
            reveal(&signature);
            let verdict = open(&key.public()).verify_digest(hash, &digest, &signature);
            verdict.expect("a right signature");
        }
    }
}

/// A public key as others have it.
fn open(key: &AnyPublicKey) -> AnyPublicKey {
    let der = key.to_spki_der();
    reveal(&der);
    AnyPublicKey::from_spki_der(&der).expect("a public key")
}

/// A key whose public part others have.
pub fn own<C: Named>() -> PrivateKey<C> {
    let key = PrivateKey::<C>::generate_with(&mut UnwrapErr(SecretRng));
    let octets = key.public().to_sec1();
    reveal(&octets);
    let public = PublicKey::from_sec1(&octets).expect("a point of the curve");
    PrivateKey::from_pair(&key.to_be_bytes(), public).expect("the same number")
}

/// What a key of a curve by its type has beside what `ecdsa` calls.
pub fn named<C: Named>() {
    let rng = &mut UnwrapErr(SecretRng);
    let digest = C::HASH.digest(b"a message");
    let key = PrivateKey::<C>::generate_many_with(rng, 3).swap_remove(2);
    let key = PrivateKey::<C>::from_be_bytes(&key.to_be_bytes()).expect("a key of the curve");
    black_box((key.to_pkcs8_der(), key.to_sec1_der()));
    let (signature, id) = key
        .ecdsa_sign_recoverable(C::HASH, &digest)
        .expect("a right signature");
    reveal(&signature.to_der());
    let public = signature.recover(id, C::HASH, &digest);
    let own = key.public().to_sec1();
    reveal(&own);
    assert!(public.expect("a key") == PublicKey::from_sec1(&own).expect("a point"));
    let signed = key.ecdsa_sign_octets_deterministic(C::HASH, &digest);
    reveal(&signed.expect("a right signature").to_der());
    let key = ecdsa::SigningKey::new(key, C::HASH);
    for signature in [
        key.sign(b"a message"),
        Signer::sign(&key, b"a message"),
        key.sign_with_rng(rng, b"a message"),
    ] {
        reveal(&signature.to_der());
    }
}

/// Seeds and scalars of Montgomery's and Edwards's curves: from octets to octets, files, contexts and digests.
pub fn seeded() {
    let message = secrets(20);
    let digest: [u8; 64] = array();
    macro_rules! signs {
        ($($Key:ident)*) => {$({
            let key = $Key::from_bytes(&array());
            black_box((key.as_bytes(), key.to_pkcs8_der(), key.to_pkcs8_v2_der()));
            let signed = [
                key.sign_ctx(&message, b"a context").expect("a context"),
                key.sign_ph(&digest, b"a context").expect("a context"),
                Signer::sign(&key, &message),
            ];
            signed.iter().for_each(|signature| reveal(&signature.0));
        })*};
    }
    signs!(Ed25519PrivateKey Ed448PrivateKey);
    macro_rules! agrees {
        ($($Key:ident)*) => {$({
            let key = $Key::from_bytes(&array());
            black_box((key.as_bytes(), key.to_pkcs8_der(), key.to_pkcs8_v2_der()));
            black_box(key.agree(&key.public()).expect("no small order"));
        })*};
    }
    agrees!(X25519PrivateKey X448PrivateKey);
    let keys: Vec<_> = (0..9)
        .map(|_| X25519PrivateKey::generate_with(&mut UnwrapErr(SecretRng)))
        .collect();
    black_box(X25519PrivateKey::public_keys(&keys));
}

/// A hash of a secret.
pub fn hashes() {
    for hash in Hash::ALL {
        let mut hasher = hash.hasher();
        hasher.update(&secrets(300));
        black_box((hasher.finish(), hash.digest(&secrets(10))));
    }
}

/// Key generation and every use of a private key of a curve, with secret randomness.
pub fn ecdsa<C: Named>() {
    let rng = &mut UnwrapErr(SecretRng);
    let digest = C::HASH.digest(b"a message");
    let key = PrivateKey::<C>::generate_with(rng);
    let point = key.public().to_sec1();
    reveal(&point);
    let public = PublicKey::<C>::from_sec1(&point).expect("a point of the curve");
    let again = PrivateKey::from_pair(&key.to_be_bytes(), public.clone());
    for key in [key, again.expect("the same number")] {
        for signature in [
            key.ecdsa_sign(C::HASH, &digest),
            key.ecdsa_sign_randomized(rng, C::HASH, &digest),
            key.ecdsa_sign_octets(rng, &digest),
        ] {
            let signature = signature.expect("a right signature");
            reveal(&signature.to_der());
            let verdict = public.ecdsa_verify(C::HASH, &digest, &signature);
            verdict.expect("a right signature");
        }
        let signature = nr::ecnr_sign(&key, C::HASH, &digest).expect("a right signature");
        reveal(&signature.to_der());
        black_box(key.agree(&public).expect("one curve"));
    }
}

/// Generates a key of an Edwards curve, and verifies its signature of a secret message.
macro_rules! edwards {
    ($PrivateKey:ident, $PublicKey:ident) => {{
        let key = $PrivateKey::generate_with(&mut UnwrapErr(SecretRng));
        reveal(key.public().as_bytes());
        let message = *b"a message";
        poison(&message);
        let signature = key.sign(&message);
        reveal(&message);
        reveal(&signature.0);
        let public = $PublicKey::from_bytes(key.public().as_bytes()).expect("a point");
        let verdict = public.verify(&message, &signature);
        verdict.expect("a right signature");
    }};
}

/// Key generation, and signatures of a secret message.
pub fn ed25519() {
    edwards!(Ed25519PrivateKey, Ed25519PublicKey);
}

/// Agreements with secret keys, key generation, and signatures of a secret message.
pub fn curve448() {
    let rng = &mut UnwrapErr(SecretRng);
    let keys: [_; 2] = core::array::from_fn(|_| X448PrivateKey::generate_with(rng));
    let publics = keys.each_ref().map(X448PrivateKey::public);
    publics.iter().for_each(|public| reveal(&public.0));
    let shared = [keys[0].agree(&publics[1]), keys[1].agree(&publics[0])]
        .map(|shared| shared.expect("no small order"));
    shared.iter().for_each(|shared| reveal(shared));
    assert_eq!(shared[0], shared[1]);
    edwards!(Ed448PrivateKey, Ed448PublicKey);
}
