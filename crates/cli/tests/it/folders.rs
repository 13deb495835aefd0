//! Many files: folders in folders, few descriptors, and the same failure a thousand times.

use crate::batch::{lines, small, some_failed};
use crate::support::{Folder, PROGRAM};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;

/// Of each kind the first few, and how many more; the manifest has all.
#[test]
fn what_fails_a_thousand_times_is_said_a_few_times() {
    let f = Folder::with_keys();
    small(&f, "d", 40);
    for i in 0..30 {
        f.write(&format!("d/{i}.sig"), b"old");
    }
    for i in 0..20 {
        symlink("nowhere", f.path(&format!("d/x{i}"))).unwrap();
    }
    symlink("nowhere", f.path("r")).unwrap();
    let (said, sum) = some_failed(f.run("sign --key a.pem --batch d r"));
    assert_eq!(sum, "carrysave: 51 of 61 files failed");
    let (more, each): (Vec<_>, Vec<_>) = said.iter().partition(|line| line.contains(" more: "));
    assert_eq!(each.len(), 10, "{said:?}");
    let why = "No such file or directory (os error 2)";
    let there = "there is a signature already: use --force to replace it, or --keep";
    assert_eq!(
        more,
        [
            &format!("carrysave: 16 more: cannot read FILE: {why}"),
            &format!("carrysave: 25 more: FILE.sig: {there}")
        ]
    );
    some_failed(f.run("sign --key a.pem --manifest m --batch d r"));
    assert_eq!(lines(&f, "m").len(), 61, "now all fail");
}

#[test]
fn folders_in_folders_are_taken_when_asked_for() {
    let f = Folder::with_keys();
    for name in [
        "d/a",
        "d/b/c",
        "d/b/d/e",
        "d/b.sig/f",
        "d/.hidden/g",
        "d/b/.h",
        "d/z",
        "other/i",
    ] {
        fs::create_dir_all(f.path(name).parent().unwrap()).unwrap();
        f.write(name, name);
    }
    // A link to a folder may lead back; one to a file is followed.
    symlink("..", f.path("d/b/up")).unwrap();
    symlink("../other", f.path("d/aside")).unwrap();
    symlink("../other/i", f.path("d/i")).unwrap();
    let signed = ["d/a", "d/b/c", "d/b/d/e", "d/b.sig/f", "d/i", "d/z"];
    for options in ["d", "d d/b d/b/d/e ./d/b.sig/f", "d/b d d/b"] {
        let run = f.run(&format!(
            "sign --key a.pem --force --recursive --batch {options}"
        ));
        assert_eq!(run.err, "", "{options}");
        run.ok();
        for name in ["d/.hidden/g", "d/b/.h", "other/i"] {
            assert!(!f.path(&format!("{name}.sig")).exists(), "{name}");
        }
        let good = f.run(&format!("verify --key a.pub -r --batch {options}"));
        assert_eq!(good.ok(), b"6 signatures are good\n", "{options}");
        for name in signed {
            fs::remove_file(f.path(&format!("{name}.sig"))).unwrap();
        }
    }
    // In the order of the names, a folder where it is named.
    some_failed(f.run("verify --key a.pub --recursive --manifest m --batch d"));
    let named = |line: &Value| line["file"].as_str().unwrap().to_owned();
    let named: Vec<String> = lines(&f, "m").iter().map(named).collect();
    assert_eq!(
        named,
        ["d/a", "d/b/c", "d/b/d/e", "d/b.sig/f", "d/i", "d/z"]
    );
    // A hidden folder, and one behind a link, if they are named themselves.
    let more = "d d/.hidden d/aside other";
    f.run(&format!("sign --key a.pem -r --batch {more}")).ok();
    let good = f.run(&format!("verify --key a.pub -r --batch {more}"));
    assert_eq!(good.ok(), b"8 signatures are good\n");
    // A file that is gone and has left its signature.
    fs::remove_file(f.path("d/b/d/e")).unwrap();
    let (said, _) = some_failed(f.run("verify --key a.pub -r --batch d"));
    assert!(said.len() == 1 && said[0].contains("d/b/d/e"), "{said:?}");
    f.run("verify --key a.pub --batch d").ok();
}

/// No more files are open at a time than a process may have.
#[test]
fn a_batch_goes_on_with_the_descriptors_it_gets() {
    let f = Folder::with_keys();
    small(&f, "d", 600);
    fs::create_dir(f.path("d/in")).unwrap();
    f.write("d/in/it", b"it");
    f.write("limited", r#"ulimit -n 64; exec "$@""#);
    let limited =
        |arguments: &str| f.run_program("sh", &format!("limited {PROGRAM} {arguments}"), b"");
    for force in ["", "--force"] {
        let run = limited(&format!(
            "sign --key a.pem --threads 100 {force} --recursive --manifest m --batch d"
        ));
        assert_eq!(f.read("m"), b"");
        run.ok();
    }
    let good = limited("verify --key a.pub --threads 100 --recursive --batch d");
    assert_eq!(good.ok(), b"601 signatures are good\n");
    let files: Vec<String> = (0..600).map(|i| format!("d/{i}")).collect();
    let hashes = limited(&format!("hash --threads 100 {}", files.join(" "))).ok();
    assert_eq!(hashes.iter().filter(|&&byte| byte == b'\n').count(), 600);
    // As many keys as there are descriptors, none of which an output replaces.
    let to = "--to a.pub ".repeat(70);
    limited(&format!("encrypt {to} d/7 --out c")).ok();
    let lost = limited(&format!("encrypt {to} --to b.pub d/7 --out b.pub"));
    assert_eq!(lost.code, Some(2), "{}", lost.err);
}
