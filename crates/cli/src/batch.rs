//! Many files with one key, for `sign --batch` and `verify --batch`.
//!
//! Files are taken in slices, so that memory holds the digests and signatures of one slice, however many files there
//! are. One that fails is reported, and the others go on.

use crate::exit::{Code, Failure, Result};
use crate::io::{self, Access, Output};
use crate::{progress, rng};
use carrysave::engine::{self, Batch, Job};
use carrysave::rsa;
use indicatif::ProgressBar;
use std::collections::HashSet;
use std::fs::{self, DirEntry};
use std::iter;
use std::num::NonZeroUsize;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// How many files a slice has: enough for every lane of every thread.
const SLICE: usize = 512;

/// How many answers are finished at a time. Storage takes the signatures of several threads in one go, which is ten times
/// as fast as one after the other, and the threads do little but wait for it.
const WRITERS: NonZeroUsize = NonZeroUsize::new(64).unwrap();

/// The options of a batch.
#[derive(clap::Args, Debug)]
pub struct BatchArgs {
    /// Take each of these files, and each file in these folders, with its signature in FILE.sig
    #[arg(id = "batch", long = "batch", value_name = "PATH", num_args = 1..)]
    pub paths: Vec<PathBuf>,
    /// How many threads a batch computes on [default: as many as there are cores]; signatures are written by up to 64
    /// more, which wait for storage. It goes on with fewer where the system gives no more
    #[arg(long)]
    threads: Option<NonZeroUsize>,
    /// Write which files of a batch failed and why to FILE, one JSON object a line, and not to standard error
    #[arg(long, value_name = "FILE")]
    manifest: Option<PathBuf>,
}

/// What is done with each file.
pub trait Task: Sync {
    /// What the progress bar says.
    const WHAT: &'static str;
    /// Whether a signature in a folder stands for its file, so that it is noticed if that is gone.
    const SIGNED: bool;

    /// What is to be computed for a file.
    fn job(&self, file: &Path) -> Result<Job>;

    /// What is to be done with the answer.
    fn finish(&self, file: &Path, answer: &engine::Output) -> Result<()>;
}

/// Where the signature of a file is.
pub fn signature_of(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".sig");
    name.into()
}

/// The processor's cores.
pub fn cores() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// Computes a single job.
pub fn one(job: Job) -> Result<engine::Output> {
    let answer = Batch::new(NonZeroUsize::MIN).run(rng, &[job]).remove(0);
    answer.map_err(Failure::from)
}

/// Goes through all files, and gives their number.
pub fn run<T: Task>(args: &BatchArgs, task: &T, quiet: bool) -> Result<usize> {
    let threads = args.threads.unwrap_or_else(cores);
    let files = Files::find(&args.paths, T::SIGNED)?;
    let mut report = Report::new(args.manifest.as_deref())?;
    let bar = progress::files(T::WHAT, files.total, quiet);
    let mut left = files.iter();
    loop {
        let files: Vec<PathBuf> = left.by_ref().take(SLICE).collect();
        if files.is_empty() {
            break;
        }
        for (file, result) in files.iter().zip(slice(task, threads, &files)?) {
            report.add(&bar, file, result)?;
        }
    }
    bar.finish_and_clear();
    report.finish(files.total).map(|()| files.total)
}

/// Does some files side by side, and says what became of each, in order.
///
/// # Errors
/// What is wrong with the key or the options, so that no other file would fare better.
pub fn slice<T: Task>(
    task: &T,
    threads: NonZeroUsize,
    files: &[PathBuf],
) -> Result<Vec<Result<()>>> {
    let (mut results, mut jobs, mut ready) = (vec![], vec![], vec![]);
    for (file, job) in files
        .iter()
        .zip(each(threads, files, |file| task.job(file)))
    {
        results.push(job.map(|job| {
            jobs.push(job);
            ready.push(file);
        }));
    }
    let answers = Batch::new(threads).run(rng, &jobs);
    if let Some(e) = answers.iter().find_map(hopeless) {
        return Err(e.into());
    }
    let answers: Vec<_> = ready.into_iter().zip(answers).collect();
    let finished = each(WRITERS, &answers, |(file, answer)| match answer {
        Ok(answer) => task.finish(file, answer),
        Err(e) => Err(Failure::from(e.clone()).about(file)),
    });
    let started = results.iter_mut().filter(|result| result.is_ok());
    for (result, finished) in started.zip(finished) {
        *result = finished;
    }
    Ok(results)
}

/// What is wrong with the key or the options: no other file would fare better.
fn hopeless(answer: &std::result::Result<engine::Output, rsa::Error>) -> Option<rsa::Error> {
    let of_the_file = |e: &rsa::Error| matches!(e, rsa::Error::Verification | rsa::Error::Fault);
    answer.as_ref().err().filter(|e| !of_the_file(e)).cloned()
}

/// The files that paths stand for.
pub struct Files {
    paths: Vec<PathBuf>,
    signed: bool,
    /// How many there are.
    pub total: usize,
}

impl Files {
    /// Looks through the paths; with `signed`, a signature in a folder stands for its file.
    pub fn find(paths: &[PathBuf], signed: bool) -> Result<Files> {
        if paths.iter().any(|path| io::is_std(path)) {
            return Err(Failure::usage(
                "a batch is files and folders, not standard input: leave - out",
            ));
        }
        let paths = distinct(paths);
        let total = files(&paths, signed).count();
        if total == 0 {
            return Err(Failure::bad_input(
                "there is no file in the folders of the batch",
            ));
        }
        Ok(Files {
            paths,
            signed,
            total,
        })
    }

    /// Each of them once.
    pub fn iter(&self) -> impl Iterator<Item = PathBuf> {
        files(&self.paths, self.signed)
    }
}

/// The paths without those that name what an earlier one or a folder among them stands for.
fn distinct(paths: &[PathBuf]) -> Vec<PathBuf> {
    let folder = |path: &PathBuf| path.is_dir().then(|| path.canonicalize().ok()).flatten();
    let folders: HashSet<PathBuf> = paths.iter().filter_map(folder).collect();
    let mut seen = HashSet::new();
    let new = |path: &&PathBuf| {
        let place = folder(path).or_else(|| io::place(path));
        let place = place.unwrap_or_else(|| path.to_path_buf());
        let listed = place
            .parent()
            .is_some_and(|folder| folders.contains(folder))
            && place.is_file()
            && kind(&place) == Kind::Content;
        !listed && seen.insert(place)
    };
    paths.iter().filter(new).cloned().collect()
}

/// The files that the paths stand for. A folder that cannot be read stands for itself, and fails in its turn.
fn files(paths: &[PathBuf], signed: bool) -> impl Iterator<Item = PathBuf> {
    paths
        .iter()
        .flat_map(move |path| -> Box<dyn Iterator<Item = PathBuf>> {
            match fs::read_dir(path) {
                Ok(entries) => Box::new(entries.filter_map(move |entry| match entry {
                    Ok(entry) => listed(&entry, signed),
                    Err(_) => Some(path.clone()),
                })),
                Err(_) => Box::new(iter::once(path.clone())),
            }
        })
}

/// What a name in a folder is taken for.
#[derive(PartialEq)]
enum Kind {
    Hidden,
    Signature,
    Content,
}

fn kind(path: &Path) -> Kind {
    match path.file_name().map(OsStrExt::as_bytes) {
        Some([b'.', ..]) => Kind::Hidden,
        Some([.., b'.', b's', b'i', b'g']) => Kind::Signature,
        _ => Kind::Content,
    }
}

/// The file that an entry of a folder stands for. A link whose target is gone is kept, so that this is noticed.
fn listed(entry: &DirEntry, signed: bool) -> Option<PathBuf> {
    let path = entry.path();
    match kind(&path) {
        Kind::Hidden => None,
        Kind::Signature if signed => {
            Some(path.with_extension("")).filter(|file| file.symlink_metadata().is_err())
        }
        Kind::Signature => None,
        Kind::Content => fs::metadata(&path)
            .map_or(true, |meta| meta.is_file())
            .then_some(path),
    }
}

/// What failed: lines of the manifest, or sentences.
pub struct Report {
    manifest: Option<Output>,
    failed: usize,
}

impl Report {
    /// An empty one, in a file or on standard error.
    pub fn new(manifest: Option<&Path>) -> Result<Report> {
        let manifest = manifest.map(|path| Output::create(path, Access::Umask));
        Ok(Report {
            manifest: manifest.transpose()?,
            failed: 0,
        })
    }

    /// Takes down what became of a file.
    pub fn add(&mut self, bar: &ProgressBar, file: &Path, result: Result<()>) -> Result<()> {
        bar.inc(1);
        let Err(failure) = result else { return Ok(()) };
        self.failed += 1;
        match &mut self.manifest {
            Some(manifest) => manifest.put(&line(file, &failure.message)),
            None => {
                bar.suspend(|| failure.say());
                Ok(())
            }
        }
    }

    /// Takes down a file whose turn does not come, in the manifest alone.
    pub fn left(&mut self, file: &Path) -> Result<()> {
        self.failed += 1;
        match &mut self.manifest {
            Some(manifest) => manifest.put(&line(file, "its turn did not come")),
            None => Ok(()),
        }
    }

    /// Makes the manifest appear.
    ///
    /// # Errors
    /// With [`Code::Batch`], if any of the `total` files failed.
    pub fn finish(&mut self, total: usize) -> Result<()> {
        self.manifest.take().map_or(Ok(()), Output::commit)?;
        match self.failed {
            0 => Ok(()),
            n => Err(Failure::new(
                Code::Batch,
                format!("{n} of {total} files failed"),
            )),
        }
    }
}

/// A line of the manifest.
fn line(file: &Path, reason: &str) -> Vec<u8> {
    let line = serde_json::json!({ "file": file.to_string_lossy(), "reason": reason });
    format!("{line}\n").into_bytes()
}

/// `f` of each item, on so many threads or as many as can be had; results in order.
pub fn each<T: Sync, U: Send + Sync>(
    threads: NonZeroUsize,
    items: &[T],
    f: impl Fn(&T) -> U + Sync,
) -> Vec<U> {
    let results: Vec<OnceLock<U>> = items.iter().map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let turn = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&i| i < items.len());
        while let Some(i) = turn() {
            let _ = results[i].set(f(&items[i]));
        }
    };
    thread::scope(|scope| {
        let start = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        (1..threads.get().min(items.len()))
            .map_while(start)
            .for_each(drop);
        work();
    });
    let done = results.into_iter().map(OnceLock::into_inner);
    done.map(|result| result.expect("every item had its turn"))
        .collect()
}
