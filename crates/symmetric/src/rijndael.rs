//! Rijndael with all its block lengths and any number of rounds, for study (Daemen, Rijmen, AES Proposal: Rijndael,
//! version 2, 1999).
//!
//! AES is the subset with blocks of 128 bits, keys of 128, 192 or 256 bits and fixed numbers of rounds: for encryption
//! use [`aes`](crate::aes), which is far faster.

use carrysave_kernels::{
    Cpu,
    aes::{Aes as Kernels, MAX_ROUNDS, encrypt::Encrypt},
    off_stack,
};
use core::fmt;
use zeroize::Zeroizing;

/// Four bytes of the state, one of each row.
type Column = [u8; 4];

/// Blocks that are substituted at once, together whole blocks of AES.
const GROUP: usize = 8;

/// Rijndael with blocks and a key of 16, 20, 24, 28 or 32 bytes each; the key is wiped when it is dropped.
///
/// Each block is encrypted by itself (ECB): equal blocks stay equal.
///
/// ```
/// use carrysave_symmetric::rijndael::Rijndael;
/// let cipher = Rijndael::new(32, &[7; 20]).expect("lengths that there are");
/// assert_eq!(cipher.rounds(), 14);
/// let mut block = *b"a block of twice the usual size!";
/// cipher.encrypt(&mut block);
/// cipher.decrypt(&mut block);
/// assert_eq!(&block, b"a block of twice the usual size!");
/// ```
#[derive(Clone)]
pub struct Rijndael {
    kernels: Kernels,
    /// The columns of a block.
    columns: usize,
    /// The round keys, one after the other.
    keys: Zeroizing<Vec<Column>>,
}

impl Rijndael {
    /// The cipher with blocks of `block` bytes, a key, and the standard number of rounds: 10 to 14, six more than the
    /// words of the longer of both. `None` for other lengths.
    ///
    /// # Timing
    /// Depends on lengths only, as do all methods.
    pub fn new(block: usize, key: &[u8]) -> Option<Rijndael> {
        let rounds = block.max(key.len()) / 4 + 6;
        Rijndael::with_rounds(Cpu::native(), block, key, rounds)
    }

    /// The cipher with blocks of `block` bytes, a key and this many rounds, by kernels that `cpu` can execute. `None`
    /// for other lengths, and unless there are 1 to 16 rounds.
    pub fn with_rounds(cpu: Cpu, block: usize, key: &[u8], rounds: usize) -> Option<Rijndael> {
        let lengths = [16, 20, 24, 28, 32];
        if !lengths.contains(&block)
            || !lengths.contains(&key.len())
            || !(1..=MAX_ROUNDS).contains(&rounds)
        {
            return None;
        }
        let (kernels, columns) = (Kernels::new(cpu), block / 4);
        let keys = off_stack::<2048, _>(|| expand(&kernels.encrypt, key, columns * (rounds + 1)));
        Some(Rijndael {
            kernels,
            columns,
            keys,
        })
    }

    /// The number of rounds.
    pub fn rounds(&self) -> usize {
        self.keys.len() / self.columns - 1
    }

    /// Encrypts each block.
    ///
    /// # Panics
    /// If `data` is not whole blocks.
    pub fn encrypt(&self, data: &mut [u8]) {
        self.groups(data, |state, substituted| {
            self.add_key(state, 0);
            for round in 1..=self.rounds() {
                for (i, row, j) in places(state.len()) {
                    // Kernels shift the rows of four columns; the substituted bytes must end at column i.
                    let from = self.column(i, shift(self.columns, row));
                    substituted[16 * j + 4 * ((i + row) % 4) + row] = state[from][row];
                }
                let kernel = &self.kernels.encrypt;
                kernel.call_in_place(substituted, &[[0; 16]; 2]);
                columns(substituted, state);
                if round < self.rounds() {
                    state.iter_mut().for_each(mix_column);
                }
                self.add_key(state, round);
            }
        });
    }

    /// Decrypts each block.
    ///
    /// # Panics
    /// If `data` is not whole blocks.
    pub fn decrypt(&self, data: &mut [u8]) {
        self.groups(data, |state, substituted| {
            for round in (1..=self.rounds()).rev() {
                self.add_key(state, round);
                if round < self.rounds() {
                    state.iter_mut().for_each(inv_mix_column);
                }
                for (i, row, j) in places(state.len()) {
                    let from = self.column(i, self.columns - shift(self.columns, row));
                    substituted[16 * j + 4 * ((i + 4 - row) % 4) + row] = state[from][row];
                }
                let kernel = &self.kernels.decrypt;
                kernel.call_in_place(substituted, &[[0; 16]; 2]);
                columns(substituted, state);
            }
            self.add_key(state, 0);
        });
    }

    /// Applies `work` to the columns of several blocks at a time, with scratch for as many bytes.
    fn groups(&self, data: &mut [u8], work: impl Fn(&mut [Column], &mut [u8])) {
        let block = 4 * self.columns;
        assert!(
            data.len().is_multiple_of(block),
            "data must be whole blocks"
        );
        let mut state = Zeroizing::new(vec![[0; 4]; GROUP * self.columns]);
        let mut scratch = Zeroizing::new(vec![0; GROUP * block]);
        off_stack::<2048, _>(|| {
            for group in data.chunks_mut(GROUP * block) {
                scratch[..group.len()].copy_from_slice(group);
                columns(&scratch, &mut state);
                work(&mut state, &mut scratch);
                for (bytes, column) in group.chunks_mut(4).zip(&*state) {
                    bytes.copy_from_slice(column);
                }
            }
        });
    }

    /// The column of the same block `right` columns to the right of column i, around the end.
    fn column(&self, i: usize, right: usize) -> usize {
        i - i % self.columns + (i + right) % self.columns
    }

    fn add_key(&self, state: &mut [Column], round: usize) {
        let keys = &self.keys[round * self.columns..][..self.columns];
        for (column, key) in state.iter_mut().zip(keys.iter().cycle()) {
            for (byte, key) in column.iter_mut().zip(key) {
                *byte ^= key;
            }
        }
    }
}

impl fmt::Debug for Rijndael {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (bits, rounds) = (32 * self.columns, self.rounds());
        write!(
            f,
            "Rijndael of {bits} bits and {rounds} rounds with a secret key"
        )
    }
}

/// The number of columns by which a row is shifted to the left (table 2).
fn shift(columns: usize, row: usize) -> usize {
    match (columns, row) {
        (8, 2 | 3) | (7, 3) => row + 1,
        _ => row,
    }
}

/// Each byte of a state: its column, its row, and its block of AES.
fn places(columns: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    (0..columns).flat_map(|i| (0..4).map(move |row| (i, row, i / 4)))
}

fn columns(bytes: &[u8], state: &mut [Column]) {
    for (column, bytes) in state.iter_mut().zip(bytes.chunks(4)) {
        column.copy_from_slice(bytes);
    }
}

/// `MixColumn` (4.2.3), in one word.
fn mix_column(column: &mut Column) {
    let x = u32::from_le_bytes(*column);
    let next = x.rotate_right(8);
    let pair = x ^ next;
    *column = (double(pair) ^ next ^ pair.rotate_right(16)).to_le_bytes();
}

/// Its inverse: first four times (a plus the one two below) is added.
pub(crate) fn inv_mix_column(column: &mut Column) {
    let x = u32::from_le_bytes(*column);
    *column = (x ^ double(double(x ^ x.rotate_right(16)))).to_le_bytes();
    mix_column(column);
}

/// Each byte times x.
fn double(bytes: u32) -> u32 {
    ((bytes & 0x7f7f_7f7f) << 1) ^ ((bytes >> 7 & 0x0101_0101) * 0x1b)
}

/// The key expansion (4.3.1) to `count` words, no fewer than the key has. It leaves words on the stack.
pub(crate) fn expand(kernel: &Encrypt, key: &[u8], count: usize) -> Zeroizing<Vec<Column>> {
    let length = key.len() / 4;
    let mut words = Zeroizing::new(vec![[0; 4]; count]);
    columns(key, &mut words);
    let (mut constant, mut place) = (1, 0);
    for i in length..count {
        let mut word = u32::from_le_bytes(words[i - 1]);
        if place == 0 {
            // The first byte goes to the end.
            word = substitute(kernel, word.rotate_right(8)) ^ constant;
            constant = double(constant);
        } else if length > 6 && place == 4 {
            word = substitute(kernel, word);
        }
        words[i] = (word ^ u32::from_le_bytes(words[i - length])).to_le_bytes();
        place = if place + 1 == length { 0 } else { place + 1 };
    }
    words
}

/// The S-box on each byte: one round with keys of zeros over a state whose columns are equal, so that shifting rows
/// changes nothing.
fn substitute(kernel: &Encrypt, word: u32) -> u32 {
    let mut block = [word.to_le_bytes(); 4];
    let bytes = block.as_flattened_mut();
    kernel.call_in_place(bytes, &[[0; 16]; 2]);
    u32::from_le_bytes(block[0])
}
