//! `mb8_ams`: for each of eight lanes r := (a^2 + q * n) / R, R = 2^(52n), q = -a^2 / n mod R.
//!
//! Shapes     r\[n\], a\[n\], n\[n\], t\[6n\] octets; k0 = -n^-1 mod 2^52, one octet; n at most 10, or a multiple of n / 10
//!            rounded up. Least significant digit first.
//! Input      every digit below 2^52; each modulus odd and below R / 4; a^2 below R times the modulus, as where a is below
//!            twice the modulus.
//! Output     r below twice its modulus, congruent to a^2 / R; every digit below 2^52; t is working space. The value is
//!            that of `mb8_amm` with b = a, for every kernel.
//! Overlap    r may be a exactly; partial overlap is not allowed.
//! Timing     depends on n only.
//! Source     as `mb8_amm`; cross products once (Knuth, TAOCP 2, 4.3.1, exercise 14).

#[cfg(any(target_arch = "x86_64", feature = "checked"))]
use super::madd52::{BY_HALVES, BY_PAIRS, BY_ROWS, BY_SHORT_ROWS};
use super::operands::{BELOW_TWICE, DIGITS, INVERSES, MODULI};
use super::{Octet, ROOM, blocks, limbs, limbs_mut};
#[cfg(feature = "checked")]
use crate::simd::Words;
#[cfg(target_arch = "x86_64")]
use crate::simd::{Ymm, YmmVl, Zmm};
use crate::{Isa, Limb, op::*};

op! {
    /// Eight almost Montgomery squarings, one a lane.
    pub struct Ams("mb8_ams");
    call: (r: *mut Limb, a: *const Limb, n: *const Limb, k0: *const Limb, t: *mut Limb, digits: usize);
    contract: Contract {
        effect: "eight times r := (a^2 + q*n) / R, R = 2^(52n), q = -a^2/n mod R",
        operands: &[
            Operand::out("r", Len::N.times(8)),
            Operand::input("a", Len::N.times(8)).holding(Value::Custom(&BELOW_TWICE, Some("n"))),
            Operand::input("n", Len::N.times(8)).holding(Value::Custom(&MODULI, None)),
            Operand::input("k0", Len::words(8)).holding(Value::Custom(&INVERSES, Some("n"))),
            Operand::scratch("t", Len::N.times(8 * ROOM)),
        ],
        scalar: Scalar::None,
        returns: Returns::Nothing,
        same: &[("r", "a")],
        dims: Dims::Custom(&DIGITS),
        timing: Timing::Constant,
        source: "Gueron, ePrint 2011/239; Koç, Acar, Kaliski 1996, FIOS, and FIPS by blocks; Karatsuba, Ofman 1962",
    };
    kernels {
        x86_64 {
            /// AVX-512 IFMA on 512-bit vectors.
            ifma512: super::IFMA => super::madd52::ams::<Zmm, BY_ROWS>;
            /// AVX-512 IFMA on 256-bit vectors: four lanes, then the other four. Lengths other than multiples of
            /// 20 digits, which no plan chooses it for, as in `ifma512`.
            ifma256: super::IFMA => {
                match digits % 20 {
                    0 => super::madd52::ams::<YmmVl, BY_ROWS>(r, a, n, k0, t, digits),
                    _ => super::madd52::ams::<Zmm, BY_ROWS>(r, a, n, k0, t, digits),
                }
            };
            /// `ifma512` by Karatsuba's method, where the digits have halves.
            karatsuba512: super::IFMA => super::madd52::ams::<Zmm, BY_HALVES>;
            /// `ifma256` by Karatsuba's method, where the digits have halves.
            karatsuba256: super::IFMA => {
                match digits % 20 {
                    0 => super::madd52::ams::<YmmVl, BY_HALVES>(r, a, n, k0, t, digits),
                    _ => super::madd52::ams::<Zmm, BY_HALVES>(r, a, n, k0, t, digits),
                }
            };
            /// `ifma512` with two digits a row at 16 and 20 digits, as Intel's cores wait for the loads of one.
            pairs512: super::IFMA => super::madd52::ams::<Zmm, BY_PAIRS>;
            /// AVX-IFMA: rows of up to ten digits on four lanes, then the other four.
            avx_ifma: super::AVX_IFMA => super::madd52::ams::<Ymm, BY_SHORT_ROWS>;
            /// Floating-point products on AVX-512.
            fma512: super::FMA512, "avx512f" => super::fma::ams::<Zmm>;
            /// Floating-point products on AVX2 and FMA: four lanes, then the other four.
            fma256: super::FMA, "avx2,fma" => super::fma::ams::<Ymm>;
        }
        any {
            /// Plain Rust: the product with itself.
            portable: Isa::NONE => { super::amm::portable::kernel(r, a, a, n, k0, t, digits) };
        }
        checked {
            vartime words: Isa::NONE => super::madd52::ams::<Words<1>, BY_ROWS>;
            /// As `fma512`.
            vartime words_fma: Isa::NONE => super::fma::ams::<Words<1>>;
            /// Two digits a row at 16 and 20 digits.
            vartime words_pairs: Isa::NONE => super::madd52::ams::<Words<1>, BY_PAIRS>;
            /// Rows of up to ten digits.
            vartime words_short: Isa::NONE => super::madd52::ams::<Words<1>, BY_SHORT_ROWS>;
            /// By Karatsuba's method, where the digits have halves.
            vartime words_karatsuba: Isa::NONE => super::madd52::ams::<Words<1>, BY_HALVES>;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.p[2], x.p[3], x.p[4], x.n);
}

impl Ams {
    /// `r := r^2 / R`, almost reduced, in each lane.
    ///
    /// # Panics
    /// If the lengths differ, or are not of those that [`digits`](super::digits) returns.
    pub fn call_in_place(&self, r: &mut [Octet], n: &[Octet], k0: &Octet, t: &mut [Octet]) {
        let d = r.len();
        assert!(blocks(d).is_some() && n.len() == d && t.len() == ROOM * d);
        let (r, t) = (limbs_mut(r), limbs_mut(t));
        // SAFETY: the shapes were checked above, the processor by `all`; r = a exactly is allowed.
        unsafe { (self.f)(r, r, limbs(n), k0.0.as_ptr(), t, d) }
    }
}
