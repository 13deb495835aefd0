//! `fp_mul`: r := a * b folded at R = 2^(64n): congruent to a * b modulo R - d.
//!
//! Shapes     r\[n\], a\[n\], b\[n\]; n is 2 or 4; one limb d. Least significant limb first.
//! Input      any; d >= 1. For the prime 2^w - c with w = 64n - s, d = c * 2^s.
//! Output     t := a * b, and three times t := t mod R + d * (t div R); then r = t < R.
//! Overlap    r may be a or b exactly; partial overlap is not allowed.
//! Timing     depends on n only; d is public.
//! Source     Crandall, US patent 5,159,632; HAC 14.47; Şanal, A Galois Field Arithmetic Library, 2017.

use crate::{Isa, Limb, op::*};

/// `(r, a, b, n, d)`
pub type F = unsafe fn(*mut Limb, *const Limb, *const Limb, usize, Limb);

op! {
    /// Multiplication modulo 2^w - c, folded but not reduced.
    pub struct Mul("fp_mul"): F;
    contract: Contract {
        effect: "r := a*b folded three times at R = 2^(64n): t -> t mod R + d*(t div R)",
        operands: &[Operand::out("r", Len::N), Operand::input("a", Len::N), Operand::input("b", Len::N)],
        scalar: Scalar::Fold,
        returns: Returns::Nothing,
        same: &[("r", "a"), ("r", "b")],
        m: Dim::OneOf(&[2, 4]),
        timing: Timing::Constant,
        source: "HAC 14.47; Şanal 2017",
    };
    kernels: [
        #[cfg(target_arch = "x86_64")]
        mulx_adx: Isa::BMI2.and(Isa::ADX),
        #[cfg(target_arch = "x86_64")]
        schoolbook_mulx: Isa::BMI2,
        portable: Isa::NONE,
        product_scanning: Isa::NONE,
        recursive: Isa::NONE,
        recursive_ascending: Isa::NONE,
        karatsuba: Isa::NONE,
        #[cfg(target_arch = "x86_64")]
        product_scanning_mulx: Isa::BMI2,
        #[cfg(target_arch = "x86_64")]
        recursive_mulx: Isa::BMI2,
        #[cfg(target_arch = "x86_64")]
        recursive_ascending_mulx: Isa::BMI2,
        #[cfg(target_arch = "x86_64")]
        karatsuba_mulx: Isa::BMI2,
    ];
    raw: |f, x| f(x.p[0], x.p[1], x.p[2], x.n, x.s);
}

impl Mul {
    /// `r := a * b` modulo `2^(64n) - d`, folded.
    ///
    /// # Panics
    /// If the lengths differ or are not 2 or 4, or d is 0.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, fp};
    /// let mut r = [0; 2];
    /// // 2^128 = 159 modulo 2^128 - 159.
    /// fp::Mul::best(Cpu::native()).call(&mut r, &[0, 1], &[0, 1], 159);
    /// assert_eq!(r, [159, 0]);
    /// ```
    pub fn call(&self, r: &mut [Limb], a: &[Limb], b: &[Limb], d: Limb) {
        let n = r.len();
        assert!((n == 2 || n == 4) && a.len() == n && b.len() == n && d > 0);
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(r.as_mut_ptr(), a.as_ptr(), b.as_ptr(), n, d) }
    }
}
