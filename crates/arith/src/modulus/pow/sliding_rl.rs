//! A sliding window from the right with a bucket for each odd window, for any number of exponents of one base
//! (Zidenberg, Optimizing Crypto++ library for P4; Yao 1976; Knuth, TAOCP 2, 4.6.3, exercise 9).

use super::super::ring::{Ring, Words};
use super::digit;
use crate::nat::Nat;
use crate::plan::{NEVER, Steps, choose};
use carrysave_kernels::Limb;

/// The window's width by bits of the exponent that makes n + n/k + 2^k - 1 multiplications least: the most there can
/// be.
pub(super) const WORST_CASE: Steps<usize> = &[
    (6, 1),
    (24, 2),
    (96, 3),
    (320, 4),
    (960, 5),
    (2688, 6),
    (NEVER, 7),
];

/// The one that makes n + n/(k + 1) + 2^k - 1 least: what a random exponent needs.
pub(super) const AVERAGE_CASE: Steps<usize> = &[
    (17, 1),
    (47, 2),
    (159, 3),
    (479, 4),
    (1343, 5),
    (3583, 6),
    (NEVER, 7),
];

/// The power to each of some public exponents, which share the squarings.
pub(super) fn powers(
    ring: &dyn Ring,
    base: &[Limb],
    exps: &[&Nat],
    policy: Steps<usize>,
    t: &mut [Limb],
) -> Vec<Words> {
    let widths = exps.iter().map(|exp| choose(policy, exp.bits_vartime()));
    let windows: Vec<_> = exps.iter().zip(widths.clone()).map(windows).collect();
    let mut buckets: Vec<_> = widths.map(|k| vec![ring.one(); 1 << (k - 1)]).collect();
    let end = windows.iter().flatten().map(|(at, _)| at + 1).max();
    let mut windows: Vec<_> = windows
        .into_iter()
        .map(|w| w.into_iter().peekable())
        .collect();
    let mut g = Words::new(base.to_vec()); // base^(2^place)
    for place in 0..end.unwrap_or(0) {
        if place > 0 {
            ring.sqr(&mut g, t);
        }
        for (windows, buckets) in windows.iter_mut().zip(&mut buckets) {
            if let Some((_, window)) = windows.next_if(|(at, _)| *at == place) {
                ring.mul(&mut buckets[window / 2], &g, t);
            }
        }
    }
    buckets
        .into_iter()
        .map(|buckets| gather(ring, buckets, t))
        .collect()
}

/// The windows of an exponent, of k bits or fewer at its top, each with its place: odd, disjoint, ascending.
fn windows((exp, k): (&&Nat, usize)) -> Vec<(usize, usize)> {
    let (mut windows, mut i, bits) = (Vec::new(), 0, exp.bits_vartime());
    while i < bits {
        if exp.bit(i) {
            windows.push((i, digit(exp, i, k) as usize));
            i += k;
        } else {
            i += 1;
        }
    }
    windows
}

/// The product of `buckets[i]^(2i + 1)` over all i: that of the running products from the top, squared, times the last
/// one.
fn gather(ring: &dyn Ring, mut buckets: Vec<Words>, t: &mut [Limb]) -> Words {
    let mut running = buckets.pop().expect("there is one at least");
    let Some(mut lowest) = (!buckets.is_empty()).then(|| buckets.remove(0)) else {
        return running;
    };
    let mut r = running.clone();
    for bucket in buckets.iter().rev() {
        ring.mul(&mut running, bucket, t);
        ring.mul(&mut r, &running, t);
    }
    ring.mul(&mut lowest, &running, t);
    ring.sqr(&mut r, t);
    ring.mul(&mut r, &lowest, t);
    r
}
