//! RSA by more than two primes, by teams, from primes alone, and what lies below and above its private operation.

use crate::hidden::{SecretRng, secrets};
use carrysave_arith::Nat;
use carrysave_schemes::{
    hash::Hash,
    rsa::{
        KeygenOptions, Padding, PrivateKey, SigningKey, eme_oaep_decode, eme_oaep_encode,
        eme_pkcs1_v1_5_encode,
    },
};
use carrysave_secrets::valgrind::reveal;
use carrysave_team::Spawned;
use rand_core::UnwrapErr;
use signature::{RandomizedSigner, Signer};
use std::hint::black_box;

/// A key with three primes.
pub fn three_primes() -> PrivateKey {
    let options = KeygenOptions {
        allow_small: true,
        allow_many_primes: true,
        primes: 3,
        ..KeygenOptions::default()
    };
    PrivateKey::generate_with(|| UnwrapErr(SecretRng), 1024, &options, &|_| ()).expect("a key")
}

/// A key made anew from its parts in every way, and whether it is sound.
pub fn from_parts(key: &PrivateKey) {
    let primes = || key.primes().cloned().collect();
    let from_primes = PrivateKey::from_primes(primes(), key.public().e().clone());
    let from_public = PrivateKey::from_public(key.public().clone(), key.d().clone(), primes());
    for key in [from_primes, from_public] {
        key.expect("a good key").validate().expect("a good key");
    }
    black_box((key.to_pkcs1_der(), key.to_pkcs8_der()));
}

/// The private operation alone and by a team, and messages encrypted that are secret.
pub fn operations(key: &PrivateKey) {
    let (rng, hash) = (&mut UnwrapErr(SecretRng), Hash::Sha256);
    let x = Nat::random_below(key.public().n(), rng);
    let power = key.public().rsaep(&x).expect("below the modulus");
    reveal(power.limbs());
    let team = &Spawned::new(2);
    for root in [
        key.rsadp(rng, &power),
        key.rsadp_on(team, rng, &power),
        key.rsasp1(rng, &power),
    ] {
        let root = root.expect("a right result");
        let again = key.public().rsavp1(&root).expect("below the modulus");
        reveal(again.limbs());
        assert!(again == power);
    }
    let m = secrets(8);
    let oaep = key.public().rsaes_oaep_encrypt(rng, hash, hash, b"", &m);
    let v1_5 = key.public().rsaes_pkcs1_v1_5_encrypt(rng, &m);
    let [oaep, v1_5] = [oaep, v1_5].map(|c| c.expect("it is short"));
    reveal(&oaep);
    reveal(&v1_5);
    let oaep = key
        .rsaes_oaep_decrypt(rng, hash, hash, b"", &oaep)
        .expect("a message");
    let v1_5 = key.rsaes_pkcs1_v1_5_decrypt(rng, &v1_5).expect("a message");
    crate::hidden::assert_octets(&oaep);
    crate::hidden::assert_octets(&v1_5);
}

/// Signing keys with a padding of their own.
pub fn signing_keys(key: &PrivateKey) {
    let (rng, hash) = (&mut UnwrapErr(SecretRng), Hash::Sha256);
    for padding in [Padding::pss(hash), Padding::Pkcs1v15] {
        let key = SigningKey::new(key.clone(), hash, padding);
        for signature in [
            key.sign(b"a message"),
            Signer::sign(&key, b"a message"),
            key.sign_with_rng(rng, b"a message"),
        ] {
            black_box(signature);
        }
    }
}

/// Encodings of a secret message for encryption.
pub fn encodings() {
    let (hash, m) = (Hash::Sha256, secrets(8));
    let em = eme_oaep_encode(hash, hash, b"", &m, &secrets(32), 128).expect("it is short");
    let back = eme_oaep_decode(hash, hash, b"", &em).expect("a message");
    crate::hidden::assert_octets(&back);
    let ps = |ps: &mut [u8]| ps.fill(secrets(2)[1]);
    black_box(eme_pkcs1_v1_5_encode(&m, 128, ps).expect("it is short"));
}
