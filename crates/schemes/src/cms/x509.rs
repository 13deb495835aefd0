//! The three things encryption needs from a certificate (RFC 5280): who, which key, which key identifier.
//!
//! Nothing is verified: a certificate is a public key with a name here, as it is for `openssl cms -encrypt`.

use super::Error;
use super::ber::{self, Reader};
use super::names;

const MAX: usize = 1 << 20;

/// What is used of a certificate.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// IssuerAndSerialNumber, DER.
    pub issuer_and_serial: Vec<u8>,
    /// SubjectPublicKeyInfo, DER.
    pub spki: Vec<u8>,
    /// The subject key identifier extension.
    pub key_id: Option<Vec<u8>>,
}

impl Certificate {
    /// Reads a DER certificate.
    pub fn from_der(der: &[u8]) -> Result<Certificate, Error> {
        let mut r = Reader::new(der);
        r.enter(ber::SEQUENCE)?;
        r.enter(ber::SEQUENCE)?;
        if r.peek()? == Some(ber::context(0)) {
            r.whole(16)?;
        }
        if r.peek()? != Some(ber::INTEGER) {
            return Err(Error::Malformed("not a certificate"));
        }
        let serial = r.whole(64)?;
        r.whole(MAX)?; // signature algorithm
        let issuer = r.whole(MAX)?;
        r.whole(64)?; // validity
        r.whole(MAX)?; // subject
        let spki = r.whole(MAX)?;
        let mut key_id = None;
        while let Some(tag) = r.peek()? {
            if tag == ber::context(3) {
                key_id = read_key_id(&mut r)?;
            } else {
                r.whole(MAX)?; // unique identifiers
            }
        }
        r.leave()?;
        r.skip_out()?;
        r.finish()?;
        Ok(Certificate {
            issuer_and_serial: ber::element(ber::SEQUENCE, &[&issuer, &serial]),
            spki,
            key_id,
        })
    }
}

/// Looks for the subject key identifier among the extensions.
fn read_key_id(r: &mut Reader<&[u8]>) -> Result<Option<Vec<u8>>, Error> {
    let mut key_id = None;
    r.enter(ber::context(3))?;
    r.enter(ber::SEQUENCE)?;
    while r.peek()?.is_some() {
        r.enter(ber::SEQUENCE)?;
        let oid = r.oid()?;
        if oid == names::SUBJECT_KEY_IDENTIFIER && r.peek()? == Some(ber::OCTET_STRING) {
            let value = r.primitive(ber::OCTET_STRING, 256)?;
            key_id = Some(Reader::new(&value[..]).primitive(ber::OCTET_STRING, 256)?);
        }
        r.skip_out()?;
    }
    r.leave()?;
    r.leave()?;
    Ok(key_id)
}

/// The key identifier of RFC 5280 section 4.2.1.2, method 1: SHA-1 of the bits of the public key.
pub fn key_id_of_spki(spki: &[u8]) -> Result<Vec<u8>, Error> {
    let mut r = Reader::new(spki);
    r.enter(ber::SEQUENCE)?;
    r.whole(MAX)?;
    let bits = r.primitive(ber::BIT_STRING, MAX)?;
    let key = bits
        .strip_prefix(&[0])
        .ok_or(Error::Malformed("not a public key"))?;
    Ok(crate::hash::Hash::Sha1.digest(key))
}
