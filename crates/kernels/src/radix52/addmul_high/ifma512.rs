//! AVX-512 IFMA on 512-bit vectors: as `radix52_addmul`, in some of the columns.

use crate::{Limb, radix52::addmul::ifma512::columns};

/// # Safety
/// The contract of `radix52_addmul_high`; the processor has [`IFMA`](crate::radix52::IFMA).
#[target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")]
pub unsafe fn kernel(t: *mut Limb, a: *const Limb, n: usize, b: *const Limb, m: usize) {
    // SAFETY: the same contract.
    unsafe { columns(t.wrapping_sub(8 * (m - 1)), a, n, b, m, m - 1, n + m) }
}
