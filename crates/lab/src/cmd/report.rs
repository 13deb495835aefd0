//! `carrysave-lab report`

use super::again;
use carrysave_arith::Cpu;
use carrysave_cli::exit::{Code, Failure, Result, say};
use carrysave_cli::io::{self, Access};
use carrysave_cli::processor::{Processor, follow};
use carrysave_cli::{interrupt, progress, record};
use carrysave_lab::record::{Head, Size, read_csv};
use carrysave_lab::report::published::{self, Coverage, Measured};
use carrysave_lab::report::suite::{Level, Part, parts};
use carrysave_lab::report::{Folder, bars, diff, performance};
use carrysave_lab::{Refused, Reporter, Row, head};
use indicatif::ProgressBar;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

#[derive(clap::Args, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
    The folder gets a record for each experiment, published.csv with every published figure beside ours, and \
    report.html, which any browser shows without a network. A report that was interrupted goes on where it was: what was \
    measured is kept, if it was on this machine and at a higher level, or at this one by this build and plan."
)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// About two minutes: what people ask first [default]
    #[arg(long, group = "level")]
    quick: bool,
    /// About ten minutes: every experiment
    #[arg(long, group = "level")]
    standard: bool,
    /// About half an hour: every experiment at all its sizes, and whatever was published
    #[arg(long, group = "level")]
    full: bool,
    /// Only these experiments, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<String>,
    /// The folder, which is made if it is not there: lab-records/PROCESSOR-DATE is the usual name
    #[arg(short, long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Discard what the folder has of these experiments, and measure it anew. After an interruption, the same without
    /// this goes on
    #[arg(long)]
    fresh: bool,
    /// Measure a plan for this machine first, follow it, and show what each choice comes from
    #[arg(long, conflicts_with = "without")]
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
    /// Draw RSA-4096 signatures of these records, many at once, as bars in an SVG
    Chart {
        /// Folders of records
        #[arg(required = true, value_name = "FOLDER")]
        folders: Vec<PathBuf>,
        /// The SVG
        #[arg(short, long, value_name = "FILE")]
        out: PathBuf,
    },
    /// Write the document on performance: tasks beside rivals, what loses, and what more threads gain
    Performance {
        /// Folders of records in lab-records
        #[arg(required = true, value_name = "FOLDER")]
        folders: Vec<PathBuf>,
        /// The document, in Markdown
        #[arg(short, long, value_name = "FILE")]
        out: PathBuf,
    },
    /// Say which of the published figures these records have one of ours beside, and why others have none
    Published {
        /// Folders of records [default: all in lab-records]
        #[arg(value_name = "FOLDER")]
        folders: Vec<PathBuf>,
        /// Write the document on what the sources conclude, and whether it holds in these records
        #[arg(short, long, value_name = "FILE", requires = "folders")]
        out: Option<PathBuf>,
    },
}

/// Where records are, usually.
const RECORDS: &str = "lab-records";

pub fn run(args: Args, quiet: bool) -> Result<()> {
    match &args.command {
        Some(Command::Diff { before, after, all }) => return compare(before, after, *all),
        Some(Command::Chart { folders, out }) => return chart(folders, out),
        Some(Command::Performance { folders, out }) => return document(folders, out),
        Some(Command::Published { folders, out: None }) => return beside_published(folders),
        Some(Command::Published {
            folders,
            out: Some(out),
        }) => return verdicts(folders, out),
        None => {}
    }
    let level = match args {
        Args { full: true, .. } => Level::Full,
        Args { standard: true, .. } => Level::Standard,
        _ => Level::Quick,
    };
    let cpu = args.processor.cpu()?;
    // Nothing is made where nobody asked for it.
    let folder = args.out.clone().ok_or_else(|| {
        let usual = Path::new(RECORDS).join(head(cpu).slug());
        Failure::usage(format!(
            "say where the report goes, such as --out {}",
            usual.display()
        ))
    })?;
    let mut refused = None;
    if !args.render {
        // Nothing is made for a command line that is wrong.
        parts(level, &args.only).map_err(|e| Failure::usage(e.to_string()))?;
        fs::create_dir_all(&folder).map_err(|e| {
            Failure::io(
                format_args!("cannot make the folder {}", folder.display()),
                &e,
            )
        })?;
        refused = measure(&args, level, &folder, quiet)?;
    }
    let records = read(&folder)?;
    let cannot = |e: std::io::Error| Failure::io("cannot compare with what was published", &e);
    let beside = published::csv(&Measured::from(&records)).map_err(cannot)?;
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
    if args.fresh {
        for part in &parts {
            discard(&folder.join(format!("{}.csv", part.experiment)))?;
            discard(&partial_of(folder, part.experiment))?;
        }
    }
    if args.tune {
        follow_tuned(folder, args.fresh, quiet)?;
    }
    let cpu = args.processor.cpu()?;
    let head = head(cpu).at(level);
    let (todo, mut refused) = lacking(parts, folder, &head, quiet)?;
    let all: f64 = todo.iter().map(|part| part.estimate()).sum();
    let bar = progress::milliseconds("measuring", (1000.0 * all) as u64, quiet);
    if !quiet {
        let (bar, how) = (
            bar.clone(),
            if args.fresh { " without --fresh" } else { "" },
        );
        interrupt::before_clean_up(move |_| {
            bar.suspend(|| {
                say(format_args!(
                    "carrysave: interrupted; the same command{how} goes on from here"
                ));
            });
        });
    }
    let mut done = 0.0;
    for part in todo {
        let partial = Partial::new(partial_of(folder, part.experiment), head.clone());
        let request = part.request(cpu, partial.races);
        let wrong = |e: carrysave_lab::Error| Failure::usage(e.to_string());
        let races = carrysave_lab::races(&request).map_err(wrong)?;
        let mut progress = Moving {
            bar: &bar,
            done,
            part: &part,
            races,
            partial,
        };
        if bar.is_hidden() && !quiet {
            let (name, seconds) = (part.experiment, part.estimate().ceil());
            say(format_args!(
                "carrysave: measuring {name}, {races} races, about {seconds} s"
            ));
        }
        carrysave_lab::run(&request, &mut progress).map_err(wrong)?;
        let reason = progress.partial.finish()?;
        refused = refused.or(reason);
        done += part.estimate();
    }
    Ok(refused)
}

/// The parts whose records are not there, or do not stand for what would be measured, and who was kept out of a race in the
/// others, if anybody was. Says what is kept and from when, and what is not and why.
fn lacking(
    parts: Vec<Part>,
    folder: &Path,
    head: &Head,
    quiet: bool,
) -> Result<(Vec<Part>, Option<String>)> {
    let mut kept: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut again, mut todo, mut refused) = (vec![], vec![], None);
    for part in parts {
        let name = part.experiment;
        match Found::at(&folder.join(format!("{name}.csv")), head)? {
            Found::Kept { date, but, without } => {
                let name = match but {
                    Some(why) => format!("{name} ({why})"),
                    None => name.to_owned(),
                };
                kept.entry(date).or_default().push(name);
                refused = refused.or(without);
            }
            Found::Other(why) => {
                again.push(format!("{name} ({why})"));
                todo.push(part);
            }
            Found::Nothing => todo.push(part),
        }
    }
    if !kept.is_empty() && !quiet {
        let kept = kept
            .into_iter()
            .map(|(date, names)| format!("{} of {date}", names.join(", ")));
        let kept = kept.collect::<Vec<_>>().join("; ");
        say(format_args!(
            "carrysave: kept what is there: {kept} (--fresh measures it anew)"
        ));
    }
    if !again.is_empty() && !quiet {
        say(format_args!(
            "carrysave: measured again: {}",
            again.join(", ")
        ));
    }
    Ok((todo, refused))
}

/// What is in a record's place.
enum Found {
    /// One that stands for what would be measured, or one of this machine at a higher level than is asked for now, though
    /// another build measured it or it follows another plan.
    Kept {
        date: String,
        /// What is other.
        but: Option<String>,
        /// Who was kept out of a race, if anybody was.
        without: Option<String>,
    },
    /// Another, and what is other.
    Other(String),
    /// Nothing.
    Nothing,
}

impl Found {
    /// Compares what is there with the head that would be written.
    fn at(path: &Path, wanted: &Head) -> Result<Found> {
        let csv = match fs::read(path) {
            Ok(csv) => csv,
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Found::Nothing),
            Err(e) => {
                return Err(Failure::io(
                    format_args!("cannot read {}", path.display()),
                    &e,
                ));
            }
        };
        let Ok((head, rows)) = read_csv(&csv[..]) else {
            return Ok(Found::Other("what is there is no record".to_owned()));
        };
        let kept = |but| Found::Kept {
            date: head.get("date").unwrap_or("an unknown day").to_owned(),
            but,
            without: head.get(Partial::REFUSED).map(str::to_owned),
        };
        let machine = ["machine", "cpu", "features"];
        let same_machine = machine
            .iter()
            .all(|name| head.get(name) == wanted.get(name));
        Ok(match head.differs_from(wanted) {
            _ if rows.is_empty() => Found::Other("what is there is empty".to_owned()),
            Some("level") => Found::Other("a lower level".to_owned()),
            Some(name) if same_machine && head.level() > wanted.level() => {
                kept(Some(format!("a higher level, but differs in {name}")))
            }
            Some(name) => Found::Other(format!("differs in {name}")),
            None => kept(None),
        })
    }
}

/// Follows the plan in the folder, which it measures first if that is to be done anew or was not by this build.
fn follow_tuned(folder: &Path, fresh: bool, quiet: bool) -> Result<()> {
    let head = Head::here(Cpu::native());
    if head.get("plan") != Some("built-in") {
        return Err(Failure::usage(
            "--tune measures a plan of its own, and follows no other: leave out --plan",
        ));
    }
    let [plan, evidence] = ["plan.toml", "tune.csv"].map(|name| folder.join(name));
    let found = match fresh {
        true => Found::Nothing,
        false => Found::at(&evidence, &head)?,
    };
    let fitting = matches!(found, Found::Kept { but: None, .. });
    let kept = fitting && io::is_there(&plan);
    if !kept {
        discard(&plan)?;
        tune(&plan, &evidence, quiet)?;
    }
    follow(&plan).map_err(|e| Failure {
        message: format!("{}; --fresh measures it anew", e.message),
        ..e
    })?;
    if kept && !quiet {
        say("carrysave: kept the plan that is there (--fresh measures it anew)");
    }
    Ok(())
}

/// Tunes in a process of its own: a plan is for a program that has not computed anything yet.
fn tune(plan: &Path, evidence: &Path, quiet: bool) -> Result<()> {
    let mut program = again::program()?;
    program
        .args(["tune", "--seconds", "0.06", "--out"])
        .arg(plan);
    program.arg("--record").arg(evidence);
    if quiet {
        program.arg("--quiet");
    }
    let status = program.stdin(Stdio::null()).status();
    again::succeeded(status.map_err(again::cannot)?, "tuning")
}

/// Removes a file, if it is there.
fn discard(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(Failure::io(
            format_args!("cannot remove {}", path.display()),
            &e,
        )),
        _ => Ok(()),
    }
}

/// Where the record of an experiment is while it is measured.
fn partial_of(folder: &Path, experiment: &str) -> PathBuf {
    folder.join(format!("{experiment}.partial"))
}

/// An experiment's record as far as it is measured: a file beside those of finished ones, for a report that is
/// interrupted.
struct Partial {
    path: PathBuf,
    head: Head,
    rows: Vec<Row>,
    refused: Vec<String>,
    /// How many races these are of.
    races: usize,
    saved: Instant,
}

impl Partial {
    /// How often it is saved at most.
    const PERIOD: Duration = Duration::from_secs(2);
    const RACES: &str = "races";
    const REFUSED: &str = "refused";

    /// What an interrupted report of this level left, if its head is the same but for the day; else nothing so far.
    fn new(path: PathBuf, head: Head) -> Partial {
        let mut partial = Partial {
            path,
            head,
            rows: vec![],
            refused: vec![],
            races: 0,
            saved: Instant::now(),
        };
        let left = fs::read(&partial.path).ok();
        if let Some((head, rows)) = left.and_then(|csv| read_csv(&csv[..]).ok()) {
            let same =
                head.differs_from(&partial.head).is_none() && head.level() == partial.head.level();
            if let Some(races) = head
                .get(Partial::RACES)
                .and_then(|races| races.parse().ok())
                && same
            {
                partial.races = races;
                partial.refused = head
                    .get(Partial::REFUSED)
                    .into_iter()
                    .map(str::to_owned)
                    .collect();
                partial.rows = rows;
            }
        }
        partial
    }

    /// The head with who was kept out of a race.
    fn head(&self) -> Head {
        let mut head = self.head.clone();
        if !self.refused.is_empty() {
            head.0
                .push((Partial::REFUSED.to_owned(), self.refused.join("; ")));
        }
        head
    }

    /// Another race begins, so that those before it are done. What cannot be saved now may be later.
    fn race(&mut self) {
        if self.saved.elapsed() >= Partial::PERIOD {
            let mut head = self.head();
            head.0
                .push((Partial::RACES.to_owned(), self.races.to_string()));
            let _ = record::write(&self.path, &head, &self.rows);
            self.saved = Instant::now();
        }
        self.races += 1;
    }

    /// Makes it a record, and says who was kept out of a race first, if anybody was.
    fn finish(self) -> Result<Option<String>> {
        record::write(&self.path.with_extension("csv"), &self.head(), &self.rows)?;
        let _ = fs::remove_file(&self.path);
        Ok(self.refused.into_iter().next())
    }
}

/// Moves the bar along with the races, as far as an experiment's share goes, and keeps the rows. The page has the
/// figures.
struct Moving<'b> {
    bar: &'b ProgressBar,
    done: f64,
    part: &'b Part,
    /// How many it has.
    races: usize,
    partial: Partial,
}

impl Reporter for Moving<'_> {
    fn prepare(&mut self, operation: &str, size: Size) {
        let share = self.partial.races as f64 / self.races.max(1) as f64;
        let seconds = self.done + self.part.estimate() * share;
        self.bar.set_position((1000.0 * seconds) as u64);
        self.bar
            .set_message(format!("{} {operation}, {size}", self.part.experiment));
        self.partial.race();
    }

    fn race(&mut self, rows: &[Row]) {
        self.partial.rows.extend_from_slice(rows);
    }

    fn refused(&mut self, refused: &Refused) {
        self.partial.refused.push(refused.to_string());
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
    if diff::processors_differ(&before, &after) {
        say(
            "carrysave: warning: the processors differ: cycles compare these, not what was changed",
        );
    }
    if changes.is_empty() {
        say("carrysave: warning: nothing compares: no row of three samples or more is in both");
    }
    let mut text = diff::heads(&before, &after);
    let mut counts = [[0; 3]; 2];
    for change in &changes {
        let (place, word) = match change.verdict() {
            diff::Verdict::Faster => (0, "faster"),
            diff::Verdict::Slower => (1, "slower"),
            diff::Verdict::Same => (2, "same"),
        };
        counts[usize::from(!change.is_ours())][place] += 1;
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
    for (who, [faster, slower, same]) in ["carrysave", "others"].into_iter().zip(counts) {
        let _ = writeln!(
            text,
            "{who}: {faster} faster, {slower} slower, {same} the same within noise, by cycles"
        );
    }
    let _ = writeln!(text, "rows only before: {gone}, only after: {new}");
    io::print(text)
}

fn chart(paths: &[PathBuf], out: &Path) -> Result<()> {
    let machines = machines(paths)?;
    let svg = bars::svg(&borrowed(&machines)).ok_or_else(|| {
        Failure::bad_input("one of these folders has no RSA-4096 signatures, many at once")
    })?;
    io::write(out, Access::Umask, svg.as_bytes())
}

fn document(paths: &[PathBuf], out: &Path) -> Result<()> {
    let machines = machines(paths)?;
    let mut packages = vec![];
    for path in paths {
        // The document links to the records, from beside them.
        let parent = path.parent().filter(|parent| parent.ends_with(RECORDS));
        let parent = parent.ok_or_else(|| {
            let path = path.display();
            Failure::bad_input(format!(
                "the document links to {RECORDS}, and {path} is elsewhere: move it to {RECORDS}"
            ))
        })?;
        let file = parent.join(performance::PACKAGES);
        packages = performance::packages(&file)
            .map_err(|e| Failure::bad_input(format!("{}: {e}", file.display())))?;
    }
    let text = performance::document(&borrowed(&machines), &packages);
    io::write(out, Access::Umask, text.as_bytes())
}

/// Folders of records, each with its name.
fn machines(paths: &[PathBuf]) -> Result<Vec<(String, Folder)>> {
    let machine = |path: &PathBuf| {
        let name = path.file_name().unwrap_or(path.as_os_str());
        Ok((name.to_string_lossy().into_owned(), read(path)?))
    };
    paths.iter().map(machine).collect()
}

fn borrowed(machines: &[(String, Folder)]) -> Vec<(&str, &Folder)> {
    let machines = machines.iter();
    machines.map(|(name, folder)| (&name[..], folder)).collect()
}

/// The published figures: how many of each table are in these folders, and why the others are in none.
fn beside_published(folders: &[PathBuf]) -> Result<()> {
    let mut paths = folders.to_vec();
    if paths.is_empty() {
        let cannot = |e: std::io::Error| Failure::io(format_args!("cannot read {RECORDS}"), &e);
        paths = Folder::all(RECORDS.as_ref()).map_err(cannot)?;
    }
    let folders: Vec<Folder> = paths.iter().map(|path| read(path)).collect::<Result<_>>()?;
    if folders.is_empty() {
        return Err(Failure::bad_input(format!(
            "there is no record in {RECORDS}"
        )));
    }
    let measured: Vec<Measured<'_>> = folders.iter().map(Measured::from).collect();
    let tables = published::coverage(&measured);
    let mut text = "figures same other cannot lacking  table\n".to_owned();
    let mut line = |[figures, same, other, cannot, lacking]: [usize; 5], title: &str| {
        let _ = writeln!(
            text,
            "{figures:>7} {same:>4} {other:>5} {cannot:>6} {lacking:>7}  {title}"
        );
    };
    for table in &tables {
        line(table.counts(), table.title);
    }
    let sums = published::total(&tables);
    line(sums, "all");
    let measurements = published::measurements(&tables);
    let _ = writeln!(
        text,
        "\nThey are answered by {measurements} measurements of ours."
    );
    let mut reasons = |what: &str, of: fn(&Coverage) -> &[(String, usize)]| {
        let _ = writeln!(text, "\n{what}:");
        for table in &tables {
            for (why, figures) in of(table) {
                let _ = writeln!(text, "{figures:>7}  {}: {why}", table.title);
            }
        }
    };
    reasons("Answered under other conditions", |table| &table.other);
    reasons("What cannot be answered, and why", |table| &table.cannot);
    io::print(text)?;
    match sums[4] {
        0 => Ok(()),
        lacking => {
            let lacking = format!(
                "{lacking} published figures are in none of these records: carrysave-lab report --full measures them"
            );
            Err(Failure::new(Code::Failed, lacking))
        }
    }
}

/// Writes the document on the published tables.
fn verdicts(folders: &[PathBuf], out: &Path) -> Result<()> {
    let named = |path: &PathBuf| {
        // As it is found from the root of a clone, wherever that is.
        let name = path.display().to_string();
        let place = name.find(RECORDS).unwrap_or(0);
        Ok((name[place..].trim_end_matches('/').to_owned(), read(path)?))
    };
    let folders: Vec<(String, Folder)> = folders.iter().map(named).collect::<Result<_>>()?;
    io::write(out, Access::Umask, published::document(&folders).as_bytes())
}
