//! Division steps: common divisors and inverses in constant time (Bernstein, Yang: Fast constant-time gcd computation
//! and modular inversion, CHES 2019), beginning with delta = 1/2 (Wuille: Bounds on divsteps iterations in safegcd).
//!
//! A step takes (delta, f, g), f odd, to (1 - delta, g, (g - f) / 2) if delta > 0 and g is odd, and otherwise to
//! (1 + delta, f, (g + (g mod 2) f) / 2). After enough steps g is 0, and f is plus or minus the greatest common
//! divisor. The lowest bits of f and g decide, so one digit of each gives [`DIGIT_BITS`] steps as a matrix
//! (`mpn_divsteps`), which is applied to the long numbers. Only the relative sign of f and g matters: it is reversed
//! while delta > 0, so that f is always added.

use crate::nat::{LIMB_BITS, Nat};
use crate::word;
use carrysave_kernels::{
    Limb,
    fp::{MAX_LIMBS, Residue},
    mpn::{Divsteps, Mpn},
};
use core::hint::black_box;
use zeroize::{Zeroize, Zeroizing};

/// Bits of a digit, and steps of a matrix.
const DIGIT_BITS: usize = Divsteps::STEPS;
const MASK: i64 = (1 << DIGIT_BITS) - 1;
/// Bits of a limb above a digit.
const FOUR: u32 = (LIMB_BITS - DIGIT_BITS) as u32;

/// A number in digits from 0 to below 2^60, least significant first; the last digit has the sign.
type Digits = Zeroizing<Vec<i64>>;

/// `gcd(f, g)` for an odd f, or 0 if both are 0; as wide as the wider one.
pub(crate) fn gcd(f: &Nat, g: &Nat) -> Nat {
    // The bound on the steps for g <= f also holds for 2g + f.
    let sum = f.add(&g.shl(1));
    let (bits, width) = (LIMB_BITS * sum.width(), f.width().max(g.width()));
    let (mut f, mut g) = (digits(&sum, bits), digits(g, bits));
    let (divsteps, mut zeta) = (&Mpn::native().divsteps, ZETA);
    negate(&mut f, -1);
    for _ in 0..matrices(bits) {
        Matrix::next(divsteps, &mut zeta, &f, &g).apply(&mut f, &mut g);
    }
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

/// Replaces a by its inverse modulo the prime of R, 0 by 0.
pub fn inverse_in_field<R: Residue>(a: &mut [Limb; MAX_LIMBS]) {
    const MOST: usize = LIMB_BITS * MAX_LIMBS / DIGIT_BITS + 1;
    // Specialised for the digit counts of the usual fields; generic for others.
    match R::BITS / DIGIT_BITS + 1 {
        3 => inverse_by_digits(a, const { &signed_digits::<3>(&R::MODULUS) }, R::BITS),
        5 => inverse_by_digits(a, const { &signed_digits::<5>(&R::MODULUS) }, R::BITS),
        7 => inverse_by_digits(a, const { &signed_digits::<7>(&R::MODULUS) }, R::BITS),
        9 => inverse_by_digits(a, const { &signed_digits::<9>(&R::MODULUS) }, R::BITS),
        _ => inverse_by_digits(a, const { &signed_digits::<MOST>(&R::MODULUS) }, R::BITS),
    }
}

/// For all primes of so many digits: a prime's own code is no faster, though many of its digits are 0.
#[inline(never)]
fn inverse_by_digits<const N: usize>(a: &mut [Limb; MAX_LIMBS], modulus: &[i64; N], bits: usize) {
    let mut digits = [[0; N]; 4];
    split(a, &mut digits[1]);
    let numbers = digits.each_mut().map(|number| &mut number[..]);
    invert(numbers, modulus, bits);
    a.fill(0);
    join(&digits[2], a);
    digits.zeroize();
}

/// The digits of a number, each from -2^59 to below 2^59.
const fn signed_digits<const N: usize>(limbs: &[Limb; MAX_LIMBS]) -> [i64; N] {
    let (mut digits, mut carry, mut i) = ([0; N], 0, 0);
    while i < N {
        let digit = digit(limbs, i) + carry;
        carry = if i + 1 < N {
            (digit + (1 << (DIGIT_BITS - 1))) >> DIGIT_BITS
        } else {
            0
        };
        digits[i] = digit - (carry << DIGIT_BITS);
        i += 1;
    }
    digits
}

/// Reduces a number g below m, which has `bits` bits, to 0; f becomes plus or minus their greatest common divisor, and
/// d the inverse of g modulo m if that is 1.
#[inline(always)]
fn invert([f, g, d, e]: [&mut [i64]; 4], m: &[i64], bits: usize) {
    f.copy_from_slice(m);
    d.fill(0);
    e.fill(0);
    e[0] = 1;
    let n0 = (word::neg_inverse(m[0] as Limb) as i64).wrapping_neg();
    // Modulo m, f = a d and g = a e for what g was at first.
    let (divsteps, mut zeta) = (&Mpn::native().divsteps, ZETA);
    negate(f, -1);
    let mut matrix = Matrix::next(divsteps, &mut zeta, f, g);
    for _ in 1..matrices(bits) {
        matrix.apply(f, g);
        // The next steps depend on f and g only, so the work on d and e overlaps with them.
        let next = Matrix::next(divsteps, &mut zeta, f, g);
        matrix.apply_modulo(d, e, m, n0);
        matrix = next;
    }
    matrix.apply(f, g);
    matrix.apply_modulo(d, e, m, n0);
    // From (-2m, m) to (-m, m), to the sign of f, to [0, m).
    cnd_add(d, m, sign(d));
    negate(d, sign(f));
    cnd_add(d, m, sign(d));
}

/// -(delta + 1/2) at first.
const ZETA: i64 = -1;

/// The number of matrices that take g to 0, for numbers of `bits` bits with g <= f.
fn matrices(bits: usize) -> usize {
    ((45_907 * bits + 30_179) / 19_929).div_ceil(DIGIT_BITS)
}

/// The matrix of [`DIGIT_BITS`] steps: (f, g) becomes 2^-60 times its product with the rows. The magnitudes of a row
/// sum to at most 2^60.
struct Matrix([[i64; 2]; 2]);

impl Matrix {
    /// The matrix of the steps that the lowest digits decide.
    #[inline(always)]
    fn next(divsteps: &Divsteps, zeta: &mut i64, f: &[i64], g: &[i64]) -> Matrix {
        Matrix(divsteps.call(zeta, &f[0], &g[0]))
    }

    #[inline(always)]
    fn apply(&self, f: &mut [i64], g: &mut [i64]) {
        let Matrix([row, other]) = self;
        let four = black_box(FOUR);
        // The lowest digit of both becomes 0 and falls off.
        let (mut f_sum, mut g_sum) = (product(0, row, f[0], g[0]), product(0, other, f[0], g[0]));
        for i in 1..f.len() {
            let (x, y) = (f[i], g[i]);
            f_sum = product(shift(f_sum, four), row, x, y);
            g_sum = product(shift(g_sum, four), other, x, y);
            (f[i - 1], g[i - 1]) = (f_sum as i64 & MASK, g_sum as i64 & MASK);
        }
        let last = f.len() - 1;
        (f[last], g[last]) = (shift(f_sum, four) as i64, shift(g_sum, four) as i64);
    }

    /// [`Matrix::apply`] modulo m, on numbers above -2m and below m; `n0` is m^-1 mod 2^60.
    #[inline(always)]
    fn apply_modulo(&self, d: &mut [i64], e: &mut [i64], m: &[i64], n0: i64) {
        let Matrix([row, other]) = self;
        let four = black_box(FOUR);
        // Negative numbers get m added, so both are between -m and m. Then the multiple of m that makes the lowest
        // digit 0 is subtracted, at most 2^60 m.
        let (d_below, e_below) = (sign(d), sign(e));
        let multiple = |[a, b]: &[i64; 2], low: i64| {
            let add = (a & d_below) + (b & e_below);
            let low = low.wrapping_add(add.wrapping_mul(m[0]));
            add - (low.wrapping_mul(n0) & MASK)
        };
        let (mut d_sum, mut e_sum) = (product(0, row, d[0], e[0]), product(0, other, d[0], e[0]));
        let (k, l) = (multiple(row, d_sum as i64), multiple(other, e_sum as i64));
        (d_sum, e_sum) = (d_sum + wide(k, m[0]), e_sum + wide(l, m[0]));
        for i in 1..m.len() {
            let (x, y) = (d[i], e[i]);
            d_sum = product(shift(d_sum, four), row, x, y) + wide(k, m[i]);
            e_sum = product(shift(e_sum, four), other, x, y) + wide(l, m[i]);
            (d[i - 1], e[i - 1]) = (d_sum as i64 & MASK, e_sum as i64 & MASK);
        }
        let last = m.len() - 1;
        (d[last], e[last]) = (shift(d_sum, four) as i64, shift(e_sum, four) as i64);
    }
}

/// `2^-60 sum`, with [`FOUR`] bits of the lower word: for a constant count the compiler uses a double shift, which is
/// slower.
#[inline(always)]
fn shift(sum: i128, four: u32) -> i128 {
    let (low, high) = (sum as Limb, (sum >> LIMB_BITS) as i64);
    let quotient = high.wrapping_shl(four) as Limb | low >> DIGIT_BITS;
    i128::from(high >> DIGIT_BITS) << LIMB_BITS | i128::from(quotient)
}

/// A sum with the product of a row and a digit of each number.
#[inline(always)]
fn product(sum: i128, [a, b]: &[i64; 2], x: i64, y: i64) -> i128 {
    sum + wide(*a, x) + wide(*b, y)
}

#[inline(always)]
fn wide(a: i64, b: i64) -> i128 {
    i128::from(a) * i128::from(b)
}

/// All ones if the number is below zero, else 0, in a form that the optimiser cannot turn into a branch.
fn sign(x: &[i64]) -> i64 {
    black_box(x[x.len() - 1] >> (i64::BITS - 1))
}

/// `x := x + m` if `add` is all ones.
fn cnd_add(x: &mut [i64], m: &[i64], add: i64) {
    carry(x, |i, digit| digit + (m[i] & add));
}

/// `x := -x` if the mask is all ones.
fn negate(x: &mut [i64], mask: i64) {
    carry(x, |_, digit| (digit ^ mask) - mask);
}

/// Replaces the digits, with carries.
fn carry(x: &mut [i64], to: impl Fn(usize, i64) -> i64) {
    let (mut carry, last) = (0, x.len() - 1);
    for (i, digit) in x.iter_mut().enumerate() {
        carry += to(i, *digit);
        *digit = if i < last { carry & MASK } else { carry };
        carry >>= DIGIT_BITS;
    }
}

fn magnitude(x: &mut [i64]) {
    negate(x, sign(x));
}

/// The number of digits for `bits` bits, a sign and a factor of 2.
fn digits(x: &Nat, bits: usize) -> Digits {
    let mut digits = Zeroizing::new(vec![0; bits / DIGIT_BITS + 1]);
    split(x.limbs(), &mut digits);
    digits
}

/// The number with these digits, which are not negative.
fn join_nat(x: &[i64], width: usize) -> Nat {
    let mut r = Nat::zeros(x.len() + 1);
    join(x, r.limbs_mut());
    r.truncate(width)
}

/// The lowest digits of a number.
fn split(limbs: &[Limb], digits: &mut [i64]) {
    for (i, to) in digits.iter_mut().enumerate() {
        *to = digit(limbs, i);
    }
}

/// Digit i of a number.
const fn digit(limbs: &[Limb], i: usize) -> i64 {
    word::window(limbs, DIGIT_BITS * i, DIGIT_BITS) as i64
}

/// Adds the number with these digits to limbs that are 0.
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
