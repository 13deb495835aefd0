//! Plain Rust: block after block, all rounds written out. For blocks that registers hold subkeys are made before the first.

use crate::{
    Limb,
    simd::unseen,
    threefish::rounds::{Schedule, encrypt_block, key, read, write, written_out},
};

/// # Safety
/// The contract of `threefish_cbc_encrypt`.
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
            4 => scheduled::<4>(r, x, key, t, c, n),
            8 => scheduled::<8>(r, x, key, t, c, n),
            _ => {
                let key = self::key::<16>(key);
                chain(r, x, c, n, |x| encrypt_block(x, key, t));
            }
        }
    }
}

/// # Safety
/// The contract, for blocks of W words.
#[inline(never)]
unsafe fn scheduled<const W: usize>(
    r: *mut Limb,
    x: *const Limb,
    key: *const Limb,
    t: [Limb; 2],
    c: *const Limb,
    n: usize,
) {
    // SAFETY: the contract.
    unsafe {
        let mut schedule = Schedule::<W>::new(key, t);
        chain(r, x, c, n, |x| {
            let from = unseen(&schedule);
            written_out(x, from, from)
        });
        schedule.wipe::<Limb>();
    }
}

/// # Safety
/// The contract, for blocks of W words.
#[inline(always)]
unsafe fn chain<const W: usize>(
    r: *mut Limb,
    x: *const Limb,
    c: *const Limb,
    n: usize,
    encrypt: impl Fn([Limb; W]) -> [Limb; W],
) {
    // SAFETY: i < n; W words of the block before, which are no bytes.
    unsafe {
        let mut chain: [Limb; W] = core::array::from_fn(|i| *c.add(i));
        for i in 0..n {
            let x = read::<W>(x.add(W * i));
            chain = encrypt(core::array::from_fn(|j| chain[j] ^ x[j]));
            write(r.add(W * i), chain);
        }
    }
}
