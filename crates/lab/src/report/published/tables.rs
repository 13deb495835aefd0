//! The tables: one row each, with the function that finds the counterpart of a figure.

use super::counted::workload;
use super::{Cell, Counterpart, Key, Table, Unit};
use crate::record::Size;

const ZIDENBERG: &str = "Zidenberg, Optimizing Crypto++ library for P4; Pentium 4";
const KHALIFA: &str = "Khalifa, The Performance of Cryptographic Algorithms in the Age of Parallel Computing, \
    Heriot-Watt University 2011; two Xeon E5506, 2.13 GHz, words of 32 bits";

const SANAL: &str = "Şanal, A Galois Field Arithmetic Library, 2017; Intel i7-6500U";

macro_rules! tables {
    ($($name:literal, $title:literal, $source:expr, $unit:expr, $columns:expr, $counterpart:expr;)*) => {
        /// Every published table.
        pub static TABLES: &[Table] = &[$(Table {
            name: $name,
            csv: include_str!(concat!("../../../data/published/", $name, ".csv")),
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
        let (way, threads) = match cell.column.ends_with("1thread") {
            true => ("carrysave", None),
            false => ("carrysave/team", Some(2)),
        };
        row("teams", "private", Size::Bits(bits), way, threads)
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
    "cryptopp_p4_window_size_thresholds", "Exponents up to which a window's width is best, in bits", ZIDENBERG,
        Unit::Count, &[
            ("k1_max", "1 bit"),
            ("k2_max", "2 bits"),
            ("k3_max", "3 bits"),
            ("k4_max", "4 bits"),
            ("k5_max", "5 bits"),
            ("k6_max", "6 bits"),
        ], |cell| {
            let width = cell.column[1..2].parse().expect("a digit");
            let kind = cell.text("policy").trim_end_matches("_case");
            Counterpart::Limit(kind.to_owned(), width)
        };
    "parallel_crypto_2011_table1_sequential_modexp_O3_seconds", "Exponentiation on one thread, -O3", KHALIFA,
        Unit::Time(1e9), FOUR_BY_TWO, thesis;
    "parallel_crypto_2011_table2_sequential_modexp_O0_seconds", "Exponentiation on one thread, -O0", KHALIFA,
        Unit::Time(1e9), FOUR_BY_TWO,
        |_| Counterpart::Never("kernels without optimisation are of no use to anybody, so none are built: compare with the table for -O3");
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
        ], |cell| power(cell, "signed_digit/64", 26_880, Some(cell.number("cores")));
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
        ], |cell| power(cell, "signed_digit/64", 26_880, Some(cell.number("cores")));
    "parallel_crypto_2011_table9_modexp_by_words32_8cores_seconds",
        "Exponentiation by length, 8 cores (here: all)", KHALIFA, Unit::Time(1e9), IMPROVED_AND_SEQUENTIAL,
        |cell| power(cell, "signed_digit", 32 * cell.number("words32"), None);
    "threefish256_mono_simd_us_per_block", "Threefish-256, one block: scalar and SIMD",
        "A blog of 2009 on Threefish in SIMD registers; Mono", Unit::Time(1e3), &[
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
    "sse2_rsa1024_sign_megacycles", "RSA-1024 signature, by the inner loop",
        "OpenSSL's word-multiply loop in SSE2, a message to its list", Unit::Cycles(1e6), &[
            ("xeon_p4", "Xeon (Pentium 4)"),
            ("pentium_m", "Pentium M"),
            ("opteron", "Opteron"),
            ("efficeon", "Efficeon"),
        ], |cell| match cell.text("implementation") {
            "integer_64bit" => row("rsa", "sign", Size::Bits(1024), "carrysave", None),
            _ => Counterpart::Never(
                "RSA here takes limbs of 64 bits and vectors; on words of 32 bits there are the exponentiations of the \
                experiment thesis, and the SSE2 loop itself is mpn_addmul_1/pmuludq of the experiment mpn",
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
        None => Counterpart::Never(
            "it is a profile, by VTune, of Crypto++'s test vectors with the author's changes to it, which were not published",
        ),
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
