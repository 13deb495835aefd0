//! Operations side by side give the results of each alone, and a fault in one lane reveals nothing.

use crate::faults::small_key;
use crate::support::*;
use carrysave_arith::{Cpu, Nat, Plan};
use carrysave_schemes::rsa::{
    Error, PrivateKey, PublicKey,
    batch::{LANES, rsasp1, rsavp1},
};
use carrysave_schemes::testing::{RsaStage, rsadp_in_lanes};
use core::convert::Infallible;
use rand_core::{TryCryptoRng, TryRng};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Every number of jobs, in lanes by the plan and always in lanes, with different keys and one key for all, and with a
/// number out of range at every place.
#[test]
fn results_are_those_of_each_alone() {
    let mut rng = rng();
    let plans = |cpu| {
        let plan = Plan::best(cpu);
        [(cpu, plan), (cpu, plan.always_in_lanes())]
    };
    for bits in [512, 1024] {
        let keys: Vec<PrivateKey> = (0..LANES).map(|_| small_key(bits, 2)).collect();
        for (cpu, plan) in Cpu::native().masks().flat_map(plans) {
            let keys: Vec<PrivateKey> = keys.iter().map(|key| key.with_plan(cpu, plan)).collect();
            for count in 0..=LANES {
                let key = |i: usize| &keys[if count % 2 == 0 { i } else { 0 }];
                let bad = count / 2;
                let numbers: Vec<Nat> = (0..count)
                    .map(|i| match i == bad {
                        true => key(i).public().n().clone(),
                        false => Nat::random_below(key(i).public().n(), &mut rng),
                    })
                    .collect();
                let jobs: Vec<(&PrivateKey, &Nat)> =
                    (0..count).map(|i| (key(i), &numbers[i])).collect();
                let results = rsasp1(&mut rng, &jobs);
                let each = jobs.iter().map(|(key, m)| key.rsasp1(&mut rng, m));
                assert!(
                    results == each.collect::<Vec<_>>(),
                    "{count} of {bits} bits, {cpu}"
                );
                let jobs: Vec<(&PublicKey, &Nat)> =
                    (0..count).map(|i| (key(i).public(), &numbers[i])).collect();
                let each: Vec<_> = jobs.iter().map(|(key, s)| key.rsavp1(s)).collect();
                assert!(rsavp1(&jobs) == each, "{count} of {bits} bits, {cpu}");
                assert_eq!(
                    each.iter()
                        .filter(|r| **r == Err(Error::OutOfRange))
                        .count(),
                    count.min(1)
                );
            }
        }
    }
}

/// Public exponents of one length and several values: also where results are checked.
#[test]
fn exponents_may_differ() {
    let mut rng = rng();
    let key = |e: u64| {
        let with_primes = |key: PrivateKey| {
            PrivateKey::from_primes(key.primes().cloned().collect(), Nat::from_limb(e)).ok()
        };
        let mut keys = std::iter::repeat_with(|| small_key(512, 2));
        keys.find_map(with_primes).unwrap()
    };
    let exponents = [
        65_537, 65_539, 131_071, 65_541, 65_543, 99_999, 65_537, 70_001,
    ];
    let cpu = Cpu::native();
    let keys = exponents.map(|e| key(e).with_plan(cpu, Plan::best(cpu).always_in_lanes()));
    let numbers = keys
        .each_ref()
        .map(|key| Nat::random_below(key.public().n(), &mut rng));
    let jobs: Vec<(&PrivateKey, &Nat)> = keys.iter().zip(&numbers).collect();
    let results = rsasp1(&mut rng, &jobs);
    let each: Vec<_> = jobs
        .iter()
        .map(|(key, m)| key.rsasp1(&mut rng, m))
        .collect();
    assert!(results == each && each.iter().all(Result::is_ok));
    let jobs: Vec<(&PublicKey, &Nat)> = keys.iter().map(PrivateKey::public).zip(&numbers).collect();
    let each: Vec<_> = jobs.iter().map(|(key, s)| key.rsavp1(s)).collect();
    assert!(rsavp1(&jobs) == each);
}

/// Also where one after the other would do them.
#[test]
fn too_many_jobs_or_several_classes_are_misuse() {
    let cpu = Cpu::portable();
    let keys = [512, 1024].map(|bits| small_key(bits, 2).with_plan(cpu, Plan::best(cpu)));
    let [short, long] = keys.each_ref().map(PrivateKey::public);
    let one = Nat::one();
    let right = |jobs: &[_]| catch_unwind(AssertUnwindSafe(|| rsavp1(jobs))).is_ok();
    assert!(right(&[(short, &one); LANES]));
    assert!(!right(&[(short, &one); LANES + 1]));
    assert!(!right(&[(short, &one), (long, &one)]));
}

/// Flips every bit of every value in each lane in turn: no wrong result may be released, and other lanes must not change.
#[test]
fn no_faulty_result_is_released_from_a_lane() {
    let (mut rng, mut caught) = (rng(), 0);
    let keys: Vec<PrivateKey> = (0..LANES).map(|_| small_key(512, 2)).collect();
    let stages = [
        RsaStage::Prime(0),
        RsaStage::Prime(1),
        RsaStage::Exponent(0),
        RsaStage::Exponent(1),
        RsaStage::Residue(0),
        RsaStage::Residue(1),
        RsaStage::Coefficient(1),
        RsaStage::Quotient(1),
        RsaStage::Blinding,
        RsaStage::Unblinding,
        RsaStage::Blinded,
        RsaStage::Result,
        RsaStage::Unblinded,
    ];
    for lane in 0..LANES {
        let numbers: Vec<Nat> = keys
            .iter()
            .map(|key| Nat::random_below(key.public().n(), &mut rng))
            .collect();
        let jobs: Vec<(&PrivateKey, &Nat)> = keys.iter().zip(&numbers).collect();
        let right: Vec<Nat> = jobs
            .iter()
            .map(|(key, m)| key.rsasp1(&mut rng, m).unwrap())
            .collect();
        for stage in stages {
            let mut bits = 1;
            let (mut bit, mut found) = (0, 0);
            while bit < bits {
                let mut flip = |at_lane: usize, at: RsaStage, value: &Nat| {
                    bits = bits.max(if at == stage { 64 * value.width() } else { 0 });
                    (at_lane == lane && at == stage).then(|| flipped(value, bit))
                };
                let results = rsadp_in_lanes(&mut rng, &jobs, &mut flip);
                for (i, result) in results.into_iter().enumerate() {
                    match result {
                        Ok(s) => assert!(
                            s == right[i],
                            "bit {bit} at {stage:?} in lane {lane}: wrong in {i}"
                        ),
                        Err(error) => {
                            assert!(
                                error == Error::Fault && i == lane,
                                "{error} in {i}, not {lane}"
                            );
                            found += 1;
                        }
                    }
                }
                bit += 1;
            }
            assert!(bits >= 256, "{stage:?} was not reached");
            // All flips except those without effect: in a prime, those that make it even or change its length.
            assert!(
                found >= 180,
                "only {found} of {bits} flips at {stage:?} in lane {lane} were caught"
            );
            caught += found;
        }
    }
    assert!(caught >= 10_000, "{caught}");
    println!("{caught} faults caught, none released");
}

/// Counts its calls.
struct Counter(Rng, usize);

impl TryRng for Counter {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.1 += 1;
        self.0.try_next_u32()
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.1 += 1;
        self.0.try_next_u64()
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.1 += 1;
        self.0.try_fill_bytes(bytes)
    }
}

impl TryCryptoRng for Counter {}

/// A fault may have been in the blinding: the next pair of that key is a fresh one.
#[test]
fn blinding_that_went_with_a_fault_is_not_used_again() {
    let keys: Vec<PrivateKey> = (0..LANES).map(|_| small_key(512, 2)).collect();
    let one = Nat::one();
    let jobs: Vec<(&PrivateKey, &Nat)> = keys.iter().map(|key| (key, &one)).collect();
    let draws = |fault: bool| {
        let mut rng = Counter(rng(), 0);
        let mut flip = |lane: usize, stage: RsaStage, value: &Nat| {
            (fault && lane == 3 && stage == RsaStage::Result).then(|| flipped(value, 0))
        };
        let results = rsadp_in_lanes(&mut rng, &jobs, &mut flip);
        let wrong = results.iter().filter(|result| result.is_err()).count();
        assert_eq!(wrong, usize::from(fault));
        rng.1
    };
    assert!(draws(false) >= LANES);
    assert_eq!([false, true].map(draws), [0, 0]);
    assert_ne!(draws(false), 0);
    assert_eq!(draws(false), 0);
}

/// One by one, too, a pair serves the operations after the one it was made for.
#[test]
fn blinding_is_used_again() {
    let (key, one) = (small_key(512, 2), Nat::one());
    let draws = || {
        let mut rng = Counter(rng(), 0);
        key.rsasp1(&mut rng, &one).unwrap();
        rng.1
    };
    assert_ne!(draws(), 0);
    assert_eq!([(); 3].map(|()| draws()), [0; 3]);
}
