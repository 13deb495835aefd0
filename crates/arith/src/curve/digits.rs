//! P-521 on vectors: its points in digits, which AVX-512 IFMA multiplies in less time than limbs take.

use super::curves::{P521, P521Digits, P521Order};
use super::formulas::Formulas;
use super::weierstrass::{A, Affine, Curve, Point};
use crate::field::{Calculation, Fe, Field, Multiply, Portable};
use crate::{Cpu, Limb};

/// The curve over the same field in digits.
#[derive(Clone, Copy, Debug)]
struct InDigits;

impl Curve for InDigits {
    const NAME: &'static str = "P-521 in digits";
    type Base = P521Digits;
    type Scalar = P521Order;
    const A: A = P521::A;
    const PRIME_ORDER: bool = P521::PRIME_ORDER;
    fn a() -> Fe<P521Digits> {
        same(&P521::a())
    }
    fn b() -> Fe<P521Digits> {
        same(&P521::b())
    }
    fn g() -> Affine<InDigits> {
        let (x, y) = P521::g();
        (same(&x), same(&y))
    }
}

/// The same element of the same field, kept in another way.
fn same<F: Field, G: Field>(x: &Fe<F>) -> Fe<G> {
    Fe::below_power(&x.to_limbs())
}

/// The same point likewise.
fn same_point<C: Curve, D: Curve>(p: &Point<C>) -> Point<D> {
    Point {
        x: same(&p.x),
        y: same(&p.y),
        z: same(&p.z),
    }
}

/// A point times a secret number.
struct Product<'a> {
    point: &'a Point<P521>,
    scalar: &'a [Limb],
}

impl Calculation for Product<'_> {
    type Output = Point<P521>;

    #[inline(always)]
    fn run<M: Multiply>(self, m: M) -> Point<P521> {
        let point = same_point::<_, InDigits>(self.point).by(m);
        let product = Formulas::new(m).mul_below_order(&point, self.scalar);
        same_point(&product.by(Portable))
    }
}

/// A point times a secret number where there are vectors for it.
pub(super) fn mul(point: &Point<P521>, scalar: &[Limb], cpu: Cpu) -> Option<Point<P521>> {
    let product = Product { point, scalar };
    #[cfg(target_arch = "x86_64")]
    if let Some(m) = crate::field::Ifma512::new(cpu) {
        return Some(m.run(product));
    }
    let _ = (product, cpu);
    None
}
