//! P-521 on vectors: coordinates in digits, which AVX-512 IFMA multiplies faster than limbs.

use super::formulas::Formulas;
use super::weierstrass::{A, Affine, Curve, Point, same};
use crate::field::{Calculation, Digits521, Fe, Field, Multiply, Portable};
use crate::{Cpu, Limb};
use core::marker::PhantomData;

/// The field of the coordinates of P-521 in digits, which vectors of AVX-512 IFMA multiply.
#[derive(Clone, Copy, Debug)]
pub struct P521Digits;

impl Field for P521Digits {
    const NAME: &'static str = "p of P-521 in digits";
    type Residue = Digits521;
    type Bytes = [u8; 66];
    const ZERO_BYTES: [u8; 66] = [0; 66];
}

/// A curve over that field, its coordinates in digits.
#[derive(Clone, Copy, Debug)]
struct InDigits<C>(PhantomData<C>);

impl<C: Curve> Curve for InDigits<C> {
    const NAME: &'static str = "a curve in digits";
    type Base = P521Digits;
    type BaseInLanes = P521Digits;
    type Scalar = C::Scalar;
    const A: A = C::A;
    const PRIME_ORDER: bool = C::PRIME_ORDER;
    fn a() -> Fe<P521Digits> {
        same(&C::a())
    }
    fn b() -> Fe<P521Digits> {
        same(&C::b())
    }
    fn g() -> Affine<InDigits<C>> {
        let (x, y) = C::g();
        (same(&x), same(&y))
    }
}

/// Converts a point to another representation of its field.
fn same_point<C: Curve, D: Curve>(p: &Point<C>) -> Point<D> {
    Point {
        x: same(&p.x),
        y: same(&p.y),
        z: same(&p.z),
    }
}

/// A point times a secret number.
struct Product<'a, C: Curve> {
    point: &'a Point<C>,
    scalar: &'a [Limb],
}

impl<C: Curve> Calculation for Product<'_, C> {
    type Output = Point<C>;

    #[inline(always)]
    fn run<M: Multiply>(self, m: M) -> Point<C> {
        let point = same_point::<_, InDigits<C>>(self.point).by(m);
        let product = Formulas::new(m).mul_below_order(&point, self.scalar);
        same_point(&product.by(Portable))
    }
}

/// A point of a curve over the field of P-521 times a secret number, where there are vectors for it.
pub(super) fn mul<C: Curve>(point: &Point<C>, scalar: &[Limb], cpu: Cpu) -> Option<Point<C>> {
    let product = Product { point, scalar };
    #[cfg(target_arch = "x86_64")]
    if let Some(m) = crate::field::Ifma512::new(cpu) {
        return Some(m.run(product));
    }
    let _ = (product, cpu);
    None
}
