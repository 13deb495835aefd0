//! Kernels as contenders: calls of any operation on limbs, built from its contract alone.

use crate::{race::Contender, random_limbs};
use carrysave_kernels::{
    Cpu, Limb, mb8,
    ntt::{self, PRIMES},
    op::{Contract, Dim, Len, Op, Operand, Raw, Role, Scalar, Timing, Value},
};

/// Rows of a table: those of a window of five bits.
const ROWS: usize = 32;
const DIGIT: Limb = (1 << 52) - 1;
const PAGE: usize = 512;
const LINE: usize = 8;

/// The names of an operation's kernels that the processor admits and that take constant time.
pub fn constant(op: &'static Op, cpu: Cpu) -> impl Iterator<Item = &'static str> {
    let constant = |&kernel: &usize| op.timing(kernel) == Timing::Constant;
    let name = |kernel: usize| op.kernels[kernel].0;
    op.admitted(cpu).filter(constant).map(name)
}

/// A kernel that the processor admits, as a contender of another name for numbers of `bits` bits.
///
/// # Panics
/// If there is no such kernel or size, or it computes something else than the one in plain Rust.
pub fn kernel(op: &'static Op, name: &str, bits: usize, label: &str) -> Contender<'static> {
    let mut admitted = op.admitted(Cpu::native());
    let kernel = admitted.find(|&kernel| op.kernels[kernel].0 == name);
    let kernel = kernel.expect("a plan names kernels that run");
    let case = Case::new(op.contract, bits).expect("the contract has the size");
    let run = move |call: &mut Call| invoke(op, kernel, call);
    let expected = case.answer(&mut |call| invoke(op, op.portable(), call));
    assert!(
        case.answer(&mut { run }) == expected,
        "{}/{name} is wrong: run the tests",
        op.name
    );
    let contender = Contender::checked(label, move || case.call(), run, |_| Ok(()));
    contender.expect("it was checked above")
}

/// Calls a kernel that the processor admits: `kernel` comes from `Op::admitted`, or is in plain Rust.
pub fn invoke(op: &Op, kernel: usize, call: &mut Call) -> Limb {
    // SAFETY: shape: `Case::call` made a buffer of its own for every operand, as long as the contract says, and the
    // dimensions lie in the contract's range. CPU: see above.
    unsafe { op.invoke(kernel, &call.raw) }
}

/// What a kernel returned, and left in the operands that it writes.
pub type Written = (Limb, Vec<Vec<Limb>>);

/// What is in the operands, and the rest of the arguments.
pub struct Case {
    contract: &'static Contract,
    values: Vec<Vec<Limb>>,
    /// The contract's n.
    pub n: usize,
    m: usize,
    s: Limb,
}

/// A call that can be made, with the buffers that it points into.
pub struct Call {
    /// Its arguments.
    pub raw: Raw,
    buffers: Vec<Vec<Limb>>,
    starts: Vec<usize>,
}

impl Case {
    /// Random operands for numbers of `bits` bits; `None` if the contract has no such size.
    pub fn new(contract: &'static Contract, bits: usize) -> Option<Case> {
        let limbs = bits / 64;
        let digits = (bits + 2).div_ceil(52);
        // What is in blocks of digits is so long in blocks.
        let blocks = |o: &Operand| matches!(o.len, Len::EightN);
        let limbs = match contract.operands.iter().any(blocks) {
            true => digits.div_ceil(8),
            false => limbs,
        };
        let (n, m) = match contract.m {
            Dim::Unused => (limbs, 0),
            Dim::UpToN => (limbs, limbs),
            Dim::Rows => (limbs, ROWS),
            Dim::Times => (limbs, 1),
            Dim::Digits(most) if digits.div_ceil(8) <= most => (digits.div_ceil(8), digits),
            Dim::Digits(_) => return None,
            Dim::Lanes => (mb8::digits(bits + 2)?, 0),
            Dim::LanesAndRows => (mb8::digits(bits + 2)?, ROWS),
            // AES-128.
            Dim::Rounds => (limbs.div_ceil(2), 10),
            // As many blocks of Threefish-256 as that.
            Dim::BlockWords => (limbs.div_ceil(4), 4),
            Dim::PrimeBits if bits == 128 => (3, 128),
            Dim::PrimeBits if bits == 256 => (5, 256),
            Dim::PrimeBits => return None,
            Dim::OneOf(lengths) if lengths.contains(&limbs) => (limbs, 0),
            Dim::OneOf(_) => return None,
            Dim::Primes => (limbs, 3),
            Dim::PowerOfTwo | Dim::Filled if !limbs.is_power_of_two() || limbs < ntt::LEAST => {
                return None;
            }
            Dim::PowerOfTwo => (limbs, 0),
            // Half of it, as products have it.
            Dim::Filled => (limbs, limbs / 2),
        };
        let lanes = matches!(contract.m, Dim::Lanes | Dim::LanesAndRows);
        let fill = |o| {
            if lanes {
                fill_lanes(o, n, m)
            } else {
                fill(o, n, m)
            }
        };
        let values: Vec<Vec<Limb>> = contract.operands.iter().map(fill).collect();
        let mut case = Case {
            contract,
            values,
            n,
            m,
            s: 0,
        };
        for (i, operand) in contract.operands.iter().enumerate() {
            if let Value::NegInverses52(of) = operand.value {
                let modulus = case.operand(of);
                let lowest: Vec<Limb> = match lanes {
                    true => modulus[..mb8::LANES].to_vec(),
                    false => modulus.chunks(8 * n).map(|v| v[0]).collect(),
                };
                case.values[i] = lowest.iter().map(|&v| neg_inverse(v) & DIGIT).collect();
            }
        }
        case.s = match contract.scalar {
            Scalar::None => 0,
            Scalar::Limb => random_limbs(1)[0],
            Scalar::Shift => 13,
            Scalar::Bit => 1,
            Scalar::Index => (m / 2) as Limb,
            Scalar::Cofactor => Limb::MAX / 3,
            Scalar::Divisor => 1,
            Scalar::NegInverse(of) => neg_inverse(case.operand(of)[0]),
            Scalar::NegInverse52(of) => neg_inverse(case.operand(of)[0]) & DIGIT,
            Scalar::Fold | Scalar::Offset => 189,
            Scalar::Prime | Scalar::Step | Scalar::Zeta => 0,
        };
        Some(case)
    }

    fn operand(&self, name: &str) -> &[Limb] {
        let i = self
            .contract
            .operands
            .iter()
            .position(|o| o.name == name)
            .expect("contracts name their operands");
        &self.values[i]
    }

    /// The operands at fresh addresses, each at a random cache line of a page.
    pub fn call(&self) -> Call {
        let mut raw = Raw {
            p: [std::ptr::null_mut(); Raw::OPERANDS],
            n: self.n,
            m: self.m,
            s: self.s,
        };
        let mut buffers: Vec<Vec<Limb>> = self
            .values
            .iter()
            .map(|v| vec![0; v.len() + PAGE + LINE])
            .collect();
        let mut starts = Vec::new();
        for ((buffer, values), p) in buffers.iter_mut().zip(&self.values).zip(&mut raw.p) {
            let line = random_limbs(1)[0] as usize % (PAGE / LINE);
            let start = buffer.as_ptr().align_offset(64).min(LINE) + line * LINE;
            let place = &mut buffer[start..][..values.len()];
            place.copy_from_slice(values);
            *p = place.as_mut_ptr();
            starts.push(start);
        }
        Call {
            raw,
            buffers,
            starts,
        }
    }

    /// What a kernel returns and leaves in the operands it writes.
    pub fn answer(&self, kernel: &mut dyn FnMut(&mut Call) -> Limb) -> Written {
        let mut call = self.call();
        let returned = kernel(&mut call);
        let place = |i: usize| call.buffers[i][call.starts[i]..][..self.values[i].len()].to_vec();
        let operands = self.contract.operands.iter().enumerate();
        let written = operands.filter(|(_, o)| matches!(o.role, Role::Out | Role::InOut));
        (returned, written.map(|(i, _)| place(i)).collect())
    }
}

/// Values that an operand may hold. Moduli have their top bit set, and what must be below them has not.
fn fill(operand: &Operand, n: usize, m: usize) -> Vec<Limb> {
    let mut limbs = random_limbs(operand.len.limbs(n, m));
    let last = limbs.len() - 1;
    match operand.value {
        Value::Any | Value::Bytes | Value::Owing | Value::NegInverses52(_) | Value::Indices => {}
        Value::Odd => {
            limbs[0] |= 1;
            limbs[last] |= 1 << 63;
        }
        Value::Below(_) | Value::BelowTimesR(_) => limbs[last] >>= 1,
        Value::OwingLess => limbs.iter_mut().for_each(|limb| *limb >>= 1),
        Value::BelowPower(bits) => limbs[last] >>= 64 * limbs.len() - bits,
        Value::Residues(of) => {
            let p = PRIMES[of.unwrap_or(0)];
            for residue in &mut limbs {
                *residue = ((*residue % p) as f64).to_bits();
            }
        }
        Value::Roots => limbs = ntt::roots(0, 2 * limbs.len())[0].clone(),
        Value::InverseRoots => limbs = ntt::roots(0, 2 * limbs.len())[1].clone(),
        Value::Near25519 => limbs.chunks_mut(4).for_each(|number| number[3] >>= 1),
        Value::Residues52 => {
            limbs.iter_mut().for_each(|digit| *digit &= DIGIT);
            let highest = limbs.len() - mb8::LANES;
            limbs[highest..]
                .iter_mut()
                .for_each(|digit| *digit >>= 52 * n - m);
        }
        // Every digit has as many bits.
        Value::ResiduesSlack => limbs.iter_mut().for_each(|digit| *digit &= (1 << 42) - 1),
        Value::AlmostModulus | Value::AlmostBelow(_) => {
            for number in limbs.chunks_mut(8 * n) {
                number.iter_mut().for_each(|digit| *digit &= DIGIT);
                number[m..].fill(0);
                number[m - 1] &= (1 << 49) - 1;
                if operand.value == Value::AlmostModulus {
                    number[0] |= 1;
                    number[m - 1] |= 1 << 49;
                }
            }
        }
    }
    limbs
}

/// The same for numbers a lane each.
fn fill_lanes(operand: &Operand, n: usize, m: usize) -> Vec<Limb> {
    let mut words = random_limbs(operand.len.limbs(n, m));
    match operand.value {
        Value::Indices => words.iter_mut().for_each(|index| *index %= m as Limb),
        Value::AlmostModulus | Value::AlmostBelow(_) => {
            let top = words.len() - words.len() / n;
            words.iter_mut().for_each(|digit| *digit &= DIGIT);
            words[top..]
                .iter_mut()
                .for_each(|digit| *digit &= (1 << 49) - 1);
            if operand.value == Value::AlmostModulus {
                words[..mb8::LANES].iter_mut().for_each(|digit| *digit |= 1);
                words[top..].iter_mut().for_each(|digit| *digit |= 1 << 49);
            }
        }
        _ => {}
    }
    words
}

/// `-v^-1 mod 2^64` for odd v, by Newton's iteration: each step doubles the bits that are right.
fn neg_inverse(v: Limb) -> Limb {
    let mut x = v;
    for _ in 0..5 {
        x = x.wrapping_mul(2u64.wrapping_sub(v.wrapping_mul(x)));
    }
    x.wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use carrysave_kernels::REGISTRY;

    #[test]
    fn a_wrong_kernel_is_seen() {
        let op = REGISTRY.iter().find(|op| op.name == "mpn_add_n").unwrap();
        let case = Case::new(op.contract, 512).unwrap();
        let kernel = op.admitted(Cpu::native()).next().unwrap();
        let right = case.answer(&mut |call| invoke(op, kernel, call));
        let forgets_the_carry = case.answer(&mut |call| {
            invoke(op, kernel, call);
            2
        });
        assert_ne!(right, forgets_the_carry);
        let lost = case.answer(&mut |_| right.0);
        assert_ne!(right, lost, "an answer that was never written");
        let sum = |i: usize| u128::from(case.values[1][i]) + u128::from(case.values[2][i]);
        assert_eq!(right.1[0][0], sum(0) as u64);
    }

    #[test]
    fn inverses_are_inverses() {
        for v in [1, 3, u64::MAX, 0x1234_5678_9abc_def1] {
            assert_eq!(v.wrapping_mul(neg_inverse(v)), u64::MAX);
        }
    }
}
