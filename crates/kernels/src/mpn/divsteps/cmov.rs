//! Three cycles are a step's longest way where moves between registers are free: whatever may be chosen is there when
//! the choice is known. The order of instructions was searched for by measuring, as a step takes most of what is
//! executed in them.

use super::{THIRD, by_thirds};
use crate::Limb;

/// A step, from f, g and s to f', g' and s', which are in other registers.
#[rustfmt::skip]
macro_rules! step {
    ($f:literal $g:literal $s:literal to $f1:literal $g1:literal $s1:literal) => {
        concat!(
            "lea {", $g1, "}, [{", $g, "} + {", $f, "}]\n",
            "mov {minus}, {", $g, "}\n",
            // The lowest bit of g, as a sign.
            "mov {odd}, {", $g, "}\nshl {odd}, 63\n",
            "cmovz {", $g1, "}, {", $g, "}\nsar {", $g1, "}, 1\n",
            // What f becomes if it is exchanged, which is where s is below 0: -2 - s is so too where s is -1 only.
            "neg {minus}\n",
            "mov {", $s1, "}, {two}\nsub {", $s1, "}, {", $s, "}\ncmovs {", $g, "}, {minus}\n",
            // And otherwise: where s was 0.
            "mov {", $f1, "}, {", $f, "}\nneg {", $f1, "}\n",
            "mov {less}, {", $s, "}\nsub {less}, 1\ncmovnc {", $f1, "}, {", $f, "}\n",
            "test {odd}, {", $s, "}\ncmovns {", $s1, "}, {less}\ncmovs {", $f1, "}, {", $g, "}\n",
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
                ".rept {pairs}",
                step!("f" "g" "s" to "f1" "g1" "s1"),
                step!("f1" "g1" "s1" to "f" "g" "s"),
                ".endr",
                pairs = const THIRD / 2,
                f = inout(reg) f, g = inout(reg) g, s = inout(reg) s,
                f1 = out(reg) _, g1 = out(reg) _, s1 = out(reg) _,
                odd = out(reg) _, minus = out(reg) _, less = out(reg) _, two = in(reg) -2i64,
                options(pure, nomem, nostack),
            );
        }
        [f, g, s]
    };
    // SAFETY: the contract.
    unsafe { by_thirds(r, f, g, s, steps) }
}
