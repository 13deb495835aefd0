//! A team of the two threads of one core (simultaneous multithreading, SMT; Intel calls it hyper-threading).

use super::threads::{Named, teams};
use crate::Error;
use carrysave_engine::{Cores, Threads, ThreadsOptions};
use carrysave_team::{Member, Team};
use std::time::Duration;

/// The end of the names of its rows.
pub(crate) const SIBLINGS: &str = "/siblings";

/// A team whose caller is bound to one thread of a core while an operation runs, and whose other member to the other.
struct Siblings {
    team: Threads,
    caller: usize,
}

/// Teams of this number of threads, which is two at most; and the two threads of one core, if there are such cores.
pub(super) fn teams_of_two(threads: usize) -> Result<Vec<Named>, Error> {
    let threads = threads.min(2);
    let mut all: Vec<Named> = teams(threads)?.into();
    if threads == 2 {
        all.extend(siblings()?.map(|team| (team, SIBLINGS)));
    }
    Ok(all)
}

/// The two threads of one core, if there are such cores.
pub(super) fn siblings() -> Result<Option<Box<dyn Team>>, Error> {
    let Some([caller, other]) = Cores::here().siblings() else {
        return Ok(None);
    };
    let options = ThreadsOptions {
        processors: vec![other],
    };
    let team = Threads::with_options(2, &options)
        .map_err(|e| Error(format!("there is no team on the threads of one core: {e}")))?;
    Ok(Some(Box::new(Siblings { team, caller })))
}

impl Siblings {
    /// Acts with the calling thread on its processor. Where the system does not bind it, it acts all the same.
    fn bound(&self, act: impl FnOnce()) {
        #[cfg(target_os = "linux")]
        {
            use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
            let own = sched_getaffinity(None);
            let mut set = CpuSet::new();
            set.set(self.caller);
            let _ = sched_setaffinity(None, &set);
            act();
            let _ = own.and_then(|own| sched_setaffinity(None, &own));
        }
        #[cfg(not(target_os = "linux"))]
        {
            let _ = self.caller;
            act();
        }
    }
}

impl Team for Siblings {
    fn size(&self) -> usize {
        self.team.size()
    }

    fn run(&self, part: &(dyn Fn(&Member<'_>) + Sync)) {
        self.bound(|| self.team.run(part));
    }

    fn offer(&self, part: &(dyn Fn(&Member<'_>) + Sync)) {
        self.bound(|| self.team.offer(part));
    }

    fn offer_few(&self, members: usize, part: &(dyn Fn(&Member<'_>) + Sync)) {
        self.bound(|| self.team.offer_few(members, part));
    }

    fn is_prompt(&self) -> bool {
        self.team.is_prompt()
    }

    fn round_trip(&self) -> Duration {
        self.team.round_trip()
    }
}
