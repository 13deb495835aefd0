//! `methods`: every method of exponentiation on one thread, on the arithmetic that is chosen for the modulus: those of
//! "Optimizing Crypto++ library for P4" (Zidenberg) and of "The Performance of Cryptographic Algorithms in the Age of
//! Parallel Computing" (Khalifa 2011) among them. Each row of `METHODS` names its source. `modexp/fios` is the same in
//! modified FIOS on one thread and by pFIOS on several, where `common_multiplicand` takes product and square in one pass
//! (Khalifa, 6.5.1). `powers/4` are powers of one base by four public exponents, which share its squarings (Zidenberg),
//! or each by itself.

use super::{
    Experiment, Levels, Share,
    modexp::{check, expected, numbers, random_power},
    team,
    thesis::invertible_power,
};
use crate::{Bench, Error, record::Size, rivals::Power};
use carrysave_arith::{METHODS, Modulus, Nat, published::mont_mul::Algorithm};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "methods",
    about: "modular exponentiation by every method, on one thread and by teams, and of one base by several exponents",
    run,
    levels: Levels {
        quick: Some(Share::new(&[2048], 0.1, 1.0)),
        standard: Share::new(&[512, 2048, 8192], 0.3, 3.0),
        full: Share::new(&[], 0.5, 10.0),
    },
};

fn run(bench: &mut Bench<'_>) -> Result<(), Error> {
    let cpu = bench.cpu();
    for bits in bench.limb_bits(&[512, 1024, 2048, 4096, 8192])? {
        let power = invertible_power(bits);
        let [base, exponent, n] = numbers(&power);
        let expected = expected(&power);
        let check = |answer: &Nat| check(answer, &expected);
        let modulus = Modulus::with_cpu(&n, cpu).expect("the modulus is odd");
        let (modulus, base, exponent) = (&modulus, &base, &exponent);
        let mut race = bench.race("modexp", Size::Bits(bits));
        for method in METHODS {
            let label = format!("carrysave/{}", method.name);
            let pow = move |(): &mut ()| modulus.pow_by(method, base, exponent);
            race.enter(&label, || (), pow, check);
        }
        race.run();
        by_fios(bench, &power, modulus)?;
        of_one_base(bench, modulus, &power);
    }
    Ok(())
}

/// Every method by modified FIOS on one thread, and by pFIOS on some.
fn by_fios(bench: &mut Bench<'_>, power: &Power, modulus: &Modulus) -> Result<(), Error> {
    let [base, exponent, n] = &numbers(power);
    let expected = expected(power);
    let check = |answer: &Nat| check(answer, &expected);
    let Some(sequential) = Modulus::with_kernel_vartime(n, bench.cpu(), "fios_delayed") else {
        return Ok(());
    };
    let pfios = Algorithm::named("pfios").expect("an algorithm of that name");
    for threads in bench.thread_counts() {
        let team = &team(threads)?;
        let mut race = bench.race("modexp/fios", Size::Bits(8 * power.modulus.len()));
        for method in METHODS {
            let label = format!("carrysave/{}", method.name);
            let pow = |(): &mut ()| sequential.pow_by(method, base, exponent);
            race.enter(&label, || (), pow, check);
        }
        race.on_threads(threads);
        for method in METHODS {
            let label = format!("carrysave/{}/pfios", method.name);
            let pow = move |(): &mut ()| modulus.pow_by_team(team, pfios, method, base, exponent);
            race.enter(&label, || (), pow, check);
        }
        race.run();
    }
    Ok(())
}

/// How many exponents a base has.
const EXPONENTS: usize = 4;

/// Powers of one base by several public exponents.
fn of_one_base(bench: &mut Bench<'_>, modulus: &Modulus, power: &Power) {
    let bits = 8 * power.modulus.len();
    let powers: [Power; EXPONENTS] = std::array::from_fn(|_| Power {
        base: power.base.clone(),
        exponent: random_power(bits).exponent,
        modulus: power.modulus.clone(),
    });
    let numbers = powers.each_ref().map(numbers);
    let base = &numbers[0][0];
    let exponents = &numbers.each_ref().map(|[_, exponent, _]| exponent);
    let check = |answers: &Vec<Nat>| {
        let mut all = answers.iter().zip(&powers);
        all.try_for_each(|(answer, power)| check(answer, &expected(power)))
    };
    let name = format!("powers/{EXPONENTS}");
    let mut race = bench.race(&name, Size::Bits(bits));
    race.of_jobs(EXPONENTS);
    let one_by_one = || -> Vec<Nat> {
        let each = exponents.iter();
        each.map(|exponent| modulus.pow_vartime(base, exponent))
            .collect()
    };
    race.enter("carrysave/one_by_one", || (), move |()| one_by_one(), check);
    let shared = move |(): &mut ()| modulus.pow_many_vartime(base, exponents);
    race.enter("carrysave/pow_many", || (), shared, check);
    race.run();
}
