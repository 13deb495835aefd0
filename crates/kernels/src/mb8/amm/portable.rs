//! Plain Rust: lane by lane, carries paid at once.

use crate::{
    Limb,
    mb8::{LANES, MAX_DIGITS},
    radix52::word::amm,
};

/// # Safety
/// The contract of `mb8_amm`.
pub unsafe fn kernel(
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    n: *const Limb,
    k0: *const Limb,
    _: *mut Limb,
    digits: usize,
) {
    let mut x = [[0; MAX_DIGITS]; 4];
    for lane in 0..LANES {
        // SAFETY: the contract; every array has room for the most digits.
        unsafe {
            for (x, source) in x.iter_mut().zip([a, b, n]) {
                for (i, digit) in x[..digits].iter_mut().enumerate() {
                    *digit = *source.add(LANES * i + lane);
                }
            }
            let [a, b, n, t] = &mut x;
            let k0 = *k0.add(lane);
            amm(
                t.as_mut_ptr(),
                a.as_ptr(),
                b.as_ptr(),
                n.as_ptr(),
                digits,
                digits,
                k0,
            );
            for (i, &digit) in t[..digits].iter().enumerate() {
                *r.add(LANES * i + lane) = digit;
            }
        }
    }
    x.iter_mut().for_each(|x| crate::wipe(&mut x[..digits], 0));
}
