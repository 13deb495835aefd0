//! Where results go: files and their modes, links, devices, pipes that nobody reads.

use crate::support::{Folder, PROGRAM, full, gone, noise};
use std::fs;
use std::process::Stdio;

#[test]
fn outputs_replace_files_and_follow_links_but_not_devices() {
    let f = Folder::with_keys();
    f.write("file", b"content");
    f.write("target", b"old");
    std::os::unix::fs::symlink(f.path("target"), f.path("link")).unwrap();
    f.run("encrypt --to a.pub file --out link").ok();
    assert!(fs::symlink_metadata(f.path("link")).unwrap().is_symlink());
    assert_ne!(f.read("target"), b"old");
    f.run("encrypt --to a.pub file --out file").ok();
    assert_eq!(f.run("decrypt --key a.pem file --out -").ok(), b"content");
    f.run("decrypt --key a.pem file --out /dev/null").ok();
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    f.run("decrypt --key a.pem file --out .").fails(4);
}

/// As `cat` does.
#[test]
fn outputs_go_where_a_link_leads_and_after_what_is_there() {
    let f = Folder::with_keys();
    f.write("file", b"content");
    fs::create_dir(f.path("far")).unwrap();
    std::os::unix::fs::symlink("far/new", f.path("link")).unwrap();
    f.run("encrypt --to a.pub file --out link").ok();
    assert!(fs::symlink_metadata(f.path("link")).unwrap().is_symlink());
    assert!(f.path("far/new").is_file());
    for name in ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        f.write("log", b"before\n");
        f.write(
            "script",
            format!(
                "{PROGRAM} encrypt --to a.pub --pem file --out {name} >>log\necho after >>log\n"
            ),
        );
        f.run_program("sh", "script", b"").ok();
        let log = String::from_utf8(f.read("log")).unwrap();
        assert!(
            log.starts_with("before\n-----BEGIN ") && log.ends_with("-----\nafter\n"),
            "{name}: {log}"
        );
    }
    // A file without a name cannot be replaced.
    f.write(
        "script",
        format!("exec 3>gone\nrm gone\n{PROGRAM} encrypt --to a.pub file --out /dev/fd/3\n"),
    );
    let run = f.run_program("sh", "script", b"");
    assert_eq!(run.code, Some(2), "{}", run.err);
    assert!(run.err.contains("has no name"), "{}", run.err);
}

#[test]
fn an_output_keeps_the_mode_of_the_file_that_it_replaces() {
    use std::os::unix::fs::PermissionsExt;
    let f = Folder::with_keys();
    f.write("file", b"content");
    let mode = || f.path("c").metadata().unwrap().permissions().mode() & 0o777;
    for before in [0o600, 0o400] {
        f.write("c", b"old");
        fs::set_permissions(f.path("c"), fs::Permissions::from_mode(before)).unwrap();
        f.run("encrypt --to a.pub file --out c").ok();
        assert_eq!(mode(), before);
        fs::remove_file(f.path("c")).unwrap();
    }
}

#[test]
fn a_new_output_has_the_mode_that_the_umask_leaves() {
    use std::os::unix::fs::PermissionsExt;
    let f = Folder::with_keys();
    f.write("file", b"content");
    let line = "encrypt --quiet --to a.pub file --out";
    f.write(
        "script",
        format!("umask 027\n{PROGRAM} {line} c\nexec {PROGRAM} {line} d\n"),
    );
    f.run_program("sh", "script", b"").ok();
    for name in ["c", "d"] {
        let mode = f.path(name).metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640, "{name}");
    }
}

#[test]
fn text_for_a_full_device_fails_and_for_a_closed_pipe_ends() {
    let f = Folder::with_keys();
    f.write("file", b"content");
    for (arguments, code) in [
        ("inspect a.pem", 0),
        ("hash file", 0),
        ("kernels", 0),
        // The manifest has a line for the file that is missing.
        (
            "sign --key a.pem --batch file missing --force --manifest -",
            5,
        ),
    ] {
        let ended = |out| f.run_into(arguments, out, Stdio::null());
        assert_eq!(ended(full()), Some(4), "{arguments}");
        assert_eq!(ended(gone()), Some(code), "{arguments}");
    }
}

#[test]
fn whoever_does_not_listen_holds_nothing_up() {
    let f = Folder::with_keys();
    for name in ["d/0", "d/1"] {
        fs::create_dir_all(f.path("d")).unwrap();
        f.write(name, noise(100));
    }
    f.write("list", "no hash");
    f.write("short", [7; 16]);
    for err in [full, gone] {
        for (arguments, code) in [
            ("inspect nowhere", 4),
            ("keygen --small --bits 1024 --out k.pem --force", 0),
            ("keygen --curve x25519 --out x.pem --force", 0),
            ("sign --key a.pem --force --batch missing d", 5),
            ("sign --key a.pem --keep --batch d", 0),
            ("hash nowhere neither", 5),
            ("hash --check --warn list", 3),
            ("encrypt --segmented --to a.pub d/0 --out c", 0),
            ("decrypt --segmented --key a.pem c --out p", 0),
            ("cipher --raw -a aes-128 -m ecb -k short d/0.sig --out e", 0),
        ] {
            let status = f.run_into(arguments, Stdio::null(), err());
            assert_eq!(status, Some(code), "{arguments}");
        }
        for name in ["d/0.sig", "d/1.sig"] {
            fs::remove_file(f.path(name)).unwrap();
        }
    }
    assert_eq!(f.read("p"), f.read("d/0"));
}

#[test]
fn an_output_that_cannot_be_begun_is_named_alone() {
    let f = Folder::with_keys();
    f.write("file", b"content");
    let said = f.run("encrypt --to a.pub file --out no/such/c").fails(4);
    assert_eq!(
        said,
        "carrysave: cannot write no/such/c: No such file or directory (os error 2)\n"
    );
}
