//! Writing AuthEnvelopedData.

use super::armor::PemWriter;
use super::ber::{self, context};
use super::gcm::{self, Gcm};
use super::ids::Id;
use super::recipients::MAX_RECIPIENTS;
use super::{EncryptOptions, Error, Recipient, To, agree, names, password, transport};
use crate::{STACK, published};
use carrysave_arith::off_stack;
use carrysave_symmetric::fill;
use carrysave_team::{Serial, Team};
use rand_core::CryptoRng;
use std::io::{Read, Write};
use zeroize::Zeroizing;

const TAG_LEN: usize = 16;

/// Encrypts everything that `input` yields, for every recipient, into one message.
///
/// With `options.len` the message has definite lengths throughout, and `input` must yield exactly that many
/// bytes; without it the message is BER of indefinite length. Memory stays constant. Returns the number of bytes encrypted.
///
/// # Errors
/// There is no recipient, a public key is too short for the transport or of small order, `input` yields another length or more than AES-GCM may protect under
/// one nonce (64 GiB - 32 bytes), or reading or writing fails.
pub fn encrypt<G: CryptoRng + ?Sized>(
    rng: &mut G,
    recipients: &[Recipient],
    options: &EncryptOptions,
    input: &mut (dyn Read + Send),
    output: &mut (dyn Write + Send),
) -> Result<u64, Error> {
    encrypt_on(&Serial, rng, recipients, options, input, output)
}

/// Encrypts by a team: the members encrypt and hash pieces in parallel, and read and write in order.
///
/// # Errors
/// As [`encrypt`].
pub fn encrypt_on<G: CryptoRng + ?Sized>(
    team: &dyn Team,
    rng: &mut G,
    recipients: &[Recipient],
    options: &EncryptOptions,
    input: &mut (dyn Read + Send),
    output: &mut (dyn Write + Send),
) -> Result<u64, Error> {
    off_stack::<STACK, _>(|| encrypted(team, rng, recipients, options, input, output))
}

fn encrypted<G: CryptoRng + ?Sized>(
    team: &dyn Team,
    rng: &mut G,
    recipients: &[Recipient],
    options: &EncryptOptions,
    input: &mut (dyn Read + Send),
    output: &mut (dyn Write + Send),
) -> Result<u64, Error> {
    if recipients.is_empty() {
        return Err(Error::Unsupported("no recipient".to_owned()));
    }
    if recipients.len() > MAX_RECIPIENTS {
        return Err(Error::Unsupported(format!(
            "{} recipients, which are more than {MAX_RECIPIENTS}",
            recipients.len()
        )));
    }
    let mut key = Zeroizing::new([0; 32]);
    let mut nonce = [0; 12];
    rng.fill_bytes(&mut *key);
    rng.fill_bytes(&mut nonce);
    // It is part of the message.
    let nonce = published(nonce);
    let mut infos = Vec::new();
    for recipient in recipients {
        infos.extend(recipient_info(rng, recipient, options, &*key)?);
    }
    let gcm = Gcm::new(&*key, &nonce).ok_or(Error::Malformed("AES-GCM takes other lengths"))?;
    let head = Head {
        recipients: infos,
        cipher: names::aes256_gcm_der(&nonce),
    };
    if !options.pem {
        return write_message(team, &head, &gcm, options.len, input, output);
    }
    let mut pem = PemWriter::new(output, "CMS").map_err(Error::Write)?;
    let len = write_message(team, &head, &gcm, options.len, input, &mut pem)?;
    pem.finish().map_err(Error::Write)?;
    Ok(len)
}

/// RecipientInfo (RFC 5652 section 6.2).
fn recipient_info<G: CryptoRng + ?Sized>(
    rng: &mut G,
    recipient: &Recipient,
    options: &EncryptOptions,
    key: &[u8],
) -> Result<Vec<u8>, Error> {
    let id = Id::of(recipient);
    match &recipient.to {
        To::Rsa(public) => transport::write(rng, public, &id, options.hash, key),
        To::Curve(public) => agree::write(rng, public, &id, key),
        To::Password(password) => {
            let iterations = options.iterations.max(1);
            Ok(password::write(rng, password, iterations, key))
        }
    }
}

/// Writes the part before the content.
struct Head {
    recipients: Vec<u8>,
    cipher: Vec<u8>,
}

/// Opens enclosing elements of known or unknown length.
fn open(len: Option<u64>, tag: u8) -> Vec<u8> {
    match len {
        Some(len) => ber::header(tag, len),
        None => vec![tag, 0x80],
    }
}

fn write_message(
    team: &dyn Team,
    head: &Head,
    gcm: &Gcm,
    len: Option<u64>,
    input: &mut (dyn Read + Send),
    output: &mut (dyn Write + Send),
) -> Result<u64, Error> {
    gcm::check_len(len.unwrap_or(0))?;
    // From the inside out: each header, then what its element holds before the next one begins.
    let content = match len {
        Some(len) => ber::header(ber::context_primitive(0), len),
        None => open(None, context(0)),
    };
    let before_content = [
        ber::element(ber::OID, &[names::DATA]),
        head.cipher.clone(),
        content,
    ]
    .concat();
    let content_info_len = len.map(|len| before_content.len() as u64 + len);
    let before_info = [
        ber::element(ber::INTEGER, &[&[0]]),
        ber::element(ber::SET, &[&head.recipients]),
    ]
    .concat();
    let content_info = open(content_info_len, ber::SEQUENCE);
    let tag_len = ber::header(ber::OCTET_STRING, TAG_LEN as u64).len() + TAG_LEN;
    let sizes = (before_info.len() + content_info.len() + tag_len) as u64;
    let enveloped_len = content_info_len.map(|len| len + sizes);
    let enveloped = open(enveloped_len, ber::SEQUENCE);
    let explicit_len = enveloped_len.map(|len| len + enveloped.len() as u64);
    let explicit = open(explicit_len, context(0));
    let oid = ber::element(ber::OID, &[names::AUTH_ENVELOPED_DATA]);
    let message = open(
        explicit_len.map(|len| len + (oid.len() + explicit.len()) as u64),
        ber::SEQUENCE,
    );
    let prefix = [
        message,
        oid,
        explicit,
        enveloped,
        before_info,
        content_info,
        before_content,
    ]
    .concat();
    output.write_all(&prefix).map_err(Error::Write)?;

    let mut left = len;
    let read = |piece: &mut [u8]| {
        let filled = fill(input, piece).map_err(Error::Read)?;
        if let Some(left) = &mut left {
            let less = left.checked_sub(filled as u64);
            *left = less.ok_or(Error::LengthChanged)?;
        }
        Ok(filled)
    };
    let write = |piece: &[u8]| {
        if len.is_none() {
            output
                .write_all(&ber::header(ber::OCTET_STRING, piece.len() as u64))
                .map_err(Error::Write)?;
        }
        output.write_all(piece).map_err(Error::Write)
    };
    let content = gcm.encrypt(team, read, write)?;
    if left.is_some_and(|left| left > 0) {
        return Err(Error::LengthChanged);
    }

    let tag = ber::element(ber::OCTET_STRING, &[&gcm.tag(&content, &[])]);
    let end = |levels: usize| {
        if len.is_none() {
            vec![0; 2 * levels]
        } else {
            Vec::new()
        }
    };
    // The content and its info, the tag, then the envelope, the explicit tag and the message.
    output
        .write_all(&[end(2), tag, end(3)].concat())
        .map_err(Error::Write)?;
    Ok(content.len)
}
