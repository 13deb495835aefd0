//! AES instructions on one block, eight in flight.

use crate::{
    Limb,
    aes::{
        lanes::{Call, cbc_encrypt},
        vectors::Xmm,
    },
};

/// # Safety
/// The contract of `aes_cbc_encrypt`; the processor has AES instructions.
#[target_feature(enable = "aes,ssse3")]
pub unsafe fn kernel(
    r: *mut Limb,
    x: *const Limb,
    keys: *const Limb,
    c: *const Limb,
    n: usize,
    m: usize,
    s: usize,
) {
    // SAFETY: the same contract.
    unsafe {
        let call = Call::new(r, x, keys, m, [0; 2]);
        cbc_encrypt::<Xmm>(&call, c.cast(), n / s, s)
    }
}
