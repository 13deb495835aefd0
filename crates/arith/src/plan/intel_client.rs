//! Saturated limbs, and floating-point numbers for transforms and lanes, on Intel's processors.

use super::product::Product::{Fft, Schoolbook, Toom22, Toom33, Toom44};
use super::settings::Plan;
use super::steps::NEVER;
use super::zen3;
use crate::Model;

/// The plan.
pub(super) const PLAN: Plan = Plan {
    machine: "Intel Xeon, Emerald Rapids (family 6, model 207), its AVX-512 unused",
    date: "2026-11-27",
    models: &[Model::IntelClient, Model::IntelServer],
    mul: &[
        (128, Schoolbook),
        (256, Toom22),
        (377, Toom33),
        (448, Toom44),
        (NEVER, Fft),
    ],
    sqr: &[
        (128, Schoolbook),
        (256, Toom22),
        (377, Toom33),
        (465, Toom44),
        (NEVER, Fft),
    ],
    divide: 38,
    redc_n: 321,
    fixed_window: &[(704, 4), (11776, 5), (NEVER, 7)],
    ..zen3::PLAN
};
