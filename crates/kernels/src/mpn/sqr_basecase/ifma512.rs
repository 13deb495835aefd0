//! Through radix 2^52 on AVX-512 IFMA; few limbs go to `mulx_adx`, very many to the product in parts.

use crate::{
    Limb,
    mpn::{
        mul_basecase,
        product52::{MOST, sqr},
        sqr_basecase::mulx_adx,
    },
};

/// Below this many limbs the change of radix costs more than it saves.
const FEW: usize = 25;

/// # Safety
/// The contract of `mpn_sqr_basecase`; the processor has BMI2, ADX, AVX-512 F and IFMA.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize) {
    // SAFETY: the same contract, or that of the product.
    unsafe {
        match n {
            ..FEW => mulx_adx::kernel::<true>(r, a, n),
            FEW..=MOST => sqr(r, a, n),
            _ => mul_basecase::ifma512::kernel(r, a, n, a, n),
        }
    }
}
