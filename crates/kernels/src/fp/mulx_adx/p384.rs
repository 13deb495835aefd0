//! Products modulo the prime p of P-384 in Montgomery form: p is `2^384 - 2^128 - 2^96 + 2^32 - 1`.
//!
//! A window of seven limbs and a carry is in r8 to r15. A row adds a times a limb of b to it; a round of the reduction makes
//! its lowest limb t disappear, and the window moves on by one register. As `p = 2^32 - 1` modulo 2^64 the quotient digit is
//! `q = t + 2^32 t`, and `q p = 2^384 q - (2^128 + 2^96 - 2^32 + 1) q` needs no multiplication.

use super::MulxAdx;
use crate::Limb;
use core::arch::naked_asm;

/// The window `$w0..$w6` plus rdx times a; the carry goes to `$w7`.
#[rustfmt::skip]
macro_rules! row_6 {
    ($w0:literal $w1:literal $w2:literal $w3:literal $w4:literal $w5:literal $w6:literal $w7:literal) => {
        concat!(
            "xor ", $w7, ", ", $w7, "\n", // both chains: no carry
            "mulx rcx, rax, [rsi]\nadcx ", $w0, ", rax\nadox ", $w1, ", rcx\n",
            "mulx rcx, rax, [rsi + 8]\nadcx ", $w1, ", rax\nadox ", $w2, ", rcx\n",
            "mulx rcx, rax, [rsi + 16]\nadcx ", $w2, ", rax\nadox ", $w3, ", rcx\n",
            "mulx rcx, rax, [rsi + 24]\nadcx ", $w3, ", rax\nadox ", $w4, ", rcx\n",
            "mulx rcx, rax, [rsi + 32]\nadcx ", $w4, ", rax\nadox ", $w5, ", rcx\n",
            "mulx rcx, rax, [rsi + 40]\nadcx ", $w5, ", rax\nadox ", $w6, ", rcx\n",
            "adcx ", $w6, ", ", $w7, "\nadox ", $w7, ", ", $w7, "\nadc ", $w7, ", 0\n",
        )
    };
}

/// A round of the reduction, rbp being 32: `$w0` becomes free. rdi is what has yet to be taken from `$w2`, and then from the
/// limb above it, at most 2: so nothing borrows from the limbs above before the end.
#[rustfmt::skip]
macro_rules! round {
    ($w0:literal $w1:literal $w2:literal, $w6:literal $w7:literal) => {
        concat!(
            // q, and (2^128 + 2^96 - 2^32 + 1) q above its lowest limb, which is t, in rax, rcx and rdi. Before q is
            // added rcx is at most 2^32 + 1: the first addition does not carry.
            "shlx rax, ", $w0, ", rbp\nadd ", $w0, ", rax\n",
            "shrx rcx, ", $w0, ", rbp\nsbb rax, rcx\nsbb rcx, 0\n",
            "add rcx, rdi\nmov edi, 0\nadd rcx, ", $w0, "\nadc rdi, 0\n",
            "sub ", $w1, ", rax\nsbb ", $w2, ", rcx\nadc rdi, 0\n",
            "add ", $w6, ", ", $w0, "\nadc ", $w7, ", 0\n",
        )
    };
}

/// `$t.. := $w..` less p, unless that borrows from the carry `-$carry`. Uses rax.
#[rustfmt::skip]
macro_rules! subtract {
    ($w0:literal $w1:literal $w2:literal $w3:literal $w4:literal $w5:literal - $carry:literal: $t0:literal $t1:literal $t2:literal $t3:literal $t4:literal $t5:literal) => {
        concat!(
            "mov eax, 0xffffffff\n",
            "mov ", $t0, ", ", $w0, "\nsub ", $t0, ", rax\nnot rax\n",
            "mov ", $t1, ", ", $w1, "\nsbb ", $t1, ", rax\n",
            "mov ", $t2, ", ", $w2, "\nsbb ", $t2, ", -2\n",
            "mov ", $t3, ", ", $w3, "\nsbb ", $t3, ", -1\n",
            "mov ", $t4, ", ", $w4, "\nsbb ", $t4, ", -1\n",
            "mov ", $t5, ", ", $w5, "\nsbb ", $t5, ", -1\n",
            "sbb ", $carry, ", 0\n",
            "cmovc ", $t0, ", ", $w0, "\ncmovc ", $t1, ", ", $w1, "\ncmovc ", $t2, ", ", $w2, "\n",
            "cmovc ", $t3, ", ", $w3, "\ncmovc ", $t4, ", ", $w4, "\ncmovc ", $t5, ", ", $w5, "\n",
        )
    };
}

#[rustfmt::skip]
macro_rules! store {
    ($r:literal: $t0:literal $t1:literal $t2:literal $t3:literal $t4:literal $t5:literal) => {
        concat!(
            "mov [", $r, "], ", $t0, "\nmov [", $r, " + 8], ", $t1, "\nmov [", $r, " + 16], ", $t2, "\n",
            "mov [", $r, " + 24], ", $t3, "\nmov [", $r, " + 32], ", $t4, "\nmov [", $r, " + 40], ", $t5, "\n",
        )
    };
}

/// `r[6] := a[6] b[6] / 2^384 mod p`, for factors below p.
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
        "xor edi, edi",
        "mov rbx, rdx",
        "mov ebp, 32",
        "mov rdx, [rbx]",
        "xor r15d, r15d",
        "mulx r9, r8, [rsi]",
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
        "adc r14, 0",
        round!("r8" "r9" "r10", "r14" "r15"),
        "mov rdx, [rbx + 8]",
        row_6!("r9" "r10" "r11" "r12" "r13" "r14" "r15" "r8"),
        round!("r9" "r10" "r11", "r15" "r8"),
        "mov rdx, [rbx + 16]",
        row_6!("r10" "r11" "r12" "r13" "r14" "r15" "r8" "r9"),
        round!("r10" "r11" "r12", "r8" "r9"),
        "mov rdx, [rbx + 24]",
        row_6!("r11" "r12" "r13" "r14" "r15" "r8" "r9" "r10"),
        round!("r11" "r12" "r13", "r9" "r10"),
        "mov rdx, [rbx + 32]",
        row_6!("r12" "r13" "r14" "r15" "r8" "r9" "r10" "r11"),
        round!("r12" "r13" "r14", "r10" "r11"),
        "mov rdx, [rbx + 40]",
        row_6!("r13" "r14" "r15" "r8" "r9" "r10" "r11" "r12"),
        round!("r13" "r14" "r15", "r11" "r12"),
        "sub r8, rdi",
        "sbb r9, 0",
        "sbb r10, 0",
        "sbb r11, 0",
        "sbb r12, 0",
        "neg r12",
        "pop rdi",
        subtract!("r14" "r15" "r8" "r9" "r10" "r11" - "r12": "rdx" "rbx" "rbp" "rsi" "r13" "rcx"),
        store!("rdi": "rdx" "rbx" "rbp" "rsi" "r13" "rcx"),
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbp",
        "pop rbx",
        "ret",
    )
}

/// Two limbs doubled by one chain, the square of the limb of a at `$at` added by the other.
#[rustfmt::skip]
macro_rules! double {
    ($at:literal $low:literal $high:literal) => {
        concat!(
            "mov rdx, [rsi + ", $at, "]\nmulx rcx, rax, rdx\n",
            "adcx ", $low, ", ", $low, "\nadox ", $low, ", rax\n",
            "adcx ", $high, ", ", $high, "\nadox ", $high, ", rcx\n",
        )
    };
}

/// A round on the lower half of a product alone, with rdx in place of rdi: `$w0` becomes q, which is added to the upper half
/// in the end.
#[rustfmt::skip]
macro_rules! round_low {
    ($w0:literal $w1:literal $w2:literal) => {
        concat!(
            "mov rax, ", $w0, "\nshl rax, 32\nadd ", $w0, ", rax\n",
            "mov rcx, ", $w0, "\nshr rcx, 32\ncmp ", $w0, ", rax\nsbb rax, rcx\nsbb rcx, 0\n",
            "add rcx, rdx\nmov edx, 0\nadd rcx, ", $w0, "\nadc rdx, 0\n",
            "sub ", $w1, ", rax\nsbb ", $w2, ", rcx\nadc rdx, 0\n",
        )
    };
}

/// `r[6] := a[6]^2 / 2^384 mod p`, for a below p.
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
        // Products of different limbs: limbs 1 to 10 in r8 to r15, rbp, rbx.
        "mov rdx, [rsi]",
        "mulx r9, r8, [rsi + 8]",
        "mulx r10, rax, [rsi + 16]",
        "add r9, rax",
        "mulx r11, rax, [rsi + 24]",
        "adc r10, rax",
        "mulx r12, rax, [rsi + 32]",
        "adc r11, rax",
        "mulx r13, rax, [rsi + 40]",
        "adc r12, rax",
        "adc r13, 0",
        "mov rdx, [rsi + 8]",
        cross!("r14": "16" "r10" "r11", "24" "r11" "r12", "32" "r12" "r13", "40" "r13" "r14"),
        "mov rdx, [rsi + 16]",
        cross!("r15": "24" "r12" "r13", "32" "r13" "r14", "40" "r14" "r15"),
        "mov rdx, [rsi + 24]",
        cross!("rbp": "32" "r14" "r15", "40" "r15" "rbp"),
        "mov rdx, [rsi + 32]",
        cross!("rbx": "40" "rbp" "rbx"),
        // The lowest limb on the stack, the highest in rdi.
        "xor edi, edi",
        "mov rdx, [rsi]",
        "mulx rcx, rax, rdx",
        "push rax",
        "adcx r8, r8",
        "adox r8, rcx",
        double!("8" "r9" "r10"),
        double!("16" "r11" "r12"),
        double!("24" "r13" "r14"),
        double!("32" "r15" "rbp"),
        double!("40" "rbx" "rdi"),
        "pop rsi",
        "xor edx, edx",
        round_low!("rsi" "r8" "r9"),
        round_low!("r8" "r9" "r10"),
        round_low!("r9" "r10" "r11"),
        round_low!("r10" "r11" "r12"),
        round_low!("r11" "r12" "r13"),
        round_low!("r12" "r13" "r14"),
        "sub r15, rdx",
        "sbb rbp, 0",
        "sbb rbx, 0",
        "sbb rdi, 0",
        "sbb rdx, rdx",
        "add r13, rsi",
        "adc r14, r8",
        "adc r15, r9",
        "adc rbp, r10",
        "adc rbx, r11",
        "adc rdi, r12",
        "adc rdx, 0",
        "neg rdx",
        subtract!("r13" "r14" "r15" "rbp" "rbx" "rdi" - "rdx": "rsi" "r8" "r9" "r10" "r11" "r12"),
        "pop rcx",
        store!("rcx": "rsi" "r8" "r9" "r10" "r11" "r12"),
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbp",
        "pop rbx",
        "ret",
    )
}

impl MulxAdx {
    /// The product modulo the prime of P-384 of residues of six limbs; `None` of others.
    #[inline(always)]
    pub(in crate::fp) fn p384_mul(self, a: &[Limb], b: &[Limb]) -> Option<[Limb; 6]> {
        let (a, b): (&[Limb; 6], &[Limb; 6]) = (a.try_into().ok()?, b.try_into().ok()?);
        let mut r = [0; 6];
        // SAFETY: six limbs each; `new` checked the processor.
        unsafe { mul(r.as_mut_ptr(), a.as_ptr(), b.as_ptr()) };
        Some(r)
    }

    /// The square, likewise.
    #[inline(always)]
    pub(in crate::fp) fn p384_sqr(self, a: &[Limb]) -> Option<[Limb; 6]> {
        let (a, mut r): (&[Limb; 6], _) = (a.try_into().ok()?, [0; 6]);
        // SAFETY: six limbs each; `new` checked the processor.
        unsafe { sqr(r.as_mut_ptr(), a.as_ptr()) };
        Some(r)
    }
}
