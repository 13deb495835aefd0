//! Hooks for tests: planted faults, and nonces and digests of the caller's choice.
//!
//! A fault in a private operation may reveal the key (Boneh, DeMillo, Lipton 1997), so results are checked before they
//! are released. Each operation with such a check takes [`Faults`], which replace intermediate values; outside of tests
//! they are [`NoFaults`], which cost nothing. An operation with planted faults gives the right result, or its
//! `Error::Fault`.
//!
//! ```
//! use carrysave_schemes::dl::{Error, Group, PrivateKey};
//! use carrysave_schemes::hash::Hash;
//! use carrysave_schemes::testing::{self, DsaStage, NoFaults};
//! # let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
//! let (group, _) = Group::generate_with(rng, 512, 160, Hash::Sha256, &mut || ()).unwrap();
//! let (key, hash) = (PrivateKey::generate_with(&group, rng), Hash::Sha256);
//! let digest = hash.digest(b"a message");
//! let mut faults = |_, stage, value: &carrysave_arith::Nat| {
//!     (stage == DsaStage::S).then(|| value.add_limb(1))
//! };
//! assert_eq!(testing::dsa_sign(&key, hash, &digest, &[], &mut faults), Err(Error::Fault));
//! assert!(testing::dsa_sign(&key, hash, &digest, &[], &mut NoFaults).is_ok());
//! ```

use crate::hash::Hash;
use crate::legacy::{self, esign, nr, rabin, rw};
use crate::{dl, ec, rsa};
use carrysave_arith::Nat;
use carrysave_team::Team;
use rand_core::CryptoRng;

pub use crate::dl::dsa::DsaStage;
pub use crate::ec::ecdsa::EcdsaStage;
pub use crate::ec::ed25519::Ed25519Stage;
pub use crate::fault::{Faults, NoFaults};
pub use crate::legacy::esign::EsignStage;
pub use crate::legacy::roots::RootStage;
pub use crate::rsa::primitives::RsaStage;

/// [`rsa::PrivateKey::rsadp`] with planted faults, and the powers modulo the primes by a team regardless of the plan.
///
/// # Errors
/// As [`rsa::PrivateKey::rsadp`].
///
/// # Panics
/// If a member of the team panics.
pub fn rsadp<R: CryptoRng + ?Sized>(
    key: &rsa::PrivateKey,
    team: &dyn Team,
    rng: &mut R,
    c: &Nat,
    faults: &mut impl Faults<RsaStage>,
) -> Result<Nat, rsa::Error> {
    key.private_op(team, rng, c, faults)
}

/// [`rsa::batch::rsasp1`] in lanes with planted faults, regardless of the plan.
///
/// # Errors
/// For each as [`rsa::PrivateKey::rsadp`].
///
/// # Panics
/// If there are more keys than lanes, keys of several classes, or a number that is not below its modulus.
pub fn rsadp_in_lanes<R: CryptoRng + ?Sized>(
    rng: &mut R,
    jobs: &[(&rsa::PrivateKey, &Nat)],
    faults: &mut impl Faults<RsaStage>,
) -> Vec<Result<Nat, rsa::Error>> {
    rsa::batch::private_ops(rng, jobs, faults)
}

/// [`dl::PrivateKey::dsa_sign`] with planted faults and additional data for the nonce; SHA-1 is allowed.
///
/// # Errors
/// As [`dl::PrivateKey::dsa_sign`].
pub fn dsa_sign(
    key: &dl::PrivateKey,
    hash: Hash,
    digest: &[u8],
    more: &[u8],
    faults: &mut impl Faults<DsaStage>,
) -> Result<dl::Signature, dl::Error> {
    key.dsa_sign_with(hash, digest, more, faults)
}

/// [`dl::batch::dsa_sign`] with planted faults.
///
/// # Errors
/// For each as [`dl::PrivateKey::dsa_sign`].
///
/// # Panics
/// As [`dl::batch::dsa_sign`].
pub fn dsa_sign_group(
    jobs: &[(&dl::PrivateKey, Hash, &[u8])],
    faults: &mut impl Faults<DsaStage>,
) -> Vec<Result<dl::Signature, dl::Error>> {
    dl::batch::dsa_sign_with(jobs, faults)
}

/// The DSA signature with a nonce of the caller's choice, which must never be used for another digest.
///
/// # Errors
/// [`dl::Error::Fault`] if the nonce gives no signature.
pub fn dsa_sign_with_nonce(
    key: &dl::PrivateKey,
    digest: &[u8],
    k: &Nat,
) -> Result<dl::Signature, dl::Error> {
    key.dsa_sign_with_nonce(digest, k)
}

/// [`ec::PrivateKey::ecdsa_sign_recoverable`] with planted faults and additional data for the nonce; SHA-1 is allowed.
///
/// # Errors
/// As [`ec::PrivateKey::ecdsa_sign_recoverable`].
pub fn ecdsa_sign<C: ec::Named>(
    key: &ec::PrivateKey<C>,
    hash: Hash,
    digest: &[u8],
    more: &[u8],
    faults: &mut impl Faults<EcdsaStage>,
) -> Result<(ec::ecdsa::Signature<C>, ec::ecdsa::RecoveryId), ec::Error> {
    key.ecdsa_sign_with(hash, digest, more, faults)
}

/// [`ec::PrivateKey::ecdsa_sign`] of each digest with its key, at once, also where one after the other is faster, with
/// planted faults.
///
/// # Errors
/// For each as [`ec::PrivateKey::ecdsa_sign`].
pub fn ecdsa_sign_group<C: ec::Named>(
    jobs: &[(&ec::PrivateKey<C>, Hash, &[u8])],
    faults: &mut impl Faults<EcdsaStage>,
) -> Vec<Result<ec::ecdsa::Signature<C>, ec::Error>> {
    ec::ecdsa::batch::sign_with(jobs, faults)
}

/// The ECDSA signature with a nonce of the caller's choice, in as many big-endian octets as the order has, which must
/// never be used for another digest.
///
/// # Errors
/// [`ec::Error::Fault`] if the nonce gives no signature.
pub fn ecdsa_sign_with_nonce<C: ec::Named>(
    key: &ec::PrivateKey<C>,
    digest: &[u8],
    k: &[u8],
) -> Result<ec::ecdsa::Signature<C>, ec::Error> {
    key.ecdsa_sign_with_nonce(digest, k)
}

/// [`ec::Ed25519PrivateKey::sign`] of each message with its key, at once, with planted faults.
pub fn ed25519_sign(
    jobs: &[(&ec::Ed25519PrivateKey, &[u8])],
    faults: &mut impl Faults<Ed25519Stage>,
) -> Vec<Result<ec::Ed25519Signature, ec::Error>> {
    ec::ed25519::sign_all_with(jobs, faults)
}

/// [`ec::Ed448PrivateKey::sign`] with planted faults.
///
/// # Errors
/// [`ec::Error::Fault`] if a fault was found.
pub fn ed448_sign(
    key: &ec::Ed448PrivateKey,
    message: &[u8],
    faults: &mut impl Faults<Ed25519Stage>,
) -> Result<ec::Ed448Signature, ec::Error> {
    ec::ed448::sign_with(key, message, faults)
}

/// [`nr::ecnr_sign`] with planted faults; SHA-1 is allowed.
///
/// # Errors
/// As [`nr::ecnr_sign`].
pub fn ecnr_sign<C: ec::Named>(
    key: &ec::PrivateKey<C>,
    hash: Hash,
    digest: &[u8],
    faults: &mut impl Faults<EcdsaStage>,
) -> Result<ec::ecdsa::Signature<C>, ec::Error> {
    nr::ecnr_sign_with(key, hash, digest, faults)
}

/// [`nr::sign`] with planted faults; SHA-1 is allowed.
///
/// # Errors
/// As [`nr::sign`].
pub fn nr_sign(
    key: &dl::PrivateKey,
    hash: Hash,
    digest: &[u8],
    faults: &mut impl Faults<DsaStage>,
) -> Result<dl::Signature, dl::Error> {
    nr::sign_with(key, hash, digest, faults)
}

/// [`rabin::PrivateKey::invert`] with planted faults.
///
/// # Errors
/// As [`rabin::PrivateKey::invert`].
pub fn rabin_invert<R: CryptoRng + ?Sized>(
    key: &rabin::PrivateKey,
    rng: &mut R,
    c: &Nat,
    faults: &mut impl Faults<RootStage>,
) -> Result<Nat, legacy::Error> {
    key.invert_with(rng, c, faults)
}

/// [`rw::PrivateKey::ifsp_rw`] with planted faults.
///
/// # Errors
/// As [`rw::PrivateKey::ifsp_rw`].
pub fn ifsp_rw<R: CryptoRng + ?Sized>(
    key: &rw::PrivateKey,
    rng: &mut R,
    f: &Nat,
    faults: &mut impl Faults<RootStage>,
) -> Result<Nat, legacy::Error> {
    key.ifsp_rw_with(rng, f, faults)
}

/// [`esign::PrivateKey::ifsp_esign`] with planted faults.
///
/// # Errors
/// As [`esign::PrivateKey::ifsp_esign`].
pub fn ifsp_esign<R: CryptoRng + ?Sized>(
    key: &esign::PrivateKey,
    rng: &mut R,
    f: &Nat,
    faults: &mut impl Faults<EsignStage>,
) -> Result<Nat, legacy::Error> {
    key.ifsp_esign_with(rng, f, faults)
}
