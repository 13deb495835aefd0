//! `fp_fold`: r_i := t_i modulo R - d, the reduction of n products of m limbs alone, R = 2^(64m). For comparison.
//!
//! Shapes     r\[n\]\[m\], t\[n\]\[2m\]; n >= 1, m is 2 or 4; one limb d. Least significant limb first.
//! Input      any; d >= 1. For the prime 2^w - c with w = 64m - s, d = c * 2^s.
//! Output     three times t_i := t_i mod R + d * (t_i div R); then r_i = t_i < R.
//! Overlap    none.
//! Timing     depends on n and m only; d is public.
//! Source     Crandall, US patent 5,159,632; HAC 14.47; Şanal, A Galois Field Arithmetic Library, 2017.

use super::operands::{FOLD, PRODUCTS};
use super::{load, product, store};
use crate::{Isa, Limb, op::*};

op! {
    /// Reduction of products modulo 2^w - c, folded but not reduced.
    pub struct Fold("fp_fold");
    call: (r: *mut Limb, t: *const Limb, n: usize, m: usize, d: Limb);
    contract: Contract {
        effect: "r[i] := t[i] folded three times at R = 2^(64m), n numbers: t -> t mod R + d*(t div R)",
        operands: &[
            Operand::out("r", Len::N.by(Len::M)),
            Operand::input("t", Len::N.by(Len::M).times(2)),
        ],
        scalar: Scalar::Public(Word::Custom(&FOLD)),
        returns: Returns::Nothing,
        same: &[],
        dims: Dims::Custom(&PRODUCTS),
        timing: Timing::Constant,
        source: "HAC 14.47; Şanal 2017",
    };
    kernels {
        x86_64 {
            /// The last carry by `cmov`, as products by `mulx_adx` have it; as `portable` if d has more than 32 bits.
            cmov: Isa::BMI2, "bmi2" => { short!(r, t, n, m, d, super::reduce::cmov_2, super::reduce::cmov_4) };
            /// The last carry by a mask; as `portable` if d has more than 32 bits.
            mask: Isa::BMI2, "bmi2" => { short!(r, t, n, m, d, super::reduce::mask_2, super::reduce::mask_4) };
        }
        any {
            /// Plain Rust, carries by masks.
            portable: Isa::NONE => { plain(r, t, n, m, d) };
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.n, x.m, x.s);
}

/// The body of a kernel by functions of two and of four limbs for a d below 2^32.
#[cfg(all(target_arch = "x86_64", not(miri)))]
macro_rules! short {
    ($r:ident, $t:ident, $n:ident, $m:ident, $d:ident, $two:path, $four:path) => {
        match $m {
            _ if $d >> 32 != 0 => plain($r, $t, $n, $m, $d),
            2 => (0..$n).for_each(|i| store($r.add(2 * i), $two(load($t.add(4 * i)), $d))),
            _ => (0..$n).for_each(|i| store($r.add(4 * i), $four(load($t.add(8 * i)), $d))),
        }
    };
}
#[cfg(all(target_arch = "x86_64", not(miri)))]
use short;

/// In plain Rust.
///
/// # Safety
/// The contract.
#[inline(always)]
unsafe fn plain(r: *mut Limb, t: *const Limb, n: usize, m: usize, d: Limb) {
    for i in 0..n {
        // SAFETY: i < n.
        unsafe {
            let (r, t) = (r.add(m * i), t.add(2 * m * i));
            if m == 2 {
                let [t0, t1, t2, t3] = load(t);
                store(r, product::fold::<_, 2>(&[t0, t1, t2, t3, 0, 0, 0, 0], d));
            } else {
                store(r, product::fold::<_, 4>(&load(t), d));
            }
        }
    }
}

impl Fold {
    /// `r[i] := t[i]` modulo `2^(64M) - d`, folded.
    ///
    /// # Panics
    /// If there are not as many of both, or none, their limbs are not 2 and 4 or 4 and 8, or d is 0.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, fp};
    /// let mut r = [[0; 2]];
    /// // 2^128 = 159 modulo 2^128 - 159.
    /// fp::Fold::best(Cpu::native()).call(&mut r, &[[1, 0, 1, 0]], 159);
    /// assert_eq!(r, [[160, 0]]);
    /// ```
    pub fn call<const M: usize, const T: usize>(
        &self,
        r: &mut [[Limb; M]],
        t: &[[Limb; T]],
        d: Limb,
    ) {
        const { assert!((M == 2 || M == 4) && T == 2 * M) };
        assert!(r.len() == t.len() && !r.is_empty() && d > 0);
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(r.as_mut_ptr().cast(), t.as_ptr().cast(), r.len(), M, d) }
    }
}
