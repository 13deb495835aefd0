//! `fp_add`: r := a + b  (mod n).
//!
//! Shapes     r\[4\], a\[4\], b\[4\], n\[4\]; n odd. Least significant limb first.
//! Input      a < n, b < n.
//! Output     r < n, fully reduced.
//! Overlap    r may be a or b exactly.
//! Timing     constant.
//! Source     HAC 14.7, 14.27.

use crate::{Isa, Limb, op::*};

op! {
    /// Addition of four limbs modulo any odd number.
    pub struct Add("fp_add");
    call: (r: *mut Limb, a: *const Limb, b: *const Limb, n: *const Limb);
    contract: Contract {
        effect: "r := a + b  (mod n)",
        operands: &[
            Operand::out("r", Len::N),
            Operand::input("a", Len::N).holding(Value::Below(Bound::Operand("n"))),
            Operand::input("b", Len::N).holding(Value::Below(Bound::Operand("n"))),
            Operand::input("n", Len::N).holding(Value::Odd),
        ],
        scalar: Scalar::None,
        returns: Returns::Nothing,
        same: &[("r", "a"), ("r", "b")],
        dims: Dims::OneOf(&[4]),
        timing: Timing::Constant,
        source: "HAC 14.7, 14.27",
    };
    kernels {
        x86_64 {
            /// Sum and difference in registers, one of them chosen by `cmov`.
            cmov: Isa::NONE => {
                super::store(r, super::adc::add_4(&super::load(a), &super::load(b), &super::load(n)))
            };
        }
        any {
            /// Plain Rust.
            portable: Isa::NONE => {
                super::store(r, super::montgomery::sum::<4>(&super::load(a), &super::load(b), &super::load(n)))
            };
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.p[2], x.p[3]);
}

impl Add {
    /// `r := a + b mod n`, for an odd n above a and b.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, fp};
    /// let mut r = [0; 4];
    /// fp::Add::best(Cpu::native()).call(&mut r, &[2, 0, 0, 0], &[4, 0, 0, 0], &[5, 0, 0, 0]);
    /// assert_eq!(r, [1, 0, 0, 0]);
    /// ```
    pub fn call(&self, r: &mut [Limb; 4], a: &[Limb; 4], b: &[Limb; 4], n: &[Limb; 4]) {
        // SAFETY: shapes are in the types.
        unsafe { (self.f)(r.as_mut_ptr(), a.as_ptr(), b.as_ptr(), n.as_ptr()) }
    }
}
