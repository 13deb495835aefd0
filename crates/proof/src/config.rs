//! What the environment asks of a walk.

use carrysave_kernels::{REGISTRY, op::Op};

/// The seed, the amount of work and the choice of kernels of a run.
pub struct Config {
    /// `CARRYSAVE_SEED`: every operand follows from it.
    pub seed: u64,
    /// `CARRYSAVE_ROUNDS`: how many seeds in a row are walked.
    pub rounds: u64,
    /// `CARRYSAVE_OP`: one operation (`mpn_add_n`) or one kernel (`mpn_add_n/adc`) instead of all.
    only: Option<String>,
}

impl Config {
    /// The configuration in the environment.
    ///
    /// # Panics
    /// If a number is not one, or `CARRYSAVE_OP` names nothing: a run that tests nothing must not pass.
    pub fn from_env() -> Config {
        let number = |name, default| match std::env::var(name) {
            Err(_) => default,
            Ok(text) => text
                .parse()
                .unwrap_or_else(|_| panic!("{name} must be a decimal number, not {text:?}")),
        };
        let config = Config {
            seed: number("CARRYSAVE_SEED", 1),
            rounds: number("CARRYSAVE_ROUNDS", 1).max(1),
            only: std::env::var("CARRYSAVE_OP").ok(),
        };
        let known = |op: &&Op| {
            op.kernels
                .iter()
                .any(|(kernel, _)| config.wants(op, kernel))
        };
        assert!(
            REGISTRY.iter().any(known),
            "CARRYSAVE_OP={} names no kernel",
            config.only.unwrap_or_default()
        );
        config
    }

    /// The seeds to walk.
    pub fn seeds(&self) -> impl Iterator<Item = u64> {
        (0..self.rounds).map(|round| self.seed.wrapping_add(round))
    }

    /// Whether this kernel is to be tested.
    pub fn wants(&self, op: &Op, kernel: &str) -> bool {
        match self
            .only
            .as_deref()
            .map(|only| only.split_once('/').unwrap_or((only, kernel)))
        {
            None => true,
            Some(only) => only == (op.name, kernel),
        }
    }

    /// Whether every kernel is to be tested.
    pub fn wants_all(&self) -> bool {
        self.only.is_none()
    }
}
