//! Encrypted PKCS #8 (RFC 5958, section 3) with PBES2 (RFC 8018).

use super::FormatError;
use der::Decode;
use pkcs8::pkcs5::EncryptionScheme;
use pkcs8::pkcs5::pbes2::{Kdf, Parameters};
use pkcs8::{EncryptedPrivateKeyInfoRef, PrivateKeyInfoRef};
use rand_core::CryptoRng;
use zeroize::Zeroizing;

const ENCRYPTED: &str = "an encrypted PKCS #8 private key (PBES2)";

/// The iterations of PBKDF2 that are written.
const ITERATIONS: u32 = 600_000;
/// The most iterations of PBKDF2 that a file may ask for: some seconds.
const MAX_ITERATIONS: u32 = 10_000_000;
/// The most memory, in units of 128 bytes, that a file may ask of scrypt: 256 MiB.
const MAX_SCRYPT: u64 = 1 << 21;

/// Why a key was not decrypted.
pub(crate) enum Locked {
    /// The file is none, or asks for too much work.
    Format(FormatError),
    /// The password is wrong, or the file damaged.
    Password,
}

/// The label in PEM.
pub(crate) const LABEL: &str = "ENCRYPTED PRIVATE KEY";

/// The `EncryptedPrivateKeyInfo` in a PEM block.
pub(crate) fn from_pem(text: &str) -> Result<Zeroizing<Vec<u8>>, FormatError> {
    super::pem::labelled(text, LABEL, ENCRYPTED)
}

/// The `PrivateKeyInfo` in an `EncryptedPrivateKeyInfo`: PBES2 with PBKDF2 or scrypt, and AES.
pub(crate) fn decrypt(der: &[u8], password: &[u8]) -> Result<Zeroizing<Vec<u8>>, Locked> {
    let info = EncryptedPrivateKeyInfoRef::from_der(der)
        .map_err(|e| Locked::Format(FormatError::new(ENCRYPTED, e)))?;
    check_effort(&info.encryption_algorithm).map_err(Locked::Format)?;
    let plain = info.decrypt(password).map_err(|_| Locked::Password)?;
    Ok(Zeroizing::new(plain.as_bytes().to_vec()))
}

/// A `PrivateKeyInfo` encrypted: PBES2 with PBKDF2 (HMAC-SHA-256, 600,000 iterations) and AES-256-CBC.
pub(crate) fn encrypt<R: CryptoRng + ?Sized>(
    plain: &[u8],
    password: &[u8],
    rng: &mut R,
) -> Zeroizing<Vec<u8>> {
    let (mut salt, mut iv) = ([0; 16], [0; 16]);
    rng.fill_bytes(&mut salt);
    rng.fill_bytes(&mut iv);
    let parameters =
        Parameters::generate_pbkdf2_sha256_aes256cbc(ITERATIONS, &salt, iv).expect("a short salt");
    let info = PrivateKeyInfoRef::from_der(plain).expect("DER that was just written");
    let encrypted = info
        .encrypt_with_params(parameters, password)
        .expect("a key of a known size");
    Zeroizing::new(encrypted.as_bytes().to_vec())
}

/// Refuses a file that would keep this machine busy for long.
fn check_effort(scheme: &EncryptionScheme) -> Result<(), FormatError> {
    let EncryptionScheme::Pbes2(parameters) = scheme else {
        return Err(FormatError::new(
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
        _ => {
            return Err(FormatError::new(
                ENCRYPTED,
                "an unknown way to derive a key",
            ));
        }
    };
    if fair {
        Ok(())
    } else {
        Err(FormatError::new(
            ENCRYPTED,
            "its key derivation asks for too much work",
        ))
    }
}
