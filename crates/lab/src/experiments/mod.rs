//! What can be measured: one file an experiment, one row in [`EXPERIMENTS`].

pub mod addition;
pub mod batch;
pub mod curves;
pub mod fields;
pub mod inverses;
pub mod keygen;
pub mod loops;
pub mod methods;
pub mod modexp;
pub mod mpn;
pub mod paths;
pub mod plan;
pub mod products;
pub mod rsa;
pub mod schemes;
pub mod segmented;
pub(crate) mod siblings;
pub mod symmetric;
pub mod teams;
pub mod thesis;
pub mod threads;
pub mod timing_methods;
pub mod windows;

use crate::rivals::{Answer, RIVALS, Refusal, many::Many};
use crate::{Bench, Error, Race};
use carrysave_engine::Threads;
pub(crate) use carrysave_measure::random_limbs;

/// Every experiment, in the order in which they run.
pub static EXPERIMENTS: &[Experiment] = &[
    rsa::EXPERIMENT,
    batch::EXPERIMENT,
    keygen::EXPERIMENT,
    schemes::EXPERIMENT,
    segmented::EXPERIMENT,
    modexp::EXPERIMENT,
    methods::EXPERIMENT,
    mpn::EXPERIMENT,
    fields::EXPERIMENT,
    curves::EXPERIMENT,
    symmetric::EXPERIMENT,
    products::EXPERIMENT,
    inverses::EXPERIMENT,
    addition::EXPERIMENT,
    plan::EXPERIMENT,
    teams::EXPERIMENT,
    thesis::EXPERIMENT,
    loops::EXPERIMENT,
    threads::EXPERIMENT,
    paths::EXPERIMENT,
    windows::EXPERIMENT,
    timing_methods::EXPERIMENT,
];

/// Something that can be measured.
pub struct Experiment {
    /// Its name on the command line and in records.
    pub name: &'static str,
    /// What it measures, in one line.
    pub about: &'static str,
    /// Runs its races.
    pub run: fn(&mut Bench<'_>) -> Result<(), Error>,
    /// What of it reports have.
    pub levels: Levels,
}

/// What of an experiment reports of each level have.
pub struct Levels {
    /// A quick report, if it has any of it.
    pub quick: Option<Share>,
    /// A standard one.
    pub standard: Share,
    /// A full one.
    pub full: Share,
}

/// Some of the races of an experiment.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// The sizes in bits; the experiment's own if there are none.
    pub bits: &'static [usize],
    /// The seconds of a race.
    pub seconds: f64,
    /// Only the operation or implementation of this name, or those with this part of a name.
    pub only: Option<&'static str>,
    /// The seconds that all of it takes, about.
    pub estimate: f64,
}

impl Share {
    /// Races at these sizes, of `seconds` each, which take about `estimate` seconds together.
    const fn new(bits: &'static [usize], seconds: f64, estimate: f64) -> Share {
        Share {
            bits,
            seconds,
            only: None,
            estimate,
        }
    }

    /// Restricts the share to one operation or implementation, or to those with this part of a name.
    const fn only(self, name: &'static str) -> Share {
        Share {
            only: Some(name),
            ..self
        }
    }
}

/// A team of `threads` threads, or an error if not all can be had.
pub(crate) fn team(threads: usize) -> Result<Threads, Error> {
    let threads = threads.max(1);
    Threads::new(threads).map_err(|e| Error(format!("there is no team of {threads} threads: {e}")))
}

/// Data that looks random and is always the same.
pub(crate) fn noise(bytes: usize) -> Vec<u8> {
    let mut x = 0x9e37_79b9_7f4a_7c15_u64;
    let step = |_| {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x as u8
    };
    (0..bytes).map(step).collect()
}

/// What libraries that do many operations at once load, with their labels: those that may race.
fn at_once<K>(race: &mut Race<'_, '_>, load: impl Fn(&Many) -> Answer<K>) -> Vec<(String, K)> {
    let mut keys = vec![];
    for rival in RIVALS {
        let (label, Some(library)) = (rival.label(), &rival.many) else {
            continue;
        };
        if !race.wants(&label) {
            continue;
        }
        match load(library) {
            Ok(key) => keys.push((label, key)),
            Err(Refusal::NotOffered) => {}
            Err(Refusal::Failed(error)) => race.refuse(&label, error),
        }
    }
    keys
}
