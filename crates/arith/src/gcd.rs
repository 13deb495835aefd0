//! Greatest common divisors.

use crate::divsteps;
use crate::inverse::euclid_vartime;
use crate::nat::{LIMB_BITS, Nat};
use carrysave_kernels::mpn::Mpn;

impl Nat {
    /// The greatest common divisor, by Euclid's algorithm with Lehmer's method; `gcd(a, 0) = a`.
    pub fn gcd_vartime(&self, other: &Nat) -> Nat {
        euclid_vartime(self, other).0
    }

    /// The greatest common divisor in constant time: by division steps, their number fixed by the widths (Bernstein,
    /// Yang, CHES 2019).
    pub fn gcd(&self, other: &Nat) -> Nat {
        let mpn = Mpn::native();
        let width = self.width().max(other.width());
        let (mut a, mut b) = (self.truncate(width), other.truncate(width));
        // The common power of two is removed bit by bit of its exponent, from the highest.
        let steps = (0..usize::BITS - (width * LIMB_BITS).leading_zeros()).rev();
        let mut twos = 0;
        for i in steps.clone() {
            let ends_in_zeros = |x: &Nat| x.shr(1 << i).shl(1 << i).equal(x);
            let even = ends_in_zeros(&a) & ends_in_zeros(&b);
            twos |= even << i;
            for x in [&mut a, &mut b] {
                let shifted = x.shr(1 << i).truncate(width);
                mpn.cnd_select
                    .call_in_place(even, x.limbs_mut(), shifted.limbs());
            }
        }
        // One of them is odd, or both are 0.
        let odd = a.limbs()[0] & 1;
        let mut g = divsteps::gcd(&b.select(odd, &a), &a.select(odd, &b));
        for i in steps {
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
