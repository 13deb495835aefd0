//! `mpn_cmp`: compares a with b.
//!
//! Shapes     a\[n\], b\[n\]; n >= 1.
//! Input      any.
//! Output     0 for a = b, 1 for a > b, 2^64 - 1 for a < b.
//! Overlap    free: both are read only.
//! Timing     depends on n only.
//! Source     GMP manual, mpn_cmp (which is variable time).

use crate::{Isa, Limb, op::*};

op! {
    /// Compares two numbers of one length in constant time.
    pub struct Cmp("mpn_cmp");
    call: (a: *const Limb, b: *const Limb, n: usize) -> Limb;
    contract: Contract {
        effect: "compares a with b",
        operands: &[Operand::input("a", Len::N), Operand::input("b", Len::N)],
        scalar: Scalar::None,
        returns: Returns::Ordering,
        same: &[],
        dims: Dims::N,
        timing: Timing::Constant,
        source: "GMP manual, mpn_cmp",
    };
    kernels {
        x86_64 {
            masks512: Isa::AVX512F;
        }
        any {
            portable: Isa::NONE;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.n);
}

impl Cmp {
    /// 0 for `a = b`, 1 for `a > b`, `Limb::MAX` for `a < b`: a limb, so that a secret ordering stays data.
    ///
    /// # Panics
    /// If the lengths differ or are zero.
    pub fn call(&self, a: &[Limb], b: &[Limb]) -> Limb {
        assert!(!a.is_empty() && a.len() == b.len());
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(a.as_ptr(), b.as_ptr(), a.len()) }
    }
}
