//! Copies of words that threads share, in assembly, as no other thread may write to what Rust loads or stores at once.

use crate::Limb;

/// The body of a kernel `(r, a, n)`: registers of `$words` words one after the other, then the words after them.
macro_rules! copy_registers {
    ($move:literal, $register:literal, $words:literal, $r:ident, $a:ident, $n:ident) => {{
        let whole = $n / $words * $words;
        let (end, from) = ($r.add(whole), $a.add(whole));
        if whole > 0 {
            core::arch::asm!(
                "2:",
                concat!($move, " ", $register, ", [{from} + 8*rcx]"),
                concat!($move, " [{end} + 8*rcx], ", $register),
                concat!("add rcx, ", $words),
                "jnz 2b",
                "vzeroupper",
                end = in(reg) end,
                from = in(reg) from,
                inout("rcx") -(whole as isize) => _,
                clobber_abi("C"),
                options(nostack),
            );
        }
        crate::mpn::shared::copy_words(end, from, $n - whole)
    }};
}
pub(crate) use copy_registers;

/// `r[n] := a[n]`, a word at a time; n may be 0.
///
/// # Safety
/// Both are so long.
pub(crate) unsafe fn copy_words(r: *mut Limb, a: *const Limb, n: usize) {
    for i in 0..n {
        // SAFETY: i < n.
        unsafe {
            core::arch::asm!(
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
