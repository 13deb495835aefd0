//! The primitives of several keys at once: one operation a vector lane.

use super::lane_blinding::LanePair;
use super::primitives::RsaStage;
use super::{Error, Factor, PrivateKey, PublicKey};
use crate::STACK;
use crate::fault::{Faults, NoFaults};
use carrysave_arith::{
    Limb, Modulus, Nat,
    lanes::{self, Element, ModulusLanes},
    off_stack,
};
use rand_core::CryptoRng;
use std::borrow::Cow;

pub use carrysave_arith::lanes::LANES;

/// Operations with RSA keys of equal classes can run side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RsaClass {
    n: lanes::LaneClass,
    /// The class of the primes, for private operations in lanes; `None` unless there are two primes of one class and
    /// the modulus fits.
    p: Option<lanes::LaneClass>,
    e_bits: usize,
}

impl RsaClass {
    /// The class of a key's public operations, if the exponents are equal.
    pub(super) fn of_public(key: &PublicKey) -> RsaClass {
        RsaClass {
            n: lanes::LaneClass::of(key.modulus()),
            p: None,
            e_bits: key.e().bits(),
        }
    }

    /// The class of a key's private operations.
    pub(super) fn of_private(key: &PrivateKey) -> RsaClass {
        let public = RsaClass::of_public(key.public());
        let p = match &key.0.factors[..] {
            [q, p] if public.n.fits() => {
                Some(lanes::LaneClass::of(&p.r)).filter(|p| *p == lanes::LaneClass::of(&q.r))
            }
            _ => None,
        };
        RsaClass { p, ..public }
    }
}

impl PublicKey {
    /// The number of public operations of one class and one exponent from which lanes are faster than one after the
    /// other, as [`Modulus::lanes_from`].
    pub fn lanes_from(&self) -> Option<usize> {
        self.modulus().lanes_from()
    }
}

impl PrivateKey {
    /// The number of private operations of one class from which lanes are faster than one after the other, as
    /// [`Modulus::pair_lanes_from`].
    pub fn lanes_from(&self) -> Option<usize> {
        let class = RsaClass::of_private(self);
        class.p.and_then(|_| self.0.factors[1].r.pair_lanes_from())
    }
}

/// Whether `jobs` operations are faster side by side.
fn pays(lanes_from: Option<usize>, jobs: usize) -> bool {
    lanes_from.is_some_and(|from| jobs >= from)
}

/// [`PrivateKey::rsasp1`] (which is also RSADP) for each `(key, m)`, at most [`LANES`] of one class; results in order.
///
/// Where the processor has no kernels for that, or there are too few, one after the other.
///
/// # Errors
/// For each as [`PrivateKey::rsasp1`]: one that fails leaves the others alone.
///
/// # Panics
/// If there are more, or of several classes.
///
/// # Timing
/// As [`PrivateKey::rsasp1`].
pub fn rsasp1<R: CryptoRng + ?Sized>(
    rng: &mut R,
    jobs: &[(&PrivateKey, &Nat)],
) -> Vec<Result<Nat, Error>> {
    check(jobs.iter().map(|job| RsaClass::of_private(job.0)));
    in_range(
        jobs,
        |(key, m)| m.lt(key.public().n()),
        |jobs| match pays(jobs[0].0.lanes_from(), jobs.len()) {
            true => private_ops(rng, jobs, &mut NoFaults),
            false => jobs.iter().map(|(key, m)| key.rsasp1(rng, m)).collect(),
        },
    )
}

/// [`PublicKey::rsavp1`] (which is also RSAEP) for each `(key, s)`, at most [`LANES`] of one class; results in order.
///
/// Where the processor has no kernels for that, or there are too few, one after the other.
///
/// # Errors
/// For each as [`PublicKey::rsavp1`]: one that fails leaves the others alone.
///
/// # Panics
/// If there are more, or of several classes.
///
/// # Timing
/// Depends on the keys only.
pub fn rsavp1(jobs: &[(&PublicKey, &Nat)]) -> Vec<Result<Nat, Error>> {
    check(jobs.iter().map(|job| RsaClass::of_public(job.0)));
    in_range(
        jobs,
        |(key, s)| s.lt(key.n()),
        |jobs| {
            let first = jobs[0].0;
            // Different exponents would need windows and a table.
            let one_exponent = jobs.iter().all(|(key, _)| key.e() == first.e());
            if !(one_exponent && pays(first.lanes_from(), jobs.len())) {
                return jobs.iter().map(|(key, s)| key.rsavp1(s)).collect();
            }
            let publics: Vec<&PublicKey> = jobs.iter().map(|job| job.0).collect();
            let n = moduli(&publics);
            let numbers: Vec<&Nat> = jobs.iter().map(|job| job.1).collect();
            let powers = public_ops(&n, &publics, &n.load(&numbers));
            powers.into_iter().map(Ok).collect()
        },
    )
}

/// Checks the common arguments.
fn check(mut classes: impl ExactSizeIterator<Item = RsaClass>) {
    assert!(classes.len() <= LANES, "at most eight at once");
    let first = classes.next();
    let one = classes.all(|class| Some(class) == first);
    assert!(one, "one class at a time");
}

/// The results of `run` for jobs whose number is in range, and the error for the others.
fn in_range<J: Copy>(
    jobs: &[J],
    fits: impl Fn(&J) -> bool,
    run: impl FnOnce(&[J]) -> Vec<Result<Nat, Error>>,
) -> Vec<Result<Nat, Error>> {
    let fits: Vec<bool> = jobs.iter().map(fits).collect();
    if !jobs.is_empty() && !fits.contains(&false) {
        return run(jobs);
    }
    let those = jobs.iter().zip(&fits).filter(|(_, fits)| **fits);
    let those: Vec<J> = those.map(|(job, _)| *job).collect();
    let mut results = match those.is_empty() {
        true => Vec::new(),
        false => run(&those),
    }
    .into_iter();
    let result = |fits| match fits {
        true => results.next().expect("a result a job"),
        false => Err(Error::OutOfRange),
    };
    fits.into_iter().map(result).collect()
}

/// The moduli of keys side by side.
fn moduli<'a>(publics: &[&'a PublicKey]) -> ModulusLanes<'a> {
    ModulusLanes::new(&publics.iter().map(|key| key.modulus()).collect::<Vec<_>>())
}

/// A number a lane.
fn load(lanes: &ModulusLanes<'_>, numbers: &[Nat]) -> Element {
    lanes.load(&numbers.iter().collect::<Vec<_>>())
}

/// `x^e mod n` for each.
fn public_ops(n: &ModulusLanes<'_>, publics: &[&PublicKey], x: &Element) -> Vec<Nat> {
    let e = publics[0].e();
    if publics.iter().all(|key| key.e() == e) {
        return n.store(&n.pow_vartime(x, e));
    }
    let exps: Vec<&Nat> = publics.iter().map(|key| key.e()).collect();
    let mut power = n.pow(&n.montgomery(x), &exps, e.bits());
    n.redc(&mut power);
    n.store(&power)
}

/// The private operations of keys of two primes of one class, all numbers below their moduli, in lanes. Each result is
/// checked.
pub(crate) fn private_ops<R: CryptoRng + ?Sized>(
    rng: &mut R,
    jobs: &[(&PrivateKey, &Nat)],
    faults: &mut impl Faults<RsaStage>,
) -> Vec<Result<Nat, Error>> {
    off_stack::<STACK, _>(|| private_ops_on_this_stack(rng, jobs, faults))
}

fn private_ops_on_this_stack<R: CryptoRng + ?Sized>(
    rng: &mut R,
    jobs: &[(&PrivateKey, &Nat)],
    faults: &mut impl Faults<RsaStage>,
) -> Vec<Result<Nat, Error>> {
    let keys: Vec<&PrivateKey> = jobs.iter().map(|job| job.0).collect();
    let publics: Vec<&PublicKey> = keys.iter().map(|key| key.public()).collect();
    let n = moduli(&publics);
    // c r^e, so that the input of the exponentiations is not chosen by an attacker.
    let pools: Vec<_> = keys.iter().map(|key| &key.0.lane_blinding).collect();
    let ([mut r_e, mut r_inv], pairs) = LanePair::take(&pools, &publics, &n, rng);
    replace(faults, RsaStage::Blinding, &n, &mut r_e);
    replace(faults, RsaStage::Unblinding, &n, &mut r_inv);
    let c: Vec<&Nat> = jobs.iter().map(|job| job.1).collect();
    let mut blinded = n.load(&c);
    n.mul(&mut blinded, &r_e);
    replace(faults, RsaStage::Blinded, &n, &mut blinded);
    // 2. b. s' = (c r^e)^d mod n
    let mut s = crt_powers(&n, &keys, &blinded, faults);
    replace(faults, RsaStage::Result, &n, &mut s);
    // s = s' r^-1
    n.mul(&mut s, &r_inv);
    replace(faults, RsaStage::Unblinded, &n, &mut s);
    let results = n.store(&s);
    // A result that is wrong modulo one prime reveals that prime (Boneh, DeMillo, Lipton 1997): s is released only if
    // s^e = c. The checked value itself is released. Dropping s wipes it.
    let checks = public_ops(&n, &publics, &load(&n, &results));
    let lanes = results.into_iter().zip(checks).zip(c);
    let lanes = lanes.zip(pools.into_iter().zip(pairs));
    lanes
        .map(|(((s, check), c), (pool, pair))| {
            if check == *c {
                pool.put(pair);
                Ok(s)
            } else {
                Err(Error::Fault)
            }
        })
        .collect()
}

/// `c^d mod n` of each key by Garner's method over its two primes, below 4n.
fn crt_powers(
    n: &ModulusLanes<'_>,
    keys: &[&PrivateKey],
    c: &Element,
    faults: &mut impl Faults<RsaStage>,
) -> Element {
    let mut half = |i: usize| -> (Vec<Modulus>, Vec<Cow<'_, Nat>>) {
        let each = keys.iter().enumerate().map(|(lane, key)| {
            let Factor { r, d, .. } = &key.0.factors[i];
            let r = match instead(faults, lane, RsaStage::Prime(i), r.nat()) {
                Cow::Borrowed(_) => r.clone(),
                Cow::Owned(prime) => other_modulus(r, &prime),
            };
            (r, instead(faults, lane, RsaStage::Exponent(i), d))
        });
        each.unzip()
    };
    let ((q, d_q), (p, d_p)) = (half(0), half(1));
    let (q, p): (Vec<&Modulus>, Vec<&Modulus>) = (q.iter().collect(), p.iter().collect());
    let (q, p) = (ModulusLanes::new(&q), ModulusLanes::new(&p));
    let [d_q, d_p] = [&d_q, &d_p].map(|d| d.iter().map(Cow::as_ref).collect::<Vec<&Nat>>());
    // i. m_1 = c^dP mod p, m_2 = c^dQ mod q
    let bits = d_q.iter().chain(&d_p).map(|d| d.width()).max();
    let bits = Limb::BITS as usize * bits.unwrap_or(0);
    let (mut m_2, mut m_1) = q.pow_pair(&q.reduce(c), &d_q, &p, &p.reduce(c), &d_p, bits);
    replace(faults, RsaStage::Residue(0), &q, &mut m_2);
    replace(faults, RsaStage::Residue(1), &p, &mut m_1);
    q.redc(&mut m_2);
    // iii. h = (m_1 - m_2) qInv mod p
    let q_inv = keys.iter().enumerate();
    let q_inv = q_inv
        .map(|(lane, key)| instead(faults, lane, RsaStage::Coefficient(1), &key.0.factors[1].t));
    let q_inv: Vec<Cow<'_, Nat>> = q_inv.collect();
    let q_inv: Vec<&Nat> = q_inv.iter().map(Cow::as_ref).collect();
    let mut h = p.sub(&m_1, &p.reduce(&m_2));
    p.mul(&mut h, &p.load(&q_inv));
    replace(faults, RsaStage::Quotient(1), &p, &mut h);
    // iv. m = m_2 + q h
    let products: Vec<&Nat> = keys.iter().map(|key| &key.0.factors[1].product).collect();
    let mut s = n.montgomery(&n.load(&products));
    n.mul(&mut s, &n.widen(&h));
    n.add(&s, &n.widen(&m_2))
}

/// The value, or what takes its place.
fn instead<'a>(
    faults: &mut impl Faults<RsaStage>,
    lane: usize,
    stage: RsaStage,
    value: &'a Nat,
) -> Cow<'a, Nat> {
    let replaced = faults.replacement(lane, stage, value);
    replaced.map_or(Cow::Borrowed(value), Cow::Owned)
}

/// A fault that replaces a modulus, and runs beside the others.
fn other_modulus(r: &Modulus, prime: &Nat) -> Modulus {
    let other = Modulus::with_plan(prime, r.cpu(), r.plan());
    let other = other.filter(|other| lanes::LaneClass::of(other) == lanes::LaneClass::of(r));
    other.unwrap_or_else(|| r.clone())
}

/// Puts faults in the place of a value, lane by lane.
fn replace<F: Faults<RsaStage>>(
    faults: &mut F,
    stage: RsaStage,
    lanes: &ModulusLanes<'_>,
    value: &mut Element,
) {
    if !F::PLANTED {
        return;
    }
    let mut reduced = value.clone();
    lanes.mul(&mut reduced, &lanes.one());
    let values = lanes.store(&reduced);
    let values = values.into_iter().enumerate();
    let values: Vec<Nat> = values
        .map(|(lane, x)| faults.replace(lane, stage, x))
        .collect();
    *value = load(lanes, &values);
}
