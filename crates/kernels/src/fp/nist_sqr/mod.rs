//! `fp_nist_sqr`: r := a^2 / R, reduced by p, the prime of P-256 or P-384; R = 2^(64n).
//!
//! Shapes     r\[n\], a\[n\]; n is 4 or 6, the limbs of p. Least significant limb first.
//! Input      any.
//! Output     that of `fp_nist_mul` with b = a.
//! Overlap    r may be a exactly.
//! Timing     depends on n only.
//! Source     Montgomery 1985; HAC 14.16; the prime: SP 800-186, 3.2.1.

use crate::{Isa, Limb, op::*};

op! {
    /// Montgomery squaring modulo primes of the NIST's curves.
    pub struct NistSqr("fp_nist_sqr");
    call: (r: *mut Limb, a: *const Limb, n: usize);
    contract: Contract {
        effect: "r := a^2 / R  (mod p),  p the prime of P-256 or P-384,  R = 2^(64n)",
        operands: &[Operand::out("r", Len::N), Operand::input("a", Len::N)],
        scalar: Scalar::None,
        returns: Returns::Nothing,
        same: &[("r", "a")],
        dims: Dims::OneOf(&[4, 6]),
        timing: Timing::Constant,
        source: "Montgomery 1985; HAC 14.16; SP 800-186",
    };
    kernels {
        x86_64 {
            mulx_adx: Isa::BMI2.and(Isa::ADX);
        }
        any {
            /// The kernel of the product, given the same operand twice.
            portable: Isa::NONE => { super::nist_mul::portable::kernel(r, a, a, n) };
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.n);
}

impl NistSqr {
    /// `r := a^2 / R` modulo the prime of as many limbs.
    ///
    /// # Panics
    /// If the operands have not 4 or 6 limbs each.
    pub fn call(&self, r: &mut [Limb], a: &[Limb]) {
        assert!(matches!(r.len(), 4 | 6) && a.len() == r.len());
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(r.as_mut_ptr(), a.as_ptr(), r.len()) }
    }
}
