//! Hash functions by the names that OpenSSL gives them.

use crate::failure::Failure;
use carrysave::hash::{Hash, Hasher};
use core::ffi::CStr;
use digest::DynDigest;
use zeroize::Zeroizing;

/// A hash function of a signature: those of [`Hash`], and three for old data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Digest {
    Of(Hash),
    Md5,
    /// MD5 and SHA-1 side by side: signatures of TLS 1.0 and 1.1.
    Md5Sha1,
    Ripemd160,
}

/// A hash function with OpenSSL's name for it, its other names without dashes but for those that [`Hash`] reads, and the DER of its signature algorithm
/// with PKCS #1 v1.5 (RFC 8017, appendix C; NIST's register for SHA-3).
pub struct Row {
    pub digest: Digest,
    pub name: &'static CStr,
    aliases: &'static [&'static str],
    /// The content octets of the object identifier.
    pub with_rsa: &'static [u8],
}

macro_rules! pkcs1 {
    ($last:literal) => {
        &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, $last]
    };
}

macro_rules! nist_signature {
    ($last:literal) => {
        &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03, $last]
    };
}

/// All that signatures may take.
#[rustfmt::skip]
pub const ALL: &[Row] = &[
    Row { digest: Digest::Of(Hash::Sha1), name: c"SHA1", aliases: &["ssl3sha1", "1.3.14.3.2.26"], with_rsa: pkcs1!(5) },
    Row { digest: Digest::Of(Hash::Sha224), name: c"SHA2-224", aliases: &["2.16.840.1.101.3.4.2.4"], with_rsa: pkcs1!(14) },
    Row { digest: Digest::Of(Hash::Sha256), name: c"SHA2-256", aliases: &["2.16.840.1.101.3.4.2.1"], with_rsa: pkcs1!(11) },
    Row { digest: Digest::Of(Hash::Sha384), name: c"SHA2-384", aliases: &["2.16.840.1.101.3.4.2.2"], with_rsa: pkcs1!(12) },
    Row { digest: Digest::Of(Hash::Sha512), name: c"SHA2-512", aliases: &["2.16.840.1.101.3.4.2.3"], with_rsa: pkcs1!(13) },
    Row { digest: Digest::Of(Hash::Sha512_224), name: c"SHA2-512/224", aliases: &["2.16.840.1.101.3.4.2.5"], with_rsa: pkcs1!(15) },
    Row { digest: Digest::Of(Hash::Sha512_256), name: c"SHA2-512/256", aliases: &["2.16.840.1.101.3.4.2.6"], with_rsa: pkcs1!(16) },
    Row { digest: Digest::Of(Hash::Sha3_224), name: c"SHA3-224", aliases: &["2.16.840.1.101.3.4.2.7"], with_rsa: nist_signature!(13) },
    Row { digest: Digest::Of(Hash::Sha3_256), name: c"SHA3-256", aliases: &["2.16.840.1.101.3.4.2.8"], with_rsa: nist_signature!(14) },
    Row { digest: Digest::Of(Hash::Sha3_384), name: c"SHA3-384", aliases: &["2.16.840.1.101.3.4.2.9"], with_rsa: nist_signature!(15) },
    Row { digest: Digest::Of(Hash::Sha3_512), name: c"SHA3-512", aliases: &["2.16.840.1.101.3.4.2.10"], with_rsa: nist_signature!(16) },
    Row { digest: Digest::Md5, name: c"MD5", aliases: &["ssl3md5", "1.2.840.113549.2.5"], with_rsa: pkcs1!(4) },
    Row { digest: Digest::Md5Sha1, name: c"MD5-SHA1", aliases: &[], with_rsa: &[] },
    Row { digest: Digest::Ripemd160, name: c"RIPEMD-160", aliases: &["ripemd", "rmd160", "1.3.36.3.2.1"], with_rsa: &[0x2b, 0x24, 0x03, 0x03, 0x01, 0x02] },
];

/// The hash function of any of its names.
pub fn find(name: &str) -> Result<Digest, Failure> {
    let plain = |name: &str| name.to_ascii_lowercase().replace(['-', '/', '_'], "");
    let wanted = plain(name);
    let known = name.parse().ok().map(Digest::Of);
    let is = |row: &&Row| {
        known == Some(row.digest)
            || row.name.to_str().is_ok_and(|own| plain(own) == wanted)
            || row.aliases.iter().any(|own| *own == wanted)
    };
    let row = ALL.iter().find(is).ok_or_else(|| {
        Failure::new(format!(
            "the hash function \"{name}\" is not among those of carrysave: use SHA2-256, or ask for provider=default"
        ))
    })?;
    Ok(row.digest)
}

impl Digest {
    pub fn row(self) -> &'static Row {
        let row = ALL.iter().find(|row| row.digest == self);
        row.unwrap_or(&ALL[0])
    }

    /// The length of a digest, in bytes.
    pub fn len(self) -> usize {
        match self {
            Digest::Of(hash) => hash.len(),
            Digest::Md5 => 16,
            Digest::Md5Sha1 => 36,
            Digest::Ripemd160 => 20,
        }
    }

    /// The hash of a scheme with parameters.
    pub fn modern(self) -> Result<Hash, Failure> {
        match self {
            Digest::Of(hash) => Ok(hash),
            _ => Err(Failure::new(
                "MD5 and RIPEMD-160 are for signatures of PKCS #1 v1.5 and ECDSA alone: use SHA2-256, or ask for provider=default",
            )),
        }
    }

    /// The DER of `DigestInfo` up to the digest (RFC 8017 section 9.2); empty where a signature has the digest alone.
    pub fn info(self) -> &'static [u8] {
        match self {
            Digest::Of(hash) => hash.digest_info_prefix(),
            Digest::Md5 => &[
                0x30, 0x20, 0x30, 0x0c, 0x06, 0x08, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x02, 0x05,
                0x05, 0x00, 0x04, 0x10,
            ],
            Digest::Md5Sha1 => &[],
            Digest::Ripemd160 => &[
                0x30, 0x21, 0x30, 0x09, 0x06, 0x05, 0x2b, 0x24, 0x03, 0x02, 0x01, 0x05, 0x00, 0x04,
                0x14,
            ],
        }
    }

    pub fn running(self) -> Running {
        let (hash, old): (Option<Hash>, Option<Box<dyn DynDigest>>) = match self {
            Digest::Of(hash) => (Some(hash), None),
            Digest::Md5 => (None, Some(Box::new(md5::Md5::default()))),
            Digest::Md5Sha1 => (Some(Hash::Sha1), Some(Box::new(md5::Md5::default()))),
            Digest::Ripemd160 => (None, Some(Box::new(ripemd::Ripemd160::default()))),
        };
        Running {
            old,
            hasher: hash.map(Hash::hasher),
        }
    }
}

/// A running hash.
#[derive(Clone)]
pub struct Running {
    old: Option<Box<dyn DynDigest>>,
    hasher: Option<Hasher>,
}

impl Running {
    pub fn update(&mut self, data: &[u8]) {
        self.old.iter_mut().for_each(|old| old.update(data));
        self.hasher
            .iter_mut()
            .for_each(|hasher| hasher.update(data));
    }

    /// Returns the digest.
    pub fn finish(mut self) -> Vec<u8> {
        let old = self
            .old
            .iter_mut()
            .map(|old| old.finalize_reset().into_vec());
        let new = self.hasher.iter_mut().map(Hasher::finish);
        // What is hashed may be a secret, from which a key follows.
        let parts: Vec<_> = old.chain(new).map(Zeroizing::new).collect();
        let mut digest = Vec::with_capacity(parts.iter().map(|part| part.len()).sum());
        parts.iter().for_each(|part| digest.extend_from_slice(part));
        digest
    }
}
