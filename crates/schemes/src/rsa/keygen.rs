//! Key generation on several threads: random probable primes under the conditions of FIPS 186-5 appendix A.1.3, by
//! incremental search.

use super::{KeyError, PrivateKey};
use crate::STACK;
use carrysave_arith::prime::{self, PrimeOptions};
use carrysave_arith::{Nat, off_stack};
use carrysave_team::MAX_THREADS;
use core::cmp::Ordering;
use getrandom::SysRng;
use rand_core::{CryptoRng, UnwrapErr};
use std::sync::atomic::{self, AtomicBool};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::{self, Builder};

/// Options of key generation.
///
/// ```
/// use carrysave_schemes::rsa::KeygenOptions;
/// let options = KeygenOptions { threads: 4, ..Default::default() };
/// assert_eq!(options.primes, 2);
/// ```
#[derive(Clone, Debug)]
pub struct KeygenOptions {
    /// The public exponent: odd, from 3 up to 256 bits; 65,537 is usual. FIPS 186-5 requires 17 bits or more;
    /// interoperable keys have at most 33.
    pub e: Nat,
    /// The number of threads that search for primes: 1 is the caller's, more are started, [`MAX_THREADS`] at most.
    pub threads: usize,
    /// Whether fewer than 2048 bits are allowed. Such keys can be broken; they are for tests.
    pub allow_small: bool,
    /// The number of primes: 2, or up to [`most_primes`] of the length for a multi-prime key (RFC 8017 section 3.2).
    pub primes: usize,
    /// Whether up to 5 primes of 128 bits or more are allowed for any length. OpenSSL rejects such keys, and short
    /// primes can be found; they are for study.
    pub allow_many_primes: bool,
    /// Ends the search once it is true: asked at each candidate, which takes a tenth of a second at most.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Default for KeygenOptions {
    fn default() -> KeygenOptions {
        KeygenOptions {
            e: Nat::from_limb(65_537),
            threads: 1,
            allow_small: false,
            primes: 2,
            allow_many_primes: false,
            stop: None,
        }
    }
}

impl KeygenOptions {
    /// Whether the caller has stopped the search.
    fn stopped(&self) -> bool {
        let stop = self.stop.as_deref();
        stop.is_some_and(|stop| stop.load(atomic::Ordering::Relaxed))
    }
}

/// The most primes of a key of `bits` bits that other programs accept, as OpenSSL's `ossl_rsa_multip_cap`
/// (crypto/rsa/rsa_mp.c): finding a prime by elliptic curves must not be easier than factoring by the number field
/// sieve.
///
/// ```
/// use carrysave_schemes::rsa::most_primes;
/// assert_eq!([512, 1024, 4096, 8192].map(most_primes), [2, 3, 4, 5]);
/// ```
pub fn most_primes(bits: usize) -> usize {
    match bits {
        0..1024 => 2,
        1024..4096 => 3,
        4096..8192 => 4,
        _ => 5,
    }
}

/// Progress of key generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress {
    /// One more candidate was tried.
    Candidate,
    /// One more prime was found.
    Prime,
}

impl PrivateKey {
    /// Generates a key of `bits` bits with two primes and the exponent 65,537, on the calling thread and with the
    /// operating system's randomness. [`PrivateKey::generate_with`] has more choices.
    ///
    /// ```
    /// # use carrysave_schemes::rsa::PrivateKey;
    /// let key = PrivateKey::generate(2048)?;
    /// assert_eq!(key.bits(), 2048);
    /// # Ok::<_, carrysave_schemes::KeyError>(())
    /// ```
    ///
    /// # Errors
    /// [`KeyError::Size`] if `bits` is not a multiple of 8 from 2048 to 16,384.
    ///
    /// # Panics
    /// If the operating system has no randomness.
    ///
    /// # Timing
    /// As [`PrivateKey::generate_with`].
    pub fn generate(bits: usize) -> Result<PrivateKey, KeyError> {
        let options = KeygenOptions::default();
        PrivateKey::generate_with(|| UnwrapErr(SysRng), bits, &options, &|_| ())
    }

    /// Generates a key of `bits` bits (512 to 16,384, a multiple of 8; below 2048 only if the options allow it).
    ///
    /// `rng` makes a random number generator for each thread. `progress` is called on the calling thread.
    ///
    /// ```
    /// # use carrysave_schemes::rsa::{KeygenOptions, PrivateKey};
    /// let options = KeygenOptions { threads: 2, ..Default::default() };
    /// let key = PrivateKey::generate_with(|| rand_core::UnwrapErr(getrandom::SysRng), 2048, &options, &|_| ()).unwrap();
    /// assert_eq!(key.bits(), 2048);
    /// ```
    ///
    /// # Errors
    /// [`KeyError::Size`], [`KeyError::Options`]; [`KeyError::Stopped`] if the options' `stop` became true before a key was
    /// found.
    ///
    /// # Timing
    /// Depends on the options, and on how many candidates for primes are refused and why, which tells nothing of those
    /// that are taken.
    pub fn generate_with<R: CryptoRng>(
        rng: impl Fn() -> R + Sync,
        bits: usize,
        options: &KeygenOptions,
        progress: &dyn Fn(Progress),
    ) -> Result<PrivateKey, KeyError> {
        check_options(bits, options)?;
        let stop = AtomicBool::new(false);
        let search = Search {
            bits,
            options,
            stop: &stop,
            primes: Mutex::new(Vec::new()),
        };
        let mut key = None;
        let mut hear = |event| match event {
            Event::Progress(event) => progress(event),
            Event::Key(k) => _ = key.get_or_insert(*k),
        };
        thread::scope(|scope| {
            let (found, news) = mpsc::channel();
            let start = |_| {
                let (found, search, rng) = (found.clone(), &search, &rng);
                let work = move || {
                    off_stack::<STACK, _>(|| {
                        search.run(&mut rng(), &mut |event| _ = found.send(event))
                    })
                };
                Builder::new().spawn_scoped(scope, work).ok()
            };
            let several = match options.threads {
                1 => 0,
                threads => threads.min(MAX_THREADS),
            };
            // If the system refuses to start a thread, those before it go on, or the caller's.
            let started = (0..several).map_while(start).count();
            drop(found);
            match started {
                0 => off_stack::<STACK, _>(|| search.run(&mut rng(), &mut hear)),
                _ => news.into_iter().for_each(hear),
            }
        });
        key.ok_or(match options.stopped() {
            true => KeyError::Stopped,
            false => KeyError::Options(
                "the search for primes ended without a key: try again with another generator",
            ),
        })
    }
}

fn check_options(bits: usize, options: &KeygenOptions) -> Result<(), KeyError> {
    let smallest = if options.allow_small { 512 } else { 2048 };
    if !(smallest..=16_384).contains(&bits) || !bits.is_multiple_of(8) {
        let allowed = "a multiple of 8 from 2048 to 16384, or from 512 where small keys are explicitly allowed";
        return Err(KeyError::Size {
            part: "a modulus",
            bits,
            allowed,
        });
    }
    if options.threads == 0 {
        return Err(KeyError::Options(
            "no threads were asked for: ask for 1 or more",
        ));
    }
    let e = &options.e;
    if !e.is_odd() || e.is_one() || e.bits_vartime() > 256 {
        return Err(KeyError::Options(
            "the public exponent must be odd, at least 3 and at most 256 bits: use 65537",
        ));
    }
    if !(2..=5).contains(&options.primes) || bits / options.primes < 128 {
        return Err(KeyError::Options(
            "a key has 2 to 5 primes of at least 128 bits: use 2 primes",
        ));
    }
    let most = most_primes(bits);
    if options.primes > most && !options.allow_many_primes {
        return Err(KeyError::Primes { bits, most });
    }
    Ok(())
}

enum Event {
    Progress(Progress),
    Key(Box<PrivateKey>),
}

/// The search, shared by its threads.
struct Search<'a> {
    bits: usize,
    options: &'a KeygenOptions,
    stop: &'a AtomicBool,
    primes: Mutex<Vec<Nat>>,
}

impl Search<'_> {
    /// The loop of one thread: finds primes until a thread has a key.
    fn run<R: CryptoRng>(&self, rng: &mut R, found: &mut dyn FnMut(Event)) {
        let count = self.options.primes;
        // The lengths of the primes differ by at most one bit and add up.
        let length = |i: usize| self.bits / count + usize::from(i < self.bits % count);
        loop {
            let missing = self.primes.lock().map_or(0, |primes| primes.len());
            let spec = PrimeOptions {
                top_two_bits: true,
                coprime_to_minus_one: Some(&self.options.e),
                stop: Some(self.stop),
                ..Default::default()
            };
            let mut tick = || {
                found(Event::Progress(Progress::Candidate));
                if self.options.stopped() {
                    self.stop.store(true, atomic::Ordering::Relaxed);
                }
            };
            let Some(prime) = prime::random_prime(length(missing), &spec, rng, &mut tick) else {
                return;
            };
            if let Some(key) = self.offer(prime, length, found) {
                self.stop.store(true, atomic::Ordering::Relaxed);
                found(Event::Key(Box::new(key)));
                return;
            }
        }
    }

    /// Adds a prime; returns the key once there are enough primes and they make a valid one.
    fn offer(
        &self,
        prime: Nat,
        length: impl Fn(usize) -> usize,
        found: &mut dyn FnMut(Event),
    ) -> Option<PrivateKey> {
        let mut primes = self.primes.lock().ok()?;
        // Another thread may have filled the place that this prime was made for.
        if self.stop.load(atomic::Ordering::Relaxed) || prime.bits() != length(primes.len()) {
            return None;
        }
        found(Event::Progress(Progress::Prime));
        primes.push(prime);
        if primes.len() < self.options.primes {
            return None;
        }
        // p > q, as is usual (and as qInv < p requires).
        let mut chosen = primes.clone();
        chosen.sort_by(|a, b| {
            if a.lt(b) {
                Ordering::Greater
            } else {
                Ordering::Less
            }
        });
        // FIPS 186-5 A.1.3 step 5.4: |p - q| > 2^(nlen/2 - 100), and A.1.1: d > 2^(nlen/2); both are checked with the
        // rest. With more than two primes n may also be a bit short.
        let key = PrivateKey::from_generated(chosen, &self.options.e)
            .ok()
            .filter(|key| key.bits() == self.bits);
        if key.is_none() {
            primes.clear();
        }
        key
    }
}
