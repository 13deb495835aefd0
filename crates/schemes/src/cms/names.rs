//! Object identifiers, and the algorithms they stand for.

use super::ber::{self, Reader};
use super::{Error, cbc};
use crate::hash::Hash;

pub const DATA: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01";
pub const ENVELOPED_DATA: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x03";
pub const AUTH_ENVELOPED_DATA: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x09\x10\x01\x17";
pub const SUBJECT_KEY_IDENTIFIER: &[u8] = b"\x55\x1d\x0e";
pub const EC_PUBLIC_KEY: &[u8] = b"\x2a\x86\x48\xce\x3d\x02\x01";
pub const X25519: &[u8] = b"\x2b\x65\x6e";
pub const X448: &[u8] = b"\x2b\x65\x6f";
pub const PBKDF2: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x05\x0c";
/// The arc of HMAC; one byte follows.
pub const HMAC: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x02";
/// The arc of AES; one byte follows.
pub const AES: &[u8] = b"\x60\x86\x48\x01\x65\x03\x04\x01";
/// The arc of S/MIME's algorithms; one byte follows.
pub const SMIME_ALG: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x09\x10\x03";
const RSA_ENCRYPTION: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01";
const RSAES_OAEP: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x01\x07";
const MGF1: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x01\x08";
const P_SPECIFIED: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x01\x09";
const TRIPLE_DES: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x03\x07";

/// Other identifiers that may occur, and their usual names.
const KNOWN: &[(&[u8], &str)] = &[
    (DATA, "data"),
    (b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02", "SignedData"),
    (ENVELOPED_DATA, "EnvelopedData"),
    (b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x05", "DigestedData"),
    (b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x06", "EncryptedData"),
    (
        b"\x2a\x86\x48\x86\xf7\x0d\x01\x09\x10\x01\x02",
        "AuthenticatedData",
    ),
    (b"\x2a\x86\x48\x86\xf7\x0d\x01\x09\x10\x01\x04", "TSTInfo"),
    (
        b"\x2a\x86\x48\x86\xf7\x0d\x01\x09\x10\x01\x09",
        "CompressedData",
    ),
    (AUTH_ENVELOPED_DATA, "AuthEnvelopedData"),
    (b"\x2b\x0e\x03\x02\x07", "DES-CBC"),
    (b"\x2a\x86\x48\x86\xf7\x0d\x03\x02", "RC2-CBC"),
    (b"\x2a\x86\x48\x86\xf7\x0d\x03\x04", "RC4"),
    (b"\x60\x86\x48\x01\x65\x03\x04\x01\x07", "AES-128-CCM"),
    (b"\x60\x86\x48\x01\x65\x03\x04\x01\x1b", "AES-192-CCM"),
    (b"\x60\x86\x48\x01\x65\x03\x04\x01\x2f", "AES-256-CCM"),
    (
        b"\x2a\x86\x48\x86\xf7\x0d\x01\x09\x10\x03\x12",
        "ChaCha20-Poly1305",
    ),
    (
        b"\x2a\x83\x08\x8c\x9a\x4b\x3d\x01\x01\x01\x02",
        "Camellia-128-CBC",
    ),
    (
        b"\x2a\x83\x08\x8c\x9a\x4b\x3d\x01\x01\x01\x03",
        "Camellia-192-CBC",
    ),
    (
        b"\x2a\x83\x08\x8c\x9a\x4b\x3d\x01\x01\x01\x04",
        "Camellia-256-CBC",
    ),
];

/// An identifier with its name, if it has one here.
pub fn named(oid: &[u8]) -> String {
    match KNOWN.iter().find(|(known, _)| *known == oid) {
        Some((_, name)) => format!("{name} ({})", dotted(oid)),
        None => dotted(oid),
    }
}

/// An AlgorithmIdentifier.
pub fn algorithm(oid: &[u8], parameters: &[u8]) -> Vec<u8> {
    ber::element(
        ber::SEQUENCE,
        &[&ber::element(ber::OID, &[oid]), parameters],
    )
}

/// The encryption of the content key (RFC 3370 section 4.2.1, RFC 3560).
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
}

/// The encryption of the content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cipher {
    /// AES-GCM (RFC 5084).
    Gcm {
        key_len: usize,
        nonce: Vec<u8>,
        tag_len: usize,
    },
    /// AES-CBC (RFC 3565) or triple DES (RFC 3370 section 5.1).
    Cbc(cbc::Algorithm),
}

impl Cipher {
    pub fn key_len(&self) -> usize {
        match self {
            Cipher::Gcm { key_len, .. } | Cipher::Cbc(cbc::Algorithm { key_len, .. }) => *key_len,
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

/// Parameters that are NULL or omitted.
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
    algorithm(RSAES_OAEP, &parameters)
}

/// The AlgorithmIdentifier of AES-256-GCM with a tag of 16 bytes.
pub fn aes256_gcm_der(nonce: &[u8]) -> Vec<u8> {
    let nonce = ber::element(ber::OCTET_STRING, &[nonce]);
    let tag_len = ber::element(ber::INTEGER, &[&[16]]);
    algorithm(
        &[AES, &[46]].concat(),
        &ber::element(ber::SEQUENCE, &[&nonce, &tag_len]),
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
            let what = format!("key transport {}", named(&oid));
            return Err(Error::Unsupported(what));
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
        label = reader.octets(ber::OCTET_STRING, 4096)?;
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
    let cipher = match oid.strip_prefix(AES) {
        Some([6]) => read_gcm(reader, 16)?,
        Some([26]) => read_gcm(reader, 24)?,
        Some([46]) => read_gcm(reader, 32)?,
        _ => Cipher::Cbc(read_cbc_parameters(reader, &oid, "content cipher")?),
    };
    reader.leave()?;
    Ok(cipher)
}

/// GCMParameters (RFC 5084 section 3.2).
fn read_gcm<R: std::io::Read>(reader: &mut Reader<R>, key_len: usize) -> Result<Cipher, Error> {
    reader.enter(ber::SEQUENCE)?;
    let nonce = reader.octets(ber::OCTET_STRING, 64)?;
    let tag_len = match reader.peek()? {
        Some(_) => reader.number()?,
        None => 12,
    };
    reader.leave()?;
    if !(12..=16).contains(&tag_len) {
        return Err(Error::Malformed(
            "the length of the authentication tag is not 12 to 16",
        ));
    }
    Ok(Cipher::Gcm {
        key_len,
        nonce,
        tag_len: tag_len as usize,
    })
}

/// Reads the AlgorithmIdentifier of a cipher in CBC.
pub fn read_cbc<R: std::io::Read>(reader: &mut Reader<R>) -> Result<cbc::Algorithm, Error> {
    reader.enter(ber::SEQUENCE)?;
    let oid = reader.oid()?;
    let algorithm = read_cbc_parameters(reader, &oid, "cipher")?;
    reader.leave()?;
    Ok(algorithm)
}

fn read_cbc_parameters<R: std::io::Read>(
    reader: &mut Reader<R>,
    oid: &[u8],
    what: &str,
) -> Result<cbc::Algorithm, Error> {
    let (triple_des, key_len) = match oid.strip_prefix(AES) {
        Some([2]) => (false, 16),
        Some([22]) => (false, 24),
        Some([42]) => (false, 32),
        _ if oid == TRIPLE_DES => (true, 24),
        _ => return Err(Error::Unsupported(format!("{what} {}", named(oid)))),
    };
    let algorithm = cbc::Algorithm {
        triple_des,
        key_len,
        iv: reader.octets(ber::OCTET_STRING, 16)?,
    };
    if algorithm.iv.len() != algorithm.block_len() {
        return Err(Error::Malformed("an IV that is not one block"));
    }
    Ok(algorithm)
}

/// An identifier in dotted notation.
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
    fn labels_and_nonces_are_read_up_to_their_limits() {
        let octets = |len: usize| ber::element(ber::OCTET_STRING, &[&vec![7; len]]);
        let of_label = |len| {
            let source = [ber::element(ber::OID, &[P_SPECIFIED]), octets(len)].concat();
            let source = ber::element(ber::SEQUENCE, &[&source]);
            let source = ber::element(ber::context(2), &[&source]);
            let der = algorithm(RSAES_OAEP, &ber::element(ber::SEQUENCE, &[&source]));
            read_transport(&mut Reader::new(&der[..])).is_ok()
        };
        assert!(of_label(4096) && !of_label(4097));
        let of_nonce = |len| {
            let der = aes256_gcm_der(&vec![7; len]);
            read_cipher(&mut Reader::new(&der[..])).is_ok()
        };
        assert!(of_nonce(64) && !of_nonce(65));
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
