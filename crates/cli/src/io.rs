//! Files: inputs that may be `-`, and outputs that are committed complete or not at all.

use crate::draft::{Draft, Folder, Wiped, folder_of, sync_folder};
use crate::exit::{Failure, Result};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Read, Seek, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::SystemTime;
use zeroize::Zeroizing;

/// The bytes of decrypted output for a pipe that are kept in memory before a temporary file is used.
const KEPT_BYTES: usize = 1 << 20;

/// Whether this path stands for standard input or output.
pub fn is_std(path: &Path) -> bool {
    path == Path::new("-")
}

/// Whether this path is standard output: `-`, or one of the names that systems have for it.
pub fn is_stdout(path: &Path) -> bool {
    let names = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
    is_std(path) || names.iter().any(|name| path == Path::new(name))
}

/// Where a link leads that leads to nothing yet.
fn end_of_links(path: &Path) -> PathBuf {
    /// The most links that Linux follows.
    const MOST: usize = 40;
    let mut to = path.to_owned();
    for _ in 0..MOST {
        match fs::read_link(&to) {
            Ok(next) => to = folder_of(&to).join(next),
            Err(_) => break,
        }
    }
    to
}

/// The canonical name of a file, which need not exist yet, in a folder that does.
pub fn place(path: &Path) -> Option<PathBuf> {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
    Some(folder.join(path.file_name()?))
}

/// Whether two paths name the same file, also by links. It need not exist yet.
pub fn same_place(a: &Path, b: &Path) -> bool {
    let place = |path| place(&end_of_links(path));
    a == b || place(a).is_some_and(|a| Some(a) == place(b))
}

/// Whether two paths lead to the same existing file, also by links.
pub fn same_file(a: &Path, b: &Path) -> bool {
    number(a).is_some_and(|there| Some(there) == number(b))
}

/// The system's identity of a file.
fn number(path: &Path) -> Option<(u64, u64)> {
    let meta = fs::metadata(path).ok()?;
    Some((meta.dev(), meta.ino()))
}

/// A file that no output may replace: its number and, as the system may reuse the number of a removed file, its time of
/// creation, if known. Keeping files open instead would take descriptors.
#[derive(PartialEq)]
struct Kept {
    number: (u64, u64),
    made: Option<SystemTime>,
}

impl Kept {
    fn of(meta: &fs::Metadata) -> Kept {
        Kept {
            number: (meta.dev(), meta.ino()),
            made: meta.created().ok(),
        }
    }
}

static KEPT: Mutex<Vec<Kept>> = Mutex::new(Vec::new());

/// Makes every later output that would replace this file, under any name, fail. Has no effect on pipes and the like,
/// which cannot be replaced.
pub fn keep(path: &Path) {
    let meta = fs::metadata(path).ok().filter(fs::Metadata::is_file);
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.extend(meta.as_ref().map(Kept::of));
}

fn is_kept(path: &Path) -> bool {
    let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    fs::metadata(path).is_ok_and(|meta| kept.contains(&Kept::of(&meta)))
}

/// An input.
pub struct Input {
    reader: Reader,
    /// Its length, if it has one.
    pub len: Option<u64>,
}

enum Reader {
    /// A separate handle, without the standard library's buffer, which is never wiped.
    Std(File),
    File(File),
}

impl Input {
    /// Opens a file, or standard input for `-`.
    pub fn open(path: &Path) -> Result<Input> {
        if is_std(path) {
            // A second reader would read nothing, and sign that.
            static TAKEN: AtomicBool = AtomicBool::new(false);
            if TAKEN.swap(true, Relaxed) {
                let message = "standard input cannot stand for two files: name one of them";
                return Err(Failure::usage(message));
            }
            let own = io::stdin().as_fd().try_clone_to_owned();
            let own = own.map_err(|e| Failure::io("cannot read standard input", &e))?;
            return Ok(Input {
                reader: Reader::Std(own.into()),
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

    /// A file that can be read at any position, and its length.
    pub fn regular(&self) -> Option<(&File, u64)> {
        match &self.reader {
            Reader::File(file) => self.len.map(|len| (file, len)),
            Reader::Std(_) => None,
        }
    }

    /// Seeks in such a file.
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

/// Whether a file ends here. System files, as in /proc and /sys, report another length.
fn ends_at(file: &File, len: u64) -> bool {
    let mut byte = [0];
    let mut there = |at| matches!(file.read_at(&mut byte, at), Ok(1));
    !there(len) && (len == 0 || there(len - 1))
}

/// Reads a whole file of at most `max` bytes, and leaves no copy of it behind.
pub fn read_small(path: &Path, max: u64) -> Result<Zeroizing<Vec<u8>>> {
    /// The initial buffer for inputs without a length.
    const FIRST: u64 = 1 << 12;
    let mut input = Input::open(path)?;
    let capacity = input.len.unwrap_or(FIRST).min(max) as usize + 1;
    let mut bytes = Zeroizing::new(vec![0; capacity]);
    let mut len = 0;
    while len as u64 <= max {
        if len == bytes.len() {
            // A vector that grows leaves a copy behind.
            let mut more = Zeroizing::new(vec![0; 2 * len]);
            more[..len].copy_from_slice(&bytes);
            bytes = more;
        }
        match input.read(&mut bytes[len..]) {
            Ok(0) => break,
            Ok(read) => len += read,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => {
                return Err(Failure::io(
                    format_args!("cannot read {}", path.display()),
                    &e,
                ));
            }
        }
    }
    bytes.truncate(len);
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
    /// All users that the umask admits and, if a file is replaced, that its mode admits, too.
    Umask,
    /// The user alone.
    Private,
}

/// An output that is not known to be right yet: a file that gets its name at the end or, for a pipe, a buffer that is
/// copied at the end.
pub struct Output {
    sink: Sink,
    name: String,
    /// Whether a closed pipe is no error.
    text: bool,
}

enum Sink {
    File {
        draft: Draft,
        to: PathBuf,
        /// The mode of the committed file.
        mode: u32,
    },
    Kept {
        bytes: Wiped,
        to: Box<dyn Write + Send>,
    },
    Direct(Box<dyn Write + Send>),
}

/// What is synced when an output is committed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stored {
    /// The file and its name.
    All,
    /// The file. [`sync_folders`] syncs its name.
    File,
    /// Nothing: the caller syncs later.
    Nothing,
}

impl Output {
    /// An output that is committed at the end only.
    pub fn create(path: &Path, access: Access) -> Result<Output> {
        Output::new(path, access, true)
    }

    /// An output that is committed at the end only, but a pipe gets each byte at once: for output that is right from
    /// its first byte.
    pub fn streaming(path: &Path, access: Access) -> Result<Output> {
        Output::new(path, access, false)
    }

    /// A text that is committed at the end only. A pipe closed early is no error, as with [`print()`].
    pub fn text(path: &Path) -> Result<Output> {
        let output = Output::create(path, Access::Umask)?;
        Ok(Output {
            text: true,
            ..output
        })
    }

    fn new(path: &Path, access: Access, keep: bool) -> Result<Output> {
        if !is_stdout(path) && is_kept(path) {
            let message = "this file is in use as a key or password and would be lost: \
                           give the output another name";
            return Err(Failure::usage(message).about(path));
        }
        let name = if is_stdout(path) {
            "standard output".into()
        } else {
            path.display().to_string()
        };
        let pipe = |to: Box<dyn Write + Send>| {
            if keep {
                Sink::Kept {
                    bytes: Wiped::kept(KEPT_BYTES),
                    to,
                }
            } else {
                Sink::Direct(to)
            }
        };
        let sink = if is_stdout(path) {
            let own = stdout().map_err(|e| Failure::io("cannot write standard output", &e))?;
            if keep {
                pipe(Box::new(own))
            } else {
                pipe(Box::new(io::stdout()))
            }
        } else {
            let cannot = |e: io::Error| Failure::io(format_args!("cannot write {name}"), &e);
            // A link is followed, so that the file it points to is replaced, not the link.
            let to = match fs::canonicalize(path) {
                Ok(to) => to,
                Err(_) if fs::metadata(path).is_ok() => {
                    let message = "this file has no name that it could be replaced by: \
                                   give the output a name, or - for standard output";
                    return Err(Failure::usage(message).about(path));
                }
                Err(_) => end_of_links(path),
            };
            match fs::metadata(&to) {
                Ok(meta) if meta.is_dir() => {
                    return Err(cannot(io::ErrorKind::IsADirectory.into()));
                }
                Ok(meta) if !meta.is_file() => pipe(Box::new(File::create(&to).map_err(cannot)?)),
                found => {
                    let mode = match (access, found) {
                        (Access::Private, _) => 0o600,
                        (Access::Umask, Ok(meta)) => meta.permissions().mode() & 0o777 & !umask(),
                        (Access::Umask, Err(_)) => 0o666 & !umask(),
                    };
                    let draft = Draft::new(folder_of(&to)).map_err(cannot)?;
                    Sink::File { draft, to, mode }
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

    /// Commits the output, and replaces an existing file.
    pub fn commit(self) -> Result<()> {
        self.appear(true, Stored::All).map(drop)
    }

    /// Commits the output before it is synced, and replaces an existing file: for a program that may be killed at any
    /// moment.
    pub fn commit_at_once(self) -> Result<()> {
        self.appear(true, Stored::Nothing).map(drop)
    }

    /// Commits the output unless its name exists; returns whether it did.
    pub fn commit_new(self) -> Result<bool> {
        self.appear(false, Stored::All)
    }

    fn appear(self, replace: bool, stored: Stored) -> Result<bool> {
        let Output { sink, name, text } = self;
        match sink.commit(
            replace,
            if text {
                stored.max(Stored::File)
            } else {
                stored
            },
        ) {
            Ok(()) => Ok(true),
            Err(e) if text && e.kind() == io::ErrorKind::BrokenPipe => Ok(true),
            Err(e) if !replace && e.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(e) => Err(Failure::io(format_args!("cannot write {name}"), &e)),
        }
    }
}

/// The user's umask.
fn umask() -> u32 {
    use rustix::fs::Mode;
    use rustix::process::umask;
    static UMASK: OnceLock<u32> = OnceLock::new();
    *UMASK.get_or_init(|| {
        // It can only be read by setting it: files that another thread makes meanwhile are private.
        let mask = umask(Mode::RWXG | Mode::RWXO);
        umask(mask);
        mask.bits()
    })
}

/// Syncs the folders of these files, each once.
pub fn sync_folders<'a>(files: impl Iterator<Item = &'a Path>) -> Result<()> {
    let folders: BTreeSet<&Path> = files.map(folder_of).collect();
    folders.into_iter().try_for_each(|folder| {
        let cannot = |e| Failure::io(format_args!("cannot write {}", folder.display()), &e);
        sync_folder(folder).map_err(cannot)
    })
}

impl Sink {
    fn commit(self, replace: bool, stored: Stored) -> io::Result<()> {
        match self {
            Sink::File { draft, to, mode } => {
                // Opened first, as what fails leaves no file.
                let folder = (stored == Stored::All).then(|| Folder::open(folder_of(&to)));
                let folder = folder.transpose()?;
                draft.appear(&to, mode, replace, stored == Stored::Nothing)?;
                folder.map_or(Ok(()), |folder| folder.sync())
            }
            Sink::Kept { bytes, mut to } => {
                bytes.copy_to(&mut to)?;
                to.flush()
            }
            Sink::Direct(mut to) => to.flush(),
        }
    }
}

impl Write for Output {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::File { draft, .. } => draft.write(buf),
            Sink::Kept { bytes, .. } => bytes.write(buf).map_err(|e| {
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
            Sink::File { draft, .. } => draft.flush(),
            Sink::Kept { bytes, .. } => bytes.flush(),
            Sink::Direct(to) => to.flush(),
        }
    }
}

/// Writes a whole small file.
pub fn write(path: &Path, access: Access, bytes: &[u8]) -> Result<()> {
    whole(path, access, bytes)?.commit()
}

/// Writes one of many small files. Without `replace` it does nothing if the name exists. Returns whether it wrote. The
/// caller syncs the names with [`sync_folders`].
pub fn write_one(path: &Path, access: Access, bytes: &[u8], replace: bool) -> Result<bool> {
    whole(path, access, bytes)?.appear(replace, Stored::File)
}

fn whole(path: &Path, access: Access, bytes: &[u8]) -> Result<Output> {
    let mut output = Output::create(path, access)?;
    output.put(bytes)?;
    Ok(output)
}

/// Whether the name exists, even as a dangling link.
pub fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Standard output without the standard library's buffer, which is never wiped.
fn stdout() -> io::Result<&'static File> {
    static STDOUT: OnceLock<File> = OnceLock::new();
    if STDOUT.get().is_none() {
        let own = io::stdout().as_fd().try_clone_to_owned()?;
        // Another thread may have been first.
        _ = STDOUT.set(own.into());
    }
    Ok(STDOUT.get().expect("it is there now"))
}

/// Prints to standard output. A closed pipe, as by `head`, is not an error.
pub fn print(text: impl AsRef<[u8]>) -> Result<()> {
    match stdout().and_then(|mut out| out.write_all(text.as_ref())) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::io("cannot write standard output", &e))
        }
        _ => Ok(()),
    }
}

/// Standard output for code that cannot stop at an error: after the first one nothing more is printed.
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

/// Binary output to a terminal is refused.
pub fn refuse_terminal(path: &Path, what: &str) -> Result<()> {
    if is_stdout(path) && io::stdout().is_terminal() {
        return Err(Failure::usage(format!(
            "{what} is binary and does not go to a terminal: use --out FILE"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::Code;

    #[test]
    fn a_small_file_may_be_as_large_as_it_says() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), [7; 10]).unwrap();
        for (max, code) in [(9, Some(Code::BadInput)), (10, None), (11, None)] {
            match read_small(file.path(), max) {
                Ok(bytes) => assert_eq!((code, &bytes[..]), (None, &[7; 10][..])),
                Err(failure) => assert_eq!(Some(failure.code), code, "{}", failure.message),
            }
        }
    }

    #[test]
    fn a_folder_is_no_input() {
        let folder = tempfile::tempdir().unwrap();
        let failure = Input::open(folder.path()).err().expect("nothing to read");
        assert_eq!(failure.code, Code::Io);
    }
}
