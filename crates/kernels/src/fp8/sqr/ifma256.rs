//! AVX-512 IFMA on four lanes, and then the other four.

use crate::fp8::{Ifma256, sqr};

sqr::kernel!(Ifma256(()));
