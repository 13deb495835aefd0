//! Programs as Debian has them, none of them changed, with the provider by configuration alone. Each is skipped, loudly,
//! where it is not installed; all traffic stays on loopback.

mod common;

use common::{Setup, free_port, wait_for};
use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread;

/// Whether a program is installed; says so if not.
fn there_is(program: &str, version: &str) -> bool {
    let there = Command::new(program)
        .arg(version)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok();
    if !there {
        eprintln!("SKIPPED: {program} is not installed");
    }
    there
}

/// A program that is killed, with its workers, when the test ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // SAFETY: the child leads a group of its own.
        unsafe { libc::kill(-(self.0.id() as i32), libc::SIGKILL) };
        _ = self.0.wait();
    }
}

impl Setup {
    /// With a key and a certificate of localhost, which the default provider makes: `k.pem`, `c.pem`, and both in
    /// `b.pem`.
    fn with_certificate() -> Setup {
        let setup = Setup::new();
        let line = "req -x509 -newkey rsa:2048 -nodes -keyout k.pem -out c.pem -subj /CN=localhost -days 3 \
                    -addext subjectAltName=DNS:localhost";
        let made = Command::new("openssl")
            .args(line.split(' '))
            .current_dir(setup.folder.path())
            .output()
            .unwrap();
        assert!(made.status.success(), "{made:?}");
        let both = ["c.pem", "k.pem"].map(|name| fs::read_to_string(setup.path(name)).unwrap());
        fs::write(setup.path("b.pem"), both.concat()).unwrap();
        setup
    }

    fn start(&self, program: &str, arguments: &[&str]) -> Running {
        let child = Command::new(program)
            .args(arguments)
            .env("OPENSSL_CONF", self.path("openssl.cnf"))
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap();
        Running(child)
    }

    /// Shakes hands `count` times, on eight threads, with the default provider's client, which verifies the certificate.
    fn shake_hands(&self, port: u16, count: usize) {
        thread::scope(|scope| {
            for of in 0..8 {
                scope.spawn(move || {
                    for _ in (of..count).step_by(8) {
                        let to = format!("127.0.0.1:{port}");
                        let client = Command::new("openssl")
                            .args([
                                "s_client",
                                "-connect",
                                &to,
                                "-CAfile",
                                "c.pem",
                                "-verify_return_error",
                            ])
                            .env("OPENSSL_CONF", "/dev/null")
                            .current_dir(self.folder.path())
                            .stdin(Stdio::null())
                            .output()
                            .unwrap();
                        assert!(client.status.success(), "{client:?}");
                    }
                });
            }
        });
    }
}

#[test]
fn nginx_signs_in_its_workers() {
    if !there_is("nginx", "-v") || !there_is("openssl", "version") {
        return;
    }
    let f = Setup::with_certificate();
    let port = free_port();
    let folder = f.folder.path().display();
    let configuration = format!(
        "daemon off; worker_processes 2; pid {folder}/pid; error_log stderr; user root;
         events {{ worker_connections 64; }}
         http {{
           access_log off; client_body_temp_path {folder}/1; proxy_temp_path {folder}/2;
           fastcgi_temp_path {folder}/3; uwsgi_temp_path {folder}/4; scgi_temp_path {folder}/5;
           server {{
             listen 127.0.0.1:{port} ssl; ssl_certificate c.pem; ssl_certificate_key k.pem;
             location / {{ return 200 'hello'; }}
           }}
         }}"
    );
    fs::write(f.path("nginx.conf"), configuration).unwrap();
    let file = f.path("nginx.conf");
    let server = f.start(
        "nginx",
        &[
            "-e",
            "stderr",
            "-p",
            &folder.to_string(),
            "-c",
            file.to_str().unwrap(),
        ],
    );
    wait_for(port);
    f.shake_hands(port, 32);
    assert_eq!((f.count("signatures"), f.count("agreements")), (32, 32));
    // The client program verifies and agrees by this provider, too.
    if there_is("curl", "--version") {
        let url = format!("https://localhost:{port}/");
        let curl = Command::new("curl")
            .args([
                "-sS",
                "--cacert",
                "c.pem",
                "--resolve",
                &format!("localhost:{port}:127.0.0.1"),
                &url,
            ])
            .env("OPENSSL_CONF", f.path("openssl.cnf"))
            .current_dir(f.folder.path())
            .output()
            .unwrap();
        assert_eq!(curl.stdout, b"hello", "{curl:?}");
        assert_eq!(f.count("signatures"), 33);
        // Of the handshake's signature; that of the certificate is its own.
        assert!(f.count("verifications") > 0);
    }
    drop(server);
}

#[test]
fn haproxy_signs_in_groups() {
    if !there_is("haproxy", "-v") || !there_is("openssl", "version") {
        return;
    }
    for (threads, mode) in [(1, ""), (1, "ssl-mode-async"), (2, "ssl-mode-async")] {
        let f = Setup::with_certificate();
        let port = free_port();
        let configuration = format!(
            "global\n  nbthread {threads}\n  {mode}\n\
             defaults\n  mode http\n  timeout client 9s\n  timeout server 9s\n  timeout connect 9s\n\
             frontend f\n  bind 127.0.0.1:{port} ssl crt b.pem no-tls-tickets\n  http-request return status 200\n"
        );
        fs::write(f.path("haproxy.cfg"), configuration).unwrap();
        let mut server = f.start("haproxy", &["-db", "-f", "haproxy.cfg"]);
        wait_for(port);
        f.shake_hands(port, 64);
        assert_eq!(f.count("signatures"), 64, "{threads} {mode}");
        let paused = if mode.is_empty() { 0 } else { 64 };
        assert_eq!(f.count("pauses"), paused, "{threads} {mode}");
        assert_eq!(server.0.try_wait().unwrap(), None, "it lives");
    }
}

#[test]
fn python_serves_and_connects() {
    if !there_is("python3", "--version") || !there_is("openssl", "version") {
        return;
    }
    let f = Setup::with_certificate();
    let script = "
import socket, ssl, threading
server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
server.load_cert_chain('c.pem', 'k.pem')
client = ssl.create_default_context(cafile='c.pem')
listener = socket.create_server(('127.0.0.1', 0))
def serve():
    for _ in range(5):
        with server.wrap_socket(listener.accept()[0], server_side=True) as s: s.sendall(b'hello')
threading.Thread(target=serve).start()
for _ in range(5):
    with socket.create_connection(listener.getsockname()) as s:
        with client.wrap_socket(s, server_hostname='localhost') as t: assert t.recv(5) == b'hello'
";
    fs::write(f.path("t.py"), script).unwrap();
    let done = Command::new("python3")
        .arg("t.py")
        .env("OPENSSL_CONF", f.path("openssl.cnf"))
        .current_dir(f.folder.path())
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
    assert_eq!((f.count("signatures"), f.count("agreements")), (5, 10));
    assert!(f.count("verifications") >= 5);
}

#[test]
fn node_signs_with_its_static_openssl() {
    if !there_is("node", "--version") || !there_is("openssl", "version") {
        return;
    }
    let f = Setup::with_certificate();
    let script = "
const crypto = require('crypto'), fs = require('fs');
const key = crypto.createPrivateKey(fs.readFileSync('k.pem'));
const message = Buffer.from('a message');
const options = { key, padding: crypto.constants.RSA_PKCS1_PSS_PADDING };
let left = 20;
for (let i = 0; i < 20; i++) crypto.sign('sha256', message, options, (error, signature) => {
  if (error || !crypto.verify('sha256', message, options, signature)) process.exit(9);
  if (--left == 0) process.exit(0);
});
";
    fs::write(f.path("t.js"), script).unwrap();
    let configuration = format!("--openssl-config={}", f.path("openssl.cnf").display());
    let done = Command::new("node")
        .args(["--openssl-shared-config", &configuration, "t.js"])
        .current_dir(f.folder.path())
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
    assert_eq!((f.count("signatures"), f.count("verifications")), (20, 20));
}
