//! AVX-512: a register at a time, the ripple of its carries by one addition.

use crate::{Limb, radix52::ifma::Rows512};

/// # Safety
/// The contract of `radix52_add`; the processor has [`IFMA`](crate::radix52::IFMA).
#[target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")]
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, b: *const Limb, n: usize) -> Limb {
    // SAFETY: the same contract.
    unsafe { Rows512::<1>::pay_sum(a.cast(), Some(b.cast()), n, r) }
}
