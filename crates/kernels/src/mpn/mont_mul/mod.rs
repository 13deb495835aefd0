//! `mpn_mont_mul`: r := a * b / R  (mod n),  R = 2^(64k).
//!
//! Shapes     r\[k\], a\[k\], b\[k\], n\[k\], n0 = -n^-1 mod 2^64, t\[2k\] scratch; n odd; k >= 1.
//! Input      a < n, b < n.
//! Output     r < n, fully reduced. No carry leaves the function. t holds secrets of the call.
//! Overlap    r may be a or b exactly.
//! Timing     depends on k only.
//! Source     Koç, Acar, Kaliski 1996; final subtraction HAC 14.32.

mod cihs;
mod cios;
mod fios;
mod fios_delayed;
mod mont_fips;
#[cfg(all(target_arch = "x86_64", not(miri)))]
pub(crate) mod mulx_adx;
mod sos;

use super::montgomery;
use crate::{Isa, Limb, op::*};

op! {
    /// Montgomery multiplication.
    pub struct MontMul("mpn_mont_mul");
    call: (r: *mut Limb, a: *const Limb, b: *const Limb, n: *const Limb, k: usize, n0: Limb, t: *mut Limb);
    contract: Contract {
        effect: "r := a * b / R  (mod n),  R = 2^(64k)",
        operands: &[Operand::out("r", Len::N), Operand::input("a", Len::N).holding(Value::Below(Bound::Operand("n"))), Operand::input("b", Len::N).holding(Value::Below(Bound::Operand("n"))), Operand::input("n", Len::N).holding(Value::Odd), Operand::scratch("t", Len::N.times(2))],
        scalar: Scalar::Secret(Word::NegInverse("n", 64)),
        returns: Returns::Nothing,
        same: &[("r", "a"), ("r", "b")],
        dims: Dims::N,
        timing: Timing::Constant,
        source: "Koç, Acar, Kaliski 1996; HAC 14.32",
    };
    kernels {
        x86_64 {
            /// Strips of eight limbs, with a product of nothing among the additions of each row.
            mulx_adx_spaced for super::mulx_adx::SPACED: Isa::BMI2.and(Isa::ADX) => mulx_adx::kernel::<true>;
            /// Strips of eight limbs.
            mulx_adx: Isa::BMI2.and(Isa::ADX) => mulx_adx::kernel::<false>;
            /// Rows of one limb on `mul` and `adc`, four limbs a turn.
            mul_adc: Isa::NONE => super::rows::mont_mul::<super::mul_adc::MulAdc>;
        }
        aarch64 {
            /// Rows of one limb on `mul`, `umulh` and `adcs`, four limbs a turn.
            umulh: Isa::NONE => super::rows::mont_mul::<super::umulh::Umulh>;
        }
        any {
            /// Rows of one limb in plain Rust.
            portable: Isa::NONE => super::rows::mont_mul::<super::rows::Plain>;
            fios_delayed: Isa::NONE => { montgomery::by(fios_delayed::fios_delayed::<Limb>, r, a, b, n, k, n0, t) };
            cios: Isa::NONE => { montgomery::by(cios::cios::<Limb>, r, a, b, n, k, n0, t) };
            cihs: Isa::NONE => { montgomery::by(cihs::cihs::<Limb>, r, a, b, n, k, n0, t) };
            mont_fips: Isa::NONE => { montgomery::by(mont_fips::mont_fips::<Limb>, r, a, b, n, k, n0, t) };
            vartime sos: Isa::NONE => { montgomery::by(sos::sos::<Limb>, r, a, b, n, k, n0, t) };
            vartime fios: Isa::NONE => { montgomery::by(fios::fios::<Limb>, r, a, b, n, k, n0, t) };
        }
        little_endian {
            /// `fios_delayed` on 32-bit words.
            fios_delayed_w32: Isa::NONE => { montgomery::by(fios_delayed::fios_delayed::<u32>, r, a, b, n, k, n0, t) };
            /// `cios` on 32-bit words.
            cios_w32: Isa::NONE => { montgomery::by(cios::cios::<u32>, r, a, b, n, k, n0, t) };
            /// `cihs` on 32-bit words.
            cihs_w32: Isa::NONE => { montgomery::by(cihs::cihs::<u32>, r, a, b, n, k, n0, t) };
            /// `mont_fips` on 32-bit words.
            mont_fips_w32: Isa::NONE => { montgomery::by(mont_fips::mont_fips::<u32>, r, a, b, n, k, n0, t) };
            /// `sos` on 32-bit words.
            vartime sos_w32: Isa::NONE => { montgomery::by(sos::sos::<u32>, r, a, b, n, k, n0, t) };
            /// `fios` on 32-bit words.
            vartime fios_w32: Isa::NONE => { montgomery::by(fios::fios::<u32>, r, a, b, n, k, n0, t) };
        }
        x86_64 {
            /// Rows of `pmuludq`, which pass carries on.
            pmuludq: Isa::NONE => super::rows::mont_mul::<super::pmuludq::Pmuludq>;
            pmuludq_carry_save: Isa::NONE;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.p[2], x.p[3], x.n, x.s, x.p[4]);
}

impl MontMul {
    /// `r := a * b / 2^(64k) mod n`.
    ///
    /// # Panics
    /// If the lengths are not k, k, k, k, 2k for one k >= 1.
    pub fn call(
        &self,
        r: &mut [Limb],
        a: &[Limb],
        b: &[Limb],
        n: &[Limb],
        n0: Limb,
        t: &mut [Limb],
    ) {
        let k = r.len();
        assert!(k > 0 && a.len() == k && b.len() == k && n.len() == k && t.len() == 2 * k);
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe {
            (self.f)(
                r.as_mut_ptr(),
                a.as_ptr(),
                b.as_ptr(),
                n.as_ptr(),
                k,
                n0,
                t.as_mut_ptr(),
            )
        }
    }

    /// `r := r * b / 2^(64k) mod n`.
    ///
    /// # Panics
    /// If the lengths are not k, k, k, 2k for one k >= 1.
    pub fn call_in_place(&self, r: &mut [Limb], b: &[Limb], n: &[Limb], n0: Limb, t: &mut [Limb]) {
        let k = r.len();
        assert!(k > 0 && b.len() == k && n.len() == k && t.len() == 2 * k);
        let p = r.as_mut_ptr();
        // SAFETY: the shapes were checked above, the processor by `all`; r = a exactly is allowed.
        unsafe { (self.f)(p, p, b.as_ptr(), n.as_ptr(), k, n0, t.as_mut_ptr()) }
    }
}
