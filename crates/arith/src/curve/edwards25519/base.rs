//! Multiples of the base point by tables.

use super::naf::BaseOdd;
use super::point::{Addend, Edwards25519Point};
use super::{Edwards25519Order, LIMBS, element};
use crate::curve::base_rows::BaseRows;
use crate::curve::counting::{self, Count, of_row};
use crate::curve::lanes::OnFirstUse;
use crate::curve::multiple::{BASE_DIGITS, BASE_WINDOW, digit, windows};
use crate::curve::spread;
use crate::curve::x25519::decode_scalar;
use crate::field::{Fe, Multiply, Portable};
use crate::word::{equal, read_le};
use crate::{Cpu, Limb};
use carrysave_kernels::mpn::TabSelect;
use core::hint::black_box;
use zeroize::Zeroize;

#[cfg(target_arch = "x86_64")]
use crate::field::MulxAdx;

/// Bits of the scalars of the base point.
pub(super) const BITS: usize = 255;
/// Limbs of a multiple in a table: those of an addend, and the number itself modulo a prime of 55 bits.
const ROW: usize = 3 * LIMBS + 1;
/// What it takes in memory.
const WIDTH: usize = BaseRows::width(ROW);

/// Multiples of the base point, with which a public key of X25519 takes a third of the time.
///
/// ```
/// use carrysave_arith::{Cpu, curve::{Edwards25519Table, X25519_BASE, x25519}};
/// let table = Edwards25519Table::new(Cpu::native());
/// assert_eq!(table.x25519_public(&[7; 32]), x25519(Cpu::native(), &[7; 32], &X25519_BASE));
/// ```
pub struct Edwards25519Table {
    /// For each window j, 1 to 32 times 2^6j times the base point, as addends.
    multiples: BaseRows,
    odd: BaseOdd,
    /// The multiples in the digits of the best vectors.
    pub(super) columns: OnFirstUse,
    /// Those for one scalar in all lanes.
    pub(super) spread: spread::OnFirstUse,
    pub(super) cpu: Cpu,
}

impl Edwards25519Table {
    /// Computes the multiples.
    pub fn new(cpu: Cpu) -> Self {
        let mut at = Edwards25519Point::base();
        let mut points = vec![];
        for _ in 0..windows(BASE_WINDOW, BITS) {
            let addend = at.cached();
            let mut point = Edwards25519Point::identity();
            for _ in 0..BASE_DIGITS {
                point = point.plus_cached(&addend).extended();
                points.push(point);
            }
            at = point.double();
        }
        let row = |(i, Addend(addend)): (usize, &Addend<Portable>)| {
            let mut row = [0; ROW];
            for (row, element) in row.chunks_exact_mut(LIMBS).zip(addend) {
                row.copy_from_slice(&element.to_limbs()[..LIMBS]);
            }
            row[3 * LIMBS] = of_row(i);
            row
        };
        let addends = Addend::of(&points);
        Edwards25519Table {
            multiples: BaseRows::new(ROW, addends.iter().enumerate().map(row)),
            odd: BaseOdd::new(),
            columns: OnFirstUse::new(),
            spread: spread::OnFirstUse::new(),
            cpu,
        }
    }

    /// The addends of all rows.
    pub(super) fn addends(&self) -> impl Iterator<Item = Addend<Portable>> {
        let element = |row: &[Limb], i| element(Portable, &row[LIMBS * i..][..LIMBS]);
        let addend = move |row: &[Limb]| Addend([0, 1, 2].map(|i| element(row, i)));
        self.multiples.iter().map(addend)
    }

    /// Odd multiples of the base point.
    pub(super) fn odd(&self) -> &BaseOdd {
        &self.odd
    }

    /// The base point times a secret number.
    ///
    /// # Timing
    /// Depends on the processor's extensions only.
    ///
    /// ```
    /// use carrysave_arith::{Cpu, curve::{Edwards25519Point, Edwards25519Table}, field::Fe};
    /// let (table, b) = (Edwards25519Table::new(Cpu::native()), Edwards25519Point::base());
    /// assert_eq!(table.mul(&Fe::from_limb(3)), b.double().add(&b));
    /// ```
    #[must_use]
    pub fn mul(&self, k: &Fe<Edwards25519Order>) -> Edwards25519Point {
        self.mul_counted(k).0
    }

    /// The base point times a secret number, and the number modulo a prime of 55 bits as the multiples add up to it, each by
    /// what the table says it is: [`count`](Self::count) of the number, unless the machine miscalculated. If in addition the
    /// point [is on the curve](Edwards25519Point::is_on_curve), a fault that changes the number, a digit of it, a choice
    /// among the multiples, or a coordinate has not happened (with a chance of 2^-55 for one that leads to random values).
    /// Not found are a sign that is changed in the addition alone, and an addition left out.
    ///
    /// # Timing
    /// Depends on the processor's extensions only.
    ///
    /// ```
    /// use carrysave_arith::{Cpu, curve::Edwards25519Table, field::Fe};
    /// let (table, k) = (Edwards25519Table::new(Cpu::native()), -Fe::from_limb(1001));
    /// let (point, count) = table.mul_counted(&k);
    /// assert_eq!((point, count), (table.mul(&k), Edwards25519Table::count(&k)));
    /// ```
    #[must_use]
    pub fn mul_counted(&self, k: &Fe<Edwards25519Order>) -> (Edwards25519Point, Limb) {
        let mut limbs = k.to_limbs();
        let mut k = [0; LIMBS];
        k.copy_from_slice(&limbs[..LIMBS]);
        limbs.zeroize();
        let product = self.multiple(&k);
        k.zeroize();
        product
    }

    /// A secret number modulo a prime of 55 bits.
    ///
    /// # Timing
    /// Depends on nothing.
    pub fn count(k: &Fe<Edwards25519Order>) -> Limb {
        let mut limbs = k.to_limbs();
        let count = counting::count(&limbs, BITS);
        limbs.zeroize();
        count
    }

    /// The function [`x25519`](crate::curve::x25519) of k and the base point.
    ///
    /// # Timing
    /// Depends on the processor's extensions only.
    pub fn x25519_public(&self, k: &[u8; 32]) -> [u8; 32] {
        let mut k = scalar_limbs(k);
        let (mut product, _) = self.multiple(&k);
        let (y, z) = (product.y, product.z);
        let u = ((z + y) * (z - y).inv()).to_le_bytes();
        k.zeroize();
        product.zeroize();
        u
    }

    /// The base point times a number of 255 bits, and the number as the rows say.
    fn multiple(&self, k: &[Limb; LIMBS]) -> (Edwards25519Point, Limb) {
        if let Some(product) = self.spread_multiple(k) {
            return product;
        }
        #[cfg(target_arch = "x86_64")]
        if let Some(m) = MulxAdx::new(self.cpu) {
            return self.multiple_by(m, k);
        }
        self.multiple_by(Portable, k)
    }

    fn multiple_by<M: Multiply>(&self, m: M, k: &[Limb; LIMBS]) -> (Edwards25519Point, Limb) {
        let mut count = Count::ZERO;
        let select = TabSelect::best(self.cpu);
        let mut row = [0; WIDTH];
        let mut r = Edwards25519Point::identity().by(m);
        for window in 0..windows(BASE_WINDOW, BITS) {
            let (magnitude, sign) = digit(k, BASE_WINDOW, window);
            // The digit 0 selects no row and gives zeros, but the identity is 1, 1, 0.
            let index = (magnitude as usize).wrapping_sub(1);
            select.call(&mut row, self.multiples.window(window), index);
            let none = equal(0, magnitude);
            row[0] |= none;
            row[LIMBS] |= none;
            let [sum, difference, product] =
                [0, 1, 2].map(|i| element(m, &row[LIMBS * i..][..LIMBS]));
            let addend = Addend([sum, difference, product]).negated_if(sign);
            r = r.plus(&addend).extended();
            // After the addition: what has changed the sign by then is counted.
            count.add(row[3 * LIMBS], black_box(sign), none);
        }
        row.zeroize();
        let product = r.by(Portable);
        r.zeroize();
        (product, count.get())
    }
}

/// The scalar of X25519 of these octets.
pub(super) fn scalar_limbs(k: &[u8; 32]) -> [Limb; LIMBS] {
    let mut octets = decode_scalar(k);
    let mut k = [0; LIMBS];
    read_le(&mut k, &octets);
    octets.zeroize();
    k
}

impl core::fmt::Debug for Edwards25519Table {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Edwards25519Table")
    }
}
