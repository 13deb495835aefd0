//! A fault in a private operation must not reveal the key: a wrong root gives the factors by a gcd.

use crate::support::*;
use crate::*;
use carrysave_arith::Nat;
use carrysave_schemes::legacy::Error;
use carrysave_schemes::testing::{self, EsignStage, RootStage};

const STAGES: [RootStage; 13] = [
    RootStage::Prime(0),
    RootStage::Prime(1),
    RootStage::Exponent(0),
    RootStage::Exponent(1),
    RootStage::Power(0),
    RootStage::Power(1),
    RootStage::Symbol(0),
    RootStage::Symbol(1),
    RootStage::Factor(0),
    RootStage::Factor(1),
    RootStage::Coefficient,
    RootStage::Quotient,
    RootStage::Result,
];

/// Runs an operation with every bit of the value at `stage` flipped in turn; returns the number of detected faults. The
/// others must have no effect.
fn flip_all<S: Copy + PartialEq + std::fmt::Debug>(
    stage: S,
    right: impl Fn(&Nat) -> bool,
    mut run: impl FnMut(&mut dyn FnMut(usize, S, &Nat) -> Option<Nat>) -> Result<Nat, Error>,
) -> usize {
    let mut bits = 0;
    let none = run(&mut |_, at, value| {
        bits = bits.max(if at == stage { 64 * value.width() } else { 0 });
        None
    });
    assert!(none.is_ok_and(|s| right(&s)));
    assert!(bits >= 64, "{stage:?} was not reached");
    let mut caught = 0;
    for bit in 0..bits {
        match run(&mut |_, at, value| (at == stage).then(|| flipped(value, bit))) {
            Ok(s) => assert!(
                right(&s),
                "a wrong result came out after a flip of bit {bit} at {stage:?}"
            ),
            Err(error) => {
                assert_eq!(error, Error::Fault);
                caught += 1;
            }
        }
    }
    caught
}

/// All flips that change something are detected; few do not, except those of a symbol, which is one bit.
fn enough(stage: RootStage, caught: usize) {
    let least = if matches!(stage, RootStage::Symbol(_)) {
        1
    } else {
        60
    };
    assert!(
        caught >= least,
        "only {caught} flips at {stage:?} were caught"
    );
}

#[test]
fn no_wrong_rabin_root_is_released() {
    let (mut total, mut rng) = (0, rng());
    while total < 10_000 {
        let key = rabin_key(512);
        let c = Nat::random_below(key.public().n(), &mut rng);
        let m = key.invert(&mut rng, &c).unwrap();
        for stage in STAGES {
            let caught = flip_all(
                stage,
                |s| *s == m,
                |mut fault| testing::rabin_invert(&key, &mut rng, &c, &mut fault),
            );
            enough(stage, caught);
            total += caught;
        }
        // The other roots of the same square.
        for at in [RootStage::Power(0), RootStage::Power(1)] {
            let p = prime(&key.to_der(), if at == RootStage::Power(0) { 3 } else { 4 });
            let mut negate = |_, stage, x: &Nat| (stage == at).then(|| p.sub(x).unwrap());
            let wrong = testing::rabin_invert(&key, &mut rng, &c, &mut negate);
            assert_eq!(wrong, Err(Error::Fault));
        }
    }
    println!("{total} faults caught, none released");
}

#[test]
fn no_wrong_rw_root_is_released() {
    let (mut total, mut rng) = (0, rng());
    while total < 10_000 {
        let key = rw_key(512);
        let f = Nat::random_below(&key.public().n().shr(4), &mut rng)
            .shl(4)
            .add_limb(12);
        let s = key.ifsp_rw(&mut rng, &f).unwrap();
        for stage in STAGES {
            let caught = flip_all(
                stage,
                |x| *x == s,
                |mut fault| testing::ifsp_rw(&key, &mut rng, &f, &mut fault),
            );
            enough(stage, caught);
            total += caught;
        }
        // The other roots pass the verification.
        for at in [RootStage::Power(0), RootStage::Power(1)] {
            let p = prime(&key.to_der(), if at == RootStage::Power(0) { 1 } else { 2 });
            let mut negate = |_, stage, x: &Nat| (stage == at).then(|| p.sub(x).unwrap());
            let wrong = testing::ifsp_rw(&key, &mut rng, &f, &mut negate);
            assert_eq!(wrong, Err(Error::Fault));
        }
    }
    println!("{total} faults caught, none released");
}

#[test]
fn no_wrong_esign_signature_is_released() {
    use EsignStage::*;
    let (mut total, mut rng) = (0, rng());
    while total < 10_000 {
        let key = esign_key(768);
        let f = Nat::random_bits(key.public().k(), &mut rng);
        let verifies = |s: &Nat| key.public().ifvp_esign(s).as_ref() == Ok(&f);
        // If the value is replaced at every attempt, a signature takes longer, but succeeds.
        for stage in [
            Power, Difference, Remainder, Quotient, Inverse, Factor, Product, Result,
        ] {
            let caught = flip_all(stage, verifies, |mut fault| {
                testing::ifsp_esign(&key, &mut rng, &f, &mut fault)
            });
            // The lower part of r^e may be anything.
            let least = if matches!(stage, Power | Difference | Remainder) {
                1
            } else {
                60
            };
            assert!(
                caught >= least,
                "only {caught} flips at {stage:?} were caught"
            );
            total += caught;
        }
    }
    println!("{total} faults caught, none released");
}

/// The number at this index in a key file.
fn prime(der: &[u8], index: usize) -> Nat {
    use der::{Decode, asn1::UintRef};
    Nat::from_be_bytes(Vec::<UintRef<'_>>::from_der(der).unwrap()[index].as_bytes())
}
