//! Object identifiers, and the algorithms they stand for.

use super::Error;
use super::ber::{self, Reader};
use crate::hash::Hash;

pub const DATA: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01";
pub const ENVELOPED_DATA: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x03";
pub const AUTH_ENVELOPED_DATA: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x09\x10\x01\x17";
pub const SUBJECT_KEY_IDENTIFIER: &[u8] = b"\x55\x1d\x0e";
const RSA_ENCRYPTION: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01";
const RSAES_OAEP: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x01\x07";
const MGF1: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x01\x08";
const P_SPECIFIED: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x01\x09";
/// The arc of AES; one byte follows.
const AES: &[u8] = b"\x60\x86\x48\x01\x65\x03\x04\x01";

/// How the content key travels (RFC 3370 section 4.2.1, RFC 3560).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transport {
    /// RSAES-PKCS1-v1_5.
    Pkcs1,
    /// RSAES-OAEP with MGF1.
    Oaep {
        hash: Hash,
        mgf: Hash,
        label: Vec<u8>,
    },
    /// Anything else, by its identifier.
    Other(Vec<u8>),
}

/// How the content is encrypted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cipher {
    /// AES-GCM (RFC 5084).
    Gcm {
        key_len: usize,
        nonce: Vec<u8>,
        tag_len: usize,
    },
    /// AES-CBC (RFC 3565).
    Cbc { key_len: usize, iv: Vec<u8> },
}

impl Cipher {
    pub fn key_len(&self) -> usize {
        match self {
            Cipher::Gcm { key_len, .. } | Cipher::Cbc { key_len, .. } => *key_len,
        }
    }
}

/// The AlgorithmIdentifier of a hash: the part of a DigestInfo between its tag and the digest's.
fn hash_der(hash: Hash) -> &'static [u8] {
    let prefix = hash.digest_info_prefix();
    &prefix[2..prefix.len() - 2]
}

fn read_hash<R: std::io::Read>(reader: &mut Reader<R>) -> Result<Hash, Error> {
    reader.enter(ber::SEQUENCE)?;
    let oid = reader.oid()?;
    read_null(reader)?;
    reader.leave()?;
    let der = ber::element(
        ber::SEQUENCE,
        &[
            &ber::element(ber::OID, &[&oid]),
            &ber::element(ber::NULL, &[]),
        ],
    );
    let known = Hash::ALL.iter().find(|hash| hash_der(**hash) == der);
    known
        .copied()
        .ok_or_else(|| Error::Unsupported(format!("hash {}", dotted(&oid))))
}

/// Parameters that are NULL or left out.
fn read_null<R: std::io::Read>(reader: &mut Reader<R>) -> Result<(), Error> {
    if reader.peek()?.is_some() {
        reader.primitive(ber::NULL, 0)?;
    }
    Ok(())
}

/// The AlgorithmIdentifier of OAEP with one hash for everything and no label (RFC 4055 section 4.1).
pub fn oaep_der(hash: Hash) -> Vec<u8> {
    let hash = hash_der(hash);
    let mgf = ber::element(ber::SEQUENCE, &[&ber::element(ber::OID, &[MGF1]), hash]);
    let parameters = ber::element(
        ber::SEQUENCE,
        &[
            &ber::element(ber::context(0), &[hash]),
            &ber::element(ber::context(1), &[&mgf]),
        ],
    );
    ber::element(
        ber::SEQUENCE,
        &[&ber::element(ber::OID, &[RSAES_OAEP]), &parameters],
    )
}

/// The AlgorithmIdentifier of AES-256-GCM with a tag of 16 bytes.
pub fn aes256_gcm_der(nonce: &[u8]) -> Vec<u8> {
    let oid = [AES, &[46]].concat();
    let parameters = [
        ber::element(ber::OCTET_STRING, &[nonce]),
        ber::element(ber::INTEGER, &[&[16]]),
    ]
    .concat();
    ber::element(
        ber::SEQUENCE,
        &[
            &ber::element(ber::OID, &[&oid]),
            &ber::element(ber::SEQUENCE, &[&parameters]),
        ],
    )
}

/// Reads a key transport's AlgorithmIdentifier.
pub fn read_transport<R: std::io::Read>(reader: &mut Reader<R>) -> Result<Transport, Error> {
    reader.enter(ber::SEQUENCE)?;
    let oid = reader.oid()?;
    let transport = match &oid[..] {
        RSA_ENCRYPTION => {
            read_null(reader)?;
            Transport::Pkcs1
        }
        RSAES_OAEP => read_oaep(reader)?,
        _ => {
            reader.skip_out()?;
            return Ok(Transport::Other(oid));
        }
    };
    reader.leave()?;
    Ok(transport)
}

/// RSAES-OAEP-params (RFC 8017 appendix A.2.1).
fn read_oaep<R: std::io::Read>(reader: &mut Reader<R>) -> Result<Transport, Error> {
    let (mut hash, mut mgf, mut label) = (Hash::Sha1, Hash::Sha1, Vec::new());
    reader.enter(ber::SEQUENCE)?;
    if reader.peek()? == Some(ber::context(0)) {
        reader.enter(ber::context(0))?;
        hash = read_hash(reader)?;
        reader.leave()?;
    }
    if reader.peek()? == Some(ber::context(1)) {
        reader.enter(ber::context(1))?;
        reader.enter(ber::SEQUENCE)?;
        let oid = reader.oid()?;
        if oid != MGF1 {
            return Err(Error::Unsupported(format!(
                "mask generation function {}",
                dotted(&oid)
            )));
        }
        mgf = read_hash(reader)?;
        reader.leave()?;
        reader.leave()?;
    }
    if reader.peek()? == Some(ber::context(2)) {
        reader.enter(ber::context(2))?;
        reader.enter(ber::SEQUENCE)?;
        let oid = reader.oid()?;
        if oid != P_SPECIFIED {
            return Err(Error::Unsupported(format!(
                "OAEP label source {}",
                dotted(&oid)
            )));
        }
        label = reader.primitive(ber::OCTET_STRING, 4096)?;
        reader.leave()?;
        reader.leave()?;
    }
    reader.leave()?;
    Ok(Transport::Oaep { hash, mgf, label })
}

/// Reads a content cipher's AlgorithmIdentifier.
pub fn read_cipher<R: std::io::Read>(reader: &mut Reader<R>) -> Result<Cipher, Error> {
    reader.enter(ber::SEQUENCE)?;
    let oid = reader.oid()?;
    let last = match oid.strip_prefix(AES) {
        Some(&[last]) => last,
        _ => 0,
    };
    let key_len = match last {
        2 | 6 => 16,
        22 | 26 => 24,
        42 | 46 => 32,
        _ => {
            return Err(Error::Unsupported(format!(
                "content cipher {}",
                dotted(&oid)
            )));
        }
    };
    let cipher = if last % 20 == 2 {
        Cipher::Cbc {
            key_len,
            iv: reader.primitive(ber::OCTET_STRING, 16)?,
        }
    } else {
        reader.enter(ber::SEQUENCE)?;
        let nonce = reader.primitive(ber::OCTET_STRING, 64)?;
        let tag_len = if reader.peek()?.is_some() {
            reader.primitive(ber::INTEGER, 1)?
        } else {
            vec![12]
        };
        reader.leave()?;
        match tag_len[..] {
            [len @ 12..=16] => Cipher::Gcm {
                key_len,
                nonce,
                tag_len: len.into(),
            },
            _ => {
                return Err(Error::Malformed(
                    "the length of the authentication tag is not 12 to 16",
                ));
            }
        }
    };
    reader.leave()?;
    Ok(cipher)
}

/// An identifier as people write it.
pub fn dotted(oid: &[u8]) -> String {
    let mut arcs = Vec::new();
    let mut value = 0u128;
    for byte in oid {
        value = value << 7 | u128::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            if arcs.is_empty() {
                let first = (value / 40).min(2);
                arcs.push(first.to_string());
                value -= 40 * first;
            }
            arcs.push(value.to_string());
            value = 0;
        }
    }
    arcs.join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_read_as_published() {
        assert_eq!(dotted(AUTH_ENVELOPED_DATA), "1.2.840.113549.1.9.16.1.23");
        assert_eq!(dotted(&[AES, &[46]].concat()), "2.16.840.1.101.3.4.1.46");
        assert_eq!(dotted(SUBJECT_KEY_IDENTIFIER), "2.5.29.14");
    }

    #[test]
    fn every_hash_is_read_as_it_was_written() {
        for &hash in Hash::ALL {
            let der = oaep_der(hash);
            let read = read_transport(&mut Reader::new(&der[..])).unwrap();
            assert_eq!(
                read,
                Transport::Oaep {
                    hash,
                    mgf: hash,
                    label: Vec::new()
                }
            );
        }
    }
}
