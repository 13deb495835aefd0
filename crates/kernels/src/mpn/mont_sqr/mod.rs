//! `mpn_mont_sqr`: r := a^(2^m) / R^(2^m - 1)  (mod n),  R = 2^(64k): m Montgomery squarings, one after the other.
//!
//! Shapes     r\[k\], a\[k\], n\[k\], n0 = -n^-1 mod 2^64, t\[2k\] scratch; n odd; k >= 1, m >= 1.
//! Input      a < n.
//! Output     r < n, fully reduced. t holds secrets of the call.
//! Overlap    r may be a exactly.
//! Timing     depends on k and m only.
//! Source     Koç, Acar, Kaliski 1996, SOS; HAC 14.16.

#[cfg(all(target_arch = "x86_64", not(miri)))]
pub(crate) mod mulx_adx;

use super::operands::TIMES;
use crate::{Isa, Limb, op::*};

op! {
    /// Montgomery squaring, several times.
    pub struct MontSqr("mpn_mont_sqr");
    call: (r: *mut Limb, a: *const Limb, n: *const Limb, k: usize, n0: Limb, t: *mut Limb, m: usize);
    contract: Contract {
        effect: "r := a^(2^m) / R^(2^m - 1)  (mod n),  R = 2^(64k)",
        operands: &[Operand::out("r", Len::N), Operand::input("a", Len::N).holding(Value::Below(Bound::Operand("n"))), Operand::input("n", Len::N).holding(Value::Odd), Operand::scratch("t", Len::N.times(2))],
        scalar: Scalar::Secret(Word::NegInverse("n", 64)),
        returns: Returns::Nothing,
        same: &[("r", "a")],
        dims: Dims::Custom(&TIMES),
        timing: Timing::Constant,
        source: "Koç, Acar, Kaliski 1996, SOS; HAC 14.16",
    };
    kernels {
        x86_64 {
            /// Strips of eight limbs, with a product of nothing among the additions of each row.
            mulx_adx_spaced for super::mulx_adx::SPACED: Isa::BMI2.and(Isa::ADX) => mulx_adx::kernel::<true>;
            /// Strips of eight limbs.
            mulx_adx: Isa::BMI2.and(Isa::ADX) => mulx_adx::kernel::<false>;
            /// Rows of one limb on `mul` and `adc`, four limbs a turn.
            mul_adc: Isa::NONE => super::rows::mont_sqr::<super::mul_adc::MulAdc>;
        }
        aarch64 {
            /// Rows of one limb on `mul`, `umulh` and `adcs`, four limbs a turn.
            umulh: Isa::NONE => super::rows::mont_sqr::<super::umulh::Umulh>;
        }
        any {
            /// Rows of one limb in plain Rust.
            portable: Isa::NONE => super::rows::mont_sqr::<super::rows::Plain>;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.p[2], x.n, x.s, x.p[3], x.m);
}

impl MontSqr {
    /// `r := a`, and then m times `r := r^2 / 2^(64k) mod n`.
    ///
    /// # Panics
    /// If the lengths are not k, k, k, 2k for one k >= 1, or m is 0.
    pub fn call(&self, r: &mut [Limb], a: &[Limb], n: &[Limb], n0: Limb, t: &mut [Limb], m: usize) {
        let k = r.len();
        assert!(k > 0 && a.len() == k && n.len() == k && t.len() == 2 * k && m > 0);
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe {
            (self.f)(
                r.as_mut_ptr(),
                a.as_ptr(),
                n.as_ptr(),
                k,
                n0,
                t.as_mut_ptr(),
                m,
            )
        }
    }

    /// m times `r := r^2 / 2^(64k) mod n`.
    ///
    /// # Panics
    /// If the lengths are not k, k, 2k for one k >= 1, or m is 0.
    pub fn call_in_place(&self, r: &mut [Limb], n: &[Limb], n0: Limb, t: &mut [Limb], m: usize) {
        let k = r.len();
        assert!(k > 0 && n.len() == k && t.len() == 2 * k && m > 0);
        let p = r.as_mut_ptr();
        // SAFETY: the shapes were checked above, the processor by `all`; r = a exactly is allowed.
        unsafe { (self.f)(p, p, n.as_ptr(), k, n0, t.as_mut_ptr(), m) }
    }
}
