//! `threads`: one multiplication or exponentiation on several threads, by published algorithms: the tables of
//! "Optimizing Crypto++ library for P4" (Zidenberg) and of "The Performance of Cryptographic Algorithms in the Age of
//! Parallel Computing" (Khalifa 2011) on this processor.
//!
//! Each race is led by the algorithm on one thread that the tables compare with, so that the ratio is the speedup. A
//! team's threads are kept from one multiplication to the next, or, where that is not lost in its time, started for
//! each (`/spawned`), or, in Zidenberg's table, bound to the threads of one core (`/siblings`), where cores have two. `docs/design/published.md` has the published figures.

use super::{
    Experiment, Levels, Share,
    modexp::{expected, random_power},
    random_limbs,
    siblings::teams_of_two,
    team,
    thesis::invertible_power,
};
use crate::{
    Bench, Error,
    record::Size,
    rivals::{Power, padded},
};
use carrysave_arith::{
    Method, Modulus, Multiplier, Nat,
    published::{
        mont_mul::{ALGORITHMS, Algorithm},
        pow::Version,
    },
};
use carrysave_kernels::{
    Cpu, Limb,
    mpn::{MontMul, word::neg_inverse},
};
use carrysave_measure::thesis;
use carrysave_team::{Spawned, Team};
use num_bigint::BigUint;
use std::{array, cell::LazyCell};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "threads",
    about: "one multiplication or exponentiation on several threads, by published algorithms",
    run,
    levels: Levels {
        quick: Some(Share::new(&[2048], 0.05, 5.0)),
        standard: Share::new(&[2048, 4096], 0.2, 40.0),
        full: Share::new(&[], 0.3, 600.0),
    },
};

/// The bits of bases and of exponents in the table of threaded exponentiation.
const PUBLISHED_POWERS: [(usize, usize); 8] = [
    (512, 256),
    (512, 512),
    (1024, 128),
    (1024, 256),
    (1024, 512),
    (1024, 1024),
    (2048, 2048),
    (3072, 3072),
];

/// The bits up to which threads are also started for each multiplication: above that it is a few hundredths of its
/// time.
const STARTS_SHOW: usize = 24_576;

fn run(bench: &mut Bench<'_>) -> Result<(), Error> {
    // The length at which threads are added comes last.
    let mut lengths = thesis::products();
    lengths.push(thesis::LONG_PRODUCT);
    let lengths = bench.limb_bits(&lengths)?;
    for (i, &bits) in lengths.iter().enumerate() {
        let case = Product::random(bits);
        let counts = match i + 1 == lengths.len() {
            true => bench.every_thread_count(thesis::CORES),
            false => bench.thread_counts(),
        };
        for threads in counts {
            multiplications(bench, &case, threads)?;
        }
    }
    for bits in bench.limb_bits(&thesis::powers())? {
        let power = invertible_power(bits);
        for threads in bench.thread_counts() {
            signed_digits(bench, "signed_digit", bits, &power, threads)?;
        }
    }
    if bench.limb_bits(&[])?.is_empty() {
        let mut power = invertible_power(thesis::LONG_POWER);
        power.exponent = random_power(thesis::EXPONENT).exponent;
        for threads in bench.every_thread_count(thesis::CORES) {
            let operation = format!("signed_digit/{}", thesis::EXPONENT);
            signed_digits(bench, &operation, thesis::LONG_POWER, &power, threads)?;
        }
    }
    let asked = bench.limb_bits(&[])?;
    let powers: Vec<_> = match asked[..] {
        [] => PUBLISHED_POWERS.to_vec(),
        _ => asked.iter().map(|&bits| (bits, bits)).collect(),
    };
    for (bits, exponent_bits) in powers {
        windows(bench, bits, exponent_bits)?;
    }
    Ok(())
}

/// A team, and the end of its name.
pub(super) type Named = (Box<dyn Team>, &'static str);

/// A team that keeps its threads, and one that starts them each time.
pub(super) fn teams(threads: usize) -> Result<[Named; 2], Error> {
    let spawned = Spawned::new(threads.max(1));
    Ok([
        (Box::new(team(threads)?), ""),
        (Box::new(spawned), "/spawned"),
    ])
}

/// The teams that are raced at a length.
pub(super) fn raced(teams: &[Named; 2], bits: usize) -> &[Named] {
    match bits <= STARTS_SHOW {
        true => teams,
        false => &teams[..1],
    }
}

/// `a * b / R mod n` for b = x R, which is `a * x mod n`.
pub(super) struct Product {
    bits: usize,
    a: Vec<Limb>,
    b: Vec<Limb>,
    n: Vec<Limb>,
    n0: Limb,
    x: Vec<Limb>,
    answer: Vec<Limb>,
}

impl Product {
    pub(super) fn random(bits: usize) -> Product {
        let k = bits / 64;
        let [mut a, mut x, mut n] = array::from_fn(|_| random_limbs(k));
        // a and x below n.
        a[k - 1] >>= 1;
        x[k - 1] >>= 1;
        n[k - 1] |= 1 << 63;
        n[0] |= 1;
        let [wide_a, wide_x, wide_n] = [&a, &x, &n].map(|limbs| number(limbs));
        let limbs = |number: BigUint| {
            let mut limbs = number.to_u64_digits();
            limbs.resize(k, 0);
            limbs
        };
        Product {
            bits,
            b: limbs((&wide_x << bits) % &wide_n),
            answer: limbs(wide_a * wide_x % wide_n),
            n0: neg_inverse(n[0]),
            a,
            n,
            x,
        }
    }

    pub(super) fn check(&self, answer: &Vec<Limb>) -> Result<(), String> {
        match *answer == self.answer {
            true => Ok(()),
            false => Err("its product is wrong".to_owned()),
        }
    }

    pub(super) fn by_team(&self, algorithm: &Algorithm, team: &dyn Team) -> Vec<Limb> {
        let mut r = vec![0; self.a.len()];
        algorithm.call(team, &mut r, &self.a, &self.b, &self.n, self.n0);
        r
    }

    fn by_kernel(&self, kernel: &MontMul, t: &mut [Limb]) -> Vec<Limb> {
        let mut r = vec![0; self.a.len()];
        kernel.call(&mut r, &self.a, &self.b, &self.n, self.n0, t);
        r
    }

    /// What is chosen today: the modulus and the factors.
    fn today(&self, cpu: Cpu) -> (Modulus, Nat, Multiplier) {
        let [a, x, n] = [&self.a, &self.x, &self.n].map(|limbs| Nat::from_limbs(limbs));
        let n = Modulus::with_cpu(&n, cpu).expect("the modulus is odd");
        let x = n.multiplier(&x);
        (n, a, x)
    }
}

fn number(limbs: &[Limb]) -> BigUint {
    let bytes: Vec<u8> = limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect();
    BigUint::from_bytes_le(&bytes)
}

/// Montgomery multiplication: the thesis's tables 3, 4, 6 and 7.
fn multiplications(bench: &mut Bench<'_>, case: &Product, threads: usize) -> Result<(), Error> {
    let cpu = bench.cpu();
    let teams = teams(threads)?;
    let check = |answer: &Vec<Limb>| case.check(answer);
    let (n, a, x) = case.today(cpu);
    let mut race = bench.race("mont_mul", Size::Bits(case.bits));
    for kernel in thesis::SEQUENTIAL {
        // There are no kernels on 32-bit words where limbs are stored the other way round.
        if let Some(handle) = MontMul::named_vartime(cpu, kernel) {
            race.enter(
                &format!("carrysave/{kernel}"),
                || vec![0; 2 * case.n.len()],
                move |t| case.by_kernel(&handle, t),
                check,
            );
        }
    }
    race.enter(
        "carrysave",
        || (),
        |()| n.mul_by(&a, &x).limbs().to_vec(),
        check,
    );
    race.on_threads(threads);
    for algorithm in ALGORITHMS {
        for (team, kind) in raced(&teams, case.bits) {
            race.enter(
                &format!("carrysave/{}{kind}", algorithm.name),
                || (),
                move |()| case.by_team(algorithm, &**team),
                check,
            );
        }
    }
    race.run();
    Ok(())
}

/// Exponentiation by signed digits, each multiplication shared: tables 5, 8 and 9.
fn signed_digits(
    bench: &mut Bench<'_>,
    operation: &str,
    bits: usize,
    power: &Power,
    threads: usize,
) -> Result<(), Error> {
    let cpu = bench.cpu();
    let teams = teams(threads)?;
    let [base, exponent, n] =
        [&power.base, &power.exponent, &power.modulus].map(|bytes| Nat::from_be_bytes(bytes));
    let (base, exponent) = (&base, &exponent);
    let check = checked(power);
    let method = Method::named("signed_digit").expect("a method of that name");
    let modulus = &Modulus::with_cpu(&n, cpu).expect("the modulus is odd");
    let mut race = bench.race(operation, Size::Bits(bits));
    for kernel in thesis::SEQUENTIAL {
        if let Some(modulus) = Modulus::with_kernel_vartime(&n, cpu, kernel) {
            let pow = move |(): &mut ()| modulus.pow_by(method, base, exponent);
            race.enter(&format!("carrysave/{kernel}"), || (), pow, &check);
        }
    }
    let today = || modulus.pow_vartime(base, exponent);
    race.enter("carrysave", || (), |()| today(), &check);
    race.on_threads(threads);
    for algorithm in ALGORITHMS {
        for (team, kind) in raced(&teams, bits) {
            race.enter(
                &format!("carrysave/{}{kind}", algorithm.name),
                || (),
                move |()| modulus.pow_by_team(&**team, algorithm, method, base, exponent),
                &check,
            );
        }
    }
    race.run();
    Ok(())
}

/// Sliding windows from the right on two threads, or on one if so few were asked for: Zidenberg's table. Two are of one
/// core, too, where a core has as many.
fn windows(bench: &mut Bench<'_>, bits: usize, exponent_bits: usize) -> Result<(), Error> {
    let mut power = random_power(bits);
    power.exponent = random_power(exponent_bits).exponent;
    let [base, exponent, n] =
        [&power.base, &power.exponent, &power.modulus].map(|bytes| Nat::from_be_bytes(bytes));
    let (base, exponent) = (&base, &exponent);
    let check = checked(&power);
    let modulus = &Modulus::with_cpu(&n, bench.cpu()).expect("the modulus is odd");
    let threads = bench.threads(2).min(2);
    let teams = teams_of_two(threads)?;
    let name = format!("modexp/{exponent_bits}");
    let mut race = bench.race(&name, Size::Bits(bits));
    let method = Method::named("sliding_rl_worst").expect("a method of that name");
    let unthreaded = || modulus.pow_by(method, base, exponent);
    race.enter(
        "carrysave/sliding_rl_worst",
        || (),
        |()| unthreaded(),
        &check,
    );
    race.on_threads(threads);
    for version in Version::ALL {
        for (team, kind) in &teams {
            let version_name = format!("{version:?}").to_lowercase();
            race.enter(
                &format!("carrysave/{version_name}{kind}"),
                || (),
                move |()| modulus.pow_threaded_vartime(&**team, version, base, exponent),
                &check,
            );
        }
    }
    race.run();
    Ok(())
}

/// The judge of a power, who computes it when first asked.
pub(super) fn checked(power: &Power) -> impl Fn(&Nat) -> Result<(), String> {
    let right = LazyCell::new(|| expected(power));
    move |answer| match padded(&answer.to_be_bytes_vartime(), power.modulus.len()) == *right {
        true => Ok(()),
        false => Err("its power is wrong".to_owned()),
    }
}
