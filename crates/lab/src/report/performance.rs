//! The document `docs/performance.md`: what carrysave takes on each machine beside its main rivals, where it loses, and
//! what more threads gain.

use super::answers::{Answer, Task, owner};
use super::html::{duration, number};
use super::panel::{Across, Panel, is_bound, ours, panels, size};
use super::{Folder, Record, values};
use crate::record::Row;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::{io, path::Path};

/// The others that have a column: its heading, and who wrote the implementation.
const RIVALS: [(&str, &str); 5] = [
    ("OpenSSL", "openssl"),
    ("AWS-LC", "aws-lc"),
    ("ring", "ring"),
    ("graviola", "graviola"),
    ("GMP", "gmp"),
];

/// A line of the main table.
struct Line {
    task: Task,
    which: Which,
    show: Show,
}

/// Which rows of an operation and a size are of a line.
#[derive(Clone, Copy)]
enum Which {
    /// Those on one thread.
    One,
    /// Those on as many threads as the record has.
    Most,
    /// Those on one thread, and of ours only this way.
    Way(&'static str),
}

/// How a figure is shown.
#[derive(Clone, Copy)]
enum Show {
    /// The time of one operation.
    Time,
    /// Operations a second.
    Rate,
    /// Cycles a byte.
    Cycles,
}

use Show::{Cycles, Rate, Time};
use Which::{Most, One, Way};

/// Lines by title: experiment, operation, size in bits or bytes; which rows; how the figure is shown.
macro_rules! lines {
    ($($name:literal: $experiment:literal, $operation:literal, $size:expr; $which:expr; $show:expr;)*) => {
        &[$(Line {
            task: Task { name: $name, size: $size, race: ($experiment, $operation) },
            which: $which,
            show: $show,
        }),*]
    };
}

/// The tasks that people ask about.
static LINES: &[Line] = lines! {
    "RSA-2048: one signature": "rsa", "sign", 2048; One; Time;
    "RSA-3072: one signature": "rsa", "sign", 3072; One; Time;
    "RSA-4096: one signature": "rsa", "sign", 4096; One; Time;
    "RSA-8192: one signature": "rsa", "sign", 8192; One; Time;
    "RSA-2048: one verification": "rsa", "verify", 2048; One; Time;
    "RSA-4096: one verification": "rsa", "verify", 4096; One; Time;
    "RSA-2048: 64 signatures": "batch", "private/64", 2048; One; Rate;
    "RSA-2048: 64 signatures": "batch", "private/64", 2048; Most; Rate;
    "RSA-4096: 64 signatures": "batch", "private/64", 4096; One; Rate;
    "RSA-4096: 64 signatures": "batch", "private/64", 4096; Most; Rate;
    "RSA-2048: 64 verifications": "batch", "public/64", 2048; Most; Rate;
    "DH-2048: one secret": "schemes", "dh/key-agreement", 2048; One; Time;
    "DH-2048: 64 secrets, each": "schemes", "dh/key-agreement/64", 2048; One; Time;
    "DSA-2048: a first signature of a key": "schemes", "dsa/signature", 2048; Way("carrysave"); Time;
    "DSA-2048: a later one": "schemes", "dsa/signature", 2048; Way("carrysave/in-use"); Time;
    "DSA-2048: 64 signatures, each": "schemes", "dsa/signature/64", 2048; One; Time;
    "X25519: one secret": "curves", "x25519/agree", 255; One; Time;
    "X25519: many secrets, each": "curves", "x25519/many", 255; One; Time;
    "X25519: a public key": "curves", "x25519/public", 255; One; Time;
    "P-256: one secret": "curves", "p-256/agree", 256; One; Time;
    "P-256: many secrets, each": "curves", "p-256/many", 256; One; Time;
    "P-384: one secret": "curves", "p-384/agree", 384; One; Time;
    "P-384: many secrets, each": "curves", "p-384/many", 384; One; Time;
    "P-521: one secret": "curves", "p-521/agree", 521; One; Time;
    "P-521: many secrets, each": "curves", "p-521/many", 521; One; Time;
    "secp256k1: one secret": "curves", "secp256k1/agree", 256; One; Time;
    "secp256k1: many secrets, each": "curves", "secp256k1/many", 256; One; Time;
    "ECDSA on P-256: one signature": "curves", "p-256/sign", 256; One; Time;
    "ECDSA on P-256: one verification": "curves", "p-256/verify", 256; One; Time;
    "ECDSA on P-256: 64 signatures, each": "curves", "p-256/sign-many", 256; One; Time;
    "ECDSA on P-256: 64 verifications, each": "curves", "p-256/verify-many", 256; One; Time;
    "ECDSA on P-384: one signature": "curves", "p-384/sign", 384; One; Time;
    "ECDSA on P-384: one verification": "curves", "p-384/verify", 384; One; Time;
    "ECDSA on P-384: 64 signatures, each": "curves", "p-384/sign-many", 384; One; Time;
    "ECDSA on P-384: 64 verifications, each": "curves", "p-384/verify-many", 384; One; Time;
    "Ed25519: one signature": "curves", "ed25519/sign", 255; One; Time;
    "Ed25519: one verification": "curves", "ed25519/verify", 255; One; Time;
    "Ed25519: 64 signatures, each": "curves", "ed25519/sign-many", 255; One; Time;
    "Ed25519: 64 verifications, each": "curves", "ed25519/verify-many", 255; One; Time;
    "AES-128-CTR, 16 KiB": "symmetric", "aes-128/ctr", KIB_16; One; Cycles;
    "AES-256-CTR, 16 KiB": "symmetric", "aes-256/ctr", KIB_16; One; Cycles;
    "AES-128-CBC, to decrypt 16 KiB": "symmetric", "aes-128/cbc-decrypt", KIB_16; One; Cycles;
    "AES-128-CTR, 16 MiB": "symmetric", "aes-128/ctr/threads", MIB_16; Most; Cycles;
    "Threefish-512-CTR, 16 KiB": "symmetric", "threefish-512/ctr", KIB_16; One; Cycles;
    "A hash of 1 MiB, of each the fastest": "symmetric", "hash", MIB; One; Cycles;
    "Skein-512 as a tree, 16 MiB": "symmetric", "skein-512/tree/threads", MIB_16; Most; Cycles;
    "A product of 262,144 bits": "products", "mul", 262_144; One; Time;
    "A product modulo 645,120 bits": "products", "mul_mod", 645_120; One; Time;
    "Decimal text of 1,048,576 bits": "products", "to_decimal", 1_048_576; One; Time;
    "1,048,576 bits from decimal text": "products", "from_decimal", 1_048_576; One; Time;
    "A power modulo 4096 bits": "modexp", "modexp", 4096; One; Time;
    "A power modulo 8192 bits": "modexp", "modexp", 8192; One; Time;
    "A power modulo 26,880 bits": "teams", "power", 26_880; One; Time;
    "A power modulo 26,880 bits, by a team": "teams", "power", 26_880; Most; Time;
    "A power modulo 8192 bits, by a team": "teams", "power", 8192; Most; Time;
    "RSA-4096: one private operation, by a team": "teams", "private", 4096; Most; Time;
    "RSA-8192: one private operation, by a team": "teams", "private", 8192; Most; Time;
};

const KIB_16: usize = 16 << 10;
const MIB: usize = 1 << 20;
const MIB_16: usize = 16 << 20;

/// A rival's time has to be this many times below ours before we say that we lose: what is closer is noise.
const LOSS: f64 = 1.03;
/// How many losses a table has.
const LOSSES: usize = 25;
/// The experiments whose operations are parts of what others measure as a whole.
const PARTS: [&str; 2] = ["mpn", "fields"];
/// How many sizes of an operation the table of threads has, the largest ones.
const SIZES: usize = 4;
/// The experiments in which one operation, or one batch, is done on several threads.
const THREADED: [&str; 3] = ["teams", "batch", "threads"];

/// The file beside the folders of records that says how many packages come along.
pub const PACKAGES: &str = "packages.csv";

/// How many packages come along with something: what it is, with which features, and how many.
pub type Package = [String; 3];

/// Reads the lines of [`PACKAGES`]; there are none if there is no such file.
///
/// # Errors
/// A file that cannot be read, or whose lines are not of three columns.
pub fn packages(path: &Path) -> io::Result<Vec<Package>> {
    let text = match std::fs::read_to_string(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(vec![]),
        text => text?,
    };
    let lines = csv::Reader::from_reader(text.as_bytes()).into_deserialize();
    Ok(lines.collect::<Result<_, _>>()?)
}

/// The whole document about these folders in `lab-records`, by name.
///
/// ```
/// use carrysave_lab::report::{Folder, performance};
/// let text = performance::document(&[("some-machine", &Folder::default())], &[]);
/// assert!(text.contains("report performance --out docs/performance.md lab-records/some-machine\n"));
/// ```
pub fn document(machines: &[(&str, &Folder)], packages: &[Package]) -> String {
    let records: String = machines
        .iter()
        .map(|(name, _)| format!(" lab-records/{name}"))
        .collect();
    let mut out = format!(
        "# Performance\n\n{}\n```sh\ncargo run --release -p carrysave-lab -- report performance --out \
         docs/performance.md{records}\n```\n",
        wrapped(
            "This document is made from the records in `lab-records`; a test compares it with them. Each figure is the \
             median of an interleaved race: carrysave and the others take turns within one process, after their answers \
             were checked. A factor says how many times as fast carrysave is as the other; below 1 it is slower. Where \
             carrysave has several ways to do something, its figure is that of the fastest one, as for the others. \
             This command makes the document:"
        )
    );
    for (name, folder) in machines {
        out.push_str(&machine(name, folder));
    }
    if !packages.is_empty() {
        let headings = ["what", "features", "packages"].map(str::to_owned);
        let rows = packages.iter().map(|line| line.to_vec());
        let _ = write!(
            out,
            "\n## How much comes along\n\nPackages that cargo builds for each with these features, itself included ([{PACKAGES}](../lab-records/{PACKAGES})):\n\n{}",
            table(&headings, rows.collect())
        );
    }
    let _ = write!(
        out,
        "\n## The picture in the README\n\nIt is made from these records, and a test compares it with them:\n\n```sh\n\
         {PICTURE}\n```\n"
    );
    out
}

const PICTURE: &str = "cargo run --release -p carrysave-lab -- report chart --out docs/signatures.svg \
    lab-records/zen5-2core-2026-11-25 lab-records/emeraldrapids-16core-2026-11-26 lab-records/zen3-2core-2026-11-25";

/// The section of a machine.
fn machine(name: &str, folder: &Folder) -> String {
    let all = |key| values(folder.records.iter(), key);
    let (cpus, mut dates) = (all("cpu").join(", "), all("date"));
    dates.sort_unstable();
    let dates = dates.join(", ");
    let cores = folder.records.iter().find_map(|record| record.head.cores());
    let cores = cores.map_or(String::new(), |cores| format!(", {cores} cores"));
    let mut versions: Vec<&str> = vec![];
    for version in all("rivals").iter().flat_map(|all| all.split("; ")) {
        if !versions.contains(&version) && !version.starts_with("carrysave ") {
            versions.push(version);
        }
    }
    let mut about = format!("The records are in [{name}](../lab-records/{name}).");
    for there in all("hypervisor") {
        let runs = if there == "no" { "No" } else { "A" };
        let _ = write!(about, " {runs} hypervisor runs the machine.");
    }
    let _ = match &all("load")[..] {
        [] => Ok(()),
        [load] => write!(about, " Its load before was {load}."),
        loads => write!(about, " Its loads before were {}.", loads.join("; ")),
    };
    let _ = write!(about, " The others are {}.", versions.join("; "));
    let mut out = format!("\n## {cpus}{cores}, {dates}\n\n{}", wrapped(&about));
    out.push_str(&tasks(folder));
    out.push_str(&losses(folder));
    out.push_str(&threads(folder));
    out.push_str(&slower(folder));
    out
}

/// The main table.
fn tasks(folder: &Folder) -> String {
    let headings = ["task", "threads", "carrysave", "carrysave on 1 thread"].into_iter();
    let headings = headings.chain(RIVALS.map(|(heading, _)| heading));
    let headings: Vec<String> = headings
        .chain(["fastest other"])
        .map(str::to_owned)
        .collect();
    let row = |line: &Line| {
        let answer = answer(&line.task, line.which, folder)?;
        let times = |rival: &Row| factor(answer.times(rival));
        let alone = match line.which {
            Most => self::answer(&line.task, One, folder),
            One | Way(_) => None,
        };
        let mut cells = vec![
            line.task.name.to_owned(),
            answer.ours.threads.max(1).to_string(),
            figure(answer.ours, line.show),
            alone.map(|alone| times(alone.ours)).unwrap_or_default(),
        ];
        cells.extend(RIVALS.map(|(_, name)| answer.rival(name).map(times).unwrap_or_default()));
        let named = |rival: &&Row| format!("{}, {}", times(rival), owner(rival));
        cells.push(answer.rivals.first().map(named).unwrap_or_default());
        Some(cells)
    };
    let rows: Vec<Vec<String>> = LINES.iter().filter_map(row).collect();
    if rows.is_empty() {
        return String::new();
    }
    format!("\n{}", table(&headings, rows))
}

/// The race of a line. What is asked of all threads is not what one does.
fn answer<'f>(task: &Task, which: Which, folder: &'f Folder) -> Option<Answer<'f>> {
    let (name, _) = task.race;
    let record = folder.records.iter().find(|record| record.name == name)?;
    let rows = || record.rows.iter().filter(|row| task.is_done_by(row));
    let threads = match which {
        Most => rows()
            .map(|row| row.threads)
            .max()
            .filter(|most| *most > 1)?,
        One | Way(_) => 1,
    };
    let asked = |row: &&Row| {
        let way = match which {
            Way(way) => !ours(row) || row.implementation == way,
            One | Most => true,
        };
        way && row.threads.max(1) == threads
    };
    task.answer(rows().filter(asked))
}

fn figure(row: &Row, show: Show) -> String {
    match (show, row.cycles_per_byte()) {
        (Rate, _) => format!("{} a second", number(row.ops_per_second.round())),
        (Cycles, Some(cycles)) => format!("{} cycles a byte", number(cycles)),
        _ => duration(row.ns_median),
    }
}

fn factor(times: f64) -> String {
    match times {
        t if t < 0.1 => format!("{t:.3} x"),
        t if t < 10.0 => format!("{t:.2} x"),
        t => format!("{t:.1} x"),
    }
}

/// What the others are fastest at: whole operations first.
fn losses(folder: &Folder) -> String {
    let (parts, whole): (Vec<_>, Vec<_>) = races(folder)
        .into_iter()
        .partition(|race| PARTS.contains(&race.record));
    let whole = lost(whole, "whole operations", "");
    let parts = lost(
        parts,
        "kernels and operations of fields",
        " A kernel does one method at all sizes; `mpn_mul` and `mpn_sqr` of GMP take the best one at each. `mpn_cmp` \
         reads all limbs, as they may be secret; that of GMP ends where they differ.",
    );
    if whole.is_empty() && parts.is_empty() {
        return String::new();
    }
    format!("\n### Where carrysave loses\n{whole}{parts}")
}

/// Those of these races that are lost, the worst first, after a sentence with their number.
fn lost(mut races: Vec<Race<'_>>, of: &str, note: &str) -> String {
    let all = races.len();
    races.retain(|race| race.lost_by() > LOSS);
    races.sort_by(|a, b| b.lost_by().total_cmp(&a.lost_by()));
    let worst = match races.len().checked_sub(LOSSES) {
        None | Some(0) => String::new(),
        Some(more) => format!(" These are the {LOSSES} worst; there are {more} more."),
    };
    let said = match races.len() {
        0 if all == 0 => return String::new(),
        0 => format!("Of {all} races of {of} with others carrysave loses none by more than 3 %."),
        some => format!(
            "Of {all} races of {of} with others carrysave loses {some} by more than 3 %.{worst}{note}"
        ),
    };
    let headings = [
        "record",
        "operation",
        "size",
        "threads",
        "carrysave",
        "the fastest other",
        "its time",
        "factor",
    ];
    let row = |race: &Race<'_>| {
        vec![
            race.record.to_owned(),
            race.ours.operation.clone(),
            size(race.ours),
            race.ours.threads.max(1).to_string(),
            duration(race.ours.ns_median),
            plain(&race.rival.implementation).to_owned(),
            duration(race.rival.ns_median),
            factor(1.0 / race.lost_by()),
        ]
    };
    let rows: Vec<Vec<String>> = races.iter().take(LOSSES).map(row).collect();
    let table = match rows.is_empty() {
        true => String::new(),
        false => format!("\n{}", table(&headings.map(str::to_owned), rows)),
    };
    format!("\n{}{table}", wrapped(&said))
}

/// The best of both sides in one operation of one size on as many threads.
struct Race<'f> {
    record: &'f str,
    ours: &'f Row,
    rival: &'f Row,
}

impl Race<'_> {
    /// Our time as a multiple of theirs.
    fn lost_by(&self) -> f64 {
        self.ours.ns_median / self.rival.ns_median
    }
}

/// Every race that has both sides, record by record.
fn races(folder: &Folder) -> Vec<Race<'_>> {
    let mut races = vec![];
    for Record { name, rows, .. } in &folder.records {
        let mut best: BTreeMap<_, [Option<&Row>; 2]> = BTreeMap::new();
        for row in rows.iter().filter(|row| !is_bound(row)) {
            let place = (&row.operation, row.bits, row.bytes, row.threads.max(1));
            let best = &mut best.entry(place).or_default()[usize::from(!ours(row))];
            if best.is_none_or(|best| row.ns_median < best.ns_median) {
                *best = Some(row);
            }
        }
        for sides in best.into_values() {
            if let [Some(ours), Some(rival)] = sides {
                let record = &name[..];
                races.push(Race {
                    record,
                    ours,
                    rival,
                });
            }
        }
    }
    races
}

/// The name of an implementation without what is in brackets after it.
fn plain(implementation: &str) -> &str {
    implementation.split(" (").next().unwrap_or_default()
}

/// What more than two threads gain, where the machine has more than two cores.
fn threads(folder: &Folder) -> String {
    let mut lines: Vec<Speedups<'_>> = vec![];
    for record in &folder.records {
        if let (true, Some(cores)) = (THREADED.contains(&&record.name[..]), record.head.cores()) {
            for panel in panels(&record.rows) {
                lines.extend(speedups(&panel, cores));
            }
        }
    }
    let mut counts: Vec<usize> = lines
        .iter()
        .flat_map(|(_, gains)| gains.keys().copied())
        .collect();
    counts.sort_unstable();
    counts.dedup();
    if counts.is_empty() {
        return String::new();
    }
    let headings = ["operation", "size", "by"].map(str::to_owned).into_iter();
    let headings: Vec<String> = headings
        .chain(counts.iter().map(|count| format!("{count} threads")))
        .collect();
    let row = |(row, gains): &Speedups<'_>| {
        let gain = |count| gains.get(count).map(|gain| format!("{gain:.2}"));
        let cells = [
            format!("{} {}", row.experiment, row.operation),
            size(row),
            row.implementation.clone(),
        ];
        let gains = counts.iter().map(|count| gain(count).unwrap_or_default());
        cells.into_iter().chain(gains).collect()
    };
    format!(
        "\n### What more threads gain\n\n{}\n{}",
        wrapped(
            "How many times as fast the same is as on one thread, for the way that is fastest on the most threads that \
             this machine has cores for, at the largest sizes."
        ),
        table(&headings, lines.iter().map(row).collect())
    )
}

/// Which teams take longer than one thread, of those that may leave an operation to it.
fn slower(folder: &Folder) -> String {
    let (mut all, mut lost) = (0, vec![]);
    let teams = folder
        .records
        .iter()
        .filter(|record| record.name == "teams");
    for (record, cores) in teams.filter_map(|record| Some((record, record.head.cores()?))) {
        for panel in panels(&record.rows) {
            for &(at, row) in &panel.rows {
                // `private` is on the team in any case.
                let chosen = row.operation != "private" && row.implementation == "carrysave/team";
                let here = chosen && row.threads <= cores;
                let Some(gain) = panel.speedup(at, row).filter(|_| here) else {
                    continue;
                };
                all += 1;
                if gain < 1.0 / LOSS {
                    let (operation, size) = (&row.operation, size(row));
                    lost.push(format!(
                        "`{operation}` of {size} by {} ({gain:.2} times as fast)",
                        row.threads
                    ));
                }
            }
        }
    }
    let text = match (all, &lost[..]) {
        (0, _) => return String::new(),
        (_, []) => "No team takes more than 3 % longer than one thread, also beside a busy core, where it may leave an \
             operation to one."
            .to_owned(),
        _ => format!(
            "Teams that may leave an operation to one thread take more than 3 % longer for {}.",
            lost.join(", ")
        ),
    };
    format!("\n{}\n", wrapped(&text))
}

/// A row on the most threads, and how many times as fast as on one its way is on each number of them.
type Speedups<'r> = (&'r Row, BTreeMap<usize, f64>);

/// Those of a panel at its largest sizes, or at its largest number, if it has more than two threads there.
fn speedups<'r>(panel: &Panel<'r>, cores: usize) -> Vec<Speedups<'r>> {
    let at_place = |at: f64| -> Option<Speedups<'r>> {
        let gain = |(place, row): &(f64, &'r Row)| {
            let here = *place == at && row.threads <= cores && ours(row);
            Some((*row, panel.speedup(at, row).filter(|_| here)?))
        };
        let gains: Vec<(&Row, f64)> = panel.rows.iter().filter_map(gain).collect();
        let most = gains.iter().map(|(row, _)| row.threads).max()?;
        let fastest = gains
            .iter()
            .map(|(row, _)| *row)
            .filter(|row| row.threads == most);
        let fastest = fastest.min_by(|a, b| a.ns_median.total_cmp(&b.ns_median))?;
        let same = gains
            .iter()
            .filter(|(row, _)| row.implementation == fastest.implementation);
        let same = same.map(|(row, gain)| (row.threads, *gain)).collect();
        (most > 2).then_some((fastest, same))
    };
    let mut places: Vec<f64> = panel.rows.iter().map(|(at, _)| *at).collect();
    places.sort_by(|a, b| b.total_cmp(a));
    places.dedup();
    places.truncate(if panel.across == Across::Number {
        1
    } else {
        SIZES
    });
    places.into_iter().rev().filter_map(at_place).collect()
}

/// A table, without the columns in which no row has anything.
fn table(headings: &[String], rows: Vec<Vec<String>>) -> String {
    let is_used = |column: &usize| rows.iter().any(|row| !row[*column].is_empty());
    let used: Vec<usize> = (0..headings.len()).filter(is_used).collect();
    let line = |cells: &[String]| {
        let cell = |column: &usize| match &cells[*column][..] {
            "" => "-".to_owned(),
            text => text.replace('|', "\\|"),
        };
        format!(
            "| {} |\n",
            used.iter().map(cell).collect::<Vec<_>>().join(" | ")
        )
    };
    let rule = format!("|{}\n", " --- |".repeat(used.len()));
    let rows: String = rows.iter().map(|row| line(row)).collect();
    format!("{}{rule}{rows}", line(headings))
}

/// A paragraph in lines of at most 120 characters, unless a word is longer.
fn wrapped(text: &str) -> String {
    let (mut out, mut length) = (String::new(), 0);
    for word in text.split(' ') {
        if length > 0 && length + 1 + word.len() > 120 {
            out.push('\n');
            length = 0;
        } else if length > 0 {
            out.push(' ');
            length += 1;
        }
        out.push_str(word);
        length += word.len();
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests;
