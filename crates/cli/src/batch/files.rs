//! Which files a batch has.

use crate::exit::{Failure, Result};
use crate::io;
use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::iter;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

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
pub(super) fn no_file() -> Failure {
    Failure::bad_input(
        "there is no file in the folders of the batch: what is hidden, ends in .sig or, without --recursive, is in a \
         folder in them does not count",
    )
}

/// The length of a file, if it has one.
pub(super) fn bytes(file: &Path) -> u64 {
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
pub(super) enum Kind {
    Hidden,
    Signature,
    Content,
}

pub(super) fn kind(path: &Path) -> Kind {
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
