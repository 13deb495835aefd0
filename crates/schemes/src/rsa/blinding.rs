//! Base blinding: a random `r` per private operation, as the pair `r^e` and `r^-1` modulo n.
//!
//! A fresh pair costs an inversion, so each is used up to [`USES`] times, squared in between. The pairs of a key sit in
//! a few slots; nobody waits for one: who finds them all busy makes a fresh pair.

use super::PublicKey;
use carrysave_arith::{Multiplier, Nat};
use rand_core::CryptoRng;
use std::sync::Mutex;

/// How often a pair is used, squared between uses, before a fresh one replaces it.
const USES: u32 = 64;
const SLOTS: usize = 8;

/// A blinding pair: a value under the public operation, and its inverse.
#[derive(Clone)]
pub(super) struct Pair {
    pub(super) r_e: Multiplier,
    pub(super) r_inv: Multiplier,
}

impl Pair {
    fn fresh<R: CryptoRng + ?Sized>(public: &PublicKey, rng: &mut R) -> Pair {
        let n = public.modulus();
        loop {
            let r = n.reduce(&Nat::random_below(n.nat(), rng));
            // The inverse of r s is taken for a random s: it says nothing about r, so it may take its time.
            let s = n.reduce(&Nat::random_below(n.nat(), rng));
            if let Some(rs_inv) = n.inv_vartime(&n.mul(&r, &s).publish()) {
                return Pair {
                    r_e: n.multiplier(&public.power(&r)),
                    r_inv: n.multiplier(&n.mul(&n.reduce(&rs_inv), &s)),
                };
            }
        }
    }

    fn squared(mut self, public: &PublicKey) -> Pair {
        public.modulus().square(&mut self.r_e);
        public.modulus().square(&mut self.r_inv);
        self
    }
}

/// The blinding pairs of one key, with how often each was used.
#[derive(Default)]
pub(super) struct Pool([Mutex<Option<(Pair, u32)>>; SLOTS]);

impl Pool {
    /// A pair that no other operation of this key has had or will have.
    pub(super) fn take<R: CryptoRng + ?Sized>(&self, public: &PublicKey, rng: &mut R) -> Pair {
        let Some(mut slot) = self.0.iter().find_map(|slot| slot.try_lock().ok()) else {
            return Pair::fresh(public, rng);
        };
        let next = match slot.take() {
            Some((pair, uses)) if uses < USES => (pair.squared(public), uses + 1),
            _ => (Pair::fresh(public, rng), 1),
        };
        slot.insert(next).0.clone()
    }
}
