//! `ways`: one operation, measured in the three ways of "Optimizing Crypto++ library for P4" (Zidenberg).
//!
//! - `fixed_time`: the same data again and again until the time is over, the clock read after each operation;
//! - `fixed_work`: a fixed number of operations on random data, the clock read before and after all of them;
//! - `test_vectors`: data that are the same in every run, each answer compared with the known one.
//!
//! The ways take turns, ten runs each; the median and the spread are those of the ten. `docs/design/published.md` has what
//! the text says of them.

use super::{Experiment, Levels, Share, modexp::random_power, random_limbs, rsa::pkcs8};
use crate::{
    Bench, Error,
    clock::{self, Stopwatch},
    race::Measurement,
    record::Size,
    stats,
};
use carrysave_arith::{
    Modulus, Nat,
    curve::{CryptoPP168, Point},
};
use carrysave_schemes::rsa::PrivateKey;
use getrandom::{SysRng, rand_core::UnwrapErr};
use num_bigint::BigUint;
use std::{array, hint::black_box, time::Duration};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "ways",
    about: "one operation measured by fixed time, by fixed work and by test vectors, ten runs each",
    run,
    levels: Levels {
        quick: None,
        standard: Share::new(&[], 1.0, 8.0),
        full: Share::new(&[], 3.0, 20.0),
    },
};

/// The text's ways.
const WAYS: [&str; 3] = ["fixed_time", "fixed_work", "test_vectors"];
/// How often each way measures.
const RUNS: usize = 10;
/// The data with known answers.
const VECTORS: usize = 16;
/// The operations of a run of fixed work at most.
const MOST: usize = 1 << 12;

fn run(bench: &mut Bench<'_>) -> Result<(), Error> {
    for bits in bench.limb_bits(&[1024, 2048])? {
        powers(bench, bits);
        private(bench, bits)?;
    }
    points(bench);
    Ok(())
}

/// Public exponents, on which the number of multiplications depends.
fn powers(bench: &mut Bench<'_>, bits: usize) {
    let n = Nat::from_be_bytes(&random_power(bits).modulus);
    let modulus = Modulus::with_cpu(&n, bench.cpu()).expect("the modulus is odd");
    let datum = || {
        let power = random_power(bits);
        let [base, exponent] = [power.base, power.exponent].map(|b| Nat::from_be_bytes(&b));
        (modulus.reduce(&base), exponent)
    };
    let answer = |(base, exponent): &(Nat, Nat)| {
        let power = number(base).modpow(&number(exponent), &number(&n));
        Nat::from_be_bytes(&power.to_bytes_be())
    };
    let subject = Subject {
        datum: &datum,
        operation: &|(base, exponent)| modulus.pow_vartime(base, exponent),
        answer: &answer,
    };
    subject.measure(bench, "modexp", Size::Bits(bits));
}

/// RSA by a private key, without padding.
fn private(bench: &mut Bench<'_>, bits: usize) -> Result<(), Error> {
    // Sizes that were asked for are those of powers, too.
    let Ok(pkcs8) = pkcs8(bits) else {
        return Ok(());
    };
    let key = PrivateKey::from_any(pkcs8, None)
        .map_err(|error| Error(error.to_string()))?
        .with_cpu(bench.cpu());
    // A number below n and what it is encrypted to.
    let datum = || {
        let mut limbs = random_limbs(bits / 64);
        limbs[bits / 64 - 1] >>= 1;
        let m = Nat::from_limbs(&limbs);
        let c = key.public().rsaep(&m).expect("it is below n");
        (c, m)
    };
    let subject = Subject {
        datum: &datum,
        operation: &|(c, _)| key.rsadp(&mut UnwrapErr(SysRng), c).ok(),
        answer: &|(_, m)| Some(m.clone()),
    };
    subject.measure(bench, "rsadp", Size::Bits(bits));
    Ok(())
}

/// Points of the text's curve.
fn points(bench: &mut Bench<'_>) {
    let cpu = bench.cpu();
    let base = Point::<CryptoPP168>::generator();
    let subject = Subject {
        datum: &|| Nat::from_limbs(&random_limbs(2)),
        operation: &|scalar| base.mul_vartime(cpu, scalar),
        answer: &|scalar| base.mul(cpu, scalar.limbs()),
    };
    subject.measure(bench, "point", Size::Bits(168));
}

fn number(x: &Nat) -> BigUint {
    BigUint::from_bytes_be(&x.to_be_bytes_vartime())
}

/// An operation with data for it.
struct Subject<'a, D, A> {
    /// Random data.
    datum: &'a dyn Fn() -> D,
    operation: &'a dyn Fn(&D) -> A,
    /// The right answer, by another method.
    answer: &'a dyn Fn(&D) -> A,
}

impl<D, A: PartialEq> Subject<'_, D, A> {
    fn measure(&self, bench: &mut Bench<'_>, name: &str, size: Size) {
        if !bench.prepare(name, size) {
            return;
        }
        let wanted = WAYS.map(|way| bench.wants(name, &format!("carrysave/{way}")));
        if wanted == [false; 3] {
            return;
        }
        let data: Vec<D> = (0..VECTORS).map(|_| (self.datum)()).collect();
        let vector = |datum| {
            let answer = (self.answer)(&datum);
            (datum, answer)
        };
        let vectors: Vec<(D, A)> = data.into_iter().map(vector).collect();
        if vectors
            .iter()
            .any(|(datum, answer)| (self.operation)(datum) != *answer)
        {
            bench.refuse(name, size, "carrysave", "its answer is wrong".to_owned());
            return;
        }
        let time = bench.time() / (WAYS.len() * RUNS) as u32;
        let work = self.fixed_time(&vectors[0].0, time).0.min(MOST);
        let mut ns: [Vec<f64>; 3] = array::from_fn(|_| vec![]);
        let mut clocks = vec![];
        for _ in 0..RUNS {
            let runs = [
                self.fixed_time(&vectors[0].0, time),
                self.fixed_work(work),
                self.test_vectors(&vectors, work.div_ceil(VECTORS)),
            ];
            for (ns, (operations, took)) in ns.iter_mut().zip(runs) {
                ns.push(took.as_nanos() as f64 / operations as f64);
            }
            clocks.push(clock::core_ghz());
        }
        let measured = WAYS
            .iter()
            .zip(&ns)
            .zip(wanted)
            .filter(|(_, wanted)| *wanted);
        let measured = measured.map(|((way, ns), _)| Measurement {
            name: format!("carrysave/{way}"),
            ns_median: stats::median(ns),
            ns_spread: stats::spread(ns),
            samples: ns.len(),
            core_ghz: stats::median(&clocks),
        });
        bench.report(name, size, 1, &measured.collect::<Vec<_>>());
    }

    /// How many operations there were, and how long they took.
    fn fixed_time(&self, datum: &D, time: Duration) -> (usize, Duration) {
        let start = Stopwatch::Processor.now();
        for operations in 1.. {
            black_box((self.operation)(black_box(datum)));
            let took = Stopwatch::Processor.now() - start;
            if took >= time {
                return (operations, took);
            }
        }
        unreachable!("time passes")
    }

    fn fixed_work(&self, operations: usize) -> (usize, Duration) {
        let data: Vec<D> = (0..operations).map(|_| (self.datum)()).collect();
        let start = Stopwatch::Processor.now();
        for datum in &data {
            black_box((self.operation)(black_box(datum)));
        }
        (operations, Stopwatch::Processor.now() - start)
    }

    fn test_vectors(&self, vectors: &[(D, A)], times: usize) -> (usize, Duration) {
        let start = Stopwatch::Processor.now();
        for _ in 0..times {
            for (datum, answer) in vectors {
                assert!((self.operation)(datum) == *answer, "it was right before");
            }
        }
        (times * vectors.len(), Stopwatch::Processor.now() - start)
    }
}
