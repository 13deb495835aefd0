//! Rows of one limb.

use crate::Limb;
use core::arch::naked_asm;

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
pub(in crate::mpn) unsafe extern "sysv64" fn addmul_1(
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
pub(in crate::mpn) unsafe extern "sysv64" fn submul_1(
    r: *mut Limb,
    a: *const Limb,
    n: usize,
    b: Limb,
) -> Limb {
    addmul_row!("not r11\n")
}
