//! Skein (Ferguson et al., The Skein Hash Function Family, version 1.3).
//!
//! [`Parameters`] select a function of the family. [`Skein`] takes the message in pieces of any length, in constant
//! memory. [`Output`] gives any number of bytes.

mod chain;
mod tree;

use crate::{Buffer, threefish::clean};
use carrysave_kernels::{
    Cpu, Limb, off_stack,
    threefish::{C240, Ctr, extend_key},
};
use carrysave_team::{Serial, Team};
use chain::{Chain, Kind};
use core::{fmt, mem};
use digest::{
    ExtendableOutput, FixedOutput, FixedOutputReset, HashMarker, InvalidLength, Key, KeyInit,
    MacMarker, OutputSizeUser, Reset, Update, XofReader,
    array::ArraySize,
    block_api::BlockSizeUser,
    common::KeySizeUser,
    consts::{U32, U64, U128},
};
use std::marker::PhantomData;
use tree::Nodes;
pub use tree::Tree;
use zeroize::Zeroizing;

/// Skein-256: a state of 256 bits.
pub type Skein256 = Skein<4>;
/// Skein-512: a state of 512 bits, the paper's primary proposal.
pub type Skein512 = Skein<8>;
/// Skein-1024: a state of 1024 bits.
pub type Skein1024 = Skein<16>;

/// The parameters of the functions of the family (section 3.5).
///
/// ```
/// use carrysave_symmetric::skein::{Parameters, Skein512};
/// let mut hash = Skein512::new(&Parameters::new(20).key(b"a key").personalization(b"20261121 me@example.com app"));
/// hash.update(b"a message");
/// let mut tag = [0; 20];
/// hash.finalize().read(&mut tag);
/// assert!(tag.iter().any(|&byte| byte != 0));
/// ```
#[derive(Clone)]
pub struct Parameters<'a> {
    output: Option<u64>,
    key: &'a [u8],
    strings: [Option<&'a [u8]>; 4],
    tree: Option<Tree>,
    cpu: Cpu,
}

impl<'a> Parameters<'a> {
    /// A hash of `bytes` bytes. It is not a prefix of a longer one.
    ///
    /// # Panics
    /// If there are 2^61 or more.
    pub fn new(bytes: u64) -> Parameters<'a> {
        assert!(bytes < 1 << 61, "the number of bits fits a word");
        Parameters {
            output: Some(8 * bytes),
            key: &[],
            strings: [None; 4],
            tree: None,
            cpu: Cpu::native(),
        }
    }

    /// A stream of bytes that ends where its reader stops, as for a stream cipher (section 4.10).
    pub fn stream() -> Parameters<'a> {
        Parameters {
            output: None,
            ..Parameters::new(0)
        }
    }

    /// A secret key: for a message authentication code (Skein-MAC, section 4.3), or a pseudorandom function.
    #[must_use]
    pub fn key(self, key: &'a [u8]) -> Self {
        Parameters { key, ..self }
    }

    /// A personalization, so that no other application gets the same values: a date, an address and a name (section
    /// 4.5).
    #[must_use]
    pub fn personalization(self, string: &'a [u8]) -> Self {
        self.string(0, string)
    }

    /// A public key: a hash for one signer (section 4.6).
    #[must_use]
    pub fn public_key(self, string: &'a [u8]) -> Self {
        self.string(1, string)
    }

    /// The identifier of a key to be derived from the secret key: the output is that key (section 4.7).
    #[must_use]
    pub fn key_identifier(self, string: &'a [u8]) -> Self {
        self.string(2, string)
    }

    /// A number used once: for streams and randomised hashing (sections 4.4 and 4.10).
    #[must_use]
    pub fn nonce(self, string: &'a [u8]) -> Self {
        self.string(3, string)
    }

    /// Hashes as a tree, with many leaves at a time.
    #[must_use]
    pub fn tree(self, tree: Tree) -> Self {
        Parameters {
            tree: Some(tree),
            ..self
        }
    }

    /// Uses a lesser processor than this one.
    #[must_use]
    pub fn cpu(self, cpu: Cpu) -> Self {
        Parameters { cpu, ..self }
    }

    fn string(mut self, i: usize, string: &'a [u8]) -> Self {
        self.strings[i] = Some(string);
        self
    }

    /// The configuration string (table 7).
    fn configuration(&self) -> [u8; 32] {
        let mut string = [0; 32];
        string[..4].copy_from_slice(b"SHA3");
        string[4] = 1;
        string[8..16].copy_from_slice(&self.output.unwrap_or(u64::MAX).to_le_bytes());
        if let Some(tree) = self.tree {
            string[16..19].copy_from_slice(&tree.parameters());
        }
        string
    }

    /// The chain value before the message.
    fn initial<const W: usize>(&self) -> Zeroizing<Vec<Limb>> {
        let mut g = Zeroizing::new(vec![0; W + 1]);
        extend_key(&mut g, C240);
        let step = |g: &mut Vec<Limb>, kind, string: &[u8]| {
            let mut chain = Chain::<W>::new(self.cpu, g, kind, 0, 0);
            chain.update(string);
            chain.finish(g);
        };
        if !self.key.is_empty() {
            step(&mut g, Kind::Key, self.key);
        }
        step(&mut g, Kind::Configuration, &self.configuration());
        let kinds = [
            Kind::Personalization,
            Kind::PublicKey,
            Kind::KeyIdentifier,
            Kind::Nonce,
        ];
        for (kind, string) in kinds.into_iter().zip(self.strings) {
            if let Some(string) = string {
                step(&mut g, kind, string);
            }
        }
        g
    }
}

impl fmt::Debug for Parameters<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "parameters of Skein for {:?} bits", self.output)
    }
}

/// Bytes of the stack that kernels for leaves side by side use.
const LEFT: usize = 1 << 14;

/// The bytes fetched at a time when they are not whole leaves.
const PIECE: u64 = 1 << 18;

/// A running hash with a state of W words: 4, 8 or 16.
///
/// Its state is wiped when dropped.
///
/// ```
/// use carrysave_symmetric::skein::{Parameters, Skein512, Tree};
/// let whole = |data: &[u8]| {
///     let mut hash = Skein512::new(&Parameters::new(64).tree(Tree::default()));
///     hash.update(data);
///     hash.finalize()
/// };
/// let mut hash = Skein512::new(&Parameters::new(64).tree(Tree::default()));
/// let data = vec![7; 100_000];
/// data.chunks(999).for_each(|piece| hash.update(piece));
/// let (mut a, mut b) = ([0; 64], [0; 64]);
/// hash.finalize().read(&mut a);
/// whole(&data).read(&mut b);
/// assert_eq!(a, b);
/// ```
#[derive(Clone)]
pub struct Skein<const W: usize> {
    message: Message<W>,
    cpu: Cpu,
}

/// The mode of hashing the message.
#[derive(Clone)]
enum Message<const W: usize> {
    Chain(Chain<W>),
    Tree(Nodes<W>),
}

impl<const W: usize> Skein<W> {
    /// Starts a hash.
    ///
    /// # Timing
    /// Depends on lengths only.
    pub fn new(parameters: &Parameters<'_>) -> Self {
        let cpu = parameters.cpu;
        let g = parameters.initial::<W>();
        let message = match parameters.tree {
            None => Message::Chain(Chain::new(cpu, &g, Kind::Message, 0, 0)),
            Some(tree) => Message::Tree(Nodes::new(cpu, g, tree)),
        };
        Skein { message, cpu }
    }

    /// Adds the next piece of the message. Leaves of a tree that are whole within a piece are hashed side by side:
    /// pieces of 64 KiB and more are fastest.
    ///
    /// # Timing
    /// Depends on lengths only.
    pub fn update(&mut self, data: &[u8]) {
        self.update_on(&Serial, data);
    }

    /// Adds the next piece of the message; the threads of a team share the leaves of a tree.
    ///
    /// Without a tree the message is a chain, which cannot be shared.
    ///
    /// Pieces of 4 MiB and more are fastest.
    ///
    /// # Timing
    /// Depends on lengths only.
    ///
    /// ```
    /// use carrysave_team::Serial;
    /// use carrysave_symmetric::skein::{Parameters, Skein512, Tree};
    /// let mut hash = Skein512::new(&Parameters::new(32).tree(Tree::default()));
    /// hash.update_on(&Serial, &[7; 1 << 20]); // or a team of threads
    /// let mut out = [0; 32];
    /// hash.finalize().read(&mut out);
    /// ```
    pub fn update_on(&mut self, team: &dyn Team, data: &[u8]) {
        /// Shorter pieces have no leaves side by side, and the end overwrites their traces.
        const LONG: usize = 4096;
        match &mut self.message {
            Message::Chain(chain) => chain.update(data),
            Message::Tree(nodes) if data.len() < LONG => nodes.update(team, data),
            Message::Tree(nodes) => off_stack::<LEFT, _>(|| nodes.update(team, data)),
        }
    }

    /// Adds the next `length` bytes of the message, which the members of a team fetch themselves, each into a small
    /// buffer: `fill(at, buffer)` reads from the byte `at` of these on. For files, which can be read at any position.
    ///
    /// # Errors
    /// One of those of `fill`; the hash is then invalid.
    ///
    /// # Timing
    /// Depends on lengths only.
    ///
    /// ```
    /// use carrysave_team::Serial;
    /// use carrysave_symmetric::skein::{Parameters, Skein512, Tree};
    /// let data = vec![7; 1 << 20];
    /// let mut hash = Skein512::new(&Parameters::new(32).tree(Tree::default()));
    /// hash.update_from(&Serial, data.len() as u64, &|at, buffer: &mut [u8]| {
    ///     buffer.copy_from_slice(&data[at as usize..][..buffer.len()]);
    ///     Ok::<_, std::io::Error>(())
    /// })?;
    /// # Ok::<_, std::io::Error>(())
    /// ```
    pub fn update_from<E: Send>(
        &mut self,
        team: &dyn Team,
        length: u64,
        fill: &(impl Fn(u64, &mut [u8]) -> Result<(), E> + Sync),
    ) -> Result<(), E> {
        let mut buffer = Buffer::default();
        let mut at = 0;
        while at < length {
            let mut piece = PIECE.min(length - at);
            if let Message::Tree(nodes) = &mut self.message {
                let fill = |offset, buffer: &mut [u8]| fill(at + offset, buffer);
                at += nodes.fetch(team, length - at, &fill)?;
                piece = nodes.room().unwrap_or(PIECE).min(piece).min(length - at);
            }
            let bytes = buffer.of(piece as usize);
            fill(at, bytes)?;
            self.update(bytes);
            at += piece;
        }
        Ok(())
    }

    /// Ends the message.
    pub fn finalize(self) -> Output<W> {
        let mut g = Zeroizing::new(vec![0; W + 1]);
        match self.message {
            Message::Chain(chain) => chain.finish(&mut g),
            Message::Tree(nodes) => off_stack::<LEFT, _>(|| nodes.finish(&mut g)),
        }
        Output {
            ctr: Ctr::best(self.cpu),
            g,
            next: 0,
            block: Zeroizing::default(),
            used: 8 * W,
        }
    }

    /// Ends a message whose last bits, one to seven, are the upper bits of `last`.
    ///
    /// # Panics
    /// If `bits` is not 1 to 7.
    pub fn finalize_bits(mut self, last: u8, bits: u32) -> Output<W> {
        assert!((1..8).contains(&bits));
        // A 1 bit after the message, and zeros.
        let mark = 0x80 >> bits;
        let padded = last & !(2 * mark - 1) | mark;
        self.update(&[padded]);
        match &mut self.message {
            Message::Chain(chain) => chain.mark_bits(),
            Message::Tree(nodes) => nodes.mark_bits(),
        }
        self.finalize()
    }
}

impl<const W: usize> fmt::Debug for Skein<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Skein-{} of part of a message", 64 * W)
    }
}

/// The output, from the first byte on (section 3.5.4).
///
/// Wiped when dropped.
#[derive(Clone)]
pub struct Output<const W: usize> {
    ctr: Ctr,
    g: Zeroizing<Vec<Limb>>,
    /// The number of the next block.
    next: u64,
    /// The last block, if any; its first `used` bytes were returned.
    block: Zeroizing<Vec<u8>>,
    used: usize,
}

impl<const W: usize> Output<W> {
    /// The next bytes.
    ///
    /// # Timing
    /// Depends on lengths only.
    pub fn read(&mut self, mut out: &mut [u8]) {
        let size = 8 * W;
        let kept = out.len().min(size - self.used);
        if kept > 0 {
            out.split_off_mut(..kept)
                .expect("it is not longer")
                .copy_from_slice(&self.block[self.used..][..kept]);
            self.used += kept;
        }
        let whole = out.len() - out.len() % size;
        if whole > 0 {
            let blocks = out.split_off_mut(..whole).expect("it is not longer");
            self.blocks(blocks);
        }
        if !out.is_empty() {
            let mut block = mem::take(&mut self.block);
            block.resize(size, 0);
            self.blocks(&mut block);
            self.block = block;
            out.copy_from_slice(&self.block[..out.len()]);
            self.used = out.len();
        }
    }

    /// Block i is UBI over the eight bytes of i: an encrypted counter, xored with the counter.
    fn blocks(&mut self, out: &mut [u8]) {
        let mut counter = [0; W];
        counter[0] = self.next;
        for (i, block) in out.chunks_mut(8 * W).enumerate() {
            block.fill(0);
            block[..8].copy_from_slice(&(self.next + i as u64).to_le_bytes());
        }
        let tweak = Kind::Output.whole(8);
        clean(out.len(), || {
            self.ctr.call_in_place(out, &self.g, tweak, &counter)
        });
        self.next += (out.len() / (8 * W)) as u64;
    }
}

impl<const W: usize> fmt::Debug for Output<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "output of Skein-{}", 64 * W)
    }
}

impl<const W: usize> XofReader for Output<W> {
    fn read(&mut self, buffer: &mut [u8]) {
        Output::read(self, buffer);
    }
}

/// Skein with a state of W words and N bytes of output, and no other parameters, for the traits of the crate `digest`.
///
/// ```
/// use carrysave_symmetric::skein::Skein512_256;
/// use digest::Digest;
/// let hash = Skein512_256::digest(b"a message");
/// assert_eq!(hash.len(), 32);
/// ```
#[derive(Clone, Debug)]
pub struct Fixed<const W: usize, N>(Skein<W>, PhantomData<N>);

/// Skein-256 with 32 bytes of output.
pub type Skein256_256 = Fixed<4, U32>;
/// Skein-512 with 32 bytes of output.
pub type Skein512_256 = Fixed<8, U32>;
/// Skein-512 with 64 bytes of output.
pub type Skein512_512 = Fixed<8, U64>;
/// Skein-1024 with 128 bytes of output.
pub type Skein1024_1024 = Fixed<16, U128>;

impl<const W: usize, N: ArraySize> Default for Fixed<W, N> {
    fn default() -> Self {
        Fixed(Skein::new(&Parameters::new(N::U64)), PhantomData)
    }
}

impl<const W: usize, N: ArraySize> Update for Fixed<W, N> {
    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }
}

impl<const W: usize, N: ArraySize> OutputSizeUser for Fixed<W, N> {
    type OutputSize = N;
}

impl<const W: usize, N: ArraySize> FixedOutput for Fixed<W, N> {
    fn finalize_into(self, out: &mut digest::Output<Self>) {
        self.0.finalize().read(out);
    }
}

impl<const W: usize, N: ArraySize> Reset for Fixed<W, N> {
    fn reset(&mut self) {
        *self = Fixed::default();
    }
}

impl<const W: usize, N: ArraySize> FixedOutputReset for Fixed<W, N> {
    fn finalize_into_reset(&mut self, out: &mut digest::Output<Self>) {
        core::mem::take(self).finalize_into(out);
    }
}

impl<const W: usize, N> HashMarker for Fixed<W, N> {}

/// Any function of the family, with output of any length.
impl<const W: usize> Update for Skein<W> {
    fn update(&mut self, data: &[u8]) {
        Skein::update(self, data);
    }
}

impl<const W: usize> ExtendableOutput for Skein<W> {
    type Reader = Output<W>;

    fn finalize_xof(self) -> Output<W> {
        self.finalize()
    }
}

/// Skein-MAC with a state of W words and N bytes of output, for the traits of the crate `digest`.
///
/// A key may have any length; `new` takes keys as long as the state.
///
/// ```
/// use carrysave_symmetric::skein::Skein512Mac;
/// use digest::{KeyInit, Mac};
/// let mut mac = Skein512Mac::new_from_slice(b"a key")?;
/// mac.update(b"a message");
/// let code = mac.clone().finalize().into_bytes();
/// mac.verify(&code)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Keyed<const W: usize, N>(Skein<W>, PhantomData<N>);

/// Skein-MAC of Skein-256, with 32 bytes of output.
pub type Skein256Mac = Keyed<4, U32>;
/// Skein-MAC of Skein-512, with 64 bytes of output.
pub type Skein512Mac = Keyed<8, U64>;
/// Skein-MAC of Skein-1024, with 128 bytes of output.
pub type Skein1024Mac = Keyed<16, U128>;

impl<const W: usize, N: ArraySize> KeyInit for Keyed<W, N>
where
    Self: KeySizeUser,
{
    fn new(key: &Key<Self>) -> Self {
        let parameters = Parameters::new(N::U64).key(key);
        Keyed(Skein::new(&parameters), PhantomData)
    }

    fn new_from_slice(key: &[u8]) -> Result<Self, InvalidLength> {
        let parameters = Parameters::new(N::U64).key(key);
        Ok(Keyed(Skein::new(&parameters), PhantomData))
    }
}

impl<const W: usize, N> Update for Keyed<W, N> {
    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }
}

impl<const W: usize, N: ArraySize> OutputSizeUser for Keyed<W, N> {
    type OutputSize = N;
}

impl<const W: usize, N: ArraySize> FixedOutput for Keyed<W, N> {
    fn finalize_into(self, out: &mut digest::Output<Self>) {
        self.0.finalize().read(out);
    }
}

impl<const W: usize, N> MacMarker for Keyed<W, N> {}

macro_rules! block_size {
    ($($words:literal $size:ident),*) => {
        $(impl<N> BlockSizeUser for Fixed<$words, N> {
            type BlockSize = $size;
        }

        impl<N> KeySizeUser for Keyed<$words, N> {
            type KeySize = $size;
        })*
    };
}

block_size!(4 U32, 8 U64, 16 U128);
