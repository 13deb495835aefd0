//! What the published methods of Montgomery multiplication share: words of two sizes, and the last subtraction.
//!
//! A method takes a, b and n in s words each and 2s words of scratch memory. It leaves a * b / R, which is below 2n, in
//! the upper half of these, and returns the word above, 0 or 1. Some sum up to 2s carries in a word of their own, so that a
//! word has more than 2s values.

use super::{
    cnd_select, sub_n,
    word::{Word, add, sbb},
};
use crate::Limb;
use core::slice;

/// Runs a method on words of one size: `(r, a, b, n, k, n0, t)` as in the contract of `mpn_mont_mul`.
///
/// # Safety
/// The contract of `mpn_mont_mul`. On a big-endian machine, words are limbs.
#[allow(clippy::too_many_arguments)]
#[inline(always)]
pub(super) unsafe fn by<W: Word>(
    method: impl FnOnce(&[W], &[W], &[W], W, &mut [W]) -> W,
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    n: *const Limb,
    k: usize,
    n0: Limb,
    t: *mut Limb,
) {
    // SAFETY: the shapes of the contract; r is written when a and b are not needed any more.
    unsafe {
        let top = method(
            words(a, k),
            words(b, k),
            words(n, k),
            W::lowest(n0),
            words_mut(t, 2 * k),
        );
        subtract_once(sub_n::portable::kernel, r, t, n, k, top.into());
    }
}

/// The words of k limbs.
///
/// # Safety
/// `p` has k limbs, which are not written for as long as the words are used. On a big-endian machine, words are limbs.
pub(super) unsafe fn words<'a, W: Word>(p: *const Limb, k: usize) -> &'a [W] {
    // SAFETY: a word is a part of a limb, without padding.
    unsafe { slice::from_raw_parts(p.cast(), k * (size_of::<Limb>() / size_of::<W>())) }
}

/// The words of k limbs, to write.
///
/// # Safety
/// `p` has k limbs, which are used in no other way meanwhile. On a big-endian machine, words are limbs.
pub(super) unsafe fn words_mut<'a, W: Word>(p: *mut Limb, k: usize) -> &'a mut [W] {
    // SAFETY: a word is a part of a limb, without padding.
    unsafe { slice::from_raw_parts_mut(p.cast(), k * (size_of::<Limb>() / size_of::<W>())) }
}

/// `r := top * R + t / R  (mod n)` for such a number below 2n, always by a subtraction (HAC 14.32, step 3).
///
/// # Safety
/// r\[k\], t\[2k\] (destroyed), n\[k\]; top is 0 or 1; `sub_n` is a kernel of `mpn_sub_n` that may run here.
#[inline(always)]
pub(super) unsafe fn subtract_once(
    sub_n: sub_n::F,
    r: *mut Limb,
    t: *mut Limb,
    n: *const Limb,
    k: usize,
    top: Limb,
) {
    // SAFETY: the shapes above.
    unsafe {
        let high = t.add(k);
        let borrow = sub_n(t, high, n, k);
        let below = sbb(top, 0, borrow).1; // top * R + high < n
        cnd_select::portable::kernel(below, r, high, t, k);
    }
}

/// `ADD` of the paper: adds a word to `low` and then `high`, for as long as it carries.
#[inline(always)]
pub(super) fn ripple_vartime<W: Word>(low: &mut [W], high: &mut [W], word: W) {
    let mut carry = word;
    for place in low.iter_mut().chain(high) {
        (*place, carry) = add(*place, carry);
        if carry == W::ZERO {
            return;
        }
    }
}
