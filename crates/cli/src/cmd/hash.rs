//! `carrysave hash`

use crate::batch;
use crate::exit::{Code, Failure, Result};
use crate::io::{self, Input};
use crate::sums::{self, Line, State, Style};
use crate::{key, progress};
use carrysave::engine::Threads;
use carrysave::symmetric::skein::{Parameters, Skein, Tree};
use carrysave::symmetric::{Buffer, fill};
use carrysave::team::{Serial, Team};
use indicatif::ProgressBar;
use std::fs;
use std::io::ErrorKind;
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
    pub(super) files: Vec<PathBuf>,
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
    /// The tree has at most HEIGHT levels
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
    pub(super) status: bool,
    /// Pass over lines whose file is not there
    #[arg(long, requires = "check", conflicts_with_all = ["bits", "tag"])]
    pub(super) ignore_missing: bool,
    /// Fail if there is a line that is none
    #[arg(long, requires = "check", conflicts_with_all = ["bits", "tag"])]
    pub(super) strict: bool,
    /// Name each line that is none
    #[arg(short, long, requires = "check", conflicts_with_all = ["bits", "tag"])]
    pub(super) warn: bool,
    /// How many threads hash, 1024 at most [default: as many as there are cores]
    #[arg(long, value_parser = batch::threads)]
    threads: Option<usize>,
}

/// The most bits of a hash.
pub(super) const MAX_BITS: u64 = 1 << 16;
/// The number of files taken at a time.
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
        super::hash_check::check(&args, &hashing, style)
    } else {
        print(&args, &hashing, style)
    }
}

/// Prints a line for each file.
fn print(args: &Args, hashing: &Hashing<'_>, style: Style) -> Result<()> {
    let total = args.files.iter().map(|file| length(file)).sum();
    let bar = progress::bar("hashing", total, hashing.quiet);
    let lines = args.files.iter().map(|file| Line {
        style,
        tagged: args.tag,
        hash: vec![],
        file: file.clone(),
    });
    let mut failed = 0;
    hashing.each(&bar, lines, |line, hash| match hash {
        Ok(hash) => {
            let line = sums::write(args.tag.then_some(&style), &hash, &line.file);
            bar.suspend(|| io::print(line))
        }
        Err(e) if args.files.len() == 1 => Err(e),
        Err(e) => {
            failed += 1;
            bar.suspend(|| e.say());
            Ok(())
        }
    })?;
    match failed {
        0 => Ok(()),
        n => {
            let message = format!("{n} of {} files failed", args.files.len());
            Err(Failure::new(Code::Batch, message))
        }
    }
}

/// The length of a file, if it has one.
fn length(file: &Path) -> Option<u64> {
    let found = fs::metadata(file).ok().filter(|found| found.is_file());
    found.map(|found| found.len())
}

/// The hash parameters for all files.
pub(super) struct Hashing<'a> {
    key: Zeroizing<Vec<u8>>,
    personalization: Option<&'a str>,
    threads: usize,
    team: Threads,
    pub quiet: bool,
}

impl Hashing<'_> {
    /// Hashes the files of lines and passes the hashes on, in order. Takes no more lines than are in progress.
    pub fn each(
        &self,
        bar: &ProgressBar,
        mut lines: impl Iterator<Item = Line>,
        mut then: impl FnMut(Line, Result<Vec<u8>>) -> Result<()>,
    ) -> Result<()> {
        loop {
            let slice: Vec<Line> = lines.by_ref().take(SLICE).collect();
            if slice.is_empty() {
                return Ok(());
            }
            let alone = batch::each(self.threads, &slice, |Line { file, style, .. }| {
                let alone = style.tree.is_none() || length(file).is_some_and(|len| len < LONG);
                alone.then(|| self.hash(&Serial, file, style, bar))
            });
            for (line, hash) in slice.into_iter().zip(alone) {
                let together = || self.hash(&self.team, &line.file, &line.style, bar);
                let hash = hash.unwrap_or_else(together);
                then(line, hash)?;
            }
        }
    }

    /// The hash of a file, on the threads of a team.
    pub fn hash(
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
        /// The bytes read at a time, to be hashed by one thread or by several.
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
        // The whole file, or bytes appended meanwhile.
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
