//! The schoolbook method by halves, products that do not overlap first.

crate::fp::mul_kernel!(|a, b| product::recursive(a, b, product::Order::OuterFirst));
