//! `radix52_ams`: r := (a^2 + q * n) / R, R = 2^(52m),  q = -a^2 / n mod R.
//!
//! Shapes     r\[8n\], a\[8n\], n\[8n\] digits of 52 bits; 1 <= n <= 160 blocks, 8(n-1) < m <= 8n;
//!            k0 = -n^-1 mod 2^52. Least significant digit first.
//! Input      every digit below 2^52; the modulus odd and below R / 4; a below twice the modulus.
//! Output     r below twice the modulus, congruent to a^2 / R; every digit below 2^52. The value is that of
//!            `radix52_amm` with b = a, for every kernel.
//! Overlap    r may be a exactly; partial overlap is not allowed.
//! Timing     depends on n and m only.
//! Source     as `radix52_amm`; cross products once (Knuth, TAOCP 2, 4.3.1, exercise 14).

use super::amm::check;
use super::operands::{BELOW_TWICE, MODULI, ONE};
#[cfg(any(target_arch = "x86_64", feature = "checked"))]
use super::rows;
#[cfg(target_arch = "x86_64")]
use crate::simd::Zmm;
use crate::{Isa, Limb, op::*};

op! {
    /// Almost Montgomery squaring of one number, its digits spread over vector lanes.
    pub struct Ams("radix52_ams");
    call: (r: *mut Limb, a: *const Limb, n: *const Limb, blocks: usize, m: usize, k0: Limb);
    contract: Contract {
        effect: "r := (a^2 + q*n) / R, R = 2^(52m), q = -a^2/n mod R",
        operands: &[
            Operand::out("r", Len::N.times(8)),
            Operand::input("a", Len::N.times(8)).holding(Value::Custom(&BELOW_TWICE, Some("n"))),
            Operand::input("n", Len::N.times(8)).holding(Value::Custom(&MODULI, None)),
        ],
        scalar: Scalar::Secret(Word::NegInverse("n", 52)),
        returns: Returns::Nothing,
        same: &[("r", "a")],
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
            fma512: crate::mb8::FMA512 => super::fma::ams::<Zmm>;
        }
        any {
            /// Plain Rust: the number times itself.
            portable: Isa::NONE => { super::amm::portable::kernel(r, a, a, n, blocks, m, k0) };
        }
        checked {
            vartime words: rows::words::NEEDS => rows::words::ams::<{ rows::SCALAR }>;
            vartime wordsv: rows::words::NEEDS => rows::words::ams::<{ rows::VECTOR }>;
            vartime words_ahead: rows::words::NEEDS => rows::words::ams::<{ rows::AHEAD }>;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.p[2], x.n, x.m, x.s);
}

impl Ams {
    /// `r := r^2 / 2^(52 digits)`, almost reduced.
    ///
    /// # Panics
    /// If the lengths differ, or are not as many blocks, 1 to 160, as `digits` takes.
    pub fn call_in_place(&self, r: &mut [Limb], n: &[Limb], digits: usize, k0: Limb) {
        let blocks = check(r.len(), digits);
        assert!(n.len() == r.len());
        let p = r.as_mut_ptr();
        // SAFETY: the shapes were checked above, the processor by `all`; r = a exactly is allowed.
        unsafe { (self.f)(p, p, n.as_ptr(), blocks, digits, k0) }
    }
}
