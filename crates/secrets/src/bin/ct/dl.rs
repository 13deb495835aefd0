//! Key pairs, agreements and signatures in GF(p)*, with secret random numbers.

use crate::hidden::SecretRng;
use carrysave_arith::{Nat, Plan, lanes::LANES};
use carrysave_kernels::Cpu;
use carrysave_schemes::{dl, hash::Hash, legacy::nr};
use carrysave_secrets::valgrind::reveal;
use rand_core::UnwrapErr;
use signature::{RandomizedSigner, Signer};
use std::hint::black_box;

/// Key generation and every use of a private key in GF(p)*: alone, with tables and in lanes.
pub fn keys(group: &dl::Group, cpu: Cpu) {
    let (rng, hash) = (&mut UnwrapErr(SecretRng), Hash::Sha256);
    let digest = hash.digest(b"a message");
    let group = group.with_plan(cpu, Plan::best(cpu).always_in_lanes());
    let [a, b] = [(); 2].map(|()| dl::PrivateKey::generate_with(&group, rng));
    let agreed = [(&a, &b), (&b, &a)].map(|(a, b)| a.agree(b.public()).expect("one group"));
    agreed.iter().for_each(|octets| reveal(octets));
    assert!(agreed[0] == agreed[1]);
    let again = dl::PrivateKey::with_public(&group, a.x(), a.public().y());
    for key in [&a, &again.expect("a good key"), &a.precomputed()] {
        let signature = key.dsa_sign(hash, &digest).expect("a right signature");
        reveal(&signature.to_der());
        let signature = key.dsa_sign_randomized(rng, hash, &digest);
        reveal(&signature.expect("a right signature").to_der());
        let signature = nr::sign(key, hash, &digest).expect("a right signature");
        reveal(&signature.to_der());
    }
    let file = a
        .to_pkcs8_der(dl::Form::Dsa)
        .expect("a form for all groups");
    black_box((group.random_exponent(rng), file));
    black_box(group.power(a.x(), group.exponent_bits()));
    let key = dl::SigningKey::new(a.without_tables(), hash);
    for signature in [
        key.sign(b"a message"),
        Signer::sign(&key, b"a message"),
        key.sign_with_rng(rng, b"a message"),
    ] {
        reveal(&signature.to_der());
    }
    for signature in dl::batch::dsa_sign(&[(&a, hash, &digest[..]); LANES]) {
        reveal(&signature.expect("a right signature").to_der());
    }
}

/// Exponents and agreements in groups that a peer states, with secret randomness: of a stated order, and of none.
pub fn parameters(group: &dl::Group) {
    let rng = &mut UnwrapErr(SecretRng);
    let stated = dl::Parameters::new(group.p().clone(), group.g().clone()).expect("a group");
    for q in [None, Some(group.q())] {
        let bits = q.map_or(stated.bits() - 2, Nat::bits_vartime);
        let [a, b] = [(); 2].map(|()| stated.random_exponent(bits, q, rng));
        let publics = [&a, &b].map(|x| stated.power(x, bits));
        let agreed = [(&publics[1], &a), (&publics[0], &b)]
            .map(|(y, x)| stated.agree(y, x, bits).expect("no small order"));
        agreed.iter().for_each(|octets| reveal(octets));
        assert!(agreed[0] == agreed[1]);
    }
}
