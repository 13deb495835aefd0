//! AES instructions on one block, eight in flight.

use crate::{
    Limb,
    aes::{
        lanes::{CBC_DECRYPT, Call, run, words},
        vectors::Xmm,
    },
};

/// # Safety
/// The contract of `aes_cbc_decrypt`; the processor has AES instructions.
#[target_feature(enable = "aes,ssse3")]
pub unsafe fn kernel(
    r: *mut Limb,
    x: *const Limb,
    keys: *const Limb,
    c: *const Limb,
    n: usize,
    m: usize,
) {
    // SAFETY: the same contract.
    unsafe {
        let call = Call::new(r, x, keys, m, words(c));
        run::<Xmm, CBC_DECRYPT>(&call, n)
    }
}
