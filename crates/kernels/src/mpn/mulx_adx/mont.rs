//! Montgomery products and squares of eight limbs, as in the halves of RSA-1024, in one piece: the product, its
//! reduction and the last subtraction.

use crate::Limb;
use core::arch::naked_asm;

/// Quotient limbs are not needed again.
macro_rules! nowhere {
    ($i:literal $q:literal) => {
        ""
    };
}

/// The reduction of t\[16\] to r\[8\], the lower half of t in the window already, and the end of the function.
///
/// [rsp] r, [rsp + 8] n, [rsp + 16] zero, [rsp + 24] n0, [rsp + 32] room; rdi t
macro_rules! reduce_and_leave {
    () => {
        concat!(
            "mov rsi, [rsp + 8]\n",
            "mov [rsp + 32], rdi\n",
            redc_rows!(nowhere),
            "mov rbx, [rsp + 32]\n",
            "mov rdi, [rsp]\n",
            "mov qword ptr [rsp + 24], 0\n", // n0 is as secret as n
            "xor eax, eax\n",
            window!(adc "rbx + 64"),
            "setc al\n",
            window!(store "rbx"),
            window!(sub "rsi"),
            "sbb rax, 0\n", // the borrow now says that the number was below n
            window!(cmovc "rbx"),
            window!(store "rdi"),
            leave!("40"),
        )
    };
}

/// The first row of a product or a square, into a window that holds nothing yet: `a_k * rdx` for k from `$k0` on. Its
/// lowest limb goes to t_k0.
#[rustfmt::skip]
macro_rules! first_row {
    ($k0:literal $w0:literal $w1:literal; $($k:literal $w:literal $next:literal),*; $top:literal) => {
        concat!(
            "mulx ", $w1, ", ", $w0, ", [rsi + 8*", $k0, "]\n",
            "mov [rdi + 8*", $k0, "], ", $w0, "\n",
            "xor ebp, ebp\n",
            $("mulx ", $next, ", rax, [rsi + 8*", $k, "]\nadcx ", $w, ", rax\n",)*
            "adcx ", $top, ", rbp\n",
        )
    };
}

/// `r[8] := a[8] * b[8] / 2^512  (mod n[8])`, with t\[16\] to work in.
///
/// # Safety
/// The contract of `mpn_mont_mul` for k = 8; the processor has BMI2 and ADX.
#[unsafe(naked)]
pub(in crate::mpn) unsafe extern "sysv64" fn mont_mul_8(
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    n: *const Limb,
    n0: Limb,
    t: *mut Limb,
) {
    naked_asm!(
        enter!("40"),
        "mov [rsp], rdi",
        "mov [rsp + 8], rcx",
        "mov [rsp + 16], rbp",
        "mov [rsp + 24], r8",
        "mov rdi, r9",
        "mov rbx, rdx",
        "mov rdx, [rbx]",
        first_row!("0" "r8" "r9"; "1" "r9" "r10", "2" "r10" "r11", "3" "r11" "r12", "4" "r12" "r13", "5" "r13" "r14",
            "6" "r14" "r15", "7" "r15" "r8"; "r8"),
        mul_row!("1"; "r9" "r10" "r11" "r12" "r13" "r14" "r15" "r8"),
        mul_row!("2"; "r10" "r11" "r12" "r13" "r14" "r15" "r8" "r9"),
        mul_row!("3"; "r11" "r12" "r13" "r14" "r15" "r8" "r9" "r10"),
        mul_row!("4"; "r12" "r13" "r14" "r15" "r8" "r9" "r10" "r11"),
        mul_row!("5"; "r13" "r14" "r15" "r8" "r9" "r10" "r11" "r12"),
        mul_row!("6"; "r14" "r15" "r8" "r9" "r10" "r11" "r12" "r13"),
        mul_row!("7"; "r15" "r8" "r9" "r10" "r11" "r12" "r13" "r14"),
        window!(store "rdi + 64"),
        window!(load "rdi"),
        reduce_and_leave!(),
    )
}

/// `r[8] := a[8]^2 / 2^512  (mod n[8])`, with t\[16\] to work in.
///
/// # Safety
/// The contract of `mpn_mont_sqr` for k = 8; the processor has BMI2 and ADX.
#[unsafe(naked)]
pub(in crate::mpn) unsafe extern "sysv64" fn mont_sqr_8(
    r: *mut Limb,
    a: *const Limb,
    n: *const Limb,
    n0: Limb,
    t: *mut Limb,
) {
    naked_asm!(
        enter!("40"),
        "mov [rsp], rdi",
        "mov [rsp + 8], rdx",
        "mov [rsp + 16], rbp",
        "mov [rsp + 24], rcx",
        "mov rdi, r8",
        "mov rdx, [rsi]",
        "mov [rdi], rbp", // no cross product is as low
        first_row!("1" "r9" "r10"; "2" "r10" "r11", "3" "r11" "r12", "4" "r12" "r13", "5" "r13" "r14", "6" "r14" "r15",
            "7" "r15" "r8"; "r8"),
        "mov [rdi + 16], r10",
        "xor r9d, r9d",
        "xor r10d, r10d",
        triangle_rows!(),
        window!(store "rdi + 64"),
        "xor eax, eax", // both carry flags = 0
        double_add_square!("0"; "r8" "r9"; "rax" "rcx"),
        double_add_square!("1"; "r10" "r11"; "rax" "rcx"),
        double_add_square!("2"; "r12" "r13"; "rax" "rcx"),
        double_add_square!("3"; "r14" "r15"; "rax" "rcx"),
        double_add_square!(store "4"; "rbx" "rbp"; "rax" "rcx"),
        double_add_square!(store "5"; "rbx" "rbp"; "rax" "rcx"),
        double_add_square!(store "6"; "rbx" "rbp"; "rax" "rcx"),
        double_add_square!(store "7"; "rbx" "rbp"; "rax" "rcx"),
        reduce_and_leave!(),
    )
}
