//! What a key is for, where its file says so: RSASSA-PSS alone (RFC 4055, 1.2 and 3.1).

use super::{Error, PublicKey};
use crate::hash::Hash;

/// What may be done with a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// Everything: rsaEncryption.
    #[default]
    Any,
    /// Signatures by PSS alone, with these parameters if there are any: id-RSASSA-PSS.
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
    /// What the key is for. A key that is made of numbers is for everything; that of a file is for what the file says.
    ///
    /// The writers of PKCS #8 and SubjectPublicKeyInfo keep it; PKCS #1 and OpenSSH have no place for it.
    pub fn purpose(&self) -> Purpose {
        self.purpose
    }

    pub(super) fn with_purpose(mut self, purpose: Purpose) -> PublicKey {
        self.purpose = purpose;
        self
    }

    /// Refuses what is neither signing nor verifying by PSS, if the key is for that alone.
    pub(super) fn permits_other_than_pss(&self) -> Result<(), Error> {
        match self.purpose {
            Purpose::Any => Ok(()),
            Purpose::Pss(_) => Err(Error::Purpose("it is for RSASSA-PSS alone")),
        }
    }

    /// Refuses signatures by PSS with other parameters than the key's.
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
