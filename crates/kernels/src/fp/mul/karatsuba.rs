//! One level of Karatsuba's method, carries of half sums as masks.

crate::fp::mul_kernel!(|a, b| product::karatsuba(a, b));
