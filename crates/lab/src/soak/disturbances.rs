//! What is done to processes while they go on.
//!
//! A disturbance counts when it took effect: `/proc` shows the stopped process as stopped and each thread on the one
//! processor, the cgroup lists each process, and the library that makes the wall clock jump is among those that a process
//! has loaded. A process or a thread that ended meanwhile is no failure. The end of a disturbance is checked, too. It gives
//! each thread the processors that it had: a team binds its threads, not all to the same ones.
//!
//! What the system lacks is found before anything begins, and is told as SKIPPED. A disturbance that is not skipped and
//! never takes effect, or that does not end, is a fault.

use crate::processes::{Processes, Thread, done, has_ended, signal, state, temp_folder};
use carrysave_cli::interrupt::TempFolder;
use carrysave_engine::Cores;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

/// How long nothing is done between two disturbances.
const CALM: Duration = Duration::from_secs(2);

/// How long a process may take to stop, or to go on. All processors may be busy.
const SOON: Duration = Duration::from_secs(5);

/// How often what is to hold for all processes or threads is done to those for which it does not hold yet. Those that come
/// meanwhile begin as the ones that started them.
const PASSES: usize = 4;

/// What is done, for a while.
struct Disturbance {
    /// What it is, in words.
    name: &'static str,
    /// How long it lasts.
    time: Duration,
    /// What the system lacks for it, in words.
    lacks: fn() -> Option<&'static str>,
    /// Begins it: the number tells how often it was its turn.
    begin: fn(Processes, usize) -> io::Result<Begun>,
}

/// A disturbance that has begun.
struct Begun {
    /// Whether it takes effect; not if all that it was to disturb has ended.
    takes: io::Result<bool>,
    /// Ends it.
    undo: Box<dyn FnOnce() -> io::Result<()>>,
}

impl Begun {
    /// One of processes that have ended.
    fn too_late() -> Begun {
        Begun {
            takes: Ok(false),
            undo: Box::new(|| Ok(())),
        }
    }
}

/// All that is done, in turn.
const DISTURBANCES: [Disturbance; 3] = [
    Disturbance {
        name: "a worker stopped (SIGSTOP)",
        time: Duration::from_millis(700),
        lacks: || None,
        begin: stop,
    },
    Disturbance {
        name: "all threads on one processor",
        time: Duration::from_secs(2),
        lacks: lacks_to_bind,
        begin: one_processor,
    },
    Disturbance {
        name: "a fifth of a processor (cgroup)",
        time: Duration::from_secs(2),
        lacks: lacks_to_limit,
        begin: a_fifth,
    },
];

/// Stops one worker, another at each turn.
fn stop(processes: Processes, turn: usize) -> io::Result<Begun> {
    let workers = processes.workers()?;
    let worker = workers[turn % workers.len()];
    signal("-STOP", worker)?;
    Ok(Begun {
        takes: becomes(worker, true),
        undo: Box::new(move || {
            signal("-CONT", worker)?;
            becomes(worker, false).map(drop)
        }),
    })
}

/// Waits until a process is stopped, or until it is not; false if it has ended.
fn becomes(process: u32, stopped: bool) -> io::Result<bool> {
    let begun = Instant::now();
    while let Some(state) = state(process) {
        if (state == 'T') == stopped {
            return Ok(true);
        }
        if begun.elapsed() > SOON {
            return Err(io::Error::other(format!(
                "process {process} is in the state {state}"
            )));
        }
        thread::sleep(Duration::from_millis(10));
    }
    Ok(false)
}

fn lacks_to_bind() -> Option<&'static str> {
    if Cores::here().apart().len() < 2 {
        return Some("a second core");
    }
    let own = std::process::id().to_string();
    let asked = done(Command::new("taskset").args(["-p", &own]));
    asked.is_err().then_some("the program taskset")
}

/// Binds all threads to one processor, another at each turn, and then to those that each had.
fn one_processor(processes: Processes, turn: usize) -> io::Result<Begun> {
    let mut before = BTreeMap::new();
    for thread in processes.each_thread()? {
        before.extend(thread.allowed().map(|list| (thread, list)));
    }
    // One that is not all that they have anyway.
    let all = Cores::here().apart();
    let mut turns = (turn..turn + all.len()).map(|turn| all[turn % all.len()].to_string());
    let Some(one) = turns.find(|one| before.values().any(|list| list != one)) else {
        return Ok(Begun::too_late());
    };
    let bound = for_all(
        || processes.each_thread(),
        |thread| thread.allowed().is_none_or(|list| list == one),
        |thread| thread.bind(&one),
    );
    let undo = move || {
        // A thread that began meanwhile has what its process had.
        let had = |thread: Thread| {
            let likely = [
                thread,
                Thread::main(thread.process),
                Thread::main(processes.0),
            ];
            likely.iter().find_map(|thread| before.get(thread))
        };
        let known = || before.keys().copied();
        for_all(
            || Ok(known().chain(processes.each_thread()?).collect()),
            // What a thread was given by others meanwhile stays.
            |&thread| {
                let stays = |now: String| now != one || had(thread).is_none_or(|had| *had == one);
                thread.allowed().is_none_or(stays)
            },
            |&thread| had(thread).map_or(Ok(()), |had| thread.bind(had)),
        )
    };
    Ok(Begun {
        takes: bound.map(|()| !has_ended(processes.0)),
        undo: Box::new(undo),
    })
}

/// Makes something hold for all of them, and for those that come meanwhile.
fn for_all<T>(
    all: impl Fn() -> io::Result<Vec<T>>,
    holds: impl Fn(&T) -> bool,
    make: impl Fn(&T) -> io::Result<()>,
) -> io::Result<()> {
    let (mut passes, mut failed) = (0..PASSES, None);
    loop {
        let mut left = all()?;
        left.retain(|one| !holds(one));
        if left.is_empty() {
            return Ok(());
        }
        if passes.next().is_none() {
            let none = || io::Error::other(format!("{} stay as they were", left.len()));
            return Err(failed.unwrap_or_else(none));
        }
        failed = left.iter().find_map(|one| make(one).err());
    }
}

fn lacks_to_limit() -> Option<&'static str> {
    let Some(group) = Group::within(std::process::id()) else {
        return Some("a cgroup that limits processor time");
    };
    let removed = fs::remove_dir(group.folder);
    removed.is_err().then_some("a cgroup that goes away")
}

/// Gives all processes together a fifth of one processor's time.
fn a_fifth(processes: Processes, _: usize) -> io::Result<Begun> {
    let Some(group) = Group::within(processes.0) else {
        return match has_ended(processes.0) {
            true => Ok(Begun::too_late()),
            false => Err(io::Error::other("the system makes no cgroup any more")),
        };
    };
    let entered = for_all(
        || processes.numbers(),
        |&process| has_ended(process) || group.has(process),
        |&process| enter(&group.folder, process),
    );
    let undo = move || {
        for_all(
            || group.members(),
            |_| false,
            |&process| enter(&group.before, process),
        )?;
        fs::remove_dir(&group.folder)
    };
    Ok(Begun {
        takes: entered.map(|()| !has_ended(processes.0)),
        undo: Box::new(undo),
    })
}

fn enter(group: &Path, process: u32) -> io::Result<()> {
    fs::write(group.join("cgroup.procs"), process.to_string())
}

/// How the name of a group begins.
const GROUP: &str = "carrysave-soak-";

/// Where groups are: those of version 1 that have time as their subject, or else the one of version 2.
const ROOTS: [(&str, &str); 2] = [("cpu", "/sys/fs/cgroup/cpu"), ("", "/sys/fs/cgroup")];

/// The groups made here that some of these processes are in.
pub(super) fn groups(processes: Processes) -> Vec<PathBuf> {
    let of = |process| {
        let groups = fs::read_to_string(format!("/proc/{process}/cgroup")).unwrap_or_default();
        ROOTS.map(|(kind, root)| Some(Path::new(root).join(group_in(&groups, kind)?)))
    };
    let all = processes.numbers().unwrap_or_default();
    let mut all: Vec<PathBuf> = all.into_iter().flat_map(of).flatten().collect();
    let ours = |group: &PathBuf| {
        let name = group.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with(GROUP))
    };
    all.retain(ours);
    all.sort();
    all.dedup();
    all
}

/// A new group whose processes share a fifth of a processor's time.
struct Group {
    folder: PathBuf,
    /// The group that the processes come from.
    before: PathBuf,
}

impl Group {
    /// One inside the group of a process, if the system lets this program make it.
    fn within(process: u32) -> Option<Group> {
        let groups = fs::read_to_string(format!("/proc/{process}/cgroup")).ok()?;
        let limits = [
            &[
                ("cpu.cfs_period_us", "50000"),
                ("cpu.cfs_quota_us", "10000"),
            ][..],
            &[("cpu.max", "10000 50000")],
        ];
        let mut versions = ROOTS.into_iter().zip(limits);
        versions.find_map(|((kind, root), limits)| {
            let before = Path::new(root).join(group_in(&groups, kind)?);
            let folder = before.join(format!("{GROUP}{process}"));
            fs::create_dir(&folder).ok()?;
            let limited = limits.iter().all(|(file, limit)| {
                let file = folder.join(file);
                let has = || fs::read_to_string(&file).is_ok_and(|has| has.trim() == *limit);
                file.exists() && fs::write(&file, limit).is_ok() && has()
            });
            if !limited {
                _ = fs::remove_dir(&folder);
            }
            limited.then_some(Group { folder, before })
        })
    }

    /// The processes in it. None has ended.
    fn members(&self) -> io::Result<Vec<u32>> {
        let members = fs::read_to_string(self.folder.join("cgroup.procs"))?;
        let members = members.lines().map(str::parse);
        members.collect::<Result<_, _>>().map_err(io::Error::other)
    }

    fn has(&self, process: u32) -> bool {
        self.members()
            .is_ok_and(|members| members.contains(&process))
    }
}

/// The path of a process's group of that kind, without a slash in front, by its file `cgroup`.
fn group_in<'a>(groups: &'a str, kind: &str) -> Option<&'a str> {
    groups.lines().find_map(|line| {
        let (kinds, path) = line.split_once(':')?.1.split_once(':')?;
        let is = kinds.split(',').any(|one| one == kind);
        is.then(|| path.trim_start_matches('/'))
    })
}

/// Who disturbs, and the library that makes the wall clock jump.
pub(crate) struct Disturber {
    folder: TempFolder,
    jumps: bool,
    /// What the system lacks for each disturbance.
    lacks: [Option<&'static str>; DISTURBANCES.len()],
}

impl Disturber {
    /// Compiles the library, where there is a compiler, and finds what else the system lacks.
    pub fn new() -> io::Result<Disturber> {
        let mut disturber = Disturber {
            folder: temp_folder()?,
            jumps: false,
            lacks: DISTURBANCES.map(|disturbance| (disturbance.lacks)()),
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
            unloaded: self.wall_clock().filter(|_| !has_wall_clock),
            rows: self.lacks.map(Row::new),
            turn: 0,
        }
    }

    /// Disturbs processes until all shall be calm.
    pub fn disturb(&self, processes: Processes, calm: &AtomicBool, disturbed: &mut Disturbed) {
        while nap(CALM, calm) {
            let loaded = |library: &mut PathBuf| processes.have_loaded(library).unwrap_or(false);
            disturbed.unloaded.take_if(loaded);
            let one = disturbed.turn % DISTURBANCES.len();
            let (disturbance, row) = (&DISTURBANCES[one], &mut disturbed.rows[one]);
            let turn = disturbed.turn / DISTURBANCES.len();
            disturbed.turn += 1;
            if row.lacks.is_some() {
                continue;
            }
            match (disturbance.begin)(processes, turn) {
                Ok(Begun { takes, undo }) => {
                    if let Ok(true) = takes {
                        nap(disturbance.time, calm);
                    }
                    row.add(takes);
                    if let Err(e) = undo() {
                        row.stuck.get_or_insert(e.to_string());
                    }
                }
                Err(e) => row.add(Err(e)),
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
    /// The library that makes the wall clock jump, until a process is found to have loaded it.
    unloaded: Option<PathBuf>,
    rows: [Row; DISTURBANCES.len()],
    turn: usize,
}

/// What came of one disturbance.
struct Row {
    /// What the system lacks for it.
    lacks: Option<&'static str>,
    /// How often it took effect.
    times: usize,
    /// How often it failed to.
    vain: usize,
    /// Why it took none, the last time.
    why: String,
    /// Why it did not end, the first time.
    stuck: Option<String>,
}

impl Row {
    fn new(lacks: Option<&'static str>) -> Row {
        Row {
            lacks,
            times: 0,
            vain: 0,
            why: "its turn did not come: let it go on for more minutes".to_owned(),
            stuck: None,
        }
    }

    /// Adds one time, and whether it took effect.
    fn add(&mut self, takes: io::Result<bool>) {
        match takes {
            Ok(true) => self.times += 1,
            Ok(false) => "what it was to disturb had ended".clone_into(&mut self.why),
            Err(e) => {
                self.vain += 1;
                self.why = e.to_string();
            }
        }
    }
}

impl Disturbed {
    /// What took no effect in a whole run although the system lacks nothing for it, a sentence each.
    pub fn vain(&self) -> Vec<String> {
        let clock = self.unloaded.iter().map(|library| {
            let library = library.display();
            format!("the wall clock never jumped: no process has loaded {library}")
        });
        let rows = DISTURBANCES.iter().zip(&self.rows);
        let rows = rows
            .filter(|(_, row)| row.lacks.is_none() && row.times == 0)
            .map(|(Disturbance { name, .. }, row)| {
                format!("{name}: it never took effect: {}", row.why)
            });
        clock.chain(rows).collect()
    }

    /// What did not end, a sentence each.
    pub fn stuck(&self) -> Vec<String> {
        let rows = DISTURBANCES.iter().zip(&self.rows);
        rows.filter_map(|(Disturbance { name, .. }, row)| {
            let why = row.stuck.as_ref()?;
            Some(format!("{name}: it did not end: {why}"))
        })
        .collect()
    }
}

impl fmt::Display for Disturbed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.clock)?;
        for (Disturbance { name, .. }, row) in DISTURBANCES.iter().zip(&self.rows) {
            if let Some(lacks) = row.lacks {
                write!(f, "; SKIPPED: {name}, for want of {lacks}")?;
                continue;
            }
            write!(f, "; {name} {} times", row.times)?;
            if row.vain > 0 {
                write!(f, " (and {} times without effect: {})", row.vain, row.why)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::{Cell, RefCell};

    fn disturber(jumps: bool, lacks: [Option<&'static str>; 3]) -> Disturber {
        Disturber {
            folder: temp_folder().unwrap(),
            jumps,
            lacks,
        }
    }

    #[test]
    fn what_never_takes_effect_is_a_fault_unless_it_is_skipped() {
        let no = || io::Error::other("no such processor");
        let lacks = [None, None, Some("a cgroup that limits processor time")];
        let mut disturbed = disturber(false, lacks).nothing(false);
        let vain = disturbed.vain();
        assert_eq!(vain.len(), 2, "{vain:?}");
        assert!(vain.iter().all(|one| one.contains("minutes")));
        for takes in [Ok(true), Ok(false), Ok(true)] {
            disturbed.rows[0].add(takes);
        }
        disturbed.rows[1].add(Err(no()));
        disturbed.rows[1].add(Err(no()));
        assert_eq!(
            disturbed.to_string(),
            "SKIPPED: a wall clock that jumps, for want of a C compiler; a worker stopped (SIGSTOP) 2 times; \
             all threads on one processor 0 times (and 2 times without effect: no such processor); \
             SKIPPED: a fifth of a processor (cgroup), for want of a cgroup that limits processor time"
        );
        let never = "all threads on one processor: it never took effect: no such processor";
        assert_eq!(disturbed.vain(), [never]);
        disturbed.rows[1].add(Ok(true));
        assert_eq!(disturbed.vain(), [""; 0]);
        assert_eq!(disturbed.stuck(), [""; 0]);
        disturbed.rows[0].stuck = Some(no().to_string());
        let stuck = "a worker stopped (SIGSTOP): it did not end: no such processor";
        assert_eq!(disturbed.stuck(), [stuck]);
    }

    #[test]
    fn a_wall_clock_that_never_jumps_is_a_fault_where_it_should() {
        let lacks = [Some("anything"); 3];
        let jumps = |jumps: bool, has_wall_clock| {
            let disturbed = disturber(jumps, lacks).nothing(has_wall_clock);
            disturbed.vain().len()
        };
        assert_eq!(jumps(true, false), 1);
        for (there, has_wall_clock) in [(true, true), (false, true), (false, false)] {
            assert_eq!(jumps(there, has_wall_clock), 0);
        }
    }

    #[test]
    fn what_is_to_hold_for_all_holds_for_those_that_come_meanwhile() {
        // Of ten, those that are made to; three are there at first, and one comes with each that is made to.
        let (there, held) = (Cell::new(3), RefCell::new(Vec::new()));
        let all = || Ok((0..there.get().min(10)).collect::<Vec<usize>>());
        let holds = |one: &usize| held.borrow().contains(one);
        let make = |&one: &usize| {
            there.set(there.get() + 1);
            held.borrow_mut().push(one);
            Ok(())
        };
        for_all(all, holds, make).unwrap();
        assert_eq!(*held.borrow(), Vec::from_iter(0..10));
        // What is done in vain, and what fails for one of them.
        let all = || Ok(vec![1, 2, 3]);
        let vain = for_all(all, |&one| one == 2, |_| Ok(())).unwrap_err();
        assert_eq!(vain.to_string(), "2 stay as they were");
        let fails = |&one: &i32| match one {
            2 => Err(io::Error::other("two")),
            _ => Ok(()),
        };
        let vain = for_all(all, |_| false, fails).unwrap_err();
        assert_eq!(vain.to_string(), "two");
    }

    #[test]
    fn the_group_of_a_process_is_read() {
        let first = "4:memory:/a/b\n3:cpuset:/\n2:cpu,cpuacct:/a:b/c\n0::/\n";
        assert_eq!(group_in(first, "cpu"), Some("a:b/c"));
        assert_eq!(group_in(first, "cpuacct"), Some("a:b/c"));
        assert_eq!(group_in(first, ""), Some(""));
        let second = "0::/user.slice/x.scope\n";
        assert_eq!(group_in(second, "cpu"), None);
        assert_eq!(group_in(second, ""), Some("user.slice/x.scope"));
        assert_eq!(group_in("no line of that kind\n", ""), None);
    }

    /// Each disturbance that the system can do, to a process that sleeps.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_is_disturbed_and_then_as_it_was() {
        let mut child = Command::new("sleep").arg("600").spawn().unwrap();
        let (processes, main) = (Processes(child.id()), Thread::main(child.id()));
        let groups = || fs::read_to_string(format!("/proc/{}/cgroup", processes.0)).unwrap();
        let now = || (state(processes.0) == Some('T'), main.allowed(), groups());
        let before = now();
        for turn in 0..3 {
            for disturbance in &DISTURBANCES {
                if (disturbance.lacks)().is_none() {
                    let Begun { takes, undo } = (disturbance.begin)(processes, turn).unwrap();
                    assert!(takes.unwrap(), "{}", disturbance.name);
                    assert_ne!(now(), before, "{}", disturbance.name);
                    undo().unwrap();
                }
                assert_eq!(now(), before, "{}", disturbance.name);
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
        for disturbance in &DISTURBANCES {
            let Begun { takes, undo } = (disturbance.begin)(processes, 0).unwrap();
            assert!(!takes.unwrap(), "{}", disturbance.name);
            undo().unwrap();
        }
    }
}
