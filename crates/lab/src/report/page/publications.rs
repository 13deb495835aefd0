//! The section of the published tables.

use crate::report::Folder;
use crate::report::chart::{Axis, Chart, Line};
use crate::report::html::{duration, escape, number};
use crate::report::published::{Figure, Measured, TABLES, Table, Unit, coverage, total};
use std::fmt::Write;

/// What was published, beside what is measured.
pub(super) fn publications(folder: &Folder) -> String {
    let mut out = String::from(
        "<section id=\"published\">\n<h2>Published tables, measured again</h2>\n\
         <p>The figures of the documents that this project began with, and the same algorithm on this machine. \
         Seconds of 2004, 2009 and 2011 are no match for those of today: what compares is which column wins, and by how \
         much.</p>\n",
    );
    let here = Measured::from(folder);
    out.push_str(&covered(&here));
    for table in TABLES {
        out.push_str(&publication(table, &here));
    }
    out.push_str("</section>\n");
    out
}

/// How many of the published figures have one of ours beside them, and why others have none.
fn covered(here: &Measured<'_>) -> String {
    let tables = coverage(std::slice::from_ref(here));
    let mut out = String::from(
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\"><table class=\"sortable\">\n\
         <caption>Published figures, and those with one of ours beside them</caption>\n<thead><tr>\
         <th scope=\"col\">table</th><th scope=\"col\">figures</th><th scope=\"col\">measured here</th>\
         <th scope=\"col\">cannot be</th><th scope=\"col\">not among these records</th></tr></thead>\n<tbody>\n",
    );
    let row = |name: &str, numbers: [usize; 4]| {
        let cells = numbers.map(|number| format!("<td>{number}</td>")).concat();
        format!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", escape(name))
    };
    for table in &tables {
        out.push_str(&row(table.title, table.counts()));
    }
    let sums = total(&tables);
    let _ = writeln!(
        out,
        "</tbody>\n<tfoot>\n{}</tfoot>\n</table></div>",
        row("all", sums)
    );
    let reasons = tables.iter().flat_map(|table| {
        let sentence = |(why, figures): &(String, usize)| {
            format!(
                "<li>{}: {figures}, as {}</li>\n",
                escape(table.title),
                escape(why)
            )
        };
        table.reasons.iter().map(sentence).collect::<Vec<_>>()
    });
    let _ = writeln!(
        out,
        "<p>What cannot be measured, and why:</p>\n<ul>\n{}</ul>",
        reasons.collect::<String>()
    );
    if sums[3] > 0 {
        out.push_str(
            "<p>What these records lack, <code>carrysave-lab report --full</code> measures; \
             <code>carrysave-lab report published</code> looks for it in several folders of records.</p>\n",
        );
    }
    out
}

fn publication(table: &Table, here: &Measured<'_>) -> String {
    let unit = match table.unit {
        Unit::Time(_) => "time".to_owned(),
        Unit::Cycles(_) => "cycles".to_owned(),
        Unit::Multiple(of) => {
            let column = table.columns.iter().find(|(name, _)| *name == of);
            format!("as a multiple of {}", column.map_or(of, |(_, label)| label))
        }
        Unit::Count => "number".to_owned(),
    };
    let show: fn(f64) -> String = match table.unit {
        Unit::Time(_) => duration,
        _ => number,
    };
    let figures = table.figures(here);
    let curves = curves(table, &figures, &unit, show).and_then(|chart| chart.svg());
    let curves = curves.map_or(String::new(), |svg| format!("<figure>{svg}</figure>\n"));
    let mut out = format!(
        "<details class=\"published\"><summary>{}</summary>\n<p>{}</p>\n{curves}<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\"><table class=\"sortable\">\n\
         <caption>{}: {unit}</caption>\n<thead><tr><th scope=\"col\">case</th><th scope=\"col\">column</th>\
         <th scope=\"col\">published</th><th scope=\"col\">here</th><th scope=\"col\">published / here</th>\
         <th scope=\"col\">which row</th></tr></thead>\n<tbody>\n",
        escape(table.title),
        escape(table.source),
        escape(table.title)
    );
    for figure in figures {
        let (here, ratio) = match figure.here {
            Some(value) => (
                format!("<td data-v=\"{value}\">{}</td>", escape(&show(value))),
                (value > 0.0).then(|| number(figure.published / value)),
            ),
            None => ("<td>–</td>".to_owned(), None),
        };
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td>{}</td><td data-v=\"{}\">{}</td>{here}<td>{}</td><td>{}</td></tr>",
            escape(&figure.case),
            escape(figure.label),
            figure.published,
            escape(&show(figure.published)),
            ratio.unwrap_or_default(),
            escape(&figure.from)
        );
    }
    out.push_str("</tbody>\n</table></div>\n</details>\n");
    out
}

/// The published curves and ours, a pair for each column, the ones that end lowest first.
fn curves(table: &Table, figures: &[Figure], unit: &str, text: fn(f64) -> String) -> Option<Chart> {
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
        title: format!("{}: {unit}, published and here", table.title),
        x: Axis {
            label: across.replace('_', " "),
            text: |value| format!("{value:.0}"),
        },
        y: Axis {
            label: unit.to_owned(),
            text,
        },
        lines: lines.filter(|line| !line.points.is_empty()).collect(),
        marks: vec![],
    })
}
