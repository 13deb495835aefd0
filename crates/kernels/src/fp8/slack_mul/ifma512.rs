//! AVX-512 IFMA on eight lanes.

use crate::fp8::{Ifma512, slack_mul};

slack_mul::kernel!(Ifma512(()));
