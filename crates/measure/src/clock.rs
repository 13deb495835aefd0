//! Time: how long something takes, and how fast the core really runs meanwhile.
//!
//! Turbo, thermal limits and neighbours on a shared machine move the core clock by tens of percent, and the time stamp
//! counter does not follow. A chain of multiplications in which each waits for the one before does: it takes
//! [`LATENCY`] core cycles a link on every x86-64 core since 2008 but Zen 1, and on the usual 64-bit Arm cores.

use std::{
    hint::black_box,
    sync::LazyLock,
    time::{Duration, Instant},
};

/// What a race goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopwatch {
    /// The processor time of this process: neighbours on a busy machine don't count. On an idle machine it is the wall
    /// clock's time. Without it, long operations would lose against short ones, which fit between two interruptions.
    /// Where the system is no Unix, the wall clock.
    Processor,
    /// The wall clock, for work on several threads.
    Wall,
}

impl Stopwatch {
    /// Both, in order.
    pub const ALL: [Stopwatch; 2] = [Stopwatch::Processor, Stopwatch::Wall];

    /// The time since some fixed moment.
    pub fn now(self) -> Duration {
        #[cfg(unix)]
        if self == Stopwatch::Processor {
            use rustix::time::{ClockId, clock_gettime};
            let time = clock_gettime(ClockId::ProcessCPUTime);
            return Duration::new(time.tv_sec as u64, time.tv_nsec as u32);
        }
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        START.elapsed()
    }
}

/// Core cycles from the operands of a 64-bit multiplication to its low product.
pub const LATENCY: f64 = 3.0;

const LINKS: u32 = 16;

/// The core clock in GHz over the next few microseconds: the best of three short chains, so that an interrupt in one
/// does not count.
pub fn core_ghz() -> f64 {
    const TURNS: u32 = 500;
    (0..3).map(|_| chain_ghz(TURNS)).fold(0.0, f64::max)
}

fn chain_ghz(turns: u32) -> f64 {
    let mut x = black_box(0x9e37_79b9_7f4a_7c15_u64);
    let start = Instant::now();
    for _ in 0..turns {
        // Repeated squaring: the compiler cannot shorten it, and the odd start never reaches 0.
        for _ in 0..LINKS {
            x = x.wrapping_mul(x);
        }
    }
    black_box(x);
    let ns = start.elapsed().as_nanos() as f64;
    f64::from(turns) * f64::from(LINKS) * LATENCY / ns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stopwatches_go_on() {
        for stopwatch in Stopwatch::ALL {
            let start = stopwatch.now();
            while stopwatch.now() < start + Duration::from_millis(1) {}
        }
    }

    #[test]
    fn the_clock_is_a_clock() {
        let ghz = core_ghz();
        assert!(ghz > 0.0 && ghz < 20.0, "{ghz} GHz");
    }
}
