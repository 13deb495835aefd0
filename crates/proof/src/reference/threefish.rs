//! Threefish as its paper defines it: Ferguson et al., The Skein Hash Function Family, version 1.3, section 3.3.

use carrysave_kernels::Limb;

/// Table 3, the permutations pi(i), for blocks of 4, 8 and 16 words.
const PI: [&[usize]; 3] = [
    &[0, 3, 2, 1],
    &[2, 1, 4, 7, 6, 5, 0, 3],
    &[0, 9, 2, 13, 6, 11, 4, 15, 10, 7, 12, 3, 14, 5, 8, 1],
];

/// Table 4, the rotations R(d, j), d by row.
const R: [[&[u32]; 8]; 3] = [
    [
        &[14, 16],
        &[52, 57],
        &[23, 40],
        &[5, 37],
        &[25, 33],
        &[46, 12],
        &[58, 22],
        &[32, 32],
    ],
    [
        &[46, 36, 19, 37],
        &[33, 27, 14, 42],
        &[17, 49, 36, 39],
        &[44, 9, 54, 56],
        &[39, 30, 34, 24],
        &[13, 50, 10, 17],
        &[25, 29, 39, 43],
        &[8, 35, 56, 22],
    ],
    [
        &[24, 13, 8, 47, 8, 17, 22, 37],
        &[38, 19, 10, 55, 49, 18, 23, 52],
        &[33, 4, 51, 13, 34, 41, 59, 17],
        &[5, 20, 48, 41, 47, 28, 16, 25],
        &[41, 9, 37, 31, 12, 47, 44, 30],
        &[16, 34, 56, 51, 4, 53, 42, 41],
        &[31, 44, 47, 46, 19, 42, 44, 25],
        &[9, 48, 35, 52, 23, 31, 37, 20],
    ],
];

/// Table 4 of version 1.1, for blocks of 4 words.
pub(super) const R_V1_1: [&[u32]; 8] = [
    &[5, 56],
    &[36, 28],
    &[13, 46],
    &[58, 44],
    &[26, 20],
    &[53, 35],
    &[11, 42],
    &[59, 50],
];

/// The sum modulo 2^64, and the difference.
fn add(a: Limb, b: Limb) -> Limb {
    (u128::from(a) + u128::from(b)) as Limb
}
fn sub(a: Limb, b: Limb) -> Limb {
    ((1 << 64 | u128::from(a)) - u128::from(b)) as Limb
}

/// The row of the tables, and N_r.
fn size(words: usize) -> (usize, usize) {
    match words {
        4 => (0, 72),
        8 => (1, 72),
        16 => (2, 80),
        _ => panic!("Threefish has no blocks of {words} words"),
    }
}

/// The key schedule, all of it: subkey s, word i. `key` is K and its parity.
fn subkeys(key: &[Limb], t: [Limb; 2]) -> Vec<Vec<Limb>> {
    let n = key.len() - 1;
    let t = [t[0], t[1], t[0] ^ t[1]];
    let word = |s: usize, i: usize| {
        let k = key[(s + i) % (n + 1)];
        match i {
            _ if i == n - 3 => add(k, t[s % 3]),
            _ if i == n - 2 => add(k, t[(s + 1) % 3]),
            _ if i == n - 1 => add(k, s as Limb),
            _ => k,
        }
    };
    (0..=size(n).1 / 4)
        .map(|s| (0..n).map(|i| word(s, i)).collect())
        .collect()
}

pub(super) fn encrypt(key: &[Limb], t: [Limb; 2], block: &[Limb]) -> Vec<Limb> {
    encrypt_by(&R[size(block.len()).0], key, t, block)
}

/// By these rotations.
pub(super) fn encrypt_by(
    rotations: &[&[u32]; 8],
    key: &[Limb],
    t: [Limb; 2],
    block: &[Limb],
) -> Vec<Limb> {
    let (row, rounds) = size(block.len());
    let subkeys = subkeys(key, t);
    let with_subkey = |v: &[Limb], s: usize| -> Vec<Limb> {
        v.iter()
            .zip(&subkeys[s])
            .map(|(v, k)| add(*v, *k))
            .collect()
    };
    let mut v = block.to_vec();
    for d in 0..rounds {
        let e = if d % 4 == 0 {
            with_subkey(&v, d / 4)
        } else {
            v
        };
        let mut f = vec![];
        for (j, pair) in e.chunks(2).enumerate() {
            let y = add(pair[0], pair[1]);
            f.extend([y, pair[1].rotate_left(rotations[d % 8][j]) ^ y]);
        }
        v = PI[row].iter().map(|&i| f[i]).collect();
    }
    with_subkey(&v, rounds / 4)
}

pub(super) fn decrypt(key: &[Limb], t: [Limb; 2], block: &[Limb]) -> Vec<Limb> {
    decrypt_by(&R[size(block.len()).0], key, t, block)
}

/// By these rotations.
pub(super) fn decrypt_by(
    rotations: &[&[u32]; 8],
    key: &[Limb],
    t: [Limb; 2],
    block: &[Limb],
) -> Vec<Limb> {
    let (row, rounds) = size(block.len());
    let subkeys = subkeys(key, t);
    let without_subkey = |v: &[Limb], s: usize| -> Vec<Limb> {
        v.iter()
            .zip(&subkeys[s])
            .map(|(v, k)| sub(*v, *k))
            .collect()
    };
    let mut v = without_subkey(block, rounds / 4);
    for d in (0..rounds).rev() {
        let mut f = vec![0; v.len()];
        for (i, &from) in PI[row].iter().enumerate() {
            f[from] = v[i];
        }
        for (j, pair) in f.chunks_mut(2).enumerate() {
            let x = (pair[0] ^ pair[1]).rotate_right(rotations[d % 8][j]);
            (pair[0], pair[1]) = (sub(pair[0], x), x);
        }
        v = if d % 4 == 0 {
            without_subkey(&f, d / 4)
        } else {
            f
        };
    }
    v
}
