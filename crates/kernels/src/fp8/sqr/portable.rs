//! Plain Rust, lane by lane.

use crate::fp8::{Words, sqr};

sqr::kernel!(Words);
