//! Who else does the same work: one file a rival, one row in [`RIVALS`], and the families of operations it takes part in.
//!
//! carrysave is a row like any other, and the first: ratios are against it.

pub mod agreement;
mod carrysave;
mod crypto_bigint;
mod crypto_mb;
mod curve25519_dalek;
pub mod elements;
mod fiat_crypto;
mod graviola;
pub mod loaded;
pub mod many;
pub(crate) mod mpfq;
mod num_bigint;
mod rustcrypto;
mod rustcrypto_rsa;
pub mod signing;

#[cfg(feature = "peers")]
mod aws_lc;
#[cfg(feature = "peers")]
mod blake3;
#[cfg(feature = "peers")]
mod botan;
#[cfg(feature = "peers")]
mod cryptopp;
#[cfg(feature = "peers")]
mod gmp;
#[cfg(feature = "peers")]
mod gmp_mpn;
#[cfg(feature = "peers")]
mod openssl;
#[cfg(feature = "peers")]
mod ring;

#[cfg(feature = "rust-peers")]
mod ark_ff;
#[cfg(feature = "rust-peers")]
mod crrl;
#[cfg(feature = "rust-peers")]
mod rustcrypto_ec;

use carrysave_kernels::{Cpu, Limb, op::Raw};
use std::{fmt, time::Duration};

/// Everyone in this build, carrysave first.
pub static RIVALS: &[Rival] = &[
    carrysave::RIVAL,
    carrysave::MONTGOMERY,
    #[cfg(feature = "peers")]
    aws_lc::RIVAL,
    #[cfg(feature = "peers")]
    openssl::RIVAL,
    #[cfg(feature = "peers")]
    cryptopp::RIVAL,
    #[cfg(feature = "peers")]
    gmp::POWM,
    #[cfg(feature = "peers")]
    gmp::POWM_SEC,
    #[cfg(feature = "peers")]
    gmp::MPZ,
    #[cfg(feature = "peers")]
    gmp_mpn::RIVAL,
    #[cfg(feature = "peers")]
    ring::RIVAL,
    crypto_mb::RIVAL,
    graviola::RIVAL,
    rustcrypto_rsa::RIVAL,
    rustcrypto::RIVAL,
    #[cfg(feature = "peers")]
    botan::RIVAL,
    #[cfg(feature = "peers")]
    blake3::RIVAL,
    crypto_bigint::RIVAL,
    crypto_bigint::SPECIAL,
    fiat_crypto::RIVAL,
    mpfq::RIVAL,
    curve25519_dalek::RIVAL,
    #[cfg(feature = "rust-peers")]
    crrl::RIVAL,
    #[cfg(feature = "rust-peers")]
    rustcrypto_ec::RIVAL,
    #[cfg(feature = "rust-peers")]
    ark_ff::RIVAL,
    num_bigint::RIVAL,
];

/// An implementation, and what it offers.
pub struct Rival {
    /// Its name in tables and records.
    pub name: &'static str,
    /// Its version; nothing for one that this machine lacks.
    pub version: fn() -> String,
    /// Whether it is OpenSSL or its kin, where the environment variable `OPENSSL_ia32cap` takes instructions away.
    pub ia32cap: bool,
    /// Loads an RSA private key from PKCS#8 DER.
    pub rsa: Option<Load>,
    /// Loads a private key in GF(p)* from PKCS#8 DER, once as one of DSA and once as one of X9.42.
    pub dl: Option<LoadDl>,
    /// Prepares an operation of the experiment `schemes`.
    pub scheme: Option<PrepareScheme>,
    /// Makes an RSA key of a given bit length on a given number of threads, as PKCS#8 DER.
    pub keygen: Option<Generate>,
    /// Prepares a modular exponentiation. Each call then gives the result, as long as the modulus.
    pub modexp: Option<Prepare>,
    /// Prepares an operation on long public numbers.
    pub arithmetic: Option<Calculate>,
    /// Prepares operations in a prime field.
    pub field: Option<Calculation>,
    /// Loads a key of an elliptic curve.
    pub agreement: Option<agreement::LoadPrivate>,
    /// Loads a key that signs on an elliptic curve.
    pub signing: Option<signing::LoadSigner>,
    /// Does many operations at once, and none by itself.
    pub many: Option<many::Many>,
    /// Prepares work on many bytes.
    pub bulk: Option<Process>,
    /// Its functions that keep the contract of an operation on limbs.
    pub mpn: &'static [Function],
}

impl Rival {
    const fn new(name: &'static str, version: fn() -> String) -> Rival {
        Rival {
            name,
            version,
            ia32cap: false,
            rsa: None,
            dl: None,
            scheme: None,
            keygen: None,
            modexp: None,
            arithmetic: None,
            field: None,
            agreement: None,
            signing: None,
            many: None,
            bulk: None,
            mpn: &[],
        }
    }

    /// The name, with what the environment changed about it.
    pub fn label(&self) -> String {
        match std::env::var("OPENSSL_ia32cap") {
            Ok(mask) if self.ia32cap => format!("{}/ia32cap={mask}", self.name),
            _ => self.name.to_owned(),
        }
    }
}

/// Names and versions of all in this build.
pub fn versions() -> Vec<String> {
    let mut versions: Vec<String> = RIVALS.iter().map(|r| (r.version)()).collect();
    versions.dedup();
    versions.retain(|version| !version.is_empty());
    versions
}

/// What an implementation answers.
pub type Answer<T> = Result<T, Refusal>;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It has no such operation, or not at this size.
    NotOffered,
    /// It tried and failed.
    Failed(String),
}

impl Refusal {
    /// The refusal of an implementation that failed with `error`.
    pub fn failed(error: impl std::fmt::Debug) -> Refusal {
        Refusal::Failed(format!("{error:?}"))
    }
}

/// Loads a key for the instructions that carrysave may use; rivals choose their own.
pub type Load = fn(Cpu, &[u8]) -> Answer<Box<dyn RsaKey>>;

/// Loads a private key in GF(p)*: as one of DSA, and as one of X9.42.
pub type LoadDl = fn(&[u8], &[u8]) -> Answer<Box<dyn DlKey>>;

/// Prepares an operation of the experiment `schemes` by its name there, with the octets that it is given.
pub type PrepareScheme = fn(&str, &[&[u8]]) -> Answer<Elsewhere>;

/// Makes a key from the bits and the threads.
pub type Generate = fn(usize, usize) -> Answer<Vec<u8>>;

/// Prepares an exponentiation; the instructions as for [`Load`].
pub type Prepare = fn(Cpu, &Power) -> Answer<Modexp>;

/// A function that does what an operation of the kernels' registry does.
pub struct Function {
    /// The operation, such as `mpn_add_n`.
    pub op: &'static str,
    /// The function's own name, for tables and records.
    pub name: &'static str,
    /// Calls it, as [`Op::invoke`](carrysave_kernels::op::Op::invoke) would call a kernel and on the same conditions.
    pub call: unsafe fn(&Raw) -> Limb,
}

/// A prepared modular exponentiation.
pub type Modexp = Box<dyn FnMut() -> Vec<u8>>;

/// An RSA private key in an implementation's own form, ready for use.
pub trait RsaKey: Send {
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    fn sign(&mut self, message: &[u8]) -> Answer<Vec<u8>>;

    /// Verifies such a signature.
    fn verify(&mut self, message: &[u8], signature: &[u8]) -> Answer<()>;

    /// RSASSA-PSS with SHA-256 and a salt of 32 bytes.
    fn sign_pss(&mut self, _message: &[u8]) -> Answer<Vec<u8>> {
        Err(Refusal::NotOffered)
    }

    /// Verifies such a signature.
    fn verify_pss(&mut self, _message: &[u8], _signature: &[u8]) -> Answer<()> {
        Err(Refusal::NotOffered)
    }

    /// RSAES-OAEP with SHA-256, no label.
    fn encrypt(&mut self, _message: &[u8]) -> Answer<Vec<u8>> {
        Err(Refusal::NotOffered)
    }

    /// Decrypts such a ciphertext.
    fn decrypt(&mut self, _ciphertext: &[u8]) -> Answer<Vec<u8>> {
        Err(Refusal::NotOffered)
    }
}

/// A private key in GF(p)* in an implementation's own form, ready for use.
pub trait DlKey {
    /// Takes somebody's public key, SPKI DER of X9.42.
    fn meet(&mut self, peer: &[u8]) -> Answer<()>;

    /// The shared secret with them, as long as p.
    fn agree(&mut self) -> Answer<Vec<u8>>;

    /// The DSA signature of a digest, as DER.
    fn sign_dsa(&mut self, digest: &[u8]) -> Answer<Vec<u8>>;

    /// Verifies such a signature.
    fn verify_dsa(&mut self, digest: &[u8], signature: &[u8]) -> Answer<()>;
}

/// An operation that a program of the rival's own has prepared and done once.
pub struct Elsewhere {
    /// What it gave.
    pub answer: Vec<u8>,
    /// The processor time that this took.
    pub first: Duration,
    /// Does it as many times more as it is told, and says how much processor time that took.
    pub again: Box<dyn FnMut(u64) -> Duration>,
}

/// A modular exponentiation: `base^exponent mod modulus`, big-endian, all of one length; the modulus is odd.
#[derive(Clone, Debug)]
pub struct Power {
    /// Below the modulus.
    pub base: Vec<u8>,
    /// As long as the modulus.
    pub exponent: Vec<u8>,
    /// Odd, its top bit set.
    pub modulus: Vec<u8>,
}

/// Prepares an operation on these numbers.
pub type Calculate = fn(Operation, &Numbers) -> Answer<Box<dyn Arithmetic>>;

/// An operation on long public numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `a * b`
    Mul,
    /// `a^2`
    Sqr,
    /// Quotient and remainder of `wide` by `n`.
    DivRem,
    /// `a * b mod n`, after what can be done for n once.
    MulMod,
    /// `a` in decimal.
    ToDecimal,
    /// The number that `decimal` writes.
    FromDecimal,
}

/// Operands, big-endian.
#[derive(Clone, Debug)]
pub struct Numbers {
    /// Below n.
    pub a: Vec<u8>,
    /// Below n.
    pub b: Vec<u8>,
    /// Odd, its top bit set.
    pub n: Vec<u8>,
    /// Twice as long as n.
    pub wide: Vec<u8>,
    /// `a` in decimal.
    pub decimal: String,
}

/// A prepared operation on numbers.
pub trait Arithmetic {
    /// Computes the result and keeps it.
    fn run(&mut self);

    /// The results of the last run: long numbers big-endian without leading zeros, or text; encoded elements.
    fn answer(&self) -> Vec<Vec<u8>>;
}

/// An operation from how it is computed, and how the result is written.
fn arithmetic<T: 'static>(
    run: impl FnMut() -> T + 'static,
    write: impl Fn(&T) -> Vec<Vec<u8>> + 'static,
) -> Box<dyn Arithmetic> {
    struct Prepared<T, R, W>(Option<T>, R, W);
    impl<T, R: FnMut() -> T, W: Fn(&T) -> Vec<Vec<u8>>> Arithmetic for Prepared<T, R, W> {
        fn run(&mut self) {
            self.0 = Some((self.1)());
        }
        fn answer(&self) -> Vec<Vec<u8>> {
            self.0.as_ref().map(&self.2).unwrap_or_default()
        }
    }
    Box::new(Prepared(None, run, write))
}

/// Prepares a pass over elements of a field.
pub type Calculation = fn(&elements::Pass) -> Answer<Box<dyn Arithmetic>>;

/// Prepares work on bytes; the instructions as for [`Load`].
pub type Process = fn(Cpu, Bulk) -> Answer<Work>;

/// Prepared work on bytes: works in place, and returns the hash if it is one.
pub type Work = Box<dyn FnMut(&mut [u8]) -> Vec<u8>>;

/// Work on many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bulk {
    /// A block cipher with the key 0, 1, 2, ..., a tweak of zeros, and an initialization vector or counter of zeros.
    Cipher(Cipher, Mode),
    /// Skein with a state and a hash of this many bits.
    Skein(usize),
    /// Skein as a tree with leaves and nodes of 64 blocks, with a state and a hash of this many bits.
    SkeinTree(usize),
    /// SHA-256.
    Sha256,
    /// BLAKE3.
    Blake3,
}

/// A block cipher, with the bits of its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cipher {
    /// AES
    Aes(usize),
    /// Threefish
    Threefish(usize),
}

impl Cipher {
    /// All that race.
    pub const ALL: [Cipher; 6] = [
        Cipher::Aes(128),
        Cipher::Aes(192),
        Cipher::Aes(256),
        Cipher::Threefish(256),
        Cipher::Threefish(512),
        Cipher::Threefish(1024),
    ];

    /// The key that all have.
    pub fn key(self) -> Vec<u8> {
        let (Cipher::Aes(bits) | Cipher::Threefish(bits)) = self;
        (0..(bits / 8) as u8).collect()
    }
}

/// A mode of a block cipher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Each block by itself.
    Ecb,
    /// Back again.
    EcbDecrypt,
    /// Encrypted counters: of AES 128 bits that begin at the end, of Threefish a word that begins at the front.
    Ctr,
    /// A chain.
    Cbc,
    /// Back again.
    CbcDecrypt,
}

impl Mode {
    /// All that race.
    pub const ALL: [Mode; 5] = [
        Mode::Ecb,
        Mode::EcbDecrypt,
        Mode::Ctr,
        Mode::Cbc,
        Mode::CbcDecrypt,
    ];
}

impl fmt::Display for Bulk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bulk::Cipher(cipher, mode) => {
                let (name, bits) = match cipher {
                    Cipher::Aes(bits) => ("aes", bits),
                    Cipher::Threefish(bits) => ("threefish", bits),
                };
                let mode = match mode {
                    Mode::Ecb => "ecb",
                    Mode::EcbDecrypt => "ecb-decrypt",
                    Mode::Ctr => "ctr",
                    Mode::Cbc => "cbc",
                    Mode::CbcDecrypt => "cbc-decrypt",
                };
                write!(f, "{name}-{bits}/{mode}")
            }
            Bulk::Skein(bits) => write!(f, "skein-{bits}"),
            Bulk::SkeinTree(bits) => write!(f, "skein-{bits}/tree"),
            Bulk::Sha256 => f.write_str("sha-256"),
            Bulk::Blake3 => f.write_str("blake3"),
        }
    }
}

/// A cipher that works in place and returns nothing.
fn in_place(mut work: impl FnMut(&mut [u8]) + 'static) -> Answer<Work> {
    Ok(Box::new(move |data| {
        work(data);
        vec![]
    }))
}

/// A hash function.
fn hashing(mut hash: impl FnMut(&[u8]) -> Vec<u8> + 'static) -> Answer<Work> {
    Ok(Box::new(move |data| hash(data)))
}

/// `number` with zeros in front, `len` bytes in all.
///
/// # Panics
/// If it is longer than that.
pub fn padded(number: &[u8], len: usize) -> Vec<u8> {
    let mut out = vec![0; len - number.len()];
    out.extend_from_slice(number);
    out
}
