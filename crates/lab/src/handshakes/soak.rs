//! A million handshakes, and clients that hang up in the middle: nothing may fail, grow or stay open.

use super::client::{Client, Connection};
use super::server::{Contender, Counter, Key, Running, Server, Servers};
use super::{at_once, leave_the_first_processor};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{io, thread};

/// What to go through.
#[derive(Clone, Debug)]
pub struct Soak {
    /// The provider's module.
    pub module: PathBuf,
    /// Full handshakes, half of them with `ssl-mode-async`.
    pub handshakes: u64,
    /// Connections that end in the middle of a handshake, half of them with `ssl-mode-async`.
    pub torn: u64,
    /// How many clients are there at once.
    pub clients: usize,
}

/// What became of one server.
#[derive(Clone, Debug)]
pub struct Soaked {
    /// What it went through, in words.
    pub name: &'static str,
    /// Handshakes that were completed.
    pub handshakes: u64,
    /// Connections that ended in the middle.
    pub torn: u64,
    /// Signatures that the provider made.
    pub signatures: u64,
    /// Handshakes that were paused.
    pub pauses: u64,
    /// What the server took for all.
    pub processor_time: Duration,
    /// How long all took.
    pub time: Duration,
    /// Memory in use after the first tenth, and at the end, in KiB.
    pub memory: [u64; 2],
    /// Open descriptors after the first tenth, and at the end.
    pub descriptors: [usize; 2],
    /// What was wrong, a sentence each.
    pub faults: Vec<String>,
}

/// The keys of the server's certificates: clients take turns with them.
const KEYS: [Key; 2] = [Key::Rsa(2048), Key::P256];

/// How much memory may grow where nothing is kept, in KiB: what an allocator needs for its order.
const GROWTH: u64 = 2048;

/// What OpenSSL keeps of each paused handshake whose client is gone: the stack of its job, in KiB. Neither it nor
/// anybody else frees that (docs/design/provider.md).
const STACK: u64 = 40;

/// How many failed connections are told of.
const MOST_FAULTS: usize = 8;

/// Sends haproxy, with one thread on processor 0, handshakes of clients on the other processors: one server that waits
/// for each signature, and one that pauses. `step` is called for each connection.
///
/// # Errors
/// A sentence: of a program that is missing, or of a server that does not start. A handshake that fails is a fault in
/// what is returned.
pub fn soak(request: &Soak, step: impl Fn() + Sync) -> io::Result<Vec<Soaked>> {
    if !Server::Haproxy.is_installed() {
        return Err(io::Error::other("haproxy is not installed"));
    }
    let servers = Servers::new(&request.module, &KEYS)?;
    leave_the_first_processor();
    let half = |all: u64| [all - all / 2, all / 2];
    let [waiting, paused] = half(request.handshakes);
    let [torn, torn_paused] = half(request.torn);
    let phases = [
        ("haproxy", Contender::Ours, waiting, torn),
        ("haproxy, ssl-mode-async", Contender::Paused, paused, 0),
        (
            "haproxy, ssl-mode-async, hung up on",
            Contender::Paused,
            0,
            torn_paused,
        ),
    ];
    let phases = phases
        .into_iter()
        .filter(|(.., whole, torn)| whole + torn > 0);
    let phases = phases.map(|(name, contender, whole, torn)| {
        phase(
            &servers,
            request.clients,
            name,
            contender,
            [whole, torn],
            &step,
        )
    });
    phases.collect()
}

/// One server, and what goes on with it.
fn phase(
    servers: &Servers,
    clients: usize,
    name: &'static str,
    contender: Contender,
    [whole, torn]: [u64; 2],
    step: &(impl Fn() + Sync),
) -> io::Result<Soaked> {
    let running = servers.start(Server::Haproxy, &KEYS, contender)?;
    let counted = || [Counter::Signatures, Counter::Pauses].map(|what| servers.count(what));
    let before = counted();
    let started = Instant::now();
    let tally = Tally::default();
    let mut after = vec![];
    for tenths in [1, 9] {
        let of = |all: u64| {
            if tenths == 1 {
                all / 10
            } else {
                all - all / 10
            }
        };
        go_on(&running, clients, [of(whole), of(torn)], &tally, step)?;
        // What the clients closed is closed there, too.
        thread::sleep(Duration::from_secs(1));
        after.push((running.memory()?, running.descriptors()?));
    }
    let [signatures, pauses] = counted();
    let mut soaked = Soaked {
        name,
        handshakes: tally.handshakes.into_inner(),
        torn: tally.torn.into_inner(),
        signatures: signatures - before[0],
        pauses: pauses - before[1],
        processor_time: running.processor_time()?,
        time: started.elapsed(),
        memory: [after[0].0, after[1].0],
        descriptors: [after[0].1, after[1].1],
        faults: tally
            .faults
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner),
    };
    soaked.judge(contender, whole);
    Ok(soaked)
}

/// What all clients have done.
#[derive(Default)]
struct Tally {
    handshakes: AtomicU64,
    torn: AtomicU64,
    faults: Mutex<Vec<String>>,
}

/// Clients at once that shake hands so often, and hang up so often in between.
fn go_on(
    server: &Running,
    clients: usize,
    [whole, torn]: [u64; 2],
    tally: &Tally,
    step: &(impl Fn() + Sync),
) -> io::Result<()> {
    let each = KEYS.map(Client::new);
    let (all, next) = (whole + torn, AtomicU64::new(0));
    let torn_before = |n: u64| n * torn / all;
    at_once(clients, |_| {
        loop {
            let n = next.fetch_add(1, Relaxed);
            if n >= all {
                return Ok(());
            }
            let hangs_up = torn_before(n + 1) > torn_before(n);
            // Those that hang up have the key whose signatures take longest.
            let client = &each[if hangs_up { 0 } else { n as usize % each.len() }];
            let done = if hangs_up {
                client.hang_up(server.port)
            } else {
                client.shake_hands(server.port).map(Connection::close)
            };
            match done {
                Ok(()) if hangs_up => _ = tally.torn.fetch_add(1, Relaxed),
                Ok(()) => _ = tally.handshakes.fetch_add(1, Relaxed),
                Err(e) => {
                    let mut faults = tally.faults.lock().unwrap_or_else(PoisonError::into_inner);
                    if faults.len() < MOST_FAULTS {
                        faults.push(format!("connection {n} failed: {e}"));
                    }
                }
            }
            step();
        }
    })?;
    Ok(())
}

impl Soaked {
    /// Adds what is wrong with the figures.
    fn judge(&mut self, contender: Contender, asked: u64) {
        let paused = contender == Contender::Paused;
        let mut wrong = |is: bool, sentence: String| {
            if is {
                self.faults.push(sentence);
            }
        };
        wrong(
            self.handshakes < asked,
            format!("{} of {asked} handshakes were completed", self.handshakes),
        );
        wrong(
            self.signatures < self.handshakes,
            format!(
                "the provider made {} signatures for {} handshakes",
                self.signatures, self.handshakes
            ),
        );
        wrong(
            paused && self.pauses == 0,
            "no handshake was paused".to_owned(),
        );
        let [first, last] = self.memory;
        let stacks = if paused { STACK * self.torn } else { 0 };
        wrong(
            last > first + GROWTH + stacks,
            format!("memory grew from {first} to {last} KiB"),
        );
        let [first, last] = self.descriptors;
        wrong(last > first, format!("{first} descriptors became {last}"));
    }
}
