//! Panics at any point of a call: no job claims a result that it does not have.

use super::jobs::{SHA256, digest, generated, job};
use super::*;
use crate::jobs::cs_operation::{CS_SIGN_ED25519, CS_SIGN_PKCS1};
use crate::jobs::*;
use crate::keys::{cs_algorithm, cs_key_free};
use crate::numbers::power::{cs_power, cs_powm_many};
use crate::service::{cs_service_free, cs_service_new, cs_service_run};
use crate::threads::cs_threads;
use core::cell::Cell;
use std::panic::resume_unwind;

thread_local! {
    /// The checks of pointers until one panics.
    static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Panics if it is time: called by the check of each pointer.
pub(crate) fn here() {
    match LEFT.get() {
        Some(0) => {
            LEFT.set(None);
            resume_unwind(Box::new(())); // without a message
        }
        left => LEFT.set(left.map(|left| left - 1)),
    }
}

/// Calls with a panic at each check but the first, which is that of the jobs, until a call ends without one: that one
/// succeeds, and the others give `CS_ERROR_BUG`. Returns how many panicked.
fn panic_everywhere(call: impl Fn() -> cs_error) -> usize {
    for point in 1.. {
        LEFT.set(Some(point));
        let error = call();
        if LEFT.take().is_some() {
            assert_eq!(error, CS_OK);
            return point - 1;
        }
        assert_eq!(error, CS_ERROR_BUG);
    }
    unreachable!()
}

const MISALIGNED: *const cs_threads = core::ptr::without_provenance(1);

/// A call with jobs.
type Call<'a> = &'a dyn Fn(&mut [cs_job]) -> cs_error;

#[test]
fn no_job_claims_what_it_does_not_have() {
    let (rsa, ed25519) = (rsa_key(), generated(cs_algorithm::CS_ED25519));
    let digest = digest(SHA256);
    // SAFETY: objects are freed once; pointers lead to what lengths say.
    unsafe {
        // Of operations whose result is the same each time.
        let with_jobs = |call: Call<'_>| {
            let mut outputs = [[0; 256]; 3];
            let [a, b, c] = &mut outputs;
            let mut jobs = [
                job(CS_SIGN_PKCS1 as i32, rsa, SHA256, &digest, &[], a),
                job(CS_SIGN_ED25519 as i32, ed25519, 0, &digest, &[], b),
                job(CS_SIGN_PKCS1 as i32, rsa, SHA256, &digest, &[], c),
            ];
            for job in &mut jobs {
                (job.status, job.output_len) = (CS_OK as i32, 0);
            }
            let error = call(&mut jobs);
            (error, jobs.map(|job| (job.status, job.output_len)), outputs)
        };
        let (error, ends, expected) =
            with_jobs(&|jobs| cs_run_many(null(), jobs.as_mut_ptr(), jobs.len()));
        assert_eq!((error, ends.map(|end| end.1)), (CS_OK, [256, 64, 256]));
        let service = made(|service| cs_service_new(1, 0, service));
        let calls: [(usize, Call<'_>); 3] = [
            (3, &|jobs| {
                cs_run_many(null(), jobs.as_mut_ptr(), jobs.len())
            }),
            (1, &|jobs| cs_run(&mut jobs[0])),
            (1, &|jobs| cs_service_run(service, &mut jobs[0])),
        ];
        for (count, call) in calls {
            let points = panic_everywhere(|| {
                let (error, ends, outputs) = with_jobs(call);
                for i in 0..count {
                    let (status, len) = ends[i];
                    match status == CS_OK as i32 {
                        true => assert!(len > 0 && outputs[i] == expected[i]),
                        false => assert_eq!((status, len), (CS_ERROR_BUG as i32, 0)),
                    }
                }
                let all = ends[..count].iter().all(|end| end.0 == CS_OK as i32);
                assert_eq!(all, error == CS_OK);
                error
            });
            assert!(points >= 4 * count, "{points}");
        }
        // What is wrong with the call as a whole.
        let (error, ends, _) =
            with_jobs(&|jobs| cs_run_many(MISALIGNED, jobs.as_mut_ptr(), jobs.len()));
        assert_eq!(error, CS_ERROR_NULL);
        assert_eq!(ends, [(CS_ERROR_BUG as i32, 0); 3]);
        let (error, ends, _) = with_jobs(&|jobs| cs_service_run(null(), &mut jobs[1]));
        assert_eq!((error, ends[1]), (CS_ERROR_NULL, (error as i32, 0)));
        cs_service_free(service);
        cs_key_free(rsa);
        cs_key_free(ed25519);
    }
}

#[test]
fn no_power_claims_what_it_does_not_have() {
    let with_powers = |threads| {
        let (m, base, exp) = ([101], [2], [10]);
        let mut results = [[77]; 3];
        let mut powers = results.each_mut().map(|r| cs_power {
            r: r.as_mut_ptr(),
            base: base.as_ptr(),
            base_len: 1,
            exp: exp.as_ptr(),
            exp_len: 1,
            modulus: m.as_ptr(),
            modulus_len: 1,
            status: CS_OK as i32,
        });
        // SAFETY: the pointers lead to what the lengths say.
        let error = unsafe { cs_powm_many(threads, powers.as_mut_ptr(), 3) };
        (error, powers.map(|power| power.status), results)
    };
    let points = panic_everywhere(|| {
        let (error, statuses, results) = with_powers(null());
        for (status, result) in statuses.into_iter().zip(results) {
            match status == CS_OK as i32 {
                true => assert_eq!(result, [14]),
                false => assert_eq!((status, result), (CS_ERROR_BUG as i32, [77])),
            }
        }
        let all = statuses.iter().all(|&status| status == CS_OK as i32);
        assert_eq!(all, error == CS_OK);
        error
    });
    assert!(points >= 6, "{points}");
    let (error, statuses, _) = with_powers(MISALIGNED);
    assert_eq!(error, CS_ERROR_NULL);
    assert_eq!(statuses, [CS_ERROR_BUG as i32; 3]);
}
