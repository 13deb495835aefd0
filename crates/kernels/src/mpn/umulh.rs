//! Rows of one limb on `mul`, `umulh` and `adcs`, which every AArch64 processor has: four limbs a turn.
//!
//! The products of a turn come first, then a chain that joins their halves, and one that adds them to r. The carry is a
//! word from turn to turn.

use super::rows::Rows;
use crate::Limb;
use core::arch::asm;

/// The body of a kernel `(r, a, n, b) -> carry limb`: n mod 4 single limbs, then four a turn. `$one` and `$four` take the
/// sums in `l0`, or `l0` to `l3`, to r and advance it; they add what that carries to the upper half in `h0`, or `h3`.
macro_rules! row {
    ($r:ident, $a:ident, $n:ident, $b:ident, one: $one:expr, four: $four:expr) => {{
        let carry: Limb;
        asm!(
            "mov {h3}, xzr",
            "cbz {tail}, 3f",
            "2:",
            "ldr {l1}, [{a}], #8",
            "mul {l0}, {l1}, {b}",
            "umulh {h0}, {l1}, {b}",
            "adds {l0}, {l0}, {h3}",
            "cinc {h0}, {h0}, cs",
            $one,
            "mov {h3}, {h0}",
            "sub {tail}, {tail}, #1",
            "cbnz {tail}, 2b",
            "3:",
            "cbz {turns}, 5f",
            "4:",
            "ldp {h0}, {h1}, [{a}], #16",
            "ldp {h2}, {tail}, [{a}], #16",
            "mul {l0}, {h0}, {b}",
            "mul {l1}, {h1}, {b}",
            "mul {l2}, {h2}, {b}",
            "mul {l3}, {tail}, {b}",
            "adds {l0}, {l0}, {h3}",
            "umulh {h0}, {h0}, {b}",
            "umulh {h1}, {h1}, {b}",
            "umulh {h2}, {h2}, {b}",
            "umulh {h3}, {tail}, {b}",
            "adcs {l1}, {l1}, {h0}",
            "adcs {l2}, {l2}, {h1}",
            "adcs {l3}, {l3}, {h2}",
            "cinc {h3}, {h3}, cs",
            $four,
            "sub {turns}, {turns}, #1",
            "cbnz {turns}, 4b",
            "5:",
            a = inout(reg) $a => _,
            r = inout(reg) $r => _,
            b = in(reg) $b,
            tail = inout(reg) $n % 4 => _,
            turns = inout(reg) $n / 4 => _,
            l0 = out(reg) _,
            l1 = out(reg) _,
            l2 = out(reg) _,
            l3 = out(reg) _,
            h0 = out(reg) _,
            h1 = out(reg) _,
            h2 = out(reg) _,
            h3 = out(reg) carry,
            options(nostack),
        );
        carry
    }};
}

/// The four limbs of r at `h0`, `h1`, `h2`, `tail`.
macro_rules! load {
    () => {
        "ldp {h0}, {h1}, [{r}]\nldp {h2}, {tail}, [{r}, #16]\n"
    };
}

/// The four sums to r.
macro_rules! store {
    () => {
        "stp {l0}, {l1}, [{r}], #16\nstp {l2}, {l3}, [{r}], #16\n"
    };
}

/// `mpn_mul_1`.
///
/// # Safety
/// The contract of the operation.
pub(super) unsafe fn mul_1(r: *mut Limb, a: *const Limb, n: usize, b: Limb) -> Limb {
    // SAFETY: reads and writes n limbs.
    unsafe { row!(r, a, n, b, one: "str {l0}, [{r}], #8\n", four: store!()) }
}

/// `mpn_addmul_1`.
///
/// # Safety
/// The contract of the operation.
pub(super) unsafe fn addmul_1(r: *mut Limb, a: *const Limb, n: usize, b: Limb) -> Limb {
    // SAFETY: reads and writes n limbs.
    unsafe {
        row!(r, a, n, b,
        one: "ldr {l1}, [{r}]\nadds {l0}, {l0}, {l1}\ncinc {h0}, {h0}, cs\nstr {l0}, [{r}], #8\n",
        four: concat!(
            load!(),
            "adds {l0}, {l0}, {h0}\nadcs {l1}, {l1}, {h1}\nadcs {l2}, {l2}, {h2}\nadcs {l3}, {l3}, {tail}\n",
            "cinc {h3}, {h3}, cs\n",
            store!(),
        ))
    }
}

/// `mpn_submul_1`.
///
/// # Safety
/// The contract of the operation.
pub(super) unsafe fn submul_1(r: *mut Limb, a: *const Limb, n: usize, b: Limb) -> Limb {
    // SAFETY: reads and writes n limbs.
    unsafe {
        row!(r, a, n, b,
        one: "ldr {l1}, [{r}]\nsubs {l0}, {l1}, {l0}\ncinc {h0}, {h0}, cc\nstr {l0}, [{r}], #8\n",
        four: concat!(
            load!(),
            "subs {l0}, {h0}, {l0}\nsbcs {l1}, {h1}, {l1}\nsbcs {l2}, {h2}, {l2}\nsbcs {l3}, {tail}, {l3}\n",
            "cinc {h3}, {h3}, cc\n",
            store!(),
        ))
    }
}

/// Rows on `mul` and `umulh`.
pub(super) struct Umulh;

impl Rows for Umulh {
    #[inline(always)]
    unsafe fn mul_1(r: *mut Limb, a: *const Limb, n: usize, b: Limb) -> Limb {
        // SAFETY: the contract.
        unsafe { mul_1(r, a, n, b) }
    }

    #[inline(always)]
    unsafe fn addmul_1(r: *mut Limb, a: *const Limb, n: usize, b: Limb) -> Limb {
        // SAFETY: the contract.
        unsafe { addmul_1(r, a, n, b) }
    }

    #[inline(always)]
    unsafe fn sub_n(r: *mut Limb, a: *const Limb, b: *const Limb, n: usize) -> Limb {
        // SAFETY: the contract.
        unsafe { super::sub_n::sbcs(r, a, b, n) }
    }
}
