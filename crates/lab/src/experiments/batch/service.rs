//! The service: many callers against a batch of as many jobs, and a lone caller against a direct call.

use super::{Case, HASH, MESSAGE, OPERATIONS, check, enter_batch};
use crate::{
    Bench, Error,
    record::Size,
    rivals::{Answer, Refusal},
};
use carrysave_engine::{Service, ServiceOptions, Signer};
use carrysave_schemes::rsa::{Padding, PrivateKey};
use getrandom::{SysRng, rand_core::UnwrapErr};
use std::{
    hint::black_box,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    thread::{self, JoinHandle, Thread},
    time::{Duration, Instant},
};

/// How many callers are many.
const CALLERS: usize = 64;

/// How long after they were started callers are in full swing: the system has found a processor for each by then.
const SWING: Duration = Duration::from_millis(100);

/// Races the service on this many threads. The wall clock counts, as a service may wait.
pub(super) fn races(
    bench: &mut Bench<'_>,
    bits: usize,
    case: &Case,
    threads: usize,
) -> Result<(), Error> {
    let [private, ..] = &OPERATIONS;
    let options = ServiceOptions {
        threads: threads.max(1),
        ..ServiceOptions::default()
    };
    let service = Service::new(options).map_err(|error| Error(format!("no service: {error}")))?;
    let signer = Signer::new(Arc::new(service));

    let name = format!("service/{CALLERS}");
    let mut race = bench.race(&name, Size::Bits(bits));
    race.on_threads(threads);
    race.of_jobs(CALLERS);
    race.by_the_wall();
    enter_batch(&mut race, private, case, CALLERS, threads);
    race.enter(
        "carrysave/signer",
        || Callers::start(&signer, &case.key),
        Callers::wait,
        |()| {
            let call = |_| sign(&signer, &case.key);
            let answers: Vec<_> = thread::scope(|scope| {
                let callers: Vec<_> = (0..CALLERS).map(|i| scope.spawn(move || call(i))).collect();
                let answer = |caller: thread::ScopedJoinHandle<'_, _>| caller.join();
                let answers = callers.into_iter().map(answer);
                answers
                    .map(|a| a.unwrap_or_else(|_| Err(Refusal::failed("it panicked"))))
                    .collect()
            });
            check(private, case, CALLERS, answers.into_iter())
        },
    );
    race.run();

    let mut race = bench.race("service/1", Size::Bits(bits));
    race.by_the_wall();
    let one = |answer: &Answer<Vec<u8>>| check(private, case, 1, [answer.clone()].into_iter());
    race.enter("carrysave", || (), |()| directly(&case.key), one);
    race.on_threads(threads);
    race.enter(
        "carrysave/signer",
        || (),
        |()| sign(&signer, &case.key),
        one,
    );
    race.run();
    Ok(())
}

fn directly(key: &PrivateKey) -> Answer<Vec<u8>> {
    let digest = HASH.digest(MESSAGE);
    key.rsassa_pss_sign(&mut UnwrapErr(SysRng), HASH, HASH, HASH.len(), &digest)
        .map_err(Refusal::failed)
}

fn sign(signer: &Signer, key: &PrivateKey) -> Answer<Vec<u8>> {
    signer
        .sign(key, HASH, Padding::pss(HASH), &HASH.digest(MESSAGE))
        .map_err(Refusal::failed)
}

/// Threads that call a signer again and again until they are dropped.
struct Callers {
    tally: Arc<Tally>,
    /// How many calls were waited for.
    waited: usize,
    threads: Vec<JoinHandle<()>>,
}

struct Tally {
    done: AtomicUsize,
    /// At how many the reader is to be woken.
    awaited: AtomicUsize,
    reader: Thread,
    stop: AtomicBool,
}

impl Callers {
    /// Callers in full swing.
    fn start(signer: &Signer, key: &PrivateKey) -> Callers {
        let tally = Arc::new(Tally {
            done: AtomicUsize::new(0),
            awaited: AtomicUsize::new(0),
            reader: thread::current(),
            stop: AtomicBool::new(false),
        });
        let caller = |_| {
            let (tally, signer, key) = (tally.clone(), signer.clone(), key.clone());
            thread::spawn(move || {
                while !tally.stop.load(SeqCst) {
                    let _ = black_box(sign(&signer, &key));
                    if tally.done.fetch_add(1, SeqCst) + 1 == tally.awaited.load(SeqCst) {
                        tally.reader.unpark();
                    }
                }
            })
        };
        let threads = (0..CALLERS).map(caller).collect();
        let mut callers = Callers {
            tally,
            waited: 0,
            threads,
        };
        let start = Instant::now();
        while start.elapsed() < SWING {
            callers.wait();
        }
        callers.waited = callers.tally.done.load(SeqCst);
        callers
    }

    /// Waits until as many calls more are done as there are callers.
    fn wait(&mut self) {
        self.waited += CALLERS;
        self.tally.awaited.store(self.waited, SeqCst);
        while self.tally.done.load(SeqCst) < self.waited {
            thread::park();
        }
    }
}

impl Drop for Callers {
    fn drop(&mut self) {
        self.tally.stop.store(true, SeqCst);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::rsa::pkcs8;
    use carrysave_kernels::Cpu;

    #[test]
    fn callers_go_on_until_they_are_dropped() {
        let case = Case::new(Cpu::native(), pkcs8(1024).unwrap());
        let service = Service::new(ServiceOptions::default()).unwrap();
        let signer = Signer::new(Arc::new(service));
        let mut callers = Callers::start(&signer, &case.key);
        let before = callers.tally.done.load(SeqCst);
        for _ in 0..3 {
            callers.wait();
        }
        assert!(callers.tally.done.load(SeqCst) >= before + 2 * CALLERS);
        drop(callers);
        let jobs = signer.service().metrics().jobs;
        assert!(jobs >= 4 * CALLERS as u64);
        assert_eq!(signer.service().metrics().jobs, jobs);
    }
}
