//! AES instructions on four blocks a vector, eight vectors in flight.

use crate::{
    Limb,
    aes::{
        lanes::{Call, ENCRYPT, run},
        vectors::Zmm,
    },
};

/// # Safety
/// The contract of `aes_encrypt`; the processor has [`VAES512`](crate::aes::VAES512).
#[target_feature(enable = "aes,avx2,vaes,avx512f,avx512bw")]
pub unsafe fn kernel(r: *mut Limb, x: *const Limb, keys: *const Limb, n: usize, m: usize) {
    // SAFETY: the same contract.
    unsafe {
        let call = Call::new(r, x, keys, m, [0; 2]);
        run::<Zmm, ENCRYPT>(&call, n)
    }
}
