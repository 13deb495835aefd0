//! AVX-512 IFMA on four lanes, and then the other four.

use crate::fp8::{Ifma256, slack_mul};

slack_mul::kernel!(Ifma256(()));
