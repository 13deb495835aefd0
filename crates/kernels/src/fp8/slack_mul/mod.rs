//! `fp8_slack_mul`: r := a * b modulo 2^w - c in each of eight lanes, in digits with slack.
//!
//! Shapes     r\[n\], a\[n\], b\[n\] octets: n is 3 for w of 127 and 128, 5 for 255 and 256; one limb c. Digit i is the
//!            factor of 2^ceil(i w / n), and s_i is how many bits further up the next one stands.
//! Input      digit 0 below 2^(s_0), digit i below 2^(s_i) + 2^20; c odd and below 2^(w - 52(n-1)).
//! Output     r < 2^w - c, digit i below 2^(s_i).
//! Overlap    r may be a or b exactly; partial overlap is not allowed.
//! Timing     depends on n and w only; c is public.
//! Source     as `fp_mul`; digits as in Bernstein, Curve25519, PKC 2006, section 4.

use super::operands::{OFFSET, SIZES, SLACK};
use super::{Lanes, Product};
use super::{Octet, fits};
use crate::{Isa, Limb, op::*};

op! {
    /// Eight products modulo 2^w - c, one a lane.
    pub struct SlackMul("fp8_slack_mul");
    call: (r: *mut Limb, a: *const Limb, b: *const Limb, n: usize, w: usize, c: Limb);
    contract: Contract {
        effect: "eight times r := a*b modulo 2^m - c",
        operands: &[
            Operand::out("r", Len::N.times(8)),
            Operand::input("a", Len::N.times(8)).holding(Value::Custom(&SLACK, None)),
            Operand::input("b", Len::N.times(8)).holding(Value::Custom(&SLACK, None)),
        ],
        scalar: Scalar::Public(Word::Custom(&OFFSET)),
        returns: Returns::Nothing,
        same: &[("r", "a"), ("r", "b")],
        dims: Dims::Custom(&SIZES),
        timing: Timing::Constant,
        source: "HAC 14.47; Bernstein 2006",
    };
    kernels {
        x86_64 {
            /// AVX-512 IFMA on eight lanes.
            ifma512: crate::fp8::Ifma512::NEEDS => {
                super::Ifma512::unchecked().run(Product { r, a, b: Some(b), n, bits: w, c, slack: true })
            };
            /// AVX-512 IFMA on four lanes, and then the other four.
            ifma256: crate::fp8::Ifma256::NEEDS => {
                super::Ifma256::unchecked().run(Product { r, a, b: Some(b), n, bits: w, c, slack: true })
            };
            /// AVX-IFMA on four lanes, and then the other four.
            avx_ifma: crate::fp8::AvxIfma::NEEDS => {
                super::AvxIfma::unchecked().run(Product { r, a, b: Some(b), n, bits: w, c, slack: true })
            };
        }
        any {
            /// Plain Rust, lane by lane.
            portable: Isa::NONE => { super::Words.run(Product { r, a, b: Some(b), n, bits: w, c, slack: true }) };
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.p[2], x.n, x.m, x.s);
}

impl SlackMul {
    /// `r := a * b` modulo `2^w - c` in each lane.
    ///
    /// # Panics
    /// If the lengths differ, or n, w and c do not go together.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, fp8::{self, Octet}};
    /// let two_to_85 = [Octet([0; 8]), Octet([0; 8]), Octet([1; 8])];
    /// let mut r = [Octet::default(); 3];
    /// // 2^170 = 2^43 modulo 2^127 - 1.
    /// fp8::SlackMul::best(Cpu::native()).call(&mut r, &two_to_85, &two_to_85, 127, 1);
    /// assert_eq!(r.map(|octet| octet.0[7]), [0, 1, 0]);
    /// ```
    pub fn call(&self, r: &mut [Octet], a: &[Octet], b: &[Octet], w: usize, c: Limb) {
        let n = r.len();
        assert!(a.len() == n && b.len() == n && fits(n, w, c));
        let (r, a, b) = (r.as_mut_ptr().cast(), a.as_ptr().cast(), b.as_ptr().cast());
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(r, a, b, n, w, c) }
    }
}
