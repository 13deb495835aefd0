//! Plain Rust: residues as integers.

use crate::{
    Limb,
    ntt::{coefficients::crt, words::Words},
};

/// # Safety
/// The contract of `ntt_crt`.
pub unsafe fn kernel(r: *mut Limb, x: [*const Limb; 5], n: usize, m: usize) {
    // SAFETY: the caller's word.
    unsafe {
        match m {
            3 => crt::<Words, 3, 3>(r, x, n),
            4 => crt::<Words, 4, 4>(r, x, n),
            _ => crt::<Words, 5, 4>(r, x, n),
        }
    }
}
