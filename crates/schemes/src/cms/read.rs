//! Reading AuthEnvelopedData and EnvelopedData.

use super::armor::{Dearmored, Form};
use super::ber::{self, Octets, Reader, context, context_primitive};
use super::cbc::Cbc;
use super::gcm::Gcm;
use super::names::{self, Cipher};
use super::recipients::{MAX_SMALL, Recipients};
use super::wrap::equal;
use super::{CHUNK, ContentType, DecryptOptions, Error, Identity, Opened};
use crate::STACK;
use carrysave_arith::off_stack;
use carrysave_symmetric::Buffer;
use carrysave_team::{Serial, Team};
use core::ops::Range;
use rand_core::CryptoRng;
use std::io::{self, BufRead, Read, Write};

/// Decrypts a message in any of its forms into `output`, in constant memory.
///
/// `identity` is a private key, [with its certificate](Identity::with_certificate) or without, or a password.
/// Recipients that name the key are opened. If there is none, the key is tried on all of its kind and size. PKCS#1 v1.5
/// never reports a wrong key, so with several such recipients, each other one may be mistaken for this key's with a
/// chance of about 1 in 200. The certificate rules that out.
///
/// **`output` receives plaintext before it has been authenticated: on any error throw it away.** With PKCS#1 v1.5, a
/// bad padding gives a random key (implicit rejection), so the failure comes from the content, not from the padding.
///
/// # Errors
/// [`Error::Decryption`] if the message was altered or the key is wrong, without a reason; [`Error::NoRecipient`] if it
/// is for others; [`Error::Unauthenticated`] if `options` ask for it; otherwise the error in the form of the message.
///
/// # Timing
/// The private-key operations are those of [`crate::rsa`] and [`crate::ec`]; the time reveals which recipient was
/// opened. The padding of old CBC messages is compared without branches, but the number of remaining bytes is written
/// to `output`. Triple DES reads tables at secret addresses.
pub fn decrypt<'a, G: CryptoRng + ?Sized>(
    rng: &mut G,
    identity: impl Into<Identity<'a>>,
    options: &DecryptOptions,
    input: &mut (dyn Read + Send),
    output: &mut (dyn Write + Send),
) -> Result<Opened, Error> {
    decrypt_on(&Serial, rng, identity, options, input, output)
}

/// Decrypts by a team: the members hash and decrypt pieces in parallel, and read and write in order. They also share the
/// private operation of a long RSA key. EnvelopedData is decrypted on the caller's thread alone.
///
/// # Errors
/// As [`decrypt`].
///
/// # Timing
/// As [`decrypt`].
pub fn decrypt_on<'a, G: CryptoRng + ?Sized>(
    team: &dyn Team,
    rng: &mut G,
    identity: impl Into<Identity<'a>>,
    options: &DecryptOptions,
    input: &mut (dyn Read + Send),
    output: &mut (dyn Write + Send),
) -> Result<Opened, Error> {
    let identity = identity.into();
    off_stack::<STACK, _>(|| decrypted(team, rng, &identity, options, input, output))
}

fn decrypted<G: CryptoRng + ?Sized>(
    team: &dyn Team,
    rng: &mut G,
    identity: &Identity<'_>,
    options: &DecryptOptions,
    input: &mut (dyn Read + Send),
    output: &mut (dyn Write + Send),
) -> Result<Opened, Error> {
    let text = Dearmored::new(Source::new(input))?;
    if let Form::Pem(label) = text.form()
        && !["CMS", "PKCS7", "PKCS #7 SIGNED DATA"].contains(&label.as_str())
    {
        return Err(Error::Unsupported(format!("PEM with the label {label:?}")));
    }
    let mut r = Reader::new(text);
    r.enter(ber::SEQUENCE)?;
    let kind = r.oid()?;
    let authenticated = match &kind[..] {
        names::AUTH_ENVELOPED_DATA => true,
        names::ENVELOPED_DATA => false,
        _ => {
            let what = format!("content type {}", names::named(&kind));
            return Err(Error::Unsupported(what));
        }
    };
    if options.require_authenticated && !authenticated {
        return Err(Error::Unauthenticated);
    }
    r.enter(context(0))?;
    r.enter(ber::SEQUENCE)?;
    r.number()?; // version: what follows has forms of its own
    if r.peek()? == Some(context(0)) {
        r.enter(context(0))?; // originator info
        r.skip_out()?;
    }
    let recipients = Recipients::read(&mut r, identity)?;

    r.enter(ber::SEQUENCE)?;
    let content_type = ContentType(r.oid()?);
    let cipher = names::read_cipher(&mut r)?;
    let content_key = recipients.open(team, rng, options, cipher.key_len())?;
    let bytes = match cipher {
        Cipher::Gcm { nonce, tag_len, .. } if authenticated => {
            let gcm = Gcm::new(&content_key, &nonce).ok_or(Error::Malformed("an empty nonce"))?;
            read_gcm(team, &mut r, &gcm, tag_len, output)?
        }
        Cipher::Cbc(algorithm) if !authenticated => {
            let cbc = Cbc::new(&content_key, &algorithm).expect("a key of its length");
            read_cbc(&mut r, cbc, output)?
        }
        _ => {
            return Err(Error::Malformed(
                "the content cipher does not fit the content type",
            ));
        }
    };
    r.leave()?;
    r.leave()?;
    r.leave()?;
    r.into_inner()?.finish()?;
    Ok(Opened {
        bytes,
        authenticated,
        content_type,
    })
}

fn read_gcm<R: Read + Send>(
    team: &dyn Team,
    r: &mut Reader<R>,
    gcm: &Gcm,
    tag_len: usize,
    output: &mut (dyn Write + Send),
) -> Result<u64, Error> {
    let mut octets = Octets::new(context_primitive(0));
    let content = gcm.decrypt(
        team,
        |piece| r.fill(&mut octets, piece),
        |piece| output.write_all(piece).map_err(Error::Write),
    )?;
    r.leave()?;
    let mut attributes = Vec::new();
    if r.peek()? == Some(context(1)) {
        attributes = r.der_as(ber::SET, MAX_SMALL)?; // with the tag of its type (RFC 5083 section 2.2)
    }
    let mac = r.octets(ber::OCTET_STRING, 16)?;
    if r.peek()? == Some(context(2)) {
        r.enter(context(2))?; // attributes that are not authenticated
        r.skip_out()?;
    }
    let tag = gcm.tag(&content, &attributes);
    if !equal(&mac, &tag[..tag_len]) {
        return Err(Error::Decryption);
    }
    Ok(content.len)
}

fn read_cbc<R: Read>(
    r: &mut Reader<R>,
    mut cbc: Cbc,
    output: &mut dyn Write,
) -> Result<u64, Error> {
    let mut output = Counted { output, bytes: 0 };
    let mut octets = Octets::new(context_primitive(0));
    let mut buf = vec![0; CHUNK];
    loop {
        let filled = r.fill(&mut octets, &mut buf)?;
        cbc.decrypt(&buf[..filled], &mut output)?;
        if filled < buf.len() {
            break;
        }
    }
    r.leave()?;
    if r.peek()? == Some(context(1)) {
        r.enter(context(1))?; // attributes
        r.skip_out()?;
    }
    cbc.finish(&mut output)?;
    Ok(output.bytes)
}

struct Counted<'a> {
    output: &'a mut dyn Write,
    bytes: u64,
}

impl Write for Counted<'_> {
    fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
        let n = self.output.write(buf)?;
        self.bytes += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.output.flush()
    }
}

/// An input, read through an aligned buffer.
struct Source<R> {
    input: R,
    buffer: Buffer,
    /// The range of bytes that were read and not yet taken.
    left: Range<usize>,
}

impl<R: Read> Source<R> {
    fn new(input: R) -> Source<R> {
        Source {
            input,
            buffer: Buffer::default(),
            left: 0..0,
        }
    }
}

impl<R: Read> Read for Source<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buf)?;
        self.consume(read);
        Ok(read)
    }
}

impl<R: Read> BufRead for Source<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let bytes = self.buffer.of(CHUNK);
        if self.left.is_empty() {
            self.left = 0..self.input.read(bytes)?;
        }
        Ok(&bytes[self.left.clone()])
    }

    fn consume(&mut self, bytes: usize) {
        self.left.start = self.left.end.min(self.left.start + bytes);
    }
}
