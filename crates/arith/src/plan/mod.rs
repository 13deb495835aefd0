//! Choices by size, as data: measured on one machine on one day, instead of constants in the code.

mod avx_ifma;
mod cascade_lake;
mod intel_client;
mod intel_server;
mod product;
mod saturated;
mod settings;
mod steps;
mod value;
mod zen3;
mod zen4;
mod zen5;

use crate::{Cpu, Model, once};
use carrysave_team::Team;
use core::time::Duration;
pub use product::Product;
pub use settings::Plan;
use std::sync::OnceLock;
pub use steps::{NEVER, Steps, choose};
pub use value::{Found, PlanError, Value};

/// The plans, the most demanding first; the last one is for every processor.
pub static PLANS: &[Plan] = &[
    zen5::PLAN,
    intel_server::PLAN,
    zen4::PLAN,
    cascade_lake::PLAN,
    avx_ifma::PLAN,
    intel_client::PLAN,
    zen3::PLAN,
    saturated::PLAN,
];

static NATIVE: OnceLock<&'static Plan> = OnceLock::new();

impl Plan {
    /// This plan with all operations in vector lanes, on portable kernels if necessary: for tests.
    #[doc(hidden)]
    pub fn always_in_lanes(&self) -> &'static Plan {
        Box::leak(Box::new(Plan {
            lanes: &[(NEVER, 1)],
            lanes_private: &[(NEVER, 1)],
            ..self.clone()
        }))
    }

    /// The plan for a processor: an [installed](Plan::install) plan if it [fits](Plan::fits) the processor, else the
    /// first built-in plan that does and is for processors of its kind.
    pub fn best(cpu: Cpu) -> &'static Plan {
        match NATIVE.get() {
            // A built-in plan that this machine uses is also the first for all processors that it fits.
            Some(plan) if cpu.has(plan.needs) => plan,
            _ => Plan::built_in(cpu),
        }
    }

    /// The plan for this machine, found on first use.
    pub fn native() -> &'static Plan {
        once::<&Plan>(&NATIVE, || Plan::built_in(Cpu::native()))
    }

    /// Makes this the plan for this machine, before the program's first computation. The plan is leaked.
    ///
    /// # Errors
    /// If the plan is malformed, needs extensions that the processor lacks, or comes too late.
    pub fn install(self) -> Result<(), PlanError> {
        self.check()?;
        self.fits(Cpu::native())?;
        let late = || PlanError::new("another plan is in use already: install it first");
        NATIVE.set(Box::leak(Box::new(self))).map_err(|_| late())
    }

    /// How many members of a team [`Nat::mul_on`](crate::Nat::mul_on) uses for a product whose shorter factor has `width`
    /// limbs: 1 where one thread is faster.
    ///
    /// ```
    /// use carrysave_arith::Plan;
    /// use carrysave_team::Serial;
    /// assert_eq!(Plan::native().mul_members(&Serial, 1 << 20), 1);
    /// ```
    pub fn mul_members(&self, team: &dyn Team, width: usize) -> usize {
        let (width, usual) = (width as u128, USUAL_ROUND_TRIP.as_nanos());
        // The time of a product, and with it the gain, grows little faster than the width; the cost grows with the round
        // trip.
        let least = (self.team_mul as u128).saturating_mul(counted_round_trip(team).as_nanos());
        // Each further member is to have as much to do as the second one where it begins to pay.
        let others = width.saturating_mul(usual) / least.max(1);
        1 + others.min(team.size() as u128 - 1) as usize
    }

    /// Whether two threads take the powers modulo two primes of `bits` bits each sooner than one thread that interleaves
    /// them.
    ///
    /// ```
    /// use carrysave_arith::Plan;
    /// assert!(Plan::native().private_pays(1 << 16));
    /// ```
    pub fn private_pays(&self, bits: usize) -> bool {
        bits >= self.team_private
    }

    fn built_in(cpu: Cpu) -> &'static Plan {
        let fits = |plan: &&Plan| cpu.has(plan.needs) && plan.is_for(cpu.model());
        PLANS.iter().find(fits).expect("the last one needs nothing")
    }

    /// Whether it is for processors of this kind: a plan that names none is for all.
    fn is_for(&self, model: Model) -> bool {
        self.models.is_empty() || self.models.contains(&model)
    }
}

/// The round trip that the thresholds of a plan assume.
pub const USUAL_ROUND_TRIP: Duration = Duration::from_nanos(250);

/// The round trip of a team for comparison with thresholds: at least the usual one. A shorter one would let shorter
/// powers gain, but they would lose more whenever another process keeps a processor busy.
///
/// ```
/// use carrysave_arith::{USUAL_ROUND_TRIP, counted_round_trip};
/// use carrysave_team::Serial;
/// assert_eq!(counted_round_trip(&Serial), USUAL_ROUND_TRIP);
/// ```
pub fn counted_round_trip(team: &dyn Team) -> Duration {
    team.round_trip().max(USUAL_ROUND_TRIP)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Isa;

    #[test]
    fn the_plans_are_well_formed() {
        for plan in PLANS {
            plan.check().unwrap();
        }
    }

    #[test]
    fn every_processor_has_a_plan() {
        for cpu in Cpu::native().masks() {
            let plan = Plan::best(cpu);
            assert!(cpu.has(plan.needs));
            let before = PLANS.iter().take_while(|other| !std::ptr::eq(*other, plan));
            let fits = |other: &Plan| cpu.has(other.needs) && other.is_for(cpu.model());
            assert!(!before.into_iter().any(fits));
        }
        let last = PLANS.last().unwrap();
        assert!(last.needs == Isa::NONE && last.models.is_empty());
    }
}
