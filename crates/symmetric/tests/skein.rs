//! Skein against the known answers of its authors, and against itself: in pieces, on lesser processors, in any length.

mod support;

use carrysave_kernels::Cpu;
use carrysave_symmetric::skein::{
    Parameters, Skein, Skein256_256, Skein512_512, Skein1024_1024, Tree,
};
use carrysave_symmetric::threefish::Threefish;
use digest::Digest;
use support::{hex, read, team};

/// Skein 1.3, appendix B: the hash of the byte 255.
#[test]
fn published_hashes() {
    assert_eq!(
        Skein256_256::digest([0xff])[..],
        hex("0b98dcd198ea0e50a7a244c444e25c23da30c10fc9a1f270a6637f1f34e67ed2")
    );
    assert_eq!(
        Skein512_512::digest([0xff])[..],
        hex(
            "71b7bce6fe6452227b9ced6014249e5bf9a9754c3ad618ccc4e0aae16b316cc8ca698d864307ed3e80b6ef1570812ac5272dc409b5a012df2a579102f340617a"
        )
    );
    assert_eq!(
        Skein1024_1024::digest([0xff])[..],
        hex(
            "e62c05802ea0152407cdd8787fda9e35703de862a4fbc119cff8590afe79250bccc8b3faf1bd2422ab5c0d263fb2f8afb3f796f048000381531b6f00d85161bc
             0fff4bef2486b1ebcd3773fabf50ad4ad5639af9040e3f29c6c931301bf79832e9da09857e831e82ef8b4691c235656515d437d2bda33bcec001c67ffde15ba8"
        )
    );
}

/// The hash of a message of this many bits.
fn hash<const W: usize>(
    parameters: &Parameters<'_>,
    message: &[u8],
    bits: usize,
    len: usize,
) -> Vec<u8> {
    let mut skein = Skein::<W>::new(parameters);
    skein.update(&message[..bits / 8]);
    let mut output = match bits as u32 % 8 {
        0 => skein.finalize(),
        rest => skein.finalize_bits(message[bits / 8], rest),
    };
    let mut out = vec![0; len];
    output.read(&mut out);
    out
}

/// The golden known-answer tests: hashes of any number of bits, keyed ones, and trees.
#[test]
fn golden_known_answers() {
    let Some(text) = read("skein/skein_golden_kat.txt") else {
        return;
    };
    let (mut all, mut keyed, mut trees) = (0, 0, 0);
    for entry in text.split("\n:").skip(1) {
        let (header, rest) = entry.split_once('\n').expect("a header line");
        let number = |before: &str, after: &str| -> usize {
            let tail = header.split_once(before).expect(before).1;
            tail.split(after)
                .next()
                .expect(after)
                .trim()
                .parse()
                .expect(header)
        };
        let (state, output) = (number("Skein-", ":"), number(":", "-bit hash"));
        let bits = number("msgLen =", "bits");
        let part = |from: &str, to: &str| {
            let tail = rest.split_once(from).expect(from).1;
            let text = tail.split(to).next().expect(to);
            if text.contains("(none)") {
                vec![]
            } else {
                hex(text)
            }
        };
        let mac = rest.contains("MAC key =");
        let message = part("Message data:", if mac { "MAC key" } else { "Result" });
        let key = if mac {
            part("bytes:", "Result")
        } else {
            vec![]
        };
        let expected = part("Result:", "----");
        let tree = header.split_once("leaf=").map(|(_, tail)| {
            let field = |name: &str| {
                let digits = tail.split_once(name).map_or(tail, |(_, tail)| tail);
                u8::from_str_radix(&digits[..2], 16).expect(header)
            };
            Tree::new(field("leaf="), field("node="), field("maxLevels=")).expect(header)
        });
        for cpu in Cpu::native().masks() {
            // The keyed answers include an empty key, which equals no key.
            let mut parameters = Parameters::new(output as u64 / 8).key(&key).cpu(cpu);
            if let Some(tree) = tree {
                parameters = parameters.tree(tree);
            }
            let f = match state {
                256 => hash::<4>,
                512 => hash::<8>,
                _ => hash::<16>,
            };
            assert_eq!(
                f(&parameters, &message, bits, output.div_ceil(8)),
                expected,
                "{header}"
            );
        }
        all += 1;
        keyed += usize::from(mac);
        trees += usize::from(tree.is_some());
    }
    println!("{all} answers, {keyed} of them keyed and {trees} of trees");
    assert_eq!(all, 491);
    assert!(keyed > 50 && trees > 30);
}

/// Lengths, and ways to cut them in two: all where they are short, some where they are longer, and of a few of these many,
/// in strides of a prime; with `CARRYSAVE_SLOW=1` all up to 4096 bytes.
fn pieces<const W: usize>(parameters: &Parameters<'_>, lengths: impl Iterator<Item = usize>) {
    let all = std::env::var_os("CARRYSAVE_SLOW").is_some();
    let data: Vec<u8> = (0..=u16::MAX)
        .map(|i| ((i as u32 * 0x9e37) >> 7) as u8)
        .collect();
    for len in lengths {
        let whole = hash::<W>(parameters, &data, 8 * len, 64);
        let some = [0, 1, len / 3, len / 2, len.saturating_sub(1)];
        let cuts: Vec<usize> = match len {
            ..=300 => (0..=len).collect(),
            ..=4096 if all => (0..=len).collect(),
            4096 => (0..=len).step_by(13).collect(),
            // From different places, so that all of a block come about.
            ..4096 if len.is_multiple_of(31) => (len % 17..=len).step_by(17).collect(),
            _ => some.to_vec(),
        };
        for cut in cuts {
            let mut skein = Skein::<W>::new(parameters);
            skein.update(&data[..cut]);
            skein.update(&data[cut..len]);
            let mut out = [0; 64];
            skein.finalize().read(&mut out);
            assert_eq!(out[..], whole, "{len} bytes cut at {cut}");
        }
    }
}

/// Hashes in pieces: a chain, and a high and a flat tree of each of these lengths.
fn pieces_make_the_whole<const W: usize>(lengths: impl Iterator<Item = usize> + Clone) {
    pieces::<W>(&Parameters::new(64), 0..=4096);
    for (node, height) in [(1, 255), (2, 2)] {
        let tree = Tree::new(1, node, height).expect("a tree");
        pieces::<W>(&Parameters::new(64).tree(tree), lengths.clone());
    }
}

#[test]
fn pieces_make_the_whole_of_256() {
    pieces_make_the_whole::<4>((0..700).chain(4000..4100));
}

#[test]
fn pieces_make_the_whole_of_512() {
    pieces_make_the_whole::<8>((0..1400).chain([4096]).chain(40_000..40_010));
}

#[test]
fn pieces_make_the_whole_of_1024() {
    pieces_make_the_whole::<16>((0..1400).step_by(7).chain([4096]));
}

/// A tree hashed by its definition, node by node, as unkeyed chains cannot be seen from outside: lanes against pieces
/// that are too small for lanes.
#[test]
fn lanes_hash_as_single_leaves_do() {
    let data: Vec<u8> = (0..1_000_003u32)
        .map(|i| (i.wrapping_mul(0x9e37_79b9) >> 13) as u8)
        .collect();
    for cpu in Cpu::native().masks() {
        let parameters = Parameters::new(64).tree(Tree::default()).cpu(cpu);
        let whole = hash::<8>(&parameters, &data, 8 * data.len(), 64);
        let mut skein = Skein::<8>::new(&parameters);
        data.chunks(1000).for_each(|piece| skein.update(piece));
        let mut out = [0; 64];
        skein.finalize().read(&mut out);
        assert_eq!(out[..], whole, "{cpu}");
    }
}

/// The hash of data that the closure feeds.
fn hash_of<const W: usize>(tree: Tree, feed: impl FnOnce(&mut Skein<W>)) -> [u8; 40] {
    let mut skein = Skein::new(&Parameters::new(40).tree(tree));
    feed(&mut skein);
    let mut out = [0; 40];
    skein.finalize().read(&mut out);
    out
}

fn teams<const W: usize>(leaf: u8, node: u8, height: u8, lengths: &[usize]) {
    let tree = Tree::new(leaf, node, height).expect("a tree");
    for &len in lengths {
        let data: Vec<u8> = (0..len as u32)
            .map(|i| (i.wrapping_mul(0x9e37_79b9) >> 11) as u8)
            .collect();
        let expected = hash_of::<W>(tree, |skein| {
            data.chunks(100).for_each(|piece| skein.update(piece));
        });
        for threads in [1, 2, 3, 8] {
            let team = team(threads);
            for cut in [0, 1000, len / 2].map(|cut| cut.min(len)) {
                let (first, rest) = data.split_at(cut);
                let on = hash_of::<W>(tree, |skein| {
                    skein.update(first);
                    skein.update_on(&team, rest);
                });
                assert_eq!(on, expected, "{len} bytes from {cut} on {threads} threads");
                let from = hash_of::<W>(tree, |skein| {
                    skein.update(first);
                    let fill = |at: u64, buffer: &mut [u8]| {
                        buffer.copy_from_slice(&rest[at as usize..][..buffer.len()]);
                        Ok::<_, ()>(())
                    };
                    skein
                        .update_from(&team, rest.len() as u64, &fill)
                        .expect("it never fails");
                });
                assert_eq!(
                    from, expected,
                    "{len} bytes from {cut} on {threads} threads"
                );
            }
        }
    }
}

#[test]
fn teams_hash_as_one_does() {
    teams::<8>(6, 6, 255, &[0, 1, 5000, 262_143, 262_144, 1_000_003]);
    teams::<4>(1, 1, 255, &[262_144, 300_001, 600_001]);
    teams::<16>(3, 2, 3, &[262_144, 524_288, 700_000]);
    teams::<8>(14, 1, 2, &[1 << 20, 5 << 20]);
}

#[test]
fn what_cannot_be_fetched_ends_the_hash() {
    for bad in [0, 1 << 19, 1 << 20] {
        let mut skein = Skein::<8>::new(&Parameters::new(32).tree(Tree::default()));
        let fill = |at: u64, buffer: &mut [u8]| {
            let good = !(at..at + buffer.len() as u64).contains(&bad);
            if good { Ok(()) } else { Err(bad) }
        };
        let fetched = skein.update_from(&team(3), (1 << 20) + 7, &fill);
        assert_eq!(fetched, Err(bad));
    }
}

#[test]
fn output_comes_in_any_pieces() {
    let parameters = Parameters::stream().key(b"a key").nonce(b"once");
    let mut whole = [0; 1000];
    Skein::<8>::new(&parameters).finalize().read(&mut whole);
    for step in [1, 7, 64, 65, 200, 999] {
        let mut output = Skein::<8>::new(&parameters).finalize();
        let mut parts = [0; 1000];
        parts.chunks_mut(step).for_each(|part| output.read(part));
        assert_eq!(parts, whole, "{step}");
    }
}

#[test]
fn every_parameter_matters() {
    let plain = Parameters::new(32);
    let variants = [
        plain.clone(),
        Parameters::new(33),
        Parameters::new(0),
        Parameters::stream(),
        plain.clone().key(b"x"),
        plain.clone().personalization(b"x"),
        plain.clone().public_key(b"x"),
        plain.clone().key_identifier(b"x"),
        plain.clone().nonce(b"x"),
        plain.clone().nonce(b""),
        plain.clone().tree(Tree::default()),
    ];
    let mut hashes: Vec<Vec<u8>> = variants
        .iter()
        .map(|parameters| hash::<8>(parameters, b"abc", 24, 32))
        .collect();
    // A bit less, whose padding makes the same bytes.
    for parameters in [&plain, &plain.clone().tree(Tree::default())] {
        hashes.push(hash::<8>(parameters, b"abc", 23, 32));
    }
    hashes.sort();
    hashes.dedup();
    assert_eq!(hashes.len(), variants.len() + 2);
}

/// Unique block iteration (Skein 1.3, section 3.4), a block at a time, without levels of a tree and spare bits.
fn ubi<const W: usize>(g: &[u8], message: &[u8], kind: u64) -> Vec<u8> {
    let block_len = 8 * W;
    let (mut h, count) = (g.to_vec(), message.len().div_ceil(block_len).max(1));
    for i in 0..count {
        let (from, to) = (i * block_len, message.len().min((i + 1) * block_len));
        let mut block = message[from..to].to_vec();
        block.resize(block_len, 0);
        let (first, last) = (i == 0, i == count - 1);
        let flags = u64::from(first) << 62 | u64::from(last) << 63 | kind << 56;
        let mut out = block.clone();
        Threefish::<W>::new(&h).encrypt([to as u64, flags], &mut out);
        h = out.iter().zip(&block).map(|(a, b)| a ^ b).collect();
    }
    h
}

/// Skein with a key and strings by their types, as section 3.5 has it: each is taken before the message, in this order.
fn skein_by_blocks<const W: usize>(
    key: &[u8],
    strings: [Option<&[u8]>; 4],
    message: &[u8],
    len: usize,
) -> Vec<u8> {
    let mut g = vec![0; 8 * W];
    if !key.is_empty() {
        g = ubi::<W>(&g, key, 0);
    }
    // "SHA3", version 1, and the length of the output in bits.
    let mut configuration = [0; 32];
    configuration[..5].copy_from_slice(b"SHA3\x01");
    configuration[8..16].copy_from_slice(&(8 * len as u64).to_le_bytes());
    g = ubi::<W>(&g, &configuration, 4);
    // Personalization, public key, key identifier, nonce.
    for (string, kind) in strings.into_iter().zip([8, 12, 16, 20]) {
        if let Some(string) = string {
            g = ubi::<W>(&g, string, kind);
        }
    }
    g = ubi::<W>(&g, message, 48);
    let blocks = (0..len.div_ceil(8 * W) as u64).flat_map(|i| ubi::<W>(&g, &i.to_le_bytes(), 63));
    blocks.take(len).collect()
}

/// The strings before the message, which the known answers lack: none, each, and all, on one block and on some.
fn strings_by_blocks<const W: usize>() {
    let long = [7; 300];
    let strings: [&[u8]; 4] = [b"20261130 me@example.com", &long, b"", b"once"];
    for chosen in 0..16 {
        let each: [_; 4] = core::array::from_fn(|i| (chosen >> i & 1 == 1).then_some(strings[i]));
        for (key, message, len) in [(&b""[..], &b"abc"[..], 32), (&long[..], &long[..], 300)] {
            let mut parameters = Parameters::new(len as u64).key(key);
            let setters = [
                Parameters::personalization,
                Parameters::public_key,
                Parameters::key_identifier,
                Parameters::nonce,
            ];
            for (string, set) in each.into_iter().zip(setters) {
                parameters = match string {
                    Some(string) => set(parameters, string),
                    None => parameters,
                };
            }
            assert_eq!(
                hash::<W>(&parameters, message, 8 * message.len(), len),
                skein_by_blocks::<W>(key, each, message, len),
                "{chosen:b}"
            );
        }
    }
}

#[test]
fn strings_are_taken_by_their_types_and_in_their_order() {
    strings_by_blocks::<4>();
    strings_by_blocks::<8>();
    strings_by_blocks::<16>();
}

#[test]
fn impossible_trees_are_refused() {
    assert!(Tree::new(0, 1, 2).is_none());
    assert!(Tree::new(1, 0, 2).is_none());
    assert!(Tree::new(1, 1, 1).is_none());
    assert!(Tree::new(49, 1, 2).is_none());
}
