//! `mpn_mul_1`: r := a * b  (mod 2^(64n)); returns the high limb.
//!
//! Shapes     r\[n\], a\[n\], one limb b; n >= 1.
//! Input      any.
//! Output     the high limb is what is owed at 2^(64n).
//! Overlap    r may be a exactly.
//! Timing     depends on n only.
//! Source     Knuth, TAOCP 2, 4.3.1, algorithm M.

use crate::{Isa, Limb, op::*};

/// `(r, a, n, b) -> high limb`
pub type F = unsafe fn(*mut Limb, *const Limb, usize, Limb) -> Limb;

op! {
    /// `r := a * b` for one limb b, returning the high limb.
    pub struct Mul1("mpn_mul_1"): F;
    contract: Contract {
        effect: "r := a * b  (mod 2^(64n)); returns the high limb",
        operands: &[Operand::out("r", Len::N), Operand::input("a", Len::N)],
        scalar: Scalar::Limb,
        returns: Returns::Limb,
        same: &[("r", "a")],
        m: Dim::Unused,
        timing: Timing::Constant,
        source: "Knuth, TAOCP 2, 4.3.1, algorithm M",
    };
    kernels: [
        #[cfg(target_arch = "x86_64")]
        mulx_adx: Isa::BMI2.and(Isa::ADX),
        #[cfg(target_arch = "x86_64")]
        avx2: Isa::AVX2,
        portable: Isa::NONE,
        #[cfg(target_arch = "x86_64")]
        pmuludq: Isa::NONE,
    ];
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
