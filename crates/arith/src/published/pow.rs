//! One exponentiation on two threads, by sliding windows from the right.
//!
//! Zidenberg, Optimizing Crypto++ library for P4: three versions, over any group. For comparison.

use crate::group::Group;
use crate::nat::Nat;
use crate::plan::choose;
use crate::pow::sliding_rl::{WORST_CASE, buckets, fill, gather, powers, windows};
use carrysave_team::Team;
use std::sync::OnceLock;

/// A method of sharing one exponentiation between two threads.
///
/// Further members of a larger team are idle; a team of one does both parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// Each thread raises to a part of the exponent: the main thread to the high bits, which needs every squaring, and
    /// the helper to as many low bits as take slightly less time.
    V1,
    /// The main thread squares, and passes the power at the start of each window to the helper, which multiplies it
    /// into the window's bucket. The main thread combines the buckets.
    V2,
    /// Version 2 with windows of 3 bits, so that the main thread combines fewer buckets.
    V2_1,
}

impl Version {
    /// All methods.
    pub const ALL: [Version; 3] = [Version::V1, Version::V2, Version::V2_1];

    /// `base^exp` for a public exponent, in a group that `group` makes for each thread.
    ///
    /// # Timing
    /// Depends on the exponent's value.
    pub fn power_vartime<G: Group>(
        self,
        team: &dyn Team,
        group: &(dyn Fn() -> G + Sync),
        base: &G::Element,
        exp: &Nat,
    ) -> G::Element {
        let bits = exp.bits_vartime();
        match self {
            Version::V1 => split(team, group, base, exp),
            Version::V2 => elements(team, group, base, exp, choose(WORST_CASE, bits)),
            Version::V2_1 => elements(team, group, base, exp, 3),
        }
    }

    /// The average multiplications and squarings of the main thread and of the helper for an exponent of this length:
    /// the published equations.
    ///
    /// ```
    /// use carrysave_arith::published::pow::Version;
    /// let [main, helper] = Version::V2.workloads(1024);
    /// assert_eq!((main.round(), helper.round()), (1087.0, 146.0));
    /// ```
    pub fn workloads(self, bits: usize) -> [f64; 2] {
        let filling = |bits: usize, k: usize| bits as f64 / (k + 1) as f64;
        let gathering = |k: usize| f64::exp2(k as f64) - 1.0;
        let pipeline = |k| [bits as f64 + gathering(k), filling(bits, k)];
        match self {
            Version::V1 => {
                let low = split_point(bits);
                let [main, helper] = [bits - low, low].map(|part| {
                    let k = choose(WORST_CASE, part);
                    filling(part, k) + gathering(k)
                });
                [bits as f64 + main, low as f64 + helper]
            }
            Version::V2 => pipeline(choose(WORST_CASE, bits)),
            Version::V2_1 => pipeline(3),
        }
    }
}

/// The extra work of the main thread of version 1: published as "A ~ 1". With this value the equations give the
/// published workloads for 1024 bits.
const MARGIN: (usize, usize) = (227, 200);

/// The number of low bits for the helper of version 1: `j = (n A - 2^q) / (A + 1/(q + 1))`, where q is the window width
/// for j bits, found in two rounds.
fn split_point(bits: usize) -> usize {
    let (a, one) = MARGIN;
    let round = |q: usize| {
        let part = (bits * a).saturating_sub(one << q) * (q + 1) / (a * (q + 1) + one);
        part.min(bits)
    };
    round(choose(WORST_CASE, round(choose(WORST_CASE, bits))))
}

/// Version 1.
fn split<G: Group>(
    team: &dyn Team,
    group: &(dyn Fn() -> G + Sync),
    base: &G::Element,
    exp: &Nat,
) -> G::Element {
    let bits = exp.bits_vartime();
    let at = split_point(bits);
    let high = exp.shr(at).shl(at);
    let low = exp.sub(&high).expect("a part of it");
    let parts = [
        (&high, choose(WORST_CASE, bits - at)),
        (&low, choose(WORST_CASE, at)),
    ];
    let done = [OnceLock::new(), OnceLock::new()];
    team.run(&|member| {
        let mut group = group();
        for i in (member.rank()..2).step_by(member.size()) {
            done[i].get_or_init(|| powers(&mut group, base, &parts[i..=i]).remove(0));
        }
    });
    let [mut r, low] = done.map(|part| part.into_inner().expect("each part was done"));
    group().mul(&mut r, &low);
    r
}

/// Versions 2 and 2.1, by windows of k bits.
fn elements<G: Group>(
    team: &dyn Team,
    group: &(dyn Fn() -> G + Sync),
    base: &G::Element,
    exp: &Nat,
    k: usize,
) -> G::Element {
    // Windows have k bits but the last one, and a carry may make one more.
    let most = exp.bits_vartime() / k + 2;
    let handed: Vec<OnceLock<G::Element>> = (0..most).map(|_| OnceLock::new()).collect();
    let filled = OnceLock::new();
    team.run(&|member| {
        let mut group = group();
        let windows = windows(&group, exp, k);
        if member.rank() == 0 {
            let mut g = base.clone(); // base^(2^place)
            let mut place = 0;
            for ((at, _), slot) in windows.iter().zip(&handed) {
                for _ in place..*at {
                    group.square(&mut g);
                }
                place = *at;
                slot.get_or_init(|| g.clone());
            }
        }
        if member.rank() == 1 % member.size() {
            let mut buckets = buckets(&group, k);
            for ((_, digit), slot) in windows.iter().zip(&handed) {
                member.wait_until(|| slot.get().is_some());
                let power = slot.get().expect("it was waited for");
                fill(&mut group, &mut buckets, power, *digit);
            }
            filled.get_or_init(|| buckets);
        }
    });
    let buckets = filled.into_inner().expect("the helper filled them");
    gather(&mut group(), buckets)
}
