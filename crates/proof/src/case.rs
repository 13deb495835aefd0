//! One call: dimensions, operands, and which of them are the same memory.

use crate::generate::{self, Modulus, Rng, radix52};
use carrysave_kernels::{
    Limb,
    fp8::place,
    mb8::{self, DIGIT_BITS, DIGIT_MASK},
    ntt::{self, PRIMES},
    op::{Contract, Dim, Op, Role, Scalar, Value},
};
use carrysave_oracle::Num;
use std::fmt;

/// For each operand the operand whose memory it uses: its own position, or that of another.
pub type Overlap = Vec<usize>;

/// What a kernel is called with.
pub struct Case {
    /// The operation.
    pub op: &'static Op,
    /// The first dimension.
    pub n: usize,
    /// The second dimension, or 0.
    pub m: usize,
    /// The one-word argument, or 0.
    pub s: Limb,
    /// What each operand holds on entry.
    pub values: Vec<Vec<Limb>>,
    /// Which operands are the same memory.
    pub overlap: Overlap,
}

impl Case {
    /// Operands for these dimensions, all in memory of their own.
    pub fn generate(op: &'static Op, (n, m): (usize, usize), rng: &mut Rng) -> Case {
        let contract = op.contract;
        let modulus = contract
            .operands
            .iter()
            .find(|o| o.value == Value::Odd)
            .map(|o| {
                let modulus = Modulus::generate(rng, o.len.limbs(n, m));
                (o.name, modulus)
            });
        let modulus_of = |name| match &modulus {
            Some((known, modulus)) if *known == name => modulus,
            _ => panic!("{}: {name} must be an operand with Value::Odd", op.name),
        };
        // The moduli in radix 2^52.
        let layout = Layout::of(contract.m, (n, m));
        let moduli: Vec<Num> = match contract
            .operands
            .iter()
            .find(|o| o.value == Value::AlmostModulus)
        {
            Some(o) => layout
                .numbers(o.len.limbs(n, m))
                .map(|_| radix52::modulus(rng, layout.digits))
                .collect(),
            None => vec![],
        };
        let prime = match contract.scalar {
            Scalar::Prime => rng.below(PRIMES.len()),
            _ => 0,
        };
        let inverse52 = |v: &Num| generate::neg_inverse(&v.low_limbs(1), 52);
        let mut values: Vec<Vec<Limb>> = Vec::new();
        for operand in contract.operands {
            let len = operand.len.limbs(n, m);
            let earlier = values
                .iter()
                .zip(contract.operands)
                .find(|(v, o)| is_read(o.role) && v.len() == len);
            values.push(match operand.value {
                Value::Any | Value::Bytes if is_read(operand.role) => match earlier {
                    Some((value, _)) if rng.once_in(2) => generate::related(rng, value),
                    _ => generate::limbs(rng, len),
                },
                Value::Any | Value::Bytes => (0..len).map(|_| rng.next()).collect(),
                Value::Odd => modulus_of(operand.name).limbs.clone(),
                Value::Below(name) => modulus_of(name).residue(rng),
                Value::BelowTimesR(name) => modulus_of(name).residue_times_r(rng),
                Value::AlmostModulus => layout.join(&moduli),
                Value::AlmostBelow(_) => {
                    let numbers = layout.numbers(len);
                    let residues: Vec<Num> = numbers
                        .map(|i| radix52::almost_residue(rng, &moduli[i % moduli.len()]))
                        .collect();
                    layout.join(&residues)
                }
                Value::Owing | Value::OwingLess => {
                    let any = generate::limbs(rng, len).into_iter();
                    let word = |any: Limb| {
                        let digit = rng.pick(&[any, 0, DIGIT_MASK, DIGIT_MASK, DIGIT_MASK - 1]);
                        let carry = rng.pick(&[any >> DIGIT_BITS, 0, 0, 1]);
                        let word = carry << DIGIT_BITS | digit & DIGIT_MASK;
                        match operand.value {
                            Value::Owing => word,
                            _ => word & Limb::MAX >> 1,
                        }
                    };
                    any.map(word).collect()
                }
                Value::NegInverses52(_) => moduli.iter().map(inverse52).collect(),
                Value::BelowPower(bits) => {
                    let mut value = generate::limbs(rng, len);
                    value[len - 1] &= Limb::MAX >> (64 * len - bits);
                    value
                }
                Value::Near25519 => {
                    let mut value: Vec<Limb> = Vec::new();
                    while value.len() < len {
                        let mut number = match value.last_chunk::<4>() {
                            Some(last) if rng.once_in(2) => generate::related(rng, last),
                            _ => generate::limbs(rng, 4),
                        };
                        if number[3] >> 63 == 1 {
                            number = match rng.once_in(2) {
                                true => [&number[..3], &[number[3] << 1 >> 58 | 1 << 63]].concat(),
                                false => [&number[..3], &[number[3] << 1 >> 1]].concat(),
                            };
                        }
                        value.extend(number);
                    }
                    value
                }
                Value::Residues52 => {
                    let mut value = generate::limbs(rng, len);
                    for (i, digit) in value.iter_mut().enumerate() {
                        let bits = if i < len - 8 {
                            52
                        } else {
                            m + 1 - 52 * (n - 1)
                        };
                        // Runs from either end of a word.
                        *digit = if rng.once_in(2) {
                            *digit >> (64 - bits)
                        } else {
                            *digit & ((1 << bits) - 1)
                        };
                    }
                    value
                }
                Value::ResiduesSlack => {
                    let mut value = generate::limbs(rng, len);
                    for (i, digit) in value.iter_mut().enumerate() {
                        let bits = place(n, m, i / 8 + 1) - place(n, m, i / 8);
                        *digit = match rng.below(3) {
                            0 => *digit >> (64 - bits),
                            1 if i >= 8 => (1 << bits) + (*digit & ((1 << 20) - 1)),
                            _ => *digit & ((1 << bits) - 1),
                        };
                    }
                    value
                }
                Value::Residues(of) => generate::residues(rng, PRIMES[of.unwrap_or(prime)], len),
                Value::Roots => ntt::roots(prime, 2 * len)[0].clone(),
                Value::InverseRoots => ntt::roots(prime, 2 * len)[1].clone(),
                Value::Indices => (0..len).map(|_| rng.below(m) as Limb).collect(),
            });
        }
        let s = match contract.scalar {
            Scalar::None => 0,
            Scalar::Limb => generate::limb(rng),
            Scalar::Shift => rng.pick(&[1, 2, 31, 32, 62, 63, 1 + rng.clone().next() % 63]),
            Scalar::Bit => rng.next() & 1,
            Scalar::Index => rng.pick(&[0, m - 1, rng.clone().below(m)]) as Limb,
            Scalar::Cofactor => Limb::MAX / rng.pick(&[1, 3, 5, 15, 17, 255, 65_537, Limb::MAX]),
            Scalar::Divisor => {
                let divisors: Vec<usize> = (1..=n).filter(|d| n % d == 0).collect();
                rng.pick(&divisors) as Limb
            }
            Scalar::NegInverse(name) => generate::neg_inverse(&modulus_of(name).limbs, 64),
            Scalar::NegInverse52(_) => inverse52(&moduli[0]),
            Scalar::Fold => generate::fold(rng),
            Scalar::Offset => generate::offset(rng, m - 52 * (n - 1)),
            Scalar::Zeta => {
                let (near, any) = ((rng.next() % 128).wrapping_sub(64), generate::limb(rng));
                rng.pick(&[0, Limb::MAX, near, any])
            }
            Scalar::Prime => prime as Limb,
            Scalar::Step => {
                let any = generate::limb(rng);
                rng.pick(&[0, 1, any])
            }
        };
        Case {
            op,
            n,
            m,
            s,
            values,
            overlap: (0..contract.operands.len()).collect(),
        }
    }

    /// The same call with operands in shared memory: those that are written take the value of the one that is read.
    #[must_use]
    pub fn overlapping(&self, overlap: &Overlap) -> Case {
        let values = overlap
            .iter()
            .map(|&memory| self.values[memory].clone())
            .collect();
        Case {
            values,
            overlap: overlap.clone(),
            ..*self
        }
    }

    /// The position of an operand.
    ///
    /// # Panics
    /// If the contract has none of that name.
    pub fn position(&self, name: &str) -> usize {
        let found = self
            .op
            .contract
            .operands
            .iter()
            .position(|o| o.name == name);
        found.unwrap_or_else(|| panic!("{} has no operand {name}", self.op.name))
    }
}

/// Where the digits of numbers in radix 2^52 stand.
pub struct Layout {
    /// Digits that count.
    pub digits: usize,
    /// Words of a number from the first to the last but those between.
    width: usize,
    /// Words from a digit to the next; numbers of a row stand between.
    lanes: usize,
}

impl Layout {
    /// That of an operation.
    pub fn of(dim: Dim, (n, m): (usize, usize)) -> Layout {
        let (digits, width, lanes) = match dim {
            Dim::Lanes | Dim::LanesAndRows | Dim::PrimeBits => (n, n, 8),
            _ => (m, 8 * n, 1),
        };
        Layout {
            digits,
            width,
            lanes,
        }
    }

    /// The numbers in so many words.
    fn numbers(&self, words: usize) -> std::ops::Range<usize> {
        0..words / self.width
    }

    /// The place of a digit of number `i` of `count`.
    fn place(&self, i: usize, count: usize, digit: usize) -> usize {
        match self.lanes {
            1 => self.width * i + digit,
            _ => count * digit + i,
        }
    }

    /// The numbers that words hold: row after row.
    pub fn split(&self, words: &[Limb]) -> Vec<Num> {
        let numbers = self.numbers(words.len());
        let number = |i| {
            let digits = (0..self.width).map(|d| words[self.place(i, numbers.len(), d)]);
            radix52::number(&digits.collect::<Vec<_>>())
        };
        numbers.clone().map(number).collect()
    }

    /// The words that hold numbers.
    pub fn join(&self, numbers: &[Num]) -> Vec<Limb> {
        let mut words = vec![0; self.width * numbers.len()];
        for (i, number) in numbers.iter().enumerate() {
            for (d, digit) in radix52::digits(number, self.width).into_iter().enumerate() {
                words[self.place(i, numbers.len(), d)] = digit;
            }
        }
        words
    }
}

/// Whether an operand of this role means something on entry.
pub fn is_read(role: Role) -> bool {
    matches!(role, Role::In | Role::InOut | Role::Destroyed)
}

/// Every allowed way for operands to be the same memory, the first of which is none at all: each pair of the contract,
/// all pairs that share their written operand, and two operands that are only read.
pub fn overlaps(contract: &Contract, (n, m): (usize, usize)) -> Vec<Overlap> {
    let position = |name| {
        contract
            .operands
            .iter()
            .position(|o| o.name == name)
            .expect("`same` names operands")
    };
    let apart: Overlap = (0..contract.operands.len()).collect();
    let mut all = vec![apart.clone()];
    let pairs: Vec<(usize, usize)> = contract
        .same
        .iter()
        .map(|&(w, r)| (position(w), position(r)))
        .collect();
    for (i, &(written, read)) in pairs.iter().enumerate() {
        let mut overlap = apart.clone();
        overlap[written] = read;
        all.push(overlap.clone());
        for &(_, other) in pairs[i + 1..].iter().filter(|pair| pair.0 == written) {
            overlap[other] = read;
            all.push(overlap.clone());
        }
    }
    for (i, a) in contract.operands.iter().enumerate() {
        for (j, b) in contract.operands.iter().enumerate().skip(i + 1) {
            let alike = a.len.limbs(n, m) == b.len.limbs(n, m) && a.value == b.value;
            if alike && a.role == Role::In && b.role == Role::In {
                let mut overlap = apart.clone();
                overlap[j] = i;
                all.push(overlap);
            }
        }
    }
    all
}

/// The dimensions to walk: all small ones, then those around powers of two and a few large ones.
pub fn dimensions(dim: Dim) -> Vec<(usize, usize)> {
    let large = [47, 48, 63, 64, 65, 96, 127, 128, 129, 192, 256, 300];
    let sizes = (1..=40).chain(large);
    let lanes = (1..=40)
        .chain([60, 80, 160, 320, 500])
        .filter(|&n| mb8::digits(n * mb8::DIGIT_BITS) == Some(n));
    // Up to where levels are cut that are longer than the first cache.
    let transforms = [4, 5, 6, 7, 8, 9, 10, 14, 15].map(|log| 1 << log);
    let transforms = transforms.into_iter();
    match dim {
        Dim::Unused => sizes.map(|n| (n, 0)).collect(),
        Dim::UpToN => sizes
            .flat_map(|n| {
                let all: Vec<usize> = if n <= 16 {
                    (1..=n).collect()
                } else {
                    vec![1, 2, 3, n / 2, n - 1, n]
                };
                all.into_iter().map(move |m| (n, m))
            })
            .collect(),
        Dim::Times => sizes
            .flat_map(|n| (1..=if n <= 16 { 5 } else { 2 }).map(move |m| (n, m)))
            .collect(),
        Dim::Digits(most) => (1..=most)
            .filter(|n| *n <= 21 || [32, 64, 65, most].contains(n))
            .flat_map(|n| {
                let all: Vec<usize> = if n <= 2 {
                    (8 * n - 7..=8 * n).collect()
                } else {
                    vec![8 * n - 7, 8 * n - 3, 8 * n]
                };
                all.into_iter().map(move |m| (n, m))
            })
            .collect(),
        Dim::Lanes => lanes.map(|n| (n, 0)).collect(),
        Dim::LanesAndRows => lanes
            .flat_map(|n| [16, 32].map(|m| (n, m)))
            .filter(|(n, m)| 8 * n * m <= crate::guard::CAPACITY)
            .collect(),
        // Up to two groups of the widest vectors in flight.
        Dim::BlockWords => (1..=13)
            .chain([15, 16, 17, 23, 24, 25, 31, 32, 33, 47, 48, 49, 96, 97])
            .flat_map(|n| [4, 8, 16].map(|m| (n, m)))
            .collect(),
        Dim::PrimeBits => vec![(3, 127), (3, 128), (5, 255), (5, 256)],
        Dim::OneOf(lengths) => lengths.iter().map(|&n| (n, 0)).collect(),
        // Up to two groups of the widest vectors in flight; two windows of counters, and more.
        Dim::Rounds => (1..=9)
            .chain([12, 15, 16, 17, 31, 32, 33, 36, 64, 65])
            .flat_map(|n| [1, 2, 3, 10, 12, 14, 16].map(|m| (n, m)))
            .chain(
                [512, 805]
                    .into_iter()
                    .flat_map(|n| [10, 12, 14].map(|m| (n, m))),
            )
            .collect(),
        Dim::Primes => sizes
            .flat_map(|n| (3..=PRIMES.len()).map(move |m| (n, m)))
            .collect(),
        Dim::PowerOfTwo => transforms.map(|n| (n, 0)).collect(),
        Dim::Filled => transforms
            .flat_map(|n| [1, n / 4 + 1, n / 2, n / 2 + 1, n].map(|m| (n, m)))
            .collect(),
        Dim::Rows => sizes
            .flat_map(|n| [1, 2, 3, 8, 16, 31, 32].map(|m| (n, m)))
            .filter(|(n, m)| n * m <= crate::guard::CAPACITY)
            .collect(),
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let contract = self.op.contract;
        write!(f, "  n = {}", self.n)?;
        if contract.m != Dim::Unused {
            write!(f, ", m = {}", self.m)?;
        }
        for (i, &memory) in self
            .overlap
            .iter()
            .enumerate()
            .filter(|(i, memory)| i != *memory)
        {
            write!(
                f,
                ", {} and {} the same memory",
                contract.operands[i].name, contract.operands[memory].name
            )?;
        }
        writeln!(f)?;
        for (operand, value) in contract
            .operands
            .iter()
            .zip(&self.values)
            .filter(|(o, _)| is_read(o.role))
        {
            writeln!(f, "  {} = {}", operand.name, Hex(value))?;
        }
        match contract.scalar {
            Scalar::None => Ok(()),
            Scalar::Limb
            | Scalar::Cofactor
            | Scalar::NegInverse(_)
            | Scalar::NegInverse52(_)
            | Scalar::Fold
            | Scalar::Offset
            | Scalar::Zeta
            | Scalar::Step => writeln!(f, "  scalar = {:#x}", self.s),
            Scalar::Shift | Scalar::Bit | Scalar::Index | Scalar::Divisor | Scalar::Prime => {
                writeln!(f, "  scalar = {}", self.s)
            }
        }
    }
}

/// Limbs in hexadecimal, the most significant first, equal ones counted, long ones cut in the middle.
pub struct Hex<'a>(pub &'a [Limb]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs: Vec<&[Limb]> = self.0.chunk_by(|a, b| a == b).rev().collect();
        for (i, run) in runs.iter().enumerate() {
            if runs.len() > 16 && i == 8 {
                write!(f, " ...")?;
            }
            if runs.len() <= 16 || i < 8 || i + 8 >= runs.len() {
                write!(f, "{}{:016x}", if i == 0 { "" } else { " " }, run[0])?;
                if run.len() > 1 {
                    write!(f, "(x{})", run.len())?;
                }
            }
        }
        Ok(())
    }
}
