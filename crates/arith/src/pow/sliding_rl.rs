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

/// The width that minimises n + n/(k + 2) + 2^k - 1, the average with signed windows.
pub(crate) const SIGNED_CASE: Steps<usize> = &[
    (35, 1),
    (79, 2),
    (239, 3),
    (671, 4),
    (1791, 5),
    (4607, 6),
    (NEVER, 7),
];

/// The powers to some public exponents, which share the squarings; each exponent has its own window width.
pub(crate) fn powers<G: Group>(
    group: &mut G,
    base: &G::Element,
    exps: &[(&Nat, usize)],
) -> Vec<G::Element> {
    let each = exps.iter();
    let windows: Vec<_> = each.map(|(exp, k)| windows(group, exp, *k)).collect();
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
            if let Some((_, digit)) = windows.next_if(|(at, _)| *at == place) {
                fill(group, buckets, &g, digit);
            }
        }
    }
    buckets
        .into_iter()
        .map(|buckets| gather(group, buckets))
        .collect()
}

/// The windows of an exponent with their places: odd, disjoint, ascending, of k bits or fewer at the top.
///
/// With fast inverses a window that is followed by a 1 is less by 2^k, so that a 0 follows: n/(k + 2) windows on the average,
/// where there are n/(k + 1) without.
pub(crate) fn windows<G: Group>(group: &G, exp: &Nat, k: usize) -> Vec<(usize, i64)> {
    let signed = group.fast_inverse(&group.one()).is_some();
    let (mut windows, mut i, mut carry, bits) = (Vec::new(), 0, 0, exp.bits_vartime());
    while i < bits || carry > 0 {
        let window = word::window(exp.limbs(), i, k) as i64 + carry;
        if window % 2 == 0 {
            i += 1;
            continue;
        }
        let next = word::window(exp.limbs(), i + k, 1) as i64;
        carry = if signed { next } else { 0 };
        windows.push((i, window - (carry << k)));
        i += k;
    }
    windows
}

/// Multiplies an element, or its inverse, into the bucket of a window.
pub(crate) fn fill<G: Group>(
    group: &mut G,
    buckets: &mut [G::Element],
    g: &G::Element,
    digit: i64,
) {
    let bucket = &mut buckets[digit.unsigned_abs() as usize / 2];
    match (digit < 0).then(|| group.fast_inverse(g)).flatten() {
        Some(inverse) => group.mul(bucket, &inverse),
        None => group.mul(bucket, g),
    }
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
