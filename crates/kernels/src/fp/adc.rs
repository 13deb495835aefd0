//! Sums of four limbs modulo any number on `adc` and `cmov`, which every processor has.

use crate::Limb;

/// `a + b`, less n where that is not below n.
#[inline(always)]
pub(super) fn add_4(a: &[Limb; 4], b: &[Limb; 4], n: &[Limb; 4]) -> [Limb; 4] {
    let [r0, r1, r2, r3]: [Limb; 4];
    // SAFETY: reads four limbs of each.
    unsafe {
        std::arch::asm!(
            "mov {r0}, [{a}]",
            "mov {r1}, [{a} + 8]",
            "mov {r2}, [{a} + 16]",
            "mov {r3}, [{a} + 24]",
            "add {r0}, [{b}]",
            "adc {r1}, [{b} + 8]",
            "adc {r2}, [{b} + 16]",
            "adc {r3}, [{b} + 24]",
            "sbb {carry}, {carry}",
            // Less n, unless that borrows from the carry.
            "mov {t0}, {r0}",
            "sub {t0}, [{n}]",
            "mov {t1}, {r1}",
            "sbb {t1}, [{n} + 8]",
            "mov {t2}, {r2}",
            "sbb {t2}, [{n} + 16]",
            "mov {t3}, {r3}",
            "sbb {t3}, [{n} + 24]",
            "sbb {carry}, 0",
            "cmovnc {r0}, {t0}",
            "cmovnc {r1}, {t1}",
            "cmovnc {r2}, {t2}",
            "cmovnc {r3}, {t3}",
            a = in(reg) a.as_ptr(), b = in(reg) b.as_ptr(), n = in(reg) n.as_ptr(),
            r0 = out(reg) r0, r1 = out(reg) r1, r2 = out(reg) r2, r3 = out(reg) r3,
            t0 = out(reg) _, t1 = out(reg) _, t2 = out(reg) _, t3 = out(reg) _, carry = out(reg) _,
            options(pure, readonly, nostack),
        );
    }
    [r0, r1, r2, r3]
}
