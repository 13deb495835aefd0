//! Products and squares modulo the prime p of P-256 in Montgomery form.
//!
//! As p is -1 modulo 2^64 the quotient digit of a limb is the limb itself. It leaves by `t p + t = t (2^256 - 2^224 + 2^192) + t
//! 2^96`: 2^96 t by shifts, the rest by one multiplication with p's highest limb.

use super::MulxAdx;
use crate::Limb;

/// A round of the reduction, rdx being p's highest limb and a 32: the multiple of p that makes `$w0` disappear is added, and
/// `$w0` becomes what is above.
#[rustfmt::skip]
macro_rules! round {
    ($w0:literal $w1:literal $w2:literal $w3:literal) => {
        concat!(
            "shlx {l}, {", $w0, "}, {a}\nshrx {h}, {", $w0, "}, {a}\n",
            "add {", $w1, "}, {l}\nadc {", $w2, "}, {h}\n",
            "mulx {", $w0, "}, {l}, {", $w0, "}\nadc {", $w3, "}, {l}\nadc {", $w0, "}, 0\n",
        )
    };
}

/// `r0..r7` over R, reduced to `r0..r3`: the lower half by rounds, to at most p, and then added to the upper half.
#[rustfmt::skip]
macro_rules! reduce {
    () => {
        concat!(
            "mov {a:e}, 32\nmov rdx, 0xffffffff00000001\n",
            round!("r0" "r1" "r2" "r3"),
            round!("r1" "r2" "r3" "r0"),
            round!("r2" "r3" "r0" "r1"),
            round!("r3" "r0" "r1" "r2"),
            "add {r0}, {r4}\nadc {r1}, {r5}\nadc {r2}, {r6}\nadc {r3}, {r7}\nsbb {a}, {a}\n",
            // Less p, unless that borrows from the carry.
            "mov {l:e}, 0xffffffff\n",
            "mov {r4}, {r0}\nsub {r4}, -1\n",
            "mov {r5}, {r1}\nsbb {r5}, {l}\n",
            "mov {r6}, {r2}\nsbb {r6}, 0\n",
            "mov {h}, {r3}\nsbb {h}, rdx\n",
            "sbb {a}, 0\n",
            "cmovnc {r0}, {r4}\ncmovnc {r1}, {r5}\ncmovnc {r2}, {r6}\ncmovnc {r3}, {h}\n",
        )
    };
}

/// # Safety
/// The processor has BMI2 and ADX.
#[inline(always)]
pub(in crate::fp) unsafe fn mul(a: &[Limb; 4], b: &[Limb; 4]) -> [Limb; 4] {
    let [r0, r1, r2, r3]: [Limb; 4];
    // SAFETY: reads four limbs of a and b; the processor is the caller's promise.
    unsafe {
        std::arch::asm!(
            product_4!("{a}", "{r7}"),
            reduce!(),
            a = inout(reg) a.as_ptr() => _,
            r0 = out(reg) r0, r1 = out(reg) r1, r2 = out(reg) r2, r3 = out(reg) r3,
            r4 = out(reg) _, r5 = out(reg) _, r6 = out(reg) _, r7 = inout(reg) b.as_ptr() => _,
            l = out(reg) _, h = out(reg) _, out("rdx") _,
            options(pure, readonly, nostack),
        );
    }
    [r0, r1, r2, r3]
}

/// # Safety
/// The processor has BMI2 and ADX.
#[inline(always)]
pub(in crate::fp) unsafe fn sqr(a: &[Limb; 4]) -> [Limb; 4] {
    let [r0, r1, r2, r3]: [Limb; 4];
    // SAFETY: reads four limbs; the processor is the caller's promise.
    unsafe {
        std::arch::asm!(
            square_4!("{a}"),
            reduce!(),
            a = inout(reg) a.as_ptr() => _,
            r0 = out(reg) r0, r1 = out(reg) r1, r2 = out(reg) r2, r3 = out(reg) r3,
            r4 = out(reg) _, r5 = out(reg) _, r6 = out(reg) _, r7 = out(reg) _,
            l = out(reg) _, h = out(reg) _, out("rdx") _,
            options(pure, readonly, nostack),
        );
    }
    [r0, r1, r2, r3]
}

impl MulxAdx {
    /// The product modulo the prime of P-256 of residues of four limbs; `None` of others.
    #[inline(always)]
    pub(in crate::fp) fn p256_mul(self, a: &[Limb], b: &[Limb]) -> Option<[Limb; 4]> {
        let (a, b) = (a.try_into().ok()?, b.try_into().ok()?);
        // SAFETY: `new` checked the processor.
        Some(unsafe { mul(a, b) })
    }

    /// The square, likewise.
    #[inline(always)]
    pub(in crate::fp) fn p256_sqr(self, a: &[Limb]) -> Option<[Limb; 4]> {
        // SAFETY: `new` checked the processor.
        Some(unsafe { sqr(a.try_into().ok()?) })
    }
}
