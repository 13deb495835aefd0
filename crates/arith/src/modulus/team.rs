//! Powers by a team.

use super::Modulus;
use crate::nat::{LIMB_BITS, Nat};
use crate::plan::{USUAL_ROUND_TRIP, counted_round_trip};
use crate::ring::Ring;
use crate::ring::blocks52::Blocks52;
use crate::ring::team::bipartite::{Bipartite, InShares};
use crate::ring::team::bipartite52::{Bipartite52, InHalves};
use crate::ring::team::power::pow_shared;
use crate::ring::team::rows::InRows;
use carrysave_team::Team;

impl Modulus {
    /// `base^exp mod n` by a team, over every bit of the exponent's width: as [`Modulus::pow`], and by it where that is
    /// faster by the plan and the team's [round trip](Team::round_trip), or the exponent short.
    ///
    /// A fixed window. Two threads do half of every multiplication each (Kaihara, Takagi, Bipartite modular
    /// multiplication, CHES 2005), and up to eight have a use, but in radix 2^52 no more than two; where multiplication is
    /// by transforms (McLaughlin, Math. Comp. 73, 2004), each member has some of the primes, and up to five have a use. A
    /// thread that is not there in time is not waited for.
    ///
    /// # Panics
    /// If `base` is not of the modulus's width.
    ///
    /// # Timing
    /// Depends on the widths of `n` and `exp`, and on when the system lets the threads run.
    ///
    /// ```
    /// use carrysave_arith::{Modulus, Nat};
    /// use carrysave_team::Serial;
    /// let n = Modulus::new(&Nat::from_limb(101)).unwrap();
    /// assert!(n.pow_on(&Serial, &Nat::from_limb(2), &Nat::from_limb(100)).is_one());
    /// ```
    pub fn pow_on(&self, team: &dyn Team, base: &Nat, exp: &Nat) -> Nat {
        self.check(base);
        if !self.pays_on(team, exp.width() * LIMB_BITS) {
            return self.pow(base, exp);
        }
        let c = &self.0.context;
        if let Some(ring) = self.mclaughlin(exp.width() * LIMB_BITS) {
            let members = ring.members(team.size());
            if members == 1 {
                return self.pow(base, exp);
            }
            let mut t = ring.scratch_words();
            let first = [ring.one(), ring.enter(&[base], &mut t)];
            let parts = InRows::parts(ring, members);
            let shared = || InRows::new(ring, members);
            let power = pow_shared(c, team, members, &parts, first, exp, shared);
            return Nat::from_limbs(&power);
        }
        if let Some((ring, bipartite)) = self.bipartite52(exp.width() * LIMB_BITS) {
            let first = InHalves::enter(c, ring, base);
            let shared = || InHalves::new(ring, bipartite);
            let power = pow_shared(c, team, 2, &[ring.width()], first, exp, shared);
            return ring.residue_of(&power);
        }
        let bipartite = (self.0.bipartite).get_or_init(|| Box::new(Bipartite::new(c)));
        let shares = InShares::shares(c, team.size());
        let first = InShares::enter(c, base);
        let parts = [self.width() + 1];
        let shared = || InShares::new(c, bipartite, &shares);
        let power = pow_shared(c, team, shares[0].len(), &parts, first, exp, shared);
        Nat::from_limbs(&power)
    }

    /// What two need in radix 2^52 for a power to an exponent of so many bits, where one would take that, too.
    pub(super) fn bipartite52(&self, bits: usize) -> Option<(&Blocks52, &Bipartite52)> {
        let ring = self.blocks52(bits)?;
        let pays = ring.blocks() >= Bipartite52::LEAST;
        pays.then(|| {
            let contexts = &*self.0;
            let new = || Box::new(Bipartite52::new(&contexts.context, ring));
            (ring, &**contexts.bipartite52.get_or_init(new))
        })
    }

    /// Whether a power by a team is faster than alone, to an exponent of so many bits.
    fn pays_on(&self, team: &dyn Team, bits: usize) -> bool {
        let (k, least) = (self.width() as u128, self.plan().team_pow as u128);
        let usual = USUAL_ROUND_TRIP.as_nanos();
        let trip = counted_round_trip(team).as_nanos();
        let square = least.saturating_mul(least);
        // What a multiplication gains goes with the square of the width, what it pays with the round trip. Until the
        // others have woken up nothing is gained.
        team.size() > 1
            && k > 1
            && k * k * usual >= square.saturating_mul(trip)
            && k * k * bits as u128 >= square.saturating_mul(least)
    }
}
