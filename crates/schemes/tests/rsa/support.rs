//! Keys on every level of the processor, and what all tests of this crate share.

pub use crate::vectors::*;
use carrysave_arith::Nat;
use carrysave_schemes::rsa::{KeygenOptions, PrivateKey, PublicKey};
use std::sync::OnceLock;

/// A key in the forms that it has on every level of the processor.
pub fn private_keys(key: &PrivateKey) -> Vec<PrivateKey> {
    masks().into_iter().map(|cpu| key.with_cpu(cpu)).collect()
}

pub fn public_keys(n: &Nat, e: &Nat) -> Vec<PublicKey> {
    let key =
        |cpu| PublicKey::with_cpu(n.clone(), e.clone(), cpu).unwrap_or_else(|e| panic!("{e}"));
    masks().into_iter().map(key).collect()
}

pub fn options(primes: usize) -> KeygenOptions {
    KeygenOptions {
        allow_small: true,
        primes,
        allow_many_primes: true,
        ..Default::default()
    }
}

/// One key for the tests that only need some key.
pub fn some_key() -> &'static PrivateKey {
    static KEY: OnceLock<PrivateKey> = OnceLock::new();
    KEY.get_or_init(|| PrivateKey::generate_with(rng, 1024, &options(2), &|_| ()).unwrap())
}
