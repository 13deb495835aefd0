//! Powers by a team.

use super::Modulus;
use crate::nat::{LIMB_BITS, Nat};
use crate::plan::{USUAL_ROUND_TRIP, counted_round_trip};
use crate::ring::Purpose;
use crate::ring::team::ByTeam;
use carrysave_team::Team;

impl Modulus {
    /// `base^exp mod n` by a team, over every bit of the exponent's width. It is [`Modulus::pow`] where one thread is
    /// faster, by the plan and the team's [round trip](Team::round_trip), or the exponent is short.
    ///
    /// A fixed window. Two threads do half of every multiplication each (Kaihara, Takagi, Bipartite modular
    /// multiplication, CHES 2005), and more threads share the halves: up to eight, in radix 2^52 an even number up to
    /// sixteen. If multiplication is by transforms (McLaughlin, Math. Comp. 73, 2004), the members share the primes, and
    /// up to five are used. No member waits for a straggler.
    ///
    /// # Panics
    /// If `base` is not of the modulus's width.
    ///
    /// # Timing
    /// Depends on the widths of `n` and `exp`, and on when the system schedules the threads.
    ///
    /// ```
    /// use carrysave_arith::{Modulus, Nat};
    /// use carrysave_team::Serial;
    /// let n = Modulus::new(&Nat::from_limb(101)).unwrap();
    /// assert!(n.pow_on(&Serial, &Nat::from_limb(2), &Nat::from_limb(100)).is_one());
    /// ```
    pub fn pow_on(&self, team: &dyn Team, base: &Nat, exp: &Nat) -> Nat {
        self.check(base);
        match self.form_on(team, exp.width() * LIMB_BITS) {
            Some((form, members)) => form.power(team, members, base, exp),
            None => self.pow(base, exp),
        }
    }

    /// How many members of a team [`Modulus::pow_on`] uses for an exponent of `bits` bits: 1 where one thread is faster.
    ///
    /// ```
    /// use carrysave_arith::{Modulus, Nat};
    /// use carrysave_team::Serial;
    /// let n = Modulus::new(&Nat::from_limb(101)).unwrap();
    /// assert_eq!(n.pow_members(&Serial, 64), 1);
    /// ```
    pub fn pow_members(&self, team: &dyn Team, bits: usize) -> usize {
        let form = self.form_on(team, bits.next_multiple_of(LIMB_BITS));
        form.map_or(1, |(_, members)| members)
    }

    /// The first representation that pays and has a form for teams, where that is faster than one thread for an exponent
    /// of `bits` bits, and how many members are fastest.
    fn form_on(&self, team: &dyn Team, bits: usize) -> Option<(&dyn ByTeam, usize)> {
        let pace = self.pace_on(team, bits)?;
        let purpose = Purpose::Power(bits);
        let mut forms = self
            .made(purpose)
            .filter_map(|(row, made)| made.team(row, &self.0.saturated));
        let form = forms.next()?;
        let time = |members| Some((members, pace.time(members, form.work(members)?)));
        let times = (2..=team.size().min(MOST)).filter_map(time);
        let (members, _) = times.min_by(|(_, a), (_, b)| a.total_cmp(b))?;
        Some((form, members))
    }

    /// How long a multiplication takes, if a power to an exponent of `bits` bits is faster by a team than alone.
    fn pace_on(&self, team: &dyn Team, bits: usize) -> Option<Pace> {
        let (k, least) = (self.width() as u128, self.plan().team_pow as u128);
        let usual = USUAL_ROUND_TRIP.as_nanos();
        let trip = counted_round_trip(team).as_nanos();
        let square = least.saturating_mul(least);
        // The gain of a multiplication grows with the square of the width, its cost with the round trip. There is no
        // gain until the others have woken up.
        let pays = team.size() > 1
            && k * k * usual >= square.saturating_mul(trip)
            && k * k * bits as u128 >= square.saturating_mul(least);
        // Two members that begin to pay save as much as an exchange costs: half of the work.
        pays.then(|| Pace {
            exchanges: 2.0 * (k * k * usual) as f64 / (square * trip) as f64,
        })
    }
}

/// The most members that are of use.
const MOST: usize = 16;

/// The time of one thread for a multiplication, as a multiple of that of an exchange between two members.
struct Pace {
    exchanges: f64,
}

impl Pace {
    /// The time of so many members, of which the busiest has this part of the work: each member reads the parts of all
    /// others.
    fn time(&self, members: usize, work: f64) -> f64 {
        self.exchanges * work + (members - 1) as f64
    }
}
