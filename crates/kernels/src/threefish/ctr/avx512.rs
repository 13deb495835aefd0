//! AVX-512: eight blocks a vector; of Threefish-256 six vectors are in flight, of -512 three. Counters need no transposition.

pub use crate::threefish::sliced::zmm::counter as kernel;
