//! `radix52_ams_x2`: two independent `radix52_ams`, side by side.
//!
//! Shapes     r\[16n\], a\[16n\], n\[16n\]: the operands of the first in the low 8n digits, of the second in the high
//!            8n; k0\[2\]; 1 <= n <= 5 blocks, 8(n-1) < m <= 8n.
//! Input      as `radix52_ams`, for each.
//! Output     as `radix52_ams`, for each.
//! Overlap    r may be a exactly; partial overlap is not allowed.
//! Timing     depends on n and m only.
//! Source     as `radix52_ams`; one chain of quotient digits waits while the other works.

use super::amm_x2::check;
use super::operands::{BELOW_TWICE, INVERSES, MODULI, TWO};
#[cfg(any(target_arch = "x86_64", feature = "checked"))]
use super::rows;
#[cfg(feature = "checked")]
use crate::simd::Words;
#[cfg(target_arch = "x86_64")]
use crate::simd::Zmm;
use crate::{Isa, Limb, op::*};

op! {
    /// Two almost Montgomery squarings at a time, as for the two halves of RSA-CRT.
    pub struct AmsX2("radix52_ams_x2");
    call: (r: *mut Limb, a: *const Limb, n: *const Limb, k0: *const Limb, blocks: usize, m: usize);
    contract: Contract {
        effect: "twice r := (a^2 + q*n) / R, R = 2^(52m), q = -a^2/n mod R",
        operands: &[
            Operand::out("r", Len::N.times(16)),
            Operand::input("a", Len::N.times(16)).holding(Value::Custom(&BELOW_TWICE, Some("n"))),
            Operand::input("n", Len::N.times(16)).holding(Value::Custom(&MODULI, None)),
            Operand::input("k0", Len::words(2)).holding(Value::Custom(&INVERSES, Some("n"))),
        ],
        scalar: Scalar::None,
        returns: Returns::Nothing,
        same: &[("r", "a")],
        dims: Dims::Custom(&TWO),
        timing: Timing::Constant,
        source: "Gueron, ePrint 2011/239; Gueron, Krasnov, ARITH 2016",
    };
    kernels {
        x86_64 {
            ifma512: super::IFMA;
            /// AVX-512 IFMA with the quotient digits found in vectors, too: less waiting, more instructions than
            /// `ifma512`. For processors that execute 512-bit instructions whole.
            ifma512v: super::IFMA, "avx512f,avx512vl,avx512ifma,bmi2" => ifma512::run::<{ rows::VECTOR }>;
            ifma256: super::IFMA;
            /// Floating-point products on AVX-512: the rows of both in turn up to 3 blocks.
            fma512: crate::mb8::FMA512 => super::fma::ams_x2::<Zmm>;
        }
        any {
            /// Plain Rust: the numbers times themselves.
            portable: Isa::NONE => { super::amm_x2::portable::kernel(r, a, a, n, k0, blocks, m) };
        }
        checked {
            /// As `fma512`.
            vartime words_fma: Isa::NONE => super::fma::ams_x2::<Words<8>>;
            vartime words: rows::words::NEEDS => rows::words::ams_x2::<{ rows::SCALAR }>;
            vartime wordsv: rows::words::NEEDS => rows::words::ams_x2::<{ rows::VECTOR }>;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.p[2], x.p[3], x.n, x.m);
}

impl AmsX2 {
    /// `r := r^2 / 2^(52 digits)`, almost reduced, for both.
    ///
    /// # Panics
    /// If the lengths differ, or are not twice as many blocks, 1 to 5, as `digits` takes.
    pub fn call_in_place(&self, r: &mut [Limb], n: &[Limb], digits: usize, k0: &[Limb; 2]) {
        let blocks = check(r.len(), digits);
        assert!(n.len() == r.len());
        let p = r.as_mut_ptr();
        // SAFETY: the shapes were checked above, the processor by `all`; r = a exactly is allowed.
        unsafe { (self.f)(p, p, n.as_ptr(), k0.as_ptr(), blocks, digits) }
    }
}
