//! AVX-512: eight blocks a vector; of Threefish-256 six vectors are in flight, of -512 three, of -1024 one.

use crate::{
    Limb,
    threefish::sliced::{Code, Zmm, run},
};

/// # Safety
/// The contract of `threefish_encrypt`; the processor has AVX-512 F.
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
            4 => blocks::<4, 6>(&code, r, x, key, n),
            8 => blocks::<8, 3>(&code, r, x, key, n),
            _ => blocks::<16, 1>(&code, r, x, key, n),
        }
    }
}

/// # Safety
/// As `run`.
#[target_feature(enable = "avx512f")]
unsafe fn blocks<const W: usize, const K: usize>(
    code: &Code<false>,
    r: *mut Limb,
    x: *const Limb,
    key: *const Limb,
    n: usize,
) {
    // SAFETY: as the caller says.
    unsafe { run::<_, Zmm, W, K>(code, r, x, key, n) }
}
