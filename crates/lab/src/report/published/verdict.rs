//! What a source concluded from a table, and whether it holds in some records.

use super::{Figure, Line, Measured, Standing, Table, Unit};
use crate::report::html::number;
use std::collections::BTreeMap;

/// A conclusion of a source.
pub struct Claim {
    /// The conclusion in one sentence.
    pub says: &'static str,
    /// What is compared with what, by their names.
    pub names: [&'static str; 2],
    /// The figures that are compared.
    pub compare: Compare,
    /// Why it holds, and why it does not.
    pub because: [&'static str; 2],
}

/// Which figures of a table a conclusion compares.
#[derive(Clone, Copy, Debug)]
pub enum Compare {
    /// Two columns, in the lines for which the function holds.
    Columns(&'static str, &'static str, fn(&Line) -> bool),
    /// Two columns that are to be alike, in the lines for which the function holds, and why the first may be the lower.
    Alike(&'static str, &'static str, fn(&Line) -> bool, &'static str),
    /// Two lines, by what their first cells say, in one column.
    Lines(&'static str, &'static str, &'static str),
    /// Each figure with ours. Those of a line grow from column to column.
    Agree,
}

/// Two that are closer than this, as a multiple, are alike.
const EVEN: f64 = 1.03;

/// How a conclusion fares in one case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It holds: ours differ in the direction of the source's, by half as much or more, in logarithms. Two that are to be
    /// alike are.
    Holds,
    /// Ours differ in that direction, but by less. A limit lies between the source's limits before and after it.
    Direction,
    /// It does not hold.
    Fails,
}

/// How our multiple fares beside the source's, which is not 1.
fn outcome(published: f64, ours: f64) -> Outcome {
    let (published, ours) = (published.ln(), ours.ln());
    if ours.abs() < EVEN.ln() || (ours < 0.0) != (published < 0.0) {
        Outcome::Fails
    } else if 2.0 * ours.abs() < published.abs() {
        Outcome::Direction
    } else {
        Outcome::Holds
    }
}

/// Whether two times, as a multiple, are alike.
fn alike(ours: f64) -> bool {
    ours.ln().abs() < EVEN.ln()
}

/// One case of a conclusion: the first as a multiple of the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Case {
    /// In the source.
    pub published: f64,
    /// Here.
    pub here: f64,
    /// How the conclusion fares.
    pub outcome: Outcome,
}

/// What records say of a claim.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// The cases that decide.
    pub cases: Vec<Case>,
    /// How many cases do not decide, by the reason.
    pub undecided: BTreeMap<&'static str, usize>,
    /// What is other than in the source.
    pub conditions: Vec<String>,
}

/// Why a case does not decide.
const PRINTED_ALIKE: &str = "printed alike";
const UNRESOLVED: &str = "below the source's resolution";
const CROWDED: &str = "more threads than cores";
const ONE_ROW: &str = "one row here for both";

impl Claim {
    /// What these records say of it.
    pub fn judge(&self, table: &Table, here: &Measured<'_>) -> Verdict {
        let figures = table.figures(here);
        let mut verdict = Verdict::default();
        for pair in self.pairs(table, &figures) {
            if pair.iter().any(|figure| figure.here.is_none()) {
                continue;
            }
            match self.case(&figures, pair) {
                Err(why) => *verdict.undecided.entry(why).or_default() += 1,
                Ok(case) => {
                    verdict.cases.push(case);
                    for figure in pair {
                        if let Standing::Other(why) = &figure.standing
                            && !verdict.conditions.contains(why)
                        {
                            verdict.conditions.push(why.clone());
                        }
                    }
                }
            }
        }
        verdict
    }

    /// How it fares in one case, or why that does not decide.
    fn case(
        &self,
        figures: &[Figure],
        [first, second]: [&Figure; 2],
    ) -> Result<Case, &'static str> {
        let crowded = |figure: &&Figure| matches!(figure.standing, Standing::Crowded(_));
        if [first, second].iter().any(crowded) {
            return Err(CROWDED);
        }
        if first.published <= 0.0 || second.published <= 0.0 {
            return Err(UNRESOLVED);
        }
        let ours = |figure: &Figure| figure.here.ok_or(UNRESOLVED);
        let row = |figure: &Figure| (figure.from.clone(), figure.here);
        if row(first) == row(second) && !matches!(self.compare, Compare::Agree) {
            return Err(ONE_ROW);
        }
        if let Compare::Agree = self.compare {
            let here = ours(first)? / first.published;
            let outcome = match alike(here) {
                true => Outcome::Holds,
                false if between(figures, first, ours(first)?) => Outcome::Direction,
                false => Outcome::Fails,
            };
            return Ok(Case {
                published: 1.0,
                here,
                outcome,
            });
        }
        let (published, here) = (
            first.published / second.published,
            ours(first)? / ours(second)?,
        );
        let outcome = match self.compare {
            Compare::Alike(..) if alike(here) => Outcome::Holds,
            Compare::Alike(..) => Outcome::Fails,
            _ if published == 1.0 => return Err(PRINTED_ALIKE),
            _ => outcome(published, here),
        };
        Ok(Case {
            published,
            here,
            outcome,
        })
    }

    /// The figures that are compared.
    fn pairs<'f>(&self, table: &Table, figures: &'f [Figure]) -> Vec<[&'f Figure; 2]> {
        let lines = table.lines();
        let at = |line: usize, column: &str| {
            let mut all = figures.iter();
            all.find(|figure| figure.line == line && figure.column == column)
        };
        let named = |name: &str| lines.iter().position(|line| line.first() == name);
        match self.compare {
            Compare::Columns(first, second, asked) | Compare::Alike(first, second, asked, _) => {
                let asked = (0..lines.len()).filter(|&i| asked(&lines[i]));
                asked
                    .filter_map(|i| Some([at(i, first)?, at(i, second)?]))
                    .collect()
            }
            Compare::Lines(column, first, second) => {
                let pair = || Some([at(named(first)?, column)?, at(named(second)?, column)?]);
                pair().into_iter().collect()
            }
            Compare::Agree => figures.iter().map(|figure| [figure, figure]).collect(),
        }
    }
}

/// Whether a value lies between the published figures before and after one in its line.
fn between(figures: &[Figure], of: &Figure, value: f64) -> bool {
    let of_line = || figures.iter().filter(|figure| figure.line == of.line);
    let below = of_line().filter(|figure| figure.published < of.published);
    let above = of_line().filter(|figure| figure.published > of.published);
    below.into_iter().all(|figure| value > figure.published)
        && above.into_iter().all(|figure| value < figure.published)
}

impl Verdict {
    fn count(&self, outcome: Outcome) -> usize {
        let with = self.cases.iter().filter(|case| case.outcome == outcome);
        with.count()
    }

    /// Whether the records have figures of it.
    pub fn is_among_records(&self) -> bool {
        !self.cases.is_empty() || !self.undecided.is_empty()
    }

    /// The verdict in a few words.
    pub fn short(&self) -> String {
        let all = self.cases.len();
        let [holds, direction] = [Outcome::Holds, Outcome::Direction].map(|of| self.count(of));
        match (holds, direction) {
            _ if !self.is_among_records() => "not among these records".to_owned(),
            _ if all == 0 => "is not decided".to_owned(),
            (0, 0) => "does not hold".to_owned(),
            (holds, 0) if holds == all => "holds".to_owned(),
            (0, direction) if direction == all => "holds in direction only".to_owned(),
            (holds, 0) => format!("holds in {holds} of {all} cases"),
            (0, direction) => format!("holds in direction only, in {direction} of {all} cases"),
            _ => format!("holds in {holds} of {all} cases, and in direction only in {direction}"),
        }
    }

    /// The figures that it comes from.
    pub fn figures(&self, claim: &Claim, unit: Unit) -> String {
        if self.cases.is_empty() {
            return String::new();
        }
        let range = |value: fn(&Case) -> f64| {
            let values = || self.cases.iter().map(value);
            let [least, most] = [
                values().fold(f64::INFINITY, f64::min),
                values().fold(0.0, f64::max),
            ];
            match [least, most].map(number) {
                [least, most] if least == most => least,
                [least, most] => format!("{least} to {most}"),
            }
        };
        let [first, second] = claim.names;
        let (published, here) = (range(|case| case.published), range(|case| case.here));
        match (claim.compare, unit) {
            (Compare::Agree, _) => format!("{first} here is {here} times {second}"),
            (_, Unit::Percent) => {
                format!("{first} is {here} times {second}, and {published} times in the source")
            }
            (_, Unit::Count | Unit::Parts(_)) => {
                format!(
                    "{first} has {here} times as many as {second}, and {published} times in the source"
                )
            }
            _ => format!(
                "{first} takes {here} times as long as {second}, and {published} times in the source"
            ),
        }
    }

    /// Why, as far as a processor's properties say it; nothing where there is no verdict.
    pub fn reason(&self, claim: &Claim) -> &'static str {
        let most = |count: usize| 2 * count > self.cases.len();
        let lower = self.cases.iter().filter(|case| case.here < 1.0).count();
        match claim.compare {
            _ if self.cases.is_empty() => "",
            _ if 2 * self.count(Outcome::Fails) < self.cases.len() => claim.because[0],
            Compare::Alike(.., lower_because) if most(lower) => lower_because,
            _ => claim.because[1],
        }
    }

    /// How many cases do not decide, and why; nothing where all do.
    pub fn left_open(&self) -> String {
        let undecided = self.undecided.iter();
        let undecided: Vec<String> = undecided.map(|(why, n)| format!("{n} ({why})")).collect();
        match undecided.is_empty() {
            true => String::new(),
            false => format!("Cases that do not decide: {}.", undecided.join(", ")),
        }
    }

    /// The verdict in sentences.
    pub fn text(&self, claim: &Claim, unit: Unit) -> String {
        let short = self.short();
        let mut text = format!("{}{}", short[..1].to_uppercase(), &short[1..]);
        if !self.cases.is_empty() {
            text = format!(
                "{text}: {}. {}",
                self.figures(claim, unit),
                self.reason(claim)
            );
        } else if !self.undecided.is_empty() {
            text.push('.');
        }
        let undecided = self.left_open();
        if !undecided.is_empty() {
            text = format!("{} {undecided}", text.trim_end());
        }
        if !self.conditions.is_empty() {
            text = format!(
                "{} Other than in the source: {}.",
                text.trim_end(),
                self.conditions.join("; ")
            );
        }
        text.trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Row;
    use crate::report::{published::TABLES, tests::row};

    fn table(name: &str) -> &'static Table {
        TABLES
            .iter()
            .find(|table| table.name.contains(name))
            .expect("a table")
    }

    #[test]
    fn a_verdict_is_what_the_rows_say() {
        let add = table("add_clockticks");
        let claim = &add.claims[0];
        let rows = |majority: f64| {
            [
                row("addition", "mpn_add_n", 1152, "carrysave/adc", 1, 10.0),
                row(
                    "addition",
                    "mpn_add_n",
                    1152,
                    "carrysave/majority64",
                    1,
                    majority,
                ),
            ]
        };
        for (majority, short) in [
            (25.0, "does not hold"),
            (9.9, "does not hold"),
            (9.5, "holds in direction only"),
            (8.0, "holds"),
        ] {
            let rows = rows(majority);
            let here = Measured {
                rows: rows.iter().collect(),
                cores: None,
                siblings: false,
            };
            let verdict = claim.judge(add, &here);
            assert_eq!(verdict.short(), short, "{majority}");
            assert!((verdict.cases[0].here - majority / 10.0).abs() < 1e-9);
            assert!((verdict.cases[0].published - 10_560.0 / 12_041.0).abs() < 1e-9);
        }
        let verdict = claim.judge(add, &Measured::default());
        assert_eq!(verdict.text(claim, add.unit), "Not among these records");
    }

    #[test]
    fn sizes_count_and_not_sides_alone() {
        use Outcome::*;
        for (published, ours, expected) in [
            (0.5, 0.5, Holds),
            (0.5, 0.2, Holds),
            (0.5, 0.71, Direction),
            (0.5, 0.7, Holds),
            (0.5, 0.98, Fails),
            (0.5, 2.0, Fails),
            (2.0, 2.0, Holds),
            (2.0, 1.2, Direction),
            (2.0, 0.9, Fails),
            (0.98, 0.96, Holds),
        ] {
            assert_eq!(outcome(published, ours), expected, "{published} {ours}");
        }
        assert!(alike(1.029) && alike(0.975) && !alike(1.031) && !alike(0.97));
    }

    #[test]
    fn limits_lie_between_their_neighbours() {
        let windows = table("window");
        let figures = windows.figures(&Measured::default());
        let first = &figures[1];
        let [below, above] = [figures[0].published, figures[2].published];
        assert!(between(&figures, first, below + 1.0) && between(&figures, first, above - 1.0));
        assert!(!between(&figures, first, below) && !between(&figures, first, above));
    }

    #[test]
    fn every_claim_compares_figures_that_were_published() {
        for table in TABLES {
            let figures = table.figures(&Measured::default());
            for claim in table.claims {
                let pairs = claim.pairs(table, &figures);
                assert!(!pairs.is_empty(), "{}: {}", table.name, claim.says);
                assert!(
                    claim.says.ends_with('.') && claim.because.iter().all(|why| why.ends_with('.'))
                );
            }
        }
    }

    #[test]
    fn a_row_that_stands_in_for_another_decides_nothing_between_them() {
        let steps = table("steps");
        let claim = &steps.claims[1];
        let block = |version: &str, kernel: &str, ns: f64| {
            let operation = format!("threefish-256/block{version}");
            Row {
                bits: None,
                bytes: Some(32),
                ..row(
                    "symmetric",
                    &operation,
                    0,
                    &format!("carrysave/{kernel}"),
                    1,
                    ns,
                )
            }
        };
        let judged = |rows: &[Row]| {
            let here = Measured {
                rows: rows.iter().collect(),
                cores: None,
                siblings: false,
            };
            claim.judge(steps, &here)
        };
        let older = judged(&[block("", "block_sse2", 200.0)]);
        assert_eq!(
            (older.short(), older.cases.len()),
            ("is not decided".to_owned(), 0)
        );
        assert_eq!(
            older.left_open(),
            "Cases that do not decide: 1 (one row here for both)."
        );
        let both = judged(&[
            block("/1.1", "block_sse2", 200.0),
            block("/1.1", "block_sse2_on_the_fly", 100.0),
        ]);
        assert_eq!(
            (both.short(), both.conditions.len()),
            ("holds".to_owned(), 0)
        );
    }

    #[test]
    fn a_final_program_is_compared_with_the_original_of_one_race() {
        let schemes = table("schemes");
        let claim = &schemes.claims[0];
        let rows = [
            row("schemes", "rsa/decryption", 1024, "carrysave", 1, 9.0),
            row("teams", "private", 1024, "carrysave", 1, 8.0),
            row("teams", "private", 1024, "carrysave/team", 2, 5.0),
        ];
        let judged = |count: usize| {
            let here = Measured {
                rows: rows[..count].iter().collect(),
                ..Measured::default()
            };
            claim.judge(schemes, &here)
        };
        // One thread alone stands in both columns, be it of a scheme or of the private operation.
        for count in [1, 2] {
            assert_eq!(judged(count).short(), "is not decided", "{count}");
        }
        let both = judged(3);
        assert_eq!((both.short(), both.cases.len()), ("holds".to_owned(), 2));
        assert_eq!(both.cases[0].here, 5.0 / 8.0);
    }

    #[test]
    fn more_threads_than_cores_decide_nothing() {
        let products = table("table6");
        let claim = &products.claims[0];
        let rows = [
            row(
                "threads",
                "mont_mul",
                645_120,
                "carrysave/fios_delayed_w32",
                1,
                16.0,
            ),
            row(
                "threads",
                "mont_mul",
                645_120,
                "carrysave/pfios_w32",
                2,
                8.0,
            ),
            row(
                "threads",
                "mont_mul",
                645_120,
                "carrysave/pfios_w32",
                8,
                20.0,
            ),
        ];
        let judged = |cores| {
            let here = Measured {
                rows: rows.iter().collect(),
                cores: Some(cores),
                siblings: false,
            };
            claim.judge(products, &here)
        };
        let two = judged(2);
        assert_eq!((two.cases.len(), two.short()), (1, "holds".to_owned()));
        assert!(
            two.text(claim, products.unit)
                .contains("Cases that do not decide: 1 (more threads than cores).")
        );
        assert_eq!(judged(8).short(), "holds in 1 of 2 cases");
    }
}
