//! Threefish against known answers, and its modes against each other.

mod support;

use carrysave_kernels::{
    Cpu,
    threefish::{C5, DecryptV1_1, EncryptV1_1, FINAL, FIRST, extend_key},
};
use carrysave_symmetric::{
    Text,
    threefish::{Threefish, Version},
};
use support::{hex, noise, read, team};

/// The bytes of words in hexadecimal, the most significant digit of each first.
fn words(text: &str) -> Vec<u8> {
    let words = text.split_whitespace();
    words
        .flat_map(|word| u64::from_str_radix(word, 16).expect(word).to_le_bytes())
        .collect()
}

/// One block of Threefish-512 by the text of the paper (Ferguson and others: The Skein Hash Function Family, section
/// 3.3), with the constant of the key's parity that distinguishes the versions of the paper.
fn by_the_book(parity: u64, key: &[u8], tweak: [u64; 2], text: &[u8]) -> Vec<u8> {
    const ROTATIONS: [[u32; 4]; 8] = [
        [46, 36, 19, 37],
        [33, 27, 14, 42],
        [17, 49, 36, 39],
        [44, 9, 54, 56],
        [39, 30, 34, 24],
        [13, 50, 10, 17],
        [25, 29, 39, 43],
        [8, 35, 56, 22],
    ];
    let words = |bytes: &[u8]| -> Vec<u64> {
        let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("a word"));
        bytes.chunks(8).map(word).collect()
    };
    let (mut k, mut v) = (words(key), words(text));
    k.push(k.iter().fold(parity, |sum, word| sum ^ word));
    let t = [tweak[0], tweak[1], tweak[0] ^ tweak[1]];
    let add_subkey = |v: &mut [u64], s: usize| {
        for (i, word) in v.iter_mut().enumerate() {
            let more = match i {
                5 => t[s % 3],
                6 => t[(s + 1) % 3],
                7 => s as u64,
                _ => 0,
            };
            *word = word.wrapping_add(k[(s + i) % 9]).wrapping_add(more);
        }
    };
    for d in 0..72 {
        if d % 4 == 0 {
            add_subkey(&mut v, d / 4);
        }
        for j in 0..4 {
            v[2 * j] = v[2 * j].wrapping_add(v[2 * j + 1]);
            v[2 * j + 1] = v[2 * j + 1].rotate_left(ROTATIONS[d % 8][j]) ^ v[2 * j];
        }
        v = [2, 1, 4, 7, 6, 5, 0, 3].map(|i: usize| v[i]).to_vec();
    }
    add_subkey(&mut v, 18);
    v.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn both_versions_by_the_book() {
    let (key, tweak) = (noise(64), [u64::MAX - 3, 77]);
    let text = noise(64 * 40);
    for (version, parity) in [
        (Version::V1_2, 0x5555_5555_5555_5555),
        (Version::V1_3, 0x1bd1_1bda_a9fc_1a22),
    ] {
        let blocks = text.chunks(64).zip(0..);
        let expected = blocks.flat_map(|(block, i)| {
            let tweak = [tweak[0].wrapping_add(i), tweak[1]];
            by_the_book(parity, &key, tweak, block)
        });
        let expected: Vec<u8> = expected.collect();
        for cpu in Cpu::native().masks() {
            let cipher = Threefish::<8>::with_version(cpu, version, &key);
            let mut data = text.clone();
            cipher.encrypt_counting(tweak, &mut data);
            assert_eq!(data, expected, "{version:?} {cpu}");
            cipher.decrypt_counting(tweak, &mut data);
            assert_eq!(data, text, "{version:?} {cpu}");
        }
    }
}

fn check<const W: usize>(key: &[u8], tweak: [u64; 2], text: &[u8], expected: &[u8]) {
    for cpu in Cpu::native().masks() {
        let cipher = Threefish::<W>::with_version(cpu, Version::V1_3, key);
        // Alone, and among others.
        for copies in [1, 2, 5, 9] {
            let mut data = text.repeat(copies);
            cipher.encrypt(tweak, &mut data);
            assert_eq!(data, expected.repeat(copies), "{cpu}");
            cipher.decrypt(tweak, &mut data);
            assert_eq!(data, text.repeat(copies), "{cpu}");
        }
    }
}

/// From the internals of the authors' known-answer tests.
#[test]
fn published_ciphertexts() {
    check::<4>(
        &words("1716151413121110 1f1e1d1c1b1a1918 2726252423222120 2f2e2d2c2b2a2928"),
        [0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908],
        &words("f8f9fafbfcfdfeff f0f1f2f3f4f5f6f7 e8e9eaebecedeeef e0e1e2e3e4e5e6e7"),
        &words("df8fea0eff91d0e0 d50ad82ee69281c9 76f48d58085d869d df975e95b5567065"),
    );
    check::<8>(
        &[0; 64],
        [0, 0],
        &[0; 64],
        &hex(
            "b1a2bbc6ef6025bc40eb3822161f36e375d1bb0aee3186fbd19e47c5d479947b
             7bc2f8586e35f0cff7e7f03084b0b7b1f1ab3961a580a3e97eb41ea14a6d7bbe",
        ),
    );
    check::<16>(
        &[0; 128],
        [0, 0],
        &[0; 128],
        &hex(
            "f05c3d0a3d05b304f785ddc7d1e036015c8aa76e2f217b06c6e1544c0bc1a90d
             f0accb9473c24e0fd54fea68057f43329cb454761d6df5cf7b2e9b3614fbd5a2
             0b2e4760b40603540d82eabc5482c171c832afbe68406bc39500367a592943fa
             9a5b4a43286ca3c4cf46104b443143d560a4b230488311df4feef7e1dfe8391e",
        ),
    );
}

/// Ciphertexts that Crypto++ collected.
#[test]
fn collected_ciphertexts() {
    let Some(text) = read("cryptopp/TestVectors/threefish.txt") else {
        return;
    };
    let text = text.replace("\\\n", " ");
    let mut checked = 0;
    for entry in text.split("Test: Encrypt") {
        let field = |name: &str| {
            let line = entry.lines().rev().find_map(|line| line.strip_prefix(name));
            line.map(|line| match line.trim().strip_prefix("word64") {
                Some(line) => words(line),
                None => hex(line),
            })
        };
        let (Some(key), Some(text), Some(expected)) =
            (field("Key:"), field("Plaintext:"), field("Ciphertext:"))
        else {
            continue;
        };
        let tweak = field("Tweak:").filter(|tweak| tweak.len() == 16);
        let tweak = tweak.map_or([0; 2], |bytes| {
            [0, 8].map(|i| u64::from_le_bytes(bytes[i..][..8].try_into().expect("eight")))
        });
        match key.len() {
            32 => check::<4>(&key, tweak, &text, &expected),
            64 => check::<8>(&key, tweak, &text, &expected),
            _ => check::<16>(&key, tweak, &text, &expected),
        }
        checked += 1;
    }
    println!("{checked} ciphertexts");
    assert!(checked >= 8);
}

fn modes<const W: usize>() {
    let size = Threefish::<W>::BLOCK;
    let key: Vec<u8> = (0..size as u8).collect();
    let cipher = Threefish::<W>::new(&key);
    let text: Vec<u8> = (0..40 * size).map(|i| (i * i / 7) as u8).collect();

    // A tweak for each block, counted by hand, over the end of a word.
    let tweak = [u64::MAX - 5, 9];
    let mut counting = text.clone();
    cipher.encrypt_counting(tweak, &mut counting);
    for (i, (block, text)) in counting.chunks(size).zip(text.chunks(size)).enumerate() {
        let mut one = text.to_vec();
        cipher.encrypt([tweak[0].wrapping_add(i as u64), tweak[1]], &mut one);
        assert_eq!(block, one, "block {i}");
    }
    cipher.decrypt_counting(tweak, &mut counting);
    assert_eq!(counting, text);

    // Counters, counted by hand in the same way; then every start and some ends.
    let mut counter: [u64; W] = std::array::from_fn(|i| i as u64);
    counter[0] = u64::MAX - 5;
    let mut stream = vec![0; text.len()];
    cipher.apply_ctr([1, 2], counter, 0, &mut stream);
    for (i, block) in stream.chunks(size).enumerate() {
        let mut counter = counter;
        counter[0] = counter[0].wrapping_add(i as u64);
        let mut one: Vec<u8> = counter.iter().flat_map(|word| word.to_le_bytes()).collect();
        cipher.encrypt([1, 2], &mut one);
        assert_eq!(block, one, "counter {i}");
    }
    for from in 0..2 * size {
        for to in [from, from + 1, from + size - 1, from + 3 * size, text.len()] {
            let mut part = vec![0; to - from];
            cipher.apply_ctr([1, 2], counter, from as u64, &mut part);
            assert_eq!(part, stream[from..to], "from {from} to {to}");
        }
    }

    // Another version is another cipher.
    let mut old = text.clone();
    let former = Threefish::<W>::with_version(Cpu::native(), Version::V1_2, &key);
    former.encrypt([0, 0], &mut old);
    let mut new = text.clone();
    cipher.encrypt([0, 0], &mut new);
    assert_ne!(old, new);
    former.decrypt([0, 0], &mut old);
    assert_eq!(old, text);
}

#[test]
fn modes_are_made_of_single_blocks() {
    modes::<4>();
    modes::<8>();
    modes::<16>();
}

/// Teams against one thread on pieces that are too small to be shared, around the lengths of parts and of what is shared.
fn teams<const W: usize>() {
    let size = 8 * W;
    let cipher = Threefish::<W>::new(&noise(size));
    let (tweak, iv) = ([u64::MAX - 7, 8], noise(size));
    let counter = [u64::MAX - 3; W];
    for length in [
        0,
        size,
        1 << 16,
        (1 << 16) + size,
        (1 << 18) - size,
        1 << 18,
        600 * 1024,
    ] {
        let text = noise(length);
        let alone = |f: &dyn Fn(usize, &mut [u8])| {
            let mut data = text.clone();
            let pieces = data.chunks_mut(32_768).enumerate();
            pieces.for_each(|(i, piece)| f(32_768 * i, piece));
            data
        };
        let counted = |at: usize| [tweak[0].wrapping_add((at / size) as u64), tweak[1]];
        let before = |at: usize| {
            if at == 0 {
                &iv[..]
            } else {
                &text[at - size..at]
            }
        };
        let plain = [
            alone(&|_, piece| cipher.encrypt(tweak, piece)),
            alone(&|_, piece| cipher.decrypt(tweak, piece)),
            alone(&|at, piece| cipher.encrypt_counting(counted(at), piece)),
            alone(&|at, piece| cipher.decrypt_counting(counted(at), piece)),
            alone(&|at, piece| cipher.cbc_decrypt(tweak, before(at), piece)),
        ];
        for threads in 1..=8 {
            let team = team(threads);
            type Work<'a> = &'a dyn Fn(Text<'_>);
            let shared: [Work<'_>; 5] = [
                &|data| cipher.encrypt_on(&team, tweak, data),
                &|data| cipher.decrypt_on(&team, tweak, data),
                &|data| cipher.encrypt_counting_on(&team, tweak, data),
                &|data| cipher.decrypt_counting_on(&team, tweak, data),
                &|data| cipher.cbc_decrypt_on(&team, tweak, &iv, data),
            ];
            for (i, (f, expected)) in shared.iter().zip(&plain).enumerate() {
                let (mut data, mut to) = (text.clone(), vec![0; length]);
                f((&mut data[..]).into());
                f((&text[..], &mut to[..]).into());
                for made in [data, to] {
                    assert!(
                        made == *expected,
                        "{i}: {length} bytes on {threads} threads"
                    );
                }
            }
            for position in [0, 5, u64::MAX - (1 << 20)] {
                let some = text.len() - text.len() / 16 % 16;
                let mut data = text[..some].to_vec();
                let (mut pieces, mut to) = (data.clone(), vec![0; some]);
                let both = (&data[..], &mut to[..]);
                cipher.apply_ctr_on(&team, tweak, counter, position, both);
                cipher.apply_ctr_on(&team, tweak, counter, position, &mut data[..]);
                for (i, piece) in pieces.chunks_mut(50_001).enumerate() {
                    cipher.apply_ctr(tweak, counter, position + 50_001 * i as u64, piece);
                }
                assert!(data == pieces, "{some} bytes on {threads} threads");
                assert!(to == pieces, "{some} bytes on {threads} threads");
            }
        }
    }
}

#[test]
fn teams_do_what_one_does() {
    teams::<4>();
    teams::<8>();
    teams::<16>();
}

/// Chains block by block, with the cipher alone.
fn chains<const W: usize>() {
    let size = 8 * W;
    let cipher = Threefish::<W>::new(&noise(size));
    let (tweak, iv) = ([3, 4], noise(size));
    for blocks in 0..40 {
        let text = noise(blocks * size);
        let mut expected = text.clone();
        let mut before = iv.clone();
        for block in expected.chunks_mut(size) {
            block.iter_mut().zip(&before).for_each(|(a, b)| *a ^= b);
            cipher.encrypt(tweak, block);
            before = block.to_vec();
        }
        let mut data = text.clone();
        cipher.cbc_encrypt(tweak, &iv, &mut data);
        assert_eq!(data, expected);
        cipher.cbc_decrypt(tweak, &iv, &mut data);
        assert_eq!(data, text);
    }
}

#[test]
fn chains_are_made_of_single_blocks() {
    chains::<4>();
    chains::<8>();
    chains::<16>();
}

/// From the tables of the authors' code of version 1.1: the chaining value of Skein-256-256.
#[test]
fn the_rotations_of_version_1_1() {
    let (mut key, cpu) = ([0; 5], Cpu::native());
    extend_key(&mut key, C5);
    let configuration =
        words("0000000133414853 0000000000000100 0000000000000000 0000000000000000");
    let tweak = [32, 4 << 56 | FIRST | FINAL];
    let value = words("388512680e660046 4b72d5dec5a8ff01 281a9298ca5eb3a5 54ca5249f46070c4");
    for encrypt in EncryptV1_1::all(cpu) {
        let mut block = configuration.clone();
        encrypt.call_in_place(&mut block, &key, tweak);
        let fed: Vec<u8> = block
            .iter()
            .zip(&configuration)
            .map(|(a, b)| a ^ b)
            .collect();
        assert_eq!(fed, value, "{encrypt:?}");
        for decrypt in DecryptV1_1::all(cpu) {
            let mut block = block.clone();
            decrypt.call_in_place(&mut block, &key, tweak);
            assert_eq!(block, configuration, "{decrypt:?}");
        }
    }
}
