//! The digits that residues are made of: limbs, or narrower words with which the same code can be tried out on all
//! there are.

use crate::Limb;

/// A digit in a saturated radix `2^BITS`.
pub trait Word: Copy + PartialEq + core::fmt::Debug + 'static {
    /// Bits in a word, at most 64.
    const BITS: usize;
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// The lowest bits of a limb.
    fn lowest(limb: Limb) -> Self;
    /// This word as a limb.
    fn limb(self) -> Limb;
    /// `a * b + c + d` as (low word, high word).
    fn mac(a: Self, b: Self, c: Self, d: Self) -> (Self, Self);
    /// `a + b + carry` as (low word, carry out).
    fn adc(a: Self, b: Self, carry: bool) -> (Self, bool);
    /// `a - b - borrow` as (low word, borrow out).
    fn sbb(a: Self, b: Self, borrow: bool) -> (Self, bool);
    /// A slice of words as one of limbs, if words are limbs; else `None`.
    #[inline(always)]
    fn limbs(_words: &[Self]) -> Option<&[Limb]> {
        None
    }
    /// `a` for true, else 0, in a form that the optimiser cannot turn into a branch.
    fn only_if(self, condition: bool) -> Self;
    /// `a` for 0, `b` for 1, in a form that the optimiser cannot turn into a branch.
    fn select(a: Self, b: Self, bit: Limb) -> Self;
}

impl Word for Limb {
    const BITS: usize = 64;
    const ZERO: Limb = 0;
    const ONE: Limb = 1;

    #[inline(always)]
    fn lowest(limb: Limb) -> Limb {
        limb
    }

    #[inline(always)]
    fn limb(self) -> Limb {
        self
    }

    #[inline(always)]
    fn limbs(words: &[Limb]) -> Option<&[Limb]> {
        Some(words)
    }

    #[inline(always)]
    fn mac(a: Limb, b: Limb, c: Limb, d: Limb) -> (Limb, Limb) {
        a.carrying_mul_add(b, c, d)
    }

    #[inline(always)]
    fn adc(a: Limb, b: Limb, carry: bool) -> (Limb, bool) {
        a.carrying_add(b, carry)
    }

    /// By the intrinsic: of `a.borrowing_sub(0, borrow)` the compiler makes a comparison of a with 0, and no chain.
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    #[inline(always)]
    #[allow(unused_unsafe)] // Newer compilers call it safe.
    fn sbb(a: Limb, b: Limb, borrow: bool) -> (Limb, bool) {
        let mut r = 0;
        // SAFETY: every processor of this architecture has the instruction.
        let borrow = unsafe { core::arch::x86_64::_subborrow_u64(borrow.into(), a, b, &mut r) };
        (r, borrow != 0)
    }

    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    #[inline(always)]
    fn sbb(a: Limb, b: Limb, borrow: bool) -> (Limb, bool) {
        a.borrowing_sub(b, borrow)
    }

    #[inline(always)]
    fn only_if(self, condition: bool) -> Limb {
        self & mask(condition.into())
    }

    #[inline(always)]
    fn select(a: Limb, b: Limb, bit: Limb) -> Limb {
        a ^ (a ^ b) & mask(bit)
    }
}

/// `a` for true, else 0, by `cmov`. For comparison.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
pub(super) fn moved_if(mut a: Limb, condition: bool) -> Limb {
    // SAFETY: touches no memory; every processor of this architecture has the instructions.
    unsafe {
        std::arch::asm!(
            "test {bit:e}, {bit:e}",
            "cmovz {a}, {zero}",
            a = inout(reg) a, bit = in(reg) u32::from(condition), zero = in(reg) 0_u64,
            options(pure, nomem, nostack),
        );
    }
    a
}

/// All ones for 1, zero for 0, behind an optimisation barrier.
#[inline(always)]
#[allow(unused_mut)]
pub(super) fn mask(bit: Limb) -> Limb {
    // Before the barrier, as the negative of a carry is one instruction.
    let mut mask = bit.wrapping_neg();
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: no instruction at all.
    unsafe {
        std::arch::asm!("/* {} */", inlateout(reg) mask, options(pure, nomem, nostack, preserves_flags));
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let mask = core::hint::black_box(mask);
    mask
}
