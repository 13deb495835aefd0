//! Plain Rust: block by block, all rounds written out, subkeys made where they are added.

use crate::{
    Limb,
    threefish::rounds::{self, encrypt_block, read, write},
};

/// # Safety
/// The contract of `threefish_ctr`.
pub unsafe fn kernel(
    r: *mut Limb,
    x: *const Limb,
    key: *const Limb,
    t: *const Limb,
    c: *const Limb,
    n: usize,
    m: usize,
) {
    // SAFETY: the same contract.
    unsafe {
        match m {
            4 => blocks::<4>(r, x, key, t, c, n),
            8 => blocks::<8>(r, x, key, t, c, n),
            _ => blocks::<16>(r, x, key, t, c, n),
        }
    }
}

/// # Safety
/// The contract, for blocks of W words.
unsafe fn blocks<const W: usize>(
    r: *mut Limb,
    x: *const Limb,
    key: *const Limb,
    t: *const Limb,
    c: *const Limb,
    n: usize,
) {
    // SAFETY: i < n; W + 1 words of the key, two of the tweak and W of the counter.
    unsafe {
        let key = rounds::key::<W>(key);
        let t = [*t, *t.add(1)];
        let mut counter: [Limb; W] = core::array::from_fn(|i| *c.add(i));
        for i in 0..n {
            let pad = encrypt_block(counter, key, t);
            let x = read::<W>(x.add(W * i));
            write::<W>(r.add(W * i), core::array::from_fn(|j| x[j] ^ pad[j]));
            counter[0] = counter[0].wrapping_add(1);
        }
    }
}
