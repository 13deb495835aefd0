//! `mpn_cnd_swap`: exchanges a and b if the bit c is set.
//!
//! Shapes     a\[n\], b\[n\], one bit c; n >= 1.
//! Input      c is 0 or 1, and may be secret.
//! Output     (a, b) or (b, a).
//! Overlap    none allowed.
//! Timing     depends on n only.
//! Source     GMP, mpn_cnd_swap.

use crate::{Isa, Limb, op::*};

op! {
    /// Exchanges two numbers if a secret bit is set.
    pub struct CndSwap("mpn_cnd_swap");
    call: (c: Limb, a: *mut Limb, b: *mut Limb, n: usize);
    contract: Contract {
        effect: "exchanges a and b if the bit c is set",
        operands: &[Operand::in_out("a", Len::N), Operand::in_out("b", Len::N)],
        scalar: Scalar::Secret(Word::BIT),
        returns: Returns::Nothing,
        same: &[],
        dims: Dims::N,
        timing: Timing::Constant,
        source: "GMP, mpn_cnd_swap",
    };
    kernels {
        any {
            portable: Isa::NONE;
        }
    }
    raw: |f, x| f(x.s, x.p[0], x.p[1], x.n);
}

impl CndSwap {
    /// Exchanges `a` and `b` if `c` is 1, leaves them if it is 0.
    ///
    /// # Panics
    /// If the lengths differ or are zero.
    pub fn call(&self, c: Limb, a: &mut [Limb], b: &mut [Limb]) {
        assert!(!a.is_empty() && a.len() == b.len());
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(c, a.as_mut_ptr(), b.as_mut_ptr(), a.len()) }
    }
}
