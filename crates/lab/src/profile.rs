//! Profiles by function: what valgrind's tool callgrind counts while a program runs, and what kind of work each function does.
//!
//! Instructions, loads, stores and branches are counted as they are executed; misses and mispredictions are those of caches and
//! a predictor that valgrind simulates. A simulation has no clock, so that cycles are not among them.

use crate::{
    Error,
    race::Measurement,
    record::{Row, Size},
};
use carrysave_kernels::REGISTRY;
use std::collections::BTreeMap;

/// The experiment of their [rows](Profile::rows).
pub const EXPERIMENT: &str = "profile";

/// The program that [`Profile::rows`] are of where it is all test vectors: what the published table stands beside.
pub const ALL: &str = "vectors";

/// What is counted always.
pub(crate) const INSTRUCTIONS: &str = "instructions";
pub(crate) const MISPREDICTED: &str = "mispredicted";

/// Something that is counted: the sum of some counters of callgrind.
#[derive(Debug, PartialEq, Eq)]
pub struct Event {
    /// Its name in tables and records.
    pub name: &'static str,
    counters: &'static [&'static str],
}

/// What can be counted: instructions, and the others where caches and branches are simulated. A miss in L1 may be none in LL,
/// the last cache.
pub static EVENTS: [Event; 7] = [
    Event {
        name: INSTRUCTIONS,
        counters: &["Ir"],
    },
    Event {
        name: "loads",
        counters: &["Dr"],
    },
    Event {
        name: "stores",
        counters: &["Dw"],
    },
    Event {
        name: "l1-misses",
        counters: &["I1mr", "D1mr", "D1mw"],
    },
    Event {
        name: "ll-misses",
        counters: &["ILmr", "DLmr", "DLmw"],
    },
    Event {
        name: "branches",
        counters: &["Bc", "Bi"],
    },
    Event {
        name: MISPREDICTED,
        counters: &["Bcm", "Bim"],
    },
];

/// The class of the whole program.
pub const PROGRAM: &str = "program";
pub(crate) const SQUARING: &str = "squaring";
pub(crate) const REDUCTION: &str = "reduction";
pub(crate) const ADDITION: &str = "addition";
pub(crate) const SUBTRACTION: &str = "subtraction";
pub(crate) const INVERSION: &str = "inversion";
pub(crate) const DIVISION: &str = "division";
pub(crate) const MULTIPLICATION: &str = "multiplication";
/// Whatever is in no class.
const OTHER: &str = "other";

/// The classes of carrysave's functions, each with parts of their names: a function is in the first that has one. What reduces
/// within a product is part of the product, and what the compiler inlines counts where it is inlined.
static CLASSES: [(&str, &[&str]); 7] = [
    (
        SQUARING,
        &[
            "sqr::",
            "sqr_basecase::",
            "::ams::",
            "::ams_x2::",
            "Residue>::sqr",
        ],
    ),
    (
        REDUCTION,
        &[
            "redc_1::",
            "::redc::",
            "_fold::",
            "::normalise::",
            "barrett::",
            "Modulus::reduce",
        ],
    ),
    (
        ADDITION,
        &[
            "add_n::",
            "::add_1::",
            "fp::add::",
            "radix52::add::",
            "Residue>::add",
        ],
    ),
    (SUBTRACTION, &["sub_n::", "::sub_1::", "Residue>::sub"]),
    (INVERSION, &["divsteps", "arith::inverse::", "Modulus::inv"]),
    (
        DIVISION,
        &[
            "nat::div::",
            "nat::divider::",
            "nat::inverse::",
            "::bdiv_dbm1::",
        ],
    ),
    (
        MULTIPLICATION,
        &[
            "mul::",
            "mul_basecase::",
            "mul_1::",
            "::addmul",
            "::amm::",
            "::amm_x2::",
            "::ntt::",
            "nat::fft::",
            "nat::toom::",
            "mpn::mul_adc::",
            "mpn::mulx_adx::",
            "mpn::rows::",
            "Residue>::mul",
        ],
    ),
];

/// A function with fewer than one in so many of the instructions, and in no class, is not listed by itself.
const FEW: u64 = 10_000;

/// The name of those together.
const OTHERS: &str = "others";

/// A function, or all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name; that of its operation and kernel where it is a kernel.
    pub name: String,
    /// What kind of work it does.
    pub class: &'static str,
    /// How many there are of each event, without those of the functions that it calls.
    pub counts: Vec<u64>,
}

/// What was counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The tool that counted, with its version.
    pub creator: String,
    /// What was counted.
    pub events: Vec<&'static Event>,
    /// The whole program.
    pub whole: Function,
    /// Its functions, the most instructions first; at last those together that are not listed.
    pub functions: Vec<Function>,
}

impl Profile {
    /// Reads a file that callgrind wrote.
    ///
    /// # Errors
    /// A text that is no such file, or not all of one.
    ///
    /// ```
    /// use carrysave_lab::profile::Profile;
    /// let text = "events: Ir\nfn=(1) main\n3 10\ncfn=(2) f\ncalls=1 0\n4 90\nfn=(2)\n7 90\ntotals: 100\n";
    /// let profile = Profile::read(text)?;
    /// let counts = profile.functions.iter().map(|it| (&it.name[..], it.counts[0]));
    /// assert_eq!(counts.collect::<Vec<_>>(), [("f", 90), ("main", 10)]);
    /// # Ok::<(), carrysave_lab::Error>(())
    /// ```
    pub fn read(text: &str) -> Result<Profile, Error> {
        let mut creator = "callgrind";
        let mut counters: Vec<&str> = vec![];
        let mut positions = 1;
        let mut totals: Option<Vec<u64>> = None;
        let mut names: BTreeMap<&str, &str> = BTreeMap::new();
        let mut costs: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        let mut function = None;
        // Whether the next costs are those of a call, which its function has, too.
        let mut called = false;
        for line in text.lines() {
            if let Some(said) = line.strip_prefix("creator: ") {
                creator = said;
            } else if let Some(said) = line.strip_prefix("events: ") {
                counters = said.split_whitespace().collect();
            } else if let Some(said) = line.strip_prefix("positions: ") {
                positions = said.split_whitespace().count();
            } else if let Some(said) = line.strip_prefix("totals: ") {
                totals = Some(numbers(said)?);
            } else if let Some(said) = line.strip_prefix("fn=") {
                function = Some(once(named(said, &mut names)));
            } else if let Some(said) = line.strip_prefix("cfn=") {
                named(said, &mut names);
            } else if line.starts_with("calls=") {
                called = true;
            } else if line.starts_with(|c: char| c.is_ascii_digit() || "+-*".contains(c)) {
                let Some(function) = function.filter(|_| !called) else {
                    called = false;
                    continue;
                };
                let words = line.split_whitespace().skip(positions);
                let cost = costs.entry(function).or_default();
                for (place, word) in words.enumerate() {
                    if cost.len() == place {
                        cost.push(0);
                    }
                    cost[place] += count(word)?;
                }
            }
        }
        let totals = totals.ok_or_else(|| wrong("it has no totals, so that its end is missing"))?;
        let counted = |event: &&'static Event| {
            let mut of = event.counters.iter();
            of.all(|counter| counters.contains(counter))
        };
        let events: Vec<&'static Event> = EVENTS.iter().filter(counted).collect();
        if events.first().map(|event| event.name) != Some(INSTRUCTIONS) {
            return Err(wrong("it counts no instructions"));
        }
        let of_events = |cost: &[u64]| -> Vec<u64> {
            let value = |counter: &&str| {
                let place = counters.iter().position(|other| other == counter)?;
                cost.get(place).copied()
            };
            let sum = |event: &&Event| event.counters.iter().filter_map(value).sum::<u64>();
            events.iter().map(sum).collect()
        };
        let whole = Function {
            name: "carrysave".to_owned(),
            class: PROGRAM,
            counts: of_events(&totals),
        };
        let functions = costs.iter().map(|(name, cost)| Function {
            name: short(name),
            class: class(name),
            counts: of_events(cost),
        });
        Ok(Profile {
            creator: creator.to_owned(),
            functions: listed(functions, whole.counts[0]),
            events,
            whole,
        })
    }

    /// The whole program, then its functions.
    pub fn all(&self) -> impl Iterator<Item = &Function> {
        std::iter::once(&self.whole).chain(&self.functions)
    }

    /// The rows of a record: a number of events each, in the place of a time. The operation is the program, a class and the
    /// event, the implementation a function. What there is none of has no row.
    pub fn rows(&self, program: &str) -> Vec<Row> {
        let mut rows = vec![];
        for Function {
            name,
            class,
            counts,
        } in self.all()
        {
            let counts = self.events.iter().zip(counts);
            for (event, &count) in counts.filter(|(_, count)| **count > 0) {
                let measured = Measurement {
                    name: name.clone(),
                    ns_median: count as f64,
                    ns_spread: 0.0,
                    samples: 1,
                    core_ghz: 1.0,
                };
                let operation = format!("{program}/{class}/{}", event.name);
                rows.push(Row::new(
                    EXPERIMENT,
                    &operation,
                    Size::Bits(0),
                    1,
                    &measured,
                ));
            }
        }
        rows
    }
}

/// Those with many instructions and those of a class, and at last the others together. Functions of one name and class are one.
fn listed(functions: impl Iterator<Item = Function>, all: u64) -> Vec<Function> {
    let mut kept: Vec<Function> = vec![];
    for mut function in functions {
        if function.class == OTHER && function.counts[0] < all / FEW {
            function.name = OTHERS.to_owned();
        }
        let same =
            |other: &&mut Function| other.name == function.name && other.class == function.class;
        match kept.iter_mut().find(same) {
            Some(other) => {
                for (sum, count) in other.counts.iter_mut().zip(&function.counts) {
                    *sum += count;
                }
            }
            None => kept.push(function),
        }
    }
    kept.sort_by_key(|function| {
        let last = function.name == OTHERS;
        (last, std::cmp::Reverse(function.counts[0]))
    });
    kept
}

/// The program, the class and the event of a row.
pub(crate) fn parts(row: &Row) -> Option<[&str; 3]> {
    let parts: Vec<&str> = row.operation.split('/').collect();
    let of_profile = row.experiment == EXPERIMENT;
    <[&str; 3]>::try_from(parts).ok().filter(|_| of_profile)
}

/// Percent of the events of all test vectors that are in functions of these classes; nothing where these events are in no row.
pub(crate) fn share(rows: &[&Row], event: &str, classes: &[&str]) -> Option<f64> {
    let all = sum(rows, event, &[PROGRAM]);
    (all > 0.0).then(|| 100.0 * sum(rows, event, classes) / all)
}

/// How many such events there are for each instruction of functions of these classes in all test vectors; nothing where
/// either are in no row.
pub(crate) fn rate(rows: &[&Row], event: &str, classes: &[&str]) -> Option<f64> {
    let (all, instructions) = (
        sum(rows, event, &[PROGRAM]),
        sum(rows, INSTRUCTIONS, classes),
    );
    (all > 0.0 && instructions > 0.0).then(|| sum(rows, event, classes) / instructions)
}

fn sum(rows: &[&Row], event: &str, classes: &[&str]) -> f64 {
    let rows = counted(rows, event, classes).into_iter();
    rows.map(|row| row.ns_median).sum()
}

/// The rows of such events of functions of these classes, in all test vectors.
pub(crate) fn counted<'r>(rows: &[&'r Row], event: &str, classes: &[&str]) -> Vec<&'r Row> {
    let asked = |row: &&Row| {
        parts(row).is_some_and(|[program, class, counted]| {
            program == ALL && counted == event && classes.contains(&class)
        })
    };
    rows.iter().copied().filter(asked).collect()
}

/// What `(1) name` names, or `(1)`, which was named before.
fn named<'t>(text: &'t str, names: &mut BTreeMap<&'t str, &'t str>) -> &'t str {
    match text.split_once(' ') {
        Some((number, name)) if number.starts_with('(') => {
            names.insert(number, name);
            name
        }
        _ => names.get(text).copied().unwrap_or(text),
    }
}

/// The name of a function, less the depth at which it called itself.
fn once(name: &str) -> &str {
    match name.rsplit_once('\'') {
        Some((name, depth)) if depth.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => name,
    }
}

/// The operation and the kernel that a path names, such as `mpn_mont_mul/mul_adc`; or the path.
fn short(path: &str) -> String {
    let kernel = || {
        let mut words = path.strip_prefix("carrysave_kernels::")?.split("::");
        let (family, operation, kernel) = (words.next()?, words.next()?, words.next()?);
        let name = format!("{family}_{operation}");
        let op = REGISTRY.iter().find(|op| op.name == name)?;
        let mut kernels = op.kernels.iter();
        let known = kernels.any(|(name, _)| *name == kernel);
        known.then(|| format!("{name}/{kernel}"))
    };
    kernel().unwrap_or_else(|| path.to_owned())
}

/// The class of a function.
fn class(path: &str) -> &'static str {
    if !path.trim_start_matches('<').starts_with("carrysave_") {
        return OTHER;
    }
    let mut classes = CLASSES.iter();
    let found = classes.find(|(_, parts)| parts.iter().any(|part| path.contains(*part)));
    found.map_or(OTHER, |(class, _)| *class)
}

fn numbers(text: &str) -> Result<Vec<u64>, Error> {
    text.split_whitespace().map(count).collect()
}

fn count(word: &str) -> Result<u64, Error> {
    let number = word.parse::<u64>();
    number.map_err(|_| wrong(&format!("{word} is no number of events")))
}

fn wrong(what: &str) -> Error {
    Error(format!("this is no file of callgrind's: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two kernels and their caller, which calls itself; branches are simulated.
    const FILE: &str = "\
# callgrind format
version: 1
creator: callgrind-3.19.0
positions: line
events: Ir Bc Bcm Bi Bim
summary: 100100 51 7 2 1

ob=(1) /usr/bin/program
fl=(1) main.rs
fn=(1) <carrysave_arith::ring::Ring>::pow
10 50 20 3 2 1
+2 10
cfn=(2) carrysave_kernels::mpn::mont_sqr::portable::kernel
calls=5 0
* 70000 25 4
cfi=(2) other.rs
cfn=(3) carrysave_kernels::mpn::mont_mul::portable::kernel
calls=1 0
-1 30000
+1 30

fn=(4) <carrysave_arith::ring::Ring>::pow'2
fi=(2)
11 6

fn=(2)
20 60000 20 4
fe=(1)
+1 10000 5

fn=(3)
20 30000

fn=(5) malloc
0 4 6

totals: 100100 51 7 2 1
";

    #[test]
    fn a_function_has_what_it_does_itself() {
        let profile = Profile::read(FILE).unwrap();
        assert_eq!(profile.creator, "callgrind-3.19.0");
        let events: Vec<&str> = profile.events.iter().map(|event| event.name).collect();
        assert_eq!(events, ["instructions", "branches", "mispredicted"]);
        let all = profile
            .all()
            .map(|it| (&it.name[..], it.class, &it.counts[..]));
        let expected: [(&str, &str, &[u64]); 5] = [
            ("carrysave", PROGRAM, &[100_100, 53, 8]),
            ("mpn_mont_sqr/portable", SQUARING, &[70_000, 25, 4]),
            ("mpn_mont_mul/portable", MULTIPLICATION, &[30_000, 0, 0]),
            ("<carrysave_arith::ring::Ring>::pow", OTHER, &[96, 22, 4]),
            ("others", OTHER, &[4, 6, 0]),
        ];
        assert_eq!(all.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn rows_hold_all_that_reports_ask_for() {
        let rows = Profile::read(FILE).unwrap().rows(ALL);
        let rows: Vec<&Row> = rows.iter().collect();
        let close = |found: Option<f64>, expected: f64| {
            let found = found.expect("it was counted");
            assert!((found - expected).abs() < 1e-9, "{found}");
        };
        let products = [MULTIPLICATION, SQUARING];
        close(
            share(&rows, INSTRUCTIONS, &products),
            100.0 * 100_000.0 / 100_100.0,
        );
        close(share(&rows, MISPREDICTED, &products), 50.0);
        close(share(&rows, MISPREDICTED, &[PROGRAM]), 100.0);
        close(share(&rows, INSTRUCTIONS, &[ADDITION]), 0.0);
        close(rate(&rows, MISPREDICTED, &products), 4.0 / 100_000.0);
        // What is not there was not counted.
        assert_eq!(rate(&rows, MISPREDICTED, &[ADDITION]), None);
        assert_eq!(share(&rows, "loads", &products), None);
        // Another program is not all test vectors.
        let other = Profile::read(FILE).unwrap().rows("modexp");
        let other: Vec<&Row> = other.iter().collect();
        assert_eq!(share(&other, INSTRUCTIONS, &products), None);
        assert_eq!(parts(other[0]), Some(["modexp", PROGRAM, INSTRUCTIONS]));
    }

    #[test]
    fn functions_are_of_the_class_that_their_names_say() {
        for (path, name, of) in [
            (
                "carrysave_kernels::mpn::sub_n::portable::kernel",
                "mpn_sub_n/portable",
                SUBTRACTION,
            ),
            (
                "carrysave_kernels::mpn::submul_1::portable::kernel",
                "mpn_submul_1/portable",
                MULTIPLICATION,
            ),
            (
                "carrysave_kernels::mpn::cnd_add_n::no_such_kernel",
                "carrysave_kernels::mpn::cnd_add_n::no_such_kernel",
                ADDITION,
            ),
            (
                "carrysave_kernels::mpn::redc_1::no_such_kernel",
                "carrysave_kernels::mpn::redc_1::no_such_kernel",
                REDUCTION,
            ),
            (
                "<carrysave_kernels::fp::montgomery::Montgomery<P,_> as carrysave_kernels::fp::Residue>::mul",
                "<carrysave_kernels::fp::montgomery::Montgomery<P,_> as carrysave_kernels::fp::Residue>::mul",
                MULTIPLICATION,
            ),
            (
                "carrysave_arith::divsteps::inverse",
                "carrysave_arith::divsteps::inverse",
                INVERSION,
            ),
            (
                "carrysave_arith::nat::div::<impl carrysave_arith::nat::Nat>::div_rem",
                "carrysave_arith::nat::div::<impl carrysave_arith::nat::Nat>::div_rem",
                DIVISION,
            ),
            (
                "carrysave_arith::curve::formulas::parameters",
                "carrysave_arith::curve::formulas::parameters",
                OTHER,
            ),
            (
                "core::ptr::drop_in_place<carrysave_arith::nat::inverse::Spectra>",
                "core::ptr::drop_in_place<carrysave_arith::nat::inverse::Spectra>",
                OTHER,
            ),
        ] {
            assert_eq!((&short(path)[..], class(path)), (name, of));
        }
    }

    #[test]
    fn what_is_no_file_of_callgrinds_is_refused() {
        let end = FILE.find("totals").unwrap();
        for (text, why) in [
            ("", "its end is missing"),
            (&FILE[..end], "its end is missing"),
            ("events: Dr\ntotals: 1\n", "it counts no instructions"),
            (
                "events: Ir\nfn=(1) f\n1 x\ntotals: 1\n",
                "x is no number of events",
            ),
        ] {
            let error = Profile::read(text).unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
