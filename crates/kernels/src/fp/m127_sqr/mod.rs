//! `fp_m127_sqr`: r := a^2 modulo 2^127 - 1.
//!
//! Shapes     r\[2\], a\[2\]. Least significant limb first.
//! Input      a < 2^127.
//! Output     that of `fp_m127_mul` with b = a.
//! Overlap    r may be a exactly; partial overlap is not allowed.
//! Timing     constant.
//! Source     Knuth, TAOCP 2, 4.3.2.

use crate::{Isa, Limb, op::*};

op! {
    /// Squaring modulo 2^127 - 1.
    pub struct M127Sqr("fp_m127_sqr");
    call: (r: *mut Limb, a: *const Limb);
    contract: Contract {
        effect: "r := a^2 folded twice at 2^127: t -> t mod 2^127 + t div 2^127",
        operands: &[
            Operand::out("r", Len::N),
            Operand::input("a", Len::N).holding(Value::Below(Bound::Power(127))),
        ],
        scalar: Scalar::None,
        returns: Returns::Nothing,
        same: &[("r", "a")],
        dims: Dims::OneOf(&[2]),
        timing: Timing::Constant,
        source: "Knuth, TAOCP 2, 4.3.2",
    };
    kernels {
        x86_64 {
            /// `mulx`, and a fold that shifts nothing across two limbs.
            mulx_adx: crate::fp::MulxAdx::NEEDS => { super::store(r, super::mulx_adx::sqr_127(super::load(a))) };
            /// `portable` compiled for `mulx`.
            square_mulx: Isa::BMI2, "bmi2" => {
                super::mersenne127::store(r, super::mersenne127::sqr(super::mersenne127::load(a)))
            };
        }
        any {
            /// In plain Rust.
            portable: Isa::NONE => {
                super::mersenne127::store(r, super::mersenne127::sqr(super::mersenne127::load(a)))
            };
        }
    }
    raw: |f, x| f(x.p[0], x.p[1]);
}

impl M127Sqr {
    /// `r := a^2` modulo 2^127 - 1.
    ///
    /// # Panics
    /// If the operand is not below 2^127.
    pub fn call(&self, r: &mut [Limb; 2], a: &[Limb; 2]) {
        assert!(a[1] >> 63 == 0);
        // SAFETY: shapes are in the types, values were checked above, the processor by `all`.
        unsafe { (self.f)(r.as_mut_ptr(), a.as_ptr()) }
    }
}
