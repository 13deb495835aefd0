//! Elements of a field in the lanes of a vector, and what is calculated with them.

use super::Field;
use crate::Limb;
use carrysave_kernels::fp8::{self, InLanes, Lanes, Octet, Residues};
use core::ops::{Add, Mul, Sub};

/// Elements of a field in the lanes of a vector.
pub(crate) struct Fes<F: Field, L: Lanes>
where
    F::Residue: InLanes,
{
    residues: <F::Residue as InLanes>::In<L>,
    l: L,
}

/// Products of such elements.
pub(super) type Unreduced<F, L> =
    <<<F as Field>::Residue as InLanes>::In<L> as Residues<L>>::Product;

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
    pub(crate) fn of_form(&self) -> Self {
        self.with(self.residues.of_form(self.l, Self::P))
    }

    /// The digits of [`Fe::form`].
    #[inline(always)]
    pub(crate) fn form(&self) -> Self {
        self.with(self.residues.form(self.l, Self::P))
    }

    /// The products, to be reduced.
    #[inline(always)]
    pub(crate) fn product(&self, other: &Self) -> Unreduced<F, L> {
        self.residues.product(self.l, &other.residues, Self::P)
    }

    /// The squares, to be reduced.
    #[inline(always)]
    pub(crate) fn square(&self) -> Unreduced<F, L> {
        self.residues.square(self.l, Self::P)
    }

    #[inline(always)]
    pub(super) fn reduced(l: L, product: Unreduced<F, L>) -> Self {
        Fes {
            residues: Residues::reduced(l, product, Self::P),
            l,
        }
    }

    /// The squares.
    #[inline(always)]
    pub(crate) fn sqr(&self) -> Self {
        match L::LANES {
            1 => self.sqr_called(),
            _ => self.sqr_inlined(),
        }
    }

    #[inline(always)]
    fn sqr_inlined(&self) -> Self {
        self.with(self.residues.sqr(self.l, Self::P))
    }

    /// The squares, called. Programs without vectors call what others inline: they are no faster for it, and shorter.
    #[inline(never)]
    fn sqr_called(&self) -> Self {
        self.sqr_inlined()
    }

    #[inline(always)]
    fn mul_inlined(&self, other: &Self) -> Self {
        self.with(self.residues.mul(self.l, &other.residues, Self::P))
    }

    /// The products, called, as squares.
    #[inline(never)]
    fn mul_called(&self, other: &Self) -> Self {
        self.mul_inlined(other)
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

    /// The elements, below 2.07 times the prime.
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

impl<F: Field, L: Lanes> Mul for Fes<F, L>
where
    F::Residue: InLanes,
{
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        match L::LANES {
            1 => self.mul_called(&other),
            _ => self.mul_inlined(&other),
        }
    }
}
