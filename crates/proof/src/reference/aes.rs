//! AES as its standard defines it: FIPS 197, byte by byte, the S-box from inverses in GF(2^8).

/// The product in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1 (4.2).
fn mul(a: u8, b: u8) -> u8 {
    let product = (0..8).filter(|i| b >> i & 1 == 1);
    let mut product = product.fold(0u16, |sum, i| sum ^ u16::from(a) << i);
    for i in (8..16).rev() {
        if product >> i & 1 == 1 {
            product ^= 0x11b << (i - 8);
        }
    }
    product as u8
}

/// The S-box (5.1.1): the inverse, and an affine map.
fn s_box(b: u8) -> u8 {
    let inverse = (1..=255).find(|&c| mul(b, c) == 1).unwrap_or(0);
    [1, 2, 3, 4]
        .iter()
        .fold(inverse ^ 0x63, |sum, &i| sum ^ inverse.rotate_left(i))
}

/// The S-box, or its inverse, for all bytes.
fn table(inverse: bool) -> [u8; 256] {
    let mut table = [0; 256];
    for b in 0..=255 {
        let s = s_box(b);
        let (from, to) = if inverse { (s, b) } else { (b, s) };
        table[usize::from(from)] = to;
    }
    table
}

/// Byte (r, c) of the state is byte r + 4c of a block.
type State = [[u8; 4]; 4];

fn state(block: &[u8]) -> State {
    std::array::from_fn(|r| std::array::from_fn(|c| block[r + 4 * c]))
}

/// Columns times a circulant matrix with this first row.
fn mix(s: State, row: [u8; 4]) -> State {
    std::array::from_fn(|r| {
        std::array::from_fn(|c| (0..4).fold(0, |sum, i| sum ^ mul(row[i], s[(r + i) % 4][c])))
    })
}

fn add(s: State, key: &[u8]) -> State {
    let key = state(key);
    std::array::from_fn(|r| std::array::from_fn(|c| s[r][c] ^ key[r][c]))
}

/// `Cipher`, or `EqInvCipher`, with these round keys.
fn cipher(keys: &[u8], block: &[u8], inverse: bool) -> Vec<u8> {
    thread_local! {
        static TABLES: [[u8; 256]; 2] = [table(false), table(true)];
    }
    let table = TABLES.with(|tables| tables[usize::from(inverse)]);
    let (shift, row) = match inverse {
        false => (1, [2, 3, 1, 1]),
        true => (3, [14, 11, 13, 9]),
    };
    let keys: Vec<&[u8]> = keys.chunks(16).collect();
    let rounds = keys.len() - 1;
    let mut s = add(state(block), keys[0]);
    for (round, key) in keys.iter().enumerate().skip(1) {
        let substituted = s.map(|row| row.map(|b| table[usize::from(b)]));
        s = std::array::from_fn(|r| std::array::from_fn(|c| substituted[r][(c + shift * r) % 4]));
        if round < rounds {
            s = mix(s, row);
        }
        s = add(s, key);
    }
    (0..16).map(|i| s[i % 4][i / 4]).collect()
}

pub(super) fn encrypt(keys: &[u8], block: &[u8]) -> Vec<u8> {
    cipher(keys, block, false)
}

pub(super) fn decrypt(keys: &[u8], block: &[u8]) -> Vec<u8> {
    cipher(keys, block, true)
}
