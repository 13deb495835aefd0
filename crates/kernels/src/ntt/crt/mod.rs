//! `ntt_crt`: r := the number that has coefficients with given residues modulo primes.
//!
//! Shapes     r\[n (3m - 1) / 8, rounded up, + 3\] limbs, least significant first; x0\[n\] to x4\[n\] residues modulo
//!            each prime; only the first m vectors, 3 to 5, are read.
//! Input      residues as [`PRIMES`] says.
//! Output     the sum of `c_i 2^(8 (3m - 1) i)`, where c_i, below the product of m primes, has residues i of each x.
//! Overlap    none.
//! Timing     depends on n and m only.
//! Source     Garner 1959; Knuth, TAOCP 2, 4.3.2 and 4.3.3.

use super::operands::{COEFFICIENTS, EACH};
use super::words::Words;
use super::{PRIMES, coefficients::SPARE, limbs};
#[cfg(target_arch = "x86_64")]
use super::{fma::Fma256, fma512::Fma512};
use crate::{Isa, Limb, op::*};

op! {
    /// The number that has coefficients with these residues.
    pub struct Crt("ntt_crt");
    call: (r: *mut Limb, x: [*const Limb; 5], n: usize, m: usize);
    contract: Contract {
        effect: "r := sum of c_i 2^(8 (3m - 1) i), where c_i has residues x0_i, x1_i, ... modulo m primes",
        operands: &[
            Operand::out("r", super::limbs_of(SPARE)),
            Operand::input("x0", Len::N).holding(Value::Custom(&EACH[0], None)),
            Operand::input("x1", Len::N).holding(Value::Custom(&EACH[1], None)),
            Operand::input("x2", Len::N).holding(Value::Custom(&EACH[2], None)),
            Operand::input("x3", Len::N).holding(Value::Custom(&EACH[3], None)),
            Operand::input("x4", Len::N).holding(Value::Custom(&EACH[4], None)),
        ],
        scalar: Scalar::None,
        returns: Returns::Nothing,
        same: &[],
        dims: Dims::Custom(&COEFFICIENTS),
        timing: Timing::Constant,
        source: "Garner 1959; Knuth, TAOCP 2, 4.3.2",
    };
    kernels {
        x86_64 {
            /// Floating-point numbers, eight a vector.
            fma512: super::fma512::Fma512::NEEDS.and(Isa::BMI2), "avx512f,avx2,fma,bmi2" =>
                super::coefficients::crt::<Fma512>;
            /// Floating-point numbers, four a vector.
            fma256: super::fma::Fma256::NEEDS.and(Isa::BMI2), "avx2,fma,bmi2" => super::coefficients::crt::<Fma256>;
        }
        any {
            /// Plain Rust: residues as integers.
            portable: Isa::NONE => super::coefficients::crt::<Words>;
        }
    }
    raw: |f, x| f(x.p[0], [1, 2, 3, 4, 5].map(|i| x.p[i].cast_const()), x.n, x.m);
}

impl Crt {
    /// `r` := the number that has coefficients with these residues, modulo each of the first [`PRIMES`].
    ///
    /// # Panics
    /// If there are not 3 to 5 primes, residues of all of the same length, and [`limbs`] for that and three more.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, ntt};
    /// let x = [7_f64, 1.0].map(f64::to_bits);
    /// let mut r = [0; 5];
    /// ntt::Crt::best(Cpu::native()).call(&mut r, &[&x, &x, &x]);
    /// assert_eq!(r, [7, 1, 0, 0, 0]);
    /// ```
    pub fn call(&self, r: &mut [Limb], x: &[&[Limb]]) {
        let (primes, n) = (x.len(), x.first().map_or(0, |x| x.len()));
        assert!((3..=PRIMES.len()).contains(&primes) && x.iter().all(|x| x.len() == n));
        assert!(r.len() == limbs(n, primes) + SPARE);
        let x = core::array::from_fn(|i| x.get(i).unwrap_or(&x[0]).as_ptr());
        // SAFETY: the shapes were checked above, the processor by `all`; what is beyond the primes is not read.
        unsafe { (self.f)(r.as_mut_ptr(), x, n, primes) }
    }
}
