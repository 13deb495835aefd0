//! Floating-point numbers, four a vector.

use crate::{
    Limb,
    ntt::{coefficients::crt, fma::Fma256},
};

/// # Safety
/// The contract of `ntt_crt`; the processor has AVX2, FMA and BMI2.
#[target_feature(enable = "avx2,fma,bmi2")]
pub unsafe fn kernel(r: *mut Limb, x: [*const Limb; 5], n: usize, m: usize) {
    // SAFETY: the caller's word.
    unsafe {
        match m {
            3 => crt::<Fma256, 3, 3>(r, x, n),
            4 => crt::<Fma256, 4, 4>(r, x, n),
            _ => crt::<Fma256, 5, 4>(r, x, n),
        }
    }
}
