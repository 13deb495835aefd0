//! The program `carrysave-lab`, driven as a user would.

mod bench;
mod mpfq;
mod profile;
mod report;
mod soak;
// What the tests of `carrysave` have for that, not all of which is used here.
#[allow(dead_code)]
#[path = "../../../cli/tests/it/support.rs"]
mod support;

/// The program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_carrysave-lab");
