//! A tuned plan against the one that is built in: a setting is written only if it pays.

use super::{Races, Setting};
use carrysave_arith::{Cpu, Plan};

/// How many times as long a setting may make an operation before it is slower for certain.
const NOISE: f64 = 1.03;
/// How many times faster it must make one.
const WORTH: f64 = 1.01;

/// A setting that was tuned to something else than what is built in, and raced against that.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// Its name.
    pub name: &'static str,
    /// How many times as long what is built in takes where the most is gained.
    pub gain: f64,
    /// Whether the plan has what was tuned: nothing became slower by more than the noise, and something faster.
    pub kept: bool,
}

/// Races a setting as it was tuned against what is built in, and puts that back unless the other pays; nothing if they
/// do the same at all sizes that can be raced.
pub(super) fn confirm(
    races: &mut Races<'_>,
    setting: &Setting,
    plan: &mut Plan,
    built_in: &Plan,
) -> Option<Compared> {
    let sizes = sizes(races.cpu, setting, plan, built_in);
    if sizes.is_empty() {
        (setting.copy)(plan, built_in);
        return None;
    }
    let mut without = plan.clone();
    (setting.copy)(&mut without, built_in);
    let mut ratio = |size| races.against(setting, plan, &without, size);
    let compared = judge(setting.name, &sizes, &mut ratio);
    if !compared.kept {
        *plan = without;
    }
    Some(compared)
}

/// The sizes at which two plans differ: of those that were raced, and the first and last ones in a row, as a kernel may be
/// much slower just above some size. Where small sizes are part of larger ones, also such as nothing was raced at. Sizes
/// that the operation does not take are left out.
pub(super) fn sizes(cpu: Cpu, setting: &Setting, plan: &Plan, built_in: &Plan) -> Vec<usize> {
    if value(plan, setting) == value(built_in, setting) {
        return vec![];
    }
    let differs = |size: &usize| (setting.get)(plan, *size) != (setting.get)(built_in, *size);
    let all = setting.sizes[0]..=setting.sizes[setting.sizes.len() - 1];
    let takes = |size: &usize| setting.takes(cpu, plan, *size);
    let all: Vec<usize> = all.step_by(setting.grain()).filter(takes).collect();
    let ends = all
        .windows(2)
        .filter_map(|pair| match (differs(&pair[0]), differs(&pair[1])) {
            (true, false) => Some(pair[0]),
            (false, true) => Some(pair[1]),
            _ => None,
        });
    let raced = setting.sizes.iter().copied();
    let raced = raced.filter(takes).filter(differs);
    let mut sizes: Vec<usize> = raced.chain(ends).collect();
    sizes.sort_unstable();
    sizes.dedup();
    if setting.recurs() {
        let last = setting.sizes[setting.sizes.len() - 1];
        sizes.extend([4 * last, 16 * last]);
    }
    sizes
}

/// Whether a setting pays, by how many times as long as it what is built in takes at each size. What loses once is asked
/// again.
fn judge(name: &'static str, sizes: &[usize], ratio: &mut dyn FnMut(usize) -> f64) -> Compared {
    let mut gain: f64 = 0.0;
    let lost = sizes.iter().any(|&size| {
        let first = ratio(size);
        gain = gain.max(first);
        first * NOISE < 1.0 && ratio(size) * NOISE < 1.0
    });
    Compared {
        name,
        gain,
        kept: !lost && gain >= WORTH,
    }
}

/// What a plan has for a setting, in words.
fn value(plan: &Plan, setting: &Setting) -> String {
    let mut settings = plan.settings().into_iter();
    let found = settings.find(|(name, ..)| *name == setting.name);
    found.expect("a plan has what is tuned").1
}

#[cfg(test)]
mod tests {
    use super::super::SETTINGS;
    use super::*;
    use carrysave_arith::NEVER;

    #[test]
    fn what_loses_anywhere_is_not_kept() {
        let judged = |ratios: &[f64]| {
            let sizes: Vec<usize> = (0..ratios.len()).collect();
            judge("x", &sizes, &mut |size| ratios[size])
        };
        assert!(judged(&[1.0, 1.2, 0.98]).kept);
        assert!(!judged(&[1.0, 1.2, 0.9]).kept, "it loses at a size");
        assert!(!judged(&[1.0, 1.001]).kept, "it gains nothing");
        assert!(!judged(&[]).kept, "nothing tells them apart");
        assert_eq!(judged(&[1.0, 1.2, 1.1]).gain, 1.2);
        // Once is noise.
        let mut asked = 0;
        let mut noisy = |size| {
            asked += 1;
            [0.5, 1.0, 1.1][if size == 0 { asked - 1 } else { 2 }]
        };
        assert!(judge("x", &[0, 1], &mut noisy).kept);
        assert_eq!(asked, 3);
    }

    #[test]
    fn plans_are_compared_where_they_differ() {
        let setting = |name| SETTINGS.iter().find(|s| s.name == name).unwrap();
        let plan = |divide, barrett| Plan {
            divide,
            barrett,
            ..Plan::native().clone()
        };
        let [one, other] = [plan(30, 30), plan(NEVER, 45)];
        // All from 30 on, and far above.
        let cpu = Cpu::native();
        let found = sizes(cpu, setting("divide"), &one, &other);
        assert_eq!(found[..3], [30, 32, 40]);
        assert_eq!(found[found.len() - 3..], [160, 4 * 160, 16 * 160]);
        assert_eq!(
            sizes(cpu, setting("barrett"), &one, &other),
            [30, 32, 40, 44]
        );
        assert_ne!(
            value(&one, setting("divide")),
            value(&other, setting("divide"))
        );
    }

    #[test]
    fn plans_are_compared_at_sizes_that_the_operation_takes() {
        let cpu = Cpu::native();
        let setting = SETTINGS.iter().find(|s| s.name == "amm_x2").unwrap();
        let built_in = Plan::best(cpu);
        // Two multiplications side by side have 40 digits at most, and kernels are raced up to 160.
        for size in [10, 40, 50, 160] {
            assert_eq!(setting.takes(cpu, built_in, size), size <= 40);
        }
        for (choice, _) in setting.contenders(cpu, built_in, &[], 40) {
            let mut other = built_in.clone();
            (setting.set)(&mut other, &[(NEVER, choice)]);
            let found = sizes(cpu, setting, &other, built_in);
            assert!(found.iter().all(|&size| size <= 40), "{choice}: {found:?}");
        }
    }
}
