//! Many files at once: failures are named, and the others go on.

use crate::support::{Folder, Run, noise, signal};
use carrysave::engine::{self, AnyTask, Batch};
use carrysave::hash::Hash;
use carrysave_cli::batch::{self, BatchArgs, Fate, FileTask, Files, Which};
use carrysave_cli::cmd::sign::{Existing, Padding, Scheme, Signature, Signing};
use carrysave_cli::cmd::verify::Verifying;
use carrysave_cli::exit::Result;
use carrysave_cli::key::{self, PasswordArgs};
use carrysave_cli::progress;
use clap::Parser;
use indicatif::ProgressBar;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Child;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread::sleep;
use std::time::Duration;

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

/// For a run in which some files failed: the sorted lines of standard error, and the last one.
pub fn some_failed(run: Run) -> (Vec<String>, String) {
    assert_eq!(run.code, Some(5), "{}", run.err);
    assert!(run.out.is_empty());
    let mut lines: Vec<String> = run.err.lines().map(str::to_owned).collect();
    let sum = lines.pop().unwrap();
    lines.sort();
    (lines, sum)
}

/// The lines of a manifest.
pub fn lines(f: &Folder, name: &str) -> Vec<Value> {
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
pub fn small(f: &Folder, name: &str, n: usize) {
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
    assert_eq!(f.read("d/05.sig").len(), 256);
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
        ("d/12", "d/12.sig: a signature of this key is 256 bytes"),
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
        "--threads 0 --out s d/00",
        "--manifest m --out s d/00",
        "--force --out s d/00",
        "--manifest m d/00",
        "--recursive d/00",
        "",
        "-",
    ] {
        let refused = f.run(&format!("sign --key a.pem {arguments}"));
        assert_eq!(refused.code, Some(2), "{arguments}: {}", refused.err);
    }
    let zero = f.run("sign --key a.pem --batch d --threads 0").err;
    assert!(zero.contains("a number of threads is 1 or more"), "{zero}");
    let refused = f.run("verify --key a.pub --signature s --batch d");
    assert_eq!(refused.code, Some(2));
    for (command, form) in [
        (
            "sign --recursive --key a.pem --out s d/00",
            "[--out <FILE>] [FILE]",
        ),
        ("verify --batch d", "[--signature <FILE>] [FILE]"),
    ] {
        let name = command.split(' ').next().unwrap();
        let usage = format!(
            "\nUsage: carrysave {name} [OPTIONS] --key <FILE> {form}\n       \
             carrysave {name} [OPTIONS] --key <FILE> --batch <PATH>...\n"
        );
        let refused = f.run(command).err;
        assert!(refused.contains(&usage), "{refused}");
        let help = String::from_utf8(f.run(&format!("{name} --help")).ok()).unwrap();
        assert!(help.contains(&usage), "{help}");
    }
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

/// A file without blocks on the disk that takes minutes to hash.
fn endless(f: &Folder, name: &str) {
    let file = File::create(f.path(name)).unwrap();
    file.set_len(1 << 40).unwrap();
}

/// Waits for what a program that does not end by itself is to do.
fn wait_until(child: &mut Child, done: impl Fn() -> bool) {
    while !done() {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        sleep(Duration::from_millis(5));
    }
}

/// One slice is signed but for a file that cannot be read, and the other is being hashed when the interrupt comes.
#[test]
fn an_interrupted_batch_can_be_resumed() {
    let f = Folder::with_keys();
    small(&f, "d", 511);
    endless(&f, "last");
    let mut child = f.start("sign --key a.pem --threads 1 --manifest m --batch missing d last");
    wait_until(&mut child, || signed(&f).len() == 511);
    signal(&child, "INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let [missing, end] = &lines(&f, "m")[..] else {
        panic!("not two lines")
    };
    assert_eq!(
        (&missing["file"], &missing["code"]),
        (&json!("missing"), &json!(4))
    );
    assert_eq!(end, &json!({ "code": 130, "reason": "interrupted" }));

    f.write("last", b"shorter now");
    f.write("d/7.sig", [7; 256]);
    let (reasons, sum) = some_failed(f.run("sign --key a.pem --batch d last"));
    let there = "there is a signature already: use --force to replace it, or --keep";
    assert_eq!(reasons.len(), 6, "{reasons:?}");
    assert!(reasons[1..].iter().all(|line| line.ends_with(there)));
    assert_eq!(
        reasons[0],
        format!("carrysave: 506 more: FILE.sig: {there}")
    );
    assert_eq!(sum, "carrysave: 511 of 512 files failed");
    fs::remove_file(f.path("last.sig")).unwrap();
    let kept = f.run("sign --key a.pem --keep --batch d last");
    assert_eq!(
        kept.err,
        "carrysave: 511 of 512 files had a signature, which was kept\n"
    );
    kept.ok();
    assert_eq!(f.read("last.sig").len(), 256);
    assert_eq!(f.read("d/7.sig"), [7; 256]);
    let quiet = f.run("sign --quiet --key a.pem --keep --batch d last");
    assert_eq!(quiet.err, "");
    quiet.ok();
    let both = f.run("sign --key a.pem --keep --force --batch d");
    assert_eq!(both.code, Some(2));
}

#[test]
fn only_what_may_be_a_signature_is_kept() {
    let f = Folder::with_keys();
    small(&f, "d", 6);
    for (name, bytes) in [("0", &[7; 256][..]), ("1", b""), ("2", b"an old one")] {
        f.write(&format!("d/{name}.sig"), bytes);
    }
    fs::create_dir(f.path("d/3.sig")).unwrap();
    symlink("nowhere", f.path("d/4.sig")).unwrap();
    symlink("0.sig", f.path("d/5.sig")).unwrap();
    let (reasons, sum) = some_failed(f.run("sign --key a.pem --keep --batch d"));
    let none = "this is no signature of this key, which is 256 bytes or base64 of that: use --force to replace it";
    let expected = [1, 2, 3, 4].map(|i| format!("carrysave: d/{i}.sig: {none}"));
    assert_eq!(
        reasons[..1],
        ["carrysave: 2 of 6 files had a signature, which was kept"]
    );
    assert_eq!(reasons[1..], expected);
    assert_eq!(sum, "carrysave: 4 of 6 files failed");
    let (reasons, _) = some_failed(f.run("sign --key a.pem --force --batch d"));
    assert!(
        reasons.len() == 1 && reasons[0].starts_with("carrysave: cannot write d/3.sig: "),
        "{reasons:?}"
    );
}

/// None of them ends, and none is opened.
#[test]
fn devices_and_pipes_are_no_files() {
    let f = Folder::with_keys();
    for name in ["pipe", "a.sig", "b.sig"] {
        f.pipe(name);
    }
    symlink("/dev/zero", f.path("zero")).unwrap();
    f.write("a", b"a");
    symlink("/dev/zero", f.path("b")).unwrap();
    for command in ["sign --key a.pem --force", "verify --key a.pub"] {
        let named = [
            ("/dev/null", "/dev/null"),
            ("a", "a.sig"),
            ("b", "b"),
            ("pipe", "pipe"),
            ("zero", "zero"),
        ];
        let run = f.run(&format!(
            "{command} --manifest m --batch zero /dev/null a b pipe"
        ));
        let (said, sum) = some_failed(run);
        assert!(said.is_empty(), "{said:?}");
        assert_eq!(sum, "carrysave: 5 of 5 files failed");
        let reasons = manifest(&f, "m");
        for (file, about) in named {
            assert_eq!(
                reasons[file],
                format!("{about}: this is a device or a pipe, and a batch is files and folders")
            );
        }
    }
    assert!(!f.path("zero.sig").exists());
}

/// What signs and verifies, but for the first file does something else before.
struct Before<T, F> {
    task: T,
    first: Mutex<Option<F>>,
}

impl<T, F: FnOnce()> Before<T, F> {
    fn new(task: T, first: F) -> Before<T, F> {
        Before {
            task,
            first: Mutex::new(Some(first)),
        }
    }
}

impl<T: FileTask, F: FnOnce() + Send> FileTask for Before<T, F> {
    const WHAT: &'static str = T::WHAT;
    const SIGNED: bool = T::SIGNED;
    const WRITES: bool = T::WRITES;
    const FINISHERS: usize = 1;

    type Job = T::Job;

    fn job(&self, file: &Path, bar: &ProgressBar) -> Result<Option<T::Job>> {
        let job = self.task.job(file, bar);
        if let Some(first) = self.first.lock().unwrap().take() {
            first();
        }
        job
    }

    fn is_of_the_file(error: &<T::Job as AnyTask>::Error) -> bool {
        T::is_of_the_file(error)
    }

    fn finish(&self, file: &Path, answer: &<T::Job as AnyTask>::Output) -> Result<Fate> {
        self.task.finish(file, answer)
    }
}

const SCHEME: Scheme = Scheme {
    padding: Some(Padding::Pss),
    hash: Some(Hash::Sha256),
    mgf_hash: None,
    salt_len: None,
};

fn signing(f: &Folder, existing: Existing) -> Signing {
    Signing {
        key: key::signer(&f.path("a.pem"), &PasswordArgs::default()).unwrap(),
        p1363: false,
        namespace: None,
        scheme: SCHEME,
        base64: false,
        existing,
    }
}

/// The options of a batch, as the command line has them.
#[derive(clap::Parser)]
struct Line {
    #[command(flatten)]
    batch: BatchArgs,
}

/// Another program signs a file while it is hashed.
#[test]
fn a_signature_that_appears_meanwhile_is_not_replaced() {
    for existing in [Existing::Refuse, Existing::Keep, Existing::Replace] {
        let f = Folder::with_keys();
        f.write("a", b"a");
        let files = [f.path("a")];
        let task = Before::new(signing(&f, existing), || f.write("a.sig", [7; 256]));
        let batch = Batch::new(1);
        let fate = Mutex::new(None);
        let done = |_, result: Result<Fate>| *fate.lock().unwrap() = Some(result);
        batch::slice(&task, &batch, &files, &progress::none(), done).unwrap();
        let fate = fate.into_inner().unwrap().unwrap();
        let message = fate.as_ref().map_err(|failure| &failure.message[..]);
        let there = "a.sig: there is a signature already: use --force";
        match (existing, message) {
            (Existing::Refuse, Err(message)) => assert!(message.contains(there), "{message}"),
            (Existing::Keep, Ok(Fate::Kept)) | (Existing::Replace, Ok(Fate::Done)) => {}
            (_, other) => panic!("{existing:?}: {other:?}"),
        }
        assert_eq!(
            f.read("a.sig") == [7; 256],
            existing != Existing::Replace,
            "{existing:?}"
        );
    }
}

#[test]
fn what_was_verified_is_counted() {
    let f = Folder::with_keys();
    small(&f, "e", 512);
    small(&f, "d", 1);
    f.write("new", b"new");
    f.run("sign --key a.pem --batch d e new").ok();
    let verifying = Verifying {
        key: key::verifier(&f.path("a.pub"), &PasswordArgs::default()).unwrap(),
        scheme: SCHEME,
        namespace: None,
    };
    // It has counted them all, and holds the names of its first 512.
    let task = Before::new(verifying, || {
        for name in ["new", "new.sig"] {
            fs::rename(f.path(name), f.path("d").join(name)).unwrap();
        }
    });
    let line = [OsStr::new("verify"), OsStr::new("--batch")].map(OsStr::to_owned);
    let paths = ["e", "d"].map(|name| f.path(name).into_os_string());
    let line = Line::parse_from(line.into_iter().chain(paths));
    assert_eq!(batch::run(&line.batch, &task, true).unwrap(), 514);
}

#[test]
fn a_failure_is_said_at_once() {
    let f = Folder::with_keys();
    endless(&f, "last");
    let mut child = f.start("sign --key a.pem --threads 1 --batch missing last");
    wait_until(&mut child, || f.read("err").ends_with(b"\n"));
    let said = String::from_utf8(f.read("err")).unwrap();
    assert!(
        said.starts_with("carrysave: cannot read missing: "),
        "{said}"
    );
    signal(&child, "INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

/// For any number of threads, and any order in the folder.
#[test]
fn a_manifest_is_in_order() {
    let f = Folder::with_keys();
    let files = ["e/a", "e/b", "d/10", "d/9", "d/\u{e4}", "d/z", "d/Z"];
    for name in files {
        fs::create_dir_all(f.path(name).parent().unwrap()).unwrap();
        // Some fail as they are hashed, others as their signatures are written.
        match name {
            "d/9" | "e/b" => {
                f.write(name, b"");
                fs::create_dir(f.path(&format!("{name}.sig"))).unwrap();
            }
            _ => symlink("nowhere", f.path(name)).unwrap(),
        }
    }
    small(&f, "d/below", 1);
    f.run("sign --key a.pem --batch d/below/0").ok();
    fs::rename(f.path("d/below/0"), f.path("d/a")).unwrap();
    let expected = [
        "first", "e/a", "e/b", "d/10", "d/9", "d/Z", "d/z", "d/\u{e4}",
    ];
    for threads in [1, 4] {
        some_failed(f.run(&format!(
            "sign --key a.pem --force --threads {threads} --manifest m --batch first e d"
        )));
        let named: Vec<Value> = lines(&f, "m")
            .iter()
            .map(|line| line["file"].clone())
            .collect();
        assert_eq!(named, expected);
    }
}

/// What signs, and sees how far the bar is when the last file's turn comes and when its answer is there.
struct Watched {
    signing: Signing,
    bar: ProgressBar,
    seen: [AtomicU64; 2],
}

impl FileTask for Watched {
    const WHAT: &'static str = "";
    const SIGNED: bool = false;
    const WRITES: bool = true;
    const FINISHERS: usize = 1;

    type Job = Signature;

    fn job(&self, file: &Path, bar: &ProgressBar) -> Result<Option<Signature>> {
        self.seen[0].store(self.bar.position(), Relaxed);
        self.signing.job(file, bar)
    }

    fn is_of_the_file(error: &engine::Error) -> bool {
        Signing::is_of_the_file(error)
    }

    fn finish(&self, file: &Path, answer: &Vec<u8>) -> Result<Fate> {
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
    f.write("b.sig", [7; 256]);
    let files = ["a", "b", "c"].map(|name| f.path(name));
    let which = Which {
        signed: false,
        recursive: false,
    };
    let found = Files::find(&files, which, None).unwrap();
    let bar = progress::files("", found.total, found.bytes, true);
    let task = Watched {
        signing: signing(&f, Existing::Keep),
        bar: bar.clone(),
        seen: Default::default(),
    };
    let report = batch::Report::new(None).unwrap();
    batch::slice(&task, &Batch::new(1), &files, &bar, |i, result| {
        report.add(&bar, i, &files[i], result).unwrap();
    })
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

/// A manifest takes the place of no file and of no signature, and is not signed where it is in the folder.
#[test]
fn a_manifest_takes_nothings_place() {
    let f = Folder::with_keys();
    fs::create_dir(f.path("d")).unwrap();
    for name in ["d/a", "d/b"] {
        f.write(name, name);
    }
    f.write("empty", "");
    let sign = "sign --key a.pem --batch";
    for (options, why) in [
        ("d --manifest d/a", "that is no manifest"),
        ("d --manifest d/a.sig", "end in .sig"),
        ("d/a d/b --manifest d/b", "a file of the batch"),
        ("empty --manifest ./empty", "a file of the batch"),
    ] {
        let said = f.run(&format!("{sign} {options}")).fails(2);
        assert!(said.contains(why), "{said}");
    }
    assert_eq!(f.read("d/a"), b"d/a");
    assert!(!f.path("d/a.sig").exists() && !f.path("d/b.sig").exists());

    // One that stays is replaced, and passed over.
    f.write("d/a.sig", "bad");
    f.run(&format!("{sign} d --manifest d/m")).fails(5);
    let first = f.read("d/m");
    assert!(!first.is_empty() && !f.path("d/m.sig").exists());
    fs::remove_file(f.path("d/a.sig")).unwrap();
    f.run(&format!("{sign} d --keep --manifest d/m")).ok();
    assert!(f.read("d/m").is_empty() && !f.path("d/m.sig").exists());
    fs::create_dir(f.path("d/x.sig")).unwrap();
    f.run("verify --key a.pub --batch d --manifest d/m").ok();

    // Nor does a lone signature take the place of what it is of.
    std::os::unix::fs::symlink(f.path("d/a"), f.path("link")).unwrap();
    for out in ["d/a", "./d/a", "link"] {
        let said = f.run(&format!("sign --key a.pem --out {out} d/a")).fails(2);
        assert!(said.contains("the place of what is signed"), "{said}");
    }
    assert_eq!(f.read("d/a"), b"d/a");
}
