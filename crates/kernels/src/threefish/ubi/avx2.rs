//! AVX2: four leaves a vector; of Threefish-256 two vectors are in flight. One leaf is left to scalar code.

pub use crate::threefish::sliced::ymm::leaves as kernel;
