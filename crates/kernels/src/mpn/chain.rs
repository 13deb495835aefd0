//! The flag-carried chain that `add_n` and `sub_n` share: four limbs a turn.

/// The body of a kernel `(r, a, b, n) -> carry` on the instruction `adc` or `sbb`.
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
