//! `radix52_addmul`: t := t + a * b, carries owed.
//!
//! Shapes     t\[8(n+m)\], a\[8n\], b\[8m\] words in radix 2^52, least significant first; n >= m >= 1 blocks.
//! Input      any; of the words of a and b the low 52 bits count.
//! Output     every word of t, modulo 2^64, more by the low halves of the products that belong to its place and by the
//!            high halves of those that belong to the place below: what 128 blocks of b add to a word is below 2^63.
//! Overlap    a may be b; t overlaps neither.
//! Timing     depends on n and m only.
//! Source     Gueron, Krasnov, ARITH 2016: carries are paid when all is summed ([`Normalise`](super::Normalise)).

use super::BLOCK;
use super::operands::BLOCKS_UP_TO_N;
use crate::{Isa, Limb, op::*};

op! {
    /// A product added to words that owe carries.
    pub struct Addmul("radix52_addmul");
    call: (t: *mut Limb, a: *const Limb, n: usize, b: *const Limb, m: usize);
    contract: Contract {
        effect: "t[k] := t[k] + sum lo(a[i]*b[k-i]) + sum hi(a[i]*b[k-1-i]) mod 2^64",
        operands: &[
            Operand::in_out("t", Len::N.plus(Len::M).times(8)),
            Operand::input("a", Len::N.times(8)),
            Operand::input("b", Len::M.times(8)),
        ],
        scalar: Scalar::None,
        returns: Returns::Nothing,
        same: &[],
        dims: Dims::Custom(&BLOCKS_UP_TO_N),
        timing: Timing::Constant,
        source: "Gueron, Krasnov, ARITH 2016",
    };
    kernels {
        x86_64 {
            ifma512: super::IFMA;
        }
        any {
            portable: Isa::NONE;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.n, x.p[2], x.m);
}

impl Addmul {
    /// `t := t + a * b`, the factors in either order.
    ///
    /// # Panics
    /// If a factor is not in whole blocks of eight words, or `t` is not as long as both together.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, radix52::Addmul};
    /// let mut t = [1; 16];
    /// Addmul::best(Cpu::native()).call(&mut t, &[3, 0, 0, 0, 0, 0, 0, 0], &[1 << 51, 2, 0, 0, 0, 0, 0, 0]);
    /// assert_eq!(t[..3], [1 + (1 << 51), 1 + 1 + 6, 1]);
    /// ```
    pub fn call(&self, t: &mut [Limb], a: &[Limb], b: &[Limb]) {
        let (a, b) = if a.len() < b.len() { (b, a) } else { (a, b) };
        let (n, m) = blocks(a, b);
        assert!(t.len() == a.len() + b.len());
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(t.as_mut_ptr(), a.as_ptr(), n, b.as_ptr(), m) }
    }
}

/// The blocks of two factors, the longer one first.
pub(super) fn blocks(a: &[Limb], b: &[Limb]) -> (usize, usize) {
    assert!(!b.is_empty() && a.len().is_multiple_of(BLOCK) && b.len().is_multiple_of(BLOCK));
    assert!(a.len() >= b.len());
    (a.len() / BLOCK, b.len() / BLOCK)
}
