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
    let mut mask = Zeroizing::new(vec![0; out.len()]);
    match hash {
        Hash::Shake128 => shake::Shake128::default()
            .chain(seed)
            .finalize_xof()
            .read(&mut mask),
        Hash::Shake256 => shake::Shake256::default()
            .chain(seed)
            .finalize_xof()
            .read(&mut mask),
        _ => blocks(hash, seed, 0, &mut mask),
    }
    out.iter_mut().zip(&*mask).for_each(|(o, t)| *o ^= t);
}

/// `out` is what KDF2 makes of a shared secret, with no parameters.
///
/// # Timing
/// Depends on the lengths only.
pub(crate) fn kdf2(hash: Hash, secret: &[u8], out: &mut [u8]) {
    blocks(hash, secret, 1, out);
}

fn blocks(hash: Hash, seed: &[u8], first: u32, mask: &mut [u8]) {
    let mut hasher = hash.hasher();
    // 3. For counter from 0 to ceil(maskLen / hLen) - 1
    for (counter, chunk) in (first..).zip(mask.chunks_mut(hash.len())) {
        // T = T || Hash(mgfSeed || I2OSP(counter, 4))
        hasher.update(seed);
        hasher.update(&counter.to_be_bytes());
        let mut block = Zeroizing::new([0; 64]);
        hasher.finish_into(&mut block[..hash.len()]);
        chunk.copy_from_slice(&block[..chunk.len()]);
    }
}
