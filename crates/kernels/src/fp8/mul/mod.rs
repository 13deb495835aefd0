//! `fp8_mul`: r := a * b modulo 2^w - c, almost reduced, in each of eight lanes.
//!
//! Shapes     r\[n\], a\[n\], b\[n\] octets: n is 3 for w of 127 and 128, 5 for 255 and 256; one limb c. Least significant
//!            digit first.
//! Input      every digit below 2^52, the highest below 2^(s+1) where s = w - 52(n-1); c odd and below 2^s.
//! Output     With R = 2^(52n), d = c * 2^(52-s): v := a * b mod R + d * (a * b div R), and r := v - t * (2^w - c). Here t is
//!            v div 2^w or little less: what the sum v_(n-1) + 2^52 v_n has above s bits, if v_k is digit k of a * b and the
//!            halves of the products of its upper digits by d that belong there. Digits of r are below 2^52, the highest
//!            below 2^s + 8.
//! Overlap    r may be a or b exactly; partial overlap is not allowed.
//! Timing     depends on n and w only; c is public.
//! Source     as `fp_mul`; digits as in Gueron, Krasnov, IEEE ARITH 2016.

use super::operands::{OFFSET, RESIDUES, SIZES};
use super::{Lanes, Product};
use super::{Octet, fits};
use crate::{Isa, Limb, op::*};

op! {
    /// Eight products modulo 2^w - c, one a lane.
    pub struct Mul("fp8_mul");
    call: (r: *mut Limb, a: *const Limb, b: *const Limb, n: usize, w: usize, c: Limb);
    contract: Contract {
        effect: "eight times r := a*b modulo 2^m - c, almost reduced",
        operands: &[
            Operand::out("r", Len::N.times(8)),
            Operand::input("a", Len::N.times(8)).holding(Value::Custom(&RESIDUES, None)),
            Operand::input("b", Len::N.times(8)).holding(Value::Custom(&RESIDUES, None)),
        ],
        scalar: Scalar::Public(Word::Custom(&OFFSET)),
        returns: Returns::Nothing,
        same: &[("r", "a"), ("r", "b")],
        dims: Dims::Custom(&SIZES),
        timing: Timing::Constant,
        source: "HAC 14.47; Gueron, Krasnov 2016",
    };
    kernels {
        x86_64 {
            /// Floating-point numbers on eight lanes.
            fma512: super::Fma512::NEEDS => {
                super::Fma512::unchecked().run(Product { r, a, b: Some(b), n, bits: w, c, slack: false })
            };
            /// Floating-point numbers on four lanes, and then the other four.
            fma256: super::Fma256::NEEDS => {
                super::Fma256::unchecked().run(Product { r, a, b: Some(b), n, bits: w, c, slack: false })
            };
        }
        any {
            /// Plain Rust, lane by lane.
            portable: Isa::NONE => { super::Words.run(Product { r, a, b: Some(b), n, bits: w, c, slack: false }) };
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.p[2], x.n, x.m, x.s);
}

impl Mul {
    /// `r := a * b` modulo `2^w - c` in each lane.
    ///
    /// # Panics
    /// If the lengths differ, or n, w and c do not go together.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, fp8::{self, Octet}};
    /// let two_to_104 = [Octet([0; 8]), Octet([0; 8]), Octet([1; 8])];
    /// let mut r = [Octet::default(); 3];
    /// // 2^208 = 2^81 modulo 2^127 - 1.
    /// fp8::Mul::best(Cpu::native()).call(&mut r, &two_to_104, &two_to_104, 127, 1);
    /// assert_eq!(r.map(|octet| octet.0[7]), [0, 1 << 29, 0]);
    /// ```
    pub fn call(&self, r: &mut [Octet], a: &[Octet], b: &[Octet], w: usize, c: Limb) {
        let n = r.len();
        assert!(a.len() == n && b.len() == n && fits(n, w, c));
        let (r, a, b) = (r.as_mut_ptr().cast(), a.as_ptr().cast(), b.as_ptr().cast());
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(r, a, b, n, w, c) }
    }
}
