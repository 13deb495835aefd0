//! Schemes of old suites, with secret random numbers.

use crate::{curves, hidden::SecretRng};
use carrysave_arith::{Plan, curve::P256};
use carrysave_kernels::Cpu;
use carrysave_schemes::{
    dl,
    hash::Hash,
    legacy::{
        KeygenOptions, esign, ies,
        mqv::{Party, Role, fhmqv_agree, hmqv_agree, mqv_agree},
        rabin, rw,
    },
};
use carrysave_secrets::valgrind::reveal;
use rand_core::UnwrapErr;
use std::hint::black_box;
use zeroize::Zeroizing;

/// Keys of the three schemes.
pub type LegacyKeys = (rabin::PrivateKey, rw::PrivateKey, esign::PrivateKey);

/// The search for primes, and the checks of imported keys.
pub fn keys() -> LegacyKeys {
    let (rng, options) = (
        &mut UnwrapErr(SecretRng),
        KeygenOptions { allow_small: true },
    );
    let rabin = rabin::PrivateKey::generate_with(rng, 1024, options).expect("a good size");
    let rw = rw::PrivateKey::generate_with(rng, 1024, options).expect("a good size");
    let esign = esign::PrivateKey::generate_with(rng, 1023, options).expect("a good size");
    rabin.validate().expect("a good key");
    rw.validate().expect("a good key");
    esign.validate().expect("a good key");
    (rabin, rw, esign)
}

/// Every use of the legacy private keys, with secret randomness, twice: with fresh blinding, and with the same,
/// squared.
pub fn operations((rabin, rw, esign): &LegacyKeys, cpu: Cpu) {
    let (rng, hash) = (&mut UnwrapErr(SecretRng), Hash::Sha256);
    let (rabin, rw, esign) = (rabin.with_cpu(cpu), rw.with_cpu(cpu), esign.with_cpu(cpu));
    let digest = hash.digest(b"a message");
    black_box((rabin.to_der(), rw.to_der(), esign.to_der()));
    for _ in 0..2 {
        for signature in [
            rabin.rabinss_pssr_sign(rng, hash, b"", &digest),
            rw.rwss_pssr_sign(rng, hash, b"", &digest),
            rw.rwss_emsa2_sign(rng, hash, &digest),
            esign.esign_emsa5_sign(rng, hash, &digest),
        ] {
            reveal(&signature.expect("a right signature"));
        }
        // A message and its seed are secret, too; the ciphertext is public.
        let c = rabin
            .public()
            .rabines_oaep_encrypt(rng, hash, b"", b"a secret");
        let c = c.expect("it is short");
        reveal(&c);
        assert!(rabin.rabines_oaep_decrypt(rng, hash, b"", &c).is_ok());
    }
}

/// Agreement with two key pairs on each side, and encryption to one, all private keys and the message being secret.
pub fn mqv(cpu: Cpu) {
    let (rng, hash) = (&mut UnwrapErr(SecretRng), Hash::Sha256);
    let group = dl::Named::Modp1536Legacy.group();
    let group = group.with_plan(cpu, Plan::best(cpu));
    let [a, x, b, y] = [(); 4].map(|_| dl::PrivateKey::generate_with(&group, rng));
    let m = mqv_variants([&a, &x], [b.public(), y.public()]).expect("four good keys");
    let c = ies::dlies_encrypt(a.public(), rng, hash, b"", &m);
    let c = c.expect("a good key");
    reveal(&c);
    assert!(ies::dlies_decrypt(&a, hash, b"", &c).is_ok());
    let [a, x, b, y] = [(); 4].map(|()| curves::own::<P256>());
    let m = mqv_variants([&a, &x], [b.public(), y.public()]).expect("four good keys");
    let c = ies::ecies_encrypt(a.public(), rng, hash, b"", &m).expect("a good key");
    reveal(&c);
    assert!(ies::ecies_decrypt(&a, hash, b"", &c).is_ok());
}

/// What MQV agrees on; HMQV and FHMQV agree, too.
fn mqv_variants<P: Party>(
    own: [&P; 2],
    other: [&P::Public; 2],
) -> Result<Zeroizing<Vec<u8>>, P::Error> {
    let hash = Hash::Sha256;
    black_box(hmqv_agree(hash, own, other)?);
    for role in [Role::Initiator, Role::Responder] {
        black_box(fhmqv_agree(role, hash, own, other)?);
    }
    mqv_agree(own, other)
}
