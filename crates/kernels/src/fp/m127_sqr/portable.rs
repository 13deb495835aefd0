//! In plain Rust.

use crate::{
    Limb,
    fp::mersenne127::{self, load, store},
};

/// # Safety
/// The contract of `fp_m127_sqr`.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb) {
    // SAFETY: operands have two limbs.
    unsafe { store(r, mersenne127::sqr(load(a))) }
}
