//! Signals that end the program, and the cleanup before it ends.

use crate::exit::{Code, Failure, Result};
use crate::terminal;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use tempfile::TempDir;

/// The cleanup of an interrupt. A thread that holds this lock delays the interrupt, and the interrupt delays all other
/// threads.
fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    static LIST: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
    LIST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An entry in the list of files that an interrupt removes. It is dropped last, also after a failure: an operation that
/// fails because an interrupt has removed its file stops here.
pub struct Unfinished(PathBuf);

impl Unfinished {
    /// Makes an object and lists it, atomically for interrupts.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn begin<T>(
        make: impl FnOnce() -> io::Result<T>,
        path: impl FnOnce(&T) -> &Path,
    ) -> io::Result<(T, Unfinished)> {
        let mut list = unfinished();
        let made = make()?;
        let path = path(&made).to_owned();
        list.push(path.clone());
        Ok((made, Unfinished(path)))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        unfinished().retain(|path| *path != self.0);
    }
}

/// A private folder that is removed when dropped, or on an interrupt.
pub struct TempFolder {
    folder: TempDir,
    _listed: Unfinished,
}

impl TempFolder {
    /// An empty folder.
    pub fn new() -> Result<TempFolder> {
        use std::os::unix::fs::PermissionsExt;
        let private = fs::Permissions::from_mode(0o700);
        let make = || tempfile::Builder::new().permissions(private).tempdir();
        let (folder, _listed) = Unfinished::begin(make, TempDir::path)
            .map_err(|e| Failure::io("cannot make a temporary folder", &e))?;
        Ok(TempFolder { folder, _listed })
    }

    /// The path.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// The first action of an interrupt.
type First = Box<dyn FnOnce(Code) + Send>;

static FIRST: Mutex<Option<First>> = Mutex::new(None);

/// Makes interrupts remove unfinished files.
pub fn clean_up() -> Result<()> {
    watch(|code| {
        let first = FIRST.lock().unwrap_or_else(PoisonError::into_inner).take();
        first.into_iter().for_each(|act| act(code));
        end(code)
    })
}

/// Sets the first action of interrupts that clean up.
pub fn before_clean_up(act: impl FnOnce(Code) + Send + 'static) {
    *FIRST.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(act));
}

/// Calls `act`, on a separate thread, with the exit status of each signal that should end the program. Call this at
/// most once. If the system starts no thread for it, signals end the program at once.
///
/// # Errors
/// The system's, if it does not let signals be watched.
pub fn watch(mut act: impl FnMut(Code) + Send + 'static) -> Result<()> {
    let (sender, receiver) = mpsc::channel();
    let work = move || {
        // Signals keep their default action until the thread is ready to handle them.
        let hang_up = (!ignored(SIGHUP)).then_some(SIGHUP);
        let mut signals = match Signals::new([SIGINT, SIGTERM].into_iter().chain(hang_up)) {
            Ok(signals) => signals,
            Err(e) => return drop(sender.send(Err(e))),
        };
        if sender.send(Ok(())).is_ok() {
            signals.forever().for_each(|signal| act(code(signal)));
        }
    };
    if thread::Builder::new()
        .name("signals".into())
        .spawn(work)
        .is_err()
    {
        return Ok(());
    }
    match receiver.recv() {
        Ok(Err(e)) => Err(Failure::io("cannot watch for interrupts", &e)),
        _ => Ok(()),
    }
}

/// Whether a signal is ignored, as under `nohup`, if the system can tell.
fn ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

fn code(signal: i32) -> Code {
    match signal {
        SIGTERM => Code::Terminated,
        SIGHUP => Code::HungUp,
        _ => Code::Interrupted,
    }
}

/// Removes unfinished files, and ends the program before new ones can be made.
pub fn end(code: Code) -> ! {
    let list = unfinished();
    for path in list.iter() {
        let _ = fs::remove_file(path).or_else(|_| fs::remove_dir_all(path));
    }
    terminal::restore_for_good();
    std::process::exit(code as i32)
}
