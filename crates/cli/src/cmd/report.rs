//! `carrysave report`

use crate::exit::{Code, Failure, Result};
use crate::io::{self, Access};
use crate::processor::Processor;
use crate::{progress, record};
use carrysave_lab::record::Head;
use carrysave_lab::report::suite::{Level, parts};
use carrysave_lab::report::{Folder, diff, published};
use carrysave_lab::tune::tune;
use carrysave_lab::{Outcome, Reporter, Row};
use indicatif::ProgressBar;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(clap::Args, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
    The folder gets a record for each experiment, published.csv with every published figure beside ours, and \
    report.html, which any browser shows without a network. A report that was interrupted goes on where it was: records \
    that are there are kept."
)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// About three minutes: what people ask first [default]
    #[arg(long, group = "level")]
    quick: bool,
    /// About a quarter of an hour: every experiment
    #[arg(long, group = "level")]
    standard: bool,
    /// Every experiment at all its sizes; an hour and more
    #[arg(long, group = "level")]
    full: bool,
    /// Only these experiments, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<String>,
    /// The folder [default: lab-records/PROCESSOR-DATE]
    #[arg(short, long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Measure anew what the folder has already
    #[arg(long)]
    fresh: bool,
    /// Measure a plan for this machine first, and show what each choice comes from
    #[arg(long)]
    tune: bool,
    /// Measure nothing: make the page from the records in the folder
    #[arg(long, requires = "out", conflicts_with_all = ["level", "only", "fresh", "tune"])]
    render: bool,
    #[command(flatten)]
    processor: Processor,
}

#[derive(clap::Subcommand, Debug)]
enum Command {
    /// Compare two folders, or two records: what became faster or slower by more than noise
    Diff {
        /// Before
        before: PathBuf,
        /// After
        after: PathBuf,
        /// Also print what did not change
        #[arg(long)]
        all: bool,
    },
}

pub fn run(args: Args, quiet: bool) -> Result<()> {
    if let Some(Command::Diff { before, after, all }) = &args.command {
        return compare(before, after, *all);
    }
    let level = match args {
        Args { full: true, .. } => Level::Full,
        Args { standard: true, .. } => Level::Standard,
        _ => Level::Quick,
    };
    let folder = args
        .out
        .clone()
        .unwrap_or_else(|| Path::new("lab-records").join(Head::here().slug()));
    let mut refused = None;
    if !args.render {
        fs::create_dir_all(&folder).map_err(|e| {
            Failure::io(
                format_args!("cannot make the folder {}", folder.display()),
                &e,
            )
        })?;
        refused = measure(&args, level, &folder, quiet)?;
    }
    let records = read(&folder)?;
    let rows: Vec<&Row> = records.rows().collect();
    let cannot = |e: std::io::Error| Failure::io("cannot compare with what was published", &e);
    let beside = published::csv(&rows).map_err(cannot)?;
    io::write(
        &folder.join(format!("{}.csv", published::RECORD)),
        Access::Umask,
        &beside,
    )?;
    let page = folder.join("report.html");
    io::write(&page, Access::Umask, records.page().as_bytes())?;
    io::print(format!("{}\n", page.display()))?;
    match refused {
        Some(reason) => Err(Failure::new(Code::Failed, reason)),
        None => Ok(()),
    }
}

/// Measures what the folder lacks, and says who was kept out of a race, if anybody was.
fn measure(args: &Args, level: Level, folder: &Path, quiet: bool) -> Result<Option<String>> {
    let parts = parts(level, &args.only).map_err(|e| Failure::usage(e.to_string()))?;
    let cpu = args.processor.cpu();
    let lacks = |name: &str| args.fresh || !io::is_there(&folder.join(format!("{name}.csv")));
    let todo: Vec<_> = parts
        .into_iter()
        .filter(|part| lacks(part.experiment))
        .collect();
    if args.tune && lacks("tune") {
        let bar = progress::races("tuning", quiet);
        let tuned = tune(cpu, 0.1, &mut |done, all| {
            bar.set_length(all as u64);
            bar.set_position(done as u64);
        });
        drop(bar);
        io::write(
            &folder.join("plan.toml"),
            Access::Umask,
            tuned.plan.to_toml().as_bytes(),
        )?;
        record::write(&folder.join("tune.csv"), &Head::here(), &tuned.evidence)?;
    }
    let all: f64 = todo.iter().map(|part| part.estimate).sum();
    let bar = progress::seconds("measuring", all as u64, quiet);
    let (mut done, mut refused) = (0.0, None);
    for part in todo {
        bar.set_message(format!("measuring: {}", part.experiment));
        let mut progress = Moving {
            bar: &bar,
            done,
            estimate: part.estimate,
            start: Instant::now(),
        };
        let outcome = carrysave_lab::run(&part.request(cpu), &mut progress)
            .map_err(|e| Failure::usage(e.to_string()))?;
        let mut head = Head::here();
        head.0.push(("level".to_owned(), level.name().to_owned()));
        keep(folder, part.experiment, head, &outcome)?;
        refused = refused.or_else(|| outcome.refused.first().map(ToString::to_string));
        done += part.estimate;
    }
    Ok(refused)
}

/// Keeps a record.
fn keep(folder: &Path, name: &str, mut head: Head, outcome: &Outcome) -> Result<()> {
    let refused: Vec<String> = outcome.refused.iter().map(ToString::to_string).collect();
    if !refused.is_empty() {
        head.0.push(("refused".to_owned(), refused.join("; ")));
    }
    record::write(&folder.join(format!("{name}.csv")), &head, &outcome.rows)
}

/// Moves the bar along with the time, as far as an experiment's share goes. The page has the figures.
struct Moving<'b> {
    bar: &'b ProgressBar,
    done: f64,
    estimate: f64,
    start: Instant,
}

impl Reporter for Moving<'_> {
    fn race(&mut self, _: &[Row]) {
        let share = self.start.elapsed().as_secs_f64().min(self.estimate);
        self.bar.set_position((self.done + share) as u64);
    }
}

fn read(path: &Path) -> Result<Folder> {
    Folder::read(path).map_err(|e| match e.raw_os_error() {
        Some(_) => Failure::io(format_args!("cannot read {}", path.display()), &e),
        None => Failure::bad_input(e.to_string()),
    })
}

fn compare(before: &Path, after: &Path, all: bool) -> Result<()> {
    let (before, after) = (read(before)?, read(after)?);
    let (changes, [gone, new]) = diff::diff(before.rows(), after.rows());
    let mut text = String::new();
    let mut counts = [0; 3];
    for change in &changes {
        let (place, word) = match change.verdict() {
            diff::Verdict::Faster => (0, "faster"),
            diff::Verdict::Slower => (1, "slower"),
            diff::Verdict::Same => (2, "same"),
        };
        counts[place] += 1;
        if place < 2 || all {
            let times = if change.cycles < 1.0 {
                1.0 / change.cycles
            } else {
                change.cycles
            };
            let noise = 100.0 * (change.noise - 1.0);
            let _ = writeln!(
                text,
                "{word:<7} {times:>6.2} x  (noise {noise:>4.1} %)  {}",
                change.place()
            );
        }
    }
    let [faster, slower, same] = counts;
    let _ = writeln!(
        text,
        "{faster} faster, {slower} slower, {same} the same within noise, by cycles; {gone} only before, {new} only after"
    );
    io::print(text)
}
