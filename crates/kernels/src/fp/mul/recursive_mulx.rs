//! `recursive` compiled for `mulx`.

crate::fp::mul_kernel!(
    #[target_feature(enable = "bmi2")]
    |a, b| product::recursive(a, b, product::Order::OuterFirst)
);
