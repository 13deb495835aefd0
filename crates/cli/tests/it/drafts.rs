//! Drafts: no other user can read them, and nothing of them remains.

use crate::support::{Folder, PROGRAM, draft_of, ending_signals, noise, signal};
use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

/// Another user.
const NOBODY: u32 = 65_534;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o777
}

/// Where a program finds no /proc, so that files without names could get none; or why it cannot be shown here.
fn without_proc() -> Result<Vec<&'static str>, &'static str> {
    let hide = "umount -l /proc && exec \"$@\"";
    let wrapped = ["unshare", "--mount", "sh", "-c", hide, "sh"];
    let works = Command::new(wrapped[0])
        .args(&wrapped[1..])
        .arg("true")
        .stderr(Stdio::null())
        .status();
    match works {
        Ok(status) if status.success() => Ok(wrapped.into()),
        _ => Err("SKIPPED: /proc cannot be hidden here, which root can"),
    }
}

/// The program where it writes into files without a name, and where it cannot.
fn ways() -> Vec<Vec<&'static str>> {
    let mut ways = vec![vec![]];
    match without_proc() {
        Ok(wrapped) => ways.push(wrapped),
        Err(why) => eprintln!("{why}"),
    }
    ways
}

/// Starts a command in a way, with all of the input but its end, and waits until it has written something.
fn halfway(f: &Folder, way: &[&str], command: &str, input: &[u8]) -> (Child, ChildStdin) {
    let words: Vec<&str> = way.iter().copied().chain([PROGRAM]).collect();
    let mut child = Command::new(words[0])
        .args(&words[1..])
        .args(command.split(' '))
        .current_dir(f.path("."))
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&input[..input.len() - 1000]).unwrap();
    while draft_of(&child, &f.path(".")).is_none_or(|(_, len)| len <= 100_000) {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    (child, stdin)
}

/// A folder that everybody may look into, with a message and its plaintext.
fn message() -> (Folder, Vec<u8>) {
    let f = Folder::with_keys();
    fs::set_permissions(f.path("."), Permissions::from_mode(0o755)).unwrap();
    f.write("k", [7; 32]);
    f.run_with("encrypt --to a.pub - --out m", &noise(2_000_000))
        .ok();
    let message = f.read("m");
    (f, message)
}

#[test]
fn nobody_reads_what_is_not_authenticated_yet() {
    let (f, message) = message();
    for way in ways() {
        for command in ["decrypt --key a.pem - --out p", "cipher -k k - --out p"] {
            let before = f.contents();
            let (mut child, stdin) = halfway(&f, &way, command, &message);
            let (draft, _) = draft_of(&child, &f.path(".")).unwrap();
            assert_eq!(mode(&draft), 0o600, "{command}");
            assert!(!f.path("p").exists());
            let named = f.contents().len() - before.len();
            assert_eq!(named, usize::from(!way.is_empty()), "{command}");
            let mut other = Command::new("sh");
            other
                .args(["-c", "cat .carrysave-* \"$0\""])
                .arg(&draft)
                .current_dir(f.path("."))
                .uid(NOBODY);
            match other.output() {
                Ok(seen) => assert!(seen.stdout.is_empty(), "{command}"),
                Err(_) => eprintln!("SKIPPED: only root can be somebody else"),
            }
            drop(stdin);
            child.wait().unwrap();
            fs::remove_file(f.path("p")).ok();
            assert_eq!(f.contents(), before, "{command}");
        }
    }
}

#[test]
fn a_program_that_is_killed_leaves_nothing() {
    let (f, message) = message();
    let before = f.contents();
    for command in [
        "decrypt --key a.pem - --out p",
        "decrypt --key a.pem - --out m",
        "encrypt --to a.pub - --out p",
        "cipher -k k - --out p",
    ] {
        let (mut child, _stdin) = halfway(&f, &[], command, &message);
        signal(&child, "KILL");
        child.wait().unwrap();
        assert_eq!(f.contents(), before, "{command}");
    }
}

#[test]
fn an_interrupt_removes_what_has_a_name() {
    let (f, message) = message();
    let before = f.contents();
    for way in ways() {
        for (name, code) in ending_signals() {
            let command = "decrypt --key a.pem - --out p";
            let (mut child, _stdin) = halfway(&f, &way, command, &message);
            signal(&child, name);
            assert_eq!(child.wait().unwrap().code(), Some(code), "{name}");
            assert_eq!(f.contents(), before, "{name}");
        }
    }
}

#[test]
fn who_starts_it_by_nohup_is_not_hung_up() {
    let (f, message) = message();
    let way = ["sh", "-c", "trap '' HUP; exec \"$@\"", "sh"];
    let (mut child, stdin) = halfway(&f, &way, "decrypt --key a.pem - --out p", &message);
    signal(&child, "HUP");
    let mut stdin = stdin;
    stdin.write_all(&message[message.len() - 1000..]).unwrap();
    drop(stdin);
    assert!(child.wait().unwrap().success());
    assert!(f.read("p") == noise(2_000_000));
}

/// The mode of a file that is there stays, as far as the umask lets it.
#[test]
fn outputs_have_the_modes_that_the_user_wants() {
    let f = Folder::with_keys();
    f.write("data", noise(1000));
    let run = |way: &[&str], mask: &str, command: &str| {
        let mut words = way.to_vec();
        words.extend(["sh", "-c", "umask $0 && exec \"$@\"", mask, PROGRAM]);
        words.extend(command.split(' '));
        let done = Command::new(words[0])
            .args(&words[1..])
            .current_dir(f.path("."))
            .output()
            .unwrap();
        assert!(done.status.success(), "{command}: {done:?}");
    };
    for way in ways() {
        for (mask, expected) in [("022", 0o644), ("027", 0o640), ("000", 0o666)] {
            for (command, name) in [
                ("encrypt --to a.pub data --out c", "c"),
                ("decrypt --key a.pem c --out p", "p"),
                ("sign --key a.pem data --out s", "s"),
            ] {
                run(&way, mask, command);
                assert_eq!(mode(&f.path(name)), expected, "{command}, {mask}");
            }
            run(&way, mask, "keygen --quiet --curve x25519 --out x.pem");
            let modes = ["x.pem", "x.pub"].map(|name| mode(&f.path(name)));
            assert_eq!(modes, [0o600, expected]);
            run(&way, mask, "agree --key x.pem --peer x.pub --out secret");
            assert_eq!(mode(&f.path("secret")), 0o600);
            for name in ["c", "p", "s", "x.pem", "x.pub", "secret"] {
                fs::remove_file(f.path(name)).unwrap();
            }
        }
        for (there, expected) in [(0o600, 0o600), (0o664, 0o644), (0o400, 0o400)] {
            f.write("there", "old");
            fs::set_permissions(f.path("there"), Permissions::from_mode(there)).unwrap();
            symlink("there", f.path("link")).unwrap();
            run(&way, "022", "encrypt --to a.pub data --out link");
            assert_eq!(mode(&f.path("there")), expected);
            assert!(f.path("link").is_symlink());
            for name in ["there", "link"] {
                fs::remove_file(f.path(name)).unwrap();
            }
        }
    }
}
