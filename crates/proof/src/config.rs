//! What the environment asks of a walk.

/// The seed and the amount of work of a run.
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
}

impl Config {
    /// The configuration in the environment.
    ///
    /// # Panics
    /// If a number is not one.
    pub fn from_env() -> Config {
        let number = |name, default| match std::env::var(name) {
            Err(_) => default,
            Ok(text) => text
                .parse()
                .unwrap_or_else(|_| panic!("{name} must be a decimal number, not {text:?}")),
        };
        let slow = std::env::var_os("CARRYSAVE_SLOW").is_some();
        Config {
            seed: number("CARRYSAVE_SEED", 1),
            rounds: number("CARRYSAVE_ROUNDS", 1).max(1),
            share: number("CARRYSAVE_SHARE", if slow { 1 } else { 3 }).max(1) as usize,
            slow,
        }
    }

    /// The seeds to walk.
    pub fn seeds(&self) -> impl Iterator<Item = u64> {
        (0..self.rounds).map(|round| self.seed.wrapping_add(round))
    }
}
