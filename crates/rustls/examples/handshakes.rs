//! Full handshakes of TLS 1.3 in memory: how many a second, and the server's processor time for each.
//!
//! `cargo run --release -p carrysave-rustls --example handshakes`, for a minute. With `--features peers` AWS-LC is
//! there, too. With the argument `hybrid` clients offer X25519MLKEM768 in place of X25519.
//!
//! Each connection has a thread, which is client and server in turn. So the handshakes a second are those of both sides
//! on this machine, and say little where other programs run: the table tells how many processors a turn got. The
//! server's time is that of the whole process without that of the clients' steps. The contenders take turns, and each
//! figure is the median of its turns. Clients are always of rustls-graviola.

use carrysave_rustls::Service;
use rustix::time::{ClockId, clock_gettime};
use rustls::client::Resumption;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
use rustls::version::TLS13;
use rustls::{
    ClientConfig, ClientConnection, Connection, NamedGroup, RootCertStore, ServerConfig,
    ServerConnection,
};
use std::time::{Duration, Instant};
use std::{env, error::Error, sync::Arc, thread};

const TURNS: usize = 5;
const TURN: Duration = Duration::from_millis(250);
const CONNECTIONS: [usize; 4] = [1, 4, 16, 64];

/// Name, certificate and key.
const KEYS: [(&str, &str, &str); 3] = [
    (
        "RSA-2048",
        include_str!("../tests/keys/rsa2048.crt"),
        include_str!("../tests/keys/rsa2048.key"),
    ),
    (
        "RSA-4096",
        include_str!("../tests/keys/rsa4096.crt"),
        include_str!("../tests/keys/rsa4096.key"),
    ),
    (
        "P-256",
        include_str!("../tests/keys/p256.crt"),
        include_str!("../tests/keys/p256.key"),
    ),
];

fn main() -> Result<(), Box<dyn Error>> {
    let group = match env::args().nth(1).as_deref() {
        Some("hybrid") => NamedGroup::X25519MLKEM768,
        _ => NamedGroup::X25519,
    };
    let service = Arc::new(Service::new(Default::default())?);
    let contenders = [
        ("graviola", rustls_graviola::default_provider()),
        #[cfg(feature = "peers")]
        ("AWS-LC", rustls::crypto::aws_lc_rs::default_provider()),
        ("carrysave", carrysave_rustls::default_provider()),
        (
            "with a service",
            carrysave_rustls::with_service(service.clone()),
        ),
    ];

    println!(
        "Handshakes a second (by so many processors); the server's us a handshake. {group:?}\n"
    );
    let names = contenders.each_ref().map(|(name, _)| *name).join(" | ");
    println!("| key | connections | {names} | signatures a group |");
    println!("|{}", " --- |".repeat(contenders.len() + 3));
    for (name, certificate, key) in KEYS {
        let client = client(certificate, group)?;
        let servers = contenders
            .iter()
            .map(|(_, provider)| server(provider, certificate, key));
        let servers = servers.collect::<Result<Vec<_>, _>>()?;
        for connections in CONNECTIONS {
            let before = service.metrics();
            let mut turns = vec![Vec::new(); servers.len()];
            for _ in 0..TURNS {
                for (server, turns) in servers.iter().zip(&mut turns) {
                    turns.push(turn(&client, server, connections));
                }
            }
            print!("| {name} | {connections} |");
            for turns in turns {
                let [rate, processors, time] =
                    [0, 1, 2].map(|i| median(turns.iter().map(|turn| turn[i])));
                print!(" {rate:.0} ({processors:.1}); {time:.0} |");
            }
            let after = service.metrics();
            match (after.jobs - before.jobs, after.groups - before.groups) {
                (_, 0) => println!(" - |"),
                (jobs, groups) => println!(" {:.1} |", jobs as f64 / groups as f64),
            }
        }
    }
    Ok(())
}

/// A client that trusts this certificate, and agrees in this group.
fn client(certificate: &str, group: NamedGroup) -> Result<Arc<ClientConfig>, Box<dyn Error>> {
    let mut provider = rustls_graviola::default_provider();
    provider.kx_groups.retain(|own| own.name() == group);
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(certificate.as_bytes())?)?;
    let mut config = ClientConfig::builder_with_provider(provider.into())
        .with_protocol_versions(&[&TLS13])?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.resumption = Resumption::disabled();
    Ok(Arc::new(config))
}

/// A server with this key, which gives no tickets.
fn server(
    provider: &CryptoProvider,
    certificate: &str,
    key: &str,
) -> Result<Arc<ServerConfig>, Box<dyn Error>> {
    let certificate = CertificateDer::from_pem_slice(certificate.as_bytes())?;
    let key = PrivateKeyDer::from_pem_slice(key.as_bytes())?;
    let mut config = ServerConfig::builder_with_provider(provider.clone().into())
        .with_protocol_versions(&[&TLS13])?
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)?;
    config.send_tls13_tickets = 0;
    Ok(Arc::new(config))
}

/// Handshakes on as many threads as connections: how many a second, how many processors they kept busy, and the
/// server's microseconds for each.
fn turn(client: &Arc<ClientConfig>, server: &Arc<ServerConfig>, connections: usize) -> [f64; 3] {
    let (start, used) = (Instant::now(), clock(ClockId::ProcessCPUTime));
    let done = thread::scope(|scope| {
        let shake = || {
            let mut done = (0, Duration::ZERO);
            while start.elapsed() < TURN {
                done.1 += handshake(client, server);
                done.0 += 1;
            }
            done
        };
        let threads: Vec<_> = (0..connections).map(|_| scope.spawn(shake)).collect();
        let done = threads
            .into_iter()
            .map(|thread| thread.join().expect("handshakes succeed"));
        done.reduce(|(n, client), (m, more)| (n + m, client + more))
    });
    let seconds = start.elapsed().as_secs_f64();
    let used = (clock(ClockId::ProcessCPUTime) - used).as_secs_f64();
    let (handshakes, client) = done.expect("there are connections");
    let handshakes = f64::from(handshakes);
    let server = used - client.as_secs_f64();
    [
        handshakes / seconds,
        used / seconds,
        1e6 * server / handshakes,
    ]
}

/// Carries out a handshake, and returns the processor time of the client.
fn handshake(client: &Arc<ClientConfig>, server: &Arc<ServerConfig>) -> Duration {
    let mut time = Duration::ZERO;
    let mut to_server = Vec::new();
    let mut to_client = Vec::new();
    let server = ServerConnection::new(server.clone()).expect("the configuration is whole");
    let mut server = Connection::from(server);
    let start = clock(ClockId::ThreadCPUTime);
    let name = "localhost".try_into().expect("it is a name");
    let client = ClientConnection::new(client.clone(), name).expect("the configuration is whole");
    let mut client = Connection::from(client);
    time += clock(ClockId::ThreadCPUTime) - start;
    while client.is_handshaking() || server.is_handshaking() {
        let start = clock(ClockId::ThreadCPUTime);
        step(&mut client, &mut to_client, &mut to_server);
        time += clock(ClockId::ThreadCPUTime) - start;
        step(&mut server, &mut to_server, &mut to_client);
    }
    time
}

/// Takes what came, and says what follows from it.
fn step(connection: &mut Connection, came: &mut Vec<u8>, goes: &mut Vec<u8>) {
    let mut left = &came[..];
    while !left.is_empty() {
        connection.read_tls(&mut left).expect("memory is read");
        connection
            .process_new_packets()
            .expect("the other side is honest");
    }
    came.clear();
    while connection.wants_write() {
        connection.write_tls(goes).expect("memory is written");
    }
}

fn clock(id: ClockId) -> Duration {
    let time = clock_gettime(id);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
