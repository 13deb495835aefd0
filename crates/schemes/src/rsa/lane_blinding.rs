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
        // Pairs to be squared now, and fresh ones, whose square root is unknown. Boxed: an empty place must not hold what
        // was on the stack.
        let known = pools.iter().map(|pool| pool.take().map(Box::new));
        let mut known: Vec<Option<Box<Used<LanePair>>>> = known.collect();
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
                known[l] = Some(Box::new(Used::first(LanePair { r_e, r_inv })));
            }
        }
        let known = known.into_iter().flatten().map(|used| *used);
        let mut known: Vec<Used<LanePair>> = known.collect();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rsa::{KeygenOptions, PrivateKey};
    use getrandom::SysRng;
    use rand_core::UnwrapErr;

    /// A pair is of a number and its inverse, each use has the square of the one before, and a new one begins in time.
    #[test]
    fn a_pair_is_squared_from_use_to_use_and_replaced() {
        let options = KeygenOptions {
            allow_small: true,
            ..Default::default()
        };
        let rng = || UnwrapErr(SysRng);
        let key = PrivateKey::generate_with(rng, 512, &options, &|_| ()).unwrap();
        let (public, pool) = (key.public(), Pool::default());
        let n = public.modulus();
        let lanes = ModulusLanes::new(&[n]);
        let value = |x: &Element| {
            let mut one = lanes.load(&[&Nat::from_limb(1)]);
            lanes.mul(&mut one, x);
            n.reduce(&lanes.store(&one)[0])
        };
        let (mut last, mut seen, mut begun) = (None::<Nat>, Vec::new(), 0);
        for _ in 0..200 {
            let ([r_e, r_inv], mut pairs) = LanePair::take(&[&pool], &[public], &lanes, &mut rng());
            let (r_e, r_inv) = (value(&r_e), value(&r_inv));
            assert!(n.mul(&r_e, &public.power(&r_inv)).is_one());
            begun += usize::from(last.as_ref().is_none_or(|last| n.sqr(last) != r_e));
            assert!(!seen.contains(&r_e));
            seen.push(r_e.clone());
            last = Some(r_e);
            pool.put(pairs.remove(0));
        }
        assert_eq!(begun, 200_usize.div_ceil(crate::blinding::USES as usize));
    }
}
