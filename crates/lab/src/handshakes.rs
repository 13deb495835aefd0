//! TLS servers as the system has them, with the OpenSSL provider and without it: processor time for a handshake, and how
//! long a client waits.
//!
//! A server has one thread, on processor 0, and takes full handshakes of TLS 1.3 from clients on loopback, which run on
//! the other processors. Its processor time is that of the system's scheduler, over all threads of all its processes.
//! Contenders take turns; figures are medians of the rounds.

use crate::record::Row;
use crate::stats::{median, quantile, significant, spread};
use rustls::client::Resumption;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, SignatureScheme};
use std::io;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fs, thread};
use tempfile::TempDir;

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
    fn bits(self) -> usize {
        match self {
            Key::Rsa(bits) => bits,
            Key::P256 => 256,
        }
    }
}

/// With whose cryptography a server runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Contender {
    /// OpenSSL's own.
    Default,
    /// The provider.
    Ours,
    /// The provider, with handshakes that are paused.
    Paused,
}

impl Contender {
    fn name(self) -> &'static str {
        match self {
            Contender::Default => "openssl",
            Contender::Ours => "carrysave",
            Contender::Paused => "carrysave/async",
        }
    }
}

/// What to measure.
#[derive(Clone, Debug)]
pub struct Request {
    /// The provider's module.
    pub module: PathBuf,
    /// The servers; those that are not installed are left out.
    pub servers: Vec<Server>,
    /// The keys.
    pub keys: Vec<Key>,
    /// How many clients are there at once.
    pub clients: Vec<usize>,
    /// How long each round takes.
    pub time: Duration,
    /// How often each contender has its turn.
    pub rounds: usize,
}

/// Measures, and gives the rows of each server, key and number of clients to `report`.
///
/// # Errors
/// A sentence: of a program that is missing, or of a server that does not start or serve.
pub fn run(request: &Request, mut report: impl FnMut(&[Row])) -> io::Result<Vec<Row>> {
    let folder = Folder::new(request)?;
    // The clients leave the server its processor.
    let others = thread::available_parallelism().map_or(1, usize::from);
    if others > 1 {
        let own = std::process::id().to_string();
        _ = Command::new("taskset")
            .args(["-a", "-p", "-c", &format!("1-{}", others - 1), &own])
            .stdout(Stdio::null())
            .status();
    }
    let mut all = Vec::new();
    for &server in &request.servers {
        if Command::new(server.name()).arg("-v").output().is_err() {
            continue;
        }
        for &key in &request.keys {
            for &clients in &request.clients {
                let rows = folder.race(request, server, key, clients)?;
                // The kinds of figures are not raced against each other.
                rows.chunk_by(|a, b| a.operation == b.operation)
                    .for_each(&mut report);
                all.extend(rows);
            }
        }
    }
    Ok(all)
}

/// The files of the servers.
struct Folder(TempDir);

impl Folder {
    fn new(request: &Request) -> io::Result<Folder> {
        let folder = Folder(tempfile::tempdir()?);
        let module = fs::canonicalize(&request.module).map_err(|e| {
            io::Error::other(format!(
                "{}: {e}: cargo build --release -p carrysave-provider makes the module",
                request.module.display()
            ))
        })?;
        let ours = format!(
            "openssl_conf = init\n[init]\nproviders = providers\n[providers]\ncarrysave = ours\ndefault = theirs\n\
             [ours]\nmodule = {}\nactivate = 1\n[theirs]\nactivate = 1\n",
            module.display(),
        );
        fs::write(folder.path("ours.cnf"), ours)?;
        fs::write(folder.path("default.cnf"), "")?;
        for &key in &request.keys {
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
            fs::write(folder.path(&format!("{}.pem", key.bits())), both)?;
        }
        Ok(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// All contenders for one server, key and number of clients.
    fn race(
        &self,
        request: &Request,
        server: Server,
        key: Key,
        clients: usize,
    ) -> io::Result<Vec<Row>> {
        let mut contenders = vec![Contender::Default, Contender::Ours];
        if server == Server::Haproxy {
            contenders.push(Contender::Paused);
        }
        let mut figures: Vec<Figures> = contenders.iter().map(|_| Figures::default()).collect();
        for _ in 0..request.rounds {
            for (contender, figures) in contenders.iter().zip(&mut figures) {
                let running = self.start(server, key, *contender)?;
                running.shake_hands(1, Duration::from_millis(200))?;
                let before = running.processor_time()?;
                let started = Instant::now();
                let waits = running.shake_hands(clients, request.time)?;
                let (took, count) = (started.elapsed(), waits.len() as f64);
                let spent = running.processor_time()?.saturating_sub(before);
                figures.processor.push(spent.as_nanos() as f64 / count);
                figures.wall.push(took.as_nanos() as f64 / count);
                figures.half.push(quantile(&waits, 0.5));
                figures.most.push(quantile(&waits, 0.99));
            }
        }
        let place = format!("{}/{clients}", server.name());
        let row = |suffix: &str, contender: Contender, sample: &[f64]| Row {
            experiment: "handshakes".to_owned(),
            operation: format!("{place}{suffix}"),
            bits: Some(key.bits()),
            bytes: None,
            implementation: contender.name().to_owned(),
            threads: 1,
            ops_per_second: significant(1e9 / median(sample), 6),
            ns_median: significant(median(sample), 6),
            ns_spread: significant(spread(sample), 3),
            core_ghz: significant(crate::clock::core_ghz(), 4),
            samples: sample.len(),
        };
        type Sample = fn(&Figures) -> &[f64];
        let kinds: [(&str, Sample); 4] = [
            ("", |figures| &figures.processor),
            ("/wall", |figures| &figures.wall),
            ("/p50", |figures| &figures.half),
            ("/p99", |figures| &figures.most),
        ];
        let rows = kinds.iter().flat_map(|(suffix, sample)| {
            let all = contenders.iter().zip(&figures);
            all.map(move |(contender, figures)| row(suffix, *contender, sample(figures)))
        });
        Ok(rows.collect())
    }

    fn start(&self, server: Server, key: Key, contender: Contender) -> io::Result<Running> {
        let port = std::net::TcpListener::bind("127.0.0.1:0")?
            .local_addr()?
            .port();
        let folder = self.0.path();
        let both = self.path(&format!("{}.pem", key.bits()));
        let (both, place) = (both.display(), folder.display());
        let configuration = match server {
            Server::Haproxy => format!(
                "global\n  nbthread 1\n  tune.ssl.cachesize 0\n  maxconn 1000\n  {}\n\
                 defaults\n  mode http\n  timeout client 20s\n  timeout server 20s\n  timeout connect 20s\n\
                 frontend f\n  bind 127.0.0.1:{port} ssl crt {both} no-tls-tickets curves X25519\n\
                 \x20 http-request return status 200\n",
                if contender == Contender::Paused {
                    "ssl-mode-async"
                } else {
                    ""
                },
            ),
            Server::Nginx => format!(
                "daemon off; worker_processes 1; pid {place}/pid; error_log stderr; user root;\n\
                 events {{ worker_connections 1000; }}\n\
                 http {{ access_log off; client_body_temp_path {place}/1; proxy_temp_path {place}/2;\n\
                 fastcgi_temp_path {place}/3; uwsgi_temp_path {place}/4; scgi_temp_path {place}/5;\n\
                 server {{ listen 127.0.0.1:{port} ssl; ssl_certificate {both}; ssl_certificate_key {both};\n\
                 ssl_protocols TLSv1.3; ssl_session_tickets off; ssl_ecdh_curve X25519; location / {{ return 200 'hello'; }} }} }}\n"
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
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::File::create(self.path("said"))?)
            .spawn()
            .map_err(|e| io::Error::other(format!("taskset, which starts the servers: {e}")))?;
        let running = Running { child, port };
        let started = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if started.elapsed() > Duration::from_secs(10) {
                return Err(io::Error::other(format!(
                    "{} does not listen",
                    server.name()
                )));
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(running)
    }
}

/// Samples of a contender, one a round, in nanoseconds.
#[derive(Default)]
struct Figures {
    /// Processor time of the server for a handshake.
    processor: Vec<f64>,
    /// Time from one handshake to the next.
    wall: Vec<f64>,
    /// How long a client waits: the median, and all but one of a hundred.
    half: Vec<f64>,
    most: Vec<f64>,
}

/// A server, which ends with this value.
struct Running {
    child: Child,
    port: u16,
}

impl Drop for Running {
    fn drop(&mut self) {
        // It ends its workers first, which SIGKILL would leave.
        let id = self.child.id().to_string();
        _ = Command::new("kill").args(["-TERM", &id]).status();
        _ = self.child.wait();
    }
}

impl Running {
    /// The processor time of all threads of the server and of the processes that it started.
    fn processor_time(&self) -> io::Result<Duration> {
        let own = self.child.id();
        let of = |process: &Path| -> Option<u64> {
            let status = fs::read_to_string(process.join("stat")).ok()?;
            // The name in parentheses may hold anything; then come the state and the parent.
            let parent = status.rsplit_once(')')?.1.split_whitespace().nth(1)?;
            let id: u32 = process.file_name()?.to_str()?.parse().ok()?;
            if id != own && parent.parse() != Ok(own) {
                return None;
            }
            let threads = fs::read_dir(process.join("task")).ok()?.flatten();
            let spent = threads.filter_map(|thread| {
                let text = fs::read_to_string(thread.path().join("schedstat")).ok()?;
                text.split(' ').next()?.parse::<u64>().ok()
            });
            Some(spent.sum())
        };
        let processes = fs::read_dir("/proc")?.flatten();
        let all = processes.filter_map(|process| of(&process.path()));
        Ok(Duration::from_nanos(all.sum()))
    }

    /// Full handshakes by this many clients for a time: how long each took, in nanoseconds.
    fn shake_hands(&self, clients: usize, time: Duration) -> io::Result<Vec<f64>> {
        let config = Arc::new(client());
        let until = Instant::now() + time;
        let one = || -> io::Result<Vec<f64>> {
            let mut waits = Vec::new();
            while Instant::now() < until {
                let started = Instant::now();
                let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
                stream.set_nodelay(true)?;
                let name = ServerName::try_from("localhost").map_err(io::Error::other)?;
                let mut tls =
                    ClientConnection::new(config.clone(), name).map_err(io::Error::other)?;
                while tls.is_handshaking() {
                    tls.complete_io(&mut stream)?;
                }
                waits.push(started.elapsed().as_nanos() as f64);
                tls.send_close_notify();
                // The server may be gone already.
                _ = tls.complete_io(&mut stream);
            }
            Ok(waits)
        };
        thread::scope(|scope| {
            let threads: Vec<_> = (0..clients).map(|_| scope.spawn(one)).collect();
            let mut all = Vec::new();
            for thread in threads {
                all.extend(
                    thread
                        .join()
                        .map_err(|_| io::Error::other("a client panicked"))??,
                );
            }
            if all.is_empty() {
                return Err(io::Error::other("no handshake was completed"));
            }
            Ok(all)
        })
    }
}

/// A client that takes any certificate, and verifies the signature of each handshake.
fn client() -> ClientConfig {
    let provider = Arc::new(rustls_graviola::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(&[&rustls::version::TLS13])
        .expect("it is a version that the provider has")
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Any(provider)))
        .with_no_client_auth();
    config.resumption = Resumption::disabled();
    config
}

#[derive(Debug)]
struct Any(Arc<CryptoProvider>);

impl ServerCertVerifier for Any {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(
            message,
            cert,
            dss,
            &self.0.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(
            message,
            cert,
            dss,
            &self.0.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
