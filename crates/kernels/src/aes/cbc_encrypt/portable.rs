//! Plain Rust: four streams at a time, bit by bit.

use crate::{
    Limb,
    aes::{
        Block,
        bitsliced::{Keys, LANES, LEFT, read, xor},
    },
    stack::off_stack,
};

/// # Safety
/// The contract of `aes_cbc_encrypt`.
pub unsafe fn kernel(
    r: *mut Limb,
    x: *const Limb,
    keys: *const Limb,
    c: *const Limb,
    n: usize,
    m: usize,
    s: usize,
) {
    // SAFETY: the same contract; no block is beyond n.
    off_stack::<LEFT, _>(|| unsafe {
        let keys = Keys::<false>::read(keys, m);
        for first in (0..n / s).step_by(LANES) {
            let count = LANES.min(n / s - first);
            let mut chains = read(c.add(2 * first), count);
            for j in 0..s {
                for (l, chain) in chains[..count].iter_mut().enumerate() {
                    let x = x.cast::<Block>().add(s * (first + l) + j);
                    *chain = xor(chain, &x.read_unaligned());
                }
                keys.apply(&mut chains);
                for (l, chain) in chains[..count].iter().enumerate() {
                    let r = r.cast::<Block>().add(s * (first + l) + j);
                    r.write_unaligned(*chain);
                }
            }
        }
    });
}
