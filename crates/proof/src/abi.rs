//! Registers that a function must hand back as it found them (System V ABI, 3.2.1): checked around a call.
#![cfg(target_arch = "x86_64")]

use core::arch::naked_asm;
use std::fmt;

/// What the callee-saved state holds after a call.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct State {
    /// rbx, rbp, r12, r13, r14, r15.
    registers: [u64; 6],
    flags: u64,
    mxcsr: u32,
    mxcsr_before: u32,
}

/// What a function did not hand back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clobbered(&'static str);

impl fmt::Display for Clobbered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "did not restore {}", self.0)
    }
}

/// What `fill_call_and_look` puts into the registers: their names as numbers.
const MARKS: [u64; 6] = [
    0xb1b1_b1b1_b1b1_b1b1,
    0xb2b2_b2b2_b2b2_b2b2,
    0x1212_1212_1212_1212,
    0x1313_1313_1313_1313,
    0x1414_1414_1414_1414,
    0x1515_1515_1515_1515,
];

/// Calls `f(argument)` with marked registers, and reports which state it did not hand back.
///
/// What is seen is what `f` as a whole does: it should do nothing but pass on to the function in question as its last
/// act, because a compiled function saves what it uses itself.
///
/// # Errors
/// The first register or mode that came back changed; it is restored.
///
/// # Safety
/// `f` may be called with `argument`.
pub unsafe fn call<T>(
    f: unsafe extern "C" fn(*const T) -> u64,
    argument: &T,
) -> Result<u64, Clobbered> {
    let mut state = State::default();
    // SAFETY: the shim keeps the ABI whatever `f` does to these registers.
    let returned = unsafe {
        fill_call_and_look(
            f as *const (),
            std::ptr::from_ref(argument).cast(),
            &mut state,
        )
    };
    let names = ["rbx", "rbp", "r12", "r13", "r14", "r15"];
    if let Some(i) = (0..6).find(|&i| state.registers[i] != MARKS[i]) {
        return Err(Clobbered(names[i]));
    }
    if state.flags >> 10 & 1 == 1 {
        return Err(Clobbered("the direction flag"));
    }
    // The low six bits of mxcsr are sticky exceptions, which any function may raise.
    if (state.mxcsr ^ state.mxcsr_before) >> 6 != 0 {
        return Err(Clobbered("mxcsr"));
    }
    Ok(returned)
}

#[unsafe(naked)]
unsafe extern "C" fn fill_call_and_look(
    f: *const (),
    argument: *const (),
    state: *mut State,
) -> u64 {
    naked_asm!(
        "push rbx",
        "push rbp",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "push rdx", // seven pushes: the stack is aligned for a call
        "stmxcsr [rdx + 60]",
        "mov rax, rdi",
        "mov rdi, rsi",
        "mov rbx, {rbx}",
        "mov rbp, {rbp}",
        "mov r12, {r12}",
        "mov r13, {r13}",
        "mov r14, {r14}",
        "mov r15, {r15}",
        "call rax",
        "mov rdx, [rsp]",
        "mov [rdx], rbx",
        "mov [rdx + 8], rbp",
        "mov [rdx + 16], r12",
        "mov [rdx + 24], r13",
        "mov [rdx + 32], r14",
        "mov [rdx + 40], r15",
        "pushfq",
        "pop rcx",
        "mov [rdx + 48], rcx",
        "cld",
        "stmxcsr [rdx + 56]",
        "ldmxcsr [rdx + 60]",
        "pop rdx",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbp",
        "pop rbx",
        "ret",
        rbx = const MARKS[0],
        rbp = const MARKS[1],
        r12 = const MARKS[2],
        r13 = const MARKS[3],
        r14 = const MARKS[4],
        r15 = const MARKS[5],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A function that spoils one thing and returns.
    macro_rules! spoiler {
        ($name:ident, $($line:literal),*) => {
            #[unsafe(naked)]
            unsafe extern "C" fn $name(_: *const ()) -> u64 {
                naked_asm!($($line,)* "mov eax, 7", "ret")
            }
        };
    }
    spoiler!(nothing, "xor ecx, ecx");
    spoiler!(rbx, "inc rbx");
    spoiler!(rbp, "xor ebp, ebp");
    spoiler!(r12, "mov r12d, r12d");
    spoiler!(r15, "not r15");
    spoiler!(direction, "std");
    spoiler!(
        rounding,
        "stmxcsr [rsp - 8]",
        "xor dword ptr [rsp - 8], 0x6000",
        "ldmxcsr [rsp - 8]"
    );

    #[test]
    fn spoilers_are_caught() {
        // SAFETY: these take anything, and the shim restores what they spoil.
        let result = |f| unsafe { call(f, &()) };
        assert_eq!(result(nothing), Ok(7));
        assert_eq!(result(rbx), Err(Clobbered("rbx")));
        assert_eq!(result(rbp), Err(Clobbered("rbp")));
        assert_eq!(result(r12), Err(Clobbered("r12")));
        assert_eq!(result(r15), Err(Clobbered("r15")));
        assert_eq!(result(direction), Err(Clobbered("the direction flag")));
        assert_eq!(result(rounding), Err(Clobbered("mxcsr")));
    }
}
