//! `portable` compiled for `mulx`.

crate::fp::mul_kernel!(
    #[target_feature(enable = "bmi2")]
    |a, b| product::schoolbook(a, b)
);
