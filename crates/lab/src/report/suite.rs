//! What a report measures: which experiments at which sizes, by how much time there is.

use crate::{
    Error, Request,
    experiments::{EXPERIMENTS, Experiment, Share},
};
use carrysave_kernels::Cpu;
pub use carrysave_measure::record::Level;

/// An experiment as part of a report.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Its name.
    pub experiment: &'static str,
    share: Share,
}

impl Part {
    /// The seconds that it takes, about: for the time that is left.
    pub fn estimate(&self) -> f64 {
        self.share.estimate
    }

    /// What is asked of the laboratory, less the first `after` races, which were run before.
    pub fn request(&self, cpu: Cpu, after: usize) -> Request {
        let Share {
            bits,
            seconds,
            only,
            ..
        } = self.share;
        Request {
            experiments: vec![self.experiment.to_owned()],
            bits: (!bits.is_empty()).then(|| bits.to_vec()),
            seconds,
            only: only.map(str::to_owned),
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
        .filter_map(|e| part(level, e, !only.is_empty()));
    Ok(parts.collect())
}

/// An experiment in a report of that level; in its shortest form if it is not in one of that level but was asked for.
fn part(level: Level, experiment: &Experiment, asked: bool) -> Option<Part> {
    let levels = &experiment.levels;
    let share = match level {
        Level::Quick => levels.quick.or(asked.then_some(levels.standard))?,
        Level::Standard => levels.standard,
        Level::Full => levels.full,
    };
    Some(Part {
        experiment: experiment.name,
        share,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Size;
    use crate::report::published::{Counterpart, TABLES};
    use crate::test_vectors;

    /// An experiment without sizes has those of the published tables among its own.
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
                // What a report measures itself.
                let key = key.instead.as_deref().unwrap_or(&key);
                if key.experiment == test_vectors::EXPERIMENT {
                    continue;
                }
                let experiment = EXPERIMENTS.iter().find(|e| e.name == key.experiment);
                let bits = experiment.expect("an experiment").levels.full.bits;
                let Size::Bits(size) = key.size else { continue };
                assert!(bits.is_empty() || bits.contains(&size), "{key:?}");
            }
        }
    }
}
