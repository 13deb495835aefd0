//! `mpn_sqr_basecase`: r := a^2.
//!
//! Shapes     r\[2n\], a\[n\]; n >= 1.
//! Input      any.
//! Output     the whole square.
//! Overlap    none allowed.
//! Timing     depends on n only.
//! Source     HAC 14.16.

#[cfg(target_arch = "x86_64")]
pub(crate) mod mulx_adx;

use crate::{Isa, Limb, op::*};

op! {
    /// The schoolbook square: cross products once, doubled.
    pub struct SqrBasecase("mpn_sqr_basecase");
    call: (r: *mut Limb, a: *const Limb, n: usize);
    contract: Contract {
        effect: "r := a^2",
        operands: &[Operand::out("r", Len::N.times(2)), Operand::input("a", Len::N)],
        scalar: Scalar::None,
        returns: Returns::Nothing,
        same: &[],
        dims: Dims::N,
        timing: Timing::Constant,
        source: "HAC 14.16",
    };
    kernels {
        x86_64 {
            ifma512: Isa::BMI2.and(Isa::ADX).and(Isa::AVX512F).and(Isa::AVX512IFMA);
            /// Strips of eight limbs, with a product of nothing among the additions of each row.
            mulx_adx_spaced for super::mulx_adx::SPACED: Isa::BMI2.and(Isa::ADX) => mulx_adx::kernel::<true>;
            /// Strips of eight limbs.
            mulx_adx: Isa::BMI2.and(Isa::ADX) => mulx_adx::kernel::<false>;
            /// Rows of one limb on `mul` and `adc`, four limbs a turn.
            mul_adc: Isa::NONE => super::rows::square::<super::mul_adc::MulAdc>;
        }
        aarch64 {
            /// Rows of one limb on `mul`, `umulh` and `adcs`, four limbs a turn.
            umulh: Isa::NONE => super::rows::square::<super::umulh::Umulh>;
        }
        any {
            /// Rows of one limb in plain Rust.
            portable: Isa::NONE => super::rows::square::<super::rows::Plain>;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.n);
}

impl SqrBasecase {
    /// `r := a^2`.
    ///
    /// # Panics
    /// If `a` is empty or `r` is not twice as long.
    pub fn call(&self, r: &mut [Limb], a: &[Limb]) {
        assert!(!a.is_empty() && r.len() == 2 * a.len());
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(r.as_mut_ptr(), a.as_ptr(), a.len()) }
    }
}
