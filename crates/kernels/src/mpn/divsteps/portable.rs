//! Plain Rust, by masks.

use super::{THIRD, by_thirds};
use crate::Limb;
use core::hint::black_box;

/// # Safety
/// The contract of `mpn_divsteps`.
pub unsafe fn kernel(r: *mut Limb, f: *const Limb, g: *const Limb, s: Limb) -> Limb {
    // Whoever does not know these makes no branch of a mask.
    let (one, top) = black_box((1, i64::BITS - 1));
    let steps = |mut f: i64, mut g: i64, mut s: i64| {
        for _ in 0..THIRD {
            let odd = -(g & one);
            let swap = odd & (s >> top);
            let sum = g + (f & odd);
            f ^= (f ^ g) & swap;
            g = sum >> 1;
            s = (s ^ swap).wrapping_sub(1);
            // All ones where s is -1.
            let other = s.wrapping_add(1);
            let negate = !((other | other.wrapping_neg()) >> top);
            f = (f ^ negate) - negate;
        }
        [f, g, s]
    };
    // SAFETY: the contract.
    unsafe { by_thirds(r, f, g, s, steps) }
}
