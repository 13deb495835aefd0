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
//! This file is long because it is one list of checks and planted leaks, each in a few lines; a module beside it has those
//! of one layer or family.

mod curves;
mod engine;
mod files;
mod hidden;
mod messages;
mod rsa;
mod symmetric;

use carrysave_arith::{
    Barrett, FixedBase, Model, Modulus, NEVER, Nat, PLANS, Plan, Product,
    curve::{
        BaseTable, BrainpoolP256r1, BrainpoolP384r1, BrainpoolP512r1, Curve, Edwards25519Table,
        P224, P256, P384, P521, Point, Secp256k1, X25519_BASE, x25519, x25519_in_lanes,
    },
    field::{F127, F128M159, Fe, FeBatch, Vectors, invert_batch},
    lanes::{Element, LANES, ModulusLanes},
};
use carrysave_contract::{self as contract, Case, Rng, dimensions};
use carrysave_kernels::{
    Cpu, Isa, Limb, REGISTRY,
    op::{Op, Raw, Timing},
    publish,
};
use carrysave_schemes::{
    dl::{self, Named},
    ec,
    hash::Hash,
    legacy::{
        self, esign, ies,
        mqv::{Party, Role, fhmqv_agree, hmqv_agree, mqv_agree},
        nr, rabin, rw,
    },
    rsa::{KeygenOptions, PrivateKey, batch},
};
use carrysave_secrets::valgrind::{self, poison, reveal, secret};
use carrysave_team::{Barrier, Member, Team};
use getrandom::SysRng;
use hidden::SecretRng;
use rand_core::UnwrapErr;
use signature::{RandomizedSigner, Signer};
use std::{
    cell::LazyCell,
    env,
    hint::black_box,
    iter,
    process::{Command, ExitCode, Stdio},
    ptr,
};
use zeroize::Zeroizing;

/// The exit code of valgrind after a report.
const REPORTED: i32 = 99;

fn main() -> ExitCode {
    match (valgrind::present(), chosen()) {
        (false, name) => run(name),
        (true, Some(name)) if name == LEAK => plant_leaks(),
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
    for op in REGISTRY {
        let constant = |i: &usize| op.timing(*i) == Timing::Constant;
        for i in (0..op.kernels.len()).filter(constant) {
            let (name, needs) = op.kernels[i];
            let name = format!("{}/{name}", op.name);
            if cpu.has(needs) {
                count(&name, || check_kernel(op, i, &mut Rng::new(1, &name)));
            } else {
                println!("   not run by valgrind  {name} ({needs})");
            }
        }
    }
    for cpu in cpu.masks() {
        // Also plans for other processors: radix 2^52 with its portable kernels. Those of Intel differ from others in sizes
        // only.
        let measured = |plan: &&Plan| !plan.models.contains(&Model::IntelServer);
        for (i, plan) in PLANS.iter().filter(measured).enumerate() {
            count(&format!("arith on {cpu} by plan {i}"), || {
                check_arith(cpu, plan, &mut Rng::new(1, "arith"))
            });
            count(&format!("lanes on {cpu} by plan {i}"), || {
                check_lanes(cpu, plan, &mut Rng::new(1, "lanes"))
            });
        }
    }
    count("products by every method of the plan", || {
        check_products(&mut Rng::new(1, "products"))
    });
    for cpu in cpu.masks() {
        count(&format!("products by transforms on {cpu}"), || {
            check_transforms(cpu, &mut Rng::new(1, "transforms"))
        });
    }
    for cpu in cpu.masks() {
        count(&format!("fields and curves on {cpu}"), || check_curves(cpu));
    }
    for cpu in cpu.masks() {
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
    let key: LazyCell<PrivateKey> = LazyCell::new(|| keep("RSA key generation", check_keygen));
    let three: LazyCell<PrivateKey> =
        LazyCell::new(|| keep("RSA key generation of three primes", rsa::three_primes));
    count("RSA key from its components", || check_loading(&key));
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
    for cpu in cpu.masks() {
        count(&format!("RSA signatures and decryption on {cpu}"), || {
            check_rsa(&key.with_cpu(cpu));
            check_rsa(&three.with_cpu(cpu));
        });
        count(&format!("RSA in lanes on {cpu}"), || check_batch(&key, cpu));
    }
    let group = LazyCell::new(|| {
        let rng = &mut UnwrapErr(SysRng);
        let group = dl::Group::generate_with(rng, 512, 160, Hash::Sha256, &mut || ());
        group.expect("a good size").0
    });
    let long = Named::Modp1536Legacy.group();
    for (i, cpu) in cpu.masks().enumerate() {
        // Long exponents take minutes; on other kernels they take the code path of short ones.
        count(
            &format!("keys, agreements and signatures in GF(p)* on {cpu}"),
            || check_dl(&[&group, &long][..if i == 0 { 2 } else { 1 }], cpu),
        );
    }
    count("agreements in groups that a peer states", || {
        check_parameters(&group)
    });
    count("ECDSA", || {
        check_ecdsa::<P224>();
        check_ecdsa::<P256>();
        check_ecdsa::<P384>();
        check_ecdsa::<P521>();
        check_ecdsa::<Secp256k1>();
        check_ecdsa::<BrainpoolP256r1>();
        check_ecdsa::<BrainpoolP384r1>();
        check_ecdsa::<BrainpoolP512r1>();
    });
    count("Ed25519", check_ed25519);
    count("X448 and Ed448", check_curve448);
    count("keys of every curve", curves::any);
    count("keys of curves by their types", || {
        curves::named::<P256>();
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
    let keys = LazyCell::new(|| keep("legacy key generation and checks", check_legacy_keys));
    for cpu in cpu.masks() {
        count(
            &format!("legacy signatures and decryption on {cpu}"),
            || check_legacy(&keys, cpu),
        );
        count(&format!("MQV and DLIES on {cpu}"), || check_mqv(cpu));
    }
    ExitCode::SUCCESS
}

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
    println!("{found:>4} errors  {name}");
    found
}

/// Runs a check that makes what others use, and prints the number of valgrind's errors.
fn keep<T>(name: &str, check: impl FnOnce() -> T) -> T {
    let mut made = None;
    counted(name, || made = Some(check()));
    made.expect("it was just made")
}

/// One kernel with secret operands and a secret scalar; only sizes and operands that the contract calls public are not
/// secret.
fn check_kernel(op: &'static Op, kernel: usize, rng: &mut Rng) {
    for (n, m) in dimensions(op.contract)
        .into_iter()
        .filter(|(n, m)| n * m.max(&1) <= 33 * 33)
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

/// Arithmetic modulo a secret number, with secret residues and exponents.
///
/// The modulus is made secret once its context stands: making it publishes its bit length, as documented.
fn check_arith(cpu: Cpu, plan: &'static Plan, rng: &mut Rng) {
    for width in [1, 2, 5, 8, 16] {
        let mut number = contract::limbs(rng, width);
        number[0] |= 1;
        number[width - 1] |= 1 << 63;
        let modulus = Modulus::with_plan(&Nat::from_limbs(&number), cpu, plan);
        let modulus = modulus.expect("odd and above 1");
        let any = |rng: &mut Rng, width| Nat::from_limbs(&contract::limbs(rng, width));
        let (a, b) = (
            modulus.reduce(&any(rng, width)),
            modulus.reduce(&any(rng, 2 * width)),
        );
        let (exponent, long) = (any(rng, 2), any(rng, 2 * width + 1));
        let expected = modulus.pow_vartime(&a, &exponent);
        for nat in [modulus.nat(), &a, &b, &exponent, &long] {
            poison(nat.limbs());
        }
        let comb = FixedBase::new(&modulus, &a, 128);
        let (first, second) = comb.pow_pair(&exponent, &comb, &exponent);
        let powers = [
            modulus.pow(&a, &exponent),
            comb.pow(&exponent),
            first,
            second,
        ];
        for power in powers {
            reveal(power.limbs());
            assert_eq!(power.limbs(), expected.limbs(), "width {width}");
        }
        let residues = [
            modulus.add(&a, &b),
            modulus.sub(&a, &b),
            modulus.neg(&a),
            modulus.mul(&a, &b),
            modulus.sqr(&a),
            modulus.reduce(&long),
            a.add(&b),
            a.mul(&b),
            a.sqr(),
            a.gcd(&b),
            modulus.inv(&a).unwrap_or_default(),
        ];
        black_box((
            residues,
            a.lt(&b),
            a == b,
            a.is_zero(),
            a.is_odd(),
            a.is_one(),
            a.bits(),
        ));
    }
}

/// Arithmetic modulo several secret numbers at once, with secret residues and exponents.
///
/// There are fewer than lanes, so that some are unused, of lengths that make one block of digits and two.
fn check_lanes(cpu: Cpu, plan: &'static Plan, rng: &mut Rng) {
    for width in [1, 5] {
        let mut moduli = |width: usize| -> Vec<Modulus> {
            let modulus = || {
                let mut number = contract::limbs(rng, width);
                number[0] |= 1;
                number[width - 1] |= 1 << 63;
                Modulus::with_plan(&Nat::from_limbs(&number), cpu, plan).expect("odd and above 1")
            };
            iter::repeat_with(modulus).take(LANES - 3).collect()
        };
        let (short, long) = (moduli(width), moduli(2 * width));
        let mut any = |width| -> Vec<Nat> {
            let number = || Nat::from_limbs(&contract::limbs(rng, width));
            iter::repeat_with(number).take(LANES - 3).collect()
        };
        let reduce = |moduli: &[Modulus], x: Vec<Nat>| -> Vec<Nat> {
            moduli.iter().zip(x).map(|(n, x)| n.reduce(&x)).collect()
        };
        let (a, b) = (reduce(&short, any(width)), reduce(&short, any(width)));
        let (x, exps) = (reduce(&long, any(2 * width)), any(2));
        let powers = short.iter().zip(&a).zip(&exps);
        let powers: Vec<Nat> = powers.map(|((n, a), e)| n.pow_vartime(a, e)).collect();
        let numbers = short.iter().chain(&long).map(Modulus::nat);
        for nat in numbers.chain(&a).chain(&b).chain(&x).chain(&exps) {
            poison(nat.limbs());
        }
        let lanes = |moduli| ModulusLanes::new(&Vec::from_iter(moduli));
        let load = |n: &ModulusLanes<'_>, x: &[Nat]| n.load(&Vec::from_iter(x));
        let (p, n) = (lanes(&short), lanes(&long));
        let (a, b) = (load(&p, &a), load(&p, &b));
        let (base, exps) = (p.montgomery(&a), Vec::from_iter(&exps));
        let (first, second) = p.pow_pair(&base, &exps, &p, &base, &exps, 128);
        for mut power in [p.pow(&base, &exps, 128), first, second] {
            p.redc(&mut power);
            for (power, expected) in p.store(&power).iter().zip(&powers) {
                reveal(power.limbs());
                assert_eq!(power.limbs(), expected.limbs(), "width {width}");
            }
        }
        let kept = p.split(&a);
        let reduced = |mut x: Element| {
            p.sqr(&mut x);
            p.mul(&mut x, &b);
            p.store(&x)
        };
        black_box((
            reduced(p.add(&a, &b)),
            reduced(p.sub(&a, &b)),
            reduced(p.reduce(&load(&n, &x))),
            reduced(p.join(&Vec::from_iter(&kept))),
            n.store(&n.widen(&a)),
            p.store(&p.pow_vartime(&a, &Nat::from_limb(65_537))),
        ));
    }
}

/// Products, squares and remainders of secret numbers, at the least width of each method, and arithmetic modulo one.
fn check_products(rng: &mut Rng) {
    let plan = Plan::native();
    for (up_to, _) in plan.mul.iter().chain(plan.sqr) {
        if *up_to == NEVER {
            continue;
        }
        let [a, b] = [(); 2].map(|()| Nat::from_limbs(&contract::limbs(rng, up_to + 1)));
        let d = Barrett::new(&b.add_limb(1)).expect("it is not 0");
        poison(a.limbs());
        poison(b.limbs());
        let residue = d.reduce(&a);
        black_box((a.mul(&b), a.sqr(), d.mul(&residue, &residue)));
    }
    // Moduli that reduce by products, themselves secret.
    for width in [plan.barrett, plan.redc_n] {
        let mut number = contract::limbs(rng, width);
        number[0] |= 1;
        number[width - 1] |= 1 << 60;
        let number = Nat::from_limbs(&number);
        poison(number.limbs());
        let modulus = Modulus::new(&number).expect("odd and above 1");
        let residue = modulus.reduce(&Nat::from_limbs(&contract::limbs(rng, 2 * width)));
        black_box((
            modulus.mul(&residue, &residue),
            modulus.sqr(&residue),
            modulus.pow(&residue, &Nat::from_limb(secret(5))),
        ));
    }
}

/// A plan that makes all products by transforms, from the least modulus on whose transforms are kept.
fn transforms() -> &'static Plan {
    Box::leak(Box::new(Plan {
        mul: &[(8, Product::Schoolbook), (NEVER, Product::Fft)],
        sqr: &[(8, Product::Schoolbook), (NEVER, Product::Fft)],
        barrett: 9,
        redc_n: 9,
        radix52: NEVER,
        team_mul: 52,
        ..Plan::native().clone()
    }))
}

/// A team of two whose members run one after the other: the first does all the work.
struct OneByOne;

impl Team for OneByOne {
    fn size(&self) -> usize {
        2
    }

    fn run(&self, part: &(dyn Fn(&Member<'_>) + Sync)) {
        let barrier = Barrier::new(2);
        (0..2).for_each(|rank| barrier.enter(rank, part));
        barrier.finish();
    }
}

/// Products and squares by transforms, and arithmetic modulo a secret number whose transforms are kept: for
/// Montgomery's reduction, also McLaughlin's form, and for Barrett's.
fn check_transforms(cpu: Cpu, rng: &mut Rng) {
    let plan = transforms();
    plan.check().expect("a plan that works");
    let mclaughlin = &*Box::leak(Box::new(Plan {
        mclaughlin: 1,
        ..plan.clone()
    }));
    // The least widths whose transforms, those of the product, of the modulus and of its reciprocal alike, are modulo
    // three, four and five primes; and the least that a team shares.
    for width in [15, 17, 23, plan.team_mul] {
        let mut number = contract::limbs(rng, width);
        number[0] |= 1;
        number[width - 1] |= 1 << 60;
        let mut any = |width| Nat::from_limbs(&contract::limbs(rng, width));
        // Long enough for McLaughlin's form.
        let (number, exponent) = (Nat::from_limbs(&number), any(width / 8 + 1));
        let (a, b, long) = (any(width), any(width), any(3 * width));
        let elsewhere = Modulus::with_plan(&number, cpu, &PLANS[PLANS.len() - 1]);
        let expected = elsewhere.expect("odd and above 1").pow(&a, &exponent);
        for nat in [&number, &exponent, &a, &b, &long] {
            poison(nat.limbs());
        }
        let [modulus, other] = [plan, mclaughlin]
            .map(|plan| Modulus::with_plan(&number, cpu, plan).expect("odd and above 1"));
        let (x, y) = (modulus.reduce(&a), modulus.reduce(&long));
        for modulus in [&modulus, &other] {
            let power = modulus.pow(&x, &exponent);
            reveal(power.limbs());
            assert_eq!(power.limbs(), expected.limbs(), "width {width}");
        }
        black_box((
            modulus.mul(&x, &y),
            modulus.sqr(&x),
            a.mul_with(&b, plan),
            a.sqr_with(plan),
            a.mul_on_with(&OneByOne, &b, plan),
        ));
    }
}

/// Key agreements with secret scalars and points, and what a field does with secret elements.
fn check_curves(cpu: Cpu) {
    let k = *b"thirty-two octets of a secret...";
    let expected = x25519(cpu, &k, &X25519_BASE);
    let point = Point::<P256>::generator().mul(cpu, &[2, 3, 5, 7]);
    let k = k.map(|octet| secret(octet.into()) as u8);
    let shared = x25519(cpu, &k, &X25519_BASE);
    reveal(&shared);
    assert_eq!(shared, expected);
    let public = Edwards25519Table::new(cpu).x25519_public(&k);
    reveal(&public);
    assert_eq!(public, expected);
    let scalar = [2, 3, 5, 7].map(secret);
    assert_eq!(
        publish_octets(&Point::<P256>::generator().mul(cpu, &scalar)),
        publish_octets(&point)
    );
    black_box(Point::<P384>::generator().mul(cpu, &scalar[..1]));
    black_box(Point::<P521>::generator().mul(cpu, &scalar[..1]));
    black_box(publish_octets(
        &Point::<Secp256k1>::generator().mul(cpu, &scalar),
    ));
    let below = Fe::from_limb(secret(7)) * Fe::from_limb(11);
    let expected_base = publish_octets(&Point::<P256>::generator().mul(cpu, &[77]));
    assert_eq!(
        publish_octets(&BaseTable::<P256>::new(cpu).mul(&below)),
        expected_base
    );
    let lanes = Vectors::best(cpu);
    let of_base = BaseTable::<P256>::new(cpu).mul_in_lanes(lanes, &[below; 9]);
    let of_points = Point::mul_in_lanes(lanes, &[Point::<P256>::generator(); 9], &[below; 9]);
    for points in [of_base, of_points] {
        assert_eq!(publish_octets(&points[8]), expected_base);
    }
    let (spread, _) = BaseTable::<P256>::mul_spread(lanes, &below);
    assert_eq!(publish_octets(&spread), expected_base);
    let of_base = BaseTable::<P521>::new(cpu).mul_in_lanes(lanes, &[Fe::from_limb(secret(7)); 9]);
    let of_points = [Point::<P521>::generator(); 9];
    let of_points = Point::mul_in_lanes(lanes, &of_points, &[Fe::from_limb(secret(7)); 9]);
    assert_eq!(publish_octets(&of_base[8]), publish_octets(&of_points[8]));
    let table = BaseTable::<Secp256k1>::new(cpu);
    let of_base = table.mul_in_lanes(lanes, &[Fe::from_limb(secret(7)); 9]);
    let of_points = [Point::<Secp256k1>::generator(); 9];
    let of_points = Point::mul_in_lanes(lanes, &of_points, &[Fe::from_limb(secret(7)); 9]);
    assert_eq!(publish_octets(&of_base[8]), publish_octets(&of_points[8]));
    let edwards = Edwards25519Table::new(cpu);
    let keys = edwards.x25519_public_in_lanes(lanes, &[k; 9]);
    reveal(&keys[8]);
    assert_eq!(keys[8], expected);
    let number = Fe::reduce_le_bytes(&k);
    let alone = edwards.mul(&number).to_octets();
    let in_lanes = edwards.mul_in_lanes(lanes, &[number; 9])[8].to_octets();
    let spread = Edwards25519Table::mul_spread(lanes, &number).0.to_octets();
    for octets in [&alone, &in_lanes, &spread] {
        reveal(octets);
        assert_eq!(*octets, alone);
    }
    black_box(x25519(cpu, &k, &k));
    let [shared, other] =
        [k, X25519_BASE].map(|u| x25519_in_lanes(Vectors::best(cpu), &[k; 9], &[u; 9]));
    reveal(&other[0]);
    assert_eq!(other[0], expected);
    black_box(shared);
    let [a, b] = [3, 5].map(|limb| Fe::<F127>::from_limb(secret(limb)));
    let mut batch = [a, b, Fe::from_limb(secret(0))];
    invert_batch(&mut batch);
    black_box((
        a * b,
        a.inv(),
        (a.sqr() * b).sqrt(),
        a.pow(&scalar),
        a == b,
        batch,
    ));
    let mut lanes = FeBatch::new(cpu, &[a, b, a * b]);
    let others = lanes.clone();
    lanes.inv();
    FeBatch::swap(&mut lanes, &mut others.clone(), &[1, 0, 1].map(secret));
    black_box(lanes.to_elements());
    let c = Fe::<F128M159>::from_le_bytes((a * b).to_le_bytes().as_ref());
    black_box(c.map(|c| c.sqrt()));
}

/// The encoding of a point, public from here on.
fn publish_octets<C: Curve>(point: &Point<C>) -> Option<Vec<u8>> {
    let octets = point.to_sec1()?;
    reveal(&octets);
    Some(octets)
}

/// A key whose secret bits are all marked for memcheck.
fn check_keygen() -> PrivateKey {
    let options = KeygenOptions {
        allow_small: true,
        ..KeygenOptions::default()
    };
    PrivateKey::generate_with(|| UnwrapErr(SecretRng), 1024, &options, &|_| ()).expect("a key")
}

/// The checks of an imported key.
fn check_loading(key: &PrivateKey) {
    let public = key.public();
    let primes = key.primes().cloned().collect();
    let (n, e, d) = (public.n().clone(), public.e().clone(), key.d().clone());
    PrivateKey::from_components(n, e, d, primes).expect("a good key");
}

/// Every use of a private key that is secret, with secret randomness: signatures and both decryptions, right and wrong.
fn check_rsa(key: &PrivateKey) {
    let (rng, hash) = (&mut UnwrapErr(SecretRng), Hash::Sha256);
    let digest = hash.digest(b"a message");
    let public = key.public();
    for signature in [
        key.rsassa_pss_sign(rng, hash, hash, 32, &digest),
        key.rsassa_pkcs1_v1_5_sign(rng, hash, &digest),
    ] {
        reveal(&signature.expect("a right signature"));
    }
    let open = &mut UnwrapErr(SysRng);
    let mut oaep = public
        .rsaes_oaep_encrypt(open, hash, hash, b"", b"a secret")
        .expect("it is short");
    let mut v1_5 = public
        .rsaes_pkcs1_v1_5_encrypt(open, b"a secret")
        .expect("it is short");
    for right in [true, false] {
        let m = key.rsaes_oaep_decrypt(rng, hash, hash, b"", &oaep);
        assert_eq!(m.is_ok(), right);
        black_box(key.rsaes_pkcs1_v1_5_decrypt(rng, &v1_5).is_ok());
        (oaep[40], v1_5[40]) = (oaep[40] ^ 1, v1_5[40] ^ 1);
    }
}

/// Key generation and every use of a private key in GF(p)*: alone, with tables and in lanes.
fn check_dl(groups: &[&dl::Group], cpu: Cpu) {
    let (rng, hash) = (&mut UnwrapErr(SecretRng), Hash::Sha256);
    let digest = hash.digest(b"a message");
    let plan = Plan::best(cpu).always_in_lanes();
    for group in groups {
        let group = group.with_plan(cpu, plan);
        let [a, b] = [(); 2].map(|()| dl::PrivateKey::generate_with(&group, rng));
        let agreed = [(&a, &b), (&b, &a)].map(|(a, b)| a.agree(b.public()).expect("one group"));
        agreed.iter().for_each(|octets| reveal(octets));
        assert!(agreed[0] == agreed[1]);
        let again = dl::PrivateKey::with_public(&group, a.x(), a.public().y());
        for key in [&a, &again.expect("a good key"), &a.precomputed()] {
            let signature = key.dsa_sign(hash, &digest).expect("a right signature");
            reveal(&signature.to_der());
            let signature = key.dsa_sign_randomized(rng, hash, &digest);
            reveal(&signature.expect("a right signature").to_der());
            let signature = nr::sign(key, hash, &digest).expect("a right signature");
            reveal(&signature.to_der());
        }
        let file = a
            .to_pkcs8_der(dl::Form::Dsa)
            .expect("a form for all groups");
        black_box((group.random_exponent(rng), file));
        let key = dl::SigningKey::new(a.without_tables(), hash);
        for signature in [
            key.sign(b"a message"),
            Signer::sign(&key, b"a message"),
            key.sign_with_rng(rng, b"a message"),
        ] {
            reveal(&signature.to_der());
        }
        for signature in dl::batch::dsa_sign(&[(&a, hash, &digest[..]); LANES]) {
            reveal(&signature.expect("a right signature").to_der());
        }
    }
}

/// Exponents and agreements in groups that a peer states, with secret randomness: of a stated order, and of none.
fn check_parameters(group: &dl::Group) {
    let rng = &mut UnwrapErr(SecretRng);
    let stated = dl::Parameters::new(group.p().clone(), group.g().clone()).expect("a group");
    for q in [None, Some(group.q())] {
        let bits = q.map_or(stated.bits() - 2, Nat::bits_vartime);
        let [a, b] = [(); 2].map(|()| stated.random_exponent(bits, q, rng));
        let publics = [&a, &b].map(|x| stated.power(x, bits));
        let agreed = [(&publics[1], &a), (&publics[0], &b)]
            .map(|(y, x)| stated.agree(y, x, bits).expect("no small order"));
        agreed.iter().for_each(|octets| reveal(octets));
        assert!(agreed[0] == agreed[1]);
    }
}

/// Key generation and every use of a private key of a curve, with secret randomness.
fn check_ecdsa<C: ec::Named>() {
    let rng = &mut UnwrapErr(SecretRng);
    let digest = C::HASH.digest(b"a message");
    let key = ec::PrivateKey::<C>::generate_with(rng);
    let point = key.public().to_sec1();
    reveal(&point);
    let public = ec::PublicKey::<C>::from_sec1(&point).expect("a point of the curve");
    let again = ec::PrivateKey::from_pair(&key.to_be_bytes(), public.clone());
    for key in [key, again.expect("the same number")] {
        for signature in [
            key.ecdsa_sign(C::HASH, &digest),
            key.ecdsa_sign_randomized(rng, C::HASH, &digest),
            key.ecdsa_sign_octets(rng, &digest),
        ] {
            let signature = signature.expect("a right signature");
            reveal(&signature.to_der());
            let verdict = public.ecdsa_verify(C::HASH, &digest, &signature);
            verdict.expect("a right signature");
        }
        let signature = nr::ecnr_sign(&key, C::HASH, &digest).expect("a right signature");
        reveal(&signature.to_der());
        black_box(key.agree(&public).expect("one curve"));
    }
}

/// Key generation, and signatures of a secret message.
fn check_ed25519() {
    let rng = &mut UnwrapErr(SecretRng);
    let key = ec::Ed25519PrivateKey::generate_with(rng);
    reveal(key.public().as_bytes());
    let message = *b"a message";
    poison(&message);
    let signature = key.sign(&message);
    reveal(&message);
    reveal(&signature.0);
    let public = ec::Ed25519PublicKey::from_bytes(key.public().as_bytes()).expect("a point");
    public
        .verify(&message, &signature)
        .expect("a right signature");
}

/// Agreements with secret keys, key generation, and signatures of a secret message.
fn check_curve448() {
    let rng = &mut UnwrapErr(SecretRng);
    let keys: [_; 2] = core::array::from_fn(|_| ec::X448PrivateKey::generate_with(rng));
    let publics = keys.each_ref().map(ec::X448PrivateKey::public);
    publics.iter().for_each(|public| reveal(&public.0));
    let shared = [keys[0].agree(&publics[1]), keys[1].agree(&publics[0])]
        .map(|shared| shared.expect("no small order"));
    shared.iter().for_each(|shared| reveal(shared));
    assert_eq!(shared[0], shared[1]);
    let key = ec::Ed448PrivateKey::generate_with(rng);
    reveal(key.public().as_bytes());
    let message = *b"a message";
    poison(&message);
    let signature = key.sign(&message);
    reveal(&message);
    reveal(&signature.0);
    let public = ec::Ed448PublicKey::from_bytes(key.public().as_bytes()).expect("a point");
    public
        .verify(&message, &signature)
        .expect("a right signature");
}

type LegacyKeys = (rabin::PrivateKey, rw::PrivateKey, esign::PrivateKey);

/// The search for primes, and the checks of imported keys.
fn check_legacy_keys() -> LegacyKeys {
    let (rng, options) = (
        &mut UnwrapErr(SecretRng),
        legacy::KeygenOptions { allow_small: true },
    );
    let rabin = rabin::PrivateKey::generate_with(rng, 1024, options).expect("a good size");
    let rw = rw::PrivateKey::generate_with(rng, 1024, options).expect("a good size");
    let esign = esign::PrivateKey::generate_with(rng, 1023, options).expect("a good size");
    rabin.validate().expect("a good key");
    rw.validate().expect("a good key");
    esign.validate().expect("a good key");
    (rabin, rw, esign)
}

/// Every use of the legacy private keys, with secret randomness, twice: with fresh blinding, and with the same,
/// squared.
fn check_legacy((rabin, rw, esign): &LegacyKeys, cpu: Cpu) {
    let (rng, hash) = (&mut UnwrapErr(SecretRng), Hash::Sha256);
    let (rabin, rw, esign) = (rabin.with_cpu(cpu), rw.with_cpu(cpu), esign.with_cpu(cpu));
    let digest = hash.digest(b"a message");
    black_box((rabin.to_der(), rw.to_der(), esign.to_der()));
    for _ in 0..2 {
        for signature in [
            rabin.rabinss_pssr_sign(rng, hash, b"", &digest),
            rw.rwss_pssr_sign(rng, hash, b"", &digest),
            rw.rwss_emsa2_sign(rng, hash, &digest),
            esign.esign_emsa5_sign(rng, hash, &digest),
        ] {
            reveal(&signature.expect("a right signature"));
        }
        // A message and its seed are secret, too; the ciphertext is public.
        let c = rabin
            .public()
            .rabines_oaep_encrypt(rng, hash, b"", b"a secret");
        let c = c.expect("it is short");
        reveal(&c);
        assert!(rabin.rabines_oaep_decrypt(rng, hash, b"", &c).is_ok());
    }
}

/// Agreement with two key pairs on each side, and encryption to one, all private keys and the message being secret.
fn check_mqv(cpu: Cpu) {
    let (rng, hash) = (&mut UnwrapErr(SecretRng), Hash::Sha256);
    let group = dl::Named::Modp1536Legacy.group();
    let group = group.with_plan(cpu, Plan::best(cpu));
    let [a, x, b, y] = [(); 4].map(|_| dl::PrivateKey::generate_with(&group, rng));
    let m = check_mqv_variants([&a, &x], [b.public(), y.public()]).expect("four good keys");
    let c = ies::dlies_encrypt(a.public(), rng, hash, b"", &m);
    let c = c.expect("a good key");
    reveal(&c);
    assert!(ies::dlies_decrypt(&a, hash, b"", &c).is_ok());
    let [a, x, b, y] = [(); 4].map(|()| curves::own::<P256>());
    let m = check_mqv_variants([&a, &x], [b.public(), y.public()]).expect("four good keys");
    let c = ies::ecies_encrypt(a.public(), rng, hash, b"", &m).expect("a good key");
    reveal(&c);
    assert!(ies::ecies_decrypt(&a, hash, b"", &c).is_ok());
}

/// What MQV agrees on; HMQV and FHMQV agree, too.
fn check_mqv_variants<P: Party>(
    own: [&P; 2],
    other: [&P::Public; 2],
) -> Result<Zeroizing<Vec<u8>>, P::Error> {
    let hash = Hash::Sha256;
    black_box(hmqv_agree(hash, own, other)?);
    for role in [Role::Initiator, Role::Responder] {
        black_box(fhmqv_agree(role, hash, own, other)?);
    }
    mqv_agree(own, other)
}

/// Private operations side by side, of secret numbers, first with fresh blinding and then with the same, squared.
fn check_batch(key: &PrivateKey, cpu: Cpu) {
    let (key, rng) = (
        key.with_plan(cpu, Plan::best(cpu).always_in_lanes()),
        &mut UnwrapErr(SecretRng),
    );
    for _ in 0..2 {
        let below = || Nat::random_below(key.public().n(), rng);
        let numbers: Vec<Nat> = iter::repeat_with(below).take(LANES - 3).collect();
        let jobs: Vec<(&PrivateKey, &Nat)> = numbers.iter().map(|m| (&key, m)).collect();
        for (s, m) in batch::rsasp1(rng, &jobs).iter().zip(&numbers) {
            let s = s.as_ref().expect("a right result");
            assert!(key.public().rsavp1(s).as_ref() == Ok(m));
        }
    }
}

/// Leaks of the three kinds that memcheck must see. Ends with valgrind's code only if it reports each of them.
fn plant_leaks() -> ExitCode {
    let key = secret(0x0123_4567_89ab_cdef);
    // The secrets of the checks above must still be secret in the results.
    let rsa = check_keygen();
    let prime = rsa.primes().next().expect("two of them").limbs()[0];
    let (rng, hash) = (&mut UnwrapErr(SysRng), Hash::Sha256);
    let c = rsa.public().rsaes_oaep_encrypt(rng, hash, hash, b"", b"x");
    let m = rsa.rsaes_oaep_decrypt(rng, hash, hash, b"", &c.expect("it is short"));
    let m = m.expect("a right message")[0];
    let in_lanes = rsa.with_plan(Cpu::native(), Plan::best(Cpu::native()).always_in_lanes());
    let two = Nat::from_limb(2);
    let roots = batch::rsasp1(rng, &[(&in_lanes, &two); LANES]);
    let root = roots[LANES - 1].as_ref().expect("a right result").limbs()[0];
    let k = [secret(7) as u8; 32];
    let shared = x25519_in_lanes(
        Vectors::best(Cpu::native()),
        &[k; LANES],
        &[X25519_BASE; LANES],
    )[LANES - 1][0];
    let factor = Nat::from_limbs(&[key; 15]);
    let product = factor.mul_with(&factor, transforms()).limbs()[29];
    let group = Named::Modp1536Legacy.group();
    let dh = dl::PrivateKey::generate_with(&group, &mut UnwrapErr(SecretRng));
    let agreed = dh.agree(dh.public()).expect("one group")[0];
    let found = [
        count("planted: a branch on what two keys agreed on", || {
            if agreed & 1 == 1 {
                black_box(agreed);
            }
        }),
        count("planted: a branch on what a lane's ladder gave", || {
            if shared & 1 == 1 {
                black_box(shared);
            }
        }),
        count("planted: a branch on a product by transforms", || {
            if product & 1 == 1 {
                black_box(product);
            }
        }),
        count("planted: a branch on a prime that was generated", || {
            if prime >> 1 & 1 == 1 {
                black_box(prime);
            }
        }),
        count("planted: a branch on a message that was decrypted", || {
            if m & 1 == 1 {
                black_box(m);
            }
        }),
        count(
            "planted: a branch on a root that was taken in a lane",
            || {
                if root & 1 == 1 {
                    black_box(root);
                }
            },
        ),
        count(
            "planted: a lane's entry of a table read at its index",
            || {
                let (table, index) = (black_box([[7; LANES]; 16]), [key % 16; LANES]);
                let entry = |lane: usize| table[index[lane] as usize][lane];
                black_box(std::array::from_fn::<Limb, LANES, _>(entry));
            },
        ),
        count("planted: a branch on a bit", || {
            if key & 1 == 1 {
                black_box(key);
            }
        }),
        count("planted: a comparison that stops early", || {
            let (a, b) = ([key; 4], black_box([1; 4]));
            black_box((0..4).find(|&i| a[i] != b[i]));
        }),
        count("planted: a table read at a secret index", || {
            let table: [Limb; 16] = black_box([7; 16]);
            black_box(table[key as usize % 16]);
        }),
    ];
    if found.contains(&0) {
        // Not through `exit`, so that valgrind's own code does not replace this one.
        std::process::abort();
    }
    ExitCode::SUCCESS
}
