//! Of the document.

use super::*;
use crate::experiments::EXPERIMENTS;
use crate::record::Head;
use crate::report::tests::row;

fn folder(cores: usize, records: &[(&str, &[Row])]) -> Folder {
    let head = [
        ("machine", format!("linux x86_64, {cores} cores")),
        ("cpu", "A processor".to_owned()),
    ];
    let head = Head(head.map(|(name, value)| (name.to_owned(), value)).into());
    let record = |(name, rows): &(&str, &[Row])| Record {
        name: (*name).to_owned(),
        head: head.clone(),
        rows: rows.to_vec(),
    };
    Folder {
        records: records.iter().map(record).collect(),
        plan: None,
    }
}

#[test]
fn a_machine_has_its_head() {
    let mut folder = folder(2, &[("rsa", &[])]);
    let entries = [
        ("date", "2026-11-26"),
        ("load", "0.1 0.2 0.3"),
        ("hypervisor", "yes"),
        ("rivals", "carrysave 1; other 2"),
    ];
    let entries = entries.map(|(name, value)| (name.to_owned(), value.to_owned()));
    folder.records[0].head.0.extend(entries);
    let text = machine("some", &folder);
    assert_eq!(
        text.trim(),
        "## A processor, 2 cores, 2026-11-26\n\nThe records are in [some](../lab-records/some). A hypervisor runs the \
         machine. Its load before was 0.1 0.2 0.3. The\nothers are other 2."
    );
    let mut later = folder.records[0].clone();
    later.head.0.retain(|(name, _)| name != "load");
    later.head.0.push(("load".to_owned(), "0 0 1".to_owned()));
    folder.records.push(later);
    let text = machine("some", &folder).replace('\n', " ");
    assert!(text.contains("Its loads before were 0.1 0.2 0.3; 0 0 1. "));
}

#[test]
fn a_line_is_one_race_on_its_threads() {
    let rows = [
        row("batch", "private/64", 2048, "carrysave/batch", 1, 2e6),
        row("batch", "private/64", 2048, "openssl", 1, 3e6),
        row("batch", "private/64", 2048, "carrysave/batch", 4, 1e6),
        row("batch", "private/64", 2048, "carrysave", 4, 1.5e6),
        row("batch", "private/64", 2048, "openssl", 4, 20e6),
        row("batch", "private/64", 2048, "bound/mulx", 4, 1e5),
    ];
    let text = tasks(&folder(4, &[("batch", &rows)]));
    let lines: Vec<&str> = text.trim().lines().skip(2).collect();
    assert_eq!(
        lines,
        [
            "| RSA-2048: 64 signatures | 1 | 500 a second | - | 1.50 x | 1.50 x, openssl |",
            "| RSA-2048: 64 signatures | 4 | 1000 a second | 2.00 x | 20.0 x | 20.0 x, openssl |",
        ]
    );
    // On one thread alone there is no line of all threads, and a record by another name is of something else.
    let one = tasks(&folder(1, &[("batch", &rows[..2])]));
    assert_eq!(one.lines().count(), 4, "{one}");
    assert_eq!(tasks(&folder(4, &[("batch-without-adx", &rows)])), "");
}

#[test]
fn a_way_of_ours_has_a_line_of_its_own() {
    let rows = [
        row("schemes", "dsa/signature", 2048, "carrysave", 1, 90.0),
        row(
            "schemes",
            "dsa/signature",
            2048,
            "carrysave/in-use",
            1,
            30.0,
        ),
        row("schemes", "dsa/signature", 2048, "openssl", 1, 60.0),
    ];
    let text = tasks(&folder(2, &[("schemes", &rows)]));
    for line in [
        "| DSA-2048: a first signature of a key | 1 | 90 ns | 0.67 x | 0.67 x, openssl |",
        "| DSA-2048: a later one | 1 | 30 ns | 2.00 x | 2.00 x, openssl |",
    ] {
        assert!(text.contains(line), "{text}");
    }
}

#[test]
fn losses_are_of_the_best_of_both_sides_and_the_worst_come_first() {
    let rows = [
        row("mpn", "mpn_mul", 512, "carrysave/adc", 1, 9.0),
        row("mpn", "mpn_mul", 512, "carrysave/portable", 1, 30.0),
        row(
            "mpn",
            "mpn_mul",
            512,
            "gmp/mpn_mul (built for zen4)",
            1,
            6.0,
        ),
        row("mpn", "mpn_mul", 512, "bound/mulx", 1, 1.0),
        row("mpn", "mpn_mul", 1024, "carrysave/adc", 1, 20.0),
        row(
            "mpn",
            "mpn_mul",
            1024,
            "gmp/mpn_mul (built for zen4)",
            1,
            10.0,
        ),
        row("mpn", "mpn_mul", 2048, "carrysave/adc", 1, 1.02),
        row(
            "mpn",
            "mpn_mul",
            2048,
            "gmp/mpn_mul (built for zen4)",
            1,
            1.0,
        ),
        row("mpn", "mpn_mul", 4096, "carrysave/adc", 1, 2.0),
        row(
            "mpn",
            "mpn_mul",
            4096,
            "gmp/mpn_mul (built for zen4)",
            2,
            1.0,
        ),
        row("mpn", "kernel", 512, "carrysave/adc", 1, 2.0),
        row("mpn", "kernel", 512, "vpmadd52", 1, 1.0),
    ];
    let rsa = [
        row("rsa", "sign", 2048, "carrysave", 1, 2.0),
        row("rsa", "sign", 2048, "openssl", 1, 2.0),
    ];
    let text = losses(&folder(2, &[("mpn", &rows), ("rsa", &rsa)]));
    let (whole, parts) = text.split_once("\nOf 3 races").unwrap();
    assert_eq!(
        whole.trim().lines().next_back(),
        Some("Of 1 races of whole operations with others carrysave loses none by more than 3 %.")
    );
    assert!(
        parts.starts_with(
            " of kernels and operations of fields with others carrysave loses 2 by more"
        )
    );
    let lines: Vec<&str> = parts
        .lines()
        .filter(|line| line.starts_with("| mpn"))
        .collect();
    assert_eq!(
        lines,
        [
            "| mpn | mpn_mul | 1024 bits | 1 | 20 ns | gmp/mpn_mul | 10 ns | 0.50 x |",
            "| mpn | mpn_mul | 512 bits | 1 | 9 ns | gmp/mpn_mul | 6 ns | 0.67 x |",
        ]
    );
}

#[test]
fn of_many_losses_the_worst_are_listed_and_the_others_counted() {
    let rows: Vec<Row> = (1..=30)
        .flat_map(|i| {
            let race = |name, ns| row("rsa", "sign", 64 * i, name, 1, ns);
            [race("carrysave", 10.0 + i as f64), race("gmp", 5.0)]
        })
        .collect();
    let text = losses(&folder(2, &[("rsa", &rows)]));
    assert!(
        text.contains("loses 30 by more than 3 %. These are the 25 worst; there are 5\nmore."),
        "{text}"
    );
    assert_eq!(text.matches("| gmp |").count(), 25);
    assert!(text.contains("| 1920 bits |") && !text.contains("| 320 bits |"));
}

#[test]
fn teams_that_are_slower_than_one_thread_are_named() {
    let product = |name, threads, ns| {
        let way = if threads == 1 {
            "carrysave"
        } else {
            "carrysave/team"
        };
        row("teams", name, 65_536, way, threads, ns)
    };
    let mut rows = vec![
        product("product", 1, 100.0),
        product("product", 2, 102.0),
        product("private", 1, 100.0),
        product("private", 2, 200.0),
    ];
    let text = |rows: &[Row]| slower(&folder(2, &[("teams", rows)]));
    assert!(text(&rows).starts_with("\nNo team takes more than 3 % longer"));
    rows.extend([
        product("product/busy", 1, 100.0),
        product("product/busy", 2, 125.0),
    ]);
    let said = text(&rows).replace('\n', " ");
    assert!(
        said.contains("`product/busy` of 65536 bits by 2 (0.80 times as fast)."),
        "{said}"
    );
    assert_eq!(slower(&folder(2, &[("batch", &rows)])), "");
}

#[test]
fn more_threads_than_two_have_their_gain_where_there_are_cores() {
    let team = |bits, threads, ns| row("teams", "power", bits, "carrysave/team", threads, ns);
    let rows = [
        row("teams", "power", 8192, "carrysave", 1, 12.0),
        team(8192, 2, 8.0),
        team(8192, 4, 4.0),
        team(8192, 8, 3.0),
        row("teams", "power", 512, "carrysave", 1, 12.0),
        team(512, 2, 8.0),
    ];
    let text = threads(&folder(4, &[("teams", &rows)]));
    let table: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.starts_with('|'))
        .collect();
    assert_eq!(
        table,
        [
            "| operation | size | by | 2 threads | 4 threads |",
            "| --- | --- | --- | --- | --- |",
            "| teams power | 8192 bits | carrysave/team | 1.50 | 3.00 |",
        ]
    );
    assert_eq!(threads(&folder(2, &[("teams", &rows)])), "");
}

#[test]
fn lines_keep_to_a_width() {
    let text = wrapped(&"word ".repeat(100));
    assert!(text.lines().count() > 4 && text.lines().all(|line| line.len() <= 120));
    assert_eq!(text.split_whitespace().count(), 100);
}

/// Whatever a line asks for has been measured, but for secrets of many keys, of which not every record has all.
#[test]
fn every_line_is_in_a_kept_record() {
    let records = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lab-records");
    let folders = Folder::all(&records).unwrap();
    let folders: Vec<Folder> = folders
        .iter()
        .map(|path| Folder::read(path).unwrap())
        .collect();
    for line in LINES {
        let (experiment, operation) = line.task.race;
        assert!(
            EXPERIMENTS.iter().any(|e| e.name == experiment),
            "{experiment}"
        );
        let found = folders
            .iter()
            .any(|folder| answer(&line.task, line.which, folder).is_some());
        assert!(found || operation.ends_with("/many"), "{}", line.task.name);
    }
}
