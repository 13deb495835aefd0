//! `methods`: every method of exponentiation on one thread, on the arithmetic that is chosen for the modulus: those of
//! "Optimizing Crypto++ library for P4" (Zidenberg) and of "The Performance of Cryptographic Algorithms in the Age of
//! Parallel Computing" (Khalifa 2011) among them. Each row of `METHODS` names its source.

use super::{
    Experiment, Levels, Share,
    modexp::{check, expected, numbers},
    thesis::invertible_power,
};
use crate::{Bench, Error, record::Size};
use carrysave_arith::{METHODS, Modulus, Nat};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "methods",
    about: "modular exponentiation by every method, full-length exponent, on one thread",
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
    }
    Ok(())
}
