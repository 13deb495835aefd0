//! What the page says of each table of the origins, over records kept here and over made ones. A table's tests read like its
//! rows, and stand together for that.

use super::*;
use crate::report::Folder;
use crate::test_vectors;
use carrysave_measure::thesis;

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
                    let experiments = crate::experiments::EXPERIMENTS.iter();
                    let mut names = experiments
                        .map(|e| e.name)
                        .chain([thesis::RANKS, test_vectors::EXPERIMENT]);
                    let known = names.any(|name| name == key.experiment);
                    assert!(known, "{}: {key:?}", table.name);
                }
            }
        }
        // No column with figures is forgotten.
        for (name, value) in &lines[0].cells {
            let label = ["_bits", "cores", "words32"]
                .iter()
                .any(|end| name.ends_with(end));
            assert!(
                !table.is_label(name) || label || value.parse::<f64>().is_err(),
                "{}: {name}",
                table.name
            );
        }
        let followed = table.derived.iter().map(|(column, ..)| *column);
        for column in followed {
            assert!(
                lines[0].text(column).is_some(),
                "{} has no column {column}",
                table.name
            );
        }
    }
}

#[test]
fn every_figure_is_beside_one_of_a_committed_record_or_has_a_reason() {
    let records = concat!(env!("CARGO_MANIFEST_DIR"), "/../../lab-records");
    let folders = Folder::all(records.as_ref()).unwrap().into_iter();
    let folders = folders.map(|folder| Folder::read(&folder).unwrap());
    let folders: Vec<Folder> = folders.collect();
    let measured: Vec<Measured<'_>> = folders.iter().map(Measured::from).collect();
    let tables = coverage(&measured);
    assert!(total(&tables)[0] > 900, "{:?}", total(&tables));
    for table in tables {
        assert_eq!(table.counts()[4], 0, "{table:?}");
    }
    // Without records, all that is not counted or explained is missing.
    let [_, counted, other, _, lacking] = total(&coverage(&[Measured::default()]));
    // Multiplications, and instructions of two reductions, which are also beside those of three products.
    let (reductions, products) = match LISTINGS {
        true => (2, 3),
        false => (0, 0),
    };
    assert!(
        counted == 8 + reductions && other == products && lacking > 800,
        "{counted}, {other}, {lacking}"
    );
}

/// Whether this processor is of the listings whose instructions are counted.
const LISTINGS: bool = cfg!(all(target_arch = "x86_64", not(miri)));

#[test]
fn instructions_of_a_reduction_are_counted() {
    let table = TABLES.iter().find(|table| table.name.contains("reduction"));
    let table = table.expect("a table");
    let here = Measured::default();
    let figures = table.figures(&here);
    let counted = figures
        .iter()
        .filter(|figure| figure.column == "instructions");
    let ours: Vec<Option<f64>> = counted.clone().map(|figure| figure.here).collect();
    // Products by the reduction, and the reduction alone.
    let expected = [11.0, 17.0, 17.0, 11.0, 17.0].map(|count| LISTINGS.then_some(count));
    assert_eq!(ours, expected);
    if LISTINGS {
        let (products, alone) = (counted.clone().take(3), counted.skip(3));
        for figure in products {
            let note = figure.standing.note().expect("a note");
            assert!(
                note.starts_with("instructions of the reduction alone"),
                "{note}"
            );
        }
        for figure in alone {
            assert_eq!(figure.here, Some(figure.published));
            assert_eq!(figure.standing, Standing::Same);
        }
    }
    let text = String::from_utf8(csv(&here).unwrap()).unwrap();
    assert_eq!(
        text.matches(",instructions,number,").count(),
        expected.iter().flatten().count()
    );
}

#[test]
fn ours_stands_alone_where_nothing_was_published() {
    use crate::report::tests::row;
    let table = TABLES.iter().find(|table| table.name.contains("reduction"));
    let table = table.expect("a table");
    let fold = row(
        "fields",
        "2^127-1/fold",
        127,
        "carrysave/fp_m127_fold/bit_test",
        1,
        2.0,
    );
    let here = Measured {
        rows: vec![&fold],
        ..Measured::default()
    };
    let lines = table.lines();
    let line = lines
        .iter()
        .find(|line| line.first() == "bit test and reset, the reduction alone (listing 4)");
    let line = line.expect("a line");
    let (cycles, from) = table.alone(line, "cycles", &here).expect("a row");
    assert!((cycles - 7.4).abs() < 1e-9, "{cycles}");
    assert!(
        from.starts_with("fields: 2^127-1/fold 127 bits, "),
        "{from}"
    );
    // Not where something was published, nor where the records have nothing.
    assert_eq!(table.alone(line, "instructions", &here), None);
    assert_eq!(table.alone(line, "cycles", &Measured::default()), None);
    assert!(
        table
            .figures(&here)
            .iter()
            .all(|figure| figure.from != from)
    );
}

#[test]
fn what_follows_from_published_figures_is_what_was_published() {
    for table in TABLES {
        for line in table.lines() {
            let figure = |&(column, _): &(&'static str, &'static str)| {
                let published = table.published(&line, column)?;
                let here = Some(published);
                Some(Figure {
                    column,
                    published,
                    here,
                    from: column.to_owned(),
                    ..Figure::default()
                })
            };
            let figures: Vec<Figure> = table.columns.iter().filter_map(figure).collect();
            for (column, _, derived) in table.derived {
                let (follows, _) = derived.of(&line, &figures).expect("its columns are there");
                let (follows, published) = (
                    follows.expect("times"),
                    line.figure(column).expect("a figure"),
                );
                // Milliseconds are printed to hundredths, which is a large part of some, and percentages whole.
                let close = match derived {
                    Derived::Percent(first, _) => {
                        let first = line.figure(first).expect("a time");
                        (follows - published).abs() <= 1.0 + 100.0 * 0.01 / first
                    }
                    // The times of Threefish are cut off after tenths.
                    _ => (follows / published - 1.0).abs() < 0.1 / 3.8,
                };
                assert!(
                    close,
                    "{} {column}: {published} and {follows}",
                    line.label(table)
                );
            }
        }
    }
}

#[test]
fn every_table_is_there_once() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/data/published");
    for file in std::fs::read_dir(folder).unwrap() {
        let file = file.unwrap().path();
        let name = file.file_stem().unwrap().to_str().unwrap();
        let there = TABLES.iter().filter(|table| table.name == name);
        assert_eq!(there.count(), 1, "{name}");
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
fn messages_are_those_of_ranks_where_there_are_any() {
    use crate::report::tests::row;
    let table = TABLES.iter().find(|table| table.name.contains("table6"));
    let table = table.expect("a table");
    let [threads, ranks] = [("threads", 5.0), (thesis::RANKS, 9.0)].map(|(experiment, ns)| {
        row(
            experiment,
            "mont_mul",
            thesis::LONG_PRODUCT,
            "carrysave/pshs_w32",
            2,
            ns,
        )
    });
    let of = |rows: &[&Row]| {
        let here = Measured {
            rows: rows.to_vec(),
            cores: Some(2),
            siblings: false,
        };
        let figures = table.figures(&here).into_iter();
        let mut there = figures.filter(|figure| figure.here.is_some());
        let figure = there.next().expect("a figure");
        assert_eq!((figure.column, there.next().is_none()), ("pshs", true));
        figure
    };
    let by_threads = of(&[&threads]);
    assert_eq!(by_threads.here, Some(5.0));
    assert_eq!(
        by_threads.standing.note(),
        Some("messages through memory between threads, and by MPI in the source")
    );
    let by_ranks = of(&[&threads, &ranks]);
    assert_eq!(
        (by_ranks.here, by_ranks.standing),
        (Some(9.0), Standing::Same)
    );
    assert!(by_ranks.from.ends_with("carrysave/pshs_w32, 2 ranks"));
}

#[test]
fn ranks_that_are_bound_to_a_core_do_not_say_how_many_there_are() {
    use crate::record::Head;
    use crate::report::Record;
    let record = |cores: usize, ranks: bool| {
        let machine = ("machine".to_owned(), format!("linux, {cores} cores"));
        let ranks = ranks.then(|| ("ranks".to_owned(), "2".to_owned()));
        Record {
            name: "a".to_owned(),
            head: Head([machine].into_iter().chain(ranks).collect()),
            rows: vec![],
        }
    };
    let cores = |records| {
        let plan = None;
        Measured::from(&Folder { records, plan }).cores
    };
    assert_eq!(cores(vec![record(2, false), record(1, true)]), Some(2));
    assert_eq!(cores(vec![record(4, false), record(2, false)]), Some(2));
    assert_eq!(cores(vec![record(1, true)]), Some(1));
}

#[test]
fn products_are_those_that_are_inlined_where_there_are_any_less_an_empty_loop() {
    use crate::report::tests::row;
    let table = TABLES.iter().find(|table| table.name.contains("reduction"));
    let table = table.expect("a table");
    let product = |operation: &str, implementation: &str, ns| {
        row("fields", operation, 127, implementation, 1, ns)
    };
    let rows = [
        product("2^127-1/mul", "carrysave/fp_m127_mul/mulx_adx", 8.0),
        product("2^127-1/mul", "carrysave/fp_m127_mul/bit_test", 7.0),
        product("2^127-1/mul/inlined", "carrysave/fp_m127_mul/bit_test", 5.0),
        product("2^127-1/mul/inlined", "carrysave/empty", 1.0),
    ];
    let of = |count: usize| {
        let here = Measured {
            rows: rows[..count].iter().collect(),
            ..Measured::default()
        };
        let mut figures = table.figures(&here).into_iter();
        let figure = figures.find(|figure| figure.line == 0 && figure.column == "cycles");
        let figure = figure.expect("a figure");
        let cycles = figure.here.expect("a row");
        ((10.0 * cycles).round() / 10.0, figure.from, figure.standing)
    };
    let other = |why: &str| Standing::Other(why.to_owned());
    let (cycles, _, standing) = of(1);
    let why = "a product reduced by shifts and masks and called through its handle";
    assert_eq!((cycles, standing), (29.6, other(why)));
    // Without the loop to subtract there is no net figure.
    for count in [2, 3] {
        let (cycles, from, standing) = of(count);
        let why = "a product called through its handle, and net cycles in the source";
        assert_eq!((cycles, standing), (25.9, other(why)));
        assert!(from.ends_with("bit_test, through its handle"), "{from}");
    }
    let (cycles, from, standing) = of(4);
    assert_eq!((cycles, standing), (14.8, Standing::Same));
    assert!(
        from.ends_with("fp_m127_mul/bit_test, less carrysave/empty"),
        "{from}"
    );
    // MPFQ itself stands beside MPFQ, where a user has it, and its listing beside its reduction.
    let slide = product("2^127-1/mul/inlined", "carrysave/fp_m127_mul/mpfq", 6.0);
    let library = product("2^127-1/mul/inlined", "mpfq", 9.0);
    let mpfq = |line: usize, rows: &[&Row]| {
        let here = Measured {
            rows: rows.to_vec(),
            ..Measured::default()
        };
        let mut figures = table.figures(&here).into_iter();
        let figure = figures.find(|figure| figure.line == line && figure.column == "cycles");
        let figure = figure.expect("a figure");
        (figure.from, figure.standing)
    };
    let with_all = [&slide, &library, &rows[3]];
    let (from, standing) = mpfq(1, &with_all);
    assert!(from.ends_with(" mpfq, less carrysave/empty"), "{from}");
    assert_eq!(standing, Standing::Same);
    let (from, standing) = mpfq(1, &[&slide, &rows[3]]);
    assert_eq!(standing, Standing::Cannot(from.clone()));
    assert!(from.starts_with("no record with MPFQ itself"), "{from}");
    let (from, _) = mpfq(2, &with_all);
    assert!(
        from.ends_with("carrysave/fp_m127_mul/mpfq, less carrysave/empty"),
        "{from}"
    );
}

#[test]
fn what_few_records_have_is_explained_where_it_is_absent() {
    use crate::report::tests::row;
    let first = |name: &str, line: usize, rows: &[&Row]| {
        let mut tables = TABLES.iter();
        let table = tables.find(|table| table.name.contains(name)).unwrap();
        let here = Measured {
            rows: rows.to_vec(),
            ..Measured::default()
        };
        let mut figures = table.figures(&here).into_iter();
        let figure = figures.find(|figure| figure.line == line);
        let figure = figure.expect("a figure");
        (figure.here, figure.standing)
    };
    let none = |why: &str| (None, Standing::Cannot(why.to_owned()));
    let way = "carrysave/binary_rl/fios_w32";
    let [optimised, not] = crate::experiments::thesis::OPERATIONS
        .map(|operation| row("thesis", operation, 1024, way, 1, 5.0));
    let why = "no record of a laboratory that is compiled without optimisation is among these";
    assert_eq!(first("table2", 1, &[&optimised]), none(why));
    assert_eq!(first("table2", 1, &[&not]), (Some(5.0), Standing::Same));
    assert_eq!(first("table1", 1, &[&not]), (None, Standing::Lacking));
    let program = |kernel: &str, ns| {
        let way = format!("carrysave/{kernel}");
        row(
            test_vectors::EXPERIMENT,
            "rsadp/mpn_add_n",
            1024,
            &way,
            1,
            ns,
        )
    };
    let [adc, branchy] = [program("adc", 10.0), program("branchy", 12.0)];
    let why = "no record of `carrysave-lab vectors --every` is among these";
    assert_eq!(first("add_clockticks", 3, &[&branchy]), none(why));
    let other = "test vectors of RSA-1024, and all of Crypto++'s in the source";
    assert_eq!(
        first("add_clockticks", 3, &[&adc, &branchy]),
        (Some(1.2), Standing::Other(other.to_owned()))
    );
}

#[test]
fn one_thread_is_that_of_the_race() {
    use crate::report::tests::row;
    let table = TABLES.iter().find(|table| table.name.contains("table6"));
    let table = table.expect("a table");
    let rows: Vec<Row> = [
        ("fios_delayed_w32", 1, 50.0),
        ("pfios_w32", 1, 49.0),
        ("fios_delayed_w32", 1, 51.0),
        ("pfios_w32", 2, 25.0),
        ("fios_delayed_w32", 1, 54.0),
        ("pfios_w32", 3, 20.0),
    ]
    .map(|(way, threads, ns)| {
        let way = format!("carrysave/{way}");
        row("threads", "mont_mul", 645_120, &way, threads, ns)
    })
    .into();
    let rows: Vec<&Row> = rows.iter().collect();
    let lines = table.lines();
    let alone = |line: usize| table.measured(&lines[line], "fios_sequential", &rows);
    let alone = |line: usize| alone(line).expect("a row").0;
    // Nothing is on four threads, and any of them will do.
    assert_eq!([0, 1, 2, 3].map(alone), [50.0, 51.0, 54.0, 54.0]);
}

#[test]
fn two_threads_of_one_core_are_for_machines_that_have_them() {
    use crate::report::tests::row;
    let table = TABLES
        .iter()
        .find(|table| table.name.contains("modexp_threads"));
    let table = table.expect("a table");
    let rows = [
        row("threads", "modexp/256", 512, "carrysave/v2", 2, 5.0),
        row(
            "threads",
            "modexp/256",
            512,
            "carrysave/v2/siblings",
            2,
            7.0,
        ),
    ];
    let of = |rows: &[&Row], siblings: bool, column: &str| {
        let here = Measured {
            rows: rows.to_vec(),
            cores: Some(2),
            siblings,
        };
        let figures = table.figures(&here).into_iter();
        let mut first = figures.filter(|figure| figure.line == 0 && figure.column == column);
        let figure = first.next().expect("a figure");
        (figure.here, figure.standing)
    };
    let [cores, siblings] = rows.each_ref();
    let none = Standing::Cannot(NO_SIBLINGS.to_owned());
    assert_eq!(of(&[cores], false, "ht_elements"), (None, none));
    assert_eq!(of(&[cores], true, "ht_elements"), (None, Standing::Lacking));
    assert_eq!(
        of(&[cores, siblings], true, "ht_elements"),
        (Some(7.0), Standing::Same)
    );
    assert_eq!(
        of(&[cores, siblings], true, "dp_elements"),
        (Some(5.0), Standing::Same)
    );
}

#[test]
fn nothing_follows_from_one_measurement() {
    use crate::report::tests::row;
    let table = TABLES.iter().find(|table| table.name.contains("schemes"));
    let table = table.expect("a table");
    let rows = [
        row("schemes", "rsa/decryption", 1024, "carrysave", 1, 9.0),
        row("teams", "private", 1024, "carrysave", 1, 8.0),
        row("teams", "private", 1024, "carrysave/team", 2, 4.0),
    ];
    let line = table
        .lines()
        .iter()
        .position(|line| line.first() == "RSA 1024 Decryption");
    let of = |count: usize, column: &str| {
        let here = Measured {
            rows: rows[..count].iter().collect(),
            ..Measured::default()
        };
        let mut figures = table.figures(&here).into_iter();
        let figure = figures.find(|it| Some(it.line) == line && it.column == column);
        let figure = figure.expect("a figure");
        (figure.here, figure.standing)
    };
    // Without teams both columns are of one thread.
    assert_eq!(of(1, "dp_original").0, Some(9.0));
    assert_eq!(of(1, "dp_final").0, Some(9.0));
    let none = Standing::Cannot(ONE_ROW.to_owned());
    assert_eq!(of(1, "dp_speedup_pct"), (None, none));
    assert_eq!(of(3, "dp_speedup_pct").0, Some(50.0));
    // On the threads of one core there is one row, and none to compare it with.
    assert_eq!(of(3, "ht_speedup_pct").0, None);
}

#[test]
fn overheads_are_parts_of_the_time_of_all_members() {
    use crate::report::tests::row;
    let table = TABLES.iter().find(|table| table.unit == Unit::Percent);
    let table = table.expect("a table");
    let part = |account: &str, way: &str, ns| {
        let operation = format!("mont_mul/{account}");
        let way = format!("carrysave/{way}");
        row("paths", &operation, thesis::LONG_POWER, &way, 2, ns)
    };
    let rows = [
        part("work", "pfios_w32/member-0", 50.0),
        part("work", "pfios_w32/member-1", 30.0),
        part("waiting", "pfios_w32/member-0", 5.0),
        part("waiting", "pfios_w32/member-1", 10.0),
        part("starting", "pfios_w32/member-1", 5.0),
        part("work", "pfios_w32/spawned/member-1", 900.0),
        part("idle", "pfios_w32/member-1", 25.0),
    ];
    let of = |count: usize, column: &str| {
        let here = Measured {
            rows: rows[..count].iter().collect(),
            ..Measured::default()
        };
        let mut figures = table.figures(&here).into_iter();
        let figure = figures.find(|it| it.line == 1 && it.column == column);
        let figure = figure.expect("a figure");
        (figure.here, figure.standing)
    };
    let beside = |percent| (Some(percent), Standing::Other(ONE_PRODUCT.to_owned()));
    let none = (None, Standing::Cannot(TOGETHER.to_owned()));
    // A record that has idleness among the waiting.
    let before = rows.len() - 1;
    assert_eq!(of(before, "overhead"), beside(20.0));
    assert_eq!(of(before, "management"), beside(5.0));
    assert_eq!(of(before, "synchronisation"), none);
    assert_eq!(of(before, "imbalance"), none);
    assert_eq!(of(rows.len(), "overhead"), beside(36.0));
    assert_eq!(of(rows.len(), "synchronisation"), beside(12.0));
    assert_eq!(of(rows.len(), "imbalance"), beside(20.0));
    assert_eq!(of(0, "overhead"), (None, Standing::Lacking));
}

#[test]
fn functions_are_compared_as_parts_of_their_program() {
    use crate::profile::EXPERIMENT;
    use crate::report::tests::row;
    let table = TABLES.iter().find(|table| table.name.contains("vtune"));
    let table = table.expect("a table");
    let count = |place: &str, function: &str, count: f64| {
        let operation = format!("vectors/{place}");
        row(EXPERIMENT, &operation, 0, function, 1, count)
    };
    let rows = [
        count("program/instructions", "carrysave", 1000.0),
        count("program/mispredicted", "carrysave", 20.0),
        count("squaring/instructions", "mpn_mont_sqr/adc", 600.0),
        count("multiplication/instructions", "mpn_mont_mul/adc", 200.0),
        count("multiplication/mispredicted", "mpn_mont_mul/adc", 4.0),
        count("addition/instructions", "mpn_add_n/adc", 5.0),
    ];
    let of = |count: usize, line: &str, column: &str| {
        let here = Measured {
            rows: rows[..count].iter().collect(),
            ..Measured::default()
        };
        let lines = table.lines();
        let mut figures = table.figures(&here).into_iter();
        let figure = figures
            .find(|figure| lines[figure.line].first() == line && figure.column.starts_with(column));
        figure.expect("a figure")
    };
    let close = |ours: Option<f64>, expected: f64| {
        let ours = ours.expect("it was counted");
        assert!((ours - expected).abs() < 1e-9, "{ours}, {expected}");
    };
    let all = rows.len();
    for (line, column, expected) in [
        ("Entire Program", "instructions", 100.0),
        ("P4_Mul", "instructions", 80.0),
        ("P4_Mul", "mispredicted_branches_retired", 20.0),
        ("P4_Mul", "mispredicted_branches_per", 4.0 / 800.0),
        ("Entire Program", "mispredicted_branches_per", 0.02),
        ("Add", "instructions", 0.5),
        ("Add", "mispredicted_branches_retired", 0.0),
        ("Subtract", "instructions", 0.0),
    ] {
        let figure = of(all, line, column);
        close(figure.here, expected);
        assert_eq!(figure.standing, Standing::Other(PROFILED.to_owned()));
    }
    let add = of(all, "Add", "instructions");
    assert!((add.published - 100.0 * 63_687.0 / 545_604.0).abs() < 1e-9);
    assert_eq!(of(all, "Add", "branch_mispredict").published, 9.853);
    // Nothing was counted, or no branches were.
    let none = Standing::Cannot(UNPROFILED.to_owned());
    for (count, column) in [(0, "instructions"), (1, "mispredicted_branches_retired")] {
        let figure = of(count, "Add", column);
        assert_eq!((figure.here, figure.standing), (None, none.clone()));
    }
    for (line, column, why) in [
        ("Add", "clockticks", "valgrind has no clock"),
        ("Add", "64k", "the Pentium 4 alone has these events"),
        ("Transform", "instructions", "a cipher or a hash"),
        ("Multiply8", "instructions", "stand beside P4_Mul"),
    ] {
        let figure = of(all, line, column);
        let note = figure.standing.note().expect("a reason");
        assert!(figure.here.is_none() && note.contains(why), "{note}");
    }
    let here = Measured {
        rows: rows.iter().collect(),
        ..Measured::default()
    };
    // Additions have no misprediction here, and most of them in the source.
    let claim = &table.claims[0];
    assert_eq!(claim.judge(table, &here).short(), "does not hold");
    let text = String::from_utf8(csv(&here).unwrap()).unwrap();
    for line in [
        ",Add,instructions_retired_1e6,percent,11.6728,0.5,",
        ",P4_Mul,mispredicted_branches_per_instruction,number,0,0.005,",
    ] {
        assert!(text.contains(line), "{line}");
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
        row("loops", "private", 1024, "carrysave/mul_adc", 1, 1000.0),
        row("loops", "private", 1024, "carrysave/cios_w32", 1, 5000.0),
        row("loops", "private", 1024, "carrysave/pmuludq", 1, 4000.0),
        row("teams", "private", 1024, "carrysave/team", 2, 7.0),
    ];
    let rows = rows.each_ref();
    let add = table("add_clockticks");
    assert_eq!(
        add.measured(&add.lines()[0], "p4_optimized", &rows)
            .unwrap()
            .0,
        2.5
    );
    assert!(
        (add.published(&add.lines()[0], "p4_optimized").unwrap() - 11_673.0 / 9716.0).abs() < 1e-12
    );
    let sse2 = table("sse2");
    let line = &sse2.lines()[3];
    assert_eq!(sse2.published(line, "opteron"), Some(1e6));
    assert!(
        (sse2.measured(line, "opteron", &rows).unwrap().0 - 3700.0).abs() < 1e-9,
        "cycles"
    );
    let improvement = &sse2.lines()[2];
    assert_eq!(sse2.published(improvement, "opteron"), Some(1.0));
    assert_eq!(
        sse2.measured(improvement, "opteron", &rows).unwrap().0,
        1.25
    );
    let crt = table("rsa_crt");
    assert_eq!(
        crt.measured(&crt.lines()[0], "dp_2threads", &rows)
            .unwrap()
            .0,
        7.0
    );
    assert_eq!(crt.measured(&crt.lines()[0], "dp_1thread", &rows), None);
    let here = Measured {
        rows: rows.to_vec(),
        cores: Some(1),
        siblings: false,
    };
    let text = String::from_utf8(csv(&here).unwrap()).unwrap();
    assert!(
        text.contains("carrysave/team, 2 threads on 1 cores"),
        "{text}"
    );
    assert!(
        text.contains("addition: mpn_add_n 1088 bits, carrysave/branchy"),
        "{text}"
    );
}

#[test]
fn quotients_of_the_sources_are_rounded() {
    let mut printed = vec![];
    for table in TABLES {
        for figure in table.figures(&Measured::default()) {
            let number = figure.printed.split(' ').next().unwrap_or_default();
            assert!(number.len() <= FIGURES, "{}: {number}", table.name);
            printed.push(figure.printed);
        }
    }
    // Of 2.38009430570386 and 2.41647472221403.
    for speedup in ["2.38", "2.416"] {
        assert!(printed.iter().any(|it| it == speedup), "{speedup}");
    }
    let speedup = |text: &str| significant(text.parse().unwrap(), 4).to_string();
    assert_eq!(speedup("2.38009430570386"), "2.38");
}
