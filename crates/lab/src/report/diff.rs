//! Two records side by side: what became faster or slower by more than noise.

use super::panel::{contender, is_bound, ours};
use super::{Folder, values};
use crate::record::Row;

/// What became of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Faster, by more than noise explains.
    Faster,
    /// Slower, by more than noise explains.
    Slower,
    /// Neither.
    Same,
}

/// A row that both have.
#[derive(Clone, Debug)]
pub struct Change<'r> {
    /// Before.
    pub before: &'r Row,
    /// After.
    pub after: &'r Row,
    /// Cycles after as a multiple of cycles before: clocks differ from day to day.
    pub cycles: f64,
    /// What noise alone may make of it: a factor above 1.
    pub noise: f64,
}

/// No change below this is believed, however quiet the samples were: code moves in memory from build to build.
const LEAST: f64 = 0.03;

impl Change<'_> {
    /// Whether it is more than noise.
    pub fn verdict(&self) -> Verdict {
        if self.cycles > self.noise {
            Verdict::Slower
        } else if self.cycles < 1.0 / self.noise {
            Verdict::Faster
        } else {
            Verdict::Same
        }
    }

    /// Whether it is one of carrysave's.
    pub fn is_ours(&self) -> bool {
        ours(self.after)
    }

    /// What it is about, as one line.
    pub fn place(&self) -> String {
        let size = self
            .after
            .size()
            .map_or(String::new(), |size| size.to_string());
        let row = self.after;
        format!(
            "{} {} {size}, {}",
            row.experiment,
            row.operation,
            contender(row)
        )
    }
}

/// What two folders are of: a line each for machine, processor and so on, with what both say or what each does.
pub fn heads(before: &Folder, after: &Folder) -> String {
    let names = [
        "machine", "cpu", "features", "commit", "plan", "level", "date",
    ];
    let lines = names.map(|name| {
        let [before, after] = said(before, after, name);
        match before == after {
            true => format!("{name}: {before}\n"),
            false => format!("{name}: {before} before, {after} after\n"),
        }
    });
    lines.concat()
}

/// Whether they are of different processors, so that their cycles compare designs and not programs.
pub fn processors_differ(before: &Folder, after: &Folder) -> bool {
    let [before, after] = said(before, after, "cpu");
    before != after
}

/// What each folder says.
fn said(before: &Folder, after: &Folder, name: &str) -> [String; 2] {
    [before, after].map(|folder| match &values(folder.records.iter(), name)[..] {
        [] => "-".to_owned(),
        values => values.join(", "),
    })
}

/// Rows that both have, the greatest change first; and how many only one of them has.
///
/// Half the distance of the quartiles is taken for the error of a median, twice the root of both squares for noise. Rows of
/// one sample or two do not tell their noise, and a bound is no measurement: neither is compared.
pub fn diff<'r>(
    before: impl Iterator<Item = &'r Row>,
    after: impl Iterator<Item = &'r Row>,
) -> (Vec<Change<'r>>, [usize; 2]) {
    let same = |a: &Row, b: &Row| {
        (
            &a.experiment,
            &a.operation,
            a.bits,
            a.bytes,
            &a.implementation,
            a.threads,
        ) == (
            &b.experiment,
            &b.operation,
            b.bits,
            b.bytes,
            &b.implementation,
            b.threads,
        )
    };
    let compared = |row: &&Row| !is_bound(row) && !(1..3).contains(&row.samples);
    let mut before: Vec<&Row> = before.filter(compared).collect();
    let (mut changes, mut only_after) = (vec![], 0);
    for after in after.filter(compared) {
        let Some(at) = before.iter().position(|row| same(row, after)) else {
            only_after += 1;
            continue;
        };
        let before = before.remove(at);
        let error = |row: &Row| row.ns_spread / row.ns_median / 2.0;
        let noise = 2.0 * error(before).hypot(error(after));
        changes.push(Change {
            before,
            after,
            cycles: after.cycles() / before.cycles(),
            noise: 1.0 + noise.max(LEAST),
        });
    }
    changes.sort_by(|a, b| b.cycles.ln().abs().total_cmp(&a.cycles.ln().abs()));
    (changes, [before.len(), only_after])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Head;
    use crate::report::{Record, tests::row};

    #[test]
    fn noise_is_no_change_and_the_clock_is_none() {
        let before = [
            row("rsa", "sign", 2048, "carrysave", 1, 100.0),
            row("rsa", "sign", 2048, "ring", 1, 100.0),
            row("rsa", "sign", 2048, "openssl", 1, 100.0),
            row("rsa", "sign", 4096, "openssl", 1, 100.0),
        ];
        let mut after = [
            row("rsa", "sign", 2048, "carrysave", 1, 80.0),
            row("rsa", "sign", 2048, "ring", 1, 102.0),
            row("rsa", "sign", 2048, "openssl", 1, 120.0),
            row("rsa", "verify", 2048, "openssl", 1, 1.0),
        ];
        // The clock was slower, cycles are the same.
        after[2].core_ghz = before[2].core_ghz / 1.2;
        let (changes, only) = diff(before.iter(), after.iter());
        let verdicts: Vec<Verdict> = changes.iter().map(Change::verdict).collect();
        assert_eq!(verdicts, [Verdict::Faster, Verdict::Same, Verdict::Same]);
        assert_eq!(changes[0].place(), "rsa sign 2048 bits, carrysave");
        assert_eq!(only, [1, 1]);
    }

    #[test]
    fn heads_say_what_differs() {
        let folder = |cpu: &str, commits: &[&str]| {
            let record = |commit: &&str| {
                let head = [("cpu", cpu), ("commit", commit)];
                let head = head.map(|(name, value)| (name.to_owned(), value.to_owned()));
                let (name, rows) = (String::new(), vec![]);
                Record {
                    name,
                    head: Head(head.into()),
                    rows,
                }
            };
            Folder {
                records: commits.iter().map(record).collect(),
                plan: None,
            }
        };
        let (before, after) = (folder("A", &["c1", "c2", "c1"]), folder("A", &["c3"]));
        let heads = heads(&before, &after);
        assert!(
            heads.contains("cpu: A\n") && heads.contains("level: -\n"),
            "{heads}"
        );
        assert!(
            heads.contains("commit: c1, c2 before, c3 after\n"),
            "{heads}"
        );
        assert!(!processors_differ(&before, &after));
        assert!(processors_differ(&before, &folder("B", &[])));
    }

    #[test]
    fn a_wide_spread_hides_a_small_change() {
        let before = [row("a", "b", 64, "c", 1, 100.0)];
        let mut after = [row("a", "b", 64, "c", 1, 110.0)];
        assert_eq!(
            diff(before.iter(), after.iter()).0[0].verdict(),
            Verdict::Slower
        );
        after[0].ns_spread = 20.0;
        assert_eq!(
            diff(before.iter(), after.iter()).0[0].verdict(),
            Verdict::Same
        );
    }
}
