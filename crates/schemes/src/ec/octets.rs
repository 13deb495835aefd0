//! Keys that are octets (RFC 8410), in SubjectPublicKeyInfo and PKCS #8, as DER.

use super::formats::{not_private, not_public, other, private_info, public_info, public_octets};
use super::{Ed448PrivateKey, Ed448PublicKey, Ed25519PrivateKey, Ed25519PublicKey};
use super::{INVALID, KeyError};
use super::{X448PrivateKey, X448PublicKey, X25519PrivateKey, X25519PublicKey};
use crate::formats::{self, Notes};
use der::asn1::{ObjectIdentifier, OctetStringRef};
use der::{Decode, Encode};
use pkcs8::PrivateKeyInfoRef;
use spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfoRef};
use zeroize::Zeroizing;

/// An algorithm of RFC 8410, which has no parameters.
const fn algorithm(oid: ObjectIdentifier) -> AlgorithmIdentifierRef<'static> {
    AlgorithmIdentifierRef {
        oid,
        parameters: None,
    }
}

/// The octets of a public key.
fn read_public<'a, const N: usize>(
    info: SubjectPublicKeyInfoRef<'a>,
    oid: ObjectIdentifier,
) -> Result<&'a [u8; N], KeyError> {
    let octets = public_octets(info, algorithm(oid))?.try_into();
    octets.map_err(|_| not_public(format_args!("its key is not of {N} bytes")))
}

/// A private key made of its octets, if the public key beside it, if there is one, is its own.
fn read_private<const N: usize, K, P: AsRef<[u8]>>(
    info: PrivateKeyInfoRef<'_>,
    oid: ObjectIdentifier,
    new: fn(&[u8; N]) -> K,
    public: fn(&K) -> P,
) -> Result<K, KeyError> {
    if info.algorithm != algorithm(oid) {
        return Err(other(info.algorithm, not_private));
    }
    let key = <&OctetStringRef>::from_der(info.private_key.as_bytes()).map_err(not_private)?;
    let octets: Result<&[u8; N], _> = key.as_bytes().try_into();
    let octets = octets.map_err(|_| not_private(format_args!("its key is not of {N} bytes")))?;
    let key = new(octets);
    match info.public_key.map(|public| public.as_bytes()) {
        Some(found) if found != Some(public(&key).as_ref()) => Err(INVALID),
        _ => Ok(key),
    }
}

/// `PrivateKeyInfo`, with the public key if it is given.
fn write_private(
    oid: ObjectIdentifier,
    octets: &[u8],
    public: Option<&[u8]>,
) -> Zeroizing<Vec<u8>> {
    let key = OctetStringRef::new(octets).expect("a key of a known size");
    let key = Zeroizing::new(key.to_der().expect("a key of a known size"));
    formats::private_key_info(algorithm(oid), &key, public)
}

macro_rules! files {
    ($($Private:ident, $Public:ident = $oid:ident, |$octets:ident| $read:expr, $($error:literal)?;)*) => {$(
        impl $Public {
            /// Reads `SubjectPublicKeyInfo` from DER.
            ///
            /// # Errors
            #[doc = concat!("[`KeyError::Format`], [`KeyError::Algorithm`]", $("; the errors of [`", stringify!($Public), $error, "`]",)? ".")]
            pub fn from_spki_der(der: &[u8]) -> Result<Self, KeyError> {
                $Public::from_spki_info(public_info(der)?, &mut Notes::new())
            }

            pub(super) fn from_spki_info(
                info: SubjectPublicKeyInfoRef<'_>,
                _: &mut Notes,
            ) -> Result<Self, KeyError> {
                let $octets = read_public(info, formats::$oid)?;
                $read
            }

            /// Writes `SubjectPublicKeyInfo` as DER.
            pub fn to_spki_der(&self) -> Vec<u8> {
                formats::public_key_info(algorithm(formats::$oid), self.as_ref())
            }
        }

        impl $Private {
            /// Reads `PrivateKeyInfo` from DER, without and with the public key.
            ///
            /// # Errors
            /// [`KeyError::Format`], [`KeyError::Algorithm`], and [`KeyError::Invalid`] if a public key in the file does not
            /// match.
            pub fn from_pkcs8_der(der: &[u8]) -> Result<Self, KeyError> {
                $Private::from_pkcs8_noted(der, &mut Notes::new())
            }

            pub(super) fn from_pkcs8_noted(der: &[u8], notes: &mut Notes) -> Result<Self, KeyError> {
                $Private::from_pkcs8_info(private_info(der)?, notes)
            }

            pub(super) fn from_pkcs8_info(
                info: PrivateKeyInfoRef<'_>,
                _: &mut Notes,
            ) -> Result<Self, KeyError> {
                read_private(info, formats::$oid, $Private::from_bytes, |key| key.public().to_owned())
            }

            /// Writes `PrivateKeyInfo` as DER, without the public key, as OpenSSL does.
            pub fn to_pkcs8_der(&self) -> Zeroizing<Vec<u8>> {
                write_private(formats::$oid, self.as_bytes(), None)
            }

            /// Writes `PrivateKeyInfo` of version 2 as DER, with the public key, as ring asks for.
            pub fn to_pkcs8_v2_der(&self) -> Zeroizing<Vec<u8>> {
                write_private(formats::$oid, self.as_bytes(), Some(self.public().as_ref()))
            }
        }
    )*};
}

files! {
    X25519PrivateKey, X25519PublicKey = X25519, |octets| Ok(X25519PublicKey(*octets)),;
    Ed25519PrivateKey, Ed25519PublicKey = ED25519, |octets| Ed25519PublicKey::from_bytes(octets), "::from_bytes";
    X448PrivateKey, X448PublicKey = X448, |octets| Ok(X448PublicKey(*octets)),;
    Ed448PrivateKey, Ed448PublicKey = ED448, |octets| Ed448PublicKey::from_bytes(octets), "::from_bytes";
}
