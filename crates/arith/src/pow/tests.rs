//! The cost of each method: counted multiplications against published formulas.

use super::{Method, sliding_rl, sliding_rl_powers};
use crate::group::Group;
use crate::nat::Nat;
use crate::plan::{Plan, Steps, choose};
use crate::ring::{Ring, Words};
use carrysave_kernels::{Limb, mpn::Mpn};
use std::cell::Cell;

/// Numbers modulo a small one, with every squaring and multiplication counted.
struct Counting {
    n: Nat,
    squarings: Cell<usize>,
    products: Cell<usize>,
}

impl Counting {
    fn new() -> Counting {
        Counting {
            n: Nat::from_limb(65537),
            squarings: Cell::new(0),
            products: Cell::new(0),
        }
    }

    /// Squarings and products since the last call.
    fn take(&self) -> (usize, usize) {
        (self.squarings.take(), self.products.take())
    }
}

impl Ring for Counting {
    fn width(&self) -> usize {
        1
    }

    fn lanes(&self) -> usize {
        1
    }

    fn modulus(&self) -> &Nat {
        &self.n
    }

    fn scratch(&self) -> usize {
        0
    }

    fn mpn(&self) -> &Mpn {
        Mpn::native()
    }

    fn plan(&self) -> &'static Plan {
        Plan::native()
    }

    fn enter(&self, residues: &[&Nat], _: &mut [Limb]) -> Words {
        Words::new(residues[0].limbs().to_vec())
    }

    fn one(&self) -> Words {
        Words::new(vec![1])
    }

    fn mul(&self, r: &mut [Limb], b: &[Limb], _: &mut [Limb]) {
        self.products.set(self.products.get() + 1);
        r[0] = r[0] * b[0] % 65537;
    }

    fn sqr(&self, r: &mut [Limb], _: &mut [Limb]) {
        self.squarings.set(self.squarings.get() + 1);
        r[0] = r[0] * r[0] % 65537;
    }

    fn leave(&self, r: &[Limb], _: &mut [Limb]) -> Vec<Nat> {
        vec![Nat::from_limb(r[0])]
    }
}

/// Exponents of `bits` bits: random ones, one of ones only, one with a single one.
fn exponents(bits: usize) -> Vec<Nat> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let bit = |set: &mut dyn FnMut(usize) -> bool| {
        let mut exp = Nat::power_of_two(bits - 1);
        (0..bits - 1)
            .filter(|&i| set(i))
            .for_each(|i| exp.set_bit(i));
        exp
    };
    let mut all: Vec<Nat> = (0..20).map(|_| bit(&mut |_| random() >> 63 == 1)).collect();
    all.extend([bit(&mut |_| true), bit(&mut |_| false)]);
    all
}

/// The cost of a method for an exponent; checks the answer.
fn count(name: &str, exp: &Nat) -> (usize, usize) {
    let ring = Counting::new();
    let method = Method::named(name).unwrap();
    let power = (method.power)(&ring, &[3], exp, &mut []);
    let counts = ring.take();
    let mut expected = 1;
    for i in (0..exp.bits()).rev() {
        expected = expected * expected % 65537 * if exp.bit(i) { 3 } else { 1 } % 65537;
    }
    assert_eq!(power[0], expected, "{name}");
    counts
}

/// Bits from the top as text, for scans independent of the methods' own.
fn text(exp: &Nat) -> String {
    let bit = |i| if exp.bit(i) { '1' } else { '0' };
    (0..exp.bits()).rev().map(bit).collect()
}

/// The windows of up to k bits from the right, as places.
fn places(exp: &Nat, k: usize) -> Vec<usize> {
    let (text, mut places) = (text(exp), Vec::new());
    let mut rest = &text[..];
    while let Some(one) = rest.rfind('1') {
        places.push(text.len() - 1 - one);
        rest = &rest[..(one + 1).saturating_sub(k)];
    }
    places
}

#[test]
fn binary_methods_cost_what_the_exponent_has_ones() {
    for bits in [1, 2, 17, 64, 300] {
        for exp in exponents(bits) {
            let ones = text(&exp).matches('1').count();
            assert_eq!(count("binary_lr", &exp), (bits - 1, ones - 1));
            assert_eq!(count("binary_rl", &exp), (bits - 1, ones));
            assert_eq!(count("common_multiplicand", &exp), (bits - 1, ones));
        }
    }
}

#[test]
fn signed_digits_are_the_non_adjacent_form() {
    for bits in [1, 2, 17, 63, 120] {
        let mut weights = 0;
        let exponents = exponents(bits);
        for exp in &exponents {
            // Reitwiesner's recoding: an odd number loses 2 - (e mod 4).
            let limb = |i| exp.limbs().get(i).copied().map_or(0, u128::from);
            let (mut e, mut digits, mut weight) = (limb(0) | limb(1) << 64, 0, 0);
            while e > 0 {
                if e % 2 == 1 {
                    weight += 1;
                    e = if e % 4 == 1 { e - 1 } else { e + 1 };
                }
                e /= 2;
                digits += 1;
            }
            // One product more, with the inverse.
            assert_eq!(count("signed_digit", exp), (digits - 1, weight + 1));
            weights += weight;
        }
        let third = exponents.len() * bits / 3;
        assert!(bits < 100 || weights.abs_diff(third) < third / 8);
    }
}

#[test]
fn fixed_windows_cost_the_same_for_every_exponent() {
    for bits in [64, 128, 640, 2048] {
        let w = choose(Plan::native().fixed_window, bits);
        let windows = bits.div_ceil(w);
        for exp in exponents(bits) {
            let expected = (w * (windows - 1), (1 << w) - 2 + windows - 1);
            assert_eq!(count("fixed_window", &exp), expected);
        }
    }
}

/// The cost of a power by windows of a fixed width from the left, from the exponent as text.
fn by_windows(exp: &Nat, w: usize) -> usize {
    let text = text(exp);
    let (mut rest, mut ends) = (&text[..], Vec::new());
    while let Some(one) = rest.find('1') {
        rest = &rest[one..];
        let len = 1 + rest[..w.min(rest.len())].rfind('1').unwrap();
        rest = &rest[len..];
        ends.push(rest.len());
    }
    let table = if w == 1 { 0 } else { 1 << (w - 1) };
    table + ends[0] + ends.len() - 1
}

#[test]
fn windows_from_the_left_take_the_fewest_multiplications() {
    // Every exponent of up to ten bits, usual public exponents, and longer ones.
    let mut exps: Vec<Nat> = (1..1024).chain([65_537]).map(Nat::from_limb).collect();
    exps.extend([17, 32, 33, 64].into_iter().flat_map(exponents));
    // Longer ones with so few ones that a table does not pay.
    exps.extend([128, 256, 2048].map(Nat::power_of_two));
    exps.push(Nat::power_of_two(255).add_limb(0x1_0001));
    for exp in exps {
        let (squarings, products) = count("sliding_lr", &exp);
        let fewest = (1..=10).map(|w| by_windows(&exp, w)).min();
        assert_eq!(Some(squarings + products), fewest, "{}", text(&exp));
    }
}

#[test]
fn public_exponents_of_keys_take_a_squaring_a_bit_and_a_product() {
    for (exp, costs) in [
        (1, (0, 0)),
        (2, (1, 0)),
        (3, (1, 1)),
        (17, (4, 1)),
        (257, (8, 1)),
        (65_537, (16, 1)),
        (1 << 40, (40, 0)),
    ] {
        assert_eq!(count("sliding_lr", &Nat::from_limb(exp)), costs, "{exp}");
    }
}

#[test]
fn long_exponents_have_windows_that_are_best_on_the_average() {
    for bits in [65, 128, 256, 300, 1000, 2048, 5000, 20_000] {
        let cost = |w: &usize| (1 << (w - 1)) as f64 + bits as f64 / (w + 1) as f64;
        let w = (1..=8).min_by(|v, w| cost(v).total_cmp(&cost(w))).unwrap();
        for exp in &exponents(bits)[..3] {
            let (squarings, products) = count("sliding_lr", exp);
            assert_eq!(squarings + products, by_windows(exp, w), "{bits} {w}");
        }
    }
}

const POLICIES: [(&str, Steps<usize>); 2] = [
    ("sliding_rl_worst", sliding_rl::WORST_CASE),
    ("sliding_rl_average", sliding_rl::AVERAGE_CASE),
];

/// A squaring a place, a product a window, and 2^k - 1 to combine the buckets, none for a single bucket.
#[test]
fn sliding_windows_from_the_right_cost_what_the_text_says() {
    for (name, policy) in POLICIES {
        for bits in [1, 6, 7, 24, 25, 160, 1000, 1024, 2700, 3600] {
            let k = choose(policy, bits);
            let gather = if k == 1 { 0 } else { (1 << k) - 1 };
            for exp in exponents(bits) {
                let places = places(&exp, k);
                let (squarings, products) = count(name, &exp);
                let shared = usize::from(k > 1); // one of those that gather is a squaring
                assert_eq!(squarings - shared, *places.last().unwrap());
                assert_eq!(products + shared, places.len() + gather);
                assert!(squarings + products <= bits + bits.div_ceil(k) + gather);
            }
        }
    }
}

/// "Original work: n + n/(k + 1) + 2^k - 1 {1233}" for a random exponent of n = 1024 bits.
#[test]
fn a_random_exponent_of_1024_bits_costs_the_published_1233() {
    let random = &exponents(1024)[..20];
    let total = |exp| {
        let (squarings, products) = count("sliding_rl_worst", exp);
        squarings + products
    };
    let mean = random.iter().map(total).sum::<usize>() / random.len();
    assert!(mean.abs_diff(1233) < 12, "{mean}");
}

#[test]
fn several_exponents_share_the_squarings() {
    let exps: Vec<Nat> = [5, 100, 1024, 333]
        .into_iter()
        .map(|bits| exponents(bits)[0].clone())
        .collect();
    let ring = Counting::new();
    let all: Vec<&Nat> = exps.iter().collect();
    sliding_rl_powers(&ring, &[3], &all, sliding_rl::AVERAGE_CASE);
    let (squarings, products) = ring.take();
    let each: Vec<_> = exps
        .iter()
        .map(|exp| count("sliding_rl_average", exp))
        .collect();
    let gathering = exps.iter().filter(|exp| exp.bits() > 17).count();
    let longest = each.iter().map(|(squarings, _)| squarings).max().unwrap();
    assert_eq!(squarings, longest - 1 + gathering);
    assert_eq!(products, each.iter().map(|(_, products)| products).sum());
}

/// Integers with their sum: the multiples of a number are its powers, and negatives cost nothing.
struct Integers;

impl Group for Integers {
    type Element = i128;

    fn one(&self) -> i128 {
        0
    }

    fn square(&mut self, x: &mut i128) {
        *x *= 2;
    }

    fn mul(&mut self, x: &mut i128, y: &i128) {
        *x += y;
    }

    fn fast_inverse(&self, x: &i128) -> Option<i128> {
        Some(-x)
    }
}

#[test]
fn signed_windows_make_up_the_exponent() {
    let small = (0..600).chain([
        u64::MAX - 1,
        u64::MAX,
        1 << 63,
        0xaaaa_aaaa_aaaa_aaaa,
        0x7777_7777_7777,
    ]);
    for exp in small {
        for k in 1..=7 {
            let mut group = Integers;
            let number = Nat::from_limb(exp);
            let windows = sliding_rl::windows(&group, &number, k);
            let sum = |sum: i128, &(at, digit): &(usize, i64)| sum + (i128::from(digit) << at);
            assert_eq!(windows.iter().fold(0, sum), exp.into(), "{exp} {k}");
            assert!(
                windows
                    .iter()
                    .all(|(_, digit)| digit % 2 != 0 && digit.abs() < 1 << k)
            );
            assert!(windows.is_sorted_by(|(a, _), (b, _)| a + k <= *b));
            let power = sliding_rl::powers(&mut group, &3, &[(&number, k)]);
            assert_eq!(power, [3 * i128::from(exp)]);
        }
    }
}

#[test]
fn signed_windows_are_fewer_by_what_their_width_says() {
    let n = 4000;
    for k in 1..=7 {
        let all: usize = exponents(n)[..20]
            .iter()
            .map(|exp| sliding_rl::windows(&Integers, exp, k).len())
            .sum();
        let (mean, expected) = (all as f64 / 20.0, n as f64 / (k + 2) as f64);
        assert!(
            (mean / expected - 1.0).abs() < 0.02,
            "{k}: {mean}, not {expected}"
        );
        let (n, next) = (sliding_rl::SIGNED_CASE[k - 1].0, k + 1);
        let cost = |n: usize, k: usize| {
            let gather = if k == 1 {
                0.0
            } else {
                f64::exp2(k as f64) - 1.0
            };
            n as f64 / (k + 2) as f64 + gather
        };
        // The limits are where the next width is as good.
        assert!(
            k == 7
                || cost(n, k) < cost(n, next) && (cost(n + 1, k) - cost(n + 1, next)).abs() < 1e-9
        );
    }
}

#[test]
fn window_policies_are_the_published_ones() {
    let published = "worst_case,6,24,96,320,960,2688\naverage_case,17,47,159,479,1343,3583";
    for (line, (_, policy)) in published.lines().zip(POLICIES) {
        let limits = line.split(',').skip(1).map(|limit| limit.parse().unwrap());
        let limits: Vec<usize> = limits.collect();
        let ours: Vec<usize> = policy.iter().map(|(up_to, _)| *up_to).collect();
        assert_eq!(ours[..6], limits);
        assert!(policy.iter().map(|(_, k)| *k).eq(1..=7));
    }
    // The limits are where the next width becomes better (worst case: where both are equal).
    let worst = |n: usize, k: usize| {
        if k == 1 {
            n as f64
        } else {
            n as f64 / k as f64 + f64::exp2(k as f64) - 1.0
        }
    };
    let average = |n: usize, k: usize| {
        if k == 1 {
            n as f64 / 2.0
        } else {
            n as f64 / (k + 1) as f64 + f64::exp2(k as f64) - 1.0
        }
    };
    for k in 1..=6 {
        let n = sliding_rl::WORST_CASE[k - 1].0;
        assert!((worst(n, k) - worst(n, k + 1)).abs() < 1e-9, "{n}");
        let n = sliding_rl::AVERAGE_CASE[k - 1].0;
        assert!(average(n, k) < average(n, k + 1), "{n}");
        assert!(
            (average(n + 1, k) - average(n + 1, k + 1)).abs() < 1e-9,
            "{n}"
        );
    }
}
