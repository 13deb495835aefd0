//! Signatures: two numbers, r and s.

use super::{Error, Group};
use crate::formats::{minimal, nat, uint};
use carrysave_arith::{Modulus, Nat};
use der::asn1::UintRef;
use der::{Decode, Encode};

/// A signature: the numbers r and s. It is public.
#[derive(Clone, PartialEq, Eq)]
pub struct Signature {
    r: Nat,
    s: Nat,
}

impl Signature {
    /// The signature with these numbers.
    pub fn new(r: Nat, s: Nat) -> Signature {
        let [r, s] = [r, s].map(Nat::trim_vartime);
        Signature { r, s }
    }

    /// r.
    pub fn r(&self) -> &Nat {
        &self.r
    }

    /// s.
    pub fn s(&self) -> &Nat {
        &self.s
    }

    /// r and s modulo q, unless one is 0 or not below q.
    pub(super) fn below(&self, q: &Modulus) -> Option<[Nat; 2]> {
        let [r, s] = [&self.r, &self.s].map(|x| {
            let x = Some(x).filter(|x| !x.is_zero() && x.lt(q.nat()))?;
            x.resize(q.width())
        });
        Some([r?, s?])
    }

    /// Reads `Dss-Sig-Value` (RFC 3279, 2.2.2) from DER: a sequence of r and s.
    ///
    /// # Errors
    /// [`Error::Verification`] for anything else.
    pub fn from_der(der: &[u8]) -> Result<Signature, Error> {
        match Vec::<UintRef<'_>>::from_der(der).as_deref() {
            Ok(&[r, s]) => Ok(Signature::new(nat(r), nat(s))),
            _ => Err(Error::Verification),
        }
    }

    /// Writes `Dss-Sig-Value` as DER.
    pub fn to_der(&self) -> Vec<u8> {
        let octets = [&self.r, &self.s].map(minimal);
        let numbers = octets.each_ref().map(|octets| uint(octets));
        numbers.to_der().expect("two numbers of a known size")
    }

    /// Reads r and s one after the other, each in as many big-endian octets as q has (IEEE 1363).
    ///
    /// # Errors
    /// [`Error::Verification`] for another number of octets.
    pub fn from_be_bytes(group: &Group, octets: &[u8]) -> Result<Signature, Error> {
        let len = group.order_size();
        if octets.len() != 2 * len {
            return Err(Error::Verification);
        }
        let (r, s) = octets.split_at(len);
        Ok(Signature::new(Nat::from_be_bytes(r), Nat::from_be_bytes(s)))
    }

    /// Writes r and s one after the other, each in as many big-endian octets as q has.
    ///
    /// # Panics
    /// If the signature is of another group, and too long.
    pub fn to_be_bytes(&self, group: &Group) -> Vec<u8> {
        let octets = |x: &Nat| x.to_be_bytes(group.order_size()).expect("numbers below q");
        [octets(&self.r).as_slice(), &octets(&self.s)].concat()
    }
}

impl core::fmt::Debug for Signature {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Signature")
            .field("r", &self.r.to_hex_vartime())
            .field("s", &self.s.to_hex_vartime())
            .finish()
    }
}
