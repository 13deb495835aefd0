//! Key agreement on curves in batches: each secret is that of the agreement alone.

use crate::support::rng;
use carrysave_engine::{Batch, Job, Output, Service, ServiceError};
use carrysave_schemes::ec::ed448::task::{SignEd448, VerifyEd448};
use carrysave_schemes::ec::ed25519::task::{
    SignEd25519, VerifyEd25519, VerifyEd25519Zip215, WithoutCofactor,
};
use carrysave_schemes::ec::task::{
    EcdhAgree, Generate, Generator, SignEcdsa, VerifyEcdsa, X448Agree, X25519Agree, X25519Public,
};
use carrysave_schemes::ec::{self, Named, P256, P384, P521, Secp256k1};
use carrysave_schemes::ec::{
    Algorithm, AnyPrivateKey, Ed448Signature, Ed25519PrivateKey, Ed25519Signature,
};
use carrysave_schemes::ec::{X448PrivateKey, X448PublicKey, X25519PrivateKey, X25519PublicKey};
use carrysave_schemes::hash::Hash;
use std::sync::Arc;

fn batch(threads: usize) -> Batch {
    Batch::new(threads)
}

/// Agreements of one's own key and of others, with many keys.
fn x25519(count: usize) -> Vec<X25519Agree> {
    let key = || X25519PrivateKey::generate_with(&mut rng());
    let own = key();
    let agree = |i: usize| X25519Agree {
        key: if i.is_multiple_of(3) {
            own.clone()
        } else {
            key()
        },
        public: key().public(),
    };
    (0..count).map(agree).collect()
}

#[test]
fn many_x25519_secrets_are_those_of_each_alone() {
    for (count, threads) in [(1, 1), (7, 1), (9, 2), (64, 1), (64, 2), (65, 3), (200, 1)] {
        let mut agreements = x25519(count);
        // A point of small order spoils nothing but its own secret.
        agreements[count / 2].public = X25519PublicKey([0; 32]);
        let secrets = batch(threads).run_with(rng, &agreements);
        assert_eq!(secrets.len(), count);
        for (i, (X25519Agree { key, public }, secret)) in agreements.iter().zip(secrets).enumerate()
        {
            assert_eq!(secret, key.agree(public));
            assert_eq!(secret.is_err(), i == count / 2);
        }
    }
}

/// Groups of every fill, in lanes and not: each public key is the one alone.
#[test]
fn public_keys_of_x25519_side_by_side() {
    for count in (0..=18).chain([64, 65, 100]) {
        let key = || X25519PrivateKey::generate_with(&mut rng());
        let tasks: Vec<_> = (0..count).map(|_| X25519Public(key())).collect();
        for threads in [1, 2] {
            let found = batch(threads).run_with(rng, &tasks);
            let alone: Vec<_> = tasks.iter().map(|task| Ok(task.0.public())).collect();
            assert_eq!(found, alone);
        }
    }
}

/// Groups of every fill, in lanes and not: each new key of Ed25519 is that of its seed.
#[test]
fn new_keys_of_ed25519_are_those_of_their_seeds() {
    for count in (0..=18).chain([64, 65]) {
        let keys = batch(2).run_with(rng, &vec![Generate(Generator(Algorithm::Ed25519)); count]);
        assert_eq!(keys.len(), count);
        let mut seeds = vec![];
        for key in keys {
            let Ok(key) = key;
            let AnyPrivateKey::Ed25519(key) = &*key else {
                panic!("a key of another algorithm");
            };
            assert_eq!(
                Ed25519PrivateKey::from_bytes(key.as_bytes()).public(),
                key.public()
            );
            let signature = key.sign(b"a message");
            assert!(key.public().verify_strict(b"a message", &signature).is_ok());
            seeds.push(*key.as_bytes());
        }
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), count);
    }
}

/// X448 has no lanes: each agreement is the one alone, among others too, and a point of small order spoils no neighbour.
#[test]
fn agreements_by_x448_among_others() {
    let key = || X448PrivateKey::generate_with(&mut rng());
    let mut agreements = vec![];
    for i in 0..5 {
        let public = match i {
            3 => X448PublicKey([0; 56]),
            _ => key().public(),
        };
        agreements.push(X448Agree { key: key(), public });
    }
    let mut jobs: Vec<Job> = agreements.iter().cloned().map(Job::from).collect();
    jobs.extend(x25519(3).into_iter().map(Job::from));
    for threads in [1, 2] {
        let secrets = batch(threads).run_with(rng, &jobs);
        assert!(secrets[5..].iter().all(Result::is_ok));
        for (i, (X448Agree { key, public }, secret)) in agreements.iter().zip(secrets).enumerate() {
            match (secret, key.agree(public)) {
                (Ok(Output::Bytes(secret)), Ok(alone)) => {
                    assert_eq!((secret, i == 3), (alone, false))
                }
                (Err(refused), Err(alone)) => assert_eq!((refused, i), (alone.into(), 3)),
                other => panic!("{i} {other:?}"),
            }
        }
    }
}

/// Signatures of every curve, mixed, some of them wrong: each verdict is that of the signature alone.
#[test]
fn mixed_signatures_are_told_apart() {
    let (hash, message) = (Hash::Sha256, b"a message".to_vec());
    let digest = hash.digest(&message);
    let keys: Vec<Arc<AnyPrivateKey>> = (0..70)
        .map(|i| {
            let algorithm = Algorithm::ALL[i % Algorithm::ALL.len()];
            AnyPrivateKey::generate_with(algorithm, &mut rng()).into()
        })
        .collect();
    let sign = |key: &Arc<AnyPrivateKey>| match &**key {
        AnyPrivateKey::Ed25519(key) => Job::SignEd25519(SignEd25519 {
            key: key.clone(),
            message: message.clone(),
        }),
        AnyPrivateKey::Ed448(key) => Job::SignEd448(SignEd448 {
            key: key.clone(),
            message: message.clone(),
        }),
        _ => Job::SignEcdsa(SignEcdsa {
            key: key.clone(),
            hash,
            digest: digest.clone(),
        }),
    };
    let signing: Vec<Job> = keys.iter().map(sign).collect();
    let signatures = batch(2).run_with(rng, &signing);
    let mut verifying = vec![];
    for (i, (key, signature)) in keys.iter().zip(&signatures).enumerate() {
        let Ok(Output::Bytes(signature)) = signature else {
            assert!(!key.algorithm().signs(), "{signature:?}");
            continue;
        };
        let mut signature = signature.to_vec();
        let last = signature.len() - 1 - usize::from(i % 2 == 0) * 20;
        signature[last] ^= u8::from(i % 5 == 0);
        verifying.push((
            i % 5 != 0,
            match &**key {
                AnyPrivateKey::Ed25519(key) => {
                    let signature = Ed25519Signature::try_from(&signature[..]).expect("64 octets");
                    let (public, message) = (*key.public(), message.clone());
                    match i % 2 {
                        0 => Job::VerifyEd25519(VerifyEd25519 {
                            key: WithoutCofactor(public),
                            message,
                            signature,
                        }),
                        _ => Job::VerifyEd25519Zip215(VerifyEd25519Zip215 {
                            key: public,
                            message,
                            signature,
                        }),
                    }
                }
                AnyPrivateKey::Ed448(key) => Job::VerifyEd448(VerifyEd448 {
                    key: *key.public(),
                    message: message.clone(),
                    signature: Ed448Signature::try_from(&signature[..]).expect("114 octets"),
                }),
                key => Job::VerifyEcdsa(VerifyEcdsa {
                    key: key.public(),
                    hash,
                    digest: digest.clone(),
                    signature,
                }),
            },
        ));
    }
    let jobs: Vec<Job> = verifying.iter().map(|(_, job)| job.clone()).collect();
    let verdicts = batch(2).run_with(rng, &jobs);
    for ((good, job), verdict) in verifying.iter().zip(verdicts) {
        assert_eq!(verdict.is_ok(), *good, "{job:?}");
    }
}

#[test]
fn signatures_of_every_number_are_those_of_each_alone() {
    let hash = Hash::Sha384;
    for algorithm in [Algorithm::P256, Algorithm::P384, Algorithm::P521] {
        let keys: Vec<Arc<AnyPrivateKey>> = (0..3)
            .map(|_| AnyPrivateKey::generate_with(algorithm, &mut rng()).into())
            .collect();
        for count in [1, 2, 3, 4, 8, 9, 10, 11, 17] {
            let sign = |i: usize| SignEcdsa {
                key: keys[i % 3].clone(),
                hash,
                // One of a wrong length takes no lane.
                digest: if i == 5 {
                    vec![7; 5]
                } else {
                    hash.digest(&[i as u8])
                },
            };
            let tasks: Vec<SignEcdsa> = (0..count).map(sign).collect();
            let signatures = batch(1).run_with(rng, &tasks);
            let mut verifying = vec![];
            for (i, (task, signature)) in tasks.iter().zip(&signatures).enumerate() {
                let alone = task.key.sign_digest(hash, &task.digest);
                assert_eq!(*signature, alone, "{algorithm} {count}");
                assert_eq!(signature.is_err(), i == 5);
                let mut signature = signature.clone().unwrap_or_default();
                if i == 2 {
                    *signature.last_mut().expect("it has octets") ^= 1;
                }
                verifying.push(VerifyEcdsa {
                    key: task.key.public(),
                    hash,
                    digest: task.digest.clone(),
                    signature,
                });
            }
            let verdicts = batch(1).run_with(rng, &verifying);
            let good: Vec<bool> = verdicts.iter().map(Result::is_ok).collect();
            let right: Vec<bool> = (0..count).map(|i| i != 2 && i != 5).collect();
            assert_eq!(good, right, "{algorithm} {count}");
        }
    }
}

#[test]
fn ecdh_secrets_are_those_of_each_alone() {
    fn on<C: Named>() {
        let agree = || {
            let [key, other] = [(); 2].map(|()| ec::PrivateKey::<C>::generate_with(&mut rng()));
            let public = other.public().clone();
            EcdhAgree { key, public }
        };
        let agreements: Vec<EcdhAgree<C>> = (0..9).map(|_| agree()).collect();
        let secrets = batch(2).run_with(rng, &agreements);
        assert_eq!(secrets.len(), agreements.len());
        for (EcdhAgree { key, public }, secret) in agreements.iter().zip(secrets) {
            assert_eq!(secret, key.agree(public));
        }
    }
    on::<P256>();
    on::<P384>();
    on::<P521>();
    on::<Secp256k1>();
}

/// Keys of every algorithm, mixed with other tasks, in groups of every fill: all differ, and each has its own public key.
#[test]
fn keys_are_generated_among_other_tasks() {
    let agreement = x25519(1).remove(0);
    for count in [1, 3, 8, 9, 40] {
        let mut jobs: Vec<Job> = Algorithm::ALL
            .iter()
            .flat_map(|&algorithm| vec![Generate(Generator(algorithm)).into(); count])
            .collect();
        jobs.insert(jobs.len() / 2, agreement.clone().into());
        let outputs = batch(2).run_with(rng, &jobs);
        let mut seen = std::collections::HashSet::new();
        for (job, output) in jobs.iter().zip(outputs) {
            match (job, output) {
                (Job::GenerateEc(generate), Ok(Output::Key(key))) => {
                    assert_eq!(key.algorithm(), generate.0.0);
                    assert!(seen.insert(key.to_octets().to_vec()), "{job:?}");
                    // The public key is that of the number.
                    let again = AnyPrivateKey::from_pkcs8_der(&key.to_pkcs8_der());
                    assert_eq!(again.unwrap().public(), key.public(), "{job:?}");
                }
                (Job::X25519(_), Ok(Output::Bytes(secret))) => {
                    assert_eq!(Ok(secret), agreement.key.agree(&agreement.public));
                }
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(seen.len(), count * Algorithm::ALL.len());
    }
    let service = Service::with_rng(Default::default(), rng).unwrap();
    let key = service.run(Generate(Generator(Algorithm::P256))).unwrap();
    assert_eq!(key.algorithm(), Algorithm::P256);
}

/// A call gets a result of its own type, whatever the others call.
#[test]
fn a_service_takes_tasks_of_any_type() {
    let service = Service::with_rng(Default::default(), rng).unwrap();
    let agreement = x25519(1).remove(0);
    let secret = agreement.key.agree(&agreement.public).unwrap();
    assert_eq!(service.run(agreement.clone()).unwrap(), secret);
    let Ok(Output::Bytes(bytes)) = service.run(Job::from(agreement.clone())) else {
        panic!("a secret is bytes")
    };
    assert_eq!(bytes, secret);
    let zero = X25519Agree {
        public: X25519PublicKey([0; 32]),
        ..agreement
    };
    let refused = service.run(zero);
    assert_eq!(refused, Err(ServiceError::Task(ec::Error::SmallOrder)));
}
