//! Plain Rust: the entries first, by masks, then the product.

use crate::{
    Limb,
    mb8::{LANES, amm},
};

/// # Safety
/// The contract of `mb8_amm_select`.
#[allow(clippy::too_many_arguments)]
pub unsafe fn kernel(
    r: *mut Limb,
    a: *const Limb,
    table: *const Limb,
    index: *const Limb,
    n: *const Limb,
    k0: *const Limb,
    t: *mut Limb,
    digits: usize,
    m: usize,
) {
    // SAFETY: the contract; the last n octets of t take the entries.
    unsafe {
        let b = t.add(LANES * 5 * digits);
        b.write_bytes(0, LANES * digits);
        for row in 0..m {
            for lane in 0..LANES {
                let differs = *index.add(lane) ^ row as Limb;
                let mask = core::hint::black_box((differs.wrapping_sub(1) & !differs) >> 63)
                    .wrapping_neg();
                for i in 0..digits {
                    *b.add(LANES * i + lane) |= mask & *table.add(LANES * (m * i + row) + lane);
                }
            }
        }
        amm::portable::kernel(r, a, b, n, k0, t, digits);
    }
}
