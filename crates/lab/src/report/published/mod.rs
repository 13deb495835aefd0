//! The tables of the documents that this project began with, and which of our rows stands beside each of their figures.
//!
//! The figures are the authors', for machines of their time. `docs/design/published.md` says what was measured and how.

mod counted;
mod coverage;
mod document;
mod tables;
mod verdict;

use super::{Folder, panel::contender};
use crate::experiments::{fields::INLINED, windows};
use crate::record::{Row, Size};
use crate::stats::significant;
pub use coverage::{Coverage, coverage, measurements, total};
pub use document::document;
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
    /// A number that does not depend on the machine.
    Counted(f64),
    /// The longest exponents of this kind for which windows of this width were fastest, from the experiment
    /// [`windows`].
    Limit(String, usize),
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
        let machines = folder
            .records
            .iter()
            .filter_map(|record| record.head.cores());
        Measured {
            rows: folder.rows().collect(),
            cores: machines.min(),
            siblings: folder
                .records
                .iter()
                .any(|record| record.head.has_siblings()),
        }
    }
}

/// Which row.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// Its experiment.
    pub experiment: &'static str,
    /// Its operation.
    pub operation: String,
    /// Its size.
    pub size: Size,
    /// Its implementation.
    pub implementation: String,
    /// Its threads.
    pub threads: On,
    /// What it does otherwise than the source, which the page says beside it.
    pub but: Option<&'static str>,
    /// Whether it is of the threads of one core, which not every machine has.
    pub siblings: bool,
    /// The row in its place where it is in no record.
    pub instead: Option<Box<Key>>,
    /// Why it may be in no record even of those that have its experiment.
    pub absent: Option<&'static str>,
    /// The implementation in its race whose time is subtracted: what measuring takes.
    pub less: Option<&'static str>,
    /// On how many threads others are in its race, where every race of its operation has such a row.
    pub beside: Option<On>,
}

/// On how many threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// As many as there is a row of, at most.
    Most,
    /// So many.
    Exactly(usize),
    /// So many, or as many below as there is a row of.
    UpTo(usize),
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
            Unit::Count => Some(figure),
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
            Counterpart::Counted(number) => return Some((number, None)),
            Counterpart::Limit(kind, width) => {
                let limit = windows::limit(rows, &kind, width).ok()?;
                return Some((limit.round(), None));
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
            Unit::Count => return None,
        };
        Some((value, Some(row)))
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
                let less = answer.and_then(|(key, _)| key.less);
                let less = less.map_or(String::new(), |name| format!(", less {name}"));
                let on = cores.map_or(String::new(), |cores| format!(" on {cores} cores"));
                Figure {
                    here: Some(value),
                    spread: (row.samples > 1).then(|| 100.0 * row.ns_spread / row.ns_median),
                    from: format!("{}{less}{on}", place(row)),
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
                    _ => "counted".to_owned(),
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

/// How ours was measured where the machine has fewer cores than threads.
const CROWDED: &str = "more threads than this machine has cores, which take turns";

/// Why there is none on the threads of one core.
const NO_SIBLINGS: &str = "no such machine: each core of those measured has one thread";

/// How ours stands beside a figure that is zero as published.
const UNRESOLVED: &str = "the published figure is below its own resolution";

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

impl Key {
    /// The row, or the one in its place, if either is there.
    pub fn find<'r>(&self, rows: &[&'r Row]) -> Option<&'r Row> {
        self.answer(rows).map(|(_, row)| row)
    }

    /// This row, or else another after those that stand in its place already.
    fn or(self, other: Key) -> Key {
        let last = match self.instead {
            Some(instead) => instead.or(other),
            None => other,
        };
        Key {
            instead: Some(Box::new(last)),
            ..self
        }
    }

    /// The row whose time is subtracted.
    fn subtracted<'r>(&self, rows: &[&'r Row]) -> Option<&'r Row> {
        let name = self.less?;
        let mut same = rows.iter().filter(|row| self.is_of(row));
        same.find(|row| row.implementation == name).copied()
    }

    /// Whether a row is of its operation.
    fn is_of(&self, row: &Row) -> bool {
        row.experiment == self.experiment
            && row.operation == self.operation
            && row.size() == Some(self.size)
    }

    /// Whether a row is of its implementation, on as many threads.
    fn takes(&self, row: &Row) -> bool {
        row.implementation == self.implementation && self.threads.takes(row.threads)
    }

    /// The row of the race in which others are on so many threads: contenders of one race are compared, and those of
    /// several are not. It comes before theirs.
    fn in_race<'r>(&self, rows: &[&'r Row], others: On) -> Option<&'r Row> {
        let same = || rows.iter().copied().filter(|row| self.is_of(row));
        let others = same().filter(|row| !self.takes(row) && others.takes(row.threads));
        let most = others.map(|row| row.threads).max()?;
        let before = same().take_while(|row| self.takes(row) || row.threads != most);
        before.filter(|row| self.takes(row)).last()
    }

    /// Which of the two it is, and the row.
    fn answer<'r>(&self, rows: &[&'r Row]) -> Option<(&Key, &'r Row)> {
        let all = rows.iter().copied();
        let any = all
            .filter(|row| self.is_of(row) && self.takes(row))
            .max_by_key(|row| row.threads);
        let own = self.beside.and_then(|others| self.in_race(rows, others));
        let own = own.or(any);
        let complete = self.less.is_none() || self.subtracted(rows).is_some();
        match own.filter(|_| complete) {
            Some(row) => Some((self, row)),
            None => self.instead.as_ref()?.answer(rows),
        }
    }

    /// How a row stands beside a figure.
    fn standing(&self, row: &Row, published: f64) -> Standing {
        let fewer = match self.threads {
            On::UpTo(most) if row.threads < most => Some(format!(
                "{} threads, as the machine has no more cores, and {most} in the source",
                row.threads
            )),
            _ => None,
        };
        let unresolved = (published == 0.0).then(|| UNRESOLVED.to_owned());
        let but = self.but.map(str::to_owned);
        let conditions: Vec<String> = [but, fewer, unresolved].into_iter().flatten().collect();
        match &conditions[..] {
            [] => Standing::Same,
            conditions => Standing::Other(conditions.join("; ")),
        }
    }
}

impl On {
    fn takes(self, threads: usize) -> bool {
        match self {
            On::Most => true,
            On::Exactly(number) => threads == number,
            On::UpTo(most) => threads <= most,
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
        };
        for figure in table.figures(here) {
            let rounded = |value| significant(value, 6).to_string();
            let unit = match figure.derived {
                None => &unit,
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
mod tests {
    use super::*;
    use crate::report::Folder;
    use crate::test_vectors;
    use carrysave_measure::thesis;

    #[test]
    fn every_figure_has_a_counterpart_or_a_reason() {
        for table in TABLES {
            let lines = table.lines();
            assert!(!lines.is_empty(), "{}", table.name);
            for line in &lines {
                assert!(!line.label(table).is_empty(), "{}", table.name);
                for (column, _) in table.columns {
                    assert!(
                        line.text(column).is_some(),
                        "{} has no column {column}",
                        table.name
                    );
                    if let Counterpart::Row(key) = table.counterpart(line, column) {
                        let experiments = crate::experiments::EXPERIMENTS.iter();
                        let mut names = experiments
                            .map(|e| e.name)
                            .chain([thesis::RANKS, test_vectors::EXPERIMENT]);
                        let known = names.any(|name| name == key.experiment);
                        assert!(known, "{}: {key:?}", table.name);
                    }
                }
            }
            // No column with figures is forgotten.
            for (name, value) in &lines[0].cells {
                let label = ["_bits", "cores", "words32"]
                    .iter()
                    .any(|end| name.ends_with(end));
                assert!(
                    !table.is_label(name) || label || value.parse::<f64>().is_err(),
                    "{}: {name}",
                    table.name
                );
            }
            let followed = table.derived.iter().map(|(column, ..)| *column);
            for column in followed {
                assert!(
                    lines[0].text(column).is_some(),
                    "{} has no column {column}",
                    table.name
                );
            }
        }
    }

    #[test]
    fn every_figure_is_beside_one_of_a_committed_record_or_has_a_reason() {
        let records = concat!(env!("CARGO_MANIFEST_DIR"), "/../../lab-records");
        let folders = Folder::all(records.as_ref()).unwrap().into_iter();
        let folders = folders.map(|folder| Folder::read(&folder).unwrap());
        let folders: Vec<Folder> = folders.collect();
        let measured: Vec<Measured<'_>> = folders.iter().map(Measured::from).collect();
        let tables = coverage(&measured);
        assert!(total(&tables)[0] > 900, "{:?}", total(&tables));
        for table in tables {
            assert_eq!(table.counts()[4], 0, "{table:?}");
        }
        // Without records, all that is not counted or explained is missing.
        let [_, counted, other, _, lacking] = total(&coverage(&[Measured::default()]));
        assert!(
            counted == 8 && other == 0 && lacking > 800,
            "{counted}, {lacking}"
        );
    }

    #[test]
    fn what_follows_from_published_figures_is_what_was_published() {
        for table in TABLES {
            for line in table.lines() {
                let figure = |&(column, _): &(&'static str, &'static str)| {
                    let published = table.published(&line, column)?;
                    let here = Some(published);
                    Some(Figure {
                        column,
                        published,
                        here,
                        ..Figure::default()
                    })
                };
                let figures: Vec<Figure> = table.columns.iter().filter_map(figure).collect();
                for (column, _, derived) in table.derived {
                    let (follows, _) = derived.of(&line, &figures).expect("its columns are there");
                    let (follows, published) = (
                        follows.expect("times"),
                        line.figure(column).expect("a figure"),
                    );
                    // Milliseconds are printed to hundredths, which is a large part of some, and percentages whole.
                    let close = match derived {
                        Derived::Percent(first, _) => {
                            let first = line.figure(first).expect("a time");
                            (follows - published).abs() <= 1.0 + 100.0 * 0.01 / first
                        }
                        // The times of Threefish are cut off after tenths.
                        _ => (follows / published - 1.0).abs() < 0.1 / 3.8,
                    };
                    assert!(
                        close,
                        "{} {column}: {published} and {follows}",
                        line.label(table)
                    );
                }
            }
        }
    }

    #[test]
    fn every_table_is_there_once() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/data/published");
        for file in std::fs::read_dir(folder).unwrap() {
            let file = file.unwrap().path();
            let name = file.file_stem().unwrap().to_str().unwrap();
            let there = TABLES.iter().filter(|table| table.name == name);
            assert_eq!(there.count(), 1, "{name}");
        }
    }

    #[test]
    fn the_published_workloads_are_what_is_counted() {
        let table = TABLES
            .iter()
            .find(|table| table.unit == Unit::Count && table.name.contains("workload"));
        let table = table.expect("the table of workloads");
        for line in table.lines() {
            for (column, _) in table.columns {
                let published = table.published(&line, column).expect("a figure");
                let (counted, _) = table.measured(&line, column, &[]).expect("a number");
                // The equations hold on average; 16 exponents come within two percent and ten multiplications.
                let close = (published - counted).abs() <= 10.0 + published / 50.0;
                assert!(
                    close,
                    "{} {column}: {published} and {counted}",
                    line.label(table)
                );
            }
        }
    }

    #[test]
    fn messages_are_those_of_ranks_where_there_are_any() {
        use crate::report::tests::row;
        let table = TABLES.iter().find(|table| table.name.contains("table6"));
        let table = table.expect("a table");
        let [threads, ranks] = [("threads", 5.0), (thesis::RANKS, 9.0)].map(|(experiment, ns)| {
            row(
                experiment,
                "mont_mul",
                thesis::LONG_PRODUCT,
                "carrysave/pshs_w32",
                2,
                ns,
            )
        });
        let of = |rows: &[&Row]| {
            let here = Measured {
                rows: rows.to_vec(),
                cores: Some(2),
                siblings: false,
            };
            let figures = table.figures(&here).into_iter();
            let mut there = figures.filter(|figure| figure.here.is_some());
            let figure = there.next().expect("a figure");
            assert_eq!((figure.column, there.next().is_none()), ("pshs", true));
            figure
        };
        let by_threads = of(&[&threads]);
        assert_eq!(by_threads.here, Some(5.0));
        assert_eq!(
            by_threads.standing.note(),
            Some("messages through memory between threads, and by MPI in the source")
        );
        let by_ranks = of(&[&threads, &ranks]);
        assert_eq!(
            (by_ranks.here, by_ranks.standing),
            (Some(9.0), Standing::Same)
        );
        assert!(by_ranks.from.ends_with("carrysave/pshs_w32, 2 ranks"));
    }

    #[test]
    fn products_are_those_that_are_inlined_where_there_are_any_less_an_empty_loop() {
        use crate::report::tests::row;
        let table = TABLES.iter().find(|table| table.name.contains("reduction"));
        let table = table.expect("a table");
        let product = |operation: &str, implementation: &str, ns| {
            row("fields", operation, 127, implementation, 1, ns)
        };
        let rows = [
            product("2^127-1/mul", "carrysave/fp_m127_mul/mulx_adx", 8.0),
            product("2^127-1/mul", "carrysave/fp_m127_mul/bit_test", 7.0),
            product("2^127-1/mul/inlined", "carrysave/fp_m127_mul/bit_test", 5.0),
            product("2^127-1/mul/inlined", "carrysave/empty", 1.0),
        ];
        let of = |count: usize| {
            let here = Measured {
                rows: rows[..count].iter().collect(),
                ..Measured::default()
            };
            let mut figures = table.figures(&here).into_iter();
            let figure = figures.find(|figure| figure.line == 0 && figure.column == "cycles");
            let figure = figure.expect("a figure");
            let cycles = figure.here.expect("a row");
            ((10.0 * cycles).round() / 10.0, figure.from, figure.standing)
        };
        let other = |why: &str| Standing::Other(why.to_owned());
        let (cycles, _, standing) = of(1);
        let why = "a product reduced by shifts and masks and called through its handle";
        assert_eq!((cycles, standing), (29.6, other(why)));
        // Without the loop to subtract there is no net figure.
        for count in [2, 3] {
            let (cycles, from, standing) = of(count);
            let why = "a product called through its handle, and net cycles in the source";
            assert_eq!((cycles, standing), (25.9, other(why)));
            assert!(from.ends_with("bit_test, through its handle"), "{from}");
        }
        let (cycles, from, standing) = of(4);
        assert_eq!((cycles, standing), (14.8, Standing::Same));
        assert!(
            from.ends_with("fp_m127_mul/bit_test, less carrysave/empty"),
            "{from}"
        );
    }

    #[test]
    fn what_few_records_have_is_explained_where_it_is_absent() {
        use crate::report::tests::row;
        let first = |name: &str, line: usize, rows: &[&Row]| {
            let mut tables = TABLES.iter();
            let table = tables.find(|table| table.name.contains(name)).unwrap();
            let here = Measured {
                rows: rows.to_vec(),
                ..Measured::default()
            };
            let mut figures = table.figures(&here).into_iter();
            let figure = figures.find(|figure| figure.line == line);
            let figure = figure.expect("a figure");
            (figure.here, figure.standing)
        };
        let none = |why: &str| (None, Standing::Cannot(why.to_owned()));
        let way = "carrysave/binary_rl/fios_w32";
        let [optimised, not] = crate::experiments::thesis::OPERATIONS
            .map(|operation| row("thesis", operation, 1024, way, 1, 5.0));
        let why = "no record of a laboratory that is compiled without optimisation is among these";
        assert_eq!(first("table2", 1, &[&optimised]), none(why));
        assert_eq!(first("table2", 1, &[&not]), (Some(5.0), Standing::Same));
        assert_eq!(first("table1", 1, &[&not]), (None, Standing::Lacking));
        let program = |kernel: &str, ns| {
            let way = format!("carrysave/{kernel}");
            row(
                test_vectors::EXPERIMENT,
                "rsadp/mpn_add_n",
                1024,
                &way,
                1,
                ns,
            )
        };
        let [adc, branchy] = [program("adc", 10.0), program("branchy", 12.0)];
        let why = "no record of `carrysave-lab vectors --every` is among these";
        assert_eq!(first("add_clockticks", 3, &[&branchy]), none(why));
        let other = "test vectors of RSA-1024, and all of Crypto++'s in the source";
        assert_eq!(
            first("add_clockticks", 3, &[&adc, &branchy]),
            (Some(1.2), Standing::Other(other.to_owned()))
        );
    }

    #[test]
    fn one_thread_is_that_of_the_race() {
        use crate::report::tests::row;
        let table = TABLES.iter().find(|table| table.name.contains("table6"));
        let table = table.expect("a table");
        let rows: Vec<Row> = [
            ("fios_delayed_w32", 1, 50.0),
            ("pfios_w32", 1, 49.0),
            ("fios_delayed_w32", 1, 51.0),
            ("pfios_w32", 2, 25.0),
            ("fios_delayed_w32", 1, 54.0),
            ("pfios_w32", 3, 20.0),
        ]
        .map(|(way, threads, ns)| {
            let way = format!("carrysave/{way}");
            row("threads", "mont_mul", 645_120, &way, threads, ns)
        })
        .into();
        let rows: Vec<&Row> = rows.iter().collect();
        let lines = table.lines();
        let alone = |line: usize| table.measured(&lines[line], "fios_sequential", &rows);
        let alone = |line: usize| alone(line).expect("a row").0;
        // Nothing is on four threads, and any of them will do.
        assert_eq!([0, 1, 2, 3].map(alone), [50.0, 51.0, 54.0, 54.0]);
    }

    #[test]
    fn two_threads_of_one_core_are_for_machines_that_have_them() {
        use crate::report::tests::row;
        let table = TABLES
            .iter()
            .find(|table| table.name.contains("modexp_threads"));
        let table = table.expect("a table");
        let rows = [
            row("threads", "modexp/256", 512, "carrysave/v2", 2, 5.0),
            row(
                "threads",
                "modexp/256",
                512,
                "carrysave/v2/siblings",
                2,
                7.0,
            ),
        ];
        let of = |rows: &[&Row], siblings: bool, column: &str| {
            let here = Measured {
                rows: rows.to_vec(),
                cores: Some(2),
                siblings,
            };
            let figures = table.figures(&here).into_iter();
            let mut first = figures.filter(|figure| figure.line == 0 && figure.column == column);
            let figure = first.next().expect("a figure");
            (figure.here, figure.standing)
        };
        let [cores, siblings] = rows.each_ref();
        let none = Standing::Cannot(NO_SIBLINGS.to_owned());
        assert_eq!(of(&[cores], false, "ht_elements"), (None, none));
        assert_eq!(of(&[cores], true, "ht_elements"), (None, Standing::Lacking));
        assert_eq!(
            of(&[cores, siblings], true, "ht_elements"),
            (Some(7.0), Standing::Same)
        );
        assert_eq!(
            of(&[cores, siblings], true, "dp_elements"),
            (Some(5.0), Standing::Same)
        );
    }

    #[test]
    fn units_and_multiples() {
        use crate::report::tests::row;
        let table = |name: &str| {
            TABLES
                .iter()
                .find(|table| table.name.contains(name))
                .expect("a table")
        };
        let rows = [
            row("addition", "mpn_add_n", 1088, "carrysave/adc", 1, 10.0),
            row("addition", "mpn_add_n", 1088, "carrysave/branchy", 1, 25.0),
            row("loops", "private", 1024, "carrysave/mul_adc", 1, 1000.0),
            row("loops", "private", 1024, "carrysave/cios_w32", 1, 5000.0),
            row("loops", "private", 1024, "carrysave/pmuludq", 1, 4000.0),
            row("teams", "private", 1024, "carrysave/team", 2, 7.0),
        ];
        let rows = rows.each_ref();
        let add = table("add_clockticks");
        assert_eq!(
            add.measured(&add.lines()[0], "p4_optimized", &rows)
                .unwrap()
                .0,
            2.5
        );
        assert!(
            (add.published(&add.lines()[0], "p4_optimized").unwrap() - 11_673.0 / 9716.0).abs()
                < 1e-12
        );
        let sse2 = table("sse2");
        let line = &sse2.lines()[3];
        assert_eq!(sse2.published(line, "opteron"), Some(1e6));
        assert!(
            (sse2.measured(line, "opteron", &rows).unwrap().0 - 3700.0).abs() < 1e-9,
            "cycles"
        );
        let improvement = &sse2.lines()[2];
        assert_eq!(sse2.published(improvement, "opteron"), Some(1.0));
        assert_eq!(
            sse2.measured(improvement, "opteron", &rows).unwrap().0,
            1.25
        );
        let crt = table("rsa_crt");
        assert_eq!(
            crt.measured(&crt.lines()[0], "dp_2threads", &rows)
                .unwrap()
                .0,
            7.0
        );
        assert_eq!(crt.measured(&crt.lines()[0], "dp_1thread", &rows), None);
        let here = Measured {
            rows: rows.to_vec(),
            cores: Some(1),
            siblings: false,
        };
        let text = String::from_utf8(csv(&here).unwrap()).unwrap();
        assert!(
            text.contains("carrysave/team, 2 threads on 1 cores"),
            "{text}"
        );
        assert!(
            text.contains("addition: mpn_add_n 1088 bits, carrysave/branchy"),
            "{text}"
        );
    }
}
