//! Elliptic curves: key agreement by ECDH (SP 800-56A, 5.7.1.2; SEC 1, 3.3.1), X25519 and X448 (RFC 7748), and signatures
//! by [ECDSA](ecdsa), [Ed25519](ed25519) and [Ed448](ed448), with keys in PKCS #8 and SubjectPublicKeyInfo.
//!
//! ```
//! use carrysave_schemes::ec::{P256, PrivateKey};
//! let (alice, bob) = (PrivateKey::<P256>::generate(), PrivateKey::<P256>::generate());
//! assert_eq!(alice.agree(bob.public())?, bob.agree(alice.public())?);
//! # Ok::<_, carrysave_schemes::ec::Error>(())
//! ```
//!
//! The keys of each curve implement the traits of the crates `pkcs8` and `spki`, for code that is generic over them:
//!
//! ```
//! use carrysave_schemes::ec::{P256, ecdsa::SigningKey};
//! use pkcs8::{DecodePrivateKey, EncodePrivateKey};
//!
//! fn copied<K: EncodePrivateKey + DecodePrivateKey>(key: &K) -> pkcs8::Result<K> {
//!     K::from_pkcs8_der(key.to_pkcs8_der()?.as_bytes())
//! }
//! let key = SigningKey::<P256>::generate();
//! assert_eq!(copied(&key)?.verifying_key(), key.verifying_key());
//! # Ok::<_, pkcs8::Error>(())
//! ```

mod any;
pub mod ecdsa;
pub mod ed25519;
pub mod ed448;
mod formats;
mod octets;
mod openssh;
mod seeded;
pub mod task;
mod traits;
mod x25519;
mod x448;

pub use crate::KeyError;
pub use any::{Algorithm, AnyPrivateKey, AnyPublicKey};
pub use carrysave_arith::curve::{
    BrainpoolP256r1, BrainpoolP384r1, BrainpoolP512r1, P224, P256, P384, P521, Secp256k1,
};
pub use ed448::{Ed448PrivateKey, Ed448PublicKey, Ed448Signature};
pub use ed25519::{Ed25519PrivateKey, Ed25519PublicKey, Ed25519Signature};
pub use formats::Named;
pub use x448::{X448PrivateKey, X448PublicKey};
pub use x25519::{X25519PrivateKey, X25519PublicKey};

use crate::STACK;
use carrysave_arith::{
    BufferedRng, Cpu, Limb,
    curve::{Affine, Point},
    field::Fe,
    off_stack, publish,
};
use core::fmt;
use getrandom::SysRng;
use rand_core::{CryptoRng, UnwrapErr};
use std::sync::Arc;
use zeroize::{Zeroize, Zeroizing};

/// A key agreement, a signature, a verification or a decryption failed. The text says what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// Two keys are of different curves.
    OtherCurve,
    /// The shared secret would be publicly known: the public key is a point of small order.
    SmallOrder,
    /// The key signs and makes no agreement.
    NoAgreement,
    /// The context of a signature has a length that its scheme does not allow.
    Context,
    /// The ciphertext is not valid for this key, hash and label.
    Decryption,
    /// The signature is not valid for this key, message and hash.
    Verification,
    /// The digest is not as long as the hash says.
    DigestLength {
        /// The length of the hash, in bytes.
        expected: usize,
        /// The given length, in bytes.
        found: usize,
    },
    /// SHA-1 is only for verifying old signatures.
    Sha1Signature,
    /// Keys of this algorithm do not sign digests.
    NoDigest(&'static str),
    /// The private operation miscalculated and its result was destroyed.
    Fault,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Error::OtherCurve => "the two keys are of different curves: use one of the same curve",
            Error::SmallOrder => "the public key is a point of small order: refuse whoever sent it",
            Error::NoAgreement => {
                "an Ed25519 or Ed448 key signs and makes no agreement: use an X25519 or X448 key"
            }
            Error::Context => {
                "the context is not possible here: use at most 255 bytes, and for a whole message with Ed25519 at least one"
            }
            Error::Decryption => {
                "the ciphertext cannot be decrypted: use the key, hash and label it was made with"
            }
            Error::Verification => {
                "the signature does not fit: use the message, key and hash it was made with"
            }
            Error::DigestLength { expected, found } => {
                return write!(
                    f,
                    "the digest has {found} bytes and the hash gives {expected}: pass the digest, not the message, and name the hash that made it"
                );
            }
            Error::NoDigest(algorithm) => {
                return write!(
                    f,
                    "a key for {algorithm} does not sign the digest of a message: use one for ECDSA"
                );
            }
            Error::Sha1Signature => {
                "SHA-1 is broken and only verifies old signatures: sign with sha256 or better"
            }
            Error::Fault => {
                "the private operation miscalculated and its result was destroyed: try again, and suspect this machine if it repeats"
            }
        };
        f.write_str(text)
    }
}

impl std::error::Error for Error {}

crate::signing::errors!(Error);

/// What is hashed first so that the variants of a scheme differ (`dom2` and `dom4` of RFC 8032, 2).
///
/// # Errors
/// [`Error::Context`] for a context that is too long.
fn separate(start: &[u8], flag: u8, context: &[u8]) -> Result<Vec<u8>, Error> {
    let len = u8::try_from(context.len()).map_err(|_| Error::Context)?;
    Ok([start, &[flag, len], context].concat())
}

/// The refusal of a number or a point.
const INVALID: KeyError = KeyError::Invalid("it is no key of its curve");

/// A public key: a point of the curve other than infinity.
#[derive(Clone, Debug)]
pub struct PublicKey<C: Named>(pub(crate) Point<C>);

impl<C: Named> PartialEq for PublicKey<C> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<C: Named> Eq for PublicKey<C> {}

impl<C: Named> PublicKey<C> {
    /// Decodes a key from octets, uncompressed or compressed (SEC 1, 2.3.4).
    ///
    /// # Errors
    /// [`KeyError::Invalid`] unless they are a point of the curve.
    pub fn from_sec1(octets: &[u8]) -> Result<Self, KeyError> {
        let point = Point::from_sec1_vartime(octets).ok_or(INVALID)?;
        Ok(PublicKey(point))
    }

    /// 04 and both coordinates (SEC 1, 2.3.3).
    pub fn to_sec1(&self) -> Vec<u8> {
        self.0.to_sec1().expect("it is not at infinity")
    }
}

/// A private key: a number from 1 to below the order. Cloning is cheap and shares the number, which is wiped with the
/// last clone.
pub struct PrivateKey<C: Named> {
    /// On the heap: a move on the stack would leave a copy there.
    pub(crate) d: Arc<Zeroizing<Fe<C::Scalar>>>,
    public: PublicKey<C>,
}

impl<C: Named> Clone for PrivateKey<C> {
    fn clone(&self) -> Self {
        PrivateKey {
            d: self.d.clone(),
            public: PublicKey(self.public.0),
        }
    }
}

impl<C: Named> PrivateKey<C> {
    /// Generates a key with the operating system's randomness.
    ///
    /// # Panics
    /// If the operating system has no randomness.
    ///
    /// # Timing
    /// As [`PrivateKey::generate_with`].
    pub fn generate() -> Self {
        PrivateKey::generate_with(&mut UnwrapErr(SysRng))
    }

    /// Generates a uniform key from `rng` (SP 800-56A, 5.6.1.2.2: by testing candidates).
    ///
    /// # Timing
    /// Depends on the curve, and on how many candidates are refused.
    pub fn generate_with<R: CryptoRng + ?Sized>(rng: &mut R) -> Self {
        off_stack::<STACK, _>(|| {
            loop {
                if let Ok(key) = PrivateKey::new(Fe::random(rng)) {
                    return key;
                }
            }
        })
    }

    /// Generates many keys as [`PrivateKey::generate_with`] does, their public keys in vector lanes where that is faster.
    ///
    /// # Timing
    /// Depends on the curve, the count, and how many candidates are refused.
    ///
    /// ```
    /// use carrysave_schemes::ec::{P256, PrivateKey};
    /// let keys = PrivateKey::<P256>::generate_many_with(&mut rand_core::UnwrapErr(getrandom::SysRng), 9);
    /// assert_eq!(keys[0].agree(keys[8].public())?, keys[8].agree(keys[0].public())?);
    /// # Ok::<_, carrysave_schemes::ec::Error>(())
    /// ```
    pub fn generate_many_with<R: CryptoRng + ?Sized>(rng: &mut R, count: usize) -> Vec<Self> {
        off_stack::<STACK, _>(|| {
            let rng = &mut BufferedRng::new(rng);
            let mut numbers = Zeroizing::new(Vec::with_capacity(count));
            while numbers.len() < count {
                let d = Zeroizing::new(Fe::random(rng));
                if publish(d.zero_bit()) == 0 {
                    numbers.push(*d);
                }
            }
            let (mut points, _) = C::base_products(C::base(), &numbers);
            Point::normalize(&mut points);
            let pairs = numbers.iter().zip(points);
            let key = |(&d, point)| PrivateKey {
                d: Arc::new(Zeroizing::new(d)),
                public: PublicKey(point),
            };
            pairs.map(key).collect()
        })
    }

    /// The key with this big-endian number, of as many octets as the order takes.
    ///
    /// # Errors
    /// [`KeyError::Invalid`] unless it is from 1 to below the order.
    ///
    /// # Timing
    /// Reveals only whether it is accepted.
    pub fn from_be_bytes(octets: &[u8]) -> Result<Self, KeyError> {
        off_stack::<STACK, _>(|| PrivateKey::new(Fe::from_be_bytes(octets).ok_or(INVALID)?))
    }

    /// The key with this big-endian number and the public key that belongs to it, on the caller's word: signatures of a
    /// wrong pair do not verify. It saves the computation of the public key.
    ///
    /// # Errors
    /// As [`PrivateKey::from_be_bytes`].
    ///
    /// # Timing
    /// As [`PrivateKey::from_be_bytes`].
    pub fn from_pair(octets: &[u8], public: PublicKey<C>) -> Result<Self, KeyError> {
        off_stack::<1024, _>(|| {
            let d = Fe::from_be_bytes(octets).ok_or(INVALID)?;
            PrivateKey::with_public(d, |_| public)
        })
    }

    fn new(d: Fe<C::Scalar>) -> Result<Self, KeyError> {
        PrivateKey::with_public(d, |d| PublicKey(C::base().mul(d)))
    }

    fn with_public(
        d: Fe<C::Scalar>,
        public: impl FnOnce(&Fe<C::Scalar>) -> PublicKey<C>,
    ) -> Result<Self, KeyError> {
        if publish(d.zero_bit()) == 1 {
            return Err(INVALID);
        }
        let public = public(&d);
        let d = Arc::new(Zeroizing::new(d));
        Ok(PrivateKey { d, public })
    }

    /// The number in big-endian octets, as many as the order takes. Secret.
    pub fn to_be_bytes(&self) -> Zeroizing<Vec<u8>> {
        off_stack::<1024, _>(|| {
            let mut octets = self.d.to_be_bytes();
            let copy = Zeroizing::new(octets.as_ref().to_vec());
            octets.as_mut().zeroize();
            copy
        })
    }

    /// The public key.
    pub fn public(&self) -> &PublicKey<C> {
        &self.public
    }

    /// The shared secret: the x-coordinate of the private number times the other's point, big-endian.
    ///
    /// # Errors
    /// [`Error::Fault`] if the product is infinity, which only a fault of the machine can cause, as the order of
    /// the curve is a prime.
    ///
    /// # Timing
    /// Depends on the curve only.
    pub fn agree(&self, other: &PublicKey<C>) -> Result<Zeroizing<Vec<u8>>, Error> {
        off_stack::<STACK, _>(|| x_octets(&times(&other.0, &self.d))).ok_or(Error::Fault)
    }
}

impl<C: Named> PrivateKey<C> {
    /// [`PrivateKey::agree`] of each pair, in vector lanes.
    fn agree_all(
        pairs: &[(&PrivateKey<C>, &PublicKey<C>)],
    ) -> Vec<Result<Zeroizing<Vec<u8>>, Error>> {
        off_stack::<STACK, _>(|| {
            let mut numbers = Zeroizing::new(Vec::with_capacity(pairs.len()));
            numbers.extend(pairs.iter().map(|(key, _)| **key.d));
            let points: Vec<Point<C>> = pairs.iter().map(|(_, other)| other.0).collect();
            let mut products = C::products(Cpu::native(), &points, &numbers);
            // Wiped in place: what is moved out of a vector stays there.
            let mut affine = Point::to_affine_batch(&products);
            products.zeroize();
            let secrets = affine.iter_mut().map(|point| {
                let (x, y) = point.as_mut().ok_or(Error::Fault)?;
                let octets = Zeroizing::new(x.to_be_bytes().as_ref().to_vec());
                x.zeroize();
                y.zeroize();
                Ok(octets)
            });
            secrets.collect()
        })
    }
}

/// The x-coordinate of a secret point, big-endian; `None` at infinity.
pub(crate) fn x_octets<C: Named>(point: &Point<C>) -> Option<Zeroizing<Vec<u8>>> {
    let (mut x, mut y): Affine<C> = point.to_affine()?;
    let octets = Zeroizing::new(x.to_be_bytes().as_ref().to_vec());
    x.zeroize();
    y.zeroize();
    Some(octets)
}

/// A point times a secret number.
pub(crate) fn times<C: Named>(point: &Point<C>, d: &Fe<C::Scalar>) -> Point<C> {
    let mut octets = d.to_le_bytes();
    let limb = |chunk: &[u8]| {
        chunk
            .iter()
            .rev()
            .fold(0, |limb, &octet| limb << 8 | Limb::from(octet))
    };
    let limbs: Zeroizing<Vec<Limb>> = Zeroizing::new(octets.as_ref().chunks(8).map(limb).collect());
    octets.as_mut().zeroize();
    point.mul(Cpu::native(), &limbs)
}

/// Without the number.
impl<C: Named> fmt::Debug for PrivateKey<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PrivateKey")
            .field("public", &self.public)
            .finish_non_exhaustive()
    }
}
