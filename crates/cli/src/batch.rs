//! Many files with one key, for `sign --batch` and `verify --batch`.
//!
//! Files are processed in slices, so that memory holds only the digests and signatures of one slice and the names of
//! one folder. A file that fails is reported, and the others go on.

use crate::exit::{Code, Failure, Result, program, say};
use crate::io::{self, Input, Output};
use crate::{interrupt, progress, rng};
use carrysave::engine::{self, AnyPrimitive, AnyTask, Batch, Threads};
use carrysave::{ec, rsa};
use indicatif::ProgressBar;
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::iter;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
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
    /// private operation with a long RSA key. Signatures of a batch are written by up to 64 more, which wait for storage. It goes on
    /// with fewer where the system gives no more
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

/// How a folder is expanded to files.
#[derive(Clone, Copy, Debug)]
pub struct Which {
    /// A signature represents its file, so that a missing file is noticed.
    pub signed: bool,
    /// Includes the files of its folders.
    pub recursive: bool,
}

/// The files of the given paths.
pub struct Files {
    paths: Vec<PathBuf>,
    which: Which,
    /// The manifest, which is skipped if it is in one of the folders.
    aside: Option<PathBuf>,
    /// The number of files.
    pub total: usize,
    /// Their total length.
    pub bytes: u64,
}

impl Files {
    /// Expands the paths. A manifest in a folder is skipped.
    pub fn find(paths: &[PathBuf], which: Which, manifest: Option<&Path>) -> Result<Files> {
        if paths.iter().any(|path| io::is_std(path)) {
            return Err(Failure::usage(
                "a batch is files and folders, not standard input: leave - out",
            ));
        }
        if let Some(manifest) = manifest
            && paths.iter().any(|path| io::same_place(path, manifest))
        {
            let message = "a file of the batch cannot be its manifest: give that another name";
            return Err(Failure::usage(message).about(manifest));
        }
        let mut files = Files {
            paths: distinct(paths, which.recursive),
            which,
            aside: manifest.map(Path::to_owned),
            total: 0,
            bytes: 0,
        };
        let (total, bytes) = files
            .iter()
            .fold((0, 0), |(n, sum), file| (n + 1, sum + bytes(&file)));
        if total == 0 {
            return Err(no_file());
        }
        (files.total, files.bytes) = (total, bytes);
        Ok(files)
    }

    /// Iterates over the files, each once.
    pub fn iter(&self) -> impl Iterator<Item = PathBuf> {
        let aside = |file: &PathBuf| {
            let aside = self.aside.as_ref();
            aside.is_some_and(|aside| {
                aside.file_name() == file.file_name() && io::same_place(aside, file)
            })
        };
        self.all().filter(move |file| !aside(file))
    }
}

/// The error of a batch without files, so that doing nothing is not a success.
fn no_file() -> Failure {
    Failure::bad_input(
        "there is no file in the folders of the batch: what is hidden, ends in .sig or, without --recursive, is in a \
         folder in them does not count",
    )
}

/// The length of a file, if it has one.
fn bytes(file: &Path) -> u64 {
    let meta = fs::metadata(file).ok().filter(|meta| meta.is_file());
    meta.map_or(0, |meta| meta.len())
}

/// The paths without duplicates of earlier ones and of files in folders among them.
fn distinct(paths: &[PathBuf], recursive: bool) -> Vec<PathBuf> {
    let folder = |path: &PathBuf| path.is_dir().then(|| path.canonicalize().ok()).flatten();
    let folders: HashSet<PathBuf> = paths.iter().filter_map(folder).collect();
    // Whether it is in a named folder: from its own folder upwards, to the first hidden one.
    let within = |place: &Path| {
        let shown = place.ancestors().take_while(|of| kind(of) != Kind::Hidden);
        let mut above = shown.filter_map(Path::parent);
        above
            .by_ref()
            .take(if recursive { usize::MAX } else { 1 })
            .any(|folder| folders.contains(folder))
    };
    let mut seen = HashSet::new();
    let new = |path: &&PathBuf| {
        let place = folder(path).or_else(|| io::place(path));
        let place = place.unwrap_or_else(|| path.to_path_buf());
        let counts = match place.is_dir() {
            true => recursive,
            false => place.is_file() && kind(&place) == Kind::Content,
        };
        !(counts && within(&place)) && seen.insert(place)
    };
    paths.iter().filter(new).cloned().collect()
}

impl Files {
    /// The files of the paths, those of a folder in the order of their names.
    fn all(&self) -> impl Iterator<Item = PathBuf> {
        let which = self.which;
        self.paths.iter().flat_map(move |path| of(path, which))
    }
}

/// The files of a path. A folder that cannot be read is listed itself, and fails later.
fn of(path: &Path, which: Which) -> Box<dyn Iterator<Item = PathBuf>> {
    let Ok(names) = names(path) else {
        return Box::new(iter::once(path.to_owned()));
    };
    let folder = path.to_owned();
    let inside = move |name| -> Box<dyn Iterator<Item = PathBuf>> {
        let path = folder.join(name);
        // Links are not followed, as they may be cyclic.
        let below = which.recursive
            && kind(&path) != Kind::Hidden
            && path.symlink_metadata().is_ok_and(|found| found.is_dir());
        match below {
            true => of(&path, which),
            false => Box::new(listed(path, which.signed).into_iter()),
        }
    };
    Box::new(names.into_iter().flat_map(inside))
}

/// The entries of a folder, in the order of the names' bytes.
fn names(folder: &Path) -> std::io::Result<Vec<OsString>> {
    let entries = fs::read_dir(folder)?;
    let mut names = entries
        .map(|entry| Ok(entry?.file_name()))
        .collect::<std::io::Result<Vec<_>>>()?;
    names.sort_unstable();
    Ok(names)
}

/// The kind of an entry in a folder.
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

/// The file of an entry in a folder. A dangling link is kept, so that it is noticed.
fn listed(path: PathBuf, signed: bool) -> Option<PathBuf> {
    match kind(&path) {
        Kind::Hidden => None,
        Kind::Signature if signed && !path.is_dir() => {
            Some(path.with_extension("")).filter(|file| file.symlink_metadata().is_err())
        }
        Kind::Signature => None,
        Kind::Content => fs::metadata(&path)
            .map_or(true, |meta| meta.is_file())
            .then_some(path),
    }
}

/// The outcomes of the files. Failures are lines of the manifest, which is written however the batch ends, or
/// sentences.
pub struct Report {
    manifest: Option<Mutex<Option<Manifest>>>,
    ended: AtomicUsize,
    kept: AtomicUsize,
    failed: AtomicUsize,
    said: Mutex<Said>,
}

/// The number of failures of each kind, without a manifest: a kind is a sentence without the file's name.
#[derive(Default)]
struct Said(BTreeMap<String, usize>);

impl Said {
    /// The most reported failures of a kind, and the most distinguished kinds.
    const EACH: usize = 5;
    const KINDS: usize = 100;

    /// Whether to report another one.
    fn another(&mut self, file: &Path, failure: &Failure) -> bool {
        let kind = Said::kind(file, &failure.message);
        if self.0.len() == Said::KINDS && !self.0.contains_key(&kind) {
            return true;
        }
        let count = self.0.entry(kind).or_default();
        *count += 1;
        *count <= Said::EACH
    }

    fn kind(file: &Path, message: &str) -> String {
        let file = file.display().to_string();
        if let Some(rest) = message.strip_prefix(&file) {
            return format!("FILE{rest}");
        }
        let with =
            |end: &str| message.replacen(&format!(" {file}{end}"), &format!(" FILE{end}"), 1);
        let [plain, signature] = [":", ".sig:"].map(with);
        if plain == message { signature } else { plain }
    }

    /// Reports the number of unreported failures of each kind.
    fn rest(&mut self) {
        for (kind, count) in std::mem::take(&mut self.0) {
            if let more @ 1.. = count.saturating_sub(Said::EACH) {
                say(format_args!("{}: {more} more: {kind}", program()));
            }
        }
    }
}

impl Report {
    /// An empty report, in a file or on standard error.
    pub fn new(manifest: Option<&Path>) -> Result<Report> {
        let manifest = manifest.map(Manifest::create).transpose()?;
        Ok(Report {
            manifest: manifest.map(Some).map(Mutex::new),
            ended: AtomicUsize::new(0),
            kept: AtomicUsize::new(0),
            failed: AtomicUsize::new(0),
            said: Mutex::default(),
        })
    }

    /// Records the outcome of a file, the `place`th of the run, counted from 0.
    pub fn add(
        &self,
        bar: &ProgressBar,
        place: usize,
        file: &Path,
        result: Result<Fate>,
    ) -> Result<()> {
        bar.inc(progress::FILE);
        self.ended.fetch_add(1, Relaxed);
        let line = match result {
            Ok(fate) => {
                self.kept
                    .fetch_add(usize::from(fate == Fate::Kept), Relaxed);
                None
            }
            Err(failure) => {
                self.failed.fetch_add(1, Relaxed);
                if self.manifest.is_none() && self.said().another(file, &failure) {
                    bar.suspend(|| failure.say());
                }
                Some(line(Some(file), &failure))
            }
        };
        match self.manifest().as_deref_mut() {
            Some(Some(manifest)) => manifest.add(place, line),
            _ => Ok(()),
        }
    }

    /// Commits the manifest at once, with lines for unprocessed files.
    pub fn leave<'a>(&self, files: impl Iterator<Item = &'a Path>) -> Result<()> {
        let Some(mut manifest) = self.manifest().and_then(|mut manifest| manifest.take()) else {
            return Ok(());
        };
        manifest.rest()?;
        let failure = Failure::new(Code::Interrupted, "its turn did not come");
        for file in files {
            manifest.output.put(&line(Some(file), &failure))?;
        }
        manifest.output.commit_at_once()
    }

    fn said(&self) -> MutexGuard<'_, Said> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn manifest(&self) -> Option<MutexGuard<'_, Option<Manifest>>> {
        let manifest = self.manifest.as_ref()?;
        Some(manifest.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Commits the manifest, with a last line for the reason of the early end.
    fn cut_short(&self, why: &Failure) {
        self.said().rest();
        if let Some(mut manifest) = self.manifest()
            && let Some(mut manifest) = manifest.take()
        {
            // There is a reason to report already.
            let _ = manifest
                .rest()
                .and_then(|()| manifest.output.put(&line(None, why)))
                .and_then(|()| manifest.output.commit());
        }
    }

    /// Commits the manifest, and returns the number of files.
    ///
    /// # Errors
    /// With [`Code::Batch`], if any of them failed.
    pub fn finish(&self, quiet: bool) -> Result<usize> {
        if let Some(mut manifest) = self.manifest() {
            manifest.take().map_or(Ok(()), Manifest::commit)?;
        }
        self.said().rest();
        let [ended, kept, failed] =
            [&self.ended, &self.kept, &self.failed].map(|count| count.load(Relaxed));
        if kept > 0 && !quiet {
            say(format_args!(
                "{}: {kept} of {ended} files had a signature, which was kept",
                program()
            ));
        }
        match (ended, failed) {
            (0, _) => Err(no_file()),
            (_, 0) => Ok(ended),
            _ => Err(Failure::new(
                Code::Batch,
                format!("{failed} of {ended} files failed"),
            )),
        }
    }
}

impl Drop for Report {
    /// After a panic, or an error that concerns no file.
    fn drop(&mut self) {
        if let Some(mut manifest) = self.manifest() {
            let _ = manifest.take().map(Manifest::commit);
        }
    }
}

/// The lines of failures in the order of the files, although files end in any order.
struct Manifest {
    output: Output,
    /// The place of the first file that has not ended.
    due: usize,
    /// The lines of later files that have ended; `None` for a file that did not fail.
    ended: BTreeMap<usize, Option<Vec<u8>>>,
}

impl Manifest {
    /// # Errors
    /// Also if the manifest would replace a signature, or a file that is no manifest.
    fn create(path: &Path) -> Result<Manifest> {
        if kind(path) == Kind::Signature {
            let message =
                "names that end in .sig are those of signatures: give the manifest another";
            return Err(Failure::usage(message).about(path));
        }
        if path.is_file() && !is_manifest(path)? {
            let message =
                "there is a file already that is no manifest: give the manifest another name";
            return Err(Failure::usage(message).about(path));
        }
        Ok(Manifest {
            output: Output::text(path)?,
            due: 0,
            ended: BTreeMap::new(),
        })
    }

    /// Records that the file in this place has ended.
    fn add(&mut self, place: usize, line: Option<Vec<u8>>) -> Result<()> {
        self.ended.insert(place, line);
        while let Some(line) = self.ended.remove(&self.due) {
            self.due += 1;
            self.output.put(&line.unwrap_or_default())?;
        }
        Ok(())
    }

    /// Writes the lines after files that never end.
    fn rest(&mut self) -> Result<()> {
        let mut lines = std::mem::take(&mut self.ended).into_values().flatten();
        lines.try_for_each(|line| self.output.put(&line))
    }

    /// Commits it.
    fn commit(mut self) -> Result<()> {
        self.rest()?;
        self.output.commit()
    }
}

/// Whether a file is empty or begins as a manifest does.
fn is_manifest(path: &Path) -> Result<bool> {
    /// The most bytes of a name and a reason.
    const LINE: u64 = 1 << 16;
    let mut first = vec![];
    BufReader::new(Input::open(path)?.take(LINE))
        .read_until(b'\n', &mut first)
        .map_err(|e| Failure::io(format_args!("cannot read {}", path.display()), &e))?;
    let line = serde_json::from_slice::<serde_json::Value>(&first);
    let is_failure = |line: serde_json::Value| line["code"].is_u64() && line["reason"].is_string();
    Ok(first.is_empty() || line.is_ok_and(is_failure))
}

/// A line of the manifest, about a file or all of them.
fn line(file: Option<&Path>, failure: &Failure) -> Vec<u8> {
    let mut line = serde_json::json!({ "code": failure.code as u8, "reason": failure.message });
    if let Some(file) = file {
        line["file"] = file.to_string_lossy().into();
        if file.to_str().is_none() {
            let hex = |byte: &u8| format!("{byte:02x}");
            let bytes = file.as_os_str().as_bytes();
            line["file_hex"] = bytes.iter().map(hex).collect::<String>().into();
        }
    }
    format!("{line}\n").into_bytes()
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
