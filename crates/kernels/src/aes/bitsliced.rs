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

/// Rows moved up by R, and each rotated to the right by `columns`.
#[inline(always)]
fn rotate<const R: u32>(x: Limb, columns: usize) -> Limb {
    /// The columns that do not leave their row.
    const STAY: [Limb; 4] = [
        !0,
        0x0fff_0fff_0fff_0fff,
        0x00ff_00ff_00ff_00ff,
        0x000f_000f_000f_000f,
    ];
    let (stay, columns) = (STAY[columns % 4], columns as u32 % 4);
    let near = x.rotate_right(16 * R + 4 * columns);
    let far = x.rotate_right(16 * (R + 3) + 4 * columns);
    near & stay | far & !stay
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
            | rotate::<0>(x, T) & 0xffff << 16
            | rotate::<0>(x, 2 * T) & 0xffff << 32
            | rotate::<0>(x, 3 * T) & 0xffff << 48;
    }
}

/// Sums of a byte's bits: the factors of the products.
type Sums = [Limb; 22];

/// Products, which sum to the bits of the result.
type Products = [Limb; 18];

/// The S-box without its constant, by the circuit of Boyar and Peralta (A depth-16 circuit for the AES S-box, ePrint
/// 2011/332), whose names these are, but for y0: they call it x7.
#[inline(always)]
fn sub_bytes([y0, x6, x5, x4, x3, x2, x1, x0]: Planes) -> Planes {
    let y14 = x3 ^ x5;
    let y13 = x0 ^ x6;
    let y9 = x0 ^ x3;
    let y8 = x0 ^ x5;
    let t0 = x1 ^ x2;
    let y1 = t0 ^ y0;
    let y4 = y1 ^ x3;
    let y12 = y13 ^ y14;
    let y2 = y1 ^ x0;
    let y5 = y1 ^ x6;
    let y3 = y5 ^ y8;
    let t1 = x4 ^ y12;
    let y15 = t1 ^ x5;
    let y20 = t1 ^ x1;
    let y6 = y15 ^ y0;
    let y10 = y15 ^ t0;
    let y11 = y20 ^ y9;
    let y7 = y0 ^ y11;
    let y17 = y10 ^ y11;
    let y19 = y10 ^ y8;
    let y16 = t0 ^ y11;
    let y21 = y13 ^ y16;
    let y18 = x0 ^ y16;
    let [
        z0,
        z1,
        z2,
        z3,
        z4,
        z5,
        z6,
        z7,
        z8,
        z9,
        z10,
        z11,
        z12,
        z13,
        z14,
        z15,
        z16,
        z17,
    ] = products([
        y0, y1, y2, y3, y4, y5, y6, y7, y8, y9, y10, y11, y12, y13, y14, y15, y16, y17, y18, y19,
        y20, y21,
    ]);
    let t0 = z15 ^ z16;
    let t1 = z10 ^ z11;
    let t2 = z5 ^ z13;
    let t3 = z9 ^ z10;
    let t4 = z2 ^ z12;
    let t5 = z2 ^ z5;
    let t6 = z7 ^ z8;
    let t7 = z0 ^ z3;
    let t8 = z6 ^ z7;
    let t9 = z16 ^ z17;
    let t10 = z12 ^ t2;
    let t11 = t4 ^ t7;
    let t12 = z4 ^ t0;
    let t13 = z3 ^ t8;
    let t14 = t0 ^ t11;
    let t15 = z14 ^ t11;
    let t16 = t6 ^ t12;
    let t17 = t3 ^ t12;
    let t18 = z4 ^ t13;
    let t19 = t15 ^ t16;
    let t20 = z1 ^ t17;
    let s0 = t13 ^ t17;
    let s6 = t10 ^ t16;
    let s7 = t2 ^ t14;
    let t21 = t18 ^ t19;
    let s3 = t7 ^ t20;
    let s4 = t5 ^ t20;
    let s5 = t1 ^ t19;
    let s1 = t18 ^ s3;
    let s2 = t9 ^ t21;
    [s7, s6, s5, s4, s3, s2, s1, s0]
}

/// The inverse of the S-box, for bytes to which its constant was added: the same products between other sums, found by
/// a search (Boyar, Matthews, Peralta, Logic minimization techniques, J. Cryptology 26(2), 2013).
#[inline(always)]
fn inv_sub_bytes([x7, x6, x5, x4, x3, x2, x1, x0]: Planes) -> Planes {
    let y3 = x3 ^ x0;
    let y5 = x3 ^ x1;
    let y6 = x1 ^ y3;
    let y8 = x3 ^ y6;
    let y9 = x4 ^ x3;
    let y1 = x7 ^ y9;
    let y10 = y6 ^ y1;
    let y13 = x6 ^ y1;
    let y2 = y5 ^ y13;
    let y4 = y9 ^ y2;
    let y7 = x2 ^ y4;
    let y12 = y3 ^ y4;
    let y14 = x4 ^ y6;
    let y16 = y1 ^ y7;
    let y18 = x2 ^ y9;
    let y19 = x7 ^ x4;
    let y21 = x6 ^ y7;
    let t0 = x5 ^ x0;
    let y0 = x2 ^ t0;
    let y11 = y4 ^ t0;
    let y15 = y6 ^ y0;
    let y17 = y10 ^ y11;
    let y20 = y9 ^ y11;
    let [
        z0,
        z1,
        z2,
        z3,
        z4,
        z5,
        z6,
        z7,
        z8,
        z9,
        z10,
        z11,
        z12,
        z13,
        z14,
        z15,
        z16,
        z17,
    ] = products([
        y0, y1, y2, y3, y4, y5, y6, y7, y8, y9, y10, y11, y12, y13, y14, y15, y16, y17, y18, y19,
        y20, y21,
    ]);
    let t0 = z6 ^ z15;
    let t1 = z12 ^ t0;
    let t2 = z16 ^ t1;
    let t3 = z13 ^ t2;
    let t4 = z8 ^ t3;
    let t5 = z2 ^ t4;
    let s4 = z0 ^ t5;
    let t6 = z3 ^ z4;
    let t7 = z5 ^ t4;
    let s7 = z3 ^ t7;
    let t8 = z1 ^ t6;
    let t9 = z14 ^ t5;
    let t10 = z9 ^ z17;
    let t11 = z10 ^ t8;
    let t12 = t9 ^ t11;
    let t13 = z7 ^ t3;
    let s1 = t6 ^ t13;
    let t14 = z16 ^ t10;
    let t15 = z11 ^ t12;
    let s5 = z13 ^ t15;
    let t16 = z0 ^ t8;
    let s2 = s7 ^ t16;
    let t17 = z11 ^ z15;
    let s0 = t10 ^ t17;
    let t18 = z12 ^ t14;
    let s6 = t12 ^ t18;
    let t19 = z14 ^ z16;
    let t20 = s1 ^ t19;
    let t21 = z17 ^ s2;
    let t22 = t15 ^ t21;
    let s3 = t20 ^ t22;
    [s0, s1, s2, s3, s4, s5, s6, s7]
}

/// The inversion in between.
#[inline(always)]
fn products(
    [
        y0,
        y1,
        y2,
        y3,
        y4,
        y5,
        y6,
        y7,
        y8,
        y9,
        y10,
        y11,
        y12,
        y13,
        y14,
        y15,
        y16,
        y17,
        y18,
        y19,
        y20,
        y21,
    ]: Sums,
) -> Products {
    let t0 = y12 & y15;
    let t1 = y3 & y6;
    let t2 = t1 ^ t0;
    let t3 = y4 & y0;
    let t4 = t3 ^ t0;
    let t5 = y13 & y16;
    let t6 = y5 & y1;
    let t7 = t6 ^ t5;
    let t8 = y2 & y7;
    let t9 = t8 ^ t5;
    let t10 = y9 & y11;
    let t11 = y14 & y17;
    let t12 = t11 ^ t10;
    let t13 = y8 & y10;
    let t14 = t13 ^ t10;
    let t15 = t2 ^ t12;
    let t16 = t4 ^ t14;
    let t17 = t7 ^ t12;
    let t18 = t9 ^ t14;
    let t19 = t15 ^ y20;
    let t20 = t16 ^ y19;
    let t21 = t17 ^ y21;
    let t22 = t18 ^ y18;
    let t23 = t19 ^ t20;
    let t24 = t19 & t21;
    let t25 = t22 ^ t24;
    let t26 = t23 & t25;
    let t27 = t26 ^ t20;
    let t28 = t21 ^ t22;
    let t29 = t20 ^ t24;
    let t30 = t29 & t28;
    let t31 = t30 ^ t22;
    let t32 = t21 ^ t31;
    let t33 = t25 ^ t31;
    let t34 = t22 & t33;
    let t35 = t34 ^ t32;
    let t36 = t25 ^ t34;
    let t37 = t27 & t36;
    let t38 = t23 ^ t37;
    let t39 = t38 ^ t35;
    let t40 = t27 ^ t31;
    let t41 = t27 ^ t38;
    let t42 = t31 ^ t35;
    let t43 = t40 ^ t39;
    let z0 = t42 & y15;
    let z1 = t35 & y6;
    let z2 = t31 & y0;
    let z3 = t41 & y16;
    let z4 = t38 & y1;
    let z5 = t27 & y7;
    let z6 = t40 & y11;
    let z7 = t43 & y17;
    let z8 = t39 & y10;
    let z9 = t42 & y12;
    let z10 = t35 & y3;
    let z11 = t31 & y4;
    let z12 = t41 & y13;
    let z13 = t38 & y5;
    let z14 = t27 & y2;
    let z15 = t40 & y9;
    let z16 = t43 & y14;
    let z17 = t39 & y8;
    [
        z0, z1, z2, z3, z4, z5, z6, z7, z8, z9, z10, z11, z12, z13, z14, z15, z16, z17,
    ]
}

/// The constant of the S-box, 0x63, for every byte.
fn add_constant(planes: &mut Planes) {
    for bit in [0, 1, 5, 6] {
        planes[bit] = !planes[bit];
    }
}

/// For each byte the one below in its column, where the rows stand t shifts behind.
#[inline(always)]
fn below(x: Limb, t: usize) -> Limb {
    rotate::<1>(x, t)
}

/// For each byte the one two below.
#[inline(always)]
fn two_below(x: Limb, t: usize) -> Limb {
    rotate::<2>(x, 2 * t)
}

/// Each byte times 2 in the field of AES.
#[inline(always)]
fn twice(x: Planes) -> Planes {
    let [x0, x1, x2, x3, x4, x5, x6, x7] = x;
    [x7, x0 ^ x7, x1, x2 ^ x7, x3 ^ x7, x4, x5, x6]
}

/// The columns mixed. With y for the one below they are multiplied by 2 + 3y + y^2 + y^3, which is
/// 2 (1 + y) + y + y^2 (1 + y).
#[inline(always)]
fn mix_columns(x: Planes, t: usize) -> Planes {
    let next = x.map(|plane| below(plane, t));
    let sum = add(x, &next);
    let double = twice(sum);
    core::array::from_fn(|i| double[i] ^ next[i] ^ two_below(sum[i], t))
}

/// The inverse: 14 + 11y + 13y^2 + 9y^3, which is d + e (1 + y^2) with d = 1 + 2 (1 + y) and e = 1 + y + 4d.
#[inline(always)]
fn inv_mix_columns(x: Planes, t: usize) -> Planes {
    let sum: Planes = core::array::from_fn(|i| x[i] ^ below(x[i], t));
    let d = add(x, &twice(sum));
    let e = add(sum, &twice(twice(d)));
    core::array::from_fn(|i| d[i] ^ e[i] ^ two_below(e[i], t))
}

#[inline(always)]
fn add(x: Planes, key: &Planes) -> Planes {
    core::array::from_fn(|i| x[i] ^ key[i])
}

/// How far behind the rows stand after round i.
const fn behind(i: usize, decrypt: bool) -> usize {
    if decrypt { 3 * i % 4 } else { i % 4 }
}

/// Round keys in planes, with the constant of the S-box.
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
            // What is between the S-box and a key does not change it.
            let beside = if DECRYPT { i < rounds } else { i > 0 };
            if beside {
                add_constant(planes);
            }
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
            false => sub_bytes(x),
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

/// The bytes of the stack that are overwritten after a call: planes of keys and blocks do not fit registers.
pub(super) const LEFT: usize = 4096;

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
