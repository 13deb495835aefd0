//! Four blocks in plain Rust, bit by bit: a plane holds the same bit of all 64 bytes.
//!
//! Bit 16 row + 4 column + block of a plane is of that byte of the state. The rows are never shifted: after t rounds the
//! state stands t shifts of rows behind, which the mixing of columns allows for (fixslicing: Adomnicai, Peyrin, ePrint
//! 2020/1123), and so do the round keys, once they are sliced.

use super::{Block, MAX_ROUNDS};
use crate::{Limb, wipe};

/// Blocks side by side.
pub(super) const LANES: usize = 4;

/// The planes, that of the lowest bit first.
type Planes = [Limb; 8];

/// Each byte of the first column and of the second, one after the other.
fn interleave(columns: [u32; 2]) -> Limb {
    let [a, b] = columns.map(|column| {
        let x = Limb::from(column);
        let x = (x | x << 16) & 0x0000_ffff_0000_ffff;
        (x | x << 8) & 0x00ff_00ff_00ff_00ff
    });
    a | b << 8
}

/// The inverse.
fn part(word: Limb) -> [u32; 2] {
    [word, word >> 8].map(|x| {
        let x = x & 0x00ff_00ff_00ff_00ff;
        let x = (x | x >> 8) & 0x0000_ffff_0000_ffff;
        (x | x >> 16) as u32
    })
}

/// Exchanges bit b of byte i of word j with bit j of byte i of word b.
fn transpose(words: &mut Planes) {
    let exchange = |words: &mut Planes, step: usize, mask: Limb| {
        for i in (0..8).filter(|i| i & step == 0) {
            let moved = (words[i] >> step ^ words[i + step]) & mask;
            words[i + step] ^= moved;
            words[i] ^= moved << step;
        }
    };
    exchange(words, 1, 0x5555_5555_5555_5555);
    exchange(words, 2, 0x3333_3333_3333_3333);
    exchange(words, 4, 0x0f0f_0f0f_0f0f_0f0f);
}

fn slice(blocks: &[Block; LANES]) -> Planes {
    let mut planes = [0; 8];
    for (j, block) in blocks.iter().enumerate() {
        let column = |i: usize| {
            let bytes = [
                block[4 * i],
                block[4 * i + 1],
                block[4 * i + 2],
                block[4 * i + 3],
            ];
            u32::from_le_bytes(bytes)
        };
        planes[j] = interleave([column(0), column(2)]);
        planes[LANES + j] = interleave([column(1), column(3)]);
    }
    transpose(&mut planes);
    planes
}

fn unslice(mut planes: Planes) -> [Block; LANES] {
    transpose(&mut planes);
    let mut blocks = [[0; 16]; LANES];
    for (j, block) in blocks.iter_mut().enumerate() {
        let ([a, c], [b, d]) = (part(planes[j]), part(planes[LANES + j]));
        for (bytes, column) in block.chunks_mut(4).zip([a, b, c, d]) {
            bytes.copy_from_slice(&column.to_le_bytes());
        }
    }
    blocks
}

/// Each row rotated to the right by so many columns, the same for all.
#[inline(always)]
fn rotate(x: Limb, columns: usize) -> Limb {
    match columns % 4 {
        0 => x,
        1 => (x >> 4 & 0x0fff_0fff_0fff_0fff) | (x << 12 & 0xf000_f000_f000_f000),
        2 => (x >> 8 & 0x00ff_00ff_00ff_00ff) | (x << 8 & 0xff00_ff00_ff00_ff00),
        _ => (x >> 12 & 0x000f_000f_000f_000f) | (x << 4 & 0xfff0_fff0_fff0_fff0),
    }
}

/// The rows shifted t times.
fn shift_rows(planes: &mut Planes, t: usize) {
    match t % 4 {
        0 => {}
        1 => shifted::<1>(planes),
        2 => shifted::<2>(planes),
        _ => shifted::<3>(planes),
    }
}

/// The rows shifted T times.
#[inline(always)]
fn shifted<const T: usize>(planes: &mut Planes) {
    for plane in planes {
        let x = *plane;
        *plane = x & 0xffff
            | rotate(x, T) & 0xffff << 16
            | rotate(x, 2 * T) & 0xffff << 32
            | rotate(x, 3 * T) & 0xffff << 48;
    }
}

/// The S-box without its constant, by the circuit of Boyar and Peralta (A depth-16 circuit for the AES S-box, ePrint
/// 2011/332), whose names these are.
#[inline(always)]
fn sub_bytes([x7, x6, x5, x4, x3, x2, x1, x0]: Planes) -> Planes {
    let y14 = x3 ^ x5;
    let y13 = x0 ^ x6;
    let y9 = x0 ^ x3;
    let y8 = x0 ^ x5;
    let t0 = x1 ^ x2;
    let y1 = t0 ^ x7;
    let y4 = y1 ^ x3;
    let y12 = y13 ^ y14;
    let y2 = y1 ^ x0;
    let y5 = y1 ^ x6;
    let y3 = y5 ^ y8;
    let t1 = x4 ^ y12;
    let y15 = t1 ^ x5;
    let y20 = t1 ^ x1;
    let y6 = y15 ^ x7;
    let y10 = y15 ^ t0;
    let y11 = y20 ^ y9;
    let y7 = x7 ^ y11;
    let y17 = y10 ^ y11;
    let y19 = y10 ^ y8;
    let y16 = t0 ^ y11;
    let y21 = y13 ^ y16;
    let y18 = x0 ^ y16;

    let t2 = y12 & y15;
    let t3 = y3 & y6;
    let t4 = t3 ^ t2;
    let t5 = y4 & x7;
    let t6 = t5 ^ t2;
    let t7 = y13 & y16;
    let t8 = y5 & y1;
    let t9 = t8 ^ t7;
    let t10 = y2 & y7;
    let t11 = t10 ^ t7;
    let t12 = y9 & y11;
    let t13 = y14 & y17;
    let t14 = t13 ^ t12;
    let t15 = y8 & y10;
    let t16 = t15 ^ t12;
    let t17 = t4 ^ t14;
    let t18 = t6 ^ t16;
    let t19 = t9 ^ t14;
    let t20 = t11 ^ t16;
    let t21 = t17 ^ y20;
    let t22 = t18 ^ y19;
    let t23 = t19 ^ y21;
    let t24 = t20 ^ y18;
    let t25 = t21 ^ t22;
    let t26 = t21 & t23;
    let t27 = t24 ^ t26;
    let t28 = t25 & t27;
    let t29 = t28 ^ t22;
    let t30 = t23 ^ t24;
    let t31 = t22 ^ t26;
    let t32 = t31 & t30;
    let t33 = t32 ^ t24;
    let t34 = t23 ^ t33;
    let t35 = t27 ^ t33;
    let t36 = t24 & t35;
    let t37 = t36 ^ t34;
    let t38 = t27 ^ t36;
    let t39 = t29 & t38;
    let t40 = t25 ^ t39;
    let t41 = t40 ^ t37;
    let t42 = t29 ^ t33;
    let t43 = t29 ^ t40;
    let t44 = t33 ^ t37;
    let t45 = t42 ^ t41;

    let z0 = t44 & y15;
    let z1 = t37 & y6;
    let z2 = t33 & x7;
    let z3 = t43 & y16;
    let z4 = t40 & y1;
    let z5 = t29 & y7;
    let z6 = t42 & y11;
    let z7 = t45 & y17;
    let z8 = t41 & y10;
    let z9 = t44 & y12;
    let z10 = t37 & y3;
    let z11 = t33 & y4;
    let z12 = t43 & y13;
    let z13 = t40 & y5;
    let z14 = t29 & y2;
    let z15 = t42 & y9;
    let z16 = t45 & y14;
    let z17 = t41 & y8;

    let t46 = z15 ^ z16;
    let t47 = z10 ^ z11;
    let t48 = z5 ^ z13;
    let t49 = z9 ^ z10;
    let t50 = z2 ^ z12;
    let t51 = z2 ^ z5;
    let t52 = z7 ^ z8;
    let t53 = z0 ^ z3;
    let t54 = z6 ^ z7;
    let t55 = z16 ^ z17;
    let t56 = z12 ^ t48;
    let t57 = t50 ^ t53;
    let t58 = z4 ^ t46;
    let t59 = z3 ^ t54;
    let t60 = t46 ^ t57;
    let t61 = z14 ^ t57;
    let t62 = t52 ^ t58;
    let t63 = t49 ^ t58;
    let t64 = z4 ^ t59;
    let t65 = t61 ^ t62;
    let t66 = z1 ^ t63;
    let s0 = t59 ^ t63;
    let s6 = t56 ^ t62;
    let s7 = t48 ^ t60;
    let t67 = t64 ^ t65;
    let s3 = t53 ^ t66;
    let s4 = t51 ^ t66;
    let s5 = t47 ^ t65;
    let s1 = t64 ^ s3;
    let s2 = t55 ^ t67;
    [s7, s6, s5, s4, s3, s2, s1, s0]
}

/// The constant of the S-box, 0x63, for every byte.
#[inline(always)]
fn add_constant(mut x: Planes) -> Planes {
    for bit in [0, 1, 5, 6] {
        x[bit] = !x[bit];
    }
    x
}

/// The inverse of the affine map of the S-box, without its constant.
#[inline(always)]
fn inverse_affine(x: Planes) -> Planes {
    core::array::from_fn(|i| x[(i + 2) % 8] ^ x[(i + 5) % 8] ^ x[(i + 7) % 8])
}

/// The inverse of the S-box: inversion is its own inverse, so the S-box between two inverse affine maps.
#[inline(always)]
fn inv_sub_bytes(x: Planes) -> Planes {
    let inner = add_constant(sub_bytes(inverse_affine(add_constant(x))));
    inverse_affine(add_constant(inner))
}

/// For each byte the one below in its column, where the rows stand t shifts behind.
#[inline(always)]
fn below(x: Limb, t: usize) -> Limb {
    rotate(x.rotate_right(16), t)
}

/// For each byte the one two below.
#[inline(always)]
fn two_below(x: Limb, t: usize) -> Limb {
    rotate(x.rotate_right(32), 2 * t)
}

/// The columns mixed: twice (a plus the one below), the one below, and those two and three below.
#[inline(always)]
fn mix_columns(x: Planes, t: usize) -> Planes {
    let next = x.map(|plane| below(plane, t));
    let sum: Planes = core::array::from_fn(|i| x[i] ^ next[i]);
    core::array::from_fn(|i| {
        let double = match i {
            0 => sum[7],
            1 | 3 | 4 => sum[i - 1] ^ sum[7],
            _ => sum[i - 1],
        };
        double ^ next[i] ^ two_below(sum[i], t)
    })
}

/// The inverse: first four times (a plus the one two below) is added.
#[inline(always)]
fn inv_mix_columns(x: Planes, t: usize) -> Planes {
    let v: Planes = core::array::from_fn(|i| x[i] ^ two_below(x[i], t));
    let four = [
        v[6],
        v[6] ^ v[7],
        v[0] ^ v[7],
        v[1] ^ v[6],
        v[2] ^ v[6] ^ v[7],
        v[3] ^ v[7],
        v[4],
        v[5],
    ];
    mix_columns(core::array::from_fn(|i| x[i] ^ four[i]), t)
}

#[inline(always)]
fn add(x: Planes, key: &Planes) -> Planes {
    core::array::from_fn(|i| x[i] ^ key[i])
}

/// How far behind the rows stand after round i.
const fn behind(i: usize, decrypt: bool) -> usize {
    if decrypt { 3 * i % 4 } else { i % 4 }
}

/// Round keys in planes.
pub(super) struct Keys<const DECRYPT: bool> {
    keys: [Planes; MAX_ROUNDS + 1],
    rounds: usize,
}

impl<const DECRYPT: bool> Keys<DECRYPT> {
    /// # Safety
    /// There are `rounds` + 1 blocks at `keys`, and not more than [`MAX_ROUNDS`].
    pub(super) unsafe fn read(keys: *const Limb, rounds: usize) -> Self {
        let mut sliced = [[0; 8]; MAX_ROUNDS + 1];
        for (i, planes) in sliced[..=rounds].iter_mut().enumerate() {
            // SAFETY: as the caller says.
            let key = unsafe { keys.cast::<Block>().add(i).read_unaligned() };
            *planes = slice(&[key; LANES]);
            if i < rounds {
                // Back as far as the state stands behind.
                shift_rows(planes, 4 - behind(i, DECRYPT));
            }
        }
        Keys {
            keys: sliced,
            rounds,
        }
    }

    /// The blocks encrypted, or decrypted.
    pub(super) fn apply(&self, blocks: &mut [Block; LANES]) {
        let [first, rest @ ..] = &self.keys[..=self.rounds] else {
            unreachable!("there are round keys")
        };
        let (last, rest) = rest.split_last().expect("there is a round");
        let mut x = add(slice(blocks), first);
        // Four rounds a turn, so that the rotations of each are constants.
        for keys in rest.chunks(4) {
            x = Self::round(x, behind(1, DECRYPT), &keys[0]);
            if let Some(key) = keys.get(1) {
                x = Self::round(x, behind(2, DECRYPT), key);
            }
            if let Some(key) = keys.get(2) {
                x = Self::round(x, behind(3, DECRYPT), key);
            }
            if let Some(key) = keys.get(3) {
                x = Self::round(x, 0, key);
            }
        }
        x = Self::substituted(x);
        shift_rows(&mut x, behind(self.rounds, DECRYPT));
        *blocks = unslice(add(x, last));
    }

    #[inline(always)]
    fn substituted(x: Planes) -> Planes {
        match DECRYPT {
            true => inv_sub_bytes(x),
            false => add_constant(sub_bytes(x)),
        }
    }

    #[inline(always)]
    fn round(x: Planes, t: usize, key: &Planes) -> Planes {
        let x = Self::substituted(x);
        let x = match DECRYPT {
            true => inv_mix_columns(x, t),
            false => mix_columns(x, t),
        };
        add(x, key)
    }
}

impl<const DECRYPT: bool> Drop for Keys<DECRYPT> {
    fn drop(&mut self) {
        wipe(&mut self.keys, [0; 8]);
    }
}

/// Up to four blocks, and zeros.
///
/// # Safety
/// There are `count` blocks at x, not more than four.
pub(super) unsafe fn read(x: *const Limb, count: usize) -> [Block; LANES] {
    let mut blocks = [[0; 16]; LANES];
    for (i, block) in blocks[..count].iter_mut().enumerate() {
        // SAFETY: as the caller says.
        *block = unsafe { x.cast::<Block>().add(i).read_unaligned() };
    }
    blocks
}

/// Writes the first blocks.
///
/// # Safety
/// There is room for `count` blocks at r, not more than four.
pub(super) unsafe fn write(r: *mut Limb, blocks: &[Block; LANES], count: usize) {
    for (i, block) in blocks[..count].iter().enumerate() {
        // SAFETY: as the caller says.
        unsafe { r.cast::<Block>().add(i).write_unaligned(*block) };
    }
}

/// The blocks xored.
pub(super) fn xor(a: &Block, b: &Block) -> Block {
    core::array::from_fn(|i| a[i] ^ b[i])
}
