//! The head of a record: machine, build, plan and day.

use super::machine::{UNKNOWN, cpu_name, hypervisor, load, smt, system};
use carrysave_arith::{PLANS, Plan};
use carrysave_kernels::Cpu;
use sha2::{Digest, Sha256};
use std::sync::LazyLock;
use std::time::{SystemTime, UNIX_EPOCH};

const MACHINE: &str = "machine";
const SMT: &str = "smt";
const LEVEL: &str = "level";
const LOAD: &str = "load";

/// Where and when: the head of a record, as names and values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head(pub Vec<(String, String)>);

impl Head {
    /// This machine, as the processor that it stands in for, this build, today; and, where the system tells, the load
    /// so far, whether a hypervisor runs the machine, and whether its cores have several threads (`smt`).
    pub fn here(cpu: Cpu) -> Head {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let known = [
            (MACHINE, format!("{}, {cores} cores", system())),
            ("cpu", cpu_name().unwrap_or_else(|| UNKNOWN.to_owned())),
            ("features", cpu.to_string()),
            ("compiler", env!("MEASURE_COMPILER").to_owned()),
            ("commit", env!("MEASURE_COMMIT").to_owned()),
            ("build", build().to_owned()),
            ("plan", plan(cpu)),
            ("date", today()),
        ];
        let told = [
            (LOAD, load()),
            (
                "hypervisor",
                hypervisor().map(|there| if there { "yes" } else { "no" }.to_owned()),
            ),
            (SMT, smt()),
        ];
        let told = told
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)));
        let entries = known.into_iter().chain(told);
        Head(
            entries
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
        )
    }

    /// A name for a folder of records: the processor and the day, in lower case and without spaces.
    ///
    /// ```
    /// use carrysave_kernels::Cpu;
    /// use carrysave_measure::record::Head;
    /// assert!(Head::here(Cpu::native()).slug().chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c ==
    /// '-'));
    /// ```
    pub fn slug(&self) -> String {
        let parts = ["cpu", "date"].map(|name| self.get(name).unwrap_or_default().to_lowercase());
        let words = parts
            .iter()
            .flat_map(|part| part.split(|c: char| !c.is_ascii_alphanumeric()));
        words
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join("-")
    }

    /// The value of that name.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(key, _)| key == name)?;
        Some(&found.1)
    }

    /// The cores of the machine, where it says so.
    pub fn cores(&self) -> Option<usize> {
        let (_, cores) = self.get(MACHINE)?.rsplit_once(", ")?;
        cores.strip_suffix(" cores")?.parse().ok()
    }

    /// Makes it the head of a record of so many hosts, with so many cores together.
    ///
    /// ```
    /// use carrysave_kernels::Cpu;
    /// use carrysave_measure::record::Head;
    /// let mut head = Head::here(Cpu::native());
    /// head.on_hosts(4, 64);
    /// assert!(head.get("machine").unwrap().ends_with(", 4 hosts, 64 cores") && head.cores() == Some(64));
    /// head.on_hosts(1, 16);
    /// assert!(!head.get("machine").unwrap().contains("hosts") && head.cores() == Some(16));
    /// ```
    pub fn on_hosts(&mut self, hosts: usize, cores: usize) {
        let machines = self.0.iter_mut().filter(|(name, _)| name == MACHINE);
        let hosts = match hosts {
            1 => String::new(),
            several => format!(", {several} hosts"),
        };
        machines.for_each(|(_, machine)| *machine = format!("{}{hosts}, {cores} cores", system()));
    }

    /// Whether a core has several threads (SMT); false where it does not say.
    pub fn has_siblings(&self) -> bool {
        self.get(SMT) == Some("yes")
    }

    /// The level of the report that it is part of.
    pub fn level(&self) -> Option<Level> {
        Level::named(self.get(LEVEL)?)
    }

    /// Marks the head as part of a report of this level.
    pub fn at(mut self, level: Level) -> Head {
        self.0.push((LEVEL.to_owned(), level.name().to_owned()));
        self
    }

    /// Why a record with this head does not stand for the one that would be measured with the head `wanted`: the first
    /// name whose values differ. The day and the load do not count, and a higher level has all of a lower one.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, Isa};
    /// use carrysave_measure::record::{Head, Level};
    /// let head = |cpu, level| Head::here(cpu).at(level);
    /// let (full, quick) = (head(Cpu::native(), Level::Full), head(Cpu::native(), Level::Quick));
    /// assert_eq!(full.differs_from(&quick), None);
    /// assert_eq!(quick.differs_from(&full), Some("level"));
    /// ```
    pub fn differs_from<'h>(&self, wanted: &'h Head) -> Option<&'h str> {
        let differs = |(name, value): &&(String, String)| match &name[..] {
            "date" | LOAD => false,
            LEVEL => self.level() < wanted.level(),
            name => self.get(name) != Some(value),
        };
        wanted.0.iter().find(differs).map(|(name, _)| &name[..])
    }
}

/// How thorough a report is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// About two minutes: what people ask first.
    Quick,
    /// About ten minutes: every experiment at sizes that show its shape.
    Standard,
    /// About half an hour: every experiment at all its sizes, and whatever was published.
    Full,
}

impl Level {
    /// Its name on the command line and in records.
    pub fn name(self) -> &'static str {
        match self {
            Level::Quick => "quick",
            Level::Standard => "standard",
            Level::Full => "full",
        }
    }

    /// The level of that name.
    pub fn named(name: &str) -> Option<Level> {
        let levels = [Level::Quick, Level::Standard, Level::Full];
        levels.into_iter().find(|level| level.name() == name)
    }
}

/// This program, as a commit does not say what was changed since.
fn build() -> &'static str {
    static BUILD: LazyLock<String> = LazyLock::new(|| {
        let program = std::env::current_exe().and_then(std::fs::read);
        program.map_or("unknown".to_owned(), |program| fingerprint(&program))
    });
    &BUILD
}

/// The plan that is followed where carrysave may use this processor: `built-in`, or the day it was tuned and the
/// fingerprint of its file.
fn plan(cpu: Cpu) -> String {
    let plan = Plan::best(cpu);
    match PLANS.iter().any(|built_in| std::ptr::eq(built_in, plan)) {
        true => "built-in".to_owned(),
        false => format!(
            "tuned {}, {}",
            plan.date,
            fingerprint(carrysave_engine::plan::to_toml(plan).as_bytes())
        ),
    }
}

/// The beginning of the SHA-256.
pub fn fingerprint(bytes: &[u8]) -> String {
    let hash = &Sha256::digest(bytes)[..8];
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Today in UTC, as 2026-11-21.
#[expect(
    clippy::disallowed_methods,
    reason = "a record has the date by the wall clock"
)]
pub fn today() -> String {
    let seconds = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| d.as_secs());
    let (year, month, day) = civil(seconds / 86_400);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Year, month and day of a number of days since 1970-01-01, in the Gregorian calendar.
fn civil(days: u64) -> (u64, u64, u64) {
    let leap = |y: u64| y.is_multiple_of(4) && (!y.is_multiple_of(100) || y.is_multiple_of(400));
    let (mut year, mut left) = (1970, days);
    while left >= 365 + u64::from(leap(year)) {
        left -= 365 + u64::from(leap(year));
        year += 1;
    }
    let lengths = [
        31,
        28 + u64::from(leap(year)),
        31,
        30,
        31,
        30,
        31,
        31,
        30,
        31,
        30,
        31,
    ];
    let mut month = 0;
    while left >= lengths[month] {
        left -= lengths[month];
        month += 1;
    }
    (year, month as u64 + 1, left + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calendar() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(11_017), (2000, 3, 1));
        assert_eq!(civil(20_778), (2026, 11, 21));
        assert_eq!(civil(20_818), (2026, 12, 31));
    }

    #[test]
    fn the_head_names_machine_and_build() {
        let Head(head) = Head::here(Cpu::native());
        let told = ["load", "hypervisor", "smt"];
        let names = head.iter().map(|(name, _)| name.as_str());
        let names: Vec<&str> = names.filter(|name| !told.contains(name)).collect();
        assert_eq!(
            names,
            [
                "machine", "cpu", "features", "compiler", "commit", "build", "plan", "date"
            ]
        );
        assert!(
            head.iter()
                .any(|(name, value)| name == "compiler" && value.starts_with("rustc "))
        );
        let hex = |value: &str| value.len() == 16 && value.chars().all(|c| c.is_ascii_hexdigit());
        assert!(
            head.iter()
                .any(|(name, value)| name == "build" && hex(value))
        );
    }

    #[test]
    fn a_record_stands_for_another_of_the_same_build_plan_and_machine() {
        let wanted = Head::here(Cpu::native()).at(Level::Standard);
        let with = |name: &str, value: &str| {
            let mut head = wanted.clone();
            let entry = head.0.iter_mut().find(|entry| entry.0 == name);
            entry.expect("a name of the head").1 = value.to_owned();
            head
        };
        for (name, _) in &wanted.0 {
            let differs = with(name, "another").differs_from(&wanted);
            let counts = !["date", "load"].contains(&&name[..]);
            assert_eq!(differs, counts.then_some(&name[..]));
        }
        assert_eq!(with("level", "full").differs_from(&wanted), None);
        assert_eq!(with("level", "quick").differs_from(&wanted), Some("level"));
        assert_eq!(Head(vec![]).differs_from(&wanted), Some("machine"));
        assert_eq!(wanted.get("plan"), Some("built-in"));
    }
}
