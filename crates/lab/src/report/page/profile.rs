//! The record of a profile: a line for each function.

use super::scroll;
use crate::profile::{EVENTS, EXPERIMENT, PROGRAM, parts};
use crate::record::Row;
use crate::report::Record;
use crate::report::html::number;
use maud::{Markup, html};

/// Whether a record is shown so.
pub(super) fn is_profile(record: &Record) -> bool {
    record.rows.iter().any(|row| row.experiment == EXPERIMENT)
}

/// A function, or the whole program.
struct Line<'r> {
    program: &'r str,
    class: &'r str,
    name: &'r str,
    /// As many as there are of each of [`EVENTS`].
    counts: Vec<f64>,
}

/// The functions, in the order of the record. What is no count is left out.
fn lines(rows: &[Row]) -> Vec<Line<'_>> {
    let mut lines: Vec<Line<'_>> = vec![];
    for row in rows {
        let counted = parts(row).and_then(|[program, class, event]| {
            let event = EVENTS.iter().position(|known| known.name == event)?;
            Some((program, class, event))
        });
        let Some((program, class, event)) = counted else {
            continue;
        };
        let name = &row.implementation[..];
        let same =
            |line: &Line<'_>| line.program == program && line.class == class && line.name == name;
        let place = lines.iter().position(same).unwrap_or_else(|| {
            lines.push(Line {
                program,
                class,
                name,
                counts: vec![0.0; EVENTS.len()],
            });
            lines.len() - 1
        });
        lines[place].counts[event] = row.ns_median;
    }
    lines
}

/// How many there are of each event, and what part of the program's they are.
pub(super) fn profile(record: &Record) -> Markup {
    let lines = lines(&record.rows);
    let counted = |event: &usize| lines.iter().any(|line| line.counts[*event] > 0.0);
    let events: Vec<usize> = (0..EVENTS.len()).filter(counted).collect();
    let whole = |of: &Line<'_>, event: usize| {
        let mut wholes = lines.iter().filter(|line| line.class == PROGRAM);
        let whole = wholes.find(|line| line.program == of.program);
        whole.map_or(f64::INFINITY, |line| line.counts[event])
    };
    let headings = ["program", "function", "class"].into_iter();
    let headings = headings.chain(events.iter().map(|event| EVENTS[*event].name));
    scroll(html! {
        table.sortable {
            caption { "Events of each function itself, without those that it calls, and their part of the program's" }
            thead { tr { @for heading in headings { th scope="col" { (heading) } } } }
            tbody {
                @for line in &lines {
                    tr {
                        td { (line.program) }
                        th scope="row" { (line.name) }
                        td { (line.class) }
                        @for &event in &events { (cell(line.counts[event], whole(line, event))) }
                    }
                }
            }
        }
    })
}

/// A number of events, and which part it is.
fn cell(count: f64, whole: f64) -> Markup {
    html! {
        td data-v=(count) {
            (number(count))
            @if count > 0.0 { " · " (number(100.0 * count / whole)) " %" }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Head;
    use crate::report::tests::row;

    #[test]
    fn each_function_has_a_line_with_its_part_of_the_program() {
        let count = |operation: &str, function: &str, count: f64| {
            row(EXPERIMENT, operation, 0, function, 1, count)
        };
        let record = Record {
            name: "any".into(),
            head: Head(vec![]),
            rows: vec![
                count("vectors/program/instructions", "carrysave", 40_000.0),
                count("vectors/program/mispredicted", "carrysave", 200.0),
                count(
                    "vectors/squaring/instructions",
                    "mpn_mont_sqr/adc",
                    30_000.0,
                ),
                count("vectors/squaring/mispredicted", "mpn_mont_sqr/adc", 50.0),
                count("vectors/other/instructions", "malloc", 10.0),
                count("point/program/instructions", "carrysave", 20.0),
                row("rsa", "sign", 2048, "carrysave", 1, 1.0),
            ],
        };
        assert!(is_profile(&record));
        let text = profile(&record).into_string();
        let lines: Vec<&str> = text.split("<tr>").skip(1).collect();
        assert_eq!(lines.len(), 5, "{text}");
        // What nobody counted has no column.
        for (name, there) in [
            ("instructions", true),
            ("mispredicted", true),
            ("loads", false),
        ] {
            let heading = format!("<th scope=\"col\">{name}</th>");
            assert_eq!(lines[0].contains(&heading), there, "{name}");
        }
        for (line, cell) in [
            (
                1,
                "<td data-v=\"40000\">40,000 · 100 %</td><td data-v=\"200\">200 · 100 %</td>",
            ),
            (
                2,
                "<th scope=\"row\">mpn_mont_sqr/adc</th><td>squaring</td>",
            ),
            (
                2,
                "<td data-v=\"30000\">30,000 · 75 %</td><td data-v=\"50\">50 · 25 %</td>",
            ),
            (
                3,
                "<td data-v=\"10\">10 · 0.025 %</td><td data-v=\"0\">0</td>",
            ),
            (4, "<td>point</td>"),
            (
                4,
                "<td data-v=\"20\">20 · 100 %</td><td data-v=\"0\">0</td>",
            ),
        ] {
            assert!(lines[line].contains(cell), "{cell}: {}", lines[line]);
        }
    }
}
