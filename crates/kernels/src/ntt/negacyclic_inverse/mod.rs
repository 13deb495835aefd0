//! `ntt_negacyclic_inverse`: x := the polynomial whose transform modulo `z^n + 1` is x y, point by point, modulo a
//! prime p, with (p - 1)/2 added to each coefficient.
//!
//! Shapes     x\[n\], y\[n\] residues; w\[n\] inverses of roots of unity; n is a power of two, 16 at least; s < 5 is
//!            the prime.
//! Input      residues as [`PRIMES`] says; w as [`super::roots`] gives it for 2n.
//! Output     `ntt_negacyclic_forward` of it less (p - 1)/2 is x y: if x and y are transforms, it is the product of the
//!            polynomials modulo `z^n + 1`, whose coefficients may be negative. Modulo all primes used, whose product
//!            is P, what is added is (P - 1)/2, so that the sum is not.
//! Overlap    x may be y exactly, to square; partial overlap is not allowed.
//! Timing     depends on n and s only.
//! Source     as `ntt_forward`.

use super::operands::{INVERSE_ROOTS, POWERS, PRIME, RESIDUES};
use super::{LEAST, MOST, PRIMES};
#[cfg(target_arch = "x86_64")]
use super::{fma::Fma256, fma512::Fma512};
use super::{transform, words::Words};
use crate::{Isa, Limb, op::*};

op! {
    /// The product of two polynomials modulo a prime and `z^n + 1`, from their transforms.
    pub struct NegacyclicInverse("ntt_negacyclic_inverse");
    call: (x: *mut Limb, y: *const Limb, w: *const Limb, n: usize, s: usize);
    contract: Contract {
        effect: "x := (p - 1)/2 + inverse transform of x*y, point by point, modulo prime s and z^n + 1",
        operands: &[
            Operand::in_out("x", Len::N).holding(Value::Custom(&RESIDUES, None)),
            Operand::input("y", Len::N).holding(Value::Custom(&RESIDUES, None)),
            Operand::input("w", Len::N).holding(Value::Custom(&INVERSE_ROOTS, None)),
        ],
        scalar: Scalar::Public(PRIME),
        returns: Returns::Nothing,
        same: &[("x", "y")],
        dims: Dims::Custom(&POWERS),
        timing: Timing::Constant,
        source: "Pollard 1971; van der Hoeven, Lecerf, Quintin 2016",
    };
    kernels {
        x86_64 {
            /// Floating-point numbers, eight a vector, and four in short transforms.
            fma512: super::fma512::Fma512::NEEDS, "avx512f,avx2,fma" => {
                if n < Fma512::LEAST {
                    transform::negacyclic_inverse::<Fma256>(x, y, w, n, s)
                } else {
                    transform::negacyclic_inverse::<Fma512>(x, y, w, n, s)
                }
            };
            /// Floating-point numbers, four a vector.
            fma256: super::fma::Fma256::NEEDS, "avx2,fma" => transform::negacyclic_inverse::<Fma256>;
        }
        any {
            /// Plain Rust: residues as integers.
            portable: Isa::NONE => transform::negacyclic_inverse::<Words>;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.p[2], x.n, x.s as usize);
}

impl NegacyclicInverse {
    /// `x` := (p - 1)/2 more than the polynomial whose transform is `x * y`, modulo p, one of the [`PRIMES`], and
    /// `z^n + 1`, n being its length.
    ///
    /// # Panics
    /// If the length is not a power of two from [`LEAST`] to half of [`MOST`], `y` or `w` not as long, or there is no
    /// such prime.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, ntt};
    /// let [w, inverse] = ntt::roots(0, 32);
    /// // z^15, and its square, -z^14.
    /// let mut x = [0_f64.to_bits(); 16];
    /// x[15] = 1_f64.to_bits();
    /// ntt::NegacyclicForward::best(Cpu::native()).call(&mut x, &w, 0);
    /// ntt::NegacyclicInverse::best(Cpu::native()).call_in_place(&mut x, &inverse, 0);
    /// let half = (ntt::PRIMES[0] / 2) as f64;
    /// assert_eq!(x.map(f64::from_bits)[13..], [half, half - 1.0, half]);
    /// ```
    pub fn call(&self, x: &mut [Limb], y: &[Limb], w: &[Limb], prime: usize) {
        assert!(y.len() == x.len());
        self.checked(x.as_mut_ptr(), y.as_ptr(), x.len(), w, prime);
    }

    /// `x` := (p - 1)/2 more than the polynomial whose transform is the square of `x`, modulo p, one of the [`PRIMES`],
    /// and `z^n + 1`, n being its length.
    ///
    /// # Panics
    /// As [`NegacyclicInverse::call`].
    pub fn call_in_place(&self, x: &mut [Limb], w: &[Limb], prime: usize) {
        let (n, x) = (x.len(), x.as_mut_ptr());
        self.checked(x, x, n, w, prime);
    }

    fn checked(&self, x: *mut Limb, y: *const Limb, n: usize, w: &[Limb], prime: usize) {
        assert!(n.is_power_of_two() && (LEAST..=MOST / 2).contains(&n) && w.len() == n);
        assert!(prime < PRIMES.len());
        // SAFETY: x and y have n words each and may be the same; shapes were checked above, the processor by `all`.
        unsafe { (self.f)(x, y, w.as_ptr(), n, prime) }
    }
}
