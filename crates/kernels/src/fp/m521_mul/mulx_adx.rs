//! By rows on `mulx`, `adcx` and `adox`.

use crate::{Limb, fp::mulx_adx::p521};

/// # Safety
/// The contract of `fp_m521_mul`; the processor has BMI2 and ADX.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, b: *const Limb) {
    // SAFETY: operands have nine limbs; the processor as above.
    unsafe { p521::mul(r, a, b) }
}
