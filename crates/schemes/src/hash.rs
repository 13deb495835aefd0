//! Hash functions as values, for the parameters of schemes.

use crate::hmac::Hmac;
use core::fmt;
use core::str::FromStr;
use digest::consts::{U32, U64};
use digest::{DynDigest, XofFixedWrapper};
use std::io;
use zeroize::Zeroizing;

macro_rules! hashes {
    ($($(#[$doc:meta])* $name:ident = $type:ty, $text:literal, $len:literal, $info:expr;)*) => {
        /// A hash function: SHA-1 (FIPS 180-4; for verifying old signatures only), SHA-2 (FIPS 180-4), SHA-3
        /// or SHAKE (FIPS 202).
        ///
        /// ```
        /// use carrysave_schemes::hash::Hash;
        /// let hash: Hash = "sha512-256".parse().unwrap();
        /// assert_eq!(hash.digest(b"abc").len(), 32);
        /// assert_eq!(hash.to_string(), "sha512-256");
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Hash { $($(#[$doc])* $name),* }

        impl Hash {
            /// Every hash function, in the order of their standards.
            pub const ALL: &'static [Hash] = &[$(Hash::$name),*];

            /// The length of a digest, in bytes.
            #[allow(clippy::len_without_is_empty)]
            pub const fn len(self) -> usize {
                match self { $(Hash::$name => $len),* }
            }

            /// The usual name: `sha256`, `sha512-256`, `sha3-256`.
            pub const fn name(self) -> &'static str {
                match self { $(Hash::$name => $text),* }
            }

            /// The DER of `DigestInfo` up to the digest itself (RFC 8017 section 9.2, note 1;
            /// RFC 9688 for SHA-3). No standard has one for SHAKE.
            pub const fn digest_info_prefix(self) -> &'static [u8] {
                match self { $(Hash::$name => const { &digest_info::<{ $info.len() }, { $info.len() + 10 }>($info, $len) }),* }
            }

            /// A fresh running hash.
            pub fn hasher(self) -> Hasher {
                Hasher(match self { $(Hash::$name => State::$name(<$type>::default())),* })
            }
        }

        /// The state of a hash function.
        #[allow(clippy::large_enum_variant)] // It lives on the stack, and not for long.
        #[derive(Clone)]
        enum State { $($name($type)),* }

        impl Hasher {
            /// Adds data.
            pub fn update(&mut self, data: &[u8]) {
                match &mut self.0 { $(State::$name(state) => DynDigest::update(state, data)),* }
            }

            /// Returns the digest and resets the hasher. It stays in place, as a move would not be wiped.
            pub fn finish(&mut self) -> Vec<u8> {
                let mut digest = vec![0; match self.0 { $(State::$name(_) => $len),* }];
                self.finish_into(&mut digest);
                digest
            }

            /// Writes the digest to `out` and resets the hasher.
            pub(crate) fn finish_into(&mut self, out: &mut [u8]) {
                let fits = match &mut self.0 { $(State::$name(state) => DynDigest::finalize_into_reset(state, out)),* };
                fits.expect("the caller's buffer has the hash's length");
            }
        }
    };
}

// The last bytes of NIST's object identifiers: 2.16.840.1.101.3.4.2.x
const fn nist(x: u8) -> [u8; 9] {
    [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, x]
}
const SHA1_OID: [u8; 5] = [0x2b, 0x0e, 0x03, 0x02, 0x1a];

hashes! {
    /// SHA-1, 20 bytes: broken for signatures; verifying and OAEP only.
    Sha1 = sha1::Sha1, "sha1", 20, SHA1_OID;
    /// SHA-224, 28 bytes.
    Sha224 = sha2::Sha224, "sha224", 28, nist(4);
    /// SHA-256, 32 bytes.
    Sha256 = sha2::Sha256, "sha256", 32, nist(1);
    /// SHA-384, 48 bytes.
    Sha384 = sha2::Sha384, "sha384", 48, nist(2);
    /// SHA-512, 64 bytes.
    Sha512 = sha2::Sha512, "sha512", 64, nist(3);
    /// SHA-512/224, 28 bytes.
    Sha512_224 = sha2::Sha512_224, "sha512-224", 28, nist(5);
    /// SHA-512/256, 32 bytes.
    Sha512_256 = sha2::Sha512_256, "sha512-256", 32, nist(6);
    /// SHA3-224, 28 bytes.
    Sha3_224 = sha3::Sha3_224, "sha3-224", 28, nist(7);
    /// SHA3-256, 32 bytes.
    Sha3_256 = sha3::Sha3_256, "sha3-256", 32, nist(8);
    /// SHA3-384, 48 bytes.
    Sha3_384 = sha3::Sha3_384, "sha3-384", 48, nist(9);
    /// SHA3-512, 64 bytes.
    Sha3_512 = sha3::Sha3_512, "sha3-512", 64, nist(10);
    /// SHAKE128 with 32 bytes of output: for RSASSA-PSS, where it is its own mask generation function (RFC 8702).
    Shake128 = XofFixedWrapper<shake::Shake128, U32>, "shake128", 32, nist(11);
    /// SHAKE256 with 64 bytes of output, for RSASSA-PSS as SHAKE128.
    Shake256 = XofFixedWrapper<shake::Shake256, U64>, "shake256", 64, nist(12);
}

/// `SEQUENCE { SEQUENCE { OBJECT IDENTIFIER oid, NULL }, OCTET STRING (len) }` without the string's content.
const fn digest_info<const O: usize, const N: usize>(oid: [u8; O], len: u8) -> [u8; N] {
    let mut der = [0; N];
    der[0] = 0x30;
    der[1] = (N - 2) as u8 + len;
    der[2] = 0x30;
    der[3] = O as u8 + 4;
    der[4] = 0x06;
    der[5] = O as u8;
    let mut i = 0;
    while i < O {
        der[6 + i] = oid[i];
        i += 1;
    }
    der[6 + O] = 0x05;
    der[8 + O] = 0x04;
    der[9 + O] = len;
    der
}

impl Hash {
    /// The octets of its object identifier.
    pub(crate) fn oid(self) -> &'static [u8] {
        let prefix = self.digest_info_prefix();
        &prefix[6..][..usize::from(prefix[5])]
    }

    /// The hash with an object identifier of these octets.
    pub(crate) fn from_oid(octets: &[u8]) -> Option<Hash> {
        Hash::ALL.iter().copied().find(|hash| hash.oid() == octets)
    }

    /// The digest of `data`.
    pub fn digest(self, data: &[u8]) -> Vec<u8> {
        let mut hasher = self.hasher();
        hasher.update(data);
        hasher.finish()
    }

    /// The length of its input blocks, in bytes.
    pub(crate) const fn block_len(self) -> usize {
        match self {
            Hash::Sha1 | Hash::Sha224 | Hash::Sha256 => 64,
            Hash::Sha384 | Hash::Sha512 | Hash::Sha512_224 | Hash::Sha512_256 => 128,
            // 200 bytes, less twice the security level.
            Hash::Sha3_224 => 144,
            Hash::Sha3_256 | Hash::Shake256 => 136,
            Hash::Sha3_384 => 104,
            Hash::Sha3_512 => 72,
            Hash::Shake128 => 168,
        }
    }

    /// HMAC (RFC 2104) of the concatenated parts.
    pub(crate) fn hmac(self, key: &[u8], parts: &[&[u8]]) -> Zeroizing<Vec<u8>> {
        let mut mac = Zeroizing::new(vec![0; self.len()]);
        Hmac::new(self, [key]).codes([parts], [&mut mac]);
        mac
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No known hash function has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownHash(String);

impl fmt::Display for UnknownHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no hash \"{}\"; use one of", self.0)?;
        Hash::ALL.iter().try_for_each(|hash| write!(f, " {hash}"))
    }
}

impl std::error::Error for UnknownHash {}

impl FromStr for Hash {
    type Err = UnknownHash;

    /// Reads `sha256`, and the standards' spellings: `SHA-256`, `SHA-512/256`, `SHA3-256`.
    fn from_str(text: &str) -> Result<Hash, UnknownHash> {
        let key = |s: &str| s.to_ascii_lowercase().replace(['-', '/', '_'], "");
        let wanted = key(text);
        let found = Hash::ALL.iter().find(|hash| key(hash.name()) == wanted);
        found.copied().ok_or_else(|| UnknownHash(text.to_owned()))
    }
}

/// A running hash. Also an [`io::Write`], so that [`io::copy`] hashes a file. A clone goes on from the same data.
#[derive(Clone)]
pub struct Hasher(State);

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hasher")
    }
}

impl io::Write for Hasher {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.update(data);
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_both_ways() {
        for &hash in Hash::ALL {
            assert_eq!(hash.to_string().parse(), Ok(hash));
            assert_eq!(hash.digest(b"").len(), hash.len());
        }
        assert_eq!("SHA-512/224".parse(), Ok(Hash::Sha512_224));
        assert!(
            "sha"
                .parse::<Hash>()
                .unwrap_err()
                .to_string()
                .contains("sha3-512")
        );
    }

    #[test]
    fn digest_info_as_rfc_8017_prints_it() {
        let sha256 = [
            0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02,
            0x01, 0x05, 0x00, 0x04, 0x20,
        ];
        let sha1 = [
            0x30, 0x21, 0x30, 0x09, 0x06, 0x05, 0x2b, 0x0e, 0x03, 0x02, 0x1a, 0x05, 0x00, 0x04,
            0x14,
        ];
        assert_eq!(Hash::Sha256.digest_info_prefix(), sha256);
        assert_eq!(Hash::Sha1.digest_info_prefix(), sha1);
    }
}
