//! What the system says of a process and of those that it started, from `/proc`.

use carrysave_cli::interrupt::TempFolder;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

/// A process and all that come of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Processes(pub u32);

impl Processes {
    /// Their numbers, that of the first process first.
    pub fn numbers(self) -> io::Result<Vec<u32>> {
        let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for process in fs::read_dir("/proc")?.flatten() {
            if let Some((parent, number)) = parent(&process.path()) {
                children.entry(parent).or_default().push(number);
            }
        }
        let mut all = vec![self.0];
        let mut next = 0;
        while let Some(process) = all.get(next) {
            all.extend(children.remove(process).unwrap_or_default());
            next += 1;
        }
        Ok(all)
    }

    /// The numbers of those that have started no other: the workers.
    pub fn workers(self) -> io::Result<Vec<u32>> {
        let all = self.numbers()?;
        let parents: Vec<u32> = all
            .iter()
            .filter_map(|&number| parent(&folder(number)))
            .map(|(parent, _)| parent)
            .collect();
        Ok(all
            .into_iter()
            .filter(|number| !parents.contains(number))
            .collect())
    }

    /// The processor time of all their threads.
    pub fn processor_time(self) -> io::Result<Duration> {
        let of = |process: &Path| -> Option<u64> {
            let threads = fs::read_dir(process.join("task")).ok()?.flatten();
            let spent = threads.filter_map(|thread| {
                let text = fs::read_to_string(thread.path().join("schedstat")).ok()?;
                text.split(' ').next()?.parse::<u64>().ok()
            });
            Some(spent.sum())
        };
        self.sum(of).map(Duration::from_nanos)
    }

    /// The memory that they have in use, in KiB.
    pub fn memory(self) -> io::Result<u64> {
        self.sum(|process| status(process, "VmRSS:"))
    }

    /// How many descriptors they have open.
    pub fn descriptors(self) -> io::Result<u64> {
        self.sum(|process| Some(fs::read_dir(process.join("fd")).ok()?.count() as u64))
    }

    /// How many threads they have.
    pub fn threads(self) -> io::Result<u64> {
        self.sum(|process| status(process, "Threads:"))
    }

    /// Each of their threads.
    pub fn each_thread(self) -> io::Result<Vec<Thread>> {
        let of = |process: u32| {
            let threads = fs::read_dir(folder(process).join("task"));
            // One that has ended meanwhile has none.
            let threads = threads.into_iter().flatten().flatten();
            threads.filter_map(move |thread| {
                let number = thread.file_name().to_str()?.parse().ok()?;
                Some(Thread { process, number })
            })
        };
        Ok(self.numbers()?.into_iter().flat_map(of).collect())
    }

    /// Whether one of them has loaded a library.
    pub fn have_loaded(self, library: &Path) -> io::Result<bool> {
        let library = fs::canonicalize(library)?.display().to_string();
        let has = |process: u32| {
            let mapped = fs::read_to_string(folder(process).join("maps"));
            mapped.is_ok_and(|mapped| mapped.contains(&library))
        };
        Ok(self.numbers()?.into_iter().any(has))
    }

    /// Ends all but the first process, also those that are stopped, and waits a second for them at most.
    fn end_started(self) {
        let mut started = self.numbers().unwrap_or_default();
        started.retain(|&process| process != self.0);
        for process in &started {
            // The first one waits until a stopped process goes on.
            for name in ["-TERM", "-CONT"] {
                _ = signal(name, *process);
            }
        }
        let begun = Instant::now();
        while !started.is_empty() && begun.elapsed() < Duration::from_secs(1) {
            thread::sleep(Duration::from_millis(20));
            started.retain(|&process| !has_ended(process));
        }
    }

    /// The sum over all of them that are still there.
    fn sum(self, of: impl Fn(&Path) -> Option<u64>) -> io::Result<u64> {
        let all = self.numbers()?;
        Ok(all
            .into_iter()
            .filter_map(|number| of(&folder(number)))
            .sum())
    }
}

/// A thread of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Thread {
    /// The number of the process.
    pub process: u32,
    /// Its own number, which is that of the process for the main thread.
    pub number: u32,
}

impl Thread {
    /// The main thread of a process.
    pub fn main(process: u32) -> Thread {
        Thread {
            process,
            number: process,
        }
    }

    /// The list of processors that it may use, such as `0-3,6`; nothing if it has ended.
    pub fn allowed(self) -> Option<String> {
        let folder = folder(self.process)
            .join("task")
            .join(self.number.to_string());
        is_there(&folder)
            .then(|| line(&folder, "Cpus_allowed_list:"))
            .flatten()
    }

    /// Binds it to a list of processors.
    pub fn bind(self, list: &str) -> io::Result<()> {
        done(Command::new("taskset").args(["-p", "-c", list, &self.number.to_string()]))
    }
}

/// Sends a signal, such as `-TERM`, to a process. That it has ended meanwhile is no failure.
pub(crate) fn signal(name: &str, process: u32) -> io::Result<()> {
    let sent = done(Command::new("kill").args([name, &process.to_string()]));
    if has_ended(process) { Ok(()) } else { sent }
}

/// Runs a program of the system on a process or a thread. The error is what the program says first if it fails.
pub(crate) fn done(command: &mut Command) -> io::Result<()> {
    let program = command.get_program().display().to_string();
    let failed = |why: String| io::Error::other(format!("{program}: {why}"));
    let ended = command.stdin(Stdio::null()).output();
    let ended = ended.map_err(|e| failed(e.to_string()))?;
    if ended.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&ended.stderr);
    // Its usage may follow.
    let said = said.lines().next().unwrap_or_default();
    Err(failed(format!("{}, {said}", ended.status)))
}

/// A private folder that goes away, also where the program is interrupted.
pub(crate) fn temp_folder() -> io::Result<TempFolder> {
    TempFolder::new().map_err(|failure| io::Error::other(failure.message))
}

/// Ends all processes that this one has started, before an interrupt ends it.
pub fn end_all() {
    Processes(std::process::id()).end_started();
}

/// Whether a process has ended, and at most waits for its parent to take note.
pub(crate) fn has_ended(process: u32) -> bool {
    !is_there(&folder(process))
}

/// The state of a process by the system's letter, such as T for one that is stopped; nothing if it has ended.
pub(crate) fn state(process: u32) -> Option<char> {
    state_in(&folder(process))
}

fn is_there(process: &Path) -> bool {
    state_in(process).is_some()
}

fn state_in(process: &Path) -> Option<char> {
    let stat = fs::read_to_string(process.join("stat")).ok()?;
    let (state, _) = state_and_parent(&stat)?;
    (!matches!(state, 'Z' | 'X')).then_some(state)
}

fn folder(process: u32) -> PathBuf {
    PathBuf::from(format!("/proc/{process}"))
}

/// The number of a process's parent, and its own.
fn parent(process: &Path) -> Option<(u32, u32)> {
    let number = process.file_name()?.to_str()?.parse().ok()?;
    let stat = fs::read_to_string(process.join("stat")).ok()?;
    let (_, parent) = state_and_parent(&stat)?;
    Some((parent, number))
}

/// The state, and the parent's number, in a `stat`.
fn state_and_parent(stat: &str) -> Option<(char, u32)> {
    // The name in parentheses may hold anything.
    let mut behind = stat.rsplit_once(')')?.1.split_whitespace();
    let state = behind.next()?.chars().next()?;
    Some((state, behind.next()?.parse().ok()?))
}

/// A number in a process's `status`.
fn status(process: &Path, name: &str) -> Option<u64> {
    let line = line(process, name)?;
    line.split_whitespace().next()?.parse().ok()
}

/// What a process's `status` has behind a name.
fn line(process: &Path, name: &str) -> Option<String> {
    let status = fs::read_to_string(process.join("status")).ok()?;
    behind(&status, name).map(str::to_owned)
}

/// What a `status` has behind a name.
fn behind<'a>(status: &'a str, name: &str) -> Option<&'a str> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_is_read() {
        let stat = "27486 (a) T (b) S 27484 27486 21766 0 -1 541327360";
        assert_eq!(state_and_parent(stat), Some(('S', 27484)));
        assert_eq!(state_and_parent("7 (sleep) T 1"), Some(('T', 1)));
        for bad in [
            "",
            "7 sleep T 1",
            "7 (sleep)",
            "7 (sleep) T",
            "7 (sleep) T x",
        ] {
            assert_eq!(state_and_parent(bad), None, "{bad}");
        }
        let status = "Name:\tsleep\nCpus_allowed:\t4f\nCpus_allowed_list:\t0-3,6\nThreads:\t1\n";
        assert_eq!(behind(status, "Cpus_allowed_list:"), Some("0-3,6"));
        assert_eq!(behind(status, "Threads:"), Some("1"));
        assert_eq!(behind(status, "VmRSS:"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_program_that_fails_is_a_failure_unless_the_process_has_ended() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let (process, main) = (child.id(), Thread::main(child.id()));
        assert!(!has_ended(process) && main.allowed().is_some());
        assert_eq!(Processes(process).each_thread().unwrap(), [main]);
        let failed = signal("-NOSUCH", process).unwrap_err().to_string();
        assert!(failed.starts_with("kill: "), "{failed}");
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(has_ended(process) && state(process).is_none() && main.allowed().is_none());
        assert_eq!(Processes(process).each_thread().unwrap(), []);
        signal("-TERM", process).unwrap();
    }

    /// A shell that waits for two processes, of which one is stopped, lives on.
    #[cfg(target_os = "linux")]
    #[test]
    fn what_a_process_started_is_ended() {
        let script = "sleep 60 & sleep 60 & kill -STOP $!; wait; read line";
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).stdin(Stdio::piped());
        let mut shell = shell.spawn().unwrap();
        let all = Processes(shell.id());
        let started = || all.numbers().unwrap().split_off(1);
        let stopped = || started().iter().any(|&process| state(process) == Some('T'));
        let soon = |what: &dyn Fn() -> bool| {
            let begun = Instant::now();
            while !what() {
                assert!(begun.elapsed() < Duration::from_secs(30));
                thread::sleep(Duration::from_millis(5));
            }
        };
        soon(&|| started().len() == 2 && stopped());
        let started = started();
        all.end_started();
        soon(&|| started.iter().all(|&process| has_ended(process)));
        assert!(shell.try_wait().unwrap().is_none());
        drop(shell.stdin.take());
        shell.wait().unwrap();
    }
}
