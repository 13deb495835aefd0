//! `Batch`: results in order, each as if its job were alone.

use crate::support::{DL_LANE_KEYS, KEYS, KINDS, LANE_KEYS, check, in_lanes, job, mixed, rng};
use carrysave_arith::{
    Nat,
    lanes::LANES,
    task::{OutOfRange, Power},
};
use carrysave_engine::{self as engine, Batch, Job};
use carrysave_schemes::dl::{
    self,
    task::{DhAgree, SignDsa, VerifyDsa},
};
use carrysave_schemes::ec::{self, X25519PrivateKey, X25519PublicKey, task::X25519Agree};
use carrysave_schemes::hash::Hash;
use carrysave_schemes::rsa::task::{
    DecryptOaep, DecryptPkcs1v15, EncryptOaep, EncryptPkcs1v15, RawPrivate, RawPublic,
    SignPkcs1v15, SignPss, VerifyPkcs1v15, VerifyPss,
};
use carrysave_schemes::rsa::{Error, PrivateKey};
use carrysave_team::task::{Primitive, Task};
use core::convert::Infallible;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use rand_core::CryptoRng;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, mpsc};
use std::time::Duration;
use zeroize::Zeroizing;

fn run(threads: usize, jobs: &[Job]) {
    let results = Batch::new(threads).run_with(rng, jobs);
    assert_eq!(results.len(), jobs.len());
    for (job, result) in jobs.iter().zip(&results) {
        check(job, result);
    }
}

#[test]
fn every_count_of_mixed_jobs() {
    for count in 0..=64 {
        run([1, 2, 4][count % 3], &mixed(count));
    }
}

#[test]
fn every_fill_of_every_class() {
    for kind in 0..KINDS {
        for key in KEYS.iter().chain(LANE_KEYS.iter()) {
            for count in 1..=LANES + 1 {
                let jobs: Vec<_> = (0..count).map(|i| job(kind, key, i)).collect();
                run(1, &jobs);
            }
        }
    }
}

/// Every way in which a job that would be in a lane can be refused.
fn invalid() -> Vec<(Job, engine::Error)> {
    let of_rsa = invalid_rsa().into_iter().map(|(job, e)| (job, e.into()));
    let of_dl = invalid_dl().into_iter().map(|(job, e)| (job, e.into()));
    let n = LANE_KEYS[0].public().n();
    let power = Power::new(in_lanes(n), n.clone(), Nat::power_of_two(255));
    let zero = X25519Agree {
        key: X25519PrivateKey::generate_with(&mut rng()),
        public: X25519PublicKey([0; 32]),
    };
    let others = [
        (power.into(), OutOfRange.into()),
        (zero.into(), ec::Error::SmallOrder.into()),
    ];
    of_rsa.chain(of_dl).chain(others).collect()
}

fn invalid_dl() -> Vec<(Job, dl::Error)> {
    let (key, other) = (DL_LANE_KEYS[0].clone(), DL_LANE_KEYS[2].clone());
    let hash = Hash::Sha256;
    let digest = hash.digest(b"a message");
    let signature = key.dsa_sign(hash, &digest).unwrap();
    let length = dl::Error::DigestLength {
        expected: 32,
        found: 31,
    };
    let sign = |hash: Hash, digest: &[u8]| {
        Job::SignDsa(SignDsa {
            key: key.clone(),
            hash,
            digest: digest.to_vec(),
        })
    };
    let verify = |digest: &[u8], signature: &[u8]| {
        Job::VerifyDsa(VerifyDsa {
            key: key.public().clone(),
            hash,
            digest: digest.to_vec(),
            signature: signature.to_vec(),
        })
    };
    let der = signature.to_der();
    let zero = dl::Signature::new(Nat::zero(), signature.s().clone());
    let wrong = dl::Signature::new(signature.s().clone(), signature.r().clone());
    vec![
        (sign(hash, &digest[1..]), length.clone()),
        (sign(Hash::Sha1, &digest[..20]), dl::Error::Sha1Signature),
        (verify(&digest[1..], &der), length),
        (
            verify(&hash.digest(b"other"), &der),
            dl::Error::Verification,
        ),
        (verify(&digest, &der[1..]), dl::Error::Verification),
        (verify(&digest, &zero.to_der()), dl::Error::Verification),
        (verify(&digest, &wrong.to_der()), dl::Error::Verification),
        (
            Job::DhAgree(DhAgree {
                key: key.clone(),
                public: other.public().clone(),
            }),
            dl::Error::OtherGroup,
        ),
    ]
}

fn invalid_rsa() -> Vec<(Job, Error)> {
    let key = LANE_KEYS[0].clone();
    let public = key.public().clone();
    let (hash, mgf) = (Hash::Sha256, Hash::Sha256);
    let digest = hash.digest(b"a message");
    let (size, n) = (key.size(), public.n().clone());
    let n_bytes = n.to_be_bytes_vartime();
    let length = Error::DigestLength {
        expected: 32,
        found: 31,
    };
    let sign_pss = |hash: Hash, digest: &[u8], salt_len| {
        Job::SignPss(SignPss {
            key: key.clone(),
            hash,
            mgf,
            salt_len,
            digest: digest.to_vec(),
        })
    };
    let sign_pkcs1 = |hash: Hash, digest: &[u8]| {
        Job::SignPkcs1v15(SignPkcs1v15 {
            key: key.clone(),
            hash,
            digest: digest.to_vec(),
        })
    };
    let oaep = |ciphertext: &[u8]| {
        Job::DecryptOaep(DecryptOaep {
            key: key.clone(),
            hash,
            mgf,
            label: vec![],
            ciphertext: ciphertext.to_vec(),
        })
    };
    let pkcs1 = |ciphertext: &[u8]| {
        Job::DecryptPkcs1v15(DecryptPkcs1v15 {
            key: key.clone(),
            ciphertext: ciphertext.to_vec(),
        })
    };
    let verify_pss = |digest: &[u8], signature: &[u8]| {
        Job::VerifyPss(VerifyPss {
            key: public.clone(),
            hash,
            mgf,
            salt_len: None,
            digest: digest.to_vec(),
            signature: signature.to_vec(),
        })
    };
    let verify_pkcs1 = |digest: &[u8], signature: &[u8]| {
        Job::VerifyPkcs1v15(VerifyPkcs1v15 {
            key: public.clone(),
            hash,
            digest: digest.to_vec(),
            signature: signature.to_vec(),
        })
    };
    let one = vec![1; size];
    vec![
        (sign_pss(hash, &digest[1..], 32), length.clone()),
        (
            sign_pss(Hash::Sha1, &digest[..20], 20),
            Error::Sha1Signature,
        ),
        (sign_pss(hash, &digest, size), Error::KeyTooSmall),
        (sign_pss(hash, &digest, usize::MAX), Error::KeyTooSmall),
        (sign_pkcs1(hash, &digest[1..]), length.clone()),
        (sign_pkcs1(Hash::Sha1, &digest[..20]), Error::Sha1Signature),
        (oaep(&one), Error::Decryption),
        (oaep(&one[1..]), Error::Decryption),
        (oaep(&n_bytes), Error::Decryption),
        (pkcs1(&one[1..]), Error::Decryption),
        (pkcs1(&n_bytes), Error::Decryption),
        (
            Job::RawPrivate(RawPrivate {
                key: key.clone(),
                x: n.clone(),
            }),
            Error::OutOfRange,
        ),
        (verify_pss(&digest[1..], &one), length.clone()),
        (verify_pss(&digest, &one), Error::Verification),
        (verify_pss(&digest, &one[1..]), Error::Verification),
        (verify_pss(&digest, &n_bytes), Error::Verification),
        (verify_pkcs1(&digest[1..], &one), length),
        (verify_pkcs1(&digest, &one), Error::Verification),
        (verify_pkcs1(&digest, &one[1..]), Error::Verification),
        (verify_pkcs1(&digest, &n_bytes), Error::Verification),
        (
            Job::RawPublic(RawPublic {
                key: public.clone(),
                x: n.clone(),
            }),
            Error::OutOfRange,
        ),
    ]
}

#[test]
fn an_invalid_job_spoils_no_neighbour() {
    for (bad, error) in invalid() {
        let kind = match bad {
            Job::RawPublic(_) | Job::VerifyPss(_) | Job::VerifyPkcs1v15(_) => [5, 6, 7],
            Job::Power(_) => [8; 3],
            Job::DhAgree(_) => [9; 3],
            Job::SignDsa(_) => [10; 3],
            Job::VerifyDsa(_) => [11; 3],
            Job::X25519(_) => [12; 3],
            _ => [0, 1, 2],
        };
        let valid: Vec<_> = (0..LANES - 1)
            .map(|i| job(kind[i % 3], &LANE_KEYS[0], i))
            .collect();
        for position in 0..LANES {
            let mut jobs = valid.clone();
            jobs.insert(position, bad.clone());
            let results = Batch::new(1).run_with(rng, &jobs);
            assert_eq!(results[position].as_ref().err(), Some(&error), "{bad:?}");
            for (i, (job, result)) in jobs.iter().zip(&results).enumerate() {
                assert!(i == position || result.is_ok());
                check(job, result);
            }
        }
    }
}

#[test]
fn nothing_but_invalid_jobs() {
    let (jobs, errors): (Vec<_>, Vec<_>) = invalid().into_iter().unzip();
    let results = Batch::new(2).run_with(rng, &jobs);
    let found: Vec<_> = results.into_iter().map(Result::unwrap_err).collect();
    assert_eq!(found, errors);
}

#[test]
fn a_batch_has_many_callers_at_once() {
    let batch = Batch::new(3);
    std::thread::scope(|scope| {
        for caller in 0..4 {
            let batch = batch.clone();
            scope.spawn(move || {
                for count in [1, 40, 3, 64] {
                    let jobs = mixed(count + caller);
                    let results = batch.run_with(rng, &jobs);
                    assert_eq!(results.len(), jobs.len());
                    (jobs.iter().zip(&results)).for_each(|(job, result)| check(job, result));
                }
            });
        }
    });
}

#[test]
fn a_call_does_not_wait_for_one_that_has_the_threads() {
    let batch = Batch::new(2);
    let (sender, gate) = mpsc::channel::<()>();
    let (started, starts) = mpsc::channel();
    let gate = Mutex::new(gate);
    std::thread::scope(|scope| {
        let first = scope.spawn(|| {
            let closed = || {
                started.send(()).unwrap();
                assert!(gate.lock().unwrap().recv().is_err());
                rng()
            };
            batch.run_with(closed, &mixed(64)).len()
        });
        starts.recv().unwrap();
        let jobs = mixed(8);
        let results = batch.run_with(rng, &jobs);
        (jobs.iter().zip(&results)).for_each(|(job, result)| check(job, result));
        assert!(!first.is_finished());
        drop(sender);
        assert_eq!(first.join().unwrap(), 64);
    });
}

#[test]
fn a_generator_that_panics_reaches_the_caller_and_the_batch_goes_on() {
    let batch = Batch::new(2);
    let jobs = mixed(64);
    for guilty in 0..2 {
        let made = AtomicUsize::new(0);
        let failing = || {
            let i = made.fetch_add(1, Relaxed);
            assert_ne!(i, guilty, "no generator for the thread {i}");
            rng()
        };
        let results = catch_unwind(AssertUnwindSafe(|| batch.run_with(failing, &jobs)));
        assert_eq!(results.is_err(), made.into_inner() > guilty);
        let results = batch.run_with(rng, &jobs);
        (jobs.iter().zip(&results)).for_each(|(job, result)| check(job, result));
    }
}

/// Encryptions of both kinds for several keys at once decrypt to their messages; one that is too long fails alone.
#[test]
fn encryptions_side_by_side() {
    let (hash, label) = (Hash::Sha256, b"label");
    let message = |i: usize| match i {
        5 => vec![1; 200].into(),
        _ => Zeroizing::new(vec![i as u8; 1 + i % 30]),
    };
    let encrypt = |(i, key): (usize, &PrivateKey)| -> Job {
        let (key, message) = (key.public().clone(), message(i));
        match i % 3 {
            0 => EncryptOaep {
                key,
                hash,
                mgf: hash,
                label: label.to_vec(),
                message,
            }
            .into(),
            _ => EncryptPkcs1v15 { key, message }.into(),
        }
    };
    let keys: Vec<_> = LANE_KEYS
        .iter()
        .chain(KEYS.iter())
        .cycle()
        .take(60)
        .collect();
    let jobs: Vec<_> = keys.iter().copied().enumerate().map(encrypt).collect();
    for threads in 1..3 {
        let ciphertexts = Batch::new(threads).run(&jobs);
        for (i, (key, c)) in keys.iter().zip(ciphertexts).enumerate() {
            match c {
                Ok(engine::Output::Bytes(c)) => {
                    let m = match i % 3 {
                        0 => key.rsaes_oaep_decrypt(&mut rng(), hash, hash, label, &c),
                        _ => key.rsaes_pkcs1_v1_5_decrypt(&mut rng(), &c),
                    };
                    assert_eq!(m.unwrap(), message(i), "{i}");
                }
                e => assert!(
                    i == 5 && matches!(e, Err(engine::Error::Rsa(Error::MessageTooLong { .. }))),
                    "{i}: {e:?}"
                ),
            }
        }
    }
}

/// A task whose cost says next to nothing of its time.
#[derive(Clone)]
struct Nap;

impl Primitive for Nap {
    type Class = ();
    type Input = ();
    type Output = ();

    fn class(&self) {}

    fn cost(&self) -> u64 {
        1
    }

    fn run_group<R: CryptoRng + ?Sized>(_: &mut R, group: &[(&Nap, &())]) -> Vec<()> {
        std::thread::sleep(Duration::from_millis(1));
        vec![(); group.len()]
    }
}

impl Task for Nap {
    type Primitive = Nap;
    type Output = ();
    type Error = Infallible;

    fn primitive(&self) -> &Nap {
        self
    }

    fn start<R: CryptoRng + ?Sized>(&self, _: &mut R) -> Result<(), Infallible> {
        Ok(())
    }

    fn finish(&self, (): ()) -> Result<(), Infallible> {
        Ok(())
    }
}

/// The estimate of throughput is a divisor, however little work a nanosecond does.
#[test]
fn tasks_that_take_longer_than_they_cost() {
    for threads in 1..3 {
        let batch = Batch::new(threads);
        for _ in 0..3 {
            assert_eq!(batch.run(&[Nap, Nap, Nap]), [Ok(()); 3]);
        }
    }
}
