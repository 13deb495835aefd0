//! `radix52_addmul_high`: t := t + the columns of a * b from the highest of b's length on, carries owed.
//!
//! Shapes     t\[8(n+1)\], a\[8n\], b\[8m\] words in radix 2^52, least significant first; n >= m >= 1 blocks.
//! Input      any; of the words of a and b the low 52 bits count.
//! Output     as `radix52_addmul` leaves the highest n + 1 blocks.
//! Overlap    a may be b; t overlaps neither.
//! Timing     depends on n and m only.
//! Source     as `radix52_addmul`.

use super::operands::BLOCKS_UP_TO_N;
use super::{BLOCK, addmul::blocks};
use crate::{Isa, Limb, op::*};

op! {
    /// The upper part of a product added to words that owe carries.
    pub struct AddmulHigh("radix52_addmul_high");
    call: (t: *mut Limb, a: *const Limb, n: usize, b: *const Limb, m: usize);
    contract: Contract {
        effect: "t[k-8m+8] := t[k-8m+8] + sum lo(a[i]*b[k-i]) + sum hi(a[i]*b[k-1-i]) mod 2^64 for k >= 8m-8",
        operands: &[
            Operand::in_out("t", Len::N.plus(Len::words(1)).times(8)),
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
            /// AVX-512 IFMA on 512-bit vectors: as `radix52_addmul`, in some of the columns.
            ifma512: super::IFMA, "avx512f,avx512vl,avx512ifma,bmi2" => {
                super::addmul::ifma512::columns(t.wrapping_sub(8 * (m - 1)), a, n, b, m, m - 1, n + m)
            };
        }
        any {
            /// Plain Rust: as `radix52_addmul`, in some of the columns.
            portable: Isa::NONE => {
                super::addmul::portable::columns(t.wrapping_sub(8 * (m - 1)), a, n, b, m, m - 1, n + m)
            };
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.n, x.p[2], x.m);
}

impl AddmulHigh {
    /// `t := t + a * b` in the columns of t, whose highest is the highest of the product.
    ///
    /// # Panics
    /// If a factor is not in whole blocks of eight words, or t is not a block longer than a, or b longer than a.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, radix52::AddmulHigh};
    /// let mut t = [1; 16];
    /// AddmulHigh::best(Cpu::native()).call(&mut t, &[0, 0, 0, 0, 0, 0, 0, 1 << 50], &[2, 4, 0, 0, 0, 0, 0, 0]);
    /// assert_eq!(t[7..10], [1 + (1 << 51), 1, 2]);
    /// ```
    pub fn call(&self, t: &mut [Limb], a: &[Limb], b: &[Limb]) {
        let (n, m) = blocks(a, b);
        assert!(t.len() == a.len() + BLOCK);
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(t.as_mut_ptr(), a.as_ptr(), n, b.as_ptr(), m) }
    }
}
