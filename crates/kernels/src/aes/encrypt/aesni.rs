//! AES instructions on one block, eight in flight.

use crate::{
    Limb,
    aes::{
        lanes::{Call, ENCRYPT, run},
        vectors::Xmm,
    },
};

/// # Safety
/// The contract of `aes_encrypt`; the processor has AES instructions.
#[target_feature(enable = "aes,ssse3")]
pub unsafe fn kernel(r: *mut Limb, x: *const Limb, keys: *const Limb, n: usize, m: usize) {
    // SAFETY: the same contract.
    unsafe {
        let call = Call::new(r, x, keys, m, [0; 2]);
        run::<Xmm, ENCRYPT>(&call, n)
    }
}
