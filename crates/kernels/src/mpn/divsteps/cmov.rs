//! Three cycles are a step's longest way where moves between registers are free: whatever may be chosen is there when
//! the choice is known. Whether g is odd is known before it is halved, from the bit above: so the choice of f and s is made
//! a cycle earlier, and instructions that wait for one another do not all become ready at once.

use super::{THIRD, by_thirds};
use crate::Limb;

/// A step, from f, g, s and the lowest bit of g as a sign, which also is what the flags tell, to the same of f', g' and s'
/// in other registers.
#[rustfmt::skip]
macro_rules! step {
    ($f:literal $g:literal $s:literal $odd:literal to $f1:literal $g1:literal $s1:literal $odd1:literal) => {
        concat!(
            "lea {", $g1, "}, [{", $g, "} + {", $f, "}]\ncmovz {", $g1, "}, {", $g, "}\n",
            // What f becomes if it is exchanged, which is where s is below 0: -2 - s is so too where s is -1 only.
            "mov {minus}, {", $g, "}\nneg {minus}\n",
            "mov {", $s1, "}, {two}\nsub {", $s1, "}, {", $s, "}\ncmovs {", $g, "}, {minus}\n",
            // And otherwise: where s was 0.
            "mov {", $f1, "}, {", $f, "}\nneg {", $f1, "}\n",
            "mov {less}, {", $s, "}\nsub {less}, 1\ncmovnc {", $f1, "}, {", $f, "}\n",
            "test {", $odd, "}, {", $s, "}\ncmovns {", $s1, "}, {less}\ncmovs {", $f1, "}, {", $g, "}\n",
            "mov {", $odd1, "}, {", $g1, "}\nsar {", $g1, "}, 1\nshl {", $odd1, "}, 62\n",
        )
    };
}

/// # Safety
/// The contract of `mpn_divsteps`.
pub unsafe fn kernel(r: *mut Limb, f: *const Limb, g: *const Limb, s: Limb) -> Limb {
    let steps = |mut f: i64, mut g: i64, mut s: i64| {
        // SAFETY: touches no memory.
        unsafe {
            std::arch::asm!(
                "mov {odd}, {g}",
                "shl {odd}, 63",
                ".rept {pairs}",
                step!("f" "g" "s" "odd" to "f1" "g1" "s1" "odd1"),
                step!("f1" "g1" "s1" "odd1" to "f" "g" "s" "odd"),
                ".endr",
                pairs = const THIRD / 2,
                f = inout(reg) f, g = inout(reg) g, s = inout(reg) s,
                f1 = out(reg) _, g1 = out(reg) _, s1 = out(reg) _, odd = out(reg) _, odd1 = out(reg) _,
                minus = out(reg) _, less = out(reg) _, two = in(reg) -2i64,
                options(pure, nomem, nostack),
            );
        }
        [f, g, s]
    };
    // SAFETY: the contract.
    unsafe { by_thirds(r, f, g, s, steps) }
}
