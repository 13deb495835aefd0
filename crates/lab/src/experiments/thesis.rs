//! `thesis`: the tables of sequential exponentiation in "The Performance of Cryptographic Algorithms in the Age of Parallel
//! Computing" (Khalifa 2011) on this processor: two exponentiations by four Montgomery multiplications.
//!
//! On 32-bit words as in the tables, on limbs, and beside them what is chosen today. One of the tables is of programs that
//! were compiled without optimisation: a laboratory that is compiled so, by the profile `unoptimised`, fills that one.
//! `docs/design/published.md` has the published figures.

use super::{
    Experiment, Levels, Share,
    modexp::{check, expected, numbers, random_power},
};
use crate::{Bench, Error, record::Size, rivals::Power};
use carrysave_arith::{Cpu, Method, Modulus, Nat};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "thesis",
    about: "modular exponentiation by two methods and four Montgomery multiplications, full-length exponent",
    run,
    levels: Levels {
        quick: Some(Share::new(&[1024], 0.1, 5.0)),
        standard: Share::new(&[512, 1024, 2048, 4096], 0.2, 60.0),
        full: Share::new(&[], 0.3, 120.0),
    },
};

const METHODS: [&str; 2] = ["binary_rl", "signed_digit"];
const KERNELS: [&str; 4] = ["fios", "sos", "cios", "fios_delayed"];
/// Words of 32 bits, as in the thesis, and limbs.
const WORDS: [&str; 2] = [WORDS_OF_32, ""];
/// The operation, and what it is called where it is compiled without optimisation.
pub(crate) const OPERATIONS: [&str; 2] = ["modexp", "modexp/unoptimised"];
/// How the names of kernels on words of 32 bits end.
pub(super) const WORDS_OF_32: &str = "_w32";

fn run(bench: &mut Bench<'_>) -> Result<(), Error> {
    let cpu = bench.cpu();
    let sizes: Vec<usize> = (1..=13).map(|i| 512 * i).collect();
    for bits in bench.limb_bits(&sizes)? {
        let power = invertible_power(bits);
        let [base, exponent, n] = numbers(&power);
        let expected = expected(&power);
        let check = |answer: &Nat| check(answer, &expected);
        let modulus = Modulus::with_cpu(&n, cpu).expect("the modulus is odd");
        let ways: Vec<Way> = WORDS
            .iter()
            .flat_map(|words| ways(&n, cpu, words))
            .collect();
        let operation = OPERATIONS[usize::from(crate::UNOPTIMISED)];
        let mut race = bench.race(operation, Size::Bits(bits));
        race.enter(
            "carrysave",
            || (),
            |()| modulus.pow(&base, &exponent),
            check,
        );
        for way in &ways {
            let (base, exponent) = (&base, &exponent);
            race.enter(&way.label, || (), move |()| way.pow(base, exponent), check);
        }
        race.run();
    }
    Ok(())
}

/// One of the thesis's ways to raise to powers.
pub(super) struct Way {
    /// Its name as an implementation.
    pub(super) label: String,
    method: &'static Method,
    /// All of its products are by one kernel.
    modulus: Modulus,
}

impl Way {
    /// The power of a number below the modulus.
    pub(super) fn pow(&self, base: &Nat, exponent: &Nat) -> Nat {
        self.modulus.pow_by(self.method, base, exponent)
    }
}

/// The eight ways modulo an odd n, on limbs or on words of another kind, which the names of their kernels end in. There are
/// no kernels on 32-bit words where limbs are stored the other way round.
pub(super) fn ways(n: &Nat, cpu: Cpu, words: &str) -> Vec<Way> {
    let kernels = KERNELS.map(|kernel| format!("{kernel}{words}"));
    let way = |method: &str, kernel: &String| {
        Some(Way {
            label: format!("carrysave/{method}/{kernel}"),
            method: Method::named(method).expect("a method of that name"),
            modulus: Modulus::with_kernel_vartime(n, cpu, kernel)?,
        })
    };
    let all = METHODS
        .iter()
        .flat_map(|method| kernels.iter().filter_map(move |kernel| way(method, kernel)));
    all.collect()
}

/// A power whose base has an inverse, as the method `signed_digit` needs it.
pub(super) fn invertible_power(bits: usize) -> Power {
    loop {
        let power = random_power(bits);
        let [base, _, n] = numbers(&power);
        if base.gcd_vartime(&n).is_one() {
            return power;
        }
    }
}
