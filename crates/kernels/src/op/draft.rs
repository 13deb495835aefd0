//! Operands made from a contract: one walk over it for all that calls kernels with operands of no one in particular.

use super::{Bound, Contract, Value, Word};
use crate::{Limb, mpn::word::neg_inverse};

/// Where the words of operands come from: uniformly random ones, or shapes that break carries.
pub trait Source {
    /// 64 random bits.
    fn bits(&mut self) -> u64;

    /// `len` limbs of some shape.
    fn limbs(&mut self, len: usize) -> Vec<Limb>;

    /// Limbs in some relation to others of the same length.
    fn related(&mut self, other: &[Limb]) -> Vec<Limb> {
        self.limbs(other.len())
    }

    /// An odd number below `2^bits`, in as many limbs as that takes.
    fn odd(&mut self, bits: usize) -> Vec<Limb>;

    /// A number below another one, which is not 0, in as many limbs.
    fn below(&mut self, bound: &[Limb]) -> Vec<Limb>;

    /// A number below `choices`; the bias does not matter.
    fn choose(&mut self, choices: usize) -> usize {
        (self.bits() % choices as u64) as usize
    }

    /// One limb of some shape.
    fn limb(&mut self) -> Limb {
        self.limbs(1)[0]
    }
}

/// The arguments of a call, as far as they are made.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The contract that they meet.
    pub contract: &'static Contract,
    /// The first dimension.
    pub n: usize,
    /// The second dimension, or 0.
    pub m: usize,
    /// The one-word argument, or 0.
    pub s: Limb,
    /// What each operand holds on entry; nothing where it is not made yet.
    pub values: Vec<Vec<Limb>>,
}

impl Draft {
    /// Arguments of these dimensions.
    ///
    /// The one-word argument is made first, unless it is the inverse of an operand; then the operands that depend on no
    /// other one, and then those that do.
    ///
    /// # Panics
    /// If the contract names an operand that it does not have.
    pub fn new(
        contract: &'static Contract,
        dims: (usize, usize),
        source: &mut dyn Source,
    ) -> Draft {
        Draft::with_public(contract, dims, None, source)
    }

    /// Arguments whose one-word argument is this one, where that is public: for benches, so that it is always the same.
    ///
    /// # Panics
    /// If the contract names an operand that it does not have.
    pub fn with_public(
        contract: &'static Contract,
        (n, m): (usize, usize),
        public: Option<Limb>,
        source: &mut dyn Source,
    ) -> Draft {
        let mut draft = Draft {
            contract,
            n,
            m,
            s: 0,
            values: vec![vec![]; contract.operands.len()],
        };
        draft.s = match public.filter(|_| contract.scalar.is_public()) {
            Some(public) => public,
            None => draft.word(source),
        };
        draft.fill(source);
        if let Some(Word::NegInverse(of, bits)) = contract.scalar.word() {
            draft.s = neg_inverse(draft.operand(of)[0]) & Limb::MAX >> (64 - bits);
        }
        draft
    }

    /// The one-word argument; 0 for the inverse of an operand, which is not made yet.
    fn word(&self, source: &mut dyn Source) -> Limb {
        match self.contract.scalar.word() {
            None | Some(Word::NegInverse(..)) => 0,
            Some(Word::Any) => source.limb(),
            Some(Word::Range(from, below)) => {
                let choices = below.limbs(self.n, self.m) - from;
                let any = [(); 2].map(|()| source.choose(choices));
                let ends = [0, choices - 1, any[0], any[1]];
                (from + ends[source.choose(4)]) as Limb
            }
            Some(Word::Custom(generator)) => (generator.make)(source, self, &[], 1)[0],
        }
    }

    /// Makes the operands.
    fn fill(&mut self, source: &mut dyn Source) {
        let operands = self.contract.operands;
        let of = |value: &Value| match value {
            Value::Below(Bound::Operand(of) | Bound::TimesR(of)) => Some(*of),
            Value::Custom(_, of) => *of,
            _ => None,
        };
        let (first, last): (Vec<usize>, Vec<usize>) =
            (0..operands.len()).partition(|&i| of(&operands[i].value).is_none());
        for i in first.into_iter().chain(last) {
            let made_for = match of(&operands[i].value) {
                Some(name) => self.operand(name).to_vec(),
                None => vec![],
            };
            self.values[i] = self.make(i, &made_for, source);
        }
    }

    fn make(&self, i: usize, of: &[Limb], source: &mut dyn Source) -> Vec<Limb> {
        let operand = &self.contract.operands[i];
        let len = operand.len.limbs(self.n, self.m);
        match operand.value {
            Value::Any if !operand.role.is_read() => (0..len).map(|_| source.bits()).collect(),
            Value::Any => {
                let others = self.values.iter().zip(self.contract.operands);
                let mut others = others.filter(|(v, o)| o.role.is_read() && v.len() == len);
                match others.next() {
                    Some((other, _)) if len > 0 && source.choose(2) == 0 => source.related(other),
                    _ => source.limbs(len),
                }
            }
            Value::Odd => source.odd(64 * len),
            Value::Below(Bound::Operand(_)) => source.below(of),
            Value::Below(Bound::TimesR(_)) => {
                let mut bound = vec![0; of.len()];
                bound.extend_from_slice(of);
                source.below(&bound)
            }
            Value::Below(Bound::Power(bits)) => {
                let mut value = source.limbs(len);
                value[len - 1] &= Limb::MAX >> (64 * len - bits);
                value
            }
            Value::Digits { radix, slack } => {
                let (digit, above) = ((1 << radix) - 1, (1 << slack) - 1);
                let any = source.limbs(len);
                let mut word = |any: Limb| {
                    let digits = [any, 0, digit, digit, digit - 1];
                    let owed = [any >> radix, 0, 0, 1];
                    let (i, k) = (source.choose(5), source.choose(4));
                    (owed[k] & above) << radix | digits[i] & digit
                };
                any.into_iter().map(&mut word).collect()
            }
            Value::Custom(generator, _) => (generator.make)(source, self, of, len),
        }
    }

    /// What the operand of that name holds.
    ///
    /// # Panics
    /// If the contract has none of that name.
    pub fn operand(&self, name: &str) -> &[Limb] {
        let mut operands = self.contract.operands.iter();
        let i = operands.position(|operand| operand.name == name);
        &self.values[i.expect("contracts name their operands")]
    }
}
