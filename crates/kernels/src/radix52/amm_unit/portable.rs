//! Plain Rust: modulo n - 1 as modulo any number.

use crate::{
    Limb,
    radix52::{
        amm::{self, Amm},
        word::MASK,
    },
};

/// # Safety
/// The contract of `radix52_amm_unit`.
pub unsafe fn kernel(
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    n: *const Limb,
    blocks: usize,
    m: usize,
) {
    let mut modulus = [0; 8 * Amm::MAX_BLOCKS];
    let mut borrow = 1;
    for (i, digit) in modulus[..8 * blocks].iter_mut().enumerate() {
        // SAFETY: n has as many digits.
        let x = unsafe { *n.add(i) }.wrapping_sub(borrow);
        (*digit, borrow) = (x & MASK, x >> 63);
    }
    // SAFETY: the contract of `radix52_amm` holds for n - 1.
    unsafe { amm::portable::kernel(r, a, b, modulus.as_ptr(), blocks, m, 1) }
    crate::wipe(&mut modulus[..8 * blocks], 0);
}
