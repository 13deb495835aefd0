//! Plans for this machine: each setting's alternatives race at many sizes, and what is fastest is written down.
//!
//! A choice by size is the path of least loss through the table of times: the loss of an alternative at a size is the
//! logarithm of how much slower it is than the fastest one there, and every change from one size to the next costs a
//! little too, so that noise makes no steps (Viterbi, 1967).

mod settings;

use crate::{
    clock::Stopwatch,
    measure::{Budget, Contender, Measurement, race},
    record::{Row, Size, cpu_name, today},
};
use carrysave_arith::{Cpu, Plan};
pub use settings::Choice;
use settings::crowding;
pub(crate) use settings::{SETTINGS, Setting};

/// From here on two threads do not have a core each.
const CROWDED: f64 = 1.1;

/// What a change of choice must gain over the sizes that follow: two percent at one of them.
const CHANGE: f64 = 0.02;

/// A plan that was measured, and what it was chosen from.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// The plan.
    pub plan: Plan,
    /// A row a setting, size and alternative: `tune`, the setting's name, the size, the alternative.
    pub evidence: Vec<Row>,
    /// What was left as it is built in, as other programs keep the cores busy: the names of settings of teams, and how
    /// many times as long as one thread two took for the same work each.
    pub left: Option<(Vec<&'static str>, f64)>,
}

/// Measures what the plan for `cpu` leaves open, with `seconds` for each race; `progress` hears how many races of how
/// many are done.
///
/// Not measured, and taken from the plan that is built in: how combs trade memory for time, and thresholds that need
/// numbers too long to be raced in a minute.
///
/// # Panics
/// If an alternative computes another result than the others.
///
/// ```no_run
/// use carrysave_lab::tune::tune;
/// use carrysave_arith::Cpu;
/// let tuned = tune(Cpu::native(), 0.1, &mut |done, all| eprintln!("{done} of {all}"));
/// println!("{}", tuned.plan.to_toml());
/// ```
pub fn tune(cpu: Cpu, seconds: f64, progress: &mut dyn FnMut(usize, usize)) -> Tuned {
    let mut plan = Plan::best(cpu).clone();
    plan.machine = cpu_name().leak();
    plan.date = today().leak();
    let settings = SETTINGS.iter().filter(|s| (s.applies)(cpu));
    let (of_teams, mut settings): (Vec<&Setting>, Vec<&Setting>) =
        settings.partition(|s| s.by == Stopwatch::Wall);
    let crowding = match of_teams.is_empty() {
        true => 1.0,
        false => crowding(),
    };
    let left = (crowding > CROWDED).then(|| (names(&of_teams), crowding));
    if left.is_none() {
        settings.extend(of_teams);
    }
    let all = settings.iter().map(|s| s.sizes.len()).sum();
    let (mut done, mut evidence) = (0, Vec::new());
    for setting in settings {
        let mut table: Vec<Vec<(Choice, f64)>> = Vec::new();
        for &size in setting.sizes {
            // What was chosen for smaller sizes counts: long products are made of shorter ones.
            let so_far = steps(setting.sizes, &path(&table));
            let measured = measure(setting, cpu, &plan, &so_far, size, seconds);
            evidence.extend(measured.iter().map(|(_, m)| {
                Row::new("tune", setting.name, Size::Bits(setting.bits * size), 1, m)
            }));
            table.push(
                measured
                    .into_iter()
                    .map(|(choice, m)| (choice, m.ns_median))
                    .collect(),
            );
            done += 1;
            progress(done, all);
        }
        (setting.set)(&mut plan, &steps(setting.sizes, &path(&table)));
    }
    plan.check().expect("what was measured works");
    Tuned {
        plan,
        evidence,
        left,
    }
}

fn names(settings: &[&Setting]) -> Vec<&'static str> {
    settings.iter().map(|setting| setting.name).collect()
}

/// Races the alternatives of a setting at a size.
pub(crate) fn measure(
    setting: &Setting,
    cpu: Cpu,
    plan: &Plan,
    so_far: &[(usize, Choice)],
    size: usize,
    seconds: f64,
) -> Vec<(Choice, Measurement)> {
    let (choices, mut contenders): (Vec<Choice>, Vec<Contender<'_>>) =
        (setting.contenders)(cpu, plan, so_far, size)
            .into_iter()
            .unzip();
    let measured = race(&mut contenders, &Budget::seconds(seconds), setting.by);
    choices.into_iter().zip(measured).collect()
}

/// The choice for each size whose losses and changes are least together.
fn path(table: &[Vec<(Choice, f64)>]) -> Vec<Choice> {
    // For each alternative at a size the least loss of a path that ends there, and its choices.
    let mut paths: Vec<(f64, Vec<Choice>)> = Vec::new();
    // Of numbers that are longer than an operation takes there are no alternatives.
    for row in table.iter().take_while(|row| !row.is_empty()) {
        let best = row.iter().map(|(_, ns)| *ns).fold(f64::INFINITY, f64::min);
        let step = |(choice, ns): &(Choice, f64)| {
            let from = |(loss, path): &(f64, Vec<Choice>)| {
                let change = if path.last() == Some(choice) {
                    0.0
                } else {
                    CHANGE
                };
                (loss + change, path.clone())
            };
            let before = paths.iter().map(from).min_by(|a, b| a.0.total_cmp(&b.0));
            let (loss, mut path) = before.unwrap_or_default();
            path.push(*choice);
            (loss + (ns / best).ln(), path)
        };
        paths = row.iter().map(step).collect();
    }
    let best = paths.into_iter().min_by(|a, b| a.0.total_cmp(&b.0));
    best.map(|(_, path)| path).unwrap_or_default()
}

/// What a plan chooses for a setting, and from how many bits on, within the sizes that are raced. Nothing for what is no
/// setting, and for `team_pow`, which means another length to each team.
pub(crate) fn chosen(plan: &Plan, name: &str) -> Vec<(usize, Choice)> {
    let known = |s: &&Setting| s.name == name && name != "team_pow";
    let mut chosen: Vec<(usize, Choice)> = vec![];
    if let Some(setting) = SETTINGS.iter().find(known)
        && let [first, .., last] = *setting.sizes
    {
        for size in first..=last {
            let choice = (setting.get)(plan, size);
            if chosen.last().is_none_or(|(_, before)| *before != choice) {
                chosen.push((setting.bits * size, choice));
            }
        }
    }
    chosen
}

/// Steps, each up to the middle (geometrically) between the last size of one choice and the first of the next.
fn steps(sizes: &[usize], path: &[Choice]) -> Vec<(usize, Choice)> {
    let mut steps: Vec<(usize, Choice)> = Vec::new();
    for (i, choice) in path.iter().enumerate() {
        match steps.last_mut() {
            Some((_, last)) if last == choice => {}
            before => {
                if let Some((up_to, _)) = before {
                    *up_to = ((sizes[i - 1] * sizes[i]) as f64).sqrt() as usize;
                }
                steps.push((carrysave_arith::NEVER, *choice));
            }
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use Choice::{From, Number};
    use carrysave_arith::NEVER;

    #[test]
    fn noise_makes_no_steps() {
        let row = |a, b| vec![(Number(1), a), (Number(2), b)];
        // The first wins up to the third size; it is never much slower before, nor ever again faster after.
        let table = [
            row(1.0, 2.0),
            row(1.01, 1.0),
            row(1.0, 1.1),
            row(1.2, 1.0),
            row(1.0, 1.01),
            row(3.0, 1.0),
        ];
        let path = path(&table);
        assert_eq!(path, [1, 1, 1, 2, 2, 2].map(Number));
        assert_eq!(
            steps(&[2, 4, 8, 18, 40, 80], &path),
            [(12, Number(1)), (NEVER, Number(2))]
        );
    }

    #[test]
    fn a_plan_takes_whatever_a_setting_measures() {
        let cpu = Cpu::native();
        for setting in SETTINGS {
            let (plan, size) = (Plan::best(cpu), setting.sizes[0]);
            let alternatives = (setting.contenders)(cpu, plan, &[], size);
            assert!(!alternatives.is_empty(), "{}", setting.name);
            for (choice, _) in alternatives {
                let mut plan = plan.clone();
                (setting.set)(&mut plan, &[(NEVER, choice)]);
                assert_eq!((setting.get)(&plan, size), choice, "{}", setting.name);
                plan.check().unwrap();
            }
        }
    }

    #[test]
    fn what_a_plan_chooses_begins_where_it_says() {
        let plan = Plan {
            divide: 30,
            fixed_window: &[(100, 4), (NEVER, 5)],
            bnm1: NEVER,
            ..Plan::native().clone()
        };
        assert_eq!(
            chosen(&plan, "divide"),
            [(12 * 64, From(false)), (30 * 64, From(true))]
        );
        assert_eq!(
            chosen(&plan, "fixed_window"),
            [(8, Number(4)), (101, Number(5))]
        );
        assert_eq!(chosen(&plan, "bnm1"), [(12 * 64, From(false))]);
        assert_eq!(chosen(&plan, "nothing"), []);
    }

    #[test]
    fn alternatives_may_come_and_go() {
        let table = [
            vec![(From(false), 1.0)],
            vec![(From(false), 5.0), (From(true), 1.0)],
            vec![(From(true), 1.0)],
        ];
        assert_eq!(path(&table), [false, true, true].map(From));
        assert_eq!(path(&[]), []);
        assert_eq!(path(&[table[0].clone(), vec![]]), [From(false)]);
        assert_eq!(steps(&[], &[]), []);
    }
}
