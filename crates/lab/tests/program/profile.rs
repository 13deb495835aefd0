//! `carrysave-lab profile`: what callgrind counts, and what becomes of it.

use crate::PROGRAM;
use crate::support::Folder;
use carrysave_lab::Row;
use carrysave_lab::record::read_csv;
use std::fs;
use std::process::{Command, Stdio};

/// The rows of a class, and of an event.
fn of<'r>(rows: &'r [Row], class: &str, event: &str) -> Vec<&'r Row> {
    let operation = format!("modexp-1024/{class}/{event}");
    rows.iter()
        .filter(|row| row.operation == operation)
        .collect()
}

fn sum(rows: &[&Row]) -> f64 {
    rows.iter().map(|row| row.ns_median).sum()
}

#[test]
fn powers_are_squares_and_products_of_montgomerys() {
    let mut valgrind = Command::new("valgrind");
    let there = valgrind.arg("--version").stdout(Stdio::null()).status();
    if !there.is_ok_and(|status| status.success()) {
        println!("SKIPPED: no program `valgrind`: install it to count instructions");
        return;
    }
    let f = Folder::new();
    // Where its own files are is seen afterwards.
    fs::create_dir(f.path("tmp")).unwrap();
    let tmp = f.path("tmp");
    let asked = "profile --only modexp-1024 --counters --record r.csv";
    let asked = format!("TMPDIR={} {PROGRAM} {asked}", tmp.display());
    let said = String::from_utf8(f.run_program("env", &asked, b"").ok()).unwrap();
    assert_eq!(fs::read_dir(&tmp).unwrap().count(), 0);
    let mut lines = said.lines();
    let heading = lines.next().unwrap();
    let words: Vec<&str> = heading.split_whitespace().collect();
    let counted = [
        "loads",
        "stores",
        "l1-misses",
        "ll-misses",
        "branches",
        "mispredicted",
    ];
    assert_eq!(words[..2], ["instructions", "share"]);
    assert_eq!(words[2..8], counted);
    let whole = lines.next().unwrap();
    assert!(
        whole.contains(" 100.0000 % ") && whole.ends_with(" carrysave"),
        "{whole}"
    );

    let (head, rows) = read_csv(&f.read("r.csv")[..]).unwrap();
    assert!(head.get("counts").unwrap().starts_with("callgrind"));
    assert!(!head.get("features").unwrap().contains("avx512"));
    let [program, squaring, multiplication] = ["program", "squaring", "multiplication"]
        .map(|class| sum(&of(&rows, class, "instructions")));
    // The functions are all of the program, but for the digits that a record has.
    let all = rows
        .iter()
        .filter(|row| row.operation.ends_with("/instructions"));
    let all: f64 = all.map(|row| row.ns_median).sum();
    assert!((all / program - 2.0).abs() < 1e-3, "{all} {program}");
    // Sixteen powers with exponents of 1024 bits, each of whose squares takes a few thousand instructions.
    let products = squaring + multiplication;
    assert!(products > 16.0 * 1023.0 * 1000.0, "{said}");
    assert!(products > program / 2.0, "{said}");
    for event in counted {
        let all = of(&rows, "program", event);
        assert!(all.len() == 1 && sum(&all) < program, "{event}");
    }
    let kernels = of(&rows, "squaring", "instructions");
    let mut names = kernels.iter().map(|row| &row.implementation);
    assert!(
        names.any(|name| name.starts_with("mpn_mont_sqr/")),
        "{said}"
    );
}

#[test]
fn what_cannot_be_counted_is_said() {
    let f = Folder::new();
    let asked = format!(
        "PATH={} {PROGRAM} profile --record r.csv",
        f.path("none").display()
    );
    let said = f.run_program("env", &asked, b"").fails(2);
    assert!(
        said.contains("valgrind is not installed: install it"),
        "{said}"
    );
    assert!(f.contents().is_empty());
    let run = f.run("profile --only dance");
    assert_eq!(run.code, Some(2));
    assert!(
        run.err.contains("the files are modexp-1024, "),
        "{}",
        run.err
    );
    f.run("profile --record no/such/folder/r.csv").fails(4);
    // What valgrind runs says what it computes with.
    let said = f.run("profile --part --only point --without avx2").ok();
    let said = String::from_utf8(said).unwrap();
    let extensions = said.strip_suffix('\n').unwrap().split('+');
    for name in extensions {
        assert!(name != "avx2" && !name.starts_with("avx512"), "{said}");
    }
}
