//! Plain Rust: leaf by leaf, block by block.

use crate::{Limb, threefish::rounds::leaf};

/// # Safety
/// The contract of `threefish_ubi`.
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
            4 => leaves::<4>(r, g, x, t, n, s),
            8 => leaves::<8>(r, g, x, t, n, s),
            _ => leaves::<16>(r, g, x, t, n, s),
        }
    }
}

/// # Safety
/// The contract, for blocks of W words.
unsafe fn leaves<const W: usize>(
    r: *mut Limb,
    g: *const Limb,
    x: *const Limb,
    t: [Limb; 2],
    n: usize,
    s: usize,
) {
    for i in 0..n / s {
        // SAFETY: leaf i of n / s has its s blocks at W s i, and its result is block i.
        unsafe { leaf::<W>(r.add(W * i), g, x.add(W * s * i), t, s * i, s) };
    }
}
