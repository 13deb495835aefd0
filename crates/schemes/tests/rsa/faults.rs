//! A fault in a private operation must not reveal the key (Boneh, DeMillo, Lipton 1997).

use crate::support::*;
use carrysave_arith::Nat;
use carrysave_schemes::rsa::{Error, KeygenOptions, PrivateKey};
use carrysave_schemes::testing::{RsaStage, rsadp};
use carrysave_team::Spawned;
use carrysave_team::{Serial, Team};

/// Small, so that ten thousand operations take seconds.
pub fn small_key(bits: usize, primes: usize) -> PrivateKey {
    let options = KeygenOptions {
        allow_small: true,
        allow_many_primes: true,
        primes,
        ..Default::default()
    };
    PrivateKey::generate_with(rng, bits, &options, &|_| ()).unwrap()
}

/// Flips every bit of the value at `stage` in turn; returns the number of detected faults. The others must have no
/// effect: no wrong result may be released.
fn flip_all(team: &dyn Team, key: &PrivateKey, stage: RsaStage, rng: &mut Rng) -> usize {
    let m = Nat::random_below(key.public().n(), rng);
    let right = key.rsasp1(rng, &m).unwrap();
    let mut bits = 0;
    let mut look = |_, at, value: &Nat| {
        bits = bits.max(if at == stage { 64 * value.width() } else { 0 });
        None
    };
    let none = rsadp(key, team, rng, &m, &mut look);
    assert!(none == Ok(right.clone()));
    assert!(bits >= 64, "{stage:?} was not reached");
    let mut caught = 0;
    for bit in 0..bits {
        let mut flip = |_, at, value: &Nat| (at == stage).then(|| flipped(value, bit));
        match rsadp(key, team, rng, &m, &mut flip) {
            Ok(s) => assert!(
                s == right,
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

fn stages(primes: usize) -> Vec<RsaStage> {
    let each = (0..primes).flat_map(|i| {
        [
            RsaStage::Prime(i),
            RsaStage::Exponent(i),
            RsaStage::Residue(i),
        ]
    });
    let later = (1..primes).flat_map(|i| [RsaStage::Coefficient(i), RsaStage::Quotient(i)]);
    let whole = [
        RsaStage::Blinding,
        RsaStage::Unblinding,
        RsaStage::Blinded,
        RsaStage::Result,
        RsaStage::Unblinded,
    ];
    each.chain(later).chain(whole).collect()
}

#[test]
fn no_faulty_result_is_released() {
    inject(&Serial, 12_000);
}

#[test]
fn no_faulty_result_is_released_by_a_team() {
    inject(&Spawned::new(2), 10_000);
}

fn inject(team: &dyn Team, least: usize) {
    let (mut caught, mut rng) = (0, rng());
    while caught < least {
        for primes in [2, 3] {
            let key = small_key(512, primes);
            for stage in stages(primes) {
                let found = flip_all(team, &key, stage, &mut rng);
                // All flips except those without effect modulo the prime or the group order, which are few.
                assert!(found >= 60, "only {found} flips at {stage:?} were caught");
                caught += found;
            }
        }
    }
    println!("{caught} faults caught, none released");
}
