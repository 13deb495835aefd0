//! Rows of one limb.

use crate::Limb;
use core::arch::naked_asm;

/// One limb of a row: `r := r + a * rdx + carry`, or `not r := not r + ...`, the carry limb passing from `$from` to
/// `$to`.
#[rustfmt::skip]
macro_rules! addmul_limb {
    (add $k:literal, $from:literal, $to:literal) => {
        concat!(
            "mulx ", $to, ", rax, [rsi + 8*", $k, "]\n",
            "adcx rax, ", $from, "\n",
            "adox rax, [rdi + 8*", $k, "]\n",
            "mov [rdi + 8*", $k, "], rax\n",
        )
    };
    (sub $k:literal, $from:literal, $to:literal) => {
        concat!(
            "mulx ", $to, ", rax, [rsi + 8*", $k, "]\n",
            "mov r11, [rdi + 8*", $k, "]\n",
            "not r11\n",
            "adcx rax, ", $from, "\n",
            "adox r11, rax\n",
            "not r11\n",
            "mov [rdi + 8*", $k, "], r11\n",
        )
    };
}

/// A row kernel `(r, a, n, b) -> carry limb`: n mod 8 single limbs, then eight a turn.
macro_rules! addmul_row {
    ($sign:ident) => {
        naked_asm!(
            "mov r8, rdx",
            "mov rdx, rcx",
            "mov ecx, r8d",
            "and ecx, 7",
            "shr r8, 3",
            "xor r9d, r9d", // carry limb; both carry flags = 0
            ".p2align 5",
            "2:",
            "jrcxz 3f",
            addmul_limb!($sign "0", "r9", "r10"),
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
            ".p2align 5",
            "4:",
            addmul_limb!($sign "0", "r9", "r10"),
            addmul_limb!($sign "1", "r10", "r9"),
            addmul_limb!($sign "2", "r9", "r10"),
            addmul_limb!($sign "3", "r10", "r9"),
            addmul_limb!($sign "4", "r9", "r10"),
            addmul_limb!($sign "5", "r10", "r9"),
            addmul_limb!($sign "6", "r9", "r10"),
            addmul_limb!($sign "7", "r10", "r9"),
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
pub(in crate::mpn) unsafe extern "sysv64" fn addmul_1(
    r: *mut Limb,
    a: *const Limb,
    n: usize,
    b: Limb,
) -> Limb {
    addmul_row!(add)
}

/// `r[n] -= a[n] * b`; returns the borrow limb. Works on the complement: r - a * b = not (not r + a * b).
///
/// # Safety
/// The contract of `mpn_submul_1`, n = 0 allowed; the processor has BMI2 and ADX.
#[unsafe(naked)]
pub(in crate::mpn) unsafe extern "sysv64" fn submul_1(
    r: *mut Limb,
    a: *const Limb,
    n: usize,
    b: Limb,
) -> Limb {
    addmul_row!(sub)
}
