//! Plain Rust: four blocks at a time, bit by bit.

use crate::{
    Limb,
    aes::{
        Block,
        bitsliced::{Keys, LANES, LEFT, read, write, xor},
    },
    stack::off_stack,
};

/// # Safety
/// The contract of `aes_cbc_decrypt`.
pub unsafe fn kernel(
    r: *mut Limb,
    x: *const Limb,
    keys: *const Limb,
    c: *const Limb,
    n: usize,
    m: usize,
) {
    // SAFETY: the same contract; no block is beyond n.
    off_stack::<LEFT, _>(|| unsafe {
        let keys = Keys::<true>::read(keys, m);
        let mut before = c.cast::<Block>().read_unaligned();
        for i in (0..n).step_by(LANES) {
            let count = LANES.min(n - i);
            let x = read(x.add(2 * i), count);
            let mut blocks = x;
            keys.apply(&mut blocks);
            for (block, x) in blocks.iter_mut().zip(&x) {
                *block = xor(block, &before);
                before = *x;
            }
            before = x[count - 1];
            write(r.add(2 * i), &blocks, count);
        }
    });
}
