//! Montgomery reduction by whole blocks.

use crate::Limb;
use core::arch::naked_asm;

/// Quotient limb i goes to t, which `[rsp + 64]` points to.
#[rustfmt::skip]
macro_rules! to_t {
    ($i:literal $q:literal) => {
        concat!("mov rbx, [rsp + 64]\nmov [rbx + 8*", $i, "], ", $q, "\n")
    };
}

/// `t += q * n` for the quotients q\[8\] that make the eight limbs at `t` zero, `t` moving on by eight limbs, `rows`
/// times. Returns the carry that is owed behind the last limb of `t[8p + 8 rows]`. The limbs that are zero are not
/// written; each eight of them hold their q instead.
///
/// Row i touches `t[8i .. 8(i + p + 1)]`: t / R < 2n, so that the carry out of a row, owed at the next one's
/// upper eight limbs, never exceeds 1.
///
/// # Safety
/// The lengths as said, `n[8p]`, p >= 1, rows >= 1; nothing overlaps; the processor has BMI2 and ADX.
#[unsafe(naked)]
pub(in crate::mpn) unsafe extern "sysv64" fn redc_8(
    t: *mut Limb,
    rows: usize,
    n: *const Limb,
    p: usize,
    n0: Limb,
) -> Limb {
    naked_asm!(
        // [rsp + 24] n0, [rsp + 32] n, [rsp + 40] p - 1, [rsp + 48] rows left, [rsp + 56] the carry out, [rsp + 64] t
        enter!("72"),
        "dec rcx",
        "mov qword ptr [rsp + 8], 1",
        "mov [rsp + 24], r8",
        "mov [rsp + 32], rdx",
        "mov [rsp + 40], rcx",
        "mov [rsp + 48], rsi",
        "mov [rsp + 56], rbp",
        "5:",
        "mov [rsp + 64], rdi",
        "mov rax, [rsp + 40]",
        "mov [rsp], rax",
        "mov [rsp + 16], rbp",
        "mov rsi, [rsp + 32]",
        window!(load "rdi"),
        redc_rows!(to_t),
        "mov rbx, [rsp + 64]",
        "add rsi, 64",
        "lea rdi, [rbx + 64]",
        blocks!("2"),
        window!(ripple "[rsp + 16]"), // without a carry: the window and the carry are below 2^512
        "xor eax, eax",
        "sub rax, [rsp + 56]",
        window!(adc "rdi"),
        window!(store "rdi"),
        "setc byte ptr [rsp + 56]",
        "lea rdi, [rbx + 64]",
        "dec qword ptr [rsp + 48]",
        "jnz 5b",
        "mov rax, [rsp + 56]",
        "mov qword ptr [rsp + 24], 0", // n0 is as secret as n
        leave!("72"),
    )
}

/// The same instructions for each of eight limbs.
#[rustfmt::skip]
macro_rules! eight_limbs {
    ($limb:ident) => {
        concat!(
            $limb!("0"), $limb!("8"), $limb!("16"), $limb!("24"),
            $limb!("32"), $limb!("40"), $limb!("48"), $limb!("56"),
        )
    };
}

#[rustfmt::skip]
macro_rules! subtract_limb {
    ($at:literal) => {
        concat!("mov rax, [rsi + ", $at, "]\nsbb rax, [rdx + ", $at, "]\nmov [rdi + ", $at, "], rax\n")
    };
}

#[rustfmt::skip]
macro_rules! restore_limb {
    ($at:literal) => {
        concat!("mov rax, [rdi + ", $at, "]\ncmovc rax, [rsi + ", $at, "]\nmov [rdi + ", $at, "], rax\n")
    };
}

/// `r[8p] := top * 2^(512p) + t[8p]  (mod n[8p])` for such a number below 2n, always by a subtraction (HAC 14.32,
/// step 3).
///
/// # Safety
/// The lengths as said, p >= 1, top is 0 or 1; nothing overlaps.
#[unsafe(naked)]
pub(in crate::mpn) unsafe extern "sysv64" fn subtract_once_8(
    r: *mut Limb,
    t: *const Limb,
    n: *const Limb,
    p: usize,
    top: Limb,
) {
    naked_asm!(
        // lea, mov and dec leave the borrow alone
        "mov r9, rcx",
        "mov r10, rdi",
        "mov r11, rsi",
        "xor eax, eax",
        "2:",
        eight_limbs!(subtract_limb),
        "lea rdi, [rdi + 64]",
        "lea rsi, [rsi + 64]",
        "lea rdx, [rdx + 64]",
        "dec rcx",
        "jnz 2b",
        "sbb r8, 0", // the borrow now says that the number was below n
        "mov rdi, r10",
        "mov rsi, r11",
        "3:",
        eight_limbs!(restore_limb),
        "lea rdi, [rdi + 64]",
        "lea rsi, [rsi + 64]",
        "dec r9",
        "jnz 3b",
        "ret",
    )
}
