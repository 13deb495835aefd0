//! One operation with a key, as a function.

use crate::error::{Outcome, cs_error, cs_error::*, entry};
use crate::jobs::{CS_SALT_AS_HASH, cs_job, cs_run};
use crate::keys::cs_key;
use crate::memory::{Output, input};
use crate::threads::{batch, cs_threads};
use carrysave::ec::task::X25519Agree;
use carrysave::ec::{X25519PrivateKey, X25519PublicKey};
use core::ffi::c_int;
use core::ptr::{null, null_mut};

/// A job with nothing in it.
fn job(operation: c_int, key: *const cs_key, hash: c_int) -> cs_job {
    cs_job {
        operation,
        hash,
        mgf_hash: 0,
        salt_len: CS_SALT_AS_HASH,
        key,
        other: null(),
        input: null(),
        input_len: 0,
        extra: null(),
        extra_len: 0,
        output: null_mut(),
        output_size: 0,
        output_len: 0,
        status: 0,
    }
}

/// Runs a job and passes on how long its result is.
///
/// # Safety
/// As the header says of [`cs_run`]; `out_len` is null or leads to a place.
unsafe fn run(mut job: cs_job, out_len: *mut usize) -> cs_error {
    if out_len.is_null() || !out_len.is_aligned() {
        return CS_ERROR_NULL;
    }
    // SAFETY: as the caller says.
    let error = unsafe { cs_run(&mut job) };
    // SAFETY: as the caller says.
    unsafe { out_len.write(job.output_len) };
    error
}

/// Signs: `operation` is one of `CS_SIGN_*`, `input` the digest that `hash` made, or the message for Ed25519, with 0
/// for `hash`. PSS takes MGF1 with the same hash and a salt as long; other choices need a `cs_job`. `out` has
/// `cs_output_size` bytes; `*out_len` gets the signature's.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_sign(
    operation: c_int,
    key: *const cs_key,
    hash: c_int,
    input: *const u8,
    input_len: usize,
    out: *mut u8,
    size: usize,
    out_len: *mut usize,
) -> cs_error {
    let job = cs_job {
        input,
        input_len,
        output: out,
        output_size: size,
        ..job(operation, key, hash)
    };
    // SAFETY: as the header says.
    unsafe { run(job, out_len) }
}

/// Verifies: `operation` is one of `CS_VERIFY_*`, the others as for `cs_sign`. `CS_OK` if the signature fits. The salt
/// of PSS may have any length; to accept one alone takes a `cs_job`. The time depends on all of them.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_verify(
    operation: c_int,
    key: *const cs_key,
    hash: c_int,
    input: *const u8,
    input_len: usize,
    signature: *const u8,
    signature_len: usize,
) -> cs_error {
    let mut job = cs_job {
        input,
        input_len,
        extra: signature,
        extra_len: signature_len,
        ..job(operation, key, hash)
    };
    // SAFETY: as the header says.
    unsafe { cs_run(&mut job) }
}

/// Encrypts a short message by RSAES-OAEP with `hash`, also for MGF1, and a label, which may be empty. `out` has
/// `cs_output_size` bytes. The time depends on the key and on lengths.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_encrypt_oaep(
    key: *const cs_key,
    hash: c_int,
    label: *const u8,
    label_len: usize,
    message: *const u8,
    message_len: usize,
    out: *mut u8,
    size: usize,
    out_len: *mut usize,
) -> cs_error {
    let job = cs_job {
        input: message,
        input_len: message_len,
        extra: label,
        extra_len: label_len,
        output: out,
        output_size: size,
        ..job(
            crate::jobs::cs_operation::CS_ENCRYPT_OAEP as c_int,
            key,
            hash,
        )
    };
    // SAFETY: as the header says.
    unsafe { run(job, out_len) }
}

/// Decrypts what `cs_encrypt_oaep` encrypted. Every ciphertext that is refused gives `CS_ERROR_DECRYPTION`, and takes
/// as long as one that is not.
/// `out` has `cs_output_size` bytes, which are more than the message's.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_decrypt_oaep(
    key: *const cs_key,
    hash: c_int,
    label: *const u8,
    label_len: usize,
    ciphertext: *const u8,
    ciphertext_len: usize,
    out: *mut u8,
    size: usize,
    out_len: *mut usize,
) -> cs_error {
    let job = cs_job {
        input: ciphertext,
        input_len: ciphertext_len,
        extra: label,
        extra_len: label_len,
        output: out,
        output_size: size,
        ..job(
            crate::jobs::cs_operation::CS_DECRYPT_OAEP as c_int,
            key,
            hash,
        )
    };
    // SAFETY: as the header says.
    unsafe { run(job, out_len) }
}

/// The secret shared with the owner of a public key, by ECDH, X25519 or Diffie-Hellman: the input of a key derivation
/// function, not a key. `out` has `cs_output_size` bytes.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_agree(
    key: *const cs_key,
    other: *const cs_key,
    out: *mut u8,
    size: usize,
    out_len: *mut usize,
) -> cs_error {
    let job = cs_job {
        other,
        output: out,
        output_size: size,
        ..job(crate::jobs::cs_operation::CS_AGREE as c_int, key, 0)
    };
    // SAFETY: as the header says.
    unsafe { run(job, out_len) }
}

/// X25519 (RFC 7748) of `count` scalars and as many points, 32 bytes each, one after the other: eight at a time in
/// vector lanes. `out` has `32 count` bytes, and may be an input. A shared secret that would be zero is left zero, and
/// `CS_ERROR_SMALL_ORDER` is returned; the others are right then.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_x25519(
    threads: *const cs_threads,
    out: *mut u8,
    scalars: *const u8,
    points: *const u8,
    count: usize,
) -> cs_error {
    entry! {
        let len = count.checked_mul(32).ok_or(CS_ERROR_LENGTH)?;
        let out = Output::new(out, len)?;
        let (scalars, points) = (input(scalars, len)?.as_chunks().0, input(points, len)?.as_chunks().0);
        let task = |(scalar, point): (&[u8; 32], &[u8; 32])| X25519Agree {
            key: X25519PrivateKey::from_bytes(scalar),
            public: X25519PublicKey(*point),
        };
        let tasks: Vec<X25519Agree> = scalars.iter().zip(points).map(task).collect();
        let mut outcome: Outcome = Ok(());
        for (i, secret) in batch(threads)?.run(&tasks).into_iter().enumerate() {
            match secret {
                Ok(secret) => out.part(32 * i, 32).write(&secret)?,
                Err(error) => {
                    out.part(32 * i, 32).write(&[])?;
                    outcome = outcome.and(Err(error.into()));
                }
            }
        }
        outcome
    }
}

/// The public octets of `count` scalars of X25519, 32 bytes each. `out` may be `scalars`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_x25519_public(
    out: *mut u8,
    scalars: *const u8,
    count: usize,
) -> cs_error {
    entry! {
        let len = count.checked_mul(32).ok_or(CS_ERROR_LENGTH)?;
        let (out, scalars) = (Output::new(out, len)?, input(scalars, len)?.as_chunks().0);
        let public = |scalar: &[u8; 32]| X25519PrivateKey::from_bytes(scalar).public().0;
        let all: Vec<u8> = scalars.iter().flat_map(public).collect();
        out.write(&all)
    }
}
