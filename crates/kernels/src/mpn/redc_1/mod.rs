//! `mpn_redc_1`: r := t / R  (mod n),  R = 2^(64k).
//!
//! Shapes     r\[k\], t\[2k\] (destroyed), n\[k\], n0 = -n^-1 mod 2^64; n odd; k >= 1.
//! Input      t < n * R.
//! Output     r < n, fully reduced.
//! Overlap    none allowed.
//! Timing     depends on k only.
//! Source     Montgomery 1985; Koç, Acar, Kaliski 1996, the reduction of SOS.

#[cfg(all(target_arch = "x86_64", not(miri)))]
pub(crate) mod mulx_adx;

use crate::{Isa, Limb, op::*};

op! {
    /// Montgomery reduction of a double-length number.
    pub struct Redc1("mpn_redc_1");
    call: (r: *mut Limb, t: *mut Limb, n: *const Limb, k: usize, n0: Limb);
    contract: Contract {
        effect: "r := t / R  (mod n),  R = 2^(64k)",
        operands: &[Operand::out("r", Len::N), Operand::in_out("t", Len::N.times(2)).holding(Value::Below(Bound::TimesR("n"))).destroyed(), Operand::input("n", Len::N).holding(Value::Odd)],
        scalar: Scalar::Secret(Word::NegInverse("n", 64)),
        returns: Returns::Nothing,
        same: &[],
        dims: Dims::N,
        timing: Timing::Constant,
        source: "Montgomery 1985; Koç, Acar, Kaliski 1996",
    };
    kernels {
        x86_64 {
            /// Strips of eight limbs, with a product of nothing among the additions of each row.
            mulx_adx_spaced for super::mulx_adx::SPACED: Isa::BMI2.and(Isa::ADX) => mulx_adx::kernel::<true>;
            /// Strips of eight limbs.
            mulx_adx: Isa::BMI2.and(Isa::ADX) => mulx_adx::kernel::<false>;
            /// Rows of one limb on `mul` and `adc`, four limbs a turn.
            mul_adc: Isa::NONE => super::rows::reduction::<super::mul_adc::MulAdc>;
        }
        aarch64 {
            /// Rows of one limb on `mul`, `umulh` and `adcs`, four limbs a turn.
            umulh: Isa::NONE => super::rows::reduction::<super::umulh::Umulh>;
        }
        any {
            /// Rows of one limb in plain Rust.
            portable: Isa::NONE => super::rows::reduction::<super::rows::Plain>;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.p[2], x.n, x.s);
}

impl Redc1 {
    /// `r := t / 2^(64k) mod n`, destroying `t`.
    ///
    /// # Panics
    /// If the lengths are not k, 2k, k for one k >= 1.
    pub fn call(&self, r: &mut [Limb], t: &mut [Limb], n: &[Limb], n0: Limb) {
        assert!(!r.is_empty() && t.len() == 2 * r.len() && n.len() == r.len());
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(r.as_mut_ptr(), t.as_mut_ptr(), n.as_ptr(), r.len(), n0) }
    }
}
