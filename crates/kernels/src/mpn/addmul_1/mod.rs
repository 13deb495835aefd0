//! `mpn_addmul_1`: r := r + a * b  (mod 2^(64n)); returns the carry limb.
//!
//! Shapes     r\[n\], a\[n\], one limb b; n >= 1.
//! Input      any.
//! Output     the carry limb is what is owed at 2^(64n).
//! Overlap    r may be a exactly.
//! Timing     depends on n only.
//! Source     Knuth, TAOCP 2, 4.3.1, algorithm M.

#[cfg(target_arch = "x86_64")]
use super::pmuludq::ADDMUL;
use crate::{Isa, Limb, op::*};

op! {
    /// `r := r + a * b` for one limb b, returning the carry limb.
    pub struct AddMul1("mpn_addmul_1");
    call: (r: *mut Limb, a: *const Limb, n: usize, b: Limb) -> Limb;
    contract: Contract {
        effect: "r := r + a * b  (mod 2^(64n)); returns the carry limb",
        operands: &[Operand::in_out("r", Len::N), Operand::input("a", Len::N)],
        scalar: Scalar::Secret(Word::Any),
        returns: Returns::Limb,
        same: &[("r", "a")],
        dims: Dims::N,
        timing: Timing::Constant,
        source: "Knuth, TAOCP 2, 4.3.1, algorithm M",
    };
    kernels {
        x86_64 {
            /// `mulx` products on two carry chains, eight limbs a turn.
            mulx_adx: Isa::BMI2.and(Isa::ADX) => super::mulx_adx::addmul_1;
            /// AVX2: products of 32-bit words in four lanes, carries resolved by look-ahead.
            avx2: Isa::AVX2, "avx2" => super::pmuludq::four::row::<ADDMUL>;
            /// `mul` and `adc`, four limbs a turn.
            mul_adc: Isa::NONE => super::mul_adc::addmul_1;
        }
        aarch64 {
            /// `mul`, `umulh` and `adcs`, four limbs a turn.
            umulh: Isa::NONE => super::umulh::addmul_1;
        }
        any {
            portable: Isa::NONE;
        }
        x86_64 {
            /// SSE2: products of 32-bit words in two lanes, carries resolved by the majority of top bits.
            pmuludq: Isa::NONE, "sse2" => super::pmuludq::two::row::<ADDMUL>;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.n, x.s);
}

impl AddMul1 {
    /// `r := r + a * b`; returns the carry limb.
    ///
    /// # Panics
    /// If the lengths differ or are zero.
    pub fn call(&self, r: &mut [Limb], a: &[Limb], b: Limb) -> Limb {
        assert!(!r.is_empty() && r.len() == a.len());
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(r.as_mut_ptr(), a.as_ptr(), r.len(), b) }
    }
}
