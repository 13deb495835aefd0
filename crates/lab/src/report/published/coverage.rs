//! How many of the published figures ours answer, and under which conditions.

use super::{Measured, Standing, TABLES, Table};
use crate::record::Row;
use std::collections::BTreeSet;

/// The figures of a table by what stands beside them in some folders of records, each counted once, where it stands best.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coverage {
    /// The table's title.
    pub title: &'static str,
    /// Those with one of ours under the same conditions.
    pub same: usize,
    /// Those with one of ours under other conditions, which are named.
    pub other: Vec<(String, usize)>,
    /// Those that cannot be answered here, and why.
    pub cannot: Vec<(String, usize)>,
    /// Those that these records lack.
    pub lacking: usize,
    /// The measurements of ours that stand beside figures, or that what stands there comes from.
    pub measurements: BTreeSet<Measurement>,
}

/// What tells one measurement from another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Measurement {
    /// The experiment, the operation and the implementation.
    names: [String; 3],
    bits: Option<usize>,
    bytes: Option<usize>,
    threads: usize,
}

impl From<&Row> for Measurement {
    fn from(row: &Row) -> Measurement {
        let names = [&row.experiment, &row.operation, &row.implementation];
        Measurement {
            names: names.map(String::clone),
            bits: row.bits,
            bytes: row.bytes,
            threads: row.threads,
        }
    }
}

/// How many different measurements of ours stand beside figures of any of these tables, or are behind them.
pub fn measurements(tables: &[Coverage]) -> usize {
    let all = tables.iter().flat_map(|table| &table.measurements);
    all.collect::<BTreeSet<_>>().len()
}

impl Coverage {
    /// Figures; answered under the same conditions, answered under others, not to be answered, and lacking.
    pub fn counts(&self) -> [usize; 5] {
        let sum = |counted: &[(String, usize)]| counted.iter().map(|(_, figures)| figures).sum();
        let [other, cannot] = [sum(&self.other), sum(&self.cannot)];
        let all = self.same + other + cannot + self.lacking;
        [all, self.same, other, cannot, self.lacking]
    }
}

/// The counts of all tables together, in the order of [`Coverage::counts`].
pub fn total(tables: &[Coverage]) -> [usize; 5] {
    let add = |sums: [usize; 5], table: &Coverage| {
        let counts = table.counts();
        std::array::from_fn(|i| sums[i] + counts[i])
    };
    tables.iter().fold([0; 5], add)
}

/// What stands beside the figures of each table in these folders, one or more.
pub fn coverage(folders: &[Measured<'_>]) -> Vec<Coverage> {
    TABLES.iter().map(|table| covered(table, folders)).collect()
}

fn covered(table: &Table, folders: &[Measured<'_>]) -> Coverage {
    let each: Vec<_> = folders.iter().map(|here| table.figures(here)).collect();
    let mut coverage = Coverage {
        title: table.title,
        measurements: measured(table, folders),
        ..Coverage::default()
    };
    for i in 0..each[0].len() {
        let best = each.iter().map(|figures| &figures[i].standing).min();
        let (counted, why) = match best.expect("one folder or more") {
            Standing::Same => {
                coverage.same += 1;
                continue;
            }
            Standing::Lacking => {
                coverage.lacking += 1;
                continue;
            }
            Standing::Other(why) | Standing::Crowded(why) => (&mut coverage.other, why),
            Standing::Cannot(why) => (&mut coverage.cannot, why),
        };
        match counted.iter_mut().find(|(other, _)| other == why) {
            Some((_, count)) => *count += 1,
            None => counted.push((why.clone(), 1)),
        }
    }
    coverage
}

/// The measurements that answer figures of a table.
fn measured(table: &Table, folders: &[Measured<'_>]) -> BTreeSet<Measurement> {
    let mut found = BTreeSet::new();
    for line in table.lines() {
        for (column, _) in table.columns {
            let published = table.published(&line, column).is_some();
            for here in folders.iter().filter(|_| published) {
                if table.measured(&line, column, &here.rows).is_some() {
                    let behind = table.behind(&line, column, &here.rows);
                    found.extend(behind.into_iter().map(Measurement::from));
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::row;

    #[test]
    fn a_figure_is_counted_once_where_it_stands_best() {
        let rows = [
            row("teams", "private", 1024, "carrysave", 1, 9.0),
            row("teams", "private", 1024, "carrysave/team", 2, 7.0),
        ];
        let on = |cores| Measured {
            rows: rows.iter().collect(),
            cores: Some(cores),
            siblings: false,
        };
        let of = |folders: &[Measured<'_>]| {
            let tables = coverage(folders);
            tables
                .into_iter()
                .find(|table| table.title.starts_with("RSA with the halves"))
                .unwrap()
        };
        let none = of(&[Measured::default()]);
        assert_eq!(none.counts(), [48, 0, 0, 8, 40]);
        // Four lines of 1024 bits: one thread on either machine, two cores, and what is gained. Both threads of a core are
        // for no machine whose cores have one, at 2048 bits, too.
        let two = of(&[on(2)]);
        assert_eq!(
            (two.counts(), two.measurements.len()),
            ([24 + 24, 16, 0, 12, 20], 2)
        );
        let one = of(&[on(1)]);
        assert_eq!(one.counts(), [48, 8, 8, 12, 20]);
        assert_eq!(of(&[on(1), on(2)]), two);
    }

    #[test]
    fn what_a_figure_comes_from_is_counted() {
        let count = |name: &str, rows: &[Row]| {
            let table = TABLES.iter().find(|table| table.name.contains(name));
            let here = Measured {
                rows: rows.iter().collect(),
                ..Measured::default()
            };
            measured(table.expect("a table"), &[here]).len()
        };
        // Both loops are behind the improvement; one alone is beside its own figures.
        let [integers, sse2] = ["cios_w32", "pmuludq"].map(|kernel| {
            let way = format!("carrysave/{kernel}");
            row("loops", "private", 1024, &way, 1, 9.0)
        });
        assert_eq!(count("sse2", std::slice::from_ref(&sse2)), 1);
        assert_eq!(count("sse2", &[integers, sse2]), 2);
        // A net figure is of the product and of the empty loop.
        let inlined = |way: &str, ns| row("fields", "2^256-189/mul/inlined", 256, way, 1, ns);
        let net = [
            inlined("carrysave/fp_mul/schoolbook_mulx", 9.0),
            inlined("carrysave/empty", 1.0),
        ];
        assert_eq!(count("by_order", &net[..1]), 0);
        assert_eq!(count("by_order", &net), 2);
        // A limit is of two widths at every length, a share of all accounts of all members.
        let lengths = (1..=13).map(|i| (i, 1 << i));
        let windows: Vec<Row> = lengths
            .flat_map(|(i, bits)| {
                [(4, 14.0), (5, 29.0 - 2.0 * f64::from(i))].map(|width| (bits, width))
            })
            .map(|(bits, (width, ns))| {
                let way = format!("carrysave/window_{width}");
                row("windows", &format!("worst/{bits}"), 1024, &way, 1, ns)
            })
            .collect();
        assert_eq!(count("window", &windows), 26);
        let account = |account: &str, member: usize| {
            let way = format!("carrysave/pfios_w32/member-{member}");
            row(
                "paths",
                &format!("mont_mul/{account}"),
                26_880,
                &way,
                2,
                9.0,
            )
        };
        let accounts = [
            account("work", 0),
            account("work", 1),
            account("starting", 1),
        ];
        assert_eq!(count("lists24", &accounts), 3);
        // Nothing was measured of what is counted.
        assert_eq!(count("workload", &net), 0);
    }
}
