//! AVX2: four blocks a vector; of Threefish-256 two vectors are in flight. Counters need no transposition.

pub use crate::threefish::sliced::ymm::counter as kernel;
