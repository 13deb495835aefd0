//! Published methods of sharing one operation among threads, for comparison.

mod modulus;
pub mod mont_mul;
pub mod pow;
