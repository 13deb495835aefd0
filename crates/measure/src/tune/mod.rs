//! Plans for this machine: each setting's alternatives race at many sizes, and what is fastest is written down, if it
//! is faster than what is built in.

mod confirm;
mod path;
mod settings;

use crate::{
    clock::Stopwatch,
    race::{Budget, Contender, Measurement, race},
    record::{Row, Size, UNKNOWN, cpu_name, today},
};
use carrysave_arith::{Cpu, Plan};
pub use confirm::Compared;
use path::{Table, between, steps};
pub use settings::Choice;
use settings::crowding;
pub use settings::{SETTINGS, Setting};

/// From here on two threads do not have a core each.
const CROWDED: f64 = 1.1;

/// A plan that was measured, and what it was chosen from.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// The plan.
    pub plan: Plan,
    /// A row a setting, size and alternative: `tune`, the setting's name, the size, the alternative. The last races are
    /// `tune`, the setting's name and `/tuned`, the size, and `tuned` or `built in`.
    pub evidence: Vec<Row>,
    /// The settings that came out as something else than what is built in, and whether that paid.
    pub compared: Vec<Compared>,
    /// What was left as it is built in, as other programs keep the cores busy: the names of settings of teams, and how
    /// many times as long as one thread two took for the same work each.
    pub left: Option<(Vec<&'static str>, f64)>,
}

/// The names of the settings that [`tune`] measures.
pub fn names() -> impl Iterator<Item = &'static str> {
    SETTINGS.iter().map(|setting| setting.name)
}

/// Measures what the plan for `cpu` leaves open, with `seconds` for each race; `progress` hears how many races of how
/// many are done, which become more where a choice changes between two sizes. Where `only` names settings, the others
/// stay as they are built in.
///
/// A setting that comes out as something else than what is built in races against that at each size at which the two
/// differ, and is written only if nothing becomes slower by more than the noise, and something faster.
///
/// Not measured, and taken from the plan that is built in: how combs trade memory for time, and thresholds that need
/// numbers too long to be raced in a minute.
///
/// # Panics
/// If a kernel computes another result than the one in plain Rust.
///
/// ```no_run
/// use carrysave_measure::tune::tune;
/// use carrysave_arith::Cpu;
/// let tuned = tune(Cpu::native(), &[], 0.1, &mut |done, all| eprintln!("{done} of {all}"));
/// println!("{}", carrysave_engine::plan::to_toml(&tuned.plan));
/// ```
pub fn tune(
    cpu: Cpu,
    only: &[String],
    seconds: f64,
    progress: &mut dyn FnMut(usize, usize),
) -> Tuned {
    let built_in = Plan::best(cpu);
    let mut plan = built_in.clone();
    plan.machine = cpu_name().map_or(UNKNOWN, |name| &*name.leak());
    plan.date = today().leak();
    let wanted = |s: &&Setting| only.is_empty() || only.iter().any(|name| name == s.name);
    let settings = SETTINGS.iter().filter(wanted).filter(|s| (s.applies)(cpu));
    let (of_teams, mut settings): (Vec<&Setting>, Vec<&Setting>) =
        settings.partition(|s| s.by == Stopwatch::Wall);
    let crowding = match of_teams.is_empty() {
        true => 1.0,
        false => crowding(),
    };
    let left = (crowding > CROWDED).then(|| (named(&of_teams), crowding));
    if left.is_none() {
        settings.extend(of_teams);
    }
    let mut races = Races {
        cpu,
        seconds,
        done: 0,
        all: settings.iter().map(|s| s.sizes.len()).sum(),
        evidence: vec![],
        progress,
    };
    for setting in &settings {
        let steps = races.choose(setting, &plan);
        (setting.set)(&mut plan, &steps);
    }
    let differing = |setting: &&Setting| confirm::sizes(cpu, setting, &plan, built_in).len();
    races.all += settings.iter().map(differing).sum::<usize>();
    let compared = settings
        .iter()
        .filter_map(|setting| confirm::confirm(&mut races, setting, &mut plan, built_in))
        .collect();
    plan.check().expect("what was measured works");
    Tuned {
        plan,
        evidence: races.evidence,
        compared,
        left,
    }
}

fn named(settings: &[&Setting]) -> Vec<&'static str> {
    settings.iter().map(|setting| setting.name).collect()
}

/// The races so far.
struct Races<'a> {
    cpu: Cpu,
    /// How long each takes.
    seconds: f64,
    done: usize,
    all: usize,
    evidence: Vec<Row>,
    progress: &'a mut dyn FnMut(usize, usize),
}

impl Races<'_> {
    /// The choices for a setting by size, where those before it are made.
    fn choose(&mut self, setting: &Setting, plan: &Plan) -> Vec<(usize, Choice)> {
        let mut table = Vec::new();
        for &size in setting.sizes {
            let times = self.alternatives(setting, plan, &table, size);
            table.push((size, times));
        }
        while let Some((place, size)) = between(&table, setting.grain()) {
            // What the clock on the wall says of two threads is not worth more races.
            if setting.by == Stopwatch::Wall {
                break;
            }
            self.all += 1;
            let times = self.alternatives(setting, plan, &table[..place], size);
            table.insert(place, (size, times));
        }
        steps(&table)
    }

    /// The nanoseconds of each alternative at a size. What was chosen for smaller sizes counts: long products are made of
    /// shorter ones.
    fn alternatives(
        &mut self,
        setting: &Setting,
        plan: &Plan,
        smaller: &Table,
        size: usize,
    ) -> Vec<(Choice, f64)> {
        let contenders = setting.contenders(self.cpu, plan, &steps(smaller), size);
        let (choices, contenders): (Vec<Choice>, Vec<_>) = contenders.into_iter().unzip();
        let measured = self.race(setting, setting.name, size, contenders);
        let times = measured.iter().map(|m| m.ns_median);
        choices.into_iter().zip(times).collect()
    }

    /// How many times as long as a plan another one takes for the work of a setting at a size.
    fn against(&mut self, setting: &Setting, plan: &Plan, built_in: &Plan, size: usize) -> f64 {
        let sides = [(plan, "tuned"), (built_in, "built in")];
        let enter = |(plan, name): (&Plan, _)| setting.under(self.cpu, plan.clone(), size, name);
        let contenders = sides.map(enter).into_iter().collect();
        let name = format!("{}/tuned", setting.name);
        let measured = self.race(setting, &name, size, contenders);
        measured[1].ns_median / measured[0].ns_median
    }

    fn race(
        &mut self,
        setting: &Setting,
        name: &str,
        size: usize,
        mut contenders: Vec<Contender<'_>>,
    ) -> Vec<Measurement> {
        let measured = race(&mut contenders, &Budget::seconds(self.seconds), setting.by);
        let size = Size::Bits(setting.bits * size);
        let row = |m| Row::new("tune", name, size, 1, m);
        self.evidence.extend(measured.iter().map(row));
        self.done += 1;
        self.all = self.all.max(self.done);
        (self.progress)(self.done, self.all);
        measured
    }
}

/// What a plan chooses for a setting, and from how many bits on, within the sizes that are raced. Nothing for what is no
/// setting, and for `team_pow`, which means another length to each team.
pub fn chosen(plan: &Plan, name: &str) -> Vec<(usize, Choice)> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use Choice::{From, Number};
    use carrysave_arith::{NEVER, PLANS, work};

    #[test]
    fn a_plan_takes_whatever_a_setting_measures() {
        let cpu = Cpu::native();
        for setting in SETTINGS {
            let (plan, size) = (Plan::best(cpu), setting.sizes[0]);
            let alternatives = setting.contenders(cpu, plan, &[], size);
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
            [(6 * 64, From(false)), (30 * 64, From(true))]
        );
        assert_eq!(
            chosen(&plan, "fixed_window"),
            [(8, Number(4)), (101, Number(5))]
        );
        assert_eq!(chosen(&plan, "bnm1"), [(12 * 64, From(false))]);
        assert_eq!(chosen(&plan, "nothing"), []);
    }

    /// What is raced differs in what is done, and not in its time alone, whatever the plan has for the rest. What a team
    /// does hangs on whether the other thread is there in time, so that teams are not asked.
    #[test]
    fn alternatives_do_different_work() {
        let cpu = Cpu::native();
        let plans = PLANS.iter().filter(|plan| cpu.has(plan.needs));
        let mut alike = Vec::new();
        for (i, plan) in plans.enumerate() {
            let alone = |s: &&Setting| (s.applies)(cpu) && s.by == Stopwatch::Processor;
            for setting in SETTINGS.iter().filter(alone) {
                for &size in &setting.sizes[..2] {
                    let mut done = Vec::new();
                    for (choice, mut contender) in setting.contenders(cpu, plan, &[], size) {
                        // Kernels of one operation differ in how they do the same.
                        let kernel = matches!(choice, Choice::Kernel(_)).then_some(choice);
                        let work = (kernel, work::counted(|| contender.once()));
                        if done.contains(&work) || (kernel.is_none() && work.1.is_empty()) {
                            alike.push(format!("plan {i}: {} {choice} at {size}", setting.name));
                        }
                        done.push(work);
                    }
                }
            }
        }
        assert_eq!(alike, [""; 0]);
    }

    #[test]
    fn what_was_not_raced_stays_as_it_is_built_in() {
        let setting = |name: &str| SETTINGS.iter().find(|s| s.name == name).unwrap();
        let set = |name: &str, steps: &[(usize, Choice)], mut plan: Plan| {
            (setting(name).set)(&mut plan, steps);
            plan
        };
        let plan = |divide| Plan {
            divide,
            ..Plan::native().clone()
        };
        // A recursion that begins somewhere is never out of reach.
        let slower = [(NEVER, From(false))];
        for (built_in, then) in [(30, 161), (1000, 1000), (NEVER, NEVER)] {
            assert_eq!(set("divide", &slower, plan(built_in)).divide, then);
        }
        let faster = [(NEVER, From(true))];
        for (built_in, then) in [(30, 6), (4, 4), (NEVER, 6)] {
            assert_eq!(set("divide", &faster, plan(built_in)).divide, then);
        }
        let begins = [(25, From(false)), (NEVER, From(true))];
        assert_eq!(set("divide", &begins, plan(NEVER)).divide, 26);
        // Above the longest exponent that is raced, of 12288 bits.
        let plan = || Plan {
            fixed_window: &[(64, 3), (12_288, 5), (20_000, 6), (NEVER, 7)],
            ..Plan::native().clone()
        };
        let windows = |steps: &[(usize, Choice)]| set("fixed_window", steps, plan()).fixed_window;
        assert_eq!(
            windows(&[(100, Number(2)), (NEVER, Number(4))]),
            [(100, 2), (12_288, 4), (20_000, 6), (NEVER, 7)]
        );
        assert_eq!(
            windows(&[(100, Number(2)), (NEVER, Number(6))]),
            [(100, 2), (20_000, 6), (NEVER, 7)]
        );
    }
}
