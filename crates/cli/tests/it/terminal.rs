//! Passwords from a terminal: not shown, and the echo comes back however the program ends.

use crate::support::{Folder, PROGRAM, ending_signals, signal};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// The program on a terminal of its own, and what it has shown there.
struct Session {
    terminal: File,
    program: File,
    child: Child,
    shown: String,
}

impl Session {
    fn start(f: &Folder, arguments: &str) -> Session {
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&terminal).unwrap();
        unlockpt(&terminal).unwrap();
        fcntl_setfl(&terminal, OFlags::NONBLOCK).unwrap();
        let name = ptsname(&terminal, vec![]).unwrap();
        let name = name.to_str().unwrap().to_owned();
        let program = rustix::fs::open(&*name, OFlags::RDWR | OFlags::NOCTTY, 0.into()).unwrap();
        let program = File::from(program);
        let side = || Stdio::from(program.try_clone().unwrap());
        let child = Command::new("setsid")
            .args(["--ctty", PROGRAM])
            .args(arguments.split(' '))
            .current_dir(f.path("."))
            .stdin(side())
            .stdout(side())
            .stderr(side())
            .spawn()
            .unwrap();
        Session {
            terminal: terminal.into(),
            program,
            child,
            shown: String::new(),
        }
    }

    fn echoes(&self) -> bool {
        let modes = tcgetattr(&self.program).unwrap().local_modes;
        modes.contains(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG)
    }

    fn look(&mut self) {
        let mut some = [0; 1000];
        match self.terminal.read(&mut some) {
            Ok(read) => self.shown += std::str::from_utf8(&some[..read]).unwrap(),
            Err(e) => assert_eq!(e.kind(), ErrorKind::WouldBlock),
        }
    }

    /// Waits for this prompt, behind which nothing is shown.
    fn asked(&mut self, prompt: &str) {
        while !self.shown.contains(prompt) || self.echoes() {
            let ended = self.child.try_wait().unwrap();
            self.look();
            assert!(ended.is_none(), "it ended: {}", self.shown);
            sleep(Duration::from_millis(5));
        }
    }

    fn ended(&mut self) -> Option<i32> {
        let code = loop {
            // It waits for a terminal that is not read.
            self.look();
            if let Some(status) = self.child.try_wait().unwrap() {
                break status.code();
            }
            sleep(Duration::from_millis(5));
        };
        self.look();
        code
    }
}

fn ready() -> Option<Folder> {
    let there = Command::new("setsid").arg("--version").output();
    if there.is_err() {
        eprintln!("SKIPPED: passwords from a terminal: there is no setsid of util-linux");
        return None;
    }
    let f = Folder::with_keys();
    f.write("password", "correct horse\n");
    f.run("keygen --quiet --curve x25519 --password-file password --out x.pem")
        .ok();
    Some(f)
}

#[test]
fn a_password_is_not_shown() {
    let Some(f) = ready() else { return };
    let mut session = Session::start(&f, "agree --key x.pem --peer x.pub --out s");
    session.asked("Password for x.pem: ");
    // The line may be edited: ^U takes back what was typed, DEL a letter.
    session
        .terminal
        .write_all(b"wrong\x15correct horsf\x7fe\n")
        .unwrap();
    assert_eq!(session.ended(), Some(0), "{}", session.shown);
    assert_eq!(session.shown, "Password for x.pem: \r\n");
    assert!(session.echoes());
    assert_eq!(f.read("s").len(), 32);
}

#[test]
fn binary_output_does_not_go_to_a_terminal() {
    let Some(f) = ready() else { return };
    f.write("file", b"content");
    f.write("secret", [7; 16]);
    for command in [
        "encrypt --to a.pub file --out -",
        "sign --key a.pem file --out -",
        "agree --key x.pem --password-file password --peer x.pub --out -",
        "cipher --raw -a aes-128 -m ecb -k secret file --out -",
        "keygen --curve p-256 --der --out -",
        "keygen --curve p-256 --der --out new.der --public-out -",
    ] {
        let mut session = Session::start(&f, command);
        assert_eq!(session.ended(), Some(2), "{command}: {}", session.shown);
        let said = "does not go to a terminal: use --out FILE";
        assert!(session.shown.contains(said), "{command}: {}", session.shown);
    }
}

#[test]
fn two_passwords_that_differ_are_refused() {
    let Some(f) = ready() else { return };
    for (typed, code) in [("one\ntwo\n", 2), ("one\none\n", 0), ("\n", 2), ("\x04", 2)] {
        let command = "keygen --quiet --curve x25519 --encrypt --force --out y.pem";
        let mut session = Session::start(&f, command);
        session.asked("Password for the new key: ");
        session.terminal.write_all(typed.as_bytes()).unwrap();
        assert_eq!(session.ended(), Some(code), "{typed:?} {}", session.shown);
        assert!(session.echoes() && !session.shown.contains("one"));
    }
}

#[test]
fn the_echo_comes_back_when_a_signal_ends_the_program() {
    let Some(f) = ready() else { return };
    let before = f.contents();
    for command in [
        "agree --key x.pem --peer x.pub --out s",
        "keygen --curve x25519 --encrypt --out y.pem",
        "decrypt --key x.pem --out s a.pem",
        "cipher --out s a.pem",
    ] {
        for (name, code) in ending_signals().into_iter().chain([("^C", 130)]) {
            let mut session = Session::start(&f, command);
            session.asked("Password for ");
            match name {
                "^C" => session.terminal.write_all(b"typed\x03").unwrap(),
                name => signal(&session.child, name),
            }
            assert_eq!(session.ended(), Some(code), "{command}, {name}");
            assert!(session.echoes(), "{command}, {name}: no echo");
            assert!(!session.shown.contains("typed"), "{}", session.shown);
            assert_eq!(f.contents(), before);
        }
    }
}
