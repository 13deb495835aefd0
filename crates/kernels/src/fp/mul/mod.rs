//! `fp_mul`: r := a * b folded at R = 2^(64n): congruent to a * b modulo R - d.
//!
//! Shapes     r\[n\], a\[n\], b\[n\]; n is 2 or 4; one limb d. Least significant limb first.
//! Input      any; d >= 1. For the prime 2^w - c with w = 64n - s, d = c * 2^s.
//! Output     t := a * b, and three times t := t mod R + d * (t div R); then r = t < R.
//! Overlap    r may be a or b exactly; partial overlap is not allowed.
//! Timing     depends on n only; d is public.
//! Source     Crandall, US patent 5,159,632; HAC 14.47; Şanal, A Galois Field Arithmetic Library, 2017.

use super::operands::FOLD;
use super::product;
use crate::{Isa, Limb, op::*};

op! {
    /// Multiplication modulo 2^w - c, folded but not reduced.
    pub struct Mul("fp_mul");
    call: (r: *mut Limb, a: *const Limb, b: *const Limb, n: usize, d: Limb);
    contract: Contract {
        effect: "r := a*b folded three times at R = 2^(64n): t -> t mod R + d*(t div R)",
        operands: &[Operand::out("r", Len::N), Operand::input("a", Len::N), Operand::input("b", Len::N)],
        scalar: Scalar::Public(Word::Custom(&FOLD)),
        returns: Returns::Nothing,
        same: &[("r", "a"), ("r", "b")],
        dims: Dims::OneOf(&[2, 4]),
        timing: Timing::Constant,
        source: "HAC 14.47; Şanal 2017",
    };
    kernels {
        x86_64 {
            mulx_adx: Isa::BMI2.and(Isa::ADX);
            /// `portable` compiled for `mulx`.
            schoolbook_mulx: Isa::BMI2, "bmi2" => { folded!((r, n, d), |a, b| product::schoolbook(a, b)) };
        }
        any {
            /// The schoolbook method by rows (operand scanning), in plain Rust.
            portable: Isa::NONE => { folded!((r, n, d), |a, b| product::schoolbook(a, b)) };
            /// The schoolbook method by columns (product scanning).
            product_scanning: Isa::NONE => { folded!((r, n, d), |a, b| product::product_scanning(a, b)) };
            /// The schoolbook method by halves, products that do not overlap first.
            recursive: Isa::NONE => { folded!((r, n, d), |a, b| product::recursive(a, b, product::Order::OuterFirst)) };
            /// The schoolbook method by halves, from the low end of the result to the high.
            recursive_ascending: Isa::NONE => {
                folded!((r, n, d), |a, b| product::recursive(a, b, product::Order::Ascending))
            };
            /// One level of Karatsuba's method, carries of half sums as masks.
            karatsuba: Isa::NONE => { folded!((r, n, d), |a, b| product::karatsuba(a, b)) };
        }
        x86_64 {
            /// `product_scanning` compiled for `mulx`.
            product_scanning_mulx: Isa::BMI2, "bmi2" => { folded!((r, n, d), |a, b| product::product_scanning(a, b)) };
            /// `recursive` compiled for `mulx`.
            recursive_mulx: Isa::BMI2, "bmi2" => {
                folded!((r, n, d), |a, b| product::recursive(a, b, product::Order::OuterFirst))
            };
            /// `recursive_ascending` compiled for `mulx`.
            recursive_ascending_mulx: Isa::BMI2, "bmi2" => {
                folded!((r, n, d), |a, b| product::recursive(a, b, product::Order::Ascending))
            };
            /// `karatsuba` compiled for `mulx`.
            karatsuba_mulx: Isa::BMI2, "bmi2" => { folded!((r, n, d), |a, b| product::karatsuba(a, b)) };
            /// `karatsuba_mulx` with `cmov` in place of the masks, as in the source.
            karatsuba_cmov: Isa::BMI2, "bmi2" => {
                folded!((r, n, d), |a, b| product::karatsuba_by(a, b, super::word::moved_if))
            };
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.p[2], x.n, x.s);
    inlined: |i| (r.add(i * n), a.add(i * n), b.add(i * n), n, d);
}

impl Mul {
    /// `r := a * b` modulo `2^(64n) - d`, folded.
    ///
    /// # Panics
    /// If the lengths differ or are not 2 or 4, or d is 0.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, fp};
    /// let mut r = [0; 2];
    /// // 2^128 = 159 modulo 2^128 - 159.
    /// fp::Mul::best(Cpu::native()).call(&mut r, &[0, 1], &[0, 1], 159);
    /// assert_eq!(r, [159, 0]);
    /// ```
    pub fn call(&self, r: &mut [Limb], a: &[Limb], b: &[Limb], d: Limb) {
        let n = r.len();
        assert!((n == 2 || n == 4) && a.len() == n && b.len() == n && d > 0);
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(r.as_mut_ptr(), a.as_ptr(), b.as_ptr(), n, d) }
    }

    /// Each `a := a * b` modulo `2^(64N) - d`, folded, by the kernel inlined into a loop: for studies of code that is inlined
    /// where it is used.
    ///
    /// # Panics
    /// If there are not as many of both, N is not 2 or 4, or d is 0.
    #[cfg(feature = "forced")]
    pub fn call_inlined<const N: usize>(&self, a: &mut [[Limb; N]], b: &[[Limb; N]], d: Limb) {
        assert!((N == 2 || N == 4) && a.len() == b.len() && d > 0);
        let p = a.as_mut_ptr().cast();
        // SAFETY: the shapes were checked above, the processor by `all`; r = a exactly is allowed.
        unsafe { self.inlined()(b.len(), p, p, b.as_ptr().cast(), N, d) }
    }
}
