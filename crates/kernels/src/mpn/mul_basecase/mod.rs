//! `mpn_mul_basecase`: r := a * b.
//!
//! Shapes     r\[n+m\], a\[n\], b\[m\]; n >= m >= 1.
//! Input      any.
//! Output     the whole product.
//! Overlap    none allowed.
//! Timing     depends on n and m only.
//! Source     Knuth, TAOCP 2, 4.3.1, algorithm M.

#[cfg(target_arch = "x86_64")]
pub(crate) mod mulx_adx;

use crate::{Isa, Limb, op::*};

op! {
    /// The schoolbook product.
    pub struct MulBasecase("mpn_mul_basecase");
    call: (r: *mut Limb, a: *const Limb, n: usize, b: *const Limb, m: usize);
    contract: Contract {
        effect: "r := a * b",
        operands: &[Operand::out("r", Len::N.plus(Len::M)), Operand::input("a", Len::N), Operand::input("b", Len::M)],
        scalar: Scalar::None,
        returns: Returns::Nothing,
        same: &[],
        dims: Dims::UpToN,
        timing: Timing::Constant,
        source: "Knuth, TAOCP 2, 4.3.1, algorithm M",
    };
    kernels {
        x86_64 {
            ifma512: Isa::BMI2.and(Isa::ADX).and(Isa::AVX512F).and(Isa::AVX512IFMA);
            /// Strips of eight limbs, with a product of nothing among the additions of each row.
            mulx_adx_spaced for super::mulx_adx::SPACED: Isa::BMI2.and(Isa::ADX) => mulx_adx::kernel::<true>;
            /// Strips of eight limbs.
            mulx_adx: Isa::BMI2.and(Isa::ADX) => mulx_adx::kernel::<false>;
            /// Rows of one limb on `mul` and `adc`, four limbs a turn.
            mul_adc: Isa::NONE => super::rows::product::<super::mul_adc::MulAdc>;
        }
        aarch64 {
            /// Rows of one limb on `mul`, `umulh` and `adcs`, four limbs a turn.
            umulh: Isa::NONE => super::rows::product::<super::umulh::Umulh>;
        }
        any {
            /// Rows of one limb in plain Rust.
            portable: Isa::NONE => super::rows::product::<super::rows::Plain>;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.n, x.p[2], x.m);
}

impl MulBasecase {
    /// `r := a * b`, the longer operand first.
    ///
    /// # Panics
    /// If `a` is shorter than `b`, `b` is empty, or `r` is not as long as both together.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, mpn::MulBasecase};
    /// let mut r = [0; 3];
    /// MulBasecase::best(Cpu::native()).call(&mut r, &[u64::MAX, 1], &[2]);
    /// assert_eq!(r, [u64::MAX - 1, 3, 0]);
    /// ```
    pub fn call(&self, r: &mut [Limb], a: &[Limb], b: &[Limb]) {
        assert!(!b.is_empty() && a.len() >= b.len() && r.len() == a.len() + b.len());
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(r.as_mut_ptr(), a.as_ptr(), a.len(), b.as_ptr(), b.len()) }
    }
}
