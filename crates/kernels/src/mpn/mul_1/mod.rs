//! `mpn_mul_1`: r := a * b  (mod 2^(64n)); returns the high limb.
//!
//! Shapes     r\[n\], a\[n\], one limb b; n >= 1.
//! Input      any.
//! Output     the high limb is what is owed at 2^(64n).
//! Overlap    r may be a exactly.
//! Timing     depends on n only.
//! Source     Knuth, TAOCP 2, 4.3.1, algorithm M.

#[cfg(target_arch = "x86_64")]
use super::pmuludq::MUL;
use crate::{Isa, Limb, op::*};

op! {
    /// `r := a * b` for one limb b, returning the high limb.
    pub struct Mul1("mpn_mul_1");
    call: (r: *mut Limb, a: *const Limb, n: usize, b: Limb) -> Limb;
    contract: Contract {
        effect: "r := a * b  (mod 2^(64n)); returns the high limb",
        operands: &[Operand::out("r", Len::N), Operand::input("a", Len::N)],
        scalar: Scalar::Secret(Word::Any),
        returns: Returns::Limb,
        same: &[("r", "a")],
        dims: Dims::N,
        timing: Timing::Constant,
        source: "Knuth, TAOCP 2, 4.3.1, algorithm M",
    };
    kernels {
        x86_64 {
            mulx_adx: Isa::BMI2.and(Isa::ADX);
            /// AVX2: products of 32-bit words in four lanes, carries resolved by look-ahead.
            avx2: Isa::AVX2, "avx2" => super::pmuludq::four::row::<MUL>;
            /// `mul` and `adc`, four limbs a turn.
            mul_adc: Isa::NONE => super::mul_adc::mul_1;
        }
        aarch64 {
            /// `mul`, `umulh` and `adcs`, four limbs a turn.
            umulh: Isa::NONE => super::umulh::mul_1;
        }
        any {
            portable: Isa::NONE;
        }
        x86_64 {
            /// SSE2: products of 32-bit words in two lanes, carries resolved by the majority of top bits.
            pmuludq: Isa::NONE, "sse2" => super::pmuludq::two::row::<MUL>;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.n, x.s);
}

impl Mul1 {
    /// `r := a * b`; returns the high limb.
    ///
    /// # Panics
    /// If the lengths differ or are zero.
    pub fn call(&self, r: &mut [Limb], a: &[Limb], b: Limb) -> Limb {
        assert!(!r.is_empty() && r.len() == a.len());
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(r.as_mut_ptr(), a.as_ptr(), r.len(), b) }
    }

    /// `r := r * b`; returns the high limb.
    ///
    /// # Panics
    /// If `r` is empty.
    pub fn call_in_place(&self, r: &mut [Limb], b: Limb) -> Limb {
        assert!(!r.is_empty());
        let p = r.as_mut_ptr();
        // SAFETY: the shapes were checked above, the processor by `all`; r = a exactly is allowed.
        unsafe { (self.f)(p, p, r.len(), b) }
    }
}
