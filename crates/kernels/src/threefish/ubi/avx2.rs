//! AVX2: four leaves a vector; of Threefish-256 two vectors are in flight. One leaf is left to scalar code.

use crate::{
    Limb,
    threefish::sliced::{Ymm, ubi},
};

/// # Safety
/// The contract of `threefish_ubi`; the processor has AVX2.
pub unsafe fn kernel(
    r: *mut Limb,
    g: *const Limb,
    x: *const Limb,
    t: *const Limb,
    n: usize,
    m: usize,
    s: usize,
) {
    // SAFETY: the same contract; two words of the tweak.
    unsafe {
        let t = [*t, *t.add(1)];
        match m {
            4 => leaves::<4, 2>(r, g, x, t, n, s),
            8 => leaves::<8, 1>(r, g, x, t, n, s),
            _ => leaves::<16, 1>(r, g, x, t, n, s),
        }
    }
}

/// # Safety
/// As `ubi`.
#[target_feature(enable = "avx2")]
unsafe fn leaves<const W: usize, const K: usize>(
    r: *mut Limb,
    g: *const Limb,
    x: *const Limb,
    t: [Limb; 2],
    n: usize,
    s: usize,
) {
    // SAFETY: as the caller says.
    unsafe { ubi::<Ymm, W, K>(r, g, x, t, n, s) }
}
