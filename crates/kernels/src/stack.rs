//! What secrets leave on the stack, overwritten.
//!
//! A value that is moved, a register that is spilled and an argument that does not fit a register leave copies in
//! frames that end. No program says where; but all of them are below the frame of the caller. So the outermost
//! function that has to do with a secret calls what it does through [`off_stack`].

use crate::timing::Independent;
use core::{
    hint::black_box,
    mem::{MaybeUninit, forget},
};

/// Calls `f`, and overwrites the N bytes of the stack below the caller's frame. The frames of `f` and of all that it
/// calls must fit in these. What was left there before is overwritten, too. Meanwhile times of instructions do not depend on
/// operands, where a processor lets a program ask for that (FEAT_DIT of AArch64). It is overwritten also where `f` panics.
///
/// What `f` returns goes to the caller's frame: a secret should be behind a pointer there.
///
/// ```
/// use carrysave_kernels::off_stack;
/// let sum = off_stack::<1024, _>(|| (1..=10).sum::<u32>());
/// assert_eq!(sum, 55);
/// ```
#[inline(always)]
pub fn off_stack<const N: usize, R>(f: impl FnOnce() -> R) -> R {
    /// Not in the caller's frame, which is above what is overwritten.
    #[inline(never)]
    fn apart<R>(f: impl FnOnce() -> R) -> R {
        f()
    }
    let where_it_panics = Overwrite::<N>;
    let result = {
        let _independent = Independent::ask();
        apart(f)
    };
    // Not by dropping, which may be a call with a frame of its own.
    forget(where_it_panics);
    overwrite::<N>();
    result
}

/// Overwrites N bytes below the frame of the function that drops it, or a little less.
struct Overwrite<const N: usize>;

impl<const N: usize> Drop for Overwrite<N> {
    #[inline(always)]
    fn drop(&mut self) {
        overwrite::<N>();
    }
}

/// Overwrites N bytes below the caller's frame: what a function that was just called has left there.
#[inline(never)]
pub(crate) fn overwrite<const N: usize>() {
    // By reference: the compiler must take it that all of it is read.
    black_box(&mut [0_u8; N]);
}

/// Overwrites the last of N bytes below the caller's frame, behind FROM bytes that it leaves as they are.
#[inline(never)]
pub(crate) fn overwrite_below<const FROM: usize, const N: usize>() {
    let mut room = MaybeUninit::<[u8; N]>::uninit();
    // The stack grows downwards: the last ones have the lowest addresses.
    // SAFETY: they are within the room.
    unsafe { room.as_mut_ptr().cast::<u8>().write_bytes(0, N - FROM) };
    black_box(&mut room);
}

// They read what is no more.
#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;
    use core::cell::Cell;

    /// The address of a frame, where it leaves something.
    #[inline(never)]
    fn leave(pattern: u64) -> *const u64 {
        let words = black_box([pattern; 64]);
        black_box(&words).as_ptr()
    }

    #[inline(never)]
    fn is_left(at: *const u64, pattern: u64) -> bool {
        // SAFETY: it is in the stack of this thread, which is mapped.
        let word = |i| unsafe { at.add(i).read_volatile() };
        (0..64).any(|i| word(i) == pattern)
    }

    #[test]
    fn nothing_is_left_below() {
        let pattern = black_box(0x5eed_0f5e_c2e7_u64);
        let at = leave(pattern);
        assert!(is_left(at, pattern), "it would not be seen");
        let at = off_stack::<4096, _>(|| leave(pattern));
        assert!(!is_left(at, pattern));
    }

    /// Behind what unwinding takes of the stack.
    #[inline(never)]
    fn leave_deep(pattern: u64) -> *const u64 {
        let room = black_box([0_u8; 1 << 13]);
        let at = leave(pattern);
        black_box(&room);
        at
    }

    #[test]
    fn nothing_is_left_below_a_panic() {
        let pattern = black_box(0x5eed_0f5e_c2e7_u64);
        let caught = |call: &mut dyn FnMut()| {
            let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call));
            assert!(ended.is_err());
        };
        let at = Cell::new(core::ptr::null());
        let mut panics = || {
            at.set(leave_deep(pattern));
            std::panic::resume_unwind(Box::new(()));
        };
        caught(&mut || panics());
        assert!(is_left(at.get(), pattern), "it would not be seen");
        caught(&mut || off_stack::<{ 1 << 16 }, _>(&mut panics));
        assert!(!is_left(at.get(), pattern));
    }
}
