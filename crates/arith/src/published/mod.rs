//! Ways to share one operation among threads as they were published, for comparison.

pub mod mont_mul;
pub mod pow;
