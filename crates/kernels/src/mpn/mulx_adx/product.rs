//! Products by strips.

use crate::Limb;
use core::arch::naked_asm;

/// `t[8p + m] := t[m] + a[8p] * b[m]`, a strip for each eight limbs of a.
///
/// Strip i writes `t[8i .. 8(i + 1) + m]`, its upper eight limbs for the first time.
///
/// # Safety
/// The lengths as said, p >= 1, m >= 1; `t` overlaps neither `a` nor `b`; the processor has BMI2 and ADX.
#[unsafe(naked)]
pub(in crate::mpn) unsafe extern "sysv64" fn addmul_8<const SPACED: bool>(
    t: *mut Limb,
    a: *const Limb,
    p: usize,
    b: *const Limb,
    m: usize,
) {
    naked_asm!(
        // [rsp + 16] t, [rsp + 24] strips left, [rsp + 32] b, [rsp + 40] m
        enter!("56"),
        "mov [rsp + 16], rdi",
        "mov [rsp + 24], rdx",
        "mov [rsp + 32], rcx",
        "mov [rsp + 40], r8",
        "6:",
        "mov rax, [rsp + 40]",
        "mov [rsp], rax",
        "mov rbx, [rsp + 32]",
        window!(zero),
        strip!(),
        window!(store "rdi"),
        "add rsi, 64",
        "mov rdi, [rsp + 16]",
        "add rdi, 64",
        "mov [rsp + 16], rdi",
        "dec qword ptr [rsp + 24]",
        "jnz 6b",
        leave!("56"),
        spaced = const SPACED as u8,
    )
}
