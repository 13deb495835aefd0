//! Hash functions by their codes.

use crate::error::{Outcome, cs_error, cs_error::*, entry};
use crate::memory::{Bytes, input};
use carrysave::hash::Hash;
use core::ffi::c_int;
use zeroize::Zeroizing;

/// A hash function of FIPS 180-4 and FIPS 202.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum cs_hash {
    /// SHA-1, for verification and OAEP only.
    CS_SHA1 = 1,
    /// SHA-224.
    CS_SHA224 = 2,
    /// SHA-256.
    CS_SHA256 = 3,
    /// SHA-384.
    CS_SHA384 = 4,
    /// SHA-512.
    CS_SHA512 = 5,
    /// SHA-512/224.
    CS_SHA512_224 = 6,
    /// SHA-512/256.
    CS_SHA512_256 = 7,
    /// SHA3-224.
    CS_SHA3_224 = 8,
    /// SHA3-256.
    CS_SHA3_256 = 9,
    /// SHA3-384.
    CS_SHA3_384 = 10,
    /// SHA3-512.
    CS_SHA3_512 = 11,
    /// SHAKE128 with 32 bytes of output, for PSS.
    CS_SHAKE128 = 12,
    /// SHAKE256 with 64 bytes of output, for PSS.
    CS_SHAKE256 = 13,
}

use cs_hash::*;

const HASHES: &[(cs_hash, Hash)] = &[
    (CS_SHA1, Hash::Sha1),
    (CS_SHA224, Hash::Sha224),
    (CS_SHA256, Hash::Sha256),
    (CS_SHA384, Hash::Sha384),
    (CS_SHA512, Hash::Sha512),
    (CS_SHA512_224, Hash::Sha512_224),
    (CS_SHA512_256, Hash::Sha512_256),
    (CS_SHA3_224, Hash::Sha3_224),
    (CS_SHA3_256, Hash::Sha3_256),
    (CS_SHA3_384, Hash::Sha3_384),
    (CS_SHA3_512, Hash::Sha3_512),
    (CS_SHAKE128, Hash::Shake128),
    (CS_SHAKE256, Hash::Shake256),
];

/// The hash function of a code.
pub fn hash(code: c_int) -> Outcome<Hash> {
    let found = HASHES.iter().find(|(known, _)| *known as c_int == code);
    Ok(found.ok_or(CS_ERROR_ARGUMENT)?.1)
}

/// The digest of `data` by a `cs_hash`: at most 64 bytes. `*out_len` gets its length.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_digest(
    hash: c_int,
    data: *const u8,
    data_len: usize,
    out: *mut u8,
    size: usize,
    out_len: *mut usize,
) -> cs_error {
    entry! {
        let (hash, data) = (self::hash(hash)?, input(data, data_len)?);
        let out = Bytes::new(out, size, out_len)?;
        out.need(hash.len())?;
        // What is hashed may be secret, and so its hash.
        out.write(&Zeroizing::new(hash.digest(data)))
    }
}
