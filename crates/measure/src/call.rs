//! Kernels as contenders: calls of any operation on limbs, built from its contract alone.

use crate::{race::Contender, random_limbs};
use carrysave_kernels::{
    Cpu, Limb,
    op::{Contract, Draft, Op, Raw, Role, Source, Timing},
};

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
pub struct Case(Draft);

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
        let dims = contract.dims.of_bits(bits)?;
        // What every public argument may be: one block a stream, a prime, a shift.
        Some(Case(Draft::with_public(
            contract,
            dims,
            Some(1),
            &mut Uniform,
        )))
    }

    /// The contract's n.
    pub fn n(&self) -> usize {
        self.0.n
    }

    /// The operands at fresh addresses, each at a random cache line of a page.
    pub fn call(&self) -> Call {
        let mut raw = Raw {
            p: [std::ptr::null_mut(); Raw::OPERANDS],
            n: self.0.n,
            m: self.0.m,
            s: self.0.s,
        };
        let mut buffers: Vec<Vec<Limb>> = self
            .0
            .values
            .iter()
            .map(|v| vec![0; v.len() + PAGE + LINE])
            .collect();
        let mut starts = Vec::new();
        for ((buffer, values), p) in buffers.iter_mut().zip(&self.0.values).zip(&mut raw.p) {
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
        let place = |i: usize| call.buffers[i][call.starts[i]..][..self.0.values[i].len()].to_vec();
        let operands = self.0.contract.operands.iter().enumerate();
        let written = operands.filter(|(_, o)| matches!(o.role, Role::Out | Role::InOut));
        (returned, written.map(|(i, _)| place(i)).collect())
    }
}

/// The system's random numbers. Moduli have their top bit set, and what must be below them has not, so that every operand is
/// as long as it may be.
struct Uniform;

impl Source for Uniform {
    fn bits(&mut self) -> u64 {
        random_limbs(1)[0]
    }

    fn limbs(&mut self, len: usize) -> Vec<Limb> {
        random_limbs(len)
    }

    fn odd(&mut self, bits: usize) -> Vec<Limb> {
        let mut limbs = random_limbs(bits.div_ceil(64));
        let spare = 64 * limbs.len() - bits;
        if let Some(top) = limbs.last_mut() {
            *top = (*top | 1 << 63) >> spare;
        }
        limbs[0] |= 1;
        limbs
    }

    fn below(&mut self, bound: &[Limb]) -> Vec<Limb> {
        let mut limbs = random_limbs(bound.len());
        let top = bound.iter().rposition(|limb| *limb > 0).unwrap_or(0);
        limbs[top + 1..].fill(0);
        // Of the bits of the bound but its highest.
        let mask = Limb::MAX.checked_shr(bound[top].leading_zeros() + 1);
        limbs[top] &= mask.unwrap_or(0);
        limbs
    }
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
        let sum = |i: usize| u128::from(case.0.values[1][i]) + u128::from(case.0.values[2][i]);
        assert_eq!(right.1[0][0], sum(0) as u64);
    }
}
