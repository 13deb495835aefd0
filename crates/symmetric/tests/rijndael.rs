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

#[test]
fn what_there_is_not() {
    let rounds = |n| Rijndael::with_rounds(Cpu::native(), 16, &[0; 16], n).is_some();
    assert!(!rounds(0) && rounds(1) && rounds(16) && !rounds(17));
    for length in (0..64).filter(|n| ![16, 20, 24, 28, 32].contains(n)) {
        assert!(Rijndael::new(length, &[0; 16]).is_none());
        assert!(Rijndael::new(16, &vec![0; length]).is_none());
    }
}
