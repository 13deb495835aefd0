//! The commands of the program, one a file.

pub mod again;
pub mod bench;
pub mod forced;
pub mod handshakes;
pub mod profile;
pub mod report;
pub mod soak;
pub mod vectors;
