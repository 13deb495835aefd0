//! AVX2: 4 words at a time, in assembly, as no other thread may write to what Rust loads or stores at once.

use crate::Limb;
use core::arch::asm;

/// # Safety
/// The contract of `mpn_copy_shared`; the processor has AVX2.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize) {
    let whole = n / 4 * 4;
    // SAFETY: reads a[whole] and writes r[whole], one register after the other; then the words after them.
    unsafe {
        let (end, from) = (r.add(whole), a.add(whole));
        if whole > 0 {
            asm!(
                "2:",
                "vmovdqu ymm0, [{from} + 8*rcx]",
                "vmovdqu [{end} + 8*rcx], ymm0",
                "add rcx, 4",
                "jnz 2b",
                "vzeroupper",
                end = in(reg) end,
                from = in(reg) from,
                inout("rcx") -(whole as isize) => _,
                clobber_abi("C"),
                options(nostack),
            );
        }
        words(end, from, n - whole);
    }
}

/// The same, a word at a time.
///
/// # Safety
/// The contract of `mpn_copy_shared`; n may be 0.
pub(super) unsafe fn words(r: *mut Limb, a: *const Limb, n: usize) {
    for i in 0..n {
        // SAFETY: i < n.
        unsafe {
            asm!(
                "mov {word}, [{from}]",
                "mov [{to}], {word}",
                word = out(reg) _,
                from = in(reg) a.add(i),
                to = in(reg) r.add(i),
                options(nostack, preserves_flags),
            );
        }
    }
}
