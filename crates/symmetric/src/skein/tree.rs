//! Tree hashing (section 3.5.6).

use super::chain::{Chain, Kind, set};
use crate::{Buffer, share};
use carrysave_kernels::{
    Cpu, Limb,
    threefish::{FINAL, FIRST, Ubi},
};
use carrysave_team::{Serial, Team};
use core::{convert::Infallible, mem, ops::Range};
use zeroize::Zeroizing;

/// The shape of a tree: the leaf size, the fan-out and the greatest height (Y_l, Y_f and Y_m).
///
/// The default has leaves and nodes of 32 blocks, and practically no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tree {
    leaf: u8,
    node: u8,
    height: u8,
}

impl Tree {
    /// Leaves of `2^leaf` blocks, nodes of `2^node` blocks, and at most `height` levels including the leaves; a last
    /// level at that limit has one node of any length.
    ///
    /// `None` if the paper has no such tree: `leaf` and `node` are at least 1, `height` is at least 2. Here `leaf` and
    /// `node` are also at most 48.
    pub const fn new(leaf: u8, node: u8, height: u8) -> Option<Tree> {
        let fits = leaf >= 1 && leaf <= 48 && node >= 1 && node <= 48 && height >= 2;
        if fits {
            Some(Tree { leaf, node, height })
        } else {
            None
        }
    }

    /// The logarithms of a leaf's and a node's blocks, and the most levels: the arguments of [`new`](Self::new).
    pub const fn parameters(self) -> [u8; 3] {
        [self.leaf, self.node, self.height]
    }
}

impl Default for Tree {
    fn default() -> Tree {
        Tree {
            leaf: 5,
            node: 5,
            height: 255,
        }
    }
}

/// The most bytes of nodes, and of their hashes, that are shared out at a time.
const ROUND: (u64, u64) = (1 << 24, 1 << 20);
/// The bytes from which waking several threads pays.
const SHARED: u64 = 1 << 18;

/// A level: its incomplete node.
#[derive(Clone)]
struct Level<const W: usize> {
    chain: Chain<W>,
    /// The bytes of the level before this node, and of this node.
    before: u64,
    length: u64,
}

/// The incomplete nodes, one a level, the leaf first.
#[derive(Clone)]
pub(super) struct Nodes<const W: usize> {
    cpu: Cpu,
    ubi: Ubi,
    g: Zeroizing<Vec<Limb>>,
    tree: Tree,
    levels: Vec<Level<W>>,
    /// The buffer of hashes of whole nodes.
    hashes: Buffer,
}

impl<const W: usize> Nodes<W> {
    const BLOCK: usize = 8 * W;
    /// The most nodes hashed by one call: enough to fill all lanes of a flight or two thirds of them, and few enough to
    /// stay in a cache.
    const GROUP: usize = if W == 4 { 96 } else { 64 };

    pub(super) fn new(cpu: Cpu, g: Zeroizing<Vec<Limb>>, tree: Tree) -> Self {
        let mut nodes = Nodes {
            cpu,
            ubi: Ubi::best(cpu),
            g,
            tree,
            levels: vec![],
            hashes: Buffer::default(),
        };
        nodes.grow();
        nodes
    }

    /// Adds a level on top.
    fn grow(&mut self) {
        let level = self.levels.len() as u8 + 1;
        self.levels.push(Level {
            chain: Chain::new(self.cpu, &self.g, Kind::Message, level, 0),
            before: 0,
            length: 0,
        });
    }

    /// The bytes of a node of this level, if there is a limit.
    fn size(&self, at: usize) -> Option<u64> {
        match at {
            0 => Some((Self::BLOCK as u64) << self.tree.leaf),
            _ if at + 1 == usize::from(self.tree.height) => None,
            _ => Some((Self::BLOCK as u64) << self.tree.node),
        }
    }

    pub(super) fn update(&mut self, team: &dyn Team, data: &[u8]) {
        self.feed(team, 0, data);
    }

    /// Adds the next bytes of a level: of the message, or hashes of the level below.
    fn feed(&mut self, team: &dyn Team, at: usize, mut data: &[u8]) {
        if at == self.levels.len() {
            self.grow();
        }
        while !data.is_empty() {
            // A node ends when the next begins: until then the last byte of a leaf may be marked as not whole.
            let size = self.size(at);
            if size == Some(self.levels[at].length) {
                self.close(at);
            }
            if let Some((count, length)) = self.whole(at, data.len() as u64) {
                let taken = data.split_off(..length).expect("they are there");
                let Ok(()) = self.nodes(team, at, count, length, |range, _, hash| {
                    hash(&taken[range]);
                    Ok::<_, Infallible>(())
                });
                continue;
            }
            let level = &mut self.levels[at];
            let room = size.map_or(u64::MAX, |size| size - level.length);
            let taken = data.len().min(room.try_into().unwrap_or(usize::MAX));
            let taken = data.split_off(..taken).expect("they are there");
            level.chain.update(taken);
            level.length += taken.len() as u64;
        }
    }

    /// The number of whole nodes of a level in the next `bytes` bytes, and their length, if there are any; at most a
    /// round.
    fn whole(&self, at: usize, bytes: u64) -> Option<(usize, usize)> {
        let size = self.size(at)?;
        let most = (ROUND.0 / size).clamp(1, ROUND.1 / Self::BLOCK as u64);
        let count = (bytes / size).min(most);
        let fresh = [0, size].contains(&self.levels[at].length);
        (fresh && count > 0).then_some((count as usize, (count * size) as usize))
    }

    /// The bytes until the next leaf begins, if one has begun.
    pub(super) fn room(&self) -> Option<u64> {
        let size = self.size(0).expect("leaves have one");
        let length = self.levels[0].length;
        (length > 0 && length < size).then_some(size - length)
    }

    /// Takes up to `bytes` bytes of the message, which members of the team fetch themselves; returns their number.
    pub(super) fn fetch<E: Send>(
        &mut self,
        team: &dyn Team,
        bytes: u64,
        fill: &(impl Fn(u64, &mut [u8]) -> Result<(), E> + Sync),
    ) -> Result<u64, E> {
        let Some((count, length)) = self.whole(0, bytes) else {
            return Ok(0);
        };
        if length as u64 > ROUND.0 {
            return Ok(0); // a node that memory should not hold
        }
        if self.levels[0].length > 0 {
            self.close(0);
        }
        self.nodes(team, 0, count, length, |range, buffer, hash| {
            let bytes = buffer.of(range.len());
            fill(range.start as u64, bytes)?;
            hash(bytes);
            Ok(())
        })?;
        Ok(length as u64)
    }

    /// Hashes whole nodes side by side, shared among the team; `get` passes on the bytes of some, possibly through a
    /// buffer.
    fn nodes<E: Send>(
        &mut self,
        team: &dyn Team,
        at: usize,
        count: usize,
        length: usize,
        get: impl Fn(Range<usize>, &mut Buffer, &mut dyn FnMut(&[u8])) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let size = length / count;
        let team = share::worth(team, length as u64 >= SHARED);
        let rounds = count.div_ceil(team.size() * Self::GROUP);
        // A part fills the lanes, and all parts are equal.
        let part = count.div_ceil(team.size() * rounds).next_multiple_of(8);
        let before = self.levels[at].before;
        let upper = Kind::Message.upper(at as u8 + 1) | FIRST | FINAL;
        // The next call needs as many, unless it is for the level above.
        let mut buffer = mem::take(&mut self.hashes);
        let hashes = buffer.of(count * Self::BLOCK);
        let parts = hashes.chunks_mut(part * Self::BLOCK).enumerate();
        share::out(team, parts, |buffer: &mut Buffer, (i, hashes)| {
            let start = i * part * size;
            let end = start + hashes.len() / Self::BLOCK * size;
            let tweak = [before + start as u64, upper];
            get(start..end, buffer, &mut |bytes| {
                self.ubi.call(hashes, &self.g, bytes, tweak);
            })
        })?;
        let level = &mut self.levels[at];
        level.before += length as u64;
        let (number, before) = (at as u8 + 1, level.before);
        level.chain.restart(&self.g, Kind::Message, number, before);
        self.feed(team, at + 1, hashes);
        self.hashes = buffer;
        Ok(())
    }

    /// Ends a node.
    fn close(&mut self, at: usize) {
        let level = &mut self.levels[at];
        let mut hash = Zeroizing::new([0; 128]);
        for (bytes, word) in hash.chunks_mut(8).zip(&level.chain.end()[..W]) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        level.before += level.length;
        level.length = 0;
        let (number, before) = (at as u8 + 1, level.before);
        level.chain.restart(&self.g, Kind::Message, number, before);
        self.feed(&Serial, at + 1, &hash[..Self::BLOCK]);
    }

    /// Marks the last byte as not whole.
    pub(super) fn mark_bits(&mut self) {
        self.levels[0].chain.mark_bits();
    }

    /// The chain value of the root.
    pub(super) fn finish(mut self, g: &mut [Limb]) {
        let mut at = 0;
        loop {
            let level = &self.levels[at];
            let alone = at > 0 && level.before == 0 && level.length == Self::BLOCK as u64;
            if alone {
                // One hash is the root.
                let root = Zeroizing::new(level.chain.waiting().to_vec());
                return set(g, &root);
            }
            if self.size(at).is_none() {
                return self.levels.swap_remove(at).chain.finish(g);
            }
            if level.length > 0 || at == 0 && level.before == 0 {
                self.close(at);
            }
            at += 1;
        }
    }
}
