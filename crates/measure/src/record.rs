//! Records: one row a contender and race, as CSV with a head that says where and when, or as JSON lines.

use crate::{race::Measurement, stats::significant};
use carrysave_arith::{PLANS, Plan};
use carrysave_engine::Cores;
use carrysave_kernels::Cpu;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::{
    fmt,
    io::{self, BufRead, Write},
    sync::LazyLock,
    time::{SystemTime, UNIX_EPOCH},
};

/// The columns of a record, in order.
pub const COLUMNS: [&str; 11] = [
    "experiment",
    "operation",
    "bits",
    "bytes",
    "implementation",
    "threads",
    "ops_per_second",
    "ns_median",
    "ns_spread",
    "core_ghz",
    "samples",
];

/// The size of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// The length of the numbers in bits.
    Bits(usize),
    /// The length of the data in bytes.
    Bytes(usize),
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Size::Bits(n) => write!(f, "{n} bits"),
            Size::Bytes(n) => write!(f, "{n} bytes"),
        }
    }
}

/// What one contender did in one race.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The experiment, such as `rsa`.
    pub experiment: String,
    /// The operation, such as `sign`.
    pub operation: String,
    /// The length of the numbers in bits, where that is the size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bits: Option<usize>,
    /// The length of the data in bytes, where that is the size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<usize>,
    /// Who did it.
    pub implementation: String,
    /// On how many threads.
    pub threads: usize,
    /// Operations a second, from the median.
    pub ops_per_second: f64,
    /// Nanoseconds an operation: median.
    pub ns_median: f64,
    /// Nanoseconds an operation: upper less lower quartile.
    pub ns_spread: f64,
    /// The core clock during the race.
    pub core_ghz: f64,
    /// How many samples the median is of; 0 in old records, which do not say.
    #[serde(default)]
    pub samples: usize,
}

impl Row {
    /// The row of a measurement.
    pub fn new(
        experiment: &str,
        operation: &str,
        size: Size,
        threads: usize,
        measured: &Measurement,
    ) -> Row {
        let (bits, bytes) = match size {
            Size::Bits(n) => (Some(n), None),
            Size::Bytes(n) => (None, Some(n)),
        };
        Row {
            experiment: experiment.to_owned(),
            operation: operation.to_owned(),
            bits,
            bytes,
            implementation: measured.name.clone(),
            threads,
            ops_per_second: significant(1e9 / measured.ns_median, 6),
            ns_median: significant(measured.ns_median, 6),
            ns_spread: significant(measured.ns_spread, 3),
            core_ghz: significant(measured.core_ghz, 4),
            samples: measured.samples,
        }
    }

    /// Its size.
    pub fn size(&self) -> Option<Size> {
        self.bits.map(Size::Bits).or(self.bytes.map(Size::Bytes))
    }

    /// Whether `only` asks for rows of this operation and implementation: it names either, or a part of one before or
    /// after a `/`.
    ///
    /// ```
    /// use carrysave_measure::record::Row;
    /// assert!(Row::is_named("adc", "mpn_add_n", "carrysave/adc") && !Row::is_named("add", "mpn_add_n", "carrysave/adc"));
    /// ```
    pub fn is_named(only: &str, operation: &str, implementation: &str) -> bool {
        [operation, implementation]
            .iter()
            .any(|name| only == *name || name.split('/').any(|part| part == only))
    }

    /// The cycles of an operation.
    pub fn cycles(&self) -> f64 {
        self.ns_median * self.core_ghz
    }

    /// The cycles of a byte, where bytes are worked on.
    pub fn cycles_per_byte(&self) -> Option<f64> {
        let bytes = self.bytes.filter(|bytes| *bytes > 0)?;
        Some(self.cycles() / bytes as f64)
    }

    /// The first column whose number cannot be that of a measurement.
    fn impossible(&self) -> Option<&'static str> {
        let positive = |x: f64| x.is_finite() && x > 0.0;
        let columns = [
            ("ops_per_second", positive(self.ops_per_second)),
            ("ns_median", positive(self.ns_median)),
            (
                "ns_spread",
                self.ns_spread == 0.0 || positive(self.ns_spread),
            ),
            ("core_ghz", positive(self.core_ghz)),
        ];
        let found = columns.iter().find(|(_, possible)| !possible)?;
        Some(found.0)
    }

    /// The row as one JSON object without a line break.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("names and numbers are always JSON")
    }
}

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

const MACHINE: &str = "machine";
const SMT: &str = "smt";
const LEVEL: &str = "level";
const LOAD: &str = "load";

/// Writes a record: the head as comment lines, the columns' names, the rows.
///
/// # Errors
/// Those of `to`.
pub fn write_csv(mut to: impl Write, head: &Head, rows: &[Row]) -> io::Result<()> {
    for (name, value) in &head.0 {
        writeln!(to, "# {name}: {}", value.replace(['\n', '\r'], " "))?;
    }
    let mut csv = csv::Writer::from_writer(to);
    csv.write_record(COLUMNS)?;
    let size = |n: Option<usize>| n.map(|n| n.to_string()).unwrap_or_default();
    for row in rows {
        csv.write_record([
            row.experiment.clone(),
            row.operation.clone(),
            size(row.bits),
            size(row.bytes),
            row.implementation.clone(),
            row.threads.to_string(),
            row.ops_per_second.to_string(),
            row.ns_median.to_string(),
            row.ns_spread.to_string(),
            row.core_ghz.to_string(),
            row.samples.to_string(),
        ])?;
    }
    csv.flush()
}

/// Reads what [`write_csv`] wrote.
///
/// # Errors
/// Those of `from`, and a record that lacks a column or holds something else than it should.
pub fn read_csv(mut from: impl BufRead) -> io::Result<(Head, Vec<Row>)> {
    let mut text = String::new();
    from.read_to_string(&mut text)?;
    let head = text
        .lines()
        .map_while(|line| line.strip_prefix("# ")?.split_once(": "));
    let head = Head(
        head.map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
    );
    let body: usize = text
        .split_inclusive('\n')
        .take(head.0.len())
        .map(str::len)
        .sum();
    let mut csv = csv::Reader::from_reader(&text.as_bytes()[body..]);
    let mut rows: Vec<Row> = vec![];
    let wrong = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
    for row in csv.deserialize() {
        let row: Row = row?;
        if let Some(column) = row.impossible() {
            let line = head.0.len() + rows.len() + 2;
            return Err(wrong(format!(
                "line {line}: {column} is no measurement; measure it anew, or leave that line out"
            )));
        }
        rows.push(row);
    }
    Ok((head, rows))
}

/// The system and the architecture.
fn system() -> String {
    format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)
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

/// The load averages of one, five and fifteen minutes.
fn load() -> Option<String> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    let averages: Vec<&str> = text.split(' ').take(3).collect();
    Some(averages.join(" "))
}

/// Whether a core has several of the processors that this thread may use, where that is known.
fn smt() -> Option<String> {
    let several = Cores::here().most_threads() > 1;
    cfg!(target_os = "linux").then(|| if several { "yes" } else { "no" }.to_owned())
}

/// Whether a hypervisor runs this machine, by what the processor says, or else the firmware.
fn hypervisor() -> Option<bool> {
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    let firmware = ["product_name", "sys_vendor"];
    let firmware = firmware.map(|name| read(format!("/sys/class/dmi/id/{name}")));
    is_virtual(&read("/proc/cpuinfo".to_owned()), &firmware.concat())
}

fn is_virtual(cpuinfo: &str, firmware: &str) -> Option<bool> {
    const NAMES: [&str; 7] = [
        "KVM",
        "QEMU",
        "VMware",
        "VirtualBox",
        "Virtual Machine",
        "Xen",
        "Compute Engine",
    ];
    let flags = cpuinfo.lines().find(|line| line.starts_with("flags"));
    let flag = flags.is_some_and(|flags| flags.split_whitespace().any(|flag| flag == "hypervisor"));
    let named = NAMES.iter().any(|name| firmware.contains(name));
    (flags.is_some() || !firmware.is_empty()).then_some(flag || named)
}

/// The processor's name, with family and model where the system tells them; or by the numbers of its maker, part and
/// variant, which is what Linux tells of an Arm processor.
pub fn cpu_name() -> Option<String> {
    cpu_name_in(&std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default())
}

/// The processor's name by the text of `/proc/cpuinfo`.
fn cpu_name_in(info: &str) -> Option<String> {
    let field = |name: &str| {
        let line = info
            .lines()
            .find(|l| l.split(':').next().is_some_and(|key| key.trim() == name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    match (field("model name"), field("cpu family"), field("model")) {
        (Some(name), Some(family), Some(model)) => {
            Some(format!("{name} (family {family} model {model})"))
        }
        (Some(name), ..) => Some(name),
        _ => {
            let numbers = ["implementer", "part", "variant"];
            let [maker, part, variant] = numbers.map(|what| field(&format!("CPU {what}")));
            Some(format!(
                "Arm {}, part {}, variant {}",
                maker?, part?, variant?
            ))
        }
    }
}

/// The name of a processor that the system does not name.
pub const UNKNOWN: &str = "unknown";

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
    fn processors_have_names_or_numbers() {
        let intel = "processor\t: 0\ncpu family\t: 6\nmodel\t\t: 143\nmodel name\t: Some Xeon\n";
        let name = Some("Some Xeon (family 6 model 143)".to_owned());
        assert_eq!(cpu_name_in(intel), name);
        let arm = "processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\n";
        let name = Some("Arm 0x41, part 0xd0c, variant 0x3".to_owned());
        assert_eq!(cpu_name_in(arm), name);
        assert_eq!(cpu_name_in("processor\t: 0\n"), None);
    }

    fn rows() -> Vec<Row> {
        let measured = |name: &str, ns| Measurement {
            name: name.to_owned(),
            ns_median: ns,
            ns_spread: 0.125,
            samples: 3,
            core_ghz: 3.7,
        };
        vec![
            Row::new(
                "rsa",
                "sign",
                Size::Bits(2048),
                1,
                &measured("carrysave", 426_000.0),
            ),
            Row::new(
                "aes",
                "ctr",
                Size::Bytes(16),
                2,
                &measured("odd, \"name\"\nof two lines", 1.5),
            ),
        ]
    }

    #[test]
    fn a_record_reads_back_as_it_was_written() {
        let head = Head(vec![
            ("cpu".into(), "A: B, \"C\"".into()),
            ("date".into(), "2026-11-21".into()),
        ]);
        let mut file = Vec::new();
        write_csv(&mut file, &head, &rows()).unwrap();
        let text = String::from_utf8(file.clone()).unwrap();
        assert!(
            text.starts_with(
                "# cpu: A: B, \"C\"\n# date: 2026-11-21\nexperiment,operation,bits,bytes,"
            ),
            "{text}"
        );
        assert!(
            text.contains("\nrsa,sign,2048,,carrysave,1,2347.42,426000,0.125,3.7,3\n"),
            "{text}"
        );
        assert_eq!(read_csv(file.as_slice()).unwrap(), (head, rows()));
    }

    #[test]
    fn an_old_record_does_not_say_how_many_samples_there_were() {
        let mut file = Vec::new();
        write_csv(&mut file, &Head(vec![]), &rows()[..1]).unwrap();
        let old = String::from_utf8(file)
            .unwrap()
            .replace(",samples", "")
            .replace(",3.7,3", ",3.7");
        let (_, read) = read_csv(old.as_bytes()).unwrap();
        assert_eq!(
            read,
            [Row {
                samples: 0,
                ..rows()[0].clone()
            }]
        );
    }

    #[test]
    fn a_broken_record_is_an_error() {
        let mut file = Vec::new();
        write_csv(&mut file, &Head(vec![]), &rows()).unwrap();
        let broken = String::from_utf8(file.clone()).unwrap();
        let broken = broken.replacen("2048", "many", 1);
        assert!(read_csv(broken.as_bytes()).is_err());
        for (row, column) in [
            ("rsa,sign,99,,carrysave,1,nan,NaN,0,3,3", "ops_per_second"),
            ("rsa,sign,99,,carrysave,1,1,0,0,3,3", "ns_median"),
            ("rsa,sign,99,,carrysave,1,1,1,-5,3,3", "ns_spread"),
            ("rsa,sign,99,,carrysave,1,1,1,0,inf,3", "core_ghz"),
        ] {
            let bad = [&file[..], row.as_bytes()].concat();
            let error = read_csv(&bad[..]).unwrap_err().to_string();
            let line = rows().len() + 2;
            assert!(error.contains(&format!("line {line}: {column}")), "{error}");
        }
    }

    #[test]
    fn json_has_the_size_that_applies_and_escapes_names() {
        let lines: Vec<String> = rows().iter().map(Row::to_json).collect();
        assert_eq!(
            lines[0],
            r#"{"experiment":"rsa","operation":"sign","bits":2048,"implementation":"carrysave","threads":1,"ops_per_second":2347.42,"ns_median":426000.0,"ns_spread":0.125,"core_ghz":3.7,"samples":3}"#
        );
        assert!(
            lines[1].contains(r#""bytes":16,"implementation":"odd, \"name\"\nof two lines""#),
            "{}",
            lines[1]
        );
        assert_eq!(serde_json::from_str::<Row>(&lines[1]).unwrap(), rows()[1]);
    }

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
    fn a_hypervisor_is_seen_by_processor_or_firmware() {
        let flags = |more: &str| format!("processor\t: 0\nflags\t\t: fpu {more} adx\n");
        for (cpuinfo, firmware, there) in [
            (flags("hypervisor"), "", Some(true)),
            (flags("hypervisors"), "", Some(false)),
            (flags(""), "Google Compute Engine\n", Some(true)),
            (String::new(), "KVM\nQEMU\n", Some(true)),
            (String::new(), "PowerEdge\nDell Inc.\n", Some(false)),
            (String::new(), "", None),
        ] {
            assert_eq!(
                is_virtual(&cpuinfo, firmware),
                there,
                "{cpuinfo} {firmware}"
            );
        }
        if cfg!(target_os = "linux") {
            let head = Head::here(Cpu::native());
            let load = head.get("load").expect("Linux tells it");
            assert!(
                load.split(' ')
                    .all(|average| average.parse::<f64>().is_ok()),
                "{load}"
            );
        }
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
