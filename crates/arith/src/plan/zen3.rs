//! Saturated limbs, and floating-point numbers for transforms and lanes.

use super::product::Product::{Fft, Schoolbook, Toom22, Toom33, Toom44};
use super::saturated;
use super::settings::Plan;
use super::steps::NEVER;
use crate::Isa;

/// The plan.
pub(super) const PLAN: Plan = Plan {
    machine: "AMD EPYC, Zen 3 (family 25, model 1)",
    date: "2026-11-25",
    needs: Isa::AVX2.and(Isa::FMA).and(Isa::BMI2),
    mul: &[
        (59, Schoolbook),
        (140, Toom22),
        (250, Toom33),
        (414, Toom44),
        (NEVER, Fft),
    ],
    sqr: &[
        (99, Schoolbook),
        (189, Toom22),
        (380, Toom33),
        (440, Toom44),
        (NEVER, Fft),
    ],
    bnm1: 60,
    barrett: 12,
    redc_n: 240,
    mclaughlin: 200,
    fixed_window: &[(512, 4), (1536, 5), (12288, 6), (NEVER, 7)],
    lanes: &[(627, NEVER), (NEVER, 6)],
    lanes_private: &[(627, NEVER), (NEVER, 7)],
    lane_amm: &[(NEVER, "fma256")],
    lane_amm_select: &[(NEVER, "fma256")],
    lane_ams: &[(NEVER, "fma256")],
    lane_window: &[(69, 4), (NEVER, 5)],
    team_pow: 56,
    team_mul: 400,
    ..saturated::PLAN
};
