//! Tables of multiples in the digits of vectors.

use crate::curve::counting::times_two_to;
use crate::curve::multiple::BASE_WINDOW;
use crate::field::{Fe, FeBatch, Field, InLanes, Vectors};
use crate::once;
use crate::{Cpu, Limb};
use carrysave_kernels::fp8::{self, Octet, ROWS};
use std::borrow::Cow;
use std::sync::OnceLock;

/// Octets of a column.
const OCTETS: usize = ROWS / 8;

/// For each window, and each digit of what a row has, the 32 words of this digit: in cache lines of their own, from which
/// permutations of registers choose.
#[derive(Clone)]
pub(in crate::curve) struct Columns {
    octets: Vec<Octet>,
    /// For each window, the numbers that rows are counted by.
    numbers: Vec<[Limb; ROWS]>,
}

/// Columns in the best vectors, made when lanes need them. In a box: where there are none, what was on the stack would stay
/// in the unused bytes.
pub(in crate::curve) type OnFirstUse = OnceLock<Box<Columns>>;

impl Columns {
    /// The columns of rows of so many elements.
    fn new<F: Field>(vectors: Vectors, elements: &[Fe<F>], row: usize) -> Columns
    where
        F::Residue: InLanes,
    {
        let n = F::Residue::DIGITS;
        let batch = FeBatch::on(vectors, elements);
        let mut columns = vec![Octet::default(); elements.len() / ROWS * OCTETS * n];
        for (i, digits) in (0..elements.len()).map(|i| (i, &batch.octets()[i / 8 * n..][..n])) {
            let (window, number, element) = (i / row / ROWS, i / row % ROWS, i % row);
            let first = (window * row + element) * n;
            for (column, digit) in (first..).zip(digits) {
                columns[OCTETS * column + number / 8].0[number % 8] = digit.0[i % 8];
            }
        }
        let number = |window, i: usize| times_two_to(BASE_WINDOW * window, i as Limb + 1);
        let numbers = |window| core::array::from_fn(|i| number(window, i));
        Columns {
            octets: columns,
            numbers: (0..elements.len() / row / ROWS).map(numbers).collect(),
        }
    }

    /// The columns in the digits of these vectors: those that are kept if they are the best of `cpu`.
    pub(in crate::curve) fn on<F: Field>(
        vectors: Vectors,
        (kept, cpu): (&OnFirstUse, Cpu),
        elements: impl FnOnce() -> Vec<Fe<F>>,
        row: usize,
    ) -> Cow<'_, Columns>
    where
        F::Residue: InLanes,
    {
        let make = || Columns::new(vectors, &elements(), row);
        match vectors == Vectors::best(cpu) {
            true => Cow::Borrowed(&**once(kept, || Box::new(make()))),
            false => Cow::Owned(make()),
        }
    }

    /// The columns of a window, of which there are so many.
    #[inline(always)]
    pub(in crate::curve) fn window(&self, window: usize, columns: usize) -> &[[Limb; ROWS]] {
        let octets = &self.octets[OCTETS * columns * window..][..OCTETS * columns];
        fp8::words(octets).as_flattened().as_chunks().0
    }

    /// The numbers of a window's rows.
    #[inline(always)]
    pub(in crate::curve) fn numbers(&self, window: usize) -> &[Limb; ROWS] {
        &self.numbers[window]
    }
}
