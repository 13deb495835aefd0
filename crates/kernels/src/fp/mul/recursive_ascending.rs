//! The schoolbook method by halves, from the low end of the result to the high.

crate::fp::mul_kernel!(|a, b| product::recursive(a, b, product::Order::Ascending));
