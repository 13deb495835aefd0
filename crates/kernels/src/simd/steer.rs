//! What steers the compiler where its choices cost time: barriers that are no instruction, and an alignment.
//!
//! Each is an empty `asm!`, of which the compiler must assume that it changed its operand. Miri cannot run assembly, and
//! gets the operand.

use crate::Limb;

/// Returns `p`, hidden from the compiler, so that operands stay in memory, where instructions take them for nothing,
/// instead of moving into registers that sums need.
#[inline(always)]
pub(crate) fn opaque<T>(p: *const T) -> *const T {
    #[cfg(not(miri))]
    {
        let mut p = p;
        // SAFETY: no instruction at all.
        unsafe { core::arch::asm!("/* {0} */", inout(reg) p, options(nostack, preserves_flags)) };
        p
    }
    #[cfg(miri)]
    p
}

/// Returns `x`, hidden from the compiler, so that it stays in a general register and out of vectors.
#[inline(always)]
pub(crate) fn scalar(x: Limb) -> Limb {
    #[cfg(not(miri))]
    {
        let mut x = x;
        // SAFETY: no instruction at all.
        unsafe {
            core::arch::asm!("/* {0} */", inout(reg) x, options(pure, nomem, nostack, preserves_flags));
        }
        x
    }
    #[cfg(miri)]
    x
}

/// Returns `words`, hidden from the compiler, so that it reloads each word at its use instead of keeping all of them in
/// registers.
#[inline(always)]
#[allow(clippy::pointers_in_nomem_asm_block)] // Nothing is read there.
pub(crate) fn unseen<T>(words: &T) -> &T {
    #[cfg(not(miri))]
    {
        let mut at = core::ptr::from_ref(words);
        // SAFETY: no instruction at all: it is where it was.
        unsafe {
            core::arch::asm!("/* {0} */", inout(reg) at, options(pure, nomem, nostack, preserves_flags));
            &*at
        }
    }
    #[cfg(miri)]
    words
}

/// Asks for a line of memory before its use. The address need not be readable.
#[inline(always)]
pub(crate) fn prefetch(at: *const Limb) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a hint, whatever the address.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(at.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = at;
}

/// Puts what follows at the beginning of a cache line, as functions are not: how long code is fetched depends on where
/// it lies. On Zen 5 a square of 20 digits took 14 % longer where it began in the middle of one.
#[inline(always)]
pub(crate) fn at_line() {
    #[cfg(not(miri))]
    // SAFETY: no instruction but some that do nothing.
    unsafe {
        core::arch::asm!(".p2align 6", options(nomem, nostack, preserves_flags));
    }
}
