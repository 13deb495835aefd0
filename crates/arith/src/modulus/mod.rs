//! Odd moduli with their Montgomery context.

#[cfg(test)]
mod choices;
mod fixed_base;
pub mod lanes;
mod multiplier;
mod pow;
mod team;

use crate::inverse::{inv_mod, inv_mod_vartime};
use crate::nat::Nat;
use crate::once;
use crate::plan::Plan;
use crate::ring::saturated::Saturated;
use crate::ring::table::{self, REPRESENTATIONS, Representation};
use crate::ring::team::ByTeam;
use crate::ring::{Purpose, Residues, Ring, Words};
use carrysave_kernels::{
    Cpu,
    mpn::{MontMul, Mpn},
};
use core::fmt;
pub use fixed_base::FixedBase;
use lanes::lane::Lane;
pub use multiplier::Multiplier;
use std::sync::{Arc, OnceLock};
pub use team::Prediction;

/// An odd number n above 1 with its context: `R^2 mod n`, `-n^-1 mod 2^64`, and the kernels for its processor. The
/// value may be secret; its bit length is public. Cloning shares the context.
///
/// Residues are plain [`Nat`]s below `n`, of its width; what is computed of other numbers is unspecified, and
/// [`Modulus::reduce`] makes a residue of any. The Montgomery form (Montgomery 1985; R = 2^(64k)) stays
/// inside.
///
/// ```
/// use carrysave_arith::{Modulus, Nat};
/// let n = Modulus::new(&Nat::from_limb(1_000_003)).unwrap();
/// let a = n.reduce(&Nat::from_limb(1 << 40));
/// let b = n.inv(&a).unwrap();
/// assert!(n.mul(&a, &b).is_one());
/// assert!(Modulus::new(&Nat::from_limb(10)).is_none());
/// ```
#[derive(Clone)]
pub struct Modulus(Arc<Contexts>);

/// The context in saturated limbs, and representations that are made on first use.
///
/// An empty place takes one pointer only. It is built on the stack and moved here with its unused bytes, and more of
/// them could hold a part of a secret.
struct Contexts {
    saturated: Arc<Saturated>,
    /// The representations to choose from.
    table: &'static [Representation],
    /// The residues in each representation; `None` if the number has none.
    made: Box<[OnceLock<Option<Box<Made>>>]>,
    /// The form of the modulus in a vector lane.
    lane: OnceLock<Box<Lane>>,
}

/// The residues in one representation.
struct Made {
    residues: Arc<dyn Residues>,
    /// The form for teams, made on first use.
    team: OnceLock<Option<Box<Team>>>,
}

/// The form of a representation for teams.
struct Team(Box<dyn ByTeam>);

impl Made {
    /// The form for teams, if the row has one for this number.
    fn team(&self, row: &Representation, saturated: &Arc<Saturated>) -> Option<&dyn ByTeam> {
        let form = row.team?;
        let new = || form(saturated, self.residues.clone()).map(|form| Box::new(Team(form)));
        let made = once(&self.team, new).as_deref();
        made.map(|Team(form)| &**form)
    }
}

impl Modulus {
    /// The context of `n` for this machine; `None` unless `n` is odd and above 1.
    ///
    /// # Timing
    /// The bit length of `n`, and whether it is odd, are made public.
    pub fn new(n: &Nat) -> Option<Modulus> {
        Modulus::with_cpu(n, Cpu::native())
    }

    /// The context of `n` with the kernels that `cpu` admits.
    pub fn with_cpu(n: &Nat, cpu: Cpu) -> Option<Modulus> {
        Modulus::with_plan(n, cpu, Plan::best(cpu))
    }

    /// The context of `n` with the kernels that `plan` chooses, of those that `cpu` admits.
    ///
    /// # Panics
    /// Here or later, if the plan is malformed: steps that end before [`NEVER`](crate::NEVER), a window of 0 bits, or a
    /// method below its least size.
    pub fn with_plan(n: &Nat, cpu: Cpu, plan: &'static Plan) -> Option<Modulus> {
        let saturated = Saturated::new(n, cpu, plan, Mpn::new(cpu), false)?;
        Some(Modulus::of(saturated, REPRESENTATIONS))
    }

    /// The context of `n` with all products and squares by one kernel of `mpn_mont_mul`, for studies of that kernel.
    /// `None` also if `cpu` admits no kernel of that name.
    ///
    /// # Timing
    /// The kernel's: the time of every function may depend on every value.
    ///
    /// ```
    /// use carrysave_arith::{Cpu, Modulus, Nat};
    /// let n = Modulus::with_kernel_vartime(&Nat::from_limb(101), Cpu::native(), "portable").unwrap();
    /// assert!(n.pow_vartime(&Nat::from_limb(2), &Nat::from_limb(100)).is_one());
    /// ```
    pub fn with_kernel_vartime(n: &Nat, cpu: Cpu, kernel: &str) -> Option<Modulus> {
        let mut mpn = Mpn::new(cpu);
        mpn.mont_mul = MontMul::named_vartime(cpu, kernel)?;
        let saturated = Saturated::new(n, cpu, Plan::best(cpu), mpn, true)?;
        Some(Modulus::of(saturated, table::saturated()))
    }

    /// A modulus with the representations of a table, none made yet.
    fn of(saturated: Saturated, table: &'static [Representation]) -> Modulus {
        Modulus(Arc::new(Contexts {
            saturated: Arc::new(saturated),
            table,
            made: table.iter().map(|_| OnceLock::new()).collect(),
            lane: OnceLock::new(),
        }))
    }

    /// The available representations that pay for a purpose, in the order of the table; each is made on first use.
    fn made(&self, purpose: Purpose) -> impl Iterator<Item = (&'static Representation, &Made)> {
        let Contexts {
            saturated,
            table,
            made,
            ..
        } = &*self.0;
        let make = move |row: &Representation| {
            let residues = (row.make)(saturated)?;
            let team = OnceLock::new();
            Some(Box::new(Made { residues, team }))
        };
        let rows = table.iter().zip(made);
        let paying =
            rows.filter(move |(row, _)| (row.pays)(saturated.plan, saturated.bits, purpose));
        paying.filter_map(move |(row, place)| {
            let made = once(place, || make(row)).as_deref()?;
            Some((row, made))
        })
    }

    /// The residues for a purpose.
    fn residues(&self, purpose: Purpose) -> &dyn Residues {
        let first = self.made(purpose).next();
        &*first.expect("saturated limbs take all").1.residues
    }

    /// The modulus itself.
    pub fn nat(&self) -> &Nat {
        &self.0.saturated.n
    }

    /// The bit length.
    pub fn bits(&self) -> usize {
        self.0.saturated.bits
    }

    /// The width in limbs, of the modulus and of every residue.
    pub fn width(&self) -> usize {
        self.0.saturated.n.width()
    }

    /// The processor whose kernels are used.
    pub fn cpu(&self) -> Cpu {
        self.0.saturated.cpu
    }

    /// The plan in use.
    pub fn plan(&self) -> &'static Plan {
        self.0.saturated.plan
    }

    /// `a mod n` for an `a` of any width, in constant time: one or two Montgomery multiplications per width of n.
    pub fn reduce(&self, a: &Nat) -> Nat {
        let c = &*self.0.saturated;
        if let Some(barrett) = &c.barrett {
            return barrett.reduce(a);
        }
        let k = self.width();
        let mut t = self.scratch();
        let (mut sum, mut part) = (Nat::zeros(k), Nat::zeros(k));
        // A few parts a_i of k limbs: the sum of a_i R^i, each by a product with R^(i+1).
        const FEW: usize = 4;
        if a.width() <= FEW * k {
            let mut weight = c.one();
            for (i, chunk) in a.limbs().chunks(k).enumerate() {
                match i {
                    0 => {}
                    1 => weight.copy_from_slice(c.r2.limbs()),
                    _ => Ring::mul(c, &mut weight, c.r2.limbs(), &mut t),
                }
                part.limbs_mut().fill(0);
                part.limbs_mut()[..chunk.len()].copy_from_slice(chunk);
                Ring::mul(c, part.limbs_mut(), &weight, &mut t);
                c.add(&mut sum, &part);
            }
            return sum;
        }
        for chunk in a.limbs().chunks(k).rev() {
            // sum := sum * R + chunk = (sum + chunk / R) * R
            c.redc(part.limbs_mut(), chunk, &mut t);
            c.add(&mut sum, &part);
            Ring::mul(c, sum.limbs_mut(), c.r2.limbs(), &mut t);
        }
        sum
    }

    /// `a + b mod n` for residues.
    ///
    /// # Panics
    /// If a residue is not of the modulus's width.
    pub fn add(&self, a: &Nat, b: &Nat) -> Nat {
        let mut r = a.clone();
        self.0.saturated.add(&mut r, b);
        r
    }

    /// `a - b mod n` for residues.
    ///
    /// # Panics
    /// If a residue is not of the modulus's width.
    pub fn sub(&self, a: &Nat, b: &Nat) -> Nat {
        let c = &*self.0.saturated;
        let mut r = a.clone();
        let borrow = c.mpn.sub_n.call_in_place(r.limbs_mut(), b.limbs());
        c.mpn
            .cnd_add_n
            .call_in_place(borrow, r.limbs_mut(), c.n.limbs());
        r
    }

    /// `-a mod n` for a residue.
    ///
    /// # Panics
    /// If the residue is not of the modulus's width.
    pub fn neg(&self, a: &Nat) -> Nat {
        self.sub(&Nat::zeros(self.width()), a)
    }

    /// `a * b mod n` for residues.
    ///
    /// # Panics
    /// If a residue is not of the modulus's width.
    pub fn mul(&self, a: &Nat, b: &Nat) -> Nat {
        match &self.0.saturated.barrett {
            Some(barrett) => barrett.mul(a, b),
            None => self.mul_by(a, &self.multiplier(b)),
        }
    }

    /// `a^2 mod n` for a residue.
    ///
    /// # Panics
    /// If the residue is not of the modulus's width.
    pub fn sqr(&self, a: &Nat) -> Nat {
        match &self.0.saturated.barrett {
            Some(barrett) => barrett.sqr(a),
            None => self.mul(a, a),
        }
    }

    /// `a^-1 mod n`, or `None` if `a` has none.
    ///
    /// # Timing
    /// Reveals only whether the inverse exists.
    pub fn inv(&self, a: &Nat) -> Option<Nat> {
        inv_mod(a, &self.0.saturated.n)
    }

    /// `a^-1 mod n`, or `None` if `a` has none, for public numbers.
    pub fn inv_vartime(&self, a: &Nat) -> Option<Nat> {
        inv_mod_vartime(a, &self.0.saturated.n)
    }

    pub(crate) fn saturated(&self) -> &Saturated {
        &self.0.saturated
    }

    fn scratch(&self) -> Words {
        self.0.saturated.scratch_words()
    }
}

impl fmt::Debug for Modulus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Modulus({} bits, {})", self.bits(), self.cpu())
    }
}
