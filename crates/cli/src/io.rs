//! Files: inputs that may be `-`, outputs that appear whole or not at all.

use crate::exit::{Code, Failure, Result};
use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Read, Seek, Write};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::{NamedTempFile, SpooledTempFile, TempDir, TempPath};

/// How much decrypted output for a pipe is kept in memory before it goes to a temporary file.
const SPOOL: usize = 1 << 20;

/// Whether this path stands for standard input or output.
pub fn is_std(path: &Path) -> bool {
    path == Path::new("-")
}

/// The one name of a file, which need not exist yet, in a folder that does.
pub fn place(path: &Path) -> Option<PathBuf> {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
    Some(folder.join(path.file_name()?))
}

/// Whether two paths name one file, which need not exist yet.
pub fn same_place(a: &Path, b: &Path) -> bool {
    a == b || place(a).is_some_and(|a| Some(a) == place(b))
}

/// Whether two paths lead to one file that is there, by links too.
pub fn same_file(a: &Path, b: &Path) -> bool {
    number(a).is_some_and(|there| Some(there) == number(b))
}

/// What the system tells files by.
fn number(path: &Path) -> Option<(u64, u64)> {
    let meta = fs::metadata(path).ok()?;
    Some((meta.dev(), meta.ino()))
}

/// The files that no output may replace. They stay open, for else the system could give the number of one that is
/// removed to another file.
static KEPT: Mutex<Vec<File>> = Mutex::new(Vec::new());

/// Has every output refused from now on that would replace this file, under whatever name. One that cannot be lost that
/// way, as a pipe, is passed over.
pub fn keep(path: &Path) {
    if fs::metadata(path).is_ok_and(|meta| meta.is_file()) {
        KEPT.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend(File::open(path));
    }
}

fn is_kept(path: &Path) -> bool {
    let Some(there) = number(path) else {
        return false;
    };
    let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.iter().any(|file| {
        file.metadata()
            .is_ok_and(|meta| (meta.dev(), meta.ino()) == there)
    })
}

/// Something to read.
pub struct Input {
    reader: Reader,
    /// Its length, where it has one.
    pub len: Option<u64>,
}

enum Reader {
    Std(io::Stdin),
    File(File),
}

impl Input {
    /// Opens a file, or standard input for `-`.
    pub fn open(path: &Path) -> Result<Input> {
        if is_std(path) {
            // Whoever comes second would read nothing, and sign that.
            static TAKEN: AtomicBool = AtomicBool::new(false);
            if TAKEN.swap(true, Relaxed) {
                let message = "standard input cannot stand for two files: name one of them";
                return Err(Failure::usage(message));
            }
            return Ok(Input {
                reader: Reader::Std(io::stdin()),
                len: None,
            });
        }
        let cannot = |e: io::Error| Failure::io(format_args!("cannot read {}", path.display()), &e);
        let file = File::open(path).map_err(cannot)?;
        let meta = file.metadata().map_err(cannot)?;
        if meta.is_dir() {
            return Err(cannot(io::ErrorKind::IsADirectory.into()));
        }
        let len = (meta.is_file() && ends_at(&file, meta.len())).then_some(meta.len());
        Ok(Input {
            reader: Reader::File(file),
            len,
        })
    }

    /// A file that can be read at any place, and its length.
    pub fn regular(&self) -> Option<(&File, u64)> {
        match &self.reader {
            Reader::File(file) => self.len.map(|len| (file, len)),
            Reader::Std(_) => None,
        }
    }

    /// Goes to a place in such a file.
    pub fn skip(&mut self, to: u64) -> io::Result<()> {
        match &mut self.reader {
            Reader::File(file) => file.seek(io::SeekFrom::Start(to)).map(drop),
            Reader::Std(_) => Err(io::ErrorKind::NotSeekable.into()),
        }
    }
}

impl Read for Input {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match &mut self.reader {
            Reader::Std(stdin) => stdin.read(buf),
            Reader::File(file) => file.read(buf),
        }
    }
}

/// Whether this is where a file ends. Those of the system's, as in /proc and /sys, say that they are of another length.
fn ends_at(file: &File, len: u64) -> bool {
    let mut byte = [0];
    let mut there = |at| matches!(file.read_at(&mut byte, at), Ok(1));
    !there(len) && (len == 0 || there(len - 1))
}

/// Reads a whole file of at most `max` bytes.
pub fn read_small(path: &Path, max: u64) -> Result<zeroize::Zeroizing<Vec<u8>>> {
    let input = Input::open(path)?;
    let mut bytes = zeroize::Zeroizing::new(Vec::with_capacity(
        input.len.unwrap_or(0).min(max) as usize + 1,
    ));
    input
        .take(max + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| Failure::io(format_args!("cannot read {}", path.display()), &e))?;
    if bytes.is_empty() {
        return Err(Failure::bad_input("the file is empty").about(path));
    }
    if bytes.len() as u64 > max {
        return Err(Failure::bad_input(format!(
            "the file is larger than {max} bytes, so it is something else"
        ))
        .about(path));
    }
    Ok(bytes)
}

/// Who may read an output file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// As the user's umask says.
    Umask,
    /// The user alone.
    Private,
}

/// What is written before it is known to be right: a file beside its destination, renamed at the end; or, for a pipe, a
/// spool that is copied at the end.
pub struct Output {
    sink: Sink,
    name: String,
    /// Whether a reader that has gone away is no error.
    text: bool,
}

enum Sink {
    File {
        /// Without its name, which its errors would have.
        temp: BufWriter<File>,
        path: TempPath,
        listed: Unfinished,
        to: PathBuf,
    },
    Spool {
        temp: SpooledTempFile,
        to: Box<dyn Write + Send>,
    },
    Direct(Box<dyn Write + Send>),
}

impl Output {
    /// An output that appears at the end only.
    pub fn create(path: &Path, access: Access) -> Result<Output> {
        Output::new(path, access, true)
    }

    /// The same, but what goes into a pipe goes at once: for output that is right from its first byte.
    pub fn streaming(path: &Path, access: Access) -> Result<Output> {
        Output::new(path, access, false)
    }

    /// A text that appears at the end only, and of which nobody need read all, as with [`print()`].
    pub fn text(path: &Path) -> Result<Output> {
        let output = Output::create(path, Access::Umask)?;
        Ok(Output {
            text: true,
            ..output
        })
    }

    fn new(path: &Path, access: Access, spool: bool) -> Result<Output> {
        if !is_std(path) && is_kept(path) {
            let message = "this file is in use as a key or password and would be lost: \
                           give the output another name";
            return Err(Failure::usage(message).about(path));
        }
        let name = if is_std(path) {
            "standard output".into()
        } else {
            path.display().to_string()
        };
        let pipe = |to: Box<dyn Write + Send>| {
            if spool {
                Sink::Spool {
                    temp: SpooledTempFile::new(SPOOL),
                    to,
                }
            } else {
                Sink::Direct(to)
            }
        };
        let sink = if is_std(path) {
            pipe(Box::new(io::stdout()))
        } else {
            let cannot = |e: io::Error| Failure::io(format_args!("cannot write {name}"), &e);
            // A link is followed, so that the file it points to is replaced, not the link.
            let to = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
            match fs::metadata(&to) {
                Ok(meta) if meta.is_dir() => {
                    return Err(cannot(io::ErrorKind::IsADirectory.into()));
                }
                Ok(meta) if !meta.is_file() => pipe(Box::new(File::create(&to).map_err(cannot)?)),
                found => {
                    let mode = match (access, found) {
                        (Access::Private, _) => 0o600,
                        (Access::Umask, Ok(meta)) => meta.permissions().mode() & 0o777,
                        (Access::Umask, Err(_)) => 0o666,
                    };
                    let folder = to
                        .parent()
                        .filter(|p| !p.as_os_str().is_empty())
                        .unwrap_or(Path::new("."));
                    let begin = || {
                        let mut why = None;
                        let open = |path: &Path| {
                            let mut options = File::options();
                            options.read(true).write(true).create_new(true).mode(mode);
                            options.open(path).inspect_err(|e| why = e.raw_os_error())
                        };
                        let made = tempfile::Builder::new()
                            .prefix(".carrysave-")
                            .make_in(folder, open);
                        // What the system says, without the temporary name.
                        made.map_err(|e| why.map_or(e, io::Error::from_raw_os_error))
                    };
                    let (temp, listed) =
                        Unfinished::begin(begin, NamedTempFile::path).map_err(cannot)?;
                    let (file, path) = temp.into_parts();
                    Sink::File {
                        temp: BufWriter::with_capacity(1 << 17, file),
                        path,
                        listed,
                        to,
                    }
                }
            }
        };
        Ok(Output {
            sink,
            name,
            text: false,
        })
    }

    /// Writes all of these bytes.
    pub fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_all(bytes)
            .map_err(|e| Failure::io(format_args!("cannot write {}", self.name), &e))
    }

    /// Makes the output appear, in the place of what is there.
    pub fn commit(self) -> Result<()> {
        self.appear(true, false).map(drop)
    }

    /// The same before the output is on storage: for a program that may be killed at any moment.
    pub fn commit_at_once(self) -> Result<()> {
        self.appear(true, true).map(drop)
    }

    /// Makes the output appear unless something of its name is there, and says whether it did.
    pub fn commit_new(self) -> Result<bool> {
        self.appear(false, false)
    }

    fn appear(self, replace: bool, at_once: bool) -> Result<bool> {
        let name = self.name;
        match self.sink.commit(replace, at_once) {
            Ok(()) => Ok(true),
            Err(e) if self.text && e.kind() == io::ErrorKind::BrokenPipe => Ok(true),
            Err(e) if !replace && e.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(e) => Err(Failure::io(format_args!("cannot write {name}"), &e)),
        }
    }
}

impl Sink {
    fn commit(self, replace: bool, at_once: bool) -> io::Result<()> {
        match self {
            // What comes first here goes last where something fails.
            Sink::File {
                listed,
                path,
                temp,
                to,
            } => {
                let file = temp.into_inner().map_err(io::IntoInnerError::into_error)?;
                if !at_once {
                    file.sync_all()?;
                }
                let persisted = match replace {
                    true => path.persist(to),
                    false => path.persist_noclobber(to),
                };
                persisted.map_err(|e| e.error)?;
                drop(listed);
                if at_once {
                    file.sync_all()?;
                }
                Ok(())
            }
            Sink::Spool { mut temp, mut to } => {
                temp.rewind()?;
                io::copy(&mut temp, &mut to)?;
                to.flush()
            }
            Sink::Direct(mut to) => to.flush(),
        }
    }
}

impl Write for Output {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::File { temp, .. } => temp.write(buf),
            Sink::Spool { temp, .. } => temp.write(buf).map_err(|e| {
                let folder = std::env::temp_dir();
                let place = format!(
                    "{e}, in {}, where it waits until all is right",
                    folder.display()
                );
                io::Error::new(e.kind(), place)
            }),
            Sink::Direct(to) => to.write(buf),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::File { temp, .. } => temp.flush(),
            Sink::Spool { temp, .. } => temp.flush(),
            Sink::Direct(to) => to.flush(),
        }
    }
}

/// Writes a whole small file.
pub fn write(path: &Path, access: Access, bytes: &[u8]) -> Result<()> {
    whole(path, access, bytes)?.commit()
}

/// The same unless something of its name is there, and says whether it did.
pub fn write_new(path: &Path, access: Access, bytes: &[u8]) -> Result<bool> {
    whole(path, access, bytes)?.commit_new()
}

fn whole(path: &Path, access: Access, bytes: &[u8]) -> Result<Output> {
    let mut output = Output::create(path, access)?;
    output.put(bytes)?;
    Ok(output)
}

/// Whether there is something of this name, if only a link to nowhere.
pub fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Prints to standard output. A reader that has gone away, as `head` does, is not an error.
pub fn print(text: impl AsRef<[u8]>) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_ref()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::io("cannot write standard output", &e))
        }
        _ => Ok(()),
    }
}

/// Standard output for what cannot end at an error: after the first one nothing more is printed.
#[derive(Default)]
pub struct Printer(Option<Failure>);

impl Printer {
    /// The first error.
    pub fn finish(self) -> Result<()> {
        self.0.map_or(Ok(()), Err)
    }
}

impl Write for Printer {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        if self.0.is_none() {
            self.0 = print(buf).err();
        }
        Ok(buf.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Binary does not go to a terminal.
pub fn refuse_terminal(path: &Path, what: &str) -> Result<()> {
    if is_std(path) && io::stdout().is_terminal() {
        return Err(Failure::usage(format!(
            "{what} is binary and does not go to a terminal: use --out FILE"
        )));
    }
    Ok(())
}

/// What an interrupt has to remove. Whoever holds this holds up the interrupt, and the interrupt everybody else.
fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    static LIST: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
    LIST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A place in the list of what an interrupt has to remove. It is given up last, also when something failed: what fails
/// because an interrupt has removed its file goes no further than this.
struct Unfinished(PathBuf);

impl Unfinished {
    /// Makes something and lists it, between which no interrupt comes.
    fn begin<T>(
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

/// A folder that is gone when it is dropped, or on an interrupt.
pub struct TempFolder {
    folder: TempDir,
    _listed: Unfinished,
}

impl TempFolder {
    /// An empty one.
    pub fn new() -> Result<TempFolder> {
        let (folder, _listed) = Unfinished::begin(tempfile::tempdir, TempDir::path)
            .map_err(|e| Failure::io("cannot make a temporary folder", &e))?;
        Ok(TempFolder { folder, _listed })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// What an interrupt does first.
static FIRST: Mutex<Option<Box<dyn FnOnce() + Send>>> = Mutex::new(None);

/// Lets an interrupt remove what is unfinished.
pub fn clean_up_on_interrupt() -> Result<()> {
    on_interrupt(|| {
        let first = FIRST.lock().unwrap_or_else(PoisonError::into_inner).take();
        first.into_iter().for_each(|act| act());
        end_interrupted()
    })
}

/// Has an interrupt that cleans up do this before.
pub fn before_clean_up(act: impl FnOnce() + Send + 'static) {
    *FIRST.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(act));
}

/// What an interrupt is to do. Called once at most.
pub fn on_interrupt(act: impl FnMut() + Send + 'static) -> Result<()> {
    ctrlc::set_handler(act)
        .map_err(|e| Failure::new(Code::Io, format!("cannot watch for interrupts: {e}")))
}

/// Removes what is unfinished, and ends the program before anything else can be begun.
pub fn end_interrupted() -> ! {
    let list = unfinished();
    for path in list.iter() {
        let _ = fs::remove_file(path).or_else(|_| fs::remove_dir_all(path));
    }
    std::process::exit(Code::Interrupted as i32)
}
