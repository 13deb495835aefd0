//! PKCS #8 (RFC 5958): `PrivateKeyInfo`, plain and encrypted with PBES2 (RFC 8018).

use super::{KeyError, Notes, PrivateKey, PublicKey, algorithm, format_error, formats, pem};
#[cfg(feature = "files")]
use crate::formats::pbes;
use der::Decode;
use pkcs8::PrivateKeyInfoRef;
use rand_core::CryptoRng;
use zeroize::Zeroizing;

const PLAIN: &str = "a PKCS #8 private key";

impl PrivateKey {
    /// Reads `PrivateKeyInfo` from DER. A public key beside the private one (RFC 5958, version 2) must match it.
    ///
    /// # Errors
    /// [`KeyError::Format`], [`KeyError::Algorithm`]; the errors of [`PrivateKey::validate`].
    pub fn from_pkcs8_der(der: &[u8]) -> Result<PrivateKey, KeyError> {
        PrivateKey::from_pkcs8_noted(der, &mut Notes::new())
    }

    pub(crate) fn from_pkcs8_noted(der: &[u8], notes: &mut Notes) -> Result<PrivateKey, KeyError> {
        let info = PrivateKeyInfoRef::from_der(der).map_err(|e| format_error(PLAIN, e))?;
        PrivateKey::from_pkcs8_info(info, notes)
    }

    pub(in crate::rsa) fn from_pkcs8_info(
        info: PrivateKeyInfoRef<'_>,
        notes: &mut Notes,
    ) -> Result<PrivateKey, KeyError> {
        let purpose = algorithm::purpose(info.algorithm, PLAIN, notes)?;
        let key = PrivateKey::from_pkcs1_noted(info.private_key.as_bytes(), purpose, notes)?;
        let Some(public) = info.public_key else {
            return Ok(key);
        };
        match public.as_bytes().map(PublicKey::from_pkcs1_der) {
            Some(Ok(public)) if public == *key.public() => Ok(key),
            _ => Err(KeyError::Invalid("the public key beside it is not its own")),
        }
    }

    /// Reads `PrivateKeyInfo` from PEM, label `PRIVATE KEY`.
    ///
    /// # Errors
    /// As [`PrivateKey::from_pkcs8_der`].
    pub fn from_pkcs8_pem(text: &str) -> Result<PrivateKey, KeyError> {
        PrivateKey::from_pkcs8_der(&formats::labelled(text, "PRIVATE KEY", PLAIN)?)
    }

    /// Writes `PrivateKeyInfo` as DER.
    pub fn to_pkcs8_der(&self) -> Zeroizing<Vec<u8>> {
        let key = self.to_pkcs1_der();
        algorithm::with(self.public().purpose(), |algorithm| {
            formats::private_key_info(algorithm, &key, None)
        })
    }

    /// Writes `PrivateKeyInfo` as PEM.
    pub fn to_pkcs8_pem(&self) -> Zeroizing<String> {
        pem::encode("PRIVATE KEY", &self.to_pkcs8_der())
    }
}

#[cfg(feature = "files")]
impl PrivateKey {
    /// Reads `EncryptedPrivateKeyInfo` from DER: PBES2 with PBKDF2 or scrypt and AES or triple DES, and the older schemes
    /// of PKCS #5 and PKCS #12 with DES and RC2.
    ///
    /// # Errors
    /// [`KeyError::Password`] if the password is wrong; [`KeyError::Format`], also where the file asks for more than
    /// ten million iterations or 256 MiB; the errors of [`PrivateKey::from_pkcs8_der`].
    pub fn from_pkcs8_encrypted_der(der: &[u8], password: &[u8]) -> Result<PrivateKey, KeyError> {
        PrivateKey::from_pkcs8_der(&formats::locked(der, password)?)
    }

    /// Reads `EncryptedPrivateKeyInfo` from PEM, label `ENCRYPTED PRIVATE KEY`.
    ///
    /// # Errors
    /// As [`PrivateKey::from_pkcs8_encrypted_der`].
    pub fn from_pkcs8_encrypted_pem(text: &str, password: &[u8]) -> Result<PrivateKey, KeyError> {
        PrivateKey::from_pkcs8_encrypted_der(
            &formats::labelled(text, pbes::LABEL, PLAIN)?,
            password,
        )
    }

    /// Writes `EncryptedPrivateKeyInfo` as DER: PBES2 with PBKDF2 (HMAC-SHA-256, 600,000 iterations) and AES-256-CBC.
    pub fn to_pkcs8_encrypted_der<R: CryptoRng + ?Sized>(
        &self,
        password: &[u8],
        rng: &mut R,
    ) -> Zeroizing<Vec<u8>> {
        pbes::encrypt(&self.to_pkcs8_der(), password, rng)
    }

    /// Writes `EncryptedPrivateKeyInfo` as PEM.
    pub fn to_pkcs8_encrypted_pem<R: CryptoRng + ?Sized>(
        &self,
        password: &[u8],
        rng: &mut R,
    ) -> Zeroizing<String> {
        pem::encode(pbes::LABEL, &self.to_pkcs8_encrypted_der(password, rng))
    }
}
