//! One call: dimensions, operands, and which of them are the same memory.

use carrysave_kernels::{
    Limb,
    op::{Contract, Draft, Op, Role, Scalar, Source},
};
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
    pub fn generate(op: &'static Op, (n, m): (usize, usize), source: &mut dyn Source) -> Case {
        let Draft { s, values, .. } = Draft::new(op.contract, (n, m), source);
        Case {
            op,
            n,
            m,
            s,
            overlap: (0..values.len()).collect(),
            values,
        }
    }

    /// A copy of this call whose operands share memory: those that are written take the value of the one that is read.
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

/// Every allowed way for operands to share memory. The first is none at all. The others are each pair of the contract,
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
            let alike = a.len.limbs(n, m) == b.len.limbs(n, m)
                && (a.value, a.unaligned) == (b.value, b.unaligned);
            if alike && a.role == Role::In && b.role == Role::In {
                let mut overlap = apart.clone();
                overlap[j] = i;
                all.push(overlap);
            }
        }
    }
    all
}

/// Limbs that an operand has at most in a walk.
pub const CAPACITY: usize = 80 << 9;

/// The dimensions to walk: those of the contract whose operands are no longer than [`CAPACITY`].
pub fn dimensions(contract: &Contract) -> Vec<(usize, usize)> {
    let longest = |(n, m)| {
        let lengths = contract.operands.iter().map(|o| o.len.limbs(n, m));
        lengths.max().unwrap_or(0)
    };
    let fits = |&dims: &(usize, usize)| longest(dims) <= CAPACITY;
    contract.dims.walk().into_iter().filter(fits).collect()
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let contract = self.op.contract;
        write!(f, "  n = {}", self.n)?;
        if contract.dims.has_m() {
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
            .filter(|(o, _)| o.role.is_read())
        {
            writeln!(f, "  {} = {}", operand.name, Hex(value))?;
        }
        match contract.scalar {
            Scalar::None => Ok(()),
            _ => writeln!(f, "  scalar = {:#x}", self.s),
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
