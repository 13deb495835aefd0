//! Rows of one limb on `mul` and `adc`, which every x86-64 processor has: four limbs a turn.
//!
//! `mul` changes the carry flag. So the products of a turn come first, then a chain that joins their halves, and one that
//! adds them to r. The carry is a word from turn to turn.

use super::rows::Rows;
use crate::Limb;
use core::arch::asm;

/// The product of limb `$k` of a: its halves stay in `rax` and `rdx`.
macro_rules! limb {
    ($k:literal) => {
        concat!("mov rax, [{a} + 8*", $k, "]\nmul {b}\n")
    };
}

/// One limb of a row: `$store` takes the sum in `rax` to r, and leaves a carry for `rdx`.
macro_rules! single {
    ($store:expr) => {
        concat!(
            limb!("0"),
            "add rax, {c}\nadc rdx, 0\n",
            $store,
            "adc rdx, 0\nmov {c}, rdx\n",
        )
    };
}

/// The body of a kernel `(r, a, n, b) -> carry limb`: n mod 4 single limbs, then four a turn. `$one` and `$four` take the
/// sums in `rax`, or `l0`, `l1`, `l2` and `rax`, to r, and leave a carry.
macro_rules! row {
    ($r:ident, $a:ident, $n:ident, $b:ident, one: $one:expr, four: $four:expr) => {{
        let carry: Limb;
        asm!(
            "xor {c:e}, {c:e}",
            "mov {turns:e}, {n:e}",
            "and {turns:e}, 3",
            "jz 3f",
            "2:",
            single!($one),
            "lea {a}, [{a} + 8]",
            "lea {r}, [{r} + 8]",
            "dec {turns:e}",
            "jnz 2b",
            "3:",
            "shr {n}, 2",
            "jz 5f",
            "4:",
            limb!("0"),
            "mov {l0}, rax",
            "mov {h0}, rdx",
            "add {l0}, {c}",
            "adc {h0}, 0",
            limb!("1"),
            "mov {l1}, rax",
            "mov {c}, rdx",
            limb!("2"),
            "mov {l2}, rax",
            "mov {turns}, rdx",
            limb!("3"),
            "add {l1}, {h0}",
            "adc {l2}, {c}",
            "adc rax, {turns}",
            "adc rdx, 0",
            $four,
            "adc rdx, 0",
            "mov {c}, rdx",
            "lea {a}, [{a} + 32]",
            "lea {r}, [{r} + 32]",
            "dec {n}",
            "jnz 4b",
            "5:",
            a = inout(reg) $a => _,
            r = inout(reg) $r => _,
            n = inout(reg) $n => _,
            b = in(reg) $b,
            c = out(reg) carry,
            turns = out(reg) _,
            l0 = out(reg) _,
            l1 = out(reg) _,
            l2 = out(reg) _,
            h0 = out(reg) _,
            out("rax") _,
            out("rdx") _,
            options(nostack),
        );
        carry
    }};
}

/// `mpn_mul_1`.
///
/// # Safety
/// The contract of the operation.
pub(super) unsafe fn mul_1(r: *mut Limb, a: *const Limb, n: usize, b: Limb) -> Limb {
    // SAFETY: reads and writes n limbs.
    unsafe {
        row!(r, a, n, b,
            one: "mov [{r}], rax\ntest eax, eax\n",
            four: "mov [{r}], {l0}\nmov [{r} + 8], {l1}\nmov [{r} + 16], {l2}\nmov [{r} + 24], rax\ntest eax, eax\n")
    }
}

/// `mpn_addmul_1`.
///
/// # Safety
/// The contract of the operation.
pub(super) unsafe fn addmul_1(r: *mut Limb, a: *const Limb, n: usize, b: Limb) -> Limb {
    // SAFETY: reads and writes n limbs.
    unsafe {
        row!(r, a, n, b,
        one: "add [{r}], rax\n",
        four: concat!(
            "add {l0}, [{r}]\nadc {l1}, [{r} + 8]\nadc {l2}, [{r} + 16]\nadc rax, [{r} + 24]\n",
            "mov [{r}], {l0}\nmov [{r} + 8], {l1}\nmov [{r} + 16], {l2}\nmov [{r} + 24], rax\n",
        ))
    }
}

/// `mpn_submul_1`.
///
/// # Safety
/// The contract of the operation.
pub(super) unsafe fn submul_1(r: *mut Limb, a: *const Limb, n: usize, b: Limb) -> Limb {
    // SAFETY: reads and writes n limbs.
    unsafe {
        row!(r, a, n, b,
        one: "sub [{r}], rax\n",
        four: concat!(
            "mov {c}, [{r}]\nsub {c}, {l0}\nmov [{r}], {c}\n",
            "mov {c}, [{r} + 8]\nsbb {c}, {l1}\nmov [{r} + 8], {c}\n",
            "mov {c}, [{r} + 16]\nsbb {c}, {l2}\nmov [{r} + 16], {c}\n",
            "mov {c}, [{r} + 24]\nsbb {c}, rax\nmov [{r} + 24], {c}\n",
        ))
    }
}

/// Rows on `mul` and `adc`.
pub(super) struct MulAdc;

impl Rows for MulAdc {
    #[inline(always)]
    unsafe fn mul_1(r: *mut Limb, a: *const Limb, n: usize, b: Limb) -> Limb {
        // SAFETY: the contract.
        unsafe { mul_1(r, a, n, b) }
    }

    #[inline(always)]
    unsafe fn addmul_1(r: *mut Limb, a: *const Limb, n: usize, b: Limb) -> Limb {
        // SAFETY: the contract.
        unsafe { addmul_1(r, a, n, b) }
    }

    #[inline(always)]
    unsafe fn sub_n(r: *mut Limb, a: *const Limb, b: *const Limb, n: usize) -> Limb {
        // SAFETY: the contract.
        unsafe { super::sub_n::sbb(r, a, b, n) }
    }
}
