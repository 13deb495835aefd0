//! `teams`: one long operation on several threads against the same on one.
//!
//! `power` and `private` go by the wall clock. `power/processor` is the processor time of all threads together: what
//! sharing costs. `power/busy`, `private/busy` and `product/busy` are beside a thread that keeps one core busy, which must
//! not make a team slower than one thread. `private` is on the team even where the plan leaves it to one thread, as the plan comes
//! from it; there is no `private/busy` there, where both would be the same. All others do what the plan says.
//! `round_trip` is a barrier among running threads, and `start` an operation of nothing. In `power`, rows of `model/team`
//! are predictions for 2, 4, 8 and 16 members, from the time of one thread, the plan and the round trip, however many
//! processors there are; `model/amdahl` and `model/gustafson` are those laws for the same work, without exchanges.

use super::{Experiment, Levels, Share, modexp::random_power, rsa::pkcs8, siblings::siblings};
use crate::{
    Bench, Error,
    record::Size,
    rivals::{Power, padded},
};
use carrysave_arith::{Modulus, Nat, Plan};
use carrysave_engine::Threads;
use carrysave_kernels::Cpu;
use carrysave_schemes::rsa::PrivateKey;
use carrysave_schemes::testing::{self, NoFaults};
use carrysave_team::{Serial, Spawned, Team};
use getrandom::{SysRng, rand_core::UnwrapErr};
use num_bigint::BigUint;
use std::{
    hint::spin_loop,
    iter::once,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread::{self, JoinHandle},
};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "teams",
    about: "one power, private operation or product on several threads, against one thread",
    run,
    levels: Levels {
        quick: Some(Share::new(&[4096], 0.2, 5.0)),
        standard: Share::new(&[1024, 2048, 4096, 8192], 0.5, 60.0),
        full: Share::new(&[], 1.0, 120.0),
    },
};

/// Barriers a sample, so that waking the threads does not count.
const BARRIERS: usize = 1000;

fn run(bench: &mut Bench<'_>) -> Result<(), Error> {
    let mut counts = bench.thread_counts();
    counts.retain(|&threads| threads > 1);
    if counts.is_empty() {
        counts.push(bench.threads(2));
    }
    let siblings = match counts.contains(&2) {
        true => siblings()?,
        false => None,
    };
    let teams = counts.into_iter().map(super::team);
    let teams = &teams.collect::<Result<Vec<_>, _>>()?;
    meetings(bench, teams);
    for bits in bench.limb_bits(&[4096, 8192, 16_384, 26_880])? {
        powers(bench, teams, bits);
    }
    for bits in bench.bits(&[1024, 2048, 4096, 8192]) {
        private(bench, teams, siblings.as_deref(), bits)?;
    }
    for bits in bench.limb_bits(&[65_536, 262_144, 645_120])? {
        products(bench, teams, bits);
    }
    Ok(())
}

/// One thread, and each of the teams.
fn sides(teams: &[Threads]) -> impl Iterator<Item = (&'static str, &dyn Team)> {
    let teams = teams
        .iter()
        .map(|team| ("carrysave/team", team as &dyn Team));
    once(("carrysave", &Serial as &dyn Team)).chain(teams)
}

/// What it costs to meet, and to begin.
fn meetings(bench: &mut Bench<'_>, teams: &[Threads]) {
    let size = Size::Bits(0);
    let mut race = bench.race("round_trip", size);
    race.by_the_wall();
    race.of_jobs(BARRIERS);
    for team in teams {
        race.on_threads(team.size());
        let barriers =
            |_: &mut ()| team.run(&|member| (0..BARRIERS).for_each(|_| member.barrier()));
        race.enter("carrysave/threads", || (), barriers, |()| Ok(()));
    }
    race.run();
    let spawned: Vec<Spawned> = (teams.iter().map(Team::size)).map(Spawned::new).collect();
    let mut race = bench.race("start", size);
    race.by_the_wall();
    for (team, spawned) in teams.iter().zip(&spawned) {
        race.on_threads(team.size());
        race.enter(
            "carrysave/threads",
            || (),
            |()| team.run(&|_| ()),
            |()| Ok(()),
        );
        race.enter(
            "carrysave/spawned",
            || (),
            |()| spawned.run(&|_| ()),
            |()| Ok(()),
        );
    }
    race.run();
}

fn powers(bench: &mut Bench<'_>, teams: &[Threads], bits: usize) {
    let power = random_power(bits);
    let expected = expected(&power);
    let case = Case::new(bench.cpu(), &power);
    for name in ["power", "power/processor", "power/busy"] {
        let busy = name == "power/busy";
        let mut race = bench.race(name, Size::Bits(bits));
        race.by_the_wall();
        for (label, team) in sides(teams) {
            let check = |r: &Nat| match *r == expected {
                true => Ok(()),
                false => Err("its power is wrong".to_owned()),
            };
            let case = &case;
            race.on_threads(team.size());
            if name == "power/processor" {
                race.by_the_processor();
            }
            race.enter(
                label,
                move || busy.then(Busy::start),
                move |_| case.modulus.pow_on(team, &case.base, &case.exponent),
                check,
            );
        }
        if name == "power" {
            // From the round trip of the first team: powers of two members, however many the machine has.
            let all = case.modulus.pow_predictions(&teams[0], bits);
            for one in all.iter().filter(|one| one.members.is_power_of_two()) {
                race.predict("model/team", one.members, one.time);
                race.predict("model/amdahl", one.members, 1.0 / one.amdahl());
                race.predict("model/gustafson", one.members, 1.0 / one.gustafson());
            }
        }
        race.run();
    }
}

fn private(
    bench: &mut Bench<'_>,
    teams: &[Threads],
    siblings: Option<&dyn Team>,
    bits: usize,
) -> Result<(), Error> {
    // Sizes that were asked for are those of powers, too.
    let Ok(pkcs8) = pkcs8(bits) else {
        return Ok(());
    };
    let key = PrivateKey::from_any(pkcs8, None).map_err(|error| Error(error.to_string()))?;
    let m = Nat::from_limb(42);
    // The primes are of one length.
    let by_team = bits / 2 >= Plan::native().team_private;
    let races = ["private", "private/busy"];
    for name in &races[..1 + usize::from(by_team)] {
        let busy = *name == "private/busy";
        let mut race = bench.race(name, Size::Bits(bits));
        race.by_the_wall();
        let siblings = siblings.filter(|_| !busy);
        let siblings = siblings.map(|team| ("carrysave/team/siblings", team));
        for (label, team) in sides(teams).chain(siblings) {
            let (key, m) = (&key, &m);
            race.on_threads(team.size());
            race.enter(
                label,
                move || busy.then(Busy::start),
                move |_| match busy {
                    true => key.rsadp_on(team, &mut UnwrapErr(SysRng), m),
                    false => testing::rsadp(key, team, &mut UnwrapErr(SysRng), m, &mut NoFaults),
                },
                |s| match s.as_ref().map(|s| key.public().rsavp1(s)) {
                    Ok(Ok(back)) if back == *m => Ok(()),
                    _ => Err("its result is wrong".to_owned()),
                },
            );
        }
        race.run();
    }
    Ok(())
}

fn products(bench: &mut Bench<'_>, teams: &[Threads], bits: usize) {
    let [a, b] = [(); 2].map(|()| Nat::from_limbs(&super::random_limbs(bits / 64)));
    let [x, y] = [&a, &b].map(|x| BigUint::from_bytes_be(&x.to_be_bytes_vartime()));
    let expected = Nat::from_be_bytes(&(x * y).to_bytes_be());
    for name in ["product", "product/busy"] {
        let busy = name == "product/busy";
        let mut race = bench.race(name, Size::Bits(bits));
        race.by_the_wall();
        for (label, team) in sides(teams) {
            let (a, b, expected) = (&a, &b, &expected);
            let check = |r: &Nat| match r == expected {
                true => Ok(()),
                false => Err("its product is wrong".to_owned()),
            };
            race.on_threads(team.size());
            race.enter(
                label,
                move || busy.then(Busy::start),
                move |_| a.mul_on(team, b),
                check,
            );
        }
        race.run();
    }
}

/// A power as numbers.
struct Case {
    modulus: Modulus,
    base: Nat,
    exponent: Nat,
}

impl Case {
    fn new(cpu: Cpu, power: &Power) -> Case {
        let modulus = Modulus::with_cpu(&Nat::from_be_bytes(&power.modulus), cpu);
        let modulus = modulus.expect("an odd modulus");
        Case {
            base: modulus.reduce(&Nat::from_be_bytes(&power.base)),
            exponent: Nat::from_be_bytes(&power.exponent),
            modulus,
        }
    }
}

fn expected(power: &Power) -> Nat {
    let [base, exponent, modulus] =
        [&power.base, &power.exponent, &power.modulus].map(|bytes| BigUint::from_bytes_be(bytes));
    let r = base.modpow(&exponent, &modulus).to_bytes_be();
    Nat::from_be_bytes(&padded(&r, power.modulus.len()))
}

/// A thread that does nothing, as fast as it can, until it is dropped.
struct Busy {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Busy {
    fn start() -> Busy {
        let stop = Arc::new(AtomicBool::new(false));
        let seen = stop.clone();
        let spin = move || {
            while !seen.load(Relaxed) {
                spin_loop();
            }
        };
        Busy {
            stop,
            thread: Some(thread::spawn(spin)),
        }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
