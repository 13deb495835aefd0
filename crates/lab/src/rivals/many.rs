//! Operations of which a library does many at once, and none by itself.

use super::{Answer, agreement::Exchange, signing::Signing};

/// What such a library loads keys for.
pub struct Many {
    /// An RSA private key, from PKCS#8 DER.
    pub rsa: fn(&[u8]) -> Answer<ManyRsa>,
    /// A private key, as [`LoadPrivate`](super::agreement::LoadPrivate) takes it.
    pub agreement: fn(Exchange, &[u8]) -> Answer<ManyAgreements>,
    /// A key that signs, from PKCS#8 DER.
    pub signing: fn(Signing, &[u8]) -> Answer<ManySignatures>,
}

/// Signs a message so many times; nothing for one that fails.
pub type SignMany = dyn FnMut(&[u8], usize) -> Vec<Vec<u8>>;
/// Makes a public key, so many times.
pub type PublicMany = dyn FnMut(usize) -> Vec<Vec<u8>>;
/// Takes public keys to shared secrets.
pub type AgreeMany = dyn FnMut(&[Vec<u8>]) -> Vec<Vec<u8>>;
/// Verdicts on the signature of a message, so many times.
pub type VerifyMany = dyn FnMut(&[u8], &[u8], usize) -> Vec<bool>;

/// An RSA private key. Messages are hashed by SHA-256.
pub struct ManyRsa {
    /// RSASSA-PSS with a salt of 32 bytes.
    pub sign_pss: Box<SignMany>,
    /// Verifies RSASSA-PKCS1-v1_5.
    pub verify_pkcs1v15: Box<VerifyMany>,
}

/// A private key of a curve.
pub struct ManyAgreements {
    /// Its public key, so many times.
    pub public: Box<PublicMany>,
    /// The secrets shared with the owners of these public keys.
    pub agree: Box<AgreeMany>,
}

/// A key that signs on a curve.
pub struct ManySignatures {
    /// Signs.
    pub sign: Box<SignMany>,
    /// Verifies with the public key, which was read before.
    pub verify: Box<VerifyMany>,
}
