//! Montgomery reduction by whole blocks.

use crate::Limb;
use core::arch::naked_asm;

/// Row i of a reduction block: the multiplier is the quotient limb in rdi, which makes the finished limb zero.
///
/// The next quotient is on its way as soon as the lowest limb of its row is known, among the products of this row:
/// `mulx` leaves the carry chains alone, and what waits for the quotient waits no longer than for those products.
#[rustfmt::skip]
macro_rules! redc_row {
    ($i:literal; $w0:literal $w1:literal $w2:literal $w3:literal $w4:literal $w5:literal $w6:literal $w7:literal) => {
        concat!(
            "mov rdx, rdi\n",
            "mov [rbx + 8*", $i, "], rdi\n",
            "xor ebp, ebp\n",
            step!("0", $w0, $w1),
            step!("1", $w1, $w2),
            "mov rdx, [rsp + 24]\n",
            "mulx rax, rdi, ", $w1, "\n",
            "mov rdx, [rbx + 8*", $i, "]\n",
            step!("2", $w2, $w3),
            step!("3", $w3, $w4),
            step!("4", $w4, $w5),
            step!("5", $w5, $w6),
            step!("6", $w6, $w7),
            last_step!($w7, $w0),
        )
    };
}

/// `t += q * n` for the quotients q\[8\] that make the eight limbs at `t` zero, `t` moving on by eight limbs, `rows`
/// times. Returns the carry that is owed behind the last limb of `t[8p + 8 rows]`. The limbs made zero are left as
/// they were, and q holds the last quotients.
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
    q: *mut Limb,
) -> Limb {
    naked_asm!(
        // [rsp + 24] n0, [rsp + 32] t, [rsp + 40] n, [rsp + 48] p - 1, [rsp + 56] rows left, [rsp + 64] the carry out
        enter!("72"),
        "mov rbx, r9",
        "dec rcx",
        "mov qword ptr [rsp + 8], 1",
        "mov [rsp + 24], r8",
        "mov [rsp + 32], rdi",
        "mov [rsp + 40], rdx",
        "mov [rsp + 48], rcx",
        "mov [rsp + 56], rsi",
        "mov [rsp + 64], rbp",
        "5:",
        "mov rax, [rsp + 48]",
        "mov [rsp], rax",
        "mov [rsp + 16], rbp",
        "mov rsi, [rsp + 40]",
        window!(load "rdi"),
        "mov rdx, [rsp + 24]",
        "mulx rax, rdi, r8",
        eight_rows!(redc_row),
        "add rsi, 64",
        "mov rdi, [rsp + 32]",
        "add rdi, 64",
        blocks!("2"),
        window!(ripple "[rsp + 16]"), // without a carry: the window and the carry are below 2^512
        "xor eax, eax",
        "sub rax, [rsp + 64]",
        window!(adc "rdi"),
        window!(store "rdi"),
        "setc byte ptr [rsp + 64]",
        "mov rdi, [rsp + 32]",
        "add rdi, 64",
        "mov [rsp + 32], rdi",
        "dec qword ptr [rsp + 56]",
        "jnz 5b",
        "mov rax, [rsp + 64]",
        "mov qword ptr [rsp + 24], 0", // n0 is as secret as n
        leave!("72"),
    )
}
