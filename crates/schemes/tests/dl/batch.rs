//! Signatures side by side equal those alone, and a fault in one lane reveals nothing.

use crate::support::*;
use carrysave_arith::{Cpu, Nat, Plan};
use carrysave_schemes::dl::batch::{LANES, dsa_sign, dsa_verify};
use carrysave_schemes::dl::{Error, Group, PrivateKey, PublicKey, Signature};
use carrysave_schemes::hash::Hash;
use carrysave_schemes::testing::{DsaStage, dsa_sign_group};

/// Keys of two groups of one class.
fn keys() -> Vec<PrivateKey> {
    let group = |bits, order_bits| {
        let made = Group::generate_with(&mut rng(), bits, order_bits, Hash::Sha256, &mut || ());
        made.unwrap().0
    };
    let groups = [group(512, 160), group(513, 170)];
    let key = |i: usize| PrivateKey::generate_with(&groups[i % 3 / 2], &mut rng());
    (0..LANES).map(key).collect()
}

fn plans() -> impl Iterator<Item = (Cpu, &'static Plan)> {
    masks().into_iter().flat_map(|cpu| {
        let plan = Plan::best(cpu);
        [(cpu, plan), (cpu, plan.always_in_lanes())]
    })
}

/// Every number of jobs, in lanes by the plan and always in lanes, with refused jobs among them.
#[test]
fn results_are_those_of_each_alone() {
    let keys = keys();
    let (good, hash) = (Hash::Sha256.digest(b"a message"), Hash::Sha256);
    for (cpu, plan) in plans() {
        let keys: Vec<PrivateKey> = keys.iter().map(|key| key.with_plan(cpu, plan)).collect();
        for count in 0..=LANES {
            let bad = count / 2;
            let digest = |i: usize| &good[usize::from(i == bad)..];
            let jobs: Vec<_> = (0..count).map(|i| (&keys[i], hash, digest(i))).collect();
            let found = dsa_sign(&jobs);
            let each = jobs
                .iter()
                .map(|(key, hash, digest)| key.dsa_sign(*hash, digest));
            assert_eq!(found, each.collect::<Vec<_>>(), "{count}, {cpu}");
            let right = |i: usize| keys[i].dsa_sign(hash, &good).unwrap();
            let signatures: Vec<Signature> = (0..count).map(right).collect();
            let publics: Vec<&PublicKey> = keys.iter().map(PrivateKey::public).collect();
            // One signature of another key, and one that is invalid.
            let signature = |i: usize| match i + 1 == count {
                true => &signatures[0],
                false => &signatures[i],
            };
            let jobs: Vec<_> = (0..count)
                .map(|i| (publics[i], hash, digest(i), signature(i)))
                .collect();
            let each = jobs
                .iter()
                .map(|(key, hash, digest, s)| key.dsa_verify(*hash, digest, s));
            assert_eq!(
                dsa_verify(&jobs),
                each.collect::<Vec<_>>(),
                "{count}, {cpu}"
            );
        }
    }
}

/// Clones of one key, often enough that tables are made: of g, of y for the check, of both to verify.
#[test]
fn results_stay_the_same_while_tables_are_made() {
    let (keys, hash) = (keys(), Hash::Sha256);
    let fresh = |key: &PrivateKey, (cpu, plan)| key.with_plan(cpu, plan);
    for plan in plans() {
        // Jobs of one key, and of another one of the same group among them.
        let (key, other) = (fresh(&keys[0], plan), fresh(&keys[1], plan));
        for round in 0_u8..6 {
            let digests = [0, 1, 2, 3, 4, 5, 6, 7].map(|i| hash.digest(&[round, i]));
            let key = |i: usize| if i == 5 { &other } else { &key };
            let jobs = digests.iter().enumerate();
            let jobs: Vec<_> = jobs
                .map(|(i, digest)| (key(i), hash, &digest[..]))
                .collect();
            let signatures: Vec<Signature> =
                dsa_sign(&jobs).into_iter().map(Result::unwrap).collect();
            let plain = |(i, digest)| {
                keys[if i == 5 { 1 } else { 0 }]
                    .dsa_sign(hash, digest)
                    .unwrap()
            };
            let each: Vec<Signature> = digests
                .iter()
                .map(|digest| &digest[..])
                .enumerate()
                .map(plain)
                .collect();
            assert_eq!(signatures, each, "{round}");
            // The last one is of another key.
            let signature = |i: usize| {
                if i == 7 {
                    &signatures[0]
                } else {
                    &signatures[i]
                }
            };
            let jobs = jobs.iter().enumerate();
            let jobs: Vec<_> = jobs
                .map(|(i, &(key, hash, digest))| (key.public(), hash, digest, signature(i)))
                .collect();
            let verdicts = dsa_verify(&jobs);
            assert!(verdicts[..7].iter().all(Result::is_ok));
            assert_eq!(verdicts[7], Err(Error::Verification));
        }
    }
}

fn four_digests() -> Vec<Vec<u8>> {
    (0..4).map(|i| Hash::Sha256.digest(&[i])).collect()
}

/// A job for each digest.
fn of_one_key<'a>(
    key: &'a PrivateKey,
    digests: &'a [Vec<u8>],
) -> Vec<(&'a PrivateKey, Hash, &'a [u8])> {
    let job = |digest: &'a Vec<u8>| (key, Hash::Sha256, &digest[..]);
    digests.iter().map(job).collect()
}

/// Wrong powers whose product is right.
#[test]
fn faults_that_cancel_are_found() {
    let (key, digests) = (&keys()[0], four_digests());
    let jobs = of_one_key(key, &digests);
    let found = dsa_sign_group(&jobs, &mut |at, here, value: &Nat| {
        let negate = here == DsaStage::Power && (at == 1 || at == 2);
        negate.then(|| key.group().modulus().neg(value))
    });
    let faulty = |i: usize| found[i] == Err(Error::Fault);
    assert_eq!([0, 1, 2, 3].map(faulty), [false, true, true, false]);
}

/// A planted fault in one of four signatures by one key is found before any is released.
#[test]
fn no_faulty_signature_is_released_among_those_of_one_key() {
    let (key, digests) = (&keys()[0], four_digests());
    let jobs = of_one_key(key, &digests);
    let right = dsa_sign(&jobs);
    for stage in [
        DsaStage::Nonce,
        DsaStage::Again,
        DsaStage::Power,
        DsaStage::R,
        DsaStage::Exponent,
        DsaStage::S,
    ] {
        for bit in (0..160).step_by(7) {
            let found = dsa_sign_group(&jobs, &mut |at, here, value: &Nat| {
                (at == 2 && here == stage).then(|| flipped(value, bit))
            });
            assert_eq!(found[2], Err(Error::Fault), "bit {bit} at {stage:?}");
            assert!(
                [0, 1, 3].iter().all(|&i| found[i] == right[i]),
                "bit {bit} at {stage:?}"
            );
        }
    }
}

/// Flips every bit of every value in each lane in turn: no wrong result may be released, and other lanes must not
/// change.
#[test]
fn no_faulty_signature_is_released_from_a_lane() {
    let (cpu, keys) = (Cpu::native(), keys());
    let plan = Plan::best(cpu).always_in_lanes();
    let keys: Vec<PrivateKey> = keys.iter().map(|key| key.with_plan(cpu, plan)).collect();
    let digest = Hash::Sha256.digest(b"a message");
    let jobs: Vec<_> = keys
        .iter()
        .map(|key| (key, Hash::Sha256, &digest[..]))
        .collect();
    let right = dsa_sign(&jobs);
    let stages = [
        DsaStage::Digest,
        DsaStage::Nonce,
        DsaStage::Again,
        DsaStage::Power,
        DsaStage::R,
        DsaStage::Inverse,
        DsaStage::Exponent,
        DsaStage::Sum,
        DsaStage::S,
    ];
    let mut caught = 0;
    for lane in 0..LANES {
        for stage in stages {
            // Only some bits: the test of single signatures flips every bit.
            for bit in (lane..160).step_by(LANES) {
                let found = dsa_sign_group(&jobs, &mut |at, here, value: &Nat| {
                    (at == lane && here == stage).then(|| flipped(value, bit))
                });
                for (l, (found, right)) in found.iter().zip(&right).enumerate() {
                    match found {
                        Err(error) => {
                            assert!(l == lane && *error == Error::Fault);
                            caught += 1;
                        }
                        found => assert_eq!(found, right, "bit {bit} at {stage:?}, lane {lane}"),
                    }
                }
            }
        }
    }
    println!("{caught} faults caught, none released");
    assert_eq!(caught, LANES * stages.len() * 160 / LANES);
}
