//! Threefish, a block cipher with a tweak (Skein 1.3, section 3.3).
//!
//! None of these modes authenticates: an attacker who can change a ciphertext can change the text.

use crate::{Text, share};
use carrysave_kernels::{
    Cpu, Limb, off_stack,
    threefish::{C5, C240, Threefish as Kernels, extend_key},
};
use carrysave_team::{Serial, Team};
use core::fmt;
use zeroize::Zeroizing;

/// Threefish-256.
pub type Threefish256 = Threefish<4>;
/// Threefish-512.
pub type Threefish512 = Threefish<8>;
/// Threefish-1024.
pub type Threefish1024 = Threefish<16>;

/// The parameters of a version of the paper: versions differ in a constant of the key schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Version {
    /// Version 1.2 of 2009, for comparison: rotational cryptanalysis led to the next.
    V1_2,
    /// Version 1.3 of 2010, the last.
    V1_3,
}

/// The bytes from which waking several threads pays.
const SHARED: usize = 1 << 18;

/// Calls a kernel for `bytes` bytes, and overwrites its traces on the stack.
pub(crate) fn clean(bytes: usize, call: impl FnOnce()) {
    match bytes {
        // Few blocks. What kernels have on the stack behind these bytes is neither key nor text.
        0..256 => off_stack::<2048, _>(call),
        // Words of many blocks side by side.
        _ => off_stack::<8192, _>(call),
    }
}

/// Threefish with a key of W words: 4, 8 or 16.
///
/// The key is wiped when it is dropped. The traits of the crate `cipher` have no tweak, so it is zero there.
///
/// ```
/// use carrysave_symmetric::threefish::Threefish512;
/// let cipher = Threefish512::new(&[7; 64]);
/// let mut sector = [0; 4096];
/// // The upper word of the tweak says which sector, the lower which block of it.
/// cipher.encrypt_counting([0, 1234], &mut sector);
/// assert_ne!(sector[..64], sector[64..128]);
/// cipher.decrypt_counting([0, 1234], &mut sector);
/// assert_eq!(sector, [0; 4096]);
/// ```
#[derive(Clone)]
pub struct Threefish<const W: usize> {
    kernels: Kernels,
    /// The key, followed by its parity.
    key: Zeroizing<Vec<Limb>>,
}

impl<const W: usize> Threefish<W> {
    /// The bytes of a block, and of a key.
    pub const BLOCK: usize = 8 * W;

    /// The cipher with a key.
    ///
    /// # Panics
    /// If the key is not as long as a block.
    ///
    /// # Timing
    /// Depends on no value, and neither do the methods.
    pub fn new(key: &[u8]) -> Self {
        Threefish::with_version(Cpu::native(), Version::V1_3, key)
    }

    /// The cipher of a version of the paper, on a processor.
    ///
    /// # Panics
    /// If the key is not as long as a block.
    pub fn with_version(cpu: Cpu, version: Version, key: &[u8]) -> Self {
        assert_eq!(key.len(), Self::BLOCK, "a key is as long as a block");
        let mut words = Zeroizing::new(vec![0; W + 1]);
        read_words(&mut words, key);
        let constant = match version {
            Version::V1_2 => C5,
            Version::V1_3 => C240,
        };
        extend_key(&mut words, constant);
        Threefish {
            kernels: Kernels::new(cpu),
            key: words,
        }
    }

    /// Encrypts each block of `data` with the same tweak: equal blocks stay equal.
    ///
    /// # Panics
    /// If `data` is not whole blocks.
    pub fn encrypt(&self, tweak: [u64; 2], data: &mut [u8]) {
        self.encrypt_on(&Serial, tweak, data);
    }

    /// Encrypts each block with the same tweak, on the threads of a team from 256 KiB on.
    ///
    /// # Panics
    /// If `data` is not whole blocks.
    pub fn encrypt_on<'a>(&self, team: &dyn Team, tweak: [u64; 2], data: impl Into<Text<'a>>) {
        self.encrypt_stepping(team, tweak, 0, data.into());
    }

    /// Inverts [`encrypt`](Self::encrypt).
    ///
    /// # Panics
    /// If `data` is not whole blocks.
    pub fn decrypt(&self, tweak: [u64; 2], data: &mut [u8]) {
        self.decrypt_on(&Serial, tweak, data);
    }

    /// Inverts [`encrypt`](Self::encrypt), on the threads of a team from 256 KiB on.
    ///
    /// # Panics
    /// If `data` is not whole blocks.
    pub fn decrypt_on<'a>(&self, team: &dyn Team, tweak: [u64; 2], data: impl Into<Text<'a>>) {
        self.decrypt_stepping(team, tweak, 0, data.into());
    }

    /// Encrypts each block of `data` with its own tweak: the first with `tweak`, whose lower word then increases by one
    /// from block to block, modulo 2^64. For data that cannot grow, such as the sectors of a disk.
    ///
    /// # Panics
    /// If `data` is not whole blocks.
    pub fn encrypt_counting(&self, tweak: [u64; 2], data: &mut [u8]) {
        self.encrypt_counting_on(&Serial, tweak, data);
    }

    /// [`encrypt_counting`](Self::encrypt_counting) on the threads of a team from 256 KiB on.
    ///
    /// # Panics
    /// If `data` is not whole blocks.
    pub fn encrypt_counting_on<'a>(
        &self,
        team: &dyn Team,
        tweak: [u64; 2],
        data: impl Into<Text<'a>>,
    ) {
        self.encrypt_stepping(team, tweak, 1, data.into());
    }

    /// Inverts [`encrypt_counting`](Self::encrypt_counting).
    ///
    /// # Panics
    /// If `data` is not whole blocks.
    pub fn decrypt_counting(&self, tweak: [u64; 2], data: &mut [u8]) {
        self.decrypt_counting_on(&Serial, tweak, data);
    }

    /// Inverts [`encrypt_counting`](Self::encrypt_counting), on the threads of a team from 256 KiB on.
    ///
    /// # Panics
    /// If `data` is not whole blocks.
    pub fn decrypt_counting_on<'a>(
        &self,
        team: &dyn Team,
        tweak: [u64; 2],
        data: impl Into<Text<'a>>,
    ) {
        self.decrypt_stepping(team, tweak, 1, data.into());
    }

    /// Encryption with tweaks whose lower word increases by `step` from block to block.
    fn encrypt_stepping(&self, team: &dyn Team, tweak: [u64; 2], step: u64, data: Text<'_>) {
        let (kernel, key) = (&self.kernels.encrypt, &self.key);
        share::bytes(team, SHARED, data, |at, part| {
            let tweak = Self::stepped(tweak, step, at);
            clean(part.len(), || {
                part.each(
                    |to| kernel.call_in_place(to, key, tweak, step),
                    |to, from| kernel.call(to, from, key, tweak, step),
                );
            });
        });
    }

    /// Decryption with tweaks whose lower word increases by `step` from block to block.
    fn decrypt_stepping(&self, team: &dyn Team, tweak: [u64; 2], step: u64, data: Text<'_>) {
        let (kernel, key) = (&self.kernels.decrypt, &self.key);
        share::bytes(team, SHARED, data, |at, part| {
            let tweak = Self::stepped(tweak, step, at);
            clean(part.len(), || {
                part.each(
                    |to| kernel.call_in_place(to, key, tweak, step),
                    |to, from| kernel.call(to, from, key, tweak, step),
                );
            });
        });
    }

    /// The tweak of the block `at` bytes later.
    fn stepped([lower, upper]: [u64; 2], step: u64, at: usize) -> [u64; 2] {
        let blocks = (at / Self::BLOCK) as u64;
        [lower.wrapping_add(step.wrapping_mul(blocks)), upper]
    }

    /// Encrypts blocks in a chain (CBC): each is xored with the one before, the first with `iv`, and encrypted.
    ///
    /// # Panics
    /// If `iv` is not a block, or `data` not whole blocks.
    ///
    /// ```
    /// use carrysave_symmetric::threefish::Threefish256;
    /// let cipher = Threefish256::new(&[7; 32]);
    /// let mut text = *b"attack at dawn; retreat at dusk.";
    /// cipher.cbc_encrypt([0, 0], &[1; 32], &mut text);
    /// cipher.cbc_decrypt([0, 0], &[1; 32], &mut text);
    /// assert_eq!(&text, b"attack at dawn; retreat at dusk.");
    /// ```
    pub fn cbc_encrypt(&self, tweak: [u64; 2], iv: &[u8], data: &mut [u8]) {
        assert!(iv.len() == Self::BLOCK && data.len().is_multiple_of(Self::BLOCK));
        if data.is_empty() {
            return;
        }
        let mut before = [0; W];
        read_words(&mut before, iv);
        let kernel = &self.kernels.cbc_encrypt;
        off_stack::<4096, _>(|| kernel.call_in_place(data, &self.key, tweak, &before));
    }

    /// Decrypts a chain of blocks.
    ///
    /// # Panics
    /// If `iv` is not a block, or `data` not whole blocks.
    pub fn cbc_decrypt(&self, tweak: [u64; 2], iv: &[u8], data: &mut [u8]) {
        self.cbc_decrypt_on(&Serial, tweak, iv, data);
    }

    /// Decrypts a chain of blocks (CBC), on the threads of a team from 256 KiB on.
    ///
    /// # Panics
    /// If `iv` is not a block, or `data` not whole blocks.
    pub fn cbc_decrypt_on<'a>(
        &self,
        team: &dyn Team,
        tweak: [u64; 2],
        iv: &[u8],
        data: impl Into<Text<'a>>,
    ) {
        assert_eq!(iv.len(), Self::BLOCK);
        let (kernel, key) = (&self.kernels.decrypt, &self.key);
        share::chain(team, SHARED, iv, data.into(), |before, part| {
            clean(part.len(), || {
                part.each(
                    |to| {
                        let blocks = [before, &to[..to.len() - Self::BLOCK]].concat();
                        kernel.call_in_place(to, key, tweak, 0);
                        xor(to, &blocks);
                    },
                    |to, from| {
                        kernel.call(to, from, key, tweak, 0);
                        let (first, rest) = to.split_at_mut(Self::BLOCK);
                        xor(first, before);
                        xor(rest, from);
                    },
                );
            });
        });
    }

    /// Xors `data` with the keystream of counter mode from byte `position` on: encrypts and decrypts.
    ///
    /// The stream is the encrypted counters `counter`, `counter + 1`, ..., where the lowest word counts modulo 2^64 and
    /// the others are a nonce. A counter must never be used twice with a key and a tweak.
    ///
    /// # Panics
    /// If the end of the data is beyond the position 2^64 - 1.
    ///
    /// ```
    /// use carrysave_symmetric::threefish::Threefish256;
    /// let cipher = Threefish256::new(&[7; 32]);
    /// let counter = [0, 1, 2, 3];
    /// let (mut whole, mut parts) = ([0; 1000], [0; 1000]);
    /// cipher.apply_ctr([0, 0], counter, 0, &mut whole);
    /// let (first, rest) = parts.split_at_mut(77);
    /// cipher.apply_ctr([0, 0], counter, 77, rest);
    /// cipher.apply_ctr([0, 0], counter, 0, first);
    /// assert_eq!(whole, parts);
    /// ```
    pub fn apply_ctr(&self, tweak: [u64; 2], counter: [u64; W], position: u64, data: &mut [u8]) {
        self.apply_ctr_on(&Serial, tweak, counter, position, data);
    }

    /// Xors `data` with the stream of [`apply_ctr`](Self::apply_ctr), on the threads of a team from 256 KiB on.
    ///
    /// # Panics
    /// If the end of the data is beyond the position 2^64 - 1.
    pub fn apply_ctr_on<'a>(
        &self,
        team: &dyn Team,
        tweak: [u64; 2],
        counter: [u64; W],
        position: u64,
        data: impl Into<Text<'a>>,
    ) {
        let data = data.into();
        assert!(position.checked_add(data.len() as u64).is_some());
        share::bytes(team, SHARED, data, |at, part| {
            clean(part.len(), || {
                self.apply_from(tweak, counter, position + at as u64, part)
            });
        });
    }

    fn apply_from(&self, tweak: [u64; 2], mut counter: [u64; W], position: u64, data: Text<'_>) {
        let block = Self::BLOCK as u64;
        counter[0] = counter[0].wrapping_add(position / block);
        let skip = (position % block) as usize;
        let head = match skip {
            0 => 0,
            _ => data.len().min(Self::BLOCK - skip),
        };
        let (head, rest) = data.split_at(head);
        if !head.is_empty() {
            self.apply_part(tweak, &counter, skip, head.moved());
            counter[0] = counter[0].wrapping_add(1);
        }
        let whole = rest.len() - rest.len() % Self::BLOCK;
        let (rest, tail) = rest.split_at(whole);
        if !rest.is_empty() {
            let (kernel, key) = (&self.kernels.ctr, &self.key);
            rest.each(
                |to| kernel.call_in_place(to, key, tweak, &counter),
                |to, from| kernel.call(to, from, key, tweak, &counter),
            );
            counter[0] = counter[0].wrapping_add(whole as u64 / block);
        }
        if !tail.is_empty() {
            self.apply_part(tweak, &counter, 0, tail.moved());
        }
    }

    /// The keystream of one counter from byte `skip` on.
    fn apply_part(&self, tweak: [u64; 2], counter: &[u64; W], skip: usize, data: &mut [u8]) {
        let mut block = Zeroizing::new([0; 128]);
        let block = &mut block[..Self::BLOCK];
        block[skip..][..data.len()].copy_from_slice(data);
        let kernel = &self.kernels.ctr;
        kernel.call_in_place(block, &self.key, tweak, counter);
        data.copy_from_slice(&block[skip..][..data.len()]);
    }
}

impl<const W: usize> fmt::Debug for Threefish<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Threefish-{} with a secret key", 64 * W)
    }
}

fn xor(data: &mut [u8], other: &[u8]) {
    for (byte, other) in data.iter_mut().zip(other) {
        *byte ^= other;
    }
}

/// The first words, of eight bytes each.
pub(crate) fn read_words(words: &mut [Limb], bytes: &[u8]) {
    for (word, bytes) in words.iter_mut().zip(bytes.chunks(8)) {
        *word = Limb::from_le_bytes(bytes.try_into().expect("eight bytes"));
    }
}
