//! A race: contenders that computed the right answer, timed in turns within one process.
//!
//! Whatever disturbs the machine disturbs all contenders alike, because they run A B C, B C A, C A B, ... in samples of
//! about a millisecond; so ratios hold where absolute figures do not. Time is the processor time of the process, unless
//! several threads work. The core clock is measured between rounds.

use crate::{
    clock::{self, Stopwatch},
    stats,
};
use std::{
    array,
    hint::black_box,
    ops::RangeInclusive,
    time::{Duration, Instant},
};

/// One way to do the work. It exists only if its answer was checked and found right.
pub struct Contender<'a> {
    name: String,
    sample: Box<dyn FnMut(u64, Stopwatch) -> Duration + 'a>,
    /// What the operation took whose answer was checked, by each stopwatch.
    first: [Duration; 2],
}

impl<'a> Contender<'a> {
    /// Runs `op` once and lets `check` judge its answer; a contender only if that succeeds.
    ///
    /// `setup` runs before each timed sample, outside the time taken: it places operands, for instance, at another
    /// address.
    ///
    /// # Errors
    /// What `check` says is wrong.
    pub fn checked<S, T>(
        name: impl Into<String>,
        mut setup: impl FnMut() -> S + 'a,
        mut op: impl FnMut(&mut S) -> T + 'a,
        check: impl FnOnce(&T) -> Result<(), String>,
    ) -> Result<Contender<'a>, String> {
        let mut state = setup();
        let starts = Stopwatch::ALL.map(Stopwatch::now);
        let answer = op(&mut state);
        let first = array::from_fn(|i| Stopwatch::ALL[i].now().saturating_sub(starts[i]));
        drop(state);
        check(&answer)?;
        drop(answer);
        let sample = move |times, stopwatch: Stopwatch| {
            let mut state = setup();
            let start = stopwatch.now();
            for _ in 0..times {
                black_box(op(black_box(&mut state)));
            }
            stopwatch.now().saturating_sub(start)
        };
        Ok(Contender {
            name: name.into(),
            sample: Box::new(sample),
            first,
        })
    }

    /// A contender that is timed elsewhere, its answer checked already. `again` does the operation as many times as it
    /// is told and returns how long that took; the first time took `first`.
    pub fn elsewhere(
        name: impl Into<String>,
        first: Duration,
        mut again: impl FnMut(u64) -> Duration + 'a,
    ) -> Contender<'a> {
        Contender {
            name: name.into(),
            sample: Box::new(move |times, _| again(times)),
            first: [first; 2],
        }
    }

    /// Does the operation once, for those who look at what it does.
    #[cfg(test)]
    pub(crate) fn once(&mut self) {
        (self.sample)(1, Stopwatch::Wall);
    }

    /// Its name in tables and records.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn measured(&self, ns: &[f64], core_ghz: f64) -> Measurement {
        Measurement {
            name: self.name.clone(),
            ns_median: stats::median(ns),
            ns_spread: stats::spread(ns),
            samples: ns.len(),
            core_ghz,
        }
    }
}

/// How long a race goes on.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Until this time is spent ...
    pub time: Duration,
    /// ... but for a number of rounds (samples of each contender) in this range ...
    pub rounds: RangeInclusive<usize>,
    /// ... unless the operations whose answers were checked took longer than this together: then they are the samples.
    pub patience: Duration,
}

impl Budget {
    /// `seconds` for the race as a whole, and at least three rounds if they can be had in about thirty times that.
    pub fn seconds(seconds: f64) -> Budget {
        Budget::rounds(seconds, 3..=usize::MAX)
    }

    /// `seconds` for the race as a whole, and a number of rounds within `rounds`.
    pub fn rounds(seconds: f64, rounds: RangeInclusive<usize>) -> Budget {
        let time = Duration::from_secs_f64(seconds);
        Budget {
            time,
            rounds,
            patience: (10 * time).max(Duration::from_secs(1)),
        }
    }

    /// The duration of a sample for which about 25 rounds fit the budget.
    fn sample(&self, contenders: usize) -> Duration {
        let share = self.time / (25 * contenders.max(1)) as u32;
        share.clamp(Duration::from_micros(20), Duration::from_millis(1))
    }
}

/// What one contender did in a race.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// The contender.
    pub name: String,
    /// Nanoseconds an operation: median over the samples.
    pub ns_median: f64,
    /// Nanoseconds an operation: upper less lower quartile.
    pub ns_spread: f64,
    /// How many samples there were.
    pub samples: usize,
    /// The core clock during the race: median over the rounds.
    pub core_ghz: f64,
}

impl Measurement {
    /// The time of one of `jobs` operations that were done at once and measured together.
    #[must_use]
    pub fn shared_by(self, jobs: usize) -> Measurement {
        Measurement {
            ns_median: self.ns_median / jobs as f64,
            ns_spread: self.ns_spread / jobs as f64,
            ..self
        }
    }
}

/// Times the contenders in turns until the budget is spent.
pub fn race(
    contenders: &mut [Contender<'_>],
    budget: &Budget,
    stopwatch: Stopwatch,
) -> Vec<Measurement> {
    let first: Vec<Duration> = contenders
        .iter()
        .map(|c| c.first[stopwatch as usize])
        .collect();
    let mut clocks = vec![clock::core_ghz()];
    if first.iter().sum::<Duration>() > budget.patience {
        let once = |(c, first): (&Contender<'_>, Duration)| {
            c.measured(&[nanoseconds(first, 1)], clocks[0])
        };
        return contenders.iter().zip(first).map(once).collect();
    }
    let target = budget.sample(contenders.len());
    let times: Vec<u64> = contenders
        .iter_mut()
        .zip(first)
        .map(|(c, first)| match first > LONG * target {
            true => 1,
            false => calibrate(&mut |times| (c.sample)(times, stopwatch), target),
        })
        .collect();
    let mut samples = vec![Vec::new(); contenders.len()];
    let start = Instant::now();
    for round in 0..*budget.rounds.end() {
        if round >= *budget.rounds.start() && start.elapsed() >= budget.time {
            break;
        }
        for turn in 0..contenders.len() {
            let i = (round + turn) % contenders.len();
            let elapsed = (contenders[i].sample)(times[i], stopwatch);
            samples[i].push(nanoseconds(elapsed, times[i]));
        }
        clocks.push(clock::core_ghz());
    }
    let core_ghz = stats::median(&clocks);
    contenders
        .iter()
        .zip(samples)
        .map(|(contender, ns)| contender.measured(&ns, core_ghz))
        .collect()
}

/// The factor above a sample's duration from which on cold caches no longer explain how long a first operation took:
/// one operation then makes a sample.
const LONG: u32 = 20;

/// The nanoseconds of one of `times` operations.
fn nanoseconds(elapsed: Duration, times: u64) -> f64 {
    elapsed.as_nanos() as f64 / times as f64
}

/// How many operations make a sample of about `target`; at least one.
fn calibrate(sample: &mut dyn FnMut(u64) -> Duration, target: Duration) -> u64 {
    let mut times = 1;
    loop {
        let elapsed = sample(times).max(Duration::from_nanos(1));
        if elapsed >= target / 2 {
            let scale = target.as_secs_f64() / elapsed.as_secs_f64();
            return ((times as f64 * scale) as u64).max(1);
        }
        times *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn right(answer: &u64) -> Result<(), String> {
        if *answer == 42 {
            Ok(())
        } else {
            Err(format!("{answer} is not 42"))
        }
    }

    #[test]
    fn a_wrong_answer_never_races() {
        assert!(Contender::checked("good", || (), |_| 42, right).is_ok());
        let refused = Contender::checked("bad", || (), |_| 41, right)
            .err()
            .unwrap();
        assert_eq!(refused, "41 is not 42");
    }

    #[test]
    fn all_contenders_get_the_same_number_of_samples_in_turns() {
        use std::cell::RefCell;
        let log = RefCell::new(Vec::new());
        let contender = |name: &'static str| {
            let log = &log;
            // Slow enough that a sample is one operation.
            let op = move |_: &mut ()| {
                log.borrow_mut().push(name);
                std::thread::sleep(Duration::from_micros(50));
                42
            };
            Contender::checked(name, || (), op, right).unwrap()
        };
        let mut contenders = [contender("a"), contender("b"), contender("c")];
        log.borrow_mut().clear();
        let budget = Budget::rounds(0.0, 2..=2);
        let measured = race(&mut contenders, &budget, Stopwatch::Wall);
        assert!(
            measured
                .iter()
                .all(|m| m.samples == 2 && m.ns_median >= 50_000.0 && m.core_ghz > 0.0)
        );
        // Calibrations, and then the rounds.
        assert!(log.borrow().ends_with(&["a", "b", "c", "b", "c", "a"]));
    }

    #[test]
    fn what_takes_too_long_is_not_done_again() {
        use std::cell::Cell;
        let runs = Cell::new(0);
        let op = |_: &mut ()| {
            runs.set(runs.get() + 1);
            std::thread::sleep(Duration::from_millis(2));
            42
        };
        let mut contenders = [Contender::checked("a", || (), op, right).unwrap()];
        let mut budget = Budget::seconds(0.0);
        budget.patience = Duration::from_millis(1);
        let measured = race(&mut contenders, &budget, Stopwatch::Wall);
        assert_eq!((measured[0].samples, runs.get()), (1, 1));
        assert!(measured[0].ns_median >= 2e6);
        budget.patience = Duration::MAX;
        let measured = race(&mut contenders, &budget, Stopwatch::Wall);
        assert_eq!((measured[0].samples, runs.get()), (3, 4));
    }

    #[test]
    fn who_is_timed_elsewhere_says_how_long_it_took() {
        let each = Duration::from_micros(10);
        let slow = Contender::elsewhere("slow", each, |times| 3 * each * times as u32);
        let fast = Contender::elsewhere("fast", each, |times| each * times as u32);
        let measured = race(
            &mut [slow, fast],
            &Budget::rounds(0.0, 2..=2),
            Stopwatch::Processor,
        );
        assert_eq!([30_000.0, 10_000.0], [0, 1].map(|i| measured[i].ns_median));
    }

    #[test]
    fn setup_runs_once_a_sample() {
        use std::cell::Cell;
        let (setups, ops) = (Cell::new(0), Cell::new(0));
        let count = |counter: &Cell<u32>| counter.set(counter.get() + 1);
        let op = |_: &mut ()| {
            count(&ops);
            42
        };
        let mut contender = Contender::checked("a", || count(&setups), op, right).unwrap();
        assert_eq!((setups.get(), ops.get()), (1, 1), "the check");
        (contender.sample)(1000, Stopwatch::Wall);
        assert_eq!((setups.get(), ops.get()), (2, 1001));
    }
}
