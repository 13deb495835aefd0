//! `products`: multiplication, squaring, division, multiplication modulo a number, and decimal text, of long public
//! numbers.

use super::{Experiment, Levels, Share, random_limbs};
use crate::{
    Bench, Error,
    record::Size,
    rivals::{Numbers, Operation, RIVALS, Refusal},
};
use num_bigint::BigUint;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "products",
    about: "products, squares, quotients of 2n by n bits, products modulo n and decimal text of long public numbers",
    run,
    levels: Levels {
        quick: Some(Share::new(&[65_536], 0.05, 5.0)),
        standard: Share::new(&[4096, 65_536, 262_144], 0.1, 30.0),
        full: Share::new(&[], 0.2, 60.0),
    },
};

const OPERATIONS: [(&str, Operation); 6] = [
    ("mul", Operation::Mul),
    ("sqr", Operation::Sqr),
    ("div_rem", Operation::DivRem),
    ("mul_mod", Operation::MulMod),
    ("to_decimal", Operation::ToDecimal),
    ("from_decimal", Operation::FromDecimal),
];

fn run(bench: &mut Bench<'_>) -> Result<(), Error> {
    let sizes = [4096, 16_384, 65_536, 262_144, 645_120, 1_048_576, 4_194_304];
    for bits in bench.limb_bits(&sizes)? {
        let numbers = random_numbers(bits);
        for (name, operation) in OPERATIONS {
            race(bench, bits, name, operation, &numbers);
        }
    }
    Ok(())
}

fn race(bench: &mut Bench<'_>, bits: usize, name: &str, operation: Operation, numbers: &Numbers) {
    let expected = expected(operation, numbers);
    let mut race = bench.race(name, Size::Bits(bits));
    for rival in RIVALS {
        let label = rival.label();
        let Some(prepare) = rival.arithmetic.filter(|_| race.wants(&label)) else {
            continue;
        };
        match prepare(operation, numbers) {
            Ok(mut prepared) => {
                prepared.run();
                let answer = prepared.answer();
                let check = |(): &()| {
                    if answer == expected {
                        Ok(())
                    } else {
                        Err("its answer is wrong".to_owned())
                    }
                };
                race.enter(&label, || (), move |()| prepared.run(), check);
            }
            Err(Refusal::NotOffered) => {}
            Err(Refusal::Failed(error)) => race.refuse(&label, error),
        }
    }
    race.run();
}

fn random_numbers(bits: usize) -> Numbers {
    let number = |limbs: usize| -> Vec<u8> {
        let limbs = random_limbs(limbs);
        limbs.iter().flat_map(|limb| limb.to_be_bytes()).collect()
    };
    let [mut a, mut b, mut n] = [(); 3].map(|()| number(bits / 64));
    let wide = number(bits / 32);
    a[0] &= 0x7f;
    b[0] &= 0x7f;
    n[0] |= 0x80;
    n[bits / 8 - 1] |= 1;
    let decimal = BigUint::from_bytes_be(&a).to_string();
    Numbers {
        a,
        b,
        n,
        wide,
        decimal,
    }
}

/// The right answer, by `num-bigint`.
fn expected(operation: Operation, numbers: &Numbers) -> Vec<Vec<u8>> {
    let Numbers {
        a,
        b,
        n,
        wide,
        decimal,
    } = numbers;
    let [a, b, n, wide] = [a, b, n, wide].map(|bytes| BigUint::from_bytes_be(bytes));
    match operation {
        Operation::Mul => vec![(a * b).to_bytes_be()],
        Operation::Sqr => vec![(&a * &a).to_bytes_be()],
        Operation::DivRem => vec![(&wide / &n).to_bytes_be(), (wide % n).to_bytes_be()],
        Operation::MulMod => vec![(a * b % n).to_bytes_be()],
        Operation::ToDecimal => vec![decimal.clone().into_bytes()],
        Operation::FromDecimal => vec![a.to_bytes_be()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyone_agrees_on_small_numbers() {
        let numbers = Numbers {
            a: vec![200],
            b: vec![100],
            n: vec![201],
            wide: vec![1, 0],
            decimal: "200".to_owned(),
        };
        let answers: [&[&[u8]]; 6] = [
            &[&[78, 32]],
            &[&[156, 64]],
            &[&[1], &[55]],
            &[&[101]],
            &[b"200"],
            &[&[200]],
        ];
        for ((name, operation), answer) in OPERATIONS.into_iter().zip(answers) {
            assert_eq!(expected(operation, &numbers), answer, "{name}");
            for rival in RIVALS {
                if let Some(Ok(mut prepared)) = rival.arithmetic.map(|f| f(operation, &numbers)) {
                    prepared.run();
                    assert_eq!(prepared.answer(), answer, "{name} of {}", rival.name);
                }
            }
        }
    }
}
