//! What an experiment works with: the request, races, and where the results go.

use crate::{
    bound::Bound,
    clock::Stopwatch,
    experiments::{EXPERIMENTS, Experiment},
    race::{Budget, Contender, Measurement, race},
    record::{Row, Size},
};
use carrysave_kernels::Cpu;
use carrysave_team::MAX_THREADS;
use std::{collections::BTreeSet, fmt, time::Duration};

/// The longest number that is measured, in bits.
const MAX_BITS: usize = 1 << 30;

/// What to measure.
#[derive(Clone, Debug)]
pub struct Request {
    /// The experiments' names; all if empty.
    pub experiments: Vec<String>,
    /// The sizes in bits; each experiment's own if `None`.
    pub bits: Option<Vec<usize>>,
    /// Seconds a race: one operation at one size, all its contenders together.
    pub seconds: f64,
    /// One operation (`sign`), implementation (`ring`) or part of such a name (`adc` in `carrysave/adc`).
    pub only: Option<String>,
    /// Threads, for the experiments that can use several; each experiment's own number or numbers if `None`.
    pub threads: Option<usize>,
    /// How many races of an earlier run with the same request are left out, the first ones.
    pub after: usize,
    /// The instructions that carrysave may use.
    pub cpu: Cpu,
}

impl Default for Request {
    fn default() -> Request {
        Request {
            experiments: vec![],
            bits: None,
            seconds: 1.0,
            only: None,
            threads: None,
            after: 0,
            cpu: Cpu::native(),
        }
    }
}

/// Where results go while they come in.
pub trait Reporter {
    /// An experiment begins: before the first that is heard of it.
    fn begin(&mut self, _experiment: &Experiment) {}

    /// A race is prepared; those before it are done.
    fn prepare(&mut self, _operation: &str, _size: Size) {}

    /// A race has been run: a row a contender, the one that ratios are against first.
    fn race(&mut self, rows: &[Row]);

    /// A contender may not race.
    fn refused(&mut self, _refused: &Refused) {}
}

/// A contender whose answer was wrong, or that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Where, such as `rsa sign 2048 bits`.
    pub place: String,
    /// Who.
    pub implementation: String,
    /// Why.
    pub reason: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} may not race: {}",
            self.place, self.implementation, self.reason
        )
    }
}

/// What came of a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// All rows, in order.
    pub rows: Vec<Row>,
    /// Who may not race. Empty if all is well.
    pub refused: Vec<Refused>,
    /// How many races there are, with those that were left out.
    pub races: usize,
}

/// A request that cannot be met, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(pub(crate) String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// Runs the experiments of a request.
///
/// # Errors
/// An experiment, a size or an `only` that does not exist, or more than [`MAX_THREADS`] threads. A contender with a wrong answer is not an error: see
/// [`Outcome::refused`].
pub fn run(request: &Request, reporter: &mut dyn Reporter) -> Result<Outcome, Error> {
    if !(request.seconds.is_finite() && (0.0..=86_400.0).contains(&request.seconds)) {
        return Err(Error(
            "the seconds of a race must be between 0 and 86400".to_owned(),
        ));
    }
    if let Some(bits) = request.bits.iter().flatten().find(|&&bits| bits > MAX_BITS) {
        return Err(Error(format!(
            "a size of {bits} bits is too long: {MAX_BITS} are the most"
        )));
    }
    if let Some(threads) = request.threads.filter(|&threads| threads > MAX_THREADS) {
        return Err(Error(format!(
            "there is no team of {threads} threads: {MAX_THREADS} are the most"
        )));
    }
    let find = |name: &String| {
        EXPERIMENTS.iter().find(|e| e.name == *name).ok_or_else(|| {
            let names: Vec<&str> = EXPERIMENTS.iter().map(|e| e.name).collect();
            Error(format!(
                "there is no experiment {name}; there are {}",
                names.join(", ")
            ))
        })
    };
    let mut chosen = request
        .experiments
        .iter()
        .map(find)
        .collect::<Result<Vec<_>, _>>()?;
    if chosen.is_empty() {
        chosen = EXPERIMENTS.iter().collect();
    }
    let mut bench = Bench {
        request,
        reporter,
        experiment: "",
        unheard: None,
        outcome: Outcome::default(),
        names: BTreeSet::new(),
    };
    for experiment in chosen {
        bench.experiment = experiment.name;
        bench.unheard = Some(experiment);
        (experiment.run)(&mut bench)?;
    }
    match &request.only {
        Some(only)
            if request.after == 0
                && bench.outcome.rows.is_empty()
                && bench.outcome.refused.is_empty() =>
        {
            Err(Error(format!(
                "nothing here is called {only}; the nearest names are {}",
                nearest(only, &bench.names).join(", ")
            )))
        }
        _ => Ok(bench.outcome),
    }
}

/// How many races the experiments of a request have: what they prepare before a race is done, no race is run.
///
/// # Errors
/// As those of [`run`].
///
/// ```
/// use carrysave_lab::{Request, races};
/// let request = Request {
///     experiments: vec!["modexp".to_owned()],
///     bits: Some(vec![1024, 2048]),
///     ..Request::default()
/// };
/// assert_eq!(races(&request)?, 2);
/// # Ok::<(), carrysave_lab::Error>(())
/// ```
pub fn races(request: &Request) -> Result<usize, Error> {
    struct Deaf;
    impl Reporter for Deaf {
        fn race(&mut self, _: &[Row]) {}
    }
    let request = Request {
        after: usize::MAX,
        ..request.clone()
    };
    Ok(run(&request, &mut Deaf)?.races)
}

/// The few names that differ least from this one.
fn nearest<'n>(name: &str, names: &'n BTreeSet<String>) -> Vec<&'n str> {
    const FEW: usize = 6;
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.sort_by_key(|other| distance(name, other));
    names.truncate(FEW);
    names
}

/// How many characters are to be put in, left out or changed to make one text of another (Levenshtein, 1966).
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for c in from.chars() {
        let mut diagonal = row[0];
        row[0] += 1;
        for (i, other) in to.iter().enumerate() {
            let changed = diagonal + usize::from(c != *other);
            diagonal = row[i + 1];
            row[i + 1] = changed.min(diagonal + 1).min(row[i] + 1);
        }
    }
    row[to.len()]
}

/// A request on its way through an experiment.
pub struct Bench<'r> {
    request: &'r Request,
    reporter: &'r mut dyn Reporter,
    experiment: &'static str,
    /// The experiment, as long as the reporter has not heard of it.
    unheard: Option<&'static Experiment>,
    outcome: Outcome,
    names: BTreeSet<String>,
}

impl<'r> Bench<'r> {
    /// The sizes asked for, or these.
    pub fn bits(&self, otherwise: &[usize]) -> Vec<usize> {
        self.request
            .bits
            .clone()
            .unwrap_or_else(|| otherwise.to_vec())
    }

    /// The sizes asked for, or these, of numbers of whole limbs.
    ///
    /// # Errors
    /// A size that is not a multiple of 64 bits, or zero.
    pub fn limb_bits(&self, otherwise: &[usize]) -> Result<Vec<usize>, Error> {
        let sizes = self.bits(otherwise);
        match sizes.iter().find(|&&bits| bits == 0 || bits % 64 != 0) {
            Some(bits) => Err(Error(format!(
                "{} takes multiples of 64 bits, and {bits} is none",
                self.experiment
            ))),
            None => Ok(sizes),
        }
    }

    /// The instructions that carrysave may use.
    pub fn cpu(&self) -> Cpu {
        self.request.cpu
    }

    /// The threads asked for, or these.
    pub fn threads(&self, otherwise: usize) -> usize {
        self.request.threads.unwrap_or(otherwise).max(1)
    }

    /// The numbers of threads to measure: the one asked for, or powers of two up to the number of cores, and that.
    pub fn thread_counts(&self) -> Vec<usize> {
        if let Some(threads) = self.request.threads {
            return vec![threads.max(1)];
        }
        let cores = cores();
        let powers = std::iter::successors(Some(1), |threads| Some(2 * threads));
        powers
            .take_while(|&threads| threads < cores)
            .chain([cores])
            .collect()
    }

    /// Every number of threads up to the cores or to this one, and three and four for each core, if no number of
    /// threads was asked for.
    pub fn every_thread_count(&self, at_least: usize) -> Vec<usize> {
        if let Some(threads) = self.request.threads {
            return vec![threads.max(1)];
        }
        let most = cores().max(at_least);
        let beyond = (2..=4).map(|per_core| per_core * cores());
        (1..=most)
            .chain(beyond.filter(|threads| *threads > most))
            .collect()
    }

    /// The time that a race takes.
    pub fn time(&self) -> Duration {
        Duration::from_secs_f64(self.request.seconds)
    }

    /// Whether the request wants this implementation in this operation.
    pub fn wants(&mut self, operation: &str, implementation: &str) -> bool {
        self.names
            .extend([operation, implementation].map(str::to_owned));
        let only = self.request.only.as_ref();
        only.is_none_or(|only| Row::is_named(only, operation, implementation))
    }

    /// Keeps an implementation out, and says so.
    pub fn refuse(&mut self, operation: &str, size: Size, implementation: &str, reason: String) {
        let refused = Refused {
            place: format!("{} {operation} {size}", self.experiment),
            implementation: implementation.to_owned(),
            reason,
        };
        self.begin();
        self.reporter.refused(&refused);
        self.outcome.refused.push(refused);
    }

    /// Reports figures that were not taken in a race.
    pub fn report(
        &mut self,
        operation: &str,
        size: Size,
        threads: usize,
        measured: &[Measurement],
    ) {
        let row = |m| Row::new(self.experiment, operation, size, threads, m);
        self.publish(measured.iter().map(row).collect());
    }

    fn begin(&mut self) {
        if let Some(experiment) = self.unheard.take() {
            self.reporter.begin(experiment);
        }
    }

    fn publish(&mut self, rows: Vec<Row>) {
        if !rows.is_empty() {
            self.begin();
            self.reporter.race(&rows);
            self.outcome.rows.extend(rows);
        }
    }

    /// Counts a race, and says whether it is to be run.
    pub fn prepare(&mut self, operation: &str, size: Size) -> bool {
        self.names.insert(operation.to_owned());
        self.outcome.races += 1;
        let runs = self.outcome.races > self.request.after;
        if runs {
            self.reporter.prepare(operation, size);
        }
        runs
    }

    /// A race to be run; contenders enter it one by one.
    pub fn race<'a>(&'a mut self, operation: &'a str, size: Size) -> Race<'a, 'r> {
        let budget = Budget::seconds(self.request.seconds);
        Race {
            runs: self.prepare(operation, size),
            bench: self,
            operation,
            size,
            budget,
            threads: 1,
            jobs: 1,
            stopwatch: Stopwatch::Processor,
            contenders: vec![],
            on: vec![],
            bound: None,
            models: vec![],
        }
    }
}

/// The processor's cores.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A race in which contenders still enter.
pub struct Race<'a, 'r> {
    bench: &'a mut Bench<'r>,
    /// Whether it is one of those that are not left out.
    runs: bool,
    operation: &'a str,
    size: Size,
    budget: Budget,
    threads: usize,
    jobs: usize,
    stopwatch: Stopwatch,
    contenders: Vec<Contender<'a>>,
    /// The threads of each contender.
    on: Vec<usize>,
    bound: Option<Bound>,
    models: Vec<Model>,
}

/// What a model predicts of an operation.
struct Model {
    name: String,
    threads: usize,
    /// The time, as a multiple of the first contender's on one thread.
    time: f64,
}

impl<'a> Race<'a, '_> {
    /// Makes the race one of at most `rounds` rounds, and of that many times the seconds asked for.
    pub fn of_rounds(&mut self, rounds: usize) {
        let seconds = self.bench.request.seconds * rounds as f64;
        self.budget = Budget::rounds(seconds, 3.min(rounds)..=rounds);
    }

    /// Notes that every contender that enters from here on works on `threads` threads, so that the wall clock counts if
    /// they are several.
    pub fn on_threads(&mut self, threads: usize) {
        self.threads = threads;
        if threads > 1 {
            self.by_the_wall();
        }
    }

    /// Takes the time by the wall clock: waiting counts.
    pub fn by_the_wall(&mut self) {
        self.stopwatch = Stopwatch::Wall;
    }

    /// Takes the processor time of all threads together.
    pub fn by_the_processor(&mut self) {
        self.stopwatch = Stopwatch::Processor;
    }

    /// Notes that what contenders do at once is `jobs` operations.
    pub fn of_jobs(&mut self, jobs: usize) {
        self.jobs = jobs;
    }

    /// Whether it is one of those that are not left out.
    pub fn runs(&self) -> bool {
        self.runs
    }

    /// Whether the request wants this implementation in this race. Asking first saves preparing it.
    pub fn wants(&mut self, implementation: &str) -> bool {
        self.runs && self.bench.wants(self.operation, implementation)
    }

    /// Enters a contender if the request wants it and its answer is right; see [`Contender::checked`].
    pub fn enter<S, T>(
        &mut self,
        implementation: &str,
        setup: impl FnMut() -> S + 'a,
        op: impl FnMut(&mut S) -> T + 'a,
        check: impl FnOnce(&T) -> Result<(), String>,
    ) {
        if !self.wants(implementation) {
            return;
        }
        match Contender::checked(implementation, setup, op, check) {
            Ok(contender) => self.admit(contender),
            Err(reason) => self.refuse(implementation, reason),
        }
    }

    /// Enters a contender that is one already: ask [`Race::wants`] first.
    pub(crate) fn admit(&mut self, contender: Contender<'a>) {
        self.contenders.push(contender);
        self.on.push(self.threads);
    }

    /// Shows beside the contenders the least that one operation can take on one thread, or shared by as many cores as the
    /// race has threads, at the clock of the race.
    pub fn bound(&mut self, bound: Option<Bound>) {
        self.bound = bound.filter(|bound| self.wants(&bound.name));
    }

    /// Shows beside the contenders what a model predicts for so many threads, which the machine need not have: a time as
    /// a multiple of the first contender's, if that is on one thread.
    pub fn predict(&mut self, name: &str, threads: usize, time: f64) {
        if time.is_finite() && self.wants(name) {
            self.models.push(Model {
                name: name.to_owned(),
                threads,
                time,
            });
        }
    }

    /// Keeps an implementation out of the race, and says so.
    pub fn refuse(&mut self, implementation: &str, reason: String) {
        if self.runs {
            self.bench
                .refuse(self.operation, self.size, implementation, reason);
        }
    }

    /// Runs the race and reports it.
    pub fn run(mut self) {
        if self.contenders.is_empty() {
            return;
        }
        let measured = race(&mut self.contenders, &self.budget, self.stopwatch);
        let row = |(m, threads): (Measurement, &usize)| {
            Row::new(
                self.bench.experiment,
                self.operation,
                self.size,
                *threads,
                &m.shared_by(self.jobs),
            )
        };
        let mut rows: Vec<Row> = measured.into_iter().zip(&self.on).map(row).collect();
        if let Some(bound) = self.bound {
            let first = &rows[0];
            let threads = self.on.iter().copied().max().unwrap_or(1);
            // More of them than cores take turns.
            let at_once = threads.min(cores());
            let least = Measurement {
                name: bound.name,
                ns_median: bound.cycles / first.core_ghz / at_once as f64,
                ns_spread: 0.0,
                samples: 0,
                core_ghz: first.core_ghz,
            };
            let (experiment, operation) = (self.bench.experiment, self.operation);
            rows.push(Row::new(experiment, operation, self.size, threads, &least));
        }
        let alone = rows[0].clone();
        let models = self.models.into_iter().filter(|_| alone.threads == 1);
        rows.extend(models.map(|model| {
            let predicted = Measurement {
                name: model.name,
                ns_median: alone.ns_median * model.time,
                ns_spread: 0.0,
                samples: 0,
                core_ghz: alone.core_ghz,
            };
            let (experiment, operation) = (self.bench.experiment, self.operation);
            Row::new(experiment, operation, self.size, model.threads, &predicted)
        }));
        self.bench.publish(rows);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_little_are_near() {
        assert_eq!(distance("sign", "sign"), 0);
        assert_eq!(distance("sgin", "sign"), 2);
        assert_eq!(distance("", "sign"), 4);
        assert_eq!(distance("kitten", "sitting"), 3);
        let names = [
            "openssl", "ring", "rsa", "sign", "verify", "aws-lc", "encrypt",
        ];
        let names = names.map(str::to_owned).into();
        assert_eq!(nearest("opensl", &names)[0], "openssl");
        assert_eq!(nearest("sing", &names)[..2], ["ring", "sign"]);
        assert_eq!(nearest("", &names).len(), 6);
    }

    #[test]
    fn more_threads_than_there_can_be_are_refused_before_anything_is_measured() {
        let request = Request {
            threads: Some(MAX_THREADS + 1),
            ..Request::default()
        };
        let refused = races(&request).unwrap_err().to_string();
        assert_eq!(
            refused,
            "there is no team of 1025 threads: 1024 are the most"
        );
    }

    #[test]
    fn nothing_is_said_of_an_experiment_that_has_nothing() {
        struct Heard(Vec<String>);
        impl Reporter for Heard {
            fn begin(&mut self, experiment: &Experiment) {
                self.0.push(experiment.name.to_owned());
            }
            fn race(&mut self, rows: &[Row]) {
                self.0.push(rows[0].operation.clone());
            }
        }
        let run = |only: &str| {
            let mut heard = Heard(vec![]);
            let request = Request {
                experiments: vec!["modexp".into(), "symmetric".into()],
                bits: Some(vec![1024]),
                seconds: 0.0,
                only: Some(only.into()),
                ..Request::default()
            };
            (super::run(&request, &mut heard), heard.0)
        };
        let (outcome, heard) = run("modexp");
        assert!(outcome.is_ok());
        assert_eq!(heard, ["modexp", "modexp"]);
        // A rival that does not have this function.
        let (outcome, heard) = run("graviola/skein-512");
        let said = outcome.unwrap_err().to_string();
        let (before, names) = said.split_once("; ").unwrap();
        assert_eq!(before, "nothing here is called graviola/skein-512");
        assert!(
            names.contains("skein-512") && !names.contains("graviola/skein"),
            "{names}"
        );
        assert!(heard.is_empty());
    }
}
