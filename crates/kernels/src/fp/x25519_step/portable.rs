//! Plain Rust.

use crate::{
    Limb,
    fp::{Word, load, product, store},
};

type Number = [Limb; 4];

/// # Safety
/// The contract of `fp_x25519_step`.
pub unsafe fn kernel(s: *mut Limb, _t: *mut Limb, c: Limb) {
    // SAFETY: s has five numbers of four limbs.
    let [x_2, z_2, x_3, z_3, x_1] = [0, 1, 2, 3, 4].map(|i| unsafe { load(s.add(4 * i)) });
    let (a_2, b_2, a_3, b_3) = (
        sum(&x_2, &z_2),
        difference(&x_2, &z_2),
        sum(&x_3, &z_3),
        difference(&x_3, &z_3),
    );
    let choose = |x: &Number, y: &Number| core::array::from_fn(|i| Limb::select(x[i], y[i], c));
    let (aa, bb) = (sqr(&choose(&a_2, &a_3)), sqr(&choose(&b_2, &b_3)));
    let (da, cb) = (mul(&b_3, &a_2), mul(&a_3, &b_2));
    let e = difference(&aa, &bb);
    let results = [
        mul(&aa, &bb),
        mul(&e, &mul_121666_plus(&e, &bb)),
        sqr(&sum(&da, &cb)),
        mul(&x_1, &sqr(&difference(&da, &cb))),
    ];
    for (i, result) in results.into_iter().enumerate() {
        // SAFETY: as above.
        unsafe { store(s.add(4 * i), result) };
    }
}

/// A sum of numbers whose sum is below 2^257 - 38, folded at 2^256.
#[inline(always)]
fn sum(a: &Number, b: &Number) -> Number {
    let (mut r, mut carry) = (*a, false);
    for (r, b) in r.iter_mut().zip(b) {
        (*r, carry) = r.carrying_add(*b, carry);
    }
    add_small(r, 38.only_if(carry))
}

/// A difference above 38 - 2^256, folded likewise.
#[inline(always)]
fn difference(a: &Number, b: &Number) -> Number {
    let (mut r, mut borrow) = (*a, false);
    for (r, b) in r.iter_mut().zip(b) {
        (*r, borrow) = r.borrowing_sub(*b, borrow);
    }
    let mut owed = 38.only_if(borrow);
    for r in &mut r {
        (*r, borrow) = r.overflowing_sub(owed);
        owed = borrow.into();
    }
    r
}

#[inline(always)]
fn mul(a: &Number, b: &Number) -> Number {
    fold(&product::schoolbook(a, b))
}

#[inline(always)]
fn sqr(a: &Number) -> Number {
    fold(&product::square(a))
}

/// `121666 a + b`, folded at 2^255.
#[inline(always)]
fn mul_121666_plus(a: &Number, b: &Number) -> Number {
    let (mut r, mut above) = (*b, 0);
    for (r, a) in r.iter_mut().zip(a) {
        (*r, above) = a.carrying_mul_add(121_666, *r, above);
    }
    let above = take_above(&mut r, above);
    add_small(r, 19 * above)
}

/// A number of eight limbs, folded: low halves of what goes below first, and then high halves and what is above 2^255.
#[inline(always)]
fn fold(t: &[Limb; 8]) -> Number {
    let halves: [_; 4] = core::array::from_fn(|i| t[4 + i].carrying_mul(38, 0));
    let (mut r, mut carry) = ([0; 4], false);
    for i in 0..4 {
        (r[i], carry) = t[i].carrying_add(halves[i].0, carry);
    }
    let above = take_above(&mut r, halves[3].1 + Limb::from(carry));
    (r[0], carry) = r[0].overflowing_add(19 * above);
    for i in 1..4 {
        (r[i], carry) = r[i].carrying_add(halves[i - 1].1, carry);
    }
    r
}

/// Takes from `r + 2^256 above` what it has above 2^255, and returns that.
#[inline(always)]
fn take_above(r: &mut Number, above: Limb) -> Limb {
    let all = above << 1 | r[3] >> 63;
    r[3] &= Limb::MAX >> 1;
    all
}

/// `r + small`, where that does not carry.
#[inline(always)]
fn add_small(mut r: Number, mut small: Limb) -> Number {
    for r in &mut r {
        let carry;
        (*r, carry) = r.overflowing_add(small);
        small = carry.into();
    }
    r
}
