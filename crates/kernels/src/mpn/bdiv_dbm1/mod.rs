//! `mpn_bdiv_dbm1`: r := a / d  (mod 2^(64n)) for a divisor d of 2^64 - 1, given as s = (2^64 - 1) / d.
//!
//! Shapes     r\[n\], a\[n\], one limb s; n >= 1.
//! Input      s divides 2^64 - 1; so d may be 3, 5, 15, 17, ...
//! Output     the r with r * d = a (mod 2^(64n)): the quotient if a, taken as signed or not, is a multiple of d.
//! Overlap    r may be a exactly.
//! Timing     depends on n only.
//! Source     GMP, mpn_bdiv_dbm1c: a / d = a s / (2^64 - 1), and -1 / (2^64 - 1) = 1 + 2^64 + 2^128 + ...

use super::operands::COFACTOR;
use crate::{Isa, Limb, op::*};

op! {
    /// The exact quotient by a divisor of 2^64 - 1.
    pub struct BdivDbm1("mpn_bdiv_dbm1");
    call: (r: *mut Limb, a: *const Limb, n: usize, s: Limb);
    contract: Contract {
        effect: "r := a / d  (mod 2^(64n)), s = (2^64 - 1) / d",
        operands: &[Operand::out("r", Len::N), Operand::input("a", Len::N)],
        scalar: Scalar::Secret(Word::Custom(&COFACTOR)),
        returns: Returns::Nothing,
        same: &[("r", "a")],
        dims: Dims::N,
        timing: Timing::Constant,
        source: "GMP, mpn_bdiv_dbm1c",
    };
    kernels {
        any {
            portable: Isa::NONE;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.n, x.s);
}

impl BdivDbm1 {
    /// `r := r / d`, where `s` is `Limb::MAX / d`.
    ///
    /// # Panics
    /// If `r` is empty.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, Limb, mpn::BdivDbm1};
    /// let mut r = [21, 9];
    /// BdivDbm1::best(Cpu::native()).call_in_place(&mut r, Limb::MAX / 3);
    /// assert_eq!(r, [7, 3]);
    /// ```
    pub fn call_in_place(&self, r: &mut [Limb], s: Limb) {
        assert!(!r.is_empty());
        let p = r.as_mut_ptr();
        // SAFETY: the shapes were checked above, the processor by `all`; r = a exactly is allowed.
        unsafe { (self.f)(p, p, r.len(), s) }
    }
}
