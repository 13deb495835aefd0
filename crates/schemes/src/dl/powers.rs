//! Powers of g to nonces, and their check.

use super::PrivateKey;
use super::base::Base;
use super::group::Group;
use carrysave_arith::{Modulus, Nat, lanes};

/// What a signature is made from, and what its check needs.
pub(crate) struct NoncePower<'a> {
    pub(crate) key: &'a PrivateKey,
    /// k
    pub(crate) nonce: Nat,
    /// g^k mod p
    pub(crate) power: Nat,
}

/// `g^k mod p` for each nonce k, at most [`LANES`](lanes::LANES) with keys of one class: by the tables of g where there
/// are some, and the others side by side where that pays.
pub(crate) fn nonce_powers(jobs: &[(&PrivateKey, &Nat)]) -> Vec<Nat> {
    let jobs = jobs.iter().map(|&(key, k)| {
        let group = key.group();
        (group, group.base(), k)
    });
    powers(&jobs.collect::<Vec<_>>())
}

/// Whether each power is that of its nonce, which was derived again: `g^k = y^(k / x)`. As it is worked out from y, a
/// g, an x or a table that is not what it was does not pass.
pub(crate) fn are_right(powers_of: &[&NoncePower<'_>]) -> Vec<bool> {
    let exponents = powers_of.iter().map(|of| {
        let (key, q) = (of.key, of.key.group().order());
        let x = key.x().resize(q.width()).expect("x < q");
        // The inverse of 0, which no x is, does not pass.
        let inverse = q.inv(&x).unwrap_or_default();
        q.mul(&of.nonce, &q.reduce(&inverse))
    });
    let exponents: Vec<Nat> = exponents.collect();
    let again = powers_of.iter().zip(&exponents);
    let again = again.map(|(of, exponent)| (of.key.group(), of.key.public().base(), exponent));
    let again = powers(&again.collect::<Vec<_>>());
    let right = powers_of.iter().zip(&again);
    right.map(|(of, again)| of.power == *again).collect()
}

/// Powers of elements of groups of one class, each counted: an element gets a table once it pays.
fn powers(jobs: &[(&Group, &Base, &Nat)]) -> Vec<Nat> {
    let bits = |group: &Group| group.order().bits();
    for (group, base, _) in jobs {
        base.expect_power(group.modulus(), bits(group));
    }
    let with_tables = jobs.iter().map(|(group, base, exponent)| {
        let table = base.table(bits(group))?;
        Some(table.pow(exponent))
    });
    let with_tables: Vec<Option<Nat>> = with_tables.collect();
    let others = jobs.iter().zip(&with_tables);
    let others: Vec<(&Modulus, &Nat, &Nat, usize)> = others
        .filter(|(_, power)| power.is_none())
        .map(|((group, base, exponent), _)| {
            (group.modulus(), &base.element, *exponent, bits(group))
        })
        .collect();
    let from = others.first().and_then(|(p, ..)| p.lanes_from());
    let others = match from.is_some_and(|from| others.len() >= from) {
        true => {
            let jobs = others
                .iter()
                .map(|&(p, base, exponent, _)| (p, base, exponent));
            lanes::pow(&jobs.collect::<Vec<_>>())
        }
        false => {
            let alone =
                |&(p, base, exponent, bits): &(&Modulus, _, _, _)| p.pow_bits(base, exponent, bits);
            others.iter().map(alone).collect()
        }
    };
    let mut others = others.into_iter();
    with_tables
        .into_iter()
        .map(|power| power.unwrap_or_else(|| others.next().expect("one each")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dl::Named;
    use crate::hash::Hash;
    use crate::legacy::nr;
    use carrysave_arith::{Cpu, FixedBase, Plan};
    use getrandom::SysRng;
    use rand_core::UnwrapErr;

    #[test]
    fn who_signs_often_gets_tables() {
        let (cpu, hash) = (Cpu::portable(), Hash::Sha256);
        let made = Group::generate(&mut UnwrapErr(SysRng), 512, 160, hash, &mut || ());
        let key = PrivateKey::generate(&made.unwrap().0, &mut UnwrapErr(SysRng));
        let digest = hash.digest(b"a message");
        for sign in [nr::sign, PrivateKey::dsa_sign] {
            // A group and a key of their own, without lanes.
            let key = key.with_plan(cpu, Plan::best(cpu));
            let (group, bits) = (key.group(), key.group().order().bits());
            let bases = [group.base(), key.public().base()];
            let from = FixedBase::pays_from(group.modulus(), bits);
            let signatures: Vec<_> = (1..=from + 1)
                .map(|signed| {
                    let signature = sign(&key, hash, &digest).unwrap();
                    for base in bases {
                        assert_eq!(base.table(bits).is_some(), signed >= from);
                    }
                    signature
                })
                .collect();
            assert!(from > 1 && signatures.iter().all(|s| *s == signatures[0]));
        }
    }

    #[test]
    fn who_agrees_with_one_key_often_gets_a_table() {
        let group = Named::Ffdhe2048.group().without_tables();
        let [key, peer] = [(); 2].map(|()| PrivateKey::generate(&group, &mut UnwrapErr(SysRng)));
        let (theirs, bits) = (peer.dh_agree(key.public()).unwrap(), group.exponent_bits());
        let from = FixedBase::pays_from(group.modulus(), bits);
        for agreed in 1..=from + 1 {
            assert_eq!(key.dh_agree(peer.public()).unwrap(), theirs);
            let table = peer.public().base().table(bits);
            assert_eq!(table.is_some(), agreed >= from, "{agreed}");
        }
        let without = peer.public().without_tables();
        assert!(without.base().table(bits).is_none());
        assert_eq!(key.dh_agree(&without).unwrap(), theirs);
    }
}
