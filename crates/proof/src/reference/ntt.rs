//! Transforms as sums of powers of roots of unity, with their words in natural order, and the Chinese remainder
//! theorem.

use super::Call;
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
pub(super) fn split(x: &Call<'_>) -> Vec<Limb> {
    let (a, bits) = (x.a(), 8 * bytes(x.m));
    let p = Num::from(PRIMES[x.s as usize]);
    let coefficient = |i: usize| a.shr(bits * i).low_bits(bits).rem(&p).low_limbs(1)[0];
    words(&(0..x.n).map(coefficient).collect::<Vec<_>>())
}

/// The transform of a polynomial, as long as it, by half as many roots.
fn transform(polynomial: &[Limb], w: &[Limb], p: Limb) -> Vec<Limb> {
    let n = polynomial.len();
    let values = values(polynomial, integers(w, p)[n / 4], p);
    (0..n).map(|i| values[exponent(i, n)]).collect()
}

/// The values at the inverse roots, over n.
fn transform_back(points: &[Limb], w: &[Limb], p: Limb) -> Vec<Limb> {
    let n = points.len();
    let mut ordered = vec![0; n];
    for (i, &point) in points.iter().enumerate() {
        ordered[exponent(i, n)] = point;
    }
    let values = values(&ordered, integers(w, p)[n / 4], p);
    let n = Num::from(n as Limb).inv_mod(&Num::from(p));
    let n = n.expect("p is odd").low_limbs(1)[0];
    values.into_iter().map(|v| product(v, n, p)).collect()
}

/// The products of the words of two operands.
fn products(x: &Call<'_>, [a, b]: [&str; 2]) -> Vec<Limb> {
    let p = PRIMES[x.s as usize];
    let (a, b) = (integers(x.words(a), p), integers(x.words(b), p));
    a.iter().zip(b).map(|(&a, b)| product(a, b, p)).collect()
}

/// `ntt_forward`.
pub(super) fn forward(x: &Call<'_>) -> Vec<Limb> {
    let p = PRIMES[x.s as usize];
    let mut polynomial = integers(x.words("x"), p);
    polynomial[x.m..].fill(0);
    words(&transform(&polynomial, x.words("w"), p))
}

/// `ntt_inverse`.
pub(super) fn inverse(x: &Call<'_>) -> Vec<Limb> {
    let p = PRIMES[x.s as usize];
    words(&transform_back(&products(x, ["x", "y"]), x.words("w"), p))
}

/// `ntt_inverse_sum`.
pub(super) fn inverse_sum(x: &Call<'_>) -> Vec<Limb> {
    let p = PRIMES[x.s as usize];
    let terms = products(x, ["x", "y"])
        .into_iter()
        .zip(products(x, ["u", "v"]));
    let sums: Vec<Limb> = terms.map(|(a, b)| (a + b) % p).collect();
    words(&transform_back(&sums, x.words("w"), p))
}

/// `ntt_negacyclic_forward`: half of a transform that is twice as long.
pub(super) fn negacyclic_forward(x: &Call<'_>) -> Vec<Limb> {
    let p = PRIMES[x.s as usize];
    let mut polynomial = integers(x.words("x"), p);
    polynomial.resize(2 * x.n, 0);
    words(&transform(&polynomial, x.words("w"), p)[x.n..])
}

/// `ntt_negacyclic_inverse`: of a polynomial whose transform is this and zeros, which is half of what is looked for,
/// and the negative of that behind it.
pub(super) fn negacyclic_inverse(x: &Call<'_>) -> Vec<Limb> {
    let p = PRIMES[x.s as usize];
    let points = [vec![0; x.n], products(x, ["x", "y"])].concat();
    let half = transform_back(&points, x.words("w"), p);
    let sums = half[..x.n].iter().map(|v| (2 * v + p / 2) % p);
    words(&sums.collect::<Vec<_>>())
}

/// `ntt_crt`.
pub(super) fn crt(x: &Call<'_>) -> Num {
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
