//! Plain Rust: block by block, all rounds written out, subkeys made where they are added.

use crate::{
    Limb,
    threefish::rounds::{decrypt_block, key as copy, read, write},
    wipe,
};

/// # Safety
/// The contract of `threefish_decrypt`.
pub unsafe fn kernel(
    r: *mut Limb,
    x: *const Limb,
    key: *const Limb,
    t: *const Limb,
    n: usize,
    m: usize,
    s: Limb,
) {
    // SAFETY: the same contract.
    unsafe {
        match m {
            4 => blocks::<4>(r, x, key, t, n, s),
            8 => blocks::<8>(r, x, key, t, n, s),
            _ => blocks::<16>(r, x, key, t, n, s),
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
    n: usize,
    s: Limb,
) {
    // SAFETY: i < n; W + 1 words of the key and two of the tweak.
    unsafe {
        let mut key = copy::<W>(key);
        let mut t = [*t, *t.add(1)];
        for i in 0..n {
            write(
                r.add(W * i),
                decrypt_block(read::<W>(x.add(W * i)), &key, t),
            );
            t[0] = t[0].wrapping_add(s);
        }
        wipe(&mut key, 0);
    }
}
