//! A record of many operations at few sizes: one table instead of many small figures.

use super::grade;
use crate::record::Row;
use crate::report::Record;
use crate::report::html::{duration, escape};
use crate::report::panel::{Panel, contender, ours, panels};
use std::fmt::Write;

/// The experiments that are shown so: their figures would have two points.
pub(super) const OVERVIEWS: [&str; 1] = ["schemes"];

/// A line for each operation and size, and each way of ours, beside what each other takes.
pub(super) fn overview(record: &Record) -> String {
    let mut others: Vec<&str> = vec![];
    for row in record.rows.iter().filter(|row| !ours(row)) {
        if !others.contains(&&row.implementation[..]) {
            others.push(&row.implementation);
        }
    }
    let mut out = String::from(
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\"><table class=\"sortable\">\n\
         <caption>Time of one operation; the ratio says how many times as fast as the fastest other carrysave is</caption>\n<thead><tr>",
    );
    let headings = ["operation", "bits", "carrysave", "ratio"].into_iter();
    for heading in headings.chain(others.iter().copied()) {
        let _ = write!(out, "<th scope=\"col\">{}</th>", escape(heading));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for panel in panels(&record.rows) {
        for (at, row) in panel.rows.iter().filter(|(_, row)| ours(row)) {
            out.push_str(&line(&panel, *at, row, &others));
        }
    }
    out.push_str("</tbody>\n</table></div>\n");
    out
}

fn line(panel: &Panel<'_>, at: f64, row: &Row, others: &[&str]) -> String {
    let time = |row: &Row| {
        let ns = row.ns_median;
        format!("<td data-v=\"{ns}\">{}</td>", escape(&duration(ns)))
    };
    // Ours by its way, where it has one of its own.
    let way = contender(row);
    let way = way.strip_prefix("carrysave").unwrap_or(&way);
    let way = match way.trim_start_matches(['/', ',', ' ']) {
        "" => String::new(),
        way => format!(", {}", escape(way)),
    };
    let mut fastest = f64::INFINITY;
    let mut theirs = String::new();
    for name in others {
        let beside = panel.rows.iter().find(|(place, other)| {
            *place == at && other.implementation == *name && other.threads == row.threads
        });
        match beside {
            Some((_, other)) => {
                fastest = fastest.min(other.ns_median);
                theirs.push_str(&time(other));
            }
            None => theirs.push_str("<td></td>"),
        }
    }
    let ratio = fastest / row.ns_median;
    let ratio = match ratio.is_finite() {
        true => format!("<td class=\"{}\">{ratio:.2}&nbsp;×</td>", grade(ratio)),
        false => "<td class=\"none\">not raced</td>".to_owned(),
    };
    format!(
        "<tr><th scope=\"row\">{}{way}</th><td>{}</td>{}{ratio}{theirs}</tr>\n",
        escape(&row.operation),
        row.bits.unwrap_or(0),
        time(row)
    )
}
