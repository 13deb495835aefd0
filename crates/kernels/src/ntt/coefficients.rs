//! Numbers as coefficients, and back.
//!
//! Coefficients begin at whole bytes, and so do the digits of 48 bits that they are read by: a load of eight bytes at
//! any address, and a mask.

use super::{
    PRIMES, balanced, bytes,
    lanes::{Lanes, WIDEST},
    limbs, power,
};
use crate::{Limb, wipe};

/// Bytes of a digit.
const DIGIT: usize = 6;
/// Limbs of the most coefficients side by side, and what is read behind their last digit.
const GROUP: usize = WIDEST * bytes(PRIMES.len()) / size_of::<Limb>() + 1;

/// The coefficients of a number modulo a prime.
///
/// # Safety
/// The contract of `ntt_split`; the processor has what the vectors execute.
#[inline(always)]
pub(super) unsafe fn split<L: Lanes>(
    r: *mut Limb,
    a: *const Limb,
    n: usize,
    primes: usize,
    prime: usize,
) {
    let (apart, p) = (bytes(primes), PRIMES[prime]);
    let digits = apart.div_ceil(DIGIT);
    let end = limbs(n, primes) * size_of::<Limb>();
    let a = a.cast::<u8>();
    // 2^48 and 2^96.
    let powers = [1, 2].map(|i| balanced(power(2, 48 * i, p), p));
    // SAFETY: the contract; the last coefficients are read from a copy with zeros behind them.
    unsafe {
        let l = L::new(prime);
        let coefficients = Coefficients {
            l,
            apart,
            powers: [l.splat(&raw const powers[0]), l.splat(&raw const powers[1])],
            digits,
            last: (1 << (8 * (apart - DIGIT * (digits - 1)))) - 1,
        };
        let mut i = 0;
        while (i + L::STEP - 1) * apart + DIGIT * (digits - 1) + size_of::<Limb>() <= end
            && i + L::STEP <= n
        {
            l.store(coefficients.load(a.add(i * apart)), r.add(i));
            i += L::STEP;
        }
        let (mut copy, mut words) = ([0 as Limb; GROUP], [0; WIDEST]);
        while i < n {
            let count = L::STEP.min(n - i);
            let left = (count * apart).min(end - i * apart);
            a.add(i * apart)
                .copy_to_nonoverlapping(copy.as_mut_ptr().cast(), left);
            l.store(coefficients.load(copy.as_ptr().cast()), words.as_mut_ptr());
            words.as_ptr().copy_to_nonoverlapping(r.add(i), count);
            i += L::STEP;
        }
        wipe(&mut copy, 0);
        wipe(&mut words, 0);
    }
}

/// How coefficients are read.
struct Coefficients<L: Lanes> {
    l: L,
    /// The bytes of one.
    apart: usize,
    /// The place values of digits, modulo the prime.
    powers: [L::Vector; 2],
    digits: usize,
    /// The mask of the last digit.
    last: Limb,
}

impl<L: Lanes> Coefficients<L> {
    /// Loads as many coefficients as a vector holds.
    ///
    /// # Safety
    /// All their digits can be read, as words of eight bytes.
    #[inline(always)]
    unsafe fn load(&self, from: *const u8) -> L::Vector {
        const MASK: Limb = (1 << (8 * DIGIT)) - 1;
        let l = self.l;
        // SAFETY: the caller's word.
        unsafe {
            let mut sum = l.digits(from, self.apart, MASK);
            for i in 1..self.digits {
                let mask = if i + 1 < self.digits { MASK } else { self.last };
                let digit = l.digits(from.add(DIGIT * i), self.apart, mask);
                sum = l.add(sum, l.mul(digit, self.powers[i - 1]));
            }
            l.canonical(l.reduce(sum))
        }
    }
}

/// `INVERSES[i][k]`: of prime i modulo prime k, for i < k.
static INVERSES: [[Limb; 5]; 5] = {
    let mut inverses = [[0; 5]; 5];
    let mut k = 0;
    while k < 5 {
        let mut i = 0;
        while i < k {
            inverses[i][k] = balanced(
                power(PRIMES[i] % PRIMES[k], PRIMES[k] - 2, PRIMES[k]),
                PRIMES[k],
            );
            i += 1;
        }
        k += 1;
    }
    inverses
};

/// The coefficients from their residues modulo m primes, added up: `(r, x, n, m)` as in the contract.
///
/// # Safety
/// The contract of `ntt_crt`; the processor has what the vectors execute.
#[inline(always)]
pub(super) unsafe fn crt<L: Lanes>(r: *mut Limb, x: [*const Limb; 5], n: usize, m: usize) {
    // SAFETY: the same contract.
    unsafe {
        match m {
            3 => crt_of::<L, 3, 3>(r, x, n),
            4 => crt_of::<L, 4, 4>(r, x, n),
            _ => crt_of::<L, 5, 4>(r, x, n),
        }
    }
}

/// The number that has coefficients with these residues, by K primes. A coefficient and what carries into it have WORDS
/// limbs.
///
/// The digits of a coefficient in the mixed radix of the primes are found in vectors (Garner 1959; TAOCP 2, 4.3.2),
/// their value by Horner's rule in words. Then all limbs of the sum are stored; the next coefficient
/// overwrites those that are not final yet.
///
/// # Safety
/// The contract of `ntt_crt` for K primes; the processor has what the vectors execute.
#[inline(always)]
unsafe fn crt_of<L: Lanes, const K: usize, const WORDS: usize>(
    r: *mut Limb,
    x: [*const Limb; 5],
    n: usize,
) {
    let apart = bytes(K);
    let (drop, shift) = (apart / 8, 8 * (apart % 8) as u32);
    let mut digits = [[0; WIDEST]; K];
    let mut words = [0; WIDEST];
    let mut sum = [0; WORDS];
    // SAFETY: the contract; all limbs of the sum fit behind the last coefficient, too.
    unsafe {
        let lanes: [L; K] = core::array::from_fn(|k| L::new(k));
        r.add(limbs(n, K)).write_bytes(0, SPARE);
        let mut i = 0;
        while i < n {
            let count = L::STEP.min(n - i);
            let mut found = [lanes[0].splat(words.as_ptr()); K];
            for k in 0..K {
                let l = lanes[k];
                let mut residue = if count == L::STEP {
                    l.load(x[k].add(i))
                } else {
                    x[k].add(i)
                        .copy_to_nonoverlapping(words.as_mut_ptr(), count);
                    l.load(words.as_ptr())
                };
                for m in 0..k {
                    let inverse = l.splat(&raw const INVERSES[m][k]);
                    residue = l.mul(l.sub(residue, found[m]), inverse);
                }
                found[k] = l.canonical(residue);
                l.integers(found[k], digits[k].as_mut_ptr());
            }
            for c in 0..count {
                add(&mut sum, value::<K, WORDS>(&digits, c));
                let to = r.cast::<u8>().add((i + c) * apart);
                for (word, limb) in sum.iter().enumerate() {
                    to.add(8 * word).cast::<[u8; 8]>().write(limb.to_le_bytes());
                }
                for word in 0..WORDS {
                    let limb = |i: usize| if i < WORDS { sum[i] } else { 0 };
                    let (low, high) = (limb(word + drop), limb(word + drop + 1));
                    // Twice, as the shift may be 0.
                    sum[word] = low >> shift | high << 1 << (63 - shift);
                }
            }
            i += L::STEP;
        }
    }
    digits.iter_mut().for_each(|digits| wipe(digits, 0));
    wipe(&mut words, 0);
    wipe(&mut sum, 0);
}

/// Limbs behind those of the coefficients that a sum may reach.
pub(super) const SPARE: usize = 3;

/// The value of digits in the mixed radix of the primes.
#[inline(always)]
fn value<const K: usize, const WORDS: usize>(
    digits: &[[Limb; WIDEST]; K],
    c: usize,
) -> [Limb; WORDS] {
    let mut value = [0; WORDS];
    value[0] = digits[K - 1][c];
    for k in (0..K - 1).rev() {
        let mut carry = u128::from(digits[k][c]);
        for limb in value.iter_mut().take((50 * (K - k)).div_ceil(64)) {
            carry += u128::from(*limb) * u128::from(PRIMES[k]);
            *limb = carry as Limb;
            carry >>= 64;
        }
    }
    value
}

/// `sum += value`, which nothing is carried out of.
#[inline(always)]
fn add<const WORDS: usize>(sum: &mut [Limb; WORDS], value: [Limb; WORDS]) {
    let mut carry = false;
    for (sum, value) in sum.iter_mut().zip(value) {
        (*sum, carry) = sum.carrying_add(value, carry);
    }
}
