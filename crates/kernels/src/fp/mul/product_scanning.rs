//! The schoolbook method by columns (product scanning).

crate::fp::mul_kernel!(|a, b| product::product_scanning(a, b));
