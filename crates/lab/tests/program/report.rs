//! `carrysave-lab report`: from records to a page.

use crate::support::{Folder, signal};
use std::fs;
use std::thread;
use std::time::Duration;

const RECORD: &str = "\
# cpu: Some processor
# features: adx bmi2
# rivals: openssl 4
# date: 2026-11-22
experiment,operation,bits,bytes,implementation,threads,ops_per_second,ns_median,ns_spread,core_ghz
rsa,sign,2048,,carrysave,1,1000,1000000,1000,3.7
rsa,sign,2048,,openssl,1,500,2000000,1000,3.7
";

#[test]
fn a_page_of_records() {
    let f = Folder::new();
    fs::create_dir(f.path("lab")).unwrap();
    f.write("lab/rsa.csv", RECORD);
    let printed = f.run("report --render --out lab").ok();
    assert_eq!(String::from_utf8(printed).unwrap(), "lab/report.html\n");
    let page = fs::read_to_string(f.path("lab/report.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    assert!(
        page.contains("<td class=\"win\" data-heading=\"OpenSSL\">2.00 ×</td>"),
        "twice as fast as OpenSSL"
    );
    let published = fs::read_to_string(f.path("lab/published.csv")).unwrap();
    assert!(published.starts_with("table,case,column,unit,published,here,row,condition\n"));
    // The second time, published.csv is no record.
    f.run("report --render --out lab").ok();
}

#[test]
fn what_was_published_is_counted_over_several_records() {
    let f = Folder::new();
    let one = f.run("report published");
    assert_eq!(
        one.code,
        Some(4),
        "there is no folder of records: {}",
        one.err
    );
    fs::create_dir_all(f.path("lab-records/some")).unwrap();
    let loops = RECORD
        .replace("2048", "1024")
        .replace("rsa,sign", "loops,private")
        .replace(",carrysave,", ",carrysave/mul_adc,");
    f.write("lab-records/some/loops.csv", loops);
    let one = f.run("report published");
    // It fails, as most figures have nothing beside them.
    assert_eq!(one.code, Some(1), "{}", one.err);
    assert!(
        one.err
            .contains("published figures are in none of these records")
    );
    let said = String::from_utf8(one.out).unwrap();
    assert!(
        said.contains("     13    0     1      0      12  RSA-1024 signature, by the inner loop\n"),
        "{said}"
    );
    assert!(
        said.contains("They are answered by 1 measurements of ours.\n"),
        "{said}"
    );
    let (_, others) = said
        .split_once("\nAnswered under other conditions:\n")
        .expect("there are some");
    assert!(
        others.contains(
            "      1  RSA-1024 signature, by the inner loop: the private operation alone"
        )
    );
    assert!(
        said.contains(
            "    104  Exponentiation on one thread, -O0 (table 2, section 3.5): no record of a laboratory that"
        )
    );
    // The records that are kept here have one beside each, or a sentence.
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/../../lab-records");
    let folders = fs::read_dir(kept).unwrap();
    let folders = folders.map(|folder| folder.unwrap().path());
    let folders = folders.filter(|folder| folder.is_dir());
    let folders = folders.map(|folder| folder.display().to_string());
    let folders = folders.collect::<Vec<_>>().join(" ");
    let all = String::from_utf8(f.run(&format!("report published {folders}")).ok()).unwrap();
    assert!(all.lines().any(|line| line.ends_with(" 0  all")), "{all}");
}

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// What a document in `docs` is beside what its command makes of the records: the command of docs/performance.md that
/// begins so, with the records of this clone.
fn made_again(f: &Folder, command: &str, document: &str) -> [String; 2] {
    made_as_said(f, "docs/performance.md", command, document)
}

/// As [`made_again`], with the command in another document.
fn made_as_said(f: &Folder, said: &str, command: &str, document: &str) -> [String; 2] {
    let performance = fs::read_to_string(format!("{ROOT}/{said}")).unwrap();
    let begin = format!("cargo run --release -p carrysave-lab -- {command} --out {document} ");
    let records = performance
        .lines()
        .find_map(|line| line.strip_prefix(&begin));
    let records = records.expect("the command is in the document").split(' ');
    let records: Vec<String> = records.map(|path| format!("{ROOT}/{path}")).collect();
    f.run(&format!("{command} --out made {}", records.join(" ")))
        .ok();
    let kept = fs::read_to_string(format!("{ROOT}/{document}")).unwrap();
    [String::from_utf8(f.read("made")).unwrap(), kept]
}

#[test]
fn the_picture_of_the_readme_is_what_the_records_say() {
    let f = Folder::new();
    let [made, kept] = made_again(&f, "report chart", "docs/signatures.svg");
    assert_eq!(made, kept);
    f.write("rsa.csv", RECORD);
    let none = f.run("report chart --out d.svg rsa.csv");
    assert!(none.err.contains("no RSA-4096 signatures"), "{}", none.err);
    assert!(!f.path("d.svg").exists());
}

#[test]
fn the_document_on_performance_is_what_the_records_say() {
    let f = Folder::new();
    let [made, kept] = made_again(&f, "report performance", "docs/performance.md");
    let say = "run the command that docs/performance.md names";
    for (made, kept) in made.lines().zip(kept.lines()) {
        assert_eq!(made, kept, "{say}");
    }
    assert_eq!(made, kept, "{say}");
}

#[test]
fn the_verdicts_on_what_was_published_are_what_the_records_say() {
    let f = Folder::new();
    let document = "docs/design/published.md";
    let [made, kept] = made_as_said(&f, document, "report published", document);
    let say = "run the command that docs/design/published.md names";
    for (made, kept) in made.lines().zip(kept.lines()) {
        assert_eq!(made, kept, "{say}");
    }
    assert_eq!(made, kept, "{say}");
    assert_eq!(
        f.run("report published --out p.md").code,
        Some(2),
        "of no folder"
    );
}

#[test]
fn a_document_on_performance_is_of_kept_records() {
    let f = Folder::new();
    fs::create_dir_all(f.path("lab-records/some")).unwrap();
    f.write("lab-records/some/rsa.csv", RECORD);
    let make = "report performance --out p.md lab-records/some";
    f.run(make).ok();
    let text = fs::read_to_string(f.path("p.md")).unwrap();
    for line in [
        "## Some processor, 2026-11-22",
        "| task | threads | carrysave | OpenSSL | fastest other |",
        "| RSA-2048: one signature | 1 | 1 ms | 2.00 x | 2.00 x, openssl |",
        "Of 1 races of whole operations with others carrysave loses none by more than 3 %.",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}: {text}");
    }
    assert!(!text.contains("comes along"));
    f.write(
        "lab-records/packages.csv",
        "what,features,packages\nthe library,none,77\n",
    );
    f.run(make).ok();
    let text = fs::read_to_string(f.path("p.md")).unwrap();
    assert!(text.contains("| the library | none | 77 |\n"), "{text}");
    f.write("lab-records/packages.csv", "what\n1,2\n");
    let said = f.run(make).fails(3);
    assert!(said.contains("lab-records/packages.csv"), "{said}");
    fs::rename(f.path("lab-records"), f.path("others")).unwrap();
    let said = f.run("report performance --out p.md others/some").fails(3);
    assert!(said.contains("move it to lab-records"), "{said}");
}

/// The record of an experiment that takes a second, and what the report said.
fn measured(f: &Folder, arguments: &str) -> (String, String) {
    let run = f.run(&format!("report {arguments} --only addition --out lab"));
    let said = run.err.clone();
    run.ok();
    (
        fs::read_to_string(f.path("lab/addition.csv")).unwrap(),
        said,
    )
}

#[test]
fn what_was_measured_is_kept_where_it_stands_for_what_would_be() {
    let f = Folder::new();
    let said = measured(&f, "--quick").1;
    // Off a terminal each experiment is said.
    assert!(
        said.starts_with("carrysave: measuring addition, ") && said.lines().count() == 1,
        "{said}"
    );
    assert_eq!(measured(&f, "--quick --fresh --quiet").1, "");
    let (quick, _) = measured(&f, "--quick --fresh");
    assert!(quick.contains("# level: quick\n") && quick.contains("addition,mpn_add_n,"));
    let page = fs::read_to_string(f.path("lab/report.html")).unwrap();
    assert!(page.contains("id=\"x-addition\""));
    let (again, said) = measured(&f, "--quick");
    assert!(
        again == quick && said.contains("kept what is there: addition of 20"),
        "{said}"
    );
    assert_eq!(
        measured(&f, "--quick --quiet"),
        (quick.clone(), String::new())
    );
    let (standard, said) = measured(&f, "--standard");
    assert!(standard.contains("# level: standard\n"));
    assert!(
        said.contains("measured again: addition (a lower level)"),
        "{said}"
    );
    let (higher, said) = measured(&f, "--quick");
    assert!(higher == standard && said.contains("kept"), "{said}");
    let other = |name: &str| quick.replace(&format!("# {name}: "), &format!("# {name}: not "));
    let (head, _) = quick.split_once("addition,").unwrap();
    for (found, why) in [
        (other("features"), "differs in features"),
        (other("commit"), "differs in commit"),
        (other("build"), "differs in build"),
        (other("plan"), "differs in plan"),
        (RECORD.to_owned(), "differs in machine"),
        (head.to_owned(), "what is there is empty"),
        (String::new(), "what is there is empty"),
        ("1,2\n3\n".to_owned(), "what is there is no record"),
    ] {
        f.write("lab/addition.csv", &found);
        let (record, said) = measured(&f, "--quick");
        assert!(
            said.contains(&format!("measured again: addition ({why})")),
            "{why}: {said}"
        );
        assert_eq!(record.lines().count(), quick.lines().count(), "{why}");
    }
    // What was kept out of a race then is said as well as where it is now.
    let refused = quick.replacen("# level:", "# refused: somebody was wrong\n# level:", 1);
    f.write("lab/addition.csv", &refused);
    let run = f.run("report --quick --only addition --out lab");
    assert_eq!(run.code, Some(1));
    assert!(run.err.contains("somebody was wrong"), "{}", run.err);
    // Half an hour of another build is not thrown away for two minutes of this one, but another machine's is.
    for name in ["commit", "build", "plan", "rivals", "features", "cpu"] {
        let full = other(name).replace("level: quick", "level: full");
        f.write("lab/addition.csv", &full);
        let (record, said) = measured(&f, "--quick");
        let kept = format!("(a higher level, but differs in {name})");
        let machine = ["features", "cpu"].contains(&name);
        assert_eq!(record != full, machine, "{name}: {said}");
        assert_eq!(!said.contains(&kept), machine, "{name}: {said}");
        assert_ne!(measured(&f, "--quick --fresh").0, full);
    }
}

#[test]
fn a_tuned_plan_is_followed_and_named() {
    let f = Folder::with_plan();
    fs::create_dir(f.path("lab")).unwrap();
    for name in ["plan.toml", "tune.csv"] {
        fs::rename(f.path(name), f.path("lab").join(name)).unwrap();
    }
    let (built_in, _) = measured(&f, "--quick");
    assert!(built_in.contains("# plan: built-in\n"));
    let (tuned, said) = measured(&f, "--quick --tune");
    assert!(said.contains("kept the plan that is there"), "{said}");
    assert!(
        said.contains("measured again: addition (differs in plan)"),
        "{said}"
    );
    let plan = tuned
        .lines()
        .find_map(|line| line.strip_prefix("# plan: "))
        .unwrap();
    assert!(plan.starts_with("tuned 20"), "{plan}");
    let page = fs::read_to_string(f.path("lab/report.html")).unwrap();
    assert!(page.contains(&format!("<li>{plan}, see below: addition</li>")));
    // Another way to that plan.
    let (given, said) = measured(&f, "--quick --plan lab/plan.toml");
    assert!(given == tuned && said.contains("kept"), "{said}");
    let tuning = "report --quick --tune --only addition --out lab";
    let said = f.run(&format!("{tuning} --plan lab/plan.toml")).fails(2);
    assert!(said.contains("leave out --plan"), "{said}");
    assert_eq!(f.run(&format!("{tuning} --without adx")).code, Some(2));
    f.write("lab/plan.toml", "junk");
    let said = f.run(tuning).fails(3);
    assert!(said.contains("lab/plan.toml: it is not TOML"), "{said}");
}

#[test]
fn an_interrupted_report_says_how_to_go_on() {
    let f = Folder::new();
    let mut report = f.start("report --quick --only addition,ways --out lab");
    while !f.path("lab/addition.csv").exists() {
        assert!(report.try_wait().unwrap().is_none(), "it ended too early");
        thread::sleep(Duration::from_millis(1));
    }
    signal(&report, "INT");
    assert_eq!(report.wait().unwrap().code(), Some(130));
    let said = String::from_utf8(f.read("err")).unwrap();
    assert!(
        said.ends_with("carrysave: interrupted; the same command goes on from here\n"),
        "{said}"
    );
}

#[test]
fn a_report_is_made_where_somebody_wants_it() {
    let f = Folder::new();
    let said = f.run("report --quick --only addition").fails(2);
    assert!(said.contains("--out lab-records/"), "{said}");
    assert_eq!(fs::read_dir(f.path(".")).unwrap().count(), 0);
}

#[test]
fn an_experiment_goes_on_where_it_was() {
    let f = Folder::new();
    let report = || {
        f.run("report --quick --only addition --out lab").ok();
        fs::read_to_string(f.path("lab/addition.csv")).unwrap()
    };
    let whole = report();
    fs::remove_file(f.path("lab/addition.csv")).unwrap();
    // Of four races the first was run, with a result that nobody has twice.
    let (head, rows) = whole.split_once("experiment,").unwrap();
    let first =
        |row: &&str| row.starts_with("addition,mpn_add_n,1088,") || row.starts_with("operation,");
    let rows: Vec<&str> = rows.lines().filter(first).collect();
    let seen = "addition,mpn_add_n,1088,,carrysave/seen,1,1,1000000000,1,3.7,1";
    let partial = format!("{head}# races: 1\nexperiment,{}\n{seen}\n", rows.join("\n"));
    f.write("lab/addition.partial", &partial);
    let resumed = report();
    assert_eq!(resumed.lines().count(), whole.lines().count() + 1);
    assert!(rows[1..].iter().all(|row| resumed.contains(row)) && resumed.contains(seen));
    assert!(!resumed.contains("# races"));
    assert!(!f.path("lab/addition.partial").exists());
    // What another build or level left counts for nothing, be it of the same commit.
    for other in ["commit", "build", "level"] {
        fs::remove_file(f.path("lab/addition.csv")).unwrap();
        let name = format!("# {other}: ");
        assert!(partial.contains(&name));
        f.write(
            "lab/addition.partial",
            partial.replace(&name, &format!("{name}not-")),
        );
        let anew = report();
        assert_eq!(anew.lines().count(), whole.lines().count());
        assert!(!anew.contains(seen));
    }
}

/// All at once, so that a report that was interrupted goes on without `--fresh`, and with nothing that is old.
#[test]
fn what_is_to_be_measured_anew_is_discarded_first() {
    let f = Folder::new();
    fs::create_dir(f.path("lab")).unwrap();
    for name in ["rsa", "addition", "ways"] {
        f.write(&format!("lab/{name}.csv"), RECORD);
        f.write(&format!("lab/{name}.partial"), RECORD);
    }
    let mut report = f.start("report --quick --fresh --only addition,ways --out lab");
    let is_new = || fs::read_to_string(f.path("lab/addition.csv")).is_ok_and(|text| text != RECORD);
    while !is_new() {
        assert!(report.try_wait().unwrap().is_none(), "it ended too early");
        thread::sleep(Duration::from_millis(1));
    }
    report.kill().unwrap();
    report.wait().unwrap();
    let measured = f.read("lab/addition.csv");
    assert!(!f.path("lab/addition.partial").exists() && !f.path("lab/ways.csv").exists());
    assert_eq!(f.read("lab/rsa.csv"), RECORD.as_bytes());
    assert_eq!(f.read("lab/rsa.partial"), RECORD.as_bytes());
    f.run("report --quick --only addition --out lab").ok();
    assert_eq!(f.read("lab/addition.csv"), measured);
}

#[test]
fn two_records_are_compared() {
    let f = Folder::new();
    f.write("before.csv", RECORD);
    f.write("after.csv", RECORD.replace("1000000,1000,", "500000,1000,"));
    let run = f.run("report diff before.csv after.csv");
    assert!(run.err.is_empty(), "{}", run.err);
    let printed = String::from_utf8(run.ok()).unwrap();
    for line in [
        "cpu: Some processor",
        "features: adx bmi2",
        "faster    2.00 x  (noise  3.0 %)  rsa sign 2048 bits, carrysave",
        "carrysave: 1 faster, 0 slower, 0 the same within noise, by cycles",
        "others: 0 faster, 0 slower, 1 the same within noise, by cycles",
    ] {
        assert!(
            printed.lines().any(|printed| printed == line),
            "{line}: {printed}"
        );
    }
    let all = String::from_utf8(f.run("report diff --all before.csv after.csv").ok()).unwrap();
    assert!(all.contains("same      1.00 x"), "{all}");
}

#[test]
fn what_does_not_compare_is_said() {
    let f = Folder::new();
    f.write("before.csv", RECORD);
    f.write(
        "after.csv",
        RECORD
            .replace("Some", "Another")
            .replace("rsa,sign", "rsa,verify"),
    );
    let run = f.run("report diff before.csv after.csv");
    for warning in [
        "warning: the processors differ",
        "warning: nothing compares",
    ] {
        assert!(run.err.contains(warning), "{}", run.err);
    }
    let printed = String::from_utf8(run.ok()).unwrap();
    assert!(
        printed.contains("cpu: Some processor before, Another processor after\n"),
        "{printed}"
    );
    assert!(
        printed.ends_with("rows only before: 2, only after: 2\n"),
        "{printed}"
    );
}

#[test]
fn what_cannot_be_read_is_said() {
    let f = Folder::new();
    let said = f.run("report diff no.csv other.csv").fails(4);
    assert!(said.contains("cannot read no.csv"), "{said}");
    f.write("broken.csv", "1,2\n3\n");
    assert!(
        f.run("report diff broken.csv broken.csv")
            .fails(3)
            .contains("broken.csv is no record")
    );
    let said = f.run("report --only rsa,fast --out lab").fails(2);
    assert!(said.contains("there is no experiment fast"), "{said}");
    assert!(f.run("report --quick --full").code == Some(2));
}
