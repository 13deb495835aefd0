//! The traits of the crates `pkcs8` and `spki`, for keys of every scheme that reads and writes the two formats.

use super::EC;
use crate::KeyError;
use spki::AlgorithmIdentifierRef;

/// Implements the traits by `from_pkcs8_info` and `to_pkcs8_der` of a private key, and by `from_spki_info` and `to_spki_der`
/// of a public one.
macro_rules! keys {
    ($Private:ty, $Public:ty $(; $C:ident: $Bound:ident)?) => {
        impl $(<$C: $Bound>)? TryFrom<pkcs8::PrivateKeyInfoRef<'_>> for $Private {
            type Error = pkcs8::Error;

            fn try_from(info: pkcs8::PrivateKeyInfoRef<'_>) -> pkcs8::Result<Self> {
                let algorithm = info.algorithm;
                Self::from_pkcs8_info(info, &mut crate::formats::Notes::new())
                    .map_err(|error| crate::formats::traits::private_error(algorithm, &error))
            }
        }

        impl $(<$C: $Bound>)? pkcs8::EncodePrivateKey for $Private {
            fn to_pkcs8_der(&self) -> pkcs8::Result<pkcs8::SecretDocument> {
                let der = Self::to_pkcs8_der(self);
                Ok(pkcs8::SecretDocument::try_from(der.as_slice())?)
            }
        }

        impl $(<$C: $Bound>)? TryFrom<spki::SubjectPublicKeyInfoRef<'_>> for $Public {
            type Error = spki::Error;

            fn try_from(info: spki::SubjectPublicKeyInfoRef<'_>) -> spki::Result<Self> {
                let algorithm = info.algorithm;
                Self::from_spki_info(info, &mut crate::formats::Notes::new())
                    .map_err(|error| crate::formats::traits::public_error(algorithm, &error))
            }
        }

        impl $(<$C: $Bound>)? spki::EncodePublicKey for $Public {
            fn to_public_key_der(&self) -> spki::Result<pkcs8::Document> {
                Ok(pkcs8::Document::try_from(Self::to_spki_der(self))?)
            }
        }
    };
}
pub(crate) use keys;

/// Why a private key of an algorithm was refused.
pub(crate) fn private_error(
    algorithm: AlgorithmIdentifierRef<'_>,
    error: &KeyError,
) -> pkcs8::Error {
    match public_error(algorithm, error) {
        spki::Error::KeyMalformed => pkcs8::KeyError::Invalid.into(),
        error => error.into(),
    }
}

/// Why a public key of an algorithm was refused; a curve has an identifier of its own.
pub(crate) fn public_error(algorithm: AlgorithmIdentifierRef<'_>, error: &KeyError) -> spki::Error {
    let KeyError::Algorithm { .. } = error else {
        return spki::Error::KeyMalformed;
    };
    let oid = match algorithm.oid {
        EC => algorithm.parameters_oid().unwrap_or(EC),
        oid => oid,
    };
    spki::Error::OidUnknown { oid }
}
