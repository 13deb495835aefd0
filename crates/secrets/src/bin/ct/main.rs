//! Checks that no instruction and no address depends on a secret, by valgrind's memcheck on the release binary.
//!
//! `cargo run --release -p carrysave-secrets --bin ct` runs itself under valgrind twice. The first run is everything
//! that promises constant time, with its secrets marked as undefined memory, and must report nothing. The second run is
//! planted leaks, and must report each. The exit status is 0 if both hold, 1 if not, and 77 without valgrind.
//!
//! Memcheck cannot run AVX-512, and does not see how long a division takes.
//!
//! `-- NAME` runs only the checks whose name contains NAME, without the planted leaks.
//!
//! Miri runs the checks themselves: `cargo +nightly miri run -p carrysave-secrets --bin ct -- NAME`. It sees undefined
//! behaviour of all that they call, in plain Rust, and nothing of secrets. It is some thousand times slower, and so has
//! shorter kernels, fewer widths, and one curve of each kind.
//!
//! Checks of what calls the kernels run on this processor and on a lesser one, another for each check; with
//! `CARRYSAVE_SLOW=1` on all. Kernels get longer operands then, and GF(p)* long exponents.
//!
//! The checks of a layer or family, and the planted leaks, are modules.

mod arith;
mod curves;
mod dl;
mod engine;
mod files;
mod hidden;
mod leaks;
mod legacy;
mod messages;
mod rsa;
mod symmetric;

use carrysave_arith::{
    Model, PLANS, Plan,
    curve::{BrainpoolP256r1, BrainpoolP384r1, BrainpoolP512r1, P224, P256, P384, P521, Secp256k1},
};
use carrysave_contract::{Case, Rng, dimensions};
use carrysave_kernels::{
    Cpu, Isa, REGISTRY,
    op::{Op, Raw, Timing},
    publish,
};
use carrysave_schemes::{
    dl::{Group, Named},
    hash::Hash,
    rsa::PrivateKey,
};
use carrysave_secrets::valgrind::{self, poison, reveal, secret};
use getrandom::SysRng;
use rand_core::UnwrapErr;
use std::{
    cell::{Cell, LazyCell},
    env, iter,
    process::{Command, ExitCode, Stdio},
    ptr,
    sync::atomic::{AtomicUsize, Ordering},
};

/// The exit code of valgrind after a report.
const REPORTED: i32 = 99;

fn main() -> ExitCode {
    match (valgrind::present() || cfg!(miri), chosen()) {
        (false, name) => run(name),
        (true, Some(name)) if name == LEAK => leaks::plant(),
        (true, _) => check_all(),
    }
}

/// The argument of the second run.
const LEAK: &str = "--leak";

/// What the checks to run have in their names; none for all.
fn chosen() -> Option<String> {
    env::args().nth(1)
}

/// Runs this program under valgrind: first the checks, then, where all are run, the planted leaks.
fn run(name: Option<String>) -> ExitCode {
    let program = env::current_exe().expect("a program knows where it is");
    let valgrind = |argument: Option<&str>, quiet: bool| {
        let mut command = Command::new("valgrind");
        command
            .args(["-q", "--error-exitcode=99"])
            .arg(&program)
            .args(argument);
        if quiet {
            command.stderr(Stdio::null());
        }
        command.status().map(|status| status.code())
    };
    match valgrind(name.as_deref(), false) {
        Err(error) => {
            eprintln!(
                "SKIPPED: constant time was not checked, because valgrind does not start: {error}"
            );
            return ExitCode::from(77);
        }
        Ok(Some(0)) => println!("nothing depends on a secret"),
        Ok(code) => {
            eprintln!("FAILED: see valgrind's report above (exit code {code:?})");
            return ExitCode::FAILURE;
        }
    }
    if name.is_some() {
        return ExitCode::SUCCESS;
    }
    match valgrind(Some(LEAK), true) {
        Ok(Some(REPORTED)) => {
            println!("every planted leak was reported");
            ExitCode::SUCCESS
        }
        other => {
            eprintln!("FAILED: a planted leak was not reported ({other:?})");
            ExitCode::FAILURE
        }
    }
}

/// Everything that promises constant time.
fn check_all() -> ExitCode {
    // SAFETY: valgrind runs these although its CPUID does not say so.
    let cpu = unsafe { Cpu::assume(Cpu::native().isa().and(Isa::BMI2).and(Isa::ADX)) };
    let slow = env::var_os("CARRYSAVE_SLOW").is_some();
    let longest = match (cfg!(miri), slow) {
        (true, _) => 3 * 3,
        (_, true) => 33 * 33,
        _ => 17 * 17,
    };
    for op in REGISTRY {
        let constant = |i: &usize| op.timing(*i) == Timing::Constant;
        for i in (0..op.kernels.len()).filter(constant) {
            let (name, needs) = op.kernels[i];
            let name = format!("{}/{name}", op.name);
            if cpu.has(needs) {
                count(&name, || {
                    check_kernel(op, i, longest, &mut Rng::new(1, &name))
                });
            } else {
                println!("           not run here  {name} ({needs})");
            }
        }
    }
    let levels = Levels::of(cpu, slow);
    // Also plans for other processors: radix 2^52 with its portable kernels. Those of Intel differ from others in sizes
    // only.
    let measured = |plan: &&Plan| !plan.models.contains(&Model::IntelServer);
    for (i, plan) in PLANS.iter().filter(measured).enumerate() {
        for cpu in levels.some() {
            count(&format!("arith on {cpu} by plan {i}"), || {
                arith::residues(cpu, plan, &mut Rng::new(1, "arith"))
            });
            count(&format!("lanes on {cpu} by plan {i}"), || {
                arith::lanes(cpu, plan, &mut Rng::new(1, "lanes"))
            });
        }
    }
    count("products by every method of the plan", || {
        arith::products(&mut Rng::new(1, "products"))
    });
    for cpu in levels.some() {
        count(&format!("products by transforms on {cpu}"), || {
            arith::transforms(cpu, &mut Rng::new(1, "transforms"))
        });
    }
    for cpu in levels.some() {
        count(&format!("fields and curves on {cpu}"), || {
            arith::curves(cpu)
        });
    }
    for cpu in levels.some() {
        count(&format!("AES on {cpu}"), || symmetric::aes(cpu));
        count(&format!("Rijndael on {cpu}"), || symmetric::rijndael(cpu));
        count(&format!("Threefish on {cpu}"), || {
            symmetric::threefish::<4>(cpu);
            symmetric::threefish::<8>(cpu);
            symmetric::threefish::<16>(cpu);
        });
        count(&format!("Skein with a key on {cpu}"), || {
            symmetric::skein::<4>(cpu);
            symmetric::skein::<8>(cpu);
            symmetric::skein::<16>(cpu);
        });
    }
    count("ciphers by teams", || symmetric::on_teams(cpu));
    count("ciphers by the traits of others", symmetric::traits);
    count("padding of ciphers", symmetric::padding);
    count("hashes of secrets", curves::hashes);
    let key: LazyCell<PrivateKey> = LazyCell::new(|| keep("RSA key generation", rsa::generation));
    let three: LazyCell<PrivateKey> =
        LazyCell::new(|| keep("RSA key generation of three primes", rsa::three_primes));
    count("RSA key from its components", || rsa::loading(&key));
    count("RSA encodings", rsa::encodings);
    for (key, primes) in [(&key, "two"), (&three, "three")] {
        count(&format!("RSA key from {primes} primes"), || {
            rsa::from_parts(key)
        });
        count(&format!("RSA by {primes} primes, by teams too"), || {
            rsa::operations(key)
        });
    }
    count("RSA signing keys", || rsa::signing_keys(&key));
    for cpu in levels.some() {
        count(&format!("RSA signatures and decryption on {cpu}"), || {
            rsa::signatures(&key.with_cpu(cpu));
            rsa::signatures(&three.with_cpu(cpu));
        });
        count(&format!("RSA in lanes on {cpu}"), || {
            rsa::in_lanes(&key, cpu)
        });
    }
    let group = LazyCell::new(|| {
        let rng = &mut UnwrapErr(SysRng);
        let group = Group::generate_with(rng, 512, 160, Hash::Sha256, &mut || ());
        group.expect("a good size").0
    });
    for cpu in levels.some() {
        count(
            &format!("keys, agreements and signatures in GF(p)* on {cpu}"),
            || dl::keys(&group, cpu),
        );
    }
    if slow {
        // On other kernels long exponents take the code path of short ones.
        count(
            "keys, agreements and signatures with long exponents",
            || dl::keys(&Named::Modp1536Legacy.group(), cpu),
        );
    }
    count("agreements in groups that a peer states", || {
        dl::parameters(&group)
    });
    count("ECDSA", || {
        curves::ecdsa::<P256>();
        curves::ecdsa::<BrainpoolP256r1>();
        if cfg!(miri) {
            return;
        }
        curves::ecdsa::<P224>();
        curves::ecdsa::<P384>();
        curves::ecdsa::<P521>();
        curves::ecdsa::<Secp256k1>();
        curves::ecdsa::<BrainpoolP384r1>();
        curves::ecdsa::<BrainpoolP512r1>();
    });
    count("Ed25519", curves::ed25519);
    count("X448 and Ed448", curves::curve448);
    count("keys of every curve", curves::any);
    count("keys of curves by their types", || {
        curves::named::<P256>();
        if cfg!(miri) {
            return;
        }
        curves::named::<P521>();
        curves::named::<BrainpoolP256r1>();
    });
    count("seeds of curves", curves::seeded);
    count("messages", || messages::authenticated(&key));
    count("messages by teams", || messages::on_teams(&key));
    count("messages without authentication", || {
        messages::unauthenticated(&key)
    });
    count("files of keys of curves", files::curves);
    count("files of RSA keys", files::rsa);
    count("files of keys in GF(p)*", || files::dl(&group));
    count("batches of tasks", || engine::batches(&key, &group));
    count("services of tasks", || engine::services(&key, &group));
    let keys = LazyCell::new(|| keep("legacy key generation and checks", legacy::keys));
    for cpu in levels.some() {
        count(
            &format!("legacy signatures and decryption on {cpu}"),
            || legacy::operations(&keys, cpu),
        );
        count(&format!("MQV and DLIES on {cpu}"), || legacy::mqv(cpu));
    }
    if RUN.load(Ordering::Relaxed) == 0 {
        eprintln!("no check has {} in its name", chosen().unwrap_or_default());
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// The processor that valgrind runs, and all that have fewer instructions.
struct Levels {
    whole: Cpu,
    lesser: Vec<Cpu>,
    all: bool,
    asked: Cell<usize>,
}

impl Levels {
    fn of(cpu: Cpu, all: bool) -> Levels {
        Levels {
            whole: cpu,
            // Miri has one level.
            lesser: cpu.masks().skip(1).filter(|_| !cfg!(miri)).collect(),
            all,
            asked: Cell::new(0),
        }
    }

    /// The whole processor and a lesser one, another at each call, or all.
    fn some(&self) -> impl Iterator<Item = Cpu> {
        let lesser = if self.all || self.lesser.is_empty() {
            &self.lesser[..]
        } else {
            let turn = self.asked.replace(self.asked.get() + 1) % self.lesser.len();
            &self.lesser[turn..=turn]
        };
        iter::once(self.whole).chain(lesser.iter().copied())
    }
}

/// How many checks ran.
static RUN: AtomicUsize = AtomicUsize::new(0);

/// Runs `check` if it is chosen, and prints the number of valgrind's errors.
fn count(name: &str, check: impl FnOnce()) -> usize {
    if chosen().is_some_and(|part| part != LEAK && !name.contains(&part)) {
        return 0;
    }
    counted(name, check)
}

/// Runs `check`, and prints the number of valgrind's errors.
fn counted(name: &str, check: impl FnOnce()) -> usize {
    let before = valgrind::errors();
    check();
    let found = valgrind::errors() - before;
    RUN.fetch_add(1, Ordering::Relaxed);
    println!("{found:>4} errors  {name}");
    found
}

/// Runs a check that makes what others use, and prints the number of valgrind's errors.
fn keep<T>(name: &str, check: impl FnOnce() -> T) -> T {
    let mut made = None;
    counted(name, || made = Some(check()));
    made.expect("it was just made")
}

/// One kernel with secret operands, whose dimensions multiply to `longest` at most, and a secret scalar; only sizes and
/// operands that the contract calls public are not secret.
fn check_kernel(op: &'static Op, kernel: usize, longest: usize, rng: &mut Rng) {
    for (n, m) in dimensions(op.contract)
        .into_iter()
        .filter(|(n, m)| n * m.max(&1) <= longest)
    {
        let mut case = Case::generate(op, (n, m), rng);
        let outcome = carrysave_proof::reference::outcome(&case);
        let mut p = [ptr::null_mut(); Raw::OPERANDS];
        for ((p, value), operand) in p.iter_mut().zip(&mut case.values).zip(op.contract.operands) {
            if operand.role.is_read() && !operand.public {
                poison(value);
            }
            *p = value.as_mut_ptr();
        }
        let s = if op.contract.scalar.is_public() {
            case.s
        } else {
            secret(case.s)
        };
        // SAFETY: operands of the contract's lengths, each in memory of its own; valgrind runs this kernel.
        let returned = publish(unsafe { op.invoke(kernel, &Raw { p, n, m, s }) });
        for ((value, expected), operand) in case
            .values
            .iter()
            .zip(&outcome.values)
            .zip(op.contract.operands)
        {
            reveal(value);
            let right = expected.as_ref().is_none_or(|expected| expected == value);
            assert!(
                right,
                "{}: wrong {} for n = {n}, m = {m}",
                op.name, operand.name
            );
        }
        assert_eq!(returned, outcome.returned, "{}: n = {n}, m = {m}", op.name);
    }
}
