//! `mpn_sub_1`: r := a - b  (mod 2^(64n)); returns the borrow.
//!
//! Shapes     r\[n\], a\[n\], one limb b; n >= 1.
//! Input      any.
//! Output     the borrow is 0 or 1.
//! Overlap    r may be a exactly.
//! Timing     depends on n only: the chain runs to the end.
//! Source     GMP manual, Low-level Functions.

use crate::{Isa, Limb, op::*};

op! {
    /// `r := a - b` for one limb b, returning the borrow.
    pub struct Sub1("mpn_sub_1");
    call: (r: *mut Limb, a: *const Limb, n: usize, b: Limb) -> Limb;
    contract: Contract {
        effect: "r := a - b  (mod 2^(64n)); returns the borrow",
        operands: &[Operand::out("r", Len::N), Operand::input("a", Len::N)],
        scalar: Scalar::Secret(Word::Any),
        returns: Returns::Bit,
        same: &[("r", "a")],
        dims: Dims::N,
        timing: Timing::Constant,
        source: "GMP manual, Low-level Functions",
    };
    kernels {
        x86_64 {
            /// AVX-512: eight 64-bit lanes, all their carries from one integer addition; what is shorter in plain Rust.
            lookahead512: Isa::AVX512F, "avx512f" => {
                match n {
                    ..8 => portable::kernel(r, a, n, b),
                    _ => super::lookahead::ripple::<true>(r, a, n, b),
                }
            };
            /// One `sbb` chain through the carry flag.
            sbb: Isa::NONE => { super::chain::ripple_chain!("sbb", r, a, n, b) };
        }
        any {
            portable: Isa::NONE;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.n, x.s);
}

impl Sub1 {
    /// `r := a - b`; returns the borrow.
    ///
    /// # Panics
    /// If the lengths differ or are zero.
    pub fn call(&self, r: &mut [Limb], a: &[Limb], b: Limb) -> Limb {
        assert!(!r.is_empty() && r.len() == a.len());
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(r.as_mut_ptr(), a.as_ptr(), r.len(), b) }
    }

    /// `r := r - b`; returns the borrow.
    ///
    /// # Panics
    /// If `r` is empty.
    pub fn call_in_place(&self, r: &mut [Limb], b: Limb) -> Limb {
        assert!(!r.is_empty());
        let p = r.as_mut_ptr();
        // SAFETY: the shapes were checked above, the processor by `all`; r = a exactly is allowed.
        unsafe { (self.f)(p, p, r.len(), b) }
    }
}
