//! `fp_m521_mul`: r := a * b modulo 2^521 - 1.
//!
//! Shapes     r\[9\], a\[9\], b\[9\]. Least significant limb first.
//! Input      a, b < 2^521.
//! Output     t := a * b, and twice t := t mod 2^521 + t div 2^521; then r = t < 2^521. It is 2^521 - 1 or 0 where the
//!            residue is 0.
//! Overlap    r may be a or b exactly.
//! Timing     constant.
//! Source     Knuth, TAOCP 2, 4.3.2; SP 800-186, 3.2.1.5.

use crate::{Isa, Limb, op::*};

op! {
    /// Multiplication modulo 2^521 - 1.
    pub struct M521Mul("fp_m521_mul");
    call: (r: *mut Limb, a: *const Limb, b: *const Limb);
    contract: Contract {
        effect: "r := a*b folded twice at 2^521: t -> t mod 2^521 + t div 2^521",
        operands: &[
            Operand::out("r", Len::N),
            Operand::input("a", Len::N).holding(Value::Below(Bound::Power(521))),
            Operand::input("b", Len::N).holding(Value::Below(Bound::Power(521))),
        ],
        scalar: Scalar::None,
        returns: Returns::Nothing,
        same: &[("r", "a"), ("r", "b")],
        dims: Dims::OneOf(&[9]),
        timing: Timing::Constant,
        source: "Knuth, TAOCP 2, 4.3.2",
    };
    kernels {
        x86_64 {
            /// By rows on `mulx`, `adcx` and `adox`.
            mulx_adx: Isa::BMI2.and(Isa::ADX) => super::mulx_adx::p521::mul;
        }
        any {
            /// In plain Rust.
            portable: Isa::NONE => { super::store(r, super::mersenne521::mul(&super::load(a), &super::load(b))) };
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.p[2]);
}

impl M521Mul {
    /// `r := a * b` modulo 2^521 - 1.
    ///
    /// # Panics
    /// If an operand is not below 2^521.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, fp};
    /// let mut r = [0; 9];
    /// // 2^521 = 1.
    /// fp::M521Mul::best(Cpu::native()).call(&mut r, &[0, 2, 0, 0, 0, 0, 0, 0, 0], &[0, 0, 0, 0, 0, 0, 0, 1 << 8, 0]);
    /// assert_eq!(r, [1, 0, 0, 0, 0, 0, 0, 0, 0]);
    /// ```
    pub fn call(&self, r: &mut [Limb; 9], a: &[Limb; 9], b: &[Limb; 9]) {
        assert!((a[8] | b[8]) >> 9 == 0);
        // SAFETY: shapes are in the types, values were checked above, the processor by `all`.
        unsafe { (self.f)(r.as_mut_ptr(), a.as_ptr(), b.as_ptr()) }
    }
}
