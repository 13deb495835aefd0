//! `ntt_split`: r := the coefficients of a modulo a prime.
//!
//! Shapes     r\[n\] residues; a\[n (3m - 1) / 8, rounded up\] limbs, least significant first; m, from 3 to 5, is how
//!            many primes there are, s < 5 which one.
//! Input      any.
//! Output     residue i is bytes `(3m - 1) i` to `(3m - 1) (i + 1) - 1` of a, as a number, modulo the prime: the bits
//!            of a floating-point number from 0 to p - 1.
//! Overlap    none.
//! Timing     depends on n, m and s only.
//! Source     Schönhage, Strassen 1971; Pollard 1971.

use super::operands::{COEFFICIENTS, PRIME};
use super::words::Words;
use super::{PRIMES, limbs};
#[cfg(target_arch = "x86_64")]
use super::{fma::Fma256, fma512::Fma512};
use crate::{Isa, Limb, op::*};

op! {
    /// The coefficients of a number modulo a prime.
    pub struct Split("ntt_split");
    call: (r: *mut Limb, a: *const Limb, n: usize, m: usize, s: usize);
    contract: Contract {
        effect: "r := coefficients of a, of 3m - 1 bytes, modulo prime s",
        operands: &[
            Operand::out("r", Len::N),
            Operand::input("a", super::limbs_of(0)),
        ],
        scalar: Scalar::Public(PRIME),
        returns: Returns::Nothing,
        same: &[],
        dims: Dims::Custom(&COEFFICIENTS),
        timing: Timing::Constant,
        source: "Pollard 1971",
    };
    kernels {
        x86_64 {
            /// Floating-point numbers, eight a vector.
            fma512: super::fma512::Fma512::NEEDS, "avx512f,avx2,fma" => super::coefficients::split::<Fma512>;
            /// Floating-point numbers, four a vector.
            fma256: super::fma::Fma256::NEEDS, "avx2,fma" => super::coefficients::split::<Fma256>;
        }
        any {
            /// Plain Rust: residues as integers.
            portable: Isa::NONE => super::coefficients::split::<Words>;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.n, x.m, x.s as usize);
}

impl Split {
    /// `r` := the coefficients of `a` modulo one of the [`PRIMES`], for `primes` of them together.
    ///
    /// # Panics
    /// If the length of `a` is not what [`limbs`] gives for the coefficients in `r`, or there is no such prime.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, ntt};
    /// let mut r = [0; 2];
    /// ntt::Split::best(Cpu::native()).call(&mut r, &[7, ntt::PRIMES[0] + 1], 3, 0);
    /// assert_eq!(r.map(f64::from_bits), [7.0, 1.0]);
    /// ```
    pub fn call(&self, r: &mut [Limb], a: &[Limb], primes: usize, prime: usize) {
        let n = r.len();
        assert!((3..=PRIMES.len()).contains(&primes) && prime < PRIMES.len());
        assert!(a.len() == limbs(n, primes));
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(r.as_mut_ptr(), a.as_ptr(), n, primes, prime) }
    }
}
