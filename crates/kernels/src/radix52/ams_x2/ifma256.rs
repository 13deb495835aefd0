//! AVX-512 IFMA on 256-bit vectors: the rows of both in turn, the accumulators in registers where they fit.

use crate::{
    Limb,
    radix52::ifma::{Rows256, SCALAR, by_registers},
};

/// # Safety
/// The contract of `radix52_ams_x2`; the processor has
/// [`IFMA`](crate::radix52::IFMA).
#[target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")]
pub unsafe fn kernel(
    r: *mut Limb,
    a: *const Limb,
    n: *const Limb,
    k0: *const Limb,
    blocks: usize,
    m: usize,
) {
    let d = 8 * blocks;
    let registers = m.div_ceil(4);
    // SAFETY: the same contract; half of the last block is left out where it counts nothing: the digits of a and n
    // there are 0, as are those of the results.
    unsafe {
        by_registers!(registers, Rows256::square_pair<SCALAR>(r, a, n, k0, d, m), 1 2 3 4 5 6 7 8 9 10);
        for half in [r, r.add(d)] {
            half.add(4 * registers).write_bytes(0, d - 4 * registers);
        }
    }
}
