//! `mpn_mont_mul`: r := a * b / R  (mod n),  R = 2^(64k).
//!
//! Shapes     r\[k\], a\[k\], b\[k\], n\[k\], n0 = -n^-1 mod 2^64, t\[2k\] scratch; n odd; k >= 1.
//! Input      a < n, b < n.
//! Output     r < n, fully reduced. No carry leaves the function. t holds secrets of the call.
//! Overlap    r may be a or b exactly.
//! Timing     depends on k only.
//! Source     Koç, Acar, Kaliski 1996; final subtraction HAC 14.32.

use crate::{Isa, Limb, op::*};

/// `(r, a, b, n, k, n0, t)`
pub type F = unsafe fn(*mut Limb, *const Limb, *const Limb, *const Limb, usize, Limb, *mut Limb);

op! {
    /// Montgomery multiplication.
    pub struct MontMul("mpn_mont_mul"): F;
    contract: Contract {
        effect: "r := a * b / R  (mod n),  R = 2^(64k)",
        operands: &[Operand::out("r", Len::N), Operand::input("a", Len::N).holding(Value::Below("n")), Operand::input("b", Len::N).holding(Value::Below("n")), Operand::input("n", Len::N).holding(Value::Odd), Operand::scratch("t", Len::TwoN)],
        scalar: Scalar::NegInverse("n"),
        returns: Returns::Nothing,
        same: &[("r", "a"), ("r", "b")],
        m: Dim::Unused,
        timing: Timing::Constant,
        source: "Koç, Acar, Kaliski 1996; HAC 14.32",
    };
    kernels: [
        #[cfg(target_arch = "x86_64")]
        mulx_adx: Isa::BMI2.and(Isa::ADX),
        portable: Isa::NONE,
        fios_delayed: Isa::NONE,
        cios: Isa::NONE,
        cihs: Isa::NONE,
        mont_fips: Isa::NONE,
        sos: Isa::NONE => Variable,
        fios: Isa::NONE => Variable,
        #[cfg(target_endian = "little")]
        fios_delayed_w32: Isa::NONE,
        #[cfg(target_endian = "little")]
        cios_w32: Isa::NONE,
        #[cfg(target_endian = "little")]
        cihs_w32: Isa::NONE,
        #[cfg(target_endian = "little")]
        mont_fips_w32: Isa::NONE,
        #[cfg(target_endian = "little")]
        sos_w32: Isa::NONE => Variable,
        #[cfg(target_endian = "little")]
        fios_w32: Isa::NONE => Variable,
    ];
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
