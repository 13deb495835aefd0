//! SHAKE256 of several parts, and what is hashed before them (RFC 8032, 2 and 5.2).

use super::Scalar;
use crate::ec::{Error, separate};
use shake::{ExtendableOutput, Shake256, Update, XofReader};
use zeroize::Zeroizing;

/// `dom4` (RFC 8032, 2): what tells the variants apart.
pub(super) struct Domain(Vec<u8>);

impl Domain {
    /// Of Ed448.
    ///
    /// # Errors
    /// [`Error::Context`] for a context that is too long.
    pub(super) fn pure(context: &[u8]) -> Result<Domain, Error> {
        separate(b"SigEd448", 0, context).map(Domain)
    }

    /// Of Ed448ph.
    ///
    /// # Errors
    /// [`Error::Context`] for a context that is too long.
    pub(super) fn prehashed(context: &[u8]) -> Result<Domain, Error> {
        separate(b"SigEd448", 1, context).map(Domain)
    }

    /// The number that the hash of this domain and these parts stands for, modulo the order.
    pub(super) fn scalar(&self, parts: [&[u8]; 3]) -> Scalar {
        let [a, b, c] = parts;
        Scalar::reduce_wide(&*shake(&[&self.0, a, b, c]))
    }
}

/// 114 octets of SHAKE256 of all parts.
pub(super) fn shake(parts: &[&[u8]]) -> Zeroizing<[u8; 114]> {
    let mut output = Zeroizing::new([0; 114]);
    let mut hasher = Shake256::default();
    parts.iter().for_each(|part| hasher.update(part));
    hasher.finalize_xof().read(&mut *output);
    output
}
