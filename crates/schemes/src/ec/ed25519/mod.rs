//! Ed25519 (RFC 8032, 5.1; FIPS 186-5, 7), with a context and of prehashed messages too, and the rules by which
//! signatures are accepted.
//!
//! ```
//! use carrysave_schemes::ec::Ed25519PrivateKey;
//! let key = Ed25519PrivateKey::generate();
//! let signature = key.sign(b"the message");
//! key.public().verify(b"the message", &signature)?;
//! assert!(key.public().verify(b"another message", &signature).is_err());
//! # Ok::<_, carrysave_schemes::ec::Error>(())
//! ```
//!
//! # Rules
//!
//! RFC 8032 leaves open which of the signatures are accepted that no honest signer makes: those whose point R, or whose
//! key, is not a multiple of the base point. So programs differ, and a protocol in which all must agree needs one rule.
//! Each is accepted by the next:
//!
//! | function | the rule of |
//! | --- | --- |
//! | [`verify_strict`](Ed25519PublicKey::verify_strict) | ed25519-dalek's function of this name: as the next, and no point of small order |
//! | [`verify`](Ed25519PublicKey::verify), [`verify_each`] | OpenSSL, BoringSSL, ring, Go, ed25519-dalek: `[s]B - [k]A` encodes to R |
//! | [`verify_zip215`](Ed25519PublicKey::verify_zip215), [`verify_batch`] | ZIP 215: with the cofactor 8, `[8][s]B = [8]R + [8][k]A`, and points in any encoding |
//!
//! All refuse an s that is not below L. Only the last may verify signatures together, as single and batch verdicts must not
//! differ. The equation with the cofactor is that of FIPS 186-5, 7.7.2.

mod batch;
mod hash;
mod key;
mod openssh;
mod sign;
mod signature;
pub mod task;
mod verify;

pub use batch::{verify_batch, verify_batch_with};
pub use key::{Ed25519PrivateKey, Ed25519PublicKey};
pub use sign::Ed25519Stage;
pub(crate) use sign::sign_all_with;
pub use signature::Ed25519Signature;
pub use verify::verify_each;
use verify::verify_each_zip215;

use carrysave_arith::{curve::Edwards25519Order, field::Fe};

/// A number modulo the order of the base point.
type Scalar = Fe<Edwards25519Order>;
