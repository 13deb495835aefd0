//! `mpn_lshift`: r := a << s, 1 <= s <= 63; returns the bits shifted out.
//!
//! Shapes     r\[n\], a\[n\]; n >= 1.
//! Input      1 <= s <= 63.
//! Output     the returned limb holds what leaves at the top, in the low bits.
//! Overlap    r may be a exactly.
//! Timing     depends on n (and s, as far as the processor's shifts do).
//! Source     GMP manual, Low-level Functions.

use crate::{Isa, Limb, op::*};

op! {
    /// `r := a << s`, returning the bits shifted out.
    pub struct LShift("mpn_lshift");
    call: (r: *mut Limb, a: *const Limb, n: usize, s: u32) -> Limb;
    contract: Contract {
        effect: "r := a << s, 1 <= s <= 63; returns the bits shifted out",
        operands: &[Operand::out("r", Len::N), Operand::input("a", Len::N)],
        scalar: Scalar::Public(Word::Range(1, Len::words(64))),
        returns: Returns::Limb,
        same: &[("r", "a")],
        dims: Dims::N,
        timing: Timing::Constant,
        source: "GMP manual, Low-level Functions",
    };
    kernels {
        x86_64 {
            avx512: Isa::AVX512F;
            avx2: Isa::AVX2;
        }
        any {
            portable: Isa::NONE;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.n, x.s as u32);
}

impl LShift {
    /// `r := a << s`; returns the bits shifted out.
    ///
    /// # Panics
    /// If the lengths differ or are zero, or `s` is not in 1..=63.
    pub fn call(&self, r: &mut [Limb], a: &[Limb], s: u32) -> Limb {
        assert!(!r.is_empty() && r.len() == a.len() && (1..64).contains(&s));
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(r.as_mut_ptr(), a.as_ptr(), r.len(), s) }
    }

    /// `r := r << s`; returns the bits shifted out.
    ///
    /// # Panics
    /// If `r` is empty, or `s` is not in 1..=63.
    pub fn call_in_place(&self, r: &mut [Limb], s: u32) -> Limb {
        assert!(!r.is_empty() && (1..64).contains(&s));
        let p = r.as_mut_ptr();
        // SAFETY: the shapes were checked above, the processor by `all`; r = a exactly is allowed.
        unsafe { (self.f)(p, p, r.len(), s) }
    }
}
