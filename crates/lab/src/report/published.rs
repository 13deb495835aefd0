//! The tables of the documents that this project began with, and which of our rows stands beside each of their figures.
//!
//! The figures are the authors', for machines of their time. `docs/design/published.md` says what was measured and how.

use super::panel::contender;
use crate::record::{Row, Size};
use carrysave_arith::{Group, Nat, team::pow::Version};
use carrysave_engine::Threads;
use std::num::NonZeroUsize;
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU32, Ordering::Relaxed},
};

/// A published table.
pub struct Table {
    /// Its file in `data/published`, less the ending.
    pub name: &'static str,
    csv: &'static str,
    /// What it measures.
    pub title: &'static str,
    /// Who published it, and the machine.
    pub source: &'static str,
    /// What its figures are.
    pub unit: Unit,
    /// The columns with figures, and what they are called here.
    pub columns: &'static [(&'static str, &'static str)],
    counterpart: fn(&Cell<'_>) -> Counterpart,
}

/// What the figures of a table are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unit {
    /// Times, of which one is so many nanoseconds.
    Time(f64),
    /// Cycles of the core, in multiples of so many.
    Cycles(f64),
    /// Amounts of work whose unit is not known: they are compared as multiples of this column in their row.
    Multiple(&'static str),
    /// Something that is counted.
    Count,
}

/// What stands beside a published figure.
#[derive(Clone, Debug, PartialEq)]
pub enum Counterpart {
    /// A row of a record.
    Row(Key),
    /// A number that does not depend on the machine.
    Counted(f64),
    /// Nothing, for this reason.
    Never(&'static str),
}

/// Which row.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// Its experiment.
    pub experiment: &'static str,
    /// Its operation.
    pub operation: String,
    /// Its size.
    pub size: Size,
    /// Its implementation.
    pub implementation: String,
    /// Its threads; the most there are if `None`.
    pub threads: Option<usize>,
}

/// A place in a table.
pub struct Cell<'c> {
    /// The column.
    pub column: &'c str,
    line: &'c Line,
}

/// A line of a table.
#[derive(Clone, Debug)]
pub struct Line {
    cells: Vec<(String, String)>,
}

impl Line {
    /// What it is about: all that is in none of the columns with figures.
    pub fn label(&self, table: &Table) -> String {
        let is_label = |name: &String| {
            !table.columns.iter().any(|(column, _)| column == name)
                && !["_sd", "_pct", "speedup", "efficiency"]
                    .iter()
                    .any(|end| name.ends_with(end))
        };
        let cells = self.cells.iter().filter(|(name, _)| is_label(name));
        let text = |(name, value): &(String, String)| match value.parse::<f64>() {
            Ok(_) => format!("{} {value}", name.replace('_', " ")),
            Err(_) => value.clone(),
        };
        cells.map(text).collect::<Vec<_>>().join(", ")
    }

    /// The figure in a column, where there is one.
    pub fn figure(&self, column: &str) -> Option<f64> {
        self.text(column)?.parse().ok()
    }

    fn text(&self, column: &str) -> Option<&str> {
        let cell = self.cells.iter().find(|(name, _)| name == column)?;
        Some(&cell.1)
    }
}

impl Cell<'_> {
    fn number(&self, column: &str) -> usize {
        self.text(column).parse().expect("a whole number")
    }

    fn text(&self, column: &str) -> &str {
        self.line.text(column).expect("a column of the table")
    }
}

impl Table {
    /// Its lines.
    pub fn lines(&self) -> Vec<Line> {
        let mut csv = csv::Reader::from_reader(self.csv.as_bytes());
        let names: Vec<String> = csv
            .headers()
            .expect("a table has a head")
            .iter()
            .map(str::to_owned)
            .collect();
        let line = |record: csv::StringRecord| Line {
            cells: names
                .iter()
                .cloned()
                .zip(record.iter().map(str::to_owned))
                .collect(),
        };
        csv.records()
            .map(|record| line(record.expect("a line of the table")))
            .collect()
    }

    /// What stands beside a figure of it.
    pub fn counterpart(&self, line: &Line, column: &str) -> Counterpart {
        (self.counterpart)(&Cell { column, line })
    }

    /// A published figure in the unit in which it is compared: nanoseconds, cycles, multiples, numbers.
    pub fn published(&self, line: &Line, column: &str) -> Option<f64> {
        let figure = line.figure(column)?;
        match self.unit {
            Unit::Time(scale) | Unit::Cycles(scale) => Some(figure * scale),
            Unit::Multiple(of) => Some(figure / line.figure(of)?),
            Unit::Count => Some(figure),
        }
    }

    /// Ours in the same unit, with the row that it is from; `None` if the rows lack it.
    pub fn measured<'r>(
        &self,
        line: &Line,
        column: &str,
        rows: &'r [Row],
    ) -> Option<(f64, Option<&'r Row>)> {
        let row = match self.counterpart(line, column) {
            Counterpart::Row(key) => key.find(rows)?,
            Counterpart::Counted(number) => return Some((number, None)),
            Counterpart::Never(_) => return None,
        };
        let value = match self.unit {
            Unit::Time(_) => row.ns_median,
            Unit::Cycles(_) => row.ns_median * row.core_ghz,
            Unit::Multiple(of) => match self.counterpart(line, of) {
                Counterpart::Row(key) => row.ns_median / key.find(rows)?.ns_median,
                _ => return None,
            },
            Unit::Count => return None,
        };
        Some((value, Some(row)))
    }
}

impl Key {
    /// The row, if it is there.
    pub fn find<'r>(&self, rows: &'r [Row]) -> Option<&'r Row> {
        let size = |row: &Row| match self.size {
            Size::Bits(bits) => row.bits == Some(bits),
            Size::Bytes(bytes) => row.bytes == Some(bytes),
        };
        rows.iter()
            .filter(|row| {
                row.experiment == self.experiment
                    && row.operation == self.operation
                    && row.implementation == self.implementation
                    && size(row)
                    && self.threads.is_none_or(|threads| row.threads == threads)
            })
            .max_by_key(|row| row.threads)
    }
}

/// Where a row is found, for a reader.
pub fn place(row: &Row) -> String {
    let size = match (row.bits, row.bytes) {
        (Some(bits), _) => format!("{bits} bits"),
        (_, Some(bytes)) => format!("{bytes} bytes"),
        _ => String::new(),
    };
    format!(
        "{}: {} {size}, {}",
        row.experiment,
        row.operation,
        contender(row)
    )
}

const ZIDENBERG: &str = "Zidenberg, Optimizing Crypto++ library for P4; Pentium 4";
const KHALIFA: &str = "Khalifa, The Performance of Cryptographic Algorithms in the Age of Parallel Computing, \
    Heriot-Watt University 2011; two Xeon E5506, 2.13 GHz, words of 32 bits";

const SANAL: &str = "Şanal, A Galois Field Arithmetic Library, 2017; Intel i7-6500U";

macro_rules! tables {
    ($($name:literal, $title:literal, $source:expr, $unit:expr, $columns:expr, $counterpart:expr;)*) => {
        /// Every published table.
        pub static TABLES: &[Table] = &[$(Table {
            name: $name,
            csv: include_str!(concat!("../../data/published/", $name, ".csv")),
            title: $title,
            source: $source,
            unit: $unit,
            columns: $columns,
            counterpart: $counterpart,
        }),*];
    };
}

const BOTH_MACHINES: &[(&str, &str)] = &[
    ("ht_unthreaded", "one thread (hyper-threading)"),
    ("ht_elements", "elements, version 2 (hyper-threading)"),
    (
        "ht_elements_dp_variant",
        "elements, version 2.1 (hyper-threading)",
    ),
    ("ht_exponent", "exponent, version 1 (hyper-threading)"),
    ("dp_unthreaded", "one thread (two processors)"),
    ("dp_elements", "elements, version 2 (two processors)"),
    (
        "dp_elements_dp_variant",
        "elements, version 2.1 (two processors)",
    ),
    ("dp_exponent", "exponent, version 1 (two processors)"),
];

const FOUR_BY_TWO: &[(&str, &str)] = &[
    ("bin_fios", "binary, FIOS"),
    ("bin_sos", "binary, SOS"),
    ("bin_cios", "binary, CIOS"),
    ("bin_fios_mod", "binary, modified FIOS"),
    ("sdr_fios", "signed digits, FIOS"),
    ("sdr_sos", "signed digits, SOS"),
    ("sdr_cios", "signed digits, CIOS"),
    ("sdr_fios_mod", "signed digits, modified FIOS"),
];

const NAIVE: &[(&str, &str)] = &[("pfios_naive", "pFIOS, first version"), ("pshs", "pSHS")];
const IMPROVED: &[(&str, &str)] = &[("pfios", "pFIOS"), ("pshs", "pSHS")];
const IMPROVED_AND_SEQUENTIAL: &[(&str, &str)] = &[
    ("pfios", "pFIOS"),
    ("pshs", "pSHS"),
    ("fios_sequential", "FIOS, sequential"),
];

tables! {
    "cryptopp_p4_add_clockticks", "Additions, ways to carry", ZIDENBERG, Unit::Multiple("pentium_optimized"), &[
        ("pentium_optimized", "adc"),
        ("p4_optimized", "branches"),
        ("simd64", "64-bit MMX"),
        ("simd16x8", "16-bit words by eight"),
        ("simd64x2", "64-bit words by two"),
    ], |cell| addition(cell, "mpn_add_n", "adc");
    "cryptopp_p4_sub_clockticks", "Subtractions, ways to carry", ZIDENBERG, Unit::Multiple("pentium_optimized"), &[
        ("pentium_optimized", "sbb"),
        ("p4_optimized", "branches"),
        ("simd64", "64-bit MMX"),
    ], |cell| addition(cell, "mpn_sub_n", "sbb");
    "cryptopp_p4_rsa_crt_threads_ms", "RSA with the halves on two threads", ZIDENBERG, Unit::Time(1e6), &[
        ("ht_1thread", "one thread (hyper-threading)"),
        ("ht_2threads", "two threads (hyper-threading)"),
        ("dp_1thread", "one thread (two processors)"),
        ("dp_2threads", "two threads (two processors)"),
    ], |cell| {
        let bits = cell.text("operation").split(' ').nth(1).and_then(|bits| bits.parse().ok()).unwrap_or(0);
        let way = if cell.column.ends_with("1thread") { "carrysave" } else { "carrysave/team" };
        row("teams", "private", Size::Bits(bits), way, None)
    };
    "cryptopp_p4_schemes_original_vs_final_ms", "Public-key schemes", ZIDENBERG, Unit::Time(1e6), &[
        ("ht_original", "before (hyper-threading)"),
        ("ht_final", "after (hyper-threading)"),
        ("dp_original", "before (two processors)"),
        ("dp_final", "after (two processors)"),
    ], scheme;
    "cryptopp_p4_exponentiation_workload_1024bit_multiplications", "Multiplications of threaded exponentiation",
        ZIDENBERG, Unit::Count, &[("main_thread", "main thread"), ("helper_thread", "helper")], workload;
    "cryptopp_p4_modexp_threads_ms", "Exponentiation on two threads", ZIDENBERG, Unit::Time(1e6), BOTH_MACHINES,
        |cell| {
            let operation = format!("modexp/{}", cell.number("exponent_bits"));
            row("threads", &operation, Size::Bits(cell.number("base_bits")), version(cell.column), None)
        };
    "cryptopp_p4_ecp155_scalar_mul_threads_ms", "Scalar multiplication on an elliptic curve on two threads", ZIDENBERG,
        Unit::Time(1e6), BOTH_MACHINES, |cell| {
            let operation = format!("threads/{}", cell.number("scalar_bits"));
            let way = match cell.column.ends_with("unthreaded") {
                true => "carrysave/sliding_rl_average",
                false => version(cell.column),
            };
            row("curves", &operation, Size::Bits(168), way, None)
        };
    "galois_field_mul_cycles_i7_6500u", "Multiplication in prime fields", SANAL, Unit::Cycles(1.0), &[
        ("karatsuba", "Karatsuba"),
        ("schoolbook", "schoolbook"),
        ("recursive_schoolbook", "recursive schoolbook"),
    ], field_product;
    "cryptopp_p4_ecp155_scalar_mul_threads_ms", "Scalar multiplication on two threads, a curve of 155 bits (here: 168)",
        ZIDENBERG, Unit::Time(1e6), BOTH_MACHINES, |cell| {
            let operation = format!("threads/{}", cell.number("scalar_bits"));
            let way = match version(cell.column) {
                "carrysave/sliding_rl_worst" => "carrysave/sliding_rl_average",
                way => way,
            };
            row("curves", &operation, Size::Bits(168), way, None)
        };
    "cryptopp_p4_window_size_thresholds", "Exponents up to which a window's width is best, in bits", ZIDENBERG,
        Unit::Count, &[
            ("k1_max", "1 bit"),
            ("k2_max", "2 bits"),
            ("k3_max", "3 bits"),
            ("k4_max", "4 bits"),
            ("k5_max", "5 bits"),
            ("k6_max", "6 bits"),
        ], window;
    "parallel_crypto_2011_table1_sequential_modexp_O3_seconds", "Exponentiation on one thread, -O3", KHALIFA,
        Unit::Time(1e9), FOUR_BY_TWO, thesis;
    "parallel_crypto_2011_table2_sequential_modexp_O0_seconds", "Exponentiation on one thread, -O0", KHALIFA,
        Unit::Time(1e9), FOUR_BY_TWO,
        |_| Counterpart::Never("our kernels are never built without optimisation: compare with the table for -O3");
    "parallel_crypto_2011_table3_montmul_645120bit_seconds", "Montgomery multiplication of 645,120 bits", KHALIFA,
        Unit::Time(1e9), NAIVE, |cell| long_product(cell, cell.number("cores"));
    "parallel_crypto_2011_table4_montmul_by_words32_8cores_seconds",
        "Montgomery multiplication by length, 8 cores (here: all)", KHALIFA, Unit::Time(1e9), NAIVE,
        |cell| product(cell, 32 * cell.number("words32"), None);
    "parallel_crypto_2011_table5_modexp_840words32_seconds", "Exponentiation modulo 26,880 bits", KHALIFA,
        Unit::Multiple("fios_sequential"), &[
            ("pfios_naive", "pFIOS, first version"),
            ("pshs", "pSHS"),
            ("fios_sequential", "FIOS, sequential"),
        ], |cell| power(cell, "signed_digit/1024", 26_880, Some(cell.number("cores")));
    "parallel_crypto_2011_table6_montmul_645120bit_seconds",
        "Montgomery multiplication of 645,120 bits, improved", KHALIFA, Unit::Time(1e9), IMPROVED_AND_SEQUENTIAL,
        |cell| long_product(cell, cell.number("cores"));
    "parallel_crypto_2011_table7_montmul_by_words32_8cores_seconds",
        "Montgomery multiplication by length, improved, 8 cores (here: all)", KHALIFA, Unit::Time(1e9), IMPROVED,
        |cell| product(cell, 32 * cell.number("words32"), None);
    "parallel_crypto_2011_table8_modexp_840words32", "Exponentiation modulo 26,880 bits, improved", KHALIFA,
        Unit::Multiple("fios_sequential_seconds"), &[
            ("pfios_seconds", "pFIOS"),
            ("pshs_seconds", "pSHS"),
            ("fios_sequential_seconds", "FIOS, sequential"),
        ], |cell| power(cell, "signed_digit/1024", 26_880, Some(cell.number("cores")));
    "parallel_crypto_2011_table9_modexp_by_words32_8cores_seconds",
        "Exponentiation by length, 8 cores (here: all)", KHALIFA, Unit::Time(1e9), IMPROVED_AND_SEQUENTIAL,
        |cell| power(cell, "signed_digit", 32 * cell.number("words32"), None);
    "threefish256_mono_simd_ns_per_block", "Threefish-256, one block: scalar and SIMD",
        "A blog of 2009 on Threefish in SIMD registers; Mono", Unit::Time(1.0), &[
            ("scalar", "scalar"),
            ("simd", "SIMD within the block"),
        ], |cell| {
            let way = if cell.column == "scalar" { "carrysave/portable" } else { "carrysave/block_sse2" };
            let operation = match cell.text("direction") {
                "encrypt" => "threefish-256/block",
                _ => "threefish-256/block/decrypt",
            };
            row("symmetric", operation, Size::Bytes(32), way, None)
        };
    "galois_field_mul_cycles_i7_6500u", "Multiplication modulo 2^w - c, cycles",
        "Şanal, A Galois Field Arithmetic Library, 2017; Core i7-6500U", Unit::Cycles(1.0), &[
            ("karatsuba", "Karatsuba"),
            ("schoolbook", "schoolbook"),
            ("recursive_schoolbook", "recursive schoolbook"),
        ], |cell| {
            let (prime, bits, op) = match cell.text("field") {
                "2^127-1" => ("2^127-1", 127, "fp_m127_mul"),
                "2^127-c" => ("2^127-735", 127, "fp_mul"),
                "2^128-c" => ("2^128-159", 128, "fp_mul"),
                "2^255-c" => ("2^255-19", 255, "fp_mul"),
                _ => ("2^256-189", 256, "fp_mul"),
            };
            let kernel = cell.column.replace("_schoolbook", "");
            row("fields", &format!("{prime}/mul"), Size::Bits(bits), &format!("carrysave/{op}/{kernel}_mulx"), None)
        };
    "sse2_rsa1024_sign_megacycles", "RSA-1024 signature, by the inner loop",
        "OpenSSL's word-multiply loop in SSE2, a message to its list", Unit::Cycles(1e6), &[
            ("xeon_p4", "Xeon (Pentium 4)"),
            ("pentium_m", "Pentium M"),
            ("opteron", "Opteron"),
            ("efficeon", "Efficeon"),
        ], |cell| match cell.text("implementation") {
            "integer_64bit" => row("rsa", "sign", Size::Bits(1024), "carrysave", None),
            _ => Counterpart::Never(
                "there is no RSA on words of 32 bits here; the SSE2 loop itself is mpn_addmul_1/pmuludq of the \
                experiment mpn",
            ),
        };
}

fn row(
    experiment: &'static str,
    operation: &str,
    size: Size,
    implementation: &str,
    threads: Option<usize>,
) -> Counterpart {
    Counterpart::Row(Key {
        experiment,
        operation: operation.to_owned(),
        size,
        implementation: implementation.to_owned(),
        threads,
    })
}

fn addition(cell: &Cell<'_>, operation: &str, adc: &str) -> Counterpart {
    let work = cell.text("work");
    let kernel = match cell.column {
        "p4_optimized" => "branchy",
        "pentium_optimized" => adc,
        "simd64" => "majority64",
        "simd16x8" => "saturate16x8",
        _ => "majority64x2",
    };
    match work.split('-').next().and_then(|bits| bits.parse().ok()) {
        Some(bits) => row(
            "addition",
            operation,
            Size::Bits(bits),
            &format!("carrysave/{kernel}"),
            None,
        ),
        None => {
            Counterpart::Never("it is a profile of the author's test program, which is not at hand")
        }
    }
}

/// `NR 1024 Signature with precomputation` is `nr/signature-with-precomputation` at 1024 bits.
fn scheme(cell: &Cell<'_>) -> Counterpart {
    let mut words = cell.text("test").split(' ');
    let name = words.next().unwrap_or_default().to_lowercase();
    let bits = words.next().and_then(|bits| bits.parse().ok()).unwrap_or(0);
    let what = words.collect::<Vec<_>>().join("-").to_lowercase();
    row(
        "schemes",
        &format!("{name}/{what}"),
        Size::Bits(bits),
        "carrysave",
        None,
    )
}

/// The name of the version in a column.
fn version(column: &str) -> &'static str {
    match column.split_once('_').map_or(column, |(_, way)| way) {
        "unthreaded" => "carrysave/sliding_rl_worst",
        "elements" => "carrysave/v2",
        "elements_dp_variant" => "carrysave/v2_1",
        _ => "carrysave/v1",
    }
}

fn field_product(cell: &Cell<'_>) -> Counterpart {
    let (bits, prime) = match cell.text("field") {
        "2^127-1" => (127, "2^127-1"),
        "2^127-c" => (127, "2^127-735"),
        "2^128-c" => (128, "2^128-159"),
        "2^255-c" => (255, "2^255-19"),
        _ => (256, "2^256-189"),
    };
    let op = if prime == "2^127-1" {
        "fp_m127_mul"
    } else {
        "fp_mul"
    };
    let kernel = match cell.column {
        "recursive_schoolbook" => "recursive",
        column => column,
    };
    let way = format!("carrysave/{op}/{kernel}_mulx");
    row(
        "fields",
        &format!("{prime}/mul"),
        Size::Bits(bits),
        &way,
        None,
    )
}

fn thesis(cell: &Cell<'_>) -> Counterpart {
    let (method, kernel) = cell.column.split_once('_').expect("method and kernel");
    let method = if method == "bin" {
        "binary_rl"
    } else {
        "signed_digit"
    };
    let kernel = kernel.replace("fios_mod", "fios_delayed");
    let way = format!("carrysave/{method}/{kernel}_w32");
    row(
        "thesis",
        "modexp",
        Size::Bits(cell.number("key_bits")),
        &way,
        None,
    )
}

/// The algorithm in a column, on words of 32 bits.
fn algorithm(column: &str) -> &'static str {
    match column.trim_end_matches("_seconds") {
        "pfios_naive" => "carrysave/pfios_naive_w32",
        "pfios" => "carrysave/pfios_w32",
        "pshs" => "carrysave/pshs_w32",
        _ => "carrysave/fios_delayed_w32",
    }
}

/// One thread has no team.
fn on(column: &str, threads: Option<usize>) -> Option<usize> {
    if column.starts_with("fios_sequential") {
        Some(1)
    } else {
        threads
    }
}

fn product(cell: &Cell<'_>, bits: usize, threads: Option<usize>) -> Counterpart {
    let threads = on(cell.column, threads);
    row(
        "threads",
        "mont_mul",
        Size::Bits(bits),
        algorithm(cell.column),
        threads,
    )
}

fn long_product(cell: &Cell<'_>, threads: usize) -> Counterpart {
    product(cell, 645_120, Some(threads))
}

fn power(cell: &Cell<'_>, operation: &str, bits: usize, threads: Option<usize>) -> Counterpart {
    let threads = on(cell.column, threads);
    row(
        "threads",
        operation,
        Size::Bits(bits),
        algorithm(cell.column),
        threads,
    )
}

/// Counts the multiplications of exponents of 1024 bits, on average.
fn workload(cell: &Cell<'_>) -> Counterpart {
    let version = match cell.text("version") {
        "exponent_split" => Version::V1,
        "elements_fixed_window_3" => Version::V2_1,
        _ => Version::V2,
    };
    let Some([main, helper]) = counted(version) else {
        return Counterpart::Never("the system refuses a second thread");
    };
    // Without threads, one does what two share.
    let alone = cell.text("version") == "unthreaded";
    Counterpart::Counted(match cell.column {
        "main_thread" if alone => main + helper,
        "main_thread" => main,
        _ if alone => 0.0,
        _ => helper,
    })
}

/// The multiplications of the main thread and of the helper, on average over exponents that look random.
fn counted(version: Version) -> Option<[f64; 2]> {
    /// The numbers modulo a prime, with how many squarings and products there were.
    struct Counting(Arc<[AtomicU32; 2]>);
    impl Counting {
        const PRIME: u64 = 0x7fff_ffff;
    }
    impl Group for Counting {
        type Element = u64;
        fn one(&self) -> u64 {
            1
        }
        fn square(&mut self, x: &mut u64) {
            self.0[0].fetch_add(1, Relaxed);
            *x = *x * *x % Counting::PRIME;
        }
        fn mul(&mut self, x: &mut u64, y: &u64) {
            self.0[1].fetch_add(1, Relaxed);
            *x = *x * y % Counting::PRIME;
        }
    }
    const EXPONENTS: usize = 16;
    let team = Threads::new(NonZeroUsize::new(2)?).ok()?;
    let mut sums = [0; 2];
    let mut noise = SplitMix(1);
    for _ in 0..EXPONENTS {
        let mut limbs: Vec<u64> = (0..16).map(|_| noise.next()).collect();
        limbs[15] |= 1 << 63;
        let counts: Mutex<Vec<Arc<[AtomicU32; 2]>>> = Mutex::default();
        let group = || {
            let count: Arc<[AtomicU32; 2]> = Arc::default();
            counts.lock().expect("nobody panics").push(count.clone());
            Counting(count)
        };
        version.power_vartime(&team, &group, &3, &Nat::from_limbs(&limbs));
        let counts = counts.into_inner().expect("nobody panics");
        let mut counts = counts
            .iter()
            .map(|count| count.each_ref().map(|n| n.load(Relaxed)));
        // Each thread has a group, of which the main thread's squares most; the main thread ends with one more.
        let mut members = [counts.next()?, counts.next()?];
        members.sort_by(|a, b| b.cmp(a));
        let end: u32 = counts.flatten().sum();
        sums[0] += members[0].iter().sum::<u32>() + end;
        sums[1] += members[1].iter().sum::<u32>();
    }
    Some(sums.map(|sum| (f64::from(sum) / EXPONENTS as f64).round()))
}

/// Numbers that look random and are always the same (Steele, Lea, Flood 2014).
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// The longest exponent for which windows of k bits take no more multiplications than windows of k + 1 bits.
fn window(cell: &Cell<'_>) -> Counterpart {
    let k: usize = cell.column[1..2].parse().expect("a digit");
    let worst = cell.text("policy") == "worst_case";
    let multiplications = |bits: usize, k: usize| {
        let windows = if worst { k } else { k + 1 };
        bits as f64 / windows as f64
            + if k == 1 {
                0.0
            } else {
                f64::exp2(k as f64) - 1.0
            }
    };
    let better = |bits: &usize| multiplications(*bits, k) <= multiplications(*bits, k + 1);
    Counterpart::Counted((1..8192).take_while(better).last().unwrap_or(0) as f64)
}

/// The file, less the ending, in which a report keeps what [`csv()`] gives.
pub const RECORD: &str = "published";

/// Every published figure and what stands beside it, as CSV.
///
/// # Errors
/// None that memory would not have.
pub fn csv(rows: &[Row]) -> std::io::Result<Vec<u8>> {
    let mut csv = csv::Writer::from_writer(vec![]);
    csv.write_record([
        "table",
        "case",
        "column",
        "unit",
        "published",
        "here",
        "row",
    ])?;
    for table in TABLES {
        let unit = match table.unit {
            Unit::Time(_) => "ns".to_owned(),
            Unit::Cycles(_) => "cycles".to_owned(),
            Unit::Multiple(of) => format!("multiple of {of}"),
            Unit::Count => "number".to_owned(),
        };
        for line in table.lines() {
            for (column, _) in table.columns {
                let Some(published) = table.published(&line, column) else {
                    continue;
                };
                let (here, from) = match table.measured(&line, column, rows) {
                    Some((value, row)) => (
                        crate::stats::significant(value, 6).to_string(),
                        row.map_or("counted".to_owned(), place),
                    ),
                    None => match table.counterpart(&line, column) {
                        Counterpart::Never(why) => (String::new(), why.to_owned()),
                        _ => (String::new(), "not among these records".to_owned()),
                    },
                };
                let published = crate::stats::significant(published, 6).to_string();
                csv.write_record([
                    table.name,
                    &line.label(table),
                    column,
                    &unit,
                    &published,
                    &here,
                    &from,
                ])?;
            }
        }
    }
    csv.into_inner()
        .map_err(|e| std::io::Error::other(e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_has_a_counterpart_or_a_reason() {
        for table in TABLES {
            let lines = table.lines();
            assert!(!lines.is_empty(), "{}", table.name);
            for line in &lines {
                assert!(!line.label(table).is_empty(), "{}", table.name);
                for (column, _) in table.columns {
                    assert!(
                        line.text(column).is_some(),
                        "{} has no column {column}",
                        table.name
                    );
                    if let Counterpart::Row(key) = table.counterpart(line, column) {
                        let known = crate::experiments::EXPERIMENTS
                            .iter()
                            .any(|e| e.name == key.experiment);
                        assert!(known, "{}: {key:?}", table.name);
                    }
                }
            }
            // No column with figures is forgotten.
            for (name, value) in &lines[0].cells {
                let shown = table.columns.iter().any(|(column, _)| column == name);
                let derived = ["_sd", "_pct", "speedup", "efficiency"]
                    .iter()
                    .any(|end| name.ends_with(end));
                let label = ["_bits", "cores", "words32"]
                    .iter()
                    .any(|end| name.ends_with(end));
                assert!(
                    shown || derived || label || value.parse::<f64>().is_err(),
                    "{}: {name}",
                    table.name
                );
            }
        }
    }

    #[test]
    fn no_table_is_forgotten() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/data/published");
        for file in std::fs::read_dir(folder).unwrap() {
            let file = file.unwrap().path();
            let name = file.file_stem().unwrap().to_str().unwrap();
            assert!(TABLES.iter().any(|table| table.name == name), "{name}");
        }
    }

    #[test]
    fn the_published_workloads_are_what_is_counted() {
        let table = TABLES
            .iter()
            .find(|table| table.unit == Unit::Count && table.name.contains("workload"));
        let table = table.expect("the table of workloads");
        for line in table.lines() {
            for (column, _) in table.columns {
                let published = table.published(&line, column).expect("a figure");
                let (counted, _) = table.measured(&line, column, &[]).expect("a number");
                // The equations hold on average; 16 exponents come within two percent and ten multiplications.
                let close = (published - counted).abs() <= 10.0 + published / 50.0;
                assert!(
                    close,
                    "{} {column}: {published} and {counted}",
                    line.label(table)
                );
            }
        }
    }

    #[test]
    fn the_published_windows_are_those_of_the_equations() {
        let table = TABLES
            .iter()
            .find(|table| table.name.contains("window"))
            .expect("the table of windows");
        for line in table.lines() {
            for (column, _) in table.columns {
                let published = table.published(&line, column).expect("a figure");
                let (computed, _) = table.measured(&line, column, &[]).expect("a number");
                assert!(
                    (published - computed).abs() <= 1.0,
                    "{column}: {published} and {computed}"
                );
            }
        }
    }

    #[test]
    fn units_and_multiples() {
        use crate::report::tests::row;
        let table = |name: &str| {
            TABLES
                .iter()
                .find(|table| table.name.contains(name))
                .expect("a table")
        };
        let rows = [
            row("addition", "mpn_add_n", 1088, "carrysave/adc", 1, 10.0),
            row("addition", "mpn_add_n", 1088, "carrysave/branchy", 1, 25.0),
            row("rsa", "sign", 1024, "carrysave", 1, 1000.0),
            row("teams", "private", 1024, "carrysave/team", 2, 7.0),
        ];
        let add = table("add_clockticks");
        assert_eq!(
            add.measured(&add.lines()[0], "p4_optimized", &rows)
                .unwrap()
                .0,
            2.5
        );
        assert!(
            (add.published(&add.lines()[0], "p4_optimized").unwrap() - 11_673.0 / 9716.0).abs()
                < 1e-12
        );
        let sse2 = table("sse2");
        let line = &sse2.lines()[2];
        assert_eq!(sse2.published(line, "opteron"), Some(1e6));
        assert!(
            (sse2.measured(line, "opteron", &rows).unwrap().0 - 3700.0).abs() < 1e-9,
            "cycles"
        );
        let crt = table("rsa_crt");
        assert_eq!(
            crt.measured(&crt.lines()[0], "dp_2threads", &rows)
                .unwrap()
                .0,
            7.0
        );
        assert_eq!(crt.measured(&crt.lines()[0], "dp_1thread", &rows), None);
        let text = String::from_utf8(csv(&rows).unwrap()).unwrap();
        assert!(
            text.contains("addition: mpn_add_n 1088 bits, carrysave/branchy"),
            "{text}"
        );
    }
}
