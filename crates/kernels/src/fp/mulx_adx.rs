//! Products and squares of two and four limbs on `mulx`, `adcx` and `adox`, with what folds them.
//!
//! Operand scanning: a row multiplies a by one limb of b, low halves going into the sum by `adcx` and high halves by
//! `adox`. The top limb of a row starts at zero, which clears both chains and takes in both carries at the end.
//! Two limbs have one chain after another: each is shorter than what clears and joins two. So have squares of four, and
//! what folds.
//!
//! Everything is in registers but four-limb operands, so that it can be inlined; d comes as an immediate or, where it is
//! known only when the program runs, from behind a. Twelve registers are all that may be asked for: a frame may need the
//! others. So the highest limb of a product takes the register of b's address.

use super::{Multiply, Residue};
use crate::{Cpu, Isa, Limb};

/// Multiplication by `mulx`, `adcx` and `adox`: a value is the proof that the processor has them.
///
/// ```
/// use carrysave_kernels::{Cpu, Isa, fp::MulxAdx};
/// assert!(MulxAdx::new(Cpu::portable()).is_none());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MulxAdx(());

impl MulxAdx {
    /// The extensions that it executes.
    pub const NEEDS: Isa = Isa::BMI2.and(Isa::ADX);

    /// The proof, if there is one.
    pub fn new(cpu: Cpu) -> Option<MulxAdx> {
        cpu.has(MulxAdx::NEEDS).then_some(MulxAdx(()))
    }
}

/// R modulo R - d for residues modulo `2^bits - c` in `limbs` limbs; unspecified if they do not take exactly that many.
const fn d(limbs: usize, bits: usize, c: u64) -> Limb {
    let spare = 64 * limbs as i64 - bits as i64;
    if 0 <= spare && spare < 64 {
        c << spare
    } else {
        0
    }
}

/// How what stands above is folded: what of `fold_limbs!` serves.
enum Fold {
    /// At a bit that the limbs have to spare; the square of d fits a limb.
    Spare,
    /// At R; the square of d fits a limb.
    Short,
    /// At R.
    Long,
    /// Not by these instructions: d is too long.
    Portable,
}

/// How it is folded at R - d.
const fn fold_at(d: Limb) -> Fold {
    match d >> 32 {
        0 => Fold::Short,
        above if above >> 30 == 0 => Fold::Long,
        _ => Fold::Portable,
    }
}

/// How it is folded modulo `2^bits - c`.
const fn fold_modulo(limbs: usize, bits: usize, c: u64) -> Fold {
    match fold_at(d(limbs, bits, c)) {
        Fold::Short if 64 * limbs == bits + 1 => Fold::Spare,
        fold => fold,
    }
}

/// c as an immediate, where it is `Fold::Spare`.
const fn immediate(c: u64) -> i32 {
    if c >> 31 == 0 { c as i32 } else { 0 }
}

/// The first row: `r0..r4 := rdx * a`, where a lies at `$a`.
#[rustfmt::skip]
macro_rules! first_row {
    ($a:expr) => {
        concat!(
            "mulx {r1}, {r0}, [", $a, "]\n",
            "mulx {r2}, {l}, [", $a, " + 8]\nadd {r1}, {l}\n",
            "mulx {r3}, {l}, [", $a, " + 16]\nadc {r2}, {l}\n",
            "mulx {r4}, {l}, [", $a, " + 24]\nadc {r3}, {l}\nadc {r4}, 0\n",
        )
    };
}

/// A row further up: `sum += rdx * a`, which sets its top limb.
#[rustfmt::skip]
macro_rules! row {
    ($a:expr, $r0:literal $r1:literal $r2:literal $r3:literal $top:literal) => {
        concat!(
            "xor {", $top, ":e}, {", $top, ":e}\n", // both chains: no carry
            "mulx {h}, {l}, [", $a, "]\nadcx {", $r0, "}, {l}\nadox {", $r1, "}, {h}\n",
            "mulx {h}, {l}, [", $a, " + 8]\nadcx {", $r1, "}, {l}\nadox {", $r2, "}, {h}\n",
            "mulx {h}, {l}, [", $a, " + 16]\nadcx {", $r2, "}, {l}\nadox {", $r3, "}, {h}\n",
            "mulx {h}, {l}, [", $a, " + 24]\nadcx {", $r3, "}, {l}\nadox {h}, {", $top, "}\nadc {", $top, "}, {h}\n",
        )
    };
}

/// The product of the four limbs at `$a` and at `$b`, which may be the register `{r7}`: `r0..r7`.
#[rustfmt::skip]
macro_rules! product_4 {
    ($a:expr, $b:expr) => {
        concat!(
            "mov rdx, [", $b, "]\n", first_row!($a),
            "mov rdx, [", $b, " + 8]\n", row!($a, "r1" "r2" "r3" "r4" "r5"),
            "mov rdx, [", $b, " + 16]\n", row!($a, "r2" "r3" "r4" "r5" "r6"),
            "mov rdx, [", $b, " + 24]\n", row!($a, "r3" "r4" "r5" "r6" "r7"),
        )
    };
}

/// The square of the four limbs at `$a`: `r0..r7`. By one chain after the other: `adcx` and `adox` that alternate take
/// longer on Zen 5 than as many `adc`.
#[rustfmt::skip]
macro_rules! square_4 {
    ($a:expr) => {
        concat!(
            // Products of different limbs.
            "mov rdx, [", $a, "]\n",
            "mulx {r2}, {r1}, [", $a, " + 8]\n",
            "mulx {r3}, {l}, [", $a, " + 16]\nadd {r2}, {l}\n",
            "mulx {r4}, {l}, [", $a, " + 24]\nadc {r3}, {l}\nadc {r4}, 0\n",
            "mov rdx, [", $a, " + 8]\n",
            "mulx {r5}, {l}, [", $a, " + 24]\nadd {r4}, {l}\nadc {r5}, 0\n",
            "mulx {h}, {l}, [", $a, " + 16]\nadd {r3}, {l}\nadc {r4}, {h}\n",
            "mov rdx, [", $a, " + 16]\n",
            "mulx {r6}, {l}, [", $a, " + 24]\nadc {r5}, {l}\nadc {r6}, 0\n",
            // Doubled.
            "xor {r7:e}, {r7:e}\n",
            "add {r1}, {r1}\nadc {r2}, {r2}\nadc {r3}, {r3}\nadc {r4}, {r4}\nadc {r5}, {r5}\nadc {r6}, {r6}\nadc {r7}, {r7}\n",
            // The squares of limbs.
            "mov rdx, [", $a, "]\nmulx {h}, {r0}, rdx\nadd {r1}, {h}\n",
            "mov rdx, [", $a, " + 8]\nmulx {h}, {l}, rdx\nadc {r2}, {l}\nadc {r3}, {h}\n",
            "mov rdx, [", $a, " + 16]\nmulx {h}, {l}, rdx\nadc {r4}, {l}\nadc {r5}, {h}\n",
            "mov rdx, [", $a, " + 24]\nmulx {h}, {l}, rdx\nadc {r6}, {l}\nadc {r7}, {h}\n",
        )
    };
}

/// `$r..` and as many limbs above, `$high..`, folded until nothing stands above, rdx being d < 2^62.
///
/// The low halves of products by d are added first. So what stands above, the last of `$high`, is known early, and goes
/// below in one chain with the high halves. What carries from there leaves less than half of R, and so nothing carries
/// twice. A prime with one bit to `spare` is folded at that bit, where nothing carries at all.
#[rustfmt::skip]
macro_rules! fold_limbs {
    ($d:ident, $r0:literal $($r:literal)+, $h0:literal $($high:literal)+) => {
        concat!(
            "mulx {", $h0, "}, {l}, {", $h0, "}\nadd {", $r0, "}, {l}\n",
            $("mulx {", $high, "}, {l}, {", $high, "}\nadc {", $r, "}, {l}\n",)+
            fold_limbs!(@above $d, $r0 $($r)+, $h0 $($high)+),
        )
    };
    (@above $d:ident, $r0:literal $r1:literal, $h0:literal $h1:literal) => {
        fold_limbs!(@chain $d, $h1 $r1, $r0 $h0, $h0 $r1)
    };
    (@above $d:ident, $r0:literal $r1:literal $r2:literal $r3:literal, $h0:literal $h1:literal $h2:literal $h3:literal) => {
        fold_limbs!(@chain $d, $h3 $r3, $r0 $h0, $h0 $r1 $h1 $r2 $h2 $r3)
    };
    (@chain spare, $top:literal $last:literal, $r0:literal $h0:literal, $($high:literal $r:literal)+) => {
        concat!(
            "adc {", $top, "}, 0\nadd {", $last, "}, {", $last, "}\nadc {", $top, "}, {", $top, "}\nshr {", $last, "}, 1\n",
            "imul {", $top, "}, {", $top, "}, {c}\nadd {", $r0, "}, {", $top, "}\n",
            $("adc {", $r, "}, {", $high, "}\n",)+
        )
    };
    (@chain short, $top:literal $last:literal, $r0:literal $h0:literal, $($high:literal $r:literal)+) => {
        concat!(
            "adc {", $top, "}, 0\nimul {", $top, "}, rdx\nxor {h:e}, {h:e}\nadd {", $r0, "}, {", $top, "}\n",
            $("adc {", $r, "}, {", $high, "}\n",)+
            "cmovc {h}, rdx\nadd {", $r0, "}, {h}\n",
            $("adc {", $r, "}, 0\n",)+
        )
    };
    // As the one before, the last carry as a mask. For comparison.
    (@chain masked, $top:literal $last:literal, $r0:literal $h0:literal, $($high:literal $r:literal)+) => {
        concat!(
            "adc {", $top, "}, 0\nimul {", $top, "}, rdx\nadd {", $r0, "}, {", $top, "}\n",
            $("adc {", $r, "}, {", $high, "}\n",)+
            "sbb {h}, {h}\nand {h}, rdx\nadd {", $r0, "}, {h}\n",
            $("adc {", $r, "}, 0\n",)+
        )
    };
    (@chain long, $top:literal $last:literal, $r0:literal $h0:literal, $($high:literal $r:literal)+) => {
        concat!(
            "adc {", $top, "}, 0\nmulx {", $top, "}, {l}, {", $top, "}\nadd {", $h0, "}, {", $top, "}\n",
            "xor {h:e}, {h:e}\nadd {", $r0, "}, {l}\n",
            $("adc {", $r, "}, {", $high, "}\n",)+
            "cmovc {h}, rdx\nadd {", $r0, "}, {h}\n",
            $("adc {", $r, "}, 0\n",)+
        )
    };
}

/// The product of four limbs, folded; `$load` loads d into rdx.
macro_rules! mul_4 {
    ($d:ident, $a:expr, $b:expr, $load:literal $(, $($operand:tt)*)?) => {{
        let [r0, r1, r2, r3]: [Limb; 4];
        std::arch::asm!(
            product_4!("{a}", "{r7}"),
            $load,
            fold_limbs!($d, "r0" "r1" "r2" "r3", "r4" "r5" "r6" "r7"),
            a = in(reg) $a,
            $($($operand)*,)?
            r0 = out(reg) r0, r1 = out(reg) r1, r2 = out(reg) r2, r3 = out(reg) r3,
            r4 = out(reg) _, r5 = out(reg) _, r6 = out(reg) _, r7 = inout(reg) $b => _,
            l = out(reg) _, h = out(reg) _, out("rdx") _,
            options(pure, readonly, nostack),
        );
        [r0, r1, r2, r3]
    }};
}

/// The square of four limbs, folded.
macro_rules! sqr_4 {
    ($d:ident, $a:expr, $load:literal $(, $($operand:tt)*)?) => {{
        let [r0, r1, r2, r3]: [Limb; 4];
        std::arch::asm!(
            square_4!("{a}"),
            $load,
            fold_limbs!($d, "r0" "r1" "r2" "r3", "r4" "r5" "r6" "r7"),
            a = in(reg) $a,
            $($($operand)*,)?
            r0 = out(reg) r0, r1 = out(reg) r1, r2 = out(reg) r2, r3 = out(reg) r3,
            r4 = out(reg) _, r5 = out(reg) _, r6 = out(reg) _, r7 = out(reg) _,
            l = out(reg) _, h = out(reg) _, out("rdx") _,
            options(pure, readonly, nostack),
        );
        [r0, r1, r2, r3]
    }};
}

/// The product of two limbs, folded; `$load` loads d into rdx.
macro_rules! mul_2 {
    ($d:ident, $a:expr, $b:expr, $load:literal, $($operand:tt)*) => {{
        let [r0, r1]: [Limb; 2];
        std::arch::asm!(
            "mulx {r1}, {r0}, {a0}",
            "mulx {r2}, {l}, {a1}",
            "mov rdx, {b1}",
            "mulx {z}, {h}, {a0}",
            "add {r1}, {l}",
            "mulx {r3}, {l}, {a1}",
            "adc {r2}, {l}",
            "adc {r3}, 0",
            "add {r1}, {h}",
            "adc {r2}, {z}",
            "adc {r3}, 0",
            $load,
            fold_limbs!($d, "r0" "r1", "r2" "r3"),
            a0 = in(reg) $a[0], a1 = in(reg) $a[1], b1 = in(reg) $b[1],
            $($operand)*,
            r0 = out(reg) r0, r1 = out(reg) r1, r2 = out(reg) _, r3 = out(reg) _,
            l = out(reg) _, h = out(reg) _, z = out(reg) _, inout("rdx") $b[0] => _,
            options(pure, nomem, nostack),
        );
        [r0, r1]
    }};
}

/// The square of two limbs, folded.
macro_rules! sqr_2 {
    ($d:ident, $a:expr, $load:literal, $($operand:tt)*) => {{
        let [r0, r1]: [Limb; 2];
        std::arch::asm!(
            "mulx {r2}, {r1}, {a1}",
            "mulx {h}, {r0}, rdx",
            "xor {r3:e}, {r3:e}",
            "adcx {r1}, {r1}",
            "adox {r1}, {h}",
            "mov rdx, {a1}",
            "mulx {h}, {l}, rdx",
            "adcx {r2}, {r2}",
            "adox {r2}, {l}",
            "adcx {r3}, {r3}",
            "adox {r3}, {h}",
            $load,
            fold_limbs!($d, "r0" "r1", "r2" "r3"),
            a1 = in(reg) $a[1],
            $($operand)*,
            r0 = out(reg) r0, r1 = out(reg) r1, r2 = out(reg) _, r3 = out(reg) _,
            l = out(reg) _, h = out(reg) _, inout("rdx") $a[0] => _,
            options(pure, nomem, nostack),
        );
        [r0, r1]
    }};
}

/// One of those macros for residues modulo `2^BITS - C` in `$limbs` limbs.
macro_rules! folded {
    ($product:ident($limbs:literal, $bits:expr, $c:expr): $($operand:expr),+) => {
        match const { fold_modulo($limbs, $bits, $c) } {
            Fold::Spare => Some($product!(
                spare, $($operand),+, "mov rdx, {d}", d = const d($limbs, $bits, $c), c = const immediate($c)
            )),
            Fold::Short => Some($product!(short, $($operand),+, "mov rdx, {d}", d = const d($limbs, $bits, $c))),
            Fold::Long => Some($product!(long, $($operand),+, "mov rdx, {d}", d = const d($limbs, $bits, $c))),
            Fold::Portable => None,
        }
    };
}

/// One of those macros for a d that is known only when the program runs.
macro_rules! folded_by {
    ($product:ident($d:expr): $($operand:expr),+; $load:literal $(, $($d_in:tt)*)?) => {
        match fold_at($d) {
            Fold::Spare | Fold::Short => Some($product!(short, $($operand),+, $load $(, $($d_in)*)?)),
            Fold::Long => Some($product!(long, $($operand),+, $load $(, $($d_in)*)?)),
            Fold::Portable => None,
        }
    };
}

/// `a * b` folded at R - d; `None` if d is too long.
///
/// # Safety
/// The processor has BMI2 and ADX.
#[inline(always)]
pub(super) unsafe fn mul_4(a: &[Limb; 4], b: &[Limb; 4], d: Limb) -> Option<[Limb; 4]> {
    let a = [a[0], a[1], a[2], a[3], d];
    // SAFETY: reads five limbs of a and four of b; the processor is the caller's promise.
    unsafe { folded_by!(mul_4(d): a.as_ptr(), b.as_ptr(); "mov rdx, [{a} + 32]") }
}

/// The square, likewise.
///
/// # Safety
/// The processor has BMI2 and ADX.
#[inline(always)]
pub(super) unsafe fn sqr_4(a: &[Limb; 4], d: Limb) -> Option<[Limb; 4]> {
    let a = [a[0], a[1], a[2], a[3], d];
    // SAFETY: reads five limbs; the processor is the caller's promise.
    unsafe { folded_by!(sqr_4(d): a.as_ptr(); "mov rdx, [{a} + 32]") }
}

/// The product of two limbs, likewise.
///
/// # Safety
/// The processor has BMI2 and ADX.
#[inline(always)]
pub(super) unsafe fn mul_2(a: &[Limb; 2], b: &[Limb; 2], d: Limb) -> Option<[Limb; 2]> {
    // SAFETY: touches no memory; the processor is the caller's promise.
    unsafe { folded_by!(mul_2(d): a, b; "mov rdx, {d}", d = in(reg) d) }
}

/// The square of two limbs, likewise.
///
/// # Safety
/// The processor has BMI2 and ADX.
#[inline(always)]
pub(super) unsafe fn sqr_2(a: &[Limb; 2], d: Limb) -> Option<[Limb; 2]> {
    // SAFETY: touches no memory; the processor is the caller's promise.
    unsafe { folded_by!(sqr_2(d): a; "mov rdx, {d}", d = in(reg) d) }
}

/// `r0..r3` below 2^254 folded at 2^127, and once more what stands above: `mask` has the bits below.
#[rustfmt::skip]
macro_rules! fold_127 {
    () => {
        "mov {l}, {r1}\n\
         add {l}, {l}\n\
         adc {r2}, {r2}\n\
         adc {r3}, {r3}\n\
         and {r1}, {mask}\n\
         add {r0}, {r2}\n\
         adc {r1}, {r3}\n\
         mov {l}, {r1}\n\
         shr {l}, 63\n\
         and {r1}, {mask}\n\
         add {r0}, {l}\n\
         adc {r1}, 0\n"
    };
}

/// The product of numbers below 2^127, folded by one of the ways, which takes these operands.
macro_rules! mul_127 {
    ($fold:ident, $a:expr, $b:expr $(, $($operand:tt)*)?) => {{
        let [r0, r1]: [Limb; 2];
        std::arch::asm!(
            "mulx {r1}, {r0}, {b0}",
            "mulx {r2}, {l}, {b1}",
            "mov rdx, {a1}",
            "mulx {r3}, {h}, {b0}",
            // Upper limbs are below 2^63, so that the middle does not reach 2^128.
            "add {l}, {h}",
            "adc {r2}, {r3}",
            "mulx {r3}, {h}, {b1}",
            "add {r1}, {l}",
            "adc {r2}, {h}",
            "adc {r3}, 0",
            $fold!(),
            a1 = in(reg) $a[1], b0 = in(reg) $b[0], b1 = in(reg) $b[1],
            $($($operand)*,)?
            r0 = out(reg) r0, r1 = out(reg) r1, r2 = out(reg) _, r3 = out(reg) _,
            l = out(reg) _, h = out(reg) _, inout("rdx") $a[0] => _,
            options(pure, nomem, nostack),
        );
        [r0, r1]
    }};
}

/// The product of numbers below 2^127, folded. Nothing is shifted across two limbs, which some processors are slow at.
///
/// # Safety
/// The processor has BMI2.
#[inline(always)]
pub(super) unsafe fn mul_127(a: [Limb; 2], b: [Limb; 2]) -> [Limb; 2] {
    // SAFETY: touches no memory; the processor is the caller's promise.
    unsafe { mul_127!(fold_127, a, b, mask = in(reg) Limb::MAX >> 1) }
}

/// The square of a number below 2^127, folded.
///
/// # Safety
/// The processor has BMI2.
#[inline(always)]
pub(super) unsafe fn sqr_127(a: [Limb; 2]) -> [Limb; 2] {
    let [r0, r1]: [Limb; 2];
    // SAFETY: touches no memory; the processor is the caller's promise.
    unsafe {
        std::arch::asm!(
            "mulx {r1}, {r0}, rdx",
            "lea {h}, [{a1} + {a1}]",
            "mulx {r2}, {l}, {h}",
            "mov rdx, {a1}",
            "mulx {r3}, {h}, rdx",
            "add {r1}, {l}",
            "adc {r2}, {h}",
            "adc {r3}, 0",
            fold_127!(),
            a1 = in(reg) a[1], mask = in(reg) Limb::MAX >> 1,
            r0 = out(reg) r0, r1 = out(reg) r1, r2 = out(reg) _, r3 = out(reg) _,
            l = out(reg) _, h = out(reg) _, inout("rdx") a[0] => _,
            options(pure, nomem, nostack),
        );
    }
    [r0, r1]
}

/// A row of a Montgomery product: `$w0..$w5 := $w0..$w4 + rdx * a`.
#[rustfmt::skip]
macro_rules! montgomery_row {
    ($w0:literal $w1:literal $w2:literal $w3:literal $w4:literal $w5:literal) => {
        concat!(
            "xor {", $w5, ":e}, {", $w5, ":e}\n", // both chains: no carry
            "mulx {h}, {l}, [{a}]\nadcx {", $w0, "}, {l}\nadox {", $w1, "}, {h}\n",
            "mulx {h}, {l}, [{a} + 8]\nadcx {", $w1, "}, {l}\nadox {", $w2, "}, {h}\n",
            "mulx {h}, {l}, [{a} + 16]\nadcx {", $w2, "}, {l}\nadox {", $w3, "}, {h}\n",
            "mulx {h}, {l}, [{a} + 24]\nadcx {", $w3, "}, {l}\nadox {", $w4, "}, {h}\n",
            "adcx {", $w4, "}, {", $w5, "}\nadox {", $w5, "}, {", $w5, "}\nadc {", $w5, "}, 0\n",
        )
    };
}

/// Its reduction: the multiple of p is added that makes `$w0` disappear.
#[rustfmt::skip]
macro_rules! montgomery_reduce {
    ($w0:literal $w1:literal $w2:literal $w3:literal $w4:literal $w5:literal) => {
        concat!(
            "mov rdx, [{p} + 32]\nimul rdx, {", $w0, "}\nxor {l:e}, {l:e}\n",
            "mulx {h}, {l}, [{p}]\nadcx {", $w0, "}, {l}\nadox {", $w1, "}, {h}\n",
            "mulx {h}, {l}, [{p} + 8]\nadcx {", $w1, "}, {l}\nadox {", $w2, "}, {h}\n",
            "mulx {h}, {l}, [{p} + 16]\nadcx {", $w2, "}, {l}\nadox {", $w3, "}, {h}\n",
            "mulx {h}, {l}, [{p} + 24]\nadcx {", $w3, "}, {l}\nadox {", $w4, "}, {h}\n",
            "mov {l:e}, 0\nadcx {", $w4, "}, {l}\nadox {", $w5, "}, {l}\nadc {", $w5, "}, 0\n",
        )
    };
}

/// The Montgomery product of four limbs, below p as the factors are (CIOS): what leaves the window below enters it above.
macro_rules! mont_mul_4 {
    ($a:expr, $b:expr, $p:expr) => {{
        let [r0, r1, r4, r5]: [Limb; 4];
        std::arch::asm!(
            "mov rdx, [{b}]",
            "xor {r5:e}, {r5:e}",
            first_row!("{a}"),
            montgomery_reduce!("r0" "r1" "r2" "r3" "r4" "r5"),
            "mov rdx, [{b} + 8]",
            montgomery_row!("r1" "r2" "r3" "r4" "r5" "r0"),
            montgomery_reduce!("r1" "r2" "r3" "r4" "r5" "r0"),
            "mov rdx, [{b} + 16]",
            montgomery_row!("r2" "r3" "r4" "r5" "r0" "r1"),
            montgomery_reduce!("r2" "r3" "r4" "r5" "r0" "r1"),
            "mov rdx, [{b} + 24]",
            montgomery_row!("r3" "r4" "r5" "r0" "r1" "r2"),
            montgomery_reduce!("r3" "r4" "r5" "r0" "r1" "r2"),
            // Less p, unless that borrows from what is above.
            "mov {l}, {r4}",
            "sub {l}, [{p}]",
            "mov {h}, {r5}",
            "sbb {h}, [{p} + 8]",
            "mov rdx, {r0}",
            "sbb rdx, [{p} + 16]",
            "mov {r3}, {r1}",
            "sbb {r3}, [{p} + 24]",
            "sbb {r2}, 0",
            "cmovnc {r4}, {l}",
            "cmovnc {r5}, {h}",
            "cmovnc {r0}, rdx",
            "cmovnc {r1}, {r3}",
            a = in(reg) $a, b = in(reg) $b, p = in(reg) $p,
            r0 = out(reg) r0, r1 = out(reg) r1, r2 = out(reg) _, r3 = out(reg) _,
            r4 = out(reg) r4, r5 = out(reg) r5,
            l = out(reg) _, h = out(reg) _, out("rdx") _,
            options(pure, readonly, nostack),
        );
        [r4, r5, r0, r1]
    }};
}

/// # Safety
/// The processor has BMI2 and ADX.
#[inline(always)]
pub(super) unsafe fn mont_mul_4(a: &[Limb; 4], b: &[Limb; 4], p: &[Limb; 5]) -> [Limb; 4] {
    // SAFETY: reads four limbs of a and b and five of p; the processor is the caller's promise.
    unsafe { mont_mul_4!(a.as_ptr(), b.as_ptr(), p.as_ptr()) }
}

impl MulxAdx {
    /// The product of residues of two or four limbs; `None` of others, and if c is too long.
    #[inline(always)]
    pub(super) fn mul<const BITS: usize, const C: u64>(
        self,
        a: &[Limb],
        b: &[Limb],
    ) -> Option<[Limb; 4]> {
        // SAFETY: the pointers are to four limbs; `new` checked the processor.
        unsafe {
            if let ([_, _, _, _], [_, _, _, _]) = (a, b) {
                return folded!(mul_4(4, BITS, C): a.as_ptr(), b.as_ptr());
            }
            let ([_, _], [_, _]) = (a, b) else {
                return None;
            };
            folded!(mul_2(2, BITS, C): a, b).map(|r| [r[0], r[1], 0, 0])
        }
    }

    /// The square, likewise.
    #[inline(always)]
    pub(super) fn sqr<const BITS: usize, const C: u64>(self, a: &[Limb]) -> Option<[Limb; 4]> {
        // SAFETY: the pointer is to four limbs; `new` checked the processor.
        unsafe {
            if let [_, _, _, _] = a {
                return folded!(sqr_4(4, BITS, C): a.as_ptr());
            }
            let [_, _] = a else { return None };
            folded!(sqr_2(2, BITS, C): a).map(|r| [r[0], r[1], 0, 0])
        }
    }
}

impl MulxAdx {
    /// The product of numbers below 2^127, folded there.
    #[inline(always)]
    pub(super) fn mul_127(self, a: [Limb; 2], b: [Limb; 2]) -> [Limb; 2] {
        // SAFETY: `new` checked the processor.
        unsafe { mul_127(a, b) }
    }

    /// The square, likewise.
    #[inline(always)]
    pub(super) fn sqr_127(self, a: [Limb; 2]) -> [Limb; 2] {
        // SAFETY: `new` checked the processor.
        unsafe { sqr_127(a) }
    }
}

impl MulxAdx {
    /// The Montgomery product of four limbs modulo p, behind which is `-p^-1 mod 2^64`; `None` of others.
    #[inline(always)]
    pub(super) fn mont_mul(
        self,
        a: &[Limb],
        b: &[Limb],
        p: &'static [Limb; 5],
    ) -> Option<[Limb; 4]> {
        let (a, b) = (a.try_into().ok()?, b.try_into().ok()?);
        // SAFETY: `new` checked the processor.
        Some(unsafe { mont_mul_4(a, b, p) })
    }
}

/// A row of a long square: rdx times limbs of a, from `$at` on, added to `$low..`; what is above goes to `$top`.
#[rustfmt::skip]
macro_rules! cross {
    ($top:literal: $($at:literal $low:literal $high:literal),+) => {
        concat!(
            "xor ", $top, ", ", $top, "\n", // both chains: no carry
            $("mulx rcx, rax, [rsi + ", $at, "]\nadcx ", $low, ", rax\nadox ", $high, ", rcx\n",)+
            "mov eax, 0\nadcx ", $top, ", rax\n",
        )
    };
}

pub(super) mod p256;
pub(super) mod p384;
pub(super) mod p521;

impl Multiply for MulxAdx {
    #[inline(always)]
    fn mul<R: Residue>(self, a: &R, b: &R) -> R {
        a.mul_mulx_adx(b, self)
    }

    #[inline(always)]
    fn sqr<R: Residue>(self, a: &R) -> R {
        a.sqr_mulx_adx(self)
    }
}
