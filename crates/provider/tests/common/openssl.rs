//! The system's program `openssl`, with the provider and without it.

use super::{Setup, free_port, wait_for};
use std::fs;
use std::process::{Command, Output, Stdio};

/// Whether there is an `openssl` that loads providers; says so if not.
pub fn there_is_openssl() -> bool {
    let version = Command::new("openssl").arg("version").output();
    let there = version.is_ok_and(|version| {
        let text = String::from_utf8_lossy(&version.stdout).into_owned();
        let major = text.split(' ').nth(1).and_then(|v| v.split('.').next());
        major.and_then(|major| major.parse().ok()) >= Some(3)
    });
    if !there {
        eprintln!("SKIPPED: there is no openssl of version 3 or later");
    }
    there
}

/// Whether there is valgrind; says so if not.
pub fn there_is_valgrind() -> bool {
    let there = Command::new("valgrind").arg("--version").output().is_ok();
    if !there {
        eprintln!("SKIPPED: there is no valgrind");
    }
    there
}

impl Setup {
    pub fn command(&self, configuration: &str, line: &str) -> Output {
        Command::new("openssl")
            .args(line.split(' '))
            .env("OPENSSL_CONF", self.path(configuration))
            .current_dir(self.folder.path())
            .output()
            .unwrap()
    }

    /// Runs a command with this provider before the default one.
    pub fn ours(&self, line: &str) -> Vec<u8> {
        good(line, self.command("openssl.cnf", line))
    }

    /// Runs a command with the default provider alone.
    pub fn theirs(&self, line: &str) -> Vec<u8> {
        good(line, self.command("none.cnf", line))
    }

    /// What a command that fails with this provider says.
    pub fn refused(&self, line: &str) -> String {
        let output = self.command("openssl.cnf", line);
        assert_eq!(output.status.code(), Some(1), "{line}: {output:?}");
        String::from_utf8(output.stderr).unwrap()
    }

    /// With a message `m`, and no key.
    pub fn with_message() -> Setup {
        let setup = Setup::new();
        fs::write(setup.path("none.cnf"), "").unwrap();
        fs::write(setup.path("m"), "a message").unwrap();
        setup
    }

    /// With a key of this provider's making, in `k.pem` and `p.pem`, and a message `m`.
    pub fn with_key(algorithm: &str) -> Setup {
        let setup = Setup::with_message();
        setup.ours(&format!(
            "genpkey -algorithm {algorithm} -pkeyopt rsa_keygen_bits:2048 -out k.pem"
        ));
        assert_eq!(setup.count("keys"), 1);
        setup.theirs("pkey -in k.pem -check -pubout -out p.pem");
        setup
    }

    /// One handshake of a server with this provider and a client without. `server` and `client` are their options, of which
    /// the server's second is its certificate.
    pub fn serves(&self, server: &str, client: &str) {
        let certificate = server.split(' ').nth(1).unwrap();
        let verify = format!("-CAfile {certificate} -verify_return_error");
        self.meet(
            "openssl.cnf",
            server,
            "none.cnf",
            &format!("{verify} {client}"),
        );
    }

    /// One handshake of a server and a client, each with its configuration.
    pub fn meet(&self, servers: &str, server: &str, clients: &str, client: &str) {
        let port = free_port();
        let line = format!("s_server -accept 127.0.0.1:{port} {server} -naccept 1 -quiet");
        let mut child = Command::new("openssl")
            .args(line.split(' '))
            .env("OPENSSL_CONF", self.path(servers))
            .current_dir(self.folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        wait_for(port);
        let connect = format!("s_client -connect 127.0.0.1:{port} {client}");
        good(&connect, self.command(clients, &connect));
        drop(child.stdin.take());
        assert!(child.wait().unwrap().success(), "{line}");
    }

    /// Runs a command with this provider under valgrind, which must find no fault.
    pub fn under_valgrind(&self, line: &str) {
        let run = Command::new("valgrind")
            .args([
                "-q",
                "--leak-check=full",
                "--errors-for-leak-kinds=definite",
                "--error-exitcode=9",
            ])
            .arg("openssl")
            .args(line.split(' '))
            .env("OPENSSL_CONF", self.path("openssl.cnf"))
            .current_dir(self.folder.path())
            .output()
            .unwrap();
        good(line, run);
    }
}

fn good(line: &str, output: Output) -> Vec<u8> {
    assert!(output.status.success(), "openssl {line}: {output:?}");
    output.stdout
}
