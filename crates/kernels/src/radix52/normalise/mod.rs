//! `radix52_normalise`: words in radix 2^52 that owe carries become digits.
//!
//! Shapes     r\[8n\], t\[8n\]; n >= 1 blocks. Least significant first.
//! Input      any.
//! Output     every word of r below 2^52; returns what is carried out of the highest.
//! Overlap    r may be t exactly; partial overlap is not allowed.
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
    /// Pays the carries that words owe.
    pub struct Normalise("radix52_normalise");
    call: (r: *mut Limb, t: *const Limb, n: usize) -> Limb;
    contract: Contract {
        effect: "r := t mod 2^(416n), returns t / 2^(416n)",
        operands: &[Operand::out("r", Len::N.times(8)), Operand::input("t", Len::N.times(8)).holding(Value::Digits { radix: 52, slack: 12 })],
        scalar: Scalar::None,
        returns: Returns::Limb,
        same: &[("r", "t")],
        dims: Dims::Custom(&BLOCKS),
        timing: Timing::Constant,
        source: "Gueron, Krasnov, ARITH 2016",
    };
    kernels {
        x86_64 {
            /// AVX-512: a register at a time, the ripple of its carries by one addition.
            ifma512: super::IFMA, "avx512f,avx512vl,avx512ifma,bmi2" => { rows::pay::<Zmm>(t, n, r) };
        }
        any {
            portable: Isa::NONE;
        }
        checked {
            vartime words: Isa::NONE => { rows::pay::<Words<8>>(t, n, r) };
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.n);
}

impl Normalise {
    /// `t` as digits, in place; what is carried out.
    ///
    /// # Panics
    /// If there are no whole blocks of eight words, or none.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, radix52::Normalise};
    /// let mut t = [5 << 52 | 7, 1, 0, 0, 0, 0, 0, u64::MAX];
    /// assert_eq!(Normalise::best(Cpu::native()).call_in_place(&mut t), 4095);
    /// assert_eq!(t, [7, 6, 0, 0, 0, 0, 0, (1 << 52) - 1]);
    /// ```
    pub fn call_in_place(&self, t: &mut [Limb]) -> Limb {
        assert!(!t.is_empty() && t.len().is_multiple_of(BLOCK));
        let p = t.as_mut_ptr();
        // SAFETY: the shape was checked above, the processor by `all`; r = t exactly is allowed.
        unsafe { (self.f)(p, p, t.len() / BLOCK) }
    }
}
