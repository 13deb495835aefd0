//! Blinding of several operations at once, each in a vector lane.

use super::PublicKey;
use crate::blinding::{Pool, Used, fresh};
use carrysave_arith::{
    Modulus, Nat,
    lanes::{Digits, Element, ModulusLanes},
};
use rand_core::CryptoRng;

/// A [`Pair`](crate::blinding::Pair) for an operation in a vector lane.
pub(super) struct LanePair {
    r_e: Digits,
    r_inv: Digits,
}

impl LanePair {
    /// The blinding of one operation a lane: the factors of the ciphertexts, the factors of the results, and each
    /// lane's pair. The caller returns a pair to its pool if the result is right.
    pub(super) fn take<R: CryptoRng + ?Sized>(
        pools: &[&Pool<LanePair>],
        publics: &[&PublicKey],
        lanes: &ModulusLanes<'_>,
        rng: &mut R,
    ) -> ([Element; 2], Vec<Used<LanePair>>) {
        // Pairs to be squared now, and fresh ones, whose square root is unknown.
        let mut known: Vec<Option<Used<LanePair>>> = pools.iter().map(|pool| pool.take()).collect();
        let missing = || (0..publics.len()).filter(|&l| known[l].is_none());
        let missing: Vec<usize> = missing().collect();
        if !missing.is_empty() {
            let moduli: Vec<&Modulus> = missing.iter().map(|&l| publics[l].modulus()).collect();
            let fresh = missing.iter().map(|&l| {
                let (r, r_inv) = fresh(publics[l].modulus(), rng);
                (publics[l].power(&r), r_inv)
            });
            let fresh: Vec<(Nat, Nat)> = fresh.collect();
            let few = ModulusLanes::new(&moduli);
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
        let mut known: Vec<Used<LanePair>> = known.into_iter().flatten().collect();
        let squared = |part: fn(&LanePair) -> &Digits| {
            let kept: Vec<&Digits> = known.iter().map(|used| part(&used.pair)).collect();
            let mut both = lanes.join(&kept);
            lanes.sqr(&mut both);
            both
        };
        let (r_e, r_inv) = (squared(|pair| &pair.r_e), squared(|pair| &pair.r_inv));
        lanes.split_into(&r_e, known.iter_mut().map(|used| &mut used.pair.r_e));
        lanes.split_into(&r_inv, known.iter_mut().map(|used| &mut used.pair.r_inv));
        ([r_e, r_inv], known)
    }
}
