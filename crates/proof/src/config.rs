//! What the environment asks of a walk.

use carrysave_kernels::{REGISTRY, op::Op};

/// The seed, the amount of work and the choice of kernels of a run.
pub struct Config {
    /// `CARRYSAVE_SEED`: every operand follows from it.
    pub seed: u64,
    /// `CARRYSAVE_ROUNDS`: how many seeds in a row are walked.
    pub rounds: u64,
    /// `CARRYSAVE_SHARE`: a walk takes one in this many operands of each size: 3, with `CARRYSAVE_SLOW=1` all, more
    /// where every call is slow.
    pub share: usize,
    /// `CARRYSAVE_SLOW`: as much as there is.
    pub slow: bool,
    /// `CARRYSAVE_OP`: operations (`mpn_add_n`) or kernels (`mpn_add_n/adc`) instead of all, with commas between them.
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
        let slow = std::env::var_os("CARRYSAVE_SLOW").is_some();
        let config = Config {
            seed: number("CARRYSAVE_SEED", 1),
            rounds: number("CARRYSAVE_ROUNDS", 1).max(1),
            share: number("CARRYSAVE_SHARE", if slow { 1 } else { 3 }).max(1) as usize,
            slow,
            only: std::env::var("CARRYSAVE_OP").ok(),
        };
        for name in config.names() {
            let known = |op: &Op| op.kernels.iter().any(|(kernel, _)| is(name, op, kernel));
            assert!(
                REGISTRY.iter().any(|op| known(op)),
                "CARRYSAVE_OP: {name} names no kernel"
            );
        }
        config
    }

    /// The seeds to walk.
    pub fn seeds(&self) -> impl Iterator<Item = u64> {
        (0..self.rounds).map(|round| self.seed.wrapping_add(round))
    }

    /// What `CARRYSAVE_OP` names.
    fn names(&self) -> impl Iterator<Item = &str> {
        self.only.iter().flat_map(|only| only.split(','))
    }

    /// Whether this kernel is to be tested.
    pub fn wants(&self, op: &Op, kernel: &str) -> bool {
        self.wants_all() || self.names().any(|name| is(name, op, kernel))
    }

    /// Whether every kernel is to be tested.
    pub fn wants_all(&self) -> bool {
        self.only.is_none()
    }
}

/// Whether `name` is that of the operation or of its kernel.
fn is(name: &str, op: &Op, kernel: &str) -> bool {
    name.split_once('/').unwrap_or((name, kernel)) == (op.name, kernel)
}
