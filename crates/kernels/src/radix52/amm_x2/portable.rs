//! Plain Rust: one after the other.

use crate::{Limb, radix52::amm::portable};

/// # Safety
/// The contract of `radix52_amm_x2`.
pub unsafe fn kernel(
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    n: *const Limb,
    k0: *const Limb,
    blocks: usize,
    m: usize,
) {
    for i in 0..2 {
        let at = i * 8 * blocks;
        // SAFETY: the contract of `radix52_amm` holds for each half.
        unsafe {
            portable::kernel(
                r.add(at),
                a.add(at),
                b.add(at),
                n.add(at),
                blocks,
                m,
                *k0.add(i),
            );
        }
    }
}
