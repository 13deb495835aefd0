//! `fp_sqr`: r := a^2 folded at R = 2^(64n): congruent to a^2 modulo R - d.
//!
//! Shapes     r\[n\], a\[n\]; n is 2 or 4; one limb d. Least significant limb first.
//! Input      any; d >= 1.
//! Output     that of `fp_mul` with b = a.
//! Overlap    r may be a exactly; partial overlap is not allowed.
//! Timing     depends on n only; d is public.
//! Source     HAC 14.16, 14.47.

use super::operands::FOLD;
use super::product;
use crate::{Isa, Limb, op::*};

op! {
    /// Squaring modulo 2^w - c, folded but not reduced.
    pub struct Sqr("fp_sqr");
    call: (r: *mut Limb, a: *const Limb, n: usize, d: Limb);
    contract: Contract {
        effect: "r := a^2 folded three times at R = 2^(64n): t -> t mod R + d*(t div R)",
        operands: &[Operand::out("r", Len::N), Operand::input("a", Len::N)],
        scalar: Scalar::Public(Word::Custom(&FOLD)),
        returns: Returns::Nothing,
        same: &[("r", "a")],
        dims: Dims::OneOf(&[2, 4]),
        timing: Timing::Constant,
        source: "HAC 14.16, 14.47",
    };
    kernels {
        x86_64 {
            mulx_adx: Isa::BMI2.and(Isa::ADX);
            /// `portable` compiled for `mulx`.
            square_mulx: Isa::BMI2, "bmi2" => { folded!((r, n, d), |a| product::square(a)) };
        }
        any {
            /// Products of different words once, doubled, and the squares of words, in plain Rust.
            portable: Isa::NONE => { folded!((r, n, d), |a| product::square(a)) };
            /// One level of Karatsuba's method.
            karatsuba: Isa::NONE => { folded!((r, n, d), |a| product::karatsuba(a, a)) };
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.n, x.s);
}

impl Sqr {
    /// `r := a^2` modulo `2^(64n) - d`, folded.
    ///
    /// # Panics
    /// If the lengths differ or are not 2 or 4, or d is 0.
    pub fn call(&self, r: &mut [Limb], a: &[Limb], d: Limb) {
        let n = r.len();
        assert!((n == 2 || n == 4) && a.len() == n && d > 0);
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(r.as_mut_ptr(), a.as_ptr(), n, d) }
    }
}
