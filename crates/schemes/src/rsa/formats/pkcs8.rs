//! PKCS #8 (RFC 5958): `PrivateKeyInfo`, plain and encrypted with PBES2 (RFC 8018).

use super::spki::{RSA, check_algorithm};
use super::{KeyError, PrivateKey, format_error, pem};
use crate::formats::pbes2::{self, Locked};
use der::asn1::OctetStringRef;
use der::{Decode, Encode};
use pkcs8::PrivateKeyInfoRef;
use rand_core::CryptoRng;
use zeroize::Zeroizing;

const PLAIN: &str = "a PKCS #8 private key";

impl PrivateKey {
    /// Reads `PrivateKeyInfo` from DER.
    ///
    /// # Errors
    /// [`KeyError::Format`], [`KeyError::Algorithm`]; the errors of [`PrivateKey::validate`].
    pub fn from_pkcs8_der(der: &[u8]) -> Result<PrivateKey, KeyError> {
        PrivateKey::from_pkcs8_info(
            PrivateKeyInfoRef::from_der(der).map_err(|e| format_error(PLAIN, e))?,
        )
    }

    pub(in crate::rsa) fn from_pkcs8_info(
        info: PrivateKeyInfoRef<'_>,
    ) -> Result<PrivateKey, KeyError> {
        check_algorithm(info.algorithm, PLAIN)?;
        PrivateKey::from_pkcs1_der(info.private_key.as_bytes())
    }

    /// Reads `PrivateKeyInfo` from PEM, label `PRIVATE KEY`.
    ///
    /// # Errors
    /// As [`PrivateKey::from_pkcs8_der`].
    pub fn from_pkcs8_pem(text: &str) -> Result<PrivateKey, KeyError> {
        PrivateKey::from_pkcs8_der(&pem::labelled(text, "PRIVATE KEY", PLAIN)?)
    }

    /// Writes `PrivateKeyInfo` as DER.
    pub fn to_pkcs8_der(&self) -> Zeroizing<Vec<u8>> {
        let key = self.to_pkcs1_der();
        let info = PrivateKeyInfoRef::new(
            RSA,
            OctetStringRef::new(&key).expect("a key of a known size"),
        );
        Zeroizing::new(info.to_der().expect("a key of a known size"))
    }

    /// Writes `PrivateKeyInfo` as PEM.
    pub fn to_pkcs8_pem(&self) -> Zeroizing<String> {
        pem::encode("PRIVATE KEY", &self.to_pkcs8_der())
    }

    /// Reads `EncryptedPrivateKeyInfo` from DER: PBES2 with PBKDF2 or scrypt, and AES.
    ///
    /// # Errors
    /// [`KeyError::Password`] if the password is wrong; [`KeyError::Format`], also where the file asks for more than
    /// ten million iterations or 256 MiB; the errors of [`PrivateKey::from_pkcs8_der`].
    pub fn from_pkcs8_encrypted_der(der: &[u8], password: &[u8]) -> Result<PrivateKey, KeyError> {
        PrivateKey::from_pkcs8_der(&pbes2::decrypt(der, password)?)
    }

    /// Reads `EncryptedPrivateKeyInfo` from PEM, label `ENCRYPTED PRIVATE KEY`.
    ///
    /// # Errors
    /// As [`PrivateKey::from_pkcs8_encrypted_der`].
    pub fn from_pkcs8_encrypted_pem(text: &str, password: &[u8]) -> Result<PrivateKey, KeyError> {
        PrivateKey::from_pkcs8_encrypted_der(&pbes2::from_pem(text)?, password)
    }

    /// Writes `EncryptedPrivateKeyInfo` as DER: PBES2 with PBKDF2 (HMAC-SHA-256, 600,000 iterations) and AES-256-CBC.
    pub fn to_pkcs8_encrypted_der<R: CryptoRng + ?Sized>(
        &self,
        password: &[u8],
        rng: &mut R,
    ) -> Zeroizing<Vec<u8>> {
        pbes2::encrypt(&self.to_pkcs8_der(), password, rng)
    }

    /// Writes `EncryptedPrivateKeyInfo` as PEM.
    pub fn to_pkcs8_encrypted_pem<R: CryptoRng + ?Sized>(
        &self,
        password: &[u8],
        rng: &mut R,
    ) -> Zeroizing<String> {
        pem::encode(pbes2::LABEL, &self.to_pkcs8_encrypted_der(password, rng))
    }
}

impl From<Locked> for KeyError {
    fn from(locked: Locked) -> KeyError {
        match locked {
            Locked::Format(error) => error.into(),
            Locked::Password => KeyError::Password,
        }
    }
}
