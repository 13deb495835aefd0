//! Products of long numbers by fast Fourier transforms, modulo primes below 2^50 (the family `ntt` of kernels).
//!
//! Numbers are cut into coefficients of as many bytes as the number of primes allows. Transforms have a power of two
//! for their length; what lies between two powers is reached by more primes, and so by longer coefficients. Which
//! instructions run depends on the widths only.
//!
//! Sources: Pollard, The fast Fourier transform in a finite field, Math. Comp. 25, 1971; Knuth, TAOCP 2, 4.3.3.

use super::toom::Factors;
use carrysave_kernels::{
    Limb,
    mpn::Mpn,
    ntt::{LEAST, MOST, Ntt, PRIMES, bytes, limbs, roots},
};
use std::sync::OnceLock;
use zeroize::Zeroizing;

/// Limbs that a number of coefficients may reach beyond them.
const SPARE: usize = 3;
/// Words of a cache line, where transforms begin.
const LINE: usize = 8;

/// The length of transforms, and how many primes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    n: usize,
    primes: usize,
}

impl Shape {
    /// The shape that costs least for factors of so many limbs; `None` if they are too long for any.
    fn of(a: usize, b: usize) -> Option<Shape> {
        let shape = |primes| {
            let coefficients = [a, b].map(|limbs| coefficients(limbs, primes));
            let n = coefficients[0] + coefficients[1] - 1;
            let n = n.next_power_of_two().max(LEAST);
            Shape { n, primes }
        };
        let shapes = (3..=PRIMES.len()).map(shape);
        let fit = shapes.filter(|shape| shape.n <= MOST);
        fit.min_by_key(|shape| shape.cost())
    }

    /// Levels of all transforms, and about as much for putting numbers together as for a level a prime.
    fn cost(self) -> usize {
        self.primes * self.n * (self.n.ilog2() as usize + self.primes)
    }

    /// The tables modulo a prime: made on first use, and kept.
    fn roots(self, prime: usize) -> &'static [Vec<Limb>; 2] {
        const LENGTHS: usize = MOST.ilog2() as usize + 1;
        static ROOTS: [[OnceLock<[Vec<Limb>; 2]>; LENGTHS]; PRIMES.len()] =
            [const { [const { OnceLock::new() }; LENGTHS] }; PRIMES.len()];
        ROOTS[prime][self.n.ilog2() as usize].get_or_init(|| roots(prime, self.n))
    }
}

/// How many coefficients a number of so many limbs has.
fn coefficients(limbs: usize, primes: usize) -> usize {
    (limbs * size_of::<Limb>()).div_ceil(bytes(primes))
}

/// `r := a * b`, or `r := a^2`, where r is as wide as both; whether the factors are short enough.
pub(super) fn product(mpn: &Mpn, r: &mut [Limb], (a, b): Factors<'_>) -> bool {
    let b_len = b.map_or(a.len(), <[Limb]>::len);
    let Some(shape) = Shape::of(a.len(), b_len) else {
        return false;
    };
    let (ntt, Shape { n, primes }) = (Ntt::new(mpn.cpu()), shape);
    let rows = primes + usize::from(b.is_some());
    let mut words = Zeroizing::new(vec![0; rows * n + LINE]);
    let start = words.as_ptr().align_offset(LINE * size_of::<Limb>()) % LINE;
    let (x, y) = words[start..][..rows * n].split_at_mut(primes * n);
    for (prime, x) in x.chunks_mut(n).enumerate() {
        let [_, inverse] = shape.roots(prime);
        transform(&ntt, shape, prime, x, a);
        match b {
            Some(b) => {
                transform(&ntt, shape, prime, y, b);
                ntt.inverse.call(x, y, inverse, prime);
            }
            None => ntt.inverse.call_in_place(x, inverse, prime),
        }
    }
    let count = coefficients(a.len(), primes) + coefficients(b_len, primes) - 1;
    let residues: Vec<&[Limb]> = x.chunks(n).map(|x| &x[..count]).collect();
    let mut sum = Zeroizing::new(vec![0; limbs(count, primes) + SPARE]);
    ntt.crt.call(&mut sum, &residues);
    // The last coefficient may begin beyond the limbs before, and what a sum has above the product is zero.
    let len = sum.len().min(r.len());
    r[..len].copy_from_slice(&sum[..len]);
    r[len..].fill(0);
    true
}

/// `x` := the transform of a number modulo a prime.
fn transform(ntt: &Ntt, shape: Shape, prime: usize, x: &mut [Limb], a: &[Limb]) {
    let primes = shape.primes;
    // So many limbs hold eight coefficients.
    let apart = bytes(primes);
    let (whole, rest) = a.split_at(a.len() / apart * apart);
    let first = coefficients(whole.len(), primes);
    ntt.split.call(&mut x[..first], whole, primes, prime);
    let filled = coefficients(a.len(), primes);
    let mut padded = Zeroizing::new([0; bytes(PRIMES.len())]);
    padded[..rest.len()].copy_from_slice(rest);
    let padded = &padded[..limbs(filled - first, primes)];
    ntt.split.call(&mut x[first..filled], padded, primes, prime);
    ntt.forward.call(x, &shape.roots(prime)[0], filled, prime);
}

#[cfg(test)]
mod tests {
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
        // Short ones, every number of primes, and lengths around powers of two.
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
                    assert!(product(&mpn, &mut r, (a, Some(b))));
                    assert!(r == expected, "{n} x {m} limbs");
                }
                let a = &patterns(n)[0];
                let (mut expected, mut r) = (vec![0; 2 * n], vec![Limb::MAX; 2 * n]);
                mul(&mpn, &toom, &mut expected, a, a);
                assert!(product(&mpn, &mut r, (a, None)));
                assert!(r == expected, "the square of {n} limbs");
            }
        }
    }

    #[test]
    fn shapes_hold_what_they_are_for() {
        let mut primes = [0; 6];
        for limbs in 1..5000 {
            let shape = Shape::of(limbs, limbs).unwrap();
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
        assert!(Shape::of(most, most).is_some());
        assert!(Shape::of(most + 8, most + 8).is_none());
    }
}
