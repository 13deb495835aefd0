//! Plain Rust.

use crate::{
    Limb,
    fp::{load, montgomery::product, store},
};

/// # Safety
/// The contract of `fp_mont_mul`.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, b: *const Limb, n: *const Limb, n0: Limb) {
    // SAFETY: operands have four limbs.
    unsafe { store(r, product::<4>(&load(a), &load(b), &load(n), n0)) }
}
