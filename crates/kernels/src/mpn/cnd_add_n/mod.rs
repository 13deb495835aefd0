//! `mpn_cnd_add_n`: r := a + c * b  (mod 2^(64n)), c a bit; returns the carry.
//!
//! Shapes     r\[n\], a\[n\], b\[n\], one bit c; n >= 1.
//! Input      c is 0 or 1, and may be secret.
//! Output     the carry is 0 or 1, and 0 for c = 0.
//! Overlap    r may be a or b exactly.
//! Timing     depends on n only.
//! Source     GMP manual, mpn_cnd_add_n.

use crate::{Isa, Limb, op::*};

op! {
    /// `r := a + b` if the bit c is set, `r := a` otherwise, returning the carry.
    pub struct CndAddN("mpn_cnd_add_n");
    call: (c: Limb, r: *mut Limb, a: *const Limb, b: *const Limb, n: usize) -> Limb;
    contract: Contract {
        effect: "r := a + c * b  (mod 2^(64n)), c a bit; returns the carry",
        operands: &[Operand::out("r", Len::N), Operand::input("a", Len::N), Operand::input("b", Len::N)],
        scalar: Scalar::Secret(Word::BIT),
        returns: Returns::Bit,
        same: &[("r", "a"), ("r", "b")],
        dims: Dims::N,
        timing: Timing::Constant,
        source: "GMP manual, mpn_cnd_add_n",
    };
    kernels {
        x86_64 {
            /// AVX-512: eight 64-bit lanes with b behind a mask, all their carries from one integer addition.
            lookahead512: Isa::AVX512F, "avx512f" => super::lookahead::masked::<false>;
            /// `adc` chains of four limbs, with b behind a mask.
            adc: Isa::NONE => { super::chain::masked_chain!("adc", c, r, a, b, n) };
        }
        aarch64 {
            /// One `adcs` chain through the carry flag, with b behind a mask.
            adcs: Isa::NONE => { super::adcs::masked_chain!(add c, r, a, b, n) };
        }
        any {
            portable: Isa::NONE;
        }
    }
    raw: |f, x| f(x.s, x.p[0], x.p[1], x.p[2], x.n);
}

impl CndAddN {
    /// `r := a + c * b`; returns the carry.
    ///
    /// # Panics
    /// If the lengths differ or are zero.
    pub fn call(&self, c: Limb, r: &mut [Limb], a: &[Limb], b: &[Limb]) -> Limb {
        assert!(!r.is_empty() && r.len() == a.len() && r.len() == b.len());
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(c, r.as_mut_ptr(), a.as_ptr(), b.as_ptr(), r.len()) }
    }

    /// `r := r + c * b`; returns the carry.
    ///
    /// # Panics
    /// If the lengths differ or are zero.
    pub fn call_in_place(&self, c: Limb, r: &mut [Limb], b: &[Limb]) -> Limb {
        assert!(!r.is_empty() && r.len() == b.len());
        let p = r.as_mut_ptr();
        // SAFETY: the shapes were checked above, the processor by `all`; r = a exactly is allowed.
        unsafe { (self.f)(c, p, p, b.as_ptr(), r.len()) }
    }
}
