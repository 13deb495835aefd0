//! The parts of a certificate that encryption needs (RFC 5280): the name, the key and the key identifier.
//!
//! Nothing is verified: here, as for `openssl cms -encrypt`, a certificate is a public key with a name.

use super::ber::{self, Reader};
use super::{Error, ids, names};

const MAX: usize = 1 << 20;
const NONE: Error = Error::Malformed("not a certificate");

/// The used parts of a certificate.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// IssuerAndSerialNumber, both as the certificate has them.
    pub issuer_and_serial: Vec<u8>,
    /// SubjectPublicKeyInfo.
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
            raw(&mut r)?; // version
        }
        if r.peek()? != Some(ber::INTEGER) {
            return Err(NONE);
        }
        let serial = raw(&mut r)?;
        raw(&mut r)?; // signature algorithm
        let issuer = raw(&mut r)?;
        raw(&mut r)?; // validity
        raw(&mut r)?; // subject
        let spki = raw(&mut r)?;
        let mut key_id = None;
        while let Some(tag) = r.peek()? {
            if tag == ber::context(3) {
                key_id = read_key_id(&mut r)?;
            } else {
                raw(&mut r)?; // unique identifiers
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

fn raw(r: &mut Reader<&[u8]>) -> Result<Vec<u8>, Error> {
    r.raw(MAX)?.ok_or(NONE)
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
            let value = r.octets(ber::OCTET_STRING, MAX)?;
            key_id = Some(Reader::new(&value[..]).octets(ber::OCTET_STRING, MAX)?);
        }
        r.skip_out()?;
    }
    r.leave()?;
    r.leave()?;
    Ok(key_id)
}

/// The key identifiers that a public key may have without a certificate; new messages use the first.
pub fn key_ids_of_spki(spki: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
    let mut r = Reader::new(spki);
    r.enter(ber::SEQUENCE)?;
    raw(&mut r)?;
    let bits = r.primitive(ber::BIT_STRING, MAX)?;
    let key = bits
        .strip_prefix(&[0])
        .ok_or(Error::Malformed("not a public key"))?;
    Ok(ids::key_ids(key, spki))
}
