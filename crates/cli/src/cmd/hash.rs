//! `carrysave hash`

use crate::batch;
use crate::exit::{Code, Failure, Result, say};
use crate::io::{self, Input};
use crate::sums::{self, State, Style};
use crate::{key, progress};
use carrysave::arith::team::{Serial, Team};
use carrysave::engine::Threads;
use carrysave::symmetric::skein::{Parameters, Skein, Tree};
use carrysave::symmetric::{Buffer, fill};
use indicatif::ProgressBar;
use std::fs;
use std::io::ErrorKind;
use std::num::NonZeroUsize;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
    Prints a line HASH  FILE for each file, as sha256sum does; a name with a newline or a \
    backslash is escaped, and the line begins with a backslash. --check reads such lines, and \
    those of --tag, computes the hashes again and says which files still have theirs; the \
    number of bits is that of the line. What lines do not say has to be given again: the state \
    and the tree unless they are tagged, the key and the personalization always.\n\n\
    --tree gives another hash than without, which all cores compute together. With a key it is \
    a code of authentication (Skein-MAC).")]
pub struct Args {
    /// What to hash, or with --check the files of lines; - for standard input
    #[arg(default_value = "-")]
    files: Vec<PathBuf>,
    /// The state of Skein
    #[arg(short, long, value_enum, default_value_t = State::Skein512)]
    algorithm: State,
    /// The bits of a hash, a multiple of 8 [default: those of the state]
    #[arg(short, long, conflicts_with = "check")]
    bits: Option<u64>,
    /// Hash as a tree
    #[arg(short, long)]
    tree: bool,
    /// A leaf of the tree has 2^LEAF blocks
    #[arg(long, requires = "tree", default_value_t = 5)]
    leaf: u8,
    /// A node of the tree has 2^FAN hashes of the level below
    #[arg(long, requires = "tree", default_value_t = 5)]
    fan: u8,
    /// The tree has at most so many levels
    #[arg(long, requires = "tree", default_value_t = 255)]
    height: u8,
    /// The key is the bytes of FILE
    #[arg(short, long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// Hash for this application alone; the paper proposes a date, an address and a name
    #[arg(short, long, value_name = "TEXT")]
    personalization: Option<String>,
    /// Print lines that say how they were made, as in Skein-512-256 (FILE) = HASH
    #[arg(long, conflicts_with = "check")]
    tag: bool,
    /// Read lines from the files and check them; with --quiet, print those that fail only
    #[arg(short, long)]
    check: bool,
    /// Print nothing, the status says it all
    #[arg(long, requires = "check", conflicts_with_all = ["bits", "tag"])]
    status: bool,
    /// Pass over lines whose file is not there
    #[arg(long, requires = "check", conflicts_with_all = ["bits", "tag"])]
    ignore_missing: bool,
    /// Fail if there is a line that is none
    #[arg(long, requires = "check", conflicts_with_all = ["bits", "tag"])]
    strict: bool,
    /// Name each line that is none
    #[arg(short, long, requires = "check", conflicts_with_all = ["bits", "tag"])]
    warn: bool,
    /// How many threads hash, 1024 at most [default: as many as there are cores]
    #[arg(long, value_parser = batch::threads)]
    threads: Option<NonZeroUsize>,
}

/// No hash is longer than this.
const MAX_BITS: u64 = 1 << 16;
/// No list of hashes is longer than this.
const MAX_LIST: u64 = 1 << 28;
/// How many files are taken at a time.
const SLICE: usize = 64;
/// From this length on all threads hash one tree together; shorter files get a thread each.
const LONG: u64 = 1 << 20;

pub fn run(args: Args, quiet: bool) -> Result<()> {
    let tree = Tree::new(args.leaf, args.fan, args.height).ok_or_else(|| {
        Failure::usage("there is no such tree: --leaf and --fan are 1 to 48, --height is 2 to 255")
    })?;
    let style = Style {
        state: args.algorithm,
        bits: args.bits.unwrap_or(args.algorithm.bits()),
        tree: args.tree.then_some(tree),
    };
    if !(1..=MAX_BITS).contains(&style.bits) || !style.bits.is_multiple_of(8) {
        return Err(Failure::usage(format!(
            "--bits is a multiple of 8 and at most {MAX_BITS}"
        )));
    }
    let key = match &args.key_file {
        Some(path) => key::read(path)?,
        None => Zeroizing::default(),
    };
    let threads = args.threads.unwrap_or_else(batch::cores);
    let hashing = Hashing {
        key,
        personalization: args.personalization.as_deref(),
        threads,
        team: Threads::unmeasured(threads),
        quiet,
    };
    if args.check {
        check(&args, &hashing, style, quiet)
    } else {
        print(&args, &hashing, style)
    }
}

/// Prints a line for each file.
fn print(args: &Args, hashing: &Hashing<'_>, style: Style) -> Result<()> {
    let jobs: Vec<_> = args
        .files
        .iter()
        .map(|file| (file.clone(), style))
        .collect();
    let mut failed = 0;
    hashing.each(&jobs, |bar, file, hash| match hash {
        Ok(hash) => {
            let line = sums::write(args.tag.then_some(&style), &hash, file);
            bar.suspend(|| io::print(line))
        }
        Err(e) if jobs.len() == 1 => Err(e),
        Err(e) => {
            failed += 1;
            bar.suspend(|| e.say());
            Ok(())
        }
    })?;
    match failed {
        0 => Ok(()),
        n => {
            let message = format!("{n} of {} files failed", jobs.len());
            Err(Failure::new(Code::Batch, message))
        }
    }
}

/// Computes the hashes of lists again.
fn check(args: &Args, hashing: &Hashing<'_>, style: Style, quiet: bool) -> Result<()> {
    let (mut jobs, mut expected) = (vec![], vec![]);
    let (mut strange, mut useless) = (0, 0);
    for list in &args.files {
        // One of several lists does not stop the others.
        let mut no_use = |e: Failure| match args.files.len() {
            1 => Err(e),
            _ => {
                e.say();
                useless += 1;
                Ok(())
            }
        };
        let text = match io::read_small(list, MAX_LIST) {
            Ok(text) => text,
            Err(e) => {
                no_use(e)?;
                continue;
            }
        };
        let before = jobs.len();
        for (i, line) in text.split(|&byte| byte == b'\n').enumerate() {
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            match sums::read(line, style).filter(|line| line.style.bits <= MAX_BITS) {
                Some(line) => {
                    jobs.push((line.file, line.style));
                    expected.push(line.hash);
                }
                None => {
                    strange += 1;
                    if args.warn {
                        let (list, number) = (list.display(), i + 1);
                        say(format_args!(
                            "carrysave: warning: {list}: line {number} is not a hash and a file"
                        ));
                    }
                }
            }
        }
        if jobs.len() == before {
            no_use(Failure::bad_input("no line is a hash and a file").about(list))?;
        }
    }
    if strange > 0 && !args.warn && !args.status {
        say(format_args!(
            "carrysave: warning: {} not a hash and a file",
            lines(strange)
        ));
    }
    let (mut good, mut bad, mut unread) = (0, 0, 0);
    let mut expected = expected.iter();
    hashing.each(&jobs, |bar, file, hash| {
        let expected = expected.next().expect("one for each job");
        let verdict = match hash {
            Ok(hash) if same(&hash, expected) => {
                good += 1;
                if quiet {
                    return Ok(());
                }
                "OK"
            }
            Ok(_) => {
                bad += 1;
                "FAILED"
            }
            Err(_) if args.ignore_missing && !file.exists() => return Ok(()),
            Err(e) => {
                unread += 1;
                if !args.status {
                    bar.suspend(|| e.say());
                }
                "FAILED open or read"
            }
        };
        if args.status {
            return Ok(());
        }
        bar.suspend(|| io::print(sums::verdict(file, verdict)))
    })?;
    let (all, lists) = (jobs.len(), args.files.len());
    let (code, message) = match (good, bad, unread) {
        (_, 1.., 0) => (Code::Failed, format!("{bad} of {all} hashes do not match")),
        (_, 0, 1..) => (
            Code::Failed,
            format!("{unread} of {all} files cannot be read"),
        ),
        (_, 1.., 1..) => {
            let unread = format!("{unread} of {all} files cannot be read");
            (
                Code::Failed,
                format!("{bad} of {all} hashes do not match, and {unread}"),
            )
        }
        _ if useless > 0 => (
            Code::Batch,
            format!("{useless} of {lists} lists are of no use"),
        ),
        (0, ..) => (Code::Failed, "none of the files is there".to_owned()),
        _ if args.strict && strange > 0 => (
            Code::BadInput,
            format!("{} not a hash and a file", lines(strange)),
        ),
        _ => return Ok(()),
    };
    let message = if args.status { String::new() } else { message };
    Err(Failure::new(code, message))
}

/// Says how many lines are something.
fn lines(count: usize) -> String {
    match count {
        1 => "1 line is".to_owned(),
        n => format!("{n} lines are"),
    }
}

/// Whether two hashes are the same, in a time that depends on their lengths only.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |sum, (a, b)| sum | a ^ b) == 0
}

/// How all files are hashed.
struct Hashing<'a> {
    key: Zeroizing<Vec<u8>>,
    personalization: Option<&'a str>,
    threads: NonZeroUsize,
    team: Threads,
    quiet: bool,
}

impl Hashing<'_> {
    /// Hashes files and passes the hashes on, in order.
    fn each(
        &self,
        jobs: &[(PathBuf, Style)],
        mut then: impl FnMut(&ProgressBar, &Path, Result<Vec<u8>>) -> Result<()>,
    ) -> Result<()> {
        let length = |file: &Path| {
            let found = fs::metadata(file).ok().filter(|found| found.is_file());
            found.map(|found| found.len())
        };
        let total = jobs.iter().map(|(file, _)| length(file)).sum();
        let bar = progress::bar("hashing", total, self.quiet);
        for slice in jobs.chunks(SLICE) {
            let alone = batch::each(self.threads, slice, |(file, style)| {
                let alone = style.tree.is_none() || length(file).is_some_and(|len| len < LONG);
                alone.then(|| self.hash(&Serial, file, style, &bar))
            });
            for ((file, style), hash) in slice.iter().zip(alone) {
                let hash = hash.unwrap_or_else(|| self.hash(&self.team, file, style, &bar));
                then(&bar, file, hash)?;
            }
        }
        Ok(())
    }

    fn hash(
        &self,
        team: &dyn Team,
        file: &Path,
        style: &Style,
        bar: &ProgressBar,
    ) -> Result<Vec<u8>> {
        let hash = match style.state {
            State::Skein256 => Self::hash_by::<4>,
            State::Skein512 => Self::hash_by::<8>,
            State::Skein1024 => Self::hash_by::<16>,
        };
        let input = Input::open(file)?;
        hash(self, team, input, style, bar).map_err(|e| match e.kind() {
            ErrorKind::UnexpectedEof => {
                Failure::new(Code::Io, "the file became shorter while it was read").about(file)
            }
            _ => Failure::io(format_args!("cannot read {}", file.display()), &e),
        })
    }

    fn hash_by<const W: usize>(
        &self,
        team: &dyn Team,
        mut input: Input,
        style: &Style,
        bar: &ProgressBar,
    ) -> std::io::Result<Vec<u8>> {
        /// What is read at a time, to be hashed by one thread or by several.
        const PIECES: [usize; 2] = [1 << 18, 1 << 22];
        let mut parameters = Parameters::new(style.bits / 8).key(&self.key);
        if let Some(text) = self.personalization {
            parameters = parameters.personalization(text.as_bytes());
        }
        if let Some(tree) = style.tree {
            parameters = parameters.tree(tree);
        }
        let mut skein = Skein::<W>::new(&parameters);
        if let Some((file, len)) = input.regular()
            && style.tree.is_some()
        {
            skein.update_from(team, len, &|at, buffer: &mut [u8]| {
                bar.inc(buffer.len() as u64);
                file.read_exact_at(buffer, at)
            })?;
            input.skip(len)?;
        }
        // All of it, or what has come since.
        let piece = PIECES[usize::from(team.size() > 1)];
        let mut buffer = Buffer::default();
        loop {
            let bytes = buffer.of(piece);
            let read = fill(&mut input, bytes)?;
            skein.update_on(team, &bytes[..read]);
            bar.inc(read as u64);
            if read < piece {
                break;
            }
        }
        let mut hash = vec![0; style.bits as usize / 8];
        skein.finalize().read(&mut hash);
        Ok(hash)
    }
}
