//! The header of a file that `carrysave cipher` writes; docs/design/files.md has its fields.

use crate::exit::{Failure, Result};
use carrysave::symmetric::skein::{Parameters, Skein512};
use clap::ValueEnum;
use std::fmt;
use std::io::Read;
use zeroize::Zeroizing;

/// The ciphers, with their numbers in the header.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// AES with a key of 128 bits
    #[value(name = "aes-128")]
    Aes128 = 1,
    /// AES with a key of 192 bits
    #[value(name = "aes-192")]
    Aes192 = 2,
    /// AES with a key of 256 bits
    #[value(name = "aes-256")]
    Aes256 = 3,
    /// Threefish with a block and a key of 256 bits
    #[value(name = "threefish-256")]
    Threefish256 = 4,
    /// Threefish with a block and a key of 512 bits
    #[value(name = "threefish-512")]
    Threefish512 = 5,
    /// Threefish with a block and a key of 1024 bits
    #[value(name = "threefish-1024")]
    Threefish1024 = 6,
}

impl Algorithm {
    /// The bytes of a key.
    pub fn key(self) -> usize {
        match self {
            Algorithm::Aes128 => 16,
            Algorithm::Aes192 => 24,
            Algorithm::Aes256 => 32,
            _ => self.block(),
        }
    }

    /// The bytes of a block.
    pub fn block(self) -> usize {
        match self {
            Algorithm::Aes128 | Algorithm::Aes192 | Algorithm::Aes256 => 16,
            Algorithm::Threefish256 => 32,
            Algorithm::Threefish512 => 64,
            Algorithm::Threefish1024 => 128,
        }
    }
}

/// The modes, with their numbers in the header.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Each block by itself: equal blocks stay equal
    Ecb = 1,
    /// Blocks in a chain
    Cbc = 2,
    /// Xored with encrypted counters; no padding
    Ctr = 3,
    /// Each block by itself with a tweak that counts, for Threefish
    Sectors = 4,
}

impl Mode {
    /// Whether a cipher has this mode.
    pub fn is_of(self, algorithm: Algorithm) -> bool {
        self != Mode::Sectors || algorithm.block() > 16
    }

    /// The bytes of the initialization vector.
    pub fn iv(self, algorithm: Algorithm) -> usize {
        match self {
            Mode::Ecb => 0,
            Mode::Cbc | Mode::Ctr => algorithm.block(),
            Mode::Sectors => 16,
        }
    }
}

/// Displays values by their names on the command line.
macro_rules! display {
    ($($Name:ident)*) => {
        $(impl fmt::Display for $Name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let value = self.to_possible_value();
                f.write_str(value.as_ref().map_or("", |value| value.get_name()))
            }
        })*
    };
}

display!(Algorithm Mode);

/// The parameters of an encrypted file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    pub algorithm: Algorithm,
    pub mode: Mode,
    /// Whether the text is padded (PKCS #7).
    pub padding: bool,
    pub derivation: Option<Derivation>,
    /// The length of the text in bytes, if it was known in advance.
    pub length: Option<u64>,
    /// The first chain value, counter or tweak.
    pub iv: Vec<u8>,
}

/// The derivation of a key from a password: scrypt (RFC 7914).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Derivation {
    /// The logarithm of the cost N.
    pub cost: u8,
    /// The block size r, and the parallelization p.
    pub block: u8,
    pub parallel: u8,
    pub salt: [u8; 16],
}

impl Derivation {
    /// 128 MiB, and nearly a second.
    pub fn new(salt: [u8; 16]) -> Derivation {
        Derivation {
            cost: 17,
            block: 8,
            parallel: 1,
            salt,
        }
    }

    /// A key of `bytes` bytes.
    ///
    /// # Errors
    /// If that would take more than 256 MiB or too much time.
    pub fn key(&self, password: &[u8], bytes: usize) -> Result<Zeroizing<Vec<u8>>> {
        let Derivation {
            cost,
            block,
            parallel,
            salt,
        } = self;
        let memory = (u64::from(*block) * 128).checked_shl((*cost).into());
        let params = memory
            .filter(|&memory| (1..=1 << 28).contains(&memory) && (1..=16).contains(parallel))
            .and_then(|_| scrypt::Params::new(*cost, (*block).into(), (*parallel).into()).ok());
        let params = params.ok_or_else(|| {
            Failure::bad_input(
                "the header asks for a key of the password that would take no or too much time or memory: \
                 it is damaged, or not of carrysave",
            )
        })?;
        let mut key = Zeroizing::new(vec![0; bytes]);
        scrypt::scrypt(password, salt, &params, &mut key)
            .map_err(|e| Failure::bad_input(e.to_string()))?;
        Ok(key)
    }
}

const MAGIC: &[u8; 16] = b"carrysave cipher";
const VERSION: u8 = 1;
/// The bytes before the initialization vector.
const FIXED: usize = 64;
/// The place of the key check.
const CHECK: std::ops::Range<usize> = 48..64;
/// The value for an unknown length.
const UNKNOWN: u64 = u64::MAX;

impl Header {
    /// The length of the ciphertext in bytes, if known.
    pub fn ciphertext(&self) -> Option<u64> {
        let block = self.algorithm.block() as u64;
        let length = self.length?;
        let padding = if self.padding {
            block - length % block
        } else {
            0
        };
        Some(length.saturating_add(padding))
    }

    /// Encodes the header, for this key.
    pub fn write(&self, key: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0; FIXED];
        bytes[..16].copy_from_slice(MAGIC);
        bytes[16] = VERSION;
        bytes[17] = self.algorithm as u8;
        bytes[18] = self.mode as u8;
        bytes[19] = self.padding.into();
        if let Some(derivation) = &self.derivation {
            bytes[20..24].copy_from_slice(&[
                1,
                derivation.cost,
                derivation.block,
                derivation.parallel,
            ]);
            bytes[32..48].copy_from_slice(&derivation.salt);
        }
        bytes[24..32].copy_from_slice(&self.length.unwrap_or(UNKNOWN).to_be_bytes());
        bytes.extend_from_slice(&self.iv);
        let check = check(&bytes, key);
        bytes[CHECK].copy_from_slice(&check);
        bytes
    }

    /// Reads a header; also returns its bytes, which [`write`](Self::write) reproduces for the same key only.
    ///
    /// # Errors
    /// If there is no valid header.
    pub fn read(input: &mut dyn Read) -> Result<(Header, Vec<u8>)> {
        let foreign = || Failure::bad_input("not a file that carrysave cipher wrote");
        let damaged = || Failure::bad_input("the header is damaged");
        let mut bytes = vec![];
        let mut fill = |bytes: &mut Vec<u8>, len: usize| {
            let missing = (len - bytes.len()) as u64;
            let read = input.take(missing).read_to_end(bytes);
            read.map_err(|e| Failure::io("cannot read the header", &e))?;
            match bytes.len() < len {
                true if bytes.starts_with(MAGIC) => Err(Failure::bad_input(
                    "the file is cut short: it ends within its header",
                )),
                true => Err(foreign()),
                false => Ok(()),
            }
        };
        fill(&mut bytes, FIXED)?;
        if bytes[..16] != *MAGIC {
            return Err(foreign());
        }
        if bytes[16] != VERSION {
            let message = format!(
                "the file is of version {}, and only {VERSION} is known",
                bytes[16]
            );
            return Err(Failure::bad_input(message));
        }
        let algorithms = Algorithm::value_variants().iter();
        let modes = Mode::value_variants().iter();
        let found = algorithms.copied().find(|&known| known as u8 == bytes[17]);
        let found = found.zip(modes.copied().find(|&known| known as u8 == bytes[18]));
        let (algorithm, mode) = found.ok_or_else(damaged)?;
        if !mode.is_of(algorithm) {
            return Err(damaged());
        }
        fill(&mut bytes, FIXED + mode.iv(algorithm))?;
        let derivation = Derivation {
            cost: bytes[21],
            block: bytes[22],
            parallel: bytes[23],
            salt: bytes[32..48].try_into().expect("sixteen bytes"),
        };
        let length = u64::from_be_bytes(bytes[24..32].try_into().expect("eight bytes"));
        let header = Header {
            algorithm,
            mode,
            padding: bytes[19] != 0,
            derivation: (bytes[20] != 0).then_some(derivation),
            length: (length != UNKNOWN).then_some(length),
            iv: bytes[FIXED..].to_vec(),
        };
        Ok((header, bytes))
    }
}

/// The key check: a 16-byte message authentication code of the rest of the header.
fn check(header: &[u8], key: &[u8]) -> [u8; 16] {
    let parameters = Parameters::new(16)
        .key(key)
        .personalization(b"carrysave cipher 1");
    let mut hash = Skein512::new(&parameters);
    hash.update(&header[..CHECK.start]);
    hash.update(&header[CHECK.end..]);
    let mut check = [0; 16];
    hash.finalize().read(&mut check);
    check
}
