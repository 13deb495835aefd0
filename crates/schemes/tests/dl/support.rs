//! Groups and keys on every level of the processor, and what all tests of this crate share.

use crate::published::Key;
pub use crate::vectors::*;
use carrysave_arith::{Nat, Plan};
use carrysave_schemes::dl::{Group, PrivateKey, PublicKey};

/// A group, as on every level of the processor.
pub fn groups(group: &Group) -> Vec<Group> {
    let on = |cpu| group.with_plan(cpu, Plan::best(cpu));
    masks().into_iter().map(on).collect()
}

/// A public key, as on every level of the processor.
pub fn public_keys(key: &PublicKey) -> Vec<PublicKey> {
    let on = |cpu| key.with_plan(cpu, Plan::best(cpu));
    masks().into_iter().map(on).collect()
}

/// A private key, as on every level of the processor, with tables of powers and without.
pub fn private_keys(key: &PrivateKey) -> Vec<PrivateKey> {
    let on = |cpu| {
        let key = key.with_plan(cpu, Plan::best(cpu));
        [key.precomputed(), key]
    };
    masks().into_iter().flat_map(on).collect()
}

/// A published key pair.
pub fn key(key: &Key) -> PrivateKey {
    let group = Group::new(nat(key.p), nat(key.q), nat(key.g)).unwrap();
    PrivateKey::with_public(&group, &nat(key.x), &nat(key.y)).unwrap()
}

/// The number plus or minus a small one.
pub fn beside(x: &Nat, difference: i64) -> Nat {
    match u64::try_from(difference) {
        Ok(d) => x.add_limb(d),
        Err(_) => x.sub_limb(difference.unsigned_abs()).unwrap(),
    }
}

/// That an error is a sentence: what is wrong, and what to do.
pub fn is_a_sentence(error: &impl ToString) {
    let text = error.to_string();
    assert!(text.contains(": ") && text.len() > 40, "{text}");
}
