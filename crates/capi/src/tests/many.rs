//! Many operations at once: arrays, agreements, and a service.

use super::jobs::{generated, job, public_half, signers};
use super::*;
use crate::jobs::*;
use crate::keys::{cs_algorithm, cs_key_free};
use crate::schemes::*;
use crate::service::*;
use crate::threads::{batch, cs_threads_free, cs_threads_new, team};

#[test]
fn agreements_agree() {
    use cs_algorithm::*;
    let curves = [
        CS_P224,
        CS_P256,
        CS_P384,
        CS_P521,
        CS_SECP256K1,
        CS_BRAINPOOL_P256,
        CS_BRAINPOOL_P384,
        CS_BRAINPOOL_P512,
        CS_X25519,
        CS_FFDHE2048,
    ];
    // SAFETY: keys are freed once; pointers lead to what lengths say.
    unsafe {
        let stranger = generated(CS_ED25519);
        for algorithm in curves {
            let (alice, bob) = (generated(algorithm), generated(algorithm));
            let (for_alice, for_bob) = (public_half(bob), public_half(alice));
            let secret = |key, other| bytes(|out, size, len| cs_agree(key, other, out, size, len));
            assert_eq!(secret(alice, for_alice), secret(bob, for_bob));
            let (mut out, mut len) = ([0; 1024], 0);
            let mut error = |key, other| cs_agree(key, other, out.as_mut_ptr(), 1024, &mut len);
            assert_eq!(error(alice, null()), CS_ERROR_NULL);
            assert_eq!(error(null(), for_alice), CS_ERROR_NULL);
            assert_eq!(error(for_alice, for_bob), CS_ERROR_KEY_KIND);
            assert!([CS_ERROR_KEY_KIND, CS_ERROR_KEYS_DIFFER].contains(&error(alice, stranger)));
            for key in [alice, bob, for_alice, for_bob] {
                cs_key_free(key);
            }
        }
        let (p256, p384) = (generated(CS_P256), generated(CS_P384));
        let (mut out, mut len) = ([0; 1024], 0);
        assert_eq!(
            cs_agree(p256, p384, out.as_mut_ptr(), 1024, &mut len),
            CS_ERROR_KEYS_DIFFER
        );
        for key in [p256, p384, stranger] {
            cs_key_free(key);
        }
    }
}

/// All kinds in one array, and for a service on several threads.
#[test]
fn many_jobs_are_done_as_one() {
    let signers = signers();
    // SAFETY: objects are freed once; pointers lead to what lengths say.
    unsafe {
        let threads = made(|threads| cs_threads_new(2, threads));
        let mut outputs = vec![[0; 512]; 3 * signers.len() + 1];
        let mut jobs: Vec<cs_job> = (outputs.iter_mut().enumerate())
            .map(|(i, output)| {
                let (sign, _, key, hash, input) = &signers[i % signers.len()];
                job(*sign, *key, *hash, input, &[], output)
            })
            .collect();
        jobs[3].input_len = usize::MAX;
        assert_eq!(
            cs_run_many(threads, jobs.as_mut_ptr(), jobs.len()),
            CS_ERROR_LENGTH
        );
        assert_eq!(jobs[3].status, CS_ERROR_LENGTH as i32);
        let mut checks: Vec<cs_job> = Vec::new();
        for (i, signed) in jobs.iter().enumerate().filter(|&(i, _)| i != 3) {
            assert_eq!(signed.status, CS_OK as i32, "{i}");
            let (_, verify, key, hash, input) = &signers[i % signers.len()];
            let signature = &outputs[i][..signed.output_len];
            checks.push(job(*verify, *key, *hash, input, signature, &mut []));
        }
        assert_eq!(
            cs_run_many(threads, checks.as_mut_ptr(), checks.len()),
            CS_OK
        );
        assert_eq!(
            cs_run_many(null(), checks.as_mut_ptr(), checks.len()),
            CS_OK
        );
        let service = made(|service| cs_service_new(2, 50, service));
        struct Shared(*const cs_service, *mut cs_job);
        // SAFETY: the service may be shared, and each thread has a job of its own.
        unsafe impl Send for Shared {}
        std::thread::scope(|scope| {
            for check in &mut checks {
                let shared = Shared(service, check);
                scope.spawn(move || {
                    let shared = shared;
                    assert_eq!(cs_service_run(shared.0, shared.1), CS_OK);
                });
            }
        });
        let mut counters = cs_service_counters::default();
        assert_eq!(cs_service_count(service, &mut counters), CS_OK);
        assert_eq!((counters.jobs, counters.queued), (checks.len() as u64, 0));
        assert!((1..=counters.jobs).contains(&counters.groups));
        assert_eq!(cs_service_count(service, null_mut()), CS_ERROR_NULL);
        assert_eq!(cs_service_count(null(), &mut counters), CS_ERROR_NULL);
        assert_eq!(cs_service_run(service, null_mut()), CS_ERROR_NULL);
        assert_eq!(cs_service_run(null(), &mut checks[0]), CS_ERROR_NULL);
        assert_eq!(cs_service_shutdown(null()), CS_ERROR_NULL);
        assert_eq!(cs_service_shutdown(service), CS_OK);
        assert_eq!(cs_service_run(service, &mut checks[0]), CS_ERROR_SHUT_DOWN);
        cs_service_free(service);
        cs_service_free(null_mut());
        assert_eq!(
            refused(|service| cs_service_new(1025, 50, service)),
            CS_ERROR_ARGUMENT
        );
        assert_eq!(cs_service_new(1, 50, null_mut()), CS_ERROR_NULL);
        cs_threads_free(threads);
        signers
            .into_iter()
            .for_each(|(_, _, key, ..)| cs_key_free(key));
    }
}

/// One object has one set of threads, for many operations as for a long one.
#[test]
fn threads_are_those_of_all_calls() {
    // SAFETY: the object is freed once, after its last use.
    unsafe {
        let threads = made(|threads| cs_threads_new(3, threads));
        let (many, one) = (batch(threads).unwrap(), team(threads).unwrap());
        assert!(core::ptr::addr_eq(many.team(), one));
        assert!((1..=3).contains(&one.size()));
        drop(many);
        cs_threads_free(threads);
    }
}

/// RFC 7748, 5.2, in all lanes; and a point of small order among others.
#[test]
fn x25519_is_that_of_its_document() {
    let hex = |text: &str| -> Vec<u8> {
        let octet = |i: usize| u8::from_str_radix(&text[2 * i..][..2], 16).unwrap();
        (0..32).map(octet).collect()
    };
    let count = 9;
    let mut scalars =
        hex("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4").repeat(count);
    let mut points =
        hex("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c").repeat(count);
    let expected = hex("c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552");
    // SAFETY: pointers lead to what lengths say.
    unsafe {
        let mut out = vec![0; 32 * count];
        let (o, s, p) = (out.as_mut_ptr(), scalars.as_ptr(), points.as_ptr());
        assert_eq!(cs_x25519(null(), o, s, p, count), CS_OK);
        assert!(out.chunks(32).all(|secret| secret == expected));
        points[64..96].fill(0);
        assert_eq!(cs_x25519(null(), o, s, p, count), CS_ERROR_SMALL_ORDER);
        assert!(out[64..96].iter().all(|&byte| byte == 0) && out[96..128] == expected);
        // The public octets are those of the base point 9, in place, too.
        points.fill(0);
        points.chunks_mut(32).for_each(|point| point[0] = 9);
        assert_eq!(cs_x25519(null(), o, s, points.as_ptr(), count), CS_OK);
        let at = scalars.as_mut_ptr();
        assert_eq!(cs_x25519_public(at, at, count), CS_OK);
        assert_eq!(scalars, out);
        let (o, s, p) = (out.as_mut_ptr(), scalars.as_ptr(), points.as_ptr());
        let errors = [
            cs_x25519(null(), null_mut(), s, p, 1),
            cs_x25519(null(), o, null(), p, 1),
            cs_x25519(null(), o, s, null(), 1),
            cs_x25519_public(null_mut(), s, 1),
            cs_x25519_public(o, null(), 1),
        ];
        assert_eq!(errors, [CS_ERROR_NULL; 5]);
        assert_eq!(cs_x25519(null(), o, s, p, usize::MAX), CS_ERROR_LENGTH);
        assert_eq!(cs_x25519_public(o, s, usize::MAX), CS_ERROR_LENGTH);
    }
}
