//! SHA-2 by its compressions (FIPS 180-4), several hashes side by side.
//!
//! A compression waits for the one before it. Those of other hashes do not: a processor with instructions for SHA-256
//! overlaps them, and [`Compress`] takes up to eight of SHA-512 in vector lanes.

use crate::hash::Hash;
use carrysave_arith::Cpu;
use carrysave_kernels::sha512::{Compress, MOST};
use core::{array, iter, slice};
use digest::block_api::VariableOutputCore;
use digest::common::hazmat::SerializableState;
use sha2::block_api::{Sha256VarCore, Sha512VarCore, compress256, compress512};
use zeroize::{Zeroize, Zeroizing};

/// A chaining value of SHA-2.
pub(crate) trait Chain: Copy + Zeroize {
    type Block: Copy + AsMut<[u8]> + Zeroize;

    const ZEROS: Self::Block;

    /// For a hash whose digests have so many octets.
    fn initial(len: usize) -> Self;

    /// Takes a block.
    fn compress(&mut self, block: &Self::Block);

    /// The lanes that compress so many hashes, if they are faster than one alone after the other.
    fn lanes(_hashes: usize) -> Option<Lanes<Self>> {
        None
    }

    /// Writes its first octets.
    fn write(&self, out: &mut [u8]);
}

/// Lanes that compress hashes.
pub(crate) struct Lanes<S: Chain> {
    count: usize,
    /// Takes a block into each of so many values.
    compress: fn(&mut [S], &[S::Block]),
}

macro_rules! chain {
    ($word:ident, $octets:literal, $core:ident, $compress:ident $($in_lanes:tt)*) => {
        impl Chain for [$word; 8] {
            type Block = [u8; $octets];

            const ZEROS: [u8; $octets] = [0; $octets];

            fn initial(len: usize) -> Self {
                let core = $core::new(len).expect("the length of a digest");
                let octets = core.serialize();
                let (words, _) = octets.as_chunks();
                array::from_fn(|i| $word::from_le_bytes(words[i]))
            }

            fn compress(&mut self, block: &[u8; $octets]) {
                $compress(self, slice::from_ref(block));
            }

            $($in_lanes)*

            fn write(&self, out: &mut [u8]) {
                for (out, word) in out.chunks_mut(size_of::<$word>()).zip(self) {
                    out.copy_from_slice(&word.to_be_bytes()[..out.len()]);
                }
            }
        }
    };
}

chain!(u32, 64, Sha256VarCore, compress256);
chain! {
    u64, 128, Sha512VarCore, compress512

    fn lanes(hashes: usize) -> Option<Lanes<Self>> {
        let count = Compress::lanes(Cpu::native(), hashes)?;
        let compress = |values: &mut [_], blocks: &[_]| {
            Compress::best(Cpu::native()).call(values, blocks);
        };
        Some(Lanes { count, compress })
    }
}

/// Messages in blocks, and the chaining values of their hashes.
pub(crate) struct Hashes<S: Chain> {
    /// What each has. Behind those of up to eight hashes are lanes that fill a group.
    pub(crate) values: Zeroizing<Vec<S>>,
    /// Of each a block, then of each the second one, and so on.
    blocks: Zeroizing<Vec<S::Block>>,
    /// How many blocks each has.
    counts: Vec<usize>,
    /// The lanes of a group, unless hashes are compressed one alone after the other.
    lanes: Option<Lanes<S>>,
}

impl<S: Chain> Hashes<S> {
    /// So many hashes that have begun, at most eight or whole groups of eight, in groups of these lanes.
    pub(crate) fn new(hashes: usize, initial: S, lanes: Option<Lanes<S>>) -> Self {
        let all = hashes.next_multiple_of(lanes.as_ref().map_or(1, |lanes| lanes.count));
        Hashes {
            values: Zeroizing::new(vec![initial; all]),
            blocks: Zeroizing::new(Vec::with_capacity(4 * all)),
            counts: vec![0; all],
            lanes,
        }
    }

    /// Makes room for so many blocks of each, and clears them.
    fn clear(&mut self, counts: impl Iterator<Item = usize>) {
        let (mut most, mut least) = (0, usize::MAX);
        for (count, new) in self.counts.iter_mut().zip(counts.chain(iter::repeat(0))) {
            (most, least) = (most.max(new), least.min(if new > 0 { new } else { least }));
            // A lane without a message goes along while all others do.
            *count = if new > 0 { new } else { least };
        }
        let all = most * self.values.len();
        if all > self.blocks.capacity() {
            self.blocks = Zeroizing::new(Vec::with_capacity(all));
        }
        self.blocks.clear();
        self.blocks.resize(all, S::ZEROS);
    }

    /// Takes a block each, of these octets and zeros.
    pub(crate) fn take_blocks<'a>(&mut self, octets: impl ExactSizeIterator<Item = &'a [u8]>) {
        self.clear(iter::repeat_n(1, octets.len()));
        let each = self.blocks.iter_mut().zip(octets);
        each.for_each(|(block, octets)| block.as_mut()[..octets.len()].copy_from_slice(octets));
    }

    /// Changes all octets of the blocks.
    pub(crate) fn xor(&mut self, octet: u8) {
        let blocks = self.blocks.iter_mut();
        blocks.for_each(|block| block.as_mut().iter_mut().for_each(|it| *it ^= octet));
    }

    /// Takes messages, each the concatenation of its parts, and pads them, as what follows `before` blocks.
    pub(crate) fn take<'a, P: AsRef<[&'a [u8]]>>(&mut self, before: usize, messages: &[P]) {
        let block = size_of::<S::Block>();
        let len = |parts: &P| parts.as_ref().iter().map(|part| part.len()).sum::<usize>();
        // A bit, and the length in bits, which has an eighth of a block.
        let count = |parts: &P| (len(parts) + 1 + block / 8).div_ceil(block);
        self.clear(messages.iter().map(count));
        let stride = self.values.len();
        for (lane, parts) in messages.iter().enumerate() {
            let mut at = 0;
            let mut append = |mut part: &[u8]| {
                while !part.is_empty() {
                    let (i, from) = (at / block, at % block);
                    let (now, later) = part.split_at(part.len().min(block - from));
                    self.blocks[stride * i + lane].as_mut()[from..][..now.len()]
                        .copy_from_slice(now);
                    at += now.len();
                    part = later;
                }
            };
            parts.as_ref().iter().for_each(|part| append(part));
            append(&[0x80]);
            let bits = (8 * (block * before + len(parts)) as u64).to_be_bytes();
            let last = stride * (count(parts) - 1) + lane;
            self.blocks[last].as_mut()[block - bits.len()..].copy_from_slice(&bits);
        }
    }

    /// Takes the blocks into the chaining values.
    pub(crate) fn compress(&mut self) {
        let stride = self.values.len();
        let group = self.lanes.as_ref().map_or(stride, |lanes| lanes.count);
        for (i, blocks) in self.blocks.chunks(stride).enumerate() {
            let groups = self.values.chunks_mut(group).zip(blocks.chunks(group));
            for ((values, blocks), counts) in groups.zip(self.counts.chunks(group)) {
                match &self.lanes {
                    Some(lanes) if counts.iter().all(|&count| i < count) => {
                        (lanes.compress)(values, blocks);
                    }
                    _ => {
                        let each = values.iter_mut().zip(blocks).zip(counts);
                        each.filter(|(_, count)| i < **count)
                            .for_each(|((value, block), _)| value.compress(block));
                    }
                }
            }
        }
    }
}

/// The words of a hash of SHA-2.
pub(crate) enum Words {
    Of32Bits,
    Of64Bits,
}

impl Words {
    /// Those of a hash, if it is one of SHA-2.
    pub(crate) fn of(hash: Hash) -> Option<Words> {
        match hash {
            Hash::Sha224 | Hash::Sha256 => Some(Words::Of32Bits),
            Hash::Sha384 | Hash::Sha512 | Hash::Sha512_224 | Hash::Sha512_256 => {
                Some(Words::Of64Bits)
            }
            _ => None,
        }
    }
}

/// Whether many hashes are compressed in lanes.
pub(crate) fn has_lanes(hash: Hash) -> bool {
    matches!(Words::of(hash), Some(Words::Of64Bits)) && <[u64; 8]>::lanes(MOST).is_some()
}

/// SHA-512 of all parts.
pub(crate) fn sha512(parts: &[&[u8]]) -> Zeroizing<[u8; 64]> {
    let mut digest = Zeroizing::new([0; 64]);
    let mut hasher = Hash::Sha512.hasher();
    parts.iter().for_each(|part| hasher.update(part));
    hasher.finish_into(&mut *digest);
    digest
}

/// The octets of a part from which on messages are not copied to be hashed side by side.
const LONG: usize = 1 << 14;

/// Hands over the digest of SHA-512 of each of `count` messages, in order. A message is the concatenation of its parts.
pub(crate) fn sha512_each<'a, const P: usize>(
    count: usize,
    message: impl Fn(usize) -> [&'a [u8]; P],
    mut take: impl FnMut(&[u8; 64]),
) {
    for first in (0..count).step_by(MOST) {
        let group = first..count.min(first + MOST);
        let short = |i: usize| message(i).iter().all(|part| part.len() < LONG);
        let lanes = <[u64; 8]>::lanes(group.len());
        if lanes.is_some() && group.clone().all(short) {
            let mut parts = [[&[][..]; P]; MOST];
            let each = parts.iter_mut().zip(group.clone());
            each.for_each(|(parts, i)| *parts = message(i));
            let mut digest = Zeroizing::new([0; 64]);
            let initial = <[u64; 8]>::initial(digest.len());
            let mut hashes = Hashes::new(group.len(), initial, lanes);
            hashes.take(0, &parts[..group.len()]);
            hashes.compress();
            for value in &hashes.values[..group.len()] {
                value.write(&mut *digest);
                take(&digest);
            }
        } else {
            group.for_each(|i| take(&sha512(&message(i))));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LONG, sha512_each};
    use crate::hash::Hash;

    /// As many as lanes, more and fewer, of the same length and of others, around the ends of blocks.
    #[test]
    fn digests_are_those_of_each_alone() {
        let octets: Vec<u8> = (0..2 * LONG as u32)
            .map(|i| ((i * 167) >> 3) as u8)
            .collect();
        for count in [0, 1, 2, 3, 7, 8, 9, 16, 20] {
            for (len, more) in [
                (0, 0),
                (111, 0),
                (105, 1),
                (127, 1),
                (300, 77),
                (LONG - 3, 1),
            ] {
                let message = |i: usize| [&octets[..len + i * more], &octets[i..3 * i]];
                let mut digests = vec![];
                sha512_each(count, message, |digest| digests.push(digest.to_vec()));
                let alone = (0..count).map(|i| Hash::Sha512.digest(&message(i).concat()));
                assert_eq!(
                    digests,
                    alone.collect::<Vec<_>>(),
                    "{count} of {len} octets"
                );
            }
        }
    }
}
