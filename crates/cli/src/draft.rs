//! Drafts: output files that get their name only when they are complete.
//!
//! The contents may be secret, or not known to be right. So only the owner can open the file, and a program that is
//! killed leaves nothing: the file has no name until it is linked to one. If the system has no such files, a draft has
//! a temporary name beside its destination, which an interrupt removes.

use crate::interrupt::Unfinished;
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tempfile::TempPath;
use zeroize::Zeroizing;

/// The mode of a draft: only its owner may read or write it.
const MODE: u32 = 0o600;

/// A file that is written before it is committed.
pub struct Draft {
    bytes: Wiped,
    /// The temporary name, if it has one.
    name: Option<Name>,
}

/// A temporary name of a file.
struct Name {
    path: TempPath,
    // Dropped last.
    listed: Unfinished,
}

impl Name {
    /// Calls `make` with a temporary name in a folder.
    fn begin(
        folder: &Path,
        mut make: impl FnMut(&Path) -> io::Result<File>,
    ) -> io::Result<(File, Name)> {
        let begin = || {
            let mut why = None;
            let made = tempfile::Builder::new()
                .prefix(".carrysave-")
                .make_in(folder, |path| {
                    make(path).inspect_err(|e| why = e.raw_os_error())
                });
            // The system's message, without the temporary name.
            made.map_err(|e| why.map_or(e, io::Error::from_raw_os_error))
        };
        let (made, listed) = Unfinished::begin(begin, |made| made.path())?;
        let (file, path) = made.into_parts();
        Ok((file, Name { path, listed }))
    }

    /// Renames it to a permanent name.
    fn become_of(self, to: &Path, replace: bool) -> io::Result<()> {
        let Name { path, listed } = self;
        let persisted = match replace {
            true => path.persist(to),
            false => path.persist_noclobber(to),
        };
        drop(listed);
        persisted.map_err(|e| e.error)
    }
}

impl Draft {
    /// An empty draft, to be committed in this folder.
    ///
    /// # Errors
    /// The system's.
    pub fn new(folder: &Path) -> io::Result<Draft> {
        match nameless(folder) {
            Some(file) => Ok(Draft {
                bytes: Wiped::into(file),
                name: None,
            }),
            None => Draft::named(folder),
        }
    }

    /// A draft with a temporary name.
    fn named(folder: &Path) -> io::Result<Draft> {
        let (file, name) = Name::begin(folder, |path| {
            let mut options = File::options();
            options.read(true).write(true).create_new(true).mode(MODE);
            options.open(path)
        })?;
        Ok(Draft {
            bytes: Wiped::into(file),
            name: Some(name),
        })
    }

    /// Commits it under a name in its folder, with this mode, before or after it is synced.
    ///
    /// # Errors
    /// The system's; [`io::ErrorKind::AlreadyExists`] if the name exists and must not be replaced.
    pub fn appear(self, to: &Path, mode: u32, replace: bool, at_once: bool) -> io::Result<()> {
        let file = self.bytes.into_file()?;
        file.set_permissions(Permissions::from_mode(mode))?;
        if !at_once {
            file.sync_all()?;
        }
        match self.name {
            Some(name) => name.become_of(to, replace)?,
            None => match link(&file, to) {
                // A link cannot replace another, so the complete file gets a temporary name first.
                Err(e) if replace && e.kind() == io::ErrorKind::AlreadyExists => {
                    let folder = folder_of(to);
                    let linked = |path: &Path| link(&file, path).and_then(|()| file.try_clone());
                    Name::begin(folder, linked)?.1.become_of(to, true)?;
                }
                linked => linked?,
            },
        }
        if at_once {
            file.sync_all()?;
        }
        Ok(())
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.bytes.flush()
    }
}

/// The folder of a file.
pub fn folder_of(file: &Path) -> &Path {
    let folder = file.parent().filter(|p| !p.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// A folder whose directory entries can be synced, if the system supports that.
pub struct Folder(Option<File>);

impl Folder {
    /// Opens the folder.
    ///
    /// # Errors
    /// The system's, if it opens no more files.
    pub fn open(folder: &Path) -> io::Result<Folder> {
        supported(File::open(folder)).map(Folder)
    }

    /// Syncs its entries.
    ///
    /// # Errors
    /// The system's, if storage fails.
    pub fn sync(&self) -> io::Result<()> {
        let folder = self.0.as_ref();
        folder.map_or(Ok(()), |folder| supported(folder.sync_all()).map(drop))
    }
}

/// Nothing, if the system does not support it or does not permit it.
fn supported<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    use io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
    match result {
        Err(e) if matches!(e.kind(), PermissionDenied | InvalidInput | Unsupported) => Ok(None),
        other => other.map(Some),
    }
}

/// Syncs the directory entries of a folder.
///
/// # Errors
/// Those of [`Folder`].
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    Folder::open(folder)?.sync()
}

/// A file without a name, if the system has such files and can link them later.
#[cfg(target_os = "linux")]
fn nameless(folder: &Path) -> Option<File> {
    use rustix::fs::OFlags;
    let mut options = File::options();
    options.read(true).write(true).mode(MODE);
    options.custom_flags(OFlags::TMPFILE.bits().cast_signed());
    let file = options.open(folder).ok()?;
    // It is linked by this path, which does not exist without /proc.
    let (open, by_way) = (file.metadata().ok()?, fs::metadata(way_to(&file)).ok()?);
    ((open.dev(), open.ino()) == (by_way.dev(), by_way.ino())).then_some(file)
}

#[cfg(not(target_os = "linux"))]
fn nameless(_: &Path) -> Option<File> {
    None
}

/// A path that leads to an open file.
fn way_to(file: &File) -> PathBuf {
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

/// Gives a name to a file that has none.
fn link(file: &File, to: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    Ok(linkat(CWD, way_to(file), CWD, to, AtFlags::SYMLINK_FOLLOW)?)
}

/// A writer to a file, with a buffer that is wiped.
pub struct Wiped {
    buffer: Zeroizing<Vec<u8>>,
    /// The file, created when the buffer is full.
    file: Option<File>,
    capacity: usize,
}

impl Wiped {
    /// A writer to this file.
    fn into(file: File) -> Wiped {
        Wiped {
            file: Some(file),
            ..Wiped::kept(1 << 16)
        }
    }

    /// In memory up to `capacity` bytes, then in a file that never has a name.
    pub fn kept(capacity: usize) -> Wiped {
        Wiped {
            buffer: Zeroizing::default(),
            file: None,
            capacity,
        }
    }

    fn file(&mut self) -> io::Result<&mut File> {
        if self.file.is_none() {
            let file = tempfile::tempfile()?;
            file.set_permissions(Permissions::from_mode(MODE))?;
            self.file = Some(file);
        }
        Ok(self.file.as_mut().expect("there is one now"))
    }

    fn spill(&mut self) -> io::Result<()> {
        let buffer = std::mem::take(&mut self.buffer);
        self.file()?.write_all(&buffer)?;
        self.buffer = buffer;
        self.buffer.clear();
        Ok(())
    }

    /// The file with all bytes.
    fn into_file(mut self) -> io::Result<File> {
        self.spill()?;
        Ok(self.file.take().expect("all is in it"))
    }

    /// Copies all bytes to another writer.
    ///
    /// # Errors
    /// The system's.
    pub fn copy_to(mut self, to: &mut dyn Write) -> io::Result<()> {
        use std::io::{Read, Seek};
        if self.file.is_none() {
            return to.write_all(&self.buffer);
        }
        self.spill()?;
        let file = self.file()?;
        file.rewind()?;
        // Through a buffer that is wiped.
        let capacity = self.capacity;
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.resize(capacity, 0);
        loop {
            match self.file()?.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(read) => to.write_all(&buffer[..read])?,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
    }
}

impl Write for Wiped {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.buffer.len() + bytes.len() > self.capacity {
            self.spill()?;
        }
        if bytes.len() >= self.capacity {
            return self.file()?.write(bytes);
        }
        // Allocated at once, as a vector that grows leaves copies behind.
        if self.buffer.capacity() == 0 {
            self.buffer.reserve_exact(self.capacity);
        }
        self.buffer.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.file.is_some() {
            self.spill()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    fn long() -> Vec<u8> {
        (0..200_000_u32).map(|i| i as u8).collect()
    }

    /// A draft without a name, if the system supports that, and one with a temporary name.
    fn drafts(folder: &Path) -> [Draft; 2] {
        [Draft::new(folder).unwrap(), Draft::named(folder).unwrap()]
    }

    #[test]
    fn a_draft_is_its_owners_until_it_appears() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        for (i, mut draft) in drafts(folder).into_iter().enumerate() {
            for bytes in long().chunks(70_001) {
                draft.write_all(bytes).unwrap();
            }
            draft.flush().unwrap();
            for path in names(folder) {
                assert!(path == folder.join("0") || mode(&path) == MODE);
            }
            let to = folder.join(i.to_string());
            draft.appear(&to, 0o640, false, i == 1).unwrap();
            assert_eq!((fs::read(&to).unwrap(), mode(&to)), (long(), 0o640));
        }
        assert_eq!(names(folder).len(), 2, "and no other names");
    }

    #[test]
    fn a_draft_replaces_only_what_it_is_to_replace() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let to = folder.join("there");
        fs::write(&to, "old").unwrap();
        for draft in drafts(folder) {
            let refused = draft.appear(&to, 0o600, false, false).unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
            assert_eq!(fs::read(&to).unwrap(), b"old");
        }
        for mut draft in drafts(folder) {
            draft.write_all(b"new").unwrap();
            draft.appear(&to, 0o604, true, false).unwrap();
            assert_eq!((fs::read(&to).unwrap(), mode(&to)), (b"new".into(), 0o604));
            fs::write(&to, "old").unwrap();
        }
        let taken = folder.join("taken");
        fs::create_dir(&taken).unwrap();
        for draft in drafts(folder) {
            draft.appear(&taken, 0o600, true, false).unwrap_err();
        }
        drop(drafts(folder));
        assert_eq!(names(folder).len(), 2, "and no other names");
    }

    #[test]
    fn what_is_kept_in_memory_goes_on_in_a_file() {
        let long = long();
        for (capacity, file) in [(1 << 20, false), (100_000, true), (1000, true)] {
            let mut kept = Wiped::kept(capacity);
            for bytes in long.chunks(1999) {
                kept.write_all(bytes).unwrap();
                kept.flush().unwrap();
            }
            assert_eq!(kept.file.is_some(), file);
            let place = kept.buffer.capacity();
            assert!(place == 0 || place == capacity, "it grew to {place}");
            let mut copy = vec![];
            kept.copy_to(&mut copy).unwrap();
            assert!(copy == long);
        }
    }
}
