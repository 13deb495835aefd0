//! `carrysave-lab bench`: figures on standard output and in a record.

use crate::support::{Folder, full, gone};
use std::process::Stdio;

#[test]
fn bench_measures_and_writes_json_lines() {
    let f = Folder::new();
    let text = f
        .run("bench modexp --bits 512 --seconds 0.01 --json --record r.csv")
        .ok();
    let record = String::from_utf8(f.read("r.csv")).unwrap();
    assert!(
        record.contains("\nexperiment,") && record.contains("\nmodexp,"),
        "{record}"
    );
    let text = String::from_utf8(text).unwrap();
    assert!(text.lines().count() > 0);
    for line in text.lines() {
        assert!(
            line.starts_with("{\"experiment\":\"modexp\"") && line.ends_with('}'),
            "{line}"
        );
        let fields = [
            "operation",
            "bits",
            "implementation",
            "threads",
            "ops_per_second",
            "ns_median",
            "ns_spread",
            "core_ghz",
            "samples",
        ];
        for field in fields {
            assert!(
                line.contains(&format!("\"{field}\":")),
                "{field} is missing: {line}"
            );
        }
    }
    f.run("bench nonsense").fails(2);
    f.run("bench --seconds=-1").fails(2);
}

#[test]
fn figures_that_cannot_be_written_are_an_error() {
    let f = Folder::new();
    for (options, out, code) in [
        ("", full(), 4),
        ("--json", full(), 4),
        ("--record -", full(), 4),
        ("", gone(), 0),
        ("--json", gone(), 0),
        ("--record -", gone(), 0),
    ] {
        let bench = format!("bench modexp --bits 512 --seconds 0.01 {options}");
        let status = f.run_into(&bench, out, Stdio::null());
        assert_eq!(status, Some(code), "{options}");
    }
    // Before anything is measured, which would take hours.
    f.run("bench --seconds 3600 --record no/such/folder/r.csv")
        .fails(4);
    assert!(f.contents().is_empty());
}

#[test]
fn a_lesser_processor_follows_a_plan_or_says_why_not() {
    let f = Folder::with_plan();
    let plan = String::from_utf8(f.read("plan.toml")).unwrap();
    let needs = plan.lines().find(|line| line.starts_with("needs = "));
    for (_, name) in carrysave_kernels::Isa::ALL {
        let needed = needs.unwrap().split(['"', '+']).any(|n| n == *name);
        if needed {
            let said = f
                .run(&format!("bench modexp --plan plan.toml --without {name}"))
                .fails(3);
            assert!(said.contains("plan.toml: it was tuned for "), "{said}");
        }
    }
}

#[test]
fn vectors_are_run_and_compared() {
    let f = Folder::new();
    let said = String::from_utf8(f.run("vectors --runs 1").ok()).unwrap();
    assert_eq!(said.lines().count(), 5, "{said}");
    for line in said.lines() {
        assert!(
            line.contains(": 16 right, ") && line.ends_with(" each"),
            "{line}"
        );
    }
    let file = include_str!("../../data/vectors/point-168.txt");
    let (before, scalar) = file.rsplit_once("scalar = ").unwrap();
    f.write("other.txt", format!("{before}scalar = 1{scalar}"));
    let said = f.run("vectors other.txt").fails(1);
    assert!(
        said.contains("other.txt: 1 of 16 answers are wrong"),
        "{said}"
    );
    f.write("none.txt", "nothing of the kind");
    let said = f.run("vectors none.txt").fails(3);
    assert!(
        said.contains("none.txt: this is no file of test vectors"),
        "{said}"
    );
}

#[test]
fn vectors_compare_every_kernel_and_the_record_says_so() {
    let f = Folder::new();
    f.write("v.txt", include_str!("../../data/vectors/rsadp-1024.txt"));
    let every = "vectors v.txt --runs 1 --every mpn_add_n,mpn_sub_n --record r.csv";
    let said = String::from_utf8(f.run(every).ok()).unwrap();
    let record = String::from_utf8(f.read("r.csv")).unwrap();
    let mut kernels = 0;
    for name in ["mpn_add_n", "mpn_sub_n"] {
        let mut ops = carrysave_kernels::REGISTRY.iter();
        let op = ops.find(|op| op.name == name).unwrap();
        for i in op.admitted(carrysave_kernels::Cpu::native()) {
            let row = format!(
                "\nvectors,rsadp/{name},1024,,carrysave/{},1,",
                op.kernels[i].0
            );
            assert!(record.contains(&row), "{row}: {record}");
            kernels += 1;
        }
    }
    // A heading above, and a line for each.
    assert_eq!(said.lines().count(), 1 + kernels, "{said}");
    let said = f.run("vectors --every mpn_dance").fails(2);
    assert!(said.contains("there is no operation mpn_dance"), "{said}");
    f.write("none.txt", "nothing of the kind");
    let said = f.run("vectors none.txt --every mpn_add_n").fails(3);
    assert!(
        said.contains("none.txt: this is no file of test vectors"),
        "{said}"
    );
}

#[test]
fn a_kernel_can_be_forced_and_the_record_says_so() {
    let f = Folder::new();
    let bench = "bench modexp --bits 512 --seconds 0.01 --kernel mpn_add_n=portable --record r.csv";
    f.run(bench).ok();
    let record = String::from_utf8(f.read("r.csv")).unwrap();
    let said = "\n# kernels: mpn_add_n=portable\n";
    assert!(record.contains(said), "{record}");
    f.run("vectors --runs 1 --kernel mpn_add_n=portable --kernel mpn_sub_n=portable")
        .ok();
    for (asked, why) in [
        ("adc", "is not of the form OPERATION=KERNEL"),
        ("mpn_dance=adc", "there is no operation mpn_dance"),
        (
            "mpn_add_n=dance",
            "no kernel dance of mpn_add_n runs here; there are",
        ),
    ] {
        let said = f.run(&format!("vectors --kernel {asked}")).fails(2);
        assert!(said.contains(why), "{said}");
    }
}
