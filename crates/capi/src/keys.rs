//! Keys of all algorithms: files, octets, generation.

use crate::error::{Outcome, cs_error, cs_error::*, entry};
use crate::memory::{Bytes, free, give, input, object};
use carrysave::arith::Nat;
use carrysave::ec::{self, AnyPrivateKey, AnyPublicKey};
use carrysave::keys::{self, Content, Key};
use carrysave::rsa::{self, KeygenOptions};
use carrysave::{dl, system_rng};
use core::ffi::c_int;
use zeroize::Zeroizing;

/// What a key is for. The groups are those of RFC 7919 and RFC 3526.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum cs_algorithm {
    /// RSA.
    CS_RSA = 1,
    /// DSA, or Diffie-Hellman in another group.
    CS_GROUP = 2,
    /// ECDSA and ECDH on P-224.
    CS_P224 = 10,
    /// ECDSA and ECDH on P-256.
    CS_P256 = 11,
    /// ECDSA and ECDH on P-384.
    CS_P384 = 12,
    /// ECDSA and ECDH on P-521.
    CS_P521 = 13,
    /// ECDSA and ECDH on secp256k1.
    CS_SECP256K1 = 14,
    /// ECDSA and ECDH on brainpoolP256r1.
    CS_BRAINPOOL_P256 = 15,
    /// ECDSA and ECDH on brainpoolP384r1.
    CS_BRAINPOOL_P384 = 16,
    /// ECDSA and ECDH on brainpoolP512r1.
    CS_BRAINPOOL_P512 = 17,
    /// X25519.
    CS_X25519 = 20,
    /// Ed25519.
    CS_ED25519 = 21,
    /// Diffie-Hellman in ffdhe2048.
    CS_FFDHE2048 = 30,
    /// Diffie-Hellman in ffdhe3072.
    CS_FFDHE3072 = 31,
    /// Diffie-Hellman in ffdhe4096.
    CS_FFDHE4096 = 32,
    /// Diffie-Hellman in ffdhe6144.
    CS_FFDHE6144 = 33,
    /// Diffie-Hellman in ffdhe8192.
    CS_FFDHE8192 = 34,
    /// Diffie-Hellman in the group of 2048 bits of RFC 3526.
    CS_MODP2048 = 40,
    /// Diffie-Hellman in the group of 3072 bits of RFC 3526.
    CS_MODP3072 = 41,
    /// Diffie-Hellman in the group of 4096 bits of RFC 3526.
    CS_MODP4096 = 42,
    /// Diffie-Hellman in the group of 6144 bits of RFC 3526.
    CS_MODP6144 = 43,
    /// Diffie-Hellman in the group of 8192 bits of RFC 3526.
    CS_MODP8192 = 44,
}

use cs_algorithm::*;

/// The form of a key in a file.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum cs_format {
    /// The private key: PKCS #8, DER.
    CS_PRIVATE_DER = 1,
    /// The private key: PKCS #8, PEM.
    CS_PRIVATE_PEM = 2,
    /// The public key: SubjectPublicKeyInfo, DER.
    CS_PUBLIC_DER = 3,
    /// The public key: SubjectPublicKeyInfo, PEM.
    CS_PUBLIC_PEM = 4,
}

use cs_format::*;

const CURVES: &[(cs_algorithm, ec::Algorithm)] = &[
    (CS_P224, ec::Algorithm::P224),
    (CS_P256, ec::Algorithm::P256),
    (CS_P384, ec::Algorithm::P384),
    (CS_P521, ec::Algorithm::P521),
    (CS_SECP256K1, ec::Algorithm::Secp256k1),
    (CS_BRAINPOOL_P256, ec::Algorithm::BrainpoolP256r1),
    (CS_BRAINPOOL_P384, ec::Algorithm::BrainpoolP384r1),
    (CS_BRAINPOOL_P512, ec::Algorithm::BrainpoolP512r1),
    (CS_X25519, ec::Algorithm::X25519),
    (CS_ED25519, ec::Algorithm::Ed25519),
];

const GROUPS: &[(cs_algorithm, dl::Named)] = &[
    (CS_FFDHE2048, dl::Named::Ffdhe2048),
    (CS_FFDHE3072, dl::Named::Ffdhe3072),
    (CS_FFDHE4096, dl::Named::Ffdhe4096),
    (CS_FFDHE6144, dl::Named::Ffdhe6144),
    (CS_FFDHE8192, dl::Named::Ffdhe8192),
    (CS_MODP2048, dl::Named::Modp2048),
    (CS_MODP3072, dl::Named::Modp3072),
    (CS_MODP4096, dl::Named::Modp4096),
    (CS_MODP6144, dl::Named::Modp6144),
    (CS_MODP8192, dl::Named::Modp8192),
];

/// The row of a table with a code.
fn coded<T: Copy>(table: &[(cs_algorithm, T)], code: c_int) -> Option<T> {
    let found = table
        .iter()
        .find(|(algorithm, _)| *algorithm as c_int == code);
    found.map(|(_, of)| *of)
}

/// The code of a row of a table.
fn code<T: PartialEq>(table: &[(cs_algorithm, T)], of: &T) -> cs_algorithm {
    let found = table.iter().find(|(_, other)| other == of);
    found.map_or(CS_GROUP, |(algorithm, _)| *algorithm)
}

/// A key of any algorithm: public, or private with its public half. It never changes, and is wiped when it is freed.
///
/// Threads: any number may use one key at once; one frees it.
pub struct cs_key(pub(crate) Key);

/// Reads the first key of a file in any form: PKCS #8, also encrypted, PKCS #1, SEC 1, SubjectPublicKeyInfo,
/// certificates, OpenSSH, PKCS #12; PEM or DER. `password` may be null. Certificates give their public key and are not
/// verified. The time depends on lengths, and on which keys are accepted.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_key_read(
    file: *const u8,
    file_len: usize,
    password: *const u8,
    password_len: usize,
    key: *mut *mut cs_key,
) -> cs_error {
    entry! {
        give(key, || {
            let file = input(file, file_len)?;
            let password = match password.is_null() {
                true => None,
                false => Some(input(password, password_len)?),
            };
            let mut entries = keys::read(file, password).into_iter();
            let key = match entries.next().ok_or(CS_ERROR_KEY_FORMAT)?.content? {
                Content::Key(key) => key,
                Content::Certificate(certificate) => certificate.key().cloned().map_err(Clone::clone)?,
            };
            match key.public() {
                // X448 and Ed448, which nothing here takes.
                Key::CurvePublic(public) if code(CURVES, &public.algorithm()) == CS_GROUP => {
                    Err(CS_ERROR_KEY_ALGORITHM)
                }
                _ => Ok(cs_key(key)),
            }
        })
    }
}

/// Generates a key with the operating system's randomness. `bits` is the length of an RSA modulus, 2048 to 16384 and a
/// multiple of 8, and 0 for any other algorithm. RSA keys have two primes and the exponent 65537. Not for `CS_GROUP`, whose
/// keys `cs_key_read` reads.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_key_generate(
    algorithm: c_int,
    bits: usize,
    key: *mut *mut cs_key,
) -> cs_error {
    entry! {
        give(key, || {
            if algorithm == CS_RSA as c_int {
                return match (2048..=16_384).contains(&bits) && bits.is_multiple_of(8) {
                    true => Ok(cs_key(Key::RsaPrivate(rsa::PrivateKey::generate_with(
                        system_rng,
                        bits,
                        &KeygenOptions::default(),
                        &|_| (),
                    )?))),
                    false => Err(CS_ERROR_ARGUMENT),
                };
            }
            if bits != 0 {
                return Err(CS_ERROR_ARGUMENT);
            }
            if let Some(curve) = coded(CURVES, algorithm) {
                return Ok(cs_key(Key::CurvePrivate(AnyPrivateKey::generate(curve).into())));
            }
            let group = coded(GROUPS, algorithm).ok_or(CS_ERROR_ARGUMENT)?.group();
            let key = dl::PrivateKey::generate(&group);
            Ok(cs_key(Key::GroupPrivate(dl::Form::Pkcs3, key.into())))
        })
    }
}

/// A private key of its octets: big-endian as many as the curve's order has, the 32 octets of X25519 or Ed25519 (RFC
/// 7748, RFC 8032), or the exponent of a standard group. Not for RSA: see `cs_key_read` and `cs_key_rsa_private`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_key_private(
    algorithm: c_int,
    octets: *const u8,
    octets_len: usize,
    key: *mut *mut cs_key,
) -> cs_error {
    entry! {
        give(key, || {
            let octets = input(octets, octets_len)?;
            if let Some(curve) = coded(CURVES, algorithm) {
                return Ok(cs_key(Key::CurvePrivate(curve_private(curve, octets)?.into())));
            }
            let group = coded(GROUPS, algorithm).ok_or(CS_ERROR_ARGUMENT)?.group();
            let key = dl::PrivateKey::new(&group, &Nat::from_be_bytes(octets))?;
            Ok(cs_key(Key::GroupPrivate(dl::Form::Pkcs3, key.into())))
        })
    }
}

/// A public key of its octets: a point as 04 and both coordinates (SEC 1), the 32 octets of X25519 or Ed25519, or the
/// big-endian number of a standard group. Not for RSA: see `cs_key_rsa_public`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_key_public(
    algorithm: c_int,
    octets: *const u8,
    octets_len: usize,
    key: *mut *mut cs_key,
) -> cs_error {
    entry! {
        give(key, || {
            let octets = input(octets, octets_len)?;
            if let Some(curve) = coded(CURVES, algorithm) {
                return Ok(cs_key(Key::CurvePublic(curve_public(curve, octets)?)));
            }
            let group = coded(GROUPS, algorithm).ok_or(CS_ERROR_ARGUMENT)?.group();
            let key = dl::PublicKey::from_be_bytes(&group, octets)?;
            Ok(cs_key(Key::GroupPublic(dl::Form::Pkcs3, key)))
        })
    }
}

/// The keys of each curve by the name of its types.
macro_rules! curves {
    ($curve:ident, $octets:ident, $Key:ident, $from:ident: $($Curve:ident)*) => {
        match $curve {
            $(ec::Algorithm::$Curve => ec::$Key::<ec::$Curve>::$from($octets)?.into(),)*
            _ => return Err(CS_ERROR_ARGUMENT),
        }
    };
    ($curve:ident, $octets:ident, $Key:ident, $from:ident) => {
        curves!($curve, $octets, $Key, $from: P224 P256 P384 P521 Secp256k1
            BrainpoolP256r1 BrainpoolP384r1 BrainpoolP512r1)
    };
}

fn octets_32(octets: &[u8]) -> Outcome<&[u8; 32]> {
    octets.try_into().map_err(|_| CS_ERROR_LENGTH)
}

fn curve_private(curve: ec::Algorithm, octets: &[u8]) -> Outcome<AnyPrivateKey> {
    if octets.len() != curve.size() {
        return Err(CS_ERROR_LENGTH);
    }
    Ok(match curve {
        ec::Algorithm::X25519 => ec::X25519PrivateKey::from_bytes(octets_32(octets)?).into(),
        ec::Algorithm::Ed25519 => ec::Ed25519PrivateKey::from_bytes(octets_32(octets)?).into(),
        curve => curves!(curve, octets, PrivateKey, from_be_bytes),
    })
}

fn curve_public(curve: ec::Algorithm, octets: &[u8]) -> Outcome<AnyPublicKey> {
    Ok(match curve {
        ec::Algorithm::X25519 => ec::X25519PublicKey(*octets_32(octets)?).into(),
        ec::Algorithm::Ed25519 => ec::Ed25519PublicKey::from_bytes(octets_32(octets)?)?.into(),
        curve => curves!(curve, octets, PublicKey, from_sec1),
    })
}

/// A public RSA key of its modulus and exponent, big-endian.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_key_rsa_public(
    n: *const u8,
    n_len: usize,
    e: *const u8,
    e_len: usize,
    key: *mut *mut cs_key,
) -> cs_error {
    entry! {
        give(key, || {
            let [n, e] = [input(n, n_len)?, input(e, e_len)?].map(Nat::from_be_bytes);
            Ok(cs_key(Key::RsaPublic(rsa::PublicKey::new(n, e)?)))
        })
    }
}

/// A private RSA key of two primes and the public exponent, big-endian. The primes are tested.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_key_rsa_private(
    p: *const u8,
    p_len: usize,
    q: *const u8,
    q_len: usize,
    e: *const u8,
    e_len: usize,
    key: *mut *mut cs_key,
) -> cs_error {
    entry! {
        give(key, || {
            let [p, q, e] = [input(p, p_len)?, input(q, q_len)?, input(e, e_len)?].map(Nat::from_be_bytes);
            let key = rsa::PrivateKey::from_primes(vec![p, q], e)?;
            key.validate()?;
            Ok(cs_key(Key::RsaPrivate(key)))
        })
    }
}

/// A key with the public half of `key` alone.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_key_public_half(
    key: *const cs_key,
    public: *mut *mut cs_key,
) -> cs_error {
    entry! {
        give(public, || Ok(cs_key(object(key)?.0.public())))
    }
}

/// Wipes and frees a key; null is nothing. Nobody may use it any more.
///
/// Threads: one, the last to use it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_key_free(key: *mut cs_key) {
    // SAFETY: as the header says.
    unsafe { free(key) }
}

/// The `cs_algorithm` of a key; 0 for null.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_key_algorithm(key: *const cs_key) -> c_int {
    let mut code = 0;
    entry! {
        code = algorithm(&object(key)?.0)? as c_int;
        Ok(())
    };
    code
}

pub(crate) fn algorithm(key: &Key) -> Outcome<cs_algorithm> {
    Ok(match key {
        Key::RsaPrivate(_) | Key::RsaPublic(_) => CS_RSA,
        Key::CurvePrivate(key) => code(CURVES, &key.algorithm()),
        Key::CurvePublic(key) => code(CURVES, &key.algorithm()),
        Key::GroupPrivate(dl::Form::Dsa, _) | Key::GroupPublic(dl::Form::Dsa, _) => CS_GROUP,
        Key::GroupPrivate(_, key) => named(key.group()),
        Key::GroupPublic(_, key) => named(key.group()),
        _ => return Err(CS_ERROR_ARGUMENT),
    })
}

fn named(group: &dl::Group) -> cs_algorithm {
    let found = GROUPS
        .iter()
        .find(|(_, named)| Some(*named) == group.named());
    found.map_or(CS_GROUP, |(algorithm, _)| *algorithm)
}

/// Whether a key has its private half: 1 or 0; 0 for null.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_key_is_private(key: *const cs_key) -> c_int {
    let mut private = false;
    entry! {
        private = object(key)?.0.is_private();
        Ok(())
    };
    private.into()
}

/// The length of a modulus, of a group's prime or of a curve's order in bits, 255 for X25519 and Ed25519; 0 for null.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_key_bits(key: *const cs_key) -> usize {
    let mut bits = 0;
    entry! {
        let of_curve = |algorithm: ec::Algorithm| match algorithm {
            ec::Algorithm::X25519 | ec::Algorithm::Ed25519 => 255,
            ec::Algorithm::P521 => 521,
            other => 8 * other.size(),
        };
        bits = match object(key)?.0.public() {
            Key::RsaPublic(key) => key.bits(),
            Key::CurvePublic(key) => of_curve(key.algorithm()),
            Key::GroupPublic(_, key) => key.group().bits(),
            _ => 0,
        };
        Ok(())
    };
    bits
}

/// Writes a key in a `cs_format`. `*out_len` gets its length, also where there is too little room; `out` may be null
/// then and `size` 0. PEM has no null at its end.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_key_write(
    key: *const cs_key,
    format: c_int,
    out: *mut u8,
    size: usize,
    out_len: *mut usize,
) -> cs_error {
    entry! {
        let (key, out) = (&object(key)?.0, Bytes::new(out, size, out_len)?);
        out.write(&in_format(key, format)?)
    }
}

/// What one of the three kinds of keys writes.
macro_rules! written {
    ($key:expr, $Rsa:ident $Curve:ident $Group:ident, $write:ident) => {
        match $key {
            Key::$Rsa(key) => Ok(bytes(key.$write())),
            Key::$Curve(key) => Ok(bytes(key.$write())),
            Key::$Group(form, key) => Ok(bytes(key.$write(*form)?)),
            _ => Err(CS_ERROR_KEY_KIND),
        }
    };
    (private $key:expr, $write:ident) => {
        written!($key, RsaPrivate CurvePrivate GroupPrivate, $write)
    };
    (public $key:expr, $write:ident) => {
        written!(&$key.public(), RsaPublic CurvePublic GroupPublic, $write)
    };
}

fn bytes(of: impl AsRef<[u8]>) -> Zeroizing<Vec<u8>> {
    Zeroizing::new(of.as_ref().to_vec())
}

fn in_format(key: &Key, format: c_int) -> Outcome<Zeroizing<Vec<u8>>> {
    const FORMATS: [cs_format; 4] = [CS_PRIVATE_DER, CS_PRIVATE_PEM, CS_PUBLIC_DER, CS_PUBLIC_PEM];
    let found = FORMATS.into_iter().find(|&known| known as c_int == format);
    match found.ok_or(CS_ERROR_ARGUMENT)? {
        CS_PRIVATE_DER => written!(private key, to_pkcs8_der),
        CS_PRIVATE_PEM => written!(private key, to_pkcs8_pem),
        CS_PUBLIC_DER => written!(public key, to_spki_der),
        CS_PUBLIC_PEM => written!(public key, to_spki_pem),
    }
}

/// Writes the octets of a public half as `cs_key_public` reads them; of an RSA key the modulus, big-endian. `*out_len`
/// gets their number, also where there is too little room.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_key_public_octets(
    key: *const cs_key,
    out: *mut u8,
    size: usize,
    out_len: *mut usize,
) -> cs_error {
    entry! {
        let (key, out) = (&object(key)?.0, Bytes::new(out, size, out_len)?);
        out.write(&match key.public() {
            Key::RsaPublic(key) => key.n().to_be_bytes_vartime(),
            Key::CurvePublic(key) => key.to_octets(),
            Key::GroupPublic(_, key) => key.to_be_bytes(),
            _ => return Err(CS_ERROR_KEY_KIND),
        })
    }
}

/// Writes the octets of a private key as `cs_key_private` reads them. Not for RSA: see `cs_key_write`. `*out_len` gets
/// their number, also where there is too little room.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_key_private_octets(
    key: *const cs_key,
    out: *mut u8,
    size: usize,
    out_len: *mut usize,
) -> cs_error {
    entry! {
        let (key, out) = (&object(key)?.0, Bytes::new(out, size, out_len)?);
        out.write(&match key {
            Key::CurvePrivate(key) => key.to_octets(),
            Key::GroupPrivate(_, key) => key.to_be_bytes(),
            _ => return Err(CS_ERROR_KEY_KIND),
        })
    }
}
