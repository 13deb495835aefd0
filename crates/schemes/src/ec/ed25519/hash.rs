//! SHA-512 of several parts, and what is hashed before them (RFC 8032, 2 and 5.1).

use super::Scalar;
use crate::chain::{sha512, sha512_each};
use crate::ec::{Error, separate};
use zeroize::Zeroizing;

/// `dom2` (RFC 8032, 2): what tells the variants apart.
pub(super) struct Domain(Vec<u8>);

impl Domain {
    /// Of Ed25519, for which it is empty.
    pub(super) fn pure() -> Domain {
        Domain(vec![])
    }

    /// Of Ed25519ctx.
    ///
    /// # Errors
    /// [`Error::Context`] for a context that is empty or too long.
    pub(super) fn context(context: &[u8]) -> Result<Domain, Error> {
        match context {
            [] => Err(Error::Context),
            _ => Domain::new(0, context),
        }
    }

    /// Of Ed25519ph.
    ///
    /// # Errors
    /// [`Error::Context`] for a context that is too long.
    pub(super) fn prehashed(context: &[u8]) -> Result<Domain, Error> {
        Domain::new(1, context)
    }

    fn new(flag: u8, context: &[u8]) -> Result<Domain, Error> {
        separate(b"SigEd25519 no Ed25519 collisions", flag, context).map(Domain)
    }

    /// The number that the hash of this domain and these parts stands for, modulo the order.
    pub(super) fn scalar(&self, parts: [&[u8]; 3]) -> Scalar {
        Scalar::reduce_wide(&*sha512(&self.message(parts)))
    }

    /// What is hashed: these parts behind what tells the variants apart.
    pub(super) fn message<'a>(&'a self, [a, b, c]: [&'a [u8]; 3]) -> [&'a [u8]; 4] {
        [&self.0, a, b, c]
    }

    /// The numbers that the hashes of this domain and the parts of each of `count` messages stand for.
    pub(super) fn scalars<'a>(
        &'a self,
        count: usize,
        parts: impl Fn(usize) -> [&'a [u8]; 3],
    ) -> Zeroizing<Vec<Scalar>> {
        let mut scalars = Zeroizing::new(Vec::with_capacity(count));
        sha512_each(
            count,
            |i| self.message(parts(i)),
            |digest| scalars.push(Scalar::reduce_wide(digest)),
        );
        scalars
    }
}
