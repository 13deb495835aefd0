//! `radix52_sqr`: t := a^2, carries owed.
//!
//! Shapes     t\[16n\], a\[8n\] words in radix 2^52, least significant first; n >= 1 blocks.
//! Input      any; of the words of a the low 52 bits count.
//! Output     as `radix52_addmul` leaves zeros with b = a.
//! Overlap    none allowed.
//! Timing     depends on n only.
//! Source     cross products once: Knuth, TAOCP 2, 4.3.1, exercise 14.

use super::BLOCK;
use crate::{Isa, Limb, op::*};

/// `(t, a, n)`
pub type F = unsafe fn(*mut Limb, *const Limb, usize);

op! {
    /// A square in words that owe carries.
    pub struct Sqr("radix52_sqr"): F;
    contract: Contract {
        effect: "t[k] := sum lo(a[i]*a[k-i]) + sum hi(a[i]*a[k-1-i]) mod 2^64",
        operands: &[Operand::out("t", Len::SixteenN), Operand::input("a", Len::EightN)],
        scalar: Scalar::None,
        returns: Returns::Nothing,
        same: &[],
        m: Dim::Unused,
        timing: Timing::Constant,
        source: "Knuth, TAOCP 2, 4.3.1, exercise 14",
    };
    kernels: [
        #[cfg(target_arch = "x86_64")]
        ifma512: super::IFMA,
        portable: Isa::NONE,
    ];
    raw: |f, x| f(x.p[0], x.p[1], x.n);
}

impl Sqr {
    /// `t := a^2`
    ///
    /// # Panics
    /// If `a` is not in whole blocks of eight words, or `t` is not twice as long.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, radix52::Sqr};
    /// let mut t = [0; 16];
    /// Sqr::best(Cpu::native()).call(&mut t, &[3, 1 << 51, 0, 0, 0, 0, 0, 0]);
    /// assert_eq!(t[..4], [9, 2 << 51, 2, 1 << 50]);
    /// ```
    pub fn call(&self, t: &mut [Limb], a: &[Limb]) {
        assert!(!a.is_empty() && a.len().is_multiple_of(BLOCK) && t.len() == 2 * a.len());
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(t.as_mut_ptr(), a.as_ptr(), a.len() / BLOCK) }
    }
}
