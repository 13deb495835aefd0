//! KeyTransRecipientInfo (RFC 5652 section 6.2.1): the content key encrypted with RSA.

use super::ber::{self, Reader};
use super::ids::{Id, Names};
use super::names::{self, Transport};
use super::{Error, recipients};
use crate::hash::Hash;
use crate::rsa::task::{DecryptOaep, DecryptPkcs1v15};
use crate::rsa::{self, PrivateKey, PublicKey};
use carrysave_team::{Team, task::Task};
use rand_core::CryptoRng;
use zeroize::Zeroizing;

/// The most recipients that are tried by OAEP, as each costs a private operation: together a second for 4096 bits.
const MAX_OAEP: usize = 256;
/// The most by PKCS #1 v1.5, as each that is another's may be taken for ours.
const MAX_PKCS1: usize = 16;

/// A content key that may be for one key.
pub struct Info {
    /// Whether it names the key.
    named: bool,
    transport: Transport,
    encrypted_key: Vec<u8>,
}

/// The entry, if it may be for a key with this many bytes and these names.
pub fn read(bytes: &[u8], names: &Names, key_size: usize) -> Result<Option<Info>, Error> {
    let mut r = Reader::new(bytes);
    r.enter(ber::SEQUENCE)?;
    r.number()?; // version: the identifier has a form of its own
    let named = names.contain(&Id::read(&mut r)?);
    let transport = names::read_transport(&mut r)?;
    let encrypted_key = r.octets(ber::OCTET_STRING, recipients::MAX_SMALL)?;
    r.leave()?;
    match encrypted_key.len() == key_size {
        false if named => Err(Error::Malformed(
            "an encrypted key of another length than this key",
        )),
        false => Ok(None),
        true => Ok(Some(Info {
            named,
            transport,
            encrypted_key,
        })),
    }
}

/// Encrypts a content key.
pub fn write<G: CryptoRng + ?Sized>(
    rng: &mut G,
    key: &PublicKey,
    id: &Id,
    hash: Hash,
    content_key: &[u8],
) -> Result<Vec<u8>, Error> {
    let (version, id) = match id {
        Id::IssuerAndSerial(id) => (0, id.clone()),
        Id::KeyId(id) => (2, ber::element(ber::context_primitive(0), &[id])),
    };
    let encrypted = key.rsaes_oaep_encrypt(rng, hash, hash, &[], content_key)?;
    Ok(ber::element(
        ber::SEQUENCE,
        &[
            &ber::integer(version),
            &id,
            &names::oaep_der(hash),
            &ber::element(ber::OCTET_STRING, &[&encrypted]),
        ],
    ))
}

/// The content key. Opens the entries that name the key or, if there is none, all.
///
/// OAEP detects a wrong key, so its first success wins, also over PKCS #1 v1.5, which always gives a message (implicit
/// rejection). Of the latter the first counts whose message has the length of the cipher's key; a rejected entry has
/// that length about once in 200 times. So a sender of several entries learns whether one has this length, not whether
/// it was rejected: of those that have it by chance, 2^17 are rejected for each that is not.
pub fn open<G: CryptoRng + ?Sized>(
    team: &dyn Team,
    rng: &mut G,
    key: &PrivateKey,
    mut infos: Vec<Info>,
    key_len: usize,
) -> Result<Zeroizing<Vec<u8>>, Error> {
    let named = infos.iter().any(|info| info.named);
    infos.retain(|info| info.named == named);
    let (old, oaep): (Vec<_>, Vec<_>) = infos
        .into_iter()
        .partition(|info| info.transport == Transport::Pkcs1);
    if oaep.len() > MAX_OAEP || old.len() > MAX_PKCS1 {
        return Err(Error::Unsupported(format!(
            "more than {MAX_OAEP} recipients by OAEP or {MAX_PKCS1} by PKCS #1 v1.5 that may be this key; name its certificate"
        )));
    }
    for info in &oaep {
        match info.decrypt(team, rng, key) {
            Ok(opened) if opened.len() == key_len => return Ok(opened),
            Err(e @ (rsa::Error::Fault | rsa::Error::Purpose(_))) => return Err(e.into()),
            _ => {}
        }
    }
    if old.is_empty() {
        return Err(Error::Decryption);
    }
    let mut content_key = Zeroizing::new(vec![0; key_len]);
    rng.fill_bytes(&mut content_key);
    // All entries, backwards, so that the first that fits remains.
    for info in old.iter().rev() {
        match info.decrypt(team, rng, key) {
            Ok(opened) if opened.len() == key_len => content_key = opened,
            Err(e @ (rsa::Error::Fault | rsa::Error::Purpose(_))) => return Err(e.into()),
            _ => {}
        }
    }
    Ok(content_key)
}

impl Info {
    fn decrypt<G: CryptoRng + ?Sized>(
        &self,
        team: &dyn Team,
        rng: &mut G,
        key: &PrivateKey,
    ) -> Result<Zeroizing<Vec<u8>>, rsa::Error> {
        let (key, ciphertext) = (key.clone(), self.encrypted_key.clone());
        match &self.transport {
            Transport::Pkcs1 => DecryptPkcs1v15 { key, ciphertext }.run_on(team, rng),
            Transport::Oaep { hash, mgf, label } => {
                let (hash, mgf, label) = (*hash, *mgf, label.clone());
                let decrypt = DecryptOaep {
                    key,
                    hash,
                    mgf,
                    label,
                    ciphertext,
                };
                decrypt.run_on(team, rng)
            }
        }
    }
}
