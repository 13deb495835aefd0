//! Nyberg-Rueppel signatures (Nyberg, Rueppel 1993; IEEE 1363-2000, 6.2.5 and 7.2.5, DLSP-NR and ECSP-NR), compatible with
//! Crypto++'s `NR<H>` and `ECNR<ECP, H>`. Legacy: use [DSA](crate::dl) or [ECDSA](crate::ec::ecdsa).
//!
//! Keys are those of [`dl`](crate::dl) and [`ec`](crate::ec), in files as for DSA and ECDSA. Nonces differ from those of DSA
//! and ECDSA, as two signatures with one nonce reveal the key.
//!
//! ```
//! use carrysave_schemes::{dl::{Group, PrivateKey}, hash::Hash, legacy::nr};
//! # let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
//! // 512 bits keep this example quick; take 2048 and 256, or more, for a group to use.
//! let (group, _) = Group::generate_with(rng, 512, 160, Hash::Sha256, &mut || ()).unwrap();
//! let key = PrivateKey::generate_with(&group, rng);
//! let digest = Hash::Sha256.digest(b"a message");
//! let signature = nr::sign(&key, Hash::Sha256, &digest).unwrap();
//! nr::verify(key.public(), Hash::Sha256, &digest, &signature).unwrap();
//! ```

mod ecnr;

pub(crate) use ecnr::ecnr_sign_with;
pub use ecnr::{ecnr_sign, ecnr_verify};

use crate::dl::dsa::{DsaStage, bits2int, check_digest, nonce, refuse_sha1};
use crate::dl::powers::{NoncePower, nonce_powers};
use crate::dl::{Error, PrivateKey, PublicKey, Signature};
use crate::fault::{Faults, NoFaults};
use crate::hash::Hash;
use carrysave_arith::{Modulus, Nat};
use core::slice;

/// Additional data for the nonce, so that it differs from DSA's.
const LABEL: &[u8] = b"DL/ECSSA-NR";

/// The signature of the digest of a message, with a nonce derived from the digest and the key (as in RFC 6979, 3.6).
///
/// A key that signs repeatedly gets tables, as for [`PrivateKey::dsa_sign`].
///
/// # Errors
/// [`Error::Sha1Signature`], [`Error::DigestLength`]; [`Error::Fault`] if the machine miscalculated.
///
/// # Timing
/// Depends on the group, the hash, and the signature.
pub fn sign(key: &PrivateKey, hash: Hash, digest: &[u8]) -> Result<Signature, Error> {
    refuse_sha1(hash)?;
    sign_with(key, hash, digest, &mut NoFaults)
}

/// [`sign`] for any hash, with planted faults.
pub(crate) fn sign_with(
    key: &PrivateKey,
    hash: Hash,
    digest: &[u8],
    faults: &mut impl Faults<DsaStage>,
) -> Result<Signature, Error> {
    check_digest(hash, digest)?;
    let q = key.group().order();
    let [nonce, again] = nonce(key, hash, digest, LABEL);
    let of = NoncePower {
        key,
        nonce: faults.replace(0, DsaStage::Nonce, nonce),
        again: faults.replace(0, DsaStage::Again, again),
    };
    // r = (g^k mod p) + f mod q
    let [power, check] = nonce_powers(slice::from_ref(&of)).remove(0);
    let power = faults.replace(0, DsaStage::Power, power);
    let f = faults.replace(0, DsaStage::Digest, representative(q, digest));
    let r = q.add(&q.reduce(&power), &f);
    let r = faults.replace(0, DsaStage::R, r);
    // s = k - x r mod q
    let x = || key.x().resize(q.width()).expect("x < q");
    let exponent = faults.replace(0, DsaStage::Exponent, x());
    let s = q.sub(&of.nonce, &q.mul(&exponent, &r));
    let s = faults.replace(0, DsaStage::S, s).publish();
    let r = r.publish();
    // Only the signature for the nonce passes, as with DSA. An r of 0, with a chance of 1 in 2^160, does not verify.
    let fits = !r.is_zero()
        && s.lt(q.nat())
        && r == q.add(&q.reduce(&power), &representative(q, digest))
        && q.add(&s, &q.mul(&x(), &r)) == of.again;
    match fits && power == check {
        true => Ok(Signature::new(r, s)),
        false => Err(Error::Fault),
    }
}

/// Checks the signature of the digest of a message.
///
/// # Errors
/// [`Error::Verification`] if it is not valid for this key and digest; [`Error::DigestLength`].
pub fn verify(
    key: &PublicKey,
    hash: Hash,
    digest: &[u8],
    signature: &Signature,
) -> Result<(), Error> {
    check_digest(hash, digest)?;
    let q = key.group().order();
    let (r, s) = (signature.r(), signature.s());
    if r.is_zero() || !r.lt(q.nat()) || !s.lt(q.nat()) {
        return Err(Error::Verification);
    }
    // r = (g^s y^r mod p) + f mod q
    let power = key.power_product_vartime(s, r);
    match q.add(&q.reduce(&power), &representative(q, digest)) == *r {
        true => Ok(()),
        false => Err(Error::Verification),
    }
}

/// f: the leftmost bits of the digest, one fewer than q has.
fn representative(q: &Modulus, digest: &[u8]) -> Nat {
    let f = bits2int(digest, q.bits() - 1);
    f.resize(q.width()).expect("below q")
}
