//! Radix 2^52 on whole 512-bit instructions.

use super::product::Product::{Fft, Schoolbook, Toom22, Toom33};
use super::settings::Plan;
use super::steps::NEVER;
use super::zen4;
use crate::Model;
use carrysave_kernels::radix52;

/// The plan.
pub(super) const PLAN: Plan = Plan {
    machine: "AMD EPYC, Zen 5 (family 26, model 2)",
    date: "2026-11-22",
    needs: radix52::IFMA,
    models: &[Model::Zen5],
    mul: &[
        (128, Schoolbook),
        (224, Toom22),
        (620, Toom33),
        (NEVER, Fft),
    ],
    sqr: &[
        (128, Schoolbook),
        (263, Toom22),
        (880, Toom33),
        (NEVER, Fft),
    ],
    barrett: 140,
    redc_n: 28,
    fixed_window: &[(8, 1), (64, 3), (512, 4), (6144, 5), (12288, 6), (NEVER, 7)],
    radix52_alone: 513,
    blocks52: 4450,
    amm: &[(64, "ahead512"), (NEVER, "ifma512")],
    amm_x2: &[(NEVER, "ifma512")],
    ams: &[(72, "ahead512"), (NEVER, "ifma512")],
    ams_x2: &[(NEVER, "ifma512")],
    lane_amm: &[(33, "ifma512"), (NEVER, "karatsuba512")],
    lane_amm_select: &[(138, "ifma512"), (NEVER, "karatsuba512")],
    lanes: &[(900, 2), (1500, 3), (2200, 4), (3000, 5), (NEVER, 6)],
    lanes_private: &[(700, 2), (1200, 3), (1700, 5), (NEVER, 6)],
    lane_window: &[(12, 4), (NEVER, 5)],
    team_pow: 104,
    team_block: &[(119, 64), (255, 128), (NEVER, 256)],
    // Two threads take 1.1 to 1.2 times longer at 1024 limbs, and 0.88 times as long at 1536 (Granite Rapids).
    team_mul: 1536,
    // Up to 40 digits two powers are interleaved on one thread. On two, those of 2048 bits take 1.5 times less time if
    // operation follows operation, also beside another busy thread, and as long after pauses of 5 to 20 ms, in which
    // processors halt; those of 1536 bits 1.4 times less, and 1.15 times more.
    team_private: 2000,
    ..zen4::PLAN
};
