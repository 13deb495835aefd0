//! Tree hashing (section 3.5.6).

use super::chain::{Chain, Kind, set};
use carrysave_kernels::{
    Cpu, Limb,
    threefish::{FINAL, FIRST, Ubi},
};
use zeroize::Zeroizing;

/// The shape of a tree: the leaf size, the fan-out and the greatest height (Y_l, Y_f and Y_m).
///
/// The default has leaves and nodes of 64 blocks, and no limit to speak of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tree {
    leaf: u8,
    node: u8,
    height: u8,
}

impl Tree {
    /// Leaves of `2^leaf` blocks, nodes of `2^node` blocks, and at most `height` levels, that of the leaves included; the
    /// last one then is as long as it has to be.
    ///
    /// `None` where the paper has no such tree: `leaf` and `node` are 1 or more, `height` is 2 or more. Here neither of the
    /// former is above 48.
    pub const fn new(leaf: u8, node: u8, height: u8) -> Option<Tree> {
        let fits = leaf >= 1 && leaf <= 48 && node >= 1 && node <= 48 && height >= 2;
        if fits {
            Some(Tree { leaf, node, height })
        } else {
            None
        }
    }

    pub(super) fn bytes(self) -> [u8; 3] {
        [self.leaf, self.node, self.height]
    }
}

impl Default for Tree {
    fn default() -> Tree {
        Tree {
            leaf: 6,
            node: 6,
            height: 255,
        }
    }
}

/// The leaves that are hashed by one call.
const GROUP: usize = 96;

/// A level: the node that is not whole yet.
#[derive(Clone)]
struct Level<const W: usize> {
    chain: Chain<W>,
    /// The bytes of the level before this node, and of this node.
    before: u64,
    length: u64,
}

/// The nodes that are not whole yet, one a level, the leaf first.
#[derive(Clone)]
pub(super) struct Nodes<const W: usize> {
    cpu: Cpu,
    ubi: Ubi,
    g: Zeroizing<Vec<Limb>>,
    tree: Tree,
    levels: Vec<Level<W>>,
}

impl<const W: usize> Nodes<W> {
    const BLOCK: usize = 8 * W;

    pub(super) fn new(cpu: Cpu, g: Zeroizing<Vec<Limb>>, tree: Tree) -> Self {
        let mut nodes = Nodes {
            cpu,
            ubi: Ubi::best(cpu),
            g,
            tree,
            levels: vec![],
        };
        nodes.grow();
        nodes
    }

    /// Another level on top.
    fn grow(&mut self) {
        let level = self.levels.len() as u8 + 1;
        self.levels.push(Level {
            chain: Chain::new(self.cpu, &self.g, Kind::Message, level, 0),
            before: 0,
            length: 0,
        });
    }

    /// The bytes of a node of the level at this place, if there is a limit.
    fn size(&self, at: usize) -> Option<u64> {
        match at {
            0 => Some((Self::BLOCK as u64) << self.tree.leaf),
            _ if at + 1 == usize::from(self.tree.height) => None,
            _ => Some((Self::BLOCK as u64) << self.tree.node),
        }
    }

    pub(super) fn update(&mut self, mut data: &[u8]) {
        let size = self.size(0).expect("leaves have one");
        while !data.is_empty() {
            // A leaf ends when the next begins: until then its last byte may turn out not to be whole.
            if self.levels[0].length == size {
                self.close(0);
            }
            let leaf = &mut self.levels[0];
            let leaves = data.len() as u64 / size;
            if leaf.length == 0 && leaves > 0 {
                let count = (leaves as usize).min(GROUP);
                let taken = data
                    .split_off(..count * size as usize)
                    .expect("they are there");
                self.leaves(taken, count);
            } else {
                let room = (size - leaf.length).min(data.len() as u64) as usize;
                leaf.chain
                    .update(data.split_off(..room).expect("they are there"));
                leaf.length += room as u64;
            }
        }
    }

    /// Whole leaves, side by side.
    fn leaves(&mut self, data: &[u8], count: usize) {
        let leaf = &mut self.levels[0];
        let tweak = [leaf.before, Kind::Message.upper(1) | FIRST | FINAL];
        let mut hashes = Zeroizing::new([0; GROUP * 128]);
        let hashes = &mut hashes[..count * Self::BLOCK];
        self.ubi.call(hashes, &self.g, data, tweak);
        leaf.before += data.len() as u64;
        leaf.chain.restart(&self.g, Kind::Message, 1, leaf.before);
        for hash in hashes.chunks(Self::BLOCK) {
            self.push(1, hash);
        }
    }

    /// A hash of the level below the one at this place, of which it is the next block.
    fn push(&mut self, at: usize, hash: &[u8]) {
        if at == self.levels.len() {
            self.grow();
        }
        let size = self.size(at);
        let level = &mut self.levels[at];
        level.chain.update(hash);
        level.length += hash.len() as u64;
        if size == Some(level.length) {
            self.close(at);
        }
    }

    /// The end of a node.
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
        self.push(at + 1, &hash[..Self::BLOCK]);
    }

    /// The byte that came last, alone, is not whole.
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
