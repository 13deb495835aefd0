//! One colour and one marker for one contender on a whole page.

use super::chart::{Chart, Line, MOST};
use std::collections::{BTreeMap, BTreeSet};

/// The implementations with a colour and a marker of their own in every figure: ours, and the rivals that most figures
/// have.
const KNOWN: [&str; 4] = ["carrysave", "openssl", "aws-lc", "gmp"];

/// How many colours and markers the page's style has.
pub const STYLES: usize = 10;

/// The styles of all contenders of some figures. Two that meet in a figure have different ones; those that never meet
/// may share one.
#[derive(Debug, Default)]
pub struct Styles {
    styles: BTreeMap<String, usize>,
    /// Those that stand beside another contender of the same rival, and so cannot have its style.
    beside: BTreeSet<String>,
}

/// Who wrote it, if it is a rival's; parts of ours are what figures compare.
fn owner(contender: &str) -> Option<&str> {
    let implementation = contender.split(", ").next()?;
    let owner = implementation.split('/').next()?;
    (owner != KNOWN[0]).then_some(owner)
}

/// The contenders of the lines that a figure draws.
fn drawn(chart: &Chart) -> impl Iterator<Item = &str> {
    let lines: &[Line] = &chart.lines[..chart.lines.len().min(MOST)];
    lines.iter().map(|line| &line.contender[..])
}

impl Styles {
    /// The styles for these figures: the known ones, and then by first appearance, the colours of those who are known
    /// last.
    pub fn of(charts: &[Chart]) -> Styles {
        let mut out = Styles::default();
        for chart in charts {
            // Of those that meet the one without a way or threads is the rival itself, or else the first.
            let mut itself: BTreeMap<&str, &str> = BTreeMap::new();
            let owned =
                || drawn(chart).filter_map(|contender| Some((owner(contender)?, contender)));
            for (owner, contender) in owned() {
                let chosen = itself.entry(owner).or_insert(contender);
                if contender == owner {
                    *chosen = contender;
                }
            }
            let others = owned().filter(|(owner, contender)| itself[owner] != *contender);
            out.beside
                .extend(others.map(|(_, contender)| contender.to_owned()));
        }
        let figures: Vec<Vec<&str>> = charts
            .iter()
            .map(|chart| drawn(chart).map(|contender| out.key(contender)).collect())
            .collect();
        let mut styles: BTreeMap<&str, usize> =
            (0..).zip(KNOWN).map(|(i, name)| (name, i)).collect();
        for &name in figures.iter().flatten() {
            if styles.contains_key(name) {
                continue;
            }
            let meeting = figures
                .iter()
                .filter(|figure| figure.contains(&name))
                .flatten();
            let taken: BTreeSet<usize> = meeting
                .filter_map(|other| styles.get(other).copied())
                .collect();
            let free = (KNOWN.len()..STYLES)
                .chain((0..KNOWN.len()).rev())
                .chain(STYLES..);
            let style = free.into_iter().find(|style| !taken.contains(style));
            styles.insert(name, style.unwrap_or_default());
        }
        let styles = styles
            .into_iter()
            .map(|(name, style)| (name.to_owned(), style))
            .collect();
        Styles { styles, ..out }
    }

    /// By what name it has a style: a rival's own, unless two of them meet.
    fn key<'c>(&self, contender: &'c str) -> &'c str {
        match owner(contender) {
            Some(owner) if !self.beside.contains(contender) => owner,
            _ => contender,
        }
    }

    /// The number of a contender's style, if a figure draws it.
    pub fn style(&self, contender: &str) -> Option<usize> {
        self.styles.get(self.key(contender)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::chart::Axis;

    fn figure(contenders: &[&str]) -> Chart {
        let axis = || Axis {
            label: String::new(),
            text: |value| value.to_string(),
        };
        let line = |name: &&str| Line {
            name: (*name).to_owned(),
            contender: (*name).to_owned(),
            dashed: false,
            points: vec![(1.0, 1.0), (2.0, 2.0)],
        };
        Chart {
            title: String::new(),
            x: axis(),
            y: axis(),
            lines: contenders.iter().map(line).collect(),
            marks: vec![],
        }
    }

    fn styles(figures: &[&[&str]]) -> Vec<Vec<Option<usize>>> {
        let charts: Vec<Chart> = figures.iter().map(|names| figure(names)).collect();
        let styles = Styles::of(&charts);
        let of = |names: &&[&str]| names.iter().map(|name| styles.style(name)).collect();
        figures.iter().map(of).collect()
    }

    fn alone(names: &[&str]) -> Vec<usize> {
        styles(&[names])[0].iter().flatten().copied().collect()
    }

    #[test]
    fn who_is_known_has_the_same_colour_everywhere() {
        assert_eq!(alone(&["carrysave", "openssl", "rsa"]), [0, 1, 4]);
        assert_eq!(alone(&["carrysave", "rsa", "openssl"]), [0, 4, 1]);
        assert_eq!(alone(&["carrysave/ways", "gmp/powm", "gmp/sec"]), [4, 3, 5]);
        let threads = ["openssl, 2 threads", "carrysave, 2 threads", "openssl"];
        assert_eq!(alone(&threads[..2]), [1, 4]);
        assert_eq!(alone(&threads), [4, 5, 1]);
        let many = alone(&["a", "b", "c", "d", "e", "aws-lc", "f", "g", "h"]);
        assert_eq!(many, [4, 5, 6, 7, 8, 2, 9, 3], "the ninth is not drawn");
    }

    #[test]
    fn a_contender_has_one_colour_in_all_figures() {
        let found = styles(&[
            &["carrysave", "gmp/powm", "gmp/sec", "rsa"],
            &["rsa", "ring", "gmp/sec"],
            &["carrysave/adc", "gmp/add"],
            &["ring", "carrysave/adc"],
        ]);
        assert_eq!(found[0], [Some(0), Some(3), Some(4), Some(5)]);
        assert_eq!(found[1], [Some(5), Some(6), Some(4)]);
        assert_eq!(found[2], [Some(4), Some(3)], "it never meets gmp/sec");
        assert_eq!(found[3], [Some(6), Some(4)]);
        assert_eq!(Styles::of(&[]).style("rsa"), None);
    }
}
