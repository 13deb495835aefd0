//! Nyberg-Rueppel signatures on curves.

use super::LABEL;
use crate::STACK;
use crate::ec::ecdsa::{
    EcdsaStage, Signature, check_digest, leftmost_number, modulo_order, next_nonces, refuse_sha1,
    replace,
};
use crate::ec::{Error, Named, PrivateKey, PublicKey};
use crate::fault::{Faults, NoFaults};
use crate::hash::Hash;
use carrysave_arith::curve::{BaseTable, Point};
use carrysave_arith::field::{Fe, Field, Residue};
use carrysave_arith::{off_stack, publish};
use core::hint::black_box;
use zeroize::{Zeroize, Zeroizing};

/// The signature of the digest of a message, with a nonce derived from the digest and the key (as in RFC 6979, 3.6).
///
/// # Errors
/// [`Error::Sha1Signature`], [`Error::DigestLength`]; [`Error::Fault`] if the machine miscalculated.
///
/// # Timing
/// Depends on the curve, the hash, and the signature.
///
/// ```
/// use carrysave_schemes::{ec::{P256, PrivateKey}, hash::Hash, legacy::nr::{ecnr_sign, ecnr_verify}};
/// let key = PrivateKey::<P256>::generate();
/// let digest = Hash::Sha256.digest(b"a message");
/// let signature = ecnr_sign(&key, Hash::Sha256, &digest)?;
/// ecnr_verify(key.public(), Hash::Sha256, &digest, &signature)?;
/// # Ok::<_, carrysave_schemes::ec::Error>(())
/// ```
pub fn ecnr_sign<C: Named>(
    key: &PrivateKey<C>,
    hash: Hash,
    digest: &[u8],
) -> Result<Signature<C>, Error> {
    refuse_sha1(hash)?;
    ecnr_sign_with(key, hash, digest, &mut NoFaults)
}

/// [`ecnr_sign`] for any hash, with planted faults.
pub(crate) fn ecnr_sign_with<C: Named>(
    key: &PrivateKey<C>,
    hash: Hash,
    digest: &[u8],
    faults: &mut impl Faults<EcdsaStage>,
) -> Result<Signature<C>, Error> {
    check_digest(hash, digest)?;
    off_stack::<STACK, _>(|| {
        let mut nonces = key.nonces(hash, digest, LABEL);
        loop {
            let [nonce, again] = next_nonces::<C, _>(&mut nonces);
            let signature = sign_with_nonce(key, digest, [&nonce, &again], faults);
            if let Some(signature) = signature.transpose() {
                return signature;
            }
        }
    })
}

/// The signature with a nonce; `None` if r or s is 0, which needs another nonce. Only the signature for the nonce passes, as with
/// ECDSA: its number is counted, the point is on the curve, and s + d r = k.
fn sign_with_nonce<C: Named>(
    key: &PrivateKey<C>,
    digest: &[u8],
    [nonce, again]: [&Fe<C::Scalar>; 2],
    faults: &mut impl Faults<EcdsaStage>,
) -> Result<Option<Signature<C>>, Error> {
    let k = Zeroizing::new(replace(faults, EcdsaStage::Nonce, *nonce));
    let again = Zeroizing::new(replace(faults, EcdsaStage::Again, *again));
    let multiple = Zeroizing::new(replace(faults, EcdsaStage::Multiple, *k));
    let (point, count) = C::base().mul_counted(&multiple);
    let point = Zeroizing::new(point);
    let same = publish((count == BaseTable::<C>::count(&again)).into());
    let (mut x, mut y) = point.to_affine().ok_or(Error::Fault)?;
    x = replace(faults, EcdsaStage::Point, x);
    let on_curve = Point::<C>::from_affine(x, y).is_some();
    let [of_point, same_x] = [&x, black_box(&x)].map(|x| modulo_order::<C>(x).fe);
    x.zeroize();
    y.zeroize();
    // r = x + f mod n
    let f = replace(faults, EcdsaStage::Digest, representative::<C>(digest));
    let r = replace(faults, EcdsaStage::R, of_point + f).publish();
    // s = k - d r mod n
    let d = Zeroizing::new(replace(faults, EcdsaStage::Key, **key.d));
    let s = replace(faults, EcdsaStage::S, *k - *d * r).publish();
    let right = Zeroizing::new(s + **key.d * r);
    let fits = publish(right.equals(&again)) & r.equals(&(same_x + representative::<C>(digest)));
    match on_curve && same & fits == 1 {
        true => Ok(Signature::new(r, s)),
        false => Err(Error::Fault),
    }
}

/// Checks the signature of the digest of a message.
///
/// # Errors
/// [`Error::Verification`] if it is not valid for this key and digest; [`Error::DigestLength`].
///
/// # Timing
/// Depends on the key, the digest and the signature.
pub fn ecnr_verify<C: Named>(
    key: &PublicKey<C>,
    hash: Hash,
    digest: &[u8],
    signature: &Signature<C>,
) -> Result<(), Error> {
    check_digest(hash, digest)?;
    let (r, s) = (signature.r(), signature.s());
    // r = x(s G + r Q) + f mod n
    let sum = C::base().mul_add_vartime(s, &key.0, r);
    match sum.x_is_vartime(&(*r - representative::<C>(digest))) {
        true => Ok(()),
        false => Err(Error::Verification),
    }
}

/// f: the leftmost bits of the digest, one fewer than the order has.
fn representative<C: Named>(digest: &[u8]) -> Fe<C::Scalar> {
    leftmost_number::<C>(digest, <C::Scalar as Field>::Residue::BITS - 1)
}
