//! Inverses by the binary extended Euclidean algorithm, and by Lehmer's.

pub use crate::inverse::lehmer_vartime;

use crate::Nat;
use carrysave_kernels::{Limb, mpn::Mpn};

/// `a^-1 mod m`, of the width of `m`, by halves and differences alone: the binary extended Euclidean algorithm (HAC 14.61;
/// Khalifa 2011, `EBGCD`). `None` if `a` has none, or `m` is even or 1.
///
/// # Timing
/// Depends on both numbers.
///
/// ```
/// use carrysave_arith::{Nat, published::inverse::binary_euclid_vartime};
/// let x = binary_euclid_vartime(&Nat::from_limb(3), &Nat::from_limb(101)).unwrap();
/// assert_eq!(x, Nat::from_limb(34));
/// assert_eq!(binary_euclid_vartime(&Nat::from_limb(3), &Nat::from_limb(99)), None);
/// ```
pub fn binary_euclid_vartime(a: &Nat, m: &Nat) -> Option<Nat> {
    if !m.is_odd() || m.is_one() {
        return None;
    }
    let a = a.div_rem_vartime(m).1.resize(m.width())?;
    let mut u = Multiple::of(m.clone(), Nat::zeros(m.width()));
    let mut v = Multiple::of(a, Nat::one().resize(m.width())?);
    // u is odd, so v becomes 0 by halves and differences of the larger one.
    while !v.number.is_zero() {
        v.halve(m);
        if v.number.lt(&u.number) {
            (u, v) = (v, u);
        }
        v.subtract(&u, m);
    }
    u.number.is_one().then_some(u.factor)
}

/// A number, and what it is as a multiple of a modulo m.
struct Multiple {
    number: Nat,
    factor: Nat,
}

impl Multiple {
    fn of(number: Nat, factor: Nat) -> Multiple {
        Multiple { number, factor }
    }

    /// Halves the number, which is not 0, until it is odd.
    fn halve(&mut self, m: &Nat) {
        let mpn = Mpn::native();
        while !self.number.is_odd() {
            mpn.rshift.call_in_place(self.number.limbs_mut(), 1);
            let carry = match self.factor.is_odd() {
                true => mpn.add_n.call_in_place(self.factor.limbs_mut(), m.limbs()),
                false => 0,
            };
            mpn.rshift.call_in_place(self.factor.limbs_mut(), 1);
            let top = self.factor.limbs_mut().last_mut();
            *top.expect("a modulus has a limb") |= carry << (Limb::BITS - 1);
        }
    }

    /// Subtracts one whose number is not larger.
    fn subtract(&mut self, other: &Multiple, m: &Nat) {
        let sub = &Mpn::native().sub_n;
        sub.call_in_place(self.number.limbs_mut(), other.number.limbs());
        let factor = self.factor.limbs_mut();
        if sub.call_in_place(factor, other.factor.limbs()) != 0 {
            Mpn::native().add_n.call_in_place(factor, m.limbs());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inv_mod_vartime;

    #[test]
    fn all_small_inverses() {
        for m in 0..130 {
            let modulus = Nat::from_limb(m);
            for a in 0..140 {
                let a = Nat::from_limb(a);
                let expected = inv_mod_vartime(&a, &modulus).filter(|_| m % 2 == 1);
                let found = binary_euclid_vartime(&a, &modulus);
                assert_eq!(found, expected, "{a:?} modulo {m}");
                let expected = inv_mod_vartime(&a, &modulus);
                assert_eq!(lehmer_vartime(&a, &modulus), expected, "{a:?} modulo {m}");
            }
        }
    }

    #[test]
    fn inverses_of_full_width_where_sums_carry_out() {
        let m = Nat::from_limbs(&[Limb::MAX, Limb::MAX - 1, Limb::MAX]);
        for a in 1..200 {
            let a = Nat::from_limbs(&[a, Limb::MAX / a, a << 40]);
            let inverse = inv_mod_vartime(&a, &m);
            assert_eq!(binary_euclid_vartime(&a, &m), inverse);
            assert_eq!(lehmer_vartime(&a, &m), inverse);
        }
    }
}
