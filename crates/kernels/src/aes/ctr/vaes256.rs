//! AES instructions on two blocks a vector, eight vectors in flight.

use crate::{
    Limb,
    aes::{
        lanes::{CTR, Call, run, words},
        vectors::Ymm,
    },
};

/// # Safety
/// The contract of `aes_ctr`; the processor has [`VAES256`](crate::aes::VAES256).
#[target_feature(enable = "aes,avx2,vaes")]
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
        run::<Ymm, CTR>(&call, n)
    }
}
