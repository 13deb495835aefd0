//! Transforms as sums of powers of roots of unity, with their words in natural order, and the Chinese remainder
//! theorem.

use crate::case::Case;
use carrysave_kernels::{
    Limb,
    ntt::{PRIMES, bytes},
};
use carrysave_oracle::Num;

/// The integers that these words hold the bits of, modulo p.
fn integers(words: &[Limb], p: Limb) -> Vec<Limb> {
    let integer = |word: &Limb| (f64::from_bits(*word) as i64).rem_euclid(p as i64) as Limb;
    words.iter().map(integer).collect()
}

fn words(integers: &[Limb]) -> Vec<Limb> {
    integers.iter().map(|&i| (i as f64).to_bits()).collect()
}

fn product(a: Limb, b: Limb, p: Limb) -> Limb {
    (u128::from(a) * u128::from(b) % u128::from(p)) as Limb
}

/// The values of a polynomial at 1, e, e^2, ...: those of the coefficients with even and odd exponents, joined.
fn values(x: &[Limb], e: Limb, p: Limb) -> Vec<Limb> {
    if x.len() == 1 {
        return x.to_vec();
    }
    let part = |from: usize| {
        let part: Vec<Limb> = x.iter().skip(from).step_by(2).copied().collect();
        values(&part, product(e, e, p), p)
    };
    let (even, odd) = (part(0), part(1));
    let mut power = 1;
    let value = |i: usize| {
        let value = (even[i % even.len()] + product(odd[i % odd.len()], power, p)) % p;
        power = product(power, e, p);
        value
    };
    (0..x.len()).map(value).collect()
}

/// The exponent that word i of a transform stands for.
fn exponent(i: usize, n: usize) -> usize {
    let (j, k) = (i / 4 % 4, i % 4);
    let position = i / 16 * 16 + 4 * (k % 2 * 2 + k / 2) + j;
    position.reverse_bits() >> (usize::BITS - n.trailing_zeros())
}

/// `ntt_split`.
pub(super) fn split(x: &Case) -> Vec<Limb> {
    let (a, bits) = (x.a(), 8 * bytes(x.m));
    let p = Num::from(PRIMES[x.s as usize]);
    let coefficient = |i: usize| a.shr(bits * i).low_bits(bits).rem(&p).low_limbs(1)[0];
    words(&(0..x.n).map(coefficient).collect::<Vec<_>>())
}

/// `ntt_forward`.
pub(super) fn forward(x: &Case) -> Vec<Limb> {
    let p = PRIMES[x.s as usize];
    let mut polynomial = integers(x.words("x"), p);
    polynomial[x.m..].fill(0);
    let e = integers(x.words("w"), p)[x.n / 4];
    let values = values(&polynomial, e, p);
    words(
        &(0..x.n)
            .map(|i| values[exponent(i, x.n)])
            .collect::<Vec<_>>(),
    )
}

/// `ntt_inverse`: the values at the inverse roots, over n.
pub(super) fn inverse(x: &Case) -> Vec<Limb> {
    let p = PRIMES[x.s as usize];
    let (a, b) = (integers(x.words("x"), p), integers(x.words("y"), p));
    let mut products = vec![0; x.n];
    for i in 0..x.n {
        products[exponent(i, x.n)] = product(a[i], b[i], p);
    }
    let e = integers(x.words("w"), p)[x.n / 4];
    let n = Num::from(x.n as Limb).inv_mod(&Num::from(p));
    let n = n.expect("p is odd").low_limbs(1)[0];
    let scaled = values(&products, e, p)
        .into_iter()
        .map(|v| product(v, n, p));
    words(&scaled.collect::<Vec<_>>())
}

/// `ntt_crt`.
pub(super) fn crt(x: &Case) -> Num {
    let primes: Vec<Num> = PRIMES[..x.m].iter().map(|&p| Num::from(p)).collect();
    let all = primes.iter().fold(Num::one(), |all, p| all.mul(p));
    // 1 modulo one prime, and 0 modulo the others.
    let units = primes.iter().map(|p| {
        let others = all.div_rem(p).0;
        let inverse = others.rem(p).inv_mod(p).expect("primes");
        others.mul(&inverse)
    });
    let units: Vec<Num> = units.collect();
    let residues = ["x0", "x1", "x2", "x3", "x4"];
    let residues: Vec<Vec<Limb>> = residues[..x.m]
        .iter()
        .zip(PRIMES)
        .map(|(name, p)| integers(x.words(name), p))
        .collect();
    (0..x.n).fold(Num::zero(), |sum, i| {
        let terms = units.iter().zip(&residues);
        let terms = terms.map(|(unit, x)| unit.mul(&Num::from(x[i])));
        let coefficient = terms.fold(Num::zero(), |sum, term| sum.add(&term));
        sum.add(&coefficient.rem(&all).shl(8 * bytes(x.m) * i))
    })
}
