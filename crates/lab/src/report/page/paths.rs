//! The record of critical paths: a bar for each member of a team.

use super::scroll;
use crate::experiments::paths::{ACCOUNTS, MEMBER};
use crate::record::Row;
use crate::report::Record;
use crate::report::html::duration;
use crate::report::panel::{contender, size};
use maud::{Markup, html};

/// The experiment that is shown so.
pub(super) const PATHS: &str = "paths";

/// The classes of the accounts' colours.
const COLOURS: [&str; 5] = ["s0", "s6", "s5", "s1", "s4"];

/// One member of a team in one operation.
struct Member<'r> {
    /// One of its rows.
    row: &'r Row,
    operation: &'r str,
    way: String,
    number: &'r str,
    /// Nanoseconds in each account.
    accounts: [f64; ACCOUNTS.len()],
}

impl Member<'_> {
    fn whole(&self) -> f64 {
        self.accounts.iter().sum()
    }
}

/// The members, in the order of the record. What is no account of a member is left out.
fn members(rows: &[Row]) -> Vec<Member<'_>> {
    let mut members: Vec<Member<'_>> = vec![];
    for row in rows {
        let account = row
            .operation
            .rsplit_once('/')
            .and_then(|(operation, account)| {
                let place = ACCOUNTS.iter().position(|name| *name == account)?;
                Some((operation, place))
            });
        let who = contender(row);
        let Some(((operation, account), (_, number))) =
            account.zip(row.implementation.rsplit_once(MEMBER))
        else {
            continue;
        };
        let way = who.replacen(&format!("{MEMBER}{number}"), "", 1);
        let same = |member: &Member<'_>| {
            member.operation == operation
                && member.way == way
                && member.number == number
                && member.row.size() == row.size()
        };
        let place = members.iter().position(same).unwrap_or_else(|| {
            members.push(Member {
                row,
                operation,
                way,
                number,
                accounts: [0.0; ACCOUNTS.len()],
            });
            members.len() - 1
        });
        members[place].accounts[account] = row.ns_median;
    }
    members
}

/// A line and a bar for each member, as long as the operation took beside the longest of the same operation and size.
pub(super) fn paths(record: &Record) -> Markup {
    let members = members(&record.rows);
    let longest = |of: &Member<'_>| {
        let same = |other: &&Member<'_>| {
            (other.operation, other.row.size()) == (of.operation, of.row.size())
        };
        members
            .iter()
            .filter(same)
            .map(Member::whole)
            .fold(0.0, f64::max)
    };
    scroll(html! {
        table.paths {
            caption { "What becomes of each member's time, in percent; bars of one operation and size have one scale" }
            thead {
                tr {
                    @for heading in ["operation", "way", "member", "time", "parts"] { th scope="col" { (heading) } }
                    @for (name, colour) in ACCOUNTS.iter().zip(COLOURS) {
                        th scope="col" { (bar(&[(100.0, colour)])) (name) }
                    }
                }
            }
            tbody {
                @for member in &members {
                    tr {
                        th scope="row" { (member.operation) ", " (size(member.row)) }
                        td { (member.way.trim_start_matches("carrysave/")) }
                        td { (member.number) }
                        td { (duration(member.whole())) }
                        td { (parts(member, longest(member))) }
                        @for ns in member.accounts { td { (format!("{:.1}", 100.0 * ns / member.whole())) } }
                    }
                }
            }
        }
    })
}

/// The bar of a member, on the scale of the longest.
fn parts(member: &Member<'_>, longest: f64) -> Markup {
    let part = |(ns, colour): (&f64, &'static str)| (100.0 * ns / longest, colour);
    bar(&member
        .accounts
        .iter()
        .zip(COLOURS)
        .map(part)
        .collect::<Vec<_>>())
}

/// A bar of parts of so many percent.
fn bar(parts: &[(f64, &str)]) -> Markup {
    let mut end = 0.0;
    let placed: Vec<(f64, f64, &str)> = (parts.iter())
        .map(|&(length, colour)| {
            end += length;
            (end - length, length, colour)
        })
        .collect();
    html! {
        svg.bar viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" {
            @for (x, length, colour) in placed.iter().filter(|(_, length, _)| *length > 0.0) {
                rect.(colour) x=(format!("{x:.1}")) width=(format!("{length:.1}")) height="6" {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Head;
    use crate::report::tests::row;

    #[test]
    fn each_member_has_a_line_and_a_bar() {
        let path = |way: &str, member: usize, account: &str, ns: f64| {
            let way = format!("carrysave/{way}{MEMBER}{member}");
            row("paths", &format!("private/{account}"), 2048, &way, 2, ns)
        };
        let record = Record {
            name: PATHS.into(),
            head: Head(vec![]),
            rows: vec![
                path("crt", 0, "work", 300.0),
                path("crt", 1, "work", 200.0),
                path("crt", 0, "waiting", 100.0),
                path("crt", 1, "starting", 200.0),
                path("crt/spawned", 0, "work", 800.0),
                row("paths", "something/else", 2048, "carrysave", 1, 1.0),
            ],
        };
        let text = paths(&record).into_string();
        let lines: Vec<&str> = text.split("<tr>").skip(2).collect();
        assert_eq!(lines.len(), 3, "{text}");
        let cells = |line: usize, of: &[&str]| {
            for cell in of {
                assert!(lines[line].contains(cell), "{cell}: {}", lines[line]);
            }
        };
        // Half as long as the longest.
        cells(
            0,
            &[
                "<td>crt, 2 threads</td><td>0</td><td>400 ns</td>",
                "<td>75.0</td><td>25.0</td><td>0.0</td><td>0.0</td>",
            ],
        );
        cells(
            0,
            &[
                r#"<rect class="s0" x="0.0" width="37.5""#,
                r#"<rect class="s6" x="37.5" width="12.5""#,
            ],
        );
        cells(
            1,
            &["<td>1</td>", r#"<rect class="s4" x="25.0" width="25.0""#],
        );
        cells(2, &["<td>crt/spawned, 2 threads</td>", r#"width="100.0""#]);
    }
}
