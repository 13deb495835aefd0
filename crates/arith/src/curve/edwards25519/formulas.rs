//! Sums of points in extended coordinates (Hisil, Wong, Carter, Dawson, ASIACRYPT 2008), of elements alone or in lanes.

use crate::field::{Fe, Fes, Field, InLanes, Multiply};
use carrysave_kernels::fp8::Lanes;
use core::ops::{Add, Mul, Sub};

/// What the formulas calculate with: an element, or elements in lanes.
pub(super) trait Coordinate:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
{
    /// The square.
    fn squared(self) -> Self;
}

impl<F: Field, M: Multiply> Coordinate for Fe<F, M> {
    #[inline(always)]
    fn squared(self) -> Self {
        self.sqr()
    }
}

impl<F: Field, L: Lanes> Coordinate for Fes<F, L>
where
    F::Residue: InLanes,
{
    #[inline(always)]
    fn squared(self) -> Self {
        self.sqr()
    }
}

/// A point without T, which may be doubled.
#[derive(Clone, Copy)]
pub(super) struct Projective<T> {
    pub(super) x: T,
    pub(super) y: T,
    pub(super) z: T,
}

/// A sum: x = e / g, y = h / f.
#[derive(Clone, Copy)]
pub(super) struct Completed<T> {
    e: T,
    f: T,
    g: T,
    h: T,
}

impl<T: Coordinate> Projective<T> {
    /// Twice the point (ibid., 3.3), with all signs changed.
    #[inline(always)]
    pub(super) fn double(&self) -> Completed<T> {
        let (a, b) = (self.x.squared(), self.y.squared());
        let c = self.z.squared();
        let h = a + b;
        let g = a - b;
        Completed {
            e: h - (self.x + self.y).squared(),
            f: c + c + g,
            g,
            h,
        }
    }
}

impl<T: Coordinate> Completed<T> {
    /// The sum of a point X, Y, T and any point (ibid., 3.1), of which y + x, y - x and 2dxy are given, or a multiple of
    /// them, and twice the product of both Z.
    #[inline(always)]
    pub(super) fn sum(
        [x, y, t]: [T; 3],
        [sum, difference, product]: &[T; 3],
        d: T,
    ) -> Completed<T> {
        let a = (y - x) * *difference;
        let b = (y + x) * *sum;
        let c = t * *product;
        Completed {
            e: b - a,
            f: d - c,
            g: d + c,
            h: b + a,
        }
    }

    /// X, Y, Z and T.
    #[inline(always)]
    pub(super) fn coordinates(&self) -> [T; 4] {
        [
            self.e * self.f,
            self.g * self.h,
            self.f * self.g,
            self.e * self.h,
        ]
    }

    #[inline(always)]
    pub(super) fn projective(&self) -> Projective<T> {
        Projective {
            x: self.e * self.f,
            y: self.g * self.h,
            z: self.f * self.g,
        }
    }
}
