//! `modexp`: modular exponentiation without knowledge of factors, the exponent as long as the modulus.

use super::{Experiment, Levels, Share, random_limbs};
use crate::{
    Bench, Error,
    bound::Bound,
    record::Size,
    rivals::{Power, RIVALS, Refusal, padded},
};
use carrysave_arith::Nat;
use num_bigint::BigUint;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "modexp",
    about: "modular exponentiation, full-length exponent, odd modulus, factors unknown",
    run,
    levels: Levels {
        quick: Some(Share::new(&[2048, 4096], 0.2, 5.0)),
        standard: Share::new(&[1024, 2048, 4096, 8192], 0.5, 30.0),
        full: Share::new(&[512, 1024, 2048, 4096, 8192], 1.0, 40.0),
    },
};

fn run(bench: &mut Bench<'_>) -> Result<(), Error> {
    for bits in bench.limb_bits(&[512, 1024, 2048, 4096, 8192])? {
        let power = random_power(bits);
        let expected = expected(&power);
        let cpu = bench.cpu();
        let mut race = bench.race("modexp", Size::Bits(bits));
        race.bound(Bound::power(cpu, bits));
        for rival in RIVALS {
            let label = rival.label();
            let Some(prepare) = rival.modexp.filter(|_| race.wants(&label)) else {
                continue;
            };
            match prepare(cpu, &power) {
                Ok(mut modexp) => race.enter(
                    &label,
                    || (),
                    move |()| modexp(),
                    |answer| {
                        if *answer == expected {
                            Ok(())
                        } else {
                            Err("its power is wrong".to_owned())
                        }
                    },
                ),
                Err(Refusal::NotOffered) => {}
                Err(Refusal::Failed(error)) => race.refuse(&label, error),
            }
        }
        race.run();
    }
    Ok(())
}

pub(super) fn random_power(bits: usize) -> Power {
    let number = |top: u8, bottom: u8| {
        let mut bytes: Vec<u8> = random_limbs(bits / 64)
            .iter()
            .flat_map(|l| l.to_be_bytes())
            .collect();
        bytes[0] = (bytes[0] & 0x7f) | top;
        bytes[bits / 8 - 1] |= bottom;
        bytes
    };
    Power {
        base: number(0, 0),
        exponent: number(0x80, 0),
        modulus: number(0x80, 1),
    }
}

/// The power by square and multiply with plain divisions.
pub(super) fn expected(power: &Power) -> Vec<u8> {
    let modulus = BigUint::from_bytes_be(&power.modulus);
    let base = BigUint::from_bytes_be(&power.base);
    let mut result = BigUint::from(1u32);
    for byte in &power.exponent {
        for bit in (0..8).rev() {
            result = &result * &result % &modulus;
            if byte >> bit & 1 == 1 {
                result = result * &base % &modulus;
            }
        }
    }
    padded(&result.to_bytes_be(), power.modulus.len())
}

/// The base, the exponent and the modulus.
pub(super) fn numbers(power: &Power) -> [Nat; 3] {
    [&power.base, &power.exponent, &power.modulus].map(|bytes| Nat::from_be_bytes(bytes))
}

/// Fails unless `answer` is the expected power.
pub(super) fn check(answer: &Nat, expected: &[u8]) -> Result<(), String> {
    match padded(&answer.to_be_bytes_vartime(), expected.len()) == expected {
        true => Ok(()),
        false => Err("its power is wrong".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_powers_are_seen() {
        assert_eq!(check(&Nat::from_limb(258), &[0, 1, 2]), Ok(()));
        assert!(check(&Nat::from_limb(259), &[0, 1, 2]).is_err());
    }

    #[test]
    fn powers_are_right() {
        let power = Power {
            base: vec![0, 3],
            exponent: vec![0, 200],
            modulus: vec![1, 1],
        };
        // 257 is prime and 3 generates its units: 3^128 = -1, and 3^200 = -(3^72).
        let expected_by_steps = (0..200).fold(1, |r, _| r * 3 % 257) as u16;
        assert_eq!(expected(&power), expected_by_steps.to_be_bytes());
    }
}
