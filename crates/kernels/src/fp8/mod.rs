//! Residues modulo primes `2^w - c` in vector lanes: eight numbers side by side, one a lane.
//!
//! An [`Octet`] holds the digits of one place of all eight. A residue has three digits for w of 127 and 128, five for 255
//! and 256. Vectors that multiply whole numbers have them in digits with slack, [`Slack`]. Vectors of floating-point
//! numbers have them in radix 2^52, [`Digits`]. There R = 2^(52n) is d modulo the prime, `d = c R / 2^w`. So the upper
//! half of a product is multiplied by d and added to the lower half, and what is then above 2^w is multiplied by c and
//! added.
//!
//! As in [`fp`](crate::fp) there are two ways to use them. [`Lanes`] is for calculations: vectors as a value, chosen
//! once, where a long calculation begins: a [`Program`] is inlined into a function that enables what the vectors
//! execute. The operations below, from [`mul`] to [`slack_sqr`], are rows of the registry: the same code behind a
//! contract.

mod arithmetic;
#[cfg(target_arch = "x86_64")]
mod fma;
#[cfg(target_arch = "x86_64")]
mod ifma;
pub(crate) mod operands;
mod slack;
mod words;

pub use crate::mb8::{DIGIT_BITS, DIGIT_MASK, Octet};
use crate::{
    Cpu, Limb,
    fp::{Crandall, Mersenne127, Residue},
};
pub use arithmetic::Digits;
use core::fmt;
pub use slack::{Slack, place};
pub use words::Words;
#[cfg(target_arch = "x86_64")]
pub use {
    fma::Fma256,
    ifma::{Ifma256, Ifma512},
};

/// The most digits of a residue.
pub const MAX_DIGITS: usize = 5;

/// Vectors of 64-bit words: a value is the proof that the processor has what they execute.
///
/// A product of digits comes in halves: 52 low bits and what is above. Vectors of floating-point numbers round to the
/// nearest high half, so that a low one may be negative, and leave a surplus in each sum, which is known.
pub trait Lanes: Copy + fmt::Debug + 'static {
    /// Words in a vector; it divides eight.
    const LANES: usize;
    /// Whether low halves may be negative.
    const SIGNED: bool;
    /// How much each product adds too much to a sum of low halves, and to one of high halves, modulo 2^64.
    const SURPLUS: [Limb; 2];
    /// Words, one a lane.
    type Vector: Copy;
    /// Digits in the form that products take.
    type Factor: Copy;
    /// Residues modulo `2^BITS - c` in N digits, of the kind that is best in these vectors.
    type Digits<const N: usize, const BITS: usize>: Residues<Self>;
    /// Runs a program on these vectors.
    #[inline(always)]
    fn run<P: Program>(self, program: P) -> P::Output {
        program.run(self)
    }
    /// The words of an octet from `LANES * part` on.
    fn load(self, from: &[Limb; 8], part: usize) -> Self::Vector;
    /// Stores them in an octet from `LANES * part` on.
    fn store(self, words: Self::Vector, to: &mut [Limb; 8], part: usize);
    /// `word` in every lane.
    fn splat(self, word: Limb) -> Self::Vector;
    /// Sums modulo 2^64.
    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Differences modulo 2^64.
    fn sub(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Bitwise and.
    fn and(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Bitwise or.
    fn or(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Bitwise exclusive or.
    fn xor(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Words shifted right by `bits`.
    fn shr(self, a: Self::Vector, bits: usize) -> Self::Vector;
    /// Words times 2^bits, modulo 2^64.
    fn shl(self, a: Self::Vector, bits: usize) -> Self::Vector;
    /// Converts digits below 2^52 to the form that products take.
    fn factor(self, digits: Self::Vector) -> Self::Factor;
    /// `[low, high]` plus both halves of a product of digits, and the surplus.
    fn mac(self, sums: [Self::Vector; 2], a: Self::Factor, b: Self::Factor) -> [Self::Vector; 2];
    /// `[low, high]` plus both halves of a product of digits, the low half not negative, and the surplus.
    fn mac_floor(
        self,
        sums: [Self::Vector; 2],
        a: Self::Factor,
        b: Self::Factor,
    ) -> [Self::Vector; 2];
    /// `low` plus a product below 2^51, and the surplus of a low half.
    fn mac_low(self, low: Self::Vector, a: Self::Factor, b: Self::Factor) -> Self::Vector;
}

/// Vectors whose products of digits are whole numbers: their sums have no surplus, and digits need nothing to be factors.
pub trait Whole: Lanes<Factor = <Self as Lanes>::Vector> {
    /// Products modulo 2^64.
    fn mul(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
}

/// Residues modulo `2^w - c`, one a lane, in digits below 2^52.
pub trait Residues<L: Lanes>: Copy {
    /// A product that is still to be reduced.
    type Product: Copy;
    /// The bit where digit i stands.
    fn place(i: usize) -> usize;
    /// Residues from octets, from lane `LANES * part` on.
    fn load(l: L, from: &[[Limb; 8]], part: usize) -> Self;
    /// Stores them in octets from lane `LANES * part` on.
    fn store(&self, l: L, to: &mut [[Limb; 8]], part: usize);
    /// One residue, given by its digits, in every lane.
    fn splat(l: L, digits: &[Limb]) -> Self;
    /// The products, to be reduced.
    fn product(&self, l: L, other: &Self, c: Limb) -> Self::Product;
    /// The squares, to be reduced.
    fn square(&self, l: L, c: Limb) -> Self::Product;
    /// Reduces products or squares.
    fn reduced(l: L, product: Self::Product, c: Limb) -> Self;
    /// The products.
    #[inline(always)]
    fn mul(&self, l: L, other: &Self, c: Limb) -> Self {
        Self::reduced(l, self.product(l, other, c), c)
    }
    /// The squares.
    #[inline(always)]
    fn sqr(&self, l: L, c: Limb) -> Self {
        Self::reduced(l, self.square(l, c), c)
    }
    /// The products with a word below 2^32.
    fn mul_word(&self, l: L, word: Limb, c: Limb) -> Self;
    /// The sums.
    fn add(&self, l: L, other: &Self, c: Limb) -> Self;
    /// The differences.
    fn sub(&self, l: L, other: &Self, c: Limb) -> Self;
    /// The numbers below the prime, given residues that another operation gave.
    #[must_use]
    fn canonical(&self, l: L, c: Limb) -> Self;
    /// A word of ones for each canonical residue that is 0, and 0 for others.
    fn zeros(&self, l: L) -> L::Vector;
    /// `self` in lanes where the mask is 0, `other` where it is all ones.
    #[must_use]
    fn select(&self, l: L, other: &Self, mask: L::Vector) -> Self;
}

/// Residues of a field that has lanes. c has no more bits than the prime has in its highest digit of 52; a longer c
/// does not compile.
pub trait InLanes: Residue {
    /// Digits of a residue.
    const DIGITS: usize;
    /// c: the prime is `2^BITS - C`.
    const C: Limb;
    /// Residues in the lanes of some vectors.
    type In<L: Lanes>: Residues<L>;
}

/// c, if it is small enough for this width; fails to compile otherwise.
const fn checked(n: usize, bits: usize, c: Limb) -> Limb {
    assert!(fits(n, bits, c), "c is too large for lanes");
    c
}

impl<const BITS: usize, const C: Limb> InLanes for Crandall<Limb, 2, BITS, C> {
    const DIGITS: usize = 3;
    const C: Limb = checked(3, BITS, C);
    type In<L: Lanes> = L::Digits<3, BITS>;
}

impl<const BITS: usize, const C: Limb> InLanes for Crandall<Limb, 4, BITS, C> {
    const DIGITS: usize = 5;
    const C: Limb = checked(5, BITS, C);
    type In<L: Lanes> = L::Digits<5, BITS>;
}

impl InLanes for Mersenne127 {
    const DIGITS: usize = 3;
    const C: Limb = 1;
    type In<L: Lanes> = L::Digits<3, 127>;
}

/// The words of octets.
pub fn words(octets: &[Octet]) -> &[[Limb; 8]] {
    // SAFETY: an octet is its words (`repr(C)`), and more strictly aligned.
    unsafe { core::slice::from_raw_parts(octets.as_ptr().cast(), octets.len()) }
}

/// The words of octets, mutable.
pub fn words_mut(octets: &mut [Octet]) -> &mut [[Limb; 8]] {
    // SAFETY: an octet is its words (`repr(C)`), and more strictly aligned.
    unsafe { core::slice::from_raw_parts_mut(octets.as_mut_ptr().cast(), octets.len()) }
}

/// A calculation that is written for any vectors. All that it calls must be `inline(always)`, down to the vectors.
pub trait Program {
    /// The result.
    type Output;
    /// Runs it on these vectors.
    fn run<L: Lanes>(self, lanes: L) -> Self::Output;
}

/// The vectors that are best for arithmetic in lanes on some processor, by name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Vectors(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    #[cfg(target_arch = "x86_64")]
    Ifma512(Ifma512),
    #[cfg(target_arch = "x86_64")]
    Ifma256(Ifma256),
    #[cfg(target_arch = "x86_64")]
    Fma256(Fma256),
    Words,
}

impl Vectors {
    /// All that `cpu` admits, best first; the last are single words.
    pub fn all(cpu: Cpu) -> impl Iterator<Item = Vectors> {
        let _ = cpu;
        [
            #[cfg(target_arch = "x86_64")]
            Ifma512::new(cpu).map(Kind::Ifma512),
            #[cfg(target_arch = "x86_64")]
            Ifma256::new(cpu).map(Kind::Ifma256),
            #[cfg(target_arch = "x86_64")]
            Fma256::new(cpu).map(Kind::Fma256),
            Some(Kind::Words),
        ]
        .into_iter()
        .flatten()
        .map(Vectors)
    }

    /// The best vectors that `cpu` admits.
    pub fn best(cpu: Cpu) -> Vectors {
        Vectors::all(cpu).next().expect("words at least")
    }

    /// Whether a half of a product is one instruction (IFMA). Other vectors gain less than a calculation loses that is
    /// faster on words of 64 bits than element by element.
    pub fn have_ifma(self) -> bool {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Ifma512(_) | Kind::Ifma256(_) => true,
            _ => false,
        }
    }

    /// The name of the kernels that run on them.
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Ifma512(_) => "ifma512",
            #[cfg(target_arch = "x86_64")]
            Kind::Ifma256(_) => "ifma256",
            #[cfg(target_arch = "x86_64")]
            Kind::Fma256(_) => "fma256",
            Kind::Words => "portable",
        }
    }

    /// Runs a program on them.
    #[inline]
    pub fn run<P: Program>(self, program: P) -> P::Output {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Ifma512(lanes) => lanes.run(program),
            #[cfg(target_arch = "x86_64")]
            Kind::Ifma256(lanes) => lanes.run(program),
            #[cfg(target_arch = "x86_64")]
            Kind::Fma256(lanes) => lanes.run(program),
            Kind::Words => Words.run(program),
        }
    }
}

impl fmt::Debug for Vectors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Whether residues modulo `2^bits - c` go into n digits.
const fn fits(n: usize, bits: usize, c: Limb) -> bool {
    let widths = n == 3 && (bits == 127 || bits == 128) || n == 5 && (bits == 255 || bits == 256);
    widths && c % 2 == 1 && c >> arithmetic::top(n, bits) == 0
}

/// A product of octets in memory, or a square where both factors are the same.
struct Product {
    r: *mut Limb,
    a: *const Limb,
    /// The other factors; `None` to square.
    b: Option<*const Limb>,
    n: usize,
    bits: usize,
    c: Limb,
    /// In the digits that are best in the vectors, from them to the numbers below the prime, and not in digits of 52 bits.
    slack: bool,
}

impl Program for Product {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        match (self.n, self.bits) {
            (3, 127) => self.in_width::<L, 3, 127>(lanes),
            (3, _) => self.in_width::<L, 3, 128>(lanes),
            (_, 255) => self.in_width::<L, 5, 255>(lanes),
            _ => self.in_width::<L, 5, 256>(lanes),
        }
    }
}

impl Product {
    #[inline(always)]
    fn in_width<L: Lanes, const N: usize, const BITS: usize>(&self, l: L) {
        if self.slack {
            self.of::<L, L::Digits<N, BITS>, N>(l);
        } else {
            self.of::<L, Digits<L, N, BITS>, N>(l);
        }
    }

    #[inline(always)]
    fn of<L: Lanes, R: Residues<L>, const N: usize>(&self, l: L) {
        let load = |x: *const Limb, part| {
            // SAFETY: who makes a product gives addresses of n octets, and n is N.
            let octets = unsafe { &*x.cast::<[[Limb; 8]; N]>() };
            R::load(l, octets, part)
        };
        for part in 0..8 / L::LANES {
            let a = load(self.a, part);
            let mut r = match self.b {
                Some(b) => a.mul(l, &load(b, part), self.c),
                None => a.sqr(l, self.c),
            };
            if self.slack {
                r = r.canonical(l, self.c);
            }
            // SAFETY: as above; operands were read, and nothing else refers to them.
            let octets = unsafe { &mut *self.r.cast::<[[Limb; 8]; N]>() };
            r.store(l, octets, part);
        }
    }
}

ops! {
    Fp8:
    mul::Mul,
    sqr::Sqr,
    slack_mul::SlackMul,
    slack_sqr::SlackSqr,
}
