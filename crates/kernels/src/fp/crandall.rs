//! Residues modulo 2^w - c in whole words.

use super::{MAX_LIMBS, Residue, Word, product};
use crate::Limb;

/// A residue modulo `2^BITS - C` in N words: any number of N words, which stand for what they are modulo the prime.
///
/// Calculations are modulo `R - d`, a multiple of the prime, where `R = 2^(N words)` and `d = C R / 2^BITS`: whatever is
/// above R goes below times d. So there is one class of bounds, and nothing is reduced before it is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Crandall<W, const N: usize, const BITS: usize, const C: u64>(pub(super) [W; N]);

impl<W: Word, const N: usize, const BITS: usize, const C: u64> Crandall<W, N, BITS, C> {
    /// Bits of the words above those of the prime.
    const SPARE: usize = N * W::BITS - BITS;
    /// `R mod (R - d)`
    pub(super) const D: u64 = {
        assert!(N >= 2, "a residue has at least two words");
        assert!(N * W::BITS <= 64 || W::BITS == 64);
        assert!(BITS > (N - 1) * W::BITS && BITS <= N * W::BITS);
        assert!(C > 0 && C % 2 == 1, "c must be odd");
        let fits = (C as u128) << (N * W::BITS - BITS) < 1 << W::BITS;
        assert!(fits, "c must fit a word beside the bits that are spare");
        C << (N * W::BITS - BITS)
    };

    #[inline(always)]
    fn d() -> W {
        W::lowest(Self::D)
    }

    /// The number below the prime, in words.
    #[inline(always)]
    fn canonical_words(&self) -> [W; N] {
        let last = W::BITS - Self::SPARE;
        let split = |x: &mut [W; N]| {
            let top = x[N - 1].limb();
            // The words of the lowest BITS bits, and what is above.
            x[N - 1] = W::lowest(if last == 64 {
                top
            } else {
                top & ((1 << last) - 1)
            });
            if last == 64 { 0 } else { top >> last }
        };
        let mut x = self.0;
        let above = split(&mut x);
        let carry = add_words(&mut x, W::lowest(above * C));
        debug_assert!(!carry);
        // Now x < 2 p. x + c reaches 2^BITS where x reaches p, and is x - p there.
        let mut y = x;
        let carry = add_words(&mut y, W::lowest(C));
        let above = split(&mut y);
        let reached = Limb::from(carry) | Limb::from(above != 0);
        core::array::from_fn(|i| W::select(x[i], y[i], reached))
    }
}

/// `x += word`; returns the carry.
#[inline(always)]
fn add_words<W: Word, const N: usize>(x: &mut [W; N], word: W) -> bool {
    let mut carry;
    (x[0], carry) = W::adc(x[0], word, false);
    for x in &mut x[1..] {
        (*x, carry) = W::adc(*x, W::ZERO, carry);
    }
    carry
}

impl<W: Word, const N: usize, const BITS: usize, const C: u64> Residue for Crandall<W, N, BITS, C> {
    const BITS: usize = BITS;
    const MODULUS: [Limb; MAX_LIMBS] = {
        let mut p = [0; MAX_LIMBS];
        let mut i = 0;
        while 64 * i < BITS {
            let rest = BITS - 64 * i;
            p[i] = if rest >= 64 {
                u64::MAX
            } else {
                (1 << rest) - 1
            };
            i += 1;
        }
        // 2^BITS - 1 - (C - 1)
        p[0] -= C - 1;
        p
    };

    const ZERO: Self = Crandall([W::ZERO; N]);
    const ONE: Self = {
        let mut words = [W::ZERO; N];
        words[0] = W::ONE;
        Crandall(words)
    };

    #[inline(always)]
    fn from_limbs(limbs: &[Limb; MAX_LIMBS]) -> Self {
        Crandall(core::array::from_fn(|i| {
            let at = i * W::BITS;
            W::lowest(limbs[at / 64] >> (at % 64))
        }))
    }

    #[inline(always)]
    fn to_limbs(&self) -> [Limb; MAX_LIMBS] {
        Crandall::<W, N, BITS, C>(self.canonical_words()).form()
    }

    /// Without reducing it: any number of N words is a residue.
    #[inline(always)]
    fn form(&self) -> [Limb; MAX_LIMBS] {
        let mut limbs = [0; MAX_LIMBS];
        for (i, word) in self.0.into_iter().enumerate() {
            let at = i * W::BITS;
            limbs[at / 64] |= word.limb() << (at % 64);
        }
        limbs
    }

    #[inline(always)]
    fn add(&self, other: &Self) -> Self {
        let (mut r, mut carry) = (self.0, false);
        for (r, b) in r.iter_mut().zip(&other.0) {
            (*r, carry) = W::adc(*r, *b, carry);
        }
        carry = add_words(&mut r, Self::d().only_if(carry));
        // A second carry leaves less than d, so that one more stays within two words.
        (r[0], carry) = W::adc(r[0], Self::d().only_if(carry), false);
        (r[1], _) = W::adc(r[1], W::ZERO, carry);
        Crandall(r)
    }

    #[inline(always)]
    fn sub(&self, other: &Self) -> Self {
        let (mut r, mut borrow) = (self.0, false);
        for (r, b) in r.iter_mut().zip(&other.0) {
            (*r, borrow) = W::sbb(*r, *b, borrow);
        }
        // What was borrowed is R, which is d.
        let owed = Self::d().only_if(borrow);
        (r[0], borrow) = W::sbb(r[0], owed, false);
        for r in &mut r[1..] {
            (*r, borrow) = W::sbb(*r, W::ZERO, borrow);
        }
        // A second one leaves R - d or more, whose words but the lowest are all ones.
        (r[0], borrow) = W::sbb(r[0], Self::d().only_if(borrow), false);
        (r[1], _) = W::sbb(r[1], W::ZERO, borrow);
        Crandall(r)
    }

    #[inline(always)]
    fn half(&self) -> Self {
        let odd = self.0[0].limb() & 1 == 1;
        let (mut r, mut carry) = (self.0, false);
        for (r, p) in r.iter_mut().zip(Self::from_limbs(&Self::MODULUS).0) {
            (*r, carry) = W::adc(*r, p.only_if(odd), carry);
        }
        let mut above = Limb::from(carry);
        for r in r.iter_mut().rev() {
            let word = r.limb();
            (*r, above) = (W::lowest(word >> 1 | above << (W::BITS - 1)), word);
        }
        Crandall(r)
    }

    #[inline(always)]
    fn mul_word(&self, word: Limb) -> Self {
        debug_assert!(W::lowest(word).limb() == word);
        let (mut r, mut carry) = (self.0, W::ZERO);
        for r in &mut r {
            (*r, carry) = W::mac(*r, W::lowest(word), W::ZERO, carry);
        }
        Crandall(product::fold_word(r, carry, Self::d()))
    }

    #[inline(always)]
    fn mul(&self, other: &Self) -> Self {
        Crandall(product::fold(
            &product::schoolbook(&self.0, &other.0),
            Self::d(),
        ))
    }

    #[inline(always)]
    fn sqr(&self) -> Self {
        Crandall(product::fold(&product::square(&self.0), Self::d()))
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn mul_mulx_adx(&self, other: &Self, proof: super::MulxAdx) -> Self {
        let limbs = W::limbs(&self.0).zip(W::limbs(&other.0));
        match limbs.and_then(|(a, b)| proof.mul::<BITS, C>(a, b)) {
            Some(r) => Crandall(core::array::from_fn(|i| W::lowest(r[i]))),
            None => self.mul(other),
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn sqr_mulx_adx(&self, proof: super::MulxAdx) -> Self {
        match W::limbs(&self.0).and_then(|a| proof.sqr::<BITS, C>(a)) {
            Some(r) => Crandall(core::array::from_fn(|i| W::lowest(r[i]))),
            None => self.sqr(),
        }
    }

    #[inline(always)]
    fn select(a: &Self, b: &Self, bit: Limb) -> Self {
        Crandall(core::array::from_fn(|i| W::select(a.0[i], b.0[i], bit)))
    }
}
