//! `mpn_cnd_select`: r := a if the bit c is set, b otherwise.
//!
//! Shapes     r\[n\], a\[n\], b\[n\], one bit c; n >= 1.
//! Input      c is 0 or 1, and may be secret.
//! Output     r is a or b.
//! Overlap    r may be a or b exactly.
//! Timing     depends on n only.
//! Source     GMP, mpn_cnd_swap.

use crate::{Isa, Limb, op::*};

op! {
    /// Chooses one of two numbers by a secret bit.
    pub struct CndSelect("mpn_cnd_select");
    call: (c: Limb, r: *mut Limb, a: *const Limb, b: *const Limb, n: usize);
    contract: Contract {
        effect: "r := a if the bit c is set, b otherwise",
        operands: &[Operand::out("r", Len::N), Operand::input("a", Len::N), Operand::input("b", Len::N)],
        scalar: Scalar::Secret(Word::BIT),
        returns: Returns::Nothing,
        same: &[("r", "a"), ("r", "b")],
        dims: Dims::N,
        timing: Timing::Constant,
        source: "GMP, mpn_cnd_swap",
    };
    kernels {
        any {
            portable: Isa::NONE;
        }
    }
    raw: |f, x| f(x.s, x.p[0], x.p[1], x.p[2], x.n);
}

impl CndSelect {
    /// `r := a` if `c` is 1, `r := b` if it is 0.
    ///
    /// # Panics
    /// If the lengths differ or are zero.
    pub fn call(&self, c: Limb, r: &mut [Limb], a: &[Limb], b: &[Limb]) {
        assert!(!r.is_empty() && r.len() == a.len() && r.len() == b.len());
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(c, r.as_mut_ptr(), a.as_ptr(), b.as_ptr(), r.len()) }
    }

    /// `r := a` if `c` is 1, unchanged if it is 0.
    ///
    /// # Panics
    /// If the lengths differ or are zero.
    pub fn call_in_place(&self, c: Limb, r: &mut [Limb], a: &[Limb]) {
        assert!(!r.is_empty() && r.len() == a.len());
        let p = r.as_mut_ptr();
        // SAFETY: the shapes were checked above, the processor by `all`; r = b exactly is allowed.
        unsafe { (self.f)(c, p, a.as_ptr(), p, r.len()) }
    }
}
