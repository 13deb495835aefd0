//! Every kernel of every operation keeps its contract on this processor: a test a kernel, such as `mpn_add_n/adc`.
//!
//! The kernels of an operation are walked together, as what takes the time is the reference. So the first test of an
//! operation walks all of its kernels that were asked for, and the others take what came of it.

use carrysave_kernels::{
    Cpu, REGISTRY,
    op::{Op, Raw},
};
use carrysave_proof::{
    config::Config,
    contract::{Arena, Subject, walk, watch},
    guard::Fence,
};
use libtest_mimic::{Arguments, Failed, Trial};
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicUsize, Ordering::Relaxed},
};

/// Calls of all kernels so far.
static CALLS: AtomicUsize = AtomicUsize::new(0);

/// The kernels of an operation that are walked, and what came of each.
struct Walk {
    op: &'static Op,
    kernels: Vec<usize>,
    verdicts: OnceLock<BTreeMap<usize, Result<(), String>>>,
}

impl Walk {
    /// What came of a kernel.
    fn verdict(&self, kernel: usize, config: &Config) -> Result<(), Failed> {
        let verdicts = self.verdicts.get_or_init(|| self.walk(config));
        Ok(verdicts[&kernel].clone()?)
    }

    /// Walks the kernels of all; one that fails is left out from there on.
    fn walk(&self, config: &Config) -> BTreeMap<usize, Result<(), String>> {
        let op = self.op;
        // SAFETY: this processor admits the kernels; the walk meets the contract.
        let call = |i: usize| move |x: &Raw| unsafe { op.invoke(i, x) };
        let calls: Vec<_> = self.kernels.iter().map(|&i| (i, call(i))).collect();
        let subject = |(i, call)| Subject::new(name(op, i), call);
        let mut left: Vec<(usize, Subject<'_>)> = (calls.iter())
            .map(|(i, call)| (*i, subject((*i, call))))
            .collect();
        let mut arena = Arena::new(Fence::Page);
        let mut verdicts = BTreeMap::new();
        for seed in config.seeds() {
            loop {
                let (places, mut subjects): (Vec<usize>, Vec<Subject<'_>>) =
                    left.into_iter().unzip();
                let outcome = walk(op, &mut subjects, &mut arena, seed, config.share);
                left = places.into_iter().zip(subjects).collect();
                let Err(failure) = outcome else { break };
                let guilty = left
                    .iter()
                    .position(|(_, s)| failure.starts_with(&format!("{} ", s.name)));
                let (kernel, _) = left.remove(guilty.expect("a failure begins with a name"));
                verdicts.insert(kernel, Err(failure));
            }
        }
        for (kernel, subject) in left {
            CALLS.fetch_add(subject.calls, Relaxed);
            let often = subject.calls * config.share > 1000;
            let verdict = match often {
                true => Ok(()),
                false => Err(format!(
                    "{} was called {} times only",
                    subject.name, subject.calls
                )),
            };
            verdicts.insert(kernel, verdict);
        }
        verdicts
    }
}

fn name(op: &Op, kernel: usize) -> String {
    format!("{}/{}", op.name, op.kernels[kernel].0)
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let config = Arc::new(Config::from_env());
    watch::install();
    let wanted = |name: &str| {
        let is = |filter: &String| match arguments.exact {
            true => name == filter,
            false => name.contains(filter.as_str()),
        };
        arguments.filter.as_ref().is_none_or(is) && !arguments.skip.iter().any(is)
    };
    let mut trials = vec![];
    for op in REGISTRY {
        let kernels = op.admitted(Cpu::native());
        let kernels: Vec<usize> = kernels.filter(|&i| wanted(&name(op, i))).collect();
        let walk = Arc::new(Walk {
            op,
            kernels: kernels.clone(),
            verdicts: OnceLock::new(),
        });
        trials.extend(kernels.into_iter().enumerate().map(|(place, i)| {
            let (walk, config) = (walk.clone(), config.clone());
            (
                place,
                Trial::test(name(op, i), move || walk.verdict(i, &config)),
            )
        }));
    }
    // The first of every operation, then the second ones: so that threads walk different operations.
    trials.sort_by_key(|(place, _)| *place);
    let trials = trials.into_iter().map(|(_, trial)| trial).collect();
    let conclusion = libtest_mimic::run(&arguments, trials);
    println!("kernels were called {} times", CALLS.load(Relaxed));
    conclusion.exit_code()
}
