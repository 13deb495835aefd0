//! RSA by two primes and three, alone, in lanes and by teams, and what lies below and above its private operation.

use crate::hidden::{SecretRng, secrets};
use carrysave_arith::{Nat, Plan, lanes::LANES};
use carrysave_kernels::Cpu;
use carrysave_schemes::{
    hash::Hash,
    rsa::{
        KeygenOptions, Padding, PrivateKey, SigningKey, batch, eme_oaep_decode, eme_oaep_encode,
        eme_pkcs1_v1_5_encode,
    },
};
use carrysave_secrets::valgrind::reveal;
use carrysave_team::Spawned;
use getrandom::SysRng;
use rand_core::UnwrapErr;
use signature::{RandomizedSigner, Signer};
use std::{hint::black_box, iter};

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

/// A key whose secret bits are all marked for memcheck.
pub fn generation() -> PrivateKey {
    let options = KeygenOptions {
        allow_small: true,
        ..KeygenOptions::default()
    };
    PrivateKey::generate_with(|| UnwrapErr(SecretRng), 1024, &options, &|_| ()).expect("a key")
}

/// The checks of an imported key.
pub fn loading(key: &PrivateKey) {
    let public = key.public();
    let primes = key.primes().cloned().collect();
    let (n, e, d) = (public.n().clone(), public.e().clone(), key.d().clone());
    PrivateKey::from_components(n, e, d, primes).expect("a good key");
}

/// Every use of a private key that is secret, with secret randomness: signatures and both decryptions, right and wrong.
pub fn signatures(key: &PrivateKey) {
    let (rng, hash) = (&mut UnwrapErr(SecretRng), Hash::Sha256);
    let digest = hash.digest(b"a message");
    let public = key.public();
    for signature in [
        key.rsassa_pss_sign(rng, hash, hash, 32, &digest),
        key.rsassa_pkcs1_v1_5_sign(rng, hash, &digest),
    ] {
        reveal(&signature.expect("a right signature"));
    }
    let message = Nat::from_be_bytes(&secrets(8));
    black_box(public.rsaep(&message).expect("below n"));
    let open = &mut UnwrapErr(SysRng);
    let mut oaep = public
        .rsaes_oaep_encrypt(open, hash, hash, b"", b"a secret")
        .expect("it is short");
    let mut v1_5 = public
        .rsaes_pkcs1_v1_5_encrypt(open, b"a secret")
        .expect("it is short");
    for right in [true, false] {
        let m = key.rsaes_oaep_decrypt(rng, hash, hash, b"", &oaep);
        assert_eq!(m.is_ok(), right);
        black_box(key.rsaes_pkcs1_v1_5_decrypt(rng, &v1_5).is_ok());
        (oaep[40], v1_5[40]) = (oaep[40] ^ 1, v1_5[40] ^ 1);
    }
}

/// Private operations side by side, of secret numbers, first with fresh blinding and then with the same, squared.
pub fn in_lanes(key: &PrivateKey, cpu: Cpu) {
    let (key, rng) = (
        key.with_plan(cpu, Plan::best(cpu).always_in_lanes()),
        &mut UnwrapErr(SecretRng),
    );
    for _ in 0..2 {
        let below = || Nat::random_below(key.public().n(), rng);
        let numbers: Vec<Nat> = iter::repeat_with(below).take(LANES - 3).collect();
        let jobs: Vec<(&PrivateKey, &Nat)> = numbers.iter().map(|m| (&key, m)).collect();
        for (s, m) in batch::rsasp1(rng, &jobs).iter().zip(&numbers) {
            let s = s.as_ref().expect("a right result");
            assert!(key.public().rsavp1(s).as_ref() == Ok(m));
        }
    }
}
