//! Squares of whole blocks.

use crate::Limb;
use core::arch::naked_asm;

/// Row x of the triangle: adds a_x * a_y for y > x, and sends off the two limbs that are finished then.
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

/// `t[16p] :=` the sum of `a_x * a_y * 2^(64(x + y))` over x < y: a square's cross products, each once.
///
/// Row i of blocks is the triangle of its own eight limbs, and then the blocks to the right of it. It writes
/// `t[16i .. 8(i + p + 1)]`, the upper eight limbs for the first time; the first row finds nothing there.
///
/// # Safety
/// The lengths as said, p >= 1; `t` does not overlap `a`; the processor has BMI2 and ADX.
#[unsafe(naked)]
pub(in crate::mpn) unsafe extern "sysv64" fn cross_8(t: *mut Limb, a: *const Limb, p: usize) {
    naked_asm!(
        // [rsp + 24] t, [rsp + 32] blocks from here on; rbx a of this row
        enter!("40"),
        "mov rbx, rsi",
        "mov [rsp + 8], rbp",
        "mov [rsp + 24], rdi",
        "mov [rsp + 32], rdx",
        "mov [rdi], rbp", // no product is as low
        window!(zero),
        "5:",
        "mov rax, [rsp + 32]",
        "dec rax",
        "mov [rsp], rax",
        "mov [rsp + 16], rbp",
        // Limb k of the triangle is in r(8 + k mod 8), for k from 1 to 15.
        triangle_row!("0"; "1" "r9" "r10", "2" "r10" "r11", "3" "r11" "r12", "4" "r12" "r13", "5" "r13" "r14", "6" "r14" "r15";
            "r15" "r8"; "mov [rdi + 8], r9", "mov [rdi + 16], r10"),
        triangle_row!("1"; "2" "r11" "r12", "3" "r12" "r13", "4" "r13" "r14", "5" "r14" "r15", "6" "r15" "r8";
            "r8" "r9"; "mov [rdi + 24], r11", "mov [rdi + 32], r12"),
        triangle_row!("2"; "3" "r13" "r14", "4" "r14" "r15", "5" "r15" "r8", "6" "r8" "r9";
            "r9" "r10"; "mov [rdi + 40], r13", "mov [rdi + 48], r14"),
        triangle_row!("3"; "4" "r15" "r8", "5" "r8" "r9", "6" "r9" "r10";
            "r10" "r11"; "mov [rdi + 56], r15"),
        triangle_row!("4"; "5" "r9" "r10", "6" "r10" "r11"; "r11" "r12"; ""),
        triangle_row!("5"; "6" "r11" "r12"; "r12" "r13"; ""),
        triangle_row!("6"; ; "r13" "r14"; ""),
        "xor r15d, r15d",
        "add rsi, 64",
        "add rdi, 64",
        blocks!("2"),
        window!(ripple "[rsp + 16]"),
        window!(store "rdi"),
        "mov rdi, [rsp + 24]",
        "dec qword ptr [rsp + 32]",
        "jz 6f",
        "mov qword ptr [rsp + 8], 1",
        "add rbx, 64",
        "mov rsi, rbx",
        "add rdi, 128",
        "mov [rsp + 24], rdi",
        window!(load "rdi"),
        "jmp 5b",
        "6:",
        leave!("40"),
    )
}

/// `t_2k, t_2k+1 := 2 * t_2k, t_2k+1 + a_k^2`: the doubling's carry is CF, the addition's OF.
#[rustfmt::skip]
macro_rules! double_add_square {
    ($k:literal) => {
        concat!(
            "mov rdx, [rsi + 8*", $k, "]\n",
            "mulx r9, r8, rdx\n",
            "mov r10, [rdi + 16*", $k, "]\n",
            "mov r11, [rdi + 16*", $k, " + 8]\n",
            "adcx r10, r10\n",
            "adox r10, r8\n",
            "mov [rdi + 16*", $k, "], r10\n",
            "adcx r11, r11\n",
            "adox r11, r9\n",
            "mov [rdi + 16*", $k, " + 8], r11\n",
        )
    };
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
        double_add_square!("0"),
        "lea rsi, [rsi + 8]",
        "lea rdi, [rdi + 16]",
        "lea rcx, [rcx - 1]",
        "jmp 2b",
        "3:",
        "mov rcx, rax",
        "jmp 6f",
        "4:", // then eight a turn
        double_add_square!("0"),
        double_add_square!("1"),
        double_add_square!("2"),
        double_add_square!("3"),
        double_add_square!("4"),
        double_add_square!("5"),
        double_add_square!("6"),
        double_add_square!("7"),
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
