//! `radix52_amm_unit`: `radix52_amm` modulo n - 1, where n is a multiple of 2^416.
//!
//! Shapes     r\[8n\], a\[8n\], b\[8n\], n\[8n\] digits of 52 bits; 2 <= n <= 160 blocks, 8(n-1) < m <= 8n. Least
//!            significant digit first.
//! Input      every digit below 2^52; n above 0, its lowest eight digits 0; n - 1 below R / 4; a, b below twice n - 1.
//! Output     as `radix52_amm`.
//! Overlap    r may be a or b exactly; partial overlap is not allowed.
//! Timing     depends on n and m only.
//! Source     Orup, ARITH 1995: modulo -1 quotient digits are what they make disappear.

use super::{BLOCK, DIGIT_BITS, amm::Amm};
use crate::{Isa, Limb, op::*};

/// `(r, a, b, n, blocks, m)`
pub type F = unsafe fn(*mut Limb, *const Limb, *const Limb, *const Limb, usize, usize);

op! {
    /// Almost Montgomery multiplication modulo a number whose quotient digits need no multiplication.
    pub struct AmmUnit("radix52_amm_unit"): F;
    contract: Contract {
        effect: "r := (a*b + q*(n-1)) / R, R = 2^(52m), q = -a*b/(n-1) mod R",
        operands: &[
            Operand::out("r", Len::EightN),
            Operand::input("a", Len::EightN).holding(Value::AlmostBelow("n")),
            Operand::input("b", Len::EightN).holding(Value::AlmostBelow("n")),
            Operand::input("n", Len::EightN).holding(Value::AboveUnitModulus),
        ],
        scalar: Scalar::None,
        returns: Returns::Nothing,
        same: &[("r", "a"), ("r", "b")],
        m: Dim::MoreDigits(Amm::MAX_BLOCKS),
        timing: Timing::Constant,
        source: "Orup, ARITH 1995",
    };
    kernels: [
        #[cfg(target_arch = "x86_64")]
        ifma512: super::IFMA,
        portable: Isa::NONE,
    ];
    raw: |f, x| f(x.p[0], x.p[1], x.p[2], x.p[3], x.n, x.m);
}

impl AmmUnit {
    /// What a modulus of `bits` bits is multiplied by becomes so many bits longer.
    pub const MORE_BITS: usize = BLOCK * DIGIT_BITS;

    /// `r := r * b / 2^(52 digits)`, almost reduced.
    ///
    /// # Panics
    /// If the lengths differ or are not 2 to 160 blocks of which the last is needed for `digits`.
    pub fn call_in_place(&self, r: &mut [Limb], b: &[Limb], n: &[Limb], digits: usize) {
        let blocks = check(r.len(), digits);
        assert!(b.len() == r.len() && n.len() == r.len());
        let p = r.as_mut_ptr();
        // SAFETY: the shapes were checked above, the processor by `all`; r = a exactly is allowed.
        unsafe { (self.f)(p, p, b.as_ptr(), n.as_ptr(), blocks, digits) }
    }
}

/// The number of blocks of a number of `len` digits of which `digits` count.
pub(super) fn check(len: usize, digits: usize) -> usize {
    let blocks = super::amm::check(len, digits);
    assert!(blocks > 1);
    blocks
}
