//! Plain Rust: four blocks at a time, bit by bit.

use crate::{
    Limb,
    aes::bitsliced::{Keys, LANES, LEFT, read, write},
    stack::off_stack,
};

/// # Safety
/// The contract of `aes_encrypt`.
pub unsafe fn kernel(r: *mut Limb, x: *const Limb, keys: *const Limb, n: usize, m: usize) {
    // SAFETY: the same contract; no block is beyond n.
    off_stack::<LEFT, _>(|| unsafe {
        let keys = Keys::<false>::read(keys, m);
        for i in (0..n).step_by(LANES) {
            let count = LANES.min(n - i);
            let mut blocks = read(x.add(2 * i), count);
            keys.apply(&mut blocks);
            write(r.add(2 * i), &blocks, count);
        }
    });
}
