//! Schemes on discrete logarithms in GF(p)*: groups and their parameters, key pairs and their files, Diffie-Hellman,
//! DSA.
//!
//! A [`Group`] is a standard one ([`Named`]), has given parameters, or is new; groups and keys are checked when they
//! are made. The schemes are methods of [`PrivateKey`] and [`PublicKey`], as one key pair serves all of them; use a key
//! for one scheme only.
//!
//! ```
//! use carrysave_schemes::dl::{Named, PrivateKey};
//! let group = Named::Ffdhe2048.group();
//! let (alice, bob) = (PrivateKey::generate(&group), PrivateKey::generate(&group));
//! assert_eq!(alice.agree(bob.public()), bob.agree(alice.public()));
//! ```

mod base;
pub mod batch;
mod dh;
pub(crate) mod dsa;
mod error;
mod formats;
mod generate;
mod group;
mod key;
mod named;
mod parameters;
pub(crate) mod powers;
mod signature;
pub mod task;
mod traits;

pub use crate::KeyError;
pub use error::Error;
pub use formats::Form;
pub use generate::DomainSeed;
pub use group::Group;
pub use key::{PrivateKey, PublicKey};
pub use named::{Named, UnknownGroup};
pub use parameters::Parameters;
pub use signature::Signature;
pub use traits::{SigningKey, VerifyingKey};
