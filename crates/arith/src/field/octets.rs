//! Elements of a field as the digits of vector lanes, in memory.

use super::lanes::Fes;
use super::{Fe, Field};
use crate::word;
use carrysave_kernels::fp::MAX_LIMBS;
use carrysave_kernels::fp8::{self, InLanes, Lanes, Octet, Program, Residues, Vectors};
use core::marker::PhantomData;
use zeroize::Zeroize;

/// Elements of an octet.
pub(super) const LANES: usize = 8;

/// The bit positions of the digits in some vectors, and the position after the last.
pub(super) fn places<F: Field>(vectors: Vectors) -> [usize; fp8::MAX_DIGITS + 1]
where
    F::Residue: InLanes,
{
    vectors.run(Places::<F>(PhantomData))
}

struct Places<F>(PhantomData<F>);

impl<F: Field> Program for Places<F>
where
    F::Residue: InLanes,
{
    type Output = [usize; fp8::MAX_DIGITS + 1];

    #[inline(always)]
    fn run<L: Lanes>(self, _lanes: L) -> Self::Output {
        places_in::<F, L>()
    }
}

/// [`places`] in these lanes.
fn places_in<F: Field, L: Lanes>() -> [usize; fp8::MAX_DIGITS + 1]
where
    F::Residue: InLanes,
{
    core::array::from_fn(<F::Residue as InLanes>::In::<L>::place)
}

/// The digits of the elements' forms: of eight elements, then of the next eight.
pub(super) fn split<F: Field>(elements: &[Fe<F>], places: &[usize]) -> Vec<Octet>
where
    F::Residue: InLanes,
{
    let n = F::Residue::DIGITS;
    let mut octets = vec![Octet::default(); n * elements.len().div_ceil(LANES)];
    for (octets, elements) in octets.chunks_mut(n).zip(elements.chunks(LANES)) {
        for (lane, element) in elements.iter().enumerate() {
            let mut limbs = element.digits_form();
            for (octet, place) in octets.iter_mut().zip(places.windows(2)) {
                octet.0[lane] = word::window(&limbs, place[0], place[1] - place[0]);
            }
            limbs.zeroize();
        }
    }
    octets
}

/// An element of eight, given by the digits of its form.
pub(super) fn element<F: Field>(octets: &[Octet], lane: usize, places: &[usize]) -> Fe<F> {
    // The highest digit may have zeros above the last limb.
    let mut limbs = [0; MAX_LIMBS + 1];
    for (octet, at) in octets.iter().zip(places) {
        let wide = u128::from(octet.0[lane]) << (at % 64);
        limbs[at / 64] |= wide as u64;
        limbs[at / 64 + 1] |= (wide >> 64) as u64;
    }
    let element = Fe::from_form(&limbs[..MAX_LIMBS]);
    limbs.zeroize();
    element
}

/// Elements for programs in these lanes: the digits of eight, then those of the next eight.
pub(crate) fn to_octets<F: Field, L: Lanes>(l: L, elements: &[Fe<F>]) -> Vec<Octet>
where
    F::Residue: InLanes,
{
    let mut octets = split(elements, &places_in::<F, L>());
    l.run(OfForm::<F>(&mut octets, PhantomData));
    octets
}

struct OfForm<'a, F>(&'a mut [Octet], PhantomData<F>);

impl<F: Field> Program for OfForm<'_, F>
where
    F::Residue: InLanes,
{
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        for octets in self.0.chunks_exact_mut(F::Residue::DIGITS) {
            for part in 0..LANES / L::LANES {
                let elements = Fes::<F, L>::load(l, octets, part).of_form();
                elements.store(octets, part);
            }
        }
    }
}

/// The first element of each eight, given by the digits of their [`Fe::form`]s as a program in these lanes leaves them. Wipes
/// the digits.
pub(crate) fn first_of_each<F: Field, L: Lanes, const K: usize>(forms: &mut [Octet]) -> [Fe<F>; K]
where
    F::Residue: InLanes,
{
    let (n, places) = (F::Residue::DIGITS, places_in::<F, L>());
    let elements = core::array::from_fn(|i| element(&forms[n * i..][..n], 0, &places));
    Octet::wipe(forms);
    elements
}
