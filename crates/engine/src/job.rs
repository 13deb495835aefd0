//! [`Job`], the list of all tasks.

use carrysave_arith::{Nat, task::OutOfRange, task::Power};
use carrysave_schemes::ec::ed448::task::{SignEd448, VerifyEd448};
use carrysave_schemes::ec::ed25519::task::{SignEd25519, VerifyEd25519, VerifyEd25519Zip215};
use carrysave_schemes::ec::task::{
    EcdhAgree, Generate, SignEcdsa, VerifyEcdsa, X448Agree, X25519Agree, X25519Public,
};
use carrysave_schemes::ec::{self, BrainpoolP256r1, BrainpoolP384r1, BrainpoolP512r1};
use carrysave_schemes::ec::{P224, P256, P384, P521, Secp256k1};
use carrysave_schemes::{dl, rsa};
use core::convert::Infallible;
use core::fmt;
use std::sync::Arc;
use zeroize::Zeroizing;

jobs! {
    /// One operation of any kind, with its key and its input. Clones of a key share its data, so a job is small.
    ///
    /// A batch of one kind of operation can take the tasks themselves, whose results have their own types.
    #[non_exhaustive]
    pub enum Job -> Result<Output, Error> {
        /// A signature.
        SignPss(rsa::task::SignPss),
        /// A signature.
        SignPkcs1v15(rsa::task::SignPkcs1v15),
        /// A decryption.
        DecryptOaep(rsa::task::DecryptOaep),
        /// A decryption, with implicit rejection.
        DecryptPkcs1v15(rsa::task::DecryptPkcs1v15),
        /// A private operation without padding.
        RawPrivate(rsa::task::RawPrivate),
        /// An encryption.
        EncryptOaep(rsa::task::EncryptOaep),
        /// An encryption.
        EncryptPkcs1v15(rsa::task::EncryptPkcs1v15),
        /// A verification.
        VerifyPss(rsa::task::VerifyPss),
        /// A verification.
        VerifyPkcs1v15(rsa::task::VerifyPkcs1v15),
        /// A public operation without padding.
        RawPublic(rsa::task::RawPublic),
        /// A power with a secret exponent.
        Power(Power),
        /// A key agreement.
        DhAgree(dl::task::DhAgree),
        /// A signature.
        SignDsa(dl::task::SignDsa),
        /// A verification.
        VerifyDsa(dl::task::VerifyDsa),
        /// A key agreement.
        EcdhP224(EcdhAgree<P224>),
        /// A key agreement.
        EcdhP256(EcdhAgree<P256>),
        /// A key agreement.
        EcdhP384(EcdhAgree<P384>),
        /// A key agreement.
        EcdhP521(EcdhAgree<P521>),
        /// A key agreement.
        EcdhSecp256k1(EcdhAgree<Secp256k1>),
        /// A key agreement.
        EcdhBrainpoolP256r1(EcdhAgree<BrainpoolP256r1>),
        /// A key agreement.
        EcdhBrainpoolP384r1(EcdhAgree<BrainpoolP384r1>),
        /// A key agreement.
        EcdhBrainpoolP512r1(EcdhAgree<BrainpoolP512r1>),
        /// A key agreement.
        X25519(X25519Agree),
        /// The public key of a private one.
        X25519Public(X25519Public),
        /// A key agreement.
        X448(X448Agree),
        /// The generation of a key.
        GenerateEc(Generate),
        /// A signature of ECDSA.
        SignEcdsa(SignEcdsa),
        /// A verification of ECDSA.
        VerifyEcdsa(VerifyEcdsa),
        /// A signature of Ed25519.
        SignEd25519(SignEd25519),
        /// A verification of Ed25519.
        VerifyEd25519(VerifyEd25519),
        /// A verification of Ed25519 by the rules of ZIP 215.
        VerifyEd25519Zip215(VerifyEd25519Zip215),
        /// A signature of Ed448.
        SignEd448(SignEd448),
        /// A verification of Ed448.
        VerifyEd448(VerifyEd448),
    }
}

/// A job failed, as its operation alone would have.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The job has an RSA key.
    Rsa(rsa::Error),
    /// The job has a [`dl`] key.
    Dl(dl::Error),
    /// The job has an [`ec`] key.
    Ec(ec::Error),
    /// The job is a power.
    Power(OutOfRange),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Rsa(e) => e.fmt(f),
            Error::Dl(e) => e.fmt(f),
            Error::Ec(e) => e.fmt(f),
            Error::Power(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

impl From<rsa::Error> for Error {
    fn from(error: rsa::Error) -> Error {
        Error::Rsa(error)
    }
}

impl From<dl::Error> for Error {
    fn from(error: dl::Error) -> Error {
        Error::Dl(error)
    }
}

impl From<ec::Error> for Error {
    fn from(error: ec::Error) -> Error {
        Error::Ec(error)
    }
}

impl From<OutOfRange> for Error {
    fn from(error: OutOfRange) -> Error {
        Error::Power(error)
    }
}

impl From<Infallible> for Error {
    fn from(error: Infallible) -> Error {
        match error {}
    }
}

/// What a job gives.
#[derive(Clone)]
#[non_exhaustive]
pub enum Output {
    /// A signature, a plaintext, a shared secret or a public key.
    Bytes(Zeroizing<Vec<u8>>),
    /// The result of a job without padding.
    Number(Nat),
    /// A new key.
    Key(Arc<ec::AnyPrivateKey>),
    /// The signature is valid for this key and digest.
    Verified,
}

/// Shows only the length of a plaintext, and the algorithm of a key.
impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Output::Bytes(bytes) => write!(f, "Bytes({})", bytes.len()),
            Output::Number(x) => f.debug_tuple("Number").field(x).finish(),
            Output::Key(key) => f.debug_tuple("Key").field(&key.algorithm()).finish(),
            Output::Verified => f.write_str("Verified"),
        }
    }
}

impl From<Vec<u8>> for Output {
    fn from(bytes: Vec<u8>) -> Output {
        Output::Bytes(bytes.into())
    }
}

impl From<ec::Ed25519Signature> for Output {
    fn from(signature: ec::Ed25519Signature) -> Output {
        Vec::from(signature).into()
    }
}

impl From<ec::Ed448Signature> for Output {
    fn from(signature: ec::Ed448Signature) -> Output {
        Vec::from(signature).into()
    }
}

impl From<ec::X25519PublicKey> for Output {
    fn from(key: ec::X25519PublicKey) -> Output {
        Vec::from(key.0).into()
    }
}

impl From<Zeroizing<Vec<u8>>> for Output {
    fn from(bytes: Zeroizing<Vec<u8>>) -> Output {
        Output::Bytes(bytes)
    }
}

impl From<Nat> for Output {
    fn from(number: Nat) -> Output {
        Output::Number(number)
    }
}

impl From<Arc<ec::AnyPrivateKey>> for Output {
    fn from(key: Arc<ec::AnyPrivateKey>) -> Output {
        Output::Key(key)
    }
}

impl From<()> for Output {
    fn from((): ()) -> Output {
        Output::Verified
    }
}
