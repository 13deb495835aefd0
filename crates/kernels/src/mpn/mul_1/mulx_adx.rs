//! `mulx` products, the high halves added along one carry chain, four limbs a turn.

use crate::Limb;
use core::arch::asm;

/// # Safety
/// The contract of `mpn_mul_1`; the processor has BMI2 and ADX.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize, b: Limb) -> Limb {
    let high: Limb;
    // SAFETY: reads a[n], writes r[n], each limb after its source was read.
    unsafe {
        asm!(
            "xor {h:e}, {h:e}",
            "test {tail}, {tail}",          // carry flag = 0
            "jz 3f",
            "2:",                           // n mod 4 single limbs first
            "mulx {x}, {l}, [{a}]",
            "adc {l}, {h}",
            "mov [{r}], {l}",
            "mov {h}, {x}",
            "lea {a}, [{a} + 8]",
            "lea {r}, [{r} + 8]",
            "dec {tail}",
            "jnz 2b",
            "3:",
            "inc {turns}",                  // inc and dec leave the carry flag alone
            "dec {turns}",
            "jz 5f",
            "4:",
            "mulx {x}, {l}, [{a}]",
            "adc {l}, {h}",
            "mov [{r}], {l}",
            "mulx {h}, {l}, [{a} + 8]",
            "adc {l}, {x}",
            "mov [{r} + 8], {l}",
            "mulx {x}, {l}, [{a} + 16]",
            "adc {l}, {h}",
            "mov [{r} + 16], {l}",
            "mulx {h}, {l}, [{a} + 24]",
            "adc {l}, {x}",
            "mov [{r} + 24], {l}",
            "lea {a}, [{a} + 32]",
            "lea {r}, [{r} + 32]",
            "dec {turns}",
            "jnz 4b",
            "5:",
            "adc {h}, 0",
            a = inout(reg) a => _,
            r = inout(reg) r => _,
            tail = inout(reg) n % 4 => _,
            turns = inout(reg) n / 4 => _,
            in("rdx") b,
            x = out(reg) _,
            l = out(reg) _,
            h = out(reg) high,
            options(nostack),
        );
    }
    high
}
