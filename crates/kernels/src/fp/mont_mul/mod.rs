//! `fp_mont_mul`: r := a * b / R  (mod n),  R = 2^256.
//!
//! Shapes     r\[4\], a\[4\], b\[4\], n\[4\], n0 = -n^-1 mod 2^64; n odd. Least significant limb first.
//! Input      a < n, b < n.
//! Output     r < n, fully reduced.
//! Overlap    r may be a or b exactly.
//! Timing     constant.
//! Source     Koç, Acar, Kaliski 1996, CIOS; final subtraction HAC 14.32.

use crate::{Isa, Limb, op::*};

op! {
    /// Montgomery multiplication of four limbs.
    pub struct MontMul("fp_mont_mul");
    call: (r: *mut Limb, a: *const Limb, b: *const Limb, n: *const Limb, n0: Limb);
    contract: Contract {
        effect: "r := a * b / R  (mod n),  R = 2^256",
        operands: &[
            Operand::out("r", Len::N),
            Operand::input("a", Len::N).holding(Value::Below(Bound::Operand("n"))),
            Operand::input("b", Len::N).holding(Value::Below(Bound::Operand("n"))),
            Operand::input("n", Len::N).holding(Value::Odd),
        ],
        scalar: Scalar::Secret(Word::NegInverse("n", 64)),
        returns: Returns::Nothing,
        same: &[("r", "a"), ("r", "b")],
        dims: Dims::OneOf(&[4]),
        timing: Timing::Constant,
        source: "Koç, Acar, Kaliski 1996; HAC 14.32",
    };
    kernels {
        x86_64 {
            mulx_adx: Isa::BMI2.and(Isa::ADX);
        }
        any {
            /// Plain Rust.
            portable: Isa::NONE => {
                super::store(r, super::montgomery::product::<4>(&super::load(a), &super::load(b), &super::load(n), n0))
            };
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.p[2], x.p[3], x.s);
}

impl MontMul {
    /// `r := a * b / 2^256 mod n`, for an odd n above a and b, with `-n^-1 mod 2^64`.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, fp};
    /// let mut r = [0; 4];
    /// // 2^256 - 1 = 0, so that R is 1.
    /// fp::MontMul::best(Cpu::native()).call(&mut r, &[2, 0, 0, 0], &[3, 0, 0, 0], &[u64::MAX; 4], 1);
    /// assert_eq!(r, [6, 0, 0, 0]);
    /// ```
    pub fn call(&self, r: &mut [Limb; 4], a: &[Limb; 4], b: &[Limb; 4], n: &[Limb; 4], n0: Limb) {
        // SAFETY: shapes are in the types, the processor was checked by `all`.
        unsafe { (self.f)(r.as_mut_ptr(), a.as_ptr(), b.as_ptr(), n.as_ptr(), n0) }
    }

    /// `r := r * b / 2^256 mod n`, as [`MontMul::call`].
    pub fn call_in_place(&self, r: &mut [Limb; 4], b: &[Limb; 4], n: &[Limb; 4], n0: Limb) {
        let p = r.as_mut_ptr();
        // SAFETY: shapes are in the types, the processor was checked by `all`; r = a exactly is allowed.
        unsafe { (self.f)(p, p, b.as_ptr(), n.as_ptr(), n0) }
    }

    /// m times `r := r^2 / 2^256 mod n`.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, fp};
    /// let mut r = [2, 0, 0, 0];
    /// // 2^256 - 1 = 0, so that R is 1.
    /// fp::MontMul::best(Cpu::native()).square_in_place(&mut r, &[u64::MAX; 4], 1, 3);
    /// assert_eq!(r, [256, 0, 0, 0]);
    /// ```
    pub fn square_in_place(&self, r: &mut [Limb; 4], n: &[Limb; 4], n0: Limb, m: usize) {
        let p = r.as_mut_ptr();
        for _ in 0..m {
            // SAFETY: shapes are in the types, the processor was checked by `all`; r may be a and b exactly.
            unsafe { (self.f)(p, p, p, n.as_ptr(), n0) }
        }
    }
}
