//! AVX-512: eight leaves a vector; of Threefish-256 six vectors are in flight, of -512 three. One leaf is left to scalar code.

pub use crate::threefish::sliced::zmm::leaves as kernel;
