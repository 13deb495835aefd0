//! Reductions alone, and by the ways that compete with what is used: bit tests and masks. For comparison.

use crate::Limb;

/// `r0..r3` below 2^254 folded at 2^127 by bit tests: Şanal, A Galois Field Arithmetic Library, 2017, listing 3.
#[rustfmt::skip]
macro_rules! bit_test_127 {
    () => {
        "shl {r3}, 1\n\
         btr {r2}, 63\n\
         adc {r3}, 0\n\
         shl {r2}, 1\n\
         btr {r1}, 63\n\
         adc {r2}, 0\n\
         add {r0}, {r2}\n\
         adc {r1}, {r3}\n\
         btr {r1}, 63\n\
         adc {r0}, 0\n\
         adc {r1}, 0\n"
    };
}

/// `r0..r3` below 2^254 folded at 2^127 by shifts and masks, as the library MPFQ does it by the same source, listing 5.
#[rustfmt::skip]
macro_rules! mpfq_127 {
    () => {
        "mov {h}, 0x7fffffffffffffff\n\
         mov {l}, {r1}\n\
         and {r1}, {h}\n\
         shr {l}, 63\n\
         mov rdx, {r2}\n\
         shl {r2}, 1\n\
         or {l}, {r2}\n\
         shl {r3}, 1\n\
         shr rdx, 63\n\
         or rdx, {r3}\n\
         add {r0}, {l}\n\
         adc {r1}, rdx\n\
         mov {l}, {r1}\n\
         and {r1}, {h}\n\
         shl {l}, 1\n\
         adc {r0}, 0\n\
         adc {r1}, 0\n"
    };
}

/// How many instructions a text is.
const fn instructions(text: &str) -> usize {
    let (mut count, mut i) = (0, 0);
    while i < text.len() {
        count += (text.as_bytes()[i] == b'\n') as usize;
        i += 1;
    }
    count
}

/// How many instructions a reduction modulo 2^127 - 1 has, by the kernel of `fp_m127_fold`.
pub(super) const INSTRUCTIONS_127: [(&str, usize); 3] = [
    ("mask", instructions(fold_127!())),
    ("bit_test", instructions(bit_test_127!())),
    ("mpfq", instructions(mpfq_127!())),
];

/// A number below 2^254, folded at 2^127 by one of the ways, which takes these operands.
macro_rules! alone_127 {
    ($(#[$doc:meta])* $name:ident: $fold:ident, $($operand:tt)*) => {
        $(#[$doc])*
        #[inline(always)]
        pub(super) fn $name(t: [Limb; 4]) -> [Limb; 2] {
            let [r0, r1]: [Limb; 2];
            // SAFETY: touches no memory; every processor of this architecture has the instructions.
            unsafe {
                std::arch::asm!(
                    $fold!(),
                    r0 = inout(reg) t[0] => r0, r1 = inout(reg) t[1] => r1,
                    r2 = inout(reg) t[2] => _, r3 = inout(reg) t[3] => _,
                    $($operand)*
                    options(pure, nomem, nostack),
                );
            }
            [r0, r1]
        }
    };
}

alone_127! {
    /// By the way that [`MulxAdx`](super::MulxAdx) takes.
    mask_127: fold_127, l = out(reg) _, mask = in(reg) Limb::MAX >> 1,
}
alone_127! {
    /// By bit tests.
    bit_test_127: bit_test_127,
}
alone_127! {
    /// By MPFQ's way.
    mpfq_127: mpfq_127, l = out(reg) _, h = out(reg) _, out("rdx") _,
}

/// The product of numbers below 2^127, folded by bit tests.
///
/// # Safety
/// The processor has BMI2.
#[inline(always)]
pub(super) unsafe fn mul_127_bit_test(a: [Limb; 2], b: [Limb; 2]) -> [Limb; 2] {
    // SAFETY: touches no memory; the processor is the caller's promise.
    unsafe { mul_127!(bit_test_127, a, b) }
}

/// The product of numbers below 2^127, folded by MPFQ's way.
///
/// # Safety
/// The processor has BMI2.
#[inline(always)]
pub(super) unsafe fn mul_127_mpfq(a: [Limb; 2], b: [Limb; 2]) -> [Limb; 2] {
    // SAFETY: touches no memory; the processor is the caller's promise.
    unsafe { mul_127!(mpfq_127, a, b) }
}

/// How the last carry of a fold becomes d or nothing, by `fold_limbs!`.
macro_rules! folds {
    ($(#[$doc:meta])* $two:ident $four:ident: $chain:ident) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// The processor has BMI2; d is below 2^32.
        #[inline(always)]
        pub(super) unsafe fn $two(t: [Limb; 4], d: Limb) -> [Limb; 2] {
            let [r0, r1]: [Limb; 2];
            // SAFETY: touches no memory; the processor is the caller's promise.
            unsafe {
                std::arch::asm!(
                    fold_limbs!($chain, "r0" "r1", "r2" "r3"),
                    r0 = inout(reg) t[0] => r0, r1 = inout(reg) t[1] => r1,
                    r2 = inout(reg) t[2] => _, r3 = inout(reg) t[3] => _,
                    l = out(reg) _, h = out(reg) _, inout("rdx") d => _,
                    options(pure, nomem, nostack),
                );
            }
            [r0, r1]
        }

        $(#[$doc])*
        ///
        /// # Safety
        /// The processor has BMI2; d is below 2^32.
        #[inline(always)]
        pub(super) unsafe fn $four(t: [Limb; 8], d: Limb) -> [Limb; 4] {
            let [r0, r1, r2, r3]: [Limb; 4];
            // SAFETY: touches no memory; the processor is the caller's promise.
            unsafe {
                std::arch::asm!(
                    fold_limbs!($chain, "r0" "r1" "r2" "r3", "r4" "r5" "r6" "r7"),
                    r0 = inout(reg) t[0] => r0, r1 = inout(reg) t[1] => r1,
                    r2 = inout(reg) t[2] => r2, r3 = inout(reg) t[3] => r3,
                    r4 = inout(reg) t[4] => _, r5 = inout(reg) t[5] => _,
                    r6 = inout(reg) t[6] => _, r7 = inout(reg) t[7] => _,
                    l = out(reg) _, h = out(reg) _, inout("rdx") d => _,
                    options(pure, nomem, nostack),
                );
            }
            [r0, r1, r2, r3]
        }
    };
}

folds! {
    /// A product folded at R - d, the last carry by `cmov`, as [`MulxAdx`](super::MulxAdx) does it.
    cmov_2 cmov_4: short
}
folds! {
    /// A product folded at R - d, the last carry by a mask.
    mask_2 mask_4: masked
}
