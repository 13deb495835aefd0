//! Number-theoretic transforms: long products as products of polynomials, modulo a few primes below 2^50.
//!
//! A number is cut into coefficients of `3k - 1` bytes, k the number of primes, so that a coefficient of a product of
//! polynomials stays below the product of the primes. [`Split`] takes coefficients modulo a prime, [`Forward`]
//! transforms them, [`Inverse`] multiplies two transforms point by point and transforms back, and [`Crt`] puts the
//! coefficients together, by the Chinese remainder theorem, and adds them up to a number. That is a product modulo
//! `2^K - 1`, K the bits of all coefficients; [`NegacyclicForward`] and [`NegacyclicInverse`] give one modulo `2^K + 1`.
//!
//! A residue modulo p is a word that holds the bits of a floating-point number: an integer from 0 to p - 1. Products
//! are made of such numbers, rounded, and of what the rounding lost (van der Hoeven, Lecerf, Quintin, Modular SIMD
//! arithmetic in Mathemagix, ACM TOMS 43(1), 2016; Schultz's fft_small in FLINT).
//!
//! Kernels are written once over `Lanes`, four or eight residues side by side.

mod coefficients;
#[cfg(target_arch = "x86_64")]
mod fma;
#[cfg(target_arch = "x86_64")]
mod fma512;
mod lanes;
pub(crate) mod operands;
mod transform;
mod words;

use crate::Limb;
use crate::op::Len;

/// The primes: those just below 2^50 with roots of unity of order 2^28, ascending. A residue modulo one of them is
/// the bits of a floating-point number, an integer from 0 to p - 1.
pub const PRIMES: [Limb; 5] = [
    0x3_fff3_0000_0001,
    0x3_fff3_4000_0001,
    0x3_fff6_d000_0001,
    0x3_fff9_6000_0001,
    0x3_fff9_9000_0001,
];
/// A root of unity of order `2^ORDER` modulo each prime.
const ROOTS: [Limb; 5] = [
    0x3f07_65d2_4bce,
    0x3_6244_f2f6_26b9,
    0x3_ccdf_4821_b0e7,
    0x2_d5da_90e6_4e00,
    0x3_4740_40f6_fe11,
];
const ORDER: u32 = 28;

/// The shortest length of a transform.
pub const LEAST: usize = 16;
/// The longest length of a transform: a coefficient of a product stays below the product of the primes.
pub const MOST: usize = 1 << 21;

/// The bytes of a coefficient for `primes` primes.
///
/// A product of polynomials of up to [`MOST`] coefficients has coefficients below the product of k primes, which is
/// nearly 2^(50k): `16 (3k - 1) + 21` is less than 50k for k from 3 on.
pub const fn bytes(primes: usize) -> usize {
    3 * primes - 1
}

/// The limbs that n coefficients take, for `primes` primes.
pub const fn limbs(n: usize, primes: usize) -> usize {
    (n * bytes(primes)).div_ceil(size_of::<Limb>())
}

/// What [`limbs`] gives, as a length in a contract, and `more` limbs.
const fn limbs_of(more: usize) -> Len {
    let bits = Len::N.by(Len::M.times(3).minus(Len::words(1)));
    bits.plus(Len::words(8 * more)).over(8)
}

/// The tables for transforms of length n modulo a prime: for [`Forward`], and the inverses for [`Inverse`].
///
/// Entry j of n / 2 is the root of unity `e(b / n)` where b is j with its bits reversed: what block j of a level
/// multiplies by. Entries are the bits of numbers from -p/2 to p/2.
///
/// # Panics
/// If n is not a power of two from [`LEAST`] to [`MOST`].
///
/// ```
/// use carrysave_kernels::ntt::{PRIMES, roots};
/// let [w, inverse] = roots(0, 16);
/// assert_eq!((w.len(), f64::from_bits(w[0])), (8, 1.0));
/// // The square of the second is -1.
/// let i = f64::from_bits(w[1]) as i128;
/// assert_eq!((i * i + 1) % PRIMES[0] as i128, 0);
/// assert_eq!(f64::from_bits(inverse[1]), -i as f64);
/// ```
pub fn roots(prime: usize, n: usize) -> [Vec<Limb>; 2] {
    assert!(n.is_power_of_two() && (LEAST..=MOST).contains(&n));
    let p = PRIMES[prime];
    [ROOTS[prime], power(ROOTS[prime], p - 2, p)].map(|root| {
        let mut table = vec![1];
        while table.len() < n / 2 {
            // Of order four times the entries so far.
            let order = table.len().trailing_zeros() + 2;
            let step = power(root, 1 << (ORDER - order), p);
            for j in 0..table.len() {
                table.push(product(table[j], step, p));
            }
        }
        table.into_iter().map(|root| balanced(root, p)).collect()
    })
}

/// The bits of what is the same modulo p and nearest to 0.
const fn balanced(a: Limb, p: Limb) -> Limb {
    let signed = if a > p / 2 {
        a as i64 - p as i64
    } else {
        a as i64
    };
    (signed as f64).to_bits()
}

/// `a * b mod p` for public numbers.
const fn product(a: Limb, b: Limb, p: Limb) -> Limb {
    (a as u128 * b as u128 % p as u128) as Limb
}

/// `a^e mod p` for public numbers.
const fn power(mut a: Limb, mut e: Limb, p: Limb) -> Limb {
    let mut r = 1;
    while e > 0 {
        if e & 1 == 1 {
            r = product(r, a, p);
        }
        a = product(a, a, p);
        e >>= 1;
    }
    r
}

ops! {
    Ntt:
    split::Split,
    forward::Forward,
    inverse::Inverse,
    inverse_sum::InverseSum,
    negacyclic_forward::NegacyclicForward,
    negacyclic_inverse::NegacyclicInverse,
    crt::Crt,
}
