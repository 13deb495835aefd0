//! AVX2: four blocks a vector; of Threefish-256 two vectors are in flight, of the others one, which fills the registers.

use crate::{
    Limb,
    threefish::sliced::{Code, Ymm, run},
};

/// # Safety
/// The contract of `threefish_encrypt`; the processor has AVX2.
pub unsafe fn kernel(
    r: *mut Limb,
    x: *const Limb,
    key: *const Limb,
    t: *const Limb,
    n: usize,
    m: usize,
    s: Limb,
) {
    // SAFETY: the same contract; two words of the tweak.
    unsafe {
        let code = Code {
            t: [*t, *t.add(1)],
            step: s,
        };
        match m {
            4 => blocks::<4, 2>(&code, r, x, key, n),
            8 => blocks::<8, 1>(&code, r, x, key, n),
            _ => blocks::<16, 1>(&code, r, x, key, n),
        }
    }
}

/// # Safety
/// As `run`.
#[target_feature(enable = "avx2")]
unsafe fn blocks<const W: usize, const K: usize>(
    code: &Code<false>,
    r: *mut Limb,
    x: *const Limb,
    key: *const Limb,
    n: usize,
) {
    // SAFETY: as the caller says.
    unsafe { run::<_, Ymm, W, K>(code, r, x, key, n) }
}
