//! Rows that belong in one figure and one table.

use super::chart::{Axis, Chart, Line, MOST};
use super::html::{bytes, duration, number};
use crate::record::{Row, Size};
use carrysave_measure::thesis::RANKS;
use std::collections::BTreeMap;

/// One operation over its sizes, or one size over what the operation's name ends in (`private/1` ... `private/64`).
#[derive(Clone, Debug)]
pub struct Panel<'r> {
    /// The operation, less a number that is what is across.
    pub operation: String,
    /// What is the same for all rows, such as `2048 bits`; empty where that is what differs.
    pub fixed: String,
    /// What is across.
    pub across: Across,
    /// What is across, and the row; in the order of the record, without repetitions.
    pub rows: Vec<(f64, &'r Row)>,
}

/// What the rows of a panel differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Across {
    /// The length of the numbers in bits.
    Bits,
    /// The length of the data in bytes.
    Bytes,
    /// The number at the end of the operation's name.
    Number,
}

impl Across {
    /// The axis of a chart, for rows of an experiment.
    fn axis(self, experiment: &str) -> Axis {
        let (label, text): (&str, fn(f64) -> String) = match (self, experiment) {
            (Across::Bits, _) => ("bits", number),
            (Across::Bytes, _) => ("bytes", bytes),
            (Across::Number, "handshakes") => ("clients at once", number),
            (Across::Number, _) => ("the number after the name", number),
        };
        Axis {
            label: label.to_owned(),
            text,
        }
    }

    /// The heading of its column.
    pub fn heading(self) -> &'static str {
        match self {
            Across::Bits => "bits",
            Across::Bytes => "bytes",
            Across::Number => "number",
        }
    }
}

/// Whose row it is: the implementation, and the threads or ranks where they are several.
pub fn contender(row: &Row) -> String {
    let members = match &row.experiment[..] {
        RANKS => "ranks",
        _ => "threads",
    };
    match row.threads {
        0 | 1 => row.implementation.clone(),
        number => format!("{}, {number} {members}", row.implementation),
    }
}

/// Its size, as people say it; nothing where there is none to speak of, as where threads meet.
pub fn size(row: &Row) -> String {
    match row.size() {
        Some(Size::Bits(0)) => String::new(),
        Some(Size::Bytes(n)) => bytes(n as f64),
        Some(size) => size.to_string(),
        None => String::new(),
    }
}

/// The experiments without rivals, whose rows are named after alternatives of the plan.
const ALONE: [&str; 2] = ["plan", "tune"];

/// Whether the row is one of ours.
pub fn ours(row: &Row) -> bool {
    ALONE.contains(&&row.experiment[..])
        || row.implementation == "carrysave"
        || row.implementation.starts_with("carrysave/")
}

/// Whether it is no contender, but the least time that is possible, or an instruction alone, as `batch` has it beside
/// kernels.
pub fn is_bound(row: &Row) -> bool {
    row.implementation.starts_with("bound/")
        || row.implementation.starts_with("model/")
        || row.implementation == "vpmadd52"
}

/// The rows of an experiment, as panels, in the order of the record.
pub fn panels(rows: &[Row]) -> Vec<Panel<'_>> {
    let sweeps = sweeps(rows);
    let mut panels: Vec<Panel<'_>> = vec![];
    for row in rows {
        let (value, across) = match row.size() {
            Some(Size::Bits(bits)) => (bits as f64, Across::Bits),
            Some(Size::Bytes(bytes)) => (bytes as f64, Across::Bytes),
            None => (0.0, Across::Bits),
        };
        let size = size(row);
        let swept = numbered(&row.operation)
            .filter(|(stem, _)| sweeps.contains(&((*stem).to_owned(), size.clone())));
        let (operation, fixed, across, value) = match swept {
            Some((stem, number)) => (stem, size, Across::Number, number as f64),
            None => (&row.operation[..], String::new(), across, value),
        };
        let place = panels.iter().position(|panel| {
            panel.operation == operation && panel.fixed == fixed && panel.across == across
        });
        let panel = match place {
            Some(place) => &mut panels[place],
            None => {
                panels.push(Panel {
                    operation: operation.to_owned(),
                    fixed,
                    across,
                    rows: vec![],
                });
                panels.last_mut().expect("just pushed")
            }
        };
        let seen = |(at, other): &(f64, &Row)| *at == value && contender(other) == contender(row);
        if !panel.rows.iter().any(seen) {
            panel.rows.push((value, row));
        }
    }
    panels
}

/// `private/64` as `private` and 64.
fn numbered(operation: &str) -> Option<(&str, usize)> {
    let (stem, number) = operation.rsplit_once('/')?;
    Some((stem, number.parse().ok()?))
}

/// The stems and sizes at which an operation has three numbers or more.
fn sweeps(rows: &[Row]) -> Vec<(String, String)> {
    let mut numbers: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
    for row in rows {
        if let Some((stem, number)) = numbered(&row.operation) {
            let seen = numbers.entry((stem.to_owned(), size(row))).or_default();
            if !seen.contains(&number) {
                seen.push(number);
            }
        }
    }
    let enough = |(key, seen): ((String, String), Vec<usize>)| (seen.len() >= 3).then_some(key);
    numbers.into_iter().filter_map(enough).collect()
}

impl Panel<'_> {
    /// Its heading.
    pub fn title(&self) -> String {
        match &self.fixed[..] {
            "" => self.operation.clone(),
            fixed => format!("{}, {fixed}", self.operation),
        }
    }

    /// Whether it is about bytes, so that cycles a byte compare sizes.
    fn by_byte(&self) -> bool {
        self.rows
            .iter()
            .all(|(_, row)| row.cycles_per_byte().is_some())
    }

    /// What is up in its figure, for a row: nanoseconds, or cycles a byte.
    fn up(&self, row: &Row) -> f64 {
        match row.cycles_per_byte() {
            Some(cycles) if self.by_byte() => cycles,
            _ => row.ns_median,
        }
    }

    /// The least time of all contenders at the same place across.
    pub fn best(&self, at: f64) -> f64 {
        let there = self
            .rows
            .iter()
            .filter(|(value, row)| *value == at && !is_bound(row));
        there
            .map(|(_, row)| row.ns_median)
            .fold(f64::INFINITY, f64::min)
    }

    /// What several threads gain over one, where the same contender ran on one at the same place across, too, or, for
    /// `carrysave/team`, `carrysave`: the speedup. Divided by the threads it is the efficiency. Processor time, which
    /// threads have together, gains nothing.
    pub fn speedup(&self, at: f64, row: &Row) -> Option<f64> {
        if row.threads < 2 || row.operation.ends_with("/processor") {
            return None;
        }
        let name = &row.implementation[..];
        let alone = |other: &&(f64, &Row)| {
            let other_name = &other.1.implementation[..];
            let same = other_name == name || name.strip_suffix("/team") == Some(other_name);
            other.0 == at && other.1.threads < 2 && same
        };
        let (_, one) = self.rows.iter().find(alone)?;
        Some(one.ns_median / row.ns_median)
    }

    /// Whether there is any.
    pub fn has_speedups(&self) -> bool {
        let mut rows = self.rows.iter();
        rows.any(|(at, row)| self.speedup(*at, row).is_some())
    }

    /// The axis of what is across.
    fn axis(&self) -> Axis {
        let experiment = self.rows.first().map_or("", |(_, row)| &row.experiment);
        self.across.axis(experiment)
    }

    /// Speedups against threads at the largest place across that has them on three numbers of threads or more, one
    /// included: with fewer there is nothing to draw.
    pub fn speedups(&self) -> Chart {
        let mut places: Vec<f64> = self.rows.iter().map(|(at, _)| *at).collect();
        places.sort_by(|a, b| b.total_cmp(a));
        let mut drawn = places.into_iter().map(|at| (at, self.speedups_at(at)));
        let (largest, lines) = drawn
            .find(|(_, lines)| !lines.is_empty())
            .unwrap_or_default();
        let place = (self.axis().text)(largest);
        Chart {
            title: format!("{}: speedup at {place}, by threads", self.title()),
            x: Axis {
                label: "threads".to_owned(),
                text: number,
            },
            y: Axis {
                label: format!("speedup at {place}"),
                text: number,
            },
            lines,
            marks: vec![],
        }
    }

    /// A line for each contender that has them there on enough numbers of threads, the highest first.
    fn speedups_at(&self, at: f64) -> Vec<Line> {
        let mut lines: Vec<Line> = vec![];
        for (_, row) in self.rows.iter().filter(|(there, _)| *there == at) {
            let Some(speedup) = self.speedup(at, row) else {
                continue;
            };
            let point = (row.threads as f64, speedup);
            let name = &row.implementation;
            match lines.iter_mut().find(|line| line.name == *name) {
                Some(line) => line.points.push(point),
                None => lines.push(Line {
                    name: name.clone(),
                    contender: name.clone(),
                    dashed: !ours(row),
                    points: vec![(1.0, 1.0), point],
                }),
            }
        }
        lines.retain(|line| line.points.len() > 2);
        let last = |line: &Line| line.points.last().map_or(0.0, |point| point.1);
        for line in &mut lines {
            line.points.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        lines.sort_by(|a, b| last(b).total_cmp(&last(a)));
        lines
    }

    /// Whether a contender is what the experiment is about: several threads, or kernels as they were published.
    fn asks_about(&self, contender: &str) -> bool {
        match &self.rows[0].1.experiment[..] {
            "threads" => contender.ends_with(" threads"),
            "thesis" => contender.ends_with("_w32"),
            _ => false,
        }
    }

    /// The figure: the first contender of the record, then by how fast they are.
    pub fn chart(&self) -> Chart {
        let mut lines: Vec<(f64, Line)> = vec![];
        for (at, row) in &self.rows {
            let point = (*at, self.up(row));
            let loss = (row.ns_median / self.best(*at)).ln();
            let name = contender(row);
            match lines.iter_mut().find(|(_, line)| line.name == name) {
                Some((sum, line)) => {
                    *sum += loss;
                    line.points.push(point);
                }
                None => lines.push((
                    loss,
                    Line {
                        contender: name.clone(),
                        name,
                        dashed: !ours(row),
                        points: vec![point],
                    },
                )),
            }
        }
        let most = lines.iter().map(|(_, line)| line.points.len()).max();
        // Those that are there at more places come first, then those that lose less.
        let rank = |(sum, line): &(f64, Line)| {
            let missing = most.unwrap_or(0) - line.points.len();
            (missing, sum / line.points.len() as f64)
        };
        if lines.len() > 1 {
            lines[1..].sort_by(|a, b| rank(a).partial_cmp(&rank(b)).expect("losses are numbers"));
        }
        // What the experiment asks about is drawn, beside the best of the rest: two lines at least.
        if lines.len() > MOST {
            let (asked, others): (Vec<_>, Vec<_>) = lines
                .into_iter()
                .partition(|(_, line)| self.asks_about(&line.name));
            let beside = MOST
                .saturating_sub(asked.len())
                .max(MOST / 4)
                .min(others.len());
            let mut others = others.into_iter();
            lines = others.by_ref().take(beside).chain(asked).collect();
            lines.extend(others);
        }
        let (label, text): (&str, fn(f64) -> String) = if self.by_byte() {
            ("cycles a byte", number)
        } else {
            ("time of one operation", duration)
        };
        Chart {
            title: format!("{}: {label}, by {}", self.title(), self.across.heading()),
            x: self.axis(),
            y: Axis {
                label: label.to_owned(),
                text,
            },
            lines: lines
                .into_iter()
                .map(|(_, mut line)| {
                    line.points.sort_by(|a, b| a.0.total_cmp(&b.0));
                    line
                })
                .collect(),
            marks: vec![],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::styles::Styles;
    use crate::report::tests::row;

    #[test]
    fn sizes_are_across_unless_numbers_are() {
        let rows = [
            row("rsa", "sign", 1024, "carrysave", 1, 10.0),
            row("rsa", "sign", 2048, "carrysave", 1, 70.0),
            row("rsa", "sign", 2048, "openssl", 1, 90.0),
            row("batch", "private/1", 2048, "carrysave", 1, 70.0),
            row("batch", "private/2", 2048, "carrysave", 1, 60.0),
            row("batch", "private/4", 2048, "carrysave", 1, 50.0),
            row("batch", "private/4", 2048, "carrysave", 2, 25.0),
            row("threads", "modexp/256", 512, "carrysave", 1, 5.0),
            row("threads", "modexp/512", 512, "carrysave", 1, 9.0),
        ];
        let panels = panels(&rows);
        let titles: Vec<String> = panels.iter().map(Panel::title).collect();
        assert_eq!(
            titles,
            ["sign", "private, 2048 bits", "modexp/256", "modexp/512"]
        );
        assert_eq!(panels[1].across, Across::Number);
        let chart = panels[1].chart();
        let names: Vec<&str> = chart.lines.iter().map(|line| &line.name[..]).collect();
        assert_eq!(names, ["carrysave", "carrysave, 2 threads"]);
        assert_eq!(panels[0].best(2048.0), 70.0);
    }

    #[test]
    fn threads_are_compared_with_one_of_the_same_contender() {
        let rows = [
            row("threads", "mont_mul", 512, "carrysave", 1, 5.0),
            row("threads", "mont_mul", 512, "carrysave/pfios", 1, 8.0),
            row("threads", "mont_mul", 512, "carrysave/pfios", 2, 5.0),
            row("threads", "mont_mul", 512, "carrysave/pshs", 2, 5.0),
            row("threads", "mont_mul", 1024, "carrysave/pfios", 4, 2.0),
        ];
        let panels = panels(&rows);
        let speedups = panels[0].rows.iter();
        let speedups: Vec<_> = speedups
            .map(|(at, row)| panels[0].speedup(*at, row))
            .collect();
        assert_eq!(speedups, [None, None, Some(1.6), None, None]);
    }

    #[test]
    fn speedups_are_drawn_at_the_largest_place_that_has_enough() {
        let times = [
            (2048, 1, 12.0),
            (2048, 4, 4.0),
            (2048, 2, 8.0),
            (4096, 1, 50.0),
            (4096, 2, 25.0),
        ];
        let rows = times
            .map(|(bits, threads, ns)| row("threads", "mont_mul", bits, "carrysave", threads, ns));
        let chart = panels(&rows)[0].speedups();
        assert!(chart.title.contains("speedup at 2048"), "{}", chart.title);
        assert_eq!(chart.lines[0].points, [(1.0, 1.0), (2.0, 1.5), (4.0, 3.0)]);
        assert!(
            panels(&rows[..2])[0]
                .speedups()
                .svg(&Styles::default())
                .is_none()
        );
    }

    #[test]
    fn teams_are_compared_with_one_thread() {
        let record = |operation| {
            [
                row("teams", operation, 4096, "carrysave", 1, 12.0),
                row("teams", operation, 4096, "carrysave/team", 2, 8.0),
                row("teams", operation, 4096, "carrysave/team", 4, 4.0),
            ]
        };
        let chart = panels(&record("power"))[0].speedups();
        assert_eq!(chart.lines[0].name, "carrysave/team");
        assert_eq!(chart.lines[0].points, [(1.0, 1.0), (2.0, 1.5), (4.0, 3.0)]);
        assert!(!panels(&record("power/processor"))[0].has_speedups());
    }

    #[test]
    fn alternatives_of_the_plan_are_ours() {
        assert!(ours(&row("plan", "mul", 512, "toom22", 1, 5.0)));
        assert!(ours(&row("tune", "divide", 512, "below", 1, 5.0)));
        assert!(!ours(&row("mpn", "mpn_mul", 512, "gmp", 1, 5.0)));
    }

    #[test]
    fn lines_that_answer_the_question_are_drawn() {
        let mut rows: Vec<Row> = (0..9)
            .map(|i| {
                row(
                    "threads",
                    "mont_mul",
                    512,
                    &format!("carrysave/way{i}"),
                    1,
                    5.0,
                )
            })
            .collect();
        rows.push(row("threads", "mont_mul", 512, "carrysave/pfios", 2, 50.0));
        let chart = panels(&rows)[0].chart();
        let drawn: Vec<&str> = chart.lines[..MOST]
            .iter()
            .map(|line| &line.name[..])
            .collect();
        assert!(drawn.contains(&"carrysave/pfios, 2 threads"), "{drawn:?}");
        assert_eq!(drawn[0], "carrysave/way0");
        assert_eq!(chart.lines.len(), 10);
    }

    #[test]
    fn a_repeated_row_counts_once() {
        let rows = [
            row("threads", "mont_mul", 512, "carrysave", 1, 5.0),
            row("threads", "mont_mul", 512, "carrysave", 1, 6.0),
        ];
        assert_eq!(panels(&rows)[0].rows.len(), 1);
    }
}
