//! Sums of two products with public numbers, as the verification of signatures needs them.

use super::formulas::Formulas;
use super::jacobian::Jacobian;
use super::multiple::BaseTable;
use super::weierstrass::{Curve, Point};
use crate::field::{Fe, Field, Multiply, Residue, invert_batch};
use crate::{Limb, word};

#[cfg(target_arch = "x86_64")]
use crate::field::{MulxAdx, Portable};

/// The widths of digits for the base point, whose multiples are at hand, and for another point.
const BASE_WIDTH: usize = 6;
const WIDTH: usize = 5;
/// The odd multiples of the other point.
const ODD: usize = 1 << (WIDTH - 2);

/// The digits of a number, the lowest first, at as many zeros as it has bits and one more, for windows of at most 8 bits: 0,
/// or odd and below 2^(width - 1) in magnitude, and then `width - 1` zeros follow (Solinas, Designs, Codes and Cryptography
/// 19, 2000).
pub(super) fn digits_vartime(limbs: &[Limb], width: usize, digits: &mut [i8]) {
    let (mut at, mut carry) = (0, 0);
    while at < digits.len() {
        let bits = carry + word::window(limbs, at, width) as i32;
        if bits & 1 == 0 {
            at += 1;
            continue;
        }
        carry = bits >> (width - 1);
        digits[at] = (bits - (carry << width)) as i8;
        at += width;
    }
}

impl<C: Curve> BaseTable<C> {
    /// u times the base point plus v times a point, for public numbers, with the doublings in common (Straus, American
    /// Mathematical Monthly 71, 1964).
    ///
    /// # Timing
    /// Depends on the values.
    ///
    /// ```
    /// use carrysave_arith::{Cpu, curve::{BaseTable, P256, Point}, field::Fe};
    /// let table = BaseTable::<P256>::new(Cpu::native());
    /// let g = Point::generator();
    /// let sum = table.mul_add_vartime(&Fe::from_limb(5), &g, &Fe::from_limb(7));
    /// assert_eq!(sum, g.mul(Cpu::native(), &[12]));
    /// ```
    #[must_use]
    pub fn mul_add_vartime(
        &self,
        u: &Fe<C::Scalar>,
        point: &Point<C>,
        v: &Fe<C::Scalar>,
    ) -> Point<C> {
        C::mul_add_compiled_vartime(self, u, point, v)
    }

    /// [`BaseTable::mul_add_vartime`] of each.
    pub(super) fn mul_add_each_vartime(
        &self,
        u: &[Fe<C::Scalar>],
        points: &[Point<C>],
        v: &[Fe<C::Scalar>],
    ) -> Vec<Point<C>> {
        assert!(u.len() == points.len() && v.len() == points.len());
        let all = u.iter().zip(points).zip(v);
        all.map(|((u, point), v)| self.mul_add_vartime(u, point, v))
            .collect()
    }

    pub(super) fn mul_add_generic(
        &self,
        u: &Fe<C::Scalar>,
        point: &Point<C>,
        v: &Fe<C::Scalar>,
    ) -> Point<C> {
        let complete = || {
            let v = v.to_limbs();
            self.mul(u).add(&point.mul(self.cpu, &v))
        };
        if !C::PRIME_ORDER || point.z.is_zero() {
            return complete();
        }
        #[cfg(target_arch = "x86_64")]
        if C::TUNED
            && let Some(m) = MulxAdx::new(self.cpu)
        {
            let sum = self.joint(u, &point.by(m), v);
            return sum.map_or_else(complete, |sum| sum.by(Portable));
        }
        self.joint(u, point, v).unwrap_or_else(complete)
    }

    /// The sum by formulas that are wrong for equal or opposite points. Where they met such, z is 0 from there on: the
    /// difference of the x-coordinates is a factor of it. `None` then, and where the sum is infinity.
    fn joint<M: Multiply>(
        &self,
        u: &Fe<C::Scalar>,
        point: &Point<C, M>,
        v: &Fe<C::Scalar>,
    ) -> Option<Point<C, M>> {
        let m = point.x.multiplier();
        let formulas = &Formulas::new(m);
        let odd = odd_multiples(formulas, point);
        let digits = |number: &Fe<C::Scalar>, width| {
            let mut digits = vec![0; <C::Scalar as Field>::Residue::BITS + 1];
            digits_vartime(&number.to_limbs(), width, &mut digits);
            digits
        };
        let u = digits(u, BASE_WIDTH);
        let v = digits(v, WIDTH);
        let mut sum: Option<Jacobian<C, M>> = None;
        let add = |sum: &mut Option<Jacobian<C, M>>, digit: i8, x, y: Fe<C::Base, M>| {
            let entry = Jacobian::from_affine(x, if digit < 0 { -y } else { y });
            *sum = Some(match sum {
                Some(sum) => sum.add_affine(&entry),
                None => entry,
            });
        };
        for (&u, &v) in u.iter().zip(&v).rev() {
            if let Some(sum) = &mut sum {
                sum.double(formulas);
            }
            if u != 0 {
                let [x, y] = self
                    .multiple(usize::from(u.unsigned_abs()))
                    .map(|x| x.by(m));
                add(&mut sum, u, x, y);
            }
            if v != 0 {
                let [x, y] = odd[usize::from(v.unsigned_abs()) / 2];
                add(&mut sum, v, x, y);
            }
        }
        let sum = sum.filter(|sum| !sum.z.is_zero())?;
        Some(sum.or_infinity(0))
    }
}

/// 1, 3, 5 and so on times a point of prime order above 64: their coordinates.
fn odd_multiples<C: Curve, M: Multiply>(
    formulas: &Formulas<C, M>,
    point: &Point<C, M>,
) -> [[Fe<C::Base, M>; 2]; ODD] {
    let mut odd = [Jacobian::new(point); ODD];
    let two = odd[0].doubled(formulas);
    for i in 1..ODD {
        odd[i] = odd[i - 1].plus(&two);
    }
    let mut inverses = odd.map(|point| point.z);
    invert_batch(&mut inverses);
    core::array::from_fn(|i| {
        let square = inverses[i].sqr();
        [odd[i].x * square, odd[i].y * (square * inverses[i])]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_odd_sparse_and_add_up() {
        for low in [0, 1, 2, 15, 31, 32, 33, u64::MAX, 0x9e37_79b9_7f4a_7c15] {
            for high in [0, 1, 0x7fff_ffff_ffff_ffff, 0x1234_5678_9abc_def0] {
                for width in [2, 5, 6] {
                    let mut digits = [0; 128];
                    digits_vartime(&[low, high], width, &mut digits);
                    let sum = (digits.iter().rev()).fold(0_i128, |sum, &digit| {
                        sum.wrapping_mul(2).wrapping_add(digit.into())
                    });
                    assert_eq!(sum as u128, u128::from(high) << 64 | u128::from(low));
                    for (i, &digit) in digits.iter().enumerate().filter(|(_, digit)| **digit != 0) {
                        assert!(digit % 2 != 0 && i16::from(digit).abs() < 1 << (width - 1));
                        let rest = digits.iter().skip(i + 1).take(width - 1);
                        assert!(rest.copied().all(|digit| digit == 0));
                    }
                }
            }
        }
    }
}
