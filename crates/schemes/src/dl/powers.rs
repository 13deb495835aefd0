//! Powers of g to nonces, and their check.

use super::PrivateKey;
use super::base::Base;
use super::group::Group;
use carrysave_arith::{FixedBase, Modulus, Nat, lanes, lanes::LANES};

/// The nonce of a signature, with its key.
pub(crate) struct NoncePower<'a> {
    pub(crate) key: &'a PrivateKey,
    /// k
    pub(crate) nonce: Nat,
    /// k, derived again.
    pub(crate) again: Nat,
}

/// `g^k mod p` for each nonce k, and its check value: `y^(k / x)` for the k that was derived again. As that is computed
/// from y, a corrupted g, x or table is detected.
///
/// All powers are computed together by [`powers`]; the keys have one class.
pub(crate) fn nonce_powers(jobs: &[NoncePower<'_>]) -> Vec<[Nat; 2]> {
    let exponents = jobs.iter().map(|NoncePower { key, again, .. }| {
        let q = key.group().order();
        let x = key.x().resize(q.width()).expect("x < q");
        let inverse = key.inverse();
        match q.mul(&x, inverse).is_one() {
            true => q.mul(again, inverse),
            // 0 is no nonce, and its power does not pass.
            false => q.reduce(&Nat::zero()),
        }
    });
    let exponents: Vec<Nat> = exponents.collect();
    let bits = |key: &PrivateKey| key.group().order().bits();
    let first = jobs
        .iter()
        .map(|NoncePower { key, nonce, .. }| (key.group(), key.group().base(), nonce, bits(key)));
    let checks = jobs.iter().zip(&exponents);
    let checks =
        checks.map(|(NoncePower { key, .. }, k)| (key.group(), key.public().base(), k, bits(key)));
    let mut found = powers(&first.chain(checks).collect::<Vec<_>>());
    let checks = found.split_off(jobs.len());
    found
        .into_iter()
        .zip(checks)
        .map(<[Nat; 2]>::from)
        .collect()
}

/// Powers of elements of groups of one class to exponents of `bits` bits. Each is counted, as an element gets a table
/// once that pays. Elements with tables use them; the others run side by side, in lanes if there are enough, else two
/// at a time.
pub(super) fn powers(jobs: &[(&Group, &Base, &Nat, usize)]) -> Vec<Nat> {
    for (group, base, _, bits) in jobs {
        base.expect_power(group.modulus(), *bits);
    }
    let tables: Vec<Option<&FixedBase>> = jobs
        .iter()
        .map(|(_, base, _, bits)| base.table(*bits))
        .collect();
    let asked = jobs.iter().zip(&tables);
    let by_table: Vec<_> = asked
        .clone()
        .filter_map(|(&(_, _, exponent, _), table)| Some(((*table)?, exponent)))
        .collect();
    let mut by_table = two_and_two(
        &by_table,
        |(a, x), (b, y)| a.pow_pair(x, b, y),
        |(base, exponent)| base.pow(exponent),
    )
    .into_iter();
    let others: Vec<Power<'_>> = asked
        .filter(|(_, table)| table.is_none())
        .map(|(&(group, base, exponent, bits), _)| (group.modulus(), &base.element, exponent, bits))
        .collect();
    let mut others = others.chunks(LANES).flat_map(side_by_side);
    tables
        .iter()
        .map(|table| match table {
            Some(_) => by_table.next(),
            None => others.next(),
        })
        .map(|power| power.expect("one each"))
        .collect()
}

/// A modulus, a base, and an exponent with its bits.
type Power<'a> = (&'a Modulus, &'a Nat, &'a Nat, usize);

/// At most [`LANES`] powers.
fn side_by_side(jobs: &[Power<'_>]) -> Vec<Nat> {
    let from = jobs.first().and_then(|(p, ..)| p.lanes_from());
    if from.is_some_and(|from| jobs.len() >= from) {
        let jobs = jobs
            .iter()
            .map(|&(p, base, exponent, _)| (p, base, exponent));
        return lanes::pow(&jobs.collect::<Vec<_>>());
    }
    two_and_two(
        jobs,
        |&(p, a, x, p_bits), &(q, b, y, q_bits)| p.pow_pair(a, x, q, b, y, p_bits.max(q_bits)),
        |&(p, base, exponent, bits)| p.pow_bits(base, exponent, bits),
    )
}

/// The results of jobs two at a time, and of a remaining one.
fn two_and_two<T, R>(jobs: &[T], two: impl Fn(&T, &T) -> (R, R), one: impl Fn(&T) -> R) -> Vec<R> {
    let (pairs, left) = jobs.as_chunks::<2>();
    let pairs = pairs.iter().flat_map(|[a, b]| <[R; 2]>::from(two(a, b)));
    pairs.chain(left.iter().map(one)).collect()
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
        let made = Group::generate_with(&mut UnwrapErr(SysRng), 512, 160, hash, &mut || ());
        let key = PrivateKey::generate_with(&made.unwrap().0, &mut UnwrapErr(SysRng));
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
        let [key, peer] =
            [(); 2].map(|()| PrivateKey::generate_with(&group, &mut UnwrapErr(SysRng)));
        let (theirs, bits) = (peer.agree(key.public()).unwrap(), group.exponent_bits());
        let from = FixedBase::pays_from(group.modulus(), bits);
        for agreed in 1..=from + 1 {
            assert_eq!(key.agree(peer.public()).unwrap(), theirs);
            let table = peer.public().base().table(bits);
            assert_eq!(table.is_some(), agreed >= from, "{agreed}");
        }
        let without = peer.public().without_tables();
        for _ in 0..=from {
            assert_eq!(key.agree(&without).unwrap(), theirs);
        }
        assert!(without.base().table(bits).is_none());
        let asked = without.precomputed();
        assert!(asked.base().table(bits).is_some());
        assert_eq!(key.agree(&asked).unwrap(), theirs);
    }
}
