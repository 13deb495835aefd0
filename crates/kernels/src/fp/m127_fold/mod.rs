//! `fp_m127_fold`: r_i := t_i modulo 2^127 - 1, the reduction of n products alone. For comparison.
//!
//! Shapes     r\[n\]\[2\], t\[n\]\[4\]; n >= 1. Least significant limb first.
//! Input      t_i < 2^254.
//! Output     twice t_i := t_i mod 2^127 + t_i div 2^127; then r_i = t_i < 2^127. It is 2^127 - 1 or 0 where the residue
//!            is 0.
//! Overlap    none.
//! Timing     depends on n only.
//! Source     Knuth, TAOCP 2, 4.3.2; Şanal, A Galois Field Arithmetic Library, 2017, listings 3 and 5.

use super::operands::BELOW_254;
use crate::{Isa, Limb, op::*};

op! {
    /// Reduction of products modulo 2^127 - 1.
    pub struct M127Fold("fp_m127_fold");
    call: (r: *mut Limb, t: *const Limb, n: usize);
    contract: Contract {
        effect: "r[i] := t[i] folded twice at 2^127, n numbers: t -> t mod 2^127 + t div 2^127",
        operands: &[
            Operand::out("r", Len::N.times(2)),
            Operand::input("t", Len::N.times(4)).holding(Value::Custom(&BELOW_254, None)),
        ],
        scalar: Scalar::None,
        returns: Returns::Nothing,
        same: &[],
        dims: Dims::N,
        timing: Timing::Constant,
        source: "Knuth, TAOCP 2, 4.3.2; Şanal 2017",
    };
    kernels {
        x86_64 {
            /// By shifts and masks, none of them across two limbs: what products by `mulx_adx` have.
            mask: Isa::NONE => { each(r, t, n, super::reduce::mask_127) };
            /// By `btr`, which tests a bit and resets it.
            bit_test: Isa::NONE => { each(r, t, n, super::reduce::bit_test_127) };
            /// By shifts and masks as in the library MPFQ.
            mpfq: Isa::NONE => { each(r, t, n, super::reduce::mpfq_127) };
        }
        any {
            /// Plain Rust, on numbers of 128 bits.
            portable: Isa::NONE => { each(r, t, n, super::mersenne127::fold_limbs) };
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.n);
}

/// Folds one number after the other.
///
/// # Safety
/// The contract.
#[inline(always)]
unsafe fn each(r: *mut Limb, t: *const Limb, n: usize, fold: impl Fn([Limb; 4]) -> [Limb; 2]) {
    for i in 0..n {
        // SAFETY: i < n.
        unsafe { super::store(r.add(2 * i), fold(super::load(t.add(4 * i)))) };
    }
}

impl M127Fold {
    /// `r[i] := t[i]` modulo 2^127 - 1.
    ///
    /// # Panics
    /// If there are not as many of both, or none, or a number is not below 2^254.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, fp};
    /// let mut r = [[0; 2]];
    /// // 2^127 = 1.
    /// fp::M127Fold::best(Cpu::native()).call(&mut r, &[[5, 1 << 63, 0, 0]]);
    /// assert_eq!(r, [[6, 0]]);
    /// ```
    pub fn call(&self, r: &mut [[Limb; 2]], t: &[[Limb; 4]]) {
        assert!(r.len() == t.len() && !r.is_empty());
        assert!(t.iter().all(|t| t[3] >> 62 == 0));
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(r.as_mut_ptr().cast(), t.as_ptr().cast(), r.len()) }
    }

    /// How many instructions fold one number, without those that load and store it; `None` of what a compiler makes.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, fp};
    /// let kernels = fp::M127Fold::all(Cpu::native());
    /// let bit_test = kernels.into_iter().find(|kernel| kernel.name() == "bit_test");
    /// // As many as in the source.
    /// assert!(bit_test.is_none_or(|kernel| kernel.instructions() == Some(11)));
    /// ```
    pub fn instructions(&self) -> Option<usize> {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        {
            let mut all = super::reduce::INSTRUCTIONS_127.into_iter();
            all.find_map(|(name, count)| (name == self.name).then_some(count))
        }
        #[cfg(not(all(target_arch = "x86_64", not(miri))))]
        None
    }
}
