//! AVX-512 IFMA on 256-bit vectors: the rows of both in turn, the accumulators in registers where they fit, up to 24
//! digits; longer numbers go to `ifma512`.

use crate::{
    Limb,
    radix52::{
        ams_x2::ifma512,
        rows::{SCALAR, by_vectors},
    },
    simd::YmmVl,
};

/// # Safety
/// The contract of `radix52_ams_x2`; the processor has [`IFMA`](crate::radix52::IFMA).
#[target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")]
pub unsafe fn kernel(
    r: *mut Limb,
    a: *const Limb,
    n: *const Limb,
    k0: *const Limb,
    blocks: usize,
    m: usize,
) {
    if blocks > 3 {
        // More registers than there are: the wider ones do the same with half as many.
        // SAFETY: the same contract; the same needs.
        return unsafe { ifma512::kernel(r, a, n, k0, blocks, m) };
    }
    // Half of the last block is left out where it counts nothing.
    let vectors = m.div_ceil(4);
    // SAFETY: the same contract; the digits of the operands that are left out are 0, as are those of the result.
    unsafe {
        by_vectors!(vectors, YmmVl, square_pair<SCALAR> (r, a, n, k0, 8 * blocks, m); 1 2 3 4 5 6);
        for half in [r, r.add(8 * blocks)] {
            half.add(4 * vectors)
                .write_bytes(0, 8 * blocks - 4 * vectors);
        }
    }
}
