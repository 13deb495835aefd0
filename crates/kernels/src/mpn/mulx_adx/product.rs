//! Products of whole blocks.

use crate::Limb;
use core::arch::naked_asm;

/// `t[8(p + m)] := a[8p] * b[8m]`, one row of blocks for eight limbs of b.
///
/// Row j writes `t[8j .. 8(j + p + 1)]`, its upper eight limbs for the first time; the first row finds nothing there.
///
/// # Safety
/// The lengths as said, p >= 1, m >= 1; `t` overlaps neither `a` nor `b`; the processor has BMI2 and ADX.
#[unsafe(naked)]
pub(in crate::mpn) unsafe extern "sysv64" fn mul_8(
    t: *mut Limb,
    a: *const Limb,
    p: usize,
    b: *const Limb,
    m: usize,
) {
    naked_asm!(
        // [rsp + 24] t, [rsp + 32] a, [rsp + 40] p, [rsp + 48] rows left
        enter!("56"),
        "mov rbx, rcx",
        "mov [rsp + 8], rbp",
        "mov [rsp + 24], rdi",
        "mov [rsp + 32], rsi",
        "mov [rsp + 40], rdx",
        "mov [rsp + 48], r8",
        window!(zero),
        "5:",
        "mov rax, [rsp + 40]",
        "mov [rsp], rax",
        "mov [rsp + 16], rbp",
        blocks!("3"),
        window!(ripple "[rsp + 16]"),
        window!(store "rdi"),
        "mov qword ptr [rsp + 8], 1",
        "add rbx, 64",
        "mov rsi, [rsp + 32]",
        "mov rdi, [rsp + 24]",
        "add rdi, 64",
        "mov [rsp + 24], rdi",
        "dec qword ptr [rsp + 48]",
        "jz 6f",
        window!(load "rdi"),
        "jmp 5b",
        "6:",
        leave!("56"),
    )
}
