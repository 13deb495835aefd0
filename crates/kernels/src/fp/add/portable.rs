//! Plain Rust.

use crate::{
    Limb,
    fp::{load, montgomery::sum, store},
};

/// # Safety
/// The contract of `fp_add`.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, b: *const Limb, n: *const Limb) {
    // SAFETY: operands have four limbs.
    unsafe { store(r, sum::<4>(&load(a), &load(b), &load(n))) }
}
