//! Reading AuthEnvelopedData and EnvelopedData.

use super::armor::{Dearmored, Form};
use super::ber::{self, Octets, Reader, context, context_primitive};
use super::cbc::Cbc;
use super::gcm::Gcm;
use super::names::{self, Cipher, Transport};
use super::{CHUNK, Error, Opened, Recipient};
use crate::rsa::{self, PrivateKey};
use carrysave_arith::team::{Serial, Team};
use carrysave_symmetric::Buffer;
use core::ops::Range;
use rand_core::CryptoRng;
use std::io::{self, BufRead, Read, Write};
use zeroize::Zeroizing;

/// How many recipients are looked at, and how long the names and attributes among them may be.
const MAX_RECIPIENTS: usize = 1024;
const MAX_SMALL: usize = 64 * 1024;

/// The most recipients that are tried, when they do not say whose they are.
const MAX_PARCELS: usize = 16;

/// A content key that travels to one recipient.
struct Parcel {
    transport: Transport,
    encrypted_key: Vec<u8>,
}

/// Decrypts a message in any of its forms into `output`, in constant memory.
///
/// `recipient` says which certificate `key` belongs to; without it a recipient that is named by issuer and serial number
/// is taken for this key when the lengths agree.
///
/// **`output` receives plaintext before it has been authenticated: on any error throw it away.** Where the key
/// travelled in PKCS#1 v1.5 padding a bad padding gives a random key (implicit rejection), so that the failure comes from
/// the content, not from the padding.
///
/// # Errors
/// [`Error::Decryption`] when the message was altered or the key is not the one, whatever the reason;
/// [`Error::NoRecipient`] when it is addressed to others; otherwise what is wrong with the form of the message.
///
/// # Timing
/// The private-key operations are those of [`crate::rsa`]; the padding of old CBC messages is compared without
/// branches, but how many bytes are left is written to `output`.
pub fn decrypt<G: CryptoRng + ?Sized>(
    rng: &mut G,
    key: &PrivateKey,
    recipient: Option<&Recipient>,
    input: &mut (dyn Read + Send),
    output: &mut (dyn Write + Send),
) -> Result<Opened, Error> {
    decrypt_on(&Serial, rng, key, recipient, input, output)
}

/// The same by a team, whose members hash and decrypt side by side, each a piece, and take turns to read and to write.
/// EnvelopedData, which nothing authenticates, is decrypted on the caller's thread alone.
///
/// # Errors
/// As [`decrypt`].
///
/// # Timing
/// As [`decrypt`].
pub fn decrypt_on<G: CryptoRng + ?Sized>(
    team: &dyn Team,
    rng: &mut G,
    key: &PrivateKey,
    recipient: Option<&Recipient>,
    input: &mut (dyn Read + Send),
    output: &mut (dyn Write + Send),
) -> Result<Opened, Error> {
    let text = Dearmored::new(Source::new(input))?;
    if let Form::Pem(label) = text.form()
        && !["CMS", "PKCS7"].contains(&label.as_str())
    {
        return Err(Error::Unsupported(format!("PEM with the label {label:?}")));
    }
    let own = Recipient::from_public_key(key.public().clone())?;
    let recipient = recipient.unwrap_or(&own);

    let mut r = Reader::new(text);
    r.enter(ber::SEQUENCE)?;
    let kind = r.oid()?;
    let authenticated = match &kind[..] {
        names::AUTH_ENVELOPED_DATA => true,
        names::ENVELOPED_DATA => false,
        _ => {
            return Err(Error::Unsupported(format!(
                "content type {}",
                names::dotted(&kind)
            )));
        }
    };
    r.enter(context(0))?;
    r.enter(ber::SEQUENCE)?;
    match (authenticated, &r.primitive(ber::INTEGER, 1)?[..]) {
        (true, [0]) | (false, [0 | 2 | 3 | 4]) => {}
        _ => return Err(Error::Malformed("an unknown version of the message")),
    }
    if r.peek()? == Some(context(0)) {
        r.enter(context(0))?; // originator info
        r.skip_out()?;
    }
    let parcels = read_recipients(&mut r, recipient, key.size())?;

    r.enter(ber::SEQUENCE)?;
    let inner = r.oid()?;
    if inner != names::DATA {
        return Err(Error::Unsupported(format!(
            "encrypted content of type {}",
            names::dotted(&inner)
        )));
    }
    let cipher = names::read_cipher(&mut r)?;
    let content_key = open_parcels(rng, key, &parcels, cipher.key_len())?;
    let bytes = match cipher {
        Cipher::Gcm { nonce, tag_len, .. } if authenticated => {
            let gcm = Gcm::new(&content_key, &nonce).ok_or(Error::Malformed("an empty nonce"))?;
            read_gcm(team, &mut r, &gcm, tag_len, output)?
        }
        Cipher::Cbc { iv, .. } if !authenticated => {
            let cbc = Cbc::new(&content_key, &iv)
                .ok_or(Error::Malformed("an IV that is not 16 bytes"))?;
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
    r.finish()?;
    Ok(Opened {
        bytes,
        authenticated,
    })
}

/// The RecipientInfos that may be for this key.
fn read_recipients<R: Read>(
    r: &mut Reader<R>,
    recipient: &Recipient,
    key_size: usize,
) -> Result<Vec<Parcel>, Error> {
    let mut parcels = Vec::new();
    r.enter(ber::SET)?;
    for seen in 0.. {
        match r.peek()? {
            None => break,
            Some(_) if seen == MAX_RECIPIENTS => {
                return Err(Error::Malformed("more than 1024 recipients"));
            }
            Some(ber::SEQUENCE) => {}
            Some(1..0xa1 | 0xa5..) | Some(0) => {
                return Err(Error::Malformed("an unknown kind of recipient"));
            }
            Some(other) => {
                r.enter(other)?; // key agreement, shared key, password, other
                r.skip_out()?;
                continue;
            }
        }
        r.enter(ber::SEQUENCE)?;
        let version = r.primitive(ber::INTEGER, 1)?;
        let ours = match (r.peek()?, &version[..]) {
            (Some(ber::SEQUENCE), [0]) => {
                let id = r.whole(MAX_SMALL)?;
                recipient
                    .issuer_and_serial
                    .as_ref()
                    .is_none_or(|own| *own == id)
            }
            (Some(tag), [2]) if tag == context_primitive(0) => {
                r.primitive(tag, 256)? == recipient.key_id
            }
            _ => return Err(Error::Malformed("an unknown kind of recipient")),
        };
        let transport = names::read_transport(r)?;
        let encrypted_key = r.primitive(ber::OCTET_STRING, MAX_SMALL)?;
        r.leave()?;
        if ours && encrypted_key.len() == key_size {
            // Each costs a private operation.
            if parcels.len() == MAX_PARCELS {
                return Err(Error::Unsupported(format!(
                    "more than {MAX_PARCELS} recipients that may be this key; name its certificate"
                )));
            }
            parcels.push(Parcel {
                transport,
                encrypted_key,
            });
        }
    }
    r.leave()?;
    Ok(parcels)
}

/// The content key. Every parcel is opened; when none of them gives a key, a random one stands in, and the content
/// will not authenticate.
fn open_parcels<G: CryptoRng + ?Sized>(
    rng: &mut G,
    key: &PrivateKey,
    parcels: &[Parcel],
    key_len: usize,
) -> Result<Zeroizing<Vec<u8>>, Error> {
    let mut content_key = Zeroizing::new(vec![0; key_len]);
    rng.fill_bytes(&mut content_key);
    let mut possible = false;
    // Backwards, so that the first that fits is the one that stays.
    for Parcel {
        transport,
        encrypted_key,
    } in parcels.iter().rev()
    {
        let opened = match transport {
            Transport::Pkcs1 => key.rsaes_pkcs1_v1_5_decrypt(rng, encrypted_key),
            Transport::Oaep { hash, mgf, label } => {
                key.rsaes_oaep_decrypt(rng, *hash, *mgf, label, encrypted_key)
            }
            Transport::Other(oid) if parcels.len() == 1 => {
                return Err(Error::Unsupported(format!(
                    "key transport {}",
                    names::dotted(oid)
                )));
            }
            Transport::Other(_) => continue,
        };
        possible = true;
        match opened {
            Ok(opened) if opened.len() == key_len => content_key = opened,
            Err(rsa::Error::Fault) => return Err(rsa::Error::Fault.into()),
            _ => {}
        }
    }
    if possible {
        Ok(content_key)
    } else {
        Err(Error::NoRecipient)
    }
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
        attributes = r.whole(MAX_SMALL)?;
        attributes[0] = ber::SET; // what is authenticated has the tag of the type (RFC 5083 section 2.2)
    }
    let mac = r.primitive(ber::OCTET_STRING, 16)?;
    if r.peek()? == Some(context(2)) {
        r.enter(context(2))?; // attributes that are not authenticated
        r.skip_out()?;
    }
    let tag = gcm.tag(&content, &attributes);
    let different = mac.iter().zip(&tag).fold(0, |acc, (a, b)| acc | (a ^ b));
    if mac.len() != tag_len || different != 0 {
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

/// What an input gives, by way of an aligned buffer.
struct Source<R> {
    input: R,
    room: Buffer,
    /// Where what was read and not yet taken begins and ends.
    left: Range<usize>,
}

impl<R: Read> Source<R> {
    fn new(input: R) -> Source<R> {
        Source {
            input,
            room: Buffer::default(),
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
        let bytes = self.room.of(CHUNK);
        if self.left.is_empty() {
            self.left = 0..self.input.read(bytes)?;
        }
        Ok(&bytes[self.left.clone()])
    }

    fn consume(&mut self, bytes: usize) {
        self.left.start = self.left.end.min(self.left.start + bytes);
    }
}
