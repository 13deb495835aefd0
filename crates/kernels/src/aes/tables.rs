//! Rounds by tables: a byte gives what its whole column becomes (Daemen, Rijmen, The Design of Rijndael, 4.2).
//!
//! The bytes of the state are addresses, which shows in the cache: for comparison only, never for secrets.

use super::Block;
use crate::Limb;

/// Four bytes of the state, one of each row, the first in the lowest byte.
type Column = u32;

/// The S-box, alone and multiplied into the column that a byte contributes to: one table for each row.
pub(super) struct Tables {
    sub: [u8; 256],
    mixed: [[Column; 256]; 4],
}

pub(super) static ENCRYPT: Tables = Tables::new(&SBOX, [2, 1, 1, 3]);
pub(super) static DECRYPT: Tables = Tables::new(&INV_SBOX, [14, 9, 13, 11]);

/// The product in GF(2^8).
const fn times(a: u8, mut b: u8) -> u8 {
    let (mut a, mut product) = (a, 0);
    while b > 0 {
        if b & 1 == 1 {
            product ^= a;
        }
        a = (a << 1) ^ ((a >> 7) * 0x1b);
        b >>= 1;
    }
    product
}

const SBOX: [u8; 256] = {
    let mut sbox = [0; 256];
    // x runs through the powers of 3, which are all but 0, and y through those of its inverse, 0xf6.
    let (mut x, mut y) = (1, 1);
    loop {
        let y_1: u8 = y;
        let affine =
            y_1 ^ y_1.rotate_left(1) ^ y_1.rotate_left(2) ^ y_1.rotate_left(3) ^ y_1.rotate_left(4);
        sbox[x as usize] = affine ^ 0x63;
        (x, y) = (times(x, 3), times(y, 0xf6));
        if x == 1 {
            break;
        }
    }
    sbox[0] = 0x63;
    sbox
};

const INV_SBOX: [u8; 256] = {
    let mut inverse = [0; 256];
    let mut i = 0;
    while i < 256 {
        inverse[SBOX[i] as usize] = i as u8;
        i += 1;
    }
    inverse
};

impl Tables {
    /// By the first column of the matrix that mixes.
    const fn new(sub: &[u8; 256], matrix: [u8; 4]) -> Tables {
        let mut mixed = [[0; 256]; 4];
        let mut i = 0;
        while i < 256 {
            let x = sub[i];
            let column = [
                times(x, matrix[0]),
                times(x, matrix[1]),
                times(x, matrix[2]),
                times(x, matrix[3]),
            ];
            let mut row = 0;
            while row < 4 {
                mixed[row][i] = Column::from_le_bytes(column).rotate_left(8 * row as u32);
                row += 1;
            }
            i += 1;
        }
        Tables { sub: *sub, mixed }
    }

    /// `steps` columns to the right stands the byte of the next row that moves into a column.
    #[inline(always)]
    fn round(&self, state: [Column; 4], steps: usize, key: [Column; 4]) -> [Column; 4] {
        core::array::from_fn(|i| {
            let byte = |row: usize| (state[(i + row * steps) % 4] >> (8 * row)) as u8 as usize;
            let [a, b, c, d] = &self.mixed;
            key[i] ^ a[byte(0)] ^ b[byte(1)] ^ c[byte(2)] ^ d[byte(3)]
        })
    }

    /// The last round does not mix.
    #[inline(always)]
    fn last_round(&self, state: [Column; 4], steps: usize, key: [Column; 4]) -> [Column; 4] {
        core::array::from_fn(|i| {
            let byte =
                |row: usize| self.sub[(state[(i + row * steps) % 4] >> (8 * row)) as u8 as usize];
            key[i] ^ Column::from_le_bytes([byte(0), byte(1), byte(2), byte(3)])
        })
    }

    /// n blocks, each by itself; rows move by `steps`, which is 1 in encryption and 3 in decryption.
    ///
    /// # Safety
    /// The contract of `aes_encrypt`, or of `aes_decrypt`.
    #[inline(always)]
    pub(super) unsafe fn blocks(
        &self,
        steps: usize,
        r: *mut Limb,
        x: *const Limb,
        keys: *const Limb,
        n: usize,
        m: usize,
    ) {
        let (r, x) = (r.cast::<Block>(), x.cast::<Block>());
        // SAFETY: the same contract: there are n blocks and m + 1 round keys at any address.
        unsafe {
            let key = |i: usize| columns(keys.cast::<Block>().add(i).read_unaligned());
            for i in 0..n {
                let (block, first) = (columns(x.add(i).read_unaligned()), key(0));
                let mut state = core::array::from_fn(|i| block[i] ^ first[i]);
                for k in 1..m {
                    state = self.round(state, steps, key(k));
                }
                let state = self
                    .last_round(state, steps, key(m))
                    .map(Column::to_le_bytes);
                let block: Block = core::array::from_fn(|i| state[i / 4][i % 4]);
                r.add(i).write_unaligned(block);
            }
        }
    }
}

#[inline(always)]
fn columns(block: Block) -> [Column; 4] {
    core::array::from_fn(|i| {
        Column::from_le_bytes([
            block[4 * i],
            block[4 * i + 1],
            block[4 * i + 2],
            block[4 * i + 3],
        ])
    })
}
