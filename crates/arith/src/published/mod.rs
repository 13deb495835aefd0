//! Ways to share one operation among threads as they were published, for comparison.

mod modulus;
pub mod mont_mul;
pub mod pow;
