//! Radix 2^52 on 512-bit instructions, where sums and products share the same ports.

use super::product::Product::{Fft, Schoolbook, Toom22, Toom33, Toom44};
use super::settings::Plan;
use super::steps::NEVER;
use super::zen5;
use crate::Model;

/// The plan.
pub(super) const PLAN: Plan = Plan {
    machine: "Intel Xeon, Emerald Rapids (family 6, model 207)",
    date: "2026-11-27",
    models: &[Model::IntelServer],
    mul: &[
        (128, Schoolbook),
        (256, Toom22),
        (366, Toom33),
        (470, Toom44),
        (NEVER, Fft),
    ],
    divide: 37,
    redc_n: 69,
    // Of powers; the tuner's race at 26,880 bits, below this, kept the threshold that was an estimate.
    mclaughlin: 444,
    fixed_window: &[(1536, 4), (12288, 5), (NEVER, 7)],
    blocks52: 8193,
    lanes_private: &[(700, 2), (1200, 4), (1700, 5), (NEVER, 6)],
    lane_amm: &[(33, "pairs512"), (NEVER, "karatsuba512")],
    lane_amm_select: &[
        (30, "karatsuba512"),
        (127, "ifma512"),
        (NEVER, "karatsuba512"),
    ],
    lane_ams: &[(39, "pairs512"), (NEVER, "karatsuba512")],
    lane_window: &[(44, 4), (NEVER, 5)],
    team_pow: 129,
    ..zen5::PLAN
};
