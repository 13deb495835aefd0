//! AVX-512 IFMA on four lanes, and then the other four.

use crate::fp8::{Ifma256, slack_sqr};

slack_sqr::kernel!(Ifma256(()));
