//! Published methods, for comparison: of sharing one operation among threads, and of inverses.

pub mod inverse;
mod modulus;
pub mod mont_mul;
pub mod pow;
