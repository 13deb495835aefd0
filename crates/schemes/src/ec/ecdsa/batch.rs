//! Signatures and verifications of many digests with keys of one curve.

use super::{Error, Named, PrivateKey, PublicKey, Signature};
use crate::hash::Hash;

/// [`PrivateKey::ecdsa_sign`] of each, in order.
pub(crate) fn sign<C: Named>(
    jobs: &[(&PrivateKey<C>, Hash, &[u8])],
) -> Vec<Result<Signature<C>, Error>> {
    let each = jobs.iter();
    each.map(|&(key, hash, digest)| key.ecdsa_sign(hash, digest))
        .collect()
}

/// A signature that is to be verified, or why it is none.
type ToVerify<'a, C> = Result<(&'a PublicKey<C>, Hash, &'a [u8], Signature<C>), Error>;

/// [`PublicKey::ecdsa_verify`] of each, in order.
pub(crate) fn verify<C: Named>(jobs: &[ToVerify<'_, C>]) -> Vec<Result<(), Error>> {
    let each = jobs.iter();
    each.map(|job| match job {
        Ok((key, hash, digest, signature)) => key.ecdsa_verify(*hash, digest, signature),
        Err(error) => Err(error.clone()),
    })
    .collect()
}
