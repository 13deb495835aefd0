//! Chains of sums and differences through the carry flag on AArch64, four limbs a turn. The instructions that count and
//! branch leave the flag alone, so that it lives across the turns.

/// The body of a kernel `(r, a, b, n) -> carry` on the instruction `adcs`, which begins after `$clear` and ends on the
/// condition `$carries`, or on `sbcs`. Between loading and the sum, `$mask` changes a limb of b in each register.
macro_rules! chain {
    (
        $op:literal, clear: $clear:literal, carries: $carries:literal, mask: ($($mask:expr),*),
        $r:ident, $a:ident, $b:ident, $n:ident, $($keep:tt)*
    ) => {{
        let carry: Limb;
        core::arch::asm!(
            $clear,
            "cbz {tail}, 3f",
            "2:",
            "ldr {w}, [{a}], #8",
            "ldr {y}, [{b}], #8",
            $crate::mpn::adcs::masked!(($($mask),*) "y"),
            concat!($op, " {w}, {w}, {y}"),
            "str {w}, [{r}], #8",
            "sub {tail}, {tail}, #1",
            "cbnz {tail}, 2b",
            "3:",
            "cbz {turns}, 5f",
            "4:",
            "ldp {w}, {x}, [{a}], #16",
            "ldp {y}, {z}, [{b}], #16",
            $crate::mpn::adcs::masked!(($($mask),*) "y"),
            $crate::mpn::adcs::masked!(($($mask),*) "z"),
            concat!($op, " {w}, {w}, {y}"),
            concat!($op, " {x}, {x}, {z}"),
            "stp {w}, {x}, [{r}], #16",
            "ldp {w}, {x}, [{a}], #16",
            "ldp {y}, {z}, [{b}], #16",
            $crate::mpn::adcs::masked!(($($mask),*) "y"),
            $crate::mpn::adcs::masked!(($($mask),*) "z"),
            concat!($op, " {w}, {w}, {y}"),
            concat!($op, " {x}, {x}, {z}"),
            "stp {w}, {x}, [{r}], #16",
            "sub {turns}, {turns}, #1",
            "cbnz {turns}, 4b",
            "5:",
            concat!("cset {c}, ", $carries),
            a = inout(reg) $a => _,
            b = inout(reg) $b => _,
            r = inout(reg) $r => _,
            tail = inout(reg) $n % 4 => _,
            turns = inout(reg) $n / 4 => _,
            w = out(reg) _,
            x = out(reg) _,
            y = out(reg) _,
            z = out(reg) _,
            c = lateout(reg) carry,
            $($keep)*
            options(nostack),
        );
        carry
    }};
}
pub(crate) use chain;

/// A limb of b behind a mask, if there is one.
macro_rules! masked {
    (() $limb:literal) => {
        ""
    };
    (($mask:literal) $limb:literal) => {
        concat!("and {", $limb, "}, {", $limb, "}, {", $mask, "}")
    };
}
pub(crate) use masked;

/// The chain of `add` or `sub`: `(r, a, b, n) -> carry`.
macro_rules! carry_chain {
    (add $r:ident, $a:ident, $b:ident, $n:ident) => {
        $crate::mpn::adcs::chain!("adcs", clear: "cmn xzr, xzr", carries: "cs", mask: (), $r, $a, $b, $n,)
    };
    (sub $r:ident, $a:ident, $b:ident, $n:ident) => {
        $crate::mpn::adcs::chain!("sbcs", clear: "cmp xzr, xzr", carries: "cc", mask: (), $r, $a, $b, $n,)
    };
}
pub(crate) use carry_chain;

/// The chain with b behind a mask, for a condition c that is 0 or 1: `(c, r, a, b, n) -> carry`.
macro_rules! masked_chain {
    (add $c:ident, $r:ident, $a:ident, $b:ident, $n:ident) => {
        $crate::mpn::adcs::chain!("adcs", clear: "cmn xzr, xzr", carries: "cs", mask: ("mask"), $r, $a, $b, $n,
            mask = in(reg) $c.wrapping_neg(),)
    };
    (sub $c:ident, $r:ident, $a:ident, $b:ident, $n:ident) => {
        $crate::mpn::adcs::chain!("sbcs", clear: "cmp xzr, xzr", carries: "cc", mask: ("mask"), $r, $a, $b, $n,
            mask = in(reg) $c.wrapping_neg(),)
    };
}
pub(crate) use masked_chain;
