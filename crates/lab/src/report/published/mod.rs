//! The tables of the documents that this project began with, and which of our rows stands beside each of their figures.
//!
//! The figures are the authors', for machines of their time. `docs/design/published.md` says what was measured and how.

mod counted;
mod tables;

use super::{Folder, panel::contender};
use crate::experiments::windows;
use crate::record::{Row, Size};
use crate::stats::significant;
pub use tables::TABLES;

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
    /// Its threads; the most there are if `None`.
    pub threads: Option<usize>,
}

/// A place in a table.
pub struct Cell<'c> {
    /// The column.
    pub column: &'c str,
    line: &'c Line,
}

/// How the names of columns end that follow from others, or say how much these vary.
const DERIVED: [&str; 4] = ["_sd", "_pct", "speedup", "efficiency"];

/// A line of a table.
#[derive(Clone, Debug)]
pub struct Line {
    cells: Vec<(String, String)>,
}

impl Line {
    /// What it is about: all that is in none of the columns with figures.
    pub fn label(&self, table: &Table) -> String {
        let cells = self.cells.iter().filter(|(name, _)| table.is_label(name));
        let text = |(name, value): &(String, String)| match value.parse::<f64>() {
            Ok(_) => format!("{} {value}", name.replace('_', " ")),
            Err(_) => value.clone(),
        };
        cells.map(text).collect::<Vec<_>>().join(", ")
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
            && !DERIVED.iter().any(|end| name.ends_with(end))
    }

    /// What stands beside a figure of it.
    pub fn counterpart(&self, line: &Line, column: &str) -> Counterpart {
        (self.counterpart)(&Cell { column, line })
    }

    /// A published figure in the unit in which it is compared: nanoseconds, cycles, multiples, numbers.
    pub fn published(&self, line: &Line, column: &str) -> Option<f64> {
        let figure = line.figure(column)?;
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
        let row = match self.counterpart(line, column) {
            Counterpart::Row(key) => key.find(rows)?,
            Counterpart::Counted(number) => return Some((number, None)),
            Counterpart::Limit(kind, width) => {
                let limit = windows::limit(rows, &kind, width).ok()?;
                return Some((limit.round(), None));
            }
            Counterpart::Never(_) => return None,
        };
        let value = match self.unit {
            Unit::Time(_) => row.ns_median,
            Unit::Cycles(_) => row.cycles(),
            Unit::Multiple(of) => match self.counterpart(line, of) {
                Counterpart::Row(key) => row.ns_median / key.find(rows)?.ns_median,
                _ => return None,
            },
            Unit::Count => return None,
        };
        Some((value, Some(row)))
    }

    /// Every published figure, with what stands beside it.
    pub fn figures(&self, here: &Measured<'_>) -> Vec<Figure> {
        let (rows, across) = (&here.rows[..], self.across());
        let crowded = |row: &Row| here.cores.filter(|&cores| row.threads > cores);
        let mut figures = vec![];
        for line in self.lines() {
            for &(column, label) in self.columns {
                let Some(published) = self.published(&line, column) else {
                    continue;
                };
                let mut shared = false;
                let (here, from) = match self.measured(&line, column, rows) {
                    Some((value, Some(row))) => match crowded(row) {
                        Some(cores) => {
                            shared = true;
                            (Some(value), format!("{} on {cores} cores", place(row)))
                        }
                        None => (Some(value), place(row)),
                    },
                    Some((value, None)) => match self.counterpart(&line, column) {
                        Counterpart::Limit(kind, width) => {
                            let next = width + 1;
                            let from = format!(
                                "windows: {kind}, where {width} and {next} bits take as long"
                            );
                            (Some(value), from)
                        }
                        _ => (Some(value), "counted".to_owned()),
                    },
                    None => match self.counterpart(&line, column) {
                        Counterpart::Never(why) => (None, why.to_owned()),
                        Counterpart::Limit(kind, width) => {
                            let why = windows::limit(rows, &kind, width).err();
                            (None, why.unwrap_or_default().to_owned())
                        }
                        _ => (None, ABSENT.to_owned()),
                    },
                };
                figures.push(Figure {
                    at: across.as_ref().and_then(|name| line.figure(name)),
                    case: line.label(self),
                    column,
                    label,
                    published,
                    here,
                    shared,
                    from,
                });
            }
        }
        figures
    }
}

/// Why several threads of a core are no measure of as many cores.
const SHARED: &str =
    "it is for more cores than any of these machines has; ours, of as many threads, says so";

/// Where ours is from if it is in other records only.
const ABSENT: &str = "not among these records";

/// A published figure, and what stands beside it, both in the unit in which they are compared.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Where the line is in [`Table::across`].
    pub at: Option<f64>,
    /// The line's label.
    pub case: String,
    /// The column.
    pub column: &'static str,
    /// What the column is called here.
    pub label: &'static str,
    /// What was published.
    pub published: f64,
    /// Ours, if there is one.
    pub here: Option<f64>,
    /// Whether ours is of more threads than the machine has cores.
    pub shared: bool,
    /// Where ours is from, or why there is none.
    pub from: String,
}

impl Figure {
    /// Why there is none of ours anywhere, unless these rows lack it only.
    pub fn reason(&self) -> Option<&str> {
        if self.shared {
            return Some(SHARED);
        }
        let lacking = [ABSENT, windows::NOT_MEASURED].contains(&&self.from[..]);
        (self.here.is_none() && !lacking).then_some(&self.from)
    }
}

/// What stands beside the figures of a table in some folders of records, each figure counted once.
#[derive(Clone, Debug)]
pub struct Coverage {
    /// The table's title.
    pub title: &'static str,
    /// Its figures.
    pub figures: usize,
    /// For each folder, the figures that it has a row for.
    pub folders: Vec<usize>,
    /// The figures that some folder has a row for.
    pub measured: usize,
    /// Why the other figures have no row, and how many of them.
    pub reasons: Vec<(String, usize)>,
}

impl Coverage {
    /// Figures; those that are measured, those with a reason, and those with neither.
    pub fn counts(&self) -> [usize; 4] {
        let reasons = self.reasons.iter().map(|(_, figures)| figures).sum();
        let lacking = self.figures - self.measured - reasons;
        [self.figures, self.measured, reasons, lacking]
    }
}

/// The counts of all tables together, in the order of [`Coverage::counts`].
pub fn total(tables: &[Coverage]) -> [usize; 4] {
    let add = |sums: [usize; 4], table: &Coverage| {
        let counts = table.counts();
        std::array::from_fn(|i| sums[i] + counts[i])
    };
    tables.iter().fold([0; 4], add)
}

/// What stands beside the figures of each table in these folders, one or more: their rows.
pub fn coverage(folders: &[Measured<'_>]) -> Vec<Coverage> {
    let of = |table: &Table| {
        let each: Vec<Vec<Figure>> = folders.iter().map(|here| table.figures(here)).collect();
        let mut coverage = Coverage {
            title: table.title,
            figures: each[0].len(),
            folders: vec![0; folders.len()],
            measured: 0,
            reasons: vec![],
        };
        for i in 0..coverage.figures {
            let here: Vec<bool> = each
                .iter()
                .map(|figures| figures[i].here.is_some() && !figures[i].shared)
                .collect();
            for (count, here) in coverage.folders.iter_mut().zip(&here) {
                *count += usize::from(*here);
            }
            if here.contains(&true) {
                coverage.measured += 1;
            } else if let Some(why) = each.iter().find_map(|figures| figures[i].reason()) {
                match coverage.reasons.iter_mut().find(|(other, _)| other == why) {
                    Some((_, count)) => *count += 1,
                    None => coverage.reasons.push((why.to_owned(), 1)),
                }
            }
        }
        coverage
    };
    TABLES.iter().map(of).collect()
}

impl Key {
    /// The row, if it is there.
    pub fn find<'r>(&self, rows: &[&'r Row]) -> Option<&'r Row> {
        rows.iter()
            .copied()
            .filter(|row| {
                row.experiment == self.experiment
                    && row.operation == self.operation
                    && row.implementation == self.implementation
                    && row.size() == Some(self.size)
                    && self.threads.is_none_or(|threads| row.threads == threads)
            })
            .max_by_key(|row| row.threads)
    }
}

/// Where a row is found, for a reader.
fn place(row: &Row) -> String {
    let size = row.size().map_or(String::new(), |size| size.to_string());
    // The inlined product has no such call, which takes longer than a short product itself.
    let how = match row.implementation.starts_with("carrysave/fp_") {
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
            csv.write_record([
                table.name,
                &figure.case,
                figure.column,
                &unit,
                &rounded(figure.published),
                &figure.here.map(rounded).unwrap_or_default(),
                &figure.from,
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
                        let known = crate::experiments::EXPERIMENTS
                            .iter()
                            .any(|e| e.name == key.experiment);
                        assert!(known, "{}: {key:?}", table.name);
                    }
                }
            }
            // No column with figures is forgotten.
            for (name, value) in &lines[0].cells {
                let shown = table.columns.iter().any(|(column, _)| column == name);
                let derived = DERIVED.iter().any(|end| name.ends_with(end));
                let label = ["_bits", "cores", "words32"]
                    .iter()
                    .any(|end| name.ends_with(end));
                assert!(
                    shown || derived || label || value.parse::<f64>().is_err(),
                    "{}: {name}",
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
        assert!(total(&tables)[0] > 750);
        for table in tables {
            assert_eq!(table.counts()[3], 0, "{table:?}");
            assert!(table.folders.iter().all(|count| *count <= table.measured));
        }
        // Without records, all that is not counted or explained is missing.
        let [_, counted, _, lacking] = total(&coverage(&[Measured::default()]));
        assert!(counted == 8 && lacking > 600, "{counted}, {lacking}");
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
            row("rsa", "sign", 1024, "carrysave", 1, 1000.0),
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
        let line = &sse2.lines()[2];
        assert_eq!(sse2.published(line, "opteron"), Some(1e6));
        assert!(
            (sse2.measured(line, "opteron", &rows).unwrap().0 - 3700.0).abs() < 1e-9,
            "cycles"
        );
        let crt = table("rsa_crt");
        assert_eq!(
            crt.measured(&crt.lines()[0], "dp_2threads", &rows)
                .unwrap()
                .0,
            7.0
        );
        assert_eq!(crt.measured(&crt.lines()[0], "dp_1thread", &rows), None);
        let mut here = Measured {
            rows: rows.to_vec(),
            cores: Some(2),
        };
        let counts = |here: &Measured<'_>| total(&coverage(std::slice::from_ref(here)));
        let [figures, measured, reasons, lacking] = counts(&here);
        here.cores = Some(1);
        let [fewer, more] = [measured - counts(&here)[1], counts(&here)[2] - reasons];
        assert!(fewer > 0 && fewer == more && counts(&here)[0] == figures);
        assert_eq!(counts(&here)[3], lacking);
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
