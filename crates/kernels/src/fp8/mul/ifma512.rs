//! AVX-512 IFMA on eight lanes.

use crate::fp8::{Ifma512, mul};

mul::kernel!(Ifma512(()));
