//! Radix 2^52 on 512-bit instructions that are executed as two halves.

use super::product::Product::{Fft, Schoolbook, Toom22, Toom33, Toom44};
use super::saturated;
use super::settings::Plan;
use super::steps::NEVER;
use carrysave_kernels::radix52;

/// The plan.
pub(super) const PLAN: Plan = Plan {
    machine: "AMD EPYC, Zen 4 (family 25, model 17)",
    date: "2026-11-21",
    needs: radix52::IFMA,
    fixed_window: &[
        (16, 1),
        (64, 3),
        (512, 4),
        (6144, 5),
        (12288, 6),
        (NEVER, 7),
    ],
    comb_teeth: &[(32, 4), (NEVER, 5)],
    comb_blocks: &[(128, 4), (NEVER, 8)],
    mul: &[
        (128, Schoolbook),
        (224, Toom22),
        (479, Toom33),
        // An estimate, as for squares: from where the transforms of `fma256` take over from Toom-4 in saturated limbs,
        // and Toom-4 being about 1.7 times as fast here; `fma512` was not timed.
        (3071, Toom44),
        (NEVER, Fft),
    ],
    sqr: &[
        (128, Schoolbook),
        (263, Toom22),
        (799, Toom33),
        (4095, Toom44),
        (NEVER, Fft),
    ],
    bnm1: 130,
    barrett: 32,
    redc_n: 56,
    // Not measured: where the time of the transforms of Zen 3 meets the square of the digits.
    mclaughlin: 1024,
    radix52: 129,
    radix52_up_to: NEVER,
    // An estimate.
    blocks52: 10_240,
    // Where three registers of eight digits are not full, narrower ones waste less work.
    amm: &[(20, "ifma256"), (NEVER, "ifma512")],
    amm_x2: &[(NEVER, "ifma512")],
    ams: &[(32, "ifma256"), (NEVER, "ifma512")],
    ams_x2: &[(20, "ifma256"), (NEVER, "ifma512")],
    lanes: &[(832, 3), (1216, 4), (NEVER, 6)],
    lanes_private: &[(704, 4), (1088, 5), (NEVER, 6)],
    lane_amm: &[(39, "ifma512"), (NEVER, "karatsuba512")],
    lane_amm_select: &[(59, "ifma512"), (NEVER, "karatsuba512")],
    lane_ams: &[(39, "ifma512"), (NEVER, "karatsuba512")],
    lane_window: &[(30, 4), (NEVER, 5)],
    lane_pairs: 10,
    team_pow: NEVER,
    ..saturated::PLAN
};
