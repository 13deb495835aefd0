//! In plain Rust.

use crate::{
    Limb,
    fp::{load, mersenne521, store},
};

/// # Safety
/// The contract of `fp_m521_mul`.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, b: *const Limb) {
    // SAFETY: operands have nine limbs.
    unsafe { store(r, mersenne521::mul(&load(a), &load(b))) }
}
