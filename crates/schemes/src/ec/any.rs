//! Keys of any supported curve and their files: PKCS #8 plain and encrypted (PBES2, RFC 8018), and
//! SubjectPublicKeyInfo, each as DER and as PEM (RFC 7468).

use super::ecdsa::{self, Signature};
use super::{
    BrainpoolP256r1, BrainpoolP384r1, BrainpoolP512r1, Named, P224, P256, P384, P521, Secp256k1,
};
use super::{Ed448PrivateKey, Ed448PublicKey, Ed25519PrivateKey, Ed25519PublicKey};
use super::{Error, KeyError, PrivateKey, PublicKey};
use super::{X448PrivateKey, X448PublicKey, X25519PrivateKey, X25519PublicKey};
use crate::formats::{self, FormatError, Notes, pem};
#[cfg(feature = "files")]
use crate::formats::{Item, pbes};
use crate::hash::Hash;
use carrysave_arith::{Cpu, curve::lanes_from, field::Field};
use core::fmt;
use getrandom::SysRng;
use rand_core::{CryptoRng, UnwrapErr};
use zeroize::Zeroizing;

const PRIVATE: &str = "a private key of an elliptic curve";
const PUBLIC: &str = "a public key of an elliptic curve";

/// The keys that are read.
const NEEDED: &str = "one of P-224, P-256, P-384, P-521, secp256k1, a Brainpool curve (r1), X25519, Ed25519, X448 or Ed448";

macro_rules! curves {
    ($($Curve:ident = $name:literal, $Private:ty, $Public:ty;)*) => {
        /// A curve, or a function on one, that keys are for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Algorithm {
            $(#[doc = $name] $Curve,)*
        }

        impl Algorithm {
            /// All of them.
            pub const ALL: &[Algorithm] = &[$(Algorithm::$Curve),*];

            /// The hash that goes with its strength: of signatures of ECDSA, unless the signer chooses another, and inside
            /// of Ed25519 and Ed448.
            pub fn hash(self) -> Hash {
                match self {
                    $(Algorithm::$Curve => <$Private>::HASH,)*
                }
            }

            /// Octets of a private key.
            pub fn size(self) -> usize {
                match self {
                    $(Algorithm::$Curve => <$Private>::SIZE,)*
                }
            }

            /// From how many operations on they are faster in vector lanes than one by one, if ever.
            pub(super) fn lanes_from(self) -> Option<usize> {
                match self {
                    $(Algorithm::$Curve => <$Private>::lanes_from(),)*
                }
            }

            /// The curve's usual name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Algorithm::$Curve => $name,)*
                }
            }
        }

        /// A private key of any of these curves.
        ///
        /// ```
        /// use carrysave_schemes::ec::{Algorithm, AnyPrivateKey};
        /// let [alice, bob] = [(); 2].map(|()| AnyPrivateKey::generate(Algorithm::X25519));
        /// let file = alice.to_pkcs8_pem();
        /// let alice = AnyPrivateKey::from_any(file.as_bytes(), None).unwrap();
        /// assert_eq!(alice.agree(&bob.public()), bob.agree(&alice.public()));
        /// ```
        #[derive(Debug)]
        #[non_exhaustive]
        pub enum AnyPrivateKey {
            $(#[doc = $name] $Curve($Private),)*
        }

        /// A public key of any of these curves.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum AnyPublicKey {
            $(#[doc = $name] $Curve($Public),)*
        }

        impl AnyPrivateKey {
            /// Generates a key with the operating system's randomness.
            ///
            /// # Panics
            /// If the operating system has no randomness.
            ///
            /// # Timing
            /// As [`PrivateKey::generate_with`].
            pub fn generate(algorithm: Algorithm) -> Self {
                AnyPrivateKey::generate_with(algorithm, &mut UnwrapErr(SysRng))
            }

            /// Generates a key from `rng`.
            ///
            /// # Timing
            /// As [`PrivateKey::generate_with`].
            pub fn generate_with<R: CryptoRng + ?Sized>(algorithm: Algorithm, rng: &mut R) -> Self {
                match algorithm {
                    $(Algorithm::$Curve => AnyPrivateKey::$Curve(<$Private>::generate_with(rng)),)*
                }
            }

            /// Generates many keys as [`AnyPrivateKey::generate_with`] does, their public keys in vector lanes where that is
            /// faster.
            ///
            /// # Timing
            /// As [`PrivateKey::generate_many_with`].
            ///
            /// ```
            /// use carrysave_schemes::ec::{Algorithm, AnyPrivateKey};
            /// let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
            /// let keys = AnyPrivateKey::generate_many_with(Algorithm::P384, rng, 9);
            /// assert_eq!(keys[0].agree(&keys[8].public()), keys[8].agree(&keys[0].public()));
            /// ```
            pub fn generate_many_with<R: CryptoRng + ?Sized>(
                algorithm: Algorithm,
                rng: &mut R,
                count: usize,
            ) -> Vec<Self> {
                match algorithm {
                    $(Algorithm::$Curve => {
                        let keys = <$Private>::generate_many_with(rng, count).into_iter();
                        keys.map(AnyPrivateKey::$Curve).collect()
                    })*
                }
            }

            /// What it is for.
            pub fn algorithm(&self) -> Algorithm {
                match self {
                    $(AnyPrivateKey::$Curve(_) => Algorithm::$Curve,)*
                }
            }

            /// The public key.
            pub fn public(&self) -> AnyPublicKey {
                match self {
                    $(AnyPrivateKey::$Curve(key) => key.public().to_owned().into(),)*
                }
            }

            /// Reads `PrivateKeyInfo` from DER.
            ///
            /// # Errors
            /// [`KeyError::Format`]; [`KeyError::Algorithm`] for another algorithm or curve; [`KeyError::Invalid`].
            pub fn from_pkcs8_der(der: &[u8]) -> Result<Self, KeyError> {
                AnyPrivateKey::from_pkcs8_noted(der, &mut Notes::new())
            }

            pub(crate) fn from_pkcs8_noted(der: &[u8], notes: &mut Notes) -> Result<Self, KeyError> {
                let readers: &[fn(&[u8], &mut Notes) -> Result<Self, KeyError>] =
                    &[$(|der, notes| <$Private>::from_pkcs8_noted(der, notes).map(Self::$Curve)),*];
                first_fit(readers.iter().map(|read| read(der, notes)))
            }

            /// Writes `PrivateKeyInfo` as DER.
            pub fn to_pkcs8_der(&self) -> Zeroizing<Vec<u8>> {
                match self {
                    $(AnyPrivateKey::$Curve(key) => key.to_pkcs8_der(),)*
                }
            }

            /// Writes `ECPrivateKey` (RFC 5915; SEC 1) as DER; `None` for a key of X25519, Ed25519, X448 or Ed448.
            pub fn to_sec1_der(&self) -> Option<Zeroizing<Vec<u8>>> {
                match self {
                    $(AnyPrivateKey::$Curve(key) => key.sec1(),)*
                }
            }

            /// The number in big-endian octets, or the octets of X25519, Ed25519, X448 or Ed448. Secret.
            pub fn to_octets(&self) -> Zeroizing<Vec<u8>> {
                match self {
                    $(AnyPrivateKey::$Curve(key) => key.octets(),)*
                }
            }

            /// The secret shared with the owner of a public key: the x-coordinate big-endian, or the octets of X25519 or X448.
            ///
            /// # Errors
            /// [`Error::OtherCurve`] if the keys are of different curves, [`Error::SmallOrder`]; [`Error::NoAgreement`] if
            /// one is for Ed25519 or Ed448.
            ///
            /// # Timing
            /// Depends on the curve only.
            pub fn agree(&self, other: &AnyPublicKey) -> Result<Zeroizing<Vec<u8>>, Error> {
                match (self, other) {
                    $((AnyPrivateKey::$Curve(key), AnyPublicKey::$Curve(other)) => key.agree(other),)*
                    _ if self.algorithm().agrees() && other.algorithm().agrees() => {
                        Err(Error::OtherCurve)
                    }
                    _ => Err(Error::NoAgreement),
                }
            }

            /// The signature of the digest of a message: of ECDSA, as DER.
            ///
            /// # Errors
            /// [`Error::NoDigest`] for a key of X25519, Ed25519, X448 or Ed448; the errors of [`PrivateKey::ecdsa_sign`].
            ///
            /// # Timing
            /// As [`PrivateKey::ecdsa_sign`].
            pub fn sign_digest(&self, hash: Hash, digest: &[u8]) -> Result<Vec<u8>, Error> {
                let signed = AnyPrivateKey::sign_digests(&[(self, hash, digest)]).pop();
                signed.expect("one each")
            }

            /// The signatures of digests by keys of one algorithm.
            pub(super) fn sign_digests(
                jobs: &[(&AnyPrivateKey, Hash, &[u8])],
            ) -> Vec<Result<Vec<u8>, Error>> {
                match jobs.first() {
                    None => vec![],
                    $(Some((AnyPrivateKey::$Curve(_), ..)) => {
                        let own = jobs.iter().map(|&(key, hash, digest)| match key {
                            AnyPrivateKey::$Curve(key) => (key, hash, digest),
                            _ => unreachable!("one algorithm"),
                        });
                        <$Private>::sign_digests(&own.collect::<Vec<_>>())
                    })*
                }
            }
        }

        impl AnyPublicKey {
            /// What it is for.
            pub fn algorithm(&self) -> Algorithm {
                match self {
                    $(AnyPublicKey::$Curve(_) => Algorithm::$Curve,)*
                }
            }

            /// Reads `SubjectPublicKeyInfo` from DER.
            ///
            /// # Errors
            /// [`KeyError::Format`]; [`KeyError::Algorithm`] for another algorithm or curve; [`KeyError::Invalid`].
            pub fn from_spki_der(der: &[u8]) -> Result<Self, KeyError> {
                let readers: &[fn(&[u8]) -> Result<Self, KeyError>] =
                    &[$(|der| <$Public>::from_spki_der(der).map(Self::$Curve)),*];
                first_fit(readers.iter().map(|read| read(der)))
            }

            /// Writes `SubjectPublicKeyInfo` as DER.
            pub fn to_spki_der(&self) -> Vec<u8> {
                match self {
                    $(AnyPublicKey::$Curve(key) => key.to_spki_der(),)*
                }
            }

            /// The point as 04 and both coordinates (SEC 1, 2.3.3), or the octets of X25519, Ed25519, X448 or Ed448.
            pub fn to_octets(&self) -> Vec<u8> {
                match self {
                    $(AnyPublicKey::$Curve(key) => key.octets(),)*
                }
            }

            /// Checks a signature of [`AnyPrivateKey::sign_digest`]: of ECDSA, as DER.
            ///
            /// # Errors
            /// [`Error::NoDigest`] for a key of X25519, Ed25519, X448 or Ed448; the errors of [`PublicKey::ecdsa_verify`].
            ///
            /// # Timing
            /// Depends on the key, the digest and the signature.
            pub fn verify_digest(
                &self,
                hash: Hash,
                digest: &[u8],
                signature: &[u8],
            ) -> Result<(), Error> {
                let verdict = AnyPublicKey::verify_digests(&[(self, hash, digest, signature)]).pop();
                verdict.expect("one each")
            }

            /// The verdicts on signatures of digests by keys of one algorithm.
            pub(super) fn verify_digests(
                jobs: &[(&AnyPublicKey, Hash, &[u8], &[u8])],
            ) -> Vec<Result<(), Error>> {
                match jobs.first() {
                    None => vec![],
                    $(Some((AnyPublicKey::$Curve(_), ..)) => {
                        let own = jobs.iter().map(|&(key, hash, digest, signature)| match key {
                            AnyPublicKey::$Curve(key) => (key, hash, digest, signature),
                            _ => unreachable!("one algorithm"),
                        });
                        <$Public>::verify_digests(&own.collect::<Vec<_>>())
                    })*
                }
            }

            /// A signature of ECDSA with this key as DER: of r and s one after the other (IEEE P1363). DER stays as it is.
            ///
            /// # Errors
            /// [`Error::Verification`] for neither, [`Error::NoDigest`] for a key of X25519, Ed25519, X448 or Ed448.
            pub fn signature_to_der(&self, signature: &[u8]) -> Result<Vec<u8>, Error> {
                match self {
                    $(AnyPublicKey::$Curve(key) => key.signature_to_der(signature),)*
                }
            }

            /// A signature of ECDSA with this key as r and s one after the other (IEEE P1363).
            ///
            /// # Errors
            /// [`Error::Verification`] for what is not DER, [`Error::NoDigest`] for a key of X25519, Ed25519, X448 or Ed448.
            pub fn signature_from_der(&self, signature: &[u8]) -> Result<Vec<u8>, Error> {
                match self {
                    $(AnyPublicKey::$Curve(key) => key.signature_from_der(signature),)*
                }
            }
        }

        $(
            impl From<$Private> for AnyPrivateKey {
                fn from(key: $Private) -> Self {
                    AnyPrivateKey::$Curve(key)
                }
            }

            impl From<$Public> for AnyPublicKey {
                fn from(key: $Public) -> Self {
                    AnyPublicKey::$Curve(key)
                }
            }
        )*
    };
}

curves! {
    P224 = "P-224", PrivateKey<P224>, PublicKey<P224>;
    P256 = "P-256", PrivateKey<P256>, PublicKey<P256>;
    P384 = "P-384", PrivateKey<P384>, PublicKey<P384>;
    P521 = "P-521", PrivateKey<P521>, PublicKey<P521>;
    Secp256k1 = "secp256k1", PrivateKey<Secp256k1>, PublicKey<Secp256k1>;
    BrainpoolP256r1 = "brainpoolP256r1", PrivateKey<BrainpoolP256r1>, PublicKey<BrainpoolP256r1>;
    BrainpoolP384r1 = "brainpoolP384r1", PrivateKey<BrainpoolP384r1>, PublicKey<BrainpoolP384r1>;
    BrainpoolP512r1 = "brainpoolP512r1", PrivateKey<BrainpoolP512r1>, PublicKey<BrainpoolP512r1>;
    X25519 = "X25519", X25519PrivateKey, X25519PublicKey;
    Ed25519 = "Ed25519", Ed25519PrivateKey, Ed25519PublicKey;
    X448 = "X448", X448PrivateKey, X448PublicKey;
    Ed448 = "Ed448", Ed448PrivateKey, Ed448PublicKey;
}

/// What all private keys have in common.
impl<C: Named> PrivateKey<C> {
    const HASH: Hash = C::HASH;
    const SIZE: usize = size_of::<<C::Scalar as Field>::Bytes>();

    fn lanes_from() -> Option<usize> {
        C::lanes_from(Cpu::native())
    }

    fn octets(&self) -> Zeroizing<Vec<u8>> {
        self.to_be_bytes()
    }

    fn sec1(&self) -> Option<Zeroizing<Vec<u8>>> {
        Some(self.to_sec1_der())
    }

    fn sign_digests(jobs: &[(&Self, Hash, &[u8])]) -> Vec<Result<Vec<u8>, Error>> {
        let signed = ecdsa::batch::sign(jobs).into_iter();
        signed.map(|signature| Ok(signature?.to_der())).collect()
    }
}

/// What all public keys have in common.
impl<C: Named> PublicKey<C> {
    fn octets(&self) -> Vec<u8> {
        self.to_sec1()
    }

    fn verify_digests(jobs: &[(&Self, Hash, &[u8], &[u8])]) -> Vec<Result<(), Error>> {
        let jobs = jobs.iter();
        let read = jobs.map(|&(key, hash, digest, signature)| {
            Ok((key, hash, digest, Signature::from_der(signature)?))
        });
        ecdsa::batch::verify(&read.collect::<Vec<_>>())
    }

    fn signature_to_der(&self, signature: &[u8]) -> Result<Vec<u8>, Error> {
        let read = Signature::<C>::from_der(signature);
        Ok(read
            .or_else(|_| Signature::from_be_bytes(signature))?
            .to_der())
    }

    fn signature_from_der(&self, signature: &[u8]) -> Result<Vec<u8>, Error> {
        Ok(Signature::<C>::from_der(signature)?.to_be_bytes())
    }
}

/// What keys that are octets have in common with the others: they sign no digests.
macro_rules! octets {
    ($($Private:ident, $Public:ident = $name:literal, $Hash:ident, $size:literal;)*) => {$(
        impl $Private {
            const HASH: Hash = Hash::$Hash;
            const SIZE: usize = $size;

            fn octets(&self) -> Zeroizing<Vec<u8>> {
                Zeroizing::new(self.as_bytes().to_vec())
            }

            fn sec1(&self) -> Option<Zeroizing<Vec<u8>>> {
                None
            }

            fn sign_digests(jobs: &[(&Self, Hash, &[u8])]) -> Vec<Result<Vec<u8>, Error>> {
                vec![Err(Error::NoDigest($name)); jobs.len()]
            }
        }

        impl $Public {
            fn octets(&self) -> Vec<u8> {
                self.as_ref().to_vec()
            }

            fn verify_digests(jobs: &[(&Self, Hash, &[u8], &[u8])]) -> Vec<Result<(), Error>> {
                vec![Err(Error::NoDigest($name)); jobs.len()]
            }

            fn signature_to_der(&self, _: &[u8]) -> Result<Vec<u8>, Error> {
                Err(Error::NoDigest($name))
            }

            fn signature_from_der(&self, _: &[u8]) -> Result<Vec<u8>, Error> {
                Err(Error::NoDigest($name))
            }
        }
    )*};
}

octets! {
    X25519PrivateKey, X25519PublicKey = "X25519", Sha256, 32;
    Ed25519PrivateKey, Ed25519PublicKey = "Ed25519", Sha512, 32;
    X448PrivateKey, X448PublicKey = "X448", Sha512, 56;
    Ed448PrivateKey, Ed448PublicKey = "Ed448", Shake256, 57;
}

/// Keys that are generated one by one.
macro_rules! one_by_one {
    ($($Private:ident)*) => {$(
        impl $Private {
            fn generate_many_with<R: CryptoRng + ?Sized>(rng: &mut R, count: usize) -> Vec<Self> {
                (0..count).map(|_| $Private::generate_with(rng)).collect()
            }

            fn lanes_from() -> Option<usize> {
                None
            }
        }
    )*};
}

// A key of X25519 is only octets until its public key is asked for.
one_by_one!(X25519PrivateKey X448PrivateKey Ed448PrivateKey);

impl Ed25519PrivateKey {
    fn lanes_from() -> Option<usize> {
        lanes_from(Cpu::native())
    }

    fn agree(&self, _: &Ed25519PublicKey) -> Result<Zeroizing<Vec<u8>>, Error> {
        Err(Error::NoAgreement)
    }
}

impl Ed448PrivateKey {
    fn agree(&self, _: &Ed448PublicKey) -> Result<Zeroizing<Vec<u8>>, Error> {
        Err(Error::NoAgreement)
    }
}

/// The first key that is not refused as one for another algorithm.
fn first_fit<K>(keys: impl Iterator<Item = Result<K, KeyError>>) -> Result<K, KeyError> {
    let mut refused = None;
    for key in keys {
        match key {
            Err(error @ KeyError::Algorithm { .. }) => refused = Some(error),
            key => return key,
        }
    }
    Err(refused.expect("there are curves").needing(NEEDED))
}

impl Algorithm {
    /// Whether two keys of this algorithm agree on a secret; those of Ed25519 and Ed448 only sign.
    pub fn agrees(self) -> bool {
        !matches!(self, Algorithm::Ed25519 | Algorithm::Ed448)
    }

    /// Whether keys of this algorithm sign; those of X25519 and X448 only agree on secrets.
    pub fn signs(self) -> bool {
        !matches!(self, Algorithm::X25519 | Algorithm::X448)
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl AnyPrivateKey {
    /// Reads `PrivateKeyInfo` from PEM, label `PRIVATE KEY`.
    ///
    /// # Errors
    /// As [`AnyPrivateKey::from_pkcs8_der`].
    pub fn from_pkcs8_pem(text: &str) -> Result<Self, KeyError> {
        AnyPrivateKey::from_pkcs8_der(&formats::labelled(text, "PRIVATE KEY", PRIVATE)?)
    }

    /// Writes `ECPrivateKey` as PEM, label `EC PRIVATE KEY`; `None` for a key of X25519, Ed25519, X448 or Ed448.
    pub fn to_sec1_pem(&self) -> Option<Zeroizing<String>> {
        Some(pem::encode("EC PRIVATE KEY", &self.to_sec1_der()?))
    }

    /// Writes `PrivateKeyInfo` as PEM.
    pub fn to_pkcs8_pem(&self) -> Zeroizing<String> {
        pem::encode("PRIVATE KEY", &self.to_pkcs8_der())
    }
}

#[cfg(feature = "files")]
impl AnyPrivateKey {
    /// Reads a private key in any format: PKCS #8, with the password if it is encrypted; PEM or DER.
    ///
    /// # Errors
    /// [`KeyError::PasswordNeeded`], [`KeyError::Password`]; [`KeyError::Format`] if it is none of these; the errors of
    /// [`AnyPrivateKey::from_pkcs8_der`].
    pub fn from_any(bytes: &[u8], password: Option<&[u8]>) -> Result<Self, KeyError> {
        let read = |item| match item {
            Item::Private(der) => AnyPrivateKey::from_pkcs8_der(&der),
            Item::Public(_) => Err(FormatError::new(PRIVATE, "it is a public key").into()),
            Item::Certificate(_) => Err(FormatError::new(PRIVATE, "it is a certificate").into()),
        };
        formats::first(bytes, password, read)
    }

    /// Reads `EncryptedPrivateKeyInfo` from DER: PBES2 with PBKDF2 or scrypt, and AES.
    ///
    /// # Errors
    /// [`KeyError::Password`] if the password is wrong; [`KeyError::Format`], also where the file asks for more than ten
    /// million iterations or 256 MiB; the errors of [`AnyPrivateKey::from_pkcs8_der`].
    pub fn from_pkcs8_encrypted_der(der: &[u8], password: &[u8]) -> Result<Self, KeyError> {
        AnyPrivateKey::from_pkcs8_der(&formats::locked(der, password)?)
    }

    /// Reads `EncryptedPrivateKeyInfo` from PEM, label `ENCRYPTED PRIVATE KEY`.
    ///
    /// # Errors
    /// As [`AnyPrivateKey::from_pkcs8_encrypted_der`].
    pub fn from_pkcs8_encrypted_pem(text: &str, password: &[u8]) -> Result<Self, KeyError> {
        AnyPrivateKey::from_pkcs8_encrypted_der(
            &formats::labelled(text, pbes::LABEL, PRIVATE)?,
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

impl AnyPublicKey {
    /// Reads `SubjectPublicKeyInfo` from PEM, label `PUBLIC KEY`.
    ///
    /// # Errors
    /// As [`AnyPublicKey::from_spki_der`].
    pub fn from_spki_pem(text: &str) -> Result<Self, KeyError> {
        AnyPublicKey::from_spki_der(&formats::labelled(text, "PUBLIC KEY", PUBLIC)?)
    }

    /// Writes `SubjectPublicKeyInfo` as PEM.
    pub fn to_spki_pem(&self) -> String {
        pem::encode("PUBLIC KEY", &self.to_spki_der()).to_string()
    }
}

#[cfg(feature = "files")]
impl AnyPublicKey {
    /// Reads a public key: SubjectPublicKeyInfo, PEM or DER. From an unencrypted private key it takes the public half.
    ///
    /// # Errors
    /// [`KeyError::Format`] if it is none of these, [`KeyError::PasswordNeeded`]; the errors of
    /// [`AnyPublicKey::from_spki_der`].
    pub fn from_any(bytes: &[u8]) -> Result<Self, KeyError> {
        let read = |item| match item {
            Item::Public(der) => AnyPublicKey::from_spki_der(&der),
            Item::Private(der) => AnyPrivateKey::from_pkcs8_der(&der).map(|key| key.public()),
            Item::Certificate(der) => AnyPublicKey::from_spki_der(&formats::x509::spki(&der)?),
        };
        formats::first(bytes, None, read)
    }
}
