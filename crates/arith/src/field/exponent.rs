//! Constants for powers to public exponents, computed from the modulus at compile time.

use crate::word::bit;
use carrysave_kernels::{
    Limb,
    fp::{MAX_LIMBS, Residue},
};
use core::marker::PhantomData;

/// A public exponent, or a modulus.
pub(super) type Limbs = [Limb; MAX_LIMBS];

/// Constants of a field.
pub(super) struct Constants<R>(PhantomData<R>);

impl<R: Residue> Constants<R> {
    /// s, where `p - 1 = q 2^s` with an odd q.
    pub(super) const TWOS: usize = {
        let mut s = 0;
        while bit(&sub(R::MODULUS, 1), s) == 0 {
            s += 1;
        }
        s
    };
    /// q.
    pub(super) const ODD: Limbs = shr(sub(R::MODULUS, 1), Self::TWOS);
    /// `(q - 1) / 2`
    pub(super) const HALF_ODD: Limbs = shr(Self::ODD, 1);
    /// The least non-square that is 2 or odd.
    pub(super) const NON_RESIDUE: Limb = {
        let p = R::MODULUS;
        let mut n = 2;
        while jacobi(n, &p) != -1 {
            n += if n == 2 { 1 } else { 2 };
        }
        n
    };
}

const fn sub(mut x: Limbs, limb: Limb) -> Limbs {
    let (low, mut borrow) = x[0].overflowing_sub(limb);
    x[0] = low;
    let mut i = 1;
    while i < MAX_LIMBS {
        (x[i], borrow) = x[i].overflowing_sub(borrow as Limb);
        i += 1;
    }
    x
}

const fn shr(x: Limbs, bits: usize) -> Limbs {
    let mut r = [0; MAX_LIMBS];
    let mut i = 0;
    while i + bits < 64 * MAX_LIMBS {
        r[i / 64] |= bit(&x, i + bits) << (i % 64);
        i += 1;
    }
    r
}

/// The number of bits, 0 for 0.
pub(super) const fn bits(x: &Limbs) -> usize {
    let mut i = 64 * MAX_LIMBS;
    while i > 0 && bit(x, i - 1) == 0 {
        i -= 1;
    }
    i
}

/// The Jacobi symbol (n/p) for n = 2 or odd, and odd p (HAC 2.149).
const fn jacobi(n: Limb, p: &Limbs) -> i32 {
    if n == 2 {
        return if matches!(p[0] % 8, 1 | 7) { 1 } else { -1 };
    }
    let mut rest = 0;
    let mut i = MAX_LIMBS;
    while i > 0 {
        i -= 1;
        rest = ((rest << 64 | p[i] as u128) % n as u128) as Limb as u128;
    }
    let (mut a, mut m) = (rest as Limb, n);
    let mut sign = if n % 4 == 3 && p[0] % 4 == 3 { -1 } else { 1 };
    while a != 0 {
        while a % 2 == 0 {
            a /= 2;
            if matches!(m % 8, 3 | 5) {
                sign = -sign;
            }
        }
        (a, m) = (m, a);
        if a % 4 == 3 && m % 4 == 3 {
            sign = -sign;
        }
        a %= m;
    }
    if m == 1 { sign } else { 0 }
}
