//! `carrysave hash`, against the library and against itself.

use crate::support::{Folder, noise};
use carrysave::hash::Hash;
use carrysave::symmetric::skein::{Parameters, Skein512, Tree};
use std::fs;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn skein_512(parameters: &Parameters<'_>, bytes: usize, data: &[u8]) -> String {
    let mut hash = Skein512::new(parameters);
    hash.update(data);
    let mut out = vec![0; bytes];
    hash.finalize().read(&mut out);
    hex(&out)
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

/// Skein 1.3, appendix B.
#[test]
fn published_hashes() {
    let f = Folder::new();
    f.write("file", [0xff]);
    let hashes = [
        (
            "--algorithm skein-256",
            "0b98dcd198ea0e50a7a244c444e25c23da30c10fc9a1f270a6637f1f34e67ed2",
        ),
        (
            "",
            "71b7bce6fe6452227b9ced6014249e5bf9a9754c3ad618ccc4e0aae16b316cc8\
             ca698d864307ed3e80b6ef1570812ac5272dc409b5a012df2a579102f340617a",
        ),
        (
            "--algorithm skein-1024",
            "e62c05802ea0152407cdd8787fda9e35703de862a4fbc119cff8590afe79250bccc8b3faf1bd2422ab5c0d263fb2f8af\
             b3f796f048000381531b6f00d85161bc0fff4bef2486b1ebcd3773fabf50ad4ad5639af9040e3f29c6c931301bf79832\
             e9da09857e831e82ef8b4691c235656515d437d2bda33bcec001c67ffde15ba8",
        ),
    ];
    for (options, hash) in hashes {
        let printed = f.run(&format!("hash {options} file")).ok();
        assert_eq!(text(printed), format!("{hash}  file\n"));
        let printed = f.run_with(&format!("hash {options}"), &[0xff]).ok();
        assert_eq!(text(printed), format!("{hash}  -\n"));
    }
}

#[test]
fn options_are_parameters_of_skein() {
    let f = Folder::new();
    let data = noise(1_200_017);
    f.write("file", &data);
    f.write("key", b"a key\n");
    f.write("empty", b"");
    let plain = Parameters::new(64);
    let tree = |leaf, fan, height| Tree::new(leaf, fan, height).unwrap();
    let options = [
        ("", plain.clone(), 64),
        ("--bits 8", Parameters::new(1), 1),
        ("-b 1600", Parameters::new(200), 200),
        ("--key-file key", plain.clone().key(b"a key\n"), 64),
        (
            "--personalization me",
            plain.clone().personalization(b"me"),
            64,
        ),
        ("--tree", plain.clone().tree(Tree::default()), 64),
        (
            "--tree --leaf 1 --fan 2",
            plain.clone().tree(tree(1, 2, 255)),
            64,
        ),
        (
            "--tree --leaf 14 --height 2 -k key",
            plain.clone().tree(tree(14, 5, 2)).key(b"a key\n"),
            64,
        ),
    ];
    for (options, parameters, bytes) in options {
        let hash = skein_512(&parameters, bytes, &data);
        for threads in ["", "--threads 1", "--threads 3"] {
            let printed = f.run(&format!("hash {options} {threads} file")).ok();
            assert_eq!(
                text(printed),
                format!("{hash}  file\n"),
                "{options} {threads}"
            );
            let printed = f.run_with(&format!("hash {options} {threads} -"), &data);
            assert_eq!(
                text(printed.ok()),
                format!("{hash}  -\n"),
                "{options} {threads}"
            );
        }
        let none = skein_512(&parameters, bytes, b"");
        let printed = f.run(&format!("hash {options} empty")).ok();
        assert_eq!(text(printed), format!("{none}  empty\n"));
    }
    for wrong in [
        "--bits 7",
        "--bits 0",
        "--bits 65544",
        "--leaf 1",
        "--tree --leaf 0",
        "--tree --height 1",
        "--status",
        "--status --tag",
        "--strict --bits 256",
        "--check --tag",
    ] {
        let run = f.run(&format!("hash {wrong} file"));
        assert_eq!(run.code, Some(2), "{wrong}: {}", run.err);
    }
}

/// A file whose length is not known beforehand, or not what it says, is read to its end.
#[test]
fn files_without_a_length() {
    let f = Folder::new();
    for name in ["/proc/version", "/sys/devices/system/cpu/online"] {
        let Ok(content) = fs::read(name) else {
            continue;
        };
        for tree in ["", "--tree"] {
            let file = f.run(&format!("hash {tree} {name}")).ok();
            let pipe = f.run_with(&format!("hash {tree} -"), &content).ok();
            assert_eq!(file[..128], pipe[..128]);
        }
        f.write("key", [7; 32]);
        f.run(&format!("cipher -k key {name} -o sealed")).ok();
        f.run("cipher -d -k key sealed -o open").ok();
        assert_eq!(f.read("open"), content);
    }
}

#[test]
fn a_file_that_fails_does_not_stop_the_others() {
    let f = Folder::new();
    f.write("a", b"a");
    f.write("b", b"b");
    let run = f.run("hash a missing b .");
    assert_eq!(run.code, Some(5));
    assert_eq!(text(run.out).lines().count(), 2);
    let lines: Vec<&str> = run.err.lines().collect();
    assert!(lines[0].contains("cannot read missing"), "{lines:?}");
    assert!(lines[1].contains("cannot read ."), "{lines:?}");
    assert_eq!(lines[2..], ["carrysave: 2 of 4 files failed"]);
    assert!(f.run("hash missing").fails(4).contains("missing"));
}

#[test]
fn lists_are_checked() {
    let f = Folder::new();
    // More files than are taken at a time, a name that has to be escaped, and a tree for all threads together.
    let names: Vec<String> = (0..70).map(|i| format!("{i}")).collect();
    for (i, name) in names.iter().enumerate() {
        f.write(name, noise(1000 * i));
    }
    f.write("new\nline", b"x");
    f.write("long", noise(2_000_000));
    fs::create_dir(f.path("d")).unwrap();
    fs::rename(f.path("new\nline"), f.path("d/new\nline")).unwrap();
    let all = names.join(" ");
    for (made, checked) in [
        ("", ""),
        ("--tag", ""),
        ("--tree", "--tree"),
        (
            "--tree --tag --leaf 3 --bits 24 --algorithm skein-256",
            "--tree",
        ),
        (
            "--bits 800 -a skein-1024 -k 7 -p me",
            "-a skein-1024 -k 7 -p me",
        ),
    ] {
        let mut list = f.run(&format!("hash {made} {all} long")).ok();
        let escaped = std::process::Command::new(crate::support::PROGRAM)
            .current_dir(f.path("."))
            .arg("hash")
            .args(made.split_whitespace())
            .arg("d/new\nline")
            .output()
            .unwrap();
        assert!(escaped.stdout.starts_with(b"\\"));
        list.extend(escaped.stdout);
        f.write("list", &list);
        let said = text(f.run(&format!("hash --check {checked} list")).ok());
        assert_eq!(said.lines().count(), 72);
        assert!(said.lines().all(|line| line.ends_with(": OK")), "{said}");
        assert!(said.contains("\\d/new\\nline: OK"), "{said}");
        let said = f.run_with(&format!("hash --quiet -c {checked} -"), &list);
        assert_eq!(text(said.ok()), "");
    }
    f.run("hash --check 1").fails(3);
    f.run("hash --check 0").fails(3);
}

#[test]
fn what_is_wrong_with_a_list() {
    let f = Folder::new();
    for name in ["a", "b", "c"] {
        f.write(name, name);
    }
    let list = text(f.run("hash a b c").ok());
    f.write("list", &list);
    let check = |options: &str| {
        let run = f.run(&format!("hash --check {options} list"));
        (run.code, text(run.out), run.err)
    };
    let said = |text: &str| text.to_owned();

    f.write("b", "another");
    let wrong = said("carrysave: 1 of 3 hashes do not match\n");
    assert_eq!(
        check(""),
        (Some(1), said("a: OK\nb: FAILED\nc: OK\n"), wrong.clone())
    );
    assert_eq!(check("--quiet"), (Some(1), said("b: FAILED\n"), wrong));
    assert_eq!(check("--status"), (Some(1), said(""), said("")));

    fs::remove_file(f.path("b")).unwrap();
    let (code, out, err) = check("");
    assert_eq!(
        (code, &out[..]),
        (Some(1), "a: OK\nb: FAILED open or read\nc: OK\n")
    );
    assert!(
        err.ends_with("carrysave: 1 of 3 files cannot be read\n"),
        "{err}"
    );
    assert_eq!(check("--status"), (Some(1), said(""), said("")));
    assert_eq!(
        check("--ignore-missing"),
        (Some(0), said("a: OK\nc: OK\n"), said(""))
    );
    // What cannot be looked at is not missing: a folder of this name is a file.
    f.write("list", list.replace("  b", "  a/b"));
    let (code, out, _) = check("--ignore-missing");
    assert_eq!(
        (code, &out[..]),
        (Some(1), "a: OK\na/b: FAILED open or read\nc: OK\n")
    );
    f.write("list", &list);

    // A bit less of a hash is another hash.
    f.write("list", list.replace("  a", "00  a"));
    assert_eq!(check("--quiet --ignore-missing").1, "a: FAILED\n");

    // Another list does not keep this one from being checked.
    f.write("list", &list);
    f.write("b", "b");
    f.write("junk", "no hash\n");
    let run = f.run("hash --check junk list nothing");
    assert_eq!(text(run.out), "a: OK\nb: OK\nc: OK\n");
    assert_eq!(run.code, Some(5));
    assert!(run.err.contains("junk: no line is a hash"), "{}", run.err);
    assert!(
        run.err.ends_with("2 of 3 lists are of no use\n"),
        "{}",
        run.err
    );
    fs::remove_file(f.path("b")).unwrap();
    f.write("a", "another");
    let (code, _, err) = check("");
    assert_eq!(code, Some(1));
    assert!(
        err.ends_with("1 of 3 hashes do not match, and 1 of 3 files cannot be read\n"),
        "{err}"
    );
    f.write("a", "a");

    f.write("list", "no hash\n");
    assert_eq!(check("").0, Some(3));
    f.write("list", format!("# made today\nno hash\n\n{list}"));
    let (code, _, err) = check("--ignore-missing");
    assert_eq!(code, Some(0));
    assert_eq!(err, "carrysave: warning: 1 line is not a hash and a file\n");
    let (code, _, err) = check("--ignore-missing --warn");
    assert_eq!(code, Some(0));
    assert_eq!(
        err,
        "carrysave: warning: list: line 2 is not a hash and a file\n"
    );
    assert_eq!(check("--ignore-missing --strict").0, Some(3));
    for name in ["a", "c"] {
        fs::remove_file(f.path(name)).unwrap();
    }
    let (code, out, err) = check("--ignore-missing");
    assert_eq!((code, &out[..]), (Some(1), ""));
    assert!(err.ends_with("none of the files is there\n"), "{err}");
}

/// The kind of a list is told, though none of its hashes is right.
#[test]
fn a_list_of_another_kind_is_told() {
    let f = Folder::new();
    for (name, len) in [("a", 100_000), ("b", 1)] {
        f.write(name, noise(len));
    }
    let check = |options: &str| {
        let run = f.run(&format!("hash --check --quiet {options} list"));
        assert_eq!(run.code, Some(1), "{}", run.err);
        run.err
    };
    let told = "carrysave: warning: no hash is right, as the list is of another kind: ";
    let end = "carrysave: 2 of 2 hashes do not match\n";
    for (made, checked, kind) in [
        (
            "--tree",
            "",
            "check it with --tree, and with --algorithm skein-512",
        ),
        (
            "",
            "--tree",
            "check it without --tree, and with --algorithm skein-512",
        ),
        (
            "-a skein-1024 -b 512",
            "",
            "check it without --tree, and with --algorithm skein-1024",
        ),
        (
            "--tree --leaf 2 -k b -p me -a skein-256",
            "--tree --leaf 2 -k b -p me",
            "check it with --tree, and with --algorithm skein-256",
        ),
    ] {
        f.write("list", f.run(&format!("hash {made} a b")).ok());
        assert_eq!(check(checked), format!("{told}{kind}\n{end}"), "{made}");
        assert_eq!(check(&format!("--status {checked}")), "");
    }
    let lines = |hash: Hash| {
        let line = |name: &str| format!("{}  {name}\n", hex(&hash.digest(&f.read(name))));
        line("a") + &line("b")
    };
    for (hash, kind) in [
        (
            Hash::Sha256,
            "it is one of sha256, which sha256sum --check checks",
        ),
        (
            Hash::Sha512,
            "it is one of sha512, which sha512sum --check checks",
        ),
        (Hash::Sha3_256, "it is one of sha3-256"),
    ] {
        f.write("list", lines(hash));
        assert_eq!(check(""), format!("{told}{kind}\n{end}"));
    }
    // Nothing is guessed of a hash that says what it is, of none that is known, or where another one is right.
    f.write("list", f.run("hash --tag a b").ok());
    f.write("a", "another");
    let some = check("");
    assert_eq!(some, "carrysave: 1 of 2 hashes do not match\n");
    f.write("b", "another");
    assert_eq!(check(""), end);
    f.write("list", "00ff  a\n00ff  b\n");
    assert_eq!(check(""), end);
}

/// A line is no longer than a hash and a name are.
#[test]
fn a_list_may_have_any_length_and_a_line_may_not() {
    let f = Folder::new();
    f.write("a", b"a");
    let line = text(f.run("hash a").ok());
    let (hash, _) = line.split_once(' ').unwrap();
    let long = format!("{}a", "./".repeat(2000));
    f.write("list", format!("{hash}  {long}\n"));
    f.run("hash --check list").ok();
    let (list, junk) = (line.repeat(3), "x".repeat(1 << 20));
    f.write(
        "list",
        format!("{list}{junk}\n{list}{hash}  {junk}\n{list}{junk}"),
    );
    let run = f.run("hash --check --warn list");
    let expected: String = [4, 8, 12]
        .map(|n| format!("carrysave: warning: list: line {n} is not a hash and a file\n"))
        .concat();
    assert_eq!(run.err, expected);
    assert_eq!(text(run.ok()), "a: OK\n".repeat(9));
    // The last line need not end, and the order is that of the lines.
    let names: Vec<String> = (0..1000).map(|i| format!("{}", i * 7 % 500)).collect();
    for name in &names {
        f.write(name, name);
    }
    let list = text(f.run(&format!("hash {}", names.join(" "))).ok());
    let said = f.run_with("hash --check --threads 5 -", list.trim_end().as_bytes());
    let expected: String = names.iter().map(|name| format!("{name}: OK\n")).collect();
    assert_eq!(text(said.ok()), expected);
}
