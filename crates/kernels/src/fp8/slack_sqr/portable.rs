//! Plain Rust, lane by lane.

use crate::fp8::{Words, slack_sqr};

slack_sqr::kernel!(Words);
