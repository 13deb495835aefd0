//! Odd moduli with their Montgomery context.

mod fixed_base;
pub mod lanes;
mod multiplier;
mod pow;
mod team;

use crate::inverse::{inv_mod, inv_mod_vartime};
use crate::nat::{Barrett, LIMB_BITS, Nat};
use crate::plan::Plan;
use crate::ring::blocks52::Blocks52;
use crate::ring::mclaughlin::McLaughlin;
use crate::ring::radix52::Radix52;
use crate::ring::redc_n::{self, RedcN};
use crate::ring::team::{bipartite::Bipartite, bipartite52::Bipartite52};
use crate::ring::{Ring, Words};
use crate::word;
use carrysave_kernels::{
    Cpu, Limb,
    mpn::{MontMul, Mpn},
};
use core::fmt;
pub use fixed_base::FixedBase;
use lanes::Lane;
pub use multiplier::Multiplier;
use std::sync::{Arc, OnceLock};
use zeroize::Zeroize;

/// An odd number above 1, with what arithmetic modulo it needs: `R^2 mod n`, `-n^-1 mod 2^64`, and the kernels that
/// its processor admits. The value may be secret; its bit length is public. Cloning shares the context.
///
/// Residues are plain [`Nat`]s below `n`, of its width. The Montgomery form (Montgomery 1985; R = 2^(64k)) stays
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

/// The context in saturated limbs, and the one in radix 2^52 where that is faster for powers.
///
/// What may be missing is in boxes: these come from the stack, and where there is nothing in a place what happened to be
/// there comes with them. So it is a word at most.
struct Contexts {
    context: Context,
    radix52: Option<Box<Radix52>>,
    /// For longer powers in radix 2^52, from the first one on.
    blocks52: OnceLock<Box<Blocks52>>,
    /// What it is in a vector lane, from the first time on that it is in one.
    lane: OnceLock<Box<Lane>>,
    /// What a team needs, from the first time on that one has it.
    bipartite: OnceLock<Box<Bipartite>>,
    /// The same in radix 2^52.
    bipartite52: OnceLock<Box<Bipartite52>>,
    /// For long powers, from the first one on, unless there is none.
    mclaughlin: OnceLock<Option<Box<McLaughlin>>>,
}

pub(crate) struct Context {
    pub(crate) n: Nat,
    pub(crate) bits: usize,
    /// `-n^-1 mod 2^64`
    pub(crate) n0: Limb,
    /// `R mod n`: one in Montgomery form
    pub(crate) r1: Nat,
    /// `R^2 mod n`
    pub(crate) r2: Nat,
    pub(crate) cpu: Cpu,
    pub(crate) plan: &'static Plan,
    pub(crate) mpn: Mpn,
    /// For a reduction by products, where the plan says that it pays.
    pub(crate) redc_n: Option<Box<RedcN>>,
    /// For single products, likewise.
    pub(crate) barrett: Option<Box<Barrett>>,
    /// Whether squares are products too: for studies of `mont_mul`.
    pub(crate) by_products: bool,
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

    /// The context of `n` with those of the kernels that `cpu` admits that `plan` chooses.
    ///
    /// # Panics
    /// Here or later, if the plan is not well formed: steps that end before [`NEVER`](crate::NEVER), a window of 0
    /// bits, a method below the least size that it takes.
    pub fn with_plan(n: &Nat, cpu: Cpu, plan: &'static Plan) -> Option<Modulus> {
        let context = Context::new(n, cpu, plan, Mpn::new(cpu), false)?;
        let radix52 = Radix52::new(&context).map(Box::new);
        Some(Modulus::of(context, radix52))
    }

    /// The context of `n` where all products and squares are by one kernel of `mpn_mont_mul`: for studies of it.
    /// `None` also where `cpu` admits no kernel of that name.
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
        let context = Context::new(n, cpu, Plan::best(cpu), mpn, true)?;
        Some(Modulus::of(context, None))
    }

    /// With nothing yet that is made when it is first needed.
    fn of(context: Context, radix52: Option<Box<Radix52>>) -> Modulus {
        Modulus(Arc::new(Contexts {
            context,
            radix52,
            blocks52: OnceLock::new(),
            lane: OnceLock::new(),
            bipartite: OnceLock::new(),
            bipartite52: OnceLock::new(),
            mclaughlin: OnceLock::new(),
        }))
    }

    /// The modulus itself.
    pub fn nat(&self) -> &Nat {
        &self.0.context.n
    }

    /// Its bit length.
    pub fn bits(&self) -> usize {
        self.0.context.bits
    }

    /// Its width in limbs: that of every residue.
    pub fn width(&self) -> usize {
        self.0.context.n.width()
    }

    /// The processor whose kernels are used.
    pub fn cpu(&self) -> Cpu {
        self.0.context.cpu
    }

    /// The plan that is followed.
    pub fn plan(&self) -> &'static Plan {
        self.0.context.plan
    }

    /// `a mod n` for an `a` of any width, in constant time: one Montgomery multiplication per width of n.
    pub fn reduce(&self, a: &Nat) -> Nat {
        let c = &self.0.context;
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
        self.0.context.add(&mut r, b);
        r
    }

    /// `a - b mod n` for residues.
    ///
    /// # Panics
    /// If a residue is not of the modulus's width.
    pub fn sub(&self, a: &Nat, b: &Nat) -> Nat {
        let c = &self.0.context;
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
        match &self.0.context.barrett {
            Some(barrett) => barrett.mul(a, b),
            None => self.mul_by(a, &self.multiplier(b)),
        }
    }

    /// `a^2 mod n` for a residue.
    ///
    /// # Panics
    /// If the residue is not of the modulus's width.
    pub fn sqr(&self, a: &Nat) -> Nat {
        match &self.0.context.barrett {
            Some(barrett) => barrett.sqr(a),
            None => self.mul(a, a),
        }
    }

    /// `a^-1 mod n`, or `None` if `a` has none.
    ///
    /// # Timing
    /// Whether there is one is made public, nothing else.
    pub fn inv(&self, a: &Nat) -> Option<Nat> {
        inv_mod(a, &self.0.context.n)
    }

    /// `a^-1 mod n`, or `None` if `a` has none, for public numbers.
    pub fn inv_vartime(&self, a: &Nat) -> Option<Nat> {
        inv_mod_vartime(a, &self.0.context.n)
    }

    pub(crate) fn context(&self) -> &Context {
        &self.0.context
    }

    fn scratch(&self) -> Words {
        self.0.context.scratch_words()
    }
}

impl Context {
    fn new(n: &Nat, cpu: Cpu, plan: &'static Plan, mpn: Mpn, by_products: bool) -> Option<Context> {
        let bits = n.bits();
        if bits < 2 || !n.is_odd() {
            return None;
        }
        let n = n.truncate(bits.div_ceil(LIMB_BITS));
        let n0 = word::neg_inverse(n.limbs()[0]);
        let width = n.width();
        let mut context = Context {
            bits,
            n0,
            r1: Nat::zeros(width),
            r2: Nat::zeros(width),
            cpu,
            plan,
            redc_n: (width >= plan.redc_n && !by_products)
                .then(|| Box::new(RedcN::with_spectra(&mpn, plan, n.limbs(), n0))),
            barrett: None,
            mpn,
            by_products,
            n,
        };
        context.precompute();
        Some(context)
    }

    /// Fills in `R mod n`, `R^2 mod n` and what follows from them, by doublings and Montgomery squarings: no division,
    /// n may be secret.
    pub(crate) fn precompute(&mut self) {
        let k = self.n.width();
        let mut r = Nat::zeros(k);
        r.set_bit(self.bits - 1); // below n, which has its top bit there and is odd
        for _ in 0..k * LIMB_BITS + 1 - self.bits {
            self.double(&mut r);
        }
        self.r1 = r;
        self.r2 = self.two_to(k * LIMB_BITS);
        if k >= self.plan.barrett && !self.by_products {
            self.barrett = Some(Box::new(redc_n::barrett(self)));
        }
    }

    /// `2^e R mod n` for e > 0, by the bits of e from the top: squaring doubles e, doubling adds one.
    pub(crate) fn two_to(&self, e: usize) -> Nat {
        let mut t = self.scratch_words();
        let mut r = self.r1.clone();
        for i in (0..=e.ilog2()).rev() {
            Ring::sqr(self, r.limbs_mut(), &mut t);
            if e >> i & 1 == 1 {
                self.double(&mut r);
            }
        }
        r
    }

    /// `2^e mod n` for e > 0, in its own form.
    pub(crate) fn residue_of_two_to(&self, e: usize) -> Nat {
        let power = self.two_to(e);
        let mut t = self.scratch_words();
        self.leave(power.limbs(), &mut t).remove(0)
    }

    /// `r := a / R mod n` for an `a` of any width up to that of n.
    pub(crate) fn redc(&self, r: &mut [Limb], a: &[Limb], t: &mut [Limb]) {
        let t = &mut t[..2 * r.len()];
        t.fill(0);
        t[..a.len()].copy_from_slice(a);
        self.redc_product(r, t);
    }

    /// `r := t / R mod n` for `t` below n R, which is destroyed.
    pub(crate) fn redc_product(&self, r: &mut [Limb], t: &mut [Limb]) {
        let (mpn, n) = (&self.mpn, self.n.limbs());
        match &self.redc_n {
            Some(redc_n) => redc_n.call(mpn, self.plan, r, t, n),
            None => mpn.redc_1.call(r, t, n, self.n0),
        }
    }

    pub(crate) fn double(&self, r: &mut Nat) {
        let copy = r.clone();
        self.add(r, &copy);
    }

    /// `r := r + b mod n`
    pub(crate) fn add(&self, r: &mut Nat, b: &Nat) {
        let carry = self.mpn.add_n.call_in_place(r.limbs_mut(), b.limbs());
        let borrow = self.mpn.sub_n.call_in_place(r.limbs_mut(), self.n.limbs());
        self.mpn
            .cnd_add_n
            .call_in_place(borrow & (1 ^ carry), r.limbs_mut(), self.n.limbs());
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        self.n0.zeroize();
    }
}

impl fmt::Debug for Modulus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Modulus({} bits, {})", self.bits(), self.cpu())
    }
}

/// `x mod n` for an x below 2n, a limb wider than n.
pub(crate) fn subtract_once(mpn: &Mpn, n: &Nat, mut x: Nat) -> Nat {
    let (low, top) = x.limbs_mut().split_at_mut(n.width());
    let borrow = mpn.sub_n.call_in_place(low, n.limbs());
    let below = borrow & (1 ^ top[0]);
    mpn.cnd_add_n.call_in_place(below, low, n.limbs());
    // It was lent to the subtraction, if it was one.
    top[0] = 0;
    x.shorten(n.width())
}
