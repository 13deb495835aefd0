//! One level of Karatsuba's method.

crate::fp::sqr_kernel!(|a| product::karatsuba(a, a));
