//! `plan`: what the plan chooses beside all that it could have chosen, at sizes between those that plans are tuned at.

use super::{Experiment, Levels, Share};
use crate::{
    Bench, Error,
    clock::Stopwatch,
    record::Size,
    tune::{Choice, SETTINGS, Setting},
};
use carrysave_arith::Plan;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "plan",
    about: "each choice of the plan, first, beside its alternatives at the same size",
    run,
    levels: Levels {
        quick: None,
        standard: Share::new(&[], 0.05, 60.0),
        full: Share::new(&[], 0.1, 60.0),
    },
};

fn run(bench: &mut Bench<'_>) -> Result<(), Error> {
    let cpu = bench.cpu();
    let plan = Plan::best(cpu);
    for setting in SETTINGS.iter().filter(|setting| (setting.applies)(cpu)) {
        for size in sizes(bench, setting) {
            let mut race = bench.race(setting.name, Size::Bits(setting.bits * size));
            // Contenders are checked when they are made, which takes long.
            if !race.runs() {
                continue;
            }
            // Parts of a product are done as the plan says.
            let so_far = choices(setting, plan, size);
            let mut contenders = setting.contenders(cpu, plan, &so_far, size);
            let chosen = (setting.get)(plan, size);
            contenders.sort_by_key(|(choice, _)| *choice != chosen);
            if setting.by == Stopwatch::Wall {
                race.by_the_wall();
            }
            for (choice, contender) in contenders {
                if race.wants(&choice.to_string()) {
                    race.admit(contender);
                }
            }
            race.run();
        }
    }
    Ok(())
}

/// The sizes asked for, as far as the setting is tuned there; otherwise the geometric means of neighbouring sizes.
fn sizes(bench: &Bench<'_>, setting: &Setting) -> Vec<usize> {
    let middle = |pair: &[usize]| setting.bits * ((pair[0] * pair[1]) as f64).sqrt() as usize;
    let middles: Vec<usize> = setting.sizes.windows(2).map(middle).collect();
    let tuned = setting.sizes[0]..=setting.sizes[setting.sizes.len() - 1];
    let mut sizes = bench.bits(&middles);
    sizes.retain(|bits| bits.is_multiple_of(setting.bits));
    sizes.iter_mut().for_each(|bits| *bits /= setting.bits);
    sizes.retain(|size| tuned.contains(size));
    sizes.dedup();
    sizes
}

/// What a plan chooses below a size.
fn choices(setting: &Setting, plan: &Plan, size: usize) -> Vec<(usize, Choice)> {
    let mut steps: Vec<(usize, Choice)> = Vec::new();
    for size in 1..size {
        let choice = (setting.get)(plan, size);
        match steps.last_mut() {
            Some((up_to, last)) if *last == choice => *up_to = size,
            _ => steps.push((size, choice)),
        }
    }
    steps
}
