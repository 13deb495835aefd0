//! Small primes: trial division, and a constant-time sieve.

use crate::nat::Nat;
use crate::once;
use carrysave_kernels::{Limb, publish};
use std::sync::OnceLock;

/// The odd primes below 2^16, in order.
fn odd_primes() -> &'static [u16] {
    static PRIMES: OnceLock<Vec<u16>> = OnceLock::new();
    let primes: &Vec<u16> = once(&PRIMES, || {
        let mut composite = vec![false; 1 << 16];
        for i in (3..256).step_by(2) {
            if !composite[i] {
                (i * i..1 << 16)
                    .step_by(2 * i)
                    .for_each(|j| composite[j] = true);
            }
        }
        (3..=u16::MAX)
            .step_by(2)
            .filter(|&p| !composite[usize::from(p)])
            .collect()
    });
    primes
}

/// The smallest prime factor of `n` below 1000, if it has one (0 has the factor 2).
pub(super) fn small_factor_vartime(n: &Nat) -> Option<Limb> {
    let odd = odd_primes()
        .iter()
        .map(|&p| Limb::from(p))
        .take_while(|&p| p < 1000);
    std::iter::once(2)
        .chain(odd)
        .find(|&p| n.rem_limb_vartime(p) == 0)
}

/// The residues of a secret odd number modulo small primes, moved along as the number grows by 2.
///
/// The usual sieve marks multiples in a bitmap, at addresses that reveal the number. Here every step passes over all
/// residues in order, a plain loop that compiles to vectors. It reveals only *whether* a candidate survives.
pub(super) struct Sieve {
    primes: &'static [u16],
    residues: Vec<u16>,
}

impl Sieve {
    /// The residues of `start`, modulo as many primes as pay for a number of its size.
    pub(super) fn new(start: &Nat) -> Sieve {
        let count = (start.width() * 256).min(odd_primes().len());
        let primes = &odd_primes()[..count];
        let residues = primes.iter().map(|&p| residue(start, p)).collect();
        Sieve { primes, residues }
    }

    /// Whether no residue is zero.
    pub(super) fn survives(&self) -> bool {
        // Reads all residues; a zero wraps around to the largest value.
        let most = self
            .residues
            .iter()
            .fold(0, |most: u16, r| most.max(r.wrapping_sub(1)));
        publish(Limb::from(most)) != Limb::from(u16::MAX)
    }

    /// Whether neither the number nor twice the number plus one has a residue of zero.
    pub(super) fn survives_doubled(&self) -> bool {
        let both = self.residues.iter().zip(self.primes);
        // 2 r + 1 = 0 (mod p) where r = (p - 1) / 2.
        let most = both.fold(0, |most: u16, (r, &p)| {
            let doubled = r.wrapping_sub(p / 2).wrapping_sub(1);
            most.max(r.wrapping_sub(1)).max(doubled)
        });
        publish(Limb::from(most)) != Limb::from(u16::MAX)
    }

    /// Moves every residue from `n` to `n + 2`.
    pub(super) fn step(&mut self) {
        for (r, &p) in self.residues.iter_mut().zip(self.primes) {
            let next = *r + 2;
            *r = next.min(next.wrapping_sub(p)); // no branch: below p the difference wraps around
        }
    }
}

impl Drop for Sieve {
    fn drop(&mut self) {
        zeroize::Zeroize::zeroize(&mut self.residues);
    }
}

/// `n mod p` by multiplication with a reciprocal: no division, no branch.
fn residue(n: &Nat, p: u16) -> u16 {
    let p = u64::from(p);
    let reciprocal = u64::MAX / p; // p is odd, so that this is floor(2^64 / p)
    let mut r = 0;
    for &limb in n.limbs().iter().rev() {
        for half in [limb >> 32, limb & 0xffff_ffff] {
            let x = r << 32 | half; // below 2^48
            let q = ((u128::from(x) * u128::from(reciprocal)) >> 64) as u64;
            r = x - q * p; // q is the quotient or one less
            let below = r.wrapping_sub(p) >> 63;
            r -= p & core::hint::black_box(below).wrapping_sub(1);
        }
    }
    r as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residues_are_right_at_every_step() {
        let mut n = Nat::from_hex("fedcba9876543210fedcba987654321ffffffffffffffff1").unwrap();
        let mut sieve = Sieve::new(&n);
        for _ in 0..2000 {
            let doubled = n.shl(1).add_limb(1);
            let mut free = [true; 2];
            for (&p, &r) in sieve.primes.iter().zip(&sieve.residues) {
                assert_eq!(Limb::from(r), n.rem_limb_vartime(p.into()));
                free[0] &= r != 0;
                free[1] &= doubled.rem_limb_vartime(p.into()) != 0;
            }
            assert_eq!(sieve.survives(), free[0]);
            assert_eq!(sieve.survives_doubled(), free[0] && free[1]);
            sieve.step();
            n = n.add_limb(2).trim_vartime();
        }
    }

    #[test]
    fn there_are_6541_odd_primes_below_65536() {
        assert_eq!(odd_primes().len(), 6541);
        assert_eq!(odd_primes().last(), Some(&65521));
    }
}
