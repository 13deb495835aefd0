//! The section of the published tables: each in its own rows and columns, and what it comes to here.

use super::scroll;
use crate::report::Folder;
use crate::report::chart::{Axis, Chart, Line};
use crate::report::html::{duration, number};
use crate::report::published::{
    Curve, Derived, Figure, Measured, Plot, Standing, TABLES, Table, Unit, coverage, measurements,
    total,
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

/// The figures of the tables that have some.
pub(super) fn figures(folder: &Folder) -> impl Iterator<Item = Chart> {
    let here = Measured::from(folder);
    TABLES
        .iter()
        .flat_map(move |table| charts(table, &table.figures(&here)))
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
        Unit::Parts(_) => "counts in percent of the program's".to_owned(),
    }
}

/// What the published figures of a table are, as they are printed.
fn printed(table: &Table) -> String {
    match table.unit {
        Unit::Time(1e9) => "seconds".to_owned(),
        Unit::Time(1e6) => "milliseconds".to_owned(),
        Unit::Time(_) => "microseconds".to_owned(),
        Unit::Cycles(1e6) => "millions of cycles".to_owned(),
        Unit::Multiple(_) | Unit::Parts(_) => format!("as printed, and {}", unit(table)),
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
    let charts = charts(table, &figures);
    html! {
        details.published {
            summary { (table.title) }
            p { (table.source) }
            @for claim in table.claims {
                p { (claim.says) " " b { (claim.judge(table, here).text(claim, table.unit)) } }
            }
            @for (plot, chart) in table.plots.iter().zip(&charts) {
                @if let Some(svg) = chart.svg(styles) {
                    figure { (svg) figcaption.note { (plot.name) ": " (chart.y.label) } }
                }
            }
            (grid(table, &figures, here))
        }
    }
}

/// The table as it was published, with ours below each figure, and the notes on those.
fn grid(table: &Table, figures: &[Figure], here: &Measured<'_>) -> Markup {
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
                            @for (column, _) in &shown {
                                @if let Some(figure) = find(i, column) {
                                    (pair(table, figure, &notes))
                                } @else {
                                    (alone(table, table.alone(line, column, here)))
                                }
                            }
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

/// How ours reads in a table.
fn ours(table: &Table, derived: Option<Derived>, here: f64) -> String {
    match (derived, table.unit) {
        (Some(Derived::Percent(..)), _) => format!("{here:.0}"),
        (Some(_), _) => format!("{here:.2}"),
        (None, Unit::Multiple(_)) => format!("{} ×", number(here)),
        // In the millions of the source, where that has them.
        (None, Unit::Cycles(unit)) => number(here / unit),
        (None, _) => show(table)(here),
    }
}

/// Ours where nothing was published, if there is one.
fn alone(table: &Table, found: Option<(f64, String)>) -> Markup {
    html! {
        @if let Some((here, from)) = found {
            td title=(from) { "–" br; b { (ours(table, None, here)) } }
        } @else {
            td {}
        }
    }
}

/// A published figure and ours, with the letter of what is to be said of it.
fn pair(table: &Table, figure: &Figure, notes: &[&str]) -> Markup {
    let multiple = match (table.unit, figure.derived) {
        (Unit::Multiple(_), None) => format!(" · {} ×", number(figure.published)),
        (Unit::Parts(_), None) if table.is_of_parts(figure.column) => {
            format!(" · {} %", number(figure.published))
        }
        _ => String::new(),
    };
    let percent = match table.is_of_parts(figure.column) {
        true => " %",
        false => "",
    };
    let here = figure.here.map(|here| ours(table, figure.derived, here));
    let spread = figure
        .spread
        .map_or(String::new(), |percent| format!(" ({percent:.1} %)"));
    let note = figure.standing.note();
    let note = note.and_then(|note| notes.iter().position(|other| *other == note));
    html! {
        td data-v=(figure.published) title=[(figure.standing != Standing::Lacking).then_some(&figure.from)] {
            (figure.printed) (multiple)
            br;
            @if let Some(here) = here { b { (here) (percent) } (spread) } @else { "–" }
            @if let Some(note) = note { sup { (letter(note)) } }
        }
    }
}

/// The figures of a table, one for each of its plots.
fn charts(table: &Table, figures: &[Figure]) -> Vec<Chart> {
    let across = table.across().unwrap_or_default().replace('_', " ");
    let plots = table.plots.iter();
    plots
        .map(|plot| chart(table, plot, &across, figures))
        .collect()
}

/// The published curves of a plot and ours, a pair for each column.
fn chart(table: &Table, plot: &Plot, across: &str, figures: &[Figure]) -> Chart {
    let (label, text): (String, fn(f64) -> String) = match plot.quantity(table) {
        Some(quantity) => (quantity.to_owned(), number),
        None => (unit(table), show(table)),
    };
    let pair = |curve: Curve| {
        let line = |who: &str, points: Vec<(f64, f64)>| Line {
            name: format!("{}, {who}", curve.label),
            contender: curve.label.to_owned(),
            dashed: who == "published",
            points,
        };
        [line("here", curve.here), line("published", curve.published)]
    };
    let lines = plot.draw(table, figures).into_iter().flat_map(pair);
    Chart {
        title: format!(
            "{}. {}: {label}, published and here",
            table.title, plot.name
        ),
        x: Axis {
            label: across.to_owned(),
            text: |value| format!("{value:.0}"),
        },
        lines: lines.filter(|line| !line.points.is_empty()).collect(),
        y: Axis { label, text },
        marks: vec![],
    }
}
