//! Operands that break carries.
//!
//! Uniformly random limbs practically never carry twice in a row, so they find no lost ripple. These generators draw
//! from shapes where carries travel: runs of ones and zeros, values next to a power of two or to the modulus, and
//! operands that are each other's complement.

use carrysave_kernels::Limb;
use carrysave_oracle::Num;

/// A small generator (SplitMix64; Steele, Lea, Flood 2014). Reproducible, not for secrets.
#[derive(Clone)]
pub struct Rng(u64);

impl Rng {
    /// The generator of a seed and a name, so that what is drawn for one operation does not depend on the others.
    pub fn new(seed: u64, name: &str) -> Rng {
        let mut rng = Rng(seed);
        for byte in name.bytes() {
            rng.0 = rng.next() ^ u64::from(byte);
        }
        rng
    }

    /// 64 bits.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `bound`; the bias does not matter here.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// One of these.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// True once in `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

/// One limb: a boundary more often than not.
pub fn limb(rng: &mut Rng) -> Limb {
    let bit = 1 << rng.below(64);
    let edge = rng.pick(&[
        0,
        1,
        2,
        Limb::MAX,
        Limb::MAX - 1,
        1 << 63,
        1 << 32,
        1 << 52,
        (1 << 52) - 1,
        bit,
        bit - 1,
    ]);
    let random = rng.next();
    rng.pick(&[edge, random])
}

/// What `2^(64n)` may be modulo a number: that of primes in use, a boundary, or any limb but 0.
pub fn fold(rng: &mut Rng) -> Limb {
    let known = [2, 38, 159, 189, 1470, (1 << 32) + 977, Limb::MAX];
    // Where a fold changes: its square fits a limb, or a high half has room beside its product with what is above.
    let edges = [1 << 32, 1 << 62].map(|edge: Limb| edge - rng.next() % 2);
    let choices = [rng.pick(&known), rng.pick(&edges), limb(rng).max(1)];
    rng.pick(&choices)
}

/// What a prime may be below a power of two: that of primes in use, a boundary, or any odd number of so many bits.
pub fn offset(rng: &mut Rng, bits: usize) -> Limb {
    let known = [
        1,
        19,
        159,
        189,
        735,
        (1 << 20) - 1,
        (1 << 20) + 1,
        (1 << 32) + 977,
        Limb::MAX,
    ];
    let any = limb(rng);
    (rng.pick(&[rng.clone().pick(&known), any]) | 1) & ((1 << bits) - 1)
}

/// `len` limbs of one of the shapes.
pub fn limbs(rng: &mut Rng, len: usize) -> Vec<Limb> {
    let constant = |limb: Limb| vec![limb; len];
    match rng.below(12) {
        0 => constant(0),
        1 => constant(Limb::MAX),
        2 => small(limb(rng), len),
        3 => complement(&small(limb(rng), len)),
        4 => one_bit(rng, len),
        5 => add_one(&complement(&one_bit(rng, len))),
        6 | 7 => runs(rng, len),
        8 => {
            // The more terms, the rarer the set bits; complemented, the rarer the zeros.
            let mut sparse = (0..len)
                .map(|_| (0..4).fold(Limb::MAX, |bits, _| bits & rng.next()))
                .collect::<Vec<_>>();
            if rng.once_in(2) {
                sparse = complement(&sparse);
            }
            sparse
        }
        9 | 10 => (0..len).map(|_| limb(rng)).collect(),
        _ => (0..len).map(|_| rng.next()).collect(),
    }
}

/// Residues modulo a prime, as numbers: boundaries, which are the same everywhere or in turn as often as not.
pub fn residues(rng: &mut Rng, p: Limb, len: usize) -> Vec<Limb> {
    let mut one = || {
        let edges = [
            0,
            1,
            p - 1,
            p - 2,
            p / 2,
            p / 2 + 1,
            (1 << 48) - 1,
            limb(rng) % p,
        ];
        let random = rng.next() % p;
        let edge = rng.pick(&edges);
        (rng.pick(&[edge, random]) as f64).to_bits()
    };
    let turn = [one(), one()];
    let any: Vec<Limb> = (0..len).map(|_| one()).collect();
    match rng.below(4) {
        0 => vec![turn[0]; len],
        1 => (0..len).map(|i| turn[i % 2]).collect(),
        _ => any,
    }
}

/// Limbs that stand in a close relation to `other`: carries run through the whole of their sum or difference.
pub fn related(rng: &mut Rng, other: &[Limb]) -> Vec<Limb> {
    let at = rng.below(other.len());
    let mut near = other.to_vec();
    match rng.below(6) {
        0 => {}
        1 => near = complement(other),
        2 => near = add_one(&complement(other)),
        3 => near = add_one(other),
        4 => near[at] ^= 1 << rng.below(64),
        _ => near[at] = limb(rng),
    }
    near
}

/// An odd number; a third of them are products, whose multiples have products that vanish modulo them.
pub struct Modulus {
    /// The number.
    pub limbs: Vec<Limb>,
    divisors: Vec<Num>,
}

impl Modulus {
    /// An odd number of `len` limbs, the highest of which may be zero.
    pub fn generate(rng: &mut Rng, len: usize) -> Modulus {
        if rng.below(3) > 0 {
            let mut limbs = limbs(rng, len);
            limbs[0] |= 1;
            return Modulus {
                limbs,
                divisors: Vec::new(),
            };
        }
        let half = |rng: &mut Rng| {
            let mut half = limbs(rng, len.div_ceil(2));
            half[0] |= 1;
            Num::from_limbs(&half).low_bits(32 * len)
        };
        let first = half(rng);
        let second = if rng.once_in(2) {
            first.clone()
        } else {
            half(rng)
        };
        Modulus {
            limbs: first.mul(&second).to_limbs(len),
            divisors: vec![first, second],
        }
    }

    /// A residue: 0, 1, next to the modulus, half of it, a multiple of a divisor, or any.
    pub fn residue(&self, rng: &mut Rng) -> Vec<Limb> {
        self.below(rng, &self.number())
    }

    /// A number below `2^(64 len)` times the modulus, in twice its length.
    pub fn residue_times_r(&self, rng: &mut Rng) -> Vec<Limb> {
        let len = self.limbs.len();
        if rng.once_in(3) {
            let product =
                Num::from_limbs(&self.residue(rng)).mul(&Num::from_limbs(&self.residue(rng)));
            return product.to_limbs(2 * len);
        }
        if rng.once_in(3) {
            // Divisible: before its last subtraction the reduction stands at exactly the modulus.
            return Num::from_limbs(&limbs(rng, len))
                .mul(&self.number())
                .to_limbs(2 * len);
        }
        self.below(rng, &self.number().shl(64 * len))
    }

    fn number(&self) -> Num {
        Num::from_limbs(&self.limbs)
    }

    fn below(&self, rng: &mut Rng, bound: &Num) -> Vec<Limb> {
        let len = bound.bits().div_ceil(64).max(self.limbs.len());
        let any = Num::from_limbs(&limbs(rng, len));
        let value = match rng.below(8) {
            0 => Num::zero(),
            1 => Num::one(),
            2 => bound.checked_sub(&Num::one()).unwrap_or_default(),
            3 => bound.checked_sub(&Num::from(limb(rng))).unwrap_or_default(),
            4 => bound.shr(1),
            5 | 6 if !self.divisors.is_empty() => any.mul(&self.divisors[rng.below(2)]),
            _ => any,
        };
        let width = if bound.bits() > 64 * self.limbs.len() {
            2
        } else {
            1
        } * self.limbs.len();
        value.rem(bound).to_limbs(width)
    }
}

/// `-v^-1` modulo `2^bits`, for odd `v` and at most 64 bits.
pub fn neg_inverse(v: &[Limb], bits: usize) -> Limb {
    let radix = Num::one().shl(bits);
    let inverse = Num::from(v[0])
        .inv_mod(&radix)
        .expect("an odd number has an inverse modulo a power of two");
    radix.sub(&inverse).low_limbs(1)[0]
}

/// Numbers in radix 2^52, one in every so many digits.
pub mod radix52 {
    use super::{Limb, Num, Rng};

    /// The number with these digits, the lowest first.
    pub fn number(digits: &[Limb]) -> Num {
        digits.iter().rev().fold(Num::zero(), |high, &digit| {
            high.shl(52).add(&Num::from(digit))
        })
    }

    /// The lowest `len` digits of a number.
    pub fn digits(number: &Num, len: usize) -> Vec<Limb> {
        (0..len)
            .map(|i| number.shr(52 * i).low_bits(52).low_limbs(1)[0])
            .collect()
    }

    /// A number below `2^bits`; half of them have boundaries at digits rather than at limbs.
    fn any(rng: &mut Rng, bits: usize) -> Num {
        let len = bits.div_ceil(52).max(1);
        let shape = super::limbs(rng, len);
        let any = if rng.once_in(2) {
            number(
                &shape
                    .iter()
                    .map(|limb| limb & ((1 << 52) - 1))
                    .collect::<Vec<_>>(),
            )
        } else {
            Num::from_limbs(&shape)
        };
        any.low_bits(bits)
    }

    /// An odd number below `2^(52m) / 4`; half of them are next to it, where sums are largest.
    pub fn modulus(rng: &mut Rng, m: usize) -> Num {
        let bits = 52 * m - 2;
        let mut any = any(rng, bits);
        if rng.once_in(2) {
            let top = bits.min(50);
            let ones = Num::one().shl(top).sub(&Num::one());
            let len = bits.div_ceil(64);
            let uniform: Vec<Limb> = (0..len).map(|_| rng.next()).collect();
            let below = Num::from_limbs(&uniform).low_bits(bits - top);
            any = ones.shl(bits - top).add(&below);
        }
        if any.is_odd() {
            any
        } else {
            any.add(&Num::one())
        }
    }

    /// A number below twice the modulus: the ends of that range, next to its middle, near its end, or any.
    pub fn almost_residue(rng: &mut Rng, modulus: &Num) -> Num {
        let twice = modulus.shl(1);
        let half = twice.bits() / 104 * 52;
        match rng.below(8) {
            0 => Num::zero(),
            1 => twice.sub(&Num::one()),
            2 => modulus.clone(),
            3 => modulus.sub(&Num::one()),
            4 => modulus.add(&Num::one()).rem(&twice),
            // The largest with a lower half of ones.
            5 | 6 => twice.shr(half).shl(half).sub(&Num::one()),
            _ => any(rng, twice.bits()).rem(&twice),
        }
    }
}

fn small(limb: Limb, len: usize) -> Vec<Limb> {
    let mut small = vec![0; len];
    small[0] = limb;
    small
}

fn one_bit(rng: &mut Rng, len: usize) -> Vec<Limb> {
    let mut power = vec![0; len];
    power[rng.below(len)] = 1 << rng.below(64);
    power
}

/// Runs of equal bits, each of 1 to 63 or of 64 to 511 bits.
fn runs(rng: &mut Rng, len: usize) -> Vec<Limb> {
    let mut limbs = vec![0; len];
    let (mut at, mut ones) = (0, rng.once_in(2));
    while at < 64 * len {
        let longest = rng.pick(&[63, 511]);
        let end = (at + 1 + rng.below(longest)).min(64 * len);
        if ones {
            (at..end).for_each(|bit| limbs[bit / 64] |= 1 << (bit % 64));
        }
        (at, ones) = (end, !ones);
    }
    limbs
}

fn complement(limbs: &[Limb]) -> Vec<Limb> {
    limbs.iter().map(|limb| !limb).collect()
}

/// One more, modulo the whole length.
fn add_one(limbs: &[Limb]) -> Vec<Limb> {
    Num::from_limbs(limbs)
        .add(&Num::one())
        .low_limbs(limbs.len())
}
