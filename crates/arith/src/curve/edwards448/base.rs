//! Multiples of the base point by tables.

use super::{BITS, Edwards448Point, Element, MINUS_D, Scalar};
use crate::curve::base_rows::BaseRows;
use crate::curve::counting::{self, Count, of_row};
use crate::curve::joint::digits_vartime;
use crate::curve::multiple::{BASE_DIGITS, BASE_WINDOW, digit, windows};
use crate::curve::x448::decode_scalar;
use crate::field::{Fe, invert_batch};
use crate::word::{equal, read_le};
use crate::{Cpu, Limb};
use carrysave_kernels::mpn::TabSelect;
use core::hint::black_box;
use zeroize::Zeroize;

/// Limbs of an element.
const LIMBS: usize = 7;
/// Windows of a number of 448 bits: those of X448 have more than the order.
const WINDOWS: usize = windows(BASE_WINDOW, 64 * LIMBS);
/// Limbs of a multiple in a table: those of an addend, and the number itself modulo a prime of 55 bits.
const ROW: usize = 3 * LIMBS + 1;
/// What it takes in memory.
const WIDTH: usize = BaseRows::width(ROW);

/// Bits of the windows of a point whose number is public, and of the base point; and the odd multiples for them.
const NAF: usize = 5;
const BASE_NAF: usize = 7;
const ODD: usize = 1 << (NAF - 2);
const BASE_ODD: usize = 1 << (BASE_NAF - 2);

/// Multiples of the base point, with which a public key of X448 takes a fraction of the time.
///
/// ```
/// use carrysave_arith::{Cpu, curve::{Edwards448Table, X448_BASE, x448}};
/// let table = Edwards448Table::new(Cpu::native());
/// assert_eq!(table.x448_public(&[7; 56]), x448(&[7; 56], &X448_BASE));
/// ```
pub struct Edwards448Table {
    /// For each window j, 1 to 32 times 2^6j times the base point, as addends.
    rows: BaseRows,
    /// The base point times odd numbers.
    odd: Vec<Edwards448Point>,
    cpu: Cpu,
}

impl Edwards448Table {
    /// Computes the multiples, which take 450 KiB.
    pub fn new(cpu: Cpu) -> Self {
        let mut at = Edwards448Point::base();
        let mut points = vec![];
        for _ in 0..WINDOWS {
            let multiples = core::iter::successors(Some(at), |point| Some(point.add(&at)));
            points.extend(multiples.take(BASE_DIGITS));
            at = points.last().expect("the multiples").double();
        }
        let rows = Addend::of(&points).into_iter().enumerate();
        let rows = rows.map(|(i, addend)| {
            let mut row = [0; ROW];
            let elements = [addend.x, addend.y, addend.dxy];
            for (row, element) in row.chunks_exact_mut(LIMBS).zip(elements) {
                row.copy_from_slice(&element.form()[..LIMBS]);
            }
            row[3 * LIMBS] = of_row(i);
            row
        });
        let base = Edwards448Point::base();
        Edwards448Table {
            rows: BaseRows::new(ROW, rows.collect::<Vec<_>>().into_iter()),
            odd: base.odd_multiples(BASE_ODD),
            cpu,
        }
    }

    /// The base point times a secret number.
    ///
    /// # Timing
    /// Depends on the processor's extensions only.
    ///
    /// ```
    /// use carrysave_arith::{Cpu, curve::{Edwards448Point, Edwards448Table}, field::Fe};
    /// let (table, b) = (Edwards448Table::new(Cpu::native()), Edwards448Point::base());
    /// assert_eq!(table.mul(&Fe::from_limb(3)), b.double().add(&b));
    /// ```
    #[must_use]
    pub fn mul(&self, k: &Scalar) -> Edwards448Point {
        self.mul_counted(k).0
    }

    /// The base point times a secret number, and the number modulo a prime of 55 bits as the multiples add up to it, each by
    /// what the table says it is: [`count`](Self::count) of the number, unless the machine miscalculated.
    /// [`Edwards25519Table::mul_counted`](crate::curve::Edwards25519Table::mul_counted) says what that finds.
    ///
    /// # Timing
    /// Depends on the processor's extensions only.
    ///
    /// ```
    /// use carrysave_arith::{Cpu, curve::Edwards448Table, field::Fe};
    /// let (table, k) = (Edwards448Table::new(Cpu::native()), -Fe::from_limb(1001));
    /// let (point, count) = table.mul_counted(&k);
    /// assert_eq!((point, count), (table.mul(&k), Edwards448Table::count(&k)));
    /// ```
    #[must_use]
    pub fn mul_counted(&self, k: &Scalar) -> (Edwards448Point, Limb) {
        let mut limbs = k.to_limbs();
        let product = self.multiple(&limbs);
        limbs.zeroize();
        product
    }

    /// A secret number modulo a prime of 55 bits.
    ///
    /// # Timing
    /// Depends on nothing.
    pub fn count(k: &Scalar) -> Limb {
        let mut limbs = k.to_limbs();
        let count = counting::count(&limbs, BITS);
        limbs.zeroize();
        count
    }

    /// The function [`x448`](crate::curve::x448) of k and the base point.
    ///
    /// # Timing
    /// Depends on the processor's extensions only.
    pub fn x448_public(&self, k: &[u8; 56]) -> [u8; 56] {
        let mut octets = decode_scalar(k);
        let mut limbs = [0; LIMBS];
        read_le(&mut limbs, &octets);
        let (mut product, _) = self.multiple(&limbs);
        // The curves are isogenous: u = y^2 / x^2 (RFC 7748, 4.2).
        let u = (product.y * product.x.inv()).sqr().to_le_bytes();
        octets.zeroize();
        limbs.zeroize();
        product.zeroize();
        u
    }

    /// The base point times a secret number of at most 448 bits, and the number as the rows say.
    fn multiple(&self, k: &[Limb]) -> (Edwards448Point, Limb) {
        let mut count = Count::ZERO;
        let select = TabSelect::best(self.cpu);
        let mut row = [0; WIDTH];
        let mut sum = Extended::identity();
        for window in 0..WINDOWS {
            let (magnitude, sign) = digit(k, BASE_WINDOW, window);
            // The digit 0 selects no row and gives zeros, but the identity is 0, 1, 0.
            let index = (magnitude as usize).wrapping_sub(1);
            select.call(&mut row, self.rows.window(window), index);
            let none = equal(0, magnitude);
            row[LIMBS] |= none;
            let [x, y, dxy] = [0, 1, 2].map(|i| Fe::from_form(&row[LIMBS * i..][..LIMBS]));
            sum = sum.plus(&Addend { x, y, dxy }.negated_if(sign));
            // After the addition: what has changed the sign by then is counted.
            count.add(row[3 * LIMBS], black_box(sign), none);
        }
        row.zeroize();
        let product = sum.point;
        sum.zeroize();
        (product, count.get())
    }

    /// u times the base point, plus v times a point, for verifications: with the doublings in common.
    ///
    /// # Timing
    /// Depends on the numbers, which are public.
    ///
    /// ```
    /// use carrysave_arith::{Cpu, curve::{Edwards448Point, Edwards448Table}, field::Fe};
    /// let (table, b) = (Edwards448Table::new(Cpu::native()), Edwards448Point::base());
    /// let sum = table.double_mul_vartime(&Fe::from_limb(5), &b.double(), &Fe::from_limb(7));
    /// assert_eq!(sum, table.mul(&Fe::from_limb(19)));
    /// ```
    #[must_use]
    pub fn double_mul_vartime(
        &self,
        u: &Scalar,
        point: &Edwards448Point,
        v: &Scalar,
    ) -> Edwards448Point {
        let multiples = point.odd_multiples(ODD);
        let terms = [(&self.odd, u, BASE_NAF), (&multiples, v, NAF)].map(|(odd, k, width)| {
            let mut digits = [0; BITS + 1];
            digits_vartime(&k.to_limbs(), width, &mut digits);
            (odd, digits)
        });
        let mut sum = Edwards448Point::identity();
        for i in (0..=BITS).rev() {
            sum = sum.double();
            for (odd, digits) in &terms {
                let multiple = || odd[usize::from(digits[i].unsigned_abs() / 2)];
                match digits[i] {
                    0 => {}
                    1.. => sum = sum.add(&multiple()),
                    _ => sum = sum.add(&multiple().neg()),
                }
            }
        }
        sum
    }
}

/// What is added to a sum: x, y and d x y of a point.
struct Addend {
    x: Element,
    y: Element,
    dxy: Element,
}

impl Addend {
    /// Of each point.
    fn of(points: &[Edwards448Point]) -> Vec<Addend> {
        let mut inverses: Vec<Element> = points.iter().map(|point| point.z).collect();
        invert_batch(&mut inverses);
        let each = points.iter().zip(inverses);
        each.map(|(point, inverse)| {
            let (x, y) = (point.x * inverse, point.y * inverse);
            let dxy = -(x * y).mul_small(MINUS_D);
            Addend { x, y, dxy }
        })
        .collect()
    }

    /// The negative, if the bit is 1.
    fn negated_if(self, bit: Limb) -> Addend {
        let negated = |element| Fe::select(&element, &-element, bit);
        Addend {
            x: negated(self.x),
            y: self.y,
            dxy: negated(self.dxy),
        }
    }
}

/// A point, and t = x y / z.
struct Extended {
    point: Edwards448Point,
    t: Element,
}

impl Extended {
    fn identity() -> Self {
        Extended {
            point: Edwards448Point::identity(),
            t: Fe::zero(),
        }
    }

    /// The sum of any two points (Hisil, Wong, Carter, Dawson, ASIACRYPT 2008, section 3.1).
    fn plus(&self, addend: &Addend) -> Self {
        let Edwards448Point { x, y, z } = self.point;
        let (a, b, c) = (x * addend.x, y * addend.y, self.t * addend.dxy);
        let e = (x + y) * (addend.x + addend.y) - a - b;
        let (f, g, h) = (z - c, z + c, b - a);
        Extended {
            point: Edwards448Point {
                x: e * f,
                y: g * h,
                z: f * g,
            },
            t: e * h,
        }
    }

    fn zeroize(&mut self) {
        self.point.zeroize();
        self.t.zeroize();
    }
}
