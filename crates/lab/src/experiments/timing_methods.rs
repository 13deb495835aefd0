//! `ways`: one operation, measured in the three ways of "Optimizing Crypto++ library for P4" (Zidenberg).
//!
//! - `fixed_time`: the same data again and again until the time is over, the clock read after each operation;
//! - `fixed_work`: a fixed number of operations on random data, the clock read before and after all of them;
//! - `test_vectors`: the data of a file, each answer compared with the one in the file, for sizes of which there is a file.
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
    test_vectors::TestVectors,
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
/// The operations of a run of fixed work at most.
const MOST: usize = 1 << 12;

fn run(bench: &mut Bench<'_>) -> Result<(), Error> {
    for bits in bench.limb_bits(&[1024, 2048])? {
        powers(bench, bits)?;
        private(bench, bits)?;
    }
    points(bench)
}

/// Public exponents, on which the number of multiplications depends.
fn powers(bench: &mut Bench<'_>, bits: usize) -> Result<(), Error> {
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
    subject.measure(bench, "modexp", bits)
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
    subject.measure(bench, "rsadp", bits)
}

/// Points of the text's curve.
fn points(bench: &mut Bench<'_>) -> Result<(), Error> {
    let cpu = bench.cpu();
    let base = Point::<CryptoPP168>::generator();
    let subject = Subject {
        datum: &|| Nat::from_limbs(&random_limbs(2)),
        operation: &|scalar| base.mul_vartime(cpu, scalar),
        answer: &|scalar| base.mul(cpu, scalar.limbs()),
    };
    subject.measure(bench, "point", 168)
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
    fn measure(&self, bench: &mut Bench<'_>, name: &str, bits: usize) -> Result<(), Error> {
        let size = Size::Bits(bits);
        if !bench.prepare(name, size) {
            return Ok(());
        }
        let vectors = TestVectors::named(bench.cpu(), name, bits)?;
        let wanted = WAYS.map(|way| {
            let there = way != "test_vectors" || vectors.is_some();
            bench.wants(name, &format!("carrysave/{way}")) && there
        });
        if wanted == [false; 3] {
            return Ok(());
        }
        let datum = (self.datum)();
        let right = (self.operation)(&datum) == (self.answer)(&datum);
        if !right || vectors.as_ref().is_some_and(|vectors| vectors.wrong() > 0) {
            bench.refuse(name, size, "carrysave", "its answer is wrong".to_owned());
            return Ok(());
        }
        let time = bench.time() / (WAYS.len() * RUNS) as u32;
        let work = self.fixed_time(&datum, time).0.min(MOST);
        let mut ns: [Vec<f64>; 3] = array::from_fn(|_| vec![]);
        let mut clocks = vec![];
        for _ in 0..RUNS {
            let timed = |vectors: &TestVectors| {
                let passes = work.div_ceil(vectors.len());
                (passes * vectors.len(), vectors.time(passes))
            };
            let runs = [
                Some(self.fixed_time(&datum, time)),
                Some(self.fixed_work(work)),
                vectors.as_ref().map(timed),
            ];
            for (ns, run) in ns.iter_mut().zip(runs) {
                ns.extend(run.map(|(operations, took)| took.as_nanos() as f64 / operations as f64));
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
        Ok(())
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
}
