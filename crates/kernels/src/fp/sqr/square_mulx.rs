//! `portable` compiled for `mulx`.

crate::fp::sqr_kernel!(
    #[target_feature(enable = "bmi2")]
    |a| product::square(a)
);
