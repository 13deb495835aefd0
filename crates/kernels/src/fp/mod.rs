//! Arithmetic modulo primes `2^w - c`: residues of a few words, and the ways to multiply them.
//!
//! These functions are so short that a call costs as much as the work. So there are two ways to use them. [`Multiply`]
//! is for use: it is chosen once, where a long calculation begins, and inlined into it; a [`MulxAdx`] is the proof that
//! the processor has what it executes. The operations below, from [`mul`] to [`m127_fold`], are rows of the registry as
//! any other: the same code, and the methods that compete with it, behind a contract. [`x25519_step`] is long enough to
//! be called.
//!
//! A [`Residue`] knows its modulus by its type. [`Crandall`] is `2^w - c` in general, [`Mersenne127`] and [`Mersenne521`] are
//! `2^127 - 1` and `2^521 - 1`, [`Goldilocks`] is `2^448 - 2^224 - 1`, [`Montgomery`] is any odd prime, and knows those of
//! P-256 and P-384. [`Digits521`] is for vectors: [`Ifma512`](crate::fp8::Ifma512) is a way to multiply, too.

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod adc;
mod crandall;
mod digits521;
mod goldilocks;
#[cfg(target_arch = "x86_64")]
mod ifma512;
mod mersenne127;
mod mersenne521;
pub(crate) mod operands;
// Words that belong together have one index.
#[allow(clippy::needless_range_loop)]
mod montgomery;
#[cfg(target_arch = "x86_64")]
#[macro_use]
mod mulx_adx;
mod nist;
#[allow(clippy::needless_range_loop)]
mod product;
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod reduce;
mod word;

use crate::Limb;
pub use crandall::Crandall;
pub use digits521::Digits521;
pub use goldilocks::Goldilocks;
pub use mersenne127::Mersenne127;
pub use mersenne521::Mersenne521;
pub use montgomery::{Montgomery, Prime};
#[cfg(target_arch = "x86_64")]
pub use mulx_adx::MulxAdx;
pub use word::Word;

/// The most limbs of a residue.
pub const MAX_LIMBS: usize = 9;

/// Residues modulo a prime, in a form in which one residue may have several representations.
pub trait Residue: Copy + core::fmt::Debug + 'static {
    /// The bits of the prime.
    const BITS: usize;
    /// The prime.
    const MODULUS: [Limb; MAX_LIMBS];
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// The residue of a number below `2^BITS`.
    fn from_limbs(limbs: &[Limb; MAX_LIMBS]) -> Self;
    /// The number below the prime.
    fn to_limbs(&self) -> [Limb; MAX_LIMBS];
    /// The residue in the form that tables hold, in as many limbs as the prime has: [`from_form`](Residue::from_form)
    /// takes it as it is.
    #[inline(always)]
    fn form(&self) -> [Limb; MAX_LIMBS] {
        self.to_limbs()
    }
    /// The residue of this form.
    #[inline(always)]
    fn from_form(form: &[Limb; MAX_LIMBS]) -> Self {
        Self::from_limbs(form)
    }
    /// The sum.
    fn add(&self, other: &Self) -> Self;
    /// The difference.
    fn sub(&self, other: &Self) -> Self;
    /// The residue whose double this is.
    fn half(&self) -> Self;
    /// The product with a number that fits a word.
    #[inline(always)]
    fn mul_word(&self, word: Limb) -> Self {
        let mut limbs = [0; MAX_LIMBS];
        limbs[0] = word;
        self.mul(&Self::from_limbs(&limbs))
    }
    /// The product, in plain Rust.
    fn mul(&self, other: &Self) -> Self;
    /// The square, in plain Rust.
    fn sqr(&self) -> Self;
    /// The product by [`MulxAdx`], where that is faster.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn mul_mulx_adx(&self, other: &Self, _proof: MulxAdx) -> Self {
        self.mul(other)
    }
    /// The square by [`MulxAdx`], where that is faster.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn sqr_mulx_adx(&self, _proof: MulxAdx) -> Self {
        self.sqr()
    }
    /// The residue as digits that vectors calculate with, if this type is [`Digits521`].
    #[inline(always)]
    fn digits(&self) -> Option<&Digits521> {
        None
    }
    /// The residue of these digits, if this type is [`Digits521`].
    #[inline(always)]
    fn of_digits(_digits: Digits521) -> Option<Self> {
        None
    }
    /// `a` for 0, `b` for 1.
    fn select(a: &Self, b: &Self, bit: Limb) -> Self;
    /// Overwrites it with 0, in a form that the optimiser cannot remove.
    fn wipe(&mut self) {
        crate::wipe(core::slice::from_mut(self), Self::ZERO);
    }
}

/// A calculation that is written for any way to multiply. What it calls for short work must be `inline(always)`: then it is
/// compiled for the processor that the way to multiply needs.
pub trait Calculation {
    /// The result.
    type Output;
    /// Runs it.
    fn run<M: Multiply>(self, m: M) -> Self::Output;
}

/// A way to multiply residues.
pub trait Multiply: Copy + core::fmt::Debug + 'static {
    /// Runs a calculation.
    #[inline(always)]
    fn run<C: Calculation>(self, calculation: C) -> C::Output {
        calculation.run(self)
    }
    /// The product.
    fn mul<R: Residue>(self, a: &R, b: &R) -> R;
    /// The square.
    fn sqr<R: Residue>(self, a: &R) -> R;
    /// The sum.
    #[inline(always)]
    fn add<R: Residue>(self, a: &R, b: &R) -> R {
        a.add(b)
    }
    /// The difference.
    #[inline(always)]
    fn sub<R: Residue>(self, a: &R, b: &R) -> R {
        a.sub(b)
    }
    /// The half.
    #[inline(always)]
    fn half<R: Residue>(self, a: &R) -> R {
        a.half()
    }
    /// `a` for 0, `b` for 1.
    #[inline(always)]
    fn select<R: Residue>(self, a: &R, b: &R, bit: Limb) -> R {
        R::select(a, b, bit)
    }
}

/// Plain Rust, which every processor runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Portable;

impl Multiply for Portable {
    #[inline(always)]
    fn mul<R: Residue>(self, a: &R, b: &R) -> R {
        a.mul(b)
    }

    #[inline(always)]
    fn sqr<R: Residue>(self, a: &R) -> R {
        a.sqr()
    }
}

/// The residues that the operations [`mul`] and [`sqr`] take: of two or four limbs.
///
/// # Safety
/// `a` is valid for reads of N limbs.
#[inline(always)]
unsafe fn load<const N: usize>(a: *const Limb) -> [Limb; N] {
    // SAFETY: the caller's.
    core::array::from_fn(|i| unsafe { *a.add(i) })
}

/// Where they leave a result.
///
/// # Safety
/// `r` is valid for writes of N limbs.
#[inline(always)]
unsafe fn store<const N: usize>(r: *mut Limb, value: [Limb; N]) {
    for (i, limb) in value.into_iter().enumerate() {
        // SAFETY: the caller's.
        unsafe { *r.add(i) = limb };
    }
}

/// The body of a kernel of [`mul`] or [`sqr`] from a product that is written for any number of words: loads the operands of
/// n limbs, 2 or 4, and stores the product folded by d.
macro_rules! folded {
    (($r:ident, $n:ident, $d:ident), |$($operand:ident),*| $product:expr) => {
        if $n == 2 {
            $(let $operand = &$crate::fp::load::<2>($operand);)*
            $crate::fp::store($r, $crate::fp::product::fold::<_, 2>(&$product, $d));
        } else {
            $(let $operand = &$crate::fp::load::<4>($operand);)*
            $crate::fp::store($r, $crate::fp::product::fold::<_, 4>(&$product, $d));
        }
    };
}

ops! {
    Fp:
    mul::Mul,
    sqr::Sqr,
    m127_mul::M127Mul,
    m127_sqr::M127Sqr,
    x25519_step::X25519Step,
    mont_mul::MontMul,
    add::Add,
    nist_mul::NistMul,
    nist_sqr::NistSqr,
    m521_mul::M521Mul,
    m521_sqr::M521Sqr,
    fold::Fold,
    m127_fold::M127Fold,
}
