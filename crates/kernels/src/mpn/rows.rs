//! Products, squares and Montgomery's reduction by rows of one limb, for whatever multiplies a row.

use super::{
    montgomery::subtract_once,
    word::{adc, mac},
};
use crate::Limb;

/// What multiplies rows by one limb.
///
/// # Safety
/// Of each function: the contract of the operation of this name; the processor has what the rows need.
pub(super) trait Rows {
    unsafe fn mul_1(r: *mut Limb, a: *const Limb, n: usize, b: Limb) -> Limb;
    unsafe fn addmul_1(r: *mut Limb, a: *const Limb, n: usize, b: Limb) -> Limb;
    unsafe fn sub_n(r: *mut Limb, a: *const Limb, b: *const Limb, n: usize) -> Limb;
}

/// Rows in plain Rust.
pub(super) struct Plain;

impl Rows for Plain {
    #[inline(always)]
    unsafe fn mul_1(r: *mut Limb, a: *const Limb, n: usize, b: Limb) -> Limb {
        // SAFETY: the contract.
        unsafe { super::mul_1::portable::kernel(r, a, n, b) }
    }

    #[inline(always)]
    unsafe fn addmul_1(r: *mut Limb, a: *const Limb, n: usize, b: Limb) -> Limb {
        // SAFETY: the contract.
        unsafe { super::addmul_1::portable::kernel(r, a, n, b) }
    }

    #[inline(always)]
    unsafe fn sub_n(r: *mut Limb, a: *const Limb, b: *const Limb, n: usize) -> Limb {
        // SAFETY: the contract.
        unsafe { super::sub_n::portable::kernel(r, a, b, n) }
    }
}

/// The product: one row for each limb of b.
///
/// # Safety
/// The contract of `mpn_mul_basecase`; the processor has what the rows need.
#[inline(always)]
pub(super) unsafe fn product<R: Rows>(
    r: *mut Limb,
    a: *const Limb,
    n: usize,
    b: *const Limb,
    m: usize,
) {
    // SAFETY: row j writes r[j .. j + n] and then r[j + n], j < m.
    unsafe {
        *r.add(n) = R::mul_1(r, a, n, *b);
        for j in 1..m {
            *r.add(j + n) = R::addmul_1(r.add(j), a, n, *b.add(j));
        }
    }
}

/// The square: the cross products by rows, then one pass that doubles them and adds the squares.
///
/// # Safety
/// The contract of `mpn_sqr_basecase`; the processor has what the rows need.
#[inline(always)]
pub(super) unsafe fn square<R: Rows>(r: *mut Limb, a: *const Limb, n: usize) {
    // SAFETY: row i writes r[2i + 1 .. n + i] and then r[n + i]; the pass writes r[2i], r[2i + 1]; i < n.
    unsafe {
        (*r, *r.add(2 * n - 1)) = (0, 0);
        if n > 1 {
            *r.add(n) = R::mul_1(r.add(1), a.add(1), n - 1, *a);
        }
        for i in 1..n - 1 {
            let row = n - 1 - i;
            *r.add(n + i) = R::addmul_1(r.add(2 * i + 1), a.add(i + 1), row, *a.add(i));
        }
        let (mut carry, mut top_bit) = (0, 0);
        for i in 0..n {
            let (x, y) = (*r.add(2 * i), *r.add(2 * i + 1));
            let (square, high) = mac(*a.add(i), *a.add(i), 0, 0);
            let (low, c) = adc(x << 1 | top_bit, square, carry);
            let (high, c) = adc(y << 1 | x >> 63, high, c);
            (*r.add(2 * i), *r.add(2 * i + 1)) = (low, high);
            (carry, top_bit) = (c, y >> 63);
        }
    }
}

/// Montgomery's reduction: one limb of quotient a row, then the final subtraction.
///
/// # Safety
/// The contract of `mpn_redc_1`; the processor has what the rows need.
#[inline(always)]
pub(super) unsafe fn reduction<R: Rows>(
    r: *mut Limb,
    t: *mut Limb,
    n: *const Limb,
    k: usize,
    n0: Limb,
) {
    // SAFETY: row i touches t[i .. i + k] and t[i + k], i < k.
    unsafe {
        let mut top = 0; // owed at t[i + k]; t / R < 2n, so that it never exceeds 1
        for i in 0..k {
            let q = (*t.add(i)).wrapping_mul(n0);
            let carry = R::addmul_1(t.add(i), n, k, q);
            (*t.add(i + k), top) = adc(*t.add(i + k), carry, top);
        }
        subtract_once(R::sub_n, r, t, n, k, top);
    }
}

/// Montgomery's product by SOS, the product first and then its reduction.
///
/// # Safety
/// The contract of `mpn_mont_mul`; the processor has what the rows need.
#[inline(always)]
pub(super) unsafe fn mont_mul<R: Rows>(
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    n: *const Limb,
    k: usize,
    n0: Limb,
    t: *mut Limb,
) {
    // SAFETY: t has 2k limbs; a * b < n^2 < n * R.
    unsafe {
        product::<R>(t, a, k, b, k);
        reduction::<R>(r, t, n, k, n0);
    }
}

/// Montgomery's squares by SOS, m of them one after the other.
///
/// # Safety
/// The contract of `mpn_mont_sqr`; the processor has what the rows need.
#[inline(always)]
pub(super) unsafe fn mont_sqr<R: Rows>(
    r: *mut Limb,
    a: *const Limb,
    n: *const Limb,
    k: usize,
    n0: Limb,
    t: *mut Limb,
    m: usize,
) {
    // SAFETY: t has 2k limbs; a^2 < n * R.
    unsafe {
        let mut from = a;
        for _ in 0..m {
            square::<R>(t, from, k);
            reduction::<R>(r, t, n, k, n0);
            from = r;
        }
    }
}
