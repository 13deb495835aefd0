//! `radix52_addmul_low`: t := t + the columns of a * b below a's length, carries owed.
//!
//! Shapes     t\[8n\], a\[8n\], b\[8m\] words in radix 2^52, least significant first; n >= m >= 1 blocks.
//! Input      any; of the words of a and b the low 52 bits count.
//! Output     as `radix52_addmul` leaves the lowest n blocks.
//! Overlap    a may be b; t overlaps neither.
//! Timing     depends on n and m only.
//! Source     as `radix52_addmul`.

use super::addmul::blocks;
use super::operands::BLOCKS_UP_TO_N;
use crate::{Isa, Limb, op::*};

op! {
    /// The lower part of a product added to words that owe carries.
    pub struct AddmulLow("radix52_addmul_low");
    call: (t: *mut Limb, a: *const Limb, n: usize, b: *const Limb, m: usize);
    contract: Contract {
        effect: "t[k] := t[k] + sum lo(a[i]*b[k-i]) + sum hi(a[i]*b[k-1-i]) mod 2^64 for k < 8n",
        operands: &[
            Operand::in_out("t", Len::N.times(8)),
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
                super::addmul::ifma512::columns(t, a, n, b, m, 0, n)
            };
        }
        any {
            /// Plain Rust: as `radix52_addmul`, in some of the columns.
            portable: Isa::NONE => { super::addmul::portable::columns(t, a, n, b, m, 0, n) };
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.n, x.p[2], x.m);
}

impl AddmulLow {
    /// `t := t + a * b` in the columns of t.
    ///
    /// # Panics
    /// If a factor is not in whole blocks of eight words, or t and a are not equally long, or b is longer.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, radix52::AddmulLow};
    /// let mut t = [1; 8];
    /// AddmulLow::best(Cpu::native()).call(&mut t, &[3, 0, 0, 0, 0, 0, 0, 7], &[2, 5, 0, 0, 0, 0, 0, 0]);
    /// assert_eq!(t, [7, 16, 1, 1, 1, 1, 1, 15]);
    /// ```
    pub fn call(&self, t: &mut [Limb], a: &[Limb], b: &[Limb]) {
        let (n, m) = blocks(a, b);
        assert!(t.len() == a.len());
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(t.as_mut_ptr(), a.as_ptr(), n, b.as_ptr(), m) }
    }
}
