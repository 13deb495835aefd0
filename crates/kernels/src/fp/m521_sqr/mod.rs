//! `fp_m521_sqr`: r := a^2 modulo 2^521 - 1.
//!
//! Shapes     r\[9\], a\[9\]. Least significant limb first.
//! Input      a < 2^521.
//! Output     that of `fp_m521_mul` with b = a.
//! Overlap    r may be a exactly.
//! Timing     constant.
//! Source     Knuth, TAOCP 2, 4.3.2; HAC 14.16.

use crate::{Isa, Limb, op::*};

op! {
    /// Squaring modulo 2^521 - 1.
    pub struct M521Sqr("fp_m521_sqr");
    call: (r: *mut Limb, a: *const Limb);
    contract: Contract {
        effect: "r := a^2 folded twice at 2^521: t -> t mod 2^521 + t div 2^521",
        operands: &[
            Operand::out("r", Len::N),
            Operand::input("a", Len::N).holding(Value::Below(Bound::Power(521))),
        ],
        scalar: Scalar::None,
        returns: Returns::Nothing,
        same: &[("r", "a")],
        dims: Dims::OneOf(&[9]),
        timing: Timing::Constant,
        source: "Knuth, TAOCP 2, 4.3.2; HAC 14.16",
    };
    kernels {
        x86_64 {
            /// Products of different limbs once, doubled by one chain while another adds the squares of limbs.
            mulx_adx: Isa::BMI2.and(Isa::ADX) => super::mulx_adx::p521::sqr;
        }
        any {
            /// The kernel of the product, given the same operand twice.
            portable: Isa::NONE => { super::m521_mul::portable(r, a, a) };
        }
    }
    raw: |f, x| f(x.p[0], x.p[1]);
}

impl M521Sqr {
    /// `r := a^2` modulo 2^521 - 1.
    ///
    /// # Panics
    /// If the operand is not below 2^521.
    pub fn call(&self, r: &mut [Limb; 9], a: &[Limb; 9]) {
        assert!(a[8] >> 9 == 0);
        // SAFETY: shapes are in the types, values were checked above, the processor by `all`.
        unsafe { (self.f)(r.as_mut_ptr(), a.as_ptr()) }
    }
}
