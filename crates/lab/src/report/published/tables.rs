//! The tables: one row each, with the function that finds the counterpart of a figure. The file is long because it is one
//! table.

use super::Derived::{Efficiency, Percent, Speedup};
use super::counted::{instructions, workload};
use super::verdict::{
    Claim,
    Compare::{Agree, Alike, Columns, Lines},
};
use super::{Cell, Counterpart, Curves, Key, Line, On, Plot, Table, Unit};
use crate::experiments::paths::{IDLE, STARTING, WAITING};
use crate::experiments::{fields, siblings::SIBLINGS, thesis::OPERATIONS};
use crate::profile::{
    ADDITION, DIVISION, INSTRUCTIONS, INVERSION, MISPREDICTED, MULTIPLICATION,
    PROGRAM as PROGRAM_CLASS, REDUCTION, SQUARING, SUBTRACTION,
};
use crate::record::Size;
use crate::rivals::mpfq;
use crate::test_vectors;
use carrysave_measure::thesis;

const ZIDENBERG: &str = "Zidenberg, Optimizing Crypto++ library for P4; Pentium 4";
const KHALIFA: &str = "Khalifa, The Performance of Cryptographic Algorithms in the Age of Parallel Computing, \
    Heriot-Watt University 2011; two Xeon E5506, 2.13 GHz, words of 32 bits";

const SANAL: &str = "Şanal, A Galois Field Arithmetic Library, 2017; Intel i7-6500U";
const MONO_SIMD: &str =
    "Skein, Threefish, and Mono.Simd, a blog of 2009; an Intel Atom in 32-bit mode, Mono 2.4";

/// Reductions modulo 2^127 - 1: in products, and alone.
const BIT_TEST: &str = "this library (bit test and reset)";
const MPFQ: &str = "MPFQ itself";
const LISTING: &str = "MPFQ's reduction (listing 5) after the same product";
const BIT_TEST_ALONE: &str = "bit test and reset, the reduction alone (listing 4)";
const LISTING_ALONE: &str = "MPFQ's reduction alone (listing 5)";

/// What is counted beside the instructions of a whole product.
const OF_THE_REDUCTION: &str =
    "instructions of the reduction alone: a product by mulx has fewer for another reason";

/// Why most folders lack MPFQ.
const NO_MPFQ: &str = "no record with MPFQ itself is among these: who has its source races it as docs/design/measuring.md says";

/// The algorithms of the reports by ompP.
const FIRST_VERSION: &str = "pFIOS, first version (list 24)";
const IMPROVED_VERSION: &str = "pFIOS (list 26)";

/// The steps of the blog's SIMD.
const ANY_ADDRESS: &str = "subkeys loaded from any address";
const ALIGNED: &str = "subkeys loaded from aligned addresses";
const ON_THE_FLY: &str = "subkeys made where they are added";

/// Why most folders lack what is compiled without optimisation.
const UNOPTIMISED: &str =
    "no record of a laboratory that is compiled without optimisation is among these";

/// Why most folders lack test vectors by every kernel.
const ONE_KERNEL: &str = "no record of `carrysave-lab vectors --every` is among these";

/// What older records have in place of the last step.
const BEFOREHAND: &str = "subkeys are made beforehand here, and on the fly in the source";

/// The figures of a table, which has none where it says nothing of them.
macro_rules! plots {
    () => {
        &[]
    };
    ($plots:expr) => {
        $plots
    };
}

macro_rules! tables {
    ($($name:literal, $title:literal, $source:expr, $unit:expr, $columns:expr, $derived:expr, $counterpart:expr, $claims:expr
        $(, $plots:expr)?;)*) => {
        /// Every published table.
        pub static TABLES: &[Table] = &[$(Table {
            name: $name,
            csv: include_str!(concat!("../../../data/published/", $name, ".csv")),
            title: $title,
            source: $source,
            unit: $unit,
            columns: $columns,
            derived: $derived,
            claims: $claims,
            plots: plots!($($plots)?),
            counterpart: $counterpart,
        }),*];
    };
}

const BOTH_MACHINES: &[(&str, &str)] = &[
    ("ht_unthreaded", "HT: non-threaded"),
    ("ht_elements", "HT: elements (v2)"),
    ("ht_elements_dp_variant", "HT: elements, DP variant (v2.1)"),
    ("ht_exponent", "HT: exponent (v1)"),
    ("dp_unthreaded", "DP: non-threaded"),
    ("dp_elements", "DP: elements (v2)"),
    ("dp_elements_dp_variant", "DP: elements, DP variant (v2.1)"),
    ("dp_exponent", "DP: exponent (v1)"),
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

const BINARY: &[&str] = &["bin_fios", "bin_sos", "bin_cios", "bin_fios_mod"];
const SIGNED_DIGITS: &[&str] = &["sdr_fios", "sdr_sos", "sdr_cios", "sdr_fios_mod"];

const NAIVE: &[(&str, &str)] = &[("pfios_naive", "pFIOS, first version"), ("pshs", "pSHS")];
const IMPROVED: &[(&str, &str)] = &[("pfios", "pFIOS"), ("pshs", "pSHS")];
const IMPROVED_AND_SEQUENTIAL: &[(&str, &str)] = &[
    ("pfios", "pFIOS"),
    ("pshs", "pSHS"),
    ("fios_sequential", "FIOS, sequential"),
];

/// A figure of some columns.
const fn figure(name: &'static str, columns: &'static [&'static str]) -> Plot {
    Plot {
        name,
        curves: Curves::Of(columns),
    }
}

/// A figure of what some columns gain over another.
const fn speedup(name: &'static str, over: &'static str, columns: &'static [&'static str]) -> Plot {
    Plot {
        name,
        curves: Curves::Over(over, columns),
    }
}

/// All lines of a table.
const ALL: fn(&Line) -> bool = |_| true;

/// RSA's private operations, which the source has on two threads.
const RSA_PRIVATE: fn(&Line) -> bool = |line| {
    let mut ends = ["Decryption", "Signature"].into_iter();
    line.first().starts_with("RSA ") && ends.any(|end| line.first().ends_with(end))
};

/// Additions and subtractions alone, and what they make of a program.
const ALONE: fn(&Line) -> bool = |line| line.first().starts_with("1152");
const PROGRAM: fn(&Line) -> bool = |line| line.first() == "entire program";

/// Why additions and subtractions matter less to a program than they did.
const CARRIED: &str =
    "Products carry within their own kernels here, so that next to nothing is left to additions.";
const BORROWED: &str = "Products borrow within their own kernels here, so that next to nothing is left to subtractions.";

const HELPER: &str =
    "Handing a product to another thread costs about as much as a product of this length takes.";

tables! {
    "cryptopp_p4_add_clockticks", "Additions, ways to carry", ZIDENBERG, Unit::Multiple("pentium_optimized"), &[
        ("p4_optimized", "P4-optimized (branches)"),
        ("pentium_optimized", "Pentium-optimized (adc)"),
        ("simd64", "64-bit MMX"),
        ("simd16x8", "16-bit words by eight"),
        ("simd64x2", "64-bit words by two"),
    ], &[], |cell| addition(cell, "mpn_add_n", "adc"), &[
        Claim {
            says: "Carries by majority in 64-bit MMX registers are faster than adc where the numbers are aligned to 128 bits.",
            names: ["majority64", "adc"],
            compare: Columns("simd64", "pentium_optimized", |line| line.first().starts_with("1152")),
            because: ["adc takes longer than the vector instructions that replace it.",
                "Processors of today add with carry as fast as without, which the Pentium 4 did not."],
        },
        Claim {
            says: "The same addition is the fastest inside the program: the program takes less time by it than by adc.",
            names: ["the program by majority64", "that by adc"],
            compare: Columns("simd64", "pentium_optimized", PROGRAM),
            because: ["The program adds numbers that are aligned and long.",
                CARRIED],
        },
    ];
    "cryptopp_p4_sub_clockticks", "Subtractions, ways to carry", ZIDENBERG, Unit::Multiple("pentium_optimized"), &[
        ("p4_optimized", "P4-optimized (branches)"),
        ("pentium_optimized", "Pentium-optimized (sbb)"),
        ("simd64", "64-bit MMX"),
    ], &[], |cell| addition(cell, "mpn_sub_n", "sbb"), &[
        Claim {
            says: "The version with sbb shows the best result of subtractions: it is faster than branches.",
            names: ["sbb", "branchy"],
            compare: Columns("pentium_optimized", "p4_optimized", ALONE),
            because: ["Operands are random, so a branch on a borrow is often mispredicted.",
                "Borrows of these operands are predicted well."],
        },
        Claim {
            says: "And than borrows by majority.",
            names: ["sbb", "majority64"],
            compare: Columns("pentium_optimized", "simd64", ALONE),
            because: ["A borrow takes one instruction less than its boolean function.",
                "The boolean function takes no longer than a borrow."],
        },
        Claim {
            says: "It shows the best result inside the program, too.",
            names: ["the program by sbb", "that by branches"],
            compare: Columns("pentium_optimized", "p4_optimized", PROGRAM),
            because: ["The program subtracts numbers whose borrows are not predicted.",
                BORROWED],
        },
    ];
    "cryptopp_p4_rsa_crt_threads_ms", "RSA with the halves on two threads", ZIDENBERG, Unit::Time(1e6), &[
        ("ht_1thread", "HT: one thread"),
        ("ht_2threads", "HT: two threads"),
        ("dp_1thread", "DP: one thread"),
        ("dp_2threads", "DP: two threads"),
    ], &[
        ("ht_speedup_pct", "HT: speedup, %", Percent("ht_1thread", "ht_2threads")),
        ("dp_speedup_pct", "DP: speedup, %", Percent("dp_1thread", "dp_2threads")),
    ], |cell| {
        let bits = cell.text("operation").split(' ').nth(1).and_then(|bits| bits.parse().ok()).unwrap_or(0);
        let (way, threads) = match cell.column.ends_with("1thread") {
            true => ("carrysave", On::Most),
            false => ("carrysave/team", On::Exactly(2)),
        };
        row("teams", "private", Size::Bits(bits), way, threads).on_siblings(hyper_threads(cell.column))
    }, &[
        Claim {
            says: "On two processors RSA's private operation takes 23 to 44 percent less time with a half on each.",
            names: ["the operation on two threads", "that on one"],
            compare: Columns("dp_2threads", "dp_1thread", ALL),
            because: ["The halves are independent, and each is long beside the waking of a thread.",
                "One thread interleaves both halves in vector lanes, which leaves a second one little to do."],
        },
    ];
    "cryptopp_p4_schemes_original_vs_final_ms", "Public-key schemes", ZIDENBERG, Unit::Time(1e6), &[
        ("ht_original", "HT: original"),
        ("ht_final", "HT: final"),
        ("dp_original", "DP: original"),
        ("dp_final", "DP: final"),
    ], &[
        ("ht_speedup_pct", "HT: speedup, %", Percent("ht_original", "ht_final")),
        ("dp_speedup_pct", "DP: speedup, %", Percent("dp_original", "dp_final")),
    ], scheme, &[
        Claim {
            says: "On two processors RSA's private operations take 23 to 39 percent less time in the final program.",
            names: ["an operation of the final program", "one of the original"],
            compare: Columns("dp_final", "dp_original", RSA_PRIVATE),
            because: ["Each thread has one of the halves, which are independent.",
                "One thread interleaves both halves in vector lanes, which leaves a second one little to do."],
        },
        Claim {
            says: "Tables of powers halve a signature of DSA.",
            names: ["a signature of DSA-1024 with precomputation", "one without"],
            compare: Lines("dp_original", "DSA 1024 Signature with precomputation", "DSA 1024 Signature"),
            because: ["A table spares the squarings of a power, which are most of it.",
                "Here a signature is checked before it leaves, by a power of another base, which no table of g helps."],
        },
    ];
    "cryptopp_p4_exponentiation_workload_1024bit_multiplications", "Multiplications of threaded exponentiation",
        ZIDENBERG, Unit::Count, &[("main_thread", "main thread"), ("helper_thread", "helper")], &[], workload, &[
        Claim {
            says: "Version 2.1 leaves the main thread the fewest multiplications.",
            names: ["the main thread of version 2.1", "one thread alone"],
            compare: Lines("main_thread", "elements_fixed_window_3", "unthreaded"),
            because: ["The number depends on the method alone, and no machine changes it.", "The count differs from the text."],
        },
    ];
    "cryptopp_p4_modexp_threads_ms", "Exponentiation on two threads", ZIDENBERG, Unit::Time(1e6), BOTH_MACHINES, &[],
        |cell| {
            let operation = format!("modexp/{}", cell.number("exponent_bits"));
            row("threads", &operation, Size::Bits(cell.number("base_bits")), version(cell.column), On::Most)
                .on_siblings(hyper_threads(cell.column))
        }, &[
        Claim {
            says: "Exponent-threading (version 1) creates too much overhead work: it takes longer than one thread.",
            names: ["version 1", "one thread"],
            compare: Columns("dp_exponent", "dp_unthreaded", ALL),
            because: ["The main thread saves few of its multiplications.",
                "Each thread works alone for long, so that handing over costs nothing, and the main thread has less to do."],
        },
        Claim {
            says: "Element-threading, by the variant for two processors (version 2.1), produces a measurable speedup.",
            names: ["version 2.1", "one thread"],
            compare: Columns("dp_elements_dp_variant", "dp_unthreaded", ALL),
            because: ["The helper takes multiplications from the main thread.", HELPER],
        },
        Claim {
            says: "On two processors that variant works better than the original version.",
            names: ["version 2.1", "version 2"],
            compare: Columns("dp_elements_dp_variant", "dp_elements", ALL),
            because: ["The main thread of version 2.1 has fewer multiplications.",
                "Both wait for the helper, whatever the main thread has left to do."],
        },
    ];
    "cryptopp_p4_ecp155_scalar_mul_threads_ms", "Scalar multiplication on an elliptic curve on two threads", ZIDENBERG,
        Unit::Time(1e6), BOTH_MACHINES, &[], |cell| {
            let operation = format!("threads/{}", cell.number("scalar_bits"));
            let way = match cell.column.ends_with("unthreaded") {
                true => "carrysave/sliding_rl_average",
                false => version(cell.column),
            };
            row("curves", &operation, Size::Bits(168), way, On::Most).on_siblings(hyper_threads(cell.column))
        }, &[
        Claim {
            says: "Element-threading gains nothing on a curve, whose use of it was cancelled.",
            names: ["one thread", "version 2.1"],
            compare: Columns("dp_unthreaded", "dp_elements_dp_variant", ALL),
            because: [HELPER, "An addition of points is several products, and longer than handing it to another thread."],
        },
    ], &[
        figure("One processor with two threads (HT)",
            &["ht_unthreaded", "ht_elements", "ht_elements_dp_variant", "ht_exponent"]),
        figure("Two processors (DP)",
            &["dp_unthreaded", "dp_elements", "dp_elements_dp_variant", "dp_exponent"]),
    ];
    "galois_field_mul_cycles_i7_6500u", "Multiplication in prime fields (slide 12)", SANAL, Unit::Cycles(1.0), &[
        ("karatsuba", "Karatsuba"),
        ("schoolbook", "Schoolbook (SCB)"),
        ("recursive_schoolbook", "Recursive SCB"),
    ], &[], field_product, &[
        Claim {
            says: "The recursive schoolbook method beats the schoolbook method at 255 and 256 bits.",
            names: ["the recursive method", "schoolbook"],
            compare: Columns("recursive_schoolbook", "schoolbook", ALL),
            because: ["Its products wait less for one another.",
                "mulx and out-of-order execution spare the plain order the waiting that recursion spared it."],
        },
        Claim {
            says: "Schoolbook multiplication beats Karatsuba's method up to 128 bits.",
            names: ["schoolbook", "Karatsuba's method"],
            compare: Columns("schoolbook", "karatsuba", ALL),
            because: ["One product of limbs less is worth less than the additions that spare it.",
                "A product of limbs costs more here than the additions that spare it."],
        },
    ];
    "galois_field_mul_cycles_by_order",
        "Multiplication modulo 2^256 - c, by the order of its products (slides 4 to 6)", SANAL, Unit::Cycles(1.0),
        &[("scb", "SCB"), ("rscb", "RSCB"), ("oscb", "OSCB")], &[], |cell| {
            product_in_field(cell.text("field"), match cell.column {
                "scb" => "schoolbook_mulx",
                "rscb" => "recursive_mulx",
                _ => "recursive_ascending_mulx",
            })
        }, &[
        Claim {
            says: "Products by halves that do not overlap first (RSCB) are faster than those from the low end up (OSCB).",
            names: ["RSCB", "OSCB"],
            compare: Columns("rscb", "oscb", ALL),
            because: ["Additions of products that do not overlap need not wait for one another.",
                "The processor finds its own order among so few instructions."],
        },
    ];
    "galois_field_reduction_2_127_1", "Multiplication modulo 2^127 - 1, by its reduction (slide 11)", SANAL,
        Unit::Cycles(1.0), &[("instructions", "instructions"), ("cycles", "cycles")], &[], reduction, &[
        Claim {
            says: "A product that is reduced by bit tests is faster than the product of the library MPFQ.",
            names: ["a product reduced by bit tests", "one by MPFQ"],
            compare: Lines("cycles", BIT_TEST, MPFQ),
            because: ["MPFQ moves the result of each mulq to another register, and compares the residue with the prime.",
                "A processor that executes six instructions a cycle hides those that MPFQ has more."],
        },
        Claim {
            says: "The reduction makes the difference: after the same product bit tests beat MPFQ's shifts and masks.",
            names: ["a product reduced by bit tests", "one reduced as by MPFQ"],
            compare: Lines("cycles", BIT_TEST, LISTING),
            because: ["Bit tests are six instructions less.",
                "Each bit test passes a carry on, which the next instruction takes; shifts and masks wait less."],
        },
    ];
    "cryptopp_p4_window_size_thresholds", "Exponents up to which a window's width is best, in bits", ZIDENBERG,
        Unit::Count, &[
            ("k1_max", "1 bit"),
            ("k2_max", "2 bits"),
            ("k3_max", "3 bits"),
            ("k4_max", "4 bits"),
            ("k5_max", "5 bits"),
            ("k6_max", "6 bits"),
        ], &[], |cell| {
            let width = cell.column[1..2].parse().expect("a digit");
            let kind = cell.text("policy").trim_end_matches("_case");
            Counterpart::Limit(kind.to_owned(), width)
        }, &[
        Claim {
            says: "The number of multiplications says up to which length each width is the fastest.",
            names: ["the length up to which a width is best", "what the number says"],
            compare: Agree,
            because: ["Multiplications are most of the time; squares take less of it than products.",
                "Squares take less time than products, and tables of powers are not free, which the count leaves out."],
        },
    ];
    "parallel_crypto_2011_table1_sequential_modexp_O3_seconds",
        "Exponentiation on one thread, -O3 (table 1, section 3.5)", KHALIFA,
        Unit::Time(1e9), FOUR_BY_TWO, &[], |cell| thesis(cell, OPERATIONS[0]), &[
        Claim {
            says: "The best performance was achieved by SDR FIOS Modified (3.5): modified FIOS is faster than CIOS.",
            names: ["modified FIOS", "CIOS"],
            compare: Columns("sdr_fios_mod", "sdr_cios", ALL),
            because: ["It reads and writes each word of the sum once.",
                "It adds two products to a word in one step, which a loop of two products over 32-bit words no longer gains from."],
        },
        Claim {
            says: "Its exponentiation by signed digits (SDR) is faster than the binary one (4.4.2.1).",
            names: ["exponentiation by signed digits", "that by binary digits"],
            compare: Columns("sdr_fios_mod", "bin_fios_mod", ALL),
            because: ["A third of the digits are not zero instead of half, which outweighs the inverse.",
                "The inverse that signed digits need outweighs the products that they spare."],
        },
    ], &[
        figure("Figure 7, binary exponentiation", BINARY),
        figure("Figure 7, signed digits", SIGNED_DIGITS),
    ];
    "parallel_crypto_2011_table2_sequential_modexp_O0_seconds",
        "Exponentiation on one thread, -O0 (table 2, section 3.5)", KHALIFA,
        Unit::Time(1e9), FOUR_BY_TWO, &[], |cell| thesis(cell, OPERATIONS[1]).absent(UNOPTIMISED), &[
        Claim {
            says: "Whether or not the code is optimised, SDR FIOS Modified has the best performance (3.5): without, about 2.4 times that of binary FIOS.",
            names: ["signed digits by modified FIOS", "binary digits by FIOS"],
            compare: Columns("sdr_fios_mod", "bin_fios", ALL),
            because: ["Two loops in one, and no carry that runs up, are less code for every word.",
                "What a word costs without optimisation is not its products."],
        },
    ], &[
        figure("Figure 8, binary exponentiation", BINARY),
        figure("Figure 8, signed digits", SIGNED_DIGITS),
    ];
    "parallel_crypto_2011_table3_montmul_645120bit_seconds",
        "Montgomery multiplication of 645,120 bits (table 3, section 4.4.1.1)", KHALIFA,
        Unit::Time(1e9), NAIVE, &[], |cell| long_product(cell, cell.number("cores")), &[
        Claim {
            says: "The first version of pFIOS has better performance than pSHS in multiplying very big numbers (4.4.1.1).",
            names: ["pFIOS, first version,", "pSHS"],
            compare: Columns("pfios_naive", "pshs", ALL),
            because: ["pSHS makes its sums twice, by halves, and passes messages.",
                "The barriers of pFIOS, one a word, cost more than the messages of pSHS."],
        },
    ], &[
        figure("Figure 11", &["pfios_naive", "pshs"]),
        Plot {
            name: "Figure 12, over the first version on one core",
            curves: Curves::OverFirst("pfios_naive", &["pfios_naive", "pshs"]),
        },
    ];
    "parallel_crypto_2011_table4_montmul_by_words32_8cores_seconds",
        "Montgomery multiplication by length, 8 cores (table 4, section 4.4.1.2)", KHALIFA, Unit::Time(1e9), NAIVE, &[],
        |cell| product(cell, 32 * cell.number("words32"), On::UpTo(8)), &[
        Claim {
            says: "The first version of pFIOS is slower than pSHS when the input is relatively small, and faster with very big numbers (4.4.1.2).",
            names: ["pFIOS, first version,", "pSHS"],
            compare: Columns("pfios_naive", "pshs", ALL),
            because: ["A barrier a word is dear on short numbers.",
                "Fewer cores wait less at barriers, so that pFIOS wins earlier."],
        },
    ], &[
        figure("Figure 13", &["pfios_naive", "pshs"]),
    ];
    "parallel_crypto_2011_table5_modexp_840words32_seconds",
        "Exponentiation modulo 26,880 bits (table 5, section 4.4.2.1)", KHALIFA,
        Unit::Multiple("fios_sequential"), &[
            ("pfios_naive", "pFIOS, first version"),
            ("pshs", "pSHS"),
            ("fios_sequential", "FIOS, sequential"),
        ], &[], |cell| power(cell, "signed_digit/64", 26_880, On::Exactly(cell.number("cores"))), &[
        Claim {
            says: "The first version of pFIOS performs very badly in an exponentiation (4.4.2.1): most numbers of cores are no faster than one thread by FIOS.",
            names: ["pFIOS, first version,", "one thread by FIOS"],
            compare: Columns("pfios_naive", "fios_sequential", ALL),
            because: ["Threads wait for one another at every word.",
                "A barrier takes little here beside a word's work."],
        },
        Claim {
            says: "pSHS shows consistent behaviour there (4.4.2.1): it is the faster from three cores on.",
            names: ["pFIOS, first version,", "pSHS"],
            compare: Columns("pfios_naive", "pshs", |line| line.figure("cores").is_some_and(|cores| cores >= 3.0)),
            because: ["A barrier a word costs more than messages where each member has little to do.",
                "pSHS makes its sums twice, by halves, and passes messages."],
        },
    ], &[
        figure("Figure 14", &["pfios_naive", "pshs", "fios_sequential"]),
        speedup("Figure 15, over one thread by FIOS", "fios_sequential", &["pfios_naive", "pshs"]),
    ];
    "parallel_crypto_2011_table6_montmul_645120bit_seconds",
        "Montgomery multiplication of 645,120 bits, improved (table 6, section 5.4.1.1)", KHALIFA, Unit::Time(1e9),
        IMPROVED_AND_SEQUENTIAL, &[], |cell| long_product(cell, cell.number("cores")), &[
        Claim {
            says: "pFIOS has a very good scalability over up to eight cores (5.4.1.1).",
            names: ["pFIOS", "one thread by FIOS"],
            compare: Columns("pfios", "fios_sequential", |line| line.figure("cores") != Some(1.0)),
            because: ["Threads wait once in many words, and each has a block that its cache keeps.",
                "What the threads cost is more than what they share."],
        },
        Claim {
            says: "It has better performance than pSHS (5.4.1.1).",
            names: ["pFIOS", "pSHS"],
            compare: Columns("pfios", "pshs", ALL),
            because: ["It makes no product twice, and waits once in many words.",
                "pSHS waits less than pFIOS here."],
        },
        Claim {
            says: "Executed by one thread it performs as fast as the sequential version (5.4.1.1).",
            names: ["pFIOS on one thread", "FIOS"],
            compare: Alike("pfios", "fios_sequential", |line| line.figure("cores") == Some(1.0),
                "A row puts its last carry off, for which the next row of FIOS waits."),
            because: ["One thread adds what was put off once.",
                "What is put off is added at the end, which the sequential version does not need."],
        },
    ], &[
        figure("Figure 17", &["pfios", "pshs", "fios_sequential"]),
        speedup("Figure 18, over one thread by FIOS", "fios_sequential", &["pfios", "pshs"]),
    ];
    "parallel_crypto_2011_table7_montmul_by_words32_8cores_seconds",
        "Montgomery multiplication by length, improved, 8 cores (table 7, section 5.4.1.2)", KHALIFA, Unit::Time(1e9), IMPROVED,
        &[], |cell| product(cell, 32 * cell.number("words32"), On::UpTo(8)), &[
        Claim {
            says: "pFIOS shows better performance than pSHS for small and large inputs (5.4.1.2); at 512 words its figure is the worse.",
            names: ["pFIOS", "pSHS"],
            compare: Columns("pfios", "pshs", ALL),
            because: ["It makes no product twice, and waits once in many words.",
                "pSHS waits less than pFIOS here."],
        },
    ], &[figure("Figure 19", &["pfios", "pshs"])];
    "parallel_crypto_2011_table8_modexp_840words32",
        "Exponentiation modulo 26,880 bits, improved (table 8, section 5.4.2.1)", KHALIFA,
        Unit::Multiple("fios_sequential_seconds"), &[
            ("pfios_seconds", "pFIOS"),
            ("pshs_seconds", "pSHS"),
            ("fios_sequential_seconds", "FIOS, sequential"),
        ], &[
            ("pfios_speedup", "pFIOS: speedup", Speedup("fios_sequential_seconds", "pfios_seconds")),
            ("pfios_efficiency", "pFIOS: efficiency", Efficiency("fios_sequential_seconds", "pfios_seconds")),
            ("pshs_speedup", "pSHS: speedup", Speedup("fios_sequential_seconds", "pshs_seconds")),
            ("pshs_efficiency", "pSHS: efficiency", Efficiency("fios_sequential_seconds", "pshs_seconds")),
        ], |cell| power(cell, "signed_digit/64", 26_880, On::Exactly(cell.number("cores"))), &[
        Claim {
            says: "pFIOS shows a speedup of up to 5 on eight cores in an exponentiation modulo 840 words (5.4.2.1).",
            names: ["pFIOS", "one thread"],
            compare: Columns("pfios_seconds", "fios_sequential_seconds", |line| line.figure("cores") != Some(1.0)),
            because: ["Little of the threads' time is waiting.", "A product of 840 words is too short for these threads."],
        },
        Claim {
            says: "The greatest speedup of pSHS there is about 2.5 (5.4.2.1).",
            names: ["pSHS", "one thread"],
            compare: Columns("pshs_seconds", "fios_sequential_seconds", |line| line.figure("cores") != Some(1.0)),
            because: ["It makes its sums twice, by halves, so that few ranks gain little.",
                "Messages take less here beside the work of a product."],
        },
    ], &[
        figure("Figure 20", &["pfios_seconds", "pshs_seconds", "fios_sequential_seconds"]),
        figure("Figure 21", &["pfios_speedup", "pshs_speedup"]),
        figure("Figure 22", &["pfios_efficiency", "pshs_efficiency"]),
    ];
    "parallel_crypto_2011_table9_modexp_by_words32_8cores_seconds",
        "Exponentiation by length, 8 cores (table 9, section 5.4.2.3)", KHALIFA, Unit::Time(1e9), IMPROVED_AND_SEQUENTIAL, &[],
        |cell| power(cell, "signed_digit", 32 * cell.number("words32"), On::UpTo(8)), &[
        Claim {
            says: "Exponentiation by pFIOS is slower than the sequential version up to 192 words, and becomes faster beyond (5.4.2.3).",
            names: ["pFIOS", "one thread"],
            compare: Columns("pfios", "fios_sequential", ALL),
            because: ["What threads cost is made up for by long products only.",
                "Threads are kept here instead of started for each product, so that they pay earlier."],
        },
        Claim {
            says: "pSHS is still slower than the sequential version for such small input (5.4.2.3).",
            names: ["pSHS", "one thread"],
            compare: Columns("pshs", "fios_sequential", ALL),
            because: ["Each product waits for messages.", "Messages take less here beside the work of a product."],
        },
    ], &[figure("Figure 23", &["pfios", "pshs", "fios_sequential"])];
    "parallel_crypto_2011_lists24_26_overhead_percent",
        "Overhead of threads modulo 26,880 bits, 8 cores (lists 24 and 26)", KHALIFA,
        Unit::Percent, &[
            ("overhead", "overhead"),
            ("synchronisation", "synchronisation"),
            ("imbalance", "imbalance"),
            ("management", "management"),
        ], &[], |cell| Counterpart::Share(
            match cell.line.first() {
                FIRST_VERSION => "pfios_naive_w32",
                _ => "pfios_w32",
            },
            match cell.column {
                "overhead" => &[WAITING, IDLE, STARTING],
                "synchronisation" => &[WAITING],
                "imbalance" => &[IDLE],
                _ => &[STARTING],
            },
        ), &[
        Claim {
            says: "The overhead of 46 percent of the threads' time is 3 percent in the improved pFIOS (4.4.2.1, 5.3).",
            names: ["the overhead of pFIOS", "that of its first version"],
            compare: Lines("overhead", IMPROVED_VERSION, FIRST_VERSION),
            because: ["Threads wait once in many words, and not at every word.",
                "A barrier takes little here beside a word's work."],
        },
        Claim {
            says: "Most of it is synchronisation.",
            names: ["the time that threads are idle", "the time that they wait"],
            compare: Columns("imbalance", "synchronisation", ALL),
            because: ["Threads wait at every word, or at every block of words, and are idle once in a product.",
                "The threads' blocks take different times, as one adds what was put off, or as the system gives one less of a core."],
        },
    ];
    "parallel_crypto_2011_fpga_pshs_speedup",
        "Exponentiation of 2048 bits by pSHS on an FPGA (section 6.2.3)",
        "Khalifa, from the authors of pSHS; eight MicroBlaze processors of 100 MHz on a Virtex 5. No conclusion is judged: it \
         compares two latencies of messages, of which a server has one; what it says of servers is the last of table 9",
        Unit::Count, &[("speedup", "speedup on 8 cores")], &[], |_| power_on_fpga(), &[];
    "threefish256_mono_simd_us_per_block", "Threefish-256, one block: scalar and SIMD (part 4)",
        MONO_SIMD, Unit::Time(1e3), &[
            ("scalar", "scalar"),
            ("simd", "SIMD within the block"),
        ], &[("speedup", "speedup", Speedup("scalar", "simd"))], |cell| match cell.column {
            "scalar" => block_of_threefish(cell, "portable", "portable", None),
            _ => block_of_threefish(cell, "block_sse2_on_the_fly", "block_sse2", Some(BEFOREHAND)),
        }, &[
        Claim {
            says: "SIMD registers make a block of Threefish 2.4 times as fast.",
            names: ["SIMD within the block", "the scalar way"],
            compare: Columns("simd", "scalar", ALL),
            because: ["Vector registers are wider than the integer ones.",
                "A 64-bit processor adds and rotates a word in one instruction each, which the Atom in 32-bit mode could not."],
        },
    ];
    "threefish256_mono_simd_steps_us_per_block", "Threefish-256, one block: the steps of its SIMD (parts 2 to 4)",
        MONO_SIMD, Unit::Time(1e3), &[("simd", "SIMD within the block")], &[], |cell| match cell.line.first() {
            ANY_ADDRESS => block_of_threefish(cell, "block_sse2_unaligned", "block_sse2_unaligned", None),
            ALIGNED => block_of_threefish(cell, "block_sse2", "block_sse2", None),
            _ => block_of_threefish(cell, "block_sse2_on_the_fly", "block_sse2", Some(BEFOREHAND)),
        }, &[
        Claim {
            says: "Aligned loads make a significant speedup (part 3).",
            names: ["a block with aligned loads", "one with loads from any address"],
            compare: Lines("simd", ALIGNED, ANY_ADDRESS),
            because: ["A load that crosses a line of the cache takes two accesses.",
                "Processors of today load 16 bytes from any address as fast, unless they cross a line of the cache."],
        },
        Claim {
            says: "Subkeys made on the fly are what it needs to beat the scalar way (part 4): they take a third of the time.",
            names: ["a block with subkeys on the fly", "one with subkeys that are loaded"],
            compare: Lines("simd", ON_THE_FLY, ALIGNED),
            because: ["Subkeys in registers are not loaded.",
                "A load is off the path from round to round, which is what a block waits for."],
        },
    ];
    "sse2_rsa1024_sign_megacycles", "RSA-1024 signature, by the inner loop",
        "SSE2 assisted RSA, 2004: OpenSSL's word-multiply loop in SSE2", Unit::Cycles(1e6), &[
            ("xeon_p4", "Xeon (Pentium 4)"),
            ("pentium_m", "Pentium M"),
            ("opteron", "Opteron"),
            ("efficeon", "Efficeon"),
        ], &[], |cell| match cell.text("implementation") {
            "integer_32bit" => Counterpart::Row(inner_loop("cios_w32")),
            "sse2_32bit" => Counterpart::Row(inner_loop("pmuludq")),
            "integer_64bit" => Counterpart::Row(inner_loop("mul_adc")),
            _ => Counterpart::Speedup(Box::new([inner_loop("cios_w32"), inner_loop("pmuludq")])),
        }, &[
        Claim {
            says: "On all SSE2 platforms the loop by pmuludq yields improved results over the 32-bit integer code.",
            names: ["the loop by pmuludq", "the 32-bit integer loop"],
            compare: Lines("xeon_p4", "sse2_32bit", "integer_32bit"),
            because: ["Two products of words are one instruction.",
                "An integer unit of today takes a product a cycle, and passes a carry on in one more."],
        },
        Claim {
            says: "On Opteron it makes much more sense to use a native 64-bit implementation.",
            names: ["the 64-bit integer loop", "the loop by pmuludq"],
            compare: Lines("opteron", "integer_64bit", "sse2_32bit"),
            because: ["A product of limbs is four products of words.",
                "Products of words keep more multipliers busy."],
        },
    ];
    "cryptopp_p4_vtune_profile", "A profile by function, by VTune", ZIDENBERG, Unit::Parts(&[
        "clockticks_1e6",
        INSTRUCTIONS_RETIRED,
        "64k_aliasing_conflicts_1e4",
        MISPREDICTED_RETIRED,
        "mob_loads_replays_retired_1e3",
    ]), &[
        ("clockticks_1e6", "clock ticks, millions"),
        (INSTRUCTIONS_RETIRED, "instructions retired, millions"),
        ("64k_aliasing_conflicts_1e4", "64k aliasing conflicts, ten thousands"),
        (MISPREDICTED_RETIRED, "mispredicted branches retired, ten thousands"),
        ("mob_loads_replays_retired_1e3", "MOB loads replays retired, thousands"),
        ("clockticks_per_instruction", "clock ticks per instruction (CPI)"),
        ("64k_aliasing_performance_impact", "64k aliasing: performance impact"),
        ("branch_mispredict_performance_impact", "mispredicted branches: performance impact"),
        (MISPREDICTED_PER_INSTRUCTION, "mispredicted branches per instruction"),
        ("store_forward_performance_impact", "store forwarding: performance impact"),
    ], &[], profiled, &[
        Claim {
            says: "Branch mispredictions mostly exist inside the addition and subtraction functions: Add has more than P4_Mul.",
            names: ["addition", "multiplication"],
            compare: Lines(MISPREDICTED_RETIRED, "Add", "P4_Mul"),
            because: ["A carry that is passed on by a branch is mispredicted as often as it is random.",
                CARRIED],
        },
        Claim {
            says: "And so has Subtract.",
            names: ["subtraction", "multiplication"],
            compare: Lines(MISPREDICTED_RETIRED, "Subtract", "P4_Mul"),
            because: ["A borrow that is passed on by a branch is mispredicted as often as it is random.",
                BORROWED],
        },
        Claim {
            says: "The second most significant function is the addition of long integers, which has more instructions than an inverse.",
            names: ["addition", "inversion"],
            compare: Lines(INSTRUCTIONS_RETIRED, "Add", "AlmostInverse"),
            because: ["Numbers are added throughout, and inverted once in an operation.",
                CARRIED],
        },
    ];
}

/// The columns of the profile that ours has, too.
const INSTRUCTIONS_RETIRED: &str = "instructions_retired_1e6";
const MISPREDICTED_RETIRED: &str = "mispredicted_branches_retired_1e4";
const MISPREDICTED_PER_INSTRUCTION: &str = "mispredicted_branches_per_instruction";

/// The part of a function of Crypto++ beside that of our functions which do the same.
fn profiled(cell: &Cell<'_>) -> Counterpart {
    let classes: &'static [&'static str] = match cell.line.first() {
        "Entire Program" => &[PROGRAM_CLASS],
        // Products reduce within their kernels.
        "P4_Mul" => &[MULTIPLICATION, SQUARING, REDUCTION],
        "Add" => &[ADDITION],
        "Subtract" => &[SUBTRACTION],
        "AlmostInverse" => &[INVERSION],
        "Divide" => &[DIVISION],
        "Multiply8" | "Multiply" | "Multiply4" | "RecursiveMultiply" => {
            return Counterpart::Never(
                "products of all lengths are the same functions here, which stand beside P4_Mul",
            );
        }
        "MultiplicativeInverse" => {
            return Counterpart::Never(
                "inverses are the same functions here, which stand beside AlmostInverse",
            );
        }
        _ => {
            return Counterpart::Never(
                "a cipher or a hash, and these test vectors have neither of them",
            );
        }
    };
    match cell.column {
        INSTRUCTIONS_RETIRED => Counterpart::Events(INSTRUCTIONS, classes),
        MISPREDICTED_RETIRED => Counterpart::Events(MISPREDICTED, classes),
        MISPREDICTED_PER_INSTRUCTION => Counterpart::Rate(MISPREDICTED, classes),
        "clockticks_1e6"
        | "clockticks_per_instruction"
        | "branch_mispredict_performance_impact" => {
            Counterpart::Never("clock ticks are the processor's, and valgrind has no clock")
        }
        _ => Counterpart::Never("the Pentium 4 alone has these events"),
    }
}

/// A block of Threefish-256 by a kernel with the rotations of Skein 1.1; or, where a record has none of these, by one with
/// those of version 1.3, which takes as many instructions.
fn block_of_threefish(
    cell: &Cell<'_>,
    kernel: &str,
    instead: &str,
    but: Option<&'static str>,
) -> Counterpart {
    let block = |version: &str, kernel: &str| {
        let operation = match cell.line.text("direction") {
            Some("decrypt") => format!("threefish-256/block{version}/decrypt"),
            _ => format!("threefish-256/block{version}"),
        };
        let way = format!("carrysave/{kernel}");
        row("symmetric", &operation, Size::Bytes(32), &way, On::Most)
    };
    block("/1.1", kernel).or(block("", instead).but(but))
}

/// A private operation of RSA-1024 by a kernel.
fn inner_loop(kernel: &str) -> Key {
    Key {
        experiment: "loops",
        operation: "private".to_owned(),
        size: Size::Bits(1024),
        implementation: format!("carrysave/{kernel}"),
        threads: On::Most,
        but: Some("the private operation alone, and a whole signature in the source"),
        siblings: false,
        instead: None,
        absent: None,
        less: None,
        beside: None,
    }
}

/// Whether a column is of two threads of one core.
fn hyper_threads(column: &str) -> bool {
    column.starts_with("ht_") && !column.ends_with("unthreaded") && !column.ends_with("1thread")
}

impl Counterpart {
    /// Notes that a row is of other conditions, if it is.
    fn but(self, other: Option<&'static str>) -> Counterpart {
        match self {
            Counterpart::Row(key) => Counterpart::Row(Key { but: other, ..key }),
            counterpart => counterpart,
        }
    }

    /// Another row in place of a row that is in no record.
    fn or(self, other: Counterpart) -> Counterpart {
        match (self, other) {
            (Counterpart::Row(key), Counterpart::Row(other)) => Counterpart::Row(key.or(other)),
            (counterpart, _) => counterpart,
        }
    }

    /// Subtracts the time of another implementation in the race.
    fn less(self, implementation: &'static str) -> Counterpart {
        match self {
            Counterpart::Row(key) => Counterpart::Row(Key {
                less: Some(implementation),
                ..key
            }),
            counterpart => counterpart,
        }
    }

    /// The row of the race in which others are on so many threads.
    fn beside(self, others: On) -> Counterpart {
        match self {
            Counterpart::Row(key) => Counterpart::Row(Key {
                beside: Some(others),
                ..key
            }),
            counterpart => counterpart,
        }
    }

    /// Says why a row may be in no record.
    fn absent(self, why: &'static str) -> Counterpart {
        match self {
            Counterpart::Row(key) => Counterpart::Row(Key {
                absent: Some(why),
                ..key
            }),
            counterpart => counterpart,
        }
    }

    /// The row of the threads of one core in place of a row of two cores, where that is asked for.
    fn on_siblings(self, asked: bool) -> Counterpart {
        match self {
            Counterpart::Row(key) if asked => Counterpart::Row(Key {
                implementation: format!("{}{SIBLINGS}", key.implementation),
                siblings: true,
                ..key
            }),
            counterpart => counterpart,
        }
    }
}

fn row(
    experiment: &'static str,
    operation: &str,
    size: Size,
    implementation: &str,
    threads: On,
) -> Counterpart {
    Counterpart::Row(Key {
        experiment,
        operation: operation.to_owned(),
        size,
        implementation: implementation.to_owned(),
        threads,
        but: None,
        siblings: false,
        instead: None,
        absent: None,
        less: None,
        beside: None,
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
            On::Most,
        ),
        None if work == "entire program" => row(
            test_vectors::EXPERIMENT,
            &format!("rsadp/{operation}"),
            Size::Bits(1024),
            &format!("carrysave/{kernel}"),
            On::Most,
        )
        .but(Some(
            "test vectors of RSA-1024, and all of Crypto++'s in the source",
        ))
        .absent(ONE_KERNEL),
        None => Counterpart::Never(
            "it is the function's part in a profile, by VTune: `carrysave-lab profile --kernel` has it in instructions",
        ),
    }
}

/// `NR 1024 Signature with precomputation` is `nr/signature-with-precomputation` at 1024 bits.
fn scheme(cell: &Cell<'_>) -> Counterpart {
    let mut words = cell.text("test").split(' ');
    let name = words.next().unwrap_or_default().to_lowercase();
    let bits = words.next().and_then(|bits| bits.parse().ok()).unwrap_or(0);
    let what = words.collect::<Vec<_>>().join("-").to_lowercase();
    let is_final = cell.column.ends_with("_final");
    let counterpart = row(
        "schemes",
        &format!("{name}/{what}"),
        Size::Bits(bits),
        "carrysave",
        On::Most,
    );
    // Agreements have no hash; all the others do, encryption in its padding.
    let plain = matches!(&name[..], "dh" | "mqv");
    let hash = (!plain).then_some("SHA-256, and SHA-1 in the source");
    let after = is_final.then_some("one thread, and in the source what it has for several");
    let counterpart = counterpart.but(match (hash, after) {
        (Some(_), Some(_)) => {
            Some("SHA-256 on one thread, and in the source SHA-1 and what it has for several")
        }
        (hash, after) => hash.or(after),
    });
    if name != "rsa" || !matches!(&what[..], "decryption" | "signature") {
        return counterpart;
    }
    // What the source threaded: both columns are of one race.
    let alone = "the private operation alone, and with padding and hash in the source";
    let private =
        |way, threads| row("teams", "private", Size::Bits(bits), way, threads).but(Some(alone));
    let team = private("carrysave/team", On::Exactly(2));
    let one = private("carrysave", On::Most).or(counterpart);
    match is_final {
        // Beside one thread of another race the gain of these two would mean nothing.
        true if hyper_threads(cell.column) => team.on_siblings(true),
        true => team.or(one),
        false => one,
    }
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
    let kernel = match cell.column {
        "recursive_schoolbook" => "recursive",
        column => column,
    };
    product_in_field(cell.text("field"), &format!("{kernel}_mulx"))
}

/// The product in a field as it is published, by a kernel: inlined, or in older records called.
fn product_in_field(field: &str, kernel: &str) -> Counterpart {
    let net = field_row(field, fields::INLINED, kernel).less("carrysave/empty");
    net.or(called_in_field(
        field,
        kernel,
        "a product called through its handle, and net cycles in the source",
    ))
}

/// The product modulo 2^127 - 1 by MPFQ itself, of a user who has it.
fn product_by_mpfq() -> Counterpart {
    let operation = format!("2^127-1/{}", fields::INLINED);
    let product = row("fields", &operation, Size::Bits(127), mpfq::NAME, On::Most);
    product.less("carrysave/empty")
}

/// The reduction modulo 2^127 - 1, in a product or alone.
fn reduction(cell: &Cell<'_>) -> Counterpart {
    let line = cell.line.first();
    let alone = [BIT_TEST_ALONE, LISTING_ALONE].contains(&line);
    let kernel = match [BIT_TEST, BIT_TEST_ALONE].contains(&line) {
        true => "bit_test",
        false => "mpfq",
    };
    if cell.column == "instructions" {
        return instructions(kernel, (!alone).then_some(OF_THE_REDUCTION));
    }
    if alone {
        let way = format!("carrysave/fp_m127_fold/{kernel}");
        return row("fields", "2^127-1/fold", Size::Bits(127), &way, On::Most);
    }
    if line == MPFQ {
        return product_by_mpfq().absent(NO_MPFQ);
    }
    product_in_field("2^127-1", kernel).or(called_in_field(
        "2^127-1",
        "mulx_adx",
        "a product reduced by shifts and masks and called through its handle",
    ))
}

/// The product by a kernel that is called through its handle.
fn called_in_field(field: &str, kernel: &str, but: &'static str) -> Counterpart {
    field_row(field, "mul", kernel).but(Some(but))
}

fn field_row(field: &str, operation: &str, kernel: &str) -> Counterpart {
    let (bits, prime) = match field {
        "2^127-1" => (127, "2^127-1"),
        "2^127-c" => (127, "2^127-735"),
        "2^128-c" => (128, "2^128-159"),
        "2^255-c" => (255, "2^255-19"),
        _ => (256, "2^256-189"),
    };
    let op = match prime {
        "2^127-1" => "fp_m127_mul",
        _ => "fp_mul",
    };
    row(
        "fields",
        &format!("{prime}/{operation}"),
        Size::Bits(bits),
        &format!("carrysave/{op}/{kernel}"),
        On::Most,
    )
}

fn thesis(cell: &Cell<'_>, operation: &str) -> Counterpart {
    let (method, kernel) = cell.column.split_once('_').expect("method and kernel");
    let method = match method {
        "bin" => "binary_rl",
        _ => "signed_digit",
    };
    let kernel = kernel.replace("fios_mod", "fios_delayed");
    let way = format!("carrysave/{method}/{kernel}_w32");
    row(
        "thesis",
        operation,
        Size::Bits(cell.number("key_bits")),
        &way,
        On::Most,
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

/// What stands beside a figure by an algorithm over messages: ranks, or else threads.
fn messages(column: &str, by_threads: Counterpart) -> Counterpart {
    match by_threads {
        Counterpart::Row(key) if column.starts_with("pshs") => Counterpart::Row(Key {
            experiment: thesis::RANKS,
            instead: Some(Box::new(Key {
                but: Some("messages through memory between threads, and by MPI in the source"),
                ..key.clone()
            })),
            ..key
        }),
        counterpart => counterpart,
    }
}

/// The algorithm in a column: on threads, or alone in the race of those.
fn in_race(column: &str, operation: &str, bits: usize, threads: On) -> Counterpart {
    let by = |threads| {
        row(
            "threads",
            operation,
            Size::Bits(bits),
            algorithm(column),
            threads,
        )
    };
    match column.starts_with("fios_sequential") {
        true => by(On::Exactly(1)).beside(threads),
        false => messages(column, by(threads)),
    }
}

fn product(cell: &Cell<'_>, bits: usize, threads: On) -> Counterpart {
    in_race(cell.column, "mont_mul", bits, threads)
}

fn long_product(cell: &Cell<'_>, threads: usize) -> Counterpart {
    product(cell, 645_120, On::Exactly(threads))
}

fn power(cell: &Cell<'_>, operation: &str, bits: usize, threads: On) -> Counterpart {
    in_race(cell.column, operation, bits, threads)
}

/// How many times as fast as one thread a power by pSHS is on several.
fn power_on_fpga() -> Counterpart {
    let by = |column, threads| in_race(column, "signed_digit", 2048, threads);
    let pshs = by("pshs", On::UpTo(8)).but(Some(
        "threads or ranks of a server, as many of eight as it has cores, and processors of an FPGA in the source",
    ));
    match (by("fios_sequential", On::UpTo(8)), pshs) {
        (Counterpart::Row(alone), Counterpart::Row(pshs)) => {
            Counterpart::Speedup(Box::new([alone, pshs]))
        }
        (_, pshs) => pshs,
    }
}
