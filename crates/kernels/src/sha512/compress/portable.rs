//! Plain Rust: hash by hash.

use crate::{
    Limb,
    sha512::{BLOCK, K, WORDS},
};

/// # Safety
/// The contract of `sha512_compress`.
pub unsafe fn kernel(h: *mut Limb, x: *const Limb, n: usize, m: usize) {
    for lane in 0..m {
        // SAFETY: a chaining value of each lane.
        let value = unsafe { &mut *h.add(WORDS * lane).cast::<[Limb; WORDS]>() };
        for i in 0..n {
            // SAFETY: n blocks of each lane, at any address.
            let block = unsafe {
                x.add(BLOCK * (m * i + lane))
                    .cast::<[Limb; BLOCK]>()
                    .read_unaligned()
            };
            one(value, block.map(Limb::from_be));
        }
    }
}

/// Compresses one block.
fn one(value: &mut [Limb; WORDS], mut w: [Limb; BLOCK]) {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *value;
    for (t, k) in K.iter().enumerate() {
        let at = |i: usize| (t + i) % BLOCK;
        if t >= BLOCK {
            let (x, y) = (w[at(1)], w[at(14)]);
            let x = x.rotate_right(1) ^ x.rotate_right(8) ^ x >> 7;
            let y = y.rotate_right(19) ^ y.rotate_right(61) ^ y >> 6;
            let sum = w[at(0)].wrapping_add(x).wrapping_add(w[at(9)]);
            w[at(0)] = sum.wrapping_add(y);
        }
        let choice = (e & f) ^ (!e & g);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let one = h
            .wrapping_add(e.rotate_right(14) ^ e.rotate_right(18) ^ e.rotate_right(41))
            .wrapping_add(choice)
            .wrapping_add(*k)
            .wrapping_add(w[at(0)]);
        let two =
            (a.rotate_right(28) ^ a.rotate_right(34) ^ a.rotate_right(39)).wrapping_add(majority);
        (h, g, f, e) = (g, f, e, d.wrapping_add(one));
        (d, c, b, a) = (c, b, a, one.wrapping_add(two));
    }
    for (value, word) in value.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *value = value.wrapping_add(word);
    }
}
