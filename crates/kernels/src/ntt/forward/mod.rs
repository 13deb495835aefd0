//! `ntt_forward`: x := the transform of x modulo a prime.
//!
//! Shapes     x\[n\] residues; w\[n/2\] roots of unity; n is a power of two, 16 at least, and 1 <= m <= n; s < 5 is the
//!            prime.
//! Input      m residues as [`PRIMES`] says; what is behind them counts as zeros. w as [`super::roots`] gives it.
//! Output     with e entry n/4 of w, an n-th root of unity, word `16 i + 4 j + k` is the sum of `x_t e^(t u)`, where u
//!            is `16 i + 4 k' + j` with its bits reversed, k' the two bits of k reversed.
//! Overlap    none.
//! Timing     depends on n, m and s only.
//! Source     Cooley, Tukey 1965; Gentleman, Sande 1966; Pollard 1971; van der Hoeven, Lecerf, Quintin 2016 (products).

use super::operands::{FILLED, PRIME, RESIDUES, ROOTS};
use super::{LEAST, MOST, PRIMES};
#[cfg(target_arch = "x86_64")]
use super::{fma::Fma256, fma512::Fma512};
use super::{transform, words::Words};
use crate::{Isa, Limb, op::*};

op! {
    /// The transform of a polynomial modulo a prime.
    pub struct Forward("ntt_forward");
    call: (x: *mut Limb, w: *const Limb, n: usize, m: usize, s: usize);
    contract: Contract {
        effect: "x := transform of the first m words of x, modulo prime s",
        operands: &[
            Operand::in_out("x", Len::N).holding(Value::Custom(&RESIDUES, None)),
            Operand::input("w", Len::N.over(2)).holding(Value::Custom(&ROOTS, None)),
        ],
        scalar: Scalar::Public(PRIME),
        returns: Returns::Nothing,
        same: &[],
        dims: Dims::Custom(&FILLED),
        timing: Timing::Constant,
        source: "Pollard 1971; van der Hoeven, Lecerf, Quintin 2016",
    };
    kernels {
        x86_64 {
            /// Floating-point numbers, eight a vector, and four in short transforms.
            fma512: super::fma512::Fma512::NEEDS, "avx512f,avx2,fma" => {
                if n < Fma512::LEAST {
                    transform::forward::<Fma256>(x, w, n, m, s)
                } else {
                    transform::forward::<Fma512>(x, w, n, m, s)
                }
            };
            /// Floating-point numbers, four a vector.
            fma256: super::fma::Fma256::NEEDS, "avx2,fma" => transform::forward::<Fma256>;
        }
        any {
            /// Plain Rust: residues as integers.
            portable: Isa::NONE => transform::forward::<Words>;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.n, x.m, x.s as usize);
}

impl Forward {
    /// `x` := the transform of its first `filled` words and zeros, modulo one of the [`PRIMES`].
    ///
    /// # Panics
    /// If the length is not a power of two from [`LEAST`] to [`MOST`], `w` not half as long, more or none are filled,
    /// or there is no such prime.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, ntt};
    /// let mut x = [2.0_f64.to_bits(); 16];
    /// ntt::Forward::best(Cpu::native()).call(&mut x, &ntt::roots(0, 16)[0], 1, 0);
    /// // The transform of a constant.
    /// assert_eq!(x.map(f64::from_bits), [2.0; 16]);
    /// ```
    pub fn call(&self, x: &mut [Limb], w: &[Limb], filled: usize, prime: usize) {
        let n = x.len();
        assert!(n.is_power_of_two() && (LEAST..=MOST).contains(&n) && w.len() == n / 2);
        assert!((1..=n).contains(&filled) && prime < PRIMES.len());
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(x.as_mut_ptr(), w.as_ptr(), n, filled, prime) }
    }
}
