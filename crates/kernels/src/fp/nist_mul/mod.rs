//! `fp_nist_mul`: r := a * b / R, reduced by p, the prime of P-256 or P-384; R = 2^(64n).
//!
//! Shapes     r\[n\], a\[n\], b\[n\]; n is 4 or 6, the limbs of p. Least significant limb first.
//! Input      any.
//! Output     t or t - p, if t is not below p, where t = (a * b + q * p) / R with the q below R that makes the division
//!            exact: below p where a or b is.
//! Overlap    r may be a or b exactly.
//! Timing     depends on n only.
//! Source     Montgomery 1985; the prime: SP 800-186, 3.2.1.

use crate::{Isa, Limb, op::*};

op! {
    /// Montgomery multiplication modulo primes of the NIST's curves.
    pub struct NistMul("fp_nist_mul");
    call: (r: *mut Limb, a: *const Limb, b: *const Limb, n: usize);
    contract: Contract {
        effect: "r := a * b / R  (mod p),  p the prime of P-256 or P-384,  R = 2^(64n)",
        operands: &[
            Operand::out("r", Len::N),
            Operand::input("a", Len::N),
            Operand::input("b", Len::N),
        ],
        scalar: Scalar::None,
        returns: Returns::Nothing,
        same: &[("r", "a"), ("r", "b")],
        dims: Dims::OneOf(&[4, 6]),
        timing: Timing::Constant,
        source: "Montgomery 1985; SP 800-186",
    };
    kernels {
        x86_64 {
            mulx_adx: Isa::BMI2.and(Isa::ADX);
        }
        any {
            portable: Isa::NONE;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.p[2], x.n);
}

impl NistMul {
    /// `r := a * b / R` modulo the prime of as many limbs.
    ///
    /// # Panics
    /// If the operands have not 4 or 6 limbs each.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, fp};
    /// let (mut r, two) = ([0; 4], [2, 0, 0, 0]);
    /// // R mod p
    /// let one = [1, 0xffff_ffff_0000_0000, 0xffff_ffff_ffff_ffff, 0xffff_fffe];
    /// fp::NistMul::best(Cpu::native()).call(&mut r, &one, &two);
    /// assert_eq!(r, two);
    /// ```
    pub fn call(&self, r: &mut [Limb], a: &[Limb], b: &[Limb]) {
        assert!(matches!(r.len(), 4 | 6) && [a.len(), b.len()] == [r.len(); 2]);
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(r.as_mut_ptr(), a.as_ptr(), b.as_ptr(), r.len()) }
    }
}
