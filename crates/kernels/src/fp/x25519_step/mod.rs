//! `fp_x25519_step`: a step of Montgomery's ladder on Curve25519: one point doubled, and the sum of two.
//!
//! Shapes     s\[20\]: x_2, z_2, x_3, z_3 and x_1, four limbs each; t\[48\]; one bit c. Least significant limb first.
//! Input      numbers below 2^255 + 2^198; x_2/z_2 and x_3/z_3 are the u-coordinates of points whose difference has x_1. The
//!            bit, which may be secret, says which one is doubled: 0 the first, 1 the second.
//! Output     a_i := x_i + z_i, b_i := x_i - z_i; (a, b) := c = 0 ? (a_2, b_2) : (a_3, b_3); aa := a^2, bb := b^2,
//!            e := aa - bb, f := bb + 121666 e, da := b_3 a_2, cb := a_3 b_2; then x_2 := aa bb, z_2 := e f,
//!            x_3 := (da + cb)^2, z_3 := x_1 (da - cb)^2. Each sum or difference v but f becomes v mod 2^256 + 38 (v div 2^256),
//!            and f becomes v mod 2^255 + 19 (v div 2^255). A product v: 38 times each limb of v div 2^256 is two limbs, which
//!            make two numbers, l of the lower and h of the upper ones; with s := v mod 2^256 + l it becomes
//!            s mod 2^255 + 19 (s div 2^255) + 2^64 (h mod 2^192) + 38 (h div 2^192). t means nothing, and may be secret.
//! Overlap    none allowed.
//! Timing     constant.
//! Source     RFC 7748, 5; Bernstein, Curve25519, PKC 2006.
//!
//! What follows from the input: a product is below 2^255 + 2^198 again, as 2^64 h is below 38 2^192 but for its highest limb;
//! a sum of two below 2^256 + 2^199, so that nothing carries when it is folded; a difference above -2^255 - 2^198. The sum and
//! the difference of da and cb do not depend on which of the points is doubled, but for a sign that goes when it is squared.
//! So the bit chooses twice, and nothing is exchanged.

use super::operands::NEAR_25519;
use crate::{Isa, Limb, op::*};

/// Limbs of working space.
pub const SCRATCH: usize = 48;

op! {
    /// A step of the ladder of X25519.
    pub struct X25519Step("fp_x25519_step");
    call: (s: *mut Limb, t: *mut Limb, c: Limb);
    contract: Contract {
        effect: "2 P and P + Q on Curve25519 for P and Q, or for Q and P if the bit is set, where P - Q is known",
        operands: &[
            Operand::in_out("s", Len::words(20)).holding(Value::Custom(&NEAR_25519, None)),
            Operand::scratch("t", Len::words(SCRATCH)),
        ],
        scalar: Scalar::Secret(Word::BIT),
        returns: Returns::Nothing,
        same: &[],
        dims: Dims::OneOf(&[4]),
        timing: Timing::Constant,
        source: "RFC 7748, 5; Bernstein 2006",
    };
    kernels {
        x86_64 {
            mulx_adx: super::MulxAdx::NEEDS;
        }
        any {
            portable: Isa::NONE;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.s);
}

impl X25519Step {
    /// The step on `[x_2, z_2, x_3, z_3, x_1]`; `t` is working space, which is left with what may be secret.
    ///
    /// # Panics
    /// In debug builds, if a number is 2^255 + 2^198 or more, or c is no bit.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, fp};
    /// let (zero, one, nine) = ([0; 4], [1, 0, 0, 0], [9, 0, 0, 0]);
    /// // Infinity and the base point: twice infinity, and their sum, 18^2 : 9 * 2^2.
    /// let (mut s, mut t) = ([one, zero, nine, one, nine], [0; 48]);
    /// fp::X25519Step::best(Cpu::native()).call(&mut s, &mut t, 0);
    /// assert_eq!(s[..3], [one, zero, [18 * 18, 0, 0, 0]]);
    /// ```
    pub fn call(&self, s: &mut [[Limb; 4]; 5], t: &mut [Limb; SCRATCH], c: Limb) {
        let near = |x: &[Limb; 4]| x[3] < (1 << 63) + (1 << (198 - 192));
        debug_assert!(s.iter().all(near) && c <= 1);
        // SAFETY: shapes are in the types, the processor was checked by `all`.
        unsafe { (self.f)(s.as_mut_ptr().cast(), t.as_mut_ptr(), c) }
    }
}
