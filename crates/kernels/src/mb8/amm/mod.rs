//! `mb8_amm`: for each of eight lanes r := (a * b + q * n) / R, R = 2^(52n), q = -a * b / n mod R.
//!
//! Shapes     r\[n\], a\[n\], b\[n\], n\[n\], t\[6n\] octets; k0 = -n^-1 mod 2^52, one octet; n at most 10, or a multiple of
//!            n / 10 rounded up. Least significant digit first.
//! Input      every digit below 2^52; each modulus odd and below R / 4; a * b below R times the modulus, as where both are
//!            below twice the modulus, or a below R and b below the modulus.
//! Output     r below twice its modulus, congruent to a * b / R; every digit below 2^52; t is working space.
//! Overlap    r may be a or b exactly; partial overlap is not allowed.
//! Timing     depends on n only.
//! Source     Gueron, ePrint 2011/239; Koç, Acar, Kaliski 1996, FIOS, and FIPS by blocks; Karatsuba, Ofman 1962.

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
    /// Eight almost Montgomery multiplications, one a lane.
    pub struct Amm("mb8_amm");
    call: (
        r: *mut Limb,
        a: *const Limb,
        b: *const Limb,
        n: *const Limb,
        k0: *const Limb,
        t: *mut Limb,
        digits: usize,
    );
    contract: Contract {
        effect: "eight times r := (a*b + q*n) / R, R = 2^(52n), q = -a*b/n mod R",
        operands: &[
            Operand::out("r", Len::N.times(8)),
            Operand::input("a", Len::N.times(8)).holding(Value::Custom(&BELOW_TWICE, Some("n"))),
            Operand::input("b", Len::N.times(8)).holding(Value::Custom(&BELOW_TWICE, Some("n"))),
            Operand::input("n", Len::N.times(8)).holding(Value::Custom(&MODULI, None)),
            Operand::input("k0", Len::words(8)).holding(Value::Custom(&INVERSES, Some("n"))),
            Operand::scratch("t", Len::N.times(8 * ROOM)),
        ],
        scalar: Scalar::None,
        returns: Returns::Nothing,
        same: &[("r", "a"), ("r", "b")],
        dims: Dims::Custom(&DIGITS),
        timing: Timing::Constant,
        source: "Gueron, ePrint 2011/239; Koç, Acar, Kaliski 1996, FIOS, and FIPS by blocks; Karatsuba, Ofman 1962",
    };
    kernels {
        x86_64 {
            /// AVX-512 IFMA on 512-bit vectors.
            ifma512: super::IFMA => super::madd52::amm::<Zmm, BY_ROWS>;
            /// AVX-512 IFMA on 256-bit vectors: four lanes, then the other four. Lengths other than multiples of
            /// 20 digits, which no plan chooses it for, as in `ifma512`.
            ifma256: super::IFMA => {
                match digits % 20 {
                    0 => super::madd52::amm::<YmmVl, BY_ROWS>(r, a, b, n, k0, t, digits),
                    _ => super::madd52::amm::<Zmm, BY_ROWS>(r, a, b, n, k0, t, digits),
                }
            };
            /// `ifma512` by Karatsuba's method, where the digits have halves.
            karatsuba512: super::IFMA => super::madd52::amm::<Zmm, BY_HALVES>;
            /// `ifma256` by Karatsuba's method, where the digits have halves.
            karatsuba256: super::IFMA => {
                match digits % 20 {
                    0 => super::madd52::amm::<YmmVl, BY_HALVES>(r, a, b, n, k0, t, digits),
                    _ => super::madd52::amm::<Zmm, BY_HALVES>(r, a, b, n, k0, t, digits),
                }
            };
            /// `ifma512` with two digits a row at 16 and 20 digits, as Intel's cores wait for the loads of one.
            pairs512: super::IFMA => super::madd52::amm::<Zmm, BY_PAIRS>;
            /// AVX-IFMA: rows of up to ten digits on four lanes, then the other four.
            avx_ifma: super::AVX_IFMA => super::madd52::amm::<Ymm, BY_SHORT_ROWS>;
            /// Floating-point products on AVX-512.
            fma512: super::FMA512, "avx512f" => super::fma::amm::<Zmm>;
            /// Floating-point products on AVX2 and FMA: four lanes, then the other four.
            fma256: super::FMA, "avx2,fma" => super::fma::amm::<Ymm>;
        }
        any {
            portable: Isa::NONE;
        }
        checked {
            vartime words: Isa::NONE => super::madd52::amm::<Words<1>, BY_ROWS>;
            /// As `fma512`.
            vartime words_fma: Isa::NONE => super::fma::amm::<Words<1>>;
            /// Two digits a row at 16 and 20 digits.
            vartime words_pairs: Isa::NONE => super::madd52::amm::<Words<1>, BY_PAIRS>;
            /// Rows of up to ten digits.
            vartime words_short: Isa::NONE => super::madd52::amm::<Words<1>, BY_SHORT_ROWS>;
            /// By Karatsuba's method, where the digits have halves.
            vartime words_karatsuba: Isa::NONE => super::madd52::amm::<Words<1>, BY_HALVES>;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.p[2], x.p[3], x.p[4], x.p[5], x.n);
}

impl Amm {
    /// `r := a * b / R`, almost reduced, in each lane.
    ///
    /// # Panics
    /// If the lengths differ, or are not of those that [`digits`](super::digits) returns.
    pub fn call(
        &self,
        r: &mut [Octet],
        a: &[Octet],
        b: &[Octet],
        n: &[Octet],
        k0: &Octet,
        t: &mut [Octet],
    ) {
        let d = r.len();
        assert!(
            blocks(d).is_some() && [a.len(), b.len(), n.len()] == [d; 3] && t.len() == ROOM * d
        );
        let (r, t) = (limbs_mut(r), limbs_mut(t));
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(r, limbs(a), limbs(b), limbs(n), k0.0.as_ptr(), t, d) }
    }

    /// `r := r * b / R`, almost reduced, in each lane.
    ///
    /// # Panics
    /// If the lengths differ, or are not of those that [`digits`](super::digits) returns.
    pub fn call_in_place(
        &self,
        r: &mut [Octet],
        b: &[Octet],
        n: &[Octet],
        k0: &Octet,
        t: &mut [Octet],
    ) {
        let d = r.len();
        assert!(blocks(d).is_some() && [b.len(), n.len()] == [d; 2] && t.len() == ROOM * d);
        let (r, t) = (limbs_mut(r), limbs_mut(t));
        // SAFETY: the shapes were checked above, the processor by `all`; r = a exactly is allowed.
        unsafe { (self.f)(r, r, limbs(b), limbs(n), k0.0.as_ptr(), t, d) }
    }
}
