//! AVX-512 IFMA on eight lanes.

use crate::fp8::{Ifma512, slack_sqr};

slack_sqr::kernel!(Ifma512(()));
