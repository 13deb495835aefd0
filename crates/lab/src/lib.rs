//! The laboratory of carrysave: experiments, rivals, records.
//!
//! [`run`] takes a [`Request`] and tells a [`Reporter`] what came of it. [`experiments::EXPERIMENTS`] lists what can be
//! measured, [`rivals::RIVALS`] against whom; a new one of either is one file and one row. Every contender's answer is
//! checked before it races, contenders take turns within one process, medians and quartiles are kept, and the core
//! clock is measured in the same run.
//!
//! ```
//! use carrysave_lab::{Request, run, table::Text};
//! let request = Request {
//!     experiments: vec!["modexp".into()],
//!     bits: Some(vec![512]),
//!     seconds: 0.01,
//!     ..Request::default()
//! };
//! let outcome = run(&request, &mut Text(std::io::stdout()))?;
//! assert!(outcome.refused.is_empty());
//! # Ok::<(), carrysave_lab::Error>(())
//! ```

mod bench;
pub mod bound;
pub mod experiments;
pub mod handshakes;
mod processes;
pub mod profile;
pub mod report;
pub mod rivals;
pub mod soak;
pub mod table;
pub mod test_vectors;

use carrysave_kernels::Cpu;

pub use bench::{Bench, Error, Outcome, Race, Refused, Reporter, Request, races, run};
pub use carrysave_measure::{clock, race, record, record::Row, stats, tune};

/// Whether this program is compiled without optimisation, by the profile `unoptimised`.
const UNOPTIMISED: bool = matches!(env!("LAB_OPT_LEVEL").as_bytes(), b"0");

/// The head of a record of the laboratory: that of this machine and build, with the rivals' versions.
pub fn head(cpu: Cpu) -> record::Head {
    let mut head = record::Head::here(cpu);
    let rivals = rivals::versions().join("; ");
    head.0.push(("rivals".to_owned(), rivals));
    if UNOPTIMISED {
        head.0.push(("optimisation".to_owned(), "none".to_owned()));
    }
    head
}
