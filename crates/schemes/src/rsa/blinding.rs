//! Base blinding: a random `r` per private operation, as the pair `r^e` and `r^-1` modulo n.
//!
//! A fresh pair costs an inversion, so each is used up to [`USES`] times, squared in between. The pairs of a key sit on
//! a few shelves; nobody waits for one: who finds them all busy or empty makes a fresh pair.

use super::PublicKey;
use carrysave_arith::{
    Modulus, Multiplier, Nat,
    lanes::{Digits, Element, Lanes},
};
use rand_core::CryptoRng;
use std::sync::Mutex;

/// How often a pair is used, squared between uses, before a fresh one replaces it.
const USES: u32 = 64;
const SHELVES: usize = 8;
/// Pairs on a shelf at most.
const ROOM: usize = 16;

/// A blinding pair: a value under the public operation, and its inverse.
pub(super) struct Pair {
    pub(super) r_e: Multiplier,
    pub(super) r_inv: Multiplier,
}

/// The same for an operation in a vector lane.
pub(super) struct LanePair {
    r_e: Digits,
    r_inv: Digits,
}

/// `r^e` and `r^-1` for a random r.
fn fresh<R: CryptoRng + ?Sized>(public: &PublicKey, rng: &mut R) -> (Nat, Nat) {
    let n = public.modulus();
    loop {
        let r = n.reduce(&Nat::random_below(n.nat(), rng));
        // The inverse of r s is taken for a random s: it says nothing about r, so it may take its time.
        let s = n.reduce(&Nat::random_below(n.nat(), rng));
        if let Some(rs_inv) = n.inv_vartime(&n.mul(&r, &s).publish()) {
            return (public.power(&r), n.mul(&n.reduce(&rs_inv), &s));
        }
    }
}

impl Pair {
    /// A pair that no other operation of this key has at this time, or had before.
    pub(super) fn take<R: CryptoRng + ?Sized>(
        pool: &Pool<Pair>,
        public: &PublicKey,
        rng: &mut R,
    ) -> Used<Pair> {
        let n = public.modulus();
        let Some(mut used) = pool.take() else {
            let (r_e, r_inv) = fresh(public, rng);
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

impl LanePair {
    /// The blinding of one operation a lane: what multiplies the ciphertext, what multiplies the result, and each
    /// lane's pair, which its pool should get back where the result is right.
    pub(super) fn take<R: CryptoRng + ?Sized>(
        pools: &[&Pool<LanePair>],
        publics: &[&PublicKey],
        lanes: &Lanes<'_>,
        rng: &mut R,
    ) -> ([Element; 2], Vec<Used<LanePair>>) {
        // Pairs that are squared now, and fresh ones, whose square root nobody knows.
        let mut known: Vec<Option<Used<LanePair>>> = pools.iter().map(|pool| pool.take()).collect();
        let missing = || (0..publics.len()).filter(|&l| known[l].is_none());
        let missing: Vec<usize> = missing().collect();
        if !missing.is_empty() {
            let moduli: Vec<&Modulus> = missing.iter().map(|&l| publics[l].modulus()).collect();
            let fresh: Vec<(Nat, Nat)> = missing.iter().map(|&l| fresh(publics[l], rng)).collect();
            let few = Lanes::new(&moduli);
            let digits = |part: fn(&(Nat, Nat)) -> &Nat| {
                let numbers: Vec<&Nat> = fresh.iter().map(part).collect();
                few.split(&few.montgomery(&few.load(&numbers)))
            };
            let pairs = digits(|pair| &pair.0)
                .into_iter()
                .zip(digits(|pair| &pair.1));
            for (&l, (r_e, r_inv)) in missing.iter().zip(pairs) {
                known[l] = Some(Used::first(LanePair { r_e, r_inv }));
            }
        }
        let known: Vec<Used<LanePair>> = known.into_iter().flatten().collect();
        let squared = |part: fn(&LanePair) -> &Digits| {
            let mut both = lanes.join(
                &known
                    .iter()
                    .map(|used| part(&used.pair))
                    .collect::<Vec<_>>(),
            );
            lanes.sqr(&mut both);
            both
        };
        let (r_e, r_inv) = (squared(|pair| &pair.r_e), squared(|pair| &pair.r_inv));
        let digits = lanes.split(&r_e).into_iter().zip(lanes.split(&r_inv));
        let pairs = known.into_iter().zip(digits).map(|(used, (r_e, r_inv))| {
            let pair = LanePair { r_e, r_inv };
            Used { pair, ..used }
        });
        let pairs = pairs.collect();
        ([r_e, r_inv], pairs)
    }
}

/// A pair, with how often it was used, this time included.
pub(super) struct Used<T> {
    pub(super) pair: T,
    uses: u32,
}

impl<T> Used<T> {
    fn first(pair: T) -> Used<T> {
        Used { pair, uses: 1 }
    }
}

/// The blinding pairs of one key.
pub(super) struct Pool<T>([Mutex<Vec<Used<T>>>; SHELVES]);

impl<T> Pool<T> {
    /// A pair that may be used once more, squared; it is nobody else's until it is put back.
    fn take(&self) -> Option<Used<T>> {
        let mut used = self
            .0
            .iter()
            .find_map(|shelf| shelf.try_lock().ok()?.pop())?;
        used.uses += 1;
        Some(used)
    }

    /// Leaves a pair that was used for later.
    pub(super) fn put(&self, used: Used<T>) {
        if used.uses < USES {
            let shelves = self.0.iter();
            let mut free = shelves.filter_map(|shelf| shelf.try_lock().ok());
            if let Some(mut shelf) = free.find(|shelf| shelf.len() < ROOM) {
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
