//! The reader of key files of any format, which returns keys in their normal forms.

use super::pbes::Password;
use super::{DSA, EC, FormatError, Kind, Locked, Notes, ber, kind, openssh, pbes, pem, pkcs12};
use super::{private_key_info, public_key_info};
use crate::KeyError;
use crate::STACK;
use carrysave_arith::off_stack;
use der::asn1::{AnyRef, ContextSpecific, ObjectIdentifier, OctetStringRef, UintRef};
use der::{Decode, Encode, Reader, SliceReader, TagNumber};
use spki::AlgorithmIdentifierRef;
use zeroize::Zeroizing;

const KEY: &str = "a key or certificate";
const FOREIGN: &str = "it is neither PEM, nor the DER of a key, nor a line of OpenSSH's";

/// A key in its normal form.
#[derive(Clone)]
pub(crate) enum Item {
    /// `PrivateKeyInfo`.
    Private(Zeroizing<Vec<u8>>),
    /// `SubjectPublicKeyInfo`.
    Public(Vec<u8>),
    /// `Certificate`.
    Certificate(Vec<u8>),
}

/// An entry of a file.
pub(crate) struct Found {
    /// The number of its first line, from 1; 0 if the file has no lines.
    pub(crate) line: usize,
    pub(crate) item: Result<Item, Locked>,
    pub(crate) notes: Notes,
}

impl Found {
    fn new(line: usize, item: Result<Item, Locked>) -> Found {
        Found {
            line,
            item,
            notes: Notes::new(),
        }
    }
}

fn refuse(why: impl ToString) -> Locked {
    FormatError::new(KEY, why).into()
}

/// All entries of a file in order, at least one. Without a password, encrypted entries are not decrypted.
pub(crate) fn open(bytes: &[u8], password: Option<&[u8]>) -> Vec<Found> {
    off_stack::<STACK, _>(|| opened(bytes, password))
}

fn opened(bytes: &[u8], password: Option<&[u8]>) -> Vec<Found> {
    let (mut found, password) = (Vec::new(), &mut Password::new(password));
    if bytes.first() == Some(&0x30)
        && let Some(der) = ber::to_der(bytes)
    {
        plain(&der, 0, password, None, &mut found);
        return found;
    }
    let mut curve = None;
    for block in pem::blocks(bytes) {
        match block {
            Ok(block) => labelled_block(&block, password, &mut curve, &mut found),
            Err(pem::Damaged { line, why }) => found.push(Found::new(line, Err(refuse(why)))),
        }
    }
    if found.is_empty() && curve.is_some() {
        let why = "it has the parameters of a curve, and no key";
        found.push(Found::new(1, Err(refuse(why))));
    }
    if found.is_empty() {
        lines(bytes, &mut found);
    }
    found
}

/// The entry in a PEM block, by its label where that matters, else by its contents.
fn labelled_block(
    block: &pem::Block<'_>,
    password: &mut Password<'_>,
    curve: &mut Option<ObjectIdentifier>,
    found: &mut Vec<Found>,
) {
    let pem::Block {
        label,
        line,
        headers,
        der,
    } = block;
    let header = |name: &str| {
        let header = headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name));
        header.map(|(_, value)| *value)
    };
    match *label {
        // Parameters often precede the key.
        "EC PARAMETERS" => *curve = ObjectIdentifier::from_der(der).ok(),
        openssh::LABEL => {
            let key = openssh::private(der, password).map(Item::Private);
            found.push(Found::new(*line, key));
        }
        "CERTIFICATE REQUEST" | "NEW CERTIFICATE REQUEST" => {
            let why = "it is a request for a certificate; take its key with `openssl req -noout -pubkey -in FILE`";
            found.push(Found::new(*line, Err(refuse(why))));
        }
        // OpenSSL's trust settings follow it.
        "TRUSTED CERTIFICATE" => {
            let first = SliceReader::new(der).and_then(|mut reader| AnyRef::decode(&mut reader));
            match first.map(super::joined) {
                Ok(first) => plain(&first, *line, password, None, found),
                Err(e) => found.push(Found::new(*line, Err(refuse(e)))),
            }
        }
        label
            if label.ends_with("KEY")
                || label.ends_with("CERTIFICATE")
                || label.starts_with("PKCS12") =>
        {
            let encrypted = header("Proc-Type").is_some_and(|value| value.ends_with("ENCRYPTED"));
            if encrypted {
                let hidden = header("DEK-Info").unwrap_or_default();
                match pbes::decrypt_traditional(hidden, der, password) {
                    Ok(der) => {
                        plain(&der, *line, &mut Password::new(None), *curve, found);
                        found.iter_mut().for_each(|found| {
                            if found.line == *line {
                                found.notes.push(pbes::WEAK);
                            }
                        });
                    }
                    Err(e) => found.push(Found::new(*line, Err(e))),
                }
                return;
            }
            match ber::to_der(der) {
                Some(der) => plain(&der, *line, password, *curve, found),
                None => {
                    let why = format!("the PEM block \"{label}\" does not hold one ASN.1 element");
                    found.push(Found::new(*line, Err(refuse(why))));
                }
            }
        }
        label => found.push(Found::new(
            *line,
            Err(refuse(format_args!("its label is \"{label}\""))),
        )),
    }
}

/// The entry in a DER element.
fn plain(
    der: &[u8],
    line: usize,
    password: &mut Password<'_>,
    curve: Option<ObjectIdentifier>,
    found: &mut Vec<Found>,
) {
    let mut notes = Notes::new();
    let item = match kind(der) {
        Some(Kind::Pkcs8) => Ok(Item::Private(Zeroizing::new(der.to_vec()))),
        Some(Kind::Spki) => Ok(Item::Public(der.to_vec())),
        Some(Kind::Certificate) => Ok(Item::Certificate(der.to_vec())),
        Some(Kind::Pkcs1Private) => Ok(Item::Private(private_key_info(
            pkcs1::ALGORITHM_ID,
            der,
            None,
        ))),
        Some(Kind::Pkcs1Public) => Ok(Item::Public(public_key_info(pkcs1::ALGORITHM_ID, der))),
        Some(Kind::Sec1) => sec1(der, curve).map(Item::Private),
        Some(Kind::Dsa) => dsa(der).map(Item::Private),
        Some(Kind::EncryptedPkcs8) => pbes::decrypt(der, password).map(|(key, weak)| {
            notes.extend(weak.then_some(pbes::WEAK));
            Item::Private(key)
        }),
        Some(Kind::Pkcs12) => match pkcs12::open(der, password) {
            Ok((items, _)) if items.is_empty() => Err(refuse(
                "it is a PKCS #12 store without a key or certificate",
            )),
            Ok((items, weak)) => {
                let notes: Notes = weak.then_some(pbes::WEAK).into_iter().collect();
                found.extend(items.into_iter().map(|item| Found {
                    line,
                    item: Ok(item),
                    notes: notes.clone(),
                }));
                return;
            }
            Err(e) => Err(e),
        },
        None => Err(refuse("its ASN.1 is that of something else, or damaged")),
    };
    found.push(Found { line, item, notes });
}

/// `ECPrivateKey` (RFC 5915) as `PrivateKeyInfo`. The curve is named in it, or in a block before it.
fn sec1(der: &[u8], curve: Option<ObjectIdentifier>) -> Result<Zeroizing<Vec<u8>>, Locked> {
    let mut reader = SliceReader::new(der).map_err(refuse)?;
    let named = reader
        .sequence(|reader| {
            u8::decode(reader)?;
            <&OctetStringRef>::decode(reader)?;
            let named = ContextSpecific::<ObjectIdentifier>::decode_explicit(reader, TagNumber(0))?;
            reader.read_slice(reader.remaining_len())?;
            Ok::<_, der::Error>(named)
        })
        .map_err(|e| refuse(format_args!("its curve is not named by an identifier ({e}); convert it with `openssl ec -param_enc named_curve`")))?;
    let curve = named.map(|named| named.value).or(curve);
    let curve = curve.ok_or_else(|| refuse("its curve is not named"))?;
    let algorithm = AlgorithmIdentifierRef {
        oid: EC,
        parameters: Some(AnyRef::from(&curve)),
    };
    Ok(private_key_info(algorithm, der, None))
}

/// OpenSSL's own form of a DSA key, `SEQUENCE { 0, p, q, g, y, x }`, as `PrivateKeyInfo` with the public key.
fn dsa(der: &[u8]) -> Result<Zeroizing<Vec<u8>>, Locked> {
    let numbers = Vec::<UintRef<'_>>::from_der(der).map_err(refuse)?;
    let [_, p, q, g, y, x] = numbers[..] else {
        return Err(refuse("it does not have six numbers"));
    };
    let group = [p, q, g].to_der().map_err(refuse)?;
    let algorithm = AlgorithmIdentifierRef {
        oid: DSA,
        parameters: Some(AnyRef::try_from(&group[..]).map_err(refuse)?),
    };
    let x = Zeroizing::new(x.to_der().map_err(refuse)?);
    Ok(private_key_info(
        algorithm,
        &x,
        Some(&y.to_der().map_err(refuse)?),
    ))
}

/// OpenSSH's lines, one a key, with empty lines and comments between them.
fn lines(bytes: &[u8], found: &mut Vec<Found>) {
    let Ok(text) = str::from_utf8(pem::unmarked(bytes)) else {
        found.push(Found::new(0, Err(refuse(FOREIGN))));
        return;
    };
    for (i, text) in text.lines().enumerate() {
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let item = match openssh::line(text) {
            Some(line) => openssh::public(&line)
                .map(Item::Public)
                .map_err(Locked::from),
            None => Err(refuse(FOREIGN)),
        };
        let foreign = item.is_err() && found.is_empty() && openssh::line(text).is_none();
        found.push(Found::new(if foreign { 0 } else { i + 1 }, item));
        if foreign {
            return;
        }
    }
    if found.is_empty() {
        found.push(Found::new(0, Err(refuse(FOREIGN))));
    }
}

/// The first entry of a file that `read` accepts, else the error that says most.
pub(crate) fn first<K>(
    bytes: &[u8],
    password: Option<&[u8]>,
    read: impl Fn(Item) -> Result<K, KeyError>,
) -> Result<K, KeyError> {
    let mut refused: Option<KeyError> = None;
    for Found { item, .. } in open(bytes, password) {
        match item.map_err(KeyError::from).and_then(&read) {
            Ok(key) => return Ok(key),
            Err(error) => {
                let more = |other: &KeyError| other.weight() < error.weight();
                if refused.as_ref().is_none_or(more) {
                    refused = Some(error);
                }
            }
        }
    }
    Err(refused.expect("there is one thing at least"))
}

/// The contents of an `EncryptedPrivateKeyInfo`; nothing else is accepted.
pub(crate) fn locked(der: &[u8], password: &[u8]) -> Result<Zeroizing<Vec<u8>>, Locked> {
    let der = ber::to_der(der).ok_or_else(|| refuse("its ASN.1 is damaged"))?;
    Ok(pbes::decrypt(&der, &mut Password::new(Some(password)))?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(file: impl AsRef<[u8]>) -> KeyError {
        let read = |_| -> Result<(), KeyError> { unreachable!("nothing is readable") };
        first(file.as_ref(), None, read).unwrap_err()
    }

    #[test]
    fn of_several_errors_the_first_that_says_most_is_told() {
        let block = |label: &str, headers: &str| {
            format!(
                "-----BEGIN {label}-----\n{headers}AAAAAAAAAAAAAAAAAAAAAA==\n-----END {label}-----\n"
            )
        };
        let [one, other] = ["ONE", "OTHER"].map(|label| block(label, ""));
        let iv = "00112233445566778899AABBCCDDEEFF";
        let headers = format!("Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{iv}\n\n");
        let locked = block("RSA PRIVATE KEY", &headers);
        assert!(
            refusal([&one[..], &other].concat())
                .to_string()
                .contains("ONE")
        );
        for file in [[&one, &locked], [&locked, &one]] {
            let error = refusal(file.map(|block| &block[..]).concat());
            assert_eq!(error, KeyError::PasswordNeeded);
        }
    }

    #[test]
    fn a_store_of_nothing_is_no_key() {
        let data = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01";
        // PFX { 3, ContentInfo { data, AuthenticatedSafe { } } }
        let content = [&data[..], b"\xa0\x04\x04\x02\x30\x00"].concat();
        let store = [&b"\x30\x16\x02\x01\x03\x30\x11"[..], &content].concat();
        let found = open(&store, Some(b"secret"));
        assert!(matches!(&found[..], [Found { item: Err(_), .. }]));
    }
}
