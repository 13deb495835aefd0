//! The building blocks of the `mulx_adx` kernels: rows of one limb, and blocks of 8 x 8 limbs.
//!
//! A block keeps a window of eight limbs in r8..r15. Each of its eight rows adds a\[8\] * b_i to the window with two
//! carry chains (`adcx` for the low halves, `adox` for the high halves), sends the lowest limb to memory and takes
//! the top limb into the register that it left: 64 `mulx`, but only 8 stores and no reload of the sums.
//! After eight rows every register has its first meaning again.
//!
//! Register map of every block:
//! rax, rcx  low and high half of a product      rbx  b or the quotient limbs        rbp  zero
//! rdx       multiplier                          rsi  a (or n)                       rdi  t
//! Each function is entered by the System V convention and keeps what it asks to be kept.

use crate::Limb;
use core::arch::naked_asm;

/// `w += rdx * [rsi + 8k]` with the product's high half added to `next`.
macro_rules! step {
    ($k:literal, $w:literal, $next:literal) => {
        concat!(
            "mulx rcx, rax, [rsi + 8*",
            $k,
            "]\n",
            "adcx ",
            $w,
            ", rax\n",
            "adox ",
            $next,
            ", rcx\n",
        )
    };
}

/// A row: window += rdx * a[8]; `$low` comes out finished, is handed to `$emit`, and becomes the top limb.
macro_rules! row {
    ($emit:expr; $w0:literal $w1:literal $w2:literal $w3:literal $w4:literal $w5:literal $w6:literal $w7:literal) => {
        concat!(
            "xor eax, eax\n", // both carry flags = 0
            step!("0", $w0, $w1),
            $emit,
            step!("1", $w1, $w2),
            step!("2", $w2, $w3),
            step!("3", $w3, $w4),
            step!("4", $w4, $w5),
            step!("5", $w5, $w6),
            step!("6", $w6, $w7),
            "mulx ",
            $w0,
            ", rax, [rsi + 56]\n",
            "adcx ",
            $w7,
            ", rax\n",
            "adcx ",
            $w0,
            ", rbp\n",
            "adox ",
            $w0,
            ", rbp\n",
        )
    };
}

/// Row i of a product block: the multiplier is b_i, the finished limb goes to t_i.
macro_rules! mul_row {
    ($i:literal; $w0:literal $($w:literal)*) => {
        concat!(
            "mov rdx, [rbx + 8*", $i, "]\n",
            row!(concat!("mov [rdi + 8*", $i, "], ", $w0, "\n"); $w0 $($w)*),
        )
    };
}

/// Row i of a reduction block: the multiplier is the quotient limb, which makes the finished limb zero.
macro_rules! redc_row {
    ($i:literal; $w0:literal $($w:literal)*) => {
        concat!(
            "mov rdx, ", $w0, "\n",
            "imul rdx, [rsp]\n",
            "mov [rbx + 8*", $i, "], rdx\n",
            row!(""; $w0 $($w)*),
        )
    };
}

/// Eight rows, the window turning by one register each.
macro_rules! eight_rows {
    ($row:ident) => {
        concat!(
            $row!("0"; "r8" "r9" "r10" "r11" "r12" "r13" "r14" "r15"),
            $row!("1"; "r9" "r10" "r11" "r12" "r13" "r14" "r15" "r8"),
            $row!("2"; "r10" "r11" "r12" "r13" "r14" "r15" "r8" "r9"),
            $row!("3"; "r11" "r12" "r13" "r14" "r15" "r8" "r9" "r10"),
            $row!("4"; "r12" "r13" "r14" "r15" "r8" "r9" "r10" "r11"),
            $row!("5"; "r13" "r14" "r15" "r8" "r9" "r10" "r11" "r12"),
            $row!("6"; "r14" "r15" "r8" "r9" "r10" "r11" "r12" "r13"),
            $row!("7"; "r15" "r8" "r9" "r10" "r11" "r12" "r13" "r14"),
        )
    };
}

/// The same instruction between each window register and consecutive limbs at `$p`.
macro_rules! window {
    (load $p:literal) => {
        concat!(
            "mov r8, [",
            $p,
            "]\nmov r9, [",
            $p,
            " + 8]\nmov r10, [",
            $p,
            " + 16]\nmov r11, [",
            $p,
            " + 24]\n",
            "mov r12, [",
            $p,
            " + 32]\nmov r13, [",
            $p,
            " + 40]\nmov r14, [",
            $p,
            " + 48]\nmov r15, [",
            $p,
            " + 56]\n",
        )
    };
    (store $p:literal) => {
        concat!(
            "mov [",
            $p,
            "], r8\nmov [",
            $p,
            " + 8], r9\nmov [",
            $p,
            " + 16], r10\nmov [",
            $p,
            " + 24], r11\n",
            "mov [",
            $p,
            " + 32], r12\nmov [",
            $p,
            " + 40], r13\nmov [",
            $p,
            " + 48], r14\nmov [",
            $p,
            " + 56], r15\n",
        )
    };
    (adc $p:literal) => {
        concat!(
            "adc r8, [",
            $p,
            "]\nadc r9, [",
            $p,
            " + 8]\nadc r10, [",
            $p,
            " + 16]\nadc r11, [",
            $p,
            " + 24]\n",
            "adc r12, [",
            $p,
            " + 32]\nadc r13, [",
            $p,
            " + 40]\nadc r14, [",
            $p,
            " + 48]\nadc r15, [",
            $p,
            " + 56]\n",
        )
    };
}

macro_rules! enter {
    ($frame:literal) => {
        concat!(
            "push rbx\npush rbp\npush r12\npush r13\npush r14\npush r15\n",
            "sub rsp, ",
            $frame,
            "\n",
        )
    };
}

macro_rules! leave {
    ($frame:literal) => {
        concat!(
            "add rsp, ",
            $frame,
            "\n",
            "pop r15\npop r14\npop r13\npop r12\npop rbp\npop rbx\n",
            "ret\n",
        )
    };
}

/// `t[0 .. 8p + 8] += a[8p] * b[8] + w[8] + top * 2^(64 * 8p)`; returns the carry out of `t[8p + 7]`.
///
/// The product with both `t[8p]` and `w` added fits `8p + 8` limbs, so that only the addition of the old upper
/// eight limbs (and `top`, 0 or 1) can carry. `p` may be 0.
///
/// # Safety
/// The lengths as said; `t` overlaps neither `a`, `b` nor `w`; the processor has BMI2 and ADX.
#[unsafe(naked)]
pub(super) unsafe extern "sysv64" fn addmul_8(
    t: *mut Limb,
    a: *const Limb,
    p: usize,
    b: *const Limb,
    w: *const Limb,
    top: Limb,
) -> Limb {
    naked_asm!(
        // [rsp] blocks left, [rsp + 8] carry between blocks, [rsp + 16] top
        enter!("24"),
        "mov [rsp], rdx",
        "mov qword ptr [rsp + 8], 0",
        "mov [rsp + 16], r9",
        "mov rbx, rcx",
        "mov rax, r8",
        window!(load "rax"),
        "xor ebp, ebp",
        "2:",
        "cmp qword ptr [rsp], 0",
        "je 3f",
        "mov rax, [rsp + 8]",
        "add rax, -1", // the carry flag = the carry between blocks
        window!(adc "rdi"),
        "sbb rax, rax",
        "neg rax",
        "mov [rsp + 8], rax",
        eight_rows!(mul_row),
        "add rsi, 64",
        "add rdi, 64",
        "dec qword ptr [rsp]",
        "jmp 2b",
        "3:", // window + carry < 2^512
        "add r8, [rsp + 8]",
        "adc r9, rbp",
        "adc r10, rbp",
        "adc r11, rbp",
        "adc r12, rbp",
        "adc r13, rbp",
        "adc r14, rbp",
        "adc r15, rbp",
        "mov rax, [rsp + 16]",
        "add rax, -1",
        window!(adc "rdi"),
        window!(store "rdi"),
        "sbb rax, rax",
        "neg rax",
        leave!("24"),
    )
}

/// The quotient limbs q\[8\] that make the low eight limbs of `t + q * n` zero, and the eight limbs above:
/// `w := (t[8] + q * n[8]) / 2^512`.
///
/// # Safety
/// Eight limbs each; the outputs overlap nothing; the processor has BMI2 and ADX.
#[unsafe(naked)]
pub(super) unsafe extern "sysv64" fn redc_8(
    t: *const Limb,
    n: *const Limb,
    n0: Limb,
    q: *mut Limb,
    w: *mut Limb,
) {
    naked_asm!(
        // [rsp] n0, [rsp + 8] w
        enter!("24"),
        "mov [rsp], rdx",
        "mov [rsp + 8], r8",
        "mov rbx, rcx",
        window!(load "rdi"),
        "xor ebp, ebp",
        eight_rows!(redc_row),
        "mov rax, [rsp + 8]",
        window!(store "rax"),
        "mov qword ptr [rsp], 0", // n0 is as secret as n
        leave!("24"),
    )
}

/// Row x of the triangle: adds a_x * a_y for y > x. `$top` is the register that takes the highest product's high half.
macro_rules! triangle_row {
    ($x:literal; $($k:literal $w:literal $next:literal),*; $last:literal $top:literal; $($store:expr),*) => {
        concat!(
            "mov rdx, [rsi + 8*", $x, "]\n",
            "xor eax, eax\n",
            $(step!($k, $w, $next),)*
            "mulx ", $top, ", rax, [rsi + 56]\n",
            "adcx ", $last, ", rax\n",
            "adcx ", $top, ", rbp\n",
            "adox ", $top, ", rbp\n",
            $($store, "\n",)*
        )
    };
}

/// `(t[8], w[8]) := t[8] + sum of a_x * a_y * 2^(64(x + y)) over x < y < 8`.
///
/// Limb p of the sum is in r8 for p = 1, 9; r9 for 2, 10; ... r15 for 8; the limb at 15 is zero.
///
/// # Safety
/// Eight limbs each, `t` and `w` apart from `a`; the processor has BMI2 and ADX.
#[unsafe(naked)]
pub(super) unsafe extern "sysv64" fn triangle_8(t: *mut Limb, a: *const Limb, w: *mut Limb) {
    naked_asm!(
        enter!("8"),
        "mov rbx, rdx",
        "xor ebp, ebp",
        "mov r8, [rdi + 8]",
        "mov r9, [rdi + 16]",
        "mov r10, [rdi + 24]",
        "mov r11, [rdi + 32]",
        "mov r12, [rdi + 40]",
        "mov r13, [rdi + 48]",
        "mov r14, [rdi + 56]",
        triangle_row!("0"; "1" "r8" "r9", "2" "r9" "r10", "3" "r10" "r11", "4" "r11" "r12", "5" "r12" "r13", "6" "r13" "r14";
            "r14" "r15"; "mov [rdi + 8], r8", "mov [rdi + 16], r9"),
        triangle_row!("1"; "2" "r10" "r11", "3" "r11" "r12", "4" "r12" "r13", "5" "r13" "r14", "6" "r14" "r15";
            "r15" "r8"; "mov [rdi + 24], r10", "mov [rdi + 32], r11"),
        triangle_row!("2"; "3" "r12" "r13", "4" "r13" "r14", "5" "r14" "r15", "6" "r15" "r8";
            "r8" "r9"; "mov [rdi + 40], r12", "mov [rdi + 48], r13"),
        triangle_row!("3"; "4" "r14" "r15", "5" "r15" "r8", "6" "r8" "r9";
            "r9" "r10"; "mov [rdi + 56], r14"),
        triangle_row!("4"; "5" "r8" "r9", "6" "r9" "r10"; "r10" "r11"; ""),
        triangle_row!("5"; "6" "r10" "r11"; "r11" "r12"; ""),
        triangle_row!("6"; ; "r12" "r13"; ""),
        "mov [rbx], r15",
        "mov [rbx + 8], r8",
        "mov [rbx + 16], r9",
        "mov [rbx + 24], r10",
        "mov [rbx + 32], r11",
        "mov [rbx + 40], r12",
        "mov [rbx + 48], r13",
        "mov [rbx + 56], rbp",
        leave!("8"),
    )
}

/// `t[2n] := 2 * t[2n] + sum of a_i^2 * 2^(128 i)`, which must fit: the second half of a squaring.
///
/// # Safety
/// The lengths as said, n >= 1; `t` apart from `a`; the processor has BMI2 and ADX.
#[unsafe(naked)]
pub(super) unsafe extern "sysv64" fn double_add_squares(t: *mut Limb, a: *const Limb, n: usize) {
    naked_asm!(
        "mov rcx, rdx",
        "xor eax, eax", // the doubling's carry lives in CF, the addition's in OF
        "2:",
        "mov rdx, [rsi]",
        "mulx r9, r8, rdx",
        "mov r10, [rdi]",
        "mov r11, [rdi + 8]",
        "adcx r10, r10",
        "adox r10, r8",
        "mov [rdi], r10",
        "adcx r11, r11",
        "adox r11, r9",
        "mov [rdi + 8], r11",
        "lea rsi, [rsi + 8]",
        "lea rdi, [rdi + 16]",
        "lea rcx, [rcx - 1]",
        "jrcxz 3f",
        "jmp 2b",
        "3:",
        "ret",
    )
}

/// One limb of a row: `$r := ($inv r) + a * rdx + carry`, the carry limb passing from `$from` to `$to`.
macro_rules! addmul_limb {
    ($k:literal, $from:literal, $to:literal, $invert:literal) => {
        concat!(
            "mulx ",
            $to,
            ", rax, [rsi + 8*",
            $k,
            "]\n",
            "mov r11, [rdi + 8*",
            $k,
            "]\n",
            $invert,
            "adcx rax, ",
            $from,
            "\n",
            "adox r11, rax\n",
            $invert,
            "mov [rdi + 8*",
            $k,
            "], r11\n",
        )
    };
}

/// A row kernel `(r, a, n, b) -> carry limb`: n mod 8 single limbs, then eight a turn.
macro_rules! addmul_row {
    ($invert:literal) => {
        naked_asm!(
            "mov r8, rdx",
            "mov rdx, rcx",
            "mov ecx, r8d",
            "and ecx, 7",
            "shr r8, 3",
            "xor r9d, r9d", // carry limb; both carry flags = 0
            "2:",
            "jrcxz 3f",
            addmul_limb!("0", "r9", "r10", $invert),
            "mov eax, 0",
            "adcx r10, rax",
            "adox r10, rax",
            "mov r9, r10",
            "lea rsi, [rsi + 8]",
            "lea rdi, [rdi + 8]",
            "lea rcx, [rcx - 1]",
            "jmp 2b",
            "3:",
            "mov rcx, r8", // the last limb left both flags = 0
            "jmp 6f",
            "4:",
            addmul_limb!("0", "r9", "r10", $invert),
            addmul_limb!("1", "r10", "r9", $invert),
            addmul_limb!("2", "r9", "r10", $invert),
            addmul_limb!("3", "r10", "r9", $invert),
            addmul_limb!("4", "r9", "r10", $invert),
            addmul_limb!("5", "r10", "r9", $invert),
            addmul_limb!("6", "r9", "r10", $invert),
            addmul_limb!("7", "r10", "r9", $invert),
            "lea rsi, [rsi + 64]",
            "lea rdi, [rdi + 64]",
            "lea rcx, [rcx - 1]",
            "6:",
            "jrcxz 5f",
            "jmp 4b",
            "5:",
            "mov eax, 0",
            "adcx r9, rax",
            "adox r9, rax",
            "mov rax, r9",
            "ret",
        )
    };
}

/// `r[n] += a[n] * b`; returns the carry limb.
///
/// # Safety
/// The contract of `mpn_addmul_1`, n = 0 allowed; the processor has BMI2 and ADX.
#[unsafe(naked)]
pub(super) unsafe extern "sysv64" fn addmul_1(
    r: *mut Limb,
    a: *const Limb,
    n: usize,
    b: Limb,
) -> Limb {
    addmul_row!("")
}

/// `r[n] -= a[n] * b`; returns the borrow limb. Works on the complement: r - a * b = not (not r + a * b).
///
/// # Safety
/// The contract of `mpn_submul_1`, n = 0 allowed; the processor has BMI2 and ADX.
#[unsafe(naked)]
pub(super) unsafe extern "sysv64" fn submul_1(
    r: *mut Limb,
    a: *const Limb,
    n: usize,
    b: Limb,
) -> Limb {
    addmul_row!("not r11\n")
}
