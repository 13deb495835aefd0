//! Keys in SubjectPublicKeyInfo (RFC 5480) and PKCS #8 (RFC 5958, with RFC 5915), as DER. [`octets`](super::octets) has
//! those of X25519, Ed25519, X448 and Ed448.

use super::{BrainpoolP256r1, BrainpoolP384r1, BrainpoolP512r1, P224, P256, P384, P521, Secp256k1};
use super::{INVALID, KeyError, PrivateKey, PublicKey};
use crate::formats::{self, EC, FormatError, Notes};
use crate::hash::Hash;
use carrysave_arith::Cpu;
use carrysave_arith::curve::{BaseTable, Curve};
use carrysave_arith::field::Field;
use carrysave_arith::{once, publish};
use der::asn1::{AnyRef, BitStringRef, ContextSpecific, ObjectIdentifier, OctetStringRef};
use der::{Decode, Encode, Reader, SliceReader, TagNumber};
use pkcs8::PrivateKeyInfoRef;
use spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfoRef};
use std::sync::OnceLock;
use zeroize::Zeroizing;

/// A curve that files name by an object identifier.
pub trait Named: Curve {
    /// The object identifier.
    const OID: ObjectIdentifier;
    /// The hash that goes with its strength in signatures.
    const HASH: Hash;
    /// Multiples of its base point, computed on first use.
    fn base() -> &'static BaseTable<Self>;
}

macro_rules! named {
    ($($Curve:ident = $oid:literal, $Hash:ident;)*) => {$(
        impl Named for $Curve {
            const OID: ObjectIdentifier = ObjectIdentifier::new_unwrap($oid);
            const HASH: Hash = Hash::$Hash;
            fn base() -> &'static BaseTable<$Curve> {
                static BASE: OnceLock<BaseTable<$Curve>> = OnceLock::new();
                once(&BASE, || BaseTable::new(Cpu::native()))
            }
        }
    )*};
}

named! {
    P224 = "1.3.132.0.33", Sha224;
    P256 = "1.2.840.10045.3.1.7", Sha256;
    P384 = "1.3.132.0.34", Sha384;
    P521 = "1.3.132.0.35", Sha512;
    Secp256k1 = "1.3.132.0.10", Sha256;
    BrainpoolP256r1 = "1.3.36.3.3.2.8.1.1.7", Sha256;
    BrainpoolP384r1 = "1.3.36.3.3.2.8.1.1.11", Sha384;
    BrainpoolP512r1 = "1.3.36.3.3.2.8.1.1.13", Sha512;
}

const PRIVATE: &str = "a private key of this curve as PKCS #8";
const PUBLIC: &str = "a public key of this curve as SubjectPublicKeyInfo";

/// The keys that are read.
const NEEDED: &str = "one of the curve that is asked for";

pub(super) fn not_private(detail: impl ToString) -> KeyError {
    FormatError::new(PRIVATE, detail).into()
}

pub(super) fn not_public(detail: impl ToString) -> KeyError {
    FormatError::new(PUBLIC, detail).into()
}

/// The algorithm of keys on a curve.
fn algorithm<C: Named>() -> AlgorithmIdentifierRef<'static> {
    AlgorithmIdentifierRef {
        oid: EC,
        parameters: Some(AnyRef::from(&C::OID)),
    }
}

/// The refusal of a key for another algorithm. `damaged` is the refusal of a file of its kind, private or public.
pub(super) fn other(
    algorithm: AlgorithmIdentifierRef<'_>,
    damaged: impl FnOnce(&'static str) -> KeyError,
) -> KeyError {
    match algorithm.oid {
        EC => other_curve(algorithm.parameters_oid().ok()),
        formats::X25519 | formats::ED25519 | formats::X448 | formats::ED448
            if algorithm.parameters.is_some() =>
        {
            damaged("its algorithm has parameters, which RFC 8410 forbids")
        }
        oid => KeyError::Algorithm {
            found: formats::algorithm_name(oid),
            needed: NEEDED,
        },
    }
}

/// The refusal of a key of another curve.
fn other_curve(curve: Option<ObjectIdentifier>) -> KeyError {
    let named = curve.map(|oid| oid.to_string());
    let name = match named.as_deref() {
        None => "a curve that is not named (name it with `openssl ec -param_enc named_curve`)",
        Some("1.2.840.10045.3.1.7") => "P-256",
        Some("1.3.132.0.34") => "P-384",
        Some("1.3.132.0.35") => "P-521",
        Some("1.3.132.0.10") => "secp256k1",
        Some("1.2.840.10045.3.1.1") => "P-192",
        Some("1.3.132.0.33") => "P-224",
        Some("1.3.36.3.3.2.8.1.1.7") => "brainpoolP256r1",
        Some("1.3.36.3.3.2.8.1.1.11") => "brainpoolP384r1",
        Some("1.3.36.3.3.2.8.1.1.13") => "brainpoolP512r1",
        Some("1.2.156.10197.1.301") => "SM2",
        Some(oid) => &format!("the curve {oid}"),
    };
    KeyError::Algorithm {
        found: name.to_owned(),
        needed: NEEDED,
    }
}

/// `PrivateKeyInfo` in DER.
pub(super) fn private_info(der: &[u8]) -> Result<PrivateKeyInfoRef<'_>, KeyError> {
    PrivateKeyInfoRef::from_der(der).map_err(not_private)
}

/// `SubjectPublicKeyInfo` in DER.
pub(super) fn public_info(der: &[u8]) -> Result<SubjectPublicKeyInfoRef<'_>, KeyError> {
    SubjectPublicKeyInfoRef::from_der(der).map_err(not_public)
}

/// The octets of a public key for an algorithm.
pub(super) fn public_octets<'a>(
    info: SubjectPublicKeyInfoRef<'a>,
    algorithm: AlgorithmIdentifierRef<'_>,
) -> Result<&'a [u8], KeyError> {
    if info.algorithm != algorithm {
        return Err(other(info.algorithm, not_public));
    }
    let octets = info.subject_public_key.as_bytes();
    octets.ok_or_else(|| not_public("its key is not a whole number of bytes"))
}

impl<C: Named> PublicKey<C> {
    /// Reads `SubjectPublicKeyInfo` from DER; the curve must be named.
    ///
    /// # Errors
    /// [`KeyError::Format`], [`KeyError::Algorithm`]; the errors of [`PublicKey::from_sec1`].
    pub fn from_spki_der(der: &[u8]) -> Result<Self, KeyError> {
        PublicKey::from_spki_info(public_info(der)?, &mut Notes::new())
    }

    pub(super) fn from_spki_info(
        info: SubjectPublicKeyInfoRef<'_>,
        _: &mut Notes,
    ) -> Result<Self, KeyError> {
        PublicKey::from_sec1(public_octets(info, algorithm::<C>())?)
    }

    /// Writes `SubjectPublicKeyInfo` as DER.
    pub fn to_spki_der(&self) -> Vec<u8> {
        formats::public_key_info(algorithm::<C>(), &self.to_sec1())
    }
}

impl<C: Named> PrivateKey<C> {
    /// Reads `PrivateKeyInfo` with an `ECPrivateKey` from DER.
    ///
    /// # Errors
    /// [`KeyError::Format`], [`KeyError::Algorithm`], and [`KeyError::Invalid`] for a number that is no key, or a public key in
    /// the file that does not match.
    pub fn from_pkcs8_der(der: &[u8]) -> Result<Self, KeyError> {
        PrivateKey::from_pkcs8_noted(der, &mut Notes::new())
    }

    pub(super) fn from_pkcs8_noted(der: &[u8], notes: &mut Notes) -> Result<Self, KeyError> {
        PrivateKey::from_pkcs8_info(private_info(der)?, notes)
    }

    pub(super) fn from_pkcs8_info(
        info: PrivateKeyInfoRef<'_>,
        notes: &mut Notes,
    ) -> Result<Self, KeyError> {
        if info.algorithm != algorithm::<C>() {
            return Err(other(info.algorithm, not_private));
        }
        let mut reader = SliceReader::new(info.private_key.as_bytes()).map_err(not_private)?;
        let (version, d, curve, public) = reader
            .sequence(|reader| {
                let version = u8::decode(reader)?;
                let d = <&OctetStringRef>::decode(reader)?;
                let curve =
                    ContextSpecific::<ObjectIdentifier>::decode_explicit(reader, TagNumber(0))?;
                let public =
                    ContextSpecific::<BitStringRef<'_>>::decode_explicit(reader, TagNumber(1))?;
                Ok::<_, der::Error>((version, d, curve, public))
            })
            .map_err(not_private)?;
        reader.finish().map_err(not_private)?;
        if version != 1 {
            return Err(not_private("its version is not 1"));
        }
        if curve.is_some_and(|curve| curve.value != C::OID) {
            return Err(not_private("it names two curves"));
        }
        let key = PrivateKey::from_octets(d.as_bytes(), notes)?;
        // In the key itself (RFC 5915), and beside it (RFC 5958).
        let public = public.map(|public| public.value);
        let own = |public: BitStringRef<'_>| {
            let public = public.as_bytes().map(PublicKey::from_sec1);
            matches!(public, Some(Ok(public)) if publish((public == *key.public()).into()) == 1)
        };
        match [public, info.public_key].into_iter().flatten().all(own) {
            true => Ok(key),
            false => Err(INVALID),
        }
    }

    /// The key with this number in big-endian octets. Some programs omit leading zeros, others write one too many.
    fn from_octets(octets: &[u8], notes: &mut Notes) -> Result<Self, KeyError> {
        let size = C::Scalar::ZERO_BYTES.as_ref().len();
        let (zeros, number) = octets.split_at(octets.len().saturating_sub(size));
        if octets.len() == size {
            return PrivateKey::from_be_bytes(octets);
        }
        if octets.is_empty() || zeros.iter().fold(0, |all, zero| all | zero) != 0 {
            return Err(INVALID);
        }
        notes.push("its number is not of as many octets as the order of the curve, which RFC 5915 asks for");
        let mut padded = Zeroizing::new(vec![0; size]);
        padded[size - number.len()..].copy_from_slice(number);
        PrivateKey::from_be_bytes(&padded)
    }

    /// Writes `PrivateKeyInfo` with an `ECPrivateKey` and the public key, as DER.
    pub fn to_pkcs8_der(&self) -> Zeroizing<Vec<u8>> {
        formats::private_key_info(algorithm::<C>(), &self.ec_private_key(false), None)
    }

    /// Writes `ECPrivateKey` (RFC 5915) with the name of the curve and the public key, as DER.
    pub fn to_sec1_der(&self) -> Zeroizing<Vec<u8>> {
        self.ec_private_key(true)
    }

    /// `ECPrivateKey` with the public key, and with the name of the curve where nothing around it has that.
    fn ec_private_key(&self, named: bool) -> Zeroizing<Vec<u8>> {
        let (d, public) = (self.to_be_bytes(), self.public().to_sec1());
        // Allocated in full: a vector that grows leaves a copy behind.
        let mut body = Zeroizing::new(Vec::with_capacity(d.len() + public.len() + 48));
        body.extend(1_u8.to_der().expect("a number"));
        let octets = OctetStringRef::new(&d).expect("a key of a known size");
        body.extend(&*Zeroizing::new(
            octets.to_der().expect("a key of a known size"),
        ));
        if named {
            let curve = ContextSpecific {
                tag_number: TagNumber(0),
                tag_mode: der::TagMode::Explicit,
                value: C::OID,
            };
            body.extend(curve.to_der().expect("a short name"));
        }
        let public = ContextSpecific {
            tag_number: TagNumber(1),
            tag_mode: der::TagMode::Explicit,
            value: BitStringRef::from_bytes(&public).expect("a key of a known size"),
        };
        body.extend(public.to_der().expect("a key of a known size"));
        let sequence = AnyRef::new(der::Tag::Sequence, &body).expect("a key of a known size");
        Zeroizing::new(sequence.to_der().expect("a key of a known size"))
    }
}
