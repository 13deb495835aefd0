//! What can be measured: one file an experiment, one row in [`EXPERIMENTS`].

pub mod addition;
pub mod batch;
pub mod curves;
pub mod fields;
pub mod keygen;
pub mod modexp;
pub mod mpn;
pub mod plan;
pub mod products;
pub mod rsa;
pub mod schemes;
pub mod symmetric;
pub mod teams;
pub mod thesis;
pub mod threads;
pub mod ways;
pub mod windows;

use crate::{Bench, Error};
use carrysave_engine::Threads;
use std::num::NonZeroUsize;

/// Every experiment, in the order in which they run.
pub static EXPERIMENTS: &[Experiment] = &[
    rsa::EXPERIMENT,
    batch::EXPERIMENT,
    keygen::EXPERIMENT,
    schemes::EXPERIMENT,
    modexp::EXPERIMENT,
    mpn::EXPERIMENT,
    fields::EXPERIMENT,
    curves::EXPERIMENT,
    symmetric::EXPERIMENT,
    products::EXPERIMENT,
    addition::EXPERIMENT,
    plan::EXPERIMENT,
    teams::EXPERIMENT,
    thesis::EXPERIMENT,
    threads::EXPERIMENT,
    windows::EXPERIMENT,
    ways::EXPERIMENT,
];

/// Something that can be measured.
pub struct Experiment {
    /// Its name on the command line and in records.
    pub name: &'static str,
    /// What it measures, in one line.
    pub about: &'static str,
    /// Runs its races.
    pub run: fn(&mut Bench<'_>) -> Result<(), Error>,
}

/// A team of so many threads, all of which are there.
pub(crate) fn team(threads: usize) -> Result<Threads, Error> {
    let threads = NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN);
    Threads::new(threads).map_err(|e| Error(format!("there is no team of {threads} threads: {e}")))
}

/// Fills a vector with random limbs.
pub(crate) fn random_limbs(len: usize) -> Vec<u64> {
    let mut limbs = vec![0; len];
    for limb in &mut limbs {
        *limb = getrandom::u64().expect("the system's random numbers");
    }
    limbs
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
