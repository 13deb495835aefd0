//! `ntt_inverse`: x := the polynomial whose transform is x y, point by point, modulo a prime.
//!
//! Shapes     x\[n\], y\[n\] residues; w\[n/2\] inverses of roots of unity; n is a power of two, 16 at least; s < 5 is
//!            the prime.
//! Input      residues as [`PRIMES`] says; w as [`super::roots`] gives it.
//! Output     `ntt_forward` of it is x y: if x and y are transforms, it is the product of the polynomials modulo
//!            `z^n - 1`.
//! Overlap    x may be y exactly, to square; partial overlap is not allowed.
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
    /// The product of two polynomials modulo a prime, from their transforms.
    pub struct Inverse("ntt_inverse");
    call: (x: *mut Limb, y: *const Limb, w: *const Limb, n: usize, s: usize);
    contract: Contract {
        effect: "x := inverse transform of x*y, point by point, modulo prime s",
        operands: &[
            Operand::in_out("x", Len::N).holding(Value::Custom(&RESIDUES, None)),
            Operand::input("y", Len::N).holding(Value::Custom(&RESIDUES, None)),
            Operand::input("w", Len::N.over(2)).holding(Value::Custom(&INVERSE_ROOTS, None)),
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
                    transform::inverse::<Fma256>(x, Points { y, sum: None }, w, n, s)
                } else {
                    transform::inverse::<Fma512>(x, Points { y, sum: None }, w, n, s)
                }
            };
            /// Floating-point numbers, four a vector.
            fma256: super::fma::Fma256::NEEDS, "avx2,fma" => {
                transform::inverse::<Fma256>(x, Points { y, sum: None }, w, n, s)
            };
        }
        any {
            /// Plain Rust: residues as integers.
            portable: Isa::NONE => { transform::inverse::<Words>(x, Points { y, sum: None }, w, n, s) };
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.p[2], x.n, x.s as usize);
}

impl Inverse {
    /// `x` := the polynomial whose transform is `x * y`, modulo one of the [`PRIMES`].
    ///
    /// # Panics
    /// If the length is not a power of two from [`LEAST`] to [`MOST`], `y` not as long or `w` not half as long, or
    /// there is no such prime.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, ntt};
    /// let [w, inverse] = ntt::roots(0, 16);
    /// // 2 + z, and its square.
    /// let mut x = [0_f64.to_bits(); 16];
    /// (x[0], x[1]) = (2_f64.to_bits(), 1_f64.to_bits());
    /// ntt::Forward::best(Cpu::native()).call(&mut x, &w, 2, 0);
    /// ntt::Inverse::best(Cpu::native()).call_in_place(&mut x, &inverse, 0);
    /// assert_eq!(x.map(f64::from_bits)[..4], [4.0, 4.0, 1.0, 0.0]);
    /// ```
    pub fn call(&self, x: &mut [Limb], y: &[Limb], w: &[Limb], prime: usize) {
        assert!(y.len() == x.len());
        self.checked(x.as_mut_ptr(), y.as_ptr(), x.len(), w, prime);
    }

    /// `x` := the polynomial whose transform is `x^2`.
    ///
    /// # Panics
    /// As [`Inverse::call`].
    pub fn call_in_place(&self, x: &mut [Limb], w: &[Limb], prime: usize) {
        let (n, x) = (x.len(), x.as_mut_ptr());
        self.checked(x, x, n, w, prime);
    }

    fn checked(&self, x: *mut Limb, y: *const Limb, n: usize, w: &[Limb], prime: usize) {
        assert!(n.is_power_of_two() && (LEAST..=MOST).contains(&n) && w.len() == n / 2);
        assert!(prime < PRIMES.len());
        // SAFETY: x and y have n words each and may be the same; shapes were checked above, the processor by `all`.
        unsafe { (self.f)(x, y, w.as_ptr(), n, prime) }
    }
}
