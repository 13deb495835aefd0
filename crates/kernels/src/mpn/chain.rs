//! The chains that sums and differences share: through the carry flag, and around it.

/// The body of a kernel `(r, a, b, n) -> carry` on the instruction `adc` or `sbb`, four limbs a turn.
///
/// `lea`, `inc` and `dec` leave the carry flag alone, so that it lives across the turns.
macro_rules! carry_chain {
    ($op:literal, $r:ident, $a:ident, $b:ident, $n:ident) => {{
        let carry: Limb;
        core::arch::asm!(
            "xor {c:e}, {c:e}",
            "test {tail}, {tail}",          // carry flag = 0
            "jz 3f",
            "2:",                           // n mod 4 single limbs first
            "mov {x}, [{a}]",
            concat!($op, " {x}, [{b}]"),
            "mov [{r}], {x}",
            "lea {a}, [{a} + 8]",
            "lea {b}, [{b} + 8]",
            "lea {r}, [{r} + 8]",
            "dec {tail}",
            "jnz 2b",
            "3:",
            "inc {turns}",
            "dec {turns}",
            "jz 5f",
            "4:",
            "mov {x}, [{a}]",
            "mov {y}, [{a} + 8]",
            concat!($op, " {x}, [{b}]"),
            concat!($op, " {y}, [{b} + 8]"),
            "mov [{r}], {x}",
            "mov [{r} + 8], {y}",
            "mov {x}, [{a} + 16]",
            "mov {y}, [{a} + 24]",
            concat!($op, " {x}, [{b} + 16]"),
            concat!($op, " {y}, [{b} + 24]"),
            "mov [{r} + 16], {x}",
            "mov [{r} + 24], {y}",
            "lea {a}, [{a} + 32]",
            "lea {b}, [{b} + 32]",
            "lea {r}, [{r} + 32]",
            "dec {turns}",
            "jnz 4b",
            "5:",
            "adc {c}, 0",
            a = inout(reg) $a => _,
            b = inout(reg) $b => _,
            r = inout(reg) $r => _,
            tail = inout(reg) $n % 4 => _,
            turns = inout(reg) $n / 4 => _,
            x = out(reg) _,
            y = out(reg) _,
            c = out(reg) carry,
            options(nostack),
        );
        carry
    }};
}
pub(crate) use carry_chain;

/// The body of a kernel `(r, a, n, b) -> carry` with one limb b, likewise: after the first limb of a, 0 takes b's
/// place.
macro_rules! ripple_chain {
    ($op:literal, $r:ident, $a:ident, $n:ident, $b:ident) => {{
        let carry: Limb;
        core::arch::asm!(
            "xor {c:e}, {c:e}",
            "test {tail}, {tail}",          // carry flag = 0
            "jz 3f",
            "2:",                           // n mod 4 single limbs first
            "mov {x}, [{a}]",
            concat!($op, " {x}, {b}"),
            "mov {b:e}, 0",                 // leaves the flags alone
            "mov [{r}], {x}",
            "lea {a}, [{a} + 8]",
            "lea {r}, [{r} + 8]",
            "dec {tail}",
            "jnz 2b",
            "3:",
            "inc {turns}",
            "dec {turns}",
            "jz 5f",
            "4:",
            "mov {x}, [{a}]",
            "mov {y}, [{a} + 8]",
            concat!($op, " {x}, {b}"),
            concat!($op, " {y}, 0"),
            "mov {b:e}, 0",
            "mov [{r}], {x}",
            "mov [{r} + 8], {y}",
            "mov {x}, [{a} + 16]",
            "mov {y}, [{a} + 24]",
            concat!($op, " {x}, 0"),
            concat!($op, " {y}, 0"),
            "mov [{r} + 16], {x}",
            "mov [{r} + 24], {y}",
            "lea {a}, [{a} + 32]",
            "lea {r}, [{r} + 32]",
            "dec {turns}",
            "jnz 4b",
            "5:",
            "adc {c}, 0",
            a = inout(reg) $a => _,
            b = inout(reg) $b => _,
            r = inout(reg) $r => _,
            tail = inout(reg) $n % 4 => _,
            turns = inout(reg) $n / 4 => _,
            x = out(reg) _,
            y = out(reg) _,
            c = out(reg) carry,
            options(nostack),
        );
        carry
    }};
}
pub(crate) use ripple_chain;

/// The body of a kernel `(c, r, a, b, n) -> carry` with b behind a mask, four limbs a turn.
///
/// `and` clears the carry flag, so the carry is a word from turn to turn: adding -1 to it sets the flag again.
macro_rules! masked_chain {
    ($op:literal, $c:ident, $r:ident, $a:ident, $b:ident, $n:ident) => {{
        let carry: Limb;
        core::arch::asm!(
            "xor {c:e}, {c:e}",
            "neg {mask}",
            "test {tail}, {tail}",
            "jz 3f",
            "2:",                           // n mod 4 single limbs first
            "mov {w}, [{b}]",
            "and {w}, {mask}",
            "mov {sum}, [{a}]",
            "add {c:l}, -1",
            concat!($op, " {sum}, {w}"),
            "setc {c:l}",
            "mov [{r}], {sum}",
            "add {a}, 8",
            "add {b}, 8",
            "add {r}, 8",
            "dec {tail}",
            "jnz 2b",
            "3:",
            "test {turns}, {turns}",
            "jz 5f",
            "4:",
            "mov {w}, [{b}]",
            "mov {x}, [{b} + 8]",
            "mov {y}, [{b} + 16]",
            "mov {z}, [{b} + 24]",
            "and {w}, {mask}",
            "and {x}, {mask}",
            "and {y}, {mask}",
            "and {z}, {mask}",
            "add {c:l}, -1",
            "mov {sum}, [{a}]",
            concat!($op, " {sum}, {w}"),
            "mov [{r}], {sum}",
            "mov {sum}, [{a} + 8]",
            concat!($op, " {sum}, {x}"),
            "mov [{r} + 8], {sum}",
            "mov {sum}, [{a} + 16]",
            concat!($op, " {sum}, {y}"),
            "mov [{r} + 16], {sum}",
            "mov {sum}, [{a} + 24]",
            concat!($op, " {sum}, {z}"),
            "mov [{r} + 24], {sum}",
            "setc {c:l}",
            "add {a}, 32",
            "add {b}, 32",
            "add {r}, 32",
            "dec {turns}",
            "jnz 4b",
            "5:",
            a = inout(reg) $a => _,
            b = inout(reg) $b => _,
            r = inout(reg) $r => _,
            tail = inout(reg) $n % 4 => _,
            turns = inout(reg) $n / 4 => _,
            mask = inout(reg) $c => _,
            sum = out(reg) _,
            w = out(reg) _,
            x = out(reg) _,
            y = out(reg) _,
            z = out(reg) _,
            c = out(reg) carry,
            options(nostack),
        );
        carry
    }};
}
pub(crate) use masked_chain;

/// The body of a kernel `(r, a, b, n) -> carry` on the instruction `add` or `sub`, two limbs a turn.
///
/// The carry is a word. It goes into a alone first: if that overflows, which is rare and branched on, the limb of b is
/// the result and the carry stays; otherwise the carry out is that of adding b. Time depends on the values.
macro_rules! carry_branches {
    ($op:literal, $r:ident, $a:ident, $b:ident, $n:ident) => {{
        let carry: Limb;
        core::arch::asm!(
            "xor {c:e}, {c:e}",
            "test {tail:e}, {tail:e}",
            "jz 3f",
            $crate::mpn::chain::carry_branch!($op, "0"),
            "add {a}, 8",
            "add {b}, 8",
            "add {r}, 8",
            "3:",
            "test {turns}, {turns}",
            "jz 5f",
            "4:",
            $crate::mpn::chain::carry_branch!($op, "0"),
            $crate::mpn::chain::carry_branch!($op, "8"),
            "add {a}, 16",
            "add {b}, 16",
            "add {r}, 16",
            "dec {turns}",
            "jnz 4b",
            "5:",
            a = inout(reg) $a => _,
            b = inout(reg) $b => _,
            r = inout(reg) $r => _,
            tail = in(reg) $n % 2,
            turns = inout(reg) $n / 2 => _,
            x = out(reg) _,
            one = in(reg) 1u64,
            c = out(reg) carry,
            options(nostack),
        );
        carry
    }};
}
pub(crate) use carry_branches;

/// One limb of `carry_branches`.
macro_rules! carry_branch {
    ($op:literal, $at:literal) => {
        concat!(
            "mov {x}, [{a} + ",
            $at,
            "]\n",
            $op,
            " {x}, {c}\n",
            "jc 8f\n",
            "xor {c:e}, {c:e}\n",
            "8:\n",
            $op,
            " {x}, [{b} + ",
            $at,
            "]\n",
            "mov [{r} + ",
            $at,
            "], {x}\n",
            "cmovc {c}, {one}\n",
        )
    };
}
pub(crate) use carry_branch;
