//! `paths`: what becomes of each member's time in one operation on several threads, as the critical paths in
//! "Optimizing Crypto++ library for P4" (Zidenberg) and the reports by ompP in "The Performance of Cryptographic
//! Algorithms in the Age of Parallel Computing" (Khalifa 2011) show it.
//!
//! `work`, `waiting`, `idle`, `carrying` and `starting` of a member are the time of the operation together. Ways are measured one
//! after the other, each by a team that has a clock read where its members wait.

mod account;

use super::{
    Experiment, Levels, Share,
    modexp::random_power,
    rsa::pkcs8,
    siblings::teams_of_two,
    threads::{Named, Product, checked, raced, teams},
};
use crate::{
    Bench, Error, clock,
    race::Measurement,
    record::{Row, Size},
    stats,
};
use account::Accounts;
pub(crate) use account::{ACCOUNTS, IDLE, STARTING, WAITING};
use carrysave_arith::{
    Modulus, Nat,
    published::{mont_mul::ALGORITHMS, pow::Version},
};
use carrysave_measure::thesis;
use carrysave_schemes::rsa::PrivateKey;
use carrysave_schemes::testing::{self, NoFaults};
use carrysave_team::Team;
use getrandom::{SysRng, rand_core::UnwrapErr};
use std::time::Instant;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "paths",
    about: "what becomes of each member's time in one operation on several threads",
    run,
    levels: Levels {
        quick: None,
        standard: Share::new(&[2048, 4096], 0.1, 10.0),
        full: Share::new(&[], 0.3, 30.0),
    },
};

/// What separates a member's number from the way.
pub(crate) const MEMBER: &str = "/member-";

/// Percent of the time of all members that is in these accounts, in a Montgomery multiplication of so many bits, on as many
/// threads as there are rows of. Records that have no account of idleness have it among the waiting, and nothing on one of
/// these alone.
pub(crate) fn share(rows: &[&Row], bits: usize, way: &str, accounts: &[&str]) -> Option<f64> {
    let rows = measured(rows, bits, way);
    let time = |accounts: &[&str]| -> f64 {
        let asked = rows.iter().filter(|row| is_in(row, accounts));
        asked.map(|row| row.ns_median).sum()
    };
    let together = accounts.contains(&WAITING) == accounts.contains(&IDLE);
    let (all, apart) = (time(&ACCOUNTS), time(&[IDLE]) > 0.0);
    (all > 0.0 && (together || apart)).then(|| 100.0 * time(accounts) / all)
}

/// The accounts that [`share`] adds up: those of every member, on as many threads as there are rows of.
pub(crate) fn measured<'r>(rows: &[&'r Row], bits: usize, way: &str) -> Vec<&'r Row> {
    let member = format!("carrysave/{way}{MEMBER}");
    let of = |row: &&Row| {
        row.experiment == EXPERIMENT.name
            && row.bits == Some(bits)
            && row.implementation.starts_with(&member)
            && is_in(row, &ACCOUNTS)
    };
    let rows: Vec<&Row> = rows.iter().copied().filter(of).collect();
    let most = rows.iter().map(|row| row.threads).max();
    let on_most = rows.into_iter().filter(|row| Some(row.threads) == most);
    on_most.collect()
}

/// Whether a row is one of these accounts of a Montgomery multiplication.
fn is_in(row: &Row, accounts: &[&str]) -> bool {
    let account = row.operation.strip_prefix("mont_mul/");
    account.is_some_and(|account| accounts.contains(&account))
}

fn run(bench: &mut Bench<'_>) -> Result<(), Error> {
    let threads = bench.thread_counts().into_iter().max().unwrap_or(1);
    let (all, two) = (teams(threads)?, teams_of_two(threads)?);
    for bits in bench.limb_bits(&[1024])? {
        threaded_powers(bench, &two, bits);
    }
    for bits in bench.bits(&[2048]) {
        private(bench, &two, bits)?;
    }
    for bits in bench.limb_bits(&[thesis::LONG_POWER])? {
        power(bench, &all, bits);
    }
    for bits in bench.limb_bits(&[thesis::LONG_POWER, thesis::LONG_PRODUCT])? {
        products(bench, &all, bits);
    }
    Ok(())
}

/// Sliding windows from the right on two threads.
fn threaded_powers(bench: &mut Bench<'_>, teams: &[Named], bits: usize) {
    let power = random_power(bits);
    let [base, exponent, n] =
        [&power.base, &power.exponent, &power.modulus].map(|bytes| Nat::from_be_bytes(bytes));
    let modulus = Modulus::with_cpu(&n, bench.cpu()).expect("the modulus is odd");
    let check = checked(&power);
    for version in Version::ALL {
        let way = format!("{version:?}").to_lowercase();
        let act = |team: &dyn Team| modulus.pow_threaded_vartime(team, version, &base, &exponent);
        account(
            bench,
            ["modexp", &way],
            Size::Bits(bits),
            teams,
            act,
            &check,
        );
    }
}

/// RSA's private operation, a prime on each thread.
fn private(bench: &mut Bench<'_>, teams: &[Named], bits: usize) -> Result<(), Error> {
    // Sizes that were asked for are those of powers, too.
    let Ok(pkcs8) = pkcs8(bits) else {
        return Ok(());
    };
    let key = PrivateKey::from_any(pkcs8, None).map_err(|error| Error(error.to_string()))?;
    let m = Nat::from_limb(42);
    let act =
        |team: &dyn Team| testing::rsadp(&key, team, &mut UnwrapErr(SysRng), &m, &mut NoFaults);
    let check = |s: &_| match Result::as_ref(s).map(|s| key.public().rsavp1(s)) {
        Ok(Ok(back)) if back == m => Ok(()),
        _ => Err("its result is wrong".to_owned()),
    };
    account(
        bench,
        ["private", "crt"],
        Size::Bits(bits),
        teams,
        act,
        check,
    );
    Ok(())
}

/// A power whose products are shared, by bipartite multiplication where it is in radix 2^52.
fn power(bench: &mut Bench<'_>, teams: &[Named; 2], bits: usize) {
    let power = random_power(bits);
    let [base, exponent, n] =
        [&power.base, &power.exponent, &power.modulus].map(|bytes| Nat::from_be_bytes(bytes));
    let modulus = Modulus::with_cpu(&n, bench.cpu()).expect("the modulus is odd");
    let act = |team: &dyn Team| modulus.pow_on(team, &base, &exponent);
    let check = checked(&power);
    account(
        bench,
        ["power", "bipartite"],
        Size::Bits(bits),
        teams,
        act,
        check,
    );
}

/// Montgomery multiplication.
fn products(bench: &mut Bench<'_>, teams: &[Named; 2], bits: usize) {
    let case = Product::random(bits);
    for algorithm in ALGORITHMS {
        let act = |team: &dyn Team| case.by_team(algorithm, team);
        let check = |answer: &_| case.check(answer);
        account(
            bench,
            ["mont_mul", algorithm.name],
            Size::Bits(bits),
            raced(teams, bits),
            act,
            check,
        );
    }
}

/// Reports the accounts of an operation in one way by each team, after its answer was checked: the nanoseconds in the run
/// whose time is the median.
fn account<T>(
    bench: &mut Bench<'_>,
    [operation, way]: [&str; 2],
    size: Size,
    teams: &[Named],
    act: impl Fn(&dyn Team) -> T,
    check: impl Fn(&T) -> Result<(), String>,
) {
    for (team, kind) in teams {
        let team = &**team;
        let name = format!("carrysave/{way}{kind}");
        if !bench.prepare(operation, size) || !bench.wants(operation, &name) {
            continue;
        }
        if let Err(reason) = check(&act(team)) {
            bench.refuse(operation, size, &name, reason);
            continue;
        }
        let mut runs = vec![];
        let mut clocks = vec![];
        let start = Instant::now();
        while runs.len() < 3 || start.elapsed() < bench.time() {
            let accounts = Accounts::new(team);
            let begun = Instant::now();
            let answer = act(&accounts);
            let whole = begun.elapsed();
            drop(answer);
            runs.push((whole, accounts.closed(whole)));
            clocks.push(clock::core_ghz());
        }
        // The run in the middle, so that the accounts of each member are its time together.
        runs.sort_by_key(|(whole, _)| *whole);
        let (_, middle) = &runs[runs.len() / 2];
        let core_ghz = stats::median(&clocks);
        for (i, account) in ACCOUNTS.iter().enumerate() {
            let measured = middle.iter().enumerate().map(|(member, accounts)| {
                let all: Vec<f64> = runs.iter().map(|(_, run)| run[member][i]).collect();
                Measurement {
                    name: format!("{name}{MEMBER}{member}"),
                    ns_median: accounts[i],
                    ns_spread: stats::spread(&all),
                    samples: runs.len(),
                    core_ghz,
                }
            });
            // Nothing is no rate.
            let measured: Vec<Measurement> = measured.filter(|m| m.ns_median > 0.0).collect();
            let operation = format!("{operation}/{account}");
            bench.report(&operation, size, team.size(), &measured);
        }
    }
}
