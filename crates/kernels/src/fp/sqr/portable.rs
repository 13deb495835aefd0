//! Products of different words once, doubled, and the squares of words, in plain Rust.

crate::fp::sqr_kernel!(|a| product::square(a));
