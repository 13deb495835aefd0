//! PKCS #12 (RFC 7292): the keys and certificates in a store, opened with its password.

use super::derive::{self, MAX_ITERATIONS, Purpose};
use super::pbes::{self, Password, Scheme};
use super::{FormatError, Item, Kind, Locked, ber};
use crate::hash::Hash;
use ctutils::CtEq;
use der::asn1::{AnyRef, ObjectIdentifier, OctetStringRef};
use der::{Decode, Reader, SliceReader, Tag, Tagged};
use spki::AlgorithmIdentifierRef;
use zeroize::Zeroizing;

const STORE: &str = "a PKCS #12 store";

fn refuse(why: impl ToString) -> FormatError {
    FormatError::new(STORE, why)
}

fn damaged() -> FormatError {
    refuse(
        "it is damaged, or uses what is not here; take its key out with `openssl pkcs12 -in FILE -nodes -nocerts`",
    )
}

/// A series of elements.
fn row(bytes: &[u8]) -> Result<Vec<AnyRef<'_>>, FormatError> {
    let mut reader = SliceReader::new(bytes).map_err(|_| damaged())?;
    let mut elements = Vec::new();
    while !reader.is_finished() {
        elements.push(AnyRef::decode(&mut reader).map_err(|_| damaged())?);
    }
    Ok(elements)
}

/// The elements of a sequence.
fn sequence(element: AnyRef<'_>) -> Result<Vec<AnyRef<'_>>, FormatError> {
    match element.tag() {
        Tag::Sequence => row(element.value()),
        _ => Err(damaged()),
    }
}

fn oid(element: &AnyRef<'_>) -> Result<String, FormatError> {
    let oid: ObjectIdentifier = element.decode_as().map_err(|_| damaged())?;
    Ok(oid.to_string())
}

/// The contents of a context-specific element.
fn inner<'a>(element: &AnyRef<'a>) -> Result<AnyRef<'a>, FormatError> {
    match row(element.value())?[..] {
        [inner] if element.tag().is_context_specific() => Ok(inner),
        _ => Err(damaged()),
    }
}

fn octets<'a>(element: &AnyRef<'a>) -> Result<&'a [u8], FormatError> {
    match element.tag() {
        Tag::OctetString => Ok(element.value()),
        _ => Err(damaged()),
    }
}

/// The keys and certificates of a store, and whether its encryption can be broken.
pub(super) fn open(der: &[u8], password: &mut Password<'_>) -> Result<(Vec<Item>, bool), Locked> {
    let store = AnyRef::from_der(der).map_err(|_| damaged())?;
    let (content, mac) = match sequence(store)?[..] {
        [_, content] => (content, None),
        [_, content, mac] => (content, Some(mac)),
        _ => return Err(damaged().into()),
    };
    let [kind, content] = sequence(content)?[..] else {
        return Err(damaged().into());
    };
    if oid(&kind)? != "1.2.840.113549.1.7.1" {
        return Err(refuse("it is signed, not closed with a password").into());
    }
    let content = inner(&content)?;
    let content = octets(&content)?;
    password.octets()?;
    if let Some(mac) = mac
        && !is_authentic(mac, password, content)?
    {
        return Err(Locked::Password);
    }
    let mut opened = Opened {
        password,
        authentic: mac.is_some(),
        items: Vec::new(),
        weak: false,
    };
    let safes = ber::to_der(content).ok_or_else(damaged)?;
    for safe in sequence(AnyRef::from_der(&safes).map_err(|_| damaged())?)? {
        opened.safe(safe)?;
    }
    Ok((opened.items, opened.weak))
}

/// Verifies the authentication code (RFC 7292, 4).
fn is_authentic(
    mac: AnyRef<'_>,
    password: &mut Password<'_>,
    content: &[u8],
) -> Result<bool, Locked> {
    let parts = sequence(mac)?;
    let (info, salt, iterations) = match parts[..] {
        [info, salt] => (info, salt, 1),
        [info, salt, iterations] => (info, salt, iterations.decode_as().map_err(|_| damaged())?),
        _ => return Err(damaged().into()),
    };
    let [algorithm, code] = sequence(info)?[..] else {
        return Err(damaged().into());
    };
    let algorithm: AlgorithmIdentifierRef<'_> = algorithm.decode_as().map_err(|_| damaged())?;
    let hash = match &algorithm.oid.to_string()[..] {
        "1.3.14.3.2.26" => Hash::Sha1,
        "2.16.840.1.101.3.4.2.4" => Hash::Sha224,
        "2.16.840.1.101.3.4.2.1" => Hash::Sha256,
        "2.16.840.1.101.3.4.2.2" => Hash::Sha384,
        "2.16.840.1.101.3.4.2.3" => Hash::Sha512,
        other => {
            return Err(refuse(format_args!(
                "it is authenticated by {other}; take its key out with `openssl pkcs12 -in FILE -nodes -nocerts`"
            ))
            .into());
        }
    };
    let iterations = pbes::checked(iterations)?;
    let password = password.take(iterations.into(), MAX_ITERATIONS.into())?;
    let password = derive::utf16(password);
    let key = derive::pkcs12(
        hash,
        Purpose::Mac,
        &password,
        octets(&salt)?,
        iterations,
        hash.len(),
    );
    let expected = hash.hmac(&key, &[content]);
    Ok(octets(&code)?.ct_eq(&expected).to_bool())
}

struct Opened<'a, 'p> {
    password: &'a mut Password<'p>,
    /// Whether the code of the store is that of the password.
    authentic: bool,
    items: Vec<Item>,
    weak: bool,
}

impl Opened<'_, '_> {
    fn decrypt(&mut self, scheme: &Scheme, data: &[u8]) -> Result<Zeroizing<Vec<u8>>, Locked> {
        self.weak |= scheme.is_weak();
        let password = scheme.take(self.password)?;
        scheme.decrypt(password, data).ok_or(Locked::Password)
    }

    /// Why what was decrypted is nothing: a wrong password gives a padding by chance, once in 255 times.
    fn garbled(&self) -> Locked {
        match self.authentic {
            true => damaged().into(),
            false => Locked::Password,
        }
    }

    /// A ContentInfo with bags in it.
    fn safe(&mut self, safe: AnyRef<'_>) -> Result<(), Locked> {
        let [kind, content] = sequence(safe)?[..] else {
            return Err(damaged().into());
        };
        let content = inner(&content)?;
        let kind = &oid(&kind)?[..];
        let plain = match kind {
            "1.2.840.113549.1.7.1" => Zeroizing::new(octets(&content)?.to_vec()),
            "1.2.840.113549.1.7.6" => {
                let [_, info, ..] = sequence(content)?[..] else {
                    return Err(damaged().into());
                };
                let [_, algorithm, data] = sequence(info)?[..] else {
                    return Err(damaged().into());
                };
                let scheme = Scheme::new(algorithm.decode_as().map_err(|_| damaged())?)?;
                match data.tag() {
                    Tag::ContextSpecific {
                        constructed: false, ..
                    } => self.decrypt(&scheme, data.value())?,
                    // A string in parts, under a tag that hides its own.
                    _ => {
                        let parts = row(data.value())?;
                        let parts = parts.iter().map(octets).collect::<Result<Vec<_>, _>>()?;
                        self.decrypt(&scheme, &parts.concat())?
                    }
                }
            }
            _ => {
                return Err(
                    refuse("a part of it is closed with a certificate, not a password").into(),
                );
            }
        };
        let decrypted = kind == "1.2.840.113549.1.7.6";
        let wrong = || match decrypted {
            true => self.garbled(),
            false => damaged().into(),
        };
        let bags = ber::to_der(&plain).ok_or_else(wrong)?;
        let bags = AnyRef::from_der(&bags).map_err(|_| wrong())?;
        let bags = sequence(bags).map_err(|_| wrong())?;
        for bag in bags {
            self.bag(bag, 0)?;
        }
        Ok(())
    }

    fn bag(&mut self, bag: AnyRef<'_>, depth: usize) -> Result<(), Locked> {
        /// The most bags in each other.
        const DEEPEST: usize = 8;
        let [kind, content, ..] = sequence(bag)?[..] else {
            return Err(damaged().into());
        };
        let content = inner(&content)?;
        // With its tag again.
        let whole = || super::joined(content);
        match &oid(&kind)?[..] {
            "1.2.840.113549.1.12.10.1.1" => self.items.push(Item::Private(whole())),
            "1.2.840.113549.1.12.10.1.2" => {
                let [algorithm, data] = sequence(content)?[..] else {
                    return Err(damaged().into());
                };
                let scheme = Scheme::new(algorithm.decode_as().map_err(|_| damaged())?)?;
                let data: &OctetStringRef = data.decode_as().map_err(|_| damaged())?;
                let key = self.decrypt(&scheme, data.as_bytes())?;
                if !matches!(super::kind(&key), Some(Kind::Pkcs8)) {
                    return Err(self.garbled());
                }
                self.items.push(Item::Private(key));
            }
            "1.2.840.113549.1.12.10.1.3" => {
                let [kind, certificate] = sequence(content)?[..] else {
                    return Err(damaged().into());
                };
                if oid(&kind)? == "1.2.840.113549.1.9.22.1" {
                    let certificate = inner(&certificate)?;
                    self.items
                        .push(Item::Certificate(octets(&certificate)?.to_vec()));
                }
            }
            "1.2.840.113549.1.12.10.1.6" if depth < DEEPEST => {
                for bag in sequence(content)? {
                    self.bag(bag, depth + 1)?;
                }
            }
            "1.2.840.113549.1.12.10.1.6" => return Err(damaged().into()),
            // Revocation lists, secrets and others are no keys.
            _ => {}
        }
        Ok(())
    }
}
