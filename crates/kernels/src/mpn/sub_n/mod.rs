//! `mpn_sub_n`: r := a - b  (mod 2^(64n)); returns the borrow.
//!
//! Shapes     r\[n\], a\[n\], b\[n\]; n >= 1. Least significant limb first.
//! Input      any.
//! Output     r - borrow * 2^(64n) = a - b; the borrow is 0 or 1.
//! Overlap    r may be a or b exactly; partial overlap is not allowed.
//! Timing     depends on n only.
//! Source     Knuth, TAOCP 2, 4.3.1, algorithm S.

use crate::{Isa, Limb, op::*};

/// `(r, a, b, n) -> borrow`
pub type F = unsafe fn(*mut Limb, *const Limb, *const Limb, usize) -> Limb;

op! {
    /// `r := a - b`, returning the borrow.
    pub struct SubN("mpn_sub_n"): F;
    contract: Contract {
        effect: "r - borrow*2^(64n) := a - b",
        operands: &[Operand::out("r", Len::N), Operand::input("a", Len::N), Operand::input("b", Len::N)],
        scalar: Scalar::None,
        returns: Returns::Bit,
        same: &[("r", "a"), ("r", "b")],
        m: Dim::Unused,
        timing: Timing::Constant,
        source: "Knuth, TAOCP 2, 4.3.1, algorithm S",
    };
    kernels: [
        #[cfg(target_arch = "x86_64")]
        lookahead512: Isa::AVX512F,
        #[cfg(target_arch = "x86_64")]
        sbb: Isa::NONE,
        #[cfg(target_arch = "x86_64")]
        saturate16x8: Isa::NONE => Variable,
        #[cfg(target_arch = "x86_64")]
        branchy: Isa::NONE => Variable,
        portable: Isa::NONE,
        #[cfg(target_arch = "x86_64")]
        majority64: Isa::NONE,
        #[cfg(target_arch = "x86_64")]
        majority64x2: Isa::NONE,
    ];
    raw: |f, x| f(x.p[0], x.p[1], x.p[2], x.n);
}

impl SubN {
    /// `r := a - b`; returns the borrow.
    ///
    /// # Panics
    /// If the lengths differ or are zero.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, mpn::SubN};
    /// let mut r = [0; 2];
    /// assert_eq!(SubN::best(Cpu::native()).call(&mut r, &[0, 2], &[1, 2]), 1);
    /// assert_eq!(r, [u64::MAX, u64::MAX]);
    /// ```
    pub fn call(&self, r: &mut [Limb], a: &[Limb], b: &[Limb]) -> Limb {
        assert!(!r.is_empty() && r.len() == a.len() && r.len() == b.len());
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(r.as_mut_ptr(), a.as_ptr(), b.as_ptr(), r.len()) }
    }

    /// `r := r - b`; returns the borrow.
    ///
    /// # Panics
    /// If the lengths differ or are zero.
    pub fn call_in_place(&self, r: &mut [Limb], b: &[Limb]) -> Limb {
        assert!(!r.is_empty() && r.len() == b.len());
        let p = r.as_mut_ptr();
        // SAFETY: the shapes were checked above, the processor by `all`; r = a exactly is allowed.
        unsafe { (self.f)(p, p, b.as_ptr(), r.len()) }
    }

    /// `r := a - r`; returns the borrow.
    ///
    /// # Panics
    /// If the lengths differ or are zero.
    pub fn call_reversed(&self, r: &mut [Limb], a: &[Limb]) -> Limb {
        assert!(!r.is_empty() && r.len() == a.len());
        let p = r.as_mut_ptr();
        // SAFETY: the shapes were checked above, the processor by `all`; r = b exactly is allowed.
        unsafe { (self.f)(p, a.as_ptr(), p, r.len()) }
    }
}
