//! A team whose members' time is accounted for.

use carrysave_team::{Member, Overhead, Team, Watch};
use std::{
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::{Duration, Instant},
};

/// The time of a member is in one of these.
pub(crate) const ACCOUNTS: [&str; 5] = ["work", WAITING, IDLE, "carrying", STARTING];
/// Within a part of the operation: at barriers, for others' words, numbers and messages, for the critical section.
pub(crate) const WAITING: &str = "waiting";
/// Without a part: until the others have ended theirs, and while rank 0 works alone.
pub(crate) const IDLE: &str = "idle";
/// Until it begins a part that was given out.
pub(crate) const STARTING: &str = "starting";

/// A team whose members' time is accounted for. Each wait is longer by what it takes to read a clock. It does not say how
/// long a round trip takes, which might leave an operation to one member.
pub(super) struct Accounts<'t> {
    team: &'t dyn Team,
    /// Nanoseconds of the parts of operations that the team had together.
    shared: AtomicU64,
    members: Vec<Times>,
}

/// Nanoseconds of a member.
#[derive(Debug, Default)]
struct Times {
    /// From when a part was given out until the member began it.
    starting: AtomicU64,
    /// Within its parts, with what follows.
    inside: AtomicU64,
    waiting: AtomicU64,
    carrying: AtomicU64,
}

fn add(to: &AtomicU64, time: Duration) {
    to.fetch_add(time.as_nanos() as u64, Relaxed);
}

impl<'t> Accounts<'t> {
    pub(super) fn new(team: &'t dyn Team) -> Accounts<'t> {
        Accounts {
            team,
            shared: AtomicU64::new(0),
            members: (0..team.size()).map(|_| Times::default()).collect(),
        }
    }

    /// The accounts of each member of an operation that took `whole`, in the order of [`ACCOUNTS`], which sum up to that
    /// time. Rank 0 works while the team has no part, and the others are idle.
    pub(super) fn closed(self, whole: Duration) -> Vec<[f64; 5]> {
        let whole = whole.as_nanos() as f64;
        let alone = whole - self.shared.into_inner() as f64;
        let close = |(rank, times): (usize, Times)| {
            let Times {
                starting,
                inside,
                waiting,
                carrying,
            } = times;
            let [starting, inside, waiting, carrying] =
                [starting, inside, waiting, carrying].map(|ns| ns.into_inner() as f64);
            let alone = if rank == 0 { alone } else { 0.0 };
            let work = alone + inside - waiting - carrying;
            let idle = whole - work - waiting - carrying - starting;
            [work, waiting, idle, carrying, starting]
        };
        self.members.into_iter().enumerate().map(close).collect()
    }

    /// Has the team do a part in this way, and accounts for it.
    fn watch(
        &self,
        part: &(dyn Fn(&Member<'_>) + Sync),
        act: impl FnOnce(&(dyn Fn(&Member<'_>) + Sync)),
    ) {
        let start = Instant::now();
        act(&|member| {
            let times = &self.members[member.rank()];
            let begun = Instant::now();
            add(&times.starting, begun - start);
            part(&member.watched(times));
            add(&times.inside, begun.elapsed());
        });
        add(&self.shared, start.elapsed());
    }
}

impl Team for Accounts<'_> {
    fn size(&self) -> usize {
        self.team.size()
    }

    fn run(&self, part: &(dyn Fn(&Member<'_>) + Sync)) {
        self.watch(part, |part| self.team.run(part));
    }

    fn offer(&self, part: &(dyn Fn(&Member<'_>) + Sync)) {
        self.watch(part, |part| self.team.offer(part));
    }

    fn offer_few(&self, members: usize, part: &(dyn Fn(&Member<'_>) + Sync)) {
        self.watch(part, |part| self.team.offer_few(members, part));
    }

    fn is_prompt(&self) -> bool {
        self.team.is_prompt()
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

#[cfg(test)]
mod tests {
    use super::*;
    use carrysave_team::Spawned;
    use std::thread::sleep;

    #[test]
    fn the_accounts_of_each_member_are_the_time_of_the_operation() {
        const STEP: Duration = Duration::from_millis(20);
        let team = Spawned::new(2);
        let accounts = Accounts::new(&team);
        let start = Instant::now();
        sleep(STEP);
        accounts.run(&|member| {
            if member.rank() == 1 {
                sleep(STEP);
                member.overhead(Overhead::Carrying, &mut || sleep(STEP));
            }
            member.barrier();
            if member.rank() == 1 {
                sleep(2 * STEP);
            }
        });
        let whole = start.elapsed();
        let members = accounts.closed(whole);
        let (ns, least) = (whole.as_nanos() as f64, STEP.as_nanos() as f64);
        for accounts in &members {
            let sum: f64 = accounts.iter().sum();
            assert!((sum - ns).abs() < 1000.0, "{accounts:?} of {ns}");
            assert!(accounts.iter().all(|ns| *ns >= 0.0), "{accounts:?}");
        }
        let [
            [work, waiting, idle, carrying, _],
            [other_work, _, other_idle, other_carrying, _],
        ] = members[..]
        else {
            panic!("two members");
        };
        // Rank 0 sleeps before, waits for what rank 1 does before the barrier, and is idle while that goes on behind it.
        assert!(work >= least && waiting >= least && idle >= least && carrying == 0.0);
        assert!(other_work >= 2.0 * least && other_idle >= least && other_carrying >= least);
    }
}
