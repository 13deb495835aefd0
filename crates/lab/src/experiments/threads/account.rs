//! What becomes of the threads' time in one multiplication: as the thesis's reports by ompP.

use super::{Product, raced, teams};
use crate::{Bench, Error, clock, race::Measurement, record::Size, stats};
use carrysave_arith::published::mont_mul::ALGORITHMS;
use carrysave_team::{Member, Overhead, Team, Watch};
use std::{
    array,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::{Duration, Instant},
};

/// The time of all threads together is in one of these.
const ACCOUNTS: [&str; 4] = ["work", "waiting", "carrying", "starting"];

/// Reports the accounts of every algorithm, in nanoseconds a multiplication of all threads together.
pub(super) fn rows(bench: &mut Bench<'_>, case: &Product, threads: usize) -> Result<(), Error> {
    let size = Size::Bits(case.bits);
    if !bench.prepare("account", size) {
        return Ok(());
    }
    let teams = teams(threads)?;
    let mut measured: [Vec<Measurement>; 4] = array::from_fn(|_| vec![]);
    for algorithm in ALGORITHMS {
        for (team, kind) in raced(&teams, case.bits) {
            let team = &**team;
            let name = format!("carrysave/{}{kind}", algorithm.name);
            if !bench.wants("account", &name) {
                continue;
            }
            if let Err(reason) = case.check(&case.by_team(algorithm, team)) {
                bench.refuse("account", size, &name, reason);
                continue;
            }
            let mut samples: [Vec<f64>; 4] = array::from_fn(|_| vec![]);
            let mut clocks = vec![];
            let start = Instant::now();
            let budget = bench.time() / (2 * ALGORITHMS.len()) as u32;
            while clocks.len() < 3 || start.elapsed() < budget {
                let accounts = Accounts::new(team);
                case.by_team(algorithm, &accounts);
                for (samples, ns) in samples.iter_mut().zip(accounts.closed()) {
                    samples.push(ns);
                }
                clocks.push(clock::core_ghz());
            }
            for (measured, samples) in measured.iter_mut().zip(&samples) {
                measured.push(Measurement {
                    name: name.clone(),
                    ns_median: stats::median(samples),
                    ns_spread: stats::spread(samples),
                    samples: samples.len(),
                    core_ghz: stats::median(&clocks),
                });
            }
        }
    }
    for (account, mut measured) in ACCOUNTS.iter().zip(measured) {
        // Nothing is no rate.
        measured.retain(|m| m.ns_median > 0.0);
        let operation = format!("account/{account}");
        bench.report(&operation, size, threads, &measured);
    }
    Ok(())
}

/// A team whose members' time is accounted for. Each wait is longer by what it takes to read a clock.
struct Accounts<'t> {
    team: &'t dyn Team,
    times: Times,
}

/// Nanoseconds, summed over the members.
#[derive(Debug, Default)]
struct Times {
    /// From beginning to end, for every member.
    all: AtomicU64,
    /// Within the members' parts.
    inside: AtomicU64,
    waiting: AtomicU64,
    carrying: AtomicU64,
}

fn add(to: &AtomicU64, time: Duration) {
    to.fetch_add(time.as_nanos() as u64, Relaxed);
}

impl<'t> Accounts<'t> {
    fn new(team: &'t dyn Team) -> Accounts<'t> {
        let times = Times::default();
        Accounts { team, times }
    }

    /// The sums, in the order of [`ACCOUNTS`].
    fn closed(self) -> [f64; 4] {
        let Times {
            all,
            inside,
            waiting,
            carrying,
        } = self.times;
        let [all, inside, waiting, carrying] =
            [all, inside, waiting, carrying].map(|ns| ns.into_inner() as f64);
        [inside - waiting - carrying, waiting, carrying, all - inside]
    }
}

impl Team for Accounts<'_> {
    fn size(&self) -> usize {
        self.team.size()
    }

    fn run(&self, part: &(dyn Fn(&Member<'_>) + Sync)) {
        let start = Instant::now();
        self.team.run(&|member| {
            let start = Instant::now();
            part(&member.watched(&self.times));
            add(&self.times.inside, start.elapsed());
        });
        add(&self.times.all, start.elapsed() * self.size() as u32);
    }
}

impl Watch for Times {
    fn watch(&self, _: usize, overhead: Overhead, body: &mut dyn FnMut()) {
        let start = Instant::now();
        body();
        let account = match overhead {
            Overhead::Waiting => &self.waiting,
            Overhead::Carrying => &self.carrying,
        };
        add(account, start.elapsed());
    }
}
