//! `SubjectPublicKeyInfo` (RFC 5280 section 4.1.2.7, RFC 3279 section 2.3.1).

use super::{KeyError, PublicKey, format_error, pem};
use der::asn1::{AnyRef, BitStringRef, ObjectIdentifier};
use der::{Decode, Encode};
use spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfoRef};

const SPKI: &str = "a SubjectPublicKeyInfo public key";

/// rsaEncryption with its parameters, which are NULL.
pub(super) const RSA: AlgorithmIdentifierRef<'static> = pkcs1::ALGORITHM_ID;
const RSASSA_PSS: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.10");
const EC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");

/// Refuses all but rsaEncryption with NULL parameters.
pub(super) fn check_algorithm(
    found: AlgorithmIdentifierRef<'_>,
    expected: &'static str,
) -> Result<(), KeyError> {
    match found.oid {
        oid if oid == RSA.oid => match found.parameters {
            Some(null) if null == AnyRef::NULL => Ok(()),
            _ => Err(format_error(
                expected,
                "rsaEncryption without its NULL parameters",
            )),
        },
        RSASSA_PSS => Err(KeyError::Algorithm("RSASSA-PSS only".to_owned())),
        EC => Err(KeyError::Algorithm("elliptic curves".to_owned())),
        oid => Err(KeyError::Algorithm(other(oid))),
    }
}

/// The usual name of another algorithm.
fn other(oid: ObjectIdentifier) -> String {
    let oid = oid.to_string();
    let name = match &oid[..] {
        "1.2.840.10040.4.1" => "DSA",
        "1.2.840.10046.2.1" | "1.2.840.113549.1.3.1" => "Diffie-Hellman",
        "1.3.101.110" => "X25519",
        "1.3.101.111" => "X448",
        "1.3.101.112" => "Ed25519",
        "1.3.101.113" => "Ed448",
        _ => return format!("the algorithm {oid}"),
    };
    name.to_owned()
}

impl PublicKey {
    /// Reads `SubjectPublicKeyInfo` from DER.
    ///
    /// # Errors
    /// [`KeyError::Format`], [`KeyError::Algorithm`]; the errors of [`PublicKey::new`].
    pub fn from_spki_der(der: &[u8]) -> Result<PublicKey, KeyError> {
        PublicKey::from_spki_info(
            SubjectPublicKeyInfoRef::from_der(der).map_err(|e| format_error(SPKI, e))?,
        )
    }

    pub(in crate::rsa) fn from_spki_info(
        info: SubjectPublicKeyInfoRef<'_>,
    ) -> Result<PublicKey, KeyError> {
        check_algorithm(info.algorithm, SPKI)?;
        let key = info.subject_public_key.as_bytes();
        PublicKey::from_pkcs1_der(
            key.ok_or_else(|| format_error(SPKI, "its key is not a whole number of bytes"))?,
        )
    }

    /// Reads `SubjectPublicKeyInfo` from PEM, label `PUBLIC KEY`.
    ///
    /// # Errors
    /// As [`PublicKey::from_spki_der`].
    pub fn from_spki_pem(text: &str) -> Result<PublicKey, KeyError> {
        PublicKey::from_spki_der(&pem::labelled(text, "PUBLIC KEY", SPKI)?)
    }

    /// Writes `SubjectPublicKeyInfo` as DER.
    pub fn to_spki_der(&self) -> Vec<u8> {
        let key = self.to_pkcs1_der();
        let subject_public_key = BitStringRef::from_bytes(&key).expect("a key of a known size");
        let info = SubjectPublicKeyInfoRef {
            algorithm: RSA,
            subject_public_key,
        };
        info.to_der().expect("a key of a known size")
    }

    /// Writes `SubjectPublicKeyInfo` as PEM.
    pub fn to_spki_pem(&self) -> String {
        pem::encode("PUBLIC KEY", &self.to_spki_der()).to_string()
    }
}
