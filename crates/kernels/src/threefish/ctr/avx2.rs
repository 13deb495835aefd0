//! AVX2: four blocks a vector; of Threefish-256 two vectors are in flight. Counters need no transposition.

use crate::{
    Limb,
    threefish::sliced::{Counter, Ymm, run},
};

/// # Safety
/// The contract of `threefish_ctr`; the processor has AVX2.
pub unsafe fn kernel(
    r: *mut Limb,
    x: *const Limb,
    key: *const Limb,
    t: *const Limb,
    c: *const Limb,
    n: usize,
    m: usize,
) {
    // SAFETY: the same contract; two words of the tweak.
    unsafe {
        let t = [*t, *t.add(1)];
        match m {
            4 => blocks::<4, 2>(r, x, key, t, c, n),
            8 => blocks::<8, 1>(r, x, key, t, c, n),
            _ => blocks::<16, 1>(r, x, key, t, c, n),
        }
    }
}

/// # Safety
/// The contract, for blocks of W words; the processor has AVX2.
#[target_feature(enable = "avx2")]
unsafe fn blocks<const W: usize, const K: usize>(
    r: *mut Limb,
    x: *const Limb,
    key: *const Limb,
    t: [Limb; 2],
    c: *const Limb,
    n: usize,
) {
    // SAFETY: as the caller says; W words of the counter.
    unsafe {
        let first = core::array::from_fn(|i| *c.add(i));
        run::<_, Ymm, W, K>(&Counter { t, first }, r, x, key, n)
    }
}
