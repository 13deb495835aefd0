//! Every experiment runs once with next to no time, and reports what it ran.

use carrysave_arith::Plan;
use carrysave_kernels::{Cpu, REGISTRY, ntt};
use carrysave_lab::{
    Request, Row,
    experiments::EXPERIMENTS,
    races, run,
    table::{JsonLines, Text},
};
use std::collections::BTreeSet;

fn request(experiment: &str, bits: &[usize]) -> Request {
    Request {
        experiments: vec![experiment.to_owned()],
        bits: Some(bits.to_vec()),
        seconds: 0.0,
        ..Request::default()
    }
}

fn rows(request: &Request) -> Vec<Row> {
    let outcome = run(request, &mut Text(std::io::sink())).unwrap();
    assert_eq!(outcome.refused, []);
    assert_eq!(races(request), Ok(outcome.races));
    assert!(
        outcome
            .rows
            .iter()
            .all(|r| r.ns_median > 0.0 && r.ops_per_second > 0.0 && r.core_ghz > 0.0)
    );
    outcome.rows
}

#[test]
fn rsa_has_four_operations_and_carrysave_in_each() {
    let rows = rows(&request("rsa", &[1024]));
    for operation in ["sign", "verify", "encrypt", "decrypt"] {
        let names: Vec<&str> = rows
            .iter()
            .filter(|r| r.operation == operation)
            .map(|r| r.implementation.as_str())
            .collect();
        assert_eq!(names.first(), Some(&"carrysave"), "{operation}");
        assert!(names.contains(&"rsa"), "{operation}: {names:?}");
    }
}

#[test]
fn batch_races_each_number_of_jobs_and_threads_and_the_kernels_below() {
    let request = request("batch", &[1024]);
    let all = rows(&request);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    for operation in ["private", "public", "public-pkcs1v15"] {
        for jobs in [1, 2, 4, 8, 16, 32, 64] {
            for threads in [1, cores] {
                let name = format!("{operation}/{jobs}");
                let raced = all
                    .iter()
                    .filter(|r| r.operation == name && r.threads == threads);
                let names: Vec<&str> = raced.map(|r| r.implementation.as_str()).collect();
                assert_eq!(
                    names[..2],
                    ["carrysave/batch", "carrysave"],
                    "{name} on {threads}"
                );
            }
        }
    }
    for (operation, first) in [
        ("service/64", "carrysave/batch"),
        ("service/1", "carrysave"),
    ] {
        let raced = all.iter().filter(|r| r.operation == operation);
        let names: Vec<&str> = raced.map(|r| r.implementation.as_str()).collect();
        assert_eq!(names[..2], [first, "carrysave/signer"], "{operation}");
    }
    use carrysave_kernels::mb8::IFMA;
    for operation in ["kernel/mb8_amm", "kernel/mb8_ams"] {
        let mut raced = all.iter().filter(|r| r.operation == operation);
        match raced.next() {
            Some(row) => assert_eq!(
                (row.implementation.as_str(), row.bits),
                ("vpmadd52", Some(512))
            ),
            None => assert!(!Cpu::native().has(IFMA)),
        }
    }
    let narrowed = rows(&Request {
        only: Some("public".into()),
        threads: Some(3),
        ..request
    });
    assert!(!narrowed.is_empty());
    assert!(
        narrowed
            .iter()
            .all(|r| r.operation.starts_with("public/") && r.threads == 3)
    );
}

#[test]
fn modexp_has_all_pure_rust_rivals() {
    let rows = rows(&request("modexp", &[512]));
    for name in ["carrysave", "crypto-bigint", "num-bigint"] {
        assert!(
            rows.iter()
                .any(|r| r.implementation == name && r.bits == Some(512)),
            "{name}"
        );
    }
}

#[test]
fn keygen_makes_valid_keys() {
    let rows = rows(&Request {
        only: Some("carrysave".into()),
        threads: Some(2),
        ..request("keygen", &[1024])
    });
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].threads, 2);
    let rows = self::rows(&Request {
        only: Some("rsa".into()),
        threads: Some(2),
        ..request("keygen", &[1024])
    });
    // It has no threads.
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].threads, 1);
}

#[test]
fn mpn_races_every_admitted_kernel() {
    for cpu in [Cpu::native(), Cpu::portable()] {
        let rows = rows(&Request {
            cpu,
            // Steps of a division take a limb, and fields are short; that of P-521 has nine. Transforms are not.
            ..request("mpn", &[64, 128, 256, 512, 576, 64 * ntt::LEAST])
        });
        for op in REGISTRY {
            let raced = rows
                .iter()
                .filter(|r| r.operation == op.name && r.implementation.starts_with("carrysave/"));
            let raced: BTreeSet<&str> = raced.map(|r| r.implementation.as_str()).collect();
            assert_eq!(raced.len(), op.admitted(cpu).count(), "{}", op.name);
        }
    }
}

#[test]
fn fields_race_every_way_to_multiply_and_the_fields_of_others() {
    use carrysave_kernels::fp;
    let rows = rows(&request("fields", &[127, 128, 255, 256]));
    let names = |operation: &str| -> Vec<&str> {
        let raced = rows.iter().filter(|r| r.operation == operation);
        raced.map(|r| r.implementation.as_str()).collect()
    };
    for prime in carrysave_lab::rivals::elements::Prime::all() {
        for step in [
            "mul",
            "mul/chain",
            "sqr",
            "sqr/chain",
            "add",
            "add/chain",
            "inv",
        ] {
            let names = names(&format!("{prime}/{step}"));
            assert!(names.contains(&"carrysave/portable"), "{prime} {step}");
            let lanes = names.contains(&"carrysave/lanes/portable");
            assert_eq!(lanes, !step.ends_with("chain"), "{prime} {step}");
            assert!(names.contains(&"crypto-bigint"), "{prime} {step}");
        }
    }
    for kernel in fp::Mul::all(Cpu::native()) {
        let name = format!("carrysave/{kernel:?}");
        assert!(names("2^255-19/mul").contains(&name.as_str()), "{name}");
    }
    for kernel in fp::M127Mul::all(Cpu::native()) {
        let name = format!("carrysave/{kernel:?}");
        for operation in ["2^127-1/mul/chain", "2^127-1/mul/inlined"] {
            assert!(names(operation).contains(&name.as_str()), "{name}");
        }
    }
    let inlined = names("2^256-189/mul/inlined");
    assert_eq!(inlined.len(), fp::Mul::all(Cpu::native()).count() + 1);
    assert_eq!(inlined.last(), Some(&"carrysave/empty"));
    let secp256k1 = names("2^256-2^32-977/sqr");
    assert!(secp256k1.contains(&"fiat-crypto"), "{secp256k1:?}");
    assert!(names("2^128-159/mul").contains(&"crypto-bigint/special"));
    assert_eq!(
        names("2^128-159/mul").contains(&"ark-ff"),
        cfg!(feature = "rust-peers")
    );
}

#[test]
fn curves_race_key_agreements_and_the_published_experiment() {
    use carrysave_arith::published::pow::Version;
    let rows = rows(&request("curves", &[168, 255, 256, 384, 448, 521]));
    let names = |operation: &str| -> Vec<&str> {
        let raced = rows.iter().filter(|r| r.operation == operation);
        raced.map(|r| r.implementation.as_str()).collect()
    };
    for curve in ["p-256", "p-384", "p-521", "secp256k1", "x25519", "x448"] {
        for operation in ["agree", "public"] {
            let names = names(&format!("{curve}/{operation}"));
            assert_eq!(names.first(), Some(&"carrysave"), "{curve} {operation}");
            let nist = ["p-256", "p-384", "x25519"].contains(&curve);
            assert_eq!(names.contains(&"graviola"), nist, "{curve} {operation}");
            let rustcrypto = cfg!(feature = "rust-peers") && !curve.starts_with('x');
            assert_eq!(names.contains(&"rustcrypto/ec"), rustcrypto, "{curve}");
        }
    }
    assert!(names("x25519/public").contains(&"curve25519-dalek"));
    for curve in ["p-256", "p-384", "p-521", "secp256k1", "x25519"] {
        let many = names(&format!("{curve}/many"));
        assert_eq!(many[..2], ["carrysave/batch", "carrysave"], "{curve}");
        let many = names(&format!("{curve}/public-many"));
        assert_eq!(many[..2], ["carrysave/lanes", "carrysave"], "{curve}");
    }
    for scheme in ["p-256", "p-384", "p-521", "secp256k1", "ed25519", "ed448"] {
        for operation in ["sign", "verify"] {
            let one = names(&format!("{scheme}/{operation}"));
            assert_eq!(one.first(), Some(&"carrysave"), "{scheme} {operation}");
            if scheme == "ed448" {
                continue; // It has no lanes.
            }
            let many = names(&format!("{scheme}/{operation}-many"));
            assert_eq!(many[..2], ["carrysave/batch", "carrysave"], "{scheme}");
        }
    }
    for bits in [8, 16, 62, 124, 248] {
        let names = names(&format!("threads/{bits}"));
        assert_eq!(names.len(), 2 + 2 * Version::ALL.len());
        let alone = [
            "carrysave/sliding_rl_average",
            "carrysave/sliding_rl_unsigned",
        ];
        assert_eq!(names[..2], alone);
    }
}

#[test]
fn addition_races_every_kernel_also_those_of_variable_time() {
    let rows = rows(&request("addition", &[1088, 1152]));
    for name in ["mpn_add_n", "mpn_sub_n"] {
        let op = REGISTRY.iter().find(|op| op.name == name).unwrap();
        let raced = rows.iter().filter(|r| r.operation == name);
        assert_eq!(raced.count(), 2 * op.admitted(Cpu::native()).count());
    }
}

#[test]
fn products_race_everyone_at_six_operations() {
    let rows = rows(&request("products", &[4096]));
    for operation in [
        "mul",
        "sqr",
        "div_rem",
        "mul_mod",
        "to_decimal",
        "from_decimal",
    ] {
        let raced = rows.iter().filter(|r| r.operation == operation);
        let names: Vec<&str> = raced.map(|r| r.implementation.as_str()).collect();
        assert_eq!(names.first(), Some(&"carrysave"), "{operation}");
        assert_eq!(names.last(), Some(&"num-bigint"), "{operation}");
    }
}

#[cfg(target_endian = "little")]
#[test]
fn teams_race_one_thread() {
    let bits = 2048;
    let rows = rows(&request("teams", &[bits]));
    for operation in [
        "power",
        "power/processor",
        "power/busy",
        "private",
        "private/busy",
        "product",
    ] {
        let raced = rows.iter().filter(|r| r.operation == operation);
        let (predicted, raced): (Vec<_>, Vec<_>) =
            raced.partition(|r| r.implementation.starts_with("model/"));
        assert_eq!(predicted.is_empty(), operation != "power", "{operation}");
        let mut names: Vec<&str> = raced.iter().map(|r| r.implementation.as_str()).collect();
        // There are several teams on more cores than two.
        names.dedup();
        // Where the plan has one thread do it, two would be said of one.
        let alone = operation == "private/busy" && bits / 2 < Plan::native().team_private;
        let expected = ["carrysave", "carrysave/team"];
        assert_eq!(names, expected[..if alone { 0 } else { 2 }], "{operation}");
    }
}

#[test]
fn symmetric_races_modes_hashes_threads_kernels_and_rounds() {
    let rows = rows(&request("symmetric", &[8192]));
    let names = |operation: &str| -> Vec<&str> {
        let raced = rows.iter().filter(|r| r.operation == operation);
        let raced = raced.filter(|r| !r.implementation.starts_with("bound/"));
        raced.map(|r| r.implementation.as_str()).collect()
    };
    for cipher in [
        "aes-128",
        "aes-192",
        "aes-256",
        "threefish-256",
        "threefish-512",
        "threefish-1024",
    ] {
        for mode in ["ecb", "ecb-decrypt", "ctr", "cbc", "cbc-decrypt"] {
            let names = names(&format!("{cipher}/{mode}"));
            assert_eq!(names.first(), Some(&"carrysave"), "{cipher} {mode}");
            assert_eq!(names.last(), Some(&"rustcrypto"), "{cipher} {mode}");
        }
    }
    assert_eq!(names("skein-1024"), ["carrysave", "rustcrypto"]);
    let hashes = names("hash");
    assert_eq!(hashes[0], "carrysave/skein-512/tree");
    assert!(hashes.contains(&"rustcrypto/sha-256"), "{hashes:?}");
    assert!(!names("aes-128/ctr/threads").is_empty());
    for (race, op) in [
        ("threefish-256/block", "threefish_encrypt"),
        ("threefish-256/block/decrypt", "threefish_decrypt"),
    ] {
        let op = REGISTRY.iter().find(|known| known.name == op).unwrap();
        assert_eq!(names(race).len(), op.admitted(Cpu::native()).count());
        assert_eq!(names(race)[0], "carrysave/portable");
    }
    let encrypt = REGISTRY.iter().find(|op| op.name == "aes_encrypt").unwrap();
    let kernels = names("aes/rounds/ecb/16");
    assert_eq!(kernels.len(), encrypt.admitted(Cpu::native()).count());
    assert_eq!(kernels[0], "carrysave");
    for mode in ["ctr", "cbc", "cbc-streams", "cbc-decrypt"] {
        assert!(names(&format!("aes/rounds/{mode}/7")).is_empty());
        assert_eq!(names(&format!("aes/rounds/{mode}/8"))[0], "carrysave");
    }
    // One chain has one thread.
    assert!(names("aes/threads/cbc/10").is_empty());
    assert!(!names("aes/threads/cbc-streams/10").is_empty());
    assert_eq!(names("rijndael/rounds/14").len(), 3);
    let streams = names("aes-256/cbc/streams/32");
    assert_eq!(streams.first(), Some(&"carrysave"));
    assert!(streams.contains(&"rustcrypto"), "{streams:?}");
    assert_eq!(rows[0].bytes, Some(1024));
}

#[test]
fn plan_races_every_setting_and_leads_with_what_is_chosen() {
    // Tens of thousands of bits take teams long.
    let rows = rows(&request("plan", &[512, 2048, 8192, 65_536]));
    for setting in ["mul", "divide", "fixed_window", "team_mul"] {
        let raced = rows.iter().filter(|row| row.operation == setting);
        assert!(raced.count() > 1, "{setting}");
    }
    assert!(
        rows.iter()
            .all(|row| row.bits.is_some_and(|bits| bits.is_power_of_two()))
    );
}

#[test]
fn thesis_races_two_methods_by_four_kernels_on_two_sizes_of_words() {
    let rows = rows(&request("thesis", &[512]));
    assert_eq!(rows[0].implementation, "carrysave");
    assert_eq!(rows.len(), 1 + 2 * 4 * 2);
}

#[test]
fn threads_races_every_algorithm_on_kept_and_on_started_threads() {
    use carrysave_arith::published::{mont_mul::ALGORITHMS, pow::Version};
    // On one: threads that wait for each other on a busy machine take long.
    let rows = rows(&Request {
        threads: Some(1),
        ..request("threads", &[256])
    });
    let raced = |operation: &str, name: &str| {
        let name = format!("carrysave/{name}");
        let wanted = |r: &&Row| r.operation == operation && r.implementation == name;
        rows.iter().filter(wanted).count()
    };
    for algorithm in ALGORITHMS.iter().map(|algorithm| algorithm.name) {
        for operation in ["mont_mul", "signed_digit"] {
            for name in [algorithm.to_owned(), format!("{algorithm}/spawned")] {
                assert_eq!(raced(operation, &name), 1, "{operation} {name}");
            }
        }
    }
    for version in Version::ALL.map(|version| format!("{version:?}").to_lowercase()) {
        for name in [format!("{version}/spawned"), version] {
            assert_eq!(raced("modexp/256", &name), 1, "{name}");
        }
    }
    assert_eq!(raced("modexp/256", "sliding_rl_worst"), 1);
}

#[test]
fn paths_have_the_accounts_of_each_member() {
    use carrysave_arith::published::{mont_mul::ALGORITHMS, pow::Version};
    let rows = rows(&Request {
        threads: Some(2),
        ..request("paths", &[1024])
    });
    let there = |operation: &str, way: &str, member: usize| {
        let name = format!("carrysave/{way}/member-{member}");
        rows.iter()
            .any(|row| row.operation == operation && row.implementation == name)
    };
    let versions = Version::ALL.map(|version| format!("{version:?}").to_lowercase());
    let versions = versions.iter().map(|version| ("modexp/work", &version[..]));
    let products = ALGORITHMS.iter().map(|way| ("mont_mul/work", way.name));
    let others = [("private/work", "crt"), ("power/work", "bipartite")];
    for (operation, way) in versions.chain(products).chain(others) {
        for way in [way.to_owned(), format!("{way}/spawned")] {
            assert!(there(operation, &way, 0), "{operation} {way}");
        }
    }
    // Of the two, one adds what both put off.
    assert!(
        [0, 1]
            .iter()
            .any(|&member| there("mont_mul/carrying", "pfios", member))
    );
    assert!(there("modexp/work", "v1", 1) && there("modexp/idle", "v1", 1));
    let all = rows.iter().all(|row| row.threads == 2 && row.samples >= 3);
    assert!(all, "{rows:?}");
}

#[test]
fn ways_measure_the_same_operations() {
    let rows = rows(&request("ways", &[1024]));
    for operation in ["modexp", "rsadp", "point"] {
        let measured = rows.iter().filter(|row| row.operation == operation);
        let measured: Vec<&str> = measured.map(|row| &row.implementation[..]).collect();
        let ways = ["fixed_time", "fixed_work", "test_vectors"];
        let ways = ways.map(|way| format!("carrysave/{way}"));
        assert_eq!(measured, ways, "{operation}");
    }
    assert!(rows.iter().all(|row| row.samples == 10));
}

#[test]
fn windows_race_every_width_and_show_the_best() {
    let rows = rows(&request("windows", &[1024]));
    assert_eq!(rows.len(), 2 * 13 * 8);
    let table = carrysave_lab::report::published::TABLES;
    let table = table.iter().find(|table| table.name.contains("window"));
    let table = table.expect("the table of windows");
    let here = carrysave_lab::report::published::Measured {
        rows: rows.iter().collect(),
        cores: None,
        siblings: false,
    };
    let figures = table.figures(&here);
    // Every width has its limit, or what was measured is noise.
    for figure in figures {
        let raced = figure.from.starts_with("windows: ") || figure.from.ends_with("noise");
        assert!(raced, "{figure:?}");
    }
}

#[cfg(feature = "peers")]
#[test]
fn mpn_races_gmp_on_every_function_that_it_shares() {
    use carrysave_lab::rivals::RIVALS;
    let rows = rows(&Request {
        only: Some("gmp".into()),
        ..request("mpn", &[512])
    });
    let functions: Vec<_> = RIVALS.iter().flat_map(|rival| rival.mpn).collect();
    assert!(functions.len() > 10);
    for function in functions {
        assert!(REGISTRY.iter().any(|op| op.name == function.op));
        let raced = |r: &Row| r.operation == function.op && r.implementation == function.name;
        assert!(rows.iter().any(raced), "{}", function.name);
    }
}

#[test]
fn only_narrows_to_an_operation_or_an_implementation() {
    let only = |name: &str| Request {
        only: Some(name.to_owned()),
        ..request("rsa", &[1024])
    };
    assert!(
        rows(&only("verify"))
            .iter()
            .all(|r| r.operation == "verify")
    );
    assert!(rows(&only("rsa")).iter().all(|r| r.implementation == "rsa"));
    let error = run(&only("nobody"), &mut Text(std::io::sink()))
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("nothing here is called nobody; the nearest names are ")
            && error.contains(", "),
        "{error}"
    );
}

#[test]
fn what_does_not_exist_is_refused_with_a_sentence() {
    let error = |request: &Request| {
        run(request, &mut Text(std::io::sink()))
            .unwrap_err()
            .to_string()
    };
    assert!(
        error(&request("chess", &[])).starts_with("there is no experiment chess; there are rsa, ")
    );
    assert!(
        error(&request("rsa", &[1000]))
            .starts_with("there is no benchmark key of 1000 bits; there are 1024, ")
    );
    assert_eq!(
        error(&request("modexp", &[100])),
        "modexp takes multiples of 64 bits, and 100 is none"
    );
    assert_eq!(
        error(&request("modexp", &[1 << 40])),
        "a size of 1099511627776 bits is too long: 1073741824 are the most"
    );
    assert_eq!(
        error(&Request {
            seconds: f64::NAN,
            ..request("mpn", &[64])
        }),
        "the seconds of a race must be between 0 and 86400"
    );
}

#[test]
fn json_is_one_object_a_line() {
    let mut out = Vec::new();
    let outcome = run(
        &Request {
            only: Some("sign".into()),
            ..request("rsa", &[1024])
        },
        &mut JsonLines(&mut out),
    )
    .unwrap();
    let lines: Vec<Row> = String::from_utf8(out)
        .unwrap()
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    assert_eq!(lines, outcome.rows);
}

#[test]
fn experiments_have_names_of_their_own() {
    let mut names: Vec<&str> = EXPERIMENTS.iter().map(|e| e.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), EXPERIMENTS.len());
}

#[test]
fn schemes_has_every_line_of_the_published_table() {
    let table = carrysave_lab::report::published::TABLES;
    let table = table
        .iter()
        .find(|table| table.name.contains("schemes"))
        .unwrap();
    let rows = rows(&request("schemes", &[1024]));
    let rows: Vec<&Row> = rows.iter().collect();
    for line in table.lines() {
        let label = line.label(table);
        if label.contains("1024") {
            let measured = |column| table.measured(&line, column, &rows).is_some();
            assert!(measured("ht_original"), "{label}");
            // What the source threaded is answered by teams.
            let threaded = ["RSA 1024 Decryption", "RSA 1024 Signature"].contains(&&label[..]);
            assert_eq!(measured("ht_final"), !threaded, "{label}");
        }
    }
    // One rival has all of them, where it is installed.
    let versions = carrysave_lab::rivals::versions();
    let cryptopp = versions
        .iter()
        .any(|version| version.starts_with("Crypto++"));
    for row in rows.iter().filter(|row| row.implementation == "carrysave") {
        let raced = rows
            .iter()
            .any(|r| r.operation == row.operation && r.implementation == "crypto++");
        assert_eq!(raced, cryptopp, "{}", row.operation);
    }
}
