//! Many files at once: the others go on, and what failed is named.

use crate::support::{Folder, Run, noise, signal};
use carrysave::engine::{Batch, Job, Output};
use carrysave::hash::Hash;
use carrysave_cli::batch::{self, Fate, Files, Task};
use carrysave_cli::cmd::sign::{Existing, Padding, Scheme, Signing};
use carrysave_cli::exit::Result;
use carrysave_cli::key::{self, PasswordArgs};
use carrysave_cli::progress;
use indicatif::ProgressBar;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Write;
use std::num::NonZeroUsize;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

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

/// The lines of a manifest.
fn lines(f: &Folder, name: &str) -> Vec<Value> {
    let text = String::from_utf8(f.read(name)).unwrap();
    let lines = text.lines().map(serde_json::from_str);
    lines.collect::<serde_json::Result<_>>().unwrap()
}

/// The files and reasons of a manifest.
fn manifest(f: &Folder, name: &str) -> BTreeMap<String, String> {
    let text = |line: &Value, key: &str| line[key].as_str().unwrap().to_owned();
    let entry = |line: &Value| (text(line, "file"), text(line, "reason"));
    lines(f, name).iter().map(entry).collect()
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

#[test]
fn a_batch_that_ends_early_leaves_its_manifest() {
    let f = Folder::with_keys();
    f.write("d", b"");
    f.run("sign --key a.pem --batch d missing --salt-len 1000 --manifest m")
        .fails(3);
    let [missing, end] = &lines(&f, "m")[..] else {
        panic!("not two lines")
    };
    assert_eq!(
        (&missing["file"], &missing["code"]),
        (&json!("missing"), &json!(4))
    );
    assert_eq!((end.get("file"), &end["code"]), (None, &json!(3)));
    assert!(end["reason"].as_str().unwrap().contains("salt"), "{end}");
}

/// One slice is signed, and of the next a file that cannot be read is known when the interrupt comes.
#[test]
fn an_interrupted_batch_can_be_resumed() {
    let f = Folder::with_keys();
    small(&f, "d", 512);
    f.pipe("last");
    let mut child = f.start("sign --key a.pem --threads 1 --manifest m --batch d missing last");
    let writer = File::create(f.path("last")).unwrap();
    assert_eq!(signed(&f).len(), 512);
    signal(&child, "INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    drop(writer);
    let [missing, end] = &lines(&f, "m")[..] else {
        panic!("not two lines")
    };
    assert_eq!(
        (&missing["file"], &missing["code"]),
        (&json!("missing"), &json!(4))
    );
    assert_eq!(end, &json!({ "code": 130, "reason": "interrupted" }));

    fs::remove_file(f.path("last")).unwrap();
    f.write("last", b"a file now");
    f.write("d/7.sig", b"an old one");
    let (reasons, sum) = some_failed(f.run("sign --key a.pem --batch d last"));
    assert_eq!(reasons.len(), 512);
    assert_eq!(sum, "carrysave: 512 of 513 files failed");
    fs::remove_file(f.path("last.sig")).unwrap();
    let kept = f.run("sign --key a.pem --keep --batch d last");
    assert_eq!(
        kept.err,
        "carrysave: 512 of 513 files had a signature, which was kept\n"
    );
    kept.ok();
    assert_eq!(f.read("last.sig").len(), 128);
    assert_eq!(f.read("d/7.sig"), b"an old one");
    let quiet = f.run("sign --quiet --key a.pem --keep --batch d last");
    assert_eq!(quiet.err, "");
    quiet.ok();
    let both = f.run("sign --key a.pem --keep --force --batch d");
    assert_eq!(both.code, Some(2));
}

/// Another program signs a file while it is hashed.
#[test]
fn a_signature_that_appears_meanwhile_is_not_replaced() {
    for (option, code, said) in [
        ("", 5, "carrysave: a.sig: there is a signature already: use"),
        (
            "--keep",
            0,
            "carrysave: 1 of 1 files had a signature, which was",
        ),
        ("--force", 0, ""),
    ] {
        let f = Folder::with_keys();
        f.pipe("a");
        let mut child = f.start(&format!("sign --key a.pem {option} --batch a"));
        let writer = File::create(f.path("a")).unwrap();
        f.write("a.sig", b"another's");
        drop(writer);
        assert_eq!(child.wait().unwrap().code(), Some(code), "{option}");
        let err = String::from_utf8(f.read("err")).unwrap();
        assert!(err.starts_with(said), "{option}: {err}");
        assert_eq!(
            f.read("a.sig") == b"another's",
            option != "--force",
            "{option}"
        );
    }
}

#[test]
fn what_was_verified_is_counted() {
    let f = Folder::with_keys();
    small(&f, "e", 511);
    small(&f, "d", 1);
    f.write("first", b"piped");
    f.write("new", b"new");
    f.run("sign --key a.pem --batch first d e new").ok();
    fs::remove_file(f.path("first")).unwrap();
    f.pipe("first");
    let f = &f;
    let verified = std::thread::scope(|scope| {
        let verify = || f.run("verify --key a.pub --threads 1 --batch first e d");
        let run = scope.spawn(verify);
        // It has counted them all, and holds the names of its first 512.
        let mut writer = File::create(f.path("first")).unwrap();
        for name in ["new", "new.sig"] {
            fs::rename(f.path(name), f.path("d").join(name)).unwrap();
        }
        writer.write_all(b"piped").unwrap();
        drop(writer);
        run.join().unwrap()
    });
    assert_eq!(verified.ok(), b"514 signatures are good\n");
}

#[test]
fn a_failure_is_said_at_once() {
    let f = Folder::with_keys();
    f.pipe("last");
    let mut child = f.start("sign --key a.pem --threads 1 --batch missing last");
    let writer = File::create(f.path("last")).unwrap();
    let said = String::from_utf8(f.read("err")).unwrap();
    drop(writer);
    assert!(
        said.starts_with("carrysave: cannot read missing: "),
        "{said}"
    );
    assert_eq!(child.wait().unwrap().code(), Some(5));
}

/// What signs, and sees how far the bar is when the last file's turn comes and when its answer is there.
struct Watched {
    signing: Signing,
    bar: ProgressBar,
    seen: [AtomicU64; 2],
}

impl Task for Watched {
    const WHAT: &'static str = "";
    const SIGNED: bool = false;
    const FINISHERS: NonZeroUsize = NonZeroUsize::MIN;

    fn job(&self, file: &Path, bar: &ProgressBar) -> Result<Option<Job>> {
        self.seen[0].store(self.bar.position(), Relaxed);
        self.signing.job(file, bar)
    }

    fn finish(&self, file: &Path, answer: &Output) -> Result<Fate> {
        self.seen[1].store(self.bar.position(), Relaxed);
        self.signing.finish(file, answer)
    }
}

#[test]
fn the_bar_moves_while_files_are_hashed_and_finished() {
    let f = Folder::with_keys();
    for (name, len) in [("a", 100_000), ("b", 20_000), ("c", 3_000)] {
        f.write(name, noise(len));
    }
    f.write("b.sig", b"kept");
    let files = ["a", "b", "c"].map(|name| f.path(name));
    let found = Files::find(&files, false).unwrap();
    let bar = progress::files("", found.total, found.bytes, true);
    let task = Watched {
        signing: Signing {
            key: key::private(&f.path("a.pem"), &PasswordArgs::default()).unwrap(),
            scheme: Scheme {
                padding: Padding::Pss,
                hash: Hash::Sha256,
                salt_len: None,
            },
            existing: Existing::Keep,
        },
        bar: bar.clone(),
        seen: Default::default(),
    };
    let report = batch::Report::new(None).unwrap();
    batch::slice(
        &task,
        &Batch::new(NonZeroUsize::MIN),
        &files,
        &bar,
        |i, result| {
            report.add(&bar, &files[i], result).unwrap();
        },
    )
    .unwrap();
    let [hashing, finishing] = task.seen.map(AtomicU64::into_inner);
    assert_eq!(hashing, 120_000 + progress::FILE, "the second is done");
    assert_eq!(finishing, 123_000 + 2 * progress::FILE, "the first, too");
    assert_eq!(Some(bar.position()), bar.length());
    assert_eq!(report.finish(true).unwrap(), 3);
}

#[test]
fn a_batch_goes_on_with_the_threads_it_gets() {
    let f = Folder::with_keys();
    small(&f, "d", 100);
    let run = f.run_with_few_threads("sign --key a.pem --threads 8 --batch d");
    assert_eq!(run.err, "");
    run.ok();
    assert_eq!(signed(&f).len(), 100);
}

#[test]
fn a_name_that_is_not_utf_8_can_be_found_again() {
    let f = Folder::with_keys();
    fs::create_dir(f.path("d")).unwrap();
    for name in [b"\xff", b"\xfe"] {
        symlink("nowhere", f.path("d").join(OsStr::from_bytes(name))).unwrap();
    }
    some_failed(f.run("sign --key a.pem --batch d --manifest m"));
    let mut lines = lines(&f, "m");
    lines.sort_by_key(|line| line["file_hex"].to_string());
    let expected = ["642ffe", "642fff"];
    for (line, hex) in lines.iter().zip(expected) {
        assert_eq!(line["file"], "d/\u{fffd}");
        assert_eq!(line["file_hex"], hex);
        assert_eq!(line["code"], 4);
    }
    assert_eq!(lines.len(), expected.len());
}
