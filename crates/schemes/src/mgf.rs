//! MGF1 (RFC 8017 appendix B.2.1), the mask generation function of OAEP, PSS and EMSA5, and KDF2 (IEEE 1363a-2004, 13.2),
//! which differs by one.

use crate::hash::Hash;
use digest::{ExtendableOutput, Update, XofReader};
use zeroize::Zeroizing;

/// XORs the mask of `seed` onto `out`: that of MGF1, or for an extendable hash its own output (RFC 8702 section 3.1).
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

/// `out` is what KDF2 makes of a shared secret, with no parameters.
///
/// # Timing
/// Depends on the lengths only.
pub(crate) fn kdf2(hash: Hash, secret: &[u8], out: &mut [u8]) {
    blocks(hash, secret, 1, out, |out, mask| {
        out.copy_from_slice(&mask[..out.len()]);
    });
}

/// Gives `put` each part of `out`, and the block of the mask for it: as long, or longer for the last one.
fn blocks(hash: Hash, seed: &[u8], first: u32, out: &mut [u8], put: impl Fn(&mut [u8], &[u8])) {
    let mut hasher = hash.hasher();
    let mut block = Zeroizing::new([0; 64]);
    let block = &mut block[..hash.len()];
    // 3. For counter from 0 to ceil(maskLen / hLen) - 1
    for (counter, chunk) in (first..).zip(out.chunks_mut(hash.len())) {
        // T = T || Hash(mgfSeed || I2OSP(counter, 4))
        hasher.update(seed);
        hasher.update(&counter.to_be_bytes());
        hasher.finish_into(block);
        put(chunk, block);
    }
}
