//! Saturated limbs, and floating-point numbers for transforms and lanes, on Intel's processors.

use super::product::Product::{Fft, Schoolbook, Toom22, Toom33, Toom44};
use super::settings::Plan;
use super::steps::NEVER;
use super::zen3;
use crate::Model;

/// The plan.
pub(super) const PLAN: Plan = Plan {
    machine: "Intel Xeon, Cascade Lake (family 6, model 85), its AVX-512 unused",
    date: "2026-11-29",
    models: &[Model::IntelClient, Model::IntelServer],
    mul: &[
        (79, Schoolbook),
        (191, Toom22),
        (310, Toom33),
        (790, Toom44),
        (NEVER, Fft),
    ],
    sqr: &[
        (131, Schoolbook),
        (170, Toom22),
        (319, Toom33),
        (669, Toom44),
        (NEVER, Fft),
    ],
    bnm1: 81,
    divide: 24,
    barrett: 19,
    redc_n: 321,
    mclaughlin: 209,
    fixed_window: &[(704, 4), (11776, 5), (NEVER, 7)],
    ..zen3::PLAN
};
