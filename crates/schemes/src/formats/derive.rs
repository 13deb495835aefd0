//! Keys derived from passwords: PBKDF1 and PBKDF2 (RFC 8018), PKCS #12 (RFC 7292, appendix B), and OpenSSL's old
//! method.

use crate::hash::Hash;
use hmac::{Hmac, SimpleHmac};
use md5::{Digest, Md5};
use zeroize::{Zeroize, Zeroizing};

/// The most iterations that an encryption in a file may ask for: some seconds, or few in a fuzzer.
pub(crate) const MAX_ITERATIONS: u32 = if cfg!(fuzzing) { 4096 } else { 10_000_000 };

/// PBKDF2 with HMAC (RFC 8018, 5.2); `None` for a hash that no standard has there.
pub(crate) fn pbkdf2(
    hash: Hash,
    password: &[u8],
    salt: &[u8],
    iterations: u32,
    len: usize,
) -> Option<Zeroizing<Vec<u8>>> {
    let mut key = Zeroizing::new(vec![0; len]);
    macro_rules! with {
        ($($Hash:ident = $Mac:ty,)*) => {
            match hash {
                $(Hash::$Hash => pbkdf2::pbkdf2::<$Mac>(password, salt, iterations, &mut key).ok()?,)*
                _ => return None,
            }
        };
    }
    with! {
        Sha1 = Hmac<sha1::Sha1>,
        Sha224 = Hmac<sha2::Sha224>,
        Sha256 = Hmac<sha2::Sha256>,
        Sha384 = Hmac<sha2::Sha384>,
        Sha512 = Hmac<sha2::Sha512>,
        Sha512_224 = Hmac<sha2::Sha512_224>,
        Sha512_256 = Hmac<sha2::Sha512_256>,
        Sha3_224 = SimpleHmac<sha3::Sha3_224>,
        Sha3_256 = SimpleHmac<sha3::Sha3_256>,
        Sha3_384 = SimpleHmac<sha3::Sha3_384>,
        Sha3_512 = SimpleHmac<sha3::Sha3_512>,
    }
    Some(key)
}

/// The hashes of PBKDF1.
#[derive(Clone, Copy)]
pub(crate) enum Old {
    Md5,
    Sha1,
}

impl Old {
    fn digest(self, parts: &[&[u8]]) -> Zeroizing<Vec<u8>> {
        let mut digest = match self {
            Old::Md5 => {
                let mut hasher = Md5::new();
                parts.iter().for_each(|part| hasher.update(part));
                let mut digest = hasher.finalize();
                let copy = Zeroizing::new(digest.to_vec());
                digest.zeroize();
                return copy;
            }
            Old::Sha1 => Hash::Sha1.hasher(),
        };
        parts.iter().for_each(|part| digest.update(part));
        Zeroizing::new(digest.finish())
    }
}

/// PBKDF1 (RFC 8018, 5.1): 16 octets.
pub(crate) fn pbkdf1(
    hash: Old,
    password: &[u8],
    salt: &[u8],
    iterations: u32,
) -> Zeroizing<Vec<u8>> {
    let mut key = hash.digest(&[password, salt]);
    for _ in 1..iterations {
        key = hash.digest(&[&key]);
    }
    key.truncate(16);
    key
}

/// The key of OpenSSL's old PEM encryption (`EVP_BytesToKey` with MD5 and one iteration).
pub(crate) fn bytes_to_key(password: &[u8], salt: &[u8], len: usize) -> Zeroizing<Vec<u8>> {
    let mut key = Zeroizing::new(Vec::with_capacity(len + 16));
    let mut last = Zeroizing::new(Vec::new());
    while key.len() < len {
        last = Old::Md5.digest(&[&last, password, salt]);
        key.extend_from_slice(&last);
    }
    key.truncate(len);
    key
}

/// The purpose of a derivation of PKCS #12.
#[derive(Clone, Copy)]
pub(crate) enum Purpose {
    Key = 1,
    Iv = 2,
    Mac = 3,
}

/// The derivation of PKCS #12 (RFC 7292, appendix B.2), with the password as null-terminated UTF-16.
pub(crate) fn pkcs12(
    hash: Hash,
    purpose: Purpose,
    password: &[u8],
    salt: &[u8],
    iterations: u32,
    len: usize,
) -> Zeroizing<Vec<u8>> {
    let v = hash.block_len();
    let repeated = |text: &[u8]| {
        let len = text.len().div_ceil(v) * v;
        Zeroizing::new(text.iter().copied().cycle().take(len).collect::<Vec<u8>>())
    };
    let mut input = repeated(salt);
    let salted = input.len();
    let password = repeated(password);
    // A vector that grows leaves a copy behind.
    let mut whole = Zeroizing::new(Vec::with_capacity(salted + password.len()));
    whole.extend_from_slice(&input);
    whole.extend_from_slice(&password);
    input = whole;
    let mut out = Zeroizing::new(Vec::with_capacity(len + hash.len()));
    loop {
        let mut hasher = hash.hasher();
        hasher.update(&vec![purpose as u8; v]);
        hasher.update(&input);
        let mut a = Zeroizing::new(hasher.finish());
        for _ in 1..iterations {
            hasher.update(&a);
            let len = a.len();
            hasher.finish_into(&mut a[..len]);
        }
        out.extend_from_slice(&a);
        if out.len() >= len {
            out.truncate(len);
            return out;
        }
        // I_j = I_j + B + 1 modulo 2^(8 v)
        for block in input.chunks_mut(v) {
            let mut carry = 1;
            for (x, b) in block
                .iter_mut()
                .rev()
                .zip((0..v).rev().map(|i| a[i % a.len()]))
            {
                carry += u16::from(*x) + u16::from(b);
                *x = carry as u8;
                carry >>= 8;
            }
        }
    }
}

/// A password in the form of PKCS #12: null-terminated UTF-16, the higher octet first. Like OpenSSL, takes anything
/// that is not UTF-8 for Latin-1.
pub(crate) fn utf16(password: &[u8]) -> Zeroizing<Vec<u8>> {
    let mut text = Zeroizing::new(Vec::with_capacity(2 * password.len() + 2));
    match str::from_utf8(password) {
        Ok(password) => password
            .encode_utf16()
            .for_each(|unit| text.extend_from_slice(&unit.to_be_bytes())),
        Err(_) => password
            .iter()
            .for_each(|&c| text.extend_from_slice(&[0, c])),
    }
    text.extend_from_slice(&[0, 0]);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(text: &str) -> Vec<u8> {
        let digits = text.as_bytes().chunks(2);
        digits
            .map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap())
            .collect()
    }

    /// RFC 6070, and the vectors that Bouncy Castle and OpenSSL share for PKCS #12.
    #[test]
    fn keys_are_those_that_others_publish() {
        let key = pbkdf2(Hash::Sha1, b"password", b"salt", 2, 20).unwrap();
        assert_eq!(
            *key,
            hex("ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957").as_slice()
        );
        let (smeg, salt) = (utf16(b"smeg"), hex("0a58cf64530d823f"));
        let key = pkcs12(Hash::Sha1, Purpose::Key, &smeg, &salt, 1, 24);
        assert_eq!(
            *key,
            hex("8aaae6297b6cb04642ab5b077851284eb7128f1a2a7fbca3").as_slice()
        );
        let iv = pkcs12(Hash::Sha1, Purpose::Iv, &smeg, &salt, 1, 8);
        assert_eq!(*iv, hex("79993dfe048d3b76").as_slice());
        let (queeg, salt) = (utf16(b"queeg"), hex("05dec959acff72f7"));
        let key = pkcs12(Hash::Sha1, Purpose::Key, &queeg, &salt, 1000, 24);
        assert_eq!(
            *key,
            hex("ed2034e36328830ff09df1e1a07dd357185dac0d4f9eb3d4").as_slice()
        );
    }
}
