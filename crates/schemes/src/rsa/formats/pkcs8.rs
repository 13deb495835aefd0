//! PKCS #8 (RFC 5958): `PrivateKeyInfo`, plain and encrypted with PBES2 (RFC 8018).

use super::spki::{RSA, check_algorithm};
use super::{KeyError, PrivateKey, format_error, pem};
use der::asn1::OctetStringRef;
use der::{Decode, Encode};
use pkcs8::pkcs5::EncryptionScheme;
use pkcs8::pkcs5::pbes2::{Kdf, Parameters};
use pkcs8::{EncryptedPrivateKeyInfoRef, PrivateKeyInfoRef};
use rand_core::CryptoRng;
use zeroize::Zeroizing;

const PLAIN: &str = "a PKCS #8 private key";
const ENCRYPTED: &str = "an encrypted PKCS #8 private key (PBES2)";

/// The iterations of PBKDF2 that are written.
const ITERATIONS: u32 = 600_000;
/// The most iterations of PBKDF2 that a file may ask for: some seconds.
const MAX_ITERATIONS: u32 = 10_000_000;
/// The most memory, in units of 128 bytes, that a file may ask of scrypt: 256 MiB.
const MAX_SCRYPT: u64 = 1 << 21;

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
        let info =
            EncryptedPrivateKeyInfoRef::from_der(der).map_err(|e| format_error(ENCRYPTED, e))?;
        check_effort(&info.encryption_algorithm)?;
        let plain = info.decrypt(password).map_err(|_| KeyError::Password)?;
        PrivateKey::from_pkcs8_der(plain.as_bytes())
    }

    /// Reads `EncryptedPrivateKeyInfo` from PEM, label `ENCRYPTED PRIVATE KEY`.
    ///
    /// # Errors
    /// As [`PrivateKey::from_pkcs8_encrypted_der`].
    pub fn from_pkcs8_encrypted_pem(text: &str, password: &[u8]) -> Result<PrivateKey, KeyError> {
        PrivateKey::from_pkcs8_encrypted_der(
            &pem::labelled(text, "ENCRYPTED PRIVATE KEY", ENCRYPTED)?,
            password,
        )
    }

    /// Writes `EncryptedPrivateKeyInfo` as DER: PBES2 with PBKDF2 (HMAC-SHA-256, 600,000 iterations) and AES-256-CBC.
    pub fn to_pkcs8_encrypted_der<R: CryptoRng + ?Sized>(
        &self,
        password: &[u8],
        rng: &mut R,
    ) -> Zeroizing<Vec<u8>> {
        let (mut salt, mut iv) = ([0; 16], [0; 16]);
        rng.fill_bytes(&mut salt);
        rng.fill_bytes(&mut iv);
        let parameters = Parameters::generate_pbkdf2_sha256_aes256cbc(ITERATIONS, &salt, iv)
            .expect("a short salt");
        let plain = self.to_pkcs8_der();
        let info = PrivateKeyInfoRef::from_der(&plain).expect("DER that was just written");
        let encrypted = info
            .encrypt_with_params(parameters, password)
            .expect("a key of a known size");
        Zeroizing::new(encrypted.as_bytes().to_vec())
    }

    /// Writes `EncryptedPrivateKeyInfo` as PEM.
    pub fn to_pkcs8_encrypted_pem<R: CryptoRng + ?Sized>(
        &self,
        password: &[u8],
        rng: &mut R,
    ) -> Zeroizing<String> {
        pem::encode(
            "ENCRYPTED PRIVATE KEY",
            &self.to_pkcs8_encrypted_der(password, rng),
        )
    }
}

/// Refuses a file that would keep this machine busy for long.
fn check_effort(scheme: &EncryptionScheme) -> Result<(), KeyError> {
    let EncryptionScheme::Pbes2(parameters) = scheme else {
        return Err(format_error(
            ENCRYPTED,
            "PBES1, which is broken; convert it with `openssl pkcs8 -topk8`",
        ));
    };
    let fair = match &parameters.kdf {
        Kdf::Pbkdf2(pbkdf2) => pbkdf2.iteration_count <= MAX_ITERATIONS,
        Kdf::Scrypt(scrypt) => {
            let (n, r) = (scrypt.cost_parameter, u64::from(scrypt.block_size));
            let lanes = u64::from(scrypt.parallelization);
            n.saturating_mul(r).saturating_mul(lanes) <= MAX_SCRYPT
        }
        _ => return Err(format_error(ENCRYPTED, "an unknown way to derive a key")),
    };
    if fair {
        Ok(())
    } else {
        Err(format_error(
            ENCRYPTED,
            "its key derivation asks for too much work",
        ))
    }
}
