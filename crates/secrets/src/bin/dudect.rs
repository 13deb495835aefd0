//! A statistical test whether the time of an operation distinguishes secrets (Reparaz, Balasch, Verbauwhede, "Dude, is
//! my code constant time?", 2017).
//!
//! `cargo run --release -p carrysave-secrets --bin dudect [SECONDS [TIMES [NAME]]]` runs each operation whose name contains
//! NAME on a fixed secret and on random ones, or on secrets of two kinds, in random order, for SECONDS (10) seconds and at
//! least TIMES (0) times, and compares both kinds of times by Welch's t. A t beyond 4.5 is a difference. The exit status is 0
//! if no operation differs except the planted ones, which must, and 1 if not.
//!
//! A busy machine hides differences and sometimes makes one: only a difference that repeats when an operation is measured
//! again counts.

use carrysave_arith::{
    Limb, Method, Modulus, Nat,
    curve::{Curve, P256, P384, P521, Point, x448, x25519},
    inv_mod, lanes,
};
use carrysave_contract::Rng;
use carrysave_kernels::Cpu;
use carrysave_schemes::ec::{self, Ed448PrivateKey, Ed25519PrivateKey};
use carrysave_schemes::hash::Hash;
use carrysave_schemes::rsa::{KeygenOptions, PrivateKey};
use carrysave_symmetric::aes::Aes;
use getrandom::SysRng;
use rand_core::{Rng as _, UnwrapErr};
use std::{
    env,
    hint::black_box,
    process::ExitCode,
    time::{Duration, Instant},
};

/// The octets of a secret.
type Secret = [u8; 128];

/// The secret as a number.
const ONE: Secret = {
    let mut one = [0; 128];
    one[127] = 1;
    one
};

/// 1 in the first 32 octets.
const ONE_OF_32: Secret = {
    let mut one = [0; 128];
    one[31] = 1;
    one
};

/// An operation on a secret, and the secrets of each kind; random ones where there are none.
struct Subject {
    operation: Box<dyn FnMut(&Secret)>,
    kinds: [Vec<Secret>; 2],
}

impl Subject {
    /// A fixed secret against random ones.
    fn new(fixed: Secret, operation: impl FnMut(&Secret) + 'static) -> Subject {
        Subject {
            operation: Box::new(operation),
            kinds: [vec![fixed], vec![]],
        }
    }
}

/// A name, and the constructor of the subject.
type Row = (&'static str, fn() -> Subject);

/// The operations whose time must not depend on the secret.
const SUBJECTS: &[Row] = &[
    ("a power modulo a number of 1024 bits: the exponent", || {
        power("fixed_window")
    }),
    ("the same, eight at a time", powers),
    ("an inverse modulo a prime of 1024 bits", || {
        // The largest: 0 has no inverse, which would be visible.
        let n = Nat::power_of_two(1024)
            .sub_limb(105)
            .expect("it is not negative");
        Subject::new(ONE, move |a| drop(black_box(inv_mod(&below(a), &n))))
    }),
    (
        "RSA-1024 decryption, PKCS #1 v1.5: whether the padding is right",
        decryption,
    ),
    ("X25519: the scalar", || {
        let u = random()[..32].try_into().expect("32 octets");
        Subject::new([0; 128], move |k| {
            let k = k[..32].try_into().expect("32 octets");
            black_box(x25519(Cpu::native(), k, &u));
        })
    }),
    ("P-256: the scalar", || product::<P256, 4>()),
    ("P-384: the scalar", || product::<P384, 6>()),
    ("P-521: the scalar", || product::<P521, 8>()),
    ("ECDSA on P-256: the key of a signature", || {
        let digest = Hash::Sha256.digest(b"a message");
        Subject::new(ONE_OF_32, move |d| {
            // Below the order.
            let d: [u8; 32] = core::array::from_fn(|i| if i == 0 { 0 } else { d[i] });
            let key = ec::PrivateKey::<P256>::from_be_bytes(&d).expect("not 0");
            let _ = black_box(key.ecdsa_sign(Hash::Sha256, &digest));
        })
    }),
    ("Ed25519: the seed of a signature", || {
        Subject::new([0; 128], |seed| {
            let seed = seed[..32].try_into().expect("32 octets");
            black_box(Ed25519PrivateKey::from_bytes(seed).sign(b"a message"));
        })
    }),
    ("X448: the scalar", || {
        let u = random()[..56].try_into().expect("56 octets");
        Subject::new([0; 128], move |k| {
            let k = k[..56].try_into().expect("56 octets");
            black_box(x448(k, &u));
        })
    }),
    ("Ed448: the seed of a signature", || {
        Subject::new([0; 128], |seed| {
            let seed = seed[..57].try_into().expect("57 octets");
            black_box(Ed448PrivateKey::from_bytes(seed).sign(b"a message"));
        })
    }),
    ("AES-256-CTR: the key", || {
        Subject::new([0; 128], |key| {
            let aes = Aes::new(&key[..32]).expect("a length that AES has");
            aes.apply_ctr(&[0; 16], 128, 0, black_box(&mut [0; 64]));
        })
    }),
];

/// Operations whose time must depend on the secret.
const PLANTED: &[Row] = &[
    ("planted: a power that skips zeros", || power("binary_lr")),
    ("planted: a comparison that ends early", || {
        Subject::new([7; 128], |secret| {
            let differs = |(a, b): (&u8, &u8)| black_box(a) != b;
            black_box(secret.iter().zip(&[7; 128]).position(differs));
        })
    }),
];

/// A product of a point and a number of N limbs.
fn product<C: Curve, const N: usize>() -> Subject {
    Subject::new([0; 128], |k| {
        let scalar: [Limb; N] = core::array::from_fn(|i| {
            let octets = k[8 * i..8 * i + 8].try_into().expect("eight octets");
            Limb::from_be_bytes(octets)
        });
        black_box(Point::<C>::generator().mul(Cpu::native(), &scalar));
    })
}

fn power(method: &str) -> Subject {
    let n = Modulus::new(&odd(&random())).expect("odd, and above 1");
    let method = Method::named(method).expect("a method of that name");
    let base = below(&random()).resize(n.width()).expect("below n");
    Subject::new(ONE, move |exponent| {
        drop(black_box(n.pow_by(
            method,
            &base,
            &Nat::from_be_bytes(exponent),
        )))
    })
}

fn powers() -> Subject {
    let n = Modulus::new(&odd(&random())).expect("odd, and above 1");
    let base = below(&random()).resize(n.width()).expect("below n");
    Subject::new([0; 128], move |exponent| {
        let exponent = Nat::from_be_bytes(exponent);
        black_box(lanes::pow(&[(&n, &base, &exponent); lanes::LANES]));
    })
}

/// Ciphertexts of a message, and numbers whose padding is wrong, for which there is a random message of as many octets: how
/// long a message is, its caller sees.
fn decryption() -> Subject {
    const EACH: usize = 64;
    let options = KeygenOptions {
        allow_small: true,
        ..Default::default()
    };
    let key = PrivateKey::generate_with(|| UnwrapErr(SysRng), 1024, &options, &|_| ())
        .expect("a size that there is");
    let message = b"a message";
    let decrypted = |key: &PrivateKey, c: &Secret| {
        let m = key.rsaes_pkcs1_v1_5_decrypt(&mut UnwrapErr(SysRng), c);
        m.expect("a number below the modulus")
    };
    let right = std::iter::repeat_with(|| {
        let public = key.public();
        let c = public.rsaes_pkcs1_v1_5_encrypt(&mut UnwrapErr(SysRng), message);
        Secret::try_from(c.expect("it fits")).expect("128 octets")
    });
    let wrong = std::iter::repeat_with(|| {
        // Without its highest bit the number is below the modulus.
        let mut c = random();
        c[0] &= 0x7f;
        c
    })
    .filter(|c| {
        let m = decrypted(&key, c);
        m.len() == message.len() && m[..] != message[..]
    });
    let kinds = [right.take(EACH).collect(), wrong.take(EACH).collect()];
    Subject {
        operation: Box::new(move |c| drop(black_box(decrypted(&key, c)))),
        kinds,
    }
}

fn main() -> ExitCode {
    let argument = |i, default| {
        let argument = env::args().nth(i);
        argument.map_or(Some(default), |text| text.parse().ok())
    };
    let (Some(seconds), Some(times), None) = (argument(1, 10), argument(2, 0), env::args().nth(4))
    else {
        eprintln!(
            "the arguments are the seconds for each operation, how often it runs at least, and a part of its name"
        );
        return ExitCode::from(2);
    };
    let part = env::args().nth(3).unwrap_or_default();
    let least = Least {
        time: Duration::from_secs(seconds),
        times,
    };
    let chosen = SUBJECTS.iter().filter(|(name, _)| name.contains(&part));
    let subjects: Vec<&Row> = chosen.collect();
    if subjects.is_empty() {
        eprintln!("no operation has {part} in its name");
        return ExitCode::from(2);
    }
    let mut failed = false;
    for (name, subject) in PLANTED {
        failed |= t(name, subject(), &least).abs() < 10.0;
    }
    for (name, subject) in subjects {
        let differs = || t(name, subject(), &least).abs() >= 4.5;
        failed |= differs() && differs();
    }
    if failed {
        eprintln!("FAILED: a time depends on a secret, or a planted one does not seem to");
        return ExitCode::FAILURE;
    }
    println!("no time depends on a secret, and every planted one does");
    ExitCode::SUCCESS
}

/// Ticks while `f` runs, and nothing that comes before or after it.
#[cfg(target_arch = "x86_64")]
fn ticks(f: impl FnOnce()) -> u64 {
    use core::arch::x86_64::{__rdtscp, _mm_lfence, _rdtsc};
    // SAFETY: every x86-64 processor with AVX has these, and all others that are left.
    let start = unsafe {
        _mm_lfence();
        let start = _rdtsc();
        _mm_lfence();
        start
    };
    f();
    // SAFETY: as above.
    let end = unsafe {
        let end = __rdtscp(&mut 0);
        _mm_lfence();
        end
    };
    end.wrapping_sub(start)
}

/// Nanoseconds, where there is no better clock.
#[cfg(not(target_arch = "x86_64"))]
fn ticks(f: impl FnOnce()) -> u64 {
    let start = Instant::now();
    f();
    start.elapsed().as_nanos() as u64
}

/// Statistics of the times of both kinds of secrets.
#[derive(Clone, Copy, Default)]
struct Times {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Times {
    /// Adds a time (Welford 1962).
    fn add(&mut self, x: f64) {
        self.count += 1.0;
        let d = x - self.mean;
        self.mean += d / self.count;
        self.squares += d * (x - self.mean);
    }

    /// Welch's t.
    fn t([a, b]: [Times; 2]) -> f64 {
        let variance = |x: Times| x.squares / (x.count - 1.0) / x.count;
        let t = (a.mean - b.mean) / (variance(a) + variance(b)).sqrt();
        if t.is_finite() { t } else { 0.0 }
    }
}

/// Cut-offs: each drops more of the longest times, as interrupts hide small differences.
const CROPS: usize = 20;

/// Secrets made in advance.
const POOL: usize = 1000;

/// How long an operation is measured: until both are reached.
struct Least {
    time: Duration,
    times: u64,
}

/// The largest t of an operation, with the longest times and without.
fn t(name: &str, mut subject: Subject, least: &Least) -> f64 {
    let mut rng = Rng::new(1, name);
    let mut pool = Vec::new();
    let mut measure = || {
        if pool.is_empty() {
            // In advance, so that the code right before an operation is the same for both kinds.
            let pick = |_| {
                let kind = rng.below(2);
                let secret = match &subject.kinds[kind][..] {
                    [] => random_by(&mut rng),
                    some => rng.pick(some),
                };
                (kind, secret)
            };
            pool.extend((0..POOL).map(pick));
        }
        let (kind, secret) = pool.pop().expect("it was filled");
        (kind, ticks(|| (subject.operation)(&secret)))
    };
    let mut first: Vec<u64> = (0..1000).map(|_| measure().1).collect();
    first.sort_unstable();
    // From three tenths of them up to all.
    let limit = |i: usize| match i {
        CROPS => u64::MAX,
        i => first[((1.0 - 0.5_f64.powf(10.0 * (i + 1) as f64 / CROPS as f64)) * 999.0) as usize],
    };
    let limits: Vec<u64> = (0..=CROPS).map(limit).collect();
    let mut times = [[Times::default(); 2]; CROPS + 1];
    let start = Instant::now();
    let mut count = 0;
    while start.elapsed() < least.time || count < least.times {
        let (kind, ticks) = measure();
        count += 1;
        for (times, &limit) in times.iter_mut().zip(&limits) {
            if ticks <= limit {
                times[kind].add(ticks as f64);
            }
        }
    }
    let all = times[CROPS];
    let t = times.into_iter().map(Times::t);
    let t = t.max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(0.0);
    println!(
        "t = {t:8.2}  {:9.0} times  {name}",
        all[0].count + all[1].count
    );
    t
}

fn random_by(rng: &mut Rng) -> Secret {
    let mut secret = [0; 128];
    for word in secret.chunks_mut(8) {
        word.copy_from_slice(&rng.next().to_be_bytes());
    }
    secret
}

fn random() -> Secret {
    let mut secret = [0; 128];
    UnwrapErr(SysRng).fill_bytes(&mut secret);
    secret
}

/// A modulus of 1024 bits.
fn odd(octets: &Secret) -> Nat {
    let mut octets = *octets;
    octets[0] |= 0x80;
    octets[127] |= 1;
    Nat::from_be_bytes(&octets)
}

/// A number below such a modulus.
fn below(octets: &Secret) -> Nat {
    let mut octets = *octets;
    octets[0] &= 0x7f;
    Nat::from_be_bytes(&octets)
}
