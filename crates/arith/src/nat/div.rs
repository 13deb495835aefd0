//! Division.

use super::{LIMB_BITS, Nat};
use carrysave_kernels::{Limb, mpn::Mpn};

impl Nat {
    /// Quotient and remainder: `self = q * d + r`, `r < d`; `q` has the width of `self`, `r` that of `d`.
    ///
    /// Knuth, TAOCP 2, 4.3.1, algorithm D.
    ///
    /// # Panics
    /// If `d` is 0.
    pub fn div_rem_vartime(&self, d: &Nat) -> (Nat, Nat) {
        let bits = d.bits_vartime();
        assert!(bits > 0, "division by zero");
        let k = bits.div_ceil(LIMB_BITS);
        let mut q = Nat::zeros(self.width());
        if self.bits_vartime() < bits {
            return (q, self.truncate(d.width()));
        }
        // D1: normalise, so that the divisor's top bit is set.
        let s = k * LIMB_BITS - bits;
        let v = d.truncate(k).shl(s).truncate(k);
        let mut u = self.shl(s).truncate(self.width() + 1);
        let reciprocal = Reciprocal::new(v.limbs()[k - 1]);
        let mpn = Mpn::native();
        for j in (0..(self.width() + 1).saturating_sub(k)).rev() {
            let (low, top) = u.limbs_mut()[j..].split_at_mut(k);
            // D3: a quotient digit from the two top limbs; at most two too large.
            let mut digit = match top[0] >= v.limbs()[k - 1] {
                true => Limb::MAX,
                false => reciprocal.div(top[0], low[k - 1]),
            };
            // D4, D6: subtract, and add back while it was too much.
            let borrow = mpn.submul_1.call(low, v.limbs(), digit);
            let (mut high, below) = top[0].overflowing_sub(borrow);
            let mut negative = below;
            while negative {
                digit -= 1;
                let carry = mpn.add_n.call_in_place(low, v.limbs());
                let (sum, over) = high.overflowing_add(carry);
                high = sum;
                negative = !over;
            }
            top[0] = high;
            if let Some(place) = q.limbs_mut().get_mut(j) {
                *place = digit;
            }
        }
        (q, u.truncate(k).shr(s).truncate(d.width()))
    }

    /// Quotient and remainder, one bit at a time: `self = q * d + r`, `r < d`.
    ///
    /// Slow: a pass over `d` for every bit of `self`. For secrets that are divided once, as when a key is made.
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

/// The reciprocal of a normalised limb (Möller, Granlund, IEEE ToC 2011): divides two limbs without a division.
struct Reciprocal {
    d: Limb,
    v: Limb,
}

impl Reciprocal {
    fn new(d: Limb) -> Reciprocal {
        Reciprocal {
            d,
            v: (u128::MAX / u128::from(d) - (1 << 64)) as Limb,
        }
    }

    /// `(high, low) / d` for `high < d`.
    fn div(&self, high: Limb, low: Limb) -> Limb {
        let q =
            u128::from(self.v) * u128::from(high) + ((u128::from(high) << 64) | u128::from(low));
        let mut digit = ((q >> 64) as Limb).wrapping_add(1);
        let mut r = low.wrapping_sub(digit.wrapping_mul(self.d));
        if r > q as Limb {
            digit = digit.wrapping_sub(1);
            r = r.wrapping_add(self.d);
        }
        if r >= self.d {
            digit.wrapping_add(1)
        } else {
            digit
        }
    }
}
