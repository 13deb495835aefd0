//! What a report measures: which experiments at which sizes, by how much time there is.

use crate::{Error, Request, experiments::EXPERIMENTS};
use carrysave_kernels::Cpu;

/// How thorough a report is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// About two minutes: what people ask first.
    Quick,
    /// About ten minutes: every experiment at sizes that show its shape.
    Standard,
    /// About half an hour: every experiment at all its sizes, and whatever was published.
    Full,
}

impl Level {
    /// Its name on the command line and in records.
    pub fn name(self) -> &'static str {
        match self {
            Level::Quick => "quick",
            Level::Standard => "standard",
            Level::Full => "full",
        }
    }

    /// The level of that name.
    pub fn named(name: &str) -> Option<Level> {
        let levels = [Level::Quick, Level::Standard, Level::Full];
        levels.into_iter().find(|level| level.name() == name)
    }
}

/// An experiment as part of a report.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Its name.
    pub experiment: &'static str,
    /// Seconds that it takes, about: for the time that is left.
    pub estimate: f64,
    bits: Option<&'static [usize]>,
    seconds: f64,
    only: Option<&'static str>,
}

impl Part {
    /// What is asked of the laboratory, less so many races that were run before.
    pub fn request(&self, cpu: Cpu, after: usize) -> Request {
        Request {
            experiments: vec![self.experiment.to_owned()],
            bits: self.bits.map(<[usize]>::to_vec),
            seconds: self.seconds,
            only: self.only.map(str::to_owned),
            threads: None,
            after,
            cpu,
        }
    }
}

/// The parts of a report of that level, or those with these names.
///
/// # Errors
/// A name that is no experiment's.
///
/// ```
/// use carrysave_lab::report::suite::{Level, parts};
/// let parts = parts(Level::Quick, &["rsa".to_owned()])?;
/// assert_eq!(parts[0].experiment, "rsa");
/// # Ok::<(), carrysave_lab::Error>(())
/// ```
pub fn parts(level: Level, only: &[String]) -> Result<Vec<Part>, Error> {
    let unknown = only
        .iter()
        .find(|name| !EXPERIMENTS.iter().any(|e| e.name == **name));
    if let Some(name) = unknown {
        let names: Vec<&str> = EXPERIMENTS.iter().map(|e| e.name).collect();
        let names = names.join(", ");
        return Err(Error(format!(
            "there is no experiment {name}; there are {names}"
        )));
    }
    let wanted = |experiment: &str| only.is_empty() || only.iter().any(|name| name == experiment);
    let parts = EXPERIMENTS
        .iter()
        .filter(|e| wanted(e.name))
        .filter_map(|e| part(level, e.name, !only.is_empty()));
    Ok(parts.collect())
}

/// An experiment in a report of that level; in its shortest form if it is not in one of that level but was asked for.
fn part(level: Level, experiment: &'static str, asked: bool) -> Option<Part> {
    let find = |list: &[Part]| {
        list.iter()
            .find(|part| part.experiment == experiment)
            .copied()
    };
    match level {
        Level::Quick => find(QUICK).or_else(|| asked.then(|| find(STANDARD)).flatten()),
        Level::Standard => find(STANDARD),
        Level::Full => find(FULL),
    }
}

const fn at(
    experiment: &'static str,
    bits: &'static [usize],
    seconds: f64,
    only: Option<&'static str>,
    estimate: f64,
) -> Part {
    Part {
        experiment,
        estimate,
        bits: if bits.is_empty() { None } else { Some(bits) },
        seconds,
        only,
    }
}

const QUICK: &[Part] = &[
    at("rsa", &[2048, 4096], 0.2, None, 5.0),
    at("batch", &[2048, 4096], 0.2, Some("private/64"), 25.0),
    at("modexp", &[2048, 4096], 0.2, None, 5.0),
    at("schemes", &[2048], 0.02, None, 5.0),
    at("fields", &[], 0.005, Some("mul"), 5.0),
    at("curves", &[255, 256], 0.05, None, 5.0),
    at("mpn", &[2048], 0.01, None, 5.0),
    at("symmetric", &[131_072], 0.02, None, 10.0),
    at("products", &[65_536], 0.05, None, 5.0),
    at("addition", &[], 0.1, None, 1.0),
    at("teams", &[4096], 0.2, None, 5.0),
    at("thesis", &[1024], 0.1, None, 5.0),
    at("threads", &[2048], 0.05, None, 5.0),
];

const STANDARD: &[Part] = &[
    at("rsa", &[1024, 2048, 3072, 4096, 8192], 0.5, None, 30.0),
    at("batch", &[2048, 4096], 0.2, None, 120.0),
    at("keygen", &[2048], 2.0, None, 10.0),
    at("modexp", &[1024, 2048, 4096, 8192], 0.5, None, 30.0),
    at("schemes", &[], 0.1, None, 20.0),
    at("fields", &[], 0.05, None, 30.0),
    at("curves", &[], 0.2, None, 20.0),
    at("mpn", &[512, 1024, 2048, 4096, 8192], 0.02, None, 30.0),
    at("symmetric", &[], 0.05, None, 60.0),
    at("products", &[4096, 65_536, 262_144], 0.1, None, 30.0),
    at("addition", &[], 0.5, None, 2.0),
    at("plan", &[], 0.05, None, 60.0),
    at("teams", &[1024, 2048, 4096, 8192], 0.5, None, 60.0),
    at("thesis", &[512, 1024, 2048, 4096], 0.2, None, 60.0),
    at("threads", &[2048, 4096], 0.2, None, 40.0),
    at("windows", &[], 0.3, None, 10.0),
    at("ways", &[], 1.0, None, 8.0),
];

/// An experiment without sizes has those of the published tables among its own.
const FULL: &[Part] = &[
    at(
        "rsa",
        &[1024, 1536, 2048, 3072, 4096, 6144, 8192],
        0.5,
        None,
        60.0,
    ),
    at("batch", &[1024, 2048, 3072, 4096, 8192], 0.3, None, 300.0),
    at("keygen", &[2048, 4096], 1.0, None, 80.0),
    at("modexp", &[512, 1024, 2048, 4096, 8192], 1.0, None, 40.0),
    at("schemes", &[], 0.3, None, 40.0),
    at("fields", &[], 0.1, None, 30.0),
    at("curves", &[], 0.5, None, 30.0),
    at("mpn", &[], 0.05, None, 60.0),
    at("symmetric", &[], 0.1, None, 60.0),
    at("products", &[], 0.2, None, 60.0),
    at("addition", &[], 1.0, None, 5.0),
    at("plan", &[], 0.1, None, 60.0),
    at("teams", &[], 1.0, None, 120.0),
    at("thesis", &[], 0.3, None, 120.0),
    at("threads", &[], 0.3, None, 600.0),
    at("windows", &[], 1.0, None, 30.0),
    at("ways", &[], 3.0, None, 20.0),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Size;
    use crate::report::published::{Counterpart, TABLES};

    #[test]
    fn no_experiment_is_in_a_level_twice() {
        for level in [QUICK, STANDARD, FULL] {
            for (i, part) in level.iter().enumerate() {
                let again = |other: &Part| other.experiment == part.experiment;
                assert!(!level[..i].iter().any(again), "{}", part.experiment);
                assert!(EXPERIMENTS.iter().any(|e| e.name == part.experiment));
            }
        }
        assert_eq!(FULL.len(), EXPERIMENTS.len());
    }

    #[test]
    fn a_full_report_has_every_size_that_was_published() {
        for table in TABLES {
            let lines = table.lines();
            let cells = lines.iter().flat_map(|line| {
                let columns = table.columns.iter();
                columns.map(move |(column, _)| table.counterpart(line, column))
            });
            for cell in cells {
                let Counterpart::Row(key) = cell else {
                    continue;
                };
                let part = part(Level::Full, key.experiment, false).expect("every experiment");
                let Size::Bits(bits) = key.size else { continue };
                let all = |sizes: &[usize]| sizes.contains(&bits);
                assert!(part.bits.is_none_or(all), "{key:?}");
            }
        }
    }
}
