//! The tables of the documents that this project began with, and which of our rows stands beside each of their figures.
//!
//! The figures are the authors', for machines of their time. `docs/design/published.md` says what was measured and how.

mod counted;
mod coverage;
mod document;
mod key;
mod plot;
mod tables;
mod verdict;

use super::{Folder, panel::contender};
use crate::experiments::{fields::INLINED, paths, windows};
use crate::profile;
use crate::record::{Head, Row};
use crate::stats::significant;
use carrysave_measure::thesis;
pub use coverage::{Coverage, coverage, measurements, total};
pub use document::document;
pub use key::{Key, On};
pub use plot::{Curve, Curves, Plot};
pub use tables::TABLES;
pub use verdict::{Claim, Verdict};

/// A published table.
pub struct Table {
    /// Its file in `data/published`, less the ending.
    pub name: &'static str,
    csv: &'static str,
    /// What it measures.
    pub title: &'static str,
    /// Who published it, and the machine.
    pub source: &'static str,
    /// What its figures are.
    pub unit: Unit,
    /// The columns with figures, and what they are called here.
    pub columns: &'static [(&'static str, &'static str)],
    /// The columns that follow from these, what they are called here, and how they follow.
    pub derived: &'static [(&'static str, &'static str, Derived)],
    /// What its source concludes from it.
    pub claims: &'static [Claim],
    /// Its figures, where its lines are over sizes or cores.
    pub plots: &'static [Plot],
    counterpart: fn(&Cell<'_>) -> Counterpart,
}

/// What the figures of a table are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unit {
    /// Times, in a unit of this many nanoseconds.
    Time(f64),
    /// Cycles of the core, in a unit of this many.
    Cycles(f64),
    /// Amounts of work whose unit is not known: they are compared as multiples of this column in their row.
    Multiple(&'static str),
    /// Something that is counted.
    Count,
    /// Parts of the time of all threads together, in percent.
    Percent,
    /// Events that are counted in these columns: they are compared as parts of the first line, which is of the whole
    /// program, in percent. Other columns are compared as they are.
    Parts(&'static [&'static str]),
}

/// How a column follows from two others of its line, the times of two ways.
#[derive(Clone, Copy, Debug)]
pub enum Derived {
    /// By how many percent the second is below the first.
    Percent(&'static str, &'static str),
    /// How many times the second the first is.
    Speedup(&'static str, &'static str),
    /// The speedup, divided by the cores that the line names.
    Efficiency(&'static str, &'static str),
}

/// What stands beside a published figure.
#[derive(Clone, Debug, PartialEq)]
pub enum Counterpart {
    /// A row of a record.
    Row(Key),
    /// A number that does not depend on the machine, and what is counted otherwise than in the source.
    Counted(f64, Option<&'static str>),
    /// The longest exponents of this kind for which windows of this width were fastest, from the experiment
    /// [`windows`].
    Limit(String, usize),
    /// The part of all threads' time that is in these accounts of the experiment [`paths`], in a product of 840 words of 32
    /// bits in this way.
    Share(&'static str, &'static [&'static str]),
    /// Percent of the events of this kind that are in functions of these classes, by a [`profile`].
    Events(&'static str, &'static [&'static str]),
    /// How many events of this kind there are for each instruction of functions of these classes, by a [`profile`].
    Rate(&'static str, &'static [&'static str]),
    /// How many times the second of two rows the first is, whatever the unit of the table.
    Speedup(Box<[Key; 2]>),
    /// Nothing, for this reason.
    Never(&'static str),
}

/// The rows of some records, and the cores of the machine that they are of, where its record says so.
#[derive(Clone, Debug, Default)]
pub struct Measured<'r> {
    /// The rows.
    pub rows: Vec<&'r Row>,
    /// The cores.
    pub cores: Option<usize>,
    /// Whether a core has several threads.
    pub siblings: bool,
}

impl<'r> From<&'r Folder> for Measured<'r> {
    fn from(folder: &'r Folder) -> Self {
        // A launcher of ranks may bind them to some of the cores.
        let cores = |of: fn(&Head) -> bool| {
            let heads = folder.records.iter().map(|record| &record.head);
            heads.filter(|head| of(head)).filter_map(Head::cores).min()
        };
        let alone = cores(|head| head.get(thesis::RANKS).is_none());
        Measured {
            rows: folder.rows().collect(),
            cores: alone.or_else(|| cores(|_| true)),
            siblings: folder
                .records
                .iter()
                .any(|record| record.head.has_siblings()),
        }
    }
}

/// A place in a table.
pub struct Cell<'c> {
    /// The column.
    pub column: &'c str,
    line: &'c Line,
}

/// How the name of a column ends that says how much another varies.
const DEVIATION: &str = "_sd";

/// A line of a table.
#[derive(Clone, Debug)]
pub struct Line {
    cells: Vec<(String, String)>,
}

impl Line {
    /// What it is about: all that is in none of the columns with figures.
    pub fn label(&self, table: &Table) -> String {
        let text = |(name, value): (&str, &str)| match value.parse::<f64>() {
            Ok(_) => format!("{} {value}", name.replace('_', " ")),
            Err(_) => value.to_owned(),
        };
        self.labels(table).map(text).collect::<Vec<_>>().join(", ")
    }

    /// What its first cell says.
    pub fn first(&self) -> &str {
        &self.cells[0].1
    }

    /// Its cells that are in none of the columns with figures: each column's name, and what is there.
    pub fn labels<'l>(&'l self, table: &'l Table) -> impl Iterator<Item = (&'l str, &'l str)> {
        let cells = self.cells.iter().filter(|(name, _)| table.is_label(name));
        cells.map(|(name, value)| (&name[..], &value[..]))
    }

    /// The figure in a column, where there is one.
    pub fn figure(&self, column: &str) -> Option<f64> {
        self.text(column)?.parse().ok()
    }

    fn text(&self, column: &str) -> Option<&str> {
        let cell = self.cells.iter().find(|(name, _)| name == column)?;
        Some(&cell.1)
    }
}

impl Cell<'_> {
    fn number(&self, column: &str) -> usize {
        self.text(column).parse().expect("a whole number")
    }

    fn text(&self, column: &str) -> &str {
        self.line.text(column).expect("a column of the table")
    }
}

impl Table {
    /// Its lines.
    pub fn lines(&self) -> Vec<Line> {
        let mut csv = csv::Reader::from_reader(self.csv.as_bytes());
        let names: Vec<String> = csv
            .headers()
            .expect("a table has a head")
            .iter()
            .map(str::to_owned)
            .collect();
        let line = |record: csv::StringRecord| Line {
            cells: names
                .iter()
                .cloned()
                .zip(record.iter().map(str::to_owned))
                .collect(),
        };
        csv.records()
            .map(|record| line(record.expect("a line of the table")))
            .collect()
    }

    /// The column that its lines are over: one of numbers that differ from line to line.
    pub fn across(&self) -> Option<String> {
        let lines = self.lines();
        let mut names = lines[0].cells.iter().map(|(name, _)| name);
        let varies = |name: &&String| {
            let mut seen = vec![];
            self.is_label(name)
                && lines.len() > 2
                && lines.iter().all(|line| {
                    let value = line.figure(name).filter(|value| !seen.contains(value));
                    seen.extend(value);
                    value.is_some()
                })
        };
        names.find(varies).cloned()
    }

    /// Whether a column is none with figures.
    fn is_label(&self, name: &str) -> bool {
        !self.columns.iter().any(|(column, _)| *column == name)
            && !self.derived.iter().any(|(column, ..)| *column == name)
            && !name.ends_with(DEVIATION)
    }

    /// The columns with figures and those that follow, in the source's order, and what they are called here.
    pub fn shown(&self) -> Vec<(&'static str, &'static str)> {
        let names = self.lines()[0]
            .cells
            .clone()
            .into_iter()
            .map(|(name, _)| name);
        let find = |name: String| {
            let derived = self
                .derived
                .iter()
                .map(|&(column, label, _)| (column, label));
            let mut all = self.columns.iter().copied().chain(derived);
            all.find(|(column, _)| *column == name)
        };
        names.filter_map(find).collect()
    }

    /// Whether a column is of events, compared as parts of the first line.
    pub fn is_of_parts(&self, column: &str) -> bool {
        matches!(self.unit, Unit::Parts(columns) if columns.contains(&column))
    }

    /// What stands beside a figure of it.
    pub fn counterpart(&self, line: &Line, column: &str) -> Counterpart {
        (self.counterpart)(&Cell { column, line })
    }

    /// A published figure in the unit in which it is compared: nanoseconds, cycles, multiples, numbers.
    pub fn published(&self, line: &Line, column: &str) -> Option<f64> {
        let figure = line.figure(column)?;
        if let Counterpart::Speedup(_) = self.counterpart(line, column) {
            return Some(figure);
        }
        match self.unit {
            Unit::Time(scale) | Unit::Cycles(scale) => Some(figure * scale),
            Unit::Multiple(of) => Some(figure / line.figure(of)?),
            Unit::Parts(_) if self.is_of_parts(column) => {
                Some(100.0 * figure / self.lines()[0].figure(column)?)
            }
            Unit::Count | Unit::Percent | Unit::Parts(_) => Some(figure),
        }
    }

    /// Ours in the same unit, with the row that it is from; `None` if the rows lack it.
    pub fn measured<'r>(
        &self,
        line: &Line,
        column: &str,
        rows: &[&'r Row],
    ) -> Option<(f64, Option<&'r Row>)> {
        let (row, less) = match self.counterpart(line, column) {
            Counterpart::Row(key) => {
                let (key, row) = key.answer(rows)?;
                (row, key.subtracted(rows).map_or(0.0, |less| less.ns_median))
            }
            Counterpart::Counted(number, _) => return Some((number, None)),
            Counterpart::Limit(kind, width) => {
                let limit = windows::limit(rows, &kind, width).ok()?;
                return Some((limit.round(), None));
            }
            Counterpart::Share(way, accounts) => {
                let share = paths::share(rows, thesis::LONG_POWER, way, accounts)?;
                return Some((share, None));
            }
            Counterpart::Events(event, classes) => {
                return Some((profile::share(rows, event, classes)?, None));
            }
            Counterpart::Rate(event, classes) => {
                return Some((profile::rate(rows, event, classes)?, None));
            }
            Counterpart::Speedup(keys) => {
                let [first, second] = keys.each_ref().map(|key| key.find(rows));
                return Some((first?.ns_median / second?.ns_median, None));
            }
            Counterpart::Never(_) => return None,
        };
        let ns = row.ns_median - less;
        let value = match self.unit {
            Unit::Time(_) => ns,
            Unit::Cycles(_) => ns * row.core_ghz,
            Unit::Multiple(of) => match self.counterpart(line, of) {
                Counterpart::Row(key) => ns / key.find(rows)?.ns_median,
                _ => return None,
            },
            Unit::Count | Unit::Percent | Unit::Parts(_) => return None,
        };
        Some((value, Some(row)))
    }

    /// Ours in a place where nothing was published, and where it is from.
    pub fn alone(&self, line: &Line, column: &str, here: &Measured<'_>) -> Option<(f64, String)> {
        let is_measured = self.columns.iter().any(|(name, _)| *name == column);
        if !is_measured || line.figure(column).is_some() {
            return None;
        }
        let (value, row) = self.measured(line, column, &here.rows)?;
        let from = row.map(|row| self.whence(line, column, row, here));
        Some((value, from.unwrap_or_else(|| COUNTED.to_owned())))
    }

    /// The measurements that ours comes from, be they one or many.
    pub fn behind<'r>(&self, line: &Line, column: &str, rows: &[&'r Row]) -> Vec<&'r Row> {
        match self.counterpart(line, column) {
            Counterpart::Row(key) => key.measured(rows),
            Counterpart::Speedup(keys) => keys.iter().flat_map(|key| key.measured(rows)).collect(),
            Counterpart::Limit(kind, width) => windows::measured(rows, &kind, width),
            Counterpart::Share(way, _) => paths::measured(rows, thesis::LONG_POWER, way),
            Counterpart::Events(event, classes) => profile::counted(rows, event, classes),
            Counterpart::Rate(event, classes) => [event, profile::INSTRUCTIONS]
                .into_iter()
                .flat_map(|event| profile::counted(rows, event, classes))
                .collect(),
            Counterpart::Counted(..) | Counterpart::Never(_) => vec![],
        }
    }

    /// Where a row is found, what is subtracted from it, and whether it has more threads than there are cores.
    fn whence(&self, line: &Line, column: &str, row: &Row, here: &Measured<'_>) -> String {
        let counterpart = self.counterpart(line, column);
        let less = match &counterpart {
            Counterpart::Row(key) => key.answer(&here.rows).and_then(|(key, _)| key.less),
            _ => None,
        };
        let less = less.map_or(String::new(), |name| format!(", less {name}"));
        let cores = here.cores.filter(|&cores| row.threads > cores);
        let on = cores.map_or(String::new(), |cores| format!(" on {cores} cores"));
        format!("{}{less}{on}", place(row))
    }

    /// Every published figure line by line, with what stands beside it.
    pub fn figures(&self, here: &Measured<'_>) -> Vec<Figure> {
        let (across, shown) = (self.across(), self.shown());
        let mut figures: Vec<Figure> = vec![];
        for (number, line) in self.lines().iter().enumerate() {
            let begin = figures.len();
            for &(column, _) in self.columns {
                let published = self.published(line, column);
                figures
                    .extend(published.map(|published| self.figure(line, column, published, here)));
            }
            for &(column, _, derived) in self.derived {
                let follows = derived.of(line, &figures[begin..]);
                figures.extend(line.figure(column).zip(follows).map(
                    |(published, (here, standing))| Figure {
                        column,
                        derived: Some(derived),
                        published,
                        here,
                        standing,
                        ..Figure::default()
                    },
                ));
            }
            for figure in &mut figures[begin..] {
                let deviation = line.text(&format!("{}{DEVIATION}", figure.column));
                let text = line.text(figure.column).unwrap_or_default();
                figure.printed = match deviation.filter(|text| !text.is_empty()) {
                    Some(deviation) => format!("{text} ({deviation})"),
                    // A quotient with all the digits that a program gave it.
                    None if text.len() > FIGURES => significant(figure.published, 4).to_string(),
                    None => text.to_owned(),
                };
                figure.line = number;
                figure.at = across.as_ref().and_then(|name| line.figure(name));
                figure.case = line.label(self);
            }
            let place = |figure: &Figure| {
                shown
                    .iter()
                    .position(|(column, _)| *column == figure.column)
            };
            figures[begin..].sort_by_key(place);
        }
        figures
    }

    fn figure(
        &self,
        line: &Line,
        column: &'static str,
        published: f64,
        here: &Measured<'_>,
    ) -> Figure {
        let counterpart = self.counterpart(line, column);
        let figure = Figure {
            column,
            published,
            ..Figure::default()
        };
        match self.measured(line, column, &here.rows) {
            Some((value, Some(row))) => {
                let cores = here.cores.filter(|&cores| row.threads > cores);
                let answer = match &counterpart {
                    Counterpart::Row(key) => key.answer(&here.rows),
                    _ => None,
                };
                let standing = match (answer, cores) {
                    (_, Some(_)) => Standing::Crowded(CROWDED.to_owned()),
                    (Some((key, row)), None) => key.standing(row, published),
                    (None, None) => Standing::Same,
                };
                Figure {
                    here: Some(value),
                    spread: (row.samples > 1).then(|| 100.0 * row.ns_spread / row.ns_median),
                    from: self.whence(line, column, row, here),
                    standing,
                    ..figure
                }
            }
            Some((value, None)) => Figure {
                here: Some(value),
                derived: match &counterpart {
                    Counterpart::Speedup(_) => Some(Derived::Speedup(column, column)),
                    _ => None,
                },
                standing: match &counterpart {
                    Counterpart::Speedup(keys) => {
                        let but = keys.iter().find_map(|key| key.but);
                        but.map_or(Standing::Same, |but| Standing::Other(but.to_owned()))
                    }
                    Counterpart::Share(..) => Standing::Other(ONE_PRODUCT.to_owned()),
                    Counterpart::Events(..) | Counterpart::Rate(..) => {
                        Standing::Other(PROFILED.to_owned())
                    }
                    Counterpart::Counted(_, Some(but)) => Standing::Other((*but).to_owned()),
                    _ => Standing::Same,
                },
                from: match counterpart {
                    Counterpart::Speedup(keys) => {
                        let [first, second] = keys.map(|key| key.implementation);
                        format!("{first} by {second}")
                    }
                    Counterpart::Limit(kind, width) => {
                        let next = width + 1;
                        format!("windows: {kind}, where {width} and {next} bits take as long")
                    }
                    Counterpart::Share(way, accounts) => {
                        format!("paths: {way}, {} of all members", accounts.join(" and "))
                    }
                    Counterpart::Events(event, classes) => {
                        format!("profile: {event}, {}", classes.join(" and "))
                    }
                    Counterpart::Rate(event, classes) => {
                        let classes = classes.join(" and ");
                        format!("profile: {event} for each instruction, {classes}")
                    }
                    _ => COUNTED.to_owned(),
                },
                ..figure
            },
            None => {
                let why = match counterpart {
                    Counterpart::Never(why) => Some(why),
                    Counterpart::Row(key) if key.siblings && !here.siblings => Some(NO_SIBLINGS),
                    Counterpart::Row(key) => key.absent,
                    Counterpart::Limit(kind, width) => windows::limit(&here.rows, &kind, width)
                        .err()
                        .filter(|why| *why != windows::NOT_MEASURED),
                    Counterpart::Share(_, [paths::WAITING | paths::IDLE]) => Some(TOGETHER),
                    Counterpart::Events(..) | Counterpart::Rate(..) => Some(UNPROFILED),
                    _ => None,
                };
                Figure {
                    from: why.unwrap_or(ABSENT).to_owned(),
                    standing: why.map_or(Standing::Lacking, |why| Standing::Cannot(why.to_owned())),
                    ..figure
                }
            }
        }
    }
}

impl Derived {
    /// What follows from ours in a line, and how that stands; nothing where a column has no figure.
    fn of(self, line: &Line, figures: &[Figure]) -> Option<(Option<f64>, Standing)> {
        let (Derived::Percent(first, second)
        | Derived::Speedup(first, second)
        | Derived::Efficiency(first, second)) = self;
        let find = |column| figures.iter().find(|figure| figure.column == column);
        let (first, second) = (find(first)?, find(second)?);
        if first.here.is_some() && first.from == second.from {
            return Some((None, Standing::Cannot(ONE_ROW.to_owned())));
        }
        let standing = first.standing.clone().max(second.standing.clone());
        let times = first
            .here
            .zip(second.here)
            .filter(|(_, second)| *second > 0.0);
        let here = times.and_then(|(first, second)| match self {
            Derived::Percent(..) => Some(100.0 * (1.0 - second / first)),
            Derived::Speedup(..) => Some(first / second),
            Derived::Efficiency(..) => Some(first / second / line.figure("cores")?),
        });
        Some((here, standing))
    }
}

/// The most characters of a published figure: others are of quotients that were not rounded.
const FIGURES: usize = 9;

/// How ours was measured where the machine has fewer cores than threads.
const CROWDED: &str = "more threads than this machine has cores, which take turns";

/// What is accounted for beside the source's reports on eight threads.
const ONE_PRODUCT: &str =
    "one product on as many threads as there are cores, and a power on eight in the source";

/// Why there may be none of an account.
const TOGETHER: &str = "no record of `paths` with idleness apart from waiting is among these";

/// How functions are counted beside the source's.
const PROFILED: &str = "test vectors of powers, RSA and a curve, counted under valgrind; all of Crypto++ in the source, by the \
    processor's counters";

/// Why there may be no profile.
const UNPROFILED: &str = "no record of `carrysave-lab profile --counters` is among these";

/// Why there is none on the threads of one core.
const NO_SIBLINGS: &str = "no such machine: each core of those measured has one thread";

/// Why nothing follows from two columns.
const ONE_ROW: &str = "one measurement here for both columns";

/// Where a number is from that does not depend on the machine.
const COUNTED: &str = "counted";

/// Where ours is from if it is in other records only.
const ABSENT: &str = "not among these records";

/// A published figure, and what stands beside it, both in the unit in which they are compared.
#[derive(Clone, Debug, Default)]
pub struct Figure {
    /// The number of its line in the table.
    pub line: usize,
    /// Where the line is in [`Table::across`].
    pub at: Option<f64>,
    /// The line's label.
    pub case: String,
    /// The column.
    pub column: &'static str,
    /// How it follows from others, if it does.
    pub derived: Option<Derived>,
    /// What was published.
    pub published: f64,
    /// As it was printed, with the deviation in brackets if there is one.
    pub printed: String,
    /// Ours, if there is one.
    pub here: Option<f64>,
    /// The distance of the quartiles of ours, in percent.
    pub spread: Option<f64>,
    /// Where ours is from, or why there is none.
    pub from: String,
    /// How it stands beside the published one.
    pub standing: Standing,
}

/// How ours stands beside a published figure, the best first.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// Of the same conditions.
    Same,
    /// Of other conditions, which are named.
    Other(String),
    /// Of more threads than there are cores.
    Crowded(String),
    /// There is none, for this reason.
    Cannot(String),
    /// There is none in these records.
    #[default]
    Lacking,
}

impl Standing {
    /// What is to be said of it.
    pub fn note(&self) -> Option<&str> {
        match self {
            Standing::Same => None,
            Standing::Other(why) | Standing::Crowded(why) | Standing::Cannot(why) => Some(why),
            Standing::Lacking => Some(ABSENT),
        }
    }
}

/// Where a row is found, for a reader.
fn place(row: &Row) -> String {
    let size = row.size().map_or(String::new(), |size| size.to_string());
    // The inlined product has no such call, which takes longer than a short product itself.
    let called = !row.operation.ends_with(INLINED);
    let how = match called && row.implementation.starts_with("carrysave/fp_") {
        true => ", through its handle",
        false => "",
    };
    format!(
        "{}: {} {size}, {}{how}",
        row.experiment,
        row.operation,
        contender(row)
    )
}

/// The file, less the ending, in which a report keeps what [`csv()`] gives.
pub const RECORD: &str = "published";

/// Every published figure and what stands beside it, as CSV.
///
/// # Errors
/// None that memory would not have.
pub fn csv(here: &Measured<'_>) -> std::io::Result<Vec<u8>> {
    let mut csv = csv::Writer::from_writer(vec![]);
    csv.write_record([
        "table",
        "case",
        "column",
        "unit",
        "published",
        "here",
        "row",
        "condition",
    ])?;
    for table in TABLES {
        let unit = match table.unit {
            Unit::Time(_) => "ns".to_owned(),
            Unit::Cycles(_) => "cycles".to_owned(),
            Unit::Multiple(of) => format!("multiple of {of}"),
            Unit::Count => "number".to_owned(),
            Unit::Percent | Unit::Parts(_) => "percent".to_owned(),
        };
        let as_it_is = |column| matches!(table.unit, Unit::Parts(_)) && !table.is_of_parts(column);
        let lines = table.lines();
        for figure in table.figures(here) {
            let rounded = |value| significant(value, 6).to_string();
            let counterpart = || table.counterpart(&lines[figure.line], figure.column);
            let unit = match figure.derived {
                None if matches!(counterpart(), Counterpart::Counted(..)) => "number",
                None if as_it_is(figure.column) => "number",
                None => &unit[..],
                Some(Derived::Percent(..)) => "percent",
                Some(Derived::Speedup(..) | Derived::Efficiency(..)) => "ratio",
            };
            csv.write_record([
                table.name,
                &figure.case,
                figure.column,
                unit,
                &rounded(figure.published),
                &figure.here.map(rounded).unwrap_or_default(),
                &figure.from,
                figure.standing.note().unwrap_or_default(),
            ])?;
        }
    }
    csv.into_inner()
        .map_err(|e| std::io::Error::other(e.to_string()))
}

#[cfg(test)]
mod tests;
