//! SHA-512's compression function as its standard defines it: FIPS 180-4, sections 4.1.3, 4.2.3 and 6.4.2.

use carrysave_kernels::Limb;
use carrysave_oracle::Num;
use std::sync::LazyLock;

/// The first 64 bits of the fractional parts of the cube roots of the first eighty primes.
static K: LazyLock<Vec<Limb>> = LazyLock::new(|| {
    let primes = (2..).filter(|n| (2..*n).all(|d| n % d != 0));
    primes.take(80).map(cube_root_fraction).collect()
});

/// 2^64 times the fractional part of the cube root of n, rounded down.
fn cube_root_fraction(n: Limb) -> Limb {
    let cube = Num::from(n).shl(3 * 64);
    let mut root = Num::zero();
    for bit in (0..67).rev() {
        let more = root.add(&Num::one().shl(bit));
        if more.mul(&more).mul(&more) <= cube {
            root = more;
        }
    }
    root.low_limbs(1)[0]
}

/// The sum modulo 2^64.
fn sum(terms: &[Limb]) -> Limb {
    terms.iter().map(|&term| u128::from(term)).sum::<u128>() as Limb
}

/// The chaining value after a block.
pub(super) fn compress(value: &[Limb], block: &[Limb]) -> Vec<Limb> {
    let mut w = block.to_vec();
    for t in 16..80 {
        let small = |x: Limb, [a, b, c]: [u32; 3]| x.rotate_right(a) ^ x.rotate_right(b) ^ (x >> c);
        let (low, high) = (small(w[t - 15], [1, 8, 7]), small(w[t - 2], [19, 61, 6]));
        w.push(sum(&[high, w[t - 7], low, w[t - 16]]));
    }
    let mut v = value.to_vec();
    for t in 0..80 {
        let [a, b, c, _, e, f, g, h] = v[..] else {
            unreachable!("eight words")
        };
        let big = |x: Limb, [a, b, c]: [u32; 3]| {
            x.rotate_right(a) ^ x.rotate_right(b) ^ x.rotate_right(c)
        };
        let choice = (e & f) ^ (!e & g);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let one = sum(&[h, big(e, [14, 18, 41]), choice, K[t], w[t]]);
        let two = sum(&[big(a, [28, 34, 39]), majority]);
        v.rotate_right(1);
        v[4] = sum(&[v[4], one]);
        v[0] = sum(&[one, two]);
    }
    v.iter().zip(value).map(|(&v, &h)| sum(&[v, h])).collect()
}
