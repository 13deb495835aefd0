//! The measuring core: contenders that take turns, records of what came of it, and plans made of such races.
//!
//! A [`race::Contender`] exists only if its answer was right; [`race::race`] times contenders in turns and measures the
//! core clock meanwhile; [`record`] keeps medians and quartiles with the machine and the build that they are of;
//! [`mod@tune`] makes a [`Plan`](carrysave_arith::Plan) for this machine. No rival is in here: those are the laboratory's.
//!
//! ```
//! use carrysave_measure::{clock::Stopwatch, race::{Budget, Contender, race}};
//! let right = |sum: &u64| if *sum == 55 { Ok(()) } else { Err("it is another".to_owned()) };
//! let mut contenders = [
//!     Contender::checked("loop", || 10, |n| (1..=*n).sum::<u64>(), right)?,
//!     Contender::checked("Gauss", || 10, |n| *n * (*n + 1) / 2, right)?,
//! ];
//! let measured = race(&mut contenders, &Budget::seconds(0.001), Stopwatch::Processor);
//! assert!(measured[1].name == "Gauss" && measured[1].ns_median > 0.0);
//! # Ok::<(), String>(())
//! ```
#![deny(unsafe_code)]

#[allow(unsafe_code)] // around calls of kernels
pub mod call;
pub mod clock;
pub mod race;
pub mod record;
pub mod stats;
pub mod table;
pub mod thesis;
pub mod tune;

/// Random limbs, from the system.
///
/// # Panics
/// If the system has no random numbers.
pub fn random_limbs(len: usize) -> Vec<u64> {
    let mut limbs = vec![0; len];
    for limb in &mut limbs {
        *limb = getrandom::u64().expect("the system's random numbers");
    }
    limbs
}
