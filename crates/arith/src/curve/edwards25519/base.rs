//! Multiples of the base point by tables.

use super::naf::BaseOdd;
use super::point::{Addend, Edwards25519Point};
use super::{Edwards25519Order, LIMBS, element};
use crate::curve::multiple::{BASE_DIGITS, BASE_WINDOW, digit, windows};
use crate::curve::x25519::decode_scalar;
use crate::field::{Fe, Multiply, Portable};
use crate::word::equal;
use crate::{Cpu, Limb};
use carrysave_kernels::mpn::TabSelect;
use zeroize::Zeroize;

#[cfg(target_arch = "x86_64")]
use crate::field::MulxAdx;

/// Bits of the scalars of the base point.
const BITS: usize = 255;
/// Limbs of a multiple in a table.
const ROW: usize = 3 * LIMBS;

/// Addends, aligned for vectors.
#[repr(align(32))]
struct Rows([[Limb; ROW]; BASE_DIGITS]);

/// Multiples of the base point, with which a public key of X25519 takes a third of the time.
///
/// ```
/// use carrysave_arith::{Cpu, curve::{Edwards25519Table, X25519_BASE, x25519}};
/// let table = Edwards25519Table::new(Cpu::native());
/// assert_eq!(table.x25519_public(&[7; 32]), x25519(Cpu::native(), &[7; 32], &X25519_BASE));
/// ```
pub struct Edwards25519Table {
    /// For each window j, 1 to 32 times 2^6j times the base point, as addends.
    multiples: Vec<Rows>,
    odd: BaseOdd,
    cpu: Cpu,
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
        let row = |Addend(addend): &Addend<Portable>| {
            let mut row = [0; ROW];
            for (row, element) in row.chunks_exact_mut(LIMBS).zip(addend) {
                row.copy_from_slice(&element.to_limbs()[..LIMBS]);
            }
            row
        };
        let rows: Vec<[Limb; ROW]> = Addend::of(&points).iter().map(row).collect();
        let (multiples, _) = rows.as_chunks();
        Edwards25519Table {
            multiples: multiples.iter().map(|&rows| Rows(rows)).collect(),
            odd: BaseOdd::new(),
            cpu,
        }
    }

    /// The processor.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn cpu(&self) -> Cpu {
        self.cpu
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
        let mut limbs = k.to_limbs();
        let mut k = [0; LIMBS];
        k.copy_from_slice(&limbs[..LIMBS]);
        limbs.zeroize();
        let product = self.multiple(&k);
        k.zeroize();
        product
    }

    /// The function [`x25519`](crate::curve::x25519) of k and the base point.
    ///
    /// # Timing
    /// Depends on the processor's extensions only.
    pub fn x25519_public(&self, k: &[u8; 32]) -> [u8; 32] {
        let mut octets = decode_scalar(k);
        let mut k = [0; LIMBS];
        for (limb, octets) in k.iter_mut().zip(octets.as_chunks().0) {
            *limb = Limb::from_le_bytes(*octets);
        }
        let mut product = self.multiple(&k);
        let (y, z) = (product.y, product.z);
        let u = ((z + y) * (z - y).inv()).to_le_bytes();
        octets.zeroize();
        k.zeroize();
        product.zeroize();
        u
    }

    /// The base point times a number of 255 bits.
    fn multiple(&self, k: &[Limb; LIMBS]) -> Edwards25519Point {
        #[cfg(target_arch = "x86_64")]
        if let Some(m) = MulxAdx::new(self.cpu) {
            return self.multiple_by(m, k);
        }
        self.multiple_by(Portable, k)
    }

    fn multiple_by<M: Multiply>(&self, m: M, k: &[Limb; LIMBS]) -> Edwards25519Point {
        let select = TabSelect::best(self.cpu);
        let mut row = [0; ROW];
        let mut r = Edwards25519Point::identity().by(m);
        for (window, table) in self.multiples.iter().enumerate() {
            let (magnitude, sign) = digit(k, BASE_WINDOW, window);
            // The digit 0 selects no row and gives zeros, but the identity is 1, 1, 0.
            select.call(
                &mut row,
                table.0.as_flattened(),
                (magnitude as usize).wrapping_sub(1),
            );
            let none = equal(0, magnitude);
            row[0] |= none;
            row[LIMBS] |= none;
            let [sum, difference, product] =
                [0, 1, 2].map(|i| element(m, &row[LIMBS * i..][..LIMBS]));
            let addend = Addend([sum, difference, product]).negated_if(sign);
            r = r.plus(&addend).extended();
        }
        row.zeroize();
        let product = r.by(Portable);
        r.zeroize();
        product
    }
}

impl core::fmt::Debug for Edwards25519Table {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Edwards25519Table")
    }
}
