//! AVX-512 IFMA on 256-bit vectors: four digits a register, the accumulators in registers where they fit, up to 32
//! digits; longer numbers go to `ifma512`.

use crate::{
    Limb,
    radix52::{
        ams::ifma512,
        rows::{SCALAR, by_vectors},
    },
    simd::YmmVl,
};

/// # Safety
/// The contract of `radix52_ams`; the processor has [`IFMA`](crate::radix52::IFMA).
#[target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")]
pub unsafe fn kernel(
    r: *mut Limb,
    a: *const Limb,
    n: *const Limb,
    blocks: usize,
    m: usize,
    k0: Limb,
) {
    if blocks > 4 {
        // More registers than there are: the wider ones do the same with half as many.
        // SAFETY: the same contract; the same needs.
        return unsafe { ifma512::kernel(r, a, n, blocks, m, k0) };
    }
    // Half of the last block is left out where it counts nothing.
    let vectors = m.div_ceil(4);
    // SAFETY: the same contract; the digits of the operands that are left out are 0, as are those of the result.
    unsafe {
        by_vectors!(vectors, YmmVl, square<SCALAR> (r, a, n, m, k0); 1 2 3 4 5 6 7 8);
        r.add(4 * vectors).write_bytes(0, 8 * blocks - 4 * vectors);
    }
}
