//! Long runs: something goes on for minutes while what is around it changes, and nothing may fail, hang, grow or stay open.
//!
//! A row of [`SUBJECTS`] is what goes on, in a process of its own or in several. A row of the disturbances is what is done
//! to these processes meanwhile. All subjects go on at once, so that they disturb each other, too.
//!
//! A wrong or missing result is a fault; so is what hangs, and memory, descriptors or threads that grow. A disturbance that
//! never takes effect is one, too: the run would not show what it says. Only what the system lacks for it, which is found
//! before the run, excuses it: the report then has the word SKIPPED.

mod disturbances;
mod farm;
mod inside;

use crate::handshakes;
use crate::processes::{self, Processes};
pub(crate) use disturbances::Disturber;
pub use inside::work;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use std::{io, thread};

/// Where the programs are, and how much there is to go through.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The program whose command `soak --inside NAME` calls [`work`].
    pub program: PathBuf,
    /// The provider's module.
    pub module: PathBuf,
    /// The program `carrysave-mpi`.
    pub farm: PathBuf,
    /// How long each subject goes on.
    pub time: Duration,
    /// How many clients a server has, and how many callers a service.
    pub clients: usize,
}

/// What can go on for minutes.
#[derive(Debug)]
pub struct Subject {
    /// Its name.
    pub name: &'static str,
    /// What it is, in words.
    pub about: &'static str,
    start: fn(&Setting, &Disturber) -> io::Result<Box<dyn Trial>>,
}

/// All that can.
pub const SUBJECTS: &[Subject] = &[
    Subject {
        name: "signer",
        about: "two threads that share keys, a team, and keys that come and go",
        start: inside::signer,
    },
    Subject {
        name: "service",
        about: "a service with many callers, batches and services that come and go",
        start: inside::service,
    },
    Subject {
        name: "farm",
        about: "files that three ranks of carrysave-mpi sign",
        start: farm::start,
    },
    Subject {
        name: "haproxy",
        about: "haproxy with the provider; one client in a hundred hangs up",
        start: handshakes::waiting,
    },
    Subject {
        name: "haproxy-async",
        about: "haproxy with the provider and ssl-mode-async",
        start: handshakes::asynchronous,
    },
    Subject {
        name: "haproxy-torn",
        about: "haproxy with the provider and ssl-mode-async, whose clients all hang up",
        start: handshakes::hung_up_on,
    },
];

/// One subject that goes on.
pub(crate) trait Trial: Send {
    /// What it runs in.
    fn processes(&self) -> Processes;

    /// Lets it go on for so long.
    fn go_on(&mut self, time: Duration) -> io::Result<()>;

    /// By how many KiB its memory has grown for a known reason.
    fn keeps(&self) -> u64 {
        0
    }

    /// How many descriptors it has open now and then, for something that it does again and again.
    fn opens(&self) -> u64 {
        0
    }

    /// Whether it has the wall clock as it is.
    fn has_wall_clock(&self) -> bool {
        false
    }

    /// Ends it.
    fn end(self: Box<Self>) -> io::Result<Outcome>;
}

/// What a subject has done.
pub(crate) struct Outcome {
    /// In words.
    pub did: String,
    /// What was wrong, a sentence each.
    pub faults: Vec<String>,
}

/// Ends all processes that this one has started, and removes the groups that they were put in: before an interrupt ends it.
pub fn end_all() {
    let groups = disturbances::groups(Processes(std::process::id()));
    processes::end_all();
    for group in groups {
        _ = std::fs::remove_dir(group);
    }
}

/// What became of a subject.
#[derive(Clone, Debug)]
pub struct Soaked {
    /// The subject's name.
    pub name: &'static str,
    /// What it has done, in words.
    pub did: String,
    /// What was done to it, in words.
    pub disturbed: String,
    /// How long it went on.
    pub time: Duration,
    /// What it had in use after the first tenth, and at the end.
    pub used: Option<[Used; 2]>,
    /// What was wrong, a sentence each.
    pub faults: Vec<String>,
}

/// What processes have in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Used {
    /// Memory in KiB.
    pub memory: u64,
    /// Open descriptors.
    pub descriptors: u64,
    /// Threads.
    pub threads: u64,
}

/// How much memory may grow where nothing is kept, in KiB: what an allocator needs for its order.
const GROWTH: u64 = 2048;

/// How often it is looked what processes have in use. Some go on meanwhile, and have a file open for a moment.
const LOOKS: usize = 20;

impl Used {
    /// What they have in use whenever it is looked.
    fn by(processes: Processes) -> io::Result<Used> {
        let mut used = Used::now(processes)?;
        for _ in 1..LOOKS {
            thread::sleep(Duration::from_millis(50));
            let Used {
                memory,
                descriptors,
                threads,
            } = Used::now(processes)?;
            used.memory = used.memory.min(memory);
            used.descriptors = used.descriptors.min(descriptors);
            used.threads = used.threads.min(threads);
        }
        Ok(used)
    }

    fn now(processes: Processes) -> io::Result<Used> {
        Ok(Used {
            memory: processes.memory()?,
            descriptors: processes.descriptors()?,
            threads: processes.threads()?,
        })
    }

    /// What has grown by the end, a sentence each; `keeps` KiB more of memory are known, and so many descriptors that are open
    /// now and then.
    fn growth([first, last]: [Used; 2], keeps: u64, opens: u64) -> Vec<String> {
        let rows = [
            ("KiB of memory", first.memory, last.memory, GROWTH + keeps),
            ("descriptors", first.descriptors, last.descriptors, opens),
            ("threads", first.threads, last.threads, 0),
        ];
        let grown = rows
            .into_iter()
            .filter(|(_, first, last, room)| *last > first + room);
        grown
            .map(|(what, first, last, _)| format!("{first} {what} became {last}"))
            .collect()
    }
}

/// Lets the subjects go on, all at once.
///
/// # Errors
/// A sentence: of a program that is missing, or of a subject that does not start. What goes wrong later is a fault in what
/// is returned.
pub fn soak(setting: &Setting, subjects: &[&Subject]) -> io::Result<Vec<Soaked>> {
    let disturber = Disturber::new()?;
    let begun = subjects.iter().map(|subject| {
        (subject.start)(setting, &disturber)
            .map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", subject.name)))
    });
    let begun = begun.collect::<io::Result<Vec<_>>>()?;
    Ok(thread::scope(|scope| {
        let all: Vec<_> = subjects
            .iter()
            .zip(begun)
            .map(|(subject, trial)| {
                let disturber = &disturber;
                scope.spawn(move || watch(subject.name, trial, setting.time, disturber))
            })
            .collect();
        all.into_iter()
            .map(|one| one.join().expect("a trial does not panic"))
            .collect()
    }))
}

/// One subject, from its first tenth to its end.
fn watch(
    name: &'static str,
    mut trial: Box<dyn Trial>,
    time: Duration,
    disturber: &Disturber,
) -> Soaked {
    let (processes, started) = (trial.processes(), Instant::now());
    let mut disturbed = disturber.nothing(trial.has_wall_clock());
    let mut used = || -> io::Result<[Used; 2]> {
        let mut part = |tenths: u32| {
            let calm = AtomicBool::new(false);
            thread::scope(|scope| {
                scope.spawn(|| disturber.disturb(processes, &calm, &mut disturbed));
                let done = trial.go_on(time * tenths / 10);
                calm.store(true, Relaxed);
                done
            })?;
            // What has just ended is away then.
            thread::sleep(Duration::from_secs(1));
            Used::by(processes)
        };
        Ok([part(1)?, part(9)?])
    };
    let (used, mut faults) = match used() {
        Ok(used) => {
            let mut faults = Used::growth(used, trial.keeps(), trial.opens());
            faults.extend(disturbed.vain());
            (Some(used), faults)
        }
        Err(e) => (None, vec![e.to_string()]),
    };
    faults.extend(disturbed.stuck());
    let time = started.elapsed();
    let did = match trial.end() {
        Ok(outcome) => {
            faults.extend(outcome.faults);
            outcome.did
        }
        Err(e) => {
            faults.push(e.to_string());
            "it did not end as it should".to_owned()
        }
    };
    Soaked {
        name,
        did,
        disturbed: disturbed.to_string(),
        time,
        used,
        faults,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_has_a_sentence_for_each_kind() {
        let first = Used {
            memory: 10_000,
            descriptors: 9,
            threads: 3,
        };
        assert_eq!(Used::growth([first; 2], 0, 0), [""; 0]);
        let more = Used {
            memory: first.memory + GROWTH,
            ..first
        };
        assert_eq!(Used::growth([first, more], 0, 0), [""; 0]);
        let last = Used {
            memory: more.memory + 41,
            descriptors: 10,
            threads: 4,
        };
        let grown = [
            "10000 KiB of memory became 12089",
            "9 descriptors became 10",
            "3 threads became 4",
        ];
        assert_eq!(Used::growth([first, last], 40, 0), grown);
        assert_eq!(Used::growth([first, last], 41, 0), grown[1..]);
        assert_eq!(Used::growth([first, last], 41, 1), grown[2..]);
        assert_eq!(Used::growth([last, first], 0, 0), [""; 0]);
    }
}
