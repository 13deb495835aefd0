//! `radix52_add`: the sum of two numbers in radix 2^52 whose words owe carries, as digits.
//!
//! Shapes     r\[8n\], a\[8n\], b\[8n\]; n >= 1 blocks. Least significant first.
//! Input      no word of a and the one of b beside it add up to 2^64.
//! Output     every word of r below 2^52; returns what is carried out of the highest.
//! Overlap    r may be a or b exactly; partial overlap is not allowed.
//! Timing     depends on n only.
//! Source     Gueron, Krasnov, ARITH 2016.

use super::BLOCK;
use super::operands::BLOCKS;
#[cfg(any(target_arch = "x86_64", feature = "checked"))]
use super::rows;
#[cfg(feature = "checked")]
use crate::simd::Words;
#[cfg(target_arch = "x86_64")]
use crate::simd::Zmm;
use crate::{Isa, Limb, op::*};

op! {
    /// Adds numbers whose words owe carries, and pays these.
    pub struct Add("radix52_add");
    call: (r: *mut Limb, a: *const Limb, b: *const Limb, n: usize) -> Limb;
    contract: Contract {
        effect: "r := a + b mod 2^(416n), returns (a + b) / 2^(416n)",
        operands: &[
            Operand::out("r", Len::N.times(8)),
            Operand::input("a", Len::N.times(8)).holding(Value::Digits { radix: 52, slack: 11 }),
            Operand::input("b", Len::N.times(8)).holding(Value::Digits { radix: 52, slack: 11 }),
        ],
        scalar: Scalar::None,
        returns: Returns::Limb,
        same: &[("r", "a"), ("r", "b")],
        dims: Dims::Custom(&BLOCKS),
        timing: Timing::Constant,
        source: "Gueron, Krasnov, ARITH 2016",
    };
    kernels {
        x86_64 {
            /// AVX-512: a register at a time, the ripple of its carries by one addition.
            ifma512: super::IFMA, "avx512f,avx512vl,avx512ifma,bmi2" => {
                rows::pay_sum::<Zmm>(a, Some(b), n, r)
            };
        }
        any {
            portable: Isa::NONE;
        }
        checked {
            vartime words: Isa::NONE => { rows::pay_sum::<Words<8>>(a, Some(b), n, r) };
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.p[2], x.n);
}

impl Add {
    /// `r := a + b` as digits; what is carried out.
    ///
    /// # Panics
    /// If the lengths differ, or are not those of whole blocks of eight words, or of none.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, radix52::Add};
    /// let (a, b) = ([3 << 52 | 7, 1, 0, 0, 0, 0, u64::MAX, u64::MAX - 1], [1 << 52, 0, 0, 0, 0, 0, 0, 1]);
    /// for add in Add::all(Cpu::native()) {
    ///     let mut r = [0; 8];
    ///     assert_eq!(add.call(&mut r, &a, &b), 4096);
    ///     assert_eq!(r, [7, 5, 0, 0, 0, 0, (1 << 52) - 1, 4094]);
    /// }
    /// ```
    pub fn call(&self, r: &mut [Limb], a: &[Limb], b: &[Limb]) -> Limb {
        assert!(!r.is_empty() && r.len().is_multiple_of(BLOCK));
        assert!(r.len() == a.len() && r.len() == b.len());
        let n = r.len() / BLOCK;
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(r.as_mut_ptr(), a.as_ptr(), b.as_ptr(), n) }
    }
}
