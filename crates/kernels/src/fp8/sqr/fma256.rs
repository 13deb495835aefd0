//! Floating-point numbers on four lanes, and then the other four.

use crate::fp8::{Fma256, sqr};

sqr::kernel!(Fma256(()));
