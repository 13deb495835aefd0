//! What the system says of a process and of those that it started, from `/proc`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{fs, io};

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

    /// The sum over all of them that are still there.
    fn sum(self, of: impl Fn(&Path) -> Option<u64>) -> io::Result<u64> {
        let all = self.numbers()?;
        Ok(all
            .into_iter()
            .filter_map(|number| of(&folder(number)))
            .sum())
    }
}

/// Sends a signal, such as `-TERM`, to a process. That it has ended meanwhile is no failure.
pub(crate) fn signal(name: &str, process: u32) -> io::Result<()> {
    done(Command::new("kill").args([name, &process.to_string()]))
}

/// Runs a program of the system on a process, whatever the program says.
pub(crate) fn done(command: &mut Command) -> io::Result<()> {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let ended = command.status();
    ended
        .map(drop)
        .map_err(|e| io::Error::other(format!("{:?}: {e}", command.get_program())))
}

fn folder(process: u32) -> PathBuf {
    PathBuf::from(format!("/proc/{process}"))
}

/// The number of a process's parent, and its own.
fn parent(process: &Path) -> Option<(u32, u32)> {
    let number = process.file_name()?.to_str()?.parse().ok()?;
    let stat = fs::read_to_string(process.join("stat")).ok()?;
    // The name in parentheses may hold anything; then come the state and the parent.
    let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?;
    Some((parent.parse().ok()?, number))
}

/// A number in a process's `status`.
fn status(process: &Path, name: &str) -> Option<u64> {
    let line = line(process, name)?;
    line.split_whitespace().next()?.parse().ok()
}

/// The list of processors that a process may use, such as `0-3,6`.
pub(crate) fn allowed(process: u32) -> Option<String> {
    line(&folder(process), "Cpus_allowed_list:")
}

/// What a process's `status` has behind a name.
fn line(process: &Path, name: &str) -> Option<String> {
    let status = fs::read_to_string(process.join("status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim().to_owned())
}
