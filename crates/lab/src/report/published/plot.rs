//! The figures of a table: curves over what differs from line to line, as published and as measured here.

use super::{Derived, Figure, Table};

/// A figure of a table.
#[derive(Clone, Copy, Debug)]
pub struct Plot {
    /// Its number in the source, or what of the table it shows.
    pub name: &'static str,
    /// What it draws.
    pub curves: Curves,
}

/// What a figure draws of a table, by the names of columns.
#[derive(Clone, Copy, Debug)]
pub enum Curves {
    /// The figures of these columns.
    Of(&'static [&'static str]),
    /// How many times each of these columns the first one is in the same line: a speedup.
    Over(&'static str, &'static [&'static str]),
    /// How many times each of these columns the first one is in the first line: a speedup over one core.
    OverFirst(&'static str, &'static [&'static str]),
}

/// What a column is drawn as: places across and up, all of them above zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What the column is called.
    pub label: &'static str,
    /// As published.
    pub published: Vec<(f64, f64)>,
    /// As measured here.
    pub here: Vec<(f64, f64)>,
}

impl Plot {
    /// The columns that it draws.
    pub fn columns(&self) -> &'static [&'static str] {
        match self.curves {
            Curves::Of(columns) | Curves::Over(_, columns) | Curves::OverFirst(_, columns) => {
                columns
            }
        }
    }

    /// What is up, where that follows from the figures that were measured.
    pub fn quantity(&self, table: &Table) -> Option<&'static str> {
        let Curves::Of(columns) = self.curves else {
            return Some("speedup");
        };
        let mut derived = table.derived.iter();
        let (.., derived) = derived.find(|(column, ..)| columns.contains(column))?;
        Some(match derived {
            Derived::Percent(..) => "percent",
            Derived::Speedup(..) => "speedup",
            Derived::Efficiency(..) => "efficiency",
        })
    }

    /// A curve for each of its columns, from the figures of the table.
    pub fn draw(&self, table: &Table, figures: &[Figure]) -> Vec<Curve> {
        let columns = table.shown().into_iter();
        columns
            .filter(|(column, _)| self.columns().contains(column))
            .map(|(column, label)| Curve {
                label,
                published: self.points(column, figures, |figure| Some(figure.published)),
                here: self.points(column, figures, |figure| figure.here),
            })
            .collect()
    }

    /// The points of a column by one value of its figures.
    fn points(
        &self,
        column: &str,
        figures: &[Figure],
        value: fn(&Figure) -> Option<f64>,
    ) -> Vec<(f64, f64)> {
        let of = |line: usize, column: &str| {
            let mut all = figures.iter();
            let figure = all.find(|figure| figure.line == line && figure.column == column);
            figure.and_then(value)
        };
        let point = |figure: &Figure| {
            let own = value(figure)?;
            let up = match self.curves {
                Curves::Of(_) => own,
                Curves::Over(first, _) => of(figure.line, first)? / own,
                Curves::OverFirst(first, _) => of(0, first)? / own,
            };
            Some((figure.at?, up))
        };
        figures
            .iter()
            .filter(|figure| figure.column == column)
            .filter_map(point)
            .filter(|(_, up)| *up > 0.0 && up.is_finite())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Measured, TABLES};
    use super::*;
    use crate::report::{chart::MOST, tests::row};

    fn table(name: &str) -> &'static Table {
        let mut tables = TABLES.iter();
        tables
            .find(|table| table.name.contains(name))
            .expect("a table")
    }

    /// The curves of a figure.
    fn curves(table: &Table, name: &str, here: &Measured<'_>) -> Vec<Curve> {
        let mut plots = table.plots.iter();
        let plot = plots.find(|plot| plot.name.contains(name));
        plot.expect("a figure").draw(table, &table.figures(here))
    }

    #[test]
    fn every_column_of_a_table_over_sizes_is_drawn() {
        for table in TABLES {
            let name = table.name;
            assert_eq!(table.plots.is_empty(), table.across().is_none(), "{name}");
            let drawn = || table.plots.iter().flat_map(|plot| plot.columns());
            for plot in table.plots {
                // A curve as published and one as measured.
                assert!(2 * plot.columns().len() <= MOST, "{name}: {}", plot.name);
                let curves = plot.draw(table, &table.figures(&Measured::default()));
                assert_eq!(curves.len(), plot.columns().len(), "{name}: {}", plot.name);
                assert!(curves.iter().all(|curve| curve.published.len() > 2));
            }
            if !table.plots.is_empty() {
                for (column, _) in table.shown() {
                    assert!(drawn().any(|drawn| *drawn == column), "{name}: {column}");
                }
            }
        }
    }

    #[test]
    fn speedups_are_over_one_thread() {
        let rows = [
            row(
                "threads",
                "mont_mul",
                645_120,
                "carrysave/fios_delayed_w32",
                1,
                50.0,
            ),
            row(
                "threads",
                "mont_mul",
                645_120,
                "carrysave/pfios_w32",
                2,
                25.0,
            ),
        ];
        let here = Measured {
            rows: rows.iter().collect(),
            ..Measured::default()
        };
        let improved = curves(table("table6"), "18", &here);
        assert_eq!(improved[0].label, "pFIOS");
        assert_eq!(improved[0].here, [(2.0, 2.0)]);
        let [first, last] = [improved[0].published[0], improved[0].published[7]];
        assert!((first.1 - 1.6 / 1.56).abs() < 1e-9 && (last.1 - 8.0).abs() < 1e-9);
        // The first version has no column of one thread, and is compared with itself on one core.
        let naive = curves(table("table3"), "12", &here);
        assert_eq!(naive[0].published[0], (1.0, 1.0));
        assert!((naive[1].published[7].1 - 1.6 / 0.32).abs() < 1e-9);
        assert!(naive[0].here.is_empty());
        // Multiples of one thread are its reciprocals.
        let power = curves(table("table5"), "15", &Measured::default());
        assert!((power[1].published[7].1 - 99.7 / 41.54).abs() < 1e-9);
    }

    #[test]
    fn what_follows_is_drawn_as_it_is_printed() {
        let power = table("table8");
        let efficiency = curves(power, "22", &Measured::default());
        assert_eq!(efficiency[1].published[7], (8.0, 0.300012));
        let said = |name: &str| {
            let mut plots = power.plots.iter();
            let plot = plots.find(|plot| plot.name.contains(name));
            plot.expect("a figure").quantity(power)
        };
        assert_eq!(
            [said("20"), said("21"), said("22")],
            [None, Some("speedup"), Some("efficiency")]
        );
    }
}
