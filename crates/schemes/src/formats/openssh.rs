//! OpenSSH's keys: lines `ssh-rsa BASE64 comment` (RFC 4253, 6.6, RFC 5656, 3.1), with options before them as in
//! `authorized_keys`, and private keys (PROTOCOL.key of OpenSSH).

pub mod signature;
pub(crate) mod writing;

use super::pbes::Password;
use super::{
    DSA, EC, ED25519, FormatError, Locked, minimal, private_key_info, public_key_info, uint,
};
use crate::formats::asn1::{INTEGER, SEQUENCE, element};
use crate::rsa::PublicKey;
use base64ct::{Base64, Encoding};
use carrysave_arith::{Limb, Nat};
use carrysave_symmetric::aes::Aes;
use der::Encode;
use der::asn1::{AnyRef, ObjectIdentifier};
use pkcs1::{RsaPrivateKeyRef, RsaPublicKeyRef};
use spki::AlgorithmIdentifierRef;
use zeroize::Zeroizing;

const LINE: &str = "an OpenSSH public key line";
const PRIVATE: &str = "an OpenSSH private key";

/// The label in PEM.
pub(crate) const LABEL: &str = "OPENSSH PRIVATE KEY";

/// Rounds of bcrypt, each of some milliseconds.
const MAX_ROUNDS: u32 = if cfg!(fuzzing) { 1 } else { 1024 };

fn refuse(why: impl ToString) -> FormatError {
    FormatError::new(LINE, why)
}

fn refuse_private(why: impl ToString) -> Locked {
    FormatError::new(PRIVATE, why).into()
}

/// A line of public keys.
pub(crate) struct Line<'a> {
    pub(crate) kind: &'a str,
    pub(crate) base64: &'a str,
    /// Whether options mark it as the key of a certification authority.
    pub(crate) authority: bool,
}

fn is_kind(word: &str) -> bool {
    ["ssh-", "ecdsa-sha2-", "sk-"]
        .iter()
        .any(|start| word.starts_with(start))
}

/// Parses a line; `None` if it is not a line of public keys.
pub(crate) fn line(text: &str) -> Option<Line<'_>> {
    let mut rest = text.trim();
    let mut options = "";
    if !is_kind(rest) {
        // Blanks within quotes belong to the options.
        let mut quoted = false;
        let mut before = '\0';
        let end = rest.find(|c: char| {
            quoted ^= c == '"' && before != '\\';
            before = c;
            c.is_ascii_whitespace() && !quoted
        })?;
        (options, rest) = rest.split_at(end);
    }
    let mut words = rest.split_ascii_whitespace();
    let kind = words.next().filter(|word| is_kind(word))?;
    Some(Line {
        kind,
        base64: words.next().unwrap_or_default(),
        authority: options
            .split(',')
            .any(|option| option.eq_ignore_ascii_case("cert-authority")),
    })
}

/// The `SubjectPublicKeyInfo` of a line's key.
pub(crate) fn public(line: &Line<'_>) -> Result<Vec<u8>, FormatError> {
    if line.authority {
        return Err(refuse(
            "it is the key of an authority, with the option cert-authority",
        ));
    }
    let blob =
        Base64::decode_vec(line.base64).map_err(|_| refuse("its second word is not base64"))?;
    let rest = &mut &blob[..];
    if string(rest) != Some(line.kind.as_bytes()) {
        return Err(refuse(
            "the key in it is of another kind than its first word says",
        ));
    }
    let key = public_of(line.kind, rest)?;
    rest.is_empty()
        .then_some(key)
        .ok_or_else(|| refuse("something follows the key in it"))
}

fn public_of(kind: &str, rest: &mut &[u8]) -> Result<Vec<u8>, FormatError> {
    let damaged = || refuse("the key in it is damaged");
    match kind {
        "ssh-rsa" => {
            let (e, n) = (
                mpint(rest).ok_or_else(damaged)?,
                mpint(rest).ok_or_else(damaged)?,
            );
            let (e, n) = (minimal(&e), minimal(&n));
            let key = RsaPublicKeyRef {
                modulus: uint(&n),
                public_exponent: uint(&e),
            };
            let key = key.to_der().map_err(refuse)?;
            Ok(public_key_info(pkcs1::ALGORITHM_ID, &key))
        }
        "ssh-dss" => {
            let mut number = || mpint(rest).ok_or_else(damaged);
            let [p, q, g, y] = [number()?, number()?, number()?, number()?];
            let group = sequence(&[&p, &q, &g]);
            Ok(public_key_info(dsa(&group)?, &integer(&y)))
        }
        "ssh-ed25519" => {
            let key = string(rest)
                .filter(|key| key.len() == 32)
                .ok_or_else(damaged)?;
            Ok(public_key_info(ed25519(), key))
        }
        "ecdsa-sha2-nistp256" | "ecdsa-sha2-nistp384" | "ecdsa-sha2-nistp521" => {
            let name = string(rest).filter(|name| kind.as_bytes().ends_with(name));
            let curve = curve(name.ok_or_else(damaged)?).ok_or_else(damaged)?;
            let point = string(rest).ok_or_else(damaged)?;
            Ok(public_key_info(ec(&curve), point))
        }
        _ if kind.contains("-cert-") => Err(refuse("it is a certificate of OpenSSH's, not a key")),
        _ if kind.starts_with("sk-") => Err(refuse(
            "its private key is in a security key, for signatures of OpenSSH only",
        )),
        _ => Err(refuse(format_args!("its kind {kind} is not known"))),
    }
}

fn curve(name: &[u8]) -> Option<ObjectIdentifier> {
    let oid = match name {
        b"nistp256" => "1.2.840.10045.3.1.7",
        b"nistp384" => "1.3.132.0.34",
        b"nistp521" => "1.3.132.0.35",
        _ => return None,
    };
    Some(ObjectIdentifier::new_unwrap(oid))
}

fn ec(curve: &ObjectIdentifier) -> AlgorithmIdentifierRef<'_> {
    AlgorithmIdentifierRef {
        oid: EC,
        parameters: Some(AnyRef::from(curve)),
    }
}

fn ed25519() -> AlgorithmIdentifierRef<'static> {
    AlgorithmIdentifierRef {
        oid: ED25519,
        parameters: None,
    }
}

fn dsa(group: &[u8]) -> Result<AlgorithmIdentifierRef<'_>, FormatError> {
    Ok(AlgorithmIdentifierRef {
        oid: DSA,
        parameters: Some(AnyRef::try_from(group).map_err(refuse)?),
    })
}

fn sequence(numbers: &[&Nat]) -> Vec<u8> {
    let numbers: Vec<_> = numbers.iter().map(|x| integer(x)).collect();
    let parts: Vec<&[u8]> = numbers.iter().map(|x| &x[..]).collect();
    element(SEQUENCE, &parts)
}

/// A number as DER.
fn integer(x: &Nat) -> Zeroizing<Vec<u8>> {
    let octets = minimal(x);
    // Numbers are signed: a zero before a top bit.
    let zero: &[u8] = if octets.first().is_none_or(|&first| first >= 0x80) {
        &[0]
    } else {
        &[]
    };
    Zeroizing::new(element(INTEGER, &[zero, &octets]))
}

/// The `PrivateKeyInfo` of the first key in a private key file, which is base64 of this.
pub(crate) fn private(
    bytes: &[u8],
    password: &mut Password<'_>,
) -> Result<Zeroizing<Vec<u8>>, Locked> {
    let damaged = || refuse_private("it is damaged or cut short");
    let mut rest = bytes
        .strip_prefix(b"openssh-key-v1\0")
        .ok_or_else(damaged)?;
    let rest = &mut rest;
    let [cipher, kdf, options] = [(); 3].map(|()| string(rest));
    let (cipher, kdf, options) = (
        cipher.ok_or_else(damaged)?,
        kdf.ok_or_else(damaged)?,
        options.ok_or_else(damaged)?,
    );
    if int(rest) != Some(1) {
        return Err(refuse_private("it does not hold one key"));
    }
    let public = string(rest).ok_or_else(damaged)?;
    let secret = string(rest).ok_or_else(damaged)?;
    let encrypted = cipher != b"none";
    let plain = match encrypted {
        false => Zeroizing::new(secret.to_vec()),
        true => decrypt(cipher, kdf, options, secret, password)?,
    };
    let rest = &mut &plain[..];
    let wrong = || match encrypted {
        true => Locked::Password,
        false => damaged(),
    };
    match (int(rest), int(rest)) {
        (Some(a), Some(b)) if a == b => {}
        _ => return Err(wrong()),
    }
    let kind = str::from_utf8(string(rest).ok_or_else(wrong)?).map_err(|_| wrong())?;
    let outer = &mut &public[..];
    if string(outer) != Some(kind.as_bytes()) {
        return Err(refuse_private("its two halves are of different kinds"));
    }
    let inner = &mut &rest[..];
    let key = private_of(kind, rest)?;
    // A private key begins with the parts of the public one.
    let parts = match kind {
        "ssh-ed25519" => 1,
        "ssh-dss" => 4,
        _ => 2,
    };
    let mut public: Vec<_> = (0..parts).map(|_| string(outer)).collect();
    if kind == "ssh-rsa" {
        // n and e are the other way round.
        public.reverse();
    }
    let again: Vec<_> = (0..parts).map(|_| string(inner)).collect();
    match outer.is_empty() && public == again {
        true => Ok(key),
        false => Err(refuse_private("its two halves are of different keys")),
    }
}

fn private_of(kind: &str, rest: &mut &[u8]) -> Result<Zeroizing<Vec<u8>>, Locked> {
    let damaged = || refuse_private("it is damaged or cut short");
    match kind {
        "ssh-rsa" => {
            let mut number = || mpint(rest).ok_or_else(damaged);
            let [n, e, d, q_inv, p, q] = [
                number()?,
                number()?,
                number()?,
                number()?,
                number()?,
                number()?,
            ];
            // The divisions take the product of the lengths.
            let long = |x: &Nat, most: usize| x.width() > most;
            if long(&n, PublicKey::MAX_BITS / Limb::BITS as usize)
                || long(&d, n.width())
                || long(&p, n.width())
                || long(&q, n.width())
            {
                return Err(refuse_private("its numbers are too long"));
            }
            let less = |r: &Nat| {
                r.sub(&Nat::one())
                    .filter(|less| !less.is_zero())
                    .ok_or_else(damaged)
            };
            let (d_p, d_q) = (d.rem(&less(&p)?), d.rem(&less(&q)?));
            let [n, e, d, p, q, d_p, d_q, q_inv] =
                [&n, &e, &d, &p, &q, &d_p, &d_q, &q_inv].map(minimal);
            let key = RsaPrivateKeyRef {
                modulus: uint(&n),
                public_exponent: uint(&e),
                private_exponent: uint(&d),
                prime1: uint(&p),
                prime2: uint(&q),
                exponent1: uint(&d_p),
                exponent2: uint(&d_q),
                coefficient: uint(&q_inv),
                other_prime_infos: None,
            };
            let key = Zeroizing::new(key.to_der().map_err(refuse_private)?);
            Ok(private_key_info(pkcs1::ALGORITHM_ID, &key, None))
        }
        "ssh-dss" => {
            let mut number = || mpint(rest).ok_or_else(damaged);
            let [p, q, g, y, x] = [number()?, number()?, number()?, number()?, number()?];
            let group = sequence(&[&p, &q, &g]);
            Ok(private_key_info(
                dsa(&group)?,
                &integer(&x),
                Some(&integer(&y)),
            ))
        }
        "ssh-ed25519" => {
            let public = string(rest).ok_or_else(damaged)?;
            let pair = string(rest).and_then(|pair| pair.split_first_chunk::<32>());
            // The seed, and the public key again.
            let (seed, _) = pair
                .filter(|(_, again)| *again == public)
                .ok_or_else(damaged)?;
            let key = Zeroizing::new([&[4, 32], &seed[..]].concat());
            Ok(private_key_info(ed25519(), &key, Some(public)))
        }
        "ecdsa-sha2-nistp256" | "ecdsa-sha2-nistp384" | "ecdsa-sha2-nistp521" => {
            let curve = string(rest).and_then(curve).ok_or_else(damaged)?;
            let point = string(rest).ok_or_else(damaged)?;
            let number = string(rest).ok_or_else(damaged)?;
            let number = number.strip_prefix(&[0]).unwrap_or(number);
            let point = element(0xa1, &[&element(3, &[&[0], point])]);
            let key = Zeroizing::new(element(
                SEQUENCE,
                &[&[2, 1, 1], &Zeroizing::new(element(4, &[number])), &point],
            ));
            Ok(private_key_info(ec(&curve), &key, None))
        }
        other => Err(refuse_private(format_args!(
            "its kind {other} is not known"
        ))),
    }
}

/// Decrypts the private section.
fn decrypt(
    cipher: &[u8],
    kdf: &[u8],
    mut options: &[u8],
    secret: &[u8],
    password: &mut Password<'_>,
) -> Result<Zeroizing<Vec<u8>>, Locked> {
    let name = String::from_utf8_lossy(cipher);
    let (len, counts) = match &*name {
        "aes128-ctr" => (16, true),
        "aes192-ctr" => (24, true),
        "aes256-ctr" => (32, true),
        "aes128-cbc" => (16, false),
        "aes192-cbc" => (24, false),
        "aes256-cbc" => (32, false),
        _ => {
            return Err(refuse_private(format_args!(
                "it is encrypted with {name}; convert it with `ssh-keygen -p -Z aes256-ctr -f FILE`"
            )));
        }
    };
    let options = &mut options;
    let (Some(salt), Some(rounds), b"bcrypt") = (string(options), int(options), kdf) else {
        return Err(refuse_private("its key derivation is not bcrypt"));
    };
    if salt.is_empty() {
        return Err(refuse_private("its key derivation has no salt"));
    }
    if !(1..=MAX_ROUNDS).contains(&rounds) {
        return Err(refuse_private(format_args!(
            "its password is to be hashed {rounds} times, and 1 to {MAX_ROUNDS} is possible here; write it anew with \
             `ssh-keygen -p -a 24 -f FILE`"
        )));
    }
    let password = password.take(rounds.into(), MAX_ROUNDS.into())?;
    let mut key = Zeroizing::new(vec![0; len + 16]);
    bcrypt_pbkdf::bcrypt_pbkdf(password, salt, rounds, &mut key).map_err(|_| Locked::Password)?;
    let (key, iv) = key.split_at(len);
    let iv = iv.try_into().expect("sixteen bytes");
    let aes = Aes::new(key).expect("a key of a length that is there");
    let mut plain = Zeroizing::new(secret.to_vec());
    match counts {
        true => aes.apply_ctr(iv, 128, 0, &mut plain),
        false if plain.len().is_multiple_of(16) => aes.cbc_decrypt(iv, &mut plain),
        false => return Err(Locked::Password),
    }
    Ok(plain)
}

/// Takes a string (RFC 4251 section 5): its length in four bytes, then the bytes.
fn string<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = int(rest)?;
    rest.split_off(..usize::try_from(length).ok()?)
}

/// Takes a number of four bytes.
fn int(rest: &mut &[u8]) -> Option<u32> {
    Some(u32::from_be_bytes(*rest.split_off(..4)?.first_chunk()?))
}

/// Takes a positive number in its shortest form.
pub(crate) fn mpint(rest: &mut &[u8]) -> Option<Nat> {
    let bytes = string(rest)?;
    let magnitude = bytes.strip_prefix(&[0]).unwrap_or(bytes);
    let needs_zero = *magnitude.first()? >= 0x80;
    let shortest = magnitude[0] != 0 && needs_zero == (magnitude.len() < bytes.len());
    shortest.then(|| Nat::from_be_bytes(magnitude))
}
