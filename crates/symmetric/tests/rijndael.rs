//! Rijndael: published answers, AES, and the inverse.

use carrysave_kernels::Cpu;
use carrysave_symmetric::{aes::Aes, rijndael::Rijndael};

fn hex(text: &str) -> Vec<u8> {
    let digit = |i: usize| u8::from_str_radix(&text[i..i + 2], 16).expect("two digits");
    (0..text.len()).step_by(2).map(digit).collect()
}

/// The self-tests of mcrypt 2.5.8: key byte i is 2 i + 10, byte i of the block is i.
#[test]
fn answers_of_mcrypt() {
    let key: Vec<u8> = (0..32).map(|i| 2 * i + 10).collect();
    for answer in [
        "380ee49a5de1dbd4b9cc11af60b8c8ff669e367af8948a8a",
        "45af6c269326fd935edd24733cff74fc1aa358841a6cd80b79f242d983f8ff2e",
    ] {
        let answer = hex(answer);
        for cpu in Cpu::native().masks() {
            let cipher = Rijndael::with_rounds(cpu, answer.len(), &key, 14).expect("good lengths");
            let block: Vec<u8> = (0..answer.len() as u8).collect();
            let mut data = block.clone();
            cipher.encrypt(&mut data);
            assert_eq!(data, answer, "{cpu}");
            cipher.decrypt(&mut data);
            assert_eq!(data, block, "{cpu}");
        }
    }
}

#[test]
fn blocks_of_128_bits_are_those_of_aes() {
    for length in [16, 24, 32] {
        let key: Vec<u8> = (0..length).map(|i: u8| i.wrapping_mul(29) ^ 3).collect();
        let mut data: Vec<u8> = (0..16 * 21).map(|i| (i * 7) as u8).collect();
        let mut expected = data.clone();
        Aes::new(&key).expect("a length").ecb_encrypt(&mut expected);
        let cipher = Rijndael::new(16, &key).expect("a length");
        cipher.encrypt(&mut data);
        assert_eq!(data, expected);
        Aes::new(&key).expect("a length").ecb_decrypt(&mut expected);
        cipher.decrypt(&mut data);
        assert_eq!(data, expected);
    }
}

/// Every block length, key length and number of rounds: blocks side by side as alone, and back.
#[test]
fn decryption_undoes_encryption() {
    for block in [16, 20, 24, 28, 32] {
        for key in [16, 20, 24, 28, 32] {
            for rounds in 1..=16 {
                let secret: Vec<u8> = (0..key as u8).map(|i| i.wrapping_mul(37) ^ 5).collect();
                let cipher = Rijndael::with_rounds(Cpu::native(), block, &secret, rounds);
                let cipher = cipher.expect("good lengths");
                assert_eq!(cipher.rounds(), rounds);
                let plain: Vec<u8> = (0..block * 11).map(|i| (i * i) as u8).collect();
                let mut data = plain.clone();
                cipher.encrypt(&mut data);
                for (i, part) in plain.chunks(block).enumerate() {
                    let mut alone = part.to_vec();
                    cipher.encrypt(&mut alone);
                    assert_eq!(alone, data[block * i..][..block], "block {i}");
                }
                cipher.decrypt(&mut data);
                assert_eq!(data, plain, "{block} {key} {rounds}");
            }
        }
    }
}

/// The product modulo x^8 + x^4 + x^3 + x + 1.
fn times(a: u8, b: u8) -> u8 {
    let double = |a: u8| (a << 1) ^ if a > 127 { 0x1b } else { 0 };
    let powers = std::iter::successors(Some(a), |&a| Some(double(a)));
    let chosen = powers.take(8).enumerate().filter(|(i, _)| b >> i & 1 == 1);
    chosen.fold(0, |sum, (_, power)| sum ^ power)
}

fn substitute(x: u8) -> u8 {
    let inverse = (1..=255).find(|&y| times(x, y) == 1).unwrap_or(0);
    (0..5).fold(0x63, |sum, i| sum ^ inverse.rotate_left(i))
}

/// One block by the text of the submission (Daemen, Rijmen: AES Proposal, version 2, 1999, chapter 4), a column a word.
fn by_the_book(s: &[u8; 256], key: &[u8], block: &[u8], rounds: usize) -> Vec<u8> {
    let (nk, nb) = (key.len() / 4, block.len() / 4);
    let column = |bytes: &[u8]| <[u8; 4]>::try_from(bytes).expect("four bytes");
    let mut w: Vec<[u8; 4]> = key.chunks(4).map(column).collect();
    let mut constant = 1;
    for i in nk..nb * (rounds + 1) {
        let mut t = w[i - 1];
        if i % nk == 0 {
            t.rotate_left(1);
            t = t.map(|x| s[usize::from(x)]);
            t[0] ^= constant;
            constant = times(constant, 2);
        } else if nk > 6 && i % nk == 4 {
            t = t.map(|x| s[usize::from(x)]);
        }
        w.push(std::array::from_fn(|row| w[i - nk][row] ^ t[row]));
    }
    let shifts = match nb {
        4..=6 => [0, 1, 2, 3],
        7 => [0, 1, 2, 4],
        _ => [0, 1, 3, 4],
    };
    let mut state: Vec<[u8; 4]> = block.chunks(4).map(column).collect();
    for round in 0..=rounds {
        if round > 0 {
            let old = state.clone();
            for (c, new) in state.iter_mut().enumerate() {
                let moved = |row: usize| s[usize::from(old[(c + shifts[row]) % nb][row])];
                let x: [u8; 4] = std::array::from_fn(moved);
                let mixed = |i: usize| {
                    times(x[i], 2) ^ times(x[(i + 1) % 4], 3) ^ x[(i + 2) % 4] ^ x[(i + 3) % 4]
                };
                *new = if round < rounds {
                    std::array::from_fn(mixed)
                } else {
                    x
                };
            }
        }
        for (c, new) in state.iter_mut().enumerate() {
            *new = std::array::from_fn(|row| new[row] ^ w[nb * round + c][row]);
        }
    }
    state.concat()
}

/// Every block length, key length and number of rounds.
#[test]
fn all_sizes_by_the_book() {
    let s: [u8; 256] = std::array::from_fn(|x| substitute(x as u8));
    // FIPS 197, C.1.
    let (key, block): (Vec<u8>, Vec<u8>) = (0..16).map(|i| (i, 17 * i)).unzip();
    let expected = hex("69c4e0d86a7b0430d8cdb78070b4c55a");
    assert_eq!(by_the_book(&s, &key, &block, 10), expected);
    for block in [16, 20, 24, 28, 32] {
        for key in [16, 20, 24, 28, 32] {
            for rounds in 1..=16 {
                let secret: Vec<u8> = (0..key as u8).map(|i| i.wrapping_mul(37) ^ 5).collect();
                let plain: Vec<u8> = (0..block * 3).map(|i| (i * i) as u8).collect();
                let expected = plain.chunks(block);
                let expected = expected.flat_map(|plain| by_the_book(&s, &secret, plain, rounds));
                let expected: Vec<u8> = expected.collect();
                for cpu in Cpu::native().masks() {
                    let cipher = Rijndael::with_rounds(cpu, block, &secret, rounds);
                    let mut data = plain.clone();
                    cipher.expect("good lengths").encrypt(&mut data);
                    assert_eq!(data, expected, "{block} {key} {rounds} {cpu}");
                }
            }
        }
    }
}

#[test]
fn what_there_is_not() {
    let rounds = |n| Rijndael::with_rounds(Cpu::native(), 16, &[0; 16], n).is_some();
    assert!(!rounds(0) && rounds(1) && rounds(16) && !rounds(17));
    for length in (0..64).filter(|n| ![16, 20, 24, 28, 32].contains(n)) {
        assert!(Rijndael::new(length, &[0; 16]).is_none());
        assert!(Rijndael::new(16, &vec![0; length]).is_none());
    }
}
