//! Products of long numbers by fast Fourier transforms, modulo primes below 2^50 (the family `ntt` of kernels).
//!
//! Numbers are cut into coefficients of as many bytes as the number of primes allows. The length of a transform is a
//! power of two; sizes between two powers take more primes, and so longer coefficients. Which instructions run depends
//! on the widths only.
//!
//! Sources: Pollard, The fast Fourier transform in a finite field, Math. Comp. 25, 1971; Knuth, TAOCP 2, 4.3.3.

use super::carry::add_at;
use crate::aligned::Rows;
use crate::once;
use crate::work::note;
use carrysave_kernels::{
    Cpu, Limb,
    mpn::Mpn,
    ntt::{LEAST, MOST, Ntt, PRIMES, bytes, limbs, roots},
    zeros,
};
use carrysave_team::Team;
use core::sync::atomic::{
    AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};
use std::sync::{OnceLock, RwLock, RwLockReadGuard, RwLockWriteGuard};
use zeroize::Zeroizing;

/// Limbs that a number of coefficients may reach beyond them.
pub(super) const SPARE: usize = 3;

/// The length of transforms, and the number of primes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) n: usize,
    pub(super) primes: usize,
}

impl Shape {
    /// The cheapest shape, given the number of coefficients for each number of primes; `None` if all are too long.
    pub(super) fn least(coefficients: impl Fn(usize) -> usize) -> Option<Shape> {
        if !cfg!(feature = "transforms") {
            return None;
        }
        let shapes = (3..=PRIMES.len()).map(|primes| {
            let n = coefficients(primes).next_power_of_two().max(LEAST);
            Shape { n, primes }
        });
        let fit = shapes.filter(|shape| shape.n <= MOST);
        fit.min_by_key(|shape| shape.cost())
    }

    /// The shape for products of factors of these lengths in limbs.
    fn whole(a: usize, b: usize) -> Option<Shape> {
        Shape::least(|primes| coefficients(a, primes) + coefficients(b, primes) - 1)
    }

    /// The shape for products that wrap around at `limbs` limbs, or slightly more.
    fn wrapped(limbs: usize) -> Option<Shape> {
        Shape::least(|primes| coefficients(limbs, primes))
    }

    /// The number of coefficients of a product of factors of these lengths in limbs.
    fn count(self, a: usize, b: usize) -> usize {
        coefficients(a, self.primes) + coefficients(b, self.primes) - 1
    }

    /// The limbs of all coefficients together.
    pub(super) fn limbs(self) -> usize {
        limbs(self.n, self.primes)
    }

    /// The cost: the levels of all transforms, and about one level a prime for assembling the number.
    fn cost(self) -> usize {
        self.primes * self.n * (self.n.ilog2() as usize + self.primes)
    }

    /// The tables modulo a prime, made on first use.
    pub(super) fn roots(self, prime: usize) -> &'static [Vec<Limb>; 2] {
        const LENGTHS: usize = MOST.ilog2() as usize + 1;
        static ROOTS: [[OnceLock<[Vec<Limb>; 2]>; LENGTHS]; PRIMES.len()] =
            [const { [const { OnceLock::new() }; LENGTHS] }; PRIMES.len()];
        let cell = &ROOTS[prime][self.n.ilog2() as usize];
        once(cell, || roots(prime, self.n))
    }

    /// `x` := the transform of a number modulo a prime.
    pub(super) fn transform(self, ntt: &Ntt, prime: usize, x: &mut [Limb], a: &[Limb]) {
        note("transforms", self.n);
        let filled = self.split(ntt, prime, x, a);
        ntt.forward.call(x, &self.roots(prime)[0], filled, prime);
    }

    /// The first words of `x` := the coefficients of a number modulo a prime; returns their number.
    pub(super) fn split(self, ntt: &Ntt, prime: usize, x: &mut [Limb], a: &[Limb]) -> usize {
        let primes = self.primes;
        // This many limbs hold eight coefficients.
        let apart = bytes(primes);
        let (eights, rest) = a.split_at(a.len() / apart * apart);
        let first = coefficients(eights.len(), primes);
        ntt.split.call(&mut x[..first], eights, primes, prime);
        let filled = coefficients(a.len(), primes);
        let mut padded = Zeroizing::new([0; bytes(PRIMES.len())]);
        padded[..rest.len()].copy_from_slice(rest);
        let padded = &padded[..limbs(filled - first, primes)];
        ntt.split.call(&mut x[first..filled], padded, primes, prime);
        filled
    }
}

/// The kernels of transforms. Without the feature there are no shapes, so nothing gets here, and none are linked.
pub(super) fn kernels(cpu: Cpu) -> Ntt {
    if cfg!(feature = "transforms") {
        Ntt::new(cpu)
    } else {
        unreachable!("without the feature there is no shape")
    }
}

/// The number of coefficients of a number of `limbs` limbs.
fn coefficients(limbs: usize, primes: usize) -> usize {
    (limbs * size_of::<Limb>()).div_ceil(bytes(primes))
}

/// The other factor of a product.
#[derive(Clone, Copy)]
enum By<'a> {
    Itself,
    Number(&'a [Limb]),
    Known(&'a Rows),
}

/// The number assembled from the first coefficients of a product.
fn multiply(mpn: &Mpn, shape: Shape, count: usize, a: &[Limb], by: By<'_>) -> Zeroizing<Vec<Limb>> {
    let (ntt, Shape { n, primes }) = (kernels(mpn.cpu()), shape);
    let mut rows = Rows::new(primes + usize::from(matches!(by, By::Number(_))), n);
    let mut rows: Vec<&mut [Limb]> = rows.iter_mut().collect();
    let (x, y) = rows.split_at_mut(primes);
    for (prime, x) in x.iter_mut().enumerate() {
        let inverse = &shape.roots(prime)[1];
        shape.transform(&ntt, prime, x, a);
        match by {
            By::Itself => ntt.inverse.call_in_place(x, inverse, prime),
            By::Number(b) => {
                shape.transform(&ntt, prime, y[0], b);
                ntt.inverse.call(x, y[0], inverse, prime);
            }
            By::Known(rows) => ntt.inverse.call(x, rows.row(prime), inverse, prime),
        }
    }
    let x: Vec<&[Limb]> = x.iter().map(|x| &x[..count]).collect();
    sum(&ntt, &x)
}

/// The number whose coefficients have these residues.
fn sum(ntt: &Ntt, residues: &[&[Limb]]) -> Zeroizing<Vec<Limb>> {
    let len = limbs(residues[0].len(), residues.len()) + SPARE;
    let mut sum = Zeroizing::new(zeros(len));
    ntt.crt.call(&mut sum, residues);
    sum
}

/// `r` := a number of its width, where either may have zeros above.
fn put(r: &mut [Limb], number: &[Limb]) {
    let len = number.len().min(r.len());
    r[..len].copy_from_slice(&number[..len]);
    r[len..].fill(0);
}

/// `r := a * b`, or `r := a^2` without a b, where r is as wide as both. Returns false if the factors are too long.
pub(super) fn product(mpn: &Mpn, r: &mut [Limb], a: &[Limb], b: Option<&[Limb]>) -> bool {
    let width = b.map_or(a.len(), <[Limb]>::len);
    let Some(shape) = Shape::whole(a.len(), width) else {
        return false;
    };
    let count = shape.count(a.len(), width);
    put(
        r,
        &multiply(mpn, shape, count, a, b.map_or(By::Itself, By::Number)),
    );
    true
}

/// The transforms of a number, for repeated products with it.
#[derive(Clone)]
pub(crate) struct Spectrum {
    shape: Shape,
    rows: Rows,
    width: usize,
}

impl Spectrum {
    /// For products with numbers of `limbs` limbs; `None` if these are too long.
    pub(crate) fn whole(mpn: &Mpn, a: &[Limb], other: usize) -> Option<Spectrum> {
        Shape::whole(a.len(), other).map(|shape| Spectrum::of(mpn, a, shape))
    }

    /// For products that wrap around at `limbs` limbs or more; `None` if these are too many.
    pub(crate) fn wrapped(mpn: &Mpn, a: &[Limb], limbs: usize) -> Option<Spectrum> {
        Shape::wrapped(limbs).map(|shape| Spectrum::of(mpn, a, shape))
    }

    fn of(mpn: &Mpn, a: &[Limb], shape: Shape) -> Spectrum {
        let mut rows = Rows::new(shape.primes, shape.n);
        let ntt = kernels(mpn.cpu());
        for (prime, row) in rows.iter_mut().enumerate() {
            shape.transform(&ntt, prime, row, a);
        }
        Spectrum {
            shape,
            rows,
            width: a.len(),
        }
    }

    /// The limbs at which products wrap around.
    pub(crate) fn limbs(&self) -> usize {
        self.shape.limbs()
    }

    /// `r` := the product with `a`, where r is as wide as both.
    pub(crate) fn mul(&self, mpn: &Mpn, r: &mut [Limb], a: &[Limb]) {
        let count = self.shape.count(a.len(), self.width);
        assert!(count <= self.shape.n);
        put(
            r,
            &multiply(mpn, self.shape, count, a, By::Known(&self.rows)),
        );
    }

    /// `r` := the product with `a` modulo `2^(64n) - 1`, n being [`Spectrum::limbs`]; 0 may come as all ones.
    pub(crate) fn mul_wrapped(&self, mpn: &Mpn, r: &mut [Limb], a: &[Limb]) {
        assert_eq!(r.len(), self.limbs());
        let product = multiply(mpn, self.shape, self.shape.n, a, By::Known(&self.rows));
        let (low, high) = product.split_at(r.len());
        r.copy_from_slice(low);
        let carry = add_at(mpn, r, high);
        mpn.add_1.call_in_place(r, carry);
    }
}

/// `r := a * b` by a team, as [`product`].
///
/// All steps form one list: everything modulo one prime, for as many primes as all members get the same number of; the
/// transforms of both factors and the inverse transform modulo each of the other primes; and parts of the sum. A member
/// takes the next step, and waits only for steps that others took before. So no member waits for one that has not begun.
pub(super) fn product_on(
    team: &dyn Team,
    members: usize,
    mpn: &Mpn,
    r: &mut [Limb],
    a: &[Limb],
    b: &[Limb],
) -> bool {
    let Some(shape) = Shape::whole(a.len(), b.len()) else {
        return false;
    };
    let (ntt, Shape { n, primes }) = (kernels(mpn.cpu()), shape);
    // The primes that are shared, and before them those that one member takes alone: what it computes stays in its own cache.
    let shared = primes % members;
    let whole = primes - shared;
    // Where the inverse transforms of shared primes begin, and the parts of the sum.
    let [inverses, sums] = [2, 3].map(|steps| whole + steps * shared);
    let [mut x, mut y] = [Rows::new(primes, n), Rows::new(shared, n)];
    let [x, y] = [&mut x, &mut y].map(|rows| rows.iter_mut().map(RwLock::new).collect::<Vec<_>>());
    let count = shape.count(a.len(), b.len());
    // Eight coefficients have whole limbs.
    let part = count.div_ceil(members).next_multiple_of(8);
    let parts: Vec<OnceLock<Zeroizing<Vec<Limb>>>> =
        (0..count.div_ceil(part)).map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    let transformed: [AtomicUsize; PRIMES.len()] = Default::default();
    let ready = AtomicUsize::new(0);
    let invert = |prime: usize, x: &mut [Limb], y: &[Limb]| {
        ntt.inverse.call(x, y, &shape.roots(prime)[1], prime);
        ready.fetch_add(1, Release);
    };
    team.offer_few(members, &|member| {
        let mut mine = None;
        loop {
            let step = next.fetch_add(1, Relaxed);
            if step < whole {
                let y = mine.get_or_insert_with(|| Rows::new(1, n)).row_mut(0);
                let x = &mut write(&x[step]);
                shape.transform(&ntt, step, x, a);
                shape.transform(&ntt, step, y, b);
                invert(step, x, y);
            } else if step < inverses {
                let (prime, factor) = (whole + (step - whole) / 2, (step - whole) % 2);
                let row = [&x[prime], &y[prime - whole]][factor];
                shape.transform(&ntt, prime, &mut write(row), [a, b][factor]);
                transformed[prime].fetch_add(1, Release);
            } else if step < sums {
                let prime = whole + step - inverses;
                member.wait_until(|| transformed[prime].load(Acquire) == 2);
                invert(prime, &mut write(&x[prime]), &read(&y[prime - whole]));
            } else if let Some(part_sum) = parts.get(step - sums) {
                member.wait_until(|| ready.load(Acquire) == primes);
                let from = part * (step - sums);
                let to = count.min(from + part);
                let rows: Vec<_> = x.iter().map(read).collect();
                let residues: Vec<&[Limb]> = rows.iter().map(|row| &row[from..to]).collect();
                part_sum.get_or_init(|| sum(&ntt, &residues));
            } else {
                break;
            }
        }
    });
    for (i, part_sum) in parts.iter().enumerate() {
        let sum = part_sum.get().expect("all parts were done");
        if i == 0 {
            put(r, sum);
            continue;
        }
        let r = &mut r[limbs(i * part, primes)..];
        let len = sum.len().min(r.len());
        add_at(mpn, r, &sum[..len]);
    }
    true
}

/// A row of a member's own.
fn write<'a, 'b>(row: &'a RwLock<&'b mut [Limb]>) -> RwLockWriteGuard<'a, &'b mut [Limb]> {
    row.write().expect("no member panicked")
}

/// A row that no member changes any more.
fn read<'a, 'b>(row: &'a RwLock<&'b mut [Limb]>) -> RwLockReadGuard<'a, &'b mut [Limb]> {
    row.read().expect("no member panicked")
}

#[cfg(test)]
mod tests {
    use super::super::bnm1::settle;
    use super::super::mul::{mul, tests::patterns};
    use super::*;
    use crate::Cpu;
    use crate::plan::{NEVER, Plan, Product};

    #[test]
    fn products_are_those_of_other_methods() {
        let toom = Plan {
            mul: &[(59, Product::Schoolbook), (NEVER, Product::Toom44)],
            ..Plan::native().clone()
        };
        // Short factors, every number of primes, and lengths around powers of two.
        let widths = [
            (1, 1),
            (2, 1),
            (7, 5),
            (11, 11),
            (14, 3),
            (64, 64),
            (65, 64),
            (88, 88),
            (89, 88),
            (112, 112),
            (113, 112),
            (200, 56),
            (256, 256),
            (257, 256),
            (1000, 47),
            (1024, 1024),
            (1400, 1401),
        ];
        for cpu in [Cpu::native(), Cpu::portable()] {
            let mpn = Mpn::new(cpu);
            for (n, m) in widths {
                for (a, b) in patterns(n).iter().zip(patterns(m).iter().rev()) {
                    let (mut expected, mut r) = (vec![0; n + m], vec![Limb::MAX; n + m]);
                    mul(&mpn, &toom, &mut expected, a, b);
                    assert!(product(&mpn, &mut r, a, Some(b)));
                    assert!(r == expected, "{n} x {m} limbs");
                }
                let a = &patterns(n)[0];
                let (mut expected, mut r) = (vec![0; 2 * n], vec![Limb::MAX; 2 * n]);
                mul(&mpn, &toom, &mut expected, a, a);
                assert!(product(&mpn, &mut r, a, None));
                assert!(r == expected, "the square of {n} limbs");
            }
        }
    }

    #[test]
    fn known_factors_give_the_same_products() {
        let mpn = Mpn::native();
        for (n, m) in [(1, 1), (9, 20), (64, 64), (100, 80), (700, 701)] {
            for (a, b) in patterns(n).iter().zip(patterns(m).iter().rev()) {
                let (mut expected, mut r) = (vec![0; n + m], vec![Limb::MAX; n + m]);
                assert!(product(mpn, &mut expected, a, Some(b)));
                Spectrum::whole(mpn, b, n).unwrap().mul(mpn, &mut r, a);
                assert!(r == expected, "{n} x {m} limbs");
                let spectrum = Spectrum::wrapped(mpn, b, n.max(m)).unwrap();
                let limbs = spectrum.limbs();
                let mut r = vec![Limb::MAX; limbs];
                spectrum.mul_wrapped(mpn, &mut r, a);
                // The upper limbs are folded down.
                let mut folded = vec![0; limbs];
                for part in expected.chunks(limbs) {
                    let carry = add_at(mpn, &mut folded, part);
                    mpn.add_1.call_in_place(&mut folded, carry);
                }
                settle(mpn, &mut r);
                settle(mpn, &mut folded);
                assert!(r == folded, "{n} x {m} limbs around {limbs}");
            }
        }
    }

    #[test]
    fn shapes_hold_what_they_are_for() {
        let mut primes = [0; 6];
        for limbs in 1..5000 {
            let shape = Shape::whole(limbs, limbs).unwrap();
            primes[shape.primes] += 1;
            let bits = 8 * bytes(shape.primes);
            assert!(shape.n * bits >= 128 * limbs - bits, "{limbs} limbs");
            // Less than two thirds are empty.
            assert!(
                limbs < 40 || shape.n * bits < 128 * limbs * 3 / 2,
                "{limbs} limbs"
            );
        }
        assert!(primes[3..].iter().all(|&count| count > 500), "{primes:?}");
        // The largest products, and what is too large.
        let most = MOST * bytes(PRIMES.len()) / size_of::<Limb>() / 2;
        assert!(Shape::whole(most, most).is_some());
        assert!(Shape::whole(most + 8, most + 8).is_none());
    }
}
