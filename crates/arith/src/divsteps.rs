//! Division steps: common divisors and inverses in constant time (Bernstein, Yang: Fast constant-time gcd computation
//! and modular inversion, CHES 2019), beginning with delta = 1/2 (Wuille: Bounds on divsteps iterations in safegcd).
//!
//! A step takes (delta, f, g), f odd, to (1 - delta, g, (g - f) / 2) if delta > 0 and g is odd, and otherwise to
//! (1 + delta, f, (g + (g mod 2) f) / 2). After enough of them g is 0 and f plus or minus the greatest common divisor.
//! The lowest bits of f and g decide, so [`DIGIT_BITS`] steps are worked out on one digit of each, as a matrix, and the
//! matrix is applied to the long numbers.

use crate::modulus::{digit, neg_inverse};
use crate::nat::{LIMB_BITS, Nat};
use carrysave_kernels::Limb;
use core::hint::black_box;
use zeroize::Zeroizing;

/// Bits of a digit, and steps of a matrix: as many as leave its entries a sign.
const DIGIT_BITS: usize = 62;
const MASK: i64 = (1 << DIGIT_BITS) - 1;

/// A number by digits from 0 to below 2^62, least significant first; the last one has the sign.
type Digits = Zeroizing<Vec<i64>>;

/// `gcd(f, g)` for an odd f, or 0 if both are 0; as wide as the wider one.
pub(crate) fn gcd(f: &Nat, g: &Nat) -> Nat {
    // The bound on the steps is one for g <= f, as it is of 2g + f.
    let sum = f.add(&g.shl(1));
    let (bits, width) = (LIMB_BITS * sum.width(), f.width().max(g.width()));
    let f = reduce(split(&sum, bits), split(g, bits), bits, |_| ());
    join(&magnitude(f)).truncate(width)
}

/// `gcd(a, m)` for an odd m and an a below it, and the inverse of a modulo m where that is 1; both as wide as m.
pub(crate) fn inverse(a: &Nat, m: &Nat) -> (Nat, Nat) {
    let bits = LIMB_BITS * m.width();
    let modulus = split(m, bits);
    let n0 = neg_inverse(m.limbs()[0]);
    // Modulo m, f = a d and g = a e.
    let mut d = split(&Nat::zero(), bits);
    let mut e = split(&Nat::one(), bits);
    let f = reduce(modulus.clone(), split(a, bits), bits, |matrix| {
        matrix.apply_modulo(&mut d, &mut e, &modulus, n0);
    });
    // From (-2m, m) to (-m, m), to the sign of f, to [0, m).
    let below_zero = sign(&d);
    adjust(&mut d, 0, &modulus, below_zero);
    adjust(&mut d, sign(&f), &modulus, 0);
    let below_zero = sign(&d);
    adjust(&mut d, 0, &modulus, below_zero);
    let join = |x: Digits| join(&x).truncate(m.width());
    (join(magnitude(f)), join(d))
}

/// f once g is 0, for numbers of `bits` bits with g <= f; `each` gets every matrix on the way.
fn reduce(mut f: Digits, mut g: Digits, bits: usize, mut each: impl FnMut(&Matrix)) -> Digits {
    // -(delta + 1/2)
    let mut zeta = -1;
    let steps = (45_907 * bits + 30_179) / 19_929;
    for _ in 0..steps.div_ceil(DIGIT_BITS) {
        let matrix = Matrix::of(&mut zeta, f[0], g[0]);
        matrix.apply(&mut f, &mut g);
        each(&matrix);
    }
    f
}

/// What [`DIGIT_BITS`] steps do to (f, g): it becomes 2^-62 times the products with the rows. The entries of a row are
/// 2^62 at most together.
struct Matrix([[i64; 2]; 2]);

impl Matrix {
    /// The steps that the lowest digits decide.
    fn of(zeta: &mut i64, mut f: i64, mut g: i64) -> Matrix {
        // Whoever does not know these makes no branch of a mask.
        let (one, top) = black_box((1, i64::BITS - 1));
        let ([mut u, mut v], [mut q, mut r]) = ([1, 0], [0, 1]);
        for _ in 0..DIGIT_BITS {
            let odd = -(g & one);
            let positive = *zeta >> top;
            let signed = |x: i64| ((x ^ positive) - positive) & odd;
            (g, q, r) = (g + signed(f), q + signed(u), r + signed(v));
            let swap = positive & odd;
            *zeta = (*zeta ^ swap) - 1;
            (f, u, v) = (f + (g & swap), u + (q & swap), v + (r & swap));
            (g, u, v) = (g >> 1, u << 1, v << 1);
        }
        Matrix([[u, v], [q, r]])
    }

    /// The two products with a digit of each number.
    fn rows(&self, x: i64, y: i64) -> [i128; 2] {
        let (x, y) = (i128::from(x), i128::from(y));
        self.0.map(|[a, b]| i128::from(a) * x + i128::from(b) * y)
    }

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

    /// The same modulo m, on numbers above -2m and below m; `n0` is -m^-1 mod 2^64.
    fn apply_modulo(&self, d: &mut [i64], e: &mut [i64], m: &[i64], n0: Limb) {
        // What is below zero gets m, so that both are between -m and m; then as much of m is taken away as makes the
        // lowest digit 0, and at most 2^62 m.
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

/// All ones if the number is below zero, else 0.
fn sign(x: &[i64]) -> i64 {
    x[x.len() - 1] >> (i64::BITS - 1)
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

fn magnitude(mut x: Digits) -> Digits {
    let (sign, zero) = (sign(&x), vec![0; x.len()]);
    adjust(&mut x, sign, &zero, 0);
    x
}

/// The digits of a number of `bits` bits, with room for a sign and a factor of 2.
fn split(x: &Nat, bits: usize) -> Digits {
    let len = bits / DIGIT_BITS + 1;
    let digits = (0..len).map(|i| digit(x, DIGIT_BITS * i, DIGIT_BITS) as i64);
    Zeroizing::new(digits.collect())
}

/// The number of digits that are none below zero.
fn join(x: &[i64]) -> Nat {
    let mut r = Nat::zeros(x.len() + 1);
    for (i, &digit) in x.iter().enumerate() {
        let (at, shift) = (DIGIT_BITS * i / LIMB_BITS, DIGIT_BITS * i % LIMB_BITS);
        let digit = (digit as u128) << shift;
        r.limbs_mut()[at] |= digit as Limb;
        r.limbs_mut()[at + 1] |= (digit >> LIMB_BITS) as Limb;
    }
    r
}
