//! Saturated limbs only: for every processor.

use super::product::Product::{Schoolbook, Toom22, Toom33, Toom44};
use super::settings::Plan;
use super::steps::NEVER;
use crate::Isa;

/// The plan.
pub(super) const PLAN: Plan = Plan {
    machine: "AMD EPYC, Zen 4 (family 25, model 17), its AVX-512 unused",
    date: "2026-11-21",
    needs: Isa::NONE,
    models: &[],
    mul: &[
        (47, Schoolbook),
        (145, Toom22),
        (219, Toom33),
        (NEVER, Toom44),
    ],
    sqr: &[
        (63, Schoolbook),
        (189, Toom22),
        (259, Toom33),
        (NEVER, Toom44),
    ],
    bnm1: 120,
    divide: 30,
    barrett: 48,
    redc_n: 180,
    mclaughlin: NEVER,
    radix: 24,
    fixed_window: &[
        (16, 1),
        (64, 3),
        (256, 4),
        (1536, 5),
        (12288, 6),
        (NEVER, 7),
    ],
    comb_teeth: &[(32, 4), (NEVER, 6)],
    comb_blocks: &[(64, 4), (NEVER, 8)],
    radix52: NEVER,
    radix52_up_to: NEVER,
    radix52_alone: 1,
    blocks52: NEVER,
    amm: &[(NEVER, "portable")],
    amm_x2: &[(NEVER, "portable")],
    ams: &[(NEVER, "portable")],
    ams_x2: &[(NEVER, "portable")],
    lanes: &[(NEVER, NEVER)],
    lanes_private: &[(NEVER, NEVER)],
    lane_amm: &[(NEVER, "portable")],
    lane_amm_select: &[(NEVER, "portable")],
    lane_ams: &[(NEVER, "portable")],
    lane_window: &[(NEVER, 4)],
    lane_pairs: 1,
    team_pow: 64,
    team_block: &[(383, 16), (767, 128), (NEVER, 256)],
    team_mul: 1024,
    team_private: 1,
};
