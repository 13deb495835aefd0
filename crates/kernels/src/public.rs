//! Telling a checker that a value which was computed from secrets is public.

use crate::Limb;

/// Declares a limb public and returns it: what a function gives away by its contract, such as whether a number fits.
///
/// It marks the place for readers, and for valgrind's memcheck, which follows secrets as undefined memory (Valgrind
/// manual, 3.1 and 4.7). Anywhere else it does nothing.
///
/// ```
/// assert_eq!(carrysave_kernels::publish(1), 1);
/// ```
pub fn publish(limb: Limb) -> Limb {
    const MAKE_MEM_DEFINED: usize = 0x4d43_0002;
    let limb = [limb];
    // SAFETY: the request marks the array, no more; it is live; the read is volatile so that memcheck, not the compiler, says what it holds.
    unsafe {
        valgrind_request(MAKE_MEM_DEFINED, limb.as_ptr().addr(), size_of_val(&limb));
        limb.as_ptr().read_volatile()
    }
}

/// A client request to the valgrind that runs this program; 0 if there is none.
///
/// # Safety
/// `code` is a request that only marks memory or answers a question.
#[doc(hidden)]
#[inline]
pub unsafe fn valgrind_request(code: usize, a: usize, b: usize) -> usize {
    #[allow(unused_mut)]
    let mut answer = 0;
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        let arguments = [code, a, b, 0, 0, 0];
        // SAFETY: four rotations by 128 bits together and an exchange of a register with itself change nothing; valgrind
        // takes the sequence as a request, reads the arguments and writes rdx.
        unsafe {
            std::arch::asm!(
                "rol rdi, 3",
                "rol rdi, 13",
                "rol rdi, 61",
                "rol rdi, 51",
                "xchg rbx, rbx",
                in("rax") arguments.as_ptr(),
                inout("rdx") answer,
                inout("rdi") 0_usize => _,
            );
        }
    }
    let _ = (code, a, b);
    answer
}
