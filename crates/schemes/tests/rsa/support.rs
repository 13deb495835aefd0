//! Keys on every level of the processor, and what all tests of this crate share.

pub use crate::vectors::*;
use carrysave_arith::Nat;
use carrysave_schemes::rsa::{PrivateKey, PublicKey};

/// A key in the forms that it has on every level of the processor.
pub fn private_keys(key: &PrivateKey) -> Vec<PrivateKey> {
    masks().into_iter().map(|cpu| key.with_cpu(cpu)).collect()
}

pub fn public_keys(n: &Nat, e: &Nat) -> Vec<PublicKey> {
    let key =
        |cpu| PublicKey::with_cpu(n.clone(), e.clone(), cpu).unwrap_or_else(|e| panic!("{e}"));
    masks().into_iter().map(key).collect()
}
