//! Many files with one key, for `sign --batch` and `verify --batch`.
//!
//! Files are processed in slices, so that memory holds only the digests and signatures of one slice and the names of
//! one folder. A file that fails is reported, and the others go on.

mod files;
mod report;

use crate::exit::{Failure, Result};
use crate::{interrupt, io, progress, rng};
use carrysave::engine::{self, AnyPrimitive, AnyTask, Batch, Threads};
use carrysave::{ec, rsa};
use files::bytes;
pub use files::{Files, Which};
use indicatif::ProgressBar;
pub use report::Report;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::thread;

/// The number of files of a slice: enough for every lane of every thread.
pub const SLICE: usize = 512;

/// The options of a batch.
#[derive(clap::Args, Debug)]
pub struct BatchArgs {
    /// Take each of these files, and each file in these folders, with its signature in FILE.sig
    #[arg(id = "batch", long = "batch", value_name = "PATH", num_args = 1..)]
    pub paths: Vec<PathBuf>,
    /// How many threads compute, 1024 at most [default: as many as there are cores]: those of a batch, or of one
    /// private operation with a long RSA key. Signatures of a batch are written by up to 64 more, which wait for storage. It
    /// goes on with fewer where the system gives no more
    #[arg(long, value_parser = threads)]
    pub threads: Option<usize>,
    /// Take what is in the folders of a batch's folders, too, but not in hidden ones or by links
    #[arg(short, long)]
    recursive: bool,
    /// Write which files of a batch failed and why to FILE, one JSON object a line, and not to standard error; FILE
    /// appears at the end, or when the batch ends early
    #[arg(long, value_name = "FILE")]
    manifest: Option<PathBuf>,
}

impl BatchArgs {
    /// Whether this is a single file, not a batch.
    ///
    /// # Errors
    /// If it is, but there is an option for a batch.
    pub fn is_one(&self) -> Result<bool> {
        if !self.paths.is_empty() {
            return Ok(false);
        }
        if self.recursive || self.manifest.is_some() {
            let message = "--recursive and --manifest are for --batch: leave them out, or write --batch before the file";
            return Err(Failure::usage(message));
        }
        Ok(true)
    }
}

/// The operation on each file.
pub trait FileTask: Sync {
    /// The text of the progress bar.
    const WHAT: &'static str;
    /// Whether a signature in a folder represents its file, so that a missing file is noticed.
    const SIGNED: bool;
    /// Whether finishing writes a file beside each input.
    const WRITES: bool;
    /// The number of answers finished at a time.
    const FINISHERS: usize;

    /// The computation for a file.
    type Job: AnyTask<Output: Sync, Error: Clone + Sync + Into<Failure>>;

    /// How many files are prepared at a time: enough for every lane of every thread, or fewer where computations hold whole
    /// files.
    fn at_once(&self) -> usize {
        SLICE
    }

    /// Whether a file that has a signature is done.
    fn keeps(&self) -> bool {
        false
    }

    /// Makes the computation for a file, whose bytes advance the bar. `None` if the file's signature is kept.
    fn job(&self, file: &Path, bar: &ProgressBar) -> Result<Option<Self::Job>>;

    /// Whether an error concerns this file only. Any other ends the batch, as the key or the options are wrong for
    /// every file.
    fn is_of_the_file(error: &<Self::Job as AnyTask>::Error) -> bool;

    /// Uses the answer. The directory entry of a file that it writes is synced once the slice is done.
    fn finish(&self, file: &Path, answer: &<Self::Job as AnyTask>::Output) -> Result<Fate>;
}

/// The outcome of a file that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It was signed, or its signature is valid.
    Done,
    /// Its existing signature was kept.
    Kept,
}

/// Refuses devices, pipes and the like, which may never end. Missing files and folders fail when they are read.
pub fn regular(path: &Path) -> Result<()> {
    match fs::metadata(path) {
        Ok(meta) if !meta.is_file() && !meta.is_dir() => Err(Failure::bad_input(
            "this is a device or a pipe, and a batch is files and folders",
        )
        .about(path)),
        _ => Ok(()),
    }
}

/// The path of the signature of a file.
pub fn signature_of(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".sig");
    name.into()
}

/// The number of threads, from the command line.
pub fn threads(text: &str) -> std::result::Result<usize, String> {
    let threads = text.parse().ok().filter(|&threads| threads > 0);
    threads.ok_or_else(|| "a number of threads is 1 or more".to_owned())
}

/// The processor's cores.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The length from which several threads pay for a stream that is hashed or encrypted symmetrically.
pub const LONG: u64 = 1 << 20;

/// The threads for a stream of this length, if known: the caller's alone for one below `long`.
pub fn team(threads: Option<usize>, len: Option<u64>, long: u64) -> Threads {
    Threads::unmeasured(match len {
        Some(len) if len < long => 1,
        _ => threads.unwrap_or_else(cores),
    })
}

/// The cost of a job from which it gains more by several threads than they take to start: that of a private operation of
/// RSA with 6144 bits.
const LONG_JOB: u64 = 6144 * 6144 * 1536;

/// Whether a private operation with this key is faster by several threads that must be started for it.
pub fn is_long(key: &rsa::PrivateKey) -> bool {
    key.any_cost() >= LONG_JOB
}

/// Computes a single job: on several threads, as many as there are cores if no number is given, if it is long.
pub fn one<T: AnyTask<Error: Into<Failure>>>(job: &T, threads: Option<usize>) -> Result<T::Output> {
    let threads = match job.any_primitive().any_cost() {
        ..LONG_JOB => 1,
        _ => threads.unwrap_or_else(cores),
    };
    engine::run_on(job, &Threads::unmeasured(threads), &mut rng()).map_err(Into::into)
}

/// Processes all files, and returns their number.
pub fn run<T: FileTask>(args: &BatchArgs, task: &T, quiet: bool) -> Result<usize> {
    let threads = args.threads.unwrap_or_else(cores);
    let which = Which {
        signed: T::SIGNED,
        recursive: args.recursive,
    };
    let files = Files::find(&args.paths, which, args.manifest.as_deref())?;
    let report = Arc::new(Report::new(args.manifest.as_deref())?);
    let interrupted = Arc::downgrade(&report);
    interrupt::before_clean_up(move |code| {
        if let Some(report) = interrupted.upgrade() {
            report.cut_short(&Failure::new(code, "interrupted"));
        }
    });
    let bar = progress::files(T::WHAT, files.total, files.bytes, quiet);
    through(task, threads, &files, &report, &bar).inspect_err(|e| report.cut_short(e))?;
    bar.finish_and_clear();
    report.finish(quiet)
}

fn through<T: FileTask>(
    task: &T,
    threads: usize,
    files: &Files,
    report: &Report,
    bar: &ProgressBar,
) -> Result<()> {
    let batch = Batch::new(threads);
    let mut left = files.iter();
    let mut ended = 0;
    loop {
        let files: Vec<PathBuf> = left.by_ref().take(task.at_once()).collect();
        if files.is_empty() {
            return Ok(());
        }
        let broken = OnceLock::new();
        slice(task, &batch, &files, bar, |i, result| {
            if let Err(e) = report.add(bar, ended + i, &files[i], result) {
                let _ = broken.set(e);
            }
        })?;
        ended += files.len();
        broken.into_inner().map_or(Ok(()), Err)?;
    }
}

/// Processes some files side by side, on the threads of `batch`, and reports the outcome of each index to `done` at
/// once.
///
/// # Errors
/// If the key or the options are wrong for every file.
pub fn slice<T: FileTask>(
    task: &T,
    batch: &Batch,
    files: &[PathBuf],
    bar: &ProgressBar,
    done: impl Fn(usize, Result<Fate>) + Sync,
) -> Result<()> {
    let numbers: Vec<usize> = (0..files.len()).collect();
    let jobs = each(batch.threads(), &numbers, |&i| {
        match regular(&files[i]).and_then(|()| task.job(&files[i], bar)) {
            Ok(Some(job)) => Some(job),
            ended => {
                bar.inc(bytes(&files[i]));
                done(i, ended.map(|_| Fate::Kept));
                None
            }
        }
    });
    let jobs = numbers.into_iter().zip(jobs);
    let (ready, jobs): (Vec<usize>, Vec<T::Job>) =
        jobs.filter_map(|(i, job)| Some((i, job?))).unzip();
    let answers = batch.run_with(rng, &jobs);
    let mut errors = answers.iter().filter_map(|answer| answer.as_ref().err());
    if let Some(e) = errors.find(|e| !T::is_of_the_file(e)) {
        return Err(e.clone().into());
    }
    let answers: Vec<_> = ready.into_iter().zip(answers).collect();
    each(T::FINISHERS, &answers, |(i, answer)| {
        let result = match answer {
            Ok(answer) => task.finish(&files[*i], answer),
            Err(e) => Err(e.clone().into().about(&files[*i])),
        };
        done(*i, result);
    });
    if T::WRITES {
        io::sync_folders(answers.iter().map(|(i, _)| &*files[*i]))?;
    }
    Ok(())
}

/// Whether an error concerns a file, and not the key or the options.
pub fn is_of_the_file(error: &engine::Error) -> bool {
    matches!(
        error,
        engine::Error::Rsa(rsa::Error::Verification | rsa::Error::Fault)
            | engine::Error::Ec(ec::Error::Verification | ec::Error::Fault)
    )
}

/// The number of threads, at most `threads`, that can have two files open each within the process's limit of
/// descriptors.
fn with_files(threads: usize) -> usize {
    use rustix::process::{Resource, getrlimit};
    /// Descriptors for everything else.
    const OTHERS: u64 = 24;
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let most = limit.saturating_sub(OTHERS) / 2;
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    threads.min(most.max(1))
}

/// Maps items by `f`, which may open files, on `threads` threads or as many as the system starts; results in order.
pub fn each<T: Sync, U: Send + Sync>(
    threads: usize,
    items: &[T],
    f: impl Fn(&T) -> U + Sync,
) -> Vec<U> {
    let results: Vec<OnceLock<U>> = items.iter().map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let turn = || Some(next.fetch_add(1, Relaxed)).filter(|&i| i < items.len());
        while let Some(i) = turn() {
            let _ = results[i].set(f(&items[i]));
        }
    };
    thread::scope(|scope| {
        let start = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        (1..with_files(threads).min(items.len()))
            .map_while(start)
            .for_each(drop);
        work();
    });
    let done = results.into_iter().map(OnceLock::into_inner);
    done.map(|result| result.expect("every item had its turn"))
        .collect()
}
