//! Powers of one base known in advance: a comb (Lim, Lee, Crypto '94; HAC 14.117).

use super::Modulus;
use super::lanes::LANES;
use crate::nat::Nat;
use crate::plan::{Plan, choose};
use crate::ring::{Ring, Words};
use crate::word;
use carrysave_kernels::Limb;
use core::fmt;
use zeroize::Zeroizing;

/// A base with a table that reduces its powers to a fraction of the usual work: for generators and other bases that are
/// used often. The base may be secret.
///
/// The exponent's bits stand in rows of `a`, one row a tooth of the comb, and each row falls into blocks of `b` bits.
/// There are `b - 1` squarings and about `a` multiplications.
///
/// ```
/// use carrysave_arith::{FixedBase, Modulus, Nat};
/// let p = Modulus::new(&Nat::from_limb(1_000_003)).unwrap();
/// let g = FixedBase::new(&p, &Nat::from_limb(2), 64);
/// assert!(g.pow(&Nat::from_limb(1_000_002)).is_one());
/// ```
#[derive(Clone)]
pub struct FixedBase {
    modulus: Modulus,
    bits: usize,
    /// Rows of the exponent.
    teeth: usize,
    /// Bits in a row: `a`.
    row: usize,
    /// Bits of a row in a block: `b`.
    block: usize,
    /// For block j the elements base^(2^(b j) (i_0 + i_1 2^a + i_2 2^(2a) + ...)) at the index i_0 + 2 i_1 + 4 i_2 + ...
    table: Words,
}

impl FixedBase {
    /// Makes the table for exponents of up to `bits` bits, by as many squarings and some multiplications.
    ///
    /// # Panics
    /// If `base` is not of the modulus's width, or `bits` is 0.
    ///
    /// # Timing
    /// Depends on the width of the modulus and on `bits`.
    pub fn new(modulus: &Modulus, base: &Nat, bits: usize) -> FixedBase {
        assert!(bits > 0, "there is an exponent");
        modulus.check(base);
        let ring = modulus.ring();
        let [teeth, row, block] = shape(modulus.plan(), bits);
        let width = ring.width();
        let mut t = ring.scratch_words();
        let mut table = Zeroizing::new(vec![0; row.div_ceil(block) * (width << teeth)]);
        for entries in table.chunks_mut(width << teeth) {
            entries[..width].copy_from_slice(&ring.one());
        }
        let mut g = ring.enter(&[base], &mut t);
        let mut place = 0; // g = base^(2^place)
        for tooth in 0..teeth {
            for (j, entries) in table.chunks_mut(width << teeth).enumerate() {
                while place < row * tooth + block * j {
                    ring.sqr(&mut g, &mut t);
                    place += 1;
                }
                let (without, with) = entries.split_at_mut(width << tooth);
                for (without, with) in without.chunks(width).zip(with.chunks_mut(width)) {
                    with.copy_from_slice(without);
                    ring.mul(with, &g, &mut t);
                }
            }
        }
        FixedBase {
            modulus: modulus.clone(),
            bits,
            teeth,
            row,
            block,
            table,
        }
    }

    /// The number of powers from which a table pays, including the work to make it. Counts multiplications, in lanes
    /// where the plan prefers them for powers without a table.
    ///
    /// ```
    /// use carrysave_arith::{FixedBase, Modulus, Nat};
    /// let p = Modulus::new(&Nat::power_of_two(1024).sub_limb(105).unwrap()).unwrap();
    /// assert!((2..20).contains(&FixedBase::pays_from(&p, 256)));
    /// ```
    pub fn pays_from(modulus: &Modulus, bits: usize) -> usize {
        let plan = modulus.plan();
        let [teeth, row, block] = shape(plan, bits);
        let table = bits + (row.div_ceil(block) << teeth);
        let window = choose(plan.fixed_window, bits);
        let alone = bits + bits.div_ceil(window) + (1 << window);
        let without = alone * modulus.lanes_from().unwrap_or(LANES) / LANES;
        table.div_ceil(without.saturating_sub(row + block).max(1))
    }

    /// The bytes that a table for exponents of up to `bits` bits takes.
    ///
    /// ```
    /// use carrysave_arith::{FixedBase, Modulus, Nat};
    /// let p = Modulus::new(&Nat::power_of_two(2048).sub_limb(1).unwrap()).unwrap();
    /// assert!((20_000..500_000).contains(&FixedBase::bytes(&p, 256)));
    /// ```
    pub fn bytes(modulus: &Modulus, bits: usize) -> usize {
        let [teeth, row, block] = shape(modulus.plan(), bits);
        size_of::<Limb>() * row.div_ceil(block) * (modulus.ring().width() << teeth)
    }

    /// The modulus of its powers.
    pub fn modulus(&self) -> &Modulus {
        &self.modulus
    }

    /// The bits of the longest exponent.
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// `base^(exp mod 2^bits) mod n`.
    ///
    /// # Timing
    /// Depends on the width of the modulus and on `bits`.
    pub fn pow(&self, exp: &Nat) -> Nat {
        powers(self.modulus.ring(), [self], [exp]).remove(0)
    }

    /// [`pow`](Self::pow) of this base and of another at once. The two run interleaved on one thread if the processor
    /// has kernels for that and both tables have one shape.
    ///
    /// # Timing
    /// As [`pow`](Self::pow) of both.
    ///
    /// ```
    /// use carrysave_arith::{FixedBase, Modulus, Nat};
    /// let p = Modulus::new(&Nat::from_limb(1_000_003)).unwrap();
    /// let [g, y] = [2, 3].map(|base| FixedBase::new(&p, &Nat::from_limb(base), 64));
    /// let (ten, two) = (Nat::from_limb(10), Nat::from_limb(2));
    /// assert_eq!(g.pow_pair(&ten, &y, &two), (Nat::from_limb(1024), Nat::from_limb(9)));
    /// ```
    pub fn pow_pair(&self, exp: &Nat, other: &FixedBase, other_exp: &Nat) -> (Nat, Nat) {
        let alike = self.shape() == other.shape();
        let pair = alike.then(|| self.modulus.pair(&other.modulus));
        let Some(pair) = pair.flatten() else {
            return (self.pow(exp), other.pow(other_exp));
        };
        let mut powers = powers(&*pair, [self, other], [exp, other_exp]);
        let second = powers.remove(1);
        (powers.remove(0), second)
    }

    /// The shape of a table, which determines the steps of a power.
    fn shape(&self) -> [usize; 4] {
        [self.bits, self.teeth, self.row, self.block]
    }
}

/// A power of each base, in a ring with a lane for each; their tables have one shape.
fn powers<const N: usize>(ring: &dyn Ring, bases: [&FixedBase; N], exps: [&Nat; N]) -> Vec<Nat> {
    let [bits, teeth, row, block] = bases[0].shape();
    let width = ring.width() / N;
    let mut t = ring.scratch_words();
    let mut r = ring.one();
    let mut entry = r.clone();
    for i in (0..block).rev() {
        if i + 1 < block {
            ring.sqr(&mut r, &mut t);
        }
        for (j, column) in (i..row).step_by(block).enumerate() {
            for ((base, exp), entry) in bases.iter().zip(exps).zip(entry.chunks_mut(width)) {
                let entries = &base.table[j * (width << teeth)..][..width << teeth];
                // The exponent's bits in the column, that of the first tooth lowest.
                let places = (column..bits).step_by(row).enumerate();
                let index = places.fold(0, |index, (tooth, at)| {
                    index | word::window(exp.limbs(), at, 1) << tooth
                });
                ring.mpn().tabselect.call(entry, entries, index as usize);
            }
            ring.mul(&mut r, &entry, &mut t);
        }
    }
    ring.leave(&r, &mut t)
}

/// Teeth, bits in a row, and bits of a row in a block.
fn shape(plan: &Plan, bits: usize) -> [usize; 3] {
    let teeth = choose(plan.comb_teeth, bits).min(bits).max(1);
    let row = bits.div_ceil(teeth);
    let block = row.div_ceil(choose(plan.comb_blocks, bits));
    [teeth, row, block.max(1)]
}

impl fmt::Debug for FixedBase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FixedBase({} bits, {:?})", self.bits, self.modulus)
    }
}
