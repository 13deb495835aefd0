//! Keys encrypted with a password: `EncryptedPrivateKeyInfo` (RFC 5958, section 3) with PBES2 and PBES1 (RFC 8018) and
//! the schemes of PKCS #12 (RFC 7292, appendix C), and OpenSSL's old PEM encryption.

use super::derive::{self, MAX_ITERATIONS, Old, Purpose};
use super::{FormatError, Kind, Locked, kind};
use crate::STACK;
use crate::cms::cbc::decrypt_chain;
use crate::formats::asn1::{self, element};
use crate::hash::Hash;
use carrysave_arith::off_stack;
use carrysave_symmetric::aes::Aes;
use carrysave_symmetric::pkcs7;
use der::asn1::{AnyRef, ObjectIdentifier, OctetStringRef};
use der::{Decode, Reader, SliceReader};
use des::cipher::KeyInit;
use rand_core::CryptoRng;
use spki::AlgorithmIdentifierRef;
use zeroize::Zeroizing;

const ENCRYPTED: &str = "an encrypted private key";

/// The iterations of PBKDF2 in written files.
const ITERATIONS: u32 = 600_000;
/// The most memory, in units of 128 bytes, that a file may ask of scrypt for its table: 256 MiB, and 8 MiB for the rest.
const MAX_SCRYPT: u64 = if cfg!(fuzzing) { 1 << 12 } else { 1 << 21 };

/// The label in PEM.
pub(crate) const LABEL: &str = "ENCRYPTED PRIVATE KEY";

/// A warning about the file.
pub(crate) const WEAK: &str = "the file is encrypted by a method that can be broken: write it anew with \
                               `openssl pkcs8 -topk8`";

fn refuse(why: impl ToString) -> FormatError {
    FormatError::new(ENCRYPTED, why)
}

/// A cipher in CBC mode.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cipher {
    /// AES with a key of this many octets.
    Aes(usize),
    /// DES three times with three keys.
    TripleDes,
    /// DES three times, the first key twice.
    TwoKeyTripleDes,
    Des,
    /// RC2 with a key of this many octets.
    Rc2(usize),
}

impl Cipher {
    pub(crate) fn key_len(self) -> usize {
        match self {
            Cipher::Aes(len) | Cipher::Rc2(len) => len,
            Cipher::TripleDes => 24,
            Cipher::TwoKeyTripleDes => 16,
            Cipher::Des => 8,
        }
    }

    pub(crate) fn block(self) -> usize {
        match self {
            Cipher::Aes(_) => 16,
            _ => 8,
        }
    }

    /// Decrypts, and removes the padding. `None` if there is none, or a length does not fit.
    fn decrypt(self, key: &[u8], iv: &[u8], data: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let mut data = Zeroizing::new(data.to_vec());
        if !data.len().is_multiple_of(self.block()) {
            return None;
        }
        if let Cipher::Aes(_) = self {
            Aes::new(key)?.cbc_decrypt(iv.try_into().ok()?, &mut data);
        } else {
            let iv = iv.try_into().ok()?;
            match self {
                Cipher::TwoKeyTripleDes => {
                    decrypt_chain(&des::TdesEde2::new_from_slice(key).ok()?, iv, &mut data);
                }
                Cipher::Des => decrypt_chain(&des::Des::new_from_slice(key).ok()?, iv, &mut data),
                Cipher::Rc2(_) => {
                    decrypt_chain(&rc2::Rc2::new_from_slice(key).ok()?, iv, &mut data)
                }
                _ => decrypt_chain(&des::TdesEde3::new_from_slice(key).ok()?, iv, &mut data),
            }
        }
        pkcs7::unpad(&mut data, self.block()).ok()?;
        Some(data)
    }
}

/// The derivation of a key from a password.
enum Derivation {
    Pbkdf2 {
        prf: Hash,
        salt: Vec<u8>,
        iterations: u32,
    },
    Scrypt {
        salt: Vec<u8>,
        params: scrypt::Params,
        /// The units of 128 bytes that are computed.
        effort: u64,
    },
    Pbkdf1 {
        hash: Old,
        salt: Vec<u8>,
        iterations: u32,
    },
    Pkcs12 {
        salt: Vec<u8>,
        iterations: u32,
    },
}

/// An encryption with a password.
pub(crate) struct Scheme {
    derivation: Derivation,
    cipher: Cipher,
    /// The initialization vector, unless it is derived.
    iv: Vec<u8>,
}

impl Scheme {
    /// Parses an AlgorithmIdentifier.
    pub(crate) fn new(algorithm: AlgorithmIdentifierRef<'_>) -> Result<Scheme, FormatError> {
        let oid = algorithm.oid.to_string();
        let parameters = algorithm
            .parameters
            .ok_or_else(|| refuse("its encryption has no parameters"))?;
        if oid == "1.2.840.113549.1.5.13" {
            return Scheme::pbes2(parameters);
        }
        let (salt, iterations) = parameters
            .sequence(|r| {
                Ok::<_, der::Error>((
                    <&OctetStringRef>::decode(r)?.as_bytes().to_vec(),
                    u64::decode(r)?,
                ))
            })
            .map_err(refuse)?;
        let iterations = checked(iterations)?;
        let pbkdf1 = |hash, cipher| {
            let salt = salt.clone();
            let derivation = Derivation::Pbkdf1 {
                hash,
                salt,
                iterations,
            };
            Ok(Scheme {
                derivation,
                cipher,
                iv: Vec::new(),
            })
        };
        let pkcs12 = |cipher| {
            let salt = salt.clone();
            let derivation = Derivation::Pkcs12 { salt, iterations };
            Ok(Scheme {
                derivation,
                cipher,
                iv: Vec::new(),
            })
        };
        match &oid[..] {
            "1.2.840.113549.1.5.3" => pbkdf1(Old::Md5, Cipher::Des),
            "1.2.840.113549.1.5.6" => pbkdf1(Old::Md5, Cipher::Rc2(8)),
            "1.2.840.113549.1.5.10" => pbkdf1(Old::Sha1, Cipher::Des),
            "1.2.840.113549.1.5.11" => pbkdf1(Old::Sha1, Cipher::Rc2(8)),
            "1.2.840.113549.1.12.1.3" => pkcs12(Cipher::TripleDes),
            "1.2.840.113549.1.12.1.4" => pkcs12(Cipher::TwoKeyTripleDes),
            "1.2.840.113549.1.12.1.5" => pkcs12(Cipher::Rc2(16)),
            "1.2.840.113549.1.12.1.6" => pkcs12(Cipher::Rc2(5)),
            _ => Err(unknown(&oid)),
        }
    }

    /// PBES2-params (RFC 8018, appendix A.4).
    fn pbes2(parameters: AnyRef<'_>) -> Result<Scheme, FormatError> {
        let (kdf, encryption) = parameters
            .sequence(|r| {
                Ok::<_, der::Error>((
                    AlgorithmIdentifierRef::decode(r)?,
                    AlgorithmIdentifierRef::decode(r)?,
                ))
            })
            .map_err(refuse)?;
        let oid = encryption.oid.to_string();
        let cipher = match &oid[..] {
            "2.16.840.1.101.3.4.1.2" => Cipher::Aes(16),
            "2.16.840.1.101.3.4.1.22" => Cipher::Aes(24),
            "2.16.840.1.101.3.4.1.42" => Cipher::Aes(32),
            "1.2.840.113549.3.7" => Cipher::TripleDes,
            "1.3.14.3.2.7" => Cipher::Des,
            _ => return Err(unknown(&oid)),
        };
        let iv = encryption
            .parameters
            .ok_or_else(|| refuse("its cipher has no parameters"))?;
        let iv = iv
            .decode_as::<&OctetStringRef>()
            .map_err(refuse)?
            .as_bytes()
            .to_vec();
        if iv.len() != cipher.block() {
            return Err(refuse(
                "its initialization vector is not a block of the cipher",
            ));
        }
        let derivation = derivation(kdf, cipher)?;
        Ok(Scheme {
            derivation,
            cipher,
            iv,
        })
    }

    /// Whether the encryption can be broken.
    pub(crate) fn is_weak(&self) -> bool {
        !matches!(self.cipher, Cipher::Aes(_) | Cipher::TripleDes)
            || matches!(
                self.derivation,
                Derivation::Pbkdf1 { .. } | Derivation::Pkcs12 { .. }
            )
    }

    /// The password of a file, for a derivation that costs as much as this one.
    pub(crate) fn take<'a>(&self, password: &mut Password<'a>) -> Result<&'a [u8], Locked> {
        match &self.derivation {
            Derivation::Pbkdf2 { iterations, .. }
            | Derivation::Pbkdf1 { iterations, .. }
            | Derivation::Pkcs12 { iterations, .. } => {
                password.take((*iterations).into(), MAX_ITERATIONS.into())
            }
            Derivation::Scrypt { effort, .. } => password.take(*effort, MAX_SCRYPT),
        }
    }

    /// Decrypts; `None` for a wrong password, or altered data.
    pub(crate) fn decrypt(&self, password: &[u8], data: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        off_stack::<STACK, _>(|| self.decrypted(password, data))
    }

    fn decrypted(&self, password: &[u8], data: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let Scheme {
            derivation,
            cipher,
            iv,
        } = self;
        let len = cipher.key_len();
        match derivation {
            Derivation::Pbkdf2 {
                prf,
                salt,
                iterations,
            } => {
                let key = derive::pbkdf2(*prf, password, salt, *iterations, len)?;
                cipher.decrypt(&key, iv, data)
            }
            Derivation::Scrypt { salt, params, .. } => {
                let mut key = Zeroizing::new(vec![0; len]);
                scrypt::scrypt(password, salt, params, &mut key).ok()?;
                cipher.decrypt(&key, iv, data)
            }
            Derivation::Pbkdf1 {
                hash,
                salt,
                iterations,
            } => {
                let both = derive::pbkdf1(*hash, password, salt, *iterations);
                cipher.decrypt(&both[..8], &both[8..], data)
            }
            Derivation::Pkcs12 { salt, iterations } => {
                let password = derive::utf16(password);
                let derive = |purpose, len| {
                    derive::pkcs12(Hash::Sha1, purpose, &password, salt, *iterations, len)
                };
                let (key, iv) = (derive(Purpose::Key, len), derive(Purpose::Iv, 8));
                cipher.decrypt(&key, &iv, data)
            }
        }
    }
}

/// The password of a file, if there is one, and what the derivations of keys from it may still cost: as much as four of
/// those that cost most.
pub(crate) struct Password<'a> {
    octets: Option<&'a [u8]>,
    /// In parts of 2^32 in what one derivation may cost.
    left: u64,
}

impl<'a> Password<'a> {
    pub(crate) fn new(octets: Option<&'a [u8]>) -> Password<'a> {
        let left = 4 << 32;
        Password { octets, left }
    }

    /// The password, if there is one.
    pub(crate) fn octets(&self) -> Result<&'a [u8], Locked> {
        self.octets.ok_or(Locked::PasswordNeeded)
    }

    /// The password, for a derivation that costs `cost` where one may cost `most`, both below 2^32.
    pub(crate) fn take(&mut self, cost: u64, most: u64) -> Result<&'a [u8], Locked> {
        let octets = self.octets()?;
        self.left = self.left.checked_sub((cost << 32) / most).ok_or_else(|| {
            refuse("the keys before it in the file take too long: put it into a file of its own")
        })?;
        Ok(octets)
    }
}

/// A number of iterations that a file may ask for.
pub(crate) fn checked(iterations: u64) -> Result<u32, FormatError> {
    match u32::try_from(iterations) {
        Ok(iterations @ 1..=MAX_ITERATIONS) => Ok(iterations),
        _ => Err(refuse(format_args!(
            "its password is to be hashed {iterations} times, and 1 to {MAX_ITERATIONS} is possible here; write it \
             anew with `openssl pkcs8 -topk8 -iter 600000`"
        ))),
    }
}

fn derivation(kdf: AlgorithmIdentifierRef<'_>, cipher: Cipher) -> Result<Derivation, FormatError> {
    let parameters = kdf
        .parameters
        .ok_or_else(|| refuse("its key derivation has no parameters"))?;
    let length = |length: Option<u64>| match length {
        Some(length) if length != cipher.key_len() as u64 => Err(refuse(
            "its key derivation gives another length than the cipher takes",
        )),
        _ => Ok(()),
    };
    match &kdf.oid.to_string()[..] {
        "1.2.840.113549.1.5.12" => {
            let (salt, iterations, len, prf) = parameters
                .sequence(|r| {
                    Ok::<_, der::Error>((
                        <&OctetStringRef>::decode(r)?.as_bytes().to_vec(),
                        u64::decode(r)?,
                        Option::<u64>::decode(r)?,
                        Option::<AlgorithmIdentifierRef<'_>>::decode(r)?,
                    ))
                })
                .map_err(refuse)?;
            length(len)?;
            let prf = match prf {
                None => Hash::Sha1,
                Some(prf) => pseudorandom(prf.oid)?,
            };
            let iterations = checked(iterations)?;
            Ok(Derivation::Pbkdf2 {
                prf,
                salt,
                iterations,
            })
        }
        "1.3.6.1.4.1.11591.4.11" => {
            let (salt, [n, r, p], len) = parameters
                .sequence(|reader| {
                    Ok::<_, der::Error>((
                        <&OctetStringRef>::decode(reader)?.as_bytes().to_vec(),
                        [
                            u64::decode(reader)?,
                            u64::decode(reader)?,
                            u64::decode(reader)?,
                        ],
                        Option::<u64>::decode(reader)?,
                    ))
                })
                .map_err(refuse)?;
            length(len)?;
            let effort = n.checked_mul(r).and_then(|nr| nr.checked_mul(p));
            // It takes p + 1 blocks of r beside the n, few where r is as usual.
            let blocks = n.checked_add(p).and_then(|all| all.checked_add(1));
            let memory = blocks.and_then(|blocks| blocks.checked_mul(r));
            if effort.is_none_or(|effort| effort > MAX_SCRYPT)
                || memory.is_none_or(|memory| memory > MAX_SCRYPT + MAX_SCRYPT / 32)
            {
                return Err(refuse(
                    "its scrypt asks for more than 256 MiB or too much time; write it anew with `openssl pkcs8 -topk8`",
                ));
            }
            let params = (n > 1 && n.is_power_of_two())
                .then(|| scrypt::Params::new(n.ilog2() as u8, r as u32, p as u32).ok())
                .flatten();
            let params =
                params.ok_or_else(|| refuse("its scrypt has parameters that RFC 7914 forbids"))?;
            let effort = effort.expect("at most that much");
            Ok(Derivation::Scrypt {
                salt,
                params,
                effort,
            })
        }
        oid => Err(unknown(oid)),
    }
}

/// The hash of an HMAC by its identifier.
pub(crate) fn pseudorandom(oid: ObjectIdentifier) -> Result<Hash, FormatError> {
    Ok(match &oid.to_string()[..] {
        "1.2.840.113549.2.7" => Hash::Sha1,
        "1.2.840.113549.2.8" => Hash::Sha224,
        "1.2.840.113549.2.9" => Hash::Sha256,
        "1.2.840.113549.2.10" => Hash::Sha384,
        "1.2.840.113549.2.11" => Hash::Sha512,
        "1.2.840.113549.2.12" => Hash::Sha512_224,
        "1.2.840.113549.2.13" => Hash::Sha512_256,
        "2.16.840.1.101.3.4.2.13" => Hash::Sha3_224,
        "2.16.840.1.101.3.4.2.14" => Hash::Sha3_256,
        "2.16.840.1.101.3.4.2.15" => Hash::Sha3_384,
        "2.16.840.1.101.3.4.2.16" => Hash::Sha3_512,
        oid => return Err(unknown(oid)),
    })
}

/// An unsupported algorithm, by its usual name.
fn unknown(oid: &str) -> FormatError {
    let arc = |arc: &str| oid.starts_with(arc);
    let name = match oid {
        "1.2.840.113549.1.5.1" | "1.2.840.113549.1.5.4" => "PBES1 with MD2",
        "1.2.840.113549.1.12.1.1" | "1.2.840.113549.1.12.1.2" => "RC4",
        "1.2.840.113549.2.6" => "HMAC-MD5",
        "1.2.840.113549.3.2" => "RC2 in PBES2",
        "1.2.643.7.1.1.4.1" | "1.2.643.7.1.1.4.2" => "HMAC-Streebog",
        "1.2.156.10197.1.104.2" => "SM4",
        "1.2.156.10197.1.401.3.1" => "HMAC-SM3",
        _ if arc("1.2.392.200011.61.1.1.1.") => "Camellia",
        _ if arc("1.2.410.200046.1.1.") => "ARIA",
        _ if arc("1.2.410.200004.1.") => "SEED",
        _ if arc("2.16.840.1.101.3.4.1.") => "AES in another mode than CBC",
        _ => "an unknown algorithm",
    };
    refuse(format_args!(
        "it is encrypted with {name} ({oid}); convert it with `openssl pkcs8 -topk8 -v2 aes-256-cbc -in FILE`"
    ))
}

/// The `PrivateKeyInfo` in an `EncryptedPrivateKeyInfo`, and whether its encryption can be broken.
pub(crate) fn decrypt(
    der: &[u8],
    password: &mut Password<'_>,
) -> Result<(Zeroizing<Vec<u8>>, bool), Locked> {
    let mut reader = SliceReader::new(der).map_err(refuse)?;
    let (algorithm, data) = reader
        .sequence(|r| {
            Ok::<_, der::Error>((
                AlgorithmIdentifierRef::decode(r)?,
                <&OctetStringRef>::decode(r)?,
            ))
        })
        .map_err(refuse)?;
    // Unreadable data needs no password.
    let scheme = Scheme::new(algorithm)?;
    let plain = scheme.decrypt(scheme.take(password)?, data.as_bytes());
    let key = plain.filter(|plain| matches!(kind(plain), Some(Kind::Pkcs8)));
    Ok((key.ok_or(Locked::Password)?, scheme.is_weak()))
}

/// Encrypts a `PrivateKeyInfo`: PBES2 with PBKDF2 (HMAC-SHA-256, 600,000 iterations) and AES-256-CBC.
pub(crate) fn encrypt<R: CryptoRng + ?Sized>(
    plain: &[u8],
    password: &[u8],
    rng: &mut R,
) -> Zeroizing<Vec<u8>> {
    let (mut salt, mut iv) = ([0; 16], [0; 16]);
    rng.fill_bytes(&mut salt);
    rng.fill_bytes(&mut iv);
    let derive = || derive::pbkdf2(Hash::Sha256, password, &salt, ITERATIONS, 32);
    let key = off_stack::<STACK, _>(derive).expect("SHA-256 is there");
    // Allocated with the padding: a vector that grows leaves a copy behind.
    let mut data = Zeroizing::new(Vec::with_capacity(plain.len() + 16));
    data.extend_from_slice(plain);
    let aes = Aes::new(&key).expect("32 octets");
    aes.cbc_encrypt_padded(&iv, &mut data);
    let oid = |text| element(asn1::OID, &[ObjectIdentifier::new_unwrap(text).as_bytes()]);
    let sequence = |parts: &[&[u8]]| element(asn1::SEQUENCE, parts);
    let octets = |octets: &[u8]| element(asn1::OCTET_STRING, &[octets]);
    let prf = sequence(&[&oid("1.2.840.113549.2.9"), &element(asn1::NULL, &[])]);
    let iterations = element(asn1::INTEGER, &[&ITERATIONS.to_be_bytes()[1..]]);
    let kdf = sequence(&[
        &oid("1.2.840.113549.1.5.12"),
        &sequence(&[&octets(&salt), &iterations, &prf]),
    ]);
    let cipher = sequence(&[&oid("2.16.840.1.101.3.4.1.42"), &octets(&iv)]);
    let algorithm = sequence(&[&oid("1.2.840.113549.1.5.13"), &sequence(&[&kdf, &cipher])]);
    Zeroizing::new(sequence(&[&algorithm, &octets(&data)]))
}

fn hex(digits: &str) -> Option<Vec<u8>> {
    let (pairs, []) = digits.as_bytes().as_chunks::<2>() else {
        return None;
    };
    let octet = |pair: &[u8; 2]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
    pairs.iter().map(octet).collect()
}

/// Decrypts OpenSSL's old PEM encryption: DEK-Info names the cipher and the initialization vector (RFC 1421, 4.6.1.3).
pub(crate) fn decrypt_traditional(
    dek_info: &str,
    data: &[u8],
    password: &Password<'_>,
) -> Result<Zeroizing<Vec<u8>>, Locked> {
    let (name, iv) = dek_info
        .split_once(',')
        .ok_or_else(|| refuse("its DEK-Info names no cipher and vector"))?;
    let cipher = match name.trim() {
        "AES-128-CBC" => Cipher::Aes(16),
        "AES-192-CBC" => Cipher::Aes(24),
        "AES-256-CBC" => Cipher::Aes(32),
        "DES-EDE3-CBC" => Cipher::TripleDes,
        "DES-CBC" => Cipher::Des,
        other => {
            return Err(refuse(format_args!(
                "it is encrypted with {other}; convert it with `openssl pkcs8 -topk8 -in FILE`"
            ))
            .into());
        }
    };
    let iv = hex(iv.trim())
        .filter(|iv| iv.len() == cipher.block())
        .ok_or_else(|| refuse("the vector in its DEK-Info is not a block of the cipher"))?;
    let password = password.octets()?;
    let plain = off_stack::<STACK, _>(|| {
        let key = derive::bytes_to_key(password, &iv[..8], cipher.key_len());
        cipher.decrypt(&key, &iv, data)
    });
    let key = plain.filter(|plain| {
        matches!(
            kind(plain),
            Some(Kind::Pkcs1Private | Kind::Sec1 | Kind::Dsa | Kind::Pkcs8)
        )
    });
    key.ok_or(Locked::Password)
}

#[cfg(test)]
mod tests {
    use super::*;
    use getrandom::SysRng;
    use rand_core::UnwrapErr;

    /// The padding fits by chance for one wrong password in 256.
    #[test]
    fn what_decrypts_to_no_key_has_a_wrong_password() {
        let encrypted = encrypt(b"no key", b"password", &mut UnwrapErr(SysRng));
        let read = decrypt(&encrypted, &mut Password::new(Some(b"password")));
        assert!(matches!(read, Err(Locked::Password)));
    }

    #[test]
    fn a_file_cannot_ask_for_more_than_four_long_derivations() {
        let mut password = Password::new(Some(b"password"));
        for _ in 0..2 {
            let iterations = password.take(MAX_ITERATIONS.into(), MAX_ITERATIONS.into());
            assert!(iterations.is_ok_and(|octets| octets == b"password"));
            assert!(password.take(MAX_SCRYPT, MAX_SCRYPT).is_ok());
        }
        let encrypted = encrypt(b"no key", b"password", &mut UnwrapErr(SysRng));
        let refused = decrypt(&encrypted, &mut password);
        assert!(matches!(refused, Err(Locked::Format(_))));
        // What costs nothing is read.
        assert!(password.octets().is_ok());
        let none = Password::new(None).take(1, 2);
        assert!(matches!(none, Err(Locked::PasswordNeeded)));
    }

    /// Neither salt nor vector, of 16 octets each, is that of another file.
    #[test]
    fn what_is_written_twice_differs() {
        let [a, b] = [(); 2].map(|()| encrypt(&[7; 64], b"password", &mut UnwrapErr(SysRng)));
        let (head, data) = a.split_at(a.len() - 80);
        let (other, other_data) = b.split_at(head.len());
        let differ = head.iter().zip(other).filter(|(a, b)| a != b).count();
        assert!(
            (25..=32).contains(&differ) && data != other_data,
            "{differ}"
        );
    }
}
