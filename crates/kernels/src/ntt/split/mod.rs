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

use super::{PRIMES, limbs};
use crate::{Isa, Limb, op::*};

/// `(r, a, n, m, s)`
pub type F = unsafe fn(*mut Limb, *const Limb, usize, usize, usize);

op! {
    /// The coefficients of a number modulo a prime.
    pub struct Split("ntt_split"): F;
    contract: Contract {
        effect: "r := coefficients of a, of 3m - 1 bytes, modulo prime s",
        operands: &[
            Operand::out("r", Len::N),
            Operand::input("a", Len::Coefficients(0)),
        ],
        scalar: Scalar::Prime,
        returns: Returns::Nothing,
        same: &[],
        m: Dim::Primes,
        timing: Timing::Constant,
        source: "Pollard 1971",
    };
    kernels: [
        #[cfg(target_arch = "x86_64")]
        fma512: super::fma512::Fma512::NEEDS,
        #[cfg(target_arch = "x86_64")]
        fma256: super::fma::Fma256::NEEDS,
        portable: Isa::NONE,
    ];
    raw: |f, x| f(x.p[0], x.p[1], x.n, x.m, x.s as usize);
}

impl Split {
    /// `r` := the coefficients of `a` modulo one of the [`PRIMES`], for so many primes together.
    ///
    /// # Panics
    /// If `a` has not [`limbs`] of so many coefficients, or there is no such prime.
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
