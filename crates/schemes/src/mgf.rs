//! MGF1 (RFC 8017 appendix B.2.1), the mask generation function of OAEP, PSS and EMSA5, and KDF2 (IEEE 1363a-2004,
//! 13.2), whose counter starts at 1.

use crate::hash::Hash;
use digest::{ExtendableOutput, Update, XofReader};
use sha2::block_api::compress256;
use zeroize::Zeroizing;

/// XORs the mask of `seed` onto `out`: that of MGF1, or for an extendable hash its own output (RFC 8702 section 3.2.1).
///
/// # Timing
/// Depends on the lengths only.
pub(crate) fn mgf1_xor(hash: Hash, seed: &[u8], out: &mut [u8]) {
    let xor = |out: &mut [u8], mask: &[u8]| out.iter_mut().zip(mask).for_each(|(o, t)| *o ^= t);
    let mut reader: Box<dyn XofReader> = match hash {
        Hash::Shake128 => Box::new(shake::Shake128::default().chain(seed).finalize_xof()),
        Hash::Shake256 => Box::new(shake::Shake256::default().chain(seed).finalize_xof()),
        _ => return blocks(hash, seed, 0, out, xor),
    };
    let mut mask = Zeroizing::new(vec![0; out.len()]);
    reader.read(&mut mask);
    xor(out, &mask);
}

/// Fills `out` by KDF2 from a shared secret, without parameters.
///
/// # Timing
/// Depends on the lengths only.
pub(crate) fn kdf2(hash: Hash, secret: &[u8], out: &mut [u8]) {
    blocks(hash, secret, 1, out, |out, mask| {
        out.copy_from_slice(&mask[..out.len()]);
    });
}

/// Calls `put` with each part of `out` and its block of the mask, which may be longer for the last part.
fn blocks(hash: Hash, seed: &[u8], first: u32, out: &mut [u8], put: impl Fn(&mut [u8], &[u8])) {
    let mut block = Zeroizing::new([0; 64]);
    let block = &mut block[..hash.len()];
    // 3. For counter from 0 to ceil(maskLen / hLen) - 1: T = T || Hash(mgfSeed || I2OSP(counter, 4))
    let mut each = |digest: &mut dyn FnMut([u8; 4], &mut [u8])| {
        for (counter, chunk) in (first..).zip(out.chunks_mut(hash.len())) {
            digest(counter.to_be_bytes(), block);
            put(chunk, block);
        }
    };
    let end = seed.len() + 4;
    // The padding of a message has at least 9 bytes.
    if hash == Hash::Sha256 && end + 9 <= 64 {
        // Seed, counter and padding fit one block, so the padding is written once.
        let mut message = Zeroizing::new([[0; 64]]);
        message[0][..seed.len()].copy_from_slice(seed);
        message[0][end] = 0x80;
        message[0][56..].copy_from_slice(&(8 * end as u64).to_be_bytes());
        each(&mut |counter, digest| {
            message[0][end - 4..end].copy_from_slice(&counter);
            let mut state = Zeroizing::new(SHA256_START);
            compress256(&mut state, &*message);
            for (bytes, word) in digest.chunks_exact_mut(4).zip(state.iter()) {
                bytes.copy_from_slice(&word.to_be_bytes());
            }
        });
    } else {
        let mut hasher = hash.hasher();
        each(&mut |counter, digest| {
            hasher.update(seed);
            hasher.update(&counter);
            hasher.finish_into(digest);
        });
    }
}

/// The initial value of SHA-256 (FIPS 180-4 section 5.3.3).
const SHA256_START: [u32; 8] = [
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// A literal version of appendix B.2.1, for seeds of one block and of more.
    #[test]
    fn a_mask_is_made_of_digests() {
        let seed: Vec<u8> = (0..=255).collect();
        for hash in [Hash::Sha256, Hash::Sha512] {
            for len in [0, 1, 32, 50, 51, 52, 64, 200] {
                let digests = (0..4_u32)
                    .map(|counter| hash.digest(&[&seed[..len], &counter.to_be_bytes()].concat()));
                let mut out = vec![0; 3 * hash.len() + 1];
                mgf1_xor(hash, &seed[..len], &mut out);
                assert_eq!(out, digests.flatten().take(out.len()).collect::<Vec<_>>());
                let kdf2_of = [&seed[..len], &[0, 0, 0, 1]].concat();
                kdf2(hash, &seed[..len], &mut out);
                assert_eq!(out[..hash.len()], hash.digest(&kdf2_of));
            }
        }
    }
}
