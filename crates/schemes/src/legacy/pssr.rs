//! PSSR (IEEE 1363a-2004, EMSR3; ISO 9796-2, scheme 2) with MGF1 of the same hash, a salt of its length and no hash
//! identifier, like Crypto++'s PSSR.

use super::Error;
use crate::hash::Hash;
use crate::rsa::{check_digest, emsa_pssr_encode, emsa_pssr_verify, refuse_sha1};
use carrysave_arith::Nat;
use rand_core::CryptoRng;

/// The message representative, of at most `bits` bits.
pub(super) fn representative<R: CryptoRng + ?Sized>(
    rng: &mut R,
    hash: Hash,
    m1: &[u8],
    digest: &[u8],
    bits: usize,
) -> Result<Nat, Error> {
    refuse_sha1(hash)?;
    let mut salt = [0; 64];
    let salt = &mut salt[..hash.len()];
    rng.fill_bytes(salt);
    let em = emsa_pssr_encode(hash, hash, m1, digest, bits, salt)?;
    Ok(Nat::from_be_bytes(&em))
}

/// The part of the message in a representative, which is `None` for an invalid signature.
pub(super) fn recover(
    hash: Hash,
    digest: &[u8],
    bits: usize,
    representative: impl FnOnce() -> Option<Nat>,
) -> Result<Vec<u8>, Error> {
    check_digest(hash, digest)?;
    let em = representative().and_then(|x| x.to_be_bytes(bits.div_ceil(8)));
    let mut em = em.ok_or(Error::Verification)?;
    emsa_pssr_verify(hash, hash, hash.len(), digest, &mut em, bits)
}
