//! Sums and differences with a shorter number, with carry propagation.

use carrysave_kernels::{Limb, mpn::Mpn};

/// `r += a` at r's low end, with carry propagation.
pub(crate) fn add_at(mpn: &Mpn, r: &mut [Limb], a: &[Limb]) -> Limb {
    let (low, high) = r.split_at_mut(a.len());
    let carry = mpn.add_n.call_in_place(low, a);
    match high.is_empty() {
        true => carry,
        false => mpn.add_1.call_in_place(high, carry),
    }
}

/// `r -= a` at r's low end, with borrow propagation.
pub(super) fn sub_at(mpn: &Mpn, r: &mut [Limb], a: &[Limb]) -> Limb {
    let (low, high) = r.split_at_mut(a.len());
    let borrow = mpn.sub_n.call_in_place(low, a);
    match high.is_empty() {
        true => borrow,
        false => mpn.sub_1.call_in_place(high, borrow),
    }
}
