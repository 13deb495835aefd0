//! Client requests from a program to the memcheck that runs it (Valgrind manual, 3.1 and 4.7).
//!
//! Memory marked as undefined is a secret: memcheck follows it through every computation and reports each branch and each
//! address that depends on it. Outside of valgrind a request does nothing.

use carrysave_kernels::{Limb, valgrind_request};

const RUNNING_ON_VALGRIND: usize = 0x1001;
const COUNT_ERRORS: usize = 0x1201;
const MAKE_MEM_UNDEFINED: usize = 0x4d43_0001;
const MAKE_MEM_DEFINED: usize = 0x4d43_0002;

/// Whether valgrind runs this program.
pub fn present() -> bool {
    request(RUNNING_ON_VALGRIND, 0, 0) != 0
}

/// The number of valgrind's errors so far.
pub fn errors() -> usize {
    request(COUNT_ERRORS, 0, 0)
}

/// Makes these values secret.
pub fn poison<T>(values: &[T]) {
    request(
        MAKE_MEM_UNDEFINED,
        values.as_ptr().addr(),
        size_of_val(values),
    );
}

/// Makes these values public.
pub fn reveal<T>(values: &[T]) {
    request(
        MAKE_MEM_DEFINED,
        values.as_ptr().addr(),
        size_of_val(values),
    );
}

/// Marks a limb as secret and returns it.
pub fn secret(limb: Limb) -> Limb {
    let limb = [limb];
    poison(&limb);
    // SAFETY: a live array; the read is volatile so that memcheck, not the compiler, says what it holds.
    unsafe { limb.as_ptr().read_volatile() }
}

fn request(code: usize, a: usize, b: usize) -> usize {
    // SAFETY: the four codes above mark memory or answer a question.
    unsafe { valgrind_request(code, a, b) }
}
