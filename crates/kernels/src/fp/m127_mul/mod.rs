//! `fp_m127_mul`: r := a * b modulo 2^127 - 1.
//!
//! Shapes     r\[2\], a\[2\], b\[2\]. Least significant limb first.
//! Input      a, b < 2^127.
//! Output     t := a * b, and twice t := t mod 2^127 + t div 2^127; then r = t < 2^127. It is 2^127 - 1 or 0 where the
//!            residue is 0.
//! Overlap    r may be a or b exactly; partial overlap is not allowed.
//! Timing     constant.
//! Source     Knuth, TAOCP 2, 4.3.2; Şanal, A Galois Field Arithmetic Library, 2017; Karatsuba, Ofman 1962.

use crate::{Isa, Limb, op::*};

op! {
    /// Multiplication modulo 2^127 - 1.
    pub struct M127Mul("fp_m127_mul");
    call: (r: *mut Limb, a: *const Limb, b: *const Limb);
    contract: Contract {
        effect: "r := a*b folded twice at 2^127: t -> t mod 2^127 + t div 2^127",
        operands: &[
            Operand::out("r", Len::N),
            Operand::input("a", Len::N).holding(Value::Below(Bound::Power(127))),
            Operand::input("b", Len::N).holding(Value::Below(Bound::Power(127))),
        ],
        scalar: Scalar::None,
        returns: Returns::Nothing,
        same: &[("r", "a"), ("r", "b")],
        dims: Dims::OneOf(&[2]),
        timing: Timing::Constant,
        source: "Knuth, TAOCP 2, 4.3.2; Şanal 2017",
    };
    kernels {
        x86_64 {
            /// `mulx`, and a fold that shifts nothing across two limbs.
            mulx_adx: crate::fp::MulxAdx::NEEDS => {
                super::store(r, super::mulx_adx::mul_127(super::load(a), super::load(b)))
            };
            /// `portable` compiled for `mulx`.
            schoolbook_mulx: Isa::BMI2, "bmi2" => {
                super::mersenne127::store(r, super::mersenne127::mul(super::mersenne127::load(a), super::mersenne127::load(b)))
            };
        }
        any {
            /// The schoolbook method, in plain Rust.
            portable: Isa::NONE => {
                super::mersenne127::store(r, super::mersenne127::mul(super::mersenne127::load(a), super::mersenne127::load(b)))
            };
            /// Karatsuba's method, in plain Rust.
            karatsuba: Isa::NONE => {
                super::mersenne127::store(r, super::mersenne127::mul_karatsuba(super::mersenne127::load(a), super::mersenne127::load(b)))
            };
        }
        x86_64 {
            /// `karatsuba` compiled for `mulx`.
            karatsuba_mulx: Isa::BMI2, "bmi2" => {
                super::mersenne127::store(r, super::mersenne127::mul_karatsuba(super::mersenne127::load(a), super::mersenne127::load(b)))
            };
            /// `mulx_adx` folded by bit tests.
            bit_test: Isa::BMI2 => { super::store(r, super::reduce::mul_127_bit_test(super::load(a), super::load(b))) };
            /// `mulx_adx` folded as in the library MPFQ.
            mpfq: Isa::BMI2 => { super::store(r, super::reduce::mul_127_mpfq(super::load(a), super::load(b))) };
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.p[2]);
    inlined: |i| (r.add(2 * i), a.add(2 * i), b.add(2 * i));
}

impl M127Mul {
    /// `r := a * b` modulo 2^127 - 1.
    ///
    /// # Panics
    /// If an operand is not below 2^127.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, fp};
    /// let mut r = [0; 2];
    /// // 2^127 = 1.
    /// fp::M127Mul::best(Cpu::native()).call(&mut r, &[0, 1], &[0, 1 << 62]);
    /// assert_eq!(r, [1 << 63, 0]);
    /// ```
    pub fn call(&self, r: &mut [Limb; 2], a: &[Limb; 2], b: &[Limb; 2]) {
        assert!((a[1] | b[1]) >> 63 == 0);
        // SAFETY: shapes are in the types, values were checked above, the processor by `all`.
        unsafe { (self.f)(r.as_mut_ptr(), a.as_ptr(), b.as_ptr()) }
    }

    /// Each `a := a * b` modulo 2^127 - 1, by the kernel inlined into a loop: for studies of code that is inlined where it is
    /// used. Unspecified where an operand is not below 2^127, which is for the caller to see to.
    ///
    /// # Panics
    /// If there are not as many of both.
    #[cfg(feature = "forced")]
    pub fn call_inlined(&self, a: &mut [[Limb; 2]], b: &[[Limb; 2]]) {
        assert!(a.len() == b.len());
        debug_assert!(a.iter().chain(b).all(|x| x[1] >> 63 == 0));
        let p = a.as_mut_ptr().cast();
        // SAFETY: the shapes were checked above, the processor by `all`; r = a exactly is allowed.
        unsafe { self.inlined()(b.len(), p, p, b.as_ptr().cast()) }
    }
}
