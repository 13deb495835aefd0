//! Arguments without sense: whatever they are, no call panics, and each gives a code.

use super::jobs::{generated, job, public_half};
use super::*;
use crate::jobs::*;
use crate::keys::{cs_algorithm, cs_key_free};
use crate::numbers::power::*;
use crate::numbers::*;
use carrysave::rand_core::Rng;
use carrysave::system_rng;

/// A number below `bound`.
fn below(bound: u32) -> usize {
    (system_rng().next_u32() % bound) as usize
}

#[test]
fn no_job_panics() {
    let own = [
        rsa_key(),
        generated(cs_algorithm::CS_P256),
        generated(cs_algorithm::CS_ED25519),
        generated(cs_algorithm::CS_X25519),
        generated(cs_algorithm::CS_FFDHE2048),
    ];
    let keys: Vec<*mut cs_key> = own
        .into_iter()
        .chain(own.map(|key| public_half(key)))
        .collect();
    let key = || {
        keys.get(below(11))
            .copied()
            .unwrap_or(null_mut())
            .cast_const()
    };
    let mut bytes = [0; 300];
    let lens = [0, 1, 20, 32, 64, 71, 255, 256, 257, 300];
    let mut seen = [0; CS_ERROR_BUG as usize];
    for _ in 0..4000 {
        system_rng().fill_bytes(&mut bytes);
        bytes[0] &= 0x7f;
        let (input, extra) = (&bytes[..lens[below(10)]], &bytes[..lens[below(10)]]);
        let mut output = [0; 300];
        let output = &mut output[..lens[below(10)]];
        let mut job = job(
            below(44) as i32,
            key(),
            below(15) as i32,
            input,
            extra,
            output,
        );
        job.other = key();
        job.mgf_hash = below(15) as i32;
        job.salt_len = below(40) as i32 - 4;
        // SAFETY: the pointers lead to what the lengths say, or are null.
        let error = unsafe { cs_run(&mut job) };
        assert_ne!(
            error, CS_ERROR_BUG,
            "operation {}, hash {}",
            job.operation, job.hash
        );
        assert_eq!(job.status, error as i32);
        seen[error as usize] += 1;
    }
    assert!(
        seen.iter().filter(|&&count| count > 0).count() >= 8,
        "{seen:?}"
    );
    for key in keys {
        // SAFETY: each is freed once.
        unsafe { cs_key_free(key) };
    }
}

#[test]
fn no_numbers_panic() {
    let mut limbs = [[0; 8]; 3];
    for _ in 0..20_000 {
        for number in &mut limbs {
            // Zeros, ones and anything.
            number.fill_with(|| [0, 1, !0, system_rng().next_u64()][below(4)]);
        }
        let [a, b, c] = limbs.each_ref().map(|number| number.as_ptr());
        let [i, j, k] = [below(9), below(9), below(9)];
        let (mut r, mut q) = ([0; 16], [0; 16]);
        let (r, q) = (r.as_mut_ptr(), q.as_mut_ptr());
        // SAFETY: there are as many limbs.
        let errors = unsafe {
            [
                cs_powm(r, a, i, b, j, c, k),
                cs_powm_sec(null(), r, a, i, b, j, c, k),
                cs_powm_bases(null(), r, a, i / 2, 2, b, j, c, k),
                cs_powm_exps(null(), r, a, i, b, j / 2, 2, c, k),
                cs_mul(null(), r, a, i, b, j),
                cs_sqr(r, a, i),
                cs_div(q, r, a, i, b, j),
                cs_invert(r, a, i, b, j),
                cs_invert_sec(r, a, i, b, j),
            ]
        };
        assert!(
            !errors.contains(&CS_ERROR_BUG),
            "{errors:?} of {limbs:x?}, {i} {j} {k}"
        );
    }
}
