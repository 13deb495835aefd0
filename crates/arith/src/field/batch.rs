//! Many elements at once, in vector lanes.

use super::lanes::Fes;
use super::octets::{LANES, element, places, split};
use super::{Fe, Field, invert_batch};
use crate::{Cpu, Limb};
use carrysave_kernels::fp8::{InLanes, Lanes, Octet, Program, Vectors};
use core::{fmt, marker::PhantomData};
use zeroize::Zeroize;

/// Elements of a field side by side: eight to a vector where the processor has AVX-512 IFMA, four where it has AVX-IFMA, or
/// AVX2 with FMA.
///
/// Where the prime is `2^w - c`, c must be below 2^23, 2^24, 2^47 or 2^48 for w of 127, 128, 255 and 256; others do not
/// compile. Of other primes those have lanes that have a bit in the highest of their digits of 52 bits, and leave four bits of
/// it: 64, 256, 384, 512 and 521 bits are among them, 520 bits not. Operations on two batches work elementwise.
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
    field: PhantomData<F>,
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
            octets: split(elements, &places::<F>(vectors)),
            len: elements.len(),
            vectors,
            field: PhantomData,
        };
        batch.apply(Step::OfForm, None);
        batch
    }

    /// The elements.
    pub fn to_elements(&self) -> Vec<Fe<F>> {
        let mut forms = self.clone();
        forms.apply(Step::Form, None);
        let places = places::<F>(self.vectors);
        let mut elements = Vec::with_capacity(self.len.next_multiple_of(LANES));
        for octets in forms.octets.chunks(Self::DIGITS) {
            elements.extend((0..LANES).map(|lane| element(octets, lane, &places)));
        }
        elements.truncate(self.len);
        elements
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

    /// The digits depend on the vectors.
    fn check(&self, other: &Self) {
        assert_eq!(self.len, other.len, "batches of one length");
        assert_eq!(self.vectors, other.vectors, "batches in the same vectors");
    }

    fn apply(&mut self, step: Step, other: Option<&Self>) {
        let other = other.map(|other| {
            self.check(other);
            &other.octets[..]
        });
        let r = &mut self.octets;
        F::run_in_lanes(self.vectors, Work::Apply { step, r, other });
    }

    /// The sums.
    ///
    /// # Panics
    /// If the batches differ in length, or are in other vectors.
    pub fn add(&mut self, other: &Self) {
        self.apply(Step::Add, Some(other));
    }

    /// The differences.
    ///
    /// # Panics
    /// If the batches differ in length, or are in other vectors.
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
    /// If the batches differ in length, or are in other vectors.
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
    /// If the batches differ in length, or are in other vectors, or there is not one bit for each element.
    pub fn select(&mut self, other: &Self, bits: &[Limb]) {
        self.check(other);
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
    /// If the batches differ in length, or are in other vectors, or there is not one bit for each element.
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
        let forward = Work::Forward {
            a: &mut self.octets,
            products: &mut products,
        };
        F::run_in_lanes(self.vectors, forward);
        let all = FeBatch {
            octets: products[self.octets.len()..].to_vec(),
            len: LANES,
            vectors: self.vectors,
            field: self.field,
        };
        let mut last = all.to_elements();
        invert_batch(&mut last);
        let inverse = FeBatch::on(self.vectors, &last);
        let (before, _) = products.split_at(self.octets.len());
        let backward = Work::Backward {
            a: &mut self.octets,
            products: before,
            inverse: &inverse.octets,
        };
        F::run_in_lanes(self.vectors, backward);
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
fn masks(len: usize, bits: &[Limb]) -> impl Iterator<Item = [Limb; LANES]> {
    assert_eq!(bits.len(), len, "a bit for each element");
    bits.chunks(LANES).map(|bits| {
        let mut masks = [0; LANES];
        for (mask, bit) in masks.iter_mut().zip(bits) {
            *mask = core::hint::black_box(*bit).wrapping_neg();
        }
        masks
    })
}

fn wipe(octets: &mut [Octet]) {
    octets.iter_mut().for_each(|octet| octet.0.zeroize());
}

/// What is done to all octets of a batch.
pub enum Work<'a> {
    /// A step, in place, with the octets of another batch.
    Apply {
        /// The operation.
        step: Step,
        /// The batch.
        r: &'a mut [Octet],
        /// The other.
        other: Option<&'a [Octet]>,
    },
    /// The prefix products of each lane, and then the product of all.
    Forward {
        /// The batch, whose elements become canonical.
        a: &'a mut [Octet],
        /// The products.
        products: &'a mut [Octet],
    },
    /// The inverses, from the prefix products and the inverse of the product of all.
    Backward {
        /// The batch.
        a: &'a mut [Octet],
        /// The products.
        products: &'a [Octet],
        /// The inverse.
        inverse: &'a [Octet],
    },
}

impl Work<'_> {
    /// Does it to elements of the field `F`.
    pub(super) fn run<F: Field>(self, vectors: Vectors)
    where
        F::Residue: InLanes,
    {
        let field = PhantomData::<F>;
        match self {
            Work::Apply { step, r, other } => vectors.run(Apply {
                step,
                r,
                other,
                field,
            }),
            Work::Forward { a, products } => vectors.run(Forward { a, products, field }),
            Work::Backward {
                a,
                products,
                inverse,
            } => vectors.run(Backward {
                a,
                products,
                inverse,
                field,
            }),
        }
    }
}

/// An operation on each element of a batch.
#[derive(Clone, Copy)]
pub enum Step {
    /// The sum with an element of the other batch.
    Add,
    /// The difference.
    Sub,
    /// The element with the other sign.
    Neg,
    /// The product.
    Mul,
    /// The square.
    Sqr,
    /// The product with a small number.
    MulSmall(u32),
    /// From digits of [`Residue::form`](super::Residue::form).
    OfForm,
    /// To them.
    Form,
}

/// A step on all elements, in place.
struct Apply<'a, F> {
    step: Step,
    r: &'a mut [Octet],
    other: Option<&'a [Octet]>,
    field: PhantomData<F>,
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
                    for part in 0..LANES / L::LANES {
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
        for part in 0..LANES / L::LANES {
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
    field: PhantomData<F>,
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
        for part in 0..LANES / L::LANES {
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
    field: PhantomData<F>,
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
        for part in 0..LANES / L::LANES {
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
