//! Saturated limbs, and lanes of AVX-IFMA, on Intel's processors without AVX-512.

use super::intel_client;
use super::settings::Plan;
use super::steps::NEVER;
use carrysave_kernels::mb8;

/// The plan: what is not about lanes is [`intel_client`]'s.
pub(super) const PLAN: Plan = Plan {
    machine: "Intel Xeon, Granite Rapids by its caches, AVX-512's instructions in place of AVX-IFMA's",
    date: "2026-11-29",
    needs: intel_client::PLAN.needs.and(mb8::AVX_IFMA),
    lanes: &[(NEVER, 4)],
    lanes_private: &[(NEVER, 4)],
    lane_amm: &[(NEVER, "avx_ifma")],
    lane_amm_select: &[(NEVER, "avx_ifma")],
    lane_ams: &[(NEVER, "avx_ifma")],
    lane_window: &[(39, 4), (NEVER, 5)],
    ..intel_client::PLAN
};
