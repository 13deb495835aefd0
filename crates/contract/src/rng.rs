//! Operands that break carries.
//!
//! Uniformly random limbs practically never carry twice in a row, so they find no lost ripple. These generators draw
//! from shapes where carries travel: runs of ones and zeros, values next to a power of two or to the modulus, and
//! operands that are each other's complement.

use carrysave_kernels::{Limb, op::Source};
use carrysave_oracle::Num;

/// A small generator (SplitMix64; Steele, Lea, Flood 2014). Reproducible, not for secrets.
#[derive(Clone)]
pub struct Rng {
    state: u64,
    /// What is given out first, the last word first.
    given: Vec<u64>,
    /// The divisors of the last odd number, if it was made as a product.
    divisors: Vec<Num>,
}

impl Rng {
    /// The generator of a seed and a name, so that what is drawn for one operation does not depend on the others.
    pub fn new(seed: u64, name: &str) -> Rng {
        let mut rng = Rng {
            state: seed,
            given: vec![],
            divisors: vec![],
        };
        rng.stir(name.as_bytes());
        rng
    }

    /// A generator that gives out these octets, eight at a time, and then goes on from them: a fuzzer decides what it
    /// draws.
    pub fn from_octets(octets: &[u8]) -> Rng {
        let mut rng = Rng::new(0, "");
        rng.stir(octets);
        let words = octets.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(word)
        });
        rng.given = words.rev().collect();
        rng
    }

    fn stir(&mut self, octets: &[u8]) {
        for &octet in octets {
            self.state = self.next() ^ u64::from(octet);
        }
    }

    /// 64 bits.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> u64 {
        if let Some(word) = self.given.pop() {
            return word;
        }
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ self.state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
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

/// A number below `2^bits`; half of them have boundaries at digits of 52 bits rather than at limbs.
fn any(rng: &mut Rng, bits: usize) -> Num {
    if rng.once_in(2) {
        return Num::from_limbs(&limbs(rng, bits.div_ceil(64).max(1))).low_bits(bits);
    }
    let shape = limbs(rng, bits.div_ceil(52).max(1));
    let digits = shape.iter().rev();
    let number = digits.fold(Num::zero(), |high, digit| {
        high.shl(52).add(&Num::from(digit & ((1 << 52) - 1)))
    });
    number.low_bits(bits)
}

impl Source for Rng {
    fn bits(&mut self) -> u64 {
        self.next()
    }

    fn limbs(&mut self, len: usize) -> Vec<Limb> {
        limbs(self, len)
    }

    fn related(&mut self, other: &[Limb]) -> Vec<Limb> {
        related(self, other)
    }

    fn limb(&mut self) -> Limb {
        limb(self)
    }

    /// A product, whose multiples have products that vanish modulo it, next to the bound, where sums are largest, or any.
    fn odd(&mut self, bits: usize) -> Vec<Limb> {
        let one = Num::one();
        let odd = |number: Num| {
            if number.is_odd() {
                number
            } else {
                number.add(&one)
            }
        };
        self.divisors.clear();
        let number = match self.below(4) {
            0 if bits > 2 => {
                let first = odd(any(self, bits / 2));
                let second = match self.once_in(2) {
                    true => first.clone(),
                    false => odd(any(self, bits - bits / 2 - 1)),
                };
                self.divisors = vec![first.clone(), second.clone()];
                first.mul(&second)
            }
            1 => {
                let top = bits.min(50);
                let ones = one.shl(top).sub(&one);
                let uniform: Vec<Limb> = (0..bits.div_ceil(64)).map(|_| self.next()).collect();
                let below = Num::from_limbs(&uniform).low_bits(bits - top);
                odd(ones.shl(bits - top).add(&below))
            }
            _ => odd(any(self, bits)),
        };
        number.to_limbs(bits.div_ceil(64))
    }

    /// 0, 1, next to the bound or to half of it, with a lower half of ones, a multiple of a divisor of the last odd number,
    /// or any; below a multiple of `2^(64n)` also a product of two numbers below the rest, or a multiple of that.
    fn below(&mut self, bound: &[Limb]) -> Vec<Limb> {
        let (len, one) = (bound.len(), Num::one());
        let half = len / 2;
        if half > 0 && len.is_multiple_of(2) && bound[..half].iter().all(|limb| *limb == 0) {
            let rest = &bound[half..];
            let factor = match self.below(3) {
                0 => Some(Source::below(self, rest)),
                // Before its last subtraction a reduction stands at exactly the modulus.
                1 => Some(rest.to_vec()),
                _ => None,
            };
            if let Some(factor) = factor {
                let other = match factor == rest {
                    true => limbs(self, half),
                    false => Source::below(self, rest),
                };
                let product = Num::from_limbs(&factor).mul(&Num::from_limbs(&other));
                return product.to_limbs(len);
            }
        }
        let bound = Num::from_limbs(bound);
        let middle = bound.bits() / 104 * 52;
        let less = |number: &Num, by: &Num| number.checked_sub(by).unwrap_or_default();
        let value = match self.below(12) {
            0 => Num::zero(),
            1 => one,
            2 => less(&bound, &one),
            3 => less(&bound, &Num::from(limb(self))),
            4 => bound.shr(1),
            5 => less(&bound.shr(1), &one),
            6 => bound.shr(1).add(&one),
            7 => less(&bound.shr(middle).shl(middle), &one),
            8 | 9 if !self.divisors.is_empty() => {
                let which = self.below(2);
                let divisor = self.divisors[which].clone();
                any(self, bound.bits()).mul(&divisor)
            }
            _ => any(self, bound.bits()),
        };
        value.rem(&bound).to_limbs(len)
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
