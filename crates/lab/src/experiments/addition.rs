//! `addition`: the tests of addition and subtraction in "Optimizing Crypto++ library for P4", on this processor.
//!
//! Numbers of 1088 bits at odd multiples of 64 bits, and of 1152 bits at multiples of 128 bits. Operands are random and
//! hardly come back, because a kernel that branches on carries would learn them. `docs/design/published.md` has the
//! published figures.

use super::{Experiment, Levels, Share, random_limbs};
use crate::{Bench, Error, record::Size};
use carrysave_kernels::{
    Limb,
    mpn::{AddN, SubN},
};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "addition",
    about: "additions and subtractions of 1088 bits (64-bit aligned) and 1152 bits (128-bit aligned)",
    run,
    levels: Levels {
        quick: Some(Share::new(&[], 0.1, 1.0)),
        standard: Share::new(&[], 0.5, 2.0),
        full: Share::new(&[], 1.0, 5.0),
    },
};

fn run(bench: &mut Bench<'_>) -> Result<(), Error> {
    let cpu = bench.cpu();
    for bits in bench.limb_bits(&[1088, 1152])? {
        let add = |k: AddN| move |x: &mut Walk| x.step(|r, a, b| k.call(r, a, b));
        let kernels = AddN::all_vartime(cpu).map(|k| (k.name(), add(k)));
        race(bench, "mpn_add_n", bits, |a, b| a + b, kernels);
        let subtract = |k: SubN| move |x: &mut Walk| x.step(|r, a, b| k.call(r, a, b));
        let kernels = SubN::all_vartime(cpu).map(|k| (k.name(), subtract(k)));
        race(bench, "mpn_sub_n", bits, |a, b| a - b, kernels);
    }
    Ok(())
}

/// Races the kernels; `exact` is what they do to limbs, with a carry that adds up.
fn race<'a>(
    bench: &'a mut Bench<'_>,
    operation: &'static str,
    bits: usize,
    exact: fn(i128, i128) -> i128,
    kernels: impl Iterator<Item = (&'static str, impl Fn(&mut Walk) -> Limb + Clone + 'a)>,
) {
    let mut race = bench.race(operation, Size::Bits(bits));
    for (name, kernel) in kernels {
        let walk = kernel.clone();
        race.enter(
            &format!("carrysave/{name}"),
            move || Walk::new(bits),
            move |x| walk(x),
            |_| check(&mut Walk::new(bits), exact, &kernel),
        );
    }
    race.run();
}

/// Runs a kernel on some operands and compares the results with sums or differences made limb by limb.
fn check(
    x: &mut Walk,
    exact: fn(i128, i128) -> i128,
    kernel: impl Fn(&mut Walk) -> Limb,
) -> Result<(), String> {
    for _ in 0..1000 {
        let returned = kernel(x);
        let ([a, b], mut carry) = (x.places.operands(), 0);
        for ((&a, &b), &limb) in a.iter().zip(b).zip(&x.result[x.start..]) {
            let sum = exact(a.into(), b.into()) + carry;
            carry = sum >> 64;
            if limb != sum as Limb {
                return Err("its answer is wrong".to_owned());
            }
        }
        if i128::from(returned) != carry.abs() {
            return Err("its carry is wrong".to_owned());
        }
    }
    Ok(())
}

/// A result, and operands that walk through random limbs.
struct Walk {
    places: Places,
    result: Vec<Limb>,
    start: usize,
}

/// Two operands that go on by two limbs a step. The numbers of their places have no common divisor, so that a pair comes
/// back after 265,189 steps, out of memory that the first-level cache holds.
struct Places {
    limbs: Vec<Limb>,
    start: usize,
    at: [usize; 2],
    n: usize,
}

const PLACES: [usize; 2] = [509, 521];

impl Walk {
    fn new(bits: usize) -> Walk {
        let n = bits / 64;
        let (limbs, result) = (random_limbs(2 * PLACES[1] + n), random_limbs(n + 1));
        // An odd number of limbs stands at odd multiples of 64 bits, an even number at even ones.
        let start = |limbs: &[Limb]| (limbs.as_ptr().addr() / size_of::<Limb>() + n) % 2;
        Walk {
            start: start(&result),
            result,
            places: Places {
                start: start(&limbs),
                limbs,
                at: [0, 0],
                n,
            },
        }
    }

    /// Goes on to other operands and calls a kernel with them.
    fn step(&mut self, kernel: impl FnOnce(&mut [Limb], &[Limb], &[Limb]) -> Limb) -> Limb {
        for (at, places) in self.places.at.iter_mut().zip(PLACES) {
            *at = if *at + 1 == places { 0 } else { *at + 1 };
        }
        let [a, b] = self.places.operands();
        kernel(&mut self.result[self.start..][..a.len()], a, b)
    }
}

impl Places {
    fn operands(&self) -> [&[Limb]; 2] {
        self.at
            .map(|at| &self.limbs[self.start + 2 * at..][..self.n])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_carry_is_seen() {
        let add = |a: Limb, b: Limb| a.wrapping_add(b);
        let loses_carries = |x: &mut Walk| {
            x.step(|r, a, b| {
                r.iter_mut()
                    .zip(a.iter().zip(b))
                    .for_each(|(r, (&a, &b))| *r = add(a, b));
                0
            })
        };
        assert!(check(&mut Walk::new(1088), |a, b| a + b, loses_carries).is_err());
    }

    #[test]
    fn operands_stand_where_they_should_and_do_not_come_back() {
        for (bits, alignment) in [(1088, 8), (1152, 0)] {
            let mut x = Walk::new(bits);
            let mut seen = std::collections::BTreeSet::new();
            for _ in 0..PLACES[0] * PLACES[1] {
                x.step(|r, a, b| {
                    for operand in [&r[..], a, b] {
                        assert_eq!(operand.as_ptr().addr() % 16, alignment);
                        assert_eq!(operand.len() * 64, bits);
                    }
                    0
                });
                assert!(seen.insert(x.places.at));
            }
        }
    }
}
