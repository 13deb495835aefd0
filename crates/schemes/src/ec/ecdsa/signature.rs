//! Signatures: two numbers, r and s, in their two encodings.

use super::super::{Error, Named, PublicKey};
use super::{check_digest, number};
use crate::formats::uint;
use crate::hash::Hash;
use carrysave_arith::curve::Point;
use carrysave_arith::field::{Fe, Field, Residue};
use core::fmt;
use der::asn1::UintRef;
use der::{Decode, Encode};

/// A signature: the numbers r and s, from 1 to below the order of the curve. It is public.
pub struct Signature<C: Named> {
    r: Fe<C::Scalar>,
    s: Fe<C::Scalar>,
}

impl<C: Named> Signature<C> {
    /// The octets of a number.
    const LEN: usize = size_of::<<C::Scalar as Field>::Bytes>();

    /// The signature with these numbers, unless one is 0.
    pub(crate) fn new(r: Fe<C::Scalar>, s: Fe<C::Scalar>) -> Option<Self> {
        (!r.is_zero() && !s.is_zero()).then_some(Signature { r, s })
    }

    /// The signature with these numbers in big-endian octets, as many as the order takes.
    fn of(r: &[u8], s: &[u8]) -> Result<Self, Error> {
        let [r, s] = [r, s].map(|octets| Fe::from_be_bytes(octets).ok_or(Error::Verification));
        Signature::new(r?, s?).ok_or(Error::Verification)
    }

    /// r.
    pub fn r(&self) -> &Fe<C::Scalar> {
        &self.r
    }

    /// s.
    pub fn s(&self) -> &Fe<C::Scalar> {
        &self.s
    }

    /// Reads `ECDSA-Sig-Value` (RFC 3279, 2.2.3) from DER: a sequence of r and s.
    ///
    /// # Errors
    /// [`Error::Verification`] for anything else, and for numbers that are 0 or not below the order.
    pub fn from_der(der: &[u8]) -> Result<Self, Error> {
        let numbers = Vec::<UintRef<'_>>::from_der(der).map_err(|_| Error::Verification)?;
        let &[r, s] = &numbers[..] else {
            return Err(Error::Verification);
        };
        let padded = |number: UintRef<'_>| {
            let octets = number.as_bytes();
            let zeros = Self::LEN.checked_sub(octets.len());
            let zeros = vec![0; zeros.ok_or(Error::Verification)?];
            Ok([zeros.as_slice(), octets].concat())
        };
        Signature::of(&padded(r)?, &padded(s)?)
    }

    /// Writes `ECDSA-Sig-Value` as DER.
    pub fn to_der(&self) -> Vec<u8> {
        let octets = [self.r, self.s].map(|number| number.to_be_bytes());
        let numbers = octets.each_ref().map(|octets| {
            let octets = octets.as_ref();
            let zeros = octets.iter().take_while(|&&octet| octet == 0).count();
            uint(&octets[zeros..])
        });
        numbers.to_der().expect("two numbers of a known size")
    }

    /// Reads r and s one after the other, each in as many big-endian octets as the order has (IEEE P1363; also the form of
    /// JSON Web Signatures, RFC 7518, 3.4, and of WebCrypto).
    ///
    /// # Errors
    /// [`Error::Verification`] for another number of octets, and for numbers that are 0 or not below the order.
    pub fn from_be_bytes(octets: &[u8]) -> Result<Self, Error> {
        match octets.split_at_checked(Self::LEN) {
            Some((r, s)) => Signature::of(r, s),
            None => Err(Error::Verification),
        }
    }

    /// Writes r and s one after the other, each in as many big-endian octets as the order has.
    pub fn to_be_bytes(&self) -> Vec<u8> {
        let [r, s] = [self.r, self.s].map(|number| number.to_be_bytes());
        [r.as_ref(), s.as_ref()].concat()
    }

    /// Whether s is at most half of the order, as Bitcoin and Ethereum ask for.
    pub fn is_low(&self) -> bool {
        let (s, other) = (self.s.to_be_bytes(), (-self.s).to_be_bytes());
        s.as_ref() <= other.as_ref()
    }

    /// Of the two valid signatures with this r, the one with the lower s.
    #[must_use]
    pub fn to_low(&self) -> Self {
        let s = if self.is_low() { self.s } else { -self.s };
        Signature { r: self.r, s }
    }

    /// The public key with which this signature of a digest is valid (SEC 1, 4.1.6).
    ///
    /// # Errors
    /// [`Error::Verification`] if there is none, [`Error::DigestLength`].
    ///
    /// # Timing
    /// Depends on the digest and the signature.
    ///
    /// ```
    /// use carrysave_schemes::ec::{PrivateKey, Secp256k1};
    /// use carrysave_schemes::hash::Hash;
    /// let key = PrivateKey::<Secp256k1>::generate();
    /// let digest = Hash::Sha256.digest(b"a message");
    /// let (signature, id) = key.ecdsa_sign_recoverable(Hash::Sha256, &digest)?;
    /// assert_eq!(signature.recover(id, Hash::Sha256, &digest)?, *key.public());
    /// let (low, id) = (signature.to_low(), id.of_low(&signature));
    /// assert_eq!(low.recover(id, Hash::Sha256, &digest)?, *key.public());
    /// # Ok::<_, carrysave_schemes::ec::Error>(())
    /// ```
    pub fn recover(
        &self,
        id: RecoveryId,
        hash: Hash,
        digest: &[u8],
    ) -> Result<PublicKey<C>, Error> {
        check_digest(hash, digest)?;
        let x = self.x(id.reduced).ok_or(Error::Verification)?;
        let point = Point::from_x_vartime(x, id.odd).ok_or(Error::Verification)?;
        let inverse = self.r.inv();
        let (u, v) = (-number::<C>(digest) * inverse, self.s * inverse);
        let key = C::base().mul_add_vartime(&u, &point, &v).to_affine();
        let (x, y) = key.ok_or(Error::Verification)?;
        let point = Point::from_affine(x, y).ok_or(Error::Verification)?;
        Ok(PublicKey(point))
    }

    /// The x-coordinate that is r modulo the order, below the order or from it on.
    fn x(&self, reduced: bool) -> Option<Fe<C::Base>> {
        let mut octets = self.r.to_be_bytes();
        let mut carry = 0;
        if reduced {
            let order = <C::Scalar as Field>::Residue::MODULUS;
            for (i, octet) in octets.as_mut().iter_mut().rev().enumerate() {
                carry += u16::from(*octet) + u16::from((order[i / 8] >> (8 * (i % 8))) as u8);
                *octet = carry as u8;
                carry >>= 8;
            }
        }
        Fe::from_be_bytes(octets.as_ref()).filter(|_| carry == 0)
    }
}

/// Which of the points with an x-coordinate that is r modulo the order made a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecoveryId {
    reduced: bool,
    odd: bool,
}

impl RecoveryId {
    pub(super) fn new(reduced: bool, odd: bool) -> Self {
        RecoveryId { reduced, odd }
    }

    /// The id with this number from 0 to 3: 1 where the y-coordinate is odd, plus 2 where the x-coordinate is not below
    /// the order. `None` for other numbers.
    pub fn from_byte(byte: u8) -> Option<Self> {
        (byte < 4).then_some(RecoveryId::new(byte & 2 != 0, byte & 1 != 0))
    }

    /// The number, from 0 to 3.
    pub fn to_byte(self) -> u8 {
        u8::from(self.reduced) << 1 | u8::from(self.odd)
    }

    /// The id for [`Signature::to_low`], if this one is for the signature as it is.
    #[must_use]
    pub fn of_low<C: Named>(self, signature: &Signature<C>) -> Self {
        RecoveryId::new(self.reduced, self.odd ^ !signature.is_low())
    }
}

impl<C: Named> Clone for Signature<C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: Named> Copy for Signature<C> {}

impl<C: Named> PartialEq for Signature<C> {
    fn eq(&self, other: &Self) -> bool {
        self.r == other.r && self.s == other.s
    }
}

impl<C: Named> Eq for Signature<C> {}

impl<C: Named> fmt::Debug for Signature<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hex = |number: &Fe<C::Scalar>| {
            let octets = number.to_be_bytes();
            let digits = octets.as_ref().iter().map(|octet| format!("{octet:02x}"));
            digits.collect::<String>()
        };
        f.debug_struct("Signature")
            .field("curve", &C::NAME)
            .field("r", &hex(&self.r))
            .field("s", &hex(&self.s))
            .finish()
    }
}
