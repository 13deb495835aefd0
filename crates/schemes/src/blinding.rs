//! Base blinding: each private operation multiplies its input by one number of a pair, and its result by the other.
//!
//! A fresh pair costs an inversion, so each is used up to [`USES`] times, squared in between. The pairs of a key are in
//! a few shelves. An operation that finds all shelves locked or empty makes a fresh pair instead of waiting.

use carrysave_arith::{Modulus, Multiplier, Nat};
use rand_core::CryptoRng;
use std::sync::Mutex;

/// How often a pair is used, squared between uses, before a fresh one replaces it.
pub(crate) const USES: u32 = 64;
const SHELVES: usize = 8;
/// The most pairs on a shelf.
const MOST: usize = 16;

/// A blinding pair: a value under the public operation, and its inverse.
pub(crate) struct Pair {
    pub(crate) r_e: Multiplier,
    pub(crate) r_inv: Multiplier,
}

/// A random unit `r` modulo n, and `r^-1`.
pub(crate) fn fresh<R: CryptoRng + ?Sized>(n: &Modulus, rng: &mut R) -> (Nat, Nat) {
    loop {
        let r = n.reduce(&Nat::random_below(n.nat(), rng));
        if let Some(r_inv) = n.inv(&r) {
            return (r, r_inv);
        }
    }
}

impl Pair {
    /// Takes a pair that no other operation of this key uses or has used. `pair` makes a fresh one from a random `r`
    /// and its inverse.
    pub(crate) fn take<R: CryptoRng + ?Sized>(
        pool: &Pool<Pair>,
        n: &Modulus,
        rng: &mut R,
        pair: impl FnOnce(Nat, Nat) -> (Nat, Nat),
    ) -> Used<Pair> {
        let Some(mut used) = pool.take() else {
            let (r, r_inv) = fresh(n, rng);
            let (r_e, r_inv) = pair(r, r_inv);
            return Used::first(Pair {
                r_e: n.multiplier(&r_e),
                r_inv: n.multiplier(&r_inv),
            });
        };
        n.square(&mut used.pair.r_e);
        n.square(&mut used.pair.r_inv);
        used
    }
}

/// A pair with the number of its uses, including this one.
pub(crate) struct Used<T> {
    pub(crate) pair: T,
    uses: u32,
}

impl<T> Used<T> {
    pub(crate) fn first(pair: T) -> Used<T> {
        Used { pair, uses: 1 }
    }
}

/// The blinding pairs of one key.
pub(crate) struct Pool<T>([Mutex<Vec<Used<T>>>; SHELVES]);

impl<T> Pool<T> {
    /// Takes a pair for one more use, squared; no other operation has it until it is put back.
    pub(crate) fn take(&self) -> Option<Used<T>> {
        let mut used = self
            .0
            .iter()
            .find_map(|shelf| shelf.try_lock().ok()?.pop())?;
        used.uses += 1;
        Some(used)
    }

    /// Puts a used pair back.
    pub(crate) fn put(&self, used: Used<T>) {
        if used.uses < USES {
            let shelves = self.0.iter();
            let mut free = shelves.filter_map(|shelf| shelf.try_lock().ok());
            if let Some(mut shelf) = free.find(|shelf| shelf.len() < MOST) {
                shelf.push(used);
            }
        }
    }
}

impl<T> Default for Pool<T> {
    fn default() -> Pool<T> {
        Pool(std::array::from_fn(|_| Mutex::default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use getrandom::SysRng;
    use rand_core::UnwrapErr;

    /// A pair is of a number and its inverse, each use has the square of the one before, and a new one begins in time.
    #[test]
    fn a_pair_is_squared_from_use_to_use_and_replaced() {
        let rng = &mut UnwrapErr(SysRng);
        let n = Nat::power_of_two(521).sub_limb(1).unwrap();
        let n = Modulus::new(&n).unwrap();
        let one = n.reduce(&Nat::from_limb(1));
        let (pool, mut made) = (Pool::default(), 0);
        let (mut last, mut seen) = (None::<Nat>, Vec::new());
        for place in 0..3 * USES {
            let used = Pair::take(&pool, &n, rng, |r, r_inv| {
                made += 1;
                (r, r_inv)
            });
            let [r, r_inv] = [&used.pair.r_e, &used.pair.r_inv].map(|x| n.mul_by(&one, x));
            assert!(n.mul(&r, &r_inv).is_one());
            let squared = last.is_some_and(|last| n.sqr(&last) == r);
            assert_eq!(squared, place % USES != 0, "use {place}");
            assert!(!seen.contains(&r));
            seen.push(r.clone());
            last = Some(r);
            pool.put(used);
        }
        assert_eq!(made, 3);
    }

    /// A pair that is out is not lent again.
    #[test]
    fn operations_at_once_have_pairs_of_their_own() {
        let rng = &mut UnwrapErr(SysRng);
        let n = Modulus::new(&Nat::power_of_two(127).sub_limb(1).unwrap()).unwrap();
        let one = n.reduce(&Nat::from_limb(1));
        let pool = Pool::default();
        let mut seen = Vec::new();
        for _ in 0..3 {
            let out: Vec<_> = (0..20)
                .map(|_| Pair::take(&pool, &n, rng, |r, r_inv| (r, r_inv)))
                .collect();
            for used in out {
                let r = n.mul_by(&one, &used.pair.r_e);
                assert!(!seen.contains(&r));
                seen.push(r);
                pool.put(used);
            }
        }
    }

    /// However many operations end at once, only so many pairs wait for the next.
    #[test]
    fn few_pairs_are_kept() {
        let pool = Pool::default();
        (0..2 * SHELVES * MOST).for_each(|i| pool.put(Used::first(i)));
        let kept = std::iter::from_fn(|| pool.take());
        assert_eq!(kept.count(), SHELVES * MOST);
    }
}
