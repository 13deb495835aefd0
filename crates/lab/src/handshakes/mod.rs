//! TLS servers as the system has them, with the OpenSSL provider and without it: processor time for a handshake, and how
//! long a client waits.
//!
//! A server has one thread, on processor 0, and takes full handshakes of TLS 1.3 from clients on loopback, which run on
//! the other processors. Its processor time is that of the system's scheduler, over all threads of all its processes.
//! Contenders take turns; figures are medians of the rounds.

mod client;
mod server;
mod soak;

pub use crate::processes::end_all;
use crate::record::Row;
use crate::stats::{median, quantile, significant, spread};
use client::Client;
use server::{Contender, Counter, Running, Servers};
pub use server::{Key, Server};
pub(crate) use soak::{asynchronous, hung_up_on, waiting};
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

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
    let servers = Servers::new(&request.module, &request.keys)?;
    leave_the_first_processor();
    let mut all = Vec::new();
    for &server in &request.servers {
        if !server.is_installed() {
            continue;
        }
        for &key in &request.keys {
            for &clients in &request.clients {
                let rows = race(&servers, request, server, key, clients)?;
                // The kinds of figures are not raced against each other.
                rows.chunk_by(|a, b| a.operation == b.operation)
                    .for_each(&mut report);
                all.extend(rows);
            }
        }
    }
    Ok(all)
}

/// Leaves the servers their processor, where there is another for the clients.
fn leave_the_first_processor() {
    let others = thread::available_parallelism().map_or(1, usize::from);
    if others > 1 {
        let own = std::process::id().to_string();
        _ = Command::new("taskset")
            .args(["-a", "-p", "-c", &format!("1-{}", others - 1), &own])
            .stdout(Stdio::null())
            .status();
    }
}

/// All contenders for one server, key and number of clients.
fn race(
    servers: &Servers,
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
    // On a client's core, between the rounds.
    let mut clocks = Vec::with_capacity(request.rounds);
    for _ in 0..request.rounds {
        for (contender, figures) in contenders.iter().zip(&mut figures) {
            let running = servers.start(server, &[key], *contender)?;
            shake_hands(&running, key, 1, Duration::from_millis(200))?;
            let before = running.processes().processor_time()?;
            let signatures = servers.count(Counter::Signatures);
            let started = Instant::now();
            let waits = shake_hands(&running, key, clients, request.time)?;
            let (took, count) = (started.elapsed(), waits.len() as f64);
            let spent = running.processes().processor_time()?.saturating_sub(before);
            // OpenSSL says nothing where it signs itself.
            let signed = servers.count(Counter::Signatures) - signatures;
            if *contender != Contender::Default && signed < waits.len() as u64 {
                return Err(io::Error::other(format!(
                    "{} has {signed} signatures of {} from the provider: is it built for this machine?",
                    server.name(),
                    waits.len()
                )));
            }
            figures.processor.push(spent.as_nanos() as f64 / count);
            figures.wall.push(took.as_nanos() as f64 / count);
            figures.half.push(quantile(&waits, 0.5));
            figures.most.push(quantile(&waits, 0.99));
        }
        clocks.push(crate::clock::core_ghz());
    }
    let row = |kind: &str, contender: Contender, sample: &[f64]| Row {
        experiment: "handshakes".to_owned(),
        operation: format!("{}{kind}/{clients}", server.name()),
        bits: Some(key.bits()),
        bytes: None,
        implementation: contender.name().to_owned(),
        threads: 1,
        ops_per_second: significant(1e9 / median(sample), 6),
        ns_median: significant(median(sample), 6),
        ns_spread: significant(spread(sample), 3),
        core_ghz: significant(median(&clocks), 4),
        samples: sample.len(),
    };
    type Sample = fn(&Figures) -> &[f64];
    let kinds: [(&str, Sample); 4] = [
        ("", |figures| &figures.processor),
        ("/wall", |figures| &figures.wall),
        ("/p50", |figures| &figures.half),
        ("/p99", |figures| &figures.most),
    ];
    let rows = kinds.iter().flat_map(|(kind, sample)| {
        let all = contenders.iter().zip(&figures);
        all.map(move |(contender, figures)| row(kind, *contender, sample(figures)))
    });
    Ok(rows.collect())
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

/// Full handshakes by this many clients for a time: how long each took, in nanoseconds.
fn shake_hands(server: &Running, key: Key, clients: usize, time: Duration) -> io::Result<Vec<f64>> {
    let client = Client::new(key);
    let until = Instant::now() + time;
    let waits = at_once(clients, |_| {
        let mut waits = Vec::new();
        while Instant::now() < until {
            let started = Instant::now();
            let connection = client.shake_hands(server.port)?;
            waits.push(started.elapsed().as_nanos() as f64);
            connection.close();
        }
        Ok(waits)
    })?;
    if waits.iter().all(Vec::is_empty) {
        return Err(io::Error::other("no handshake was completed"));
    }
    Ok(waits.concat())
}

/// What as many clients do at once, each on a thread.
fn at_once<T: Send>(
    clients: usize,
    one: impl Fn(usize) -> io::Result<T> + Sync,
) -> io::Result<Vec<T>> {
    thread::scope(|scope| {
        let one = &one;
        let threads: Vec<_> = (0..clients).map(|i| scope.spawn(move || one(i))).collect();
        let joined = threads.into_iter().map(|thread| {
            let done = thread.join();
            done.unwrap_or_else(|_| Err(io::Error::other("a client panicked")))
        });
        joined.collect()
    })
}
