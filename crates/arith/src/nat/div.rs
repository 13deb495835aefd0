//! Division.

use super::divider::Divider;
use super::{LIMB_BITS, Nat, newton};
use crate::plan::Plan;
use carrysave_kernels::{Limb, mpn::Mpn};

impl Nat {
    /// Quotient and remainder: `self = q * d + r`, `r < d`; `q` has the width of `self`, `r` that of `d`.
    ///
    /// Recursive division with the products of [`Nat::mul`] (Brent, Zimmermann, Modern Computer Arithmetic, algorithms
    /// 1.8 and 1.9; Burnikel, Ziegler, MPI-I-98-1-022), and Knuth's algorithm D (TAOCP 2, 4.3.1) below.
    ///
    /// # Panics
    /// If `d` is 0.
    pub fn div_rem_vartime(&self, d: &Nat) -> (Nat, Nat) {
        self.div_rem_vartime_with(d, Plan::native())
    }

    /// [`Nat::div_rem_vartime`] with the methods of a plan.
    ///
    /// # Panics
    /// If `d` is 0, or the plan is not well formed: see [`Plan::check`].
    pub fn div_rem_vartime_with(&self, d: &Nat, plan: &Plan) -> (Nat, Nat) {
        let bits = d.bits_vartime();
        assert!(bits > 0, "division by zero");
        let n = bits.div_ceil(LIMB_BITS);
        let mut q = Nat::zeros(self.width());
        let width = self.bits_vartime().div_ceil(LIMB_BITS);
        if width < n {
            return (q, self.truncate(d.width()));
        }
        // D1: normalise, so that the divisor's top bit is set; the dividend gets a limb more.
        let s = n * LIMB_BITS - bits;
        let (mut v, mut u) = (d.truncate(n), self.truncate(width + 1));
        if s > 0 {
            let shift = &Mpn::native().lshift;
            shift.call_in_place(v.limbs_mut(), s as u32);
            shift.call_in_place(u.limbs_mut(), s as u32);
        }
        let divider = divider(v.limbs(), plan);
        let mut end = width + 1 - n;
        let digits = q.limbs_mut();
        // As many digits as the divisor has, or the remainder at the top.
        while end > 0 {
            let start = (end - 1) / n * n;
            let u = &mut u.limbs_mut()[start..end + n];
            divider.divide(u, &mut digits[start..end]);
            end = start;
        }
        let mut r = u.truncate(d.width());
        if s > 0 {
            Mpn::native().rshift.call_in_place(r.limbs_mut(), s as u32);
        }
        (q, r)
    }

    /// Quotient and remainder, one bit at a time: `self = q * d + r`, `r < d`.
    ///
    /// Slow: a pass over `d` for every bit of `self`. For secrets that are divided once, as in key generation.
    ///
    /// # Panics
    /// If `d` is 0.
    pub fn div_rem(&self, d: &Nat) -> (Nat, Nat) {
        assert!(!d.is_zero(), "division by zero");
        let mpn = Mpn::native();
        let width = d.width() + 1;
        let divisor = d.truncate(width);
        let (mut q, mut r) = (Nat::zeros(self.width()), Nat::zeros(width));
        let mut reduced = Nat::zeros(width);
        for i in (0..self.width() * LIMB_BITS).rev() {
            mpn.lshift.call_in_place(r.limbs_mut(), 1);
            r.limbs_mut()[0] |= self.limbs()[i / LIMB_BITS] >> (i % LIMB_BITS) & 1;
            let below = mpn
                .sub_n
                .call(reduced.limbs_mut(), r.limbs(), divisor.limbs());
            mpn.cnd_select
                .call_in_place(1 ^ below, r.limbs_mut(), reduced.limbs());
            q.limbs_mut()[i / LIMB_BITS] |= (1 ^ below) << (i % LIMB_BITS);
        }
        (q, r.truncate(d.width()))
    }

    /// `self mod d`, one bit at a time, as [`Nat::div_rem`].
    ///
    /// # Panics
    /// If `d` is 0.
    pub fn rem(&self, d: &Nat) -> Nat {
        self.div_rem(d).1
    }

    /// `self mod d` for one limb.
    ///
    /// # Panics
    /// If `d` is 0.
    pub fn rem_limb_vartime(&self, d: Limb) -> Limb {
        assert!(d > 0, "division by zero");
        let d = u128::from(d);
        self.limbs().iter().rev().fold(0, |r, &x| {
            (((u128::from(r) << 64) | u128::from(x)) % d) as Limb
        })
    }
}

/// Makes a divider by a number whose top bit is set, with a reciprocal where that pays.
pub(super) fn divider<'a>(v: &'a [Limb], plan: &'a Plan) -> Divider<'a> {
    Divider::new(v, plan, Some(newton::inverse))
}
