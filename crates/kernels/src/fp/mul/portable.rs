//! The schoolbook method by rows (operand scanning), in plain Rust.

crate::fp::mul_kernel!(|a, b| product::schoolbook(a, b));
