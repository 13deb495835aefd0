//! The servers: their files, how they are started, and what the system says of them.

use crate::processes::{Processes, signal, temp_folder};
use carrysave_cli::interrupt::TempFolder;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

/// A server program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Server {
    /// `haproxy`, which can pause handshakes.
    Haproxy,
    /// `nginx` with one worker.
    Nginx,
}

impl Server {
    /// All servers.
    pub const ALL: [Server; 2] = [Server::Haproxy, Server::Nginx];

    /// The program's name.
    pub fn name(self) -> &'static str {
        match self {
            Server::Haproxy => "haproxy",
            Server::Nginx => "nginx",
        }
    }

    /// Whether it is installed.
    pub fn is_installed(self) -> bool {
        Command::new(self.name()).arg("-v").output().is_ok()
    }
}

/// The key of a server's certificate: RSA of a length in bits, or P-256.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// RSA.
    Rsa(usize),
    /// ECDSA on P-256.
    P256,
}

impl Key {
    pub(super) fn bits(self) -> usize {
        match self {
            Key::Rsa(bits) => bits,
            Key::P256 => 256,
        }
    }

    /// The file of its certificate and private key.
    fn file(self) -> String {
        format!("{}.pem", self.bits())
    }
}

/// With whose cryptography a server runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contender {
    /// OpenSSL's own.
    Default,
    /// The provider.
    Ours,
    /// The provider, with handshakes that are paused.
    Paused,
}

impl Contender {
    pub fn name(self) -> &'static str {
        match self {
            Contender::Default => "openssl",
            Contender::Ours => "carrysave",
            Contender::Paused => "carrysave/async",
        }
    }
}

/// The files of the servers: certificates, and configurations of OpenSSL with the provider and without it.
pub(super) struct Servers {
    folder: TempFolder,
    /// A library that the servers load before all others.
    pub preload: Option<PathBuf>,
}

impl Servers {
    /// Makes them for these keys.
    pub fn new(module: &Path, keys: &[Key]) -> io::Result<Servers> {
        let folder = Servers {
            folder: temp_folder()?,
            preload: None,
        };
        let module = fs::canonicalize(module).map_err(|e| {
            io::Error::other(format!(
                "{}: {e}: cargo build --release -p carrysave-provider makes the module",
                module.display()
            ))
        })?;
        let ours = format!(
            "openssl_conf = init\n[init]\nproviders = providers\n[providers]\ncarrysave = ours\ndefault = theirs\n\
             [ours]\nmodule = {}\ncounters = {}\nactivate = 1\n[theirs]\nactivate = 1\n",
            module.display(),
            folder.path("counters").display(),
        );
        fs::write(folder.path("ours.cnf"), ours)?;
        fs::write(folder.path("default.cnf"), "")?;
        for &key in keys {
            let algorithm = match key {
                Key::Rsa(bits) => format!("rsa:{bits}"),
                Key::P256 => "ec -pkeyopt ec_paramgen_curve:P-256".to_owned(),
            };
            let (cert, secret) = (folder.path("c.pem"), folder.path("k.pem"));
            let line = format!("req -x509 -newkey {algorithm} -nodes -subj /CN=localhost -days 3");
            let made = Command::new("openssl")
                .args(line.split(' '))
                .args(["-addext", "subjectAltName=DNS:localhost"])
                .arg("-out")
                .arg(&cert)
                .arg("-keyout")
                .arg(&secret)
                .output()?;
            if !made.status.success() {
                let said = String::from_utf8_lossy(&made.stderr).into_owned();
                return Err(io::Error::other(format!(
                    "openssl makes no certificate: {said}"
                )));
            }
            let both = [fs::read(cert)?, fs::read(secret)?].concat();
            fs::write(folder.path(&key.file()), both)?;
        }
        Ok(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// How often the provider has done this in all servers so far.
    pub fn count(&self, what: Counter) -> u64 {
        let at = 8 * what as usize;
        let counters = fs::read(self.path("counters")).unwrap_or_default();
        let count = counters
            .get(at..at + 8)
            .and_then(|bytes| bytes.try_into().ok());
        count.map_or(0, u64::from_ne_bytes)
    }

    /// Starts a server with certificates of these keys.
    pub fn start(&self, server: Server, keys: &[Key], contender: Contender) -> io::Result<Running> {
        let port = std::net::TcpListener::bind("127.0.0.1:0")?
            .local_addr()?
            .port();
        let folder = self.folder.path();
        let place = folder.display();
        let each = |line: &dyn Fn(&str) -> String| -> String {
            let files = keys.iter().map(|key| self.path(&key.file()));
            files
                .map(|file| line(&file.display().to_string()))
                .collect()
        };
        let configuration = match server {
            Server::Haproxy => format!(
                "global\n  nbthread 1\n  tune.ssl.cachesize 0\n  maxconn 1000\n  {}\n\
                 defaults\n  mode http\n  timeout client 20s\n  timeout server 20s\n  timeout connect 20s\n\
                 frontend f\n  bind 127.0.0.1:{port} ssl{} no-tls-tickets curves X25519\n\
                 \x20 http-request return status 200\n",
                if contender == Contender::Paused {
                    "ssl-mode-async"
                } else {
                    ""
                },
                each(&|file| format!(" crt {file}")),
            ),
            Server::Nginx => format!(
                "daemon off; worker_processes 1; pid {place}/pid; error_log stderr; user root;\n\
                 events {{ worker_connections 1000; }}\n\
                 http {{ access_log off; client_body_temp_path {place}/1; proxy_temp_path {place}/2;\n\
                 fastcgi_temp_path {place}/3; uwsgi_temp_path {place}/4; scgi_temp_path {place}/5;\n\
                 server {{ listen 127.0.0.1:{port} ssl; {}\n\
                 ssl_protocols TLSv1.3; ssl_session_tickets off; ssl_ecdh_curve X25519; location / {{ return 200 'hello'; }} }} }}\n",
                each(&|file| format!("ssl_certificate {file}; ssl_certificate_key {file}; ")),
            ),
        };
        let file = self.path("server.conf");
        fs::write(&file, configuration)?;
        let mut command = Command::new("taskset");
        command.args(["-c", "0", server.name()]);
        match server {
            Server::Haproxy => command.arg("-db").arg("-f").arg(&file),
            Server::Nginx => command
                .args(["-e", "stderr", "-p"])
                .arg(folder)
                .arg("-c")
                .arg(&file),
        };
        let conf = if contender == Contender::Default {
            "default.cnf"
        } else {
            "ours.cnf"
        };
        let child = command
            .env("OPENSSL_CONF", self.path(conf))
            .envs(self.preload.iter().map(|library| ("LD_PRELOAD", library)))
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::File::create(self.path("said"))?)
            .spawn()
            .map_err(|e| io::Error::other(format!("taskset, which starts the servers: {e}")))?;
        let mut running = Running { child, port };
        let started = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let ended = running.child.try_wait()?.is_some();
            if ended || started.elapsed() > Duration::from_secs(10) {
                let said = fs::read_to_string(self.path("said")).unwrap_or_default();
                return Err(io::Error::other(format!(
                    "{} does not listen; it says: {}",
                    server.name(),
                    said.trim()
                )));
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(running)
    }
}

/// What the provider counts, by its place in the file of its counters.
#[derive(Clone, Copy, Debug)]
pub(super) enum Counter {
    /// Signatures.
    Signatures = 2,
    /// Handshakes that were paused.
    Pauses = 7,
}

/// A server, which ends with this value.
pub(super) struct Running {
    child: Child,
    pub port: u16,
}

impl Drop for Running {
    fn drop(&mut self) {
        // It ends its workers first, which SIGKILL would leave.
        _ = signal("-TERM", self.child.id());
        _ = self.child.wait();
    }
}

impl Running {
    /// The server and the processes that it started.
    pub fn processes(&self) -> Processes {
        Processes(self.child.id())
    }
}
