//! Teams: the members meet, panics arrive, and what teams compute is what one thread computes.

use crate::support::{KEYS, KINDS, check, job, rng};
use carrysave_arith::{Cpu, Modulus, NEVER, Nat, Plan};
use carrysave_engine::{
    Batch, Cores, Service, ServiceOptions, Threads, ThreadsOptions, plan, run_on,
};
use carrysave_schemes::testing::{NoFaults, rsadp};
use carrysave_team::{Barrier, MAX_THREADS, Member, Serial, Spawned, Team};
use core::sync::atomic::{AtomicUsize, Ordering::*};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::Duration;

fn threads(n: usize) -> Threads {
    Threads::new(n).unwrap()
}

fn spawned(n: usize) -> Spawned {
    Spawned::new(n)
}

/// Members that run one after the other: a member that waits for another waits for ever.
struct OneByOne {
    size: usize,
    /// Whether the caller's part comes last.
    reversed: bool,
}

impl Team for OneByOne {
    fn size(&self) -> usize {
        self.size
    }

    fn run(&self, part: &(dyn Fn(&Member<'_>) + Sync)) {
        let barrier = Barrier::new(self.size);
        for i in 0..self.size {
            let rank = if self.reversed { self.size - 1 - i } else { i };
            barrier.enter(rank, part);
        }
        barrier.finish();
    }
}

/// Every member adds its rank to each sum, and sees all the others' after a barrier.
fn meet(team: &dyn Team) {
    const ROUNDS: usize = 50;
    let sums: Vec<_> = (0..ROUNDS).map(|_| AtomicUsize::new(0)).collect();
    let size = team.size();
    team.run(&|member| {
        assert!(member.rank() < member.size() && member.size() == size);
        for sum in &sums {
            sum.fetch_add(member.rank() + 1, Relaxed);
            member.barrier();
            assert_eq!(sum.load(Relaxed), size * (size + 1) / 2);
        }
    });
}

#[test]
fn no_more_threads_are_started_than_systems_bear() {
    let many = 100_000;
    // One after the other: each ends its threads.
    let makers: [fn(usize) -> usize; 3] = [
        |many| Threads::up_to(many).size(),
        |many| Threads::unmeasured(many).size(),
        |many| Batch::new(many).threads(),
    ];
    for size in makers.map(|make| make(many)) {
        assert!((2..=MAX_THREADS).contains(&size), "{size}");
    }
    assert_eq!(Spawned::new(many).size(), MAX_THREADS);
    let message = "100000 threads were asked for: ask for 1024 or fewer";
    assert_eq!(Threads::new(many).unwrap_err().to_string(), message);
    let options = ServiceOptions {
        threads: many,
        ..Default::default()
    };
    let refused = Service::with_rng(options, rng).map(|_| ()).unwrap_err();
    assert_eq!(refused.to_string(), message);
}

#[test]
fn members_meet_also_where_there_are_more_than_processors() {
    meet(&Serial);
    for size in [1, 2, 3, 5, 8] {
        let team = threads(size);
        assert_eq!(team.size(), size);
        assert_eq!(team.round_trip().is_zero(), size == 1);
        for _ in 0..20 {
            meet(&team);
        }
        meet(&spawned(size));
    }
}

#[test]
fn offered_work_is_done_once() {
    for team in [&threads(4) as &dyn Team, &spawned(3), &Serial] {
        for tasks in [0, 1, 7, 1000] {
            let done: Vec<_> = (0..tasks).map(|_| AtomicUsize::new(0)).collect();
            let (next, callers) = (AtomicUsize::new(0), AtomicUsize::new(0));
            team.offer(&|member| {
                callers.fetch_add(usize::from(member.rank() == 0), Relaxed);
                while let Some(done) = done.get(next.fetch_add(1, Relaxed)) {
                    done.fetch_add(1, Relaxed);
                }
            });
            assert_eq!(callers.into_inner(), 1);
            assert!(done.iter().all(|done| done.load(Relaxed) == 1));
        }
    }
}

#[test]
fn callers_take_turns() {
    let team = threads(3);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| meet(&team));
        }
    });
}

#[test]
fn threads_are_bound_to_processors_that_exist() {
    let bound = |processors: Vec<usize>| {
        Threads::with_options(3.try_into().unwrap(), &ThreadsOptions { processors })
    };
    let refused = bound(vec![1 << 20]).unwrap_err().to_string();
    if cfg!(target_os = "linux") {
        let message = "cannot bind a thread to processor 1048576: ";
        assert!(refused.starts_with(message), "{refused}");
        let first = Cores::here().apart()[0];
        meet(&bound(vec![first]).unwrap());
    }
}

#[test]
fn a_panic_reaches_the_caller_and_no_member_waits() {
    let teams: [&dyn Team; 3] = [&threads(2), &threads(4), &spawned(3)];
    for team in teams {
        for guilty in 0..team.size() {
            let panic = catch_unwind(AssertUnwindSafe(|| {
                team.run(&|member| {
                    assert!(member.rank() != guilty, "the member {guilty} fails");
                    member.barrier();
                });
            }));
            let said = panic.unwrap_err().downcast::<String>().unwrap();
            assert_eq!(*said, format!("the member {guilty} fails"));
            meet(team);
        }
    }
}

#[test]
fn a_team_does_not_wait_for_itself() {
    let team = threads(2);
    for nested in 0..2 {
        let panic = catch_unwind(AssertUnwindSafe(|| {
            team.run(&|member| {
                if member.rank() == nested {
                    team.run(&|_| ());
                }
            });
        }));
        assert!(panic.is_err());
    }
    meet(&team);
}

/// Plans by which a team shares powers of any size: by reductions of this many limbs at once, in blocks of digits, or
/// by transforms.
fn sharing(block: usize) -> [&'static Plan; 3] {
    [(NEVER, NEVER), (1, NEVER), (NEVER, 1)].map(|(blocks52, mclaughlin)| {
        let plan = Plan {
            team_pow: 1,
            team_block: vec![(NEVER, block)].leak(),
            radix52: 1,
            blocks52,
            mclaughlin,
            ..Plan::native().clone()
        };
        &*Box::leak(Box::new(plan))
    })
}

/// A modulus of `limbs` limbs, with few or all bits of the highest one.
fn modulus(limbs: usize, bits: usize, plan: &'static Plan) -> Modulus {
    let mut n = Nat::random_bits(64 * (limbs - 1) + bits, &mut rng());
    n.set_bit(0);
    n.set_bit(64 * (limbs - 1) + bits - 1);
    Modulus::with_plan(&n, Cpu::native(), plan).unwrap()
}

/// Powers by a team equal those by one thread, for exponents of `bits` bits, or of as many as transforms pay for.
fn powers(team: &dyn Team, limbs: usize, block: usize, bits: usize) {
    let [limbwise, blockwise, transforming] = sharing(block);
    let plans = [
        (64, limbwise),
        (63, limbwise),
        (2, limbwise),
        (64, blockwise),
        (2, blockwise),
        (64, transforming),
    ];
    for (top, plan) in plans {
        let n = modulus(limbs, top, plan);
        let alone = Modulus::new(n.nat()).unwrap();
        let bits = if plan.mclaughlin == NEVER {
            bits
        } else {
            bits.max(8 * limbs)
        };
        let residue = |x: &Nat| x.resize(n.width()).unwrap();
        let largest = n.nat().sub_limb(1).unwrap();
        let exponent = Nat::random_bits(bits, &mut rng());
        for base in [residue(&Nat::random_below(n.nat(), &mut rng())), largest] {
            let (power, expected) = (
                n.pow_on(team, &base, &exponent),
                alone.pow(&base, &exponent),
            );
            assert!(power == expected, "{limbs} limbs, {} members", team.size());
        }
    }
}

#[test]
fn powers_by_members_that_never_meet() {
    for limbs in [2, 3, 4, 7, 16, 23, 27, 33, 64, 65, 131] {
        for size in (1..=8).chain([12, 16]) {
            for reversed in [false, true] {
                let block = if limbs % 2 == 0 { 3 } else { 64 };
                powers(&OneByOne { size, reversed }, limbs, block, 70);
            }
        }
    }
}

#[test]
fn powers_by_threads() {
    let teams: Vec<Threads> = (1..=8).map(threads).collect();
    // The last two have the most blocks of digits that can owe all carries of a step, and one more.
    let limbs = (1..=300).step_by(47).chain([64, 128, 256, 649, 650]);
    for (i, limbs) in limbs.enumerate() {
        powers(&teams[i % 8], limbs, [64, 16][i % 2], 64);
        if limbs <= 300 {
            powers(&teams[1], limbs, 64, 200);
        }
    }
    powers(&threads(16), 300, 64, 64);
}

#[test]
fn powers_of_all_sizes_by_threads() {
    if std::env::var_os("CARRYSAVE_SLOW").is_none() {
        eprintln!("SKIPPED: powers of each size from 1 to 300 limbs: set CARRYSAVE_SLOW=1");
        return;
    }
    let teams: Vec<Threads> = (1..=8).map(threads).collect();
    (1..=300).for_each(|limbs| powers(&teams[limbs % 8], limbs, [64, 16][limbs / 8 % 2], 64));
}

#[test]
fn a_member_that_sleeps_finds_its_way() {
    /// A team whose members begin late, except for the first.
    struct Late(Threads, Duration);
    impl Team for Late {
        fn size(&self) -> usize {
            self.0.size()
        }
        fn run(&self, part: &(dyn Fn(&Member<'_>) + Sync)) {
            self.0.run(&|member| {
                thread::sleep(self.1 * member.rank() as u32);
                part(member);
            });
        }
    }
    for micros in [0, 100, 1000, 10_000] {
        let team = Late(threads(3), Duration::from_micros(micros));
        powers(&team, 40, 64, 1000);
    }
}

#[test]
fn private_operations_by_a_team() {
    let team = threads(3);
    for key in KEYS.iter() {
        let m = Nat::random_below(key.public().n(), &mut rng());
        let expected = key.rsadp(&mut rng(), &m).unwrap();
        for team in [&team as &dyn Team, &spawned(2), &Serial] {
            assert!(key.rsadp_on(team, &mut rng(), &m).unwrap() == expected);
            let by_team = rsadp(key, team, &mut rng(), &m, &mut NoFaults);
            assert!(by_team.unwrap() == expected);
        }
        for kind in 0..KINDS {
            let job = job(kind, key, 0);
            check(&job, &run_on(&job, &team, &mut rng()));
        }
    }
}

/// Several members a power, and powers of different lengths, whoever comes.
#[test]
fn members_share_several_powers() {
    let [limbwise, blockwise, transforming] = sharing(64);
    let moduli = [
        (40, limbwise),
        (35, blockwise),
        (1, blockwise),
        (130, transforming),
    ];
    let moduli = moduli.map(|(limbs, plan)| modulus(limbs, 63, plan));
    let below = |n: &Modulus| Nat::random_below(n.nat(), &mut rng());
    let bases = moduli.each_ref().map(below);
    // Short: more threads than processors take long for each step.
    let exponents =
        [70, 64, 40, 130].map(|bits| Nat::random_below(&Nat::power_of_two(bits), &mut rng()));
    let powers: Vec<_> = (moduli.iter().zip(&bases).zip(&exponents))
        .map(|((n, base), exponent)| (n, base, exponent))
        .collect();
    let alone = |(n, base, exponent): &(&Modulus, &Nat, &Nat)| n.pow(base, exponent);
    let alone: Vec<Nat> = powers.iter().map(alone).collect();
    let kept = [2, 5, 9, 16].map(threads);
    let [forwards, backwards] = [false, true].map(|reversed| OneByOne { size: 9, reversed });
    let teams = kept.iter().map(|team| team as &dyn Team);
    for team in teams.chain([&forwards as &dyn Team, &backwards, &Serial]) {
        for count in 0..=powers.len() {
            let found = Modulus::pow_each_on(team, &powers[..count]);
            assert!(
                found == alone[..count],
                "{count} powers, {} members",
                team.size()
            );
        }
    }
}

#[test]
fn members_share_the_powers_of_a_private_operation() {
    let teams = [4, 6, 8].map(threads);
    for key in KEYS.iter() {
        let m = Nat::random_below(key.public().n(), &mut rng());
        let expected = key.rsadp(&mut rng(), &m).unwrap();
        for plan in sharing(64) {
            let key = key.with_plan(Cpu::native(), plan);
            for team in &teams {
                let by_team = rsadp(&key, team, &mut rng(), &m, &mut NoFaults);
                assert!(by_team.unwrap() == expected, "{} members", team.size());
            }
        }
    }
}

#[test]
fn a_panic_in_a_private_operation_reaches_the_caller() {
    /// A team whose second member fails before it begins.
    struct Failing(Threads);
    impl Team for Failing {
        fn size(&self) -> usize {
            self.0.size()
        }
        fn run(&self, part: &(dyn Fn(&Member<'_>) + Sync)) {
            self.0.run(&|member| {
                assert_ne!(member.rank(), 1, "a member fails");
                part(member);
            });
        }
    }
    let (key, team) = (&KEYS[0], Failing(threads(2)));
    let m = Nat::from_limb(7);
    // Regardless of the plan.
    let by_team = || rsadp(key, &team, &mut rng(), &m, &mut NoFaults);
    let failed = catch_unwind(AssertUnwindSafe(by_team));
    assert!(failed.is_err());
    assert!(key.rsadp_on(&team.0, &mut rng(), &m).is_ok());
}

#[test]
fn products_by_transforms_are_shared_by_threads() {
    let by_transforms = |line: &str| match line.split_once(" = ") {
        Some(("mul", _)) => {
            "mul = [{ up_to = 1, use = \"schoolbook\" }, { use = \"fft\" }]".to_owned()
        }
        Some(("team_mul", _)) => "team_mul = 52".to_owned(),
        _ => line.to_owned(),
    };
    let plan = plan::to_toml(Plan::native());
    let plan: Vec<String> = plan.lines().map(by_transforms).collect();
    let plan = plan::from_toml(&plan.join("\n")).unwrap();
    let number = |limbs: usize| Nat::random_bits(64 * limbs, &mut rng());
    for members in 2..=4 {
        let team = threads(members);
        for (n, m) in [(52, 52), (300, 64), (1000, 999), (3000, 2500)] {
            for _ in 0..10 {
                let (a, b) = (number(n), number(m));
                assert!(a.mul_on_with(&team, &b, &plan) == a.mul(&b), "{n} and {m}");
            }
        }
    }
}
