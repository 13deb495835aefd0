//! Powers by a team.

use super::Modulus;
use crate::nat::{LIMB_BITS, Nat};
use crate::plan::{USUAL_ROUND_TRIP, counted_round_trip};
use crate::ring::Purpose;
use crate::ring::team::{Attend, ByTeam, relay};
use carrysave_kernels::off_stack;
use carrysave_team::{Member, Team};
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

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
        match self.form_on(team, team.size(), exp.width() * LIMB_BITS) {
            Some((form, members)) => {
                let mut host =
                    |members, attend: &Attend<'_>| attend_on(team, &[Ready::of(members, attend)]);
                form.power(&mut host, members, base, exp)
            }
            None => self.pow(base, exp),
        }
    }

    /// `base^exp mod n` for each of some powers by a team at once, over every bit of each exponent's width: a member
    /// takes the next power, and where there are several members a power, they share it as [`Modulus::pow_on`] does. A member
    /// that finds no more powers goes on with one that another member began, in case that one is not scheduled.
    ///
    /// # Panics
    /// If a base is not of its modulus's width, or a member of the team panics.
    ///
    /// # Timing
    /// As [`Modulus::pow_on`].
    ///
    /// ```
    /// use carrysave_arith::{Modulus, Nat};
    /// use carrysave_team::Spawned;
    /// let [n, m] = [101, 103].map(|n| Modulus::new(&Nat::from_limb(n)).unwrap());
    /// let (two, exponents) = (Nat::from_limb(2), [100, 102].map(Nat::from_limb));
    /// let powers = [(&n, &two, &exponents[0]), (&m, &two, &exponents[1])];
    /// assert!(Modulus::pow_each_on(&Spawned::new(2), &powers).iter().all(Nat::is_one));
    /// ```
    pub fn pow_each_on(team: &dyn Team, powers: &[(&Modulus, &Nat, &Nat)]) -> Vec<Nat> {
        powers.iter().for_each(|(n, base, _)| n.check(base));
        match team.size() {
            1 => powers
                .iter()
                .map(|(n, base, exp)| n.pow(base, exp))
                .collect(),
            members => {
                // Those of a group are on the stack together.
                let groups = powers.chunks(GROUP.max(members));
                let each = |group: &[_]| each_on(team, members / group.len(), group, &[]);
                groups.flat_map(each).collect()
            }
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
        let form = self.form_on(team, team.size(), bits.next_multiple_of(LIMB_BITS));
        form.map_or(1, |(_, members)| members)
    }

    /// How long a power to an exponent of `bits` bits takes by each number of members that can share it, fewest first,
    /// for a team's round trip, however many members the team has: what [`Modulus::pow_on`] chooses by. Waking is left
    /// out.
    ///
    /// ```
    /// use carrysave_arith::{Modulus, Nat};
    /// use carrysave_team::Serial;
    /// let n = Modulus::new(&Nat::power_of_two(16_384).sub_limb(1).unwrap()).unwrap();
    /// for prediction in n.pow_predictions(&Serial, 16_384) {
    ///     // Without an exchange they would be faster.
    ///     assert!(prediction.speedup() < prediction.amdahl());
    /// }
    /// ```
    pub fn pow_predictions(&self, team: &dyn Team, bits: usize) -> Vec<Prediction> {
        match self.form(bits.next_multiple_of(LIMB_BITS)) {
            Some(form) => self.predictions(form, team, MOST).collect(),
            None => Vec::new(),
        }
    }

    /// The first representation that pays for an exponent of `bits` bits and has a form for teams.
    fn form(&self, bits: usize) -> Option<&dyn ByTeam> {
        let mut forms = self
            .made(Purpose::Power(bits))
            .filter_map(|(row, made)| made.team(row, &self.0.saturated));
        forms.next()
    }

    /// The form for an exponent of `bits` bits, where that is faster than one thread, and how many members are fastest,
    /// at most `most`.
    fn form_on(&self, team: &dyn Team, most: usize, bits: usize) -> Option<(&dyn ByTeam, usize)> {
        if most < 2 || !self.pays_on(team, bits) {
            return None;
        }
        let form = self.form(bits)?;
        let all = self.predictions(form, team, most);
        let best = all.min_by(|a, b| a.time.total_cmp(&b.time))?;
        Some((form, best.members))
    }

    /// Whether a power to an exponent of `bits` bits is faster by two members than alone.
    fn pays_on(&self, team: &dyn Team, bits: usize) -> bool {
        let (k, least) = (self.width() as u128, self.plan().team_pow as u128);
        let usual = USUAL_ROUND_TRIP.as_nanos();
        let trip = counted_round_trip(team).as_nanos();
        let square = least.saturating_mul(least);
        // The gain of a multiplication grows with the square of the width, its cost with the round trip. There is no
        // gain until the others have woken up.
        k * k * usual >= square.saturating_mul(trip)
            && k * k * bits as u128 >= square.saturating_mul(least)
    }

    /// The times of up to `most` members.
    fn predictions(
        &self,
        form: &dyn ByTeam,
        team: &dyn Team,
        most: usize,
    ) -> impl Iterator<Item = Prediction> {
        let [usual, trip] =
            [USUAL_ROUND_TRIP, counted_round_trip(team)].map(|time| time.as_secs_f64());
        let widths = self.width() as f64 / self.plan().team_pow as f64;
        // At the least width half of the work of one thread, which two members save, takes as long as an exchange.
        let exchange = trip / (2.0 * widths * widths * usual);
        (2..=most.min(MOST)).filter_map(move |members| {
            let work = form.work(members)?;
            // Each reads the parts of all others.
            let time = work + (members - 1) as f64 * exchange;
            Some(Prediction {
                members,
                work,
                time,
            })
        })
    }
}

/// What a team is expected to need for a power.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// The number of members.
    pub members: usize,
    /// The part of one thread's work that the busiest member has: a count of products.
    pub work: f64,
    /// The time as a multiple of one thread's: the work and the exchanges.
    pub time: f64,
}

impl Prediction {
    /// How many times as fast as one thread.
    pub fn speedup(&self) -> f64 {
        1.0 / self.time
    }

    /// The part of the work that every member does.
    fn serial(&self) -> f64 {
        let members = self.members as f64;
        (members * self.work - 1.0) / (members - 1.0)
    }

    /// How many times as fast as one thread if exchanges took no time: Amdahl's law (AFIPS 1967) for the work that every
    /// member repeats.
    pub fn amdahl(&self) -> f64 {
        1.0 / self.work
    }

    /// How many times as much work as one thread's in its time, if work that is repeated did not grow with the rest:
    /// Gustafson's law (CACM 31, 1988).
    pub fn gustafson(&self) -> f64 {
        self.members as f64 - self.serial() * (self.members - 1) as f64
    }
}

/// How many powers members attend to at once, at least.
const GROUP: usize = 16;

/// A power that members may attend to.
#[derive(Clone, Copy)]
struct Ready<'a> {
    /// How many it is meant for.
    wanted: usize,
    /// How many it has places for: those beyond are for members that have nothing else to do.
    places: usize,
    attend: &'a Attend<'a>,
}

impl<'a> Ready<'a> {
    fn of(members: usize, attend: &'a Attend<'a>) -> Ready<'a> {
        Ready {
            wanted: members,
            places: members,
            attend,
        }
    }
}

/// Powers by a team at once, each by at most `each` members, beside those that are ready: for each, how many members it
/// takes, and what they do.
fn each_on(
    team: &dyn Team,
    each: usize,
    powers: &[(&Modulus, &Nat, &Nat)],
    ready: &[Ready<'_>],
) -> Vec<Nat> {
    let Some((&(n, base, exp), rest)) = powers.split_first() else {
        attend_on(team, ready);
        return Vec::new();
    };
    let bits = exp.width() * LIMB_BITS;
    let mut others = Vec::new();
    let mut go_on = |power: Ready<'_>| {
        let ready: Vec<Ready<'_>> = ready.iter().copied().chain([power]).collect();
        others = each_on(team, each, rest, &ready);
    };
    let power = match n.form_on(team, each, bits) {
        Some((form, members)) => {
            let mut host = |members, attend: &Attend<'_>| go_on(Ready::of(members, attend));
            form.power(&mut host, members, base, exp)
        }
        None => {
            let mut host = |places, attend: &Attend<'_>| {
                go_on(Ready {
                    wanted: 1,
                    places,
                    attend,
                })
            };
            relay::power(n.residues(Purpose::Power(bits)), &mut host, base, exp)
        }
    };
    [power].into_iter().chain(others).collect()
}

/// Has a team attend to powers.
fn attend_on(team: &dyn Team, ready: &[Ready<'_>]) {
    /// Bytes of stack that a member overwrites.
    const STACK: usize = 1 << 14;
    let most = ready.iter().map(|power| power.places).max().unwrap_or(0);
    // First one member for each power, and last those that have nothing else to do.
    let turns = (0..most).flat_map(|me| ready.iter().enumerate().map(move |power| (me, power)));
    let mut places: Vec<_> = turns
        .filter(|(me, (_, power))| *me < power.places)
        .collect();
    places.sort_by_key(|(me, (_, power))| *me >= power.wanted);
    let members = ready.iter().map(|power| power.wanted).sum();
    let next = AtomicUsize::new(1);
    let done: Vec<AtomicBool> = ready.iter().map(|_| AtomicBool::new(false)).collect();
    team.offer_few(members, &|member: &Member<'_>| {
        // The caller has the first place.
        let mut place = match member.rank() {
            0 => 0,
            _ => next.fetch_add(1, Relaxed),
        };
        while let Some((me, (i, power))) = places.get(place) {
            // The first member of a power leaves the result.
            if *me == 0 || !done[*i].load(Relaxed) {
                off_stack::<STACK, _>(|| (power.attend)(member, *me));
                done[*i].store(true, Relaxed);
            }
            place = next.fetch_add(1, Relaxed);
        }
    });
}

/// The most members that are of use.
const MOST: usize = 16;
