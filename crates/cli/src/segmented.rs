//! The block-by-block form of the 2011 thesis: each segment of a file is one RSAES-PKCS1-v1_5 ciphertext.
//!
//! A segment is 12 bytes shorter than the key, as in the thesis. There is no header, and nothing detects altered,
//! exchanged or missing blocks. It is for study.

use carrysave::cms::Error;
use carrysave::rsa::{PrivateKey, PublicKey};
use rand_core::CryptoRng;
use std::io::{Read, Write};
use zeroize::Zeroizing;

/// The warning that is always printed.
pub const WARNING: &str = "carrysave: warning: --segmented is for study only: nothing protects the order of the blocks \
     or notices a change; leave it out for a file that matters";

/// The difference in length of a key and a segment.
const OVERHEAD: usize = 12;

/// Reads one segment, or less at the end of the input.
fn segment(input: &mut dyn Read, len: usize) -> Result<Zeroizing<Vec<u8>>, Error> {
    let mut segment = Zeroizing::new(Vec::with_capacity(len));
    input
        .take(len as u64)
        .read_to_end(&mut segment)
        .map_err(Error::Read)?;
    Ok(segment)
}

/// Encrypts segment after segment; an empty input becomes one empty segment.
pub fn encrypt<G: CryptoRng + ?Sized>(
    rng: &mut G,
    key: &PublicKey,
    input: &mut dyn Read,
    output: &mut dyn Write,
) -> Result<u64, Error> {
    let len = key.size() - OVERHEAD;
    let mut bytes = 0;
    loop {
        let m = segment(input, len)?;
        if m.is_empty() && bytes > 0 {
            return Ok(bytes);
        }
        bytes += m.len() as u64;
        output
            .write_all(&key.rsaes_pkcs1_v1_5_encrypt(rng, &m)?)
            .map_err(Error::Write)?;
        if m.len() < len {
            return Ok(bytes);
        }
    }
}

/// Decrypts block by block. The only possible check is that all segments except the last are full.
pub fn decrypt<G: CryptoRng + ?Sized>(
    rng: &mut G,
    key: &PrivateKey,
    input: &mut dyn Read,
    output: &mut dyn Write,
) -> Result<u64, Error> {
    let len = key.size() - OVERHEAD;
    let mut bytes = 0;
    let mut c = segment(input, key.size())?;
    if c.is_empty() {
        return Err(Error::Empty);
    }
    loop {
        if c.len() != key.size() {
            return Err(Error::Truncated);
        }
        let next = segment(input, key.size())?;
        let m = key.rsaes_pkcs1_v1_5_decrypt(rng, &c)?;
        if m.len() > len || (m.len() < len && !next.is_empty()) {
            return Err(Error::Decryption);
        }
        bytes += m.len() as u64;
        output.write_all(&m).map_err(Error::Write)?;
        if next.is_empty() {
            return Ok(bytes);
        }
        c = next;
    }
}
