//! A sliding window from the right with a bucket for each odd window, for any number of exponents of one base
//! (Zidenberg, Optimizing Crypto++ library for P4; Yao 1976; Knuth, TAOCP 2, 4.6.3, exercise 9).

use crate::group::Group;
use crate::nat::Nat;
use crate::plan::{NEVER, Steps};
use crate::word;

/// The window width by bits n of the exponent that minimises n + n/k + 2^k - 1 multiplications, the worst case.
pub(crate) const WORST_CASE: Steps<usize> = &[
    (6, 1),
    (24, 2),
    (96, 3),
    (320, 4),
    (960, 5),
    (2688, 6),
    (NEVER, 7),
];

/// The width that minimises n + n/(k + 1) + 2^k - 1, the average for a random exponent.
pub(crate) const AVERAGE_CASE: Steps<usize> = &[
    (17, 1),
    (47, 2),
    (159, 3),
    (479, 4),
    (1343, 5),
    (3583, 6),
    (NEVER, 7),
];

/// The powers to some public exponents, which share the squarings; each exponent has its own window width.
pub(crate) fn powers<G: Group>(
    group: &mut G,
    base: &G::Element,
    exps: &[(&Nat, usize)],
) -> Vec<G::Element> {
    let windows: Vec<_> = exps.iter().map(|(exp, k)| windows(exp, *k)).collect();
    let mut buckets: Vec<_> = exps.iter().map(|(_, k)| buckets(group, *k)).collect();
    let end = windows.iter().flatten().map(|(at, _)| at + 1).max();
    let mut windows: Vec<_> = windows
        .into_iter()
        .map(|w| w.into_iter().peekable())
        .collect();
    let mut g = base.clone(); // base^(2^place)
    for place in 0..end.unwrap_or(0) {
        if place > 0 {
            group.square(&mut g);
        }
        for (windows, buckets) in windows.iter_mut().zip(&mut buckets) {
            if let Some((_, window)) = windows.next_if(|(at, _)| *at == place) {
                group.mul(&mut buckets[window / 2], &g);
            }
        }
    }
    buckets
        .into_iter()
        .map(|buckets| gather(group, buckets))
        .collect()
}

/// The windows of an exponent with their places: odd, disjoint, ascending, of k bits or fewer at the top.
pub(crate) fn windows(exp: &Nat, k: usize) -> Vec<(usize, usize)> {
    let (mut windows, mut i, bits) = (Vec::new(), 0, exp.bits_vartime());
    while i < bits {
        if exp.bit(i) {
            windows.push((i, word::window(exp.limbs(), i, k) as usize));
            i += k;
        } else {
            i += 1;
        }
    }
    windows
}

/// A bucket for each window of k bits; the window w has the index w/2.
pub(crate) fn buckets<G: Group>(group: &G, k: usize) -> Vec<G::Element> {
    vec![group.one(); 1 << (k - 1)]
}

/// The product of `buckets[i]^(2i + 1)` over all i: that of the running products from the top, squared, times the last
/// one.
pub(crate) fn gather<G: Group>(group: &mut G, mut buckets: Vec<G::Element>) -> G::Element {
    let mut running = buckets.pop().expect("there is one at least");
    let Some(mut lowest) = (!buckets.is_empty()).then(|| buckets.remove(0)) else {
        return running;
    };
    let mut r = running.clone();
    for bucket in buckets.iter().rev() {
        group.mul(&mut running, bucket);
        group.mul(&mut r, &running);
    }
    group.mul(&mut lowest, &running);
    group.square(&mut r);
    group.mul(&mut r, &lowest);
    r
}
