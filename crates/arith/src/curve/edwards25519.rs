//! The part of Edwards25519 (Bernstein, Duif, Lange, Schwabe, Yang, CHES 2011) that X25519 needs: `-x^2 + y^2 = 1 + d
//! x^2 y^2`, where a point has the u-coordinate `(1 + y) / (1 - y)` on Curve25519 (RFC 7748, 4.1).

use super::multiple::{BASE_DIGITS, BASE_WINDOW, digit, windows};
use super::x25519::decode_scalar;
use crate::field::{F25519, Fe, Multiply, Portable, invert_batch};
use crate::word::equal;
use crate::{Cpu, Limb};
use carrysave_kernels::{fp::MAX_LIMBS, mpn::TabSelect};
use zeroize::Zeroize;

#[cfg(target_arch = "x86_64")]
use crate::field::MulxAdx;

/// Bits of the scalars of the base point.
const BITS: usize = 255;
/// Limbs of an element.
const LIMBS: usize = 4;
/// Limbs of a multiple in a table.
const ROW: usize = 3 * LIMBS;

/// A point (X : Y : Z : T) with x = X/Z, y = Y/Z and xy = T/Z (Hisil, Wong, Carter, Dawson, ASIACRYPT 2008).
#[derive(Clone, Copy)]
struct Extended<M> {
    x: Fe<F25519, M>,
    y: Fe<F25519, M>,
    z: Fe<F25519, M>,
    t: Fe<F25519, M>,
}

/// y + x, y - x and 2dxy of a point.
#[derive(Clone, Copy)]
struct Addend<M>([Fe<F25519, M>; 3]);

impl<M: Multiply> Extended<M> {
    fn identity(m: M) -> Self {
        let [zero, one] = [0, 1].map(|limb| Fe::from_limb(limb).by(m));
        Extended {
            x: zero,
            y: one,
            z: one,
            t: zero,
        }
    }

    /// The sum of any two points (ibid., 3.1, for an addend of Z = 1).
    #[inline(always)]
    fn add(&self, Addend([sum, difference, product]): &Addend<M>) -> Self {
        let a = (self.y - self.x) * *difference;
        let b = (self.y + self.x) * *sum;
        let c = self.t * *product;
        let d = self.z + self.z;
        Self::completed([b - a, d - c, d + c, b + a])
    }

    /// Twice the point (ibid., 3.3), with all signs changed.
    #[inline(always)]
    fn double(&self) -> Self {
        let (a, b) = (self.x.sqr(), self.y.sqr());
        let c = self.z.sqr();
        let h = a + b;
        let g = a - b;
        Self::completed([h - (self.x + self.y).sqr(), c + c + g, g, h])
    }

    /// x = e / g, y = h / f.
    #[inline(always)]
    fn completed([e, f, g, h]: [Fe<F25519, M>; 4]) -> Self {
        Extended {
            x: e * f,
            y: g * h,
            z: f * g,
            t: e * h,
        }
    }
}

/// Addends, aligned for vectors.
#[repr(align(32))]
struct Rows([[Limb; ROW]; BASE_DIGITS]);

/// Multiples of the base point of X25519, with which a public key takes a third of the time.
///
/// ```
/// use carrysave_arith::{Cpu, curve::{X25519_BASE, X25519Table, x25519}};
/// let table = X25519Table::new(Cpu::native());
/// assert_eq!(table.public(&[7; 32]), x25519(Cpu::native(), &[7; 32], &X25519_BASE));
/// ```
pub struct X25519Table {
    /// For each window j, 1 to 32 times 2^6j times the base point, as addends.
    multiples: Vec<Rows>,
    cpu: Cpu,
}

impl X25519Table {
    /// Computes the multiples.
    pub fn new(cpu: Cpu) -> Self {
        let small = Fe::<F25519>::from_limb;
        let d = -small(121_665) * small(121_666).inv();
        // y = 4/5; the sign of x does not affect u.
        let y = small(4) * small(5).inv();
        let square = (y.sqr() - small(1)) * (d * y.sqr() + small(1)).inv();
        let x = square.sqrt().expect("the base point is on the curve");
        let mut at = (x, y);
        let mut points = vec![];
        for _ in 0..windows(BASE_WINDOW, BITS) {
            let (x, y) = at;
            let addend = Addend([y + x, y - x, (d + d) * x * y]);
            let mut point = Extended::identity(Portable);
            for _ in 0..BASE_DIGITS {
                point = point.add(&addend);
                points.push(point);
            }
            let next = points[points.len() - 1].double();
            let inverse = next.z.inv();
            at = (next.x * inverse, next.y * inverse);
        }
        let mut inverses: Vec<_> = points.iter().map(|point| point.z).collect();
        invert_batch(&mut inverses);
        let rows: Vec<[Limb; ROW]> = points
            .iter()
            .zip(&inverses)
            .map(|(point, inverse)| {
                let (x, y) = (point.x * *inverse, point.y * *inverse);
                let mut row = [0; ROW];
                let addend = [y + x, y - x, (d + d) * x * y];
                for (row, element) in row.chunks_exact_mut(LIMBS).zip(addend) {
                    row.copy_from_slice(&element.to_limbs()[..LIMBS]);
                }
                row
            })
            .collect();
        let (multiples, _) = rows.as_chunks();
        X25519Table {
            multiples: multiples.iter().map(|&rows| Rows(rows)).collect(),
            cpu,
        }
    }

    /// The function [`x25519`](super::x25519) of k and the base point.
    ///
    /// # Timing
    /// Depends on the processor's extensions only.
    pub fn public(&self, k: &[u8; 32]) -> [u8; 32] {
        #[cfg(target_arch = "x86_64")]
        if let Some(m) = MulxAdx::new(self.cpu) {
            return self.public_by(m, k);
        }
        self.public_by(Portable, k)
    }

    fn public_by<M: Multiply>(&self, m: M, k: &[u8; 32]) -> [u8; 32] {
        let mut octets = decode_scalar(k);
        let mut k = [0; LIMBS];
        for (limb, octets) in k.iter_mut().zip(octets.as_chunks().0) {
            *limb = Limb::from_le_bytes(*octets);
        }
        let select = TabSelect::best(self.cpu);
        let mut row = [0; ROW];
        let mut r = Extended::identity(m);
        for (window, table) in self.multiples.iter().enumerate() {
            let (magnitude, sign) = digit(&k, BASE_WINDOW, window);
            // The digit 0 selects no row and gives zeros, but the identity is 1, 1, 0.
            select.call(
                &mut row,
                table.0.as_flattened(),
                (magnitude as usize).wrapping_sub(1),
            );
            let none = equal(0, magnitude);
            row[0] |= none;
            row[LIMBS] |= none;
            r = r.add(&addend(m, &row, sign));
        }
        let u = ((r.z + r.y) * (r.z - r.y).inv()).to_le_bytes();
        octets.zeroize();
        k.zeroize();
        row.zeroize();
        for coordinate in [&mut r.x, &mut r.y, &mut r.z, &mut r.t] {
            coordinate.zeroize();
        }
        u
    }
}

/// A row of a table, or for 1 its negative: (-x, y).
#[inline(always)]
fn addend<M: Multiply>(m: M, row: &[Limb; ROW], negative: Limb) -> Addend<M> {
    let [sum, difference, product] = [0, 1, 2].map(|i| {
        let mut limbs = [0; MAX_LIMBS];
        limbs[..LIMBS].copy_from_slice(&row[LIMBS * i..][..LIMBS]);
        Fe::below_power(&limbs).by(m)
    });
    Addend([
        Fe::select(&sum, &difference, negative),
        Fe::select(&difference, &sum, negative),
        Fe::select(&product, &-product, negative),
    ])
}

impl core::fmt::Debug for X25519Table {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("X25519Table")
    }
}
