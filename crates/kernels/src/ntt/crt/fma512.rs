//! Floating-point numbers, eight a vector.

use crate::{
    Limb,
    ntt::{coefficients::crt, fma512::Fma512},
};

/// # Safety
/// The contract of `ntt_crt`; the processor has AVX-512F, AVX2, FMA and BMI2.
#[target_feature(enable = "avx512f,avx2,fma,bmi2")]
pub unsafe fn kernel(r: *mut Limb, x: [*const Limb; 5], n: usize, m: usize) {
    // SAFETY: the caller's word.
    unsafe {
        match m {
            3 => crt::<Fma512, 3, 3>(r, x, n),
            4 => crt::<Fma512, 4, 4>(r, x, n),
            _ => crt::<Fma512, 5, 4>(r, x, n),
        }
    }
}
