//! `carrysave hash --check`: lists of hashes of any length, a few lines at a time.

use super::hash::{Args, Hashing, MAX_BITS};
use crate::exit::{Code, Failure, Result, say};
use crate::io::{self, Input};
use crate::progress;
use crate::sums::{self, Line, State, Style};
use carrysave::hash::Hash;
use carrysave::symmetric::skein::Tree;
use carrysave::team::Serial;
use clap::ValueEnum;
use indicatif::ProgressBar;
use std::fs;
use std::io::{BufRead, BufReader, ErrorKind};
use std::path::Path;
use std::slice;

/// The longest line: the digits of the longest hash, and a name of 4096 bytes, all escaped.
const MAX_LINE: usize = MAX_BITS as usize / 4 + 2 * 4096 + 64;
/// A longer file is not hashed again to find out the kind of its hash.
const MAX_TRIED: u64 = 1 << 26;

/// Whether there is nothing by this name. What cannot be looked at may be there.
fn is_missing(file: &Path) -> bool {
    fs::metadata(file).is_err_and(|e| e.kind() == ErrorKind::NotFound)
}

/// Checks the hashes of lists.
pub fn check(args: &Args, hashing: &Hashing<'_>, style: Style) -> Result<()> {
    let bar = progress::bar("hashing", None, hashing.quiet);
    let mut lines = Lines {
        args,
        style,
        bar: &bar,
        lists: args.files.iter(),
        list: None,
        useless: None,
        counts: Counts::default(),
    };
    let (mut good, mut bad, mut unread, mut all) = (0, 0, 0, 0);
    let mut first = None;
    hashing.each(&bar, lines.by_ref(), |line, hash| {
        all += 1;
        let verdict = match hash {
            Ok(hash) if same(&hash, &line.hash) => {
                good += 1;
                if hashing.quiet {
                    return Ok(());
                }
                "OK"
            }
            Ok(_) => {
                bad += 1;
                "FAILED"
            }
            Err(_) if args.ignore_missing && is_missing(&line.file) => return Ok(()),
            Err(e) => {
                unread += 1;
                if !args.status {
                    bar.suspend(|| e.say());
                }
                "FAILED open or read"
            }
        };
        if !args.status {
            bar.suspend(|| io::print(sums::verdict(&line.file, verdict)))?;
        }
        if verdict == "FAILED" && first.is_none() {
            first = Some(line);
        }
        Ok(())
    })?;
    let Lines {
        useless, counts, ..
    } = lines;
    let Counts {
        strange,
        useless: lists_of_no_use,
    } = counts;
    if let Some(why) = useless {
        return Err(why);
    }
    if !args.status {
        if strange > 0 && !args.warn {
            say(format_args!(
                "carrysave: warning: {} not a hash and a file",
                are(strange)
            ));
        }
        if let Some(kind) = first
            .filter(|_| good == 0)
            .and_then(|line| other_kind(hashing, &line))
        {
            say(format_args!(
                "carrysave: warning: no hash is right, as the list is of another kind: {kind}"
            ));
        }
    }
    let lists = args.files.len();
    let cannot = format!("{unread} of {all} files cannot be read");
    let differ = format!("{bad} of {all} hashes do not match");
    let (code, message) = match (good, bad, unread) {
        (_, 1.., 0) => (Code::Failed, differ),
        (_, 0, 1..) => (Code::Failed, cannot),
        (_, 1.., 1..) => (Code::Failed, format!("{differ}, and {cannot}")),
        _ if lists_of_no_use > 0 => (
            Code::Batch,
            format!("{lists_of_no_use} of {lists} lists are of no use"),
        ),
        (0, ..) => (Code::Failed, "none of the files is there".to_owned()),
        _ if args.strict && strange > 0 => (
            Code::BadInput,
            format!("{} not a hash and a file", are(strange)),
        ),
        _ => return Ok(()),
    };
    let message = if args.status { String::new() } else { message };
    Err(Failure::new(code, message))
}

/// Counts of everything but good lines.
#[derive(Default)]
struct Counts {
    /// Lines that are not a hash and a file.
    strange: usize,
    /// Lists that cannot be read, or have no line.
    useless: usize,
}

/// The lines of all lists, read lazily.
struct Lines<'a> {
    args: &'a Args,
    style: Style,
    bar: &'a ProgressBar,
    lists: slice::Iter<'a, std::path::PathBuf>,
    list: Option<List<'a>>,
    /// Why the only list is unusable.
    useless: Option<Failure>,
    counts: Counts,
}

/// A list that is being read.
struct List<'a> {
    name: &'a Path,
    reader: BufReader<Input>,
    bytes: Vec<u8>,
    /// The numbers of lines read, and of those that are a hash and a file.
    read: usize,
    found: usize,
}

impl Lines<'_> {
    /// Reports an unusable list. If there are several, the others go on.
    fn no_use(&mut self, e: Failure) {
        match self.args.files.len() {
            1 => self.useless = Some(e),
            _ => {
                self.bar.suspend(|| e.say());
                self.counts.useless += 1;
            }
        }
    }
}

impl Iterator for Lines<'_> {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        loop {
            let Some(list) = &mut self.list else {
                let name = self.lists.next()?;
                match Input::open(name) {
                    Ok(input) => {
                        self.list = Some(List {
                            name,
                            reader: BufReader::with_capacity(1 << 16, input),
                            bytes: vec![],
                            read: 0,
                            found: 0,
                        });
                    }
                    Err(e) => self.no_use(e),
                }
                continue;
            };
            let name = list.name;
            match next_line(&mut list.reader, &mut list.bytes) {
                Ok(true) => {}
                Ok(false) => {
                    let found = list.found;
                    self.list = None;
                    if found == 0 {
                        let why = Failure::bad_input("no line is a hash and a file");
                        self.no_use(why.about(name));
                    }
                    continue;
                }
                Err(e) => {
                    self.list = None;
                    let cannot = format!("cannot read {}", name.display());
                    self.no_use(Failure::io(cannot, &e));
                    continue;
                }
            }
            list.read += 1;
            let bytes = &list.bytes[..];
            if bytes.is_empty() || bytes.starts_with(b"#") {
                continue;
            }
            let line = Some(bytes).filter(|bytes| bytes.len() <= MAX_LINE);
            let line = line.and_then(|bytes| sums::read(bytes, self.style));
            if let Some(line) = line.filter(|line| line.style.bits <= MAX_BITS) {
                list.found += 1;
                return Some(line);
            }
            self.counts.strange += 1;
            if self.args.warn {
                let (name, number) = (name.display(), list.read);
                self.bar.suspend(|| {
                    say(format_args!(
                        "carrysave: warning: {name}: line {number} is not a hash and a file"
                    ));
                });
            }
        }
    }
}

/// Reads a line without its end; of a line that is too long it reads one byte too many. Returns whether there was one.
fn next_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<bool> {
    line.clear();
    let mut any = false;
    loop {
        let some = match reader.fill_buf() {
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            some => some?,
        };
        if some.is_empty() {
            return Ok(any);
        }
        any = true;
        let end = some.iter().position(|&byte| byte == b'\n');
        let part = &some[..end.unwrap_or(some.len())];
        let left = (MAX_LINE + 1).saturating_sub(line.len());
        line.extend_from_slice(&part[..part.len().min(left)]);
        let used = part.len() + usize::from(end.is_some());
        reader.consume(used);
        if end.is_some() {
            return Ok(true);
        }
    }
}

/// The likely origin of a line that does not match, if found: another state, a tree or none, or another program.
fn other_kind(hashing: &Hashing<'_>, line: &Line) -> Option<String> {
    let short =
        fs::metadata(&line.file).is_ok_and(|found| found.is_file() && found.len() <= MAX_TRIED);
    if line.tagged || !short {
        return None;
    }
    let trees = [None, line.style.tree, Some(Tree::default())];
    for &state in State::value_variants() {
        for tree in trees {
            let style = Style {
                state,
                tree,
                ..line.style
            };
            let hash = hashing.hash(&Serial, &line.file, &style, &progress::none());
            if same(&hash.ok()?, &line.hash) {
                let state = state.to_possible_value()?;
                let tree = match tree {
                    Some(_) => "with --tree",
                    None => "without --tree",
                };
                let state = state.get_name();
                return Some(format!("check it {tree}, and with --algorithm {state}"));
            }
        }
    }
    let content = fs::read(&line.file).ok()?;
    let other = Hash::ALL
        .iter()
        .find(|hash| same(&hash.digest(&content), &line.hash))?;
    Some(match other.to_string().as_str() {
        name @ ("sha1" | "sha224" | "sha256" | "sha384" | "sha512") => {
            format!("it is one of {name}, which {name}sum --check checks")
        }
        name => format!("it is one of {name}"),
    })
}

/// A count of lines, in words.
fn are(count: usize) -> String {
    match count {
        1 => "1 line is".to_owned(),
        n => format!("{n} lines are"),
    }
}

/// Whether two hashes are equal, in a time that depends on their lengths only.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |sum, (a, b)| sum | a ^ b) == 0
}
