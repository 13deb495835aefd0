//! Floating-point numbers for products in 512-bit vectors, on Intel's servers from before IFMA.

use super::intel_client;
use super::product::Product::{Fft, Schoolbook, Toom22, Toom33, Toom44};
use super::settings::Plan;
use super::steps::NEVER;
use crate::{Isa, Model};
use carrysave_kernels::mb8;

/// The plan.
pub(super) const PLAN: Plan = Plan {
    machine: "Intel Xeon, Cascade Lake (family 6, model 85)",
    date: "2026-11-29",
    needs: mb8::FMA512.and(mb8::FMA).and(Isa::BMI2),
    models: &[Model::IntelServer],
    mul: &[
        (79, Schoolbook),
        (191, Toom22),
        (255, Toom33),
        (377, Toom44),
        (NEVER, Fft),
    ],
    sqr: &[
        (119, Schoolbook),
        (170, Toom22),
        (300, Toom33),
        (430, Toom44),
        (NEVER, Fft),
    ],
    bnm1: 63,
    barrett: 65,
    mclaughlin: 217,
    fixed_window: &[(256, 4), (1280, 5), (11776, 6), (NEVER, 7)],
    radix52: 513,
    // What the vectors of the kernels hold.
    radix52_up_to: 4158,
    radix52_alone: 513,
    amm: &[(NEVER, "fma512")],
    amm_x2: &[(NEVER, "fma512")],
    ams: &[(NEVER, "fma512")],
    ams_x2: &[(NEVER, "fma512")],
    lanes: &[(1088, 5), (3072, 6), (NEVER, 7)],
    lanes_private: &[(700, 5), (NEVER, 6)],
    lane_amm: &[(NEVER, "fma512")],
    lane_amm_select: &[(NEVER, "fma512")],
    lane_ams: &[(NEVER, "fma512")],
    lane_window: &[(24, 4), (NEVER, 5)],
    team_pow: 65,
    ..intel_client::PLAN
};
