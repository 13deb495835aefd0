//! A server that goes on for minutes: full handshakes, and clients that hang up in the middle.

use super::at_once;
use super::client::{Client, Connection};
use super::server::{Contender, Counter, Key, Running, Server, Servers};
use crate::processes::Processes;
use crate::soak::{Disturber, Outcome, Setting, Trial};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The keys of the server's certificates: clients take turns with them.
const KEYS: [Key; 2] = [Key::Rsa(2048), Key::P256];

/// Where some hang up, one connection in so many does.
const TORN: u64 = 100;

/// Clients that hang up on paused handshakes do so this often in a second at most: what OpenSSL keeps of each would take
/// all memory.
const TORN_A_SECOND: u64 = 100;

/// What OpenSSL keeps of each paused handshake whose client is gone: the stack of its job, in KiB. Neither it nor
/// anybody else frees that (docs/design/provider.md).
const STACK: u64 = 40;

/// How many failed connections are told of.
const MOST_FAULTS: usize = 8;

/// haproxy waits for each signature, and one client in a hundred hangs up.
pub(crate) fn waiting(setting: &Setting, disturber: &Disturber) -> io::Result<Box<dyn Trial>> {
    Haproxy::start(setting, disturber, Contender::Ours, Some(TORN))
}

/// haproxy pauses its handshakes.
pub(crate) fn asynchronous(setting: &Setting, disturber: &Disturber) -> io::Result<Box<dyn Trial>> {
    Haproxy::start(setting, disturber, Contender::Paused, None)
}

/// haproxy pauses its handshakes, and each client hangs up.
pub(crate) fn hung_up_on(setting: &Setting, disturber: &Disturber) -> io::Result<Box<dyn Trial>> {
    Haproxy::start(setting, disturber, Contender::Paused, Some(1))
}

/// haproxy with one thread, its clients, and what they have done.
struct Haproxy {
    running: Running,
    servers: Servers,
    contender: Contender,
    clients: usize,
    /// One connection in so many ends in the middle of its handshake.
    torn_one_in: Option<u64>,
    handshakes: AtomicU64,
    torn: AtomicU64,
    faults: Mutex<Vec<String>>,
}

impl Haproxy {
    fn start(
        setting: &Setting,
        disturber: &Disturber,
        contender: Contender,
        torn_one_in: Option<u64>,
    ) -> io::Result<Box<dyn Trial>> {
        if !Server::Haproxy.is_installed() {
            return Err(io::Error::other("haproxy is not installed"));
        }
        let mut servers = Servers::new(&setting.module, &KEYS)?;
        servers.preload = disturber.wall_clock();
        Ok(Box::new(Haproxy {
            running: servers.start(Server::Haproxy, &KEYS, contender)?,
            servers,
            contender,
            clients: setting.clients,
            torn_one_in,
            handshakes: AtomicU64::new(0),
            torn: AtomicU64::new(0),
            faults: Mutex::default(),
        }))
    }

    /// One connection after the other, until then.
    fn connect(&self, until: Instant, each: &[Client], next: &AtomicU64) {
        while Instant::now() < until {
            let n = next.fetch_add(1, Relaxed);
            let hangs_up = self.torn_one_in.is_some_and(|one| n.is_multiple_of(one));
            // Those that hang up have the key whose signatures take longest.
            let client = &each[if hangs_up { 0 } else { n as usize % each.len() }];
            let done = if hangs_up {
                client.hang_up(self.running.port)
            } else {
                client.shake_hands(self.running.port).map(Connection::close)
            };
            match done {
                Ok(()) if hangs_up => _ = self.torn.fetch_add(1, Relaxed),
                Ok(()) => _ = self.handshakes.fetch_add(1, Relaxed),
                Err(e) => {
                    let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
                    if faults.len() < MOST_FAULTS {
                        faults.push(format!("connection {n} failed: {e}"));
                    }
                }
            }
            if self.torn_one_in == Some(1) {
                std::thread::sleep(Duration::from_secs(self.clients as u64) / TORN_A_SECOND as u32);
            }
        }
    }
}

impl Trial for Haproxy {
    fn processes(&self) -> Processes {
        self.running.processes()
    }

    fn go_on(&mut self, time: Duration) -> io::Result<()> {
        let (until, next) = (Instant::now() + time, AtomicU64::new(0));
        let each = KEYS.map(Client::new);
        at_once(self.clients, |_| {
            self.connect(until, &each, &next);
            Ok(())
        })?;
        Ok(())
    }

    fn keeps(&self) -> u64 {
        match self.contender {
            Contender::Paused => STACK * self.torn.load(Relaxed),
            Contender::Ours | Contender::Default => 0,
        }
    }

    fn end(self: Box<Self>) -> io::Result<Outcome> {
        let [signatures, pauses] =
            [Counter::Signatures, Counter::Pauses].map(|what| self.servers.count(what));
        let handshakes = self.handshakes.into_inner();
        let torn = self.torn.into_inner();
        let faults = self.faults.into_inner();
        let mut faults = faults.unwrap_or_else(PoisonError::into_inner);
        if handshakes + torn == 0 {
            faults.push("no client was served".to_owned());
        }
        if signatures < handshakes {
            faults.push(format!(
                "the provider made {signatures} signatures for {handshakes} handshakes"
            ));
        }
        if self.contender == Contender::Paused && handshakes > 0 && pauses == 0 {
            faults.push("no handshake was paused".to_owned());
        }
        let did = format!(
            "{handshakes} handshakes, {torn} connections hung up, {signatures} signatures by the provider, {pauses} pauses"
        );
        Ok(Outcome { did, faults })
    }
}
