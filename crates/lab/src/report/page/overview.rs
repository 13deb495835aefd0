//! A record of many operations at few sizes: one table instead of many small figures.

use super::{grade, scroll};
use crate::record::Row;
use crate::report::Record;
use crate::report::html::duration;
use crate::report::panel::{Panel, contender, ours, panels};
use maud::{Markup, html};

/// The experiments that are shown so: their figures would have two points.
pub(super) const OVERVIEWS: [&str; 1] = ["schemes"];

/// A line for each operation and size, and each way of ours, beside what each other takes.
pub(super) fn overview(record: &Record) -> Markup {
    let mut others: Vec<&str> = vec![];
    for row in record.rows.iter().filter(|row| !ours(row)) {
        if !others.contains(&&row.implementation[..]) {
            others.push(&row.implementation);
        }
    }
    let headings = ["operation", "bits", "carrysave", "ratio"].into_iter();
    scroll(html! {
        table.sortable {
            caption { "Time of one operation; the ratio says how many times as fast as the fastest other carrysave is" }
            thead { tr { @for heading in headings.chain(others.iter().copied()) { th scope="col" { (heading) } } } }
            tbody {
                @for panel in panels(&record.rows) {
                    @for (at, row) in panel.rows.iter().filter(|(_, row)| ours(row)) {
                        (line(&panel, *at, row, &others))
                    }
                }
            }
        }
    })
}

fn line(panel: &Panel<'_>, at: f64, row: &Row, others: &[&str]) -> Markup {
    // Ours by its way, where it has one of its own.
    let way = contender(row);
    let way = way.strip_prefix("carrysave").unwrap_or(&way);
    let way = way.trim_start_matches(['/', ',', ' ']);
    let beside = |name: &&str| {
        let mut rows = panel.rows.iter().map(|(place, other)| (*place, *other));
        let found = rows.find(|(place, other)| {
            *place == at && other.implementation == *name && other.threads == row.threads
        });
        found.map(|(_, other)| other)
    };
    let theirs: Vec<Option<&Row>> = others.iter().map(beside).collect();
    let times = theirs.iter().flatten().map(|other| other.ns_median);
    let ratio = times.fold(f64::INFINITY, f64::min) / row.ns_median;
    html! {
        tr {
            th scope="row" { (row.operation) @if !way.is_empty() { ", " (way) } }
            td { (row.bits.unwrap_or(0)) }
            (time(row))
            @if ratio.is_finite() {
                td class=(grade(ratio)) { (format!("{ratio:.2}\u{a0}×")) }
            } @else {
                td.none { "not raced" }
            }
            @for other in theirs {
                @if let Some(other) = other { (time(other)) } @else { td {} }
            }
        }
    }
}

/// A cell that sorts by its nanoseconds.
fn time(row: &Row) -> Markup {
    html! { td data-v=(row.ns_median) { (duration(row.ns_median)) } }
}
