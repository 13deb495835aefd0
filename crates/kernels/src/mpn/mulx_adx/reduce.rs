//! Montgomery reduction by eight quotient limbs at a time.

use crate::Limb;
use core::arch::naked_asm;

/// Quotient limb i goes to t, which `[rsp + 64]` points to.
#[rustfmt::skip]
macro_rules! to_t {
    ($i:literal $q:literal) => {
        concat!("mov rbx, [rsp + 64]\nmov [rbx + 8*", $i, "], ", $q, "\n")
    };
}

/// `t += q * n` for the quotients q\[8\] that make the eight limbs at `t` zero, `t` moving on by eight limbs, `rounds`
/// times. Returns the carry that is owed behind the last limb of `t[k + 8 rounds]`. The limbs that are zero are not
/// written; each eight of them hold their q instead.
///
/// Round i touches `t[8i .. 8(i + 1) + k]`: t / R < 2n, so that the carry out of a round, owed at the next one's upper
/// eight limbs, never exceeds 1. The block of the lowest eight limbs of n finds the quotients; they are the eight limbs
/// of a strip then, whose rows are the other limbs of n.
///
/// # Safety
/// The lengths as said, `n[k]`, k >= 8, rounds >= 1; nothing overlaps; the processor has BMI2 and ADX.
#[unsafe(naked)]
pub(in crate::mpn) unsafe extern "sysv64" fn redc_8<const SPACED: bool>(
    t: *mut Limb,
    rounds: usize,
    n: *const Limb,
    k: usize,
    n0: Limb,
) -> Limb {
    naked_asm!(
        // [rsp + 16] zero, [rsp + 24] n0, [rsp + 32] n, [rsp + 40] k - 8, [rsp + 48] rounds left, [rsp + 56] the carry
        // out, [rsp + 64] t
        enter!("72"),
        "sub rcx, 8",
        "mov [rsp + 16], rbp",
        "mov [rsp + 24], r8",
        "mov [rsp + 32], rdx",
        "mov [rsp + 40], rcx",
        "mov [rsp + 48], rsi",
        "mov [rsp + 56], rbp",
        "6:",
        "mov [rsp + 64], rdi",
        "mov rax, [rsp + 40]",
        "mov [rsp], rax",
        "mov rsi, [rsp + 32]",
        window!(load "rdi"),
        redc_rows!(to_t),
        "lea rbx, [rsi + 64]",
        "mov rsi, [rsp + 64]",
        "lea rdi, [rsi + 64]",
        strip!(),
        "xor eax, eax",
        "sub rax, [rsp + 56]", // CF := the carry
        window!(adc "rdi"),
        window!(store "rdi"),
        "setc byte ptr [rsp + 56]",
        "lea rdi, [rsi + 64]",
        "dec qword ptr [rsp + 48]",
        "jnz 6b",
        "mov rax, [rsp + 56]",
        "mov qword ptr [rsp + 24], 0", // n0 is as secret as n
        leave!("72"),
        spaced = const SPACED as u8,
    )
}

/// The instructions of `$limb` for each of eight limbs, the lowest first.
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
        ".p2align 5",
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
        ".p2align 5",
        "3:",
        eight_limbs!(restore_limb),
        "lea rdi, [rdi + 64]",
        "lea rsi, [rsi + 64]",
        "dec r9",
        "jnz 3b",
        "ret",
    )
}
