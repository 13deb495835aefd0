//! `mb8_amm_select`: `mb8_amm` with b the entry of a table that each lane's index says.
//!
//! Shapes     r\[n\], a\[n\], n\[n\], t\[6n\] octets; index, k0 = -n^-1 mod 2^52, one octet each; table\[n\]\[m\] octets: the
//!            m entries of the lowest digit first; m 16 or 32; n as in `mb8_amm`.
//! Input      every digit below 2^52; each modulus odd and below R / 4; each index below m; a * b below R times the
//!            modulus for every entry b.
//! Output     r below twice its modulus, congruent to a * b / R; every digit below 2^52; t is working space.
//! Overlap    r may be a exactly; partial overlap is not allowed.
//! Timing     depends on n and m only: all entries are read, while products are made of those read before.
//! Source     as `mb8_amm`; Gueron, Krasnov, ARITH 2016.

#[cfg(any(target_arch = "x86_64", feature = "checked"))]
use super::madd52::{BY_HALVES, BY_PAIRS, BY_ROWS, BY_SHORT_ROWS};
use super::operands::{BELOW_TWICE, INDICES, INVERSES, MODULI, ROWS};
use super::{Octet, ROOM, blocks, limbs, limbs_mut};
#[cfg(feature = "checked")]
use crate::simd::Words;
#[cfg(target_arch = "x86_64")]
use crate::simd::{Ymm, YmmVl, Zmm};
use crate::{Isa, Limb, op::*};

op! {
    /// Eight almost Montgomery multiplications by secret entries of tables, one a lane.
    pub struct AmmSelect("mb8_amm_select");
    call: (
        r: *mut Limb,
        a: *const Limb,
        table: *const Limb,
        index: *const Limb,
        n: *const Limb,
        k0: *const Limb,
        t: *mut Limb,
        digits: usize,
        m: usize,
    );
    contract: Contract {
        effect: "eight times r := (a*b + q*n) / R, b = table[index], R = 2^(52n), q = -a*b/n mod R",
        operands: &[
            Operand::out("r", Len::N.times(8)),
            Operand::input("a", Len::N.times(8)).holding(Value::Custom(&BELOW_TWICE, Some("n"))),
            Operand::input("table", Len::N.by(Len::M).times(8)).holding(Value::Custom(&BELOW_TWICE, Some("n"))),
            Operand::input("index", Len::words(8)).holding(Value::Custom(&INDICES, None)),
            Operand::input("n", Len::N.times(8)).holding(Value::Custom(&MODULI, None)),
            Operand::input("k0", Len::words(8)).holding(Value::Custom(&INVERSES, Some("n"))),
            Operand::scratch("t", Len::N.times(8 * ROOM)),
        ],
        scalar: Scalar::None,
        returns: Returns::Nothing,
        same: &[("r", "a")],
        dims: Dims::Custom(&ROWS),
        timing: Timing::Constant,
        source: "Gueron, ePrint 2011/239; Gueron, Krasnov, ARITH 2016",
    };
    kernels {
        x86_64 {
            /// AVX-512 IFMA on 512-bit vectors.
            ifma512: super::IFMA => super::madd52::amm_select::<Zmm, BY_ROWS>;
            /// AVX-512 IFMA on 256-bit vectors: four lanes, then the other four. Lengths other than multiples of
            /// 20 digits, which no plan chooses it for, as in `ifma512`.
            ifma256: super::IFMA => {
                match digits % 20 {
                    0 => super::madd52::amm_select::<YmmVl, BY_ROWS>(r, a, table, index, n, k0, t, digits, m),
                    _ => super::madd52::amm_select::<Zmm, BY_ROWS>(r, a, table, index, n, k0, t, digits, m),
                }
            };
            /// `ifma512` by Karatsuba's method, where the digits have halves.
            karatsuba512: super::IFMA => super::madd52::amm_select::<Zmm, BY_HALVES>;
            /// `ifma256` by Karatsuba's method, where the digits have halves.
            karatsuba256: super::IFMA => {
                match digits % 20 {
                    0 => super::madd52::amm_select::<YmmVl, BY_HALVES>(r, a, table, index, n, k0, t, digits, m),
                    _ => super::madd52::amm_select::<Zmm, BY_HALVES>(r, a, table, index, n, k0, t, digits, m),
                }
            };
            /// `ifma512` with two digits a row at 16 and 20 digits, as Intel's cores wait for the loads of one.
            pairs512: super::IFMA => super::madd52::amm_select::<Zmm, BY_PAIRS>;
            /// AVX-IFMA: rows of up to ten digits on four lanes, then the other four.
            avx_ifma: super::AVX_IFMA => super::madd52::amm_select::<Ymm, BY_SHORT_ROWS>;
            /// Floating-point products on AVX-512.
            fma512: super::FMA512, "avx512f" => super::fma::amm_select::<Zmm>;
            /// Floating-point products on AVX2 and FMA: four lanes, then the other four.
            fma256: super::FMA, "avx2,fma" => super::fma::amm_select::<Ymm>;
        }
        any {
            portable: Isa::NONE;
        }
        checked {
            vartime words: Isa::NONE => super::madd52::amm_select::<Words<1>, BY_ROWS>;
            /// As `fma512`.
            vartime words_fma: Isa::NONE => super::fma::amm_select::<Words<1>>;
            /// Two digits a row at 16 and 20 digits.
            vartime words_pairs: Isa::NONE => super::madd52::amm_select::<Words<1>, BY_PAIRS>;
            /// Rows of up to ten digits.
            vartime words_short: Isa::NONE => super::madd52::amm_select::<Words<1>, BY_SHORT_ROWS>;
            /// By Karatsuba's method, where the digits have halves.
            vartime words_karatsuba: Isa::NONE => super::madd52::amm_select::<Words<1>, BY_HALVES>;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.p[2], x.p[3], x.p[4], x.p[5], x.p[6], x.n, x.m);
}

impl AmmSelect {
    /// `r := r * table[index] / R`, almost reduced, in each lane.
    ///
    /// # Panics
    /// If the lengths do not fit, or are not of those that [`digits`](super::digits) returns, or the table does not have
    /// 16 or 32 entries.
    pub fn call_in_place(
        &self,
        r: &mut [Octet],
        table: &[Octet],
        index: &Octet,
        n: &[Octet],
        k0: &Octet,
        t: &mut [Octet],
    ) {
        let d = r.len();
        assert!(blocks(d).is_some() && n.len() == d && t.len() == ROOM * d);
        let m = table.len() / d;
        assert!([16, 32].contains(&m) && table.len() == m * d);
        let (r, t) = (limbs_mut(r), limbs_mut(t));
        // SAFETY: the shapes were checked above, the processor by `all`; r = a exactly is allowed.
        unsafe {
            let f = self.f;
            f(
                r,
                r,
                limbs(table),
                index.0.as_ptr(),
                limbs(n),
                k0.0.as_ptr(),
                t,
                d,
                m,
            );
        }
    }
}
