//! AVX-512 F: 8 words at a time, in assembly, as no other thread may write to what Rust loads or stores at once.

use super::avx2::words;
use crate::Limb;
use core::arch::asm;

/// # Safety
/// The contract of `mpn_copy_shared`; the processor has AVX-512 F.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize) {
    let whole = n / 8 * 8;
    // SAFETY: reads a[whole] and writes r[whole], one register after the other; then the words after them.
    unsafe {
        let (end, from) = (r.add(whole), a.add(whole));
        if whole > 0 {
            asm!(
                "2:",
                "vmovdqu64 zmm0, [{from} + 8*rcx]",
                "vmovdqu64 [{end} + 8*rcx], zmm0",
                "add rcx, 8",
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
