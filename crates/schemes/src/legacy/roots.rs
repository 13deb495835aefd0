//! Square roots modulo the product of two primes that are 3 modulo 4: the private operation of Rabin and of
//! Rabin-Williams.
//!
//! One number in four has roots. In both schemes its symbols modulo p and q select one of four tweaks; the number
//! divided by it has roots. The symbols of the roots select one of the four. With `x = c^((p+1)/4)`, `x^2` is c or -c,
//! so the power also gives the symbol. Times a factor for each pair of symbols it is the selected root. So there is no
//! branch on a symbol, and no inversion.

use super::KeyError;
use crate::blinding::{Pair, Pool, Used};
use crate::fault::Faults;
use crate::rsa::{check_primes, powers_in_turn, primality};
use KeyError::Invalid;
use carrysave_arith::prime::{PrimeOptions, random_prime};
use carrysave_arith::{Cpu, Limb, Modulus, Nat};
use rand_core::CryptoRng;

/// An intermediate value of a private operation; the number is the index of the prime, 0 for p, 1 for q.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootStage {
    /// The prime.
    Prime(usize),
    /// (p + 1) / 4
    Exponent(usize),
    /// c^((p + 1) / 4) mod p
    Power(usize),
    /// 1 if c is not a square modulo the prime.
    Symbol(usize),
    /// The factor from the power to the root.
    Factor(usize),
    /// q^-1 mod p
    Coefficient,
    /// h = (y_p - y_q) q^-1 mod p
    Quotient,
    /// The root, still blinded.
    Result,
}

/// Two bits, 1 for a symbol of -1: modulo p, and modulo q.
pub(super) type Symbols = [Limb; 2];

/// A scheme's rule for numbers with one pair of symbols.
pub(super) struct Tweak {
    /// The magnitude of the tweak, which divides the number.
    pub(super) magnitude: Nat,
    /// Whether the tweak is negative.
    pub(super) negative: bool,
    /// The symbols of the selected root.
    pub(super) root: Symbols,
}

/// The private half of a key.
pub(super) struct Roots {
    /// p and q, with (p + 1) / 4 and (q + 1) / 4.
    primes: [(Modulus, Nat); 2],
    /// Modulo p and modulo q: the factors of the power for the symbols (1, 1), (1, -1), (-1, 1), (-1, -1).
    factors: [[Nat; 4]; 2],
    /// q^-1 mod p
    u: Nat,
    blinding: Pool<Pair>,
}

/// Checks two primes for a modulus, except for primality and their residues modulo 4 or 8.
pub(super) fn check(n: &Nat, p: &Nat, q: &Nat) -> Result<(), KeyError> {
    check_primes(&[p.clone(), q.clone()], n.bits_vartime())?;
    if p.mul(q) != *n {
        return Err(Invalid("its modulus is not the product of its primes"));
    }
    Ok(())
}

/// Two primes of these classes, not close together, whose product has `bits` bits.
pub(super) fn generate<R: CryptoRng + ?Sized>(
    rng: &mut R,
    bits: usize,
    classes: [(Limb, Limb); 2],
    options: super::KeygenOptions,
) -> Result<[Nat; 2], KeyError> {
    let smallest = if options.allow_small { 512 } else { 2048 };
    if !(smallest..=16_384).contains(&bits) || !bits.is_multiple_of(8) {
        let allowed = "a multiple of 8 from 2048 to 16384, or from 512 where small keys are explicitly allowed";
        return Err(KeyError::Size {
            part: "a modulus",
            bits,
            allowed,
        });
    }
    loop {
        let [p, q] = classes.map(|class| {
            let options = PrimeOptions {
                top_two_bits: true,
                congruent: Some(class),
                ..Default::default()
            };
            random_prime(bits / 2, &options, rng, &mut || ()).expect("the search is not stopped")
        });
        if check_primes(&[p.clone(), q.clone()], bits).is_ok() {
            return Ok([p, q]);
        }
    }
}

impl Roots {
    /// The private half for the primes p and q, both 3 modulo 4, with the rule for each pair of symbols. `u` is the
    /// file's q^-1 mod p.
    pub(super) fn new(
        n: &Modulus,
        [p, q]: [Nat; 2],
        u: Option<Nat>,
        tweak: impl Fn(Symbols) -> Tweak,
    ) -> Result<Roots, KeyError> {
        let prime = |r: &Nat| Modulus::with_plan(r, n.cpu(), n.plan());
        let [p, q] = [&p, &q].map(prime);
        let (p, q) = p.zip(q).ok_or(Invalid("one of its primes is even or 1"))?;
        let q_mod_p = p.reduce(q.nat());
        let u = match u {
            Some(u) => Some(u).filter(|u| u.lt(p.nat()) && p.mul(&p.reduce(u), &q_mod_p).is_one()),
            None => p.inv(&q_mod_p),
        };
        let u = u.ok_or(Invalid("its coefficient u is not q^-1 mod p"))?;
        let factors = [(&p, 0), (&q, 1)].map(|(r, i)| {
            let each: [Symbols; 4] = [[0, 0], [0, 1], [1, 0], [1, 1]];
            each.map(|symbols| {
                let tweak = tweak(symbols);
                factor(r, symbols[i], &tweak, tweak.root[i])
            })
        });
        let u = p.reduce(&u);
        let primes = [p, q].map(|r| {
            let exponent = r.nat().add_limb(1).shr(2);
            let exponent = exponent.resize(r.width()).expect("a quarter of the prime");
            (r, exponent)
        });
        Ok(Roots {
            primes,
            factors,
            u,
            blinding: Pool::default(),
        })
    }

    /// A copy that uses the kernels for `cpu`, without stored blinding pairs.
    pub(super) fn with_cpu(&self, cpu: Cpu) -> Roots {
        let again = |(r, exponent): &(Modulus, Nat)| {
            let r = Modulus::with_cpu(r.nat(), cpu).expect("it was a modulus before");
            (r, exponent.clone())
        };
        Roots {
            primes: self.primes.each_ref().map(again),
            factors: self.factors.clone(),
            u: self.u.clone(),
            blinding: Pool::default(),
        }
    }

    /// p, q and q^-1 mod p.
    pub(super) fn parts(&self) -> [&Nat; 3] {
        [self.primes[0].0.nat(), self.primes[1].0.nat(), &self.u]
    }

    /// Refuses a composite among the primes.
    pub(super) fn primality(&self) -> Result<(), KeyError> {
        primality(self.primes.iter().map(|(r, _)| r.nat()))
    }

    /// 1 for numbers that are no squares, modulo p and modulo q, by Euler's criterion.
    pub(super) fn symbols(&self, a: &Nat) -> Symbols {
        self.primes.each_ref().map(|(r, _)| nonresidue(r, a))
    }

    /// The selected root of a number c below n, with the symbols of c and the blinding pair. The caller returns the
    /// pair by [`Roots::put`] once the root has passed its check.
    pub(super) fn root<R: CryptoRng + ?Sized>(
        &self,
        n: &Modulus,
        rng: &mut R,
        c: &Nat,
        faults: &mut impl Faults<RootStage>,
    ) -> (Nat, Symbols, Used<Pair>) {
        // c r^4 has the symbols of c, and its root is r^2 times that of c: r^2 as a square has the symbols 1 and 1.
        // Any other factor would give a random root of the four, and two of them reveal the primes (CVE-2015-2141).
        let blinding = Pair::take(&self.blinding, n, rng, |r, r_inv| {
            (n.sqr(&n.sqr(&r)), n.sqr(&r_inv))
        });
        let c = c.resize(n.width()).expect("c < n");
        let blinded = n.mul_by(&c, &blinding.pair.r_e);
        let (root, symbols) = self.blinded_root(&blinded, faults);
        let root = faults.replace(0, RootStage::Result, root);
        let root = n.mul_by(&n.reduce(&root), &blinding.pair.r_inv);
        (root, symbols, blinding)
    }

    /// Keeps the blinding pair of a correct operation.
    pub(super) fn put(&self, blinding: Used<Pair>) {
        self.blinding.put(blinding);
    }

    fn blinded_root(&self, c: &Nat, faults: &mut impl Faults<RootStage>) -> (Nat, Symbols) {
        let parts = [0, 1].map(|i| {
            let (r, exponent) = &self.primes[i];
            let faulty = faults.replacement(0, RootStage::Prime(i), r.nat());
            let faulty = faulty.and_then(|p| Modulus::with_plan(&p, r.cpu(), r.plan()));
            let exponent = faults.replace(0, RootStage::Exponent(i), exponent.clone());
            (faulty.unwrap_or_else(|| r.clone()), exponent)
        });
        let powers = powers_in_turn(&parts, c);
        let mut symbols = [0; 2];
        for (i, x) in powers.iter().enumerate() {
            let r = &parts[i].0;
            let minus = 1 ^ r.sqr(x).equal(&r.reduce(c));
            let minus = faults.replace(0, RootStage::Symbol(i), Nat::from_limb(minus));
            symbols[i] = minus.limbs()[0] & 1;
        }
        let [y_p, y_q] = [0, 1].map(|i| {
            let r = &parts[i].0;
            let x = r.reduce(&faults.replace(0, RootStage::Power(i), powers[i].clone()));
            let [a, b, c, d] = &self.factors[i];
            let [of_p, of_q] = symbols;
            let factor = a.select(of_q, b).select(of_p, &c.select(of_q, d));
            let factor = faults.replace(0, RootStage::Factor(i), factor);
            r.mul(&x, &r.reduce(&factor))
        });
        // y = y_q + q ((y_p - y_q) q^-1 mod p)
        let p = &parts[0].0;
        let u = p.reduce(&faults.replace(0, RootStage::Coefficient, self.u.clone()));
        let h = p.mul(&p.sub(&y_p, &p.reduce(&y_q)), &u);
        let h = faults.replace(0, RootStage::Quotient, h);
        (self.primes[1].0.nat().mul(&h).add(&y_q), symbols)
    }
}

/// 1 if `a` is not a square modulo the prime r (and not 0), else 0.
pub(super) fn nonresidue(r: &Modulus, a: &Nat) -> Limb {
    let minus_one = r.neg(&r.reduce(&Nat::one()));
    r.pow(&r.reduce(a), &r.nat().shr(1)).equal(&minus_one)
}

/// The factor, modulo r, from `x = c^((r+1)/4)` to the root with the symbol -1 if `root`, for a c with the symbol -1 if
/// `minus`.
fn factor(r: &Modulus, minus: Limb, tweak: &Tweak, root: Limb) -> Nat {
    // x^2 = c or -c; the selected square is c / tweak. So the factor is a root of ±1 / tweak, which is a square: its
    // power by -(r + 1) / 4 = (3 r - 5) / 4 (mod r - 1).
    let square = r.reduce(&tweak.magnitude);
    let square = square.select(Limb::from(tweak.negative) ^ minus, &r.neg(&square));
    let exponent = r.nat().mul_limb(3).sub_limb(5).expect("r >= 3").shr(2);
    let factor = r.pow(&square, &exponent);
    // The factor is a square, and x has the symbol of c to the power (r + 1) / 4, which is odd if r = 3 (mod 8).
    let odd = 1 ^ (r.nat().limbs()[0] >> 2 & 1);
    factor.select((minus & odd) ^ root, &r.neg(&factor))
}
