//! Sums of two multiples of public numbers, by sliding signed windows (Möller, ICISC 2002).

use super::point::{Addend, Cached, Edwards25519Point, Projective};
use super::{Edwards25519Order, Edwards25519Table};
use crate::curve::joint;
use crate::field::{Fe, Multiply, Portable};

#[cfg(target_arch = "x86_64")]
use crate::field::MulxAdx;

/// Bits of the windows of a point, and of the base point.
pub(super) const WINDOW: usize = 5;
const BASE_WINDOW: usize = 8;
/// Odd multiples: of a point, and of the base point.
const ODD: usize = 1 << (WINDOW - 2);
const BASE_ODD: usize = 1 << (BASE_WINDOW - 2);

/// The digits of a number at its bits: 0, or odd and of a window, with zeros above.
pub(super) type Digits = [i8; 256];

/// Recodes a number with windows of at most 8 bits.
pub(super) fn digits_vartime(k: &Fe<Edwards25519Order>, width: usize) -> Digits {
    let mut digits = [0; 256];
    joint::digits_vartime(&k.to_limbs(), width, &mut digits);
    digits
}

/// The odd multiples 1, 3, 5 ... of a point that the digits of a window need.
pub(super) fn odd_multiples<M: Multiply>(p: &Edwards25519Point<M>) -> [Cached<M>; ODD] {
    let twice = p.projective().double().extended().cached();
    let mut multiple = *p;
    let mut table = [p.cached(); ODD];
    for entry in &mut table[1..] {
        multiple = multiple.plus_cached(&twice).extended();
        *entry = multiple.cached();
    }
    table
}

/// The odd multiples of the base point.
#[derive(Clone)]
pub(super) struct BaseOdd(Vec<Addend<Portable>>);

impl BaseOdd {
    pub(super) fn new() -> Self {
        let b = Edwards25519Point::base();
        let twice = b.double();
        let multiples = core::iter::successors(Some(b), |p| Some(p.add(&twice)));
        BaseOdd(Addend::of(&multiples.take(BASE_ODD).collect::<Vec<_>>()))
    }
}

/// Points with digits, and the base point with its own: their sum by common doublings.
pub(super) struct Windows<'a, M> {
    pub(super) base: (&'a BaseOdd, Digits),
    pub(super) terms: Vec<([Cached<M>; ODD], Digits)>,
}

impl<'a, M: Multiply> Windows<'a, M> {
    pub(super) fn new(odd: &'a BaseOdd, k: &Fe<Edwards25519Order>) -> Self {
        Windows {
            base: (odd, digits_vartime(k, BASE_WINDOW)),
            terms: vec![],
        }
    }

    pub(super) fn push(&mut self, k: &Fe<Edwards25519Order>, p: &Edwards25519Point<M>) {
        let digits = digits_vartime(k, WINDOW);
        self.terms.push((odd_multiples(p), digits));
    }

    pub(super) fn sum(&self, m: M) -> Edwards25519Point<M> {
        let (BaseOdd(odd), digits) = &self.base;
        let all = || self.terms.iter().map(|(_, digits)| digits).chain([digits]);
        let used = |at: &usize| all().any(|digits| digits[*at] != 0);
        let Some(top) = (0..digits.len()).rev().find(used) else {
            return Edwards25519Point::identity().by(m);
        };
        let mut sum: Projective<M> = Edwards25519Point::identity().by(m).projective();
        for at in (0..=top).rev() {
            let mut next = sum.double();
            for (table, digits) in &self.terms {
                match digits[at] {
                    0 => {}
                    digit => {
                        let entry = &table[usize::from(digit.unsigned_abs() / 2)];
                        let p = next.extended();
                        next = match digit > 0 {
                            true => p.plus_cached(entry),
                            false => p.plus_cached(&entry.neg()),
                        };
                    }
                }
            }
            match digits[at] {
                0 => {}
                digit => {
                    let entry = odd[usize::from(digit.unsigned_abs() / 2)].by(m);
                    let entry = entry.negated_if(u64::from(digit < 0));
                    next = next.extended().plus(&entry);
                }
            }
            if at == 0 {
                return next.extended();
            }
            sum = next.projective();
        }
        unreachable!("the loop ends at 0")
    }
}

impl Edwards25519Table {
    /// `[base]B + [k]p` for public numbers: the sum that a verification needs (RFC 8032, 5.1.7).
    ///
    /// # Timing
    /// Depends on the numbers.
    ///
    /// ```
    /// use carrysave_arith::{Cpu, curve::{Edwards25519Point, Edwards25519Table}, field::Fe};
    /// let (table, b) = (Edwards25519Table::new(Cpu::native()), Edwards25519Point::base());
    /// let [two, three, eight] = [2, 3, 8].map(Fe::from_limb);
    /// assert_eq!(table.double_mul_vartime(&two, &three, &b.double()), table.mul(&eight));
    /// ```
    #[must_use]
    pub fn double_mul_vartime(
        &self,
        base: &Fe<Edwards25519Order>,
        k: &Fe<Edwards25519Order>,
        p: &Edwards25519Point,
    ) -> Edwards25519Point {
        #[cfg(target_arch = "x86_64")]
        if let Some(m) = MulxAdx::new(self.cpu) {
            return self.double_mul_by(m, base, k, p);
        }
        self.double_mul_by(Portable, base, k, p)
    }

    fn double_mul_by<M: Multiply>(
        &self,
        m: M,
        base: &Fe<Edwards25519Order>,
        k: &Fe<Edwards25519Order>,
        p: &Edwards25519Point,
    ) -> Edwards25519Point {
        let mut windows = Windows::new(self.odd(), base);
        windows.push(k, &p.by(m));
        windows.sum(m).by(Portable)
    }
}
