//! A forked process has the memory of a team and none of its threads.

use crate::support::{KEYS, check, job, rng};
use carrysave_arith::{Modulus, Nat};
use carrysave_engine::{Batch, Service, ServiceOptions, Threads};
use carrysave_team::{Member, Serial, Team, in_order};
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

const THREE: usize = 3;

/// Whether a child process returns from `act`, within minutes.
fn child_returns(act: impl FnOnce()) -> bool {
    // SAFETY: a child has this thread alone. Of what the test's other threads may have locked it calls only the
    // allocator, which the system's library unlocks in a child. It ends without returning from here.
    let child = unsafe { libc::fork() };
    assert!(child >= 0, "no process can be started");
    if child == 0 {
        // SAFETY: neither takes a pointer. A child that waits for ever is ended by the alarm.
        unsafe { libc::alarm(120) };
        let failed = catch_unwind(AssertUnwindSafe(act)).is_err();
        // SAFETY: as above.
        unsafe { libc::_exit(i32::from(failed)) };
    }
    let mut status = 0;
    // SAFETY: the status is this thread's.
    let ended = unsafe { libc::waitpid(child, &mut status, 0) };
    assert_eq!(ended, child);
    status == 0
}

/// Every member meets the others, and what is offered is done.
fn operate(team: &dyn Team) {
    let sum = AtomicUsize::new(0);
    let size = team.size();
    let all = size * (size + 1) / 2;
    team.run(&|member: &Member<'_>| {
        sum.fetch_add(member.rank() + 1, Relaxed);
        member.barrier();
        assert_eq!(sum.load(Relaxed), all);
    });
    let next = AtomicUsize::new(0);
    team.offer(&|_| while next.fetch_add(1, Relaxed) < 100 {});
    assert!(next.into_inner() >= 100);
    let (mut taken, mut put) = (0, vec![]);
    let take = |piece: &mut usize| {
        *piece = taken;
        taken += 1;
        Ok::<bool, ()>(taken <= 10)
    };
    let act = |piece: &mut usize| *piece *= 2;
    let keep = |piece: &mut usize| {
        put.push(*piece);
        Ok(())
    };
    in_order(team, || 0, take, act, keep).unwrap();
    assert!(put.into_iter().eq((0..20).step_by(2)));
}

#[test]
fn a_team_is_its_caller_in_a_child() {
    let team = Threads::new(THREE).unwrap();
    operate(&team);
    let n = Modulus::new(&Nat::power_of_two(8192).sub_limb(1).unwrap()).unwrap();
    let seven = Nat::from_limb(7).resize(n.width()).unwrap();
    let expected = n.pow(&seven, n.nat());
    assert!(child_returns(|| {
        assert_eq!(team.size(), 1);
        operate(&team);
        assert!(n.pow_on(&team, &seven, n.nat()) == expected);
    }));
    assert_eq!(team.size(), 3);
    operate(&team);
}

#[test]
fn a_team_that_is_dropped_in_a_child_does_not_wait() {
    let (team, batch) = (Threads::new(THREE).unwrap(), Batch::new(THREE));
    let options = ServiceOptions {
        threads: THREE,
        ..Default::default()
    };
    let service = Service::with_rng(options, rng).unwrap();
    let job = job(5, &KEYS[0], 0);
    assert!(child_returns(|| {
        check(&job, &batch.run_with(rng, &[job.clone(), job.clone()])[0]);
        assert!(service.run(job.clone()).is_ok());
        drop((team, batch, service));
    }));
}

/// A lock that another thread holds during a fork is never released in the child.
#[test]
fn a_child_of_a_busy_process_takes_no_lock() {
    let (team, batch) = (Threads::new(THREE).unwrap(), Batch::new(THREE));
    let service = Service::new(ServiceOptions::default()).unwrap();
    let jobs = [job(5, &KEYS[0], 0), job(5, &KEYS[0], 1)];
    let end = AtomicBool::new(false);
    let failed = thread::scope(|scope| {
        scope.spawn(|| {
            while !end.load(Relaxed) {
                team.run(&|member| member.barrier());
            }
        });
        scope.spawn(|| {
            while !end.load(Relaxed) {
                batch.run_with(rng, &jobs);
            }
        });
        for job in &jobs {
            scope.spawn(|| {
                while !end.load(Relaxed) {
                    assert!(service.run(job.clone()).is_ok());
                }
            });
        }
        let failed = (0..20).find(|_| {
            !child_returns(|| {
                operate(&team);
                check(&jobs[0], &batch.run_with(rng, &jobs)[0]);
                assert!(service.run(jobs[0].clone()).is_ok());
            })
        });
        end.store(true, Relaxed);
        failed
    });
    assert_eq!(failed, None);
    operate(&Serial);
}
