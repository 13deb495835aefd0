//! `radix52_amm`: r := (a * b + q * n) / R,  R = 2^(52m),  q = -a * b / n mod R.
//!
//! Shapes     r\[8n\], a\[8n\], b\[8n\], n\[8n\] digits of 52 bits; 1 <= n <= 160 blocks, 8(n-1) < m <= 8n;
//!            k0 = -n^-1 mod 2^52. Least significant digit first.
//! Input      every digit below 2^52; the modulus odd and below R / 4; a, b below twice the modulus.
//! Output     r below twice the modulus, congruent to a * b / R; every digit below 2^52. The value is the same for
//!            every kernel.
//! Overlap    r may be a or b exactly; partial overlap is not allowed.
//! Timing     depends on n and m only.
//! Source     Gueron, ePrint 2011/239 (almost Montgomery); Gueron, Krasnov, ARITH 2016 (IFMA).

use super::operands::{BELOW_TWICE, MODULI, ONE};
#[cfg(any(target_arch = "x86_64", feature = "checked"))]
use super::rows;
use super::{BLOCK, DIGIT_BITS};
#[cfg(target_arch = "x86_64")]
use crate::simd::Zmm;
use crate::{Isa, Limb, op::*};

op! {
    /// Almost Montgomery multiplication of one number, its digits spread over vector lanes.
    pub struct Amm("radix52_amm");
    call: (r: *mut Limb, a: *const Limb, b: *const Limb, n: *const Limb, blocks: usize, m: usize, k0: Limb);
    contract: Contract {
        effect: "r := (a*b + q*n) / R, R = 2^(52m), q = -a*b/n mod R",
        operands: &[
            Operand::out("r", Len::N.times(8)),
            Operand::input("a", Len::N.times(8)).holding(Value::Custom(&BELOW_TWICE, Some("n"))),
            Operand::input("b", Len::N.times(8)).holding(Value::Custom(&BELOW_TWICE, Some("n"))),
            Operand::input("n", Len::N.times(8)).holding(Value::Custom(&MODULI, None)),
        ],
        scalar: Scalar::Secret(Word::NegInverse("n", 52)),
        returns: Returns::Nothing,
        same: &[("r", "a"), ("r", "b")],
        dims: Dims::Custom(&ONE),
        timing: Timing::Constant,
        source: "Gueron, ePrint 2011/239; Gueron, Krasnov, ARITH 2016",
    };
    kernels {
        x86_64 {
            ifma512: super::IFMA;
            /// AVX-512 IFMA with the quotient digits found in vectors, too: less waiting, more instructions than
            /// `ifma512`. For processors that execute 512-bit instructions whole.
            ifma512v: super::IFMA, "avx512f,avx512vl,avx512ifma,bmi2" => ifma512::run::<{ rows::VECTOR }>;
            /// AVX-512 IFMA with the inputs of the quotient digits worked out in scalar registers, before the vectors
            /// have them: the least waiting, and more instructions than `ifma512`.
            ahead512: super::IFMA, "avx512f,avx512vl,avx512ifma,bmi2" => ifma512::run::<{ rows::AHEAD }>;
            ifma256: super::IFMA;
            /// Floating-point products on AVX-512, up to 10 blocks; longer numbers as in `portable`.
            fma512: crate::mb8::FMA512 => super::fma::amm::<Zmm>;
        }
        any {
            portable: Isa::NONE;
        }
        checked {
            vartime words: rows::words::NEEDS => rows::words::amm::<{ rows::SCALAR }>;
            vartime wordsv: rows::words::NEEDS => rows::words::amm::<{ rows::VECTOR }>;
            vartime words_ahead: rows::words::NEEDS => rows::words::amm::<{ rows::AHEAD }>;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.p[2], x.p[3], x.n, x.m, x.s);
}

impl Amm {
    /// The largest number of blocks that a call takes.
    pub const MAX_BLOCKS: usize = 160;

    /// Blocks and digits (n, m) for a modulus of `bits` bits, if there is room for it.
    pub fn shape(bits: usize) -> Option<(usize, usize)> {
        let digits = (bits + 2).div_ceil(DIGIT_BITS);
        let blocks = digits.div_ceil(BLOCK);
        (blocks <= Amm::MAX_BLOCKS).then_some((blocks, digits))
    }

    /// `r := a * b / 2^(52 digits)`, almost reduced.
    ///
    /// # Panics
    /// If the lengths differ, or are not as many blocks, 1 to 160, as `digits` takes.
    pub fn call(
        &self,
        r: &mut [Limb],
        a: &[Limb],
        b: &[Limb],
        n: &[Limb],
        digits: usize,
        k0: Limb,
    ) {
        let blocks = check(r.len(), digits);
        assert!(a.len() == r.len() && b.len() == r.len() && n.len() == r.len());
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe {
            (self.f)(
                r.as_mut_ptr(),
                a.as_ptr(),
                b.as_ptr(),
                n.as_ptr(),
                blocks,
                digits,
                k0,
            )
        }
    }

    /// `r := r * b / 2^(52 digits)`, almost reduced.
    ///
    /// # Panics
    /// As [`Amm::call`].
    pub fn call_in_place(&self, r: &mut [Limb], b: &[Limb], n: &[Limb], digits: usize, k0: Limb) {
        let blocks = check(r.len(), digits);
        assert!(b.len() == r.len() && n.len() == r.len());
        let p = r.as_mut_ptr();
        // SAFETY: the shapes were checked above, the processor by `all`; r = a exactly is allowed.
        unsafe { (self.f)(p, p, b.as_ptr(), n.as_ptr(), blocks, digits, k0) }
    }
}

/// The number of blocks of a number in `len` words, where only the lowest `digits` count.
pub(super) fn check(len: usize, digits: usize) -> usize {
    let blocks = len / BLOCK;
    assert!(len.is_multiple_of(BLOCK) && digits > 0 && digits.div_ceil(BLOCK) == blocks);
    assert!(blocks <= Amm::MAX_BLOCKS);
    blocks
}
