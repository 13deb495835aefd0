//! Many files at once: the others go on, and what failed is named.

use crate::support::{Folder, PROGRAM, Run, noise};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

/// A folder `d` of forty files, and beside them what is not to be signed.
fn forty() -> Folder {
    let f = Folder::with_keys();
    fs::create_dir_all(f.path("d/below")).unwrap();
    for i in 0..40 {
        f.write(&format!("d/{i:02}"), noise(i * i * 97));
    }
    f.write("d/.hidden", b"h");
    f.write("d/below/file", b"b");
    f
}

/// The names of the signatures in `d`.
fn signed(f: &Folder) -> Vec<String> {
    let entries = fs::read_dir(f.path("d")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".sig")).collect();
    names.sort();
    names
}

/// Some files failed: what it said on standard error, sorted, and that after it.
fn some_failed(run: Run) -> (Vec<String>, String) {
    assert_eq!(run.code, Some(5), "{}", run.err);
    assert!(run.out.is_empty());
    let mut lines: Vec<String> = run.err.lines().map(str::to_owned).collect();
    let sum = lines.pop().unwrap();
    lines.sort();
    (lines, sum)
}

/// The files and reasons of a manifest.
fn manifest(f: &Folder, name: &str) -> BTreeMap<String, String> {
    let text = String::from_utf8(f.read(name)).unwrap();
    let line = |line: &str| {
        let line: BTreeMap<String, String> = serde_json::from_str(line).unwrap();
        (line["file"].clone(), line["reason"].clone())
    };
    text.lines().map(line).collect()
}

/// A folder of `n` small files.
fn small(f: &Folder, name: &str, n: usize) {
    fs::create_dir(f.path(name)).unwrap();
    for i in 0..n {
        f.write(&format!("{name}/{i}"), noise(i));
    }
}

#[test]
fn forty_files_are_signed_and_verified() {
    let f = forty();
    let schemes = [
        ("", ""),
        ("--padding pkcs1 --hash sha512", "--threads 1"),
        ("--hash sha384 --salt-len 20", "--threads 3"),
    ];
    for (scheme, threads) in schemes {
        let run = f.run(&format!(
            "sign --key a.pem --force {scheme} {threads} --batch d"
        ));
        assert_eq!(run.err, "", "no bar in a pipe");
        assert!(run.ok().is_empty());
        assert_eq!(signed(&f).len(), 40);
        let verified = f.run(&format!("verify --key a.pub {scheme} {threads} --batch d"));
        assert_eq!(verified.err, "");
        assert_eq!(verified.ok(), b"40 signatures are good\n");
        f.run(&format!(
            "verify --key a.pub {scheme} --signature d/17.sig d/17"
        ))
        .ok();
        f.run(&format!(
            "verify --key a.pub {scheme} --signature d/16.sig d/17"
        ))
        .fails(1);
    }
    assert!(!f.path("d/.hidden.sig").exists() && !f.path("d/below/file.sig").exists());
    // A signature that `sign` made alone is one of a batch, too.
    f.run("sign --key a.pem d/00 --out d/00.sig").ok();
    let quiet = f.run("verify --quiet --key a.pub --batch d/00");
    assert_eq!(quiet.ok(), b"");
}

#[test]
fn what_cannot_be_signed_is_named_and_the_rest_is_signed() {
    let f = forty();
    symlink("nowhere", f.path("d/dangling")).unwrap();
    f.write("d/05.sig", b"an old one");
    let (reasons, sum) = some_failed(f.run("sign --key a.pem --batch d missing"));
    assert_eq!(reasons.len(), 3);
    assert!(
        reasons[0].starts_with("carrysave: cannot read d/dangling: ")
            && reasons[1].starts_with("carrysave: cannot read missing: ")
            && reasons[2].starts_with("carrysave: d/05.sig: there is a signature already"),
        "{reasons:?}"
    );
    assert_eq!(sum, "carrysave: 3 of 42 files failed");
    assert_eq!(f.read("d/05.sig"), b"an old one");
    assert_eq!(signed(&f).len(), 40);

    let (reasons, _) = some_failed(f.run("sign --key a.pem --batch d --force --manifest m"));
    assert!(reasons.is_empty(), "they are in the manifest");
    let named = manifest(&f, "m");
    assert_eq!(named.len(), 1);
    assert!(named["d/dangling"].starts_with("cannot read d/dangling: "));
    assert_eq!(f.read("d/05.sig").len(), 128);
    fs::remove_file(f.path("d/dangling")).unwrap();
    f.run("verify --key a.pub --batch d --manifest m").ok();
    assert!(manifest(&f, "m").is_empty(), "of the last run only");
}

#[test]
fn what_does_not_verify_is_named() {
    let f = forty();
    f.run("sign --key a.pem --batch d").ok();
    f.run("sign --key b.pem d/30 --out d/30.sig").ok();
    f.write("d/10", b"tampered with");
    let mut signature = f.read("d/11.sig");
    signature[100] ^= 4;
    f.write("d/11.sig", signature);
    f.write("d/12.sig", &f.read("d/12.sig")[1..]);
    f.write("d/13.sig", b"");
    fs::remove_file(f.path("d/14.sig")).unwrap();
    fs::remove_file(f.path("d/15")).unwrap();
    let (reasons, sum) = some_failed(f.run("verify --key a.pub --batch d --manifest m"));
    assert!(reasons.is_empty());
    assert_eq!(sum, "carrysave: 7 of 40 files failed");
    let named = manifest(&f, "m");
    let expected = [
        ("d/10", "d/10: the signature does not fit"),
        ("d/11", "d/11: the signature does not fit"),
        ("d/12", "d/12.sig: a signature of this key has 128 bytes"),
        ("d/13", "d/13.sig: the file is empty"),
        ("d/14", "cannot read d/14.sig: "),
        ("d/15", "cannot read d/15: "),
        ("d/30", "d/30: the signature does not fit"),
    ];
    assert_eq!(named.len(), expected.len(), "{named:?}");
    for (file, reason) in expected {
        assert!(named[file].starts_with(reason), "{named:?}");
    }
    let (reasons, _) = some_failed(f.run("verify --key a.pub --batch d/09 d/10"));
    assert!(reasons.len() == 1 && reasons[0].starts_with("carrysave: d/10: "));
}

#[test]
fn a_file_named_twice_is_taken_once() {
    let f = forty();
    f.run("sign --key a.pem --batch d/00 ./d/00 d/../d/00 d/01")
        .ok();
    assert_eq!(signed(&f), ["00.sig", "01.sig"]);
    f.run("sign --key a.pem --force --batch d d/00 d/ ./d d/below/file d/.hidden")
        .ok();
    assert_eq!(
        signed(&f).len(),
        41,
        "a hidden file is signed if it is named"
    );
    assert!(f.path("d/below/file.sig").exists());
    let all = f.run("verify --key a.pub --batch d d/03 d/.hidden d/below/file");
    assert_eq!(all.ok(), b"42 signatures are good\n");
}

#[test]
fn what_makes_no_batch_is_refused_at_once() {
    let f = forty();
    fs::create_dir(f.path("empty")).unwrap();
    let before = f.contents();
    for (arguments, code) in [
        ("--batch empty", 3),
        ("--batch d/below/..  -", 2),
        ("--batch d --hash sha1", 2),
        ("--batch d --salt-len 1000", 3),
        ("--batch d --padding pkcs1 --salt-len 3", 2),
        ("--batch d --manifest no/such/folder/m", 4),
    ] {
        f.run(&format!("sign --key a.pem {arguments}")).fails(code);
        assert!(signed(&f).is_empty(), "{arguments}");
    }
    f.run("verify --key a.pub --batch empty").fails(3);
    for arguments in [
        "--batch",
        "--batch d --out s",
        "--batch d --threads 0",
        "--threads 2 --out s d/00",
        "--manifest m --out s d/00",
        "--force --out s d/00",
        "d/00",
    ] {
        let refused = f.run(&format!("sign --key a.pem {arguments}"));
        assert_eq!(refused.code, Some(2), "{arguments}: {}", refused.err);
    }
    let refused = f.run("verify --key a.pub --signature s --batch d");
    assert_eq!(refused.code, Some(2));
    assert!(signed(&f).is_empty());
    assert_eq!(f.contents(), before);
}

#[test]
fn more_files_than_are_held_at_a_time() {
    let f = Folder::with_keys();
    fs::create_dir(f.path("d")).unwrap();
    for i in 0..1100 {
        f.write(&format!("d/{i}"), noise(i));
    }
    f.run("sign --key a.pem --batch d").ok();
    f.write("d/7", b"another");
    let (reasons, sum) = some_failed(f.run("verify --key a.pub --batch d"));
    assert_eq!(reasons.len(), 1);
    assert_eq!(sum, "carrysave: 1 of 1100 files failed");
}

/// The shell leaves room for few threads of this size.
#[test]
fn a_batch_goes_on_with_the_threads_it_gets() {
    let f = Folder::with_keys();
    small(&f, "d", 100);
    let limited = r#"ulimit -v 1200000; RUST_MIN_STACK=300000000 exec "$0" "$@""#;
    let run = Command::new("sh")
        .args(["-c", limited, PROGRAM])
        .args(["sign", "--key", "a.pem", "--threads", "8", "--batch", "d"])
        .current_dir(f.path("."))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(run.stderr).unwrap(), "");
    assert_eq!(run.status.code(), Some(0));
    assert_eq!(signed(&f).len(), 100);
}
