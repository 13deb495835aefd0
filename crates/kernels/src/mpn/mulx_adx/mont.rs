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

/// The reduction of t\[16\], the lower half of t in the window already. Behind it U is in `[rdi]`, U - n in the window,
/// and where that is below zero CF is set and ZF clear; rsi is r.
///
/// [rsp] r, [rsp + 8] n, [rsp + 16] zero, [rsp + 24] n0, [rsp + 32] t
macro_rules! reduce {
    () => {
        concat!(
            "mov rsi, [rsp + 8]\n",
            redc_rows!(nowhere),
            "mov rdi, [rsp + 32]\n",
            "xor eax, eax\n",
            window!(adc "rdi + 64"),
            "setc al\n",
            window!(store "rdi"),
            window!(sub "rsi"),
            "mov rsi, [rsp]\n",
            "sbb rax, 0\n", // the carry less the borrow: 0, or -1 where U was below n
        )
    };
}

/// The end of a function: U or U - n to r.
macro_rules! choose_and_leave {
    () => {
        concat!(
            window!(cmovc "rdi"),
            window!(store "rsi"),
            "mov qword ptr [rsp + 24], 0\n", // n0 is as secret as n
            leave!("56"),
        )
    };
}

/// Limb k of the first row of a product, into a window that holds nothing yet: its low half joins the high half below.
#[rustfmt::skip]
macro_rules! first_product {
    ($k:literal $w:literal $next:literal) => {
        concat!("mulx ", $next, ", rax, [rsi + 8*", $k, "]\nadcx ", $w, ", rax\n")
    };
}

/// Limb k of a number to be squared, U or U - n by ZF, goes to r, and its product with the lowest joins the high half
/// below: of three additions in a row one would wait for the products.
#[rustfmt::skip]
macro_rules! choose_and_multiply {
    ($k:literal $w:literal; $below:literal $high:literal) => {
        concat!(
            "cmovnz ", $w, ", [rdi + 8*", $k, "]\n",
            "mov [rsi + 8*", $k, "], ", $w, "\n",
            "mulx ", $high, ", ", $w, ", ", $w, "\n",
            "adcx ", $w, ", ", $below, "\n",
        )
    };
}

/// `r[8] := a[8] * b[8] / 2^512  (mod n[8])`, with t\[16\] to work in.
///
/// # Safety
/// The contract of `mpn_mont_mul` for k = 8; the processor has BMI2 and ADX.
#[unsafe(naked)]
pub(in crate::mpn) unsafe extern "sysv64" fn mont_mul_8<const SPACED: bool>(
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    n: *const Limb,
    n0: Limb,
    t: *mut Limb,
) {
    naked_asm!(
        enter!("56"),
        "mov [rsp], rdi",
        "mov [rsp + 8], rcx",
        "mov [rsp + 16], rbp",
        "mov [rsp + 24], r8",
        "mov [rsp + 32], r9",
        "mov rdi, r9",
        "mov rbx, rdx",
        "mov rdx, [rbx]",
        "mulx r9, r8, [rsi]",
        "mov [rdi], r8",
        "xor ebp, ebp", // both carry flags = 0
        first_product!("1" "r9" "r10"),
        first_product!("2" "r10" "r11"),
        first_product!("3" "r11" "r12"),
        first_product!("4" "r12" "r13"),
        first_product!("5" "r13" "r14"),
        first_product!("6" "r14" "r15"),
        first_product!("7" "r15" "r8"),
        "adcx r8, rbp",
        mul_row!("1"; "r9" "r10" "r11" "r12" "r13" "r14" "r15" "r8"),
        mul_row!("2"; "r10" "r11" "r12" "r13" "r14" "r15" "r8" "r9"),
        mul_row!("3"; "r11" "r12" "r13" "r14" "r15" "r8" "r9" "r10"),
        mul_row!("4"; "r12" "r13" "r14" "r15" "r8" "r9" "r10" "r11"),
        mul_row!("5"; "r13" "r14" "r15" "r8" "r9" "r10" "r11" "r12"),
        mul_row!("6"; "r14" "r15" "r8" "r9" "r10" "r11" "r12" "r13"),
        mul_row!("7"; "r15" "r8" "r9" "r10" "r11" "r12" "r13" "r14"),
        window!(store "rdi + 64"),
        window!(load "rdi"),
        reduce!(),
        choose_and_leave!(),
        spaced = const SPACED as u8,
    )
}

/// `r[8] := a[8]^(2^m) / 2^(512 (2^m - 1))  (mod n[8])`, with t\[16\] to work in.
///
/// # Safety
/// The contract of `mpn_mont_sqr` for k = 8; the processor has BMI2 and ADX.
#[unsafe(naked)]
pub(in crate::mpn) unsafe extern "sysv64" fn mont_sqr_8<const SPACED: bool>(
    r: *mut Limb,
    a: *const Limb,
    n: *const Limb,
    n0: Limb,
    t: *mut Limb,
    m: usize,
) {
    naked_asm!(
        // [rsp + 40] squarings left
        enter!("56"),
        "mov [rsp], rdi",
        "mov [rsp + 8], rdx",
        "mov [rsp + 16], rbp",
        "mov [rsp + 24], rcx",
        "mov [rsp + 32], r8",
        "mov [rsp + 40], r9",
        "mov rdx, rdi",
        "mov rdi, r8",
        window!(load "rsi"),
        "mov rsi, rdx",
        "cmp ebp, ebp", // ZF: the number is what the window holds
        ".p2align 5",
        "2:",
        "cmovnz r8, [rdi]",
        "mov [rsi], r8",
        "mov rdx, r8",
        "clc",
        choose_and_multiply!("1" "r9"; "rbp" "rcx"),
        "mov [rdi], rbp", // no cross product is as low
        "mov [rdi + 8], r9",
        choose_and_multiply!("2" "r10"; "rcx" "rax"),
        "mov [rdi + 16], r10",
        choose_and_multiply!("3" "r11"; "rax" "rcx"),
        choose_and_multiply!("4" "r12"; "rcx" "rax"),
        choose_and_multiply!("5" "r13"; "rax" "rcx"),
        choose_and_multiply!("6" "r14"; "rcx" "rax"),
        choose_and_multiply!("7" "r15"; "rax" "r8"),
        "adcx r8, rbp",
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
        reduce!(),
        "mov rcx, [rsp + 40]", // without a change to ZF and CF
        "lea rcx, [rcx - 1]",
        "mov [rsp + 40], rcx",
        "jrcxz 3f",
        "jmp 2b",
        "3:",
        choose_and_leave!(),
        spaced = const SPACED as u8,
    )
}
