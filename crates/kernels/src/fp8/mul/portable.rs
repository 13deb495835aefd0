//! Plain Rust, lane by lane.

use crate::fp8::{Words, mul};

mul::kernel!(Words);
