//! Greatest common divisors.

use super::{LIMB_BITS, Nat};
use crate::inverse::euclid_vartime;
use carrysave_kernels::mpn::Mpn;

impl Nat {
    /// The greatest common divisor, by Euclid's algorithm with Lehmer's method; `gcd(a, 0) = a`.
    pub fn gcd_vartime(&self, other: &Nat) -> Nat {
        euclid_vartime(self, other).0
    }

    /// The greatest common divisor in constant time: binary, a fixed number of steps for the widths.
    ///
    /// Stein's algorithm with every branch a selection; as BoringSSL's `bn_gcd_consttime` describes it.
    pub fn gcd(&self, other: &Nat) -> Nat {
        let mpn = Mpn::native();
        let width = self.width().max(other.width());
        let (mut u, mut v) = (self.truncate(width), other.truncate(width));
        let (mut d, mut h) = (Nat::zeros(width), Nat::zeros(width));
        let mut twos = 0u64;
        for _ in 0..2 * width * LIMB_BITS {
            // Both odd: the larger becomes the difference.
            let both_odd = u.limbs()[0] & v.limbs()[0] & 1;
            let u_below = mpn.sub_n.call(d.limbs_mut(), u.limbs(), v.limbs());
            mpn.cnd_select
                .call_in_place(both_odd & (1 ^ u_below), u.limbs_mut(), d.limbs());
            mpn.sub_n.call(d.limbs_mut(), v.limbs(), u.limbs());
            mpn.cnd_select
                .call_in_place(both_odd & u_below, v.limbs_mut(), d.limbs());
            // At least one is even now: halve what is even, counting the common twos.
            let (u_even, v_even) = (1 & !u.limbs()[0], 1 & !v.limbs()[0]);
            twos += u_even & v_even;
            mpn.rshift.call(h.limbs_mut(), u.limbs(), 1);
            mpn.cnd_select
                .call_in_place(u_even, u.limbs_mut(), h.limbs());
            mpn.rshift.call(h.limbs_mut(), v.limbs(), 1);
            mpn.cnd_select
                .call_in_place(v_even, v.limbs_mut(), h.limbs());
        }
        // One of them is zero. Multiply the other by the common twos, by bits of their number.
        let mut g = u;
        for (x, y) in g.limbs_mut().iter_mut().zip(v.limbs()) {
            *x |= y;
        }
        for i in 0..usize::BITS - (width * LIMB_BITS).leading_zeros() {
            let shifted = g.shl(1 << i).truncate(width);
            mpn.cnd_select
                .call_in_place(twos >> i & 1, g.limbs_mut(), shifted.limbs());
        }
        g
    }

    /// The least common multiple, as wide as both together, in constant time.
    ///
    /// # Panics
    /// If both are 0.
    pub fn lcm(&self, other: &Nat) -> Nat {
        self.mul(other).div_rem(&self.gcd(other)).0
    }
}
