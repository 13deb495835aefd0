//! Many files over a farm.

use crate::End;
use carrysave::engine::Batch;
use carrysave_cli::batch::{self, Fate, FileTask, Files, Report, Which, signature_of};
use carrysave_cli::cmd::sign::{Existing, Scheme, Signing};
use carrysave_cli::cmd::verify::{self, Verifying};
use carrysave_cli::exit::{Code, Failure, Result};
use carrysave_cli::key::{self, PasswordArgs, Signer, Verifier};
use carrysave_cli::{interrupt, io, progress, weak_moduli};
use carrysave_cluster::World;
use carrysave_cluster::farm::{self, Ending, Event, Items, Mail, Options};
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Set by an interrupt.
static STOP: AtomicBool = AtomicBool::new(false);

/// The most files that a sentence names.
const NAMED: usize = 8;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
    A folder stands for the files in it, as with `carrysave sign --batch`. A file that has a \
    signature keeps it, so that the same command again goes on after a run that was cut short.")]
pub struct SignArgs {
    /// The private key, which every rank reads
    #[arg(short, long, value_name = "FILE")]
    key: PathBuf,
    #[command(flatten)]
    scheme: Scheme,
    #[command(flatten)]
    password: PasswordArgs,
    #[command(flatten)]
    files: FilesArgs,
    /// Replace signatures that are there already
    #[arg(long)]
    force: bool,
    /// Write signatures as base64, in lines of 64 letters
    #[arg(long)]
    base64: bool,
    /// Allow keys below 2048 bits, which can be broken, for tests
    #[arg(long)]
    small: bool,
}

#[derive(clap::Args, Debug)]
pub struct VerifyArgs {
    /// The public key or certificate of the signer, which every rank reads
    #[arg(short, long, value_name = "FILE")]
    key: PathBuf,
    #[command(flatten)]
    scheme: Scheme,
    #[command(flatten)]
    password: PasswordArgs,
    #[command(flatten)]
    files: FilesArgs,
}

#[derive(clap::Args, Debug)]
pub struct MissingArgs {
    /// Files and folders
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Take what is in the folders' folders, too, but not in hidden ones or by links
    #[arg(short, long)]
    recursive: bool,
}

#[derive(clap::Args, Debug)]
struct FilesArgs {
    /// Files and folders
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Take what is in the folders' folders, too, but not in hidden ones or by links
    #[arg(short, long)]
    recursive: bool,
    /// How many threads each rank computes on, 1024 at most. `sign` writes by up to 64 more, which wait for storage
    #[arg(long, default_value_t = 1, value_parser = batch::threads)]
    threads: usize,
    /// Write which files failed and why to FILE, one JSON object a line, and not to standard error
    #[arg(long, value_name = "FILE")]
    manifest: Option<PathBuf>,
    /// Give up a rank that is not heard of for so long
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..))]
    patience: u64,
}

/// `carrysave-mpi sign`
pub fn sign(world: &World, ready: Result<()>, args: SignArgs, quiet: bool) -> End {
    let existing = match args.force {
        true => Existing::Replace,
        false => Existing::Keep,
    };
    let task = ready.and_then(|()| args.scheme.check()).and_then(|()| {
        let key = key::signer(&args.key, &unattended(args.password))?;
        match &key {
            Signer::Rsa(key) => weak_moduli::refuse_small(key.public(), &args.key, args.small)?,
            Signer::Curve(key) => args.scheme.check_for_curve(&key.public())?,
        }
        Ok(Signing {
            key,
            scheme: args.scheme,
            base64: args.base64,
            p1363: false,
            namespace: None,
            existing,
        })
    });
    run(world, &args.files, task, quiet)
}

/// `carrysave-mpi verify`
pub fn verify(world: &World, ready: Result<()>, args: VerifyArgs, quiet: bool) -> End {
    let task = ready.and_then(|()| args.scheme.check()).and_then(|()| {
        let key = key::verifier(&args.key, &unattended(args.password))?;
        match &key {
            Verifier::Rsa(key) if world.rank() == 0 => weak_moduli::warn_of_small(key, &args.key),
            Verifier::Rsa(_) => {}
            Verifier::Curve(key) => args.scheme.check_for_curve(key)?,
        }
        Ok(Verifying {
            key,
            scheme: args.scheme,
            namespace: None,
        })
    });
    run(world, &args.files, task, quiet)
}

/// A rank has no terminal.
fn unattended(password: PasswordArgs) -> PasswordArgs {
    PasswordArgs {
        unattended: true,
        ..password
    }
}

/// `carrysave-mpi missing`
pub fn missing(args: &MissingArgs) -> Result<()> {
    let which = Which {
        signed: false,
        recursive: args.recursive,
    };
    let files = Files::find(&args.paths, which, None)?;
    let mut missing = 0;
    for file in files.iter().filter(|file| !signed(file)) {
        missing += 1;
        io::print([file.as_os_str().as_bytes(), b"\n"].concat())?;
    }
    match missing {
        0 => Ok(()),
        n => Err(Failure::new(
            Code::Batch,
            format!("{n} of {} files have no signature", files.total),
        )),
    }
}

/// Whether a file has something that may be a signature. The length cannot be checked without the key.
fn signed(file: &Path) -> bool {
    fs::metadata(signature_of(file)).is_ok_and(|found| found.is_file() && found.len() > 0)
}

/// This rank's part in the task, or the reason why it has none.
fn run<T: FileTask>(world: &World, args: &FilesArgs, task: Result<T>, quiet: bool) -> End {
    let options = Options {
        patience: Duration::from_secs(args.patience),
        stop: &STOP,
    };
    let batch = Batch::new(args.threads);
    if world.rank() == 0 {
        let ready = task.and_then(|task| {
            interrupt::watch(|_| STOP.store(true, Ordering::Relaxed))?;
            let which = Which {
                signed: T::SIGNED,
                recursive: args.recursive,
            };
            let find = || Files::find(&args.paths, which, args.manifest.as_deref());
            let files = farm::prepare(world, &options, find)?;
            Ok((task, files, Report::new(args.manifest.as_deref())?))
        });
        return match ready {
            Ok((task, files, report)) => {
                lead(world, &options, &files, report, &task, &batch, quiet)
            }
            Err(failure) => {
                farm::dismiss(world, Ending::Whole);
                (Err(failure), Ending::Whole)
            }
        };
    }
    let ready = interrupt::clean_up().and(task);
    let ready = ready.map_err(|failure| failure.message);
    let followed = farm::follow(world, &options, |items| {
        let task = ready.as_ref().map_err(String::clone)?;
        work(task, &batch, items).map_err(|failure| failure.message)
    });
    match followed {
        Ok(ending) => (Ok(()), ending),
        Err(farm::LeaderLost) => {
            let message = format!("rank {} ends, as rank 0 is lost", world.rank());
            (Err(Failure::new(Code::Io, message)), Ending::Lost)
        }
    }
}

/// The outcome of a file: it had a signature already; nothing for success; or status and reason of a failure.
const KEPT: &[u8] = &[0];

/// The outcomes of some files, of which no more are prepared at a time than the task permits.
fn work<T: FileTask>(task: &T, batch: &Batch, items: &[Vec<u8>]) -> Result<Items> {
    let mut all = vec![];
    for items in items.chunks(task.at_once()) {
        let files: Vec<PathBuf> = items.iter().map(|item| path(item)).collect();
        let fates = Mutex::new(vec![vec![]; files.len()]);
        batch::slice(task, batch, &files, &progress::none(), |i, result| {
            let fate = match result {
                Ok(Fate::Done) => vec![],
                Ok(Fate::Kept) => KEPT.to_vec(),
                Err(failure) => [&[failure.code as u8], failure.message.as_bytes()].concat(),
            };
            fates.lock().expect("no panic comes between")[i] = fate;
        })?;
        all.extend(fates.into_inner().expect("no panic comes between"));
    }
    Ok(all)
}

/// Decodes the outcome of one file, from the bytes of [`work`].
fn fate(of: &[u8]) -> Result<Fate> {
    match of {
        [] => Ok(Fate::Done),
        KEPT => Ok(Fate::Kept),
        [status, why @ ..] => Err(Failure::new(
            Code::of(*status).unwrap_or(Code::Batch),
            String::from_utf8_lossy(why),
        )),
    }
}

fn path(item: &[u8]) -> PathBuf {
    OsString::from_vec(item.to_vec()).into()
}

/// The first few of the files, for a sentence.
fn names(items: &[Vec<u8>]) -> String {
    let name = |item: &Vec<u8>| path(item).display().to_string();
    let mut names: Vec<String> = items.iter().take(NAMED).map(name).collect();
    if let more @ 1.. = items.len() - names.len() {
        names.push(format!("and {more} more"));
    }
    if names.is_empty() {
        return String::new();
    }
    format!(": {}", names.join(", "))
}

/// Rank 0's part.
fn lead<T: FileTask>(
    world: &World,
    options: &Options<'_>,
    files: &Files,
    report: Report,
    task: &T,
    batch: &Batch,
    quiet: bool,
) -> End {
    let work = |items: &[Vec<u8>]| work(task, batch, items);
    let bar = progress::files(T::WHAT, files.total, 0, quiet);
    let items = files.iter().map(|file| file.into_os_string().into_vec());
    let mut ended = 0;
    let (result, ending) = farm::lead(world, options, files.total, items, work, |event| {
        match event {
            Event::Result(item, of) => {
                report.add(&bar, ended, &path(item), fate(of))?;
                ended += 1;
            }
            Event::Lost(rank, why, items) => {
                let message = format!(
                    "rank {rank} is lost: {why}{}",
                    match items.len() {
                        0 => String::new(),
                        files => format!("; others do its {files} files{}", names(items)),
                    }
                );
                bar.suspend(|| Failure::new(Code::Batch, message).say());
            }
            Event::Stopped(items) => {
                bar.finish_and_clear();
                // Some of a piece may be signed without its result.
                let left = |item: &Vec<u8>| !(task.keeps() && signed(&path(item)));
                let left: Vec<Vec<u8>> = items.into_iter().filter(left).collect();
                // The launcher may allow only a moment, so the sentence comes before the manifest.
                let message = format!(
                    "the run was ended: {} of {} files are left, which the same command does{}",
                    left.len(),
                    files.total,
                    names(&left)
                );
                Failure::new(Code::Interrupted, message).say();
                let left: Vec<PathBuf> = left.iter().map(|item| path(item)).collect();
                let _ = report.leave(left.iter().map(PathBuf::as_path));
                interrupt::end(Code::Interrupted);
            }
        }
        Ok(())
    });
    bar.finish_and_clear();
    let result = result.and_then(|()| report.finish(quiet));
    let said = result.and_then(|signatures| match T::SIGNED && !quiet {
        true => io::print(verify::good(signatures)),
        false => Ok(()),
    });
    (said, ending)
}
