//! Multiplications and squares of one number, and of two in turn.

use super::{Rows, doubled};
use crate::{
    Limb,
    simd::{Across, Madd52, unroll},
    wipe,
};

/// Calls `Rows::<V, Z>::$f::<$how>` for one of the numbers Z of vectors that are listed.
macro_rules! by_vectors {
    (@ $V:ty, $f:ident $how:ident $z:literal ($($arg:expr),*)) => {
        $crate::radix52::rows::Rows::<$V, $z>::$f::<$how>($($arg),*)
    };
    ($vectors:expr, $V:ty, $f:ident<$how:ident> $args:tt; $($z:literal)*) => {
        match $vectors {
            $($z => $crate::radix52::rows::by_vectors!(@ $V, $f $how $z $args),)*
            _ => unreachable!("checked in the fence"),
        }
    };
}
pub(in crate::radix52) use by_vectors;

impl<V: Madd52 + Across, const Z: usize> Rows<V, Z> {
    /// One multiplication: `radix52_amm` for as many digits as Z vectors hold.
    ///
    /// # Safety
    /// The contract of `radix52_amm` with digits for Z vectors; the processor has what the vectors need.
    #[cfg_attr(
        all(target_arch = "x86_64", not(miri)),
        target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")
    )]
    pub(in crate::radix52) unsafe fn one<const HOW: u8>(
        r: *mut Limb,
        a: *const Limb,
        b: *const Limb,
        n: *const Limb,
        m: usize,
        k0: Limb,
    ) {
        // SAFETY: a, n and r have Z vectors of digits; i < m, at most the length of b.
        unsafe {
            let mut x = Self::new(a, n, k0);
            for i in (0..m - m % 2).step_by(2) {
                x.two_rows::<0, false, HOW, 0>(b.add(i), a);
            }
            if m % 2 == 1 {
                x.row::<false, 0>(b.add(m - 1));
            }
            x.finish::<0>(r);
        }
    }

    /// Two multiplications, the rows of both in turn; the second has its operands d digits above the first.
    ///
    /// # Safety
    /// The contract of `radix52_amm_x2` with digits for Z vectors; the processor has what the vectors need.
    #[cfg_attr(
        all(target_arch = "x86_64", not(miri)),
        target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")
    )]
    pub(in crate::radix52) unsafe fn pair<const HOW: u8>(
        r: *mut Limb,
        a: *const Limb,
        b: *const Limb,
        n: *const Limb,
        k0: *const Limb,
        d: usize,
        m: usize,
    ) {
        // SAFETY: each half of a, n and r has Z vectors of digits; i < m, at most the length of a half of b.
        unsafe {
            let (a1, b1) = (a.add(d), b.add(d));
            let mut x = Self::new(a, n, *k0);
            let mut y = Self::new(a1, n.add(d), *k0.add(1));
            for i in (0..m - m % 2).step_by(2) {
                x.two_rows::<0, false, HOW, 1>(b.add(i), a);
                y.two_rows::<0, false, HOW, 2>(b1.add(i), a1);
            }
            if m % 2 == 1 {
                x.row::<false, 1>(b.add(m - 1));
                y.row::<false, 2>(b1.add(m - 1));
            }
            x.finish::<1>(r);
            y.finish::<2>(r.add(d));
        }
    }

    /// One squaring: `radix52_ams` for as many digits as Z vectors hold. Products of digits in different
    /// steps are taken once, with the upper digit doubled.
    ///
    /// # Safety
    /// The contract of `radix52_ams` with digits for Z vectors; the processor has what the vectors need.
    #[cfg_attr(
        all(target_arch = "x86_64", not(miri)),
        target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")
    )]
    pub(in crate::radix52) unsafe fn square<const HOW: u8>(
        r: *mut Limb,
        a: *const Limb,
        n: *const Limb,
        m: usize,
        k0: Limb,
    ) {
        // SAFETY: a, n and r have Z vectors of digits; i < m.
        unsafe {
            let mut twice = doubled::<V, Z>(a);
            let d = twice.as_ptr().cast();
            let mut x = Self::new(a, n, k0);
            unroll!(const STEP < 10, {
                if STEP * Self::STEP < Z {
                    let rows = V::LANES * Self::STEP;
                    for i in (rows * STEP..(rows * (STEP + 1)).min(m - m % 2)).step_by(2) {
                        x.two_rows::<STEP, true, HOW, 3>(a.add(i), d);
                    }
                }
            });
            if m % 2 == 1 {
                x.row::<true, 3>(a.add(m - 1));
            }
            x.finish::<3>(r);
            wipe(twice.as_flattened_mut(), V::zero());
        }
    }

    /// Two squarings, the rows of both in turn; the second has its operands d digits above the first.
    ///
    /// # Safety
    /// The contract of `radix52_ams_x2` with digits for Z vectors; the processor has what the vectors need.
    #[cfg_attr(
        all(target_arch = "x86_64", not(miri)),
        target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")
    )]
    pub(in crate::radix52) unsafe fn square_pair<const HOW: u8>(
        r: *mut Limb,
        a: *const Limb,
        n: *const Limb,
        k0: *const Limb,
        d: usize,
        m: usize,
    ) {
        // SAFETY: each half of a, n and r has Z vectors of digits; i < m.
        unsafe {
            let c = a.add(d);
            let mut twice = [doubled::<V, Z>(a), doubled::<V, Z>(c)];
            let [d0, d1] = [twice[0].as_ptr().cast(), twice[1].as_ptr().cast()];
            let mut x = Self::new(a, n, *k0);
            let mut y = Self::new(c, n.add(d), *k0.add(1));
            unroll!(const STEP < 10, {
                if STEP * Self::STEP < Z {
                    let rows = V::LANES * Self::STEP;
                    for i in (rows * STEP..(rows * (STEP + 1)).min(m - m % 2)).step_by(2) {
                        x.two_rows::<STEP, true, HOW, 4>(a.add(i), d0);
                        y.two_rows::<STEP, true, HOW, 5>(c.add(i), d1);
                    }
                }
            });
            if m % 2 == 1 {
                x.row::<true, 4>(a.add(m - 1));
                y.row::<true, 5>(c.add(m - 1));
            }
            x.finish::<4>(r);
            y.finish::<5>(r.add(d));
            wipe(twice.as_flattened_mut().as_flattened_mut(), V::zero());
        }
    }
}
