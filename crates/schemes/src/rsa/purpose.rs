//! The purpose of a key according to its file: RSASSA-PSS only, or any (RFC 4055, 1.2 and 3.1).

use super::{Error, PublicKey};
use crate::hash::Hash;

/// The permitted uses of a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// Any use: rsaEncryption.
    #[default]
    Any,
    /// PSS signatures only, with these parameters if there are any: id-RSASSA-PSS.
    Pss(Option<PssParameters>),
}

/// The parameters that signatures of a key must have (RFC 4055, 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PssParameters {
    /// The hash of the message.
    pub hash: Hash,
    /// The hash of the mask generation function, MGF1.
    pub mgf: Hash,
    /// The fewest bytes that a salt may have.
    pub min_salt_len: usize,
}

impl PublicKey {
    /// The purpose of the key. A key made from numbers is for any use, a key from a file for that of the file.
    ///
    /// PKCS #8 and SubjectPublicKeyInfo keep it when written; PKCS #1 and OpenSSH have no place for it.
    pub fn purpose(&self) -> Purpose {
        self.purpose
    }

    pub(super) fn with_purpose(mut self, purpose: Purpose) -> PublicKey {
        self.purpose = purpose;
        self
    }

    /// Refuses all but PSS signatures, if the key is for these only.
    pub(super) fn permits_other_than_pss(&self) -> Result<(), Error> {
        match self.purpose {
            Purpose::Any => Ok(()),
            Purpose::Pss(_) => Err(Error::Purpose("it is for RSASSA-PSS alone")),
        }
    }

    /// Refuses PSS signatures with other parameters than the key's.
    pub(super) fn permits_pss(&self, hash: Hash, mgf: Hash, salt_len: usize) -> Result<(), Error> {
        let Purpose::Pss(Some(own)) = self.purpose else {
            return Ok(());
        };
        if own.hash != hash || own.mgf != mgf {
            return Err(Error::Purpose("it is for RSASSA-PSS with another hash"));
        }
        if salt_len < own.min_salt_len {
            return Err(Error::Purpose("it is for RSASSA-PSS with a longer salt"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carrysave_arith::Nat;

    #[test]
    fn a_salt_has_the_least_length_or_more() {
        let n = Nat::power_of_two(512).sub_limb(1).unwrap();
        let (hash, mgf) = (Hash::Sha256, Hash::Sha384);
        let own = PssParameters {
            hash,
            mgf,
            min_salt_len: 20,
        };
        let key = PublicKey::new(n, Nat::from_limb(65_537)).unwrap();
        let key = key.with_purpose(Purpose::Pss(Some(own)));
        for len in 0..40 {
            let permitted = key.permits_pss(hash, mgf, len).is_ok();
            assert_eq!(permitted, len >= 20, "{len}");
        }
        assert!(key.permits_pss(mgf, mgf, 20).is_err() && key.permits_pss(hash, hash, 20).is_err());
    }
}
