//! Division steps: common divisors and inverses in constant time (Bernstein, Yang: Fast constant-time gcd computation
//! and modular inversion, CHES 2019), beginning with delta = 1/2 (Wuille: Bounds on divsteps iterations in safegcd).
//!
//! A step takes (delta, f, g), f odd, to (1 - delta, g, (g - f) / 2) if delta > 0 and g is odd, and otherwise to
//! (1 + delta, f, (g + (g mod 2) f) / 2). After enough of them g is 0 and f plus or minus the greatest common divisor.
//! The lowest bits of f and g decide, so [`DIGIT_BITS`] steps are worked out on one digit of each, as a matrix, and the
//! matrix is applied to the long numbers. A third of these steps is worked out in two words at once: below, the lowest bits
//! of f and g; above, what they are made of (the idea is that of s2n-bignum).

use crate::modulus::neg_inverse;
use crate::nat::{LIMB_BITS, Nat};
use carrysave_kernels::{Limb, fp::MAX_LIMBS};
use core::hint::black_box;
use zeroize::{Zeroize, Zeroizing};

/// Steps of a third of a matrix: as many as leave room for 2^20 times as much, twice, and signs.
const THIRD: usize = 20;
/// Bits of a digit, and steps of a matrix.
const DIGIT_BITS: usize = 3 * THIRD;
const MASK: i64 = (1 << DIGIT_BITS) - 1;

/// A number by digits from 0 to below 2^60, least significant first; the last one has the sign.
type Digits = Zeroizing<Vec<i64>>;

/// `gcd(f, g)` for an odd f, or 0 if both are 0; as wide as the wider one.
pub(crate) fn gcd(f: &Nat, g: &Nat) -> Nat {
    // The bound on the steps is one for g <= f, as it is of 2g + f.
    let sum = f.add(&g.shl(1));
    let (bits, width) = (LIMB_BITS * sum.width(), f.width().max(g.width()));
    let (mut f, mut g) = (digits(&sum, bits), digits(g, bits));
    reduce(&mut f, &mut g, bits, |_| ());
    magnitude(&mut f);
    join_nat(&f, width)
}

/// `gcd(a, m)` for an odd m and an a below it, and the inverse of a modulo m where that is 1; both as wide as m.
pub(crate) fn inverse(a: &Nat, m: &Nat) -> (Nat, Nat) {
    let bits = LIMB_BITS * m.width();
    let mut a = digits(a, bits);
    let (mut f, mut d, mut e) = (a.clone(), a.clone(), a.clone());
    invert([&mut f, &mut a, &mut d, &mut e], &digits(m, bits), bits);
    magnitude(&mut f);
    (join_nat(&f, m.width()), join_nat(&d, m.width()))
}

/// Replaces a by its inverse modulo a prime of so many bits, 0 by 0.
pub(crate) fn inverse_in_field(a: &mut [Limb; MAX_LIMBS], prime: &[Limb; MAX_LIMBS], bits: usize) {
    // By as many digits as the usual fields have, and by those of any.
    match bits / DIGIT_BITS + 1 {
        3 => inverse_by_digits::<3>(a, prime, bits),
        5 => inverse_by_digits::<5>(a, prime, bits),
        7 => inverse_by_digits::<7>(a, prime, bits),
        9 => inverse_by_digits::<9>(a, prime, bits),
        _ => inverse_by_digits::<{ LIMB_BITS * MAX_LIMBS / DIGIT_BITS + 1 }>(a, prime, bits),
    }
}

fn inverse_by_digits<const N: usize>(
    a: &mut [Limb; MAX_LIMBS],
    prime: &[Limb; MAX_LIMBS],
    bits: usize,
) {
    let (mut modulus, mut digits) = ([0; N], [[0; N]; 4]);
    split(prime, &mut modulus);
    split(a, &mut digits[1]);
    let numbers = digits.each_mut().map(|number| &mut number[..]);
    invert(numbers, &modulus, bits);
    a.fill(0);
    join(&digits[2], a);
    digits.zeroize();
}

/// Takes a number g below m, which has so many bits, to 0; f becomes plus or minus their greatest common divisor, and d the
/// inverse of g modulo m where that is 1.
#[inline(always)]
fn invert([f, g, d, e]: [&mut [i64]; 4], m: &[i64], bits: usize) {
    f.copy_from_slice(m);
    d.fill(0);
    e.fill(0);
    e[0] = 1;
    let n0 = neg_inverse(m[0] as Limb);
    // Modulo m, f = a d and g = a e for what g was at first.
    reduce(f, g, bits, |matrix| matrix.apply_modulo(d, e, m, n0));
    // From (-2m, m) to (-m, m), to the sign of f, to [0, m).
    let below_zero = sign(d);
    adjust(d, 0, m, below_zero);
    adjust(d, sign(f), m, 0);
    let below_zero = sign(d);
    adjust(d, 0, m, below_zero);
}

/// Takes g to 0, for numbers of `bits` bits with g <= f; `each` gets every matrix on the way.
#[inline(always)]
fn reduce(f: &mut [i64], g: &mut [i64], bits: usize, mut each: impl FnMut(&Matrix)) {
    // -(delta + 1/2)
    let mut zeta = -1;
    let steps = (45_907 * bits + 30_179) / 19_929;
    for _ in 0..steps.div_ceil(DIGIT_BITS) {
        let matrix = Matrix::of(&mut zeta, f[0], g[0]);
        matrix.apply(f, g);
        each(&matrix);
    }
}

/// What [`DIGIT_BITS`] steps do to (f, g): it becomes 2^-60 times the products with the rows. The entries of a row are
/// 2^60 at most together.
struct Matrix([[i64; 2]; 2]);

impl Matrix {
    /// The steps that the lowest digits decide.
    fn of(zeta: &mut i64, f: i64, g: i64) -> Matrix {
        let first = Matrix::third(zeta, f, g);
        let (f, g) = first.lowest(f, g);
        let second = Matrix::third(zeta, f, g);
        let (f, g) = second.lowest(f, g);
        Matrix::third(zeta, f, g).times(&second.times(&first))
    }

    /// The first [`THIRD`] of them.
    ///
    /// With the entries (u, v), (q, r) after some steps, f holds f - 2^41 u' - 2^62 v', and g the same with q and r, where
    /// u' is u over 2 to the number of steps. So both are halved alike.
    fn third(zeta: &mut i64, f: i64, g: i64) -> Matrix {
        const LOW: i64 = (1 << THIRD) - 1;
        let (mut f, mut g) = ((f & LOW) - (1 << 41), (g & LOW) - (1 << 62));
        // Whoever does not know these makes no branch of a mask.
        let (one, top) = black_box((1, i64::BITS - 1));
        for _ in 0..THIRD {
            let (odd, positive) = (-(g & one), *zeta >> top);
            let swap = positive & odd;
            // Negated before it is known whether g is odd, which comes last.
            let (addend, change) = ((f ^ positive) - positive, (f ^ g) & swap);
            g = (g + (addend & odd)) >> 1;
            f ^= change;
            *zeta = (*zeta ^ swap) - 1;
        }
        // Entries are from 1 - 2^20 to 2^20, and f and g of 20 bits with a sign.
        let entries = |x: i64| {
            let high = (x + (1 << 41) + (1 << THIRD)) >> 42;
            let low = (x - (high << 42) + (1 << THIRD)) >> 21;
            [-low, -high]
        };
        Matrix([entries(f), entries(g)])
    }

    /// f and g after the steps of a third, as far as their lowest digits tell.
    fn lowest(&self, f: i64, g: i64) -> (i64, i64) {
        let [f, g] = self
            .0
            .map(|[a, b]| a.wrapping_mul(f).wrapping_add(b.wrapping_mul(g)) >> THIRD);
        (f, g)
    }

    /// These steps after others.
    fn times(&self, Matrix([[u, v], [q, r]]): &Matrix) -> Matrix {
        Matrix(self.0.map(|[a, b]| [a * u + b * q, a * v + b * r]))
    }

    /// The two products with a digit of each number.
    #[inline(always)]
    fn rows(&self, x: i64, y: i64) -> [i128; 2] {
        let (x, y) = (i128::from(x), i128::from(y));
        self.0.map(|[a, b]| i128::from(a) * x + i128::from(b) * y)
    }

    #[inline(always)]
    fn apply(&self, f: &mut [i64], g: &mut [i64]) {
        // The lowest digit of both becomes 0 and falls off.
        let [mut f_sum, mut g_sum] = self.rows(f[0], g[0]).map(|sum| sum >> DIGIT_BITS);
        for i in 1..f.len() {
            let [x, y] = self.rows(f[i], g[i]);
            (f_sum, g_sum) = (f_sum + x, g_sum + y);
            (f[i - 1], g[i - 1]) = (f_sum as i64 & MASK, g_sum as i64 & MASK);
            (f_sum, g_sum) = (f_sum >> DIGIT_BITS, g_sum >> DIGIT_BITS);
        }
        let last = f.len() - 1;
        (f[last], g[last]) = (f_sum as i64, g_sum as i64);
    }

    /// The same modulo m, on numbers above -2m and below m; `n0` is -m^-1 mod 2^60.
    #[inline(always)]
    fn apply_modulo(&self, d: &mut [i64], e: &mut [i64], m: &[i64], n0: Limb) {
        // What is below zero gets m, so that both are between -m and m; then as much of m is taken away as makes the
        // lowest digit 0, and at most 2^60 m.
        let below_zero = [sign(d), sign(e)];
        let low = self.rows(d[0], e[0]);
        let [k, l] = [0, 1].map(|i| {
            let [a, b] = self.0[i];
            let add = (a & below_zero[0]) + (b & below_zero[1]);
            let low = (low[i] as i64).wrapping_add(add.wrapping_mul(m[0]));
            i128::from(add - (low.wrapping_mul((n0 as i64).wrapping_neg()) & MASK))
        });
        let (mut d_sum, mut e_sum) = (0, 0);
        for i in 0..m.len() {
            let [x, y] = self.rows(d[i], e[i]);
            let m = i128::from(m[i]);
            (d_sum, e_sum) = (d_sum + x + k * m, e_sum + y + l * m);
            if i > 0 {
                (d[i - 1], e[i - 1]) = (d_sum as i64 & MASK, e_sum as i64 & MASK);
            }
            (d_sum, e_sum) = (d_sum >> DIGIT_BITS, e_sum >> DIGIT_BITS);
        }
        let last = m.len() - 1;
        (d[last], e[last]) = (d_sum as i64, e_sum as i64);
    }
}

/// All ones if the number is below zero, else 0, in a form that the optimiser cannot turn into a branch.
fn sign(x: &[i64]) -> i64 {
    black_box(x[x.len() - 1] >> (i64::BITS - 1))
}

/// `x := x + m` if `add` is all ones, or `x := -x` if `negate` is.
fn adjust(x: &mut [i64], negate: i64, m: &[i64], add: i64) {
    let mut carry = 0;
    let last = x.len() - 1;
    for (i, (x, m)) in x.iter_mut().zip(m).enumerate() {
        carry += ((*x ^ negate) - negate) + (m & add);
        *x = if i < last { carry & MASK } else { carry };
        carry >>= DIGIT_BITS;
    }
}

fn magnitude(x: &mut [i64]) {
    let (sign, zero) = (sign(x), vec![0; x.len()]);
    adjust(x, sign, &zero, 0);
}

/// The digits of a number of `bits` bits, with room for a sign and a factor of 2.
fn digits(x: &Nat, bits: usize) -> Digits {
    let mut digits = Zeroizing::new(vec![0; bits / DIGIT_BITS + 1]);
    split(x.limbs(), &mut digits);
    digits
}

/// The number of digits that are none below zero.
fn join_nat(x: &[i64], width: usize) -> Nat {
    let mut r = Nat::zeros(x.len() + 1);
    join(x, r.limbs_mut());
    r.truncate(width)
}

/// The lowest digits of a number.
fn split(limbs: &[Limb], digits: &mut [i64]) {
    let limb = |i: usize| u128::from(limbs.get(i).copied().unwrap_or(0));
    for (i, digit) in digits.iter_mut().enumerate() {
        let (at, shift) = (DIGIT_BITS * i / LIMB_BITS, DIGIT_BITS * i % LIMB_BITS);
        *digit = ((limb(at) | limb(at + 1) << LIMB_BITS) >> shift) as i64 & MASK;
    }
}

/// The number of these digits, added to limbs that are 0.
fn join(digits: &[i64], limbs: &mut [Limb]) {
    for (i, &digit) in digits.iter().enumerate() {
        let (at, shift) = (DIGIT_BITS * i / LIMB_BITS, DIGIT_BITS * i % LIMB_BITS);
        let digit = (digit as u128) << shift;
        for (limb, part) in limbs[at..]
            .iter_mut()
            .zip([digit as Limb, (digit >> LIMB_BITS) as Limb])
        {
            *limb |= part;
        }
    }
}
