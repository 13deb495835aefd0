//! Powers of numbers with moduli of any kind, one and many.

use crate::work::share;
use carrysave::arith::task::Power;
use carrysave::arith::{Barrett, FixedBase, Modulus, Nat, inv_mod_vartime};
use carrysave::engine::Batch;
use carrysave::team::Team;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A power that is to be computed.
pub(crate) struct Job {
    /// The place of the modulus in [`Work::moduli`].
    pub(crate) modulus: usize,
    /// The absolute value of the base, of any width, and whether it is below 0.
    pub(crate) base: Nat,
    pub(crate) negative: bool,
    pub(crate) exp: Nat,
    /// Whether the exponent is minus `exp`: then [`Work::invert`] inverts the base.
    pub(crate) inverse: bool,
}

/// Powers with their moduli, all above 0.
pub(crate) struct Work {
    pub(crate) moduli: Vec<Nat>,
    pub(crate) jobs: Vec<Job>,
    /// Whether the time may depend on widths only. Then all moduli are odd, and above 1.
    pub(crate) secret: bool,
    /// Whether all have one base.
    pub(crate) one_base: bool,
}

/// A modulus.
enum Ring {
    /// Odd, and above 1.
    Odd(Modulus),
    /// Even, or 1.
    Other(Box<Barrett>),
}

/// The bits of a modulus from which powers by a table are faster than in lanes, by measurement on Zen 4.
const TABLE: usize = 640;
/// Nanoseconds that some powers are run without a look for a signal.
const SLICE: u64 = 50_000_000;

/// About the nanoseconds of a power alone.
pub(crate) fn nanos(modulus_limbs: usize, exp_limbs: usize) -> u64 {
    let [k, e] = [modulus_limbs, exp_limbs].map(|limbs| limbs as u64);
    (k * k).saturating_mul(32 * e) + 20 * k
}

/// About the nanoseconds of an inversion.
pub(crate) fn inversion(modulus_limbs: usize, limbs: usize) -> u64 {
    50 * (modulus_limbs * modulus_limbs) as u64 + 20 * limbs as u64
}

impl Ring {
    fn new(modulus: &Nat) -> Ring {
        match Modulus::new(modulus) {
            Some(odd) => Ring::Odd(odd),
            None => Ring::Other(Box::new(Barrett::new(modulus).expect("above 0"))),
        }
    }

    /// The residue of the base of a power.
    ///
    /// # Timing
    /// For a secret, depends on widths and the sign.
    fn reduce(&self, Job { base, negative, .. }: &Job, secret: bool) -> Nat {
        match self {
            Ring::Odd(n) if secret => residue(n, base, *negative),
            Ring::Odd(n) => {
                let fits = base.width() == n.width() && base.lt(n.nat());
                let residue = if fits { base.clone() } else { n.reduce(base) };
                if *negative { n.neg(&residue) } else { residue }
            }
            Ring::Other(n) => {
                let residue = n.reduce(base);
                match *negative && !residue.is_zero() {
                    true => n.nat().sub(&residue).expect("below the modulus"),
                    false => residue,
                }
            }
        }
    }
}

impl Work {
    /// About the nanoseconds of all on one thread, of those in lanes a fifth of those alone.
    pub(crate) fn nanos(&self) -> u64 {
        let of = |job: &Job| {
            let k = self.moduli[job.modulus].width();
            let inversion = if job.inverse {
                inversion(k, job.base.width())
            } else {
                0
            };
            nanos(k, job.exp.width()).saturating_add(inversion)
        };
        let sum = self.jobs.iter().map(of).fold(0, u64::saturating_add);
        sum / if self.jobs.len() >= 8 { 5 } else { 1 }
    }

    /// Whether a team may have something to do: one power, a table, inverses, or moduli that take no lanes.
    pub(crate) fn takes_team(&self) -> bool {
        self.jobs.len() == 1
            || self.one_base
            || self.jobs.iter().any(|job| job.inverse)
            || self.moduli.iter().any(|n| !n.is_odd())
    }

    /// The modulus of a power.
    pub(crate) fn of(&self, job: usize) -> &Nat {
        &self.moduli[self.jobs[job].modulus]
    }

    /// Inverts the bases of exponents below 0. `None` if one has no inverse.
    pub(crate) fn invert(&mut self, team: &dyn Team, stop: &AtomicBool) -> Option<()> {
        let places = self.jobs.iter().enumerate();
        let places = places.filter_map(|(i, job)| job.inverse.then_some(i));
        let places: Vec<usize> = places.collect();
        let inverses = share(team, places.len(), stop, |i| {
            let (job, n) = (&self.jobs[places[i]], self.of(places[i]));
            // The inverse of -b is minus that of b; every number is one modulo 1.
            match n.is_one() {
                true => Some(job.base.clone()),
                false => inv_mod_vartime(&job.base, n),
            }
        });
        for (i, inverse) in places.into_iter().zip(inverses) {
            self.jobs[i].base = inverse?;
        }
        Some(())
    }

    /// The first power, by a team.
    pub(crate) fn alone(&self, team: &dyn Team) -> Nat {
        let job = &self.jobs[0];
        let ring = Ring::new(self.of(0));
        let base = ring.reduce(job, self.secret);
        match &ring {
            Ring::Odd(n) if team.size() > 1 => n.pow_on(team, &base, &job.exp),
            Ring::Odd(n) if self.secret => n.pow(&base, &job.exp),
            Ring::Odd(n) => n.pow_vartime(&base, &job.exp),
            Ring::Other(n) => pow_vartime(n, &base, &job.exp),
        }
    }

    /// The powers in order, each as wide as its modulus.
    ///
    /// # Timing
    /// Depends on widths and signs only if the work is secret.
    pub(crate) fn run(self, batch: &Batch, team: &dyn Team, stop: &AtomicBool) -> Vec<Nat> {
        if self.jobs.len() == 1 {
            return vec![self.alone(team)];
        }
        let rings: Vec<Ring> = self.moduli.iter().map(Ring::new).collect();
        if self.one_base
            && let [Ring::Odd(n)] = &rings[..]
            && let Some(powers) = self.of_one_base(n, &rings[0], team, stop)
        {
            return powers;
        }
        let slice = self.slice(batch.threads());
        let mut powers = Vec::with_capacity(self.jobs.len());
        for jobs in self.jobs.chunks(slice) {
            if stop.load(Relaxed) {
                break;
            }
            powers.extend(self.side_by_side(&rings, jobs, batch, team, stop));
        }
        powers
    }

    /// Powers of one base by a table, if there are so many that it pays.
    fn of_one_base(
        &self,
        n: &Modulus,
        ring: &Ring,
        team: &dyn Team,
        stop: &AtomicBool,
    ) -> Option<Vec<Nat>> {
        let first = self.jobs.first()?;
        let limbs = self.jobs.iter().map(|job| job.exp.width()).max()?;
        let bits = 64 * limbs;
        let alike = |job: &Job| job.exp.width() == limbs && job.inverse == first.inverse;
        let alike = self.jobs.iter().all(alike);
        if n.bits() < TABLE || !alike || self.jobs.len() < FixedBase::pays_from(n, bits) {
            return None;
        }
        let table = FixedBase::new(n, &ring.reduce(first, self.secret), bits);
        let power = |i: usize| table.pow(&self.jobs[i].exp);
        Some(share(team, self.jobs.len(), stop, power))
    }

    /// How many run between two looks for a signal: enough for all lanes and threads.
    fn slice(&self, threads: usize) -> usize {
        let each = (self.nanos() / self.jobs.len().max(1) as u64).max(1);
        let many = (SLICE / each) as usize;
        many.saturating_mul(threads)
            .next_multiple_of(8 * threads)
            .max(8 * threads)
    }

    /// Powers in lanes and on threads; those of even moduli one by one.
    fn side_by_side(
        &self,
        rings: &[Ring],
        jobs: &[Job],
        batch: &Batch,
        team: &dyn Team,
        stop: &AtomicBool,
    ) -> Vec<Nat> {
        let odd = jobs.iter().filter_map(|job| match &rings[job.modulus] {
            Ring::Odd(n) => {
                let base = rings[job.modulus].reduce(job, self.secret);
                Some(Power::new(n.clone(), base, job.exp.clone()))
            }
            Ring::Other(_) => None,
        });
        let odd: Vec<Power> = odd.collect();
        let other = jobs.iter().filter_map(|job| match &rings[job.modulus] {
            Ring::Odd(_) => None,
            Ring::Other(n) => Some((&**n, job)),
        });
        let other: Vec<(&Barrett, &Job)> = other.collect();
        let mut odd = batch.run(&odd).into_iter();
        let mut other = share(team, other.len(), stop, |i| {
            let (n, job) = other[i];
            let base = rings[job.modulus].reduce(job, self.secret);
            pow_vartime(n, &base, &job.exp)
        })
        .into_iter();
        let power = |job: &Job| match &rings[job.modulus] {
            Ring::Odd(_) => odd.next()?.ok(),
            Ring::Other(_) => other.next(),
        };
        jobs.iter().map_while(power).collect()
    }
}

/// The residue of an integer modulo an odd number.
///
/// # Timing
/// Depends on widths and the sign.
pub(crate) fn residue(n: &Modulus, x: &Nat, negative: bool) -> Nat {
    let residue = n.reduce(x);
    if negative { n.neg(&residue) } else { residue }
}

/// `base^exp mod n` by windows of four bits from the left, for any public modulus and exponent.
fn pow_vartime(n: &Barrett, base: &Nat, exp: &Nat) -> Nat {
    const WINDOW: usize = 4;
    let one = n.reduce(&Nat::one());
    let mut table = vec![one.clone(), base.clone()];
    for i in 2..1 << WINDOW {
        table.push(n.mul(&table[i - 1], base));
    }
    let mut power = one;
    for i in (0..exp.bits_vartime().div_ceil(WINDOW)).rev() {
        for _ in 0..WINDOW {
            power = n.sqr(&power);
        }
        let at = WINDOW * i;
        let digit = exp.limbs()[at / 64] >> (at % 64) & ((1 << WINDOW) - 1);
        if digit > 0 {
            power = n.mul(&power, &table[digit as usize]);
        }
    }
    power
}
