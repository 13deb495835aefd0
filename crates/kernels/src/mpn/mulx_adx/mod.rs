//! The building blocks of the `mulx_adx` kernels: rows of one limb, and blocks of 8 x 8 limbs.
//!
//! A block keeps a window of eight limbs in r8..r15. Each of its eight rows adds a\[8\] * b_i to the window with two
//! carry chains (`adcx` for the low halves, `adox` for the high halves), sends the lowest limb to memory and takes
//! the top limb into the register that it left: 64 products, but only 8 stores and no reload of the sums.
//! After eight rows every register has its first meaning again, and the window stands eight limbs higher, where the
//! next eight limbs of a meet the same b.
//!
//! Register map of a block:
//! rax, rcx  low and high half of a product      rbx  b or the quotient limbs        rbp  zero
//! rdx       multiplier                          rsi  a (or n)                       rdi  t
//! Where a block finds its quotient limbs (`redc_row`), rdi is the next of them, and rbx t, which takes them.
//! Each function is entered by the System V convention and keeps what it asks to be kept.

/// `w += rdx * [rsi + 8k]` with the product's high half added to `next`.
#[rustfmt::skip]
macro_rules! step {
    ($k:literal, $w:literal, $next:literal) => {
        concat!(
            "mulx rcx, rax, [rsi + 8*", $k, "]\n",
            "adcx ", $w, ", rax\n",
            "adox ", $next, ", rcx\n",
        )
    };
}

/// The product of nothing, between additions. Zen 4 sends a third one in a row to the multiplier's port, and a row of
/// 8 products then takes as long as 11.
macro_rules! spacer {
    () => {
        "mulx rcx, rcx, rbp\n"
    };
}

/// The end of a row: `w += low half of rdx * [rsi + 56]`, `top :=` its high half and both carries.
#[rustfmt::skip]
macro_rules! last_step {
    ($w:literal, $top:literal) => {
        concat!(
            "mulx ", $top, ", rax, [rsi + 56]\n",
            "adcx ", $w, ", rax\n",
            "adcx ", $top, ", rbp\n",
            spacer!(),
            "adox ", $top, ", rbp\n",
        )
    };
}

/// A row: window += rdx * a[8]; `$low` comes out finished, is handed to `$emit`, and becomes the top limb.
#[rustfmt::skip]
macro_rules! row {
    ($emit:expr; $w0:literal $w1:literal $w2:literal $w3:literal $w4:literal $w5:literal $w6:literal $w7:literal) => {
        concat!(
            "mulx rcx, rax, [rsi]\n",
            "xor ebp, ebp\n", // both carry flags = 0
            "adcx ", $w0, ", rax\n",
            "adox ", $w1, ", rcx\n",
            $emit,
            step!("1", $w1, $w2),
            step!("2", $w2, $w3),
            step!("3", $w3, $w4),
            step!("4", $w4, $w5),
            step!("5", $w5, $w6),
            step!("6", $w6, $w7),
            last_step!($w7, $w0),
        )
    };
}

/// Row i of a product block: the multiplier is b_i, the finished limb goes to t_i.
#[rustfmt::skip]
macro_rules! mul_row {
    ($i:literal; $w0:literal $($w:literal)*) => {
        concat!(
            "mov rdx, [rbx + 8*", $i, "]\n",
            row!(concat!("mov [rdi + 8*", $i, "], ", $w0, "\n"); $w0 $($w)*),
        )
    };
}

/// Eight rows, the window turning by one register each.
#[rustfmt::skip]
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

/// Something with each register of the window and, but for `zero` and `ripple`, eight limbs of memory.
#[rustfmt::skip]
macro_rules! window {
    (load $p:literal) => {
        concat!(
            "mov r8, [", $p, "]\n",
            "mov r9, [", $p, " + 8]\n",
            "mov r10, [", $p, " + 16]\n",
            "mov r11, [", $p, " + 24]\n",
            "mov r12, [", $p, " + 32]\n",
            "mov r13, [", $p, " + 40]\n",
            "mov r14, [", $p, " + 48]\n",
            "mov r15, [", $p, " + 56]\n",
        )
    };
    (adc $p:literal) => {
        concat!(
            "adcx r8, [", $p, "]\n",
            "adcx r9, [", $p, " + 8]\n",
            "adcx r10, [", $p, " + 16]\n",
            "adcx r11, [", $p, " + 24]\n",
            "adcx r12, [", $p, " + 32]\n",
            "adcx r13, [", $p, " + 40]\n",
            "adcx r14, [", $p, " + 48]\n",
            "adcx r15, [", $p, " + 56]\n",
        )
    };
    (store $p:literal) => {
        concat!(
            "mov [", $p, "], r8\n",
            "mov [", $p, " + 8], r9\n",
            "mov [", $p, " + 16], r10\n",
            "mov [", $p, " + 24], r11\n",
            "mov [", $p, " + 32], r12\n",
            "mov [", $p, " + 40], r13\n",
            "mov [", $p, " + 48], r14\n",
            "mov [", $p, " + 56], r15\n",
        )
    };
    (zero) => {
        "xor r8d, r8d\nxor r9d, r9d\nxor r10d, r10d\nxor r11d, r11d\n\
         xor r12d, r12d\nxor r13d, r13d\nxor r14d, r14d\nxor r15d, r15d\n"
    };
    (ripple $carry:literal) => {
        concat!(
            "add r8, ", $carry, "\n",
            "adc r9, rbp\nadc r10, rbp\nadc r11, rbp\nadc r12, rbp\nadc r13, rbp\nadc r14, rbp\nadc r15, rbp\n",
        )
    };
}

/// The blocks of one row of blocks, `[rsp]` of them, from the window on. rsi and rdi move along, and stop behind the
/// last block, where the window and the carry `[rsp + 16]` (0 before) belong.
///
/// Before a block the window takes in the limbs of t where it stands, if `[rsp + 8]` says that there is something in
/// t; before the first block only if `$enter` is 2, not if it is 3.
#[rustfmt::skip]
macro_rules! blocks {
    ($enter:literal) => {
        concat!(
            "cmp qword ptr [rsp], 0\n",
            "je 4f\n",
            "jmp ", $enter, "f\n",
            "2:\n",
            "cmp qword ptr [rsp + 8], 0\n",
            "je 3f\n",
            "xor eax, eax\n",
            "sub rax, [rsp + 16]\n", // CF := the carry
            window!(adc "rdi"),
            "setc byte ptr [rsp + 16]\n",
            "3:\n",
            eight_rows!(mul_row),
            "add rsi, 64\n",
            "add rdi, 64\n",
            "dec qword ptr [rsp]\n",
            "jnz 2b\n",
            "4:\n",
        )
    };
}

macro_rules! enter {
    ($frame:literal) => {
        concat!(
            "push rbx\npush rbp\npush r12\npush r13\npush r14\npush r15\nsub rsp, ",
            $frame,
            "\nxor ebp, ebp\n",
        )
    };
}

macro_rules! leave {
    ($frame:literal) => {
        concat!(
            "add rsp, ",
            $frame,
            "\npop r15\npop r14\npop r13\npop r12\npop rbp\npop rbx\nret\n",
        )
    };
}

mod product;
mod reduce;
mod row;
mod square;

pub(super) use product::mul_8;
pub(super) use reduce::{redc_8, subtract_once_8};
pub(super) use row::{addmul_1, submul_1};
pub(super) use square::{cross_8, double_add_squares};
