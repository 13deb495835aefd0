//! `SubjectPublicKeyInfo` (RFC 5280 section 4.1.2.7, RFC 3279 section 2.3.1, RFC 4055).

use super::{KeyError, Notes, PublicKey, algorithm, format_error, formats, pem};
use der::Decode;
use spki::SubjectPublicKeyInfoRef;

const SPKI: &str = "a SubjectPublicKeyInfo public key";

impl PublicKey {
    /// Reads `SubjectPublicKeyInfo` from DER.
    ///
    /// # Errors
    /// [`KeyError::Format`], [`KeyError::Algorithm`]; the errors of [`PublicKey::new`].
    pub fn from_spki_der(der: &[u8]) -> Result<PublicKey, KeyError> {
        PublicKey::from_spki_noted(der, &mut Notes::new())
    }

    pub(crate) fn from_spki_noted(der: &[u8], notes: &mut Notes) -> Result<PublicKey, KeyError> {
        let info = SubjectPublicKeyInfoRef::from_der(der).map_err(|e| format_error(SPKI, e))?;
        PublicKey::from_spki_info(info, notes)
    }

    pub(in crate::rsa) fn from_spki_info(
        info: SubjectPublicKeyInfoRef<'_>,
        notes: &mut Notes,
    ) -> Result<PublicKey, KeyError> {
        let purpose = algorithm::purpose(info.algorithm, SPKI, notes)?;
        let key = info.subject_public_key.as_bytes();
        let key =
            key.ok_or_else(|| format_error(SPKI, "its key is not a whole number of bytes"))?;
        Ok(PublicKey::from_pkcs1_der(key)?.with_purpose(purpose))
    }

    /// Reads `SubjectPublicKeyInfo` from PEM, label `PUBLIC KEY`.
    ///
    /// # Errors
    /// As [`PublicKey::from_spki_der`].
    pub fn from_spki_pem(text: &str) -> Result<PublicKey, KeyError> {
        PublicKey::from_spki_der(&formats::labelled(text, "PUBLIC KEY", SPKI)?)
    }

    /// Writes `SubjectPublicKeyInfo` as DER.
    pub fn to_spki_der(&self) -> Vec<u8> {
        let key = self.to_pkcs1_der();
        algorithm::with(self.purpose(), |algorithm| {
            formats::public_key_info(algorithm, &key)
        })
    }

    /// Writes `SubjectPublicKeyInfo` as PEM.
    pub fn to_spki_pem(&self) -> String {
        pem::encode("PUBLIC KEY", &self.to_spki_der()).to_string()
    }
}
