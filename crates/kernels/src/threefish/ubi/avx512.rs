//! AVX-512: eight leaves a vector; of Threefish-256 six vectors are in flight, of -512 three. One leaf is left to scalar code.

use crate::{
    Limb,
    threefish::sliced::{Zmm, ubi},
};

/// # Safety
/// The contract of `threefish_ubi`; the processor has AVX-512 F.
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
            4 => leaves::<4, 6>(r, g, x, t, n, s),
            8 => leaves::<8, 3>(r, g, x, t, n, s),
            _ => leaves::<16, 1>(r, g, x, t, n, s),
        }
    }
}

/// # Safety
/// As `ubi`.
#[target_feature(enable = "avx512f")]
unsafe fn leaves<const W: usize, const K: usize>(
    r: *mut Limb,
    g: *const Limb,
    x: *const Limb,
    t: [Limb; 2],
    n: usize,
    s: usize,
) {
    // SAFETY: as the caller says.
    unsafe { ubi::<Zmm, W, K>(r, g, x, t, n, s) }
}
