//! Squares by strips.

use crate::Limb;
use core::arch::naked_asm;

/// `t[16p] := t[8p] +` the sum of `a_x * a_y * 2^(64(x + y))` over x < y: a square's cross products, each once. t\[8\]
/// is not read.
///
/// Strip i is the triangle of its own eight limbs, and then a row for each limb above them. It writes
/// `t[16i .. 8(i + p + 1)]`, the upper eight limbs for the first time.
///
/// # Safety
/// The lengths as said, p >= 1; `t` does not overlap `a`; the processor has BMI2 and ADX.
#[unsafe(naked)]
pub(in crate::mpn) unsafe extern "sysv64" fn cross_8<const SPACED: bool>(
    t: *mut Limb,
    a: *const Limb,
    p: usize,
) {
    naked_asm!(
        // [rsp + 16] t, [rsp + 24] strips left, [rsp + 32] limbs above those of this strip
        enter!("40"),
        "mov [rsp + 16], rdi",
        "mov [rsp + 24], rdx",
        "lea rax, [8*rdx - 8]",
        "mov [rsp + 32], rax",
        "mov [rdi], rbp", // no product is as low
        window!(zero),
        "6:",
        "mov rax, [rsp + 32]",
        "mov [rsp], rax",
        triangle_row!("0"; "1" "r9" "r10", "2" "r10" "r11", "3" "r11" "r12", "4" "r12" "r13", "5" "r13" "r14", "6" "r14" "r15";
            "r15" "r8"; "mov [rdi + 8], r9", "mov [rdi + 16], r10"),
        triangle_rows!(),
        "lea rbx, [rsi + 64]",
        "add rdi, 64",
        strip!(),
        window!(store "rdi"),
        "dec qword ptr [rsp + 24]",
        "jz 7f",
        "sub qword ptr [rsp + 32], 8",
        "add rsi, 64",
        "mov rdi, [rsp + 16]",
        "add rdi, 128",
        "mov [rsp + 16], rdi",
        window!(load "rdi"),
        "jmp 6b",
        "7:",
        leave!("40"),
        spaced = const SPACED as u8,
    )
}

/// `t[2n] := 2 * t[2n] + sum of a_i^2 * 2^(128 i)`, which must fit: the second half of a squaring.
///
/// # Safety
/// The lengths as said, n >= 1; `t` apart from `a`; the processor has BMI2 and ADX.
#[unsafe(naked)]
pub(in crate::mpn) unsafe extern "sysv64" fn double_add_squares(
    t: *mut Limb,
    a: *const Limb,
    n: usize,
) {
    naked_asm!(
        "mov ecx, edx",
        "and ecx, 7",
        "shr rdx, 3",
        "mov rax, rdx",
        "test eax, 0", // both carry flags = 0
        "2:",          // n mod 8 single limbs
        "jrcxz 3f",
        double_add_square!(store "0"; "r10" "r11"; "r8" "r9"),
        "lea rsi, [rsi + 8]",
        "lea rdi, [rdi + 16]",
        "lea rcx, [rcx - 1]",
        "jmp 2b",
        "3:",
        "mov rcx, rax",
        "jmp 6f",
        ".p2align 5",
        "4:", // then eight a turn
        double_add_square!(store "0"; "r10" "r11"; "r8" "r9"),
        double_add_square!(store "1"; "r10" "r11"; "r8" "r9"),
        double_add_square!(store "2"; "r10" "r11"; "r8" "r9"),
        double_add_square!(store "3"; "r10" "r11"; "r8" "r9"),
        double_add_square!(store "4"; "r10" "r11"; "r8" "r9"),
        double_add_square!(store "5"; "r10" "r11"; "r8" "r9"),
        double_add_square!(store "6"; "r10" "r11"; "r8" "r9"),
        double_add_square!(store "7"; "r10" "r11"; "r8" "r9"),
        "lea rsi, [rsi + 64]",
        "lea rdi, [rdi + 128]",
        "lea rcx, [rcx - 1]",
        "6:",
        "jrcxz 5f",
        "jmp 4b",
        "5:",
        "ret",
    )
}
