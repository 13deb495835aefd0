//! The Montgomery product modulo P-256 or P-384, by the code that serves any prime.

use crate::{
    Limb,
    fp::{load, montgomery::product, nist, store},
};

/// # Safety
/// The contract of `fp_nist_mul`.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, b: *const Limb, n: usize) {
    use nist::{P256, P256_N0, P384, P384_N0};
    // SAFETY: operands have n limbs, 4 or 6.
    unsafe {
        match n {
            4 => store(r, product(&load(a), &load(b), &P256, P256_N0)),
            _ => store(r, product(&load(a), &load(b), &P384, P384_N0)),
        }
    }
}
