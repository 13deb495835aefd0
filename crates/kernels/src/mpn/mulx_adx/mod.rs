//! The building blocks of the `mulx_adx` kernels: rows of one limb, and strips of eight limbs times any number.
//!
//! A strip keeps a window of eight limbs in r8..r15. Each of its rows adds a\[8\] * b_j to the window with two carry
//! chains (`adcx` for the low halves, `adox` for the high halves), sends the lowest limb to memory and takes the top
//! limb into the register that it left: 8 products, but only one store and no reload of the sums. After eight rows
//! every register has its first meaning again.
//!
//! What t holds already is added limb by limb as a row finishes it, ahead of the high halves' chain. So the window is
//! a[8] * b[j] / 2^(64j) and no more: it stays below 2^512, and no carry leaves a row.
//!
//! Register map of a strip:
//! rax, rcx  low and high half of a product      rbx  b                              rbp  zero
//! rdx       multiplier                          rsi  a\[8\] (or eight quotient limbs)  rdi  t
//! Where a block of 8 x 8 limbs finds its quotient limbs (`redc_row`), rdi and rbp are these in turn, rsi is n, and rbx
//! one more high half.
//! Each function is entered by the System V convention and keeps what it asks to be kept. Those with strips exist twice:
//! with a product of nothing in a row, and without.

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

/// The product of nothing, between additions, where the function's `spaced` is 1. Zen 3 and Zen 4 send a third addition in
/// a row to the multiplier's port, and a row of 8 products then takes as long as 11. Intel's processors do not, and lose the
/// time of a product.
macro_rules! spacer {
    () => {
        ".if {spaced}\nmulx rcx, rcx, rdx\n.endif\n"
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

/// A row: window += b_j * a\[8\], after `$join`; `$w0` comes out finished, goes to t_j, and becomes the top limb.
#[rustfmt::skip]
macro_rules! row {
    ($j:literal $join:expr;
        $w0:literal $w1:literal $w2:literal $w3:literal $w4:literal $w5:literal $w6:literal $w7:literal) => {
        concat!(
            "xor ebp, ebp\n", // both carry flags = 0
            $join,
            "mov rdx, [rbx + 8*", $j, "]\n",
            "mulx rcx, rax, [rsi]\n",
            "adcx ", $w0, ", rax\n",
            "adox ", $w1, ", rcx\n",
            "mov [rdi + 8*", $j, "], ", $w0, "\n",
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

/// Row j of a product that finds nothing in t.
#[rustfmt::skip]
macro_rules! mul_row {
    ($j:literal; $($w:literal)*) => {
        row!($j ""; $($w)*)
    };
}

/// Row j of a strip: t_j is added, too.
#[rustfmt::skip]
macro_rules! addmul_row {
    ($j:literal; $w0:literal $($w:literal)*) => {
        row!($j concat!("adox ", $w0, ", [rdi + 8*", $j, "]\n"); $w0 $($w)*)
    };
}

/// The rows of a strip, as many as `[rsp]` says, from the window on: first those that are no eight, after which the
/// registers change places, then eight a turn. rbx and rdi stop behind the last, where the window belongs; `[rsp]` and
/// `[rsp + 8]` are 0 then.
macro_rules! strip {
    () => {
        concat!(
            "mov rax, [rsp]\n",
            "mov ecx, eax\n",
            "shr rax, 3\n",
            "mov [rsp], rax\n",
            "and ecx, 7\n",
            "mov [rsp + 8], rcx\n",
            "jz 3f\n",
            "2:\n",
            addmul_row!("0"; "r8" "r9" "r10" "r11" "r12" "r13" "r14" "r15"),
            "mov rax, r8\nmov r8, r9\nmov r9, r10\nmov r10, r11\nmov r11, r12\n",
            "mov r12, r13\nmov r13, r14\nmov r14, r15\nmov r15, rax\n",
            "add rbx, 8\n",
            "add rdi, 8\n",
            "dec qword ptr [rsp + 8]\n",
            "jnz 2b\n",
            "3:\n",
            "cmp qword ptr [rsp], 0\n",
            "je 5f\n",
            ".p2align 5\n",
            "4:\n",
            addmul_row!("0"; "r8" "r9" "r10" "r11" "r12" "r13" "r14" "r15"),
            addmul_row!("1"; "r9" "r10" "r11" "r12" "r13" "r14" "r15" "r8"),
            addmul_row!("2"; "r10" "r11" "r12" "r13" "r14" "r15" "r8" "r9"),
            addmul_row!("3"; "r11" "r12" "r13" "r14" "r15" "r8" "r9" "r10"),
            addmul_row!("4"; "r12" "r13" "r14" "r15" "r8" "r9" "r10" "r11"),
            addmul_row!("5"; "r13" "r14" "r15" "r8" "r9" "r10" "r11" "r12"),
            addmul_row!("6"; "r14" "r15" "r8" "r9" "r10" "r11" "r12" "r13"),
            addmul_row!("7"; "r15" "r8" "r9" "r10" "r11" "r12" "r13" "r14"),
            "add rbx, 64\n",
            "add rdi, 64\n",
            "dec qword ptr [rsp]\n",
            "jnz 4b\n",
            "5:\n",
        )
    };
}

/// A row of a reduction: the multiplier is the quotient limb in `$q`, which makes the finished limb zero. Its first
/// product is in rax and rcx already, as this row leaves that of the next one.
///
/// The next quotient, for `$next`, is on its way as soon as the lowest limb of its row is known, among the products of
/// this row: `mulx` leaves the carry chains alone, and what waits for the quotient waits no longer than for those
/// products. There are never more than two additions between two products, which needs no `spacer`.
///
/// `[rsp + 16]` is zero, `[rsp + 24]` n0; `$emit` may use rbx.
#[rustfmt::skip]
macro_rules! redc_row {
    ($q:literal $next:literal $emit:expr;
        $w0:literal $w1:literal $w2:literal $w3:literal $w4:literal $w5:literal $w6:literal $w7:literal) => {
        concat!(
            "xor ebx, ebx\n", // both carry flags = 0
            "adcx ", $w0, ", rax\n",
            "mulx rbx, rax, [rsi + 8]\n",
            "adox ", $w1, ", rcx\n",
            "adcx ", $w1, ", rax\n",
            "mov rdx, [rsp + 24]\n",
            "mulx rdx, ", $next, ", ", $w1, "\n",
            "mov rdx, ", $q, "\n",
            "adox ", $w2, ", rbx\n",
            $emit,
            step!("2", $w2, $w3),
            step!("3", $w3, $w4),
            step!("4", $w4, $w5),
            step!("5", $w5, $w6),
            step!("6", $w6, $w7),
            "mulx ", $w0, ", rax, [rsi + 56]\n",
            "adcx ", $w7, ", rax\n",
            "adcx ", $w0, ", [rsp + 16]\n",
            "mov rdx, ", $next, "\n",
            "mulx rcx, rax, [rsi]\n",
            "adox ", $w0, ", [rsp + 16]\n",
        )
    };
}

/// Eight rows of a reduction, from the window on, which is limbs of t until then. `$emit` takes the number of a row and
/// its quotient limb. rbp is zero again behind them.
#[rustfmt::skip]
macro_rules! redc_rows {
    ($emit:ident) => {
        concat!(
            "mov rdx, [rsp + 24]\n",
            "mulx rdx, rdi, r8\n",
            "mov rdx, rdi\n",
            "mulx rcx, rax, [rsi]\n",
            redc_row!("rdi" "rbp" $emit!("0" "rdi"); "r8" "r9" "r10" "r11" "r12" "r13" "r14" "r15"),
            redc_row!("rbp" "rdi" $emit!("1" "rbp"); "r9" "r10" "r11" "r12" "r13" "r14" "r15" "r8"),
            redc_row!("rdi" "rbp" $emit!("2" "rdi"); "r10" "r11" "r12" "r13" "r14" "r15" "r8" "r9"),
            redc_row!("rbp" "rdi" $emit!("3" "rbp"); "r11" "r12" "r13" "r14" "r15" "r8" "r9" "r10"),
            redc_row!("rdi" "rbp" $emit!("4" "rdi"); "r12" "r13" "r14" "r15" "r8" "r9" "r10" "r11"),
            redc_row!("rbp" "rdi" $emit!("5" "rbp"); "r13" "r14" "r15" "r8" "r9" "r10" "r11" "r12"),
            redc_row!("rdi" "rbp" $emit!("6" "rdi"); "r14" "r15" "r8" "r9" "r10" "r11" "r12" "r13"),
            $emit!("7" "rbp"),
            "xor ebp, ebp\n",
            "adcx r15, rax\n",
            "adox r8, rcx\n",
            step!("1", "r8", "r9"),
            step!("2", "r9", "r10"),
            step!("3", "r10", "r11"),
            step!("4", "r11", "r12"),
            step!("5", "r12", "r13"),
            step!("6", "r13", "r14"),
            last_step!("r14", "r15"),
        )
    };
}

/// Row x of a triangle: adds a_x * a_y for y > x, and sends off the two limbs that are finished then.
#[rustfmt::skip]
macro_rules! triangle_row {
    ($x:literal; $($k:literal $w:literal $next:literal),*; $last:literal $top:literal; $($store:expr),*) => {
        concat!(
            "mov rdx, [rsi + 8*", $x, "]\n",
            "xor ebp, ebp\n",
            $(step!($k, $w, $next),)*
            last_step!($last, $top),
            $($store, "\n",)*
        )
    };
}

/// The rows of a triangle after the first. Limb k is in r(8 + k mod 8), for k from 1 to 15.
#[rustfmt::skip]
macro_rules! triangle_rows {
    () => {
        concat!(
            triangle_row!("1"; "2" "r11" "r12", "3" "r12" "r13", "4" "r13" "r14", "5" "r14" "r15", "6" "r15" "r8";
                "r8" "r9"; "mov [rdi + 24], r11", "mov [rdi + 32], r12"),
            triangle_row!("2"; "3" "r13" "r14", "4" "r14" "r15", "5" "r15" "r8", "6" "r8" "r9";
                "r9" "r10"; "mov [rdi + 40], r13", "mov [rdi + 48], r14"),
            triangle_row!("3"; "4" "r15" "r8", "5" "r8" "r9", "6" "r9" "r10";
                "r10" "r11"; "mov [rdi + 56], r15"),
            triangle_row!("4"; "5" "r9" "r10", "6" "r10" "r11"; "r11" "r12"; ""),
            triangle_row!("5"; "6" "r11" "r12"; "r12" "r13"; ""),
            triangle_row!("6"; ; "r13" "r14"; ""),
            "xor r15d, r15d\n",
        )
    };
}

/// `lo, hi := 2 * t_2k, t_2k+1 + a_k^2`: the doubling's carry is CF, the addition's OF. The square takes `$s0`, `$s1`.
#[rustfmt::skip]
macro_rules! double_add_square {
    ($k:literal; $lo:literal $hi:literal; $s0:literal $s1:literal) => {
        concat!(
            "mov rdx, [rsi + 8*", $k, "]\n",
            "mulx ", $s1, ", ", $s0, ", rdx\n",
            "mov ", $lo, ", [rdi + 16*", $k, "]\n",
            "mov ", $hi, ", [rdi + 16*", $k, " + 8]\n",
            "adcx ", $lo, ", ", $lo, "\n",
            "adox ", $lo, ", ", $s0, "\n",
            "adcx ", $hi, ", ", $hi, "\n",
            "adox ", $hi, ", ", $s1, "\n",
        )
    };
    (store $k:literal; $lo:literal $hi:literal; $s0:literal $s1:literal) => {
        concat!(
            double_add_square!($k; $lo $hi; $s0 $s1),
            "mov [rdi + 16*", $k, "], ", $lo, "\n",
            "mov [rdi + 16*", $k, " + 8], ", $hi, "\n",
        )
    };
}

/// Something with each register of the window and, but for `zero`, eight limbs of memory.
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
    (sub $p:literal) => {
        concat!(
            "sub r8, [", $p, "]\n",
            "sbb r9, [", $p, " + 8]\n",
            "sbb r10, [", $p, " + 16]\n",
            "sbb r11, [", $p, " + 24]\n",
            "sbb r12, [", $p, " + 32]\n",
            "sbb r13, [", $p, " + 40]\n",
            "sbb r14, [", $p, " + 48]\n",
            "sbb r15, [", $p, " + 56]\n",
        )
    };
    (cmovc $p:literal) => {
        concat!(
            "cmovc r8, [", $p, "]\n",
            "cmovc r9, [", $p, " + 8]\n",
            "cmovc r10, [", $p, " + 16]\n",
            "cmovc r11, [", $p, " + 24]\n",
            "cmovc r12, [", $p, " + 32]\n",
            "cmovc r13, [", $p, " + 40]\n",
            "cmovc r14, [", $p, " + 48]\n",
            "cmovc r15, [", $p, " + 56]\n",
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

mod mont;
mod product;
mod reduce;
mod row;
mod square;

/// The processors that want a product of nothing among the additions at the end of a row.
pub(super) const SPACED: &[crate::Model] =
    &[crate::Model::Zen3, crate::Model::Zen4, crate::Model::Zen5];

pub(super) use mont::{mont_mul_8, mont_sqr_8};
pub(super) use product::addmul_8;
pub(super) use reduce::{redc_8, subtract_once_8};
pub(super) use row::{addmul_1, submul_1};
pub(super) use square::{cross_8, double_add_squares};
