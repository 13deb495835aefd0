//! The section of the published tables.

use super::scroll;
use crate::report::Folder;
use crate::report::chart::{Axis, Chart, Line};
use crate::report::html::{duration, number};
use crate::report::published::{Figure, Measured, TABLES, Table, Unit, coverage, total};
use crate::report::styles::Styles;
use maud::{Markup, html};

/// What was published, beside what is measured.
pub(super) fn publications(folder: &Folder, styles: &Styles) -> Markup {
    let here = Measured::from(folder);
    html! {
        section id="published" {
            h2 { "Published tables, measured again" }
            p {
                "The figures of the documents that this project began with, and the same algorithm on this machine. \
                 Seconds of 2004, 2009 and 2011 are no match for those of today: what compares is which column wins, \
                 and by how much."
            }
            (covered(&here))
            @for table in TABLES { (publication(table, &here, styles)) }
        }
    }
}

/// How many of the published figures have one of ours beside them, and why others have none.
fn covered(here: &Measured<'_>) -> Markup {
    let tables = coverage(std::slice::from_ref(here));
    let headings = [
        "table",
        "figures",
        "measured here",
        "cannot be",
        "not among these records",
    ];
    let row = |name: &str, numbers: [usize; 4]| {
        html! { tr { th scope="row" { (name) } @for number in numbers { td { (number) } } } }
    };
    let sums = total(&tables);
    html! {
        (scroll(html! {
            table.sortable {
                caption { "Published figures, and those with one of ours beside them" }
                thead { tr { @for heading in headings { th scope="col" { (heading) } } } }
                tbody { @for table in &tables { (row(table.title, table.counts())) } }
                tfoot { (row("all", sums)) }
            }
        }))
        p { "What cannot be measured, and why:" }
        ul {
            @for table in &tables {
                @for (why, figures) in &table.reasons { li { (table.title) ": " (figures) ", as " (why) } }
            }
        }
        @if sums[3] > 0 {
            p {
                "What these records lack, " code { "carrysave-lab report --full" } " measures; "
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
    let headings = [
        "case",
        "column",
        "published",
        "here",
        "published / here",
        "which row",
    ];
    html! {
        details.published {
            summary { (table.title) }
            p { (table.source) }
            @if let Some(svg) = curves { figure { (svg) } }
            (scroll(html! {
                table.sortable {
                    caption { (table.title) ": " (unit(table)) }
                    thead { tr { @for heading in headings { th scope="col" { (heading) } } } }
                    tbody { @for figure in &figures { (line(figure, show(table))) } }
                }
            }))
        }
    }
}

/// A published figure and ours.
fn line(figure: &Figure, show: fn(f64) -> String) -> Markup {
    let ratio = figure.here.filter(|here| *here > 0.0);
    html! {
        tr {
            td { (figure.case) }
            td { (figure.label) }
            td data-v=(figure.published) { (show(figure.published)) }
            @if let Some(here) = figure.here { td data-v=(here) { (show(here)) } } @else { td { "–" } }
            td { @if let Some(here) = ratio { (number(figure.published / here)) } }
            td { (figure.from) }
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
