//! Transforms of numbers that wrap around: products modulo 2^K - 1 and modulo 2^K + 1, K the bits of all coefficients.

use super::fft::{SPARE, Shape, kernels};
use crate::aligned::{LINE, Rows, to_line};
use carrysave_kernels::{
    Cpu, Limb,
    ntt::{MOST, Ntt, PRIMES, bytes, limbs},
};

/// The shape that both moduli share. A *row* holds n residues modulo one of the primes.
pub(crate) struct Wrapped {
    ntt: Ntt,
    shape: Shape,
    /// The shape of transforms modulo both together.
    twice: Shape,
}

/// The modulus of a transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    /// 2^K - 1
    Minus,
    /// 2^K + 1
    Plus,
}

impl Wrapped {
    /// The transforms for a K of at least `bits`; `None` if that is too large.
    pub(crate) fn new(cpu: Cpu, bits: usize) -> Option<Wrapped> {
        let shape = Shape::least(|primes| bits.div_ceil(8 * bytes(primes)))?;
        // Sums of two products, also negative ones, fit up to there.
        (shape.n <= MOST / 2).then(|| Wrapped {
            ntt: kernels(cpu),
            shape,
            twice: Shape {
                n: 2 * shape.n,
                ..shape
            },
        })
    }

    /// The number of limbs of K bits.
    pub(crate) fn limbs(&self) -> usize {
        self.shape.limbs()
    }

    /// The limbs of a number assembled from this many coefficients.
    pub(crate) fn part_limbs(&self, coefficients: usize) -> usize {
        limbs(coefficients, self.shape.primes) + SPARE
    }

    /// The number of words of a row.
    pub(crate) fn row(&self) -> usize {
        self.shape.n
    }

    /// The number of primes.
    pub(crate) fn primes(&self) -> usize {
        self.shape.primes
    }

    /// `x` := the transforms of a number modulo 2^K - 1 and modulo 2^K + 1, one behind the other.
    pub(crate) fn both(&self, prime: usize, x: &mut [Limb], a: &[Limb]) {
        self.twice.transform(&self.ntt, prime, x, a);
    }

    /// `x` := the transform of a number of K bits.
    pub(crate) fn transform(&self, sign: Sign, prime: usize, x: &mut [Limb], a: &[Limb]) {
        match sign {
            Sign::Minus => self.shape.transform(&self.ntt, prime, x, a),
            Sign::Plus => {
                let filled = self.shape.split(&self.ntt, prime, x, a);
                x[filled..].fill(0);
                let roots = &self.twice.roots(prime)[0];
                self.ntt.negacyclic_forward.call(x, roots, prime);
            }
        }
    }

    /// The transforms of a number modulo each prime.
    pub(crate) fn spectrum(&self, sign: Sign, a: &[Limb]) -> Transforms {
        let mut rows = Rows::new(self.primes(), self.row());
        for (prime, row) in rows.iter_mut().enumerate() {
            self.transform(sign, prime, row, a);
        }
        Transforms(rows)
    }

    /// `x` := the coefficients of a product modulo 2^K + 1, or of a square, from transforms, with [`Wrapped::offset`].
    pub(crate) fn product_plus(&self, prime: usize, x: &mut [Limb], y: Option<&[Limb]>) {
        let roots = &self.twice.roots(prime)[1];
        match y {
            Some(y) => (self.ntt.negacyclic_inverse).call(x, y, roots, prime),
            None => (self.ntt.negacyclic_inverse).call_in_place(x, roots, prime),
        }
    }

    /// `x` := the coefficients of x y + u v modulo 2^K - 1, from transforms.
    pub(crate) fn sum_minus(
        &self,
        prime: usize,
        x: &mut [Limb],
        y: &[Limb],
        factors: [&[Limb]; 2],
    ) {
        let roots = &self.shape.roots(prime)[1];
        self.ntt.inverse_sum.call(x, y, factors, roots, prime);
    }

    /// `r` := the number with these coefficients, given modulo each prime in a row.
    pub(crate) fn put_together<'a>(&self, r: &mut [Limb], rows: impl Iterator<Item = &'a [Limb]>) {
        let mut all: [&[Limb]; PRIMES.len()] = [&[]; PRIMES.len()];
        for (place, row) in all.iter_mut().zip(rows) {
            *place = row;
        }
        self.ntt.crt.call(r, &all[..self.primes()]);
    }

    /// The excess of numbers whose coefficients come from [`Wrapped::product_plus`].
    pub(crate) fn offset(&self) -> Vec<Limb> {
        let halves = PRIMES.map(|p| vec![((p / 2) as f64).to_bits(); self.row()]);
        let mut offset = vec![0; self.part_limbs(self.row())];
        self.put_together(
            &mut offset,
            halves[..self.primes()].iter().map(|row| &row[..]),
        );
        offset
    }

    /// The words to allocate for this many rows, with room to align them to a cache line.
    pub(crate) fn rows(&self, rows: usize) -> usize {
        rows * self.row() + LINE
    }

    /// The aligned rows, and the words behind them.
    pub(crate) fn split_rows<'a>(
        &self,
        words: &'a mut [Limb],
        rows: usize,
    ) -> (&'a mut [Limb], &'a mut [Limb]) {
        let start = to_line(words);
        let (aligned, rest) = words.split_at_mut(self.rows(rows));
        (&mut aligned[start..][..rows * self.row()], rest)
    }
}

/// The transforms of a number modulo each prime.
pub(crate) struct Transforms(Rows);

impl Transforms {
    /// The transform modulo one prime.
    pub(crate) fn row(&self, prime: usize) -> &[Limb] {
        self.0.row(prime)
    }
}
