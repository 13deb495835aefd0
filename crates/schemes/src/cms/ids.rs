//! Recipient identifiers, and their comparison with a key.

use super::ber::{self, Reader, context_primitive, element};
use super::{Error, Recipient, x509};
use crate::hash::Hash;
use std::io::Read;

/// The most bytes of a name.
const MAX: usize = 64 * 1024;

// Tags of text.
const UTF8: u8 = 0x0c;
const PRINTABLE: u8 = 0x13;
const TELETEX: u8 = 0x14;
const IA5: u8 = 0x16;
const VISIBLE: u8 = 0x1a;
const BMP: u8 = 0x1e;

/// RecipientIdentifier (RFC 5652 section 6.2.1), and its siblings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Id {
    /// IssuerAndSerialNumber, in DER.
    IssuerAndSerial(Vec<u8>),
    /// A subject key identifier: any octets.
    KeyId(Vec<u8>),
}

impl Id {
    /// The name of a recipient in a new message.
    pub fn of(recipient: &Recipient) -> Id {
        match &recipient.issuer_and_serial {
            Some(issuer_and_serial) => Id::IssuerAndSerial(issuer_and_serial.clone()),
            None => Id::KeyId(recipient.key_id.clone()),
        }
    }

    /// RecipientIdentifier.
    pub fn read<R: Read>(r: &mut Reader<R>) -> Result<Id, Error> {
        match r.peek()? {
            Some(ber::SEQUENCE) => Ok(Id::IssuerAndSerial(r.der(MAX)?)),
            _ => Ok(Id::KeyId(r.octets(context_primitive(0), MAX)?)),
        }
    }
}

/// All identifiers of the owner of a key.
pub struct Names {
    issuer_and_serial: Option<Vec<u8>>,
    key_ids: Vec<Vec<u8>>,
}

impl Names {
    /// The identifiers of a public key, and of the certificate if known.
    pub fn new(spki: &[u8], certificate: Option<&Recipient>) -> Result<Names, Error> {
        let mut key_ids = x509::key_ids_of_spki(spki)?;
        key_ids.extend(certificate.map(|certificate| certificate.key_id.clone()));
        let issuer_and_serial = certificate.and_then(|c| c.issuer_and_serial.as_deref());
        Ok(Names {
            issuer_and_serial: issuer_and_serial.map(canonical),
            key_ids,
        })
    }

    /// Whether `id` is one of them.
    pub fn contain(&self, id: &Id) -> bool {
        match id {
            Id::KeyId(id) => self.key_ids.contains(id),
            Id::IssuerAndSerial(id) => {
                let own = self.issuer_and_serial.as_ref();
                own.is_some_and(|own| *own == canonical(id))
            }
        }
    }
}

/// Normalises an issuer and serial number, so that equal ones have equal bytes (RFC 5280 section 7.1): text of any type
/// in small letters with single spaces. Anything else is unchanged.
fn canonical(issuer_and_serial: &[u8]) -> Vec<u8> {
    try_canonical(issuer_and_serial).unwrap_or_else(|_| issuer_and_serial.to_vec())
}

fn try_canonical(issuer_and_serial: &[u8]) -> Result<Vec<u8>, Error> {
    let mut r = Reader::new(issuer_and_serial);
    r.enter(ber::SEQUENCE)?;
    r.enter(ber::SEQUENCE)?;
    let mut name = Vec::new();
    while r.peek()?.is_some() {
        r.enter(ber::SET)?;
        let mut attributes = Vec::new();
        while r.peek()?.is_some() {
            r.enter(ber::SEQUENCE)?;
            let kind = element(ber::OID, &[&r.oid()?]);
            let value = folded(&r.der(MAX)?)?;
            r.leave()?;
            attributes.push(element(ber::SEQUENCE, &[&kind, &value]));
        }
        r.leave()?;
        attributes.sort();
        name.extend(element(ber::SET, &[&attributes.concat()]));
    }
    r.leave()?;
    let serial = r.der(MAX)?;
    r.leave()?;
    r.finish()?;
    Ok([element(ber::SEQUENCE, &[&name]), serial].concat())
}

/// A value of a name, case-folded if it is text.
fn folded(value: &[u8]) -> Result<Vec<u8>, Error> {
    let tag = value[0];
    if ![UTF8, PRINTABLE, TELETEX, IA5, VISIBLE, BMP].contains(&tag) {
        return Ok(value.to_vec());
    }
    let bytes = Reader::new(value).primitive(tag, MAX)?;
    let text = match tag {
        TELETEX => bytes.iter().map(|byte| char::from(*byte)).collect(),
        BMP => {
            let units = bytes
                .chunks(2)
                .map(|pair| pair.iter().fold(0, |u, b| u << 8 | u16::from(*b)));
            String::from_utf16_lossy(&units.collect::<Vec<_>>())
        }
        _ => String::from_utf8_lossy(&bytes).into_owned(),
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    Ok(element(UTF8, &[words.join(" ").to_lowercase().as_bytes()]))
}

/// The usual key identifiers of a public key: RFC 5280 section 4.2.1.2, method 1; RFC 7093, methods 1 to 4.
pub fn key_ids(bits: &[u8], spki: &[u8]) -> Vec<Vec<u8>> {
    let mut ids = vec![Hash::Sha1.digest(bits)];
    for hash in [Hash::Sha256, Hash::Sha384, Hash::Sha512] {
        ids.push(hash.digest(bits)[..20].to_vec());
        ids.push(hash.digest(spki));
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issuer(tag: u8, text: &[u8], serial: u8) -> Vec<u8> {
        let common_name = element(ber::OID, &[b"\x55\x04\x03"]);
        let attribute = element(ber::SEQUENCE, &[&common_name, &element(tag, &[text])]);
        let name = element(ber::SEQUENCE, &[&element(ber::SET, &[&attribute])]);
        element(
            ber::SEQUENCE,
            &[&name, &element(ber::INTEGER, &[&[serial]])],
        )
    }

    #[test]
    fn names_are_equal_by_their_text() {
        let own = canonical(&issuer(UTF8, b"Some Body", 7));
        for (tag, text) in [
            (UTF8, &b"Some Body"[..]),
            (PRINTABLE, b"some  BODY "),
            (TELETEX, b" Some Body"),
            (BMP, b"\0S\0o\0m\0e\0 \0B\0o\0d\0y"),
        ] {
            assert_eq!(canonical(&issuer(tag, text, 7)), own, "{tag} {text:?}");
            assert_ne!(canonical(&issuer(tag, text, 8)), own, "{tag} {text:?}");
        }
        assert_ne!(canonical(&issuer(UTF8, b"SomeBody", 7)), own);
        // A number is not folded.
        let of_number = |number: &[u8]| canonical(&issuer(ber::INTEGER, number, 7));
        assert_ne!(of_number(b"A"), of_number(b"a"));
        assert_eq!(canonical(b"no name"), b"no name");
    }
}
