//! Products modulo 2^521 - 1.
//!
//! A window of nine limbs is in r8 to r15 and rbp, and the limb above in rdi in turn. A row adds a times a limb of b to it,
//! the lowest limb goes to the stack, and the window moves on by one register. What is above 2^521 is then added to what is
//! below: its limbs times 2^55 are aligned with those below.

use super::MulxAdx;
use crate::Limb;
use core::arch::naked_asm;

/// The window `$w0..$w8` plus rdx times a; the limb above is `$w9`, and the lowest goes to the stack.
#[rustfmt::skip]
macro_rules! row_9 {
    ($at:literal: $w0:literal $w1:literal $w2:literal $w3:literal $w4:literal $w5:literal $w6:literal $w7:literal $w8:literal $w9:literal) => {
        concat!(
            "mov rdx, [rbx + ", $at, "]\n",
            "xor ", $w9, ", ", $w9, "\n", // both chains: no carry
            "mulx rcx, rax, [rsi]\nadcx ", $w0, ", rax\nadox ", $w1, ", rcx\n",
            "mulx rcx, rax, [rsi + 8]\nadcx ", $w1, ", rax\nadox ", $w2, ", rcx\n",
            "mov [rsp + ", $at, "], ", $w0, "\n",
            "mulx rcx, rax, [rsi + 16]\nadcx ", $w2, ", rax\nadox ", $w3, ", rcx\n",
            "mulx rcx, rax, [rsi + 24]\nadcx ", $w3, ", rax\nadox ", $w4, ", rcx\n",
            "mulx rcx, rax, [rsi + 32]\nadcx ", $w4, ", rax\nadox ", $w5, ", rcx\n",
            "mulx rcx, rax, [rsi + 40]\nadcx ", $w5, ", rax\nadox ", $w6, ", rcx\n",
            "mulx rcx, rax, [rsi + 48]\nadcx ", $w6, ", rax\nadox ", $w7, ", rcx\n",
            "mulx rcx, rax, [rsi + 56]\nadcx ", $w7, ", rax\nadox ", $w8, ", rcx\n",
            "mulx rcx, rax, [rsi + 64]\nadcx ", $w8, ", rax\nadox rcx, ", $w9, "\nadcx ", $w9, ", rcx\n",
        )
    };
}

/// `$high div 2^9 + the limb below at $at`, and the lowest bits of `$next`.
#[rustfmt::skip]
macro_rules! fold_limb {
    ($at:literal: $high:literal $next:literal) => {
        concat!(
            "mulx ", $next, ", rax, ", $next, "\n",
            "adcx ", $high, ", rax\nadox ", $high, ", [rsp + ", $at, "]\n",
        )
    };
}

/// The end: limbs 0 to 7 of a product are on the stack, where r is behind limb 8; limbs 8 to 16 in rbp, rdi, r8 to r14. It has
/// 1042 bits.
#[rustfmt::skip]
macro_rules! fold {
    () => {
        concat!(
            "mov rdx, 0x80000000000000\n",
            "mov ecx, 511\n",
            "and rcx, rbp\n",
            "mov [rsp + 64], rcx\n",
            "xor eax, eax\n", // both chains: no carry
            "mulx rbp, rax, rbp\n",
            fold_limb!("0": "rbp" "rdi"),
            fold_limb!("8": "rdi" "r8"),
            fold_limb!("16": "r8" "r9"),
            fold_limb!("24": "r9" "r10"),
            fold_limb!("32": "r10" "r11"),
            fold_limb!("40": "r11" "r12"),
            fold_limb!("48": "r12" "r13"),
            fold_limb!("56": "r13" "r14"),
            "mov eax, 0\n",
            "adcx r14, rax\n",
            "adox r14, [rsp + 64]\n",
            // Below 2^522: what is above 2^521 once more.
            "mov rax, r14\n",
            "shr rax, 9\n",
            "and r14, 511\n",
            "mov rcx, [rsp + 72]\n",
            "add rbp, rax\n",
            "mov [rcx], rbp\n",
            "adc rdi, 0\n",
            "mov [rcx + 8], rdi\n",
            "adc r8, 0\n",
            "mov [rcx + 16], r8\n",
            "adc r9, 0\n",
            "mov [rcx + 24], r9\n",
            "adc r10, 0\n",
            "mov [rcx + 32], r10\n",
            "adc r11, 0\n",
            "mov [rcx + 40], r11\n",
            "adc r12, 0\n",
            "mov [rcx + 48], r12\n",
            "adc r13, 0\n",
            "mov [rcx + 56], r13\n",
            "adc r14, 0\n",
            "mov [rcx + 64], r14\n",
            "add rsp, 80\n",
            "pop r15\n",
            "pop r14\n",
            "pop r13\n",
            "pop r12\n",
            "pop rbp\n",
            "pop rbx\n",
            "ret\n",
        )
    };
}

/// `r[9] := a[9] b[9] mod 2^521 - 1`, at most the modulus, as the factors are.
///
/// # Safety
/// The lengths as said; the processor has BMI2 and ADX.
#[unsafe(naked)]
pub(in crate::fp) unsafe extern "sysv64" fn mul(r: *mut Limb, a: *const Limb, b: *const Limb) {
    naked_asm!(
        "push rbx",
        "push rbp",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "push rdi",
        "sub rsp, 72",
        "mov rbx, rdx",
        "mov rdx, [rbx]",
        "mulx r9, r8, [rsi]",
        "mov [rsp], r8",
        "mulx r10, rax, [rsi + 8]",
        "add r9, rax",
        "mulx r11, rax, [rsi + 16]",
        "adc r10, rax",
        "mulx r12, rax, [rsi + 24]",
        "adc r11, rax",
        "mulx r13, rax, [rsi + 32]",
        "adc r12, rax",
        "mulx r14, rax, [rsi + 40]",
        "adc r13, rax",
        "mulx r15, rax, [rsi + 48]",
        "adc r14, rax",
        "mulx rbp, rax, [rsi + 56]",
        "adc r15, rax",
        "mulx rdi, rax, [rsi + 64]",
        "adc rbp, rax",
        "adc rdi, 0",
        row_9!("8": "r9" "r10" "r11" "r12" "r13" "r14" "r15" "rbp" "rdi" "r8"),
        row_9!("16": "r10" "r11" "r12" "r13" "r14" "r15" "rbp" "rdi" "r8" "r9"),
        row_9!("24": "r11" "r12" "r13" "r14" "r15" "rbp" "rdi" "r8" "r9" "r10"),
        row_9!("32": "r12" "r13" "r14" "r15" "rbp" "rdi" "r8" "r9" "r10" "r11"),
        row_9!("40": "r13" "r14" "r15" "rbp" "rdi" "r8" "r9" "r10" "r11" "r12"),
        row_9!("48": "r14" "r15" "rbp" "rdi" "r8" "r9" "r10" "r11" "r12" "r13"),
        row_9!("56": "r15" "rbp" "rdi" "r8" "r9" "r10" "r11" "r12" "r13" "r14"),
        row_9!("64": "rbp" "rdi" "r8" "r9" "r10" "r11" "r12" "r13" "r14" "r15"),
        fold!(),
    )
}

/// Limb `$at` of a squared: rcx and rax.
#[rustfmt::skip]
macro_rules! square {
    ($at:literal) => {
        concat!("mov rdx, [rsi + ", $at, "]\nmulx rcx, rax, rdx\n")
    };
}

/// A limb doubled by one chain, part of a square added by the other.
#[rustfmt::skip]
macro_rules! double {
    ($limb:literal $part:literal) => {
        concat!("adcx ", $limb, ", ", $limb, "\nadox ", $limb, ", ", $part, "\n")
    };
    ($limb:literal at $at:literal $part:literal) => {
        concat!("mov ", $limb, ", [rsp + ", $at, "]\n", double!($limb $part), "mov [rsp + ", $at, "], ", $limb, "\n")
    };
}

/// `r[9] := a[9]^2 mod 2^521 - 1`, at most the modulus, as a is.
///
/// # Safety
/// The lengths as said; the processor has BMI2 and ADX.
#[unsafe(naked)]
pub(in crate::fp) unsafe extern "sysv64" fn sqr(r: *mut Limb, a: *const Limb) {
    naked_asm!(
        "push rbx",
        "push rbp",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "push rdi",
        "sub rsp, 72",
        // Products of different limbs: limbs 1 to 8 go to the stack, limbs 9 to 16 stay in rdi, r8 to r14.
        "mov rdx, [rsi]",
        "mulx r9, r8, [rsi + 8]",
        "mov [rsp + 8], r8",
        "mulx r10, rax, [rsi + 16]",
        "add r9, rax",
        "mov [rsp + 16], r9",
        "mulx r11, rax, [rsi + 24]",
        "adc r10, rax",
        "mulx r12, rax, [rsi + 32]",
        "adc r11, rax",
        "mulx r13, rax, [rsi + 40]",
        "adc r12, rax",
        "mulx r14, rax, [rsi + 48]",
        "adc r13, rax",
        "mulx r15, rax, [rsi + 56]",
        "adc r14, rax",
        "mulx rdi, rax, [rsi + 64]",
        "adc r15, rax",
        "adc rdi, 0",
        "mov rdx, [rsi + 8]",
        cross!("r8": "16" "r10" "r11", "24" "r11" "r12", "32" "r12" "r13", "40" "r13" "r14", "48" "r14" "r15", "56" "r15" "rdi", "64" "rdi" "r8"),
        "mov [rsp + 24], r10",
        "mov [rsp + 32], r11",
        "mov rdx, [rsi + 16]",
        cross!("r9": "24" "r12" "r13", "32" "r13" "r14", "40" "r14" "r15", "48" "r15" "rdi", "56" "rdi" "r8", "64" "r8" "r9"),
        "mov [rsp + 40], r12",
        "mov [rsp + 48], r13",
        "mov rdx, [rsi + 24]",
        cross!("r10": "32" "r14" "r15", "40" "r15" "rdi", "48" "rdi" "r8", "56" "r8" "r9", "64" "r9" "r10"),
        "mov [rsp + 56], r14",
        "mov [rsp + 64], r15",
        "mov rdx, [rsi + 32]",
        cross!("r11": "40" "rdi" "r8", "48" "r8" "r9", "56" "r9" "r10", "64" "r10" "r11"),
        "mov rdx, [rsi + 40]",
        cross!("r12": "48" "r9" "r10", "56" "r10" "r11", "64" "r11" "r12"),
        "mov rdx, [rsi + 48]",
        cross!("r13": "56" "r11" "r12", "64" "r12" "r13"),
        "mov rdx, [rsi + 56]",
        cross!("r14": "64" "r13" "r14"),
        // Doubled, with the squares of limbs.
        "xor eax, eax",
        square!("0"),
        "mov [rsp], rax",
        double!("rbp" at "8" "rcx"),
        square!("8"),
        double!("rbp" at "16" "rax"),
        double!("rbp" at "24" "rcx"),
        square!("16"),
        double!("rbp" at "32" "rax"),
        double!("rbp" at "40" "rcx"),
        square!("24"),
        double!("rbp" at "48" "rax"),
        double!("rbp" at "56" "rcx"),
        square!("32"),
        double!("rbp" at "64" "rax"),
        double!("rdi" "rcx"),
        square!("40"),
        double!("r8" "rax"),
        double!("r9" "rcx"),
        square!("48"),
        double!("r10" "rax"),
        double!("r11" "rcx"),
        square!("56"),
        double!("r12" "rax"),
        double!("r13" "rcx"),
        square!("64"),
        double!("r14" "rax"),
        fold!(),
    )
}

impl MulxAdx {
    /// The product modulo 2^521 - 1 of numbers that are at most that.
    #[inline(always)]
    pub(in crate::fp) fn p521_mul(self, a: &[Limb; 9], b: &[Limb; 9]) -> [Limb; 9] {
        let mut r = [0; 9];
        // SAFETY: nine limbs each; `new` checked the processor.
        unsafe { mul(r.as_mut_ptr(), a.as_ptr(), b.as_ptr()) };
        r
    }

    /// The square, likewise.
    #[inline(always)]
    pub(in crate::fp) fn p521_sqr(self, a: &[Limb; 9]) -> [Limb; 9] {
        let mut r = [0; 9];
        // SAFETY: nine limbs each; `new` checked the processor.
        unsafe { sqr(r.as_mut_ptr(), a.as_ptr()) };
        r
    }
}
