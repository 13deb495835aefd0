//! The loops of the vectors on plain words, for numbers of some lengths; others go to `portable`.
//!
//! On x86-64 the loops enable what registers need, so that words need it, too.

use super::by_vectors;
use crate::{
    Isa, Limb,
    radix52::{IFMA, amm},
    simd::Words,
};

/// What the loops enable.
pub(in crate::radix52) const NEEDS: Isa = match cfg!(all(target_arch = "x86_64", not(miri))) {
    true => IFMA,
    false => Isa::NONE,
};

/// `radix52_amm`, its quotient digits found as `HOW` says.
///
/// # Safety
/// The contract of `radix52_amm`.
pub(in crate::radix52) unsafe fn amm<const HOW: u8>(
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    n: *const Limb,
    blocks: usize,
    m: usize,
    k0: Limb,
) {
    // SAFETY: the same contract.
    unsafe {
        if !matches!(blocks, 1..=5 | 12) {
            return amm::portable::kernel(r, a, b, n, blocks, m, k0);
        }
        by_vectors!(blocks, Words<8>, one<HOW> (r, a, b, n, m, k0); 1 2 3 4 5 12)
    }
}

/// `radix52_ams`, its quotient digits found as `HOW` says.
///
/// # Safety
/// The contract of `radix52_ams`.
pub(in crate::radix52) unsafe fn ams<const HOW: u8>(
    r: *mut Limb,
    a: *const Limb,
    n: *const Limb,
    blocks: usize,
    m: usize,
    k0: Limb,
) {
    // SAFETY: the same contract.
    unsafe {
        if !matches!(blocks, 1..=5 | 12) {
            return amm::portable::kernel(r, a, a, n, blocks, m, k0);
        }
        by_vectors!(blocks, Words<8>, square<HOW> (r, a, n, m, k0); 1 2 3 4 5 12)
    }
}

/// `radix52_amm_x2`, its quotient digits found as `HOW` says.
///
/// # Safety
/// The contract of `radix52_amm_x2`.
pub(in crate::radix52) unsafe fn amm_x2<const HOW: u8>(
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    n: *const Limb,
    k0: *const Limb,
    blocks: usize,
    m: usize,
) {
    // SAFETY: the same contract.
    unsafe { by_vectors!(blocks, Words<8>, pair<HOW> (r, a, b, n, k0, 8 * blocks, m); 1 2 3 4 5) }
}

/// `radix52_ams_x2`, its quotient digits found as `HOW` says.
///
/// # Safety
/// The contract of `radix52_ams_x2`.
pub(in crate::radix52) unsafe fn ams_x2<const HOW: u8>(
    r: *mut Limb,
    a: *const Limb,
    n: *const Limb,
    k0: *const Limb,
    blocks: usize,
    m: usize,
) {
    // SAFETY: the same contract.
    unsafe {
        by_vectors!(blocks, Words<8>, square_pair<HOW> (r, a, n, k0, 8 * blocks, m); 1 2 3 4 5)
    }
}
