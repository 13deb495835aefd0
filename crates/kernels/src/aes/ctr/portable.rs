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
/// The contract of `aes_ctr`.
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
        let keys = Keys::<false>::read(keys, m);
        let first = c.cast::<Block>().read_unaligned();
        let (high, low) = first.split_at(8);
        let number = u64::from_be_bytes(low.try_into().expect("eight bytes"));
        for i in (0..n).step_by(LANES) {
            let count = LANES.min(n - i);
            let mut pads = [first; LANES];
            for (l, pad) in pads.iter_mut().enumerate() {
                pad[..8].copy_from_slice(high);
                let number = number.wrapping_add((i + l) as u64);
                pad[8..].copy_from_slice(&number.to_be_bytes());
            }
            keys.apply(&mut pads);
            let mut blocks = read(x.add(2 * i), count);
            for (block, pad) in blocks.iter_mut().zip(&pads) {
                *block = xor(block, pad);
            }
            write(r.add(2 * i), &blocks, count);
        }
    });
}
