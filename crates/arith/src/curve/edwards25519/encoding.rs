//! Points as 32 octets (RFC 8032, 5.1.2 and 5.1.3): y, and the lowest bit of x as the highest bit.

use super::{D, Edwards25519Point, ROOT, element};
use crate::field::{F25519, Fe, Multiply, invert_batch};
use crate::{Cpu, publish};
use core::fmt;
use zeroize::Zeroize;

#[cfg(target_arch = "x86_64")]
use crate::field::{MulxAdx, Portable};

/// A point by its coordinates x and y.
#[derive(Clone, Copy)]
pub struct Edwards25519Affine {
    x: Fe<F25519>,
    y: Fe<F25519>,
}

impl Edwards25519Affine {
    /// The point's only canonical encoding (RFC 8032, 5.1.2).
    ///
    /// # Timing
    /// Depends on nothing.
    pub fn to_octets(&self) -> [u8; 32] {
        let mut octets = self.y.to_le_bytes();
        octets[31] |= u8::from(self.x.is_odd()) << 7;
        octets
    }
}

impl Zeroize for Edwards25519Affine {
    fn zeroize(&mut self) {
        self.x.zeroize();
        self.y.zeroize();
    }
}

/// Without the coordinates.
impl fmt::Debug for Edwards25519Affine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Edwards25519Affine")
    }
}

impl Edwards25519Point {
    /// The point's only canonical encoding (RFC 8032, 5.1.2).
    ///
    /// # Timing
    /// Depends on nothing.
    ///
    /// ```
    /// use carrysave_arith::curve::Edwards25519Point;
    /// let mut octets = [0x66; 32];
    /// octets[0] = 0x58;
    /// assert_eq!(Edwards25519Point::base().to_octets(), octets);
    /// ```
    pub fn to_octets(&self) -> [u8; 32] {
        let mut affine = self.to_affine();
        let octets = affine.to_octets();
        affine.zeroize();
        octets
    }

    /// The coordinates x and y.
    ///
    /// # Timing
    /// Depends on nothing.
    pub fn to_affine(&self) -> Edwards25519Affine {
        self.times(&self.z.inv())
    }

    /// The coordinates x and y of many points, with one inversion.
    ///
    /// # Timing
    /// Depends on the number of points only.
    ///
    /// ```
    /// use carrysave_arith::curve::Edwards25519Point;
    /// let b = Edwards25519Point::base();
    /// let both = Edwards25519Point::to_affine_batch(&[b, b.double()]);
    /// assert_eq!(both[1].to_octets(), b.double().to_octets());
    /// ```
    pub fn to_affine_batch(points: &[Self]) -> Vec<Edwards25519Affine> {
        let mut inverses: Vec<_> = points.iter().map(|point| point.z).collect();
        invert_batch(&mut inverses);
        let pairs = points.iter().zip(&inverses);
        let affine = pairs.map(|(point, inverse)| point.times(inverse)).collect();
        inverses.zeroize();
        affine
    }

    fn times(&self, inverse: &Fe<F25519>) -> Edwards25519Affine {
        Edwards25519Affine {
            x: self.x * *inverse,
            y: self.y * *inverse,
        }
    }

    /// Whether these are its coordinates.
    ///
    /// # Timing
    /// Depends on nothing.
    ///
    /// ```
    /// use carrysave_arith::curve::Edwards25519Point;
    /// let b = Edwards25519Point::base();
    /// assert!(b.double().is_at(&b.double().to_affine()) && !b.is_at(&b.double().to_affine()));
    /// ```
    pub fn is_at(&self, affine: &Edwards25519Affine) -> bool {
        let Edwards25519Affine { x, y } = *affine;
        publish((x * self.z).equals(&self.x) & (y * self.z).equals(&self.y)) == 1
    }

    /// Decodes a point from its canonical encoding (RFC 8032, 5.1.3); `None` for anything else.
    ///
    /// # Timing
    /// Depends on the octets, which are public.
    ///
    /// ```
    /// use carrysave_arith::{Cpu, curve::Edwards25519Point};
    /// let b = Edwards25519Point::base();
    /// assert_eq!(Edwards25519Point::from_octets_vartime(Cpu::native(), &b.to_octets()), Some(b));
    /// ```
    pub fn from_octets_vartime(cpu: Cpu, octets: &[u8; 32]) -> Option<Self> {
        let mut y = *octets;
        y[31] &= 0x7f;
        Fe::<F25519>::from_le_bytes(&y)?;
        let point = Edwards25519Point::from_octets_zip215_vartime(cpu, octets)?;
        let signed = octets[31] >> 7 == 1;
        (!(signed && point.x.is_zero())).then_some(point)
    }

    /// Decodes a point from any encoding by the rules of ZIP 215: y may be above the prime, and x = 0 have a sign. `None` if
    /// there is no such point.
    ///
    /// # Timing
    /// Depends on the octets, which are public.
    ///
    /// ```
    /// use carrysave_arith::{Cpu, curve::Edwards25519Point};
    /// // 2^255 - 18, which is 1.
    /// let mut octets = [0xff; 32];
    /// octets[0] = 0xee;
    /// assert_eq!(Edwards25519Point::from_octets_vartime(Cpu::native(), &octets), None);
    /// let point = Edwards25519Point::from_octets_zip215_vartime(Cpu::native(), &octets);
    /// assert_eq!(point, Some(Edwards25519Point::identity()));
    /// ```
    pub fn from_octets_zip215_vartime(cpu: Cpu, octets: &[u8; 32]) -> Option<Self> {
        let y = Fe::<F25519>::reduce_le_bytes(octets);
        #[cfg(target_arch = "x86_64")]
        let x = match MulxAdx::new(cpu) {
            Some(m) => abscissa(y.by(m))?.by(Portable),
            None => abscissa(y)?,
        };
        #[cfg(not(target_arch = "x86_64"))]
        let x = {
            let _ = cpu;
            abscissa(y)?
        };
        let signed = octets[31] >> 7 == 1;
        let x = if x.is_odd() == signed { x } else { -x };
        Some(Edwards25519Point::affine(x, y))
    }
}

/// An x of the points with this y: a square root of `u / v`, with `u = y^2 - 1` and `v = d y^2 + 1`, if there is one
/// (RFC 8032, 5.1.3).
fn abscissa<M: Multiply>(y: Fe<F25519, M>) -> Option<Fe<F25519, M>> {
    let m = y.multiplier();
    let one = Fe::one().by(m);
    let square = y.sqr();
    let (u, v) = (square - one, square * element(m, &D) + one);
    let v3 = v.sqr() * v;
    // u v^3 (u v^7)^((p - 5) / 8)
    let x = u * v3 * (u * v3.sqr() * v).pow_half_odd();
    let square = v * x.sqr();
    if square == u {
        return Some(x);
    }
    (square == -u).then(|| x * element(m, &ROOT))
}
