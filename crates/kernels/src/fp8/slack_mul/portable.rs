//! Plain Rust, lane by lane.

use crate::fp8::{Words, slack_mul};

slack_mul::kernel!(Words);
