//! `ntt_negacyclic_forward`: x := the transform of x modulo a prime and `z^n + 1`.
//!
//! Shapes     x\[n\] residues; w\[n\] roots of unity; n is a power of two, 16 at least; s < 5 is the prime.
//! Input      residues as [`PRIMES`] says; w as [`super::roots`] gives it for 2n.
//! Output     the upper half of what `ntt_forward` makes of x and n zeros: the values at the roots of `z^n + 1`.
//! Overlap    none.
//! Timing     depends on n and s only.
//! Source     as `ntt_forward`.

use super::operands::{POWERS, PRIME, RESIDUES, ROOTS};
use super::{LEAST, MOST, PRIMES};
#[cfg(target_arch = "x86_64")]
use super::{fma::Fma256, fma512::Fma512};
use super::{transform, words::Words};
use crate::{Isa, Limb, op::*};

op! {
    /// The transform of a polynomial modulo a prime and `z^n + 1`.
    pub struct NegacyclicForward("ntt_negacyclic_forward");
    call: (x: *mut Limb, w: *const Limb, n: usize, s: usize);
    contract: Contract {
        effect: "x := transform of x modulo prime s and z^n + 1",
        operands: &[
            Operand::in_out("x", Len::N).holding(Value::Custom(&RESIDUES, None)),
            Operand::input("w", Len::N).holding(Value::Custom(&ROOTS, None)),
        ],
        scalar: Scalar::Public(PRIME),
        returns: Returns::Nothing,
        same: &[],
        dims: Dims::Custom(&POWERS),
        timing: Timing::Constant,
        source: "Pollard 1971; van der Hoeven, Lecerf, Quintin 2016",
    };
    kernels {
        x86_64 {
            /// Floating-point numbers, eight a vector, and four in short transforms.
            fma512: super::fma512::Fma512::NEEDS, "avx512f,avx2,fma" => {
                if n < Fma512::LEAST {
                    transform::negacyclic_forward::<Fma256>(x, w, n, s)
                } else {
                    transform::negacyclic_forward::<Fma512>(x, w, n, s)
                }
            };
            /// Floating-point numbers, four a vector.
            fma256: super::fma::Fma256::NEEDS, "avx2,fma" => transform::negacyclic_forward::<Fma256>;
        }
        any {
            /// Plain Rust: residues as integers.
            portable: Isa::NONE => transform::negacyclic_forward::<Words>;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.n, x.s as usize);
}

impl NegacyclicForward {
    /// `x` := its transform modulo one of the [`PRIMES`] and `z^n + 1`, n being its length.
    ///
    /// # Panics
    /// If the length is not a power of two from [`LEAST`] to half of [`MOST`], `w` not as long, or there is no such
    /// prime.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, ntt};
    /// let mut x = [0_f64.to_bits(); 16];
    /// x[0] = 2_f64.to_bits();
    /// ntt::NegacyclicForward::best(Cpu::native()).call(&mut x, &ntt::roots(0, 32)[0], 0);
    /// // The transform of a constant.
    /// assert_eq!(x.map(f64::from_bits), [2.0; 16]);
    /// ```
    pub fn call(&self, x: &mut [Limb], w: &[Limb], prime: usize) {
        let n = x.len();
        assert!(n.is_power_of_two() && (LEAST..=MOST / 2).contains(&n) && w.len() == n);
        assert!(prime < PRIMES.len());
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(x.as_mut_ptr(), w.as_ptr(), n, prime) }
    }
}
