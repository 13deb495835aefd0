//! Many elements at once, in vector lanes.

use super::{Fe, Field, invert_batch};
use crate::word;
use crate::{Cpu, Limb};
use carrysave_kernels::fp8::{self, InLanes, Lanes, Octet, Program, Residues, Vectors};
use core::{
    fmt,
    ops::{Add, Mul, Sub},
};
use zeroize::Zeroize;

/// Elements of a field in octets.
const OCTET: usize = 8;

/// Elements of a field in the lanes of a vector.
pub(crate) struct Fes<F: Field, L: Lanes>
where
    F::Residue: InLanes,
{
    residues: <F::Residue as InLanes>::In<L>,
    l: L,
}

/// Products of such elements.
type Unreduced<F, L> = <<<F as Field>::Residue as InLanes>::In<L> as Residues<L>>::Product;

impl<F: Field, L: Lanes> Clone for Fes<F, L>
where
    F::Residue: InLanes,
{
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: Field, L: Lanes> Copy for Fes<F, L> where F::Residue: InLanes {}

impl<F: Field, L: Lanes> Fes<F, L>
where
    F::Residue: InLanes,
{
    const P: <F::Residue as InLanes>::Parameter = <F::Residue as InLanes>::PARAMETER;

    #[inline(always)]
    fn with(&self, residues: <F::Residue as InLanes>::In<L>) -> Self {
        Fes {
            residues,
            l: self.l,
        }
    }

    /// The words of one octet of elements.
    #[inline(always)]
    pub(crate) fn load(l: L, octets: &[Octet], part: usize) -> Self {
        Fes {
            residues: Residues::load(l, fp8::words(octets), part),
            l,
        }
    }

    #[inline(always)]
    pub(crate) fn store(&self, octets: &mut [Octet], part: usize) {
        self.residues.store(self.l, fp8::words_mut(octets), part);
    }

    /// The element in each lane's row of a table, given by the columns of its digits.
    #[inline(always)]
    pub(crate) fn pick(l: L, columns: &[[Limb; fp8::ROWS]], index: &L::Index) -> Self {
        Fes {
            residues: Residues::pick(l, columns, index),
            l,
        }
    }

    /// A small number in each lane.
    #[inline(always)]
    pub(crate) fn small(l: L, number: Limb) -> Self {
        Fes {
            residues: Residues::number(l, number, Self::P),
            l,
        }
    }

    /// The elements whose [`Fe::form`] these digits are.
    #[inline(always)]
    fn of_form(&self) -> Self {
        self.with(self.residues.of_form(self.l, Self::P))
    }

    /// The digits of [`Fe::form`].
    #[inline(always)]
    fn form(&self) -> Self {
        self.with(self.residues.form(self.l, Self::P))
    }

    /// The products, to be reduced.
    #[inline(always)]
    fn product(&self, other: &Self) -> Unreduced<F, L> {
        self.residues.product(self.l, &other.residues, Self::P)
    }

    /// The squares, to be reduced.
    #[inline(always)]
    fn square(&self) -> Unreduced<F, L> {
        self.residues.square(self.l, Self::P)
    }

    #[inline(always)]
    fn reduced(l: L, product: Unreduced<F, L>) -> Self {
        Fes {
            residues: Residues::reduced(l, product, Self::P),
            l,
        }
    }

    #[inline(always)]
    pub(crate) fn sqr(&self) -> Self {
        self.with(self.residues.sqr(self.l, Self::P))
    }

    #[inline(always)]
    pub(crate) fn mul_small(&self, limb: u32) -> Self {
        self.with(self.residues.mul_word(self.l, limb.into(), Self::P))
    }

    #[inline(always)]
    pub(crate) fn canonical(&self) -> Self {
        self.with(self.residues.canonical(self.l, Self::P))
    }

    /// Words of ones where a canonical element is 0.
    #[inline(always)]
    pub(crate) fn zeros(&self) -> L::Vector {
        self.residues.zeros(self.l)
    }

    #[inline(always)]
    pub(crate) fn select(a: &Self, b: &Self, mask: L::Vector) -> Self {
        a.with(a.residues.select(a.l, &b.residues, mask))
    }

    /// `self`, which is all zeros where the mask is all ones, with `other` there.
    #[inline(always)]
    pub(crate) fn or_where(&self, other: &Self, mask: L::Vector) -> Self {
        self.with(self.residues.or_where(self.l, &other.residues, mask))
    }

    #[inline(always)]
    fn summed(&self, sum: SumOf<F, L>) -> FeSums<F, L> {
        FeSums { sum, l: self.l }
    }

    /// The elements, to be added to.
    #[inline(always)]
    pub(crate) fn sum(&self) -> FeSums<F, L> {
        self.summed(self.residues.sum())
    }

    /// The products, to be added to.
    #[inline(always)]
    pub(crate) fn mul_sum(&self, other: &Self) -> FeSums<F, L> {
        self.summed(self.residues.mul_sum(self.l, &other.residues, Self::P))
    }

    /// The squares, to be added to.
    #[inline(always)]
    pub(crate) fn sqr_sum(&self) -> FeSums<F, L> {
        self.summed(self.residues.sqr_sum(self.l, Self::P))
    }

    /// `a b + c d`
    #[inline(always)]
    pub(crate) fn two_products([a, b]: [&Self; 2], [c, d]: [&Self; 2]) -> FeSums<F, L> {
        let (ab, cd) = ([&a.residues, &b.residues], [&c.residues, &d.residues]);
        a.summed(Residues::two_products(a.l, ab, cd, Self::P))
    }

    /// `a b + 2 c^2`
    #[inline(always)]
    pub(crate) fn product_and_squares([a, b]: [&Self; 2], c: &Self) -> FeSums<F, L> {
        let ab = [&a.residues, &b.residues];
        let sum = Residues::product_and_squares(a.l, ab, &c.residues, Self::P);
        a.summed(sum)
    }
}

/// Sums of elements, whose digits are carried when all is added.
#[derive(Clone, Copy)]
pub(crate) struct FeSums<F: Field, L: Lanes>
where
    F::Residue: InLanes,
{
    sum: SumOf<F, L>,
    l: L,
}

/// What they are made of.
type SumOf<F, L> = <<<F as Field>::Residue as InLanes>::In<L> as Residues<L>>::Sum;

/// The residues of a field in lanes.
type ResiduesOf<F, L> = <<F as Field>::Residue as InLanes>::In<L>;

impl<F: Field, L: Lanes> FeSums<F, L>
where
    F::Residue: InLanes,
{
    const P: <F::Residue as InLanes>::Parameter = <F::Residue as InLanes>::PARAMETER;

    /// Plus these.
    #[inline(always)]
    pub(crate) fn plus(self, other: &Fes<F, L>) -> Self {
        let sum = ResiduesOf::<F, L>::plus(self.l, self.sum, &other.residues, Self::P);
        FeSums { sum, ..self }
    }

    /// Less these, which are below four times the prime.
    #[inline(always)]
    pub(crate) fn minus(self, other: &Fes<F, L>) -> Self {
        let sum = ResiduesOf::<F, L>::minus(self.l, self.sum, &other.residues, Self::P);
        FeSums { sum, ..self }
    }

    /// With the other sign. The sums are below eight times the prime.
    #[inline(always)]
    pub(crate) fn negated(self) -> Self {
        let sum = ResiduesOf::<F, L>::negated(self.l, self.sum, Self::P);
        FeSums { sum, ..self }
    }

    /// Twice.
    #[inline(always)]
    pub(crate) fn doubled(self) -> Self {
        let sum = ResiduesOf::<F, L>::doubled(self.l, self.sum, Self::P);
        FeSums { sum, ..self }
    }

    /// Three times.
    #[inline(always)]
    pub(crate) fn tripled(self) -> Self {
        let sum = ResiduesOf::<F, L>::tripled(self.l, self.sum, Self::P);
        FeSums { sum, ..self }
    }

    /// Factors of products, below 16 times the prime.
    #[inline(always)]
    pub(crate) fn factor(self) -> Fes<F, L> {
        Fes {
            residues: Residues::factor(self.l, self.sum, Self::P),
            l: self.l,
        }
    }

    /// The elements, below twice the prime.
    #[inline(always)]
    pub(crate) fn carried(self) -> Fes<F, L> {
        Fes {
            residues: Residues::carried(self.l, self.sum, Self::P),
            l: self.l,
        }
    }
}

macro_rules! operator {
    ($Trait:ident $f:ident) => {
        impl<F: Field, L: Lanes> $Trait for Fes<F, L>
        where
            F::Residue: InLanes,
        {
            type Output = Self;
            #[inline(always)]
            fn $f(self, other: Self) -> Self {
                self.with(self.residues.$f(self.l, &other.residues, Self::P))
            }
        }
    };
}

operator!(Add add);
operator!(Sub sub);
operator!(Mul mul);

/// Elements of a field side by side, eight to a vector where the processor has AVX-512 IFMA, or AVX2 with FMA.
///
/// Where the prime is `2^w - c`, c must be below 2^23 for w of 127 and 128, and below 2^47 for 255 and 256; others do not
/// compile. Operations on two batches work elementwise.
///
/// # Timing
/// Depends on the number of elements only.
///
/// ```
/// use carrysave_arith::{Cpu, field::{F25519, Fe, FeBatch}};
/// let a: Vec<Fe<F25519>> = (1..20).map(Fe::from_limb).collect();
/// let mut x = FeBatch::new(Cpu::native(), &a);
/// x.sqr();
/// x.sub(&FeBatch::new(Cpu::native(), &a));
/// assert_eq!(x.to_elements()[18], Fe::from_limb(19 * 19 - 19));
/// ```
#[derive(Clone)]
pub struct FeBatch<F: Field>
where
    F::Residue: InLanes,
{
    /// The digits of eight elements, then those of the next eight.
    octets: Vec<Octet>,
    len: usize,
    vectors: Vectors,
    field: core::marker::PhantomData<F>,
}

impl<F: Field> FeBatch<F>
where
    F::Residue: InLanes,
{
    const DIGITS: usize = <F::Residue as InLanes>::DIGITS;

    /// A batch of these elements, on the best vectors of `cpu`.
    pub fn new(cpu: Cpu, elements: &[Fe<F>]) -> Self {
        FeBatch::on(Vectors::best(cpu), elements)
    }

    /// A batch of these elements, on vectors of the caller's choice.
    pub fn on(vectors: Vectors, elements: &[Fe<F>]) -> Self {
        let mut batch = FeBatch {
            octets: vec![Octet::default(); Self::DIGITS * elements.len().div_ceil(OCTET)],
            len: elements.len(),
            vectors,
            field: core::marker::PhantomData,
        };
        let places = batch.places();
        let groups = batch.octets.chunks_mut(Self::DIGITS);
        for (octets, elements) in groups.zip(elements.chunks(OCTET)) {
            for (lane, element) in elements.iter().enumerate() {
                let mut limbs = element.digits_form();
                for (octet, place) in octets.iter_mut().zip(places.windows(2)) {
                    octet.0[lane] = word::window(&limbs, place[0], place[1] - place[0]);
                }
                limbs.zeroize();
            }
        }
        batch.apply(Step::OfForm, None);
        batch
    }

    /// The elements.
    pub fn to_elements(&self) -> Vec<Fe<F>> {
        let mut forms = self.clone();
        forms.apply(Step::Form, None);
        let places = self.places();
        let mut elements = Vec::with_capacity(self.len.next_multiple_of(OCTET));
        for octets in forms.octets.chunks(Self::DIGITS) {
            for lane in 0..OCTET {
                // The highest digit may have zeros above the last limb.
                let mut limbs = [0; carrysave_kernels::fp::MAX_LIMBS + 1];
                for (octet, at) in octets.iter().zip(places) {
                    let wide = u128::from(octet.0[lane]) << (at % 64);
                    limbs[at / 64] |= wide as Limb;
                    limbs[at / 64 + 1] |= (wide >> 64) as Limb;
                }
                elements.push(Fe::from_form(&limbs[..carrysave_kernels::fp::MAX_LIMBS]));
                limbs.zeroize();
            }
        }
        elements.truncate(self.len);
        elements
    }

    /// The bit positions of the digits, and the position after the last.
    fn places(&self) -> [usize; fp8::MAX_DIGITS + 1] {
        self.vectors.run(Places::<F>(self.field))
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the batch is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The digits of eight elements after those of the eight before.
    pub(crate) fn octets(&self) -> &[Octet] {
        &self.octets
    }

    /// The octets of the batch, mutable: digits must stay in the range of results.
    pub(crate) fn octets_mut(&mut self) -> &mut [Octet] {
        &mut self.octets
    }

    fn apply(&mut self, step: Step, other: Option<&Self>) {
        let other = other.map(|other| {
            assert_eq!(self.len, other.len, "batches of one length");
            &other.octets[..]
        });
        self.vectors.run(Apply::<F> {
            step,
            r: &mut self.octets,
            other,
            field: self.field,
        });
    }

    /// The sums.
    ///
    /// # Panics
    /// If the batches differ in length.
    pub fn add(&mut self, other: &Self) {
        self.apply(Step::Add, Some(other));
    }

    /// The differences.
    ///
    /// # Panics
    /// If the batches differ in length.
    pub fn sub(&mut self, other: &Self) {
        self.apply(Step::Sub, Some(other));
    }

    /// The elements with the other sign.
    pub fn neg(&mut self) {
        self.apply(Step::Neg, None);
    }

    /// The products.
    ///
    /// # Panics
    /// If the batches differ in length.
    pub fn mul(&mut self, other: &Self) {
        self.apply(Step::Mul, Some(other));
    }

    /// The squares.
    pub fn sqr(&mut self) {
        self.apply(Step::Sqr, None);
    }

    /// The products with a small number.
    pub fn mul_small(&mut self, limb: u32) {
        self.apply(Step::MulSmall(limb), None);
    }

    /// Replaces the elements whose bit is 1 by those of `other`.
    ///
    /// # Panics
    /// If the batches differ in length, or there is not one bit for each element.
    pub fn select(&mut self, other: &Self, bits: &[Limb]) {
        assert_eq!(self.len, other.len, "batches of one length");
        let groups = self
            .octets
            .chunks_mut(Self::DIGITS)
            .zip(other.octets.chunks(Self::DIGITS));
        for ((mine, theirs), masks) in groups.zip(masks(self.len, bits)) {
            for (mine, theirs) in mine.iter_mut().zip(theirs) {
                for ((a, b), mask) in mine.0.iter_mut().zip(&theirs.0).zip(&masks) {
                    *a ^= (*a ^ b) & mask;
                }
            }
        }
    }

    /// Exchanges the elements whose bit is 1.
    ///
    /// # Panics
    /// If the batches differ in length, or there is not one bit for each element.
    pub fn swap(a: &mut Self, b: &mut Self, bits: &[Limb]) {
        let before = a.clone();
        a.select(b, bits);
        b.select(&before, bits);
    }

    /// The inverses; 0 for 0. One inversion serves all of them (Montgomery's trick, in each lane and across).
    ///
    /// ```
    /// use carrysave_arith::{Cpu, field::{F127, Fe, FeBatch}};
    /// let a: Vec<Fe<F127>> = (0..50).map(Fe::from_limb).collect();
    /// let mut x = FeBatch::new(Cpu::native(), &a);
    /// x.inv();
    /// let inverses = x.to_elements();
    /// assert!(inverses[0].is_zero());
    /// assert_eq!(inverses[49] * a[49], Fe::one());
    /// ```
    pub fn inv(&mut self) {
        if self.is_empty() {
            return;
        }
        let mut products = vec![Octet::default(); self.octets.len() + Self::DIGITS];
        self.vectors.run(Forward::<F> {
            a: &mut self.octets,
            products: &mut products,
            field: self.field,
        });
        let all = FeBatch {
            octets: products.split_off(self.octets.len()),
            len: OCTET,
            vectors: self.vectors,
            field: self.field,
        };
        let mut last = all.to_elements();
        invert_batch(&mut last);
        let inverse = FeBatch::on(self.vectors, &last);
        self.vectors.run(Backward::<F> {
            a: &mut self.octets,
            products: &products,
            inverse: &inverse.octets,
            field: self.field,
        });
        last.zeroize();
        wipe(&mut products);
    }
}

impl<F: Field> Zeroize for FeBatch<F>
where
    F::Residue: InLanes,
{
    fn zeroize(&mut self) {
        wipe(&mut self.octets);
    }
}

/// Wipes the elements.
impl<F: Field> Drop for FeBatch<F>
where
    F::Residue: InLanes,
{
    fn drop(&mut self) {
        self.zeroize();
    }
}

/// Without the values.
impl<F: Field> fmt::Debug for FeBatch<F>
where
    F::Residue: InLanes,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "FeBatch({}, {} on {:?})",
            F::NAME,
            self.len,
            self.vectors
        )
    }
}

/// Octets of masks, all ones for 1.
fn masks(len: usize, bits: &[Limb]) -> impl Iterator<Item = [Limb; OCTET]> {
    assert_eq!(bits.len(), len, "a bit for each element");
    bits.chunks(OCTET).map(|bits| {
        let mut masks = [0; OCTET];
        for (mask, bit) in masks.iter_mut().zip(bits) {
            *mask = core::hint::black_box(*bit).wrapping_neg();
        }
        masks
    })
}

fn wipe(octets: &mut [Octet]) {
    octets.iter_mut().for_each(|octet| octet.0.zeroize());
}

/// The bit positions of the digits in some vectors.
struct Places<F>(core::marker::PhantomData<F>);

impl<F: Field> Program for Places<F>
where
    F::Residue: InLanes,
{
    type Output = [usize; fp8::MAX_DIGITS + 1];

    #[inline(always)]
    fn run<L: Lanes>(self, _lanes: L) -> Self::Output {
        core::array::from_fn(<F::Residue as InLanes>::In::<L>::place)
    }
}

/// An operation on each element of a batch.
#[derive(Clone, Copy)]
enum Step {
    Add,
    Sub,
    Neg,
    Mul,
    Sqr,
    MulSmall(u32),
    OfForm,
    Form,
}

/// A step on all elements, in place.
struct Apply<'a, F> {
    step: Step,
    r: &'a mut [Octet],
    other: Option<&'a [Octet]>,
    field: core::marker::PhantomData<F>,
}

impl<F: Field> Program for Apply<'_, F>
where
    F::Residue: InLanes,
{
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let n = <F::Residue as InLanes>::DIGITS;
        let other = self.other.unwrap_or_default();
        // Not a closure for each step: a long closure is not inlined, and then has no vector instructions.
        macro_rules! each {
            ($a:ident $(, $b:ident)? => $result:expr) => {
                for (_i, octets) in self.r.chunks_exact_mut(n).enumerate() {
                    for part in 0..OCTET / L::LANES {
                        let $a = Fes::<F, L>::load(l, octets, part);
                        $(let $b = Fes::<F, L>::load(l, &other[n * _i..][..n], part);)?
                        let result: Fes<F, L> = $result;
                        result.store(octets, part);
                    }
                }
            };
        }
        match self.step {
            Step::Add => each!(a, b => a + b),
            Step::Sub => each!(a, b => a - b),
            Step::Neg => each!(a => Fes::small(l, 0) - a),
            Step::Mul if n == 3 => Self::behind::<L, false>(l, self.r, other),
            Step::Sqr if n == 3 => Self::behind::<L, true>(l, self.r, other),
            Step::Mul => each!(a, b => a * b),
            Step::Sqr => each!(a => a.sqr()),
            Step::MulSmall(limb) => each!(a => a.mul_small(limb)),
            Step::OfForm => each!(a => a.of_form()),
            Step::Form => each!(a => a.form()),
        }
    }
}

impl<F: Field> Apply<'_, F>
where
    F::Residue: InLanes,
{
    /// Products with `other`, or squares. Each is reduced after the multiplications of the next, which are independent.
    /// The digits of both must fit the registers.
    #[inline(always)]
    fn behind<L: Lanes, const SQUARE: bool>(l: L, r: &mut [Octet], other: &[Octet]) {
        let n = <F::Residue as InLanes>::DIGITS;
        for part in 0..OCTET / L::LANES {
            let mut groups = r.chunks_exact_mut(n).enumerate();
            // Not closures either.
            macro_rules! product {
                ($i:expr, $octets:expr) => {{
                    let a = Fes::<F, L>::load(l, $octets, part);
                    if SQUARE {
                        a.square()
                    } else {
                        a.product(&Fes::load(l, &other[n * $i..][..n], part))
                    }
                }};
            }
            let Some((i, mut last)) = groups.next() else {
                return;
            };
            let mut product = product!(i, last);
            macro_rules! turn {
                ($group:expr) => {
                    let (i, octets) = $group;
                    let next = product!(i, octets);
                    Fes::<F, L>::reduced(l, product).store(last, part);
                    (last, product) = (octets, next);
                };
            }
            while let Some(group) = groups.next() {
                turn!(group);
                // Two at a time, so that the pending product need not move to other registers.
                let Some(group) = groups.next() else {
                    break;
                };
                turn!(group);
            }
            Fes::<F, L>::reduced(l, product).store(last, part);
        }
    }
}

/// The prefix products of each lane, with 1 in place of 0, and the product of all. Leaves elements canonical.
struct Forward<'a, F> {
    a: &'a mut [Octet],
    products: &'a mut [Octet],
    field: core::marker::PhantomData<F>,
}

impl<F: Field> Program for Forward<'_, F>
where
    F::Residue: InLanes,
{
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let _ = self.field;
        let n = <F::Residue as InLanes>::DIGITS;
        for part in 0..OCTET / L::LANES {
            let one = Fes::<F, L>::small(l, 1);
            let mut product = one;
            for (a, before) in self
                .a
                .chunks_exact_mut(n)
                .zip(self.products.chunks_exact_mut(n))
            {
                product.store(before, part);
                let factor = Fes::<F, L>::load(l, a, part).canonical();
                factor.store(a, part);
                product = product * Fes::select(&factor, &one, factor.zeros());
            }
            let last = self.products.len() - n;
            product.store(&mut self.products[last..], part);
        }
    }
}

/// The inverses of all elements, from the prefix products and the inverse of the product of all.
struct Backward<'a, F> {
    a: &'a mut [Octet],
    products: &'a [Octet],
    inverse: &'a [Octet],
    field: core::marker::PhantomData<F>,
}

impl<F: Field> Program for Backward<'_, F>
where
    F::Residue: InLanes,
{
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let _ = self.field;
        let n = <F::Residue as InLanes>::DIGITS;
        for part in 0..OCTET / L::LANES {
            let one = Fes::<F, L>::small(l, 1);
            let mut inverse = Fes::<F, L>::load(l, self.inverse, part);
            let groups = self
                .a
                .chunks_exact_mut(n)
                .zip(self.products.chunks_exact(n));
            for (octets, before) in groups.rev() {
                let a = Fes::<F, L>::load(l, octets, part);
                let zeros = a.zeros();
                let inverted = inverse * Fes::load(l, before, part);
                inverse = inverse * Fes::select(&a, &one, zeros);
                Fes::select(&inverted, &a, zeros).store(octets, part);
            }
        }
    }
}
