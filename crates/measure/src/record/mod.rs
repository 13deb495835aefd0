//! Records: one row a contender and race, as CSV with a head that says where and when, or as JSON lines.

mod head;
mod machine;

pub use head::{Head, Level, fingerprint, today};
pub use machine::{UNKNOWN, cpu_name};

use crate::{race::Measurement, stats::significant};
use serde::{Deserialize, Serialize};
use std::{
    fmt,
    io::{self, BufRead, Write},
};

/// The columns of a record, in order.
pub const COLUMNS: [&str; 11] = [
    "experiment",
    "operation",
    "bits",
    "bytes",
    "implementation",
    "threads",
    "ops_per_second",
    "ns_median",
    "ns_spread",
    "core_ghz",
    "samples",
];

/// The size of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// The length of the numbers in bits.
    Bits(usize),
    /// The length of the data in bytes.
    Bytes(usize),
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Size::Bits(n) => write!(f, "{n} bits"),
            Size::Bytes(n) => write!(f, "{n} bytes"),
        }
    }
}

/// What one contender did in one race.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The experiment, such as `rsa`.
    pub experiment: String,
    /// The operation, such as `sign`.
    pub operation: String,
    /// The length of the numbers in bits, where that is the size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bits: Option<usize>,
    /// The length of the data in bytes, where that is the size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<usize>,
    /// Who did it.
    pub implementation: String,
    /// On how many threads.
    pub threads: usize,
    /// Operations a second, from the median.
    pub ops_per_second: f64,
    /// Nanoseconds an operation: median.
    pub ns_median: f64,
    /// Nanoseconds an operation: upper less lower quartile.
    pub ns_spread: f64,
    /// The core clock during the race.
    pub core_ghz: f64,
    /// How many samples the median is of; 0 in old records, which do not say.
    #[serde(default)]
    pub samples: usize,
}

impl Row {
    /// The row of a measurement.
    pub fn new(
        experiment: &str,
        operation: &str,
        size: Size,
        threads: usize,
        measured: &Measurement,
    ) -> Row {
        let (bits, bytes) = match size {
            Size::Bits(n) => (Some(n), None),
            Size::Bytes(n) => (None, Some(n)),
        };
        Row {
            experiment: experiment.to_owned(),
            operation: operation.to_owned(),
            bits,
            bytes,
            implementation: measured.name.clone(),
            threads,
            ops_per_second: significant(1e9 / measured.ns_median, 6),
            ns_median: significant(measured.ns_median, 6),
            ns_spread: significant(measured.ns_spread, 3),
            core_ghz: significant(measured.core_ghz, 4),
            samples: measured.samples,
        }
    }

    /// Its size.
    pub fn size(&self) -> Option<Size> {
        self.bits.map(Size::Bits).or(self.bytes.map(Size::Bytes))
    }

    /// Whether `only` asks for rows of this operation and implementation: it names either, or a part of one before or
    /// after a `/`.
    ///
    /// ```
    /// use carrysave_measure::record::Row;
    /// assert!(Row::is_named("adc", "mpn_add_n", "carrysave/adc") && !Row::is_named("add", "mpn_add_n", "carrysave/adc"));
    /// ```
    pub fn is_named(only: &str, operation: &str, implementation: &str) -> bool {
        [operation, implementation]
            .iter()
            .any(|name| only == *name || name.split('/').any(|part| part == only))
    }

    /// The cycles of an operation.
    pub fn cycles(&self) -> f64 {
        self.ns_median * self.core_ghz
    }

    /// The cycles of a byte, where bytes are worked on.
    pub fn cycles_per_byte(&self) -> Option<f64> {
        let bytes = self.bytes.filter(|bytes| *bytes > 0)?;
        Some(self.cycles() / bytes as f64)
    }

    /// The first column whose number cannot be that of a measurement.
    fn impossible(&self) -> Option<&'static str> {
        let positive = |x: f64| x.is_finite() && x > 0.0;
        let columns = [
            ("ops_per_second", positive(self.ops_per_second)),
            ("ns_median", positive(self.ns_median)),
            (
                "ns_spread",
                self.ns_spread == 0.0 || positive(self.ns_spread),
            ),
            ("core_ghz", positive(self.core_ghz)),
        ];
        let found = columns.iter().find(|(_, possible)| !possible)?;
        Some(found.0)
    }

    /// The row as one JSON object without a line break.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("names and numbers are always JSON")
    }
}

/// Writes a record: the head as comment lines, the columns' names, the rows.
///
/// # Errors
/// Those of `to`.
pub fn write_csv(mut to: impl Write, head: &Head, rows: &[Row]) -> io::Result<()> {
    for (name, value) in &head.0 {
        writeln!(to, "# {name}: {}", value.replace(['\n', '\r'], " "))?;
    }
    let mut csv = csv::Writer::from_writer(to);
    csv.write_record(COLUMNS)?;
    let size = |n: Option<usize>| n.map(|n| n.to_string()).unwrap_or_default();
    for row in rows {
        csv.write_record([
            row.experiment.clone(),
            row.operation.clone(),
            size(row.bits),
            size(row.bytes),
            row.implementation.clone(),
            row.threads.to_string(),
            row.ops_per_second.to_string(),
            row.ns_median.to_string(),
            row.ns_spread.to_string(),
            row.core_ghz.to_string(),
            row.samples.to_string(),
        ])?;
    }
    csv.flush()
}

/// Reads what [`write_csv`] wrote.
///
/// # Errors
/// Those of `from`, and a record that lacks a column or holds something else than it should.
pub fn read_csv(mut from: impl BufRead) -> io::Result<(Head, Vec<Row>)> {
    let mut text = String::new();
    from.read_to_string(&mut text)?;
    let head = text
        .lines()
        .map_while(|line| line.strip_prefix("# ")?.split_once(": "));
    let head = Head(
        head.map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
    );
    let body: usize = text
        .split_inclusive('\n')
        .take(head.0.len())
        .map(str::len)
        .sum();
    let mut csv = csv::Reader::from_reader(&text.as_bytes()[body..]);
    let mut rows: Vec<Row> = vec![];
    let wrong = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
    for row in csv.deserialize() {
        let row: Row = row?;
        if let Some(column) = row.impossible() {
            let line = head.0.len() + rows.len() + 2;
            return Err(wrong(format!(
                "line {line}: {column} is no measurement; measure it anew, or leave that line out"
            )));
        }
        rows.push(row);
    }
    Ok((head, rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Row> {
        let measured = |name: &str, ns| Measurement {
            name: name.to_owned(),
            ns_median: ns,
            ns_spread: 0.125,
            samples: 3,
            core_ghz: 3.7,
        };
        vec![
            Row::new(
                "rsa",
                "sign",
                Size::Bits(2048),
                1,
                &measured("carrysave", 426_000.0),
            ),
            Row::new(
                "aes",
                "ctr",
                Size::Bytes(16),
                2,
                &measured("odd, \"name\"\nof two lines", 1.5),
            ),
        ]
    }

    #[test]
    fn a_record_reads_back_as_it_was_written() {
        let head = Head(vec![
            ("cpu".into(), "A: B, \"C\"".into()),
            ("date".into(), "2026-11-21".into()),
        ]);
        let mut file = Vec::new();
        write_csv(&mut file, &head, &rows()).unwrap();
        let text = String::from_utf8(file.clone()).unwrap();
        assert!(
            text.starts_with(
                "# cpu: A: B, \"C\"\n# date: 2026-11-21\nexperiment,operation,bits,bytes,"
            ),
            "{text}"
        );
        assert!(
            text.contains("\nrsa,sign,2048,,carrysave,1,2347.42,426000,0.125,3.7,3\n"),
            "{text}"
        );
        assert_eq!(read_csv(file.as_slice()).unwrap(), (head, rows()));
    }

    #[test]
    fn an_old_record_does_not_say_how_many_samples_there_were() {
        let mut file = Vec::new();
        write_csv(&mut file, &Head(vec![]), &rows()[..1]).unwrap();
        let old = String::from_utf8(file)
            .unwrap()
            .replace(",samples", "")
            .replace(",3.7,3", ",3.7");
        let (_, read) = read_csv(old.as_bytes()).unwrap();
        assert_eq!(
            read,
            [Row {
                samples: 0,
                ..rows()[0].clone()
            }]
        );
    }

    #[test]
    fn a_broken_record_is_an_error() {
        let mut file = Vec::new();
        write_csv(&mut file, &Head(vec![]), &rows()).unwrap();
        let broken = String::from_utf8(file.clone()).unwrap();
        let broken = broken.replacen("2048", "many", 1);
        assert!(read_csv(broken.as_bytes()).is_err());
        for (row, column) in [
            ("rsa,sign,99,,carrysave,1,nan,NaN,0,3,3", "ops_per_second"),
            ("rsa,sign,99,,carrysave,1,1,0,0,3,3", "ns_median"),
            ("rsa,sign,99,,carrysave,1,1,1,-5,3,3", "ns_spread"),
            ("rsa,sign,99,,carrysave,1,1,1,0,inf,3", "core_ghz"),
        ] {
            let bad = [&file[..], row.as_bytes()].concat();
            let error = read_csv(&bad[..]).unwrap_err().to_string();
            let line = rows().len() + 2;
            assert!(error.contains(&format!("line {line}: {column}")), "{error}");
        }
    }

    #[test]
    fn json_has_the_size_that_applies_and_escapes_names() {
        let lines: Vec<String> = rows().iter().map(Row::to_json).collect();
        assert_eq!(
            lines[0],
            r#"{"experiment":"rsa","operation":"sign","bits":2048,"implementation":"carrysave","threads":1,"ops_per_second":2347.42,"ns_median":426000.0,"ns_spread":0.125,"core_ghz":3.7,"samples":3}"#
        );
        assert!(
            lines[1].contains(r#""bytes":16,"implementation":"odd, \"name\"\nof two lines""#),
            "{}",
            lines[1]
        );
        assert_eq!(serde_json::from_str::<Row>(&lines[1]).unwrap(), rows()[1]);
    }
}
