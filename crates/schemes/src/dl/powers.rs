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

/// Powers of elements of groups of one class.
fn powers(jobs: &[(&Group, &Base, &Nat)]) -> Vec<Nat> {
    let bits = |group: &Group| group.order().bits();
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
