//! The search for random primes.

use super::{is_prime, sieve::Sieve};
use crate::nat::{LIMB_BITS, Nat};
use carrysave_kernels::{Limb, publish};
use core::sync::atomic::{AtomicBool, Ordering};
use rand_core::CryptoRng;

/// Conditions on a random prime besides its length.
#[derive(Clone, Copy, Debug, Default)]
pub struct PrimeOptions<'a> {
    /// Set the two top bits, so that a product of two such primes has the full length.
    pub top_two_bits: bool,
    /// Require p = a (mod m) for this (a, m), where m is a power of two above 1 and a odd.
    pub congruent: Option<(Limb, Limb)>,
    /// Require gcd(p - 1, e) = 1 for this e, which is odd.
    pub coprime_to_minus_one: Option<&'a Nat>,
    /// Give up when this becomes true.
    pub stop: Option<&'a AtomicBool>,
}

/// Odd numbers tried from one random start before another is drawn.
const STEPS: u64 = 1 << 12;

/// A random prime of exactly `bits` bits; `None` only if the caller stopped the search. `tick` is called for every
/// candidate that is tested.
///
/// Candidates are odd numbers from a random start, sieved by small primes. The Miller-Rabin rounds follow FIPS 186-5,
/// table B.1, for an error below 2^-128 or the table's figure for the size.
///
/// # Panics
/// If `bits` is below 16; for an even `a` or e, an m that is not a power of two above 1, or an `a` that has more than `bits`
/// bits modulo m. Of an m nearly as long as the prime there may be no such prime either, and the search has no end.
///
/// # Timing
/// The prime found is treated as a secret. Made public are the number of candidates tried since the start, which is
/// independent of it, and the trailing zeros of p - 1.
pub fn random_prime<R: CryptoRng + ?Sized>(
    bits: usize,
    options: &PrimeOptions<'_>,
    rng: &mut R,
    tick: &mut dyn FnMut(),
) -> Option<Nat> {
    assert!(bits >= 16, "a random prime needs 16 bits or more");
    let odd = options.congruent.is_none_or(|(a, _)| a % 2 == 1)
        && options.coprime_to_minus_one.is_none_or(Nat::is_odd);
    assert!(
        odd,
        "what a prime is congruent to is odd, and what is coprime to p - 1"
    );
    let fits = options.congruent.is_none_or(|(a, m)| {
        let long = (a & m.wrapping_sub(1)).checked_shr(bits as u32);
        m.is_power_of_two() && m > 1 && long.is_none_or(|above| above == 0)
    });
    assert!(
        fits,
        "a prime is congruent to a number of its length, modulo a power of two"
    );
    loop {
        let mut start = Nat::random_bits(bits, rng);
        start.set_bit(bits - 1);
        if options.top_two_bits {
            start.set_bit(bits - 2);
        }
        start.set_bit(0);
        let mut sieve = Sieve::new(&start);
        for i in 0..STEPS {
            if options
                .stop
                .is_some_and(|stop| stop.load(Ordering::Relaxed))
            {
                return None;
            }
            let low = start.limbs()[0].wrapping_add(2 * i);
            let fits = |(a, m): (Limb, Limb)| publish(low & (m - 1)) == a & (m - 1);
            if options.congruent.is_none_or(fits) && sieve.survives() {
                let p = start.add_limb(2 * i);
                if p.bit(bits) {
                    break; // ran over the top: draw again
                }
                let p = p.truncate(start.width());
                tick();
                if is_prime(&p, rounds(bits), rng)
                    && options.coprime_to_minus_one.is_none_or(|e| coprime(&p, e))
                {
                    return Some(p);
                }
            }
            sieve.step();
        }
    }
}

/// A random safe prime of exactly `bits` bits: a prime p for which (p - 1) / 2 is prime, too. `None` only if `stop`
/// becomes true. `tick` is called for every candidate tested, hundreds of times as many as for [`random_prime`].
///
/// # Panics
/// If `bits` is below 17.
///
/// # Timing
/// As [`random_prime`].
///
/// ```
/// use carrysave_arith::prime;
/// let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
/// let p = prime::random_safe_prime(64, None, rng, &mut || ()).unwrap();
/// assert!(prime::is_prime_vartime(&p) && prime::is_prime_vartime(&p.shr(1)));
/// ```
pub fn random_safe_prime<R: CryptoRng + ?Sized>(
    bits: usize,
    stop: Option<&AtomicBool>,
    rng: &mut R,
    tick: &mut dyn FnMut(),
) -> Option<Nat> {
    safe_prime(bits, &|_| true, stop, rng, tick)
}

/// A random safe prime p as [`random_safe_prime`] gives it, of which `square` is a square: so it generates the subgroup
/// of order (p - 1) / 2. For squares such as 4, of all primes, this takes as long; for others, twice as long.
///
/// # Panics
/// If `bits` is below 17, or `square` is 0, which generates no subgroup.
///
/// # Timing
/// Depends on the prime.
///
/// ```
/// use carrysave_arith::{Nat, prime};
/// let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
/// let two = Nat::from_limb(2);
/// let p = prime::random_safe_prime_with_square_vartime(64, &two, None, rng, &mut || ()).unwrap();
/// assert_eq!(p.limbs()[0] % 8, 7);
/// ```
pub fn random_safe_prime_with_square_vartime<R: CryptoRng + ?Sized>(
    bits: usize,
    square: &Nat,
    stop: Option<&AtomicBool>,
    rng: &mut R,
    tick: &mut dyn FnMut(),
) -> Option<Nat> {
    assert!(!square.is_zero(), "0 generates nothing");
    safe_prime(bits, &|p| square.jacobi_vartime(p) == 1, stop, rng, tick)
}

/// A random safe prime among the candidates that a caller takes.
fn safe_prime<R: CryptoRng + ?Sized>(
    bits: usize,
    takes: &dyn Fn(&Nat) -> bool,
    stop: Option<&AtomicBool>,
    rng: &mut R,
    tick: &mut dyn FnMut(),
) -> Option<Nat> {
    assert!(bits >= 17, "a random safe prime needs 17 bits or more");
    let rounds = rounds(bits - 1);
    loop {
        // Of q = (p - 1) / 2.
        let mut start = Nat::random_bits(bits - 1, rng);
        start.set_bit(bits - 2);
        start.set_bit(0);
        let mut sieve = Sieve::new(&start);
        for i in 0..STEPS {
            if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                return None;
            }
            if sieve.survives_doubled() {
                let q = start.add_limb(2 * i);
                if q.bit(bits - 1) {
                    break; // ran over the top: draw again
                }
                let q = q.truncate(start.width());
                let p = q.shl(1).add_limb(1).truncate(bits.div_ceil(LIMB_BITS));
                if takes(&p) {
                    tick();
                    // One round first, which rejects most.
                    if is_prime(&q, 1, rng)
                        && is_prime(&p, rounds, rng)
                        && is_prime(&q, rounds, rng)
                    {
                        return Some(p);
                    }
                }
            }
            sieve.step();
        }
    }
}

/// Whether gcd(p - 1, e) = 1, for a secret p.
fn coprime(p: &Nat, e: &Nat) -> bool {
    let minus_one = p.sub_limb(1).expect("p > 1");
    minus_one.rem(e).gcd(e).is_one()
}

/// Rounds of Miller-Rabin for random candidates (FIPS 186-5, table B.1; more for small sizes that it omits).
fn rounds(bits: usize) -> usize {
    match bits {
        0..=255 => 40,
        256..=511 => 16,
        512..=1023 => 8,
        1024..=1535 => 5,
        _ => 4,
    }
}
