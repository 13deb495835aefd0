//! `fields`: prime fields 2^w - c. Every way to multiply, alone and inlined, and in vector lanes, beside others' fields.
//!
//! Elements change with every pass, so that no pair comes twice: a branch that depends on one is not learnt. In chains
//! the second operands stay, and branches on sums are learnt, as `docs/design/measuring.md` says of ark-ff.
//! `docs/design/published.md` has the published table of three ways to multiply, whose calls are subtracted.

use super::{Experiment, Levels, Share, random_limbs};
use crate::{
    Bench, Error, Race,
    record::Size,
    rivals::{
        Answer, Arithmetic, RIVALS, Refusal,
        elements::{Element, Pass, Prime, Step, chain, each},
        mpfq,
    },
};
use carrysave_arith::{
    Cpu,
    field::{Fe, FeBatch, Field, InLanes, Multiply, Vectors, Visitor, visit_presets},
};
use carrysave_kernels::{Limb, fp};
use num_bigint::BigUint;
use std::hint::black_box;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "fields",
    about: "products, squares, sums, differences and inverses in prime fields, alone and in chains where each waits for the last",
    run,
    levels: Levels {
        quick: Some(Share::new(&[], 0.005, 5.0).only("mul")),
        standard: Share::new(&[], 0.05, 30.0),
        full: Share::new(&[], 0.1, 30.0),
    },
};

/// Pairs of elements: as many as stay in the nearest cache.
const PAIRS: usize = 256;

const OPERATIONS: [(&str, Step, bool); 9] = [
    ("mul", Step::Mul, false),
    ("mul/chain", Step::Mul, true),
    ("sqr", Step::Sqr, false),
    ("sqr/chain", Step::Sqr, true),
    ("add", Step::Add, false),
    ("add/chain", Step::Add, true),
    ("sub", Step::Sub, false),
    ("sub/chain", Step::Sub, true),
    ("inv", Step::Inv, false),
];

fn run(bench: &mut Bench<'_>) -> Result<(), Error> {
    let widths = bench.bits(&[127, 128, 255, 256]);
    let primes = Prime::all();
    if let Some(bits) = widths.iter().find(|&&w| primes.iter().all(|p| p.w != w)) {
        return Err(Error(format!(
            "there is no benchmark field of {bits} bits; there are 127, 128, 255, 256"
        )));
    }
    for prime in primes.into_iter().filter(|p| widths.contains(&p.w)) {
        for (name, step, chain) in OPERATIONS {
            let pass = Pass {
                prime,
                step,
                chain,
                a: random_elements(prime),
                b: random_elements(prime),
            };
            let name = format!("{prime}/{name}");
            race(bench, &name, &pass);
        }
        inlined(bench, prime);
        folds(bench, prime);
    }
    Ok(())
}

fn race(bench: &mut Bench<'_>, name: &str, pass: &Pass) {
    let (cpu, expected) = (bench.cpu(), expected(pass));
    let mut race = bench.race(name, Size::Bits(pass.prime.w));
    race.of_jobs(PAIRS);
    let mut enter = |label: &str, prepare: &Prepare<'_>| {
        enter(&mut race, label, prepare, &expected);
    };
    visit_presets(&mut Ours {
        cpu,
        pass,
        enter: &mut enter,
    });
    match pass.prime {
        Prime { w: 127, c: 1 } => mersenne_kernels(cpu, pass, &mut enter),
        Prime { w: 127 | 128, .. } => kernels::<2>(cpu, pass, &mut enter),
        Prime { .. } => kernels::<4>(cpu, pass, &mut enter),
    }
    for rival in RIVALS {
        if let Some(prepare) = rival.field {
            enter(rival.name, &|| prepare(pass));
        }
    }
    race.run();
}

/// Prepares the work.
type Prepare<'a> = dyn Fn() -> Answer<Box<dyn Arithmetic>> + 'a;

/// Takes a name and what prepares the work.
type Enter<'a> = dyn FnMut(&str, &Prepare<'_>) + 'a;

fn enter(race: &mut Race<'_, '_>, label: &str, prepare: &Prepare<'_>, expected: &[Vec<u8>]) {
    if !race.wants(label) {
        return;
    }
    match prepare() {
        Ok(mut work) => {
            work.run();
            let check = match work.answer() == expected {
                true => Ok(()),
                false => Err("its answer is wrong".to_owned()),
            };
            race.enter(label, || (), move |()| work.run(), |()| check);
        }
        Err(Refusal::NotOffered) => {}
        Err(Refusal::Failed(error)) => race.refuse(label, error),
    }
}

/// The field of a pass, among the presets.
struct Ours<'a, 'e> {
    cpu: Cpu,
    pass: &'a Pass,
    enter: &'a mut Enter<'e>,
}

impl Visitor for Ours<'_, '_> {
    fn visit<F: Field>(&mut self, w: usize, c: u64)
    where
        F::Residue: InLanes,
    {
        if self.pass.prime == (Prime { w, c }) {
            ours::<F>(self.cpu, self.pass, self.enter);
        }
    }
}

/// Elements of the library: inlined, by each way to multiply, and in lanes.
fn ours<F: Field>(cpu: Cpu, pass: &Pass, enter: &mut Enter<'_>)
where
    F::Residue: InLanes,
{
    let decode = |bytes: &[u8]| Fe::<F>::from_le_bytes(bytes).expect("below the prime");
    #[cfg(target_arch = "x86_64")]
    if let Some(m) = carrysave_arith::field::MulxAdx::new(cpu) {
        enter("carrysave", &|| pass.over(|bytes| decode(bytes).by(m)));
    }
    enter("carrysave/portable", &|| pass.over(decode));
    if !pass.chain {
        for vectors in Vectors::all(cpu) {
            let batch = |elements: &[Vec<u8>]| {
                let elements: Vec<_> = elements.iter().map(|bytes| decode(bytes)).collect();
                FeBatch::on(vectors, &elements)
            };
            let name = format!("carrysave/lanes/{}", vectors.name());
            enter(&name, &|| {
                Ok(Box::new(Lanes {
                    step: pass.step,
                    a: batch(&pass.a),
                    b: batch(&pass.b),
                }))
            });
        }
    }
}

impl<F: Field, M: Multiply> Element for Fe<F, M> {
    #[inline(always)]
    fn mul(&self, other: &Self) -> Self {
        self * other
    }

    #[inline(always)]
    fn sqr(&self) -> Self {
        Fe::sqr(self)
    }

    #[inline(always)]
    fn add(&self, other: &Self) -> Self {
        self + other
    }

    #[inline(always)]
    fn sub(&self, other: &Self) -> Self {
        self - other
    }

    #[inline(always)]
    fn inv(&self) -> Self {
        Fe::inv(self)
    }

    fn to_le_bytes(&self) -> Vec<u8> {
        Fe::to_le_bytes(self).as_ref().to_vec()
    }
}

struct Lanes<F: Field>
where
    F::Residue: InLanes,
{
    step: Step,
    a: FeBatch<F>,
    b: FeBatch<F>,
}

impl<F: Field> Arithmetic for Lanes<F>
where
    F::Residue: InLanes,
{
    fn run(&mut self) {
        match self.step {
            Step::Mul => self.a.mul(&self.b),
            Step::Sqr => self.a.sqr(),
            Step::Add => self.a.add(&self.b),
            Step::Sub => self.a.sub(&self.b),
            Step::Inv => {
                self.a.inv();
                self.a.add(&self.b);
            }
        }
    }

    fn answer(&self) -> Vec<Vec<u8>> {
        let elements = self.a.to_elements();
        elements.iter().map(Element::to_le_bytes).collect()
    }
}

/// `2^(64N)` modulo the prime.
fn radix<const N: usize>(prime: Prime) -> Limb {
    prime.c << (64 * N - prime.w)
}

/// The operation of products that are inlined into a loop.
pub(crate) const INLINED: &str = "mul/inlined";
/// A loop of as many steps that do nothing.
pub(crate) const EMPTY: &str = "empty";

/// Products by kernels of the registry, each inlined into a loop over the pairs, and a loop that does nothing.
fn inlined(bench: &mut Bench<'_>, prime: Prime) {
    let pass = Pass {
        prime,
        step: Step::Mul,
        chain: false,
        a: random_elements(prime),
        b: random_elements(prime),
    };
    let (cpu, expected) = (bench.cpu(), expected(&pass));
    let name = format!("{prime}/{INLINED}");
    let mut race = bench.race(&name, Size::Bits(prime.w));
    race.of_jobs(PAIRS);
    let mut enter = |label: &str, prepare: &Prepare<'_>| {
        enter(&mut race, label, prepare, &expected);
    };
    match prime {
        Prime { w: 127, c: 1 } => {
            for kernel in fp::M127Mul::all(cpu) {
                enter_loop(&mut enter, &kernel, &pass, move |a: &mut [_], b: &[_]| {
                    kernel.call_inlined(a, b);
                });
            }
        }
        Prime { w: 127 | 128, .. } => inlined_kernels::<2>(cpu, &pass, &mut enter),
        Prime { .. } => inlined_kernels::<4>(cpu, &pass, &mut enter),
    }
    // What the source compares itself with, where a user has it.
    enter(mpfq::NAME, &|| mpfq::prepare(&pass));
    let nothing = |(): &mut ()| {
        for i in 0..PAIRS {
            black_box(i);
        }
    };
    race.enter(&format!("carrysave/{EMPTY}"), || (), nothing, |()| Ok(()));
    race.run();
}

/// Kernels for residues of N limbs.
fn inlined_kernels<const N: usize>(cpu: Cpu, pass: &Pass, enter: &mut Enter<'_>) {
    let d = radix::<N>(pass.prime);
    for kernel in fp::Mul::all(cpu) {
        enter_loop(enter, &kernel, pass, move |a: &mut [[Limb; N]], b: &[_]| {
            kernel.call_inlined(a, b, d);
        });
    }
}

fn enter_loop<const N: usize>(
    enter: &mut Enter<'_>,
    name: &dyn std::fmt::Debug,
    pass: &Pass,
    all: impl Fn(&mut [[Limb; N]], &[[Limb; N]]) + Copy + 'static,
) {
    enter(&format!("carrysave/{name:?}"), &|| {
        let [a, b] = [&pass.a, &pass.b].map(|all| all.iter().map(|x| limbs(x)).collect());
        Ok(Box::new(Kernel {
            prime: pass.prime,
            all,
            a,
            b,
        }))
    });
}

struct Kernel<A, const N: usize> {
    prime: Prime,
    all: A,
    a: Vec<[Limb; N]>,
    b: Vec<[Limb; N]>,
}

impl<A, const N: usize> Arithmetic for Kernel<A, N>
where
    A: Fn(&mut [[Limb; N]], &[[Limb; N]]),
{
    fn run(&mut self) {
        (self.all)(&mut self.a, &self.b);
    }

    fn answer(&self) -> Vec<Vec<u8>> {
        residues(&self.a, self.prime)
    }
}

/// The reduction alone, of as many products as there are pairs, from memory to memory in one call.
fn folds(bench: &mut Bench<'_>, prime: Prime) {
    let (cpu, name) = (bench.cpu(), format!("{prime}/fold"));
    let mut race = bench.race(&name, Size::Bits(prime.w));
    race.of_jobs(PAIRS);
    match prime {
        Prime { w: 127, c: 1 } => {
            for kernel in fp::M127Fold::all(cpu) {
                enter_fold(&mut race, &kernel, prime, move |r, t| kernel.call(r, t));
            }
        }
        Prime { w: 127 | 128, .. } => fold_kernels::<2, 4>(&mut race, cpu, prime),
        Prime { .. } => fold_kernels::<4, 8>(&mut race, cpu, prime),
    }
    race.run();
}

/// Kernels for residues of N limbs and products of T.
fn fold_kernels<const N: usize, const T: usize>(race: &mut Race<'_, '_>, cpu: Cpu, prime: Prime) {
    let d = radix::<N>(prime);
    for kernel in fp::Fold::all(cpu) {
        enter_fold(
            race,
            &kernel,
            prime,
            move |r: &mut [[Limb; N]], t: &[[Limb; T]]| {
                kernel.call(r, t, d);
            },
        );
    }
}

fn enter_fold<const N: usize, const T: usize>(
    race: &mut Race<'_, '_>,
    name: &dyn std::fmt::Debug,
    prime: Prime,
    call: impl Fn(&mut [[Limb; N]], &[[Limb; T]]) + Copy + 'static,
) {
    let label = format!("carrysave/{name:?}");
    if !race.wants(&label) {
        return;
    }
    // Below 2^(2w), as products are.
    let mut t: Vec<[Limb; T]> = random_limbs(T * PAIRS).as_chunks().0.to_vec();
    t.iter_mut()
        .for_each(|t| t[T - 1] >>= 2 * (64 * N - prime.w));
    let mut r = vec![[0; N]; PAIRS];
    call(&mut r, &t);
    let check = match r
        .iter()
        .zip(&t)
        .all(|(r, t)| residue(r, prime) == residue(t, prime))
    {
        true => Ok(()),
        false => Err("its answer is wrong".to_owned()),
    };
    race.enter(&label, || (), move |()| call(&mut r, &t), |()| check);
}

/// Kernels of the registry, each by a call through its handle.
fn kernels<const N: usize>(cpu: Cpu, pass: &Pass, enter: &mut Enter<'_>) {
    let d = radix::<N>(pass.prime);
    match pass.step {
        Step::Mul => {
            for kernel in fp::Mul::all(cpu) {
                enter_kernel(enter, &kernel, pass, move |r: &mut [Limb; N], a, b| {
                    kernel.call(r, a, b, d);
                });
            }
        }
        Step::Sqr => {
            for kernel in fp::Sqr::all(cpu) {
                enter_kernel(enter, &kernel, pass, move |r: &mut [Limb; N], a, _| {
                    kernel.call(r, a, d);
                });
            }
        }
        Step::Add | Step::Sub | Step::Inv => {}
    }
}

/// Kernels of the registry for 2^127 - 1, each by a call through its handle.
fn mersenne_kernels(cpu: Cpu, pass: &Pass, enter: &mut Enter<'_>) {
    match pass.step {
        Step::Mul => {
            for kernel in fp::M127Mul::all(cpu) {
                enter_kernel(enter, &kernel, pass, move |r, a, b| kernel.call(r, a, b));
            }
        }
        Step::Sqr => {
            for kernel in fp::M127Sqr::all(cpu) {
                enter_kernel(enter, &kernel, pass, move |r, a, _| kernel.call(r, a));
            }
        }
        Step::Add | Step::Sub | Step::Inv => {}
    }
}

fn enter_kernel<const N: usize>(
    enter: &mut Enter<'_>,
    name: &dyn std::fmt::Debug,
    pass: &Pass,
    call: impl Fn(&mut [Limb; N], &[Limb; N], &[Limb; N]) + Copy + 'static,
) {
    let chained = pass.chain;
    enter_loop(enter, name, pass, move |a: &mut [[Limb; N]], b: &[_]| {
        let call = |a: &[Limb; N], b: &[Limb; N]| {
            let mut r = [0; N];
            call(&mut r, a, b);
            r
        };
        match chained {
            false => each(a, b, call),
            true => chain(a, b, call),
        }
    });
}

/// What kernels leave, which is any number of the residue.
fn residues<const N: usize>(all: &[[Limb; N]], prime: Prime) -> Vec<Vec<u8>> {
    all.iter().map(|limbs| residue(limbs, prime)).collect()
}

fn limbs<const N: usize>(bytes: &[u8]) -> [Limb; N] {
    let mut limbs = [0; N];
    for (i, &byte) in bytes.iter().enumerate() {
        limbs[i / 8] |= Limb::from(byte) << (8 * (i % 8));
    }
    limbs
}

/// A number in limbs modulo the prime.
fn residue(limbs: &[Limb], prime: Prime) -> Vec<u8> {
    let bytes: Vec<u8> = limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect();
    encoded(BigUint::from_bytes_le(&bytes), prime)
}

/// A number modulo the prime.
fn encoded(number: BigUint, prime: Prime) -> Vec<u8> {
    let mut bytes = (number % prime.number()).to_bytes_le();
    bytes.resize(prime.bytes(), 0);
    bytes
}

fn random_elements(prime: Prime) -> Vec<Vec<u8>> {
    let limbs = random_limbs(5 * PAIRS);
    limbs.chunks(5).map(|limbs| residue(limbs, prime)).collect()
}

/// What a pass leaves in place of a, by `num-bigint`.
fn expected(pass: &Pass) -> Vec<Vec<u8>> {
    let p = pass.prime.number();
    let step = |a: &BigUint, b: &BigUint| match pass.step {
        Step::Mul => a * b % &p,
        Step::Sqr => a * a % &p,
        Step::Add => (a + b) % &p,
        Step::Sub => (a + &p - b) % &p,
        Step::Inv => (a.modpow(&(&p - 2_u32), &p) + b) % &p,
    };
    let [mut a, b] = [&pass.a, &pass.b].map(|all| {
        let numbers = all.iter().map(|bytes| BigUint::from_bytes_le(bytes));
        numbers.collect::<Vec<_>>()
    });
    match pass.chain {
        false => each(&mut a, &b, step),
        true => chain(&mut a, &b, step),
    }
    a.into_iter().map(|a| encoded(a, pass.prime)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use carrysave_arith::field::F25519;

    #[test]
    fn a_wrong_field_is_seen() {
        // Modulo 2^255 - 31 instead of 2^255 - 19.
        carrysave_arith::crandall_field! {
            /// Another field.
            pub struct F25531 = 2^255 - 31;
        }
        let prime = Prime { w: 255, c: 19 };
        for (_, step, chain) in OPERATIONS {
            let pass = Pass {
                prime,
                step,
                chain,
                a: random_elements(prime),
                b: random_elements(prime),
            };
            let right = expected(&pass);
            let answer = |work: Answer<Box<dyn Arithmetic>>| {
                let mut work = work.unwrap();
                work.run();
                work.answer()
            };
            let decode = |bytes: &[u8]| Fe::<F25519>::from_le_bytes(bytes).unwrap();
            assert_eq!(answer(pass.over(decode)), right);
            let other = |bytes: &[u8]| Fe::<F25531>::from_le_bytes(bytes).unwrap();
            assert_ne!(answer(pass.over(other)), right);
        }
    }

    #[test]
    fn sums_in_a_chain_add_up() {
        let prime = Prime { w: 127, c: 1 };
        let number = |n: u64| encoded(BigUint::from(n), prime);
        let pass = Pass {
            prime,
            step: Step::Add,
            chain: true,
            a: vec![number(5), number(6)],
            b: vec![number(70), number(800)],
        };
        assert_eq!(expected(&pass), [number(875), number(6)]);
    }
}
