//! Residues in vector lanes: eight numbers side by side, one a lane.
//!
//! An [`Octet`] holds the digits of one place of all eight. Residues modulo any odd prime are in Montgomery form in
//! digits of 52 bits, [`Redc`]. Those modulo `2^w - c` have three digits for w of 127 and 128, five for 255 and 256.
//! Vectors that multiply whole numbers have them in digits with slack, [`Slack`]. Vectors of floating-point
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
#[cfg(test)]
mod ranges;
mod redc;
mod slack;
mod words;

pub use crate::mb8::{DIGIT_BITS, DIGIT_MASK, Octet};
use crate::{
    Cpu, Limb,
    fp::{Crandall, MAX_LIMBS, Mersenne127, Mersenne521, Montgomery, Prime, Residue},
};
pub use arithmetic::Digits;
use core::fmt;
pub use redc::Redc;
pub use slack::{Slack, place};
pub use words::Words;
#[cfg(target_arch = "x86_64")]
pub use {
    fma::{Fma256, Fma512},
    ifma::{AvxIfma, Ifma256, Ifma512},
};

/// Rows of a table from which [`Lanes::pick`] chooses.
pub const ROWS: usize = 32;

/// The most digits of a residue.
pub const MAX_DIGITS: usize = 11;

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
    /// Numbers of rows in the form that [`pick`](Lanes::pick) takes.
    type Index;
    /// Residues modulo `2^BITS - c` in N digits, of the kind that is best in these vectors.
    type Digits<const N: usize, const BITS: usize>: Residues<Self, Parameter = Limb>;
    /// Runs a program on these vectors.
    #[inline(always)]
    fn run<P: Program>(self, program: P) -> P::Output {
        program.run(self)
    }
    /// Runs a part of a program that is worth a call.
    fn call<P: Part<Self>>(self, part: P) -> P::Output;
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
    /// Signed words shifted right by `bits`.
    fn sar(self, a: Self::Vector, bits: usize) -> Self::Vector;
    /// Words times 2^bits, modulo 2^64.
    fn shl(self, a: Self::Vector, bits: usize) -> Self::Vector;
    /// Words of ones where the words are equal, and 0 elsewhere.
    #[inline(always)]
    fn equal(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        let differences = self.xor(a, b);
        let signs = self.or(differences, self.sub(self.splat(0), differences));
        self.hidden(self.sub(self.shr(signs, 63), self.splat(1)))
    }
    /// The numbers of the rows that lanes choose.
    fn index(self, numbers: Self::Vector) -> Self::Index;
    /// The word of a column in each lane's row, 0 for a number from [`ROWS`] on. Neither branches nor addresses depend on it.
    fn pick(self, column: &[Limb; ROWS], index: &Self::Index) -> Self::Vector;
    /// Masks, hidden from the compiler where it would make a branch or a masked store of what they choose.
    fn hidden(self, masks: Self::Vector) -> Self::Vector;
    /// Converts digits below 2^52 to the form that products take.
    fn factor(self, digits: Self::Vector) -> Self::Factor;
    /// Converts the low 52 bits of words to the form that products take.
    #[inline(always)]
    fn low_factor(self, words: Self::Vector) -> Self::Factor {
        self.factor(self.and(words, self.splat(DIGIT_MASK)))
    }
    /// `[low, high]` plus both halves of a product of digits, and the surplus.
    fn mac(self, sums: [Self::Vector; 2], a: Self::Factor, b: Self::Factor) -> [Self::Vector; 2];
    /// `[low, high]` plus both halves of a product of digits, the low half not negative, and the surplus.
    fn mac_floor(
        self,
        sums: [Self::Vector; 2],
        a: Self::Factor,
        b: Self::Factor,
    ) -> [Self::Vector; 2];
    /// `[low, high]` plus the low 52 bits of a product of digits and what is above: without a surplus.
    #[inline(always)]
    fn mac_whole(
        self,
        sums: [Self::Vector; 2],
        a: Self::Factor,
        b: Self::Factor,
    ) -> [Self::Vector; 2] {
        let [low, high] = self.mac_floor(sums, a, b);
        match Self::SURPLUS {
            [0, 0] => [low, high],
            [of_low, of_high] => [
                self.sub(low, self.splat(of_low)),
                self.sub(high, self.splat(of_high)),
            ],
        }
    }
    /// `low` plus a product below 2^51, of whole numbers below 2^52, and the surplus of a low half. Without a surplus 2^52 is
    /// as good.
    fn mac_low(self, low: Self::Vector, a: Self::Factor, b: Self::Factor) -> Self::Vector;
}

/// [`Lanes::index`] and [`Lanes::pick`] by masks, one for each row.
macro_rules! pick_by_masks {
    () => {
        type Index = [Self::Vector; ROWS];

        #[inline(always)]
        fn index(self, numbers: Self::Vector) -> [Self::Vector; ROWS] {
            $crate::fp8::masks_of_rows(self, numbers)
        }

        #[inline(always)]
        fn pick(self, column: &[Limb; ROWS], masks: &[Self::Vector; ROWS]) -> Self::Vector {
            $crate::fp8::picked_by_masks(self, column, masks)
        }
    };
}
use pick_by_masks;

/// A mask for each row: ones in the lanes that choose it.
#[inline(always)]
fn masks_of_rows<L: Lanes>(l: L, numbers: L::Vector) -> [L::Vector; ROWS] {
    let mut masks = [numbers; ROWS];
    for (mask, number) in masks.iter_mut().zip(0..) {
        *mask = l.equal(numbers, l.splat(number));
    }
    masks
}

/// The word of a column in each lane's row, given by the masks of the rows.
#[inline(always)]
fn picked_by_masks<L: Lanes>(l: L, column: &[Limb; ROWS], masks: &[L::Vector; ROWS]) -> L::Vector {
    let mut found = l.splat(0);
    for (word, mask) in column.iter().zip(masks) {
        found = l.or(found, l.and(l.splat(*word), *mask));
    }
    found
}

/// Vectors whose products of digits are whole numbers: their sums have no surplus, and digits need nothing to be factors.
pub trait Whole: Lanes<Factor = <Self as Lanes>::Vector> {
    /// Products modulo 2^64.
    fn mul(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `sum` plus the low 52 bits of a product of digits.
    fn mac_low_half(self, sum: Self::Vector, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `sum` plus what is above the low 52 bits of a product of digits.
    fn mac_high_half(self, sum: Self::Vector, a: Self::Vector, b: Self::Vector) -> Self::Vector;
}

/// Residues, one a lane, in digits that are factors of products.
///
/// Operations take and give residues below 2.07 times the prime, in digits as the representation says. Between products a
/// calculation may use [sums](Residues::Sum), whose digits are carried once.
pub trait Residues<L: Lanes>: Copy {
    /// What operations must be told of the prime.
    type Parameter: Copy;
    /// A product that is still to be reduced.
    type Product: Copy;
    /// A sum of residues and products, of no more than 16 terms, whose digits may still be to be carried.
    type Sum: Copy;
    /// The bit where digit i stands.
    fn place(i: usize) -> usize;
    /// Residues from octets, from lane `LANES * part` on.
    fn load(l: L, from: &[[Limb; 8]], part: usize) -> Self;
    /// Stores them in octets from lane `LANES * part` on.
    fn store(&self, l: L, to: &mut [[Limb; 8]], part: usize);
    /// The residue in each lane's row of a table, given by the columns of its digits.
    fn pick(l: L, columns: &[[Limb; ROWS]], index: &L::Index) -> Self;
    /// A small number in every lane.
    fn number(l: L, number: Limb, p: Self::Parameter) -> Self;
    /// The residues of numbers that are given as digits of [`Residue::form`], below the next power of two above the prime.
    #[must_use]
    fn of_form(&self, l: L, p: Self::Parameter) -> Self;
    /// The digits of [`Residue::form`].
    #[must_use]
    fn form(&self, l: L, p: Self::Parameter) -> Self;
    /// The products, to be reduced.
    fn product(&self, l: L, other: &Self, p: Self::Parameter) -> Self::Product;
    /// The squares, to be reduced.
    fn square(&self, l: L, p: Self::Parameter) -> Self::Product;
    /// Reduces products or squares.
    fn reduced(l: L, product: Self::Product, p: Self::Parameter) -> Self;
    /// The products.
    #[inline(always)]
    fn mul(&self, l: L, other: &Self, p: Self::Parameter) -> Self {
        Self::reduced(l, self.product(l, other, p), p)
    }
    /// The squares.
    #[inline(always)]
    fn sqr(&self, l: L, p: Self::Parameter) -> Self {
        Self::reduced(l, self.square(l, p), p)
    }
    /// The products with a word below 2^32.
    fn mul_word(&self, l: L, word: Limb, p: Self::Parameter) -> Self;
    /// The sums.
    fn add(&self, l: L, other: &Self, p: Self::Parameter) -> Self;
    /// The differences.
    fn sub(&self, l: L, other: &Self, p: Self::Parameter) -> Self;
    /// The numbers below the prime, given residues that another operation gave.
    #[must_use]
    fn canonical(&self, l: L, p: Self::Parameter) -> Self;
    /// A word of ones for each canonical residue that is 0, and 0 for others.
    fn zeros(&self, l: L) -> L::Vector;
    /// `self` in lanes where the mask is 0, `other` where it is all ones.
    #[must_use]
    fn select(&self, l: L, other: &Self, mask: L::Vector) -> Self;
    /// `self`, which is 0 where the mask is all ones, with `other` there: rows of tables are chosen so.
    #[must_use]
    fn or_where(&self, l: L, other: &Self, mask: L::Vector) -> Self;

    /// The residues as sums.
    fn sum(&self) -> Self::Sum;
    /// The products of factors a and b as sums: below a b / 16 + 1 times the prime, where factors are a and b times it.
    fn mul_sum(&self, l: L, other: &Self, p: Self::Parameter) -> Self::Sum;
    /// The squares as sums.
    fn sqr_sum(&self, l: L, p: Self::Parameter) -> Self::Sum;
    /// `a b + c d` as sums, below `(a b + c d) / 16 + 1`.
    fn two_products(l: L, ab: [&Self; 2], cd: [&Self; 2], p: Self::Parameter) -> Self::Sum;
    /// `a b + 2 c^2` as sums.
    fn product_and_squares(l: L, ab: [&Self; 2], c: &Self, p: Self::Parameter) -> Self::Sum;
    /// Sums and residues.
    fn plus(l: L, sum: Self::Sum, other: &Self, p: Self::Parameter) -> Self::Sum;
    /// Sums less residues or factors below four times the prime, plus four times the prime.
    fn minus(l: L, sum: Self::Sum, other: &Self, p: Self::Parameter) -> Self::Sum;
    /// Eight times the prime less sums that are below that.
    fn negated(l: L, sum: Self::Sum, p: Self::Parameter) -> Self::Sum;
    /// Twice the sums.
    fn doubled(l: L, sum: Self::Sum, p: Self::Parameter) -> Self::Sum;
    /// Three times the sums.
    fn tripled(l: L, sum: Self::Sum, p: Self::Parameter) -> Self::Sum;
    /// Sums below 16 times the prime as factors, which are not residues where they reach twice the prime.
    fn factor(l: L, sum: Self::Sum, p: Self::Parameter) -> Self;
    /// The residues of sums below 16 times the prime.
    fn carried(l: L, sum: Self::Sum, p: Self::Parameter) -> Self;
}

/// Sums of residues that are carried at once, and so are residues themselves.
macro_rules! eager_sums {
    () => {
        type Sum = Self;

        #[inline(always)]
        fn sum(&self) -> Self {
            *self
        }

        #[inline(always)]
        fn mul_sum(&self, l: L, other: &Self, c: Limb) -> Self {
            self.mul(l, other, c)
        }

        #[inline(always)]
        fn sqr_sum(&self, l: L, c: Limb) -> Self {
            self.sqr(l, c)
        }

        #[inline(always)]
        fn two_products(l: L, ab: [&Self; 2], cd: [&Self; 2], c: Limb) -> Self {
            ab[0].mul(l, ab[1], c).add(l, &cd[0].mul(l, cd[1], c), c)
        }

        #[inline(always)]
        fn product_and_squares(l: L, ab: [&Self; 2], root: &Self, c: Limb) -> Self {
            let twice = Self::doubled(l, root.sqr(l, c), c);
            ab[0].mul(l, ab[1], c).add(l, &twice, c)
        }

        #[inline(always)]
        fn plus(l: L, sum: Self, other: &Self, c: Limb) -> Self {
            sum.add(l, other, c)
        }

        #[inline(always)]
        fn minus(l: L, sum: Self, other: &Self, c: Limb) -> Self {
            sum.sub(l, other, c)
        }

        #[inline(always)]
        fn negated(l: L, sum: Self, c: Limb) -> Self {
            Self::number(l, 0, c).sub(l, &sum, c)
        }

        #[inline(always)]
        fn doubled(l: L, sum: Self, c: Limb) -> Self {
            sum.add(l, &sum, c)
        }

        #[inline(always)]
        fn tripled(l: L, sum: Self, c: Limb) -> Self {
            sum.add(l, &sum, c).add(l, &sum, c)
        }

        #[inline(always)]
        fn factor(_l: L, sum: Self, _c: Limb) -> Self {
            sum
        }

        #[inline(always)]
        fn carried(_l: L, sum: Self, _c: Limb) -> Self {
            sum
        }

        #[inline(always)]
        fn pick(l: L, columns: &[[Limb; ROWS]], index: &L::Index) -> Self {
            let mut all = [l.splat(0); N];
            unroll!(i < N of 10, all[i] = l.pick(&columns[i], index));
            Self::of(all)
        }

        #[inline(always)]
        fn number(l: L, number: Limb, _c: Limb) -> Self {
            let mut digits = [l.splat(0); N];
            digits[0] = l.splat(number);
            Self::of(digits)
        }

        #[inline(always)]
        fn or_where(&self, l: L, other: &Self, mask: L::Vector) -> Self {
            let mut sum = *self;
            unroll!(i < N of 10, sum.0[i] = l.or(self.0[i], l.and(other.0[i], mask)));
            sum
        }

        #[inline(always)]
        fn of_form(&self, _l: L, _c: Limb) -> Self {
            *self
        }

        #[inline(always)]
        fn form(&self, l: L, c: Limb) -> Self {
            self.canonical(l, c)
        }
    };
}
use eager_sums;

/// Residues of a field that has lanes. Where the prime is `2^w - c`, c has no more bits than the prime has in its highest
/// digit of 52; a longer c does not compile.
pub trait InLanes: Residue {
    /// Digits of a residue.
    const DIGITS: usize;
    /// What operations must be told of the prime: c, or nothing.
    type Parameter: Copy;
    /// That.
    const PARAMETER: Self::Parameter;
    /// Whether products are [called](Lanes::call), and not inlined: a calculation of hundreds of them can be compiled.
    const CALLED: bool;
    /// Residues in the lanes of some vectors.
    type In<L: Lanes>: Residues<L, Parameter = Self::Parameter>;
    /// [`Residue::form`], below the next power of two above the prime, as digits have no room for more.
    #[inline]
    fn digits_form(&self) -> [Limb; MAX_LIMBS] {
        self.form()
    }
}

/// c, if it is small enough for this width; fails to compile otherwise.
const fn checked(n: usize, bits: usize, c: Limb) -> Limb {
    assert!(fits(n, bits, c), "c is too large for lanes");
    c
}

impl<const BITS: usize, const C: Limb> InLanes for Crandall<Limb, 2, BITS, C> {
    const DIGITS: usize = 3;
    type Parameter = Limb;
    const PARAMETER: Limb = checked(3, BITS, C);
    const CALLED: bool = false;
    type In<L: Lanes> = L::Digits<3, BITS>;

    #[inline]
    fn digits_form(&self) -> [Limb; MAX_LIMBS] {
        self.to_limbs()
    }
}

impl<const BITS: usize, const C: Limb> InLanes for Crandall<Limb, 4, BITS, C> {
    const DIGITS: usize = 5;
    type Parameter = Limb;
    const PARAMETER: Limb = checked(5, BITS, C);
    const CALLED: bool = false;
    type In<L: Lanes> = L::Digits<5, BITS>;

    #[inline]
    fn digits_form(&self) -> [Limb; MAX_LIMBS] {
        self.to_limbs()
    }
}

impl InLanes for Mersenne127 {
    const DIGITS: usize = 3;
    type Parameter = Limb;
    const PARAMETER: Limb = 1;
    const CALLED: bool = false;
    type In<L: Lanes> = L::Digits<3, 127>;
}

/// Odd primes of N limbs, in as many digits as leave at least four bits.
macro_rules! montgomery {
    ($($limbs:literal limbs $digits:literal digits),*) => {$(
        impl<P: Prime<$limbs>> InLanes for Montgomery<P, $limbs> {
            const DIGITS: usize = $digits;
            type Parameter = ();
            const PARAMETER: () = ();
            const CALLED: bool = true;
            type In<L: Lanes> = Redc<L, Self, $digits, { 64 * $limbs }>;
        }
    )*};
}

montgomery!(1 limbs 2 digits, 2 limbs 3 digits, 3 limbs 4 digits, 4 limbs 5 digits, 5 limbs 7 digits);
montgomery!(6 limbs 8 digits, 7 limbs 9 digits, 8 limbs 10 digits, 9 limbs 11 digits);

impl InLanes for Mersenne521 {
    const DIGITS: usize = 11;
    type Parameter = ();
    const PARAMETER: () = ();
    const CALLED: bool = true;
    type In<L: Lanes> = Redc<L, Self, 11, 0>;
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

/// A part of a program on vectors that are known. It is not inlined, and its vectors are in memory where it is called.
pub trait Part<L> {
    /// The result.
    type Output;
    /// Runs it.
    fn run(self, lanes: L) -> Self::Output;
}

/// The vectors that are best for arithmetic in lanes on some processor, by name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Vectors(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    // Not Fma512, whose programs would double what takes compilers longest.
    #[cfg(target_arch = "x86_64")]
    Ifma512(Ifma512),
    #[cfg(target_arch = "x86_64")]
    AvxIfma(AvxIfma),
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
            AvxIfma::new(cpu).map(Kind::AvxIfma),
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
            Kind::Ifma512(_) | Kind::AvxIfma(_) => true,
            _ => false,
        }
    }

    /// The words of one of them: eight elements take as many as that goes into eight.
    pub fn lanes(self) -> usize {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Ifma512(_) => Ifma512::LANES,
            #[cfg(target_arch = "x86_64")]
            Kind::AvxIfma(_) => AvxIfma::LANES,
            #[cfg(target_arch = "x86_64")]
            Kind::Fma256(_) => Fma256::LANES,
            Kind::Words => Words::LANES,
        }
    }

    /// The name of the kernels that run on them.
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Ifma512(_) => "ifma512",
            #[cfg(target_arch = "x86_64")]
            Kind::AvxIfma(_) => "avx_ifma",
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
            Kind::AvxIfma(lanes) => lanes.run(program),
            #[cfg(target_arch = "x86_64")]
            Kind::Fma256(lanes) => lanes.run(program),
            Kind::Words => Words.run(program),
        }
    }

    /// These, or single words in the place of vectors of floating-point numbers, whose digits have another form.
    pub fn of_integers(self) -> Vectors {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Fma256(_) => Vectors(Kind::Words),
            _ => self,
        }
    }

    /// Runs a long program, such as a product of points, for which vectors of floating-point numbers lose to words of 64
    /// bits: it is not compiled for them.
    ///
    /// # Panics
    /// If these are not [of integers](Vectors::of_integers).
    #[inline]
    pub fn run_on_integers<P: Program>(self, program: P) -> P::Output {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Ifma512(lanes) => lanes.run(program),
            #[cfg(target_arch = "x86_64")]
            Kind::AvxIfma(lanes) => lanes.run(program),
            Kind::Words => Words.run(program),
            #[cfg(target_arch = "x86_64")]
            Kind::Fma256(_) => {
                panic!("a program for whole numbers has none of floating point")
            }
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
    fn of<L: Lanes, R: Residues<L, Parameter = Limb>, const N: usize>(&self, l: L) {
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
