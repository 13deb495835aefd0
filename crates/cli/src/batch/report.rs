//! What came of the files of a batch: failures on standard error, or in a manifest.

use super::Fate;
use super::files::{Kind, kind, no_file};
use crate::exit::{Code, Failure, Result, program, say};
use crate::io::{Input, Output};
use crate::progress;
use indicatif::ProgressBar;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

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
    pub(super) fn cut_short(&self, why: &Failure) {
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
