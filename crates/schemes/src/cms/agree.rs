//! KeyAgreeRecipientInfo (RFC 5652 section 6.2.2): the content key, wrapped by a key from ephemeral-static agreement
//! (RFC 5753; RFC 8418 for X25519 and X448).

use super::ber::{self, Reader, context, element};
use super::ids::{Id, Names};
use super::names;
use super::wrap::{self, Wrap};
use super::{Error, recipients};
use crate::ec::{Algorithm, AnyPrivateKey, AnyPublicKey};
use crate::hash::Hash;
use carrysave_symmetric::aes::Aes;
use rand_core::CryptoRng;
use std::io::Read;
use zeroize::Zeroizing;

/// The most agreements computed for one message.
const MAX_AGREEMENTS: usize = 256;
/// The most bytes of the sender's addition to the secret, and of a wrapped key.
const MAX_UKM: usize = 4096;
const MAX_WRAPPED: usize = 256;

// Arcs of dhSinglePass, with one byte behind them: the standard and the cofactor scheme, which differ in nothing here as
// the curves have cofactor 1, and X25519 and X448 clear it.
const SHA1_KDF: &[u8] = b"\x2b\x81\x05\x10\x86\x48\x3f\x00";
const STANDARD: &[u8] = b"\x2b\x81\x04\x01\x0b";
const COFACTOR: &[u8] = b"\x2b\x81\x04\x01\x0e";

/// How a wrapping key is derived from a shared secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kdf {
    /// ANSI X9.63 (SEC 1 section 3.6.1).
    X963(Hash),
    /// HKDF (RFC 5869).
    Hkdf(Hash),
}

/// A content key that may be for one or several keys of a curve.
pub struct Info {
    originator: AnyPublicKey,
    kdf: Kdf,
    wrap: Wrap,
    /// The AlgorithmIdentifier of the wrap, DER.
    wrap_der: Vec<u8>,
    ukm: Option<Vec<u8>>,
    keys: Vec<Wrapped>,
}

/// A content key for one of the keys.
struct Wrapped {
    named: bool,
    key: Vec<u8>,
}

/// The entries that may be for a key: none if the ephemeral key has another curve.
pub fn read(bytes: &[u8], names: &Names, own: &AnyPublicKey) -> Result<Option<Info>, Error> {
    let mut r = Reader::new(bytes);
    r.enter(context(1))?;
    r.number()?; // version
    r.enter(context(0))?;
    if r.peek()? != Some(context(1)) {
        let what = "a key agreement with a certificate of the sender";
        return Err(Error::Unsupported(what.to_owned()));
    }
    r.enter(context(1))?;
    // Its parameters may be missing, and `openssl` writes id-ecPublicKey for any curve: the key has the recipient's
    // curve.
    r.enter(ber::SEQUENCE)?;
    r.skip_out()?;
    let point = element(ber::BIT_STRING, &[&r.primitive(ber::BIT_STRING, 1024)?]);
    r.leave()?;
    r.leave()?;
    let mut ukm = None;
    if r.peek()? == Some(context(1)) {
        r.enter(context(1))?;
        ukm = Some(r.octets(ber::OCTET_STRING, MAX_UKM)?);
        r.leave()?;
    }
    r.enter(ber::SEQUENCE)?;
    let kdf = read_scheme(&r.oid()?)?;
    let wrap_der = r.der(MAX_UKM)?;
    let wrap = Wrap::read(&mut Reader::new(&wrap_der[..]))?;
    r.leave()?;
    let mut keys = Vec::new();
    r.enter(ber::SEQUENCE)?;
    while r.peek()?.is_some() {
        r.enter(ber::SEQUENCE)?;
        let named = names.contain(&read_id(&mut r)?);
        let key = r.octets(ber::OCTET_STRING, MAX_WRAPPED)?;
        r.leave()?;
        keys.push(Wrapped { named, key });
    }
    r.leave()?;
    r.leave()?;
    let spki = element(ber::SEQUENCE, &[&algorithm_of(own)?, &point]);
    // The octets of an X25519 key may be those of an Ed25519 key, with which nothing is agreed.
    let originator = AnyPublicKey::from_spki_der(&spki).ok();
    let originator = originator.filter(|key| key.algorithm().agrees());
    Ok(originator.map(|originator| Info {
        originator,
        kdf,
        wrap,
        wrap_der,
        ukm,
        keys,
    }))
}

/// The AlgorithmIdentifier of a key, DER.
fn algorithm_of(key: &AnyPublicKey) -> Result<Vec<u8>, Error> {
    let spki = key.to_spki_der();
    let mut r = Reader::new(&spki[..]);
    r.enter(ber::SEQUENCE)?;
    r.der(recipients::MAX_SMALL)
}

fn read_scheme(oid: &[u8]) -> Result<Kdf, Error> {
    let (arc, last) = oid.split_at(oid.len().saturating_sub(1));
    let kdf = match (arc, last) {
        (SHA1_KDF, [2 | 3]) => Kdf::X963(Hash::Sha1),
        (STANDARD | COFACTOR, [0]) => Kdf::X963(Hash::Sha224),
        (STANDARD | COFACTOR, [1]) => Kdf::X963(Hash::Sha256),
        (STANDARD | COFACTOR, [2]) => Kdf::X963(Hash::Sha384),
        (STANDARD | COFACTOR, [3]) => Kdf::X963(Hash::Sha512),
        (names::SMIME_ALG, [19]) => Kdf::Hkdf(Hash::Sha256),
        (names::SMIME_ALG, [20]) => Kdf::Hkdf(Hash::Sha384),
        (names::SMIME_ALG, [21]) => Kdf::Hkdf(Hash::Sha512),
        _ => {
            let what = format!("key agreement {}", names::named(oid));
            return Err(Error::Unsupported(what));
        }
    };
    Ok(kdf)
}

/// KeyAgreeRecipientIdentifier.
fn read_id<R: Read>(r: &mut Reader<R>) -> Result<Id, Error> {
    if r.peek()? != Some(context(0)) {
        return Id::read(r);
    }
    r.enter(context(0))?;
    let id = r.octets(ber::OCTET_STRING, recipients::MAX_SMALL)?;
    r.skip_out()?; // a date and other attributes
    Ok(Id::KeyId(id))
}

/// The wrapping key, derived from the shared secret and ECC-CMS-SharedInfo (RFC 5753 section 7.2).
fn wrapping_key(
    kdf: Kdf,
    secret: &[u8],
    wrap_der: &[u8],
    ukm: Option<&[u8]>,
    len: usize,
) -> Zeroizing<Vec<u8>> {
    let ukm_element = ukm.map_or(Vec::new(), |ukm| {
        element(context(0), &[&element(ber::OCTET_STRING, &[ukm])])
    });
    let bits = (8 * len as u32).to_be_bytes();
    let bits = element(context(2), &[&element(ber::OCTET_STRING, &[&bits])]);
    let info = element(ber::SEQUENCE, &[wrap_der, &ukm_element, &bits]);
    let mut key = Zeroizing::new(Vec::with_capacity(128));
    match kdf {
        Kdf::X963(hash) => {
            let mut hasher = hash.hasher();
            for counter in 1u32.. {
                if key.len() >= len {
                    break;
                }
                hasher.update(secret);
                hasher.update(&counter.to_be_bytes());
                hasher.update(&info);
                key.extend_from_slice(&Zeroizing::new(hasher.finish()));
            }
        }
        // One block of output is enough for every wrap.
        Kdf::Hkdf(hash) => {
            let extracted = hash.hmac(ukm.unwrap_or_default(), &[secret]);
            key.extend_from_slice(&hash.hmac(&extracted, &[&info, &[1]]));
        }
    }
    key.truncate(len);
    key
}

/// Encrypts a content key: ephemeral-static agreement, X9.63 or, for X25519 and X448, HKDF with the hash of the curve's size, and
/// AES-256 key wrap.
pub fn write<G: CryptoRng + ?Sized>(
    rng: &mut G,
    key: &AnyPublicKey,
    id: &Id,
    content_key: &[u8],
) -> Result<Vec<u8>, Error> {
    let (kdf, arc, last, of_key) = match key.algorithm() {
        Algorithm::X25519 => (Kdf::Hkdf(Hash::Sha256), names::SMIME_ALG, 19, names::X25519),
        Algorithm::X448 => (Kdf::Hkdf(Hash::Sha512), names::SMIME_ALG, 21, names::X448),
        Algorithm::P384 | Algorithm::BrainpoolP384r1 => {
            (Kdf::X963(Hash::Sha384), STANDARD, 2, names::EC_PUBLIC_KEY)
        }
        Algorithm::P521 | Algorithm::BrainpoolP512r1 => {
            (Kdf::X963(Hash::Sha512), STANDARD, 3, names::EC_PUBLIC_KEY)
        }
        _ => (Kdf::X963(Hash::Sha256), STANDARD, 1, names::EC_PUBLIC_KEY),
    };
    let ephemeral = AnyPrivateKey::generate_with(key.algorithm(), rng);
    let secret = ephemeral.agree(key)?;
    let wrap_der = names::algorithm(&[names::AES, &[45]].concat(), &[]);
    let kek = wrapping_key(kdf, &secret, &wrap_der, None, 32);
    let wrapped = wrap::wrap(&Aes::new(&kek).expect("32 bytes"), content_key);

    let point = ephemeral.public().to_octets();
    let point = element(ber::BIT_STRING, &[&[0], &point]);
    let originator = element(context(1), &[&names::algorithm(of_key, &[]), &point]);
    let id = match id {
        Id::IssuerAndSerial(id) => id.clone(),
        Id::KeyId(id) => element(context(0), &[&element(ber::OCTET_STRING, &[id])]),
    };
    let wrapped = element(
        ber::SEQUENCE,
        &[&id, &element(ber::OCTET_STRING, &[&wrapped])],
    );
    Ok(element(
        context(1),
        &[
            &ber::integer(3),
            &element(context(0), &[&originator]),
            &names::algorithm(&[arc, &[last]].concat(), &wrap_der),
            &element(ber::SEQUENCE, &[&wrapped]),
        ],
    ))
}

/// The content key. Opens the entries that name the key or, if there is none, all: a key that unwraps is right.
pub fn open(
    key: &AnyPrivateKey,
    infos: &[Info],
    key_len: usize,
) -> Result<Zeroizing<Vec<u8>>, Error> {
    let named = infos
        .iter()
        .any(|info| info.keys.iter().any(|key| key.named));
    let mut agreements = 0;
    for info in infos {
        let mut wrapped = info.keys.iter().filter(|key| key.named == named).peekable();
        if wrapped.peek().is_none() {
            continue;
        }
        agreements += 1;
        if agreements > MAX_AGREEMENTS {
            return Err(Error::Unsupported(format!(
                "more than {MAX_AGREEMENTS} recipients that may be this key; name its certificate"
            )));
        }
        let Ok(secret) = key.agree(&info.originator) else {
            continue; // a point of small order
        };
        let len = info.wrap.key_len();
        let kek = wrapping_key(info.kdf, &secret, &info.wrap_der, info.ukm.as_deref(), len);
        let mut opened = wrapped.filter_map(|wrapped| info.wrap.unwrap(&kek, &wrapped.key));
        if let Some(content_key) = opened.find(|opened| opened.len() == key_len) {
            return Ok(content_key);
        }
    }
    Err(Error::Decryption)
}
