//! The section of the published tables: each in its own rows and columns, and what it comes to here.

use super::scroll;
use crate::report::Folder;
use crate::report::chart::{Axis, Chart, Line};
use crate::report::html::{duration, number};
use crate::report::published::{
    Derived, Figure, Measured, Standing, TABLES, Table, Unit, coverage, measurements, total,
};
use crate::report::styles::Styles;
use maud::{Markup, html};

/// What was published, beside what is measured.
pub(super) fn publications(folder: &Folder, styles: &Styles) -> Markup {
    let here = Measured::from(folder);
    html! {
        section id="published" {
            h2 { "Published tables, measured again" }
            p {
                "The documents that this project began with, and the same algorithms on this machine. Seconds of 2004, 2009 \
                 and 2011 are no match for those of today: what compares is which way wins, and by how much."
            }
            (verdicts(&here))
            (covered(&here))
            @for table in TABLES { (publication(table, &here, styles)) }
        }
    }
}

/// What the sources concluded, and whether it holds.
fn verdicts(here: &Measured<'_>) -> Markup {
    let headings = [
        "table",
        "conclusion of its source",
        "here",
        "figures, and why",
    ];
    html! {
        (scroll(html! {
            table.verdicts {
                caption { "What was concluded, and whether it holds on this machine" }
                thead { tr { @for heading in headings { th scope="col" { (heading) } } } }
                tbody {
                    @for table in TABLES {
                        @for claim in table.claims {
                            @let verdict = claim.judge(table, here);
                            tr {
                                th scope="row" { (table.title) }
                                td { (claim.says) }
                                td { b { (verdict.short()) } }
                                td { (verdict.figures(claim, table.unit)) @if !verdict.cases.is_empty() { ". " (verdict.reason(claim)) " " } (verdict.left_open()) }
                            }
                        }
                    }
                }
            }
        }))
    }
}

/// How many measurements of ours answer how many of the published figures, and under which conditions.
fn covered(here: &Measured<'_>) -> Markup {
    let tables = coverage(std::slice::from_ref(here));
    let [all, same, other, cannot, lacking] = total(&tables);
    let measurements = measurements(&tables);
    html! {
        p {
            (TABLES.len()) " tables have " (all) " figures, those that follow from others included. "
            (measurements) " measurements of these records answer " (same) " of them under the conditions of their source and "
            (other) " under others, which are noted below each table. " (cannot) " cannot be answered here, and "
            (lacking) " are not among these records."
            @if lacking > 0 {
                " What these records lack, " code { "carrysave-lab report --full" } " measures; "
                code { "carrysave-lab report published" } " looks for it in several folders of records."
            }
        }
    }
}

/// The figures of the tables that have one.
pub(super) fn figures(folder: &Folder) -> impl Iterator<Item = Chart> {
    let here = Measured::from(folder);
    TABLES
        .iter()
        .filter_map(move |table| curves(table, &table.figures(&here)))
}

/// What the figures of a table are.
fn unit(table: &Table) -> String {
    match table.unit {
        Unit::Time(_) => "time".to_owned(),
        Unit::Cycles(_) => "cycles".to_owned(),
        Unit::Multiple(of) => {
            let column = table.columns.iter().find(|(name, _)| *name == of);
            format!("as a multiple of {}", column.map_or(of, |(_, label)| label))
        }
        Unit::Count => "number".to_owned(),
        Unit::Percent => "percent of the threads' time".to_owned(),
    }
}

/// What the published figures of a table are, as they are printed.
fn printed(table: &Table) -> String {
    match table.unit {
        Unit::Time(1e9) => "seconds".to_owned(),
        Unit::Time(1e6) => "milliseconds".to_owned(),
        Unit::Time(_) => "microseconds".to_owned(),
        Unit::Cycles(1e6) => "millions of cycles".to_owned(),
        Unit::Multiple(_) => format!("as printed, and {}", unit(table)),
        Unit::Cycles(_) | Unit::Count | Unit::Percent => unit(table),
    }
}

/// How a figure of a table reads.
fn show(table: &Table) -> fn(f64) -> String {
    match table.unit {
        Unit::Time(_) => duration,
        _ => number,
    }
}

fn publication(table: &Table, here: &Measured<'_>, styles: &Styles) -> Markup {
    let figures = table.figures(here);
    let curves = curves(table, &figures).and_then(|chart| chart.svg(styles));
    html! {
        details.published {
            summary { (table.title) }
            p { (table.source) }
            @for claim in table.claims {
                p { (claim.says) " " b { (claim.judge(table, here).text(claim, table.unit)) } }
            }
            @if let Some(svg) = curves { figure { (svg) } }
            (grid(table, &figures))
        }
    }
}

/// The table as it was published, with ours below each figure, and the notes on those.
fn grid(table: &Table, figures: &[Figure]) -> Markup {
    let (lines, shown) = (table.lines(), table.shown());
    let labels: Vec<String> = lines[0]
        .labels(table)
        .map(|(name, _)| name.replace('_', " "))
        .collect();
    let mut notes: Vec<&str> = vec![];
    for note in figures.iter().filter_map(|figure| figure.standing.note()) {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    let find = |line: usize, column: &str| {
        let mut all = figures.iter();
        all.find(|figure| figure.line == line && figure.column == column)
    };
    html! {
        (scroll(html! {
            table.sortable.pairs {
                caption {
                    (table.title) ": above what was published (" (printed(table)) "; deviation in brackets), below in bold ours \
                     (distance of the quartiles in brackets)"
                }
                thead {
                    tr {
                        @for label in &labels { th scope="col" { (label) } }
                        @for (_, label) in &shown { th scope="col" { (label) } }
                    }
                }
                tbody {
                    @for (i, line) in lines.iter().enumerate() {
                        tr {
                            @for (_, value) in line.labels(table) { th scope="row" { (value.replace('_', " ")) } }
                            @for (column, _) in &shown { (pair(table, find(i, column), &notes)) }
                        }
                    }
                }
            }
        }))
        @if !notes.is_empty() {
            ul.notes { @for (i, note) in notes.iter().enumerate() { li { sup { (letter(i)) } " " (note) } } }
        }
    }
}

/// The letter of a note.
fn letter(i: usize) -> char {
    (b'a'..=b'z').nth(i).map_or('*', char::from)
}

/// A published figure and ours, with the letter of what is to be said of it.
fn pair(table: &Table, figure: Option<&Figure>, notes: &[&str]) -> Markup {
    let Some(figure) = figure else {
        return html! { td {} };
    };
    let multiple = match (table.unit, figure.derived) {
        (Unit::Multiple(_), None) => format!(" · {} ×", number(figure.published)),
        _ => String::new(),
    };
    let ours = figure.here.map(|here| match (figure.derived, table.unit) {
        (Some(Derived::Percent(..)), _) => format!("{here:.0}"),
        (Some(_), _) => format!("{here:.2}"),
        (None, Unit::Multiple(_)) => format!("{} ×", number(here)),
        // In the millions of the source, where that has them.
        (None, Unit::Cycles(unit)) => number(here / unit),
        (None, _) => show(table)(here),
    });
    let spread = figure
        .spread
        .map_or(String::new(), |percent| format!(" ({percent:.1} %)"));
    let note = figure.standing.note();
    let note = note.and_then(|note| notes.iter().position(|other| *other == note));
    html! {
        td data-v=(figure.published) title=[(figure.standing != Standing::Lacking).then_some(&figure.from)] {
            (figure.printed) (multiple)
            br;
            @if let Some(ours) = ours { b { (ours) } (spread) } @else { "–" }
            @if let Some(note) = note { sup { (letter(note)) } }
        }
    }
}

/// The published curves and ours, a pair for each column, the ones that end lowest first.
fn curves(table: &Table, figures: &[Figure]) -> Option<Chart> {
    let across = table.across()?;
    let mut columns: Vec<(&str, Vec<&Figure>)> = vec![];
    for (column, label) in table.columns {
        let of = |figure: &&Figure| figure.column == *column;
        columns.push((label, figures.iter().filter(of).collect()));
    }
    let end = |figures: &[&Figure]| {
        figures
            .last()
            .map_or(f64::INFINITY, |figure| figure.published)
    };
    columns.sort_by(|a, b| end(&a.1).total_cmp(&end(&b.1)));
    let lines = columns.iter().flat_map(|(label, figures)| {
        let line = |who: &str, value: fn(&Figure) -> Option<f64>| Line {
            name: format!("{label}, {who}"),
            contender: (*label).to_owned(),
            dashed: who == "published",
            points: figures
                .iter()
                .filter_map(|figure| Some((figure.at?, value(figure)?)))
                .filter(|point| point.1 > 0.0)
                .collect(),
        };
        let published = |figure: &Figure| Some(figure.published);
        [
            line("here", |figure| figure.here),
            line("published", published),
        ]
    });
    Some(Chart {
        title: format!("{}: {}, published and here", table.title, unit(table)),
        x: Axis {
            label: across.replace('_', " "),
            text: |value| format!("{value:.0}"),
        },
        y: Axis {
            label: unit(table),
            text: show(table),
        },
        lines: lines.filter(|line| !line.points.is_empty()).collect(),
        marks: vec![],
    })
}
