//! Operations with keys as structures: one, an array of them, or one for a service.

use crate::error::{Outcome, cs_error, cs_error::*, entry};
use crate::keys::{algorithm, cs_algorithm, cs_key};
use crate::memory::{Bytes, array, changed, input, object};
use crate::tasks::{With, agree};
use crate::threads::{batch, cs_threads};
use carrysave::arith::Nat;
use carrysave::engine::{Job, Output, run_on};
use carrysave::keys::Key;
use carrysave::team::Serial;
use carrysave::{dl, system_rng};
use core::ffi::c_int;
use zeroize::Zeroizing;

/// The salt of PSS is as long as the hash; a verification accepts any length.
pub const CS_SALT_AS_HASH: c_int = 0;
/// The salt of PSS is empty; a verification accepts no other.
pub const CS_SALT_NONE: c_int = -1;

/// What a job does. The time of a verification depends on all of its inputs, that of an encryption and of `CS_RSA_PUBLIC`
/// on the key and on lengths, and that of the others on lengths and on what is public of the keys.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum cs_operation {
    /// RSASSA-PSS: `input` is a digest, `output` the signature.
    CS_SIGN_PSS = 1,
    /// RSASSA-PKCS1-v1_5: `input` is a digest, `output` the signature.
    CS_SIGN_PKCS1 = 2,
    /// ECDSA: `input` is a digest, `output` the signature as DER.
    CS_SIGN_ECDSA = 3,
    /// DSA: `input` is a digest, `output` the signature as DER.
    CS_SIGN_DSA = 4,
    /// Ed25519: `input` is a message, `output` the signature of 64 bytes.
    CS_SIGN_ED25519 = 5,
    /// RSASSA-PSS: `input` is a digest, `extra` the signature.
    CS_VERIFY_PSS = 11,
    /// RSASSA-PKCS1-v1_5: `input` is a digest, `extra` the signature.
    CS_VERIFY_PKCS1 = 12,
    /// ECDSA: `input` is a digest, `extra` the signature as DER.
    CS_VERIFY_ECDSA = 13,
    /// DSA: `input` is a digest, `extra` the signature as DER.
    CS_VERIFY_DSA = 14,
    /// Ed25519 as most programs verify: `input` is a message, `extra` the signature.
    CS_VERIFY_ED25519 = 15,
    /// Ed25519 by the rules of ZIP 215, which many at once verify together.
    CS_VERIFY_ED25519_ZIP215 = 16,
    /// RSAES-OAEP: `input` is a message, `extra` a label or nothing, `output` the ciphertext.
    CS_ENCRYPT_OAEP = 21,
    /// RSAES-OAEP: `input` is a ciphertext, `extra` a label or nothing, `output` the message.
    CS_DECRYPT_OAEP = 22,
    /// RSAES-PKCS1-v1_5 with implicit rejection: `input` is a ciphertext, `output` the message. A ciphertext that was
    /// made otherwise gives random bytes instead of an error.
    CS_DECRYPT_PKCS1 = 23,
    /// ECDH, X25519 or Diffie-Hellman of `key` with the public key `other`: `output` is the shared secret.
    CS_AGREE = 31,
    /// RSA without padding, with the private exponent: `input` and `output` are numbers, big-endian.
    CS_RSA_PRIVATE = 41,
    /// RSA without padding, with the public exponent.
    CS_RSA_PUBLIC = 42,
}

use cs_operation::*;

macro_rules! list {
    ($($operation:ident)*) => {
        pub(crate) const OPERATIONS: &[cs_operation] = &[$($operation),*];
    };
}

list! {
    CS_SIGN_PSS CS_SIGN_PKCS1 CS_SIGN_ECDSA CS_SIGN_DSA CS_SIGN_ED25519
    CS_VERIFY_PSS CS_VERIFY_PKCS1 CS_VERIFY_ECDSA CS_VERIFY_DSA CS_VERIFY_ED25519 CS_VERIFY_ED25519_ZIP215
    CS_ENCRYPT_OAEP CS_DECRYPT_OAEP CS_DECRYPT_PKCS1 CS_AGREE CS_RSA_PRIVATE CS_RSA_PUBLIC
}

/// One operation with its key, its input and a place for its result. Fill it with zeros first, then set what
/// `cs_operation` names and the fields that fit.
#[repr(C)]
pub struct cs_job {
    /// A `cs_operation`.
    pub operation: c_int,
    /// A `cs_hash`: the one that made the digest, or that of OAEP. Not for Ed25519, agreements and raw operations.
    pub hash: c_int,
    /// The `cs_hash` of MGF1 in PSS and OAEP; 0 is that of `hash`.
    pub mgf_hash: c_int,
    /// The length of the salt of PSS, `CS_SALT_AS_HASH` or `CS_SALT_NONE`. A verification accepts no other length than
    /// the one asked for, and any with `CS_SALT_AS_HASH`.
    pub salt_len: c_int,
    /// The key: private for signatures, decryptions and agreements. Operations with a public key take a private one,
    /// too.
    pub key: *const cs_key,
    /// The other's key of an agreement, else null.
    pub other: *const cs_key,
    /// A digest, a message or a ciphertext.
    pub input: *const u8,
    /// Its bytes.
    pub input_len: usize,
    /// The signature to verify, or the label of OAEP.
    pub extra: *const u8,
    /// Its bytes.
    pub extra_len: usize,
    /// The place for the result: of `cs_output_size` bytes. It may be `input`.
    pub output: *mut u8,
    /// The bytes of this place.
    pub output_size: usize,
    /// Set by the function: the bytes of the result, or how many are needed if there is too little room; 0 before that.
    pub output_len: usize,
    /// Set by the function: a `cs_error`. It is `CS_ERROR_BUG` until the job has ended, and stays so if the call fails as
    /// a whole.
    pub status: c_int,
}

/// Runs one job on the calling thread. Returns its status.
///
/// Threads: any number at once, with different jobs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_run(job: *mut cs_job) -> cs_error {
    entry! {
        let job = changed(job)?;
        let run = |task: Job| run_on(&task, &Serial, &mut system_rng()).map_err(cs_error::from);
        job.settle(|job| {
            let output = run(job.task()?)?;
            job.finish(output)
        })
    }
}

/// Runs `count` jobs of any kinds with any keys. Those that are alike run side by side where that is faster, on
/// `threads` at once, or on the calling thread alone if that is null. Each gets its status; one that fails does not
/// affect the others. Returns the first status that is not `CS_OK`.
///
/// Threads: any number at once, with different jobs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_run_many(
    threads: *const cs_threads,
    jobs: *mut cs_job,
    count: usize,
) -> cs_error {
    entry! {
        let jobs = array(jobs, count)?;
        jobs.iter_mut().for_each(cs_job::begin);
        let batch = batch(threads)?;
        let mut tasks = Vec::with_capacity(count);
        let mut ready = Vec::with_capacity(count);
        for (i, job) in jobs.iter_mut().enumerate() {
            match job.task() {
                Ok(task) => {
                    tasks.push(task);
                    ready.push(i);
                }
                Err(error) => job.status = error as c_int,
            }
        }
        for (i, result) in ready.into_iter().zip(batch.run(&tasks)) {
            _ = jobs[i].settle(|job| job.finish(result.map_err(cs_error::from)?));
        }
        crate::error::first(jobs.iter().map(|job| job.status))
    }
}

/// The bytes that the output of an operation with this key needs at most; 0 if the operation has none, or is not for
/// this key.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_output_size(operation: c_int, key: *const cs_key) -> usize {
    let mut size = 0;
    entry! {
        size = room(known(operation)?, &object(key)?.0)?;
        Ok(())
    };
    size
}

fn known(operation: c_int) -> Outcome<cs_operation> {
    let found = OPERATIONS
        .iter()
        .find(|&&known| known as c_int == operation);
    found.copied().ok_or(CS_ERROR_ARGUMENT)
}

/// The most bytes of a signature that is DER, for numbers of `n` bytes.
fn der(n: usize) -> usize {
    let numbers = 2 * (n + 3);
    numbers + if numbers < 128 { 2 } else { 3 }
}

/// Whether keys of an algorithm are for an operation.
fn fits(operation: cs_operation, algorithm: cs_algorithm) -> bool {
    use cs_algorithm::*;
    match operation {
        CS_SIGN_PSS | CS_SIGN_PKCS1 | CS_VERIFY_PSS | CS_VERIFY_PKCS1 | CS_ENCRYPT_OAEP
        | CS_DECRYPT_OAEP | CS_DECRYPT_PKCS1 | CS_RSA_PRIVATE | CS_RSA_PUBLIC => {
            algorithm == CS_RSA
        }
        CS_SIGN_DSA | CS_VERIFY_DSA => algorithm == CS_GROUP,
        CS_SIGN_ED25519 | CS_VERIFY_ED25519 | CS_VERIFY_ED25519_ZIP215 => algorithm == CS_ED25519,
        CS_SIGN_ECDSA | CS_VERIFY_ECDSA => matches!(
            algorithm,
            CS_P224
                | CS_P256
                | CS_P384
                | CS_P521
                | CS_SECP256K1
                | CS_BRAINPOOL_P256
                | CS_BRAINPOOL_P384
                | CS_BRAINPOOL_P512
        ),
        CS_AGREE => !matches!(algorithm, CS_RSA | CS_ED25519),
    }
}

/// The most bytes of the result; 0 if there is none but the status.
fn room(operation: cs_operation, key: &Key) -> Outcome<usize> {
    use Key::*;
    if !fits(operation, algorithm(key)?) {
        return Err(CS_ERROR_KEY_KIND);
    }
    match (operation, key, key.public()) {
        (
            CS_SIGN_PSS | CS_SIGN_PKCS1 | CS_DECRYPT_OAEP | CS_DECRYPT_PKCS1 | CS_RSA_PRIVATE,
            RsaPrivate(key),
            _,
        ) => Ok(key.size()),
        (CS_ENCRYPT_OAEP | CS_RSA_PUBLIC, _, RsaPublic(key)) => Ok(key.size()),
        (CS_SIGN_ECDSA, CurvePrivate(key), _) => Ok(der(key.algorithm().size())),
        (CS_SIGN_DSA, GroupPrivate(_, key), _) => Ok(der(key.group().order_size())),
        (CS_SIGN_ED25519, CurvePrivate(_), _) => Ok(64),
        (CS_AGREE, CurvePrivate(key), _) => Ok(key.algorithm().size()),
        (CS_AGREE, GroupPrivate(_, key), _) => Ok(key.group().size()),
        (CS_VERIFY_PSS | CS_VERIFY_PKCS1, _, RsaPublic(_))
        | (CS_VERIFY_DSA, _, GroupPublic(..))
        | (CS_VERIFY_ECDSA | CS_VERIFY_ED25519 | CS_VERIFY_ED25519_ZIP215, _, CurvePublic(_)) => {
            Ok(0)
        }
        _ => Err(CS_ERROR_KEY_KIND),
    }
}

impl cs_job {
    /// Claims no result: a panic leaves the job so.
    fn begin(&mut self) {
        self.status = CS_ERROR_BUG as c_int;
        self.output_len = 0;
    }

    /// Sets the status to what a step gives.
    pub fn settle(&mut self, step: impl FnOnce(&mut cs_job) -> Outcome) -> Outcome {
        self.begin();
        let outcome = step(self);
        self.status = outcome.err().unwrap_or(CS_OK) as c_int;
        outcome
    }

    /// The place for the result.
    ///
    /// # Safety
    /// The job's pointers are as the header says.
    unsafe fn place(&mut self) -> Outcome<Bytes> {
        // SAFETY: as the caller says.
        unsafe { Bytes::new(self.output, self.output_size, &raw mut self.output_len) }
    }

    /// Checks everything, and makes the task.
    ///
    /// # Safety
    /// The job's pointers are as the header says.
    pub unsafe fn task(&mut self) -> Outcome<Job> {
        // SAFETY: as the caller says.
        let (key, message, extra) = unsafe {
            (
                &object(self.key)?.0,
                Zeroizing::new(input(self.input, self.input_len)?.to_vec()),
                input(self.extra, self.extra_len)?.to_vec(),
            )
        };
        let operation = known(self.operation)?;
        let room = room(operation, key)?;
        if room > 0 {
            // SAFETY: as the caller says.
            unsafe { self.place() }?.need(room)?;
        } else {
            self.output_len = 0;
        }
        // SAFETY: as the caller says.
        let other = || unsafe { object(self.other) }.map(|other| other.0.public());
        let with = With {
            job: self,
            message,
            extra,
        };
        match (key, key.public()) {
            (Key::RsaPrivate(key), Key::RsaPublic(public)) => {
                with.rsa(operation, Some(key), public)
            }
            (_, Key::RsaPublic(public)) => with.rsa(operation, None, public),
            (Key::CurvePrivate(key), _) if operation == CS_AGREE => match other()? {
                Key::CurvePublic(other) => agree(key, &other),
                _ => Err(CS_ERROR_KEYS_DIFFER),
            },
            (Key::GroupPrivate(_, key), _) if operation == CS_AGREE => match other()? {
                Key::GroupPublic(_, public) => Ok(dl::task::DhAgree {
                    key: (**key).clone(),
                    public,
                }
                .into()),
                _ => Err(CS_ERROR_KEYS_DIFFER),
            },
            (Key::CurvePrivate(key), Key::CurvePublic(public)) => {
                with.curve(operation, Some(key), public)
            }
            (_, Key::CurvePublic(public)) => with.curve(operation, None, public),
            (Key::GroupPrivate(_, key), Key::GroupPublic(_, public)) => {
                with.group(operation, Some(key), public)
            }
            (_, Key::GroupPublic(_, public)) => with.group(operation, None, public),
            _ => Err(CS_ERROR_KEY_KIND),
        }
    }

    /// Writes the result.
    ///
    /// # Safety
    /// The job's pointers are as the header says.
    pub unsafe fn finish(&mut self, output: Output) -> Outcome {
        let number = |number: Nat, size| number.to_be_bytes(size).ok_or(CS_ERROR_BUG);
        let bytes = match output {
            Output::Bytes(bytes) => bytes,
            Output::Number(x) => {
                // SAFETY: as the caller says.
                let key = unsafe { object(self.key) }?;
                number(x, room(known(self.operation)?, &key.0)?)?
            }
            _ => return Ok(()),
        };
        // SAFETY: as the caller says.
        unsafe { self.place() }?.write(&bytes)
    }
}
