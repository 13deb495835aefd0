//! `radix52_sqr`: t := b (2a - b) for the lower blocks b of a, carries owed: a^2 if these are all.
//!
//! Shapes     t\[8(n+m)\], a\[8n\], x\[8(n+1)\] words in radix 2^52, least significant first; n >= m >= 1 blocks; b is the
//!            lower m of a.
//! Input      any; of the words of a the low 52 bits count.
//! Output     each block of b times the digits of itself and of twice what a has above it: every word of t the sum of the
//!            low halves of the products that belong to its place and of the high halves of those that belong to the
//!            place below.
//! Overlap    none allowed.
//! Timing     depends on n and m only.
//! Source     cross products once: Knuth, TAOCP 2, 4.3.1, exercise 14.

use super::operands::BLOCKS_UP_TO_N;
use super::{BLOCK, addmul::blocks};
use crate::{Isa, Limb, op::*};

op! {
    /// A square, or its part that the lower blocks take part in, in words that owe carries.
    pub struct Sqr("radix52_sqr");
    call: (t: *mut Limb, a: *const Limb, n: usize, m: usize, x: *mut Limb);
    contract: Contract {
        effect: "t[k] := sum lo(a[i]*d[i][k-i]) + sum hi(a[i]*d[i][k-1-i]) mod 2^64 for i < 8m, \
                 d[i] being a's digits in block i/8, and above it those of twice what a has there",
        operands: &[
            Operand::out("t", Len::N.plus(Len::M).times(8)),
            Operand::input("a", Len::N.times(8)),
            Operand::scratch("x", Len::N.plus(Len::words(1)).times(8)),
        ],
        scalar: Scalar::None,
        returns: Returns::Nothing,
        same: &[],
        dims: Dims::Custom(&BLOCKS_UP_TO_N),
        timing: Timing::Constant,
        source: "Knuth, TAOCP 2, 4.3.1, exercise 14",
    };
    kernels {
        x86_64 {
            ifma512: super::IFMA;
        }
        any {
            portable: Isa::NONE;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.n, x.m, x.p[2]);
}

impl Sqr {
    /// `t := b (2a - b)` for as many of the lower words b of a as t has more than it; works in x.
    ///
    /// # Panics
    /// If there are no whole blocks of eight words, or none, or more in `t` than twice as many as in `a`, or if `x` is
    /// not a block longer than `a`.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, radix52::Sqr};
    /// let mut t = [0; 16];
    /// Sqr::best(Cpu::native()).call(&mut t, &[3, 1 << 51, 0, 0, 0, 0, 0, 0], &mut [0; 16]);
    /// assert_eq!(t[..4], [9, 1 << 52, 2, 1 << 50]); // the second owes the third one
    /// ```
    pub fn call(&self, t: &mut [Limb], a: &[Limb], x: &mut [Limb]) {
        let m = t.len().saturating_sub(a.len());
        assert!(m <= a.len());
        let (n, m) = blocks(a, &a[..m]);
        assert!(x.len() == a.len() + BLOCK);
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(t.as_mut_ptr(), a.as_ptr(), n, m, x.as_mut_ptr()) }
    }
}
