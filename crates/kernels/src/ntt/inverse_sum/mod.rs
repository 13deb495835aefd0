//! `ntt_inverse_sum`: x := the polynomial whose transform is x y + u v, point by point, modulo a prime.
//!
//! Shapes     x\[n\], y\[n\], u\[n\], v\[n\] residues; w\[n/2\] inverses of roots of unity; n is a power of two, 16 at
//!            least; s < 5 is the prime.
//! Input      residues as [`PRIMES`] says; w as [`super::roots`] gives it.
//! Output     `ntt_forward` of it is x y + u v: if these are transforms, it is the sum of two products modulo
//!            `z^n - 1`.
//! Overlap    u may be v exactly; partial overlap is not allowed.
//! Timing     depends on n and s only.
//! Source     as `ntt_forward`.

use super::operands::{INVERSE_ROOTS, POWERS, PRIME, RESIDUES};
use super::{LEAST, MOST, PRIMES};
#[cfg(target_arch = "x86_64")]
use super::{fma::Fma256, fma512::Fma512};
use super::{
    transform::{self, Points},
    words::Words,
};
use crate::{Isa, Limb, op::*};

op! {
    /// The sum of two products of polynomials modulo a prime, from their transforms.
    pub struct InverseSum("ntt_inverse_sum");
    call: (x: *mut Limb, y: *const Limb, u: *const Limb, v: *const Limb, w: *const Limb, n: usize, s: usize);
    contract: Contract {
        effect: "x := inverse transform of x*y + u*v, point by point, modulo prime s",
        operands: &[
            Operand::in_out("x", Len::N).holding(Value::Custom(&RESIDUES, None)),
            Operand::input("y", Len::N).holding(Value::Custom(&RESIDUES, None)),
            Operand::input("u", Len::N).holding(Value::Custom(&RESIDUES, None)),
            Operand::input("v", Len::N).holding(Value::Custom(&RESIDUES, None)),
            Operand::input("w", Len::N.over(2)).holding(Value::Custom(&INVERSE_ROOTS, None)),
        ],
        scalar: Scalar::Public(PRIME),
        returns: Returns::Nothing,
        same: &[("u", "v")],
        dims: Dims::Custom(&POWERS),
        timing: Timing::Constant,
        source: "Pollard 1971; van der Hoeven, Lecerf, Quintin 2016",
    };
    kernels {
        x86_64 {
            /// Floating-point numbers, eight a vector, and four in short transforms.
            fma512: super::fma512::Fma512::NEEDS, "avx512f,avx2,fma" => {
                if n < Fma512::LEAST {
                    transform::inverse::<Fma256>(x, Points { y, sum: Some([u, v]) }, w, n, s)
                } else {
                    transform::inverse::<Fma512>(x, Points { y, sum: Some([u, v]) }, w, n, s)
                }
            };
            /// Floating-point numbers, four a vector.
            fma256: super::fma::Fma256::NEEDS, "avx2,fma" => {
                transform::inverse::<Fma256>(x, Points { y, sum: Some([u, v]) }, w, n, s)
            };
        }
        any {
            /// Plain Rust: residues as integers.
            portable: Isa::NONE => { transform::inverse::<Words>(x, Points { y, sum: Some([u, v]) }, w, n, s) };
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.p[2], x.p[3], x.p[4], x.n, x.s as usize);
}

impl InverseSum {
    /// `x` := the polynomial whose transform is `x * y + u * v`, modulo one of the [`PRIMES`].
    ///
    /// # Panics
    /// If the length is not a power of two from [`LEAST`] to [`MOST`], `y`, `u` or `v` not as long or `w` not half as
    /// long, or there is no such prime.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, ntt};
    /// let [w, inverse] = ntt::roots(0, 16);
    /// // The transforms of the constants 2 and 3.
    /// let (mut x, y) = ([2_f64.to_bits(); 16], [3_f64.to_bits(); 16]);
    /// ntt::InverseSum::best(Cpu::native()).call(&mut x, &y, [&y, &y], &inverse, 0);
    /// assert_eq!(x.map(f64::from_bits)[..3], [15.0, 0.0, 0.0]);
    /// ```
    pub fn call(&self, x: &mut [Limb], y: &[Limb], [u, v]: [&[Limb]; 2], w: &[Limb], prime: usize) {
        let n = x.len();
        assert!(n.is_power_of_two() && (LEAST..=MOST).contains(&n) && w.len() == n / 2);
        assert!([y, u, v].iter().all(|words| words.len() == n) && prime < PRIMES.len());
        let (x, y, u, v) = (x.as_mut_ptr(), y.as_ptr(), u.as_ptr(), v.as_ptr());
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(x, y, u, v, w.as_ptr(), n, prime) }
    }
}
