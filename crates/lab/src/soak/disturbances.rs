//! What is done to processes while they go on.

use crate::processes::{Processes, allowed, done, signal};
use carrysave_engine::Cores;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use std::{fs, io, thread};
use tempfile::TempDir;

/// How long nothing is done between two disturbances.
const CALM: Duration = Duration::from_secs(2);

/// What is done, for a while.
struct Disturbance {
    /// What it is, in words.
    name: &'static str,
    /// How long it lasts.
    time: Duration,
    /// Begins it, and gives what ends it; nothing where the system has no way to do it.
    begin: fn(Processes, usize) -> io::Result<Option<Undo>>,
}

type Undo = Box<dyn FnOnce() -> io::Result<()>>;

/// All that is done, in turn.
const DISTURBANCES: [Disturbance; 3] = [
    Disturbance {
        name: "a worker stopped (SIGSTOP)",
        time: Duration::from_millis(700),
        begin: stop,
    },
    Disturbance {
        name: "all threads on one processor",
        time: Duration::from_secs(2),
        begin: one_processor,
    },
    Disturbance {
        name: "a fifth of a processor (cgroup)",
        time: Duration::from_secs(2),
        begin: a_fifth,
    },
];

/// Stops one worker, another at each turn.
fn stop(processes: Processes, turn: usize) -> io::Result<Option<Undo>> {
    let workers = processes.workers()?;
    let worker = workers[turn % workers.len()];
    signal("-STOP", worker)?;
    Ok(Some(Box::new(move || signal("-CONT", worker))))
}

/// Binds all threads to one processor, another at each turn, and then to those that they had.
fn one_processor(processes: Processes, turn: usize) -> io::Result<Option<Undo>> {
    let mut before = Vec::new();
    for process in processes.numbers()? {
        if let Some(list) = allowed(process) {
            before.push((process, list));
        }
    }
    let all = Cores::here().apart();
    let one = all[turn % all.len()].to_string();
    for (process, _) in &before {
        bind(*process, &one)?;
    }
    Ok(Some(Box::new(move || {
        before
            .iter()
            .try_for_each(|(process, list)| bind(*process, list))
    })))
}

/// Binds all threads of a process.
fn bind(process: u32, list: &str) -> io::Result<()> {
    done(Command::new("taskset").args(["-a", "-p", "-c", list, &process.to_string()]))
}

/// Gives all processes together a fifth of one processor's time.
fn a_fifth(processes: Processes, _: usize) -> io::Result<Option<Undo>> {
    let Some((folder, before)) = group(processes.0) else {
        return Ok(None);
    };
    let enter = |group: &Path| -> io::Result<()> {
        for process in processes.numbers()? {
            // One that has ended meanwhile is in no group.
            _ = fs::write(group.join("cgroup.procs"), process.to_string());
        }
        Ok(())
    };
    enter(&folder)?;
    Ok(Some(Box::new(move || {
        // What was started meanwhile began inside.
        for _ in 0..2 {
            for process in fs::read_to_string(folder.join("cgroup.procs"))?.lines() {
                _ = fs::write(before.join("cgroup.procs"), process);
            }
        }
        fs::remove_dir(folder)
    })))
}

/// A new group with that limit, and the group that the process is in, if the system lets this program make one.
fn group(process: u32) -> Option<(PathBuf, PathBuf)> {
    let groups = fs::read_to_string(format!("/proc/{process}/cgroup")).ok()?;
    // The groups of version 1 that have time as their subject, or else the one of version 2.
    let of = |kind: &str| {
        groups.lines().find_map(|line| {
            let (kinds, path) = line.split_once(':')?.1.split_once(':')?;
            let is = kinds.split(',').any(|one| one == kind);
            is.then(|| path.trim_start_matches('/').to_owned())
        })
    };
    let versions = [
        (
            "cpu",
            "/sys/fs/cgroup/cpu",
            &[
                ("cpu.cfs_period_us", "50000"),
                ("cpu.cfs_quota_us", "10000"),
            ][..],
        ),
        ("", "/sys/fs/cgroup", &[("cpu.max", "10000 50000")][..]),
    ];
    versions.into_iter().find_map(|(kind, root, limits)| {
        let before = Path::new(root).join(of(kind)?);
        let folder = before.join(format!("carrysave-soak-{process}"));
        fs::create_dir(&folder).ok()?;
        let limited = limits.iter().all(|(file, limit)| {
            folder.join(file).exists() && fs::write(folder.join(file), limit).is_ok()
        });
        if !limited {
            _ = fs::remove_dir(&folder);
        }
        limited.then_some((folder, before))
    })
}

/// Who disturbs, and the library that makes the wall clock jump.
pub(crate) struct Disturber {
    folder: TempDir,
    jumps: bool,
}

impl Disturber {
    /// Compiles the library, where there is a compiler.
    pub fn new() -> io::Result<Disturber> {
        let mut disturber = Disturber {
            folder: tempfile::tempdir()?,
            jumps: false,
        };
        let source = disturber.folder.path().join("wall_clock.c");
        fs::write(&source, include_str!("wall_clock.c"))?;
        let compiled = Command::new("cc")
            .args(["-O", "-shared", "-fPIC", "-o"])
            .args([&disturber.library(), &source])
            .status();
        disturber.jumps = compiled.is_ok_and(|status| status.success());
        Ok(disturber)
    }

    fn library(&self) -> PathBuf {
        self.folder.path().join("wall_clock.so")
    }

    /// The library that makes the wall clock jump, which a process loads before all others.
    pub fn wall_clock(&self) -> Option<PathBuf> {
        self.jumps.then(|| self.library())
    }

    /// Nothing was done yet to a subject, which has the wall clock as it is or one that jumps.
    pub fn nothing(&self, has_wall_clock: bool) -> Disturbed {
        let clock = match (has_wall_clock, self.jumps) {
            (true, _) => "the wall clock as it is",
            (false, true) => "a wall clock that jumps at each reading",
            (false, false) => "SKIPPED: a wall clock that jumps, for want of a C compiler",
        };
        Disturbed {
            clock,
            times: [0; _],
            impossible: [false; _],
            turn: 0,
        }
    }

    /// Disturbs processes until all shall be calm.
    pub fn disturb(&self, processes: Processes, calm: &AtomicBool, disturbed: &mut Disturbed) {
        while nap(CALM, calm) {
            let one = disturbed.turn % DISTURBANCES.len();
            let disturbance = &DISTURBANCES[one];
            let begun = (disturbance.begin)(processes, disturbed.turn / DISTURBANCES.len());
            disturbed.turn += 1;
            match begun {
                Ok(Some(undo)) => {
                    nap(disturbance.time, calm);
                    match undo() {
                        Ok(()) => disturbed.times[one] += 1,
                        Err(_) => disturbed.impossible[one] = true,
                    }
                }
                Ok(None) | Err(_) => disturbed.impossible[one] = true,
            }
        }
    }
}

/// Sleeps, and tells whether it may go on.
fn nap(time: Duration, calm: &AtomicBool) -> bool {
    let step = Duration::from_millis(50);
    for _ in 0..time.as_millis().div_ceil(step.as_millis()) {
        if calm.load(Relaxed) {
            return false;
        }
        thread::sleep(step);
    }
    true
}

/// What was done, and how often.
pub(crate) struct Disturbed {
    clock: &'static str,
    times: [usize; DISTURBANCES.len()],
    impossible: [bool; DISTURBANCES.len()],
    turn: usize,
}

impl fmt::Display for Disturbed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.clock)?;
        let all = DISTURBANCES.iter().zip(self.times).zip(self.impossible);
        for ((disturbance, times), impossible) in all {
            write!(f, "; {} {times} times", disturbance.name)?;
            if impossible {
                f.write_str(" (SKIPPED where the system did not let it)")?;
            }
        }
        Ok(())
    }
}
