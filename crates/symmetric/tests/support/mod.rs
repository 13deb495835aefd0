//! Finding vector files, and teams.
#![allow(dead_code)] // not every test needs all of it

use carrysave_team::Spawned;

/// A team of `threads` threads, started for each operation.
pub fn team(threads: usize) -> Spawned {
    Spawned::new(threads)
}

/// Pseudorandom bytes, always the same.
pub fn noise(length: usize) -> Vec<u8> {
    let mut x = 0x9e37_79b9_7f4a_7c15_u64;
    let step = |_| {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x as u8
    };
    (0..length).map(step).collect()
}

/// The text of a file of vectors, or `None` with a printed notice.
pub fn read(name: &str) -> Option<String> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/vectors");
    let root = std::env::var_os("CARRYSAVE_VECTORS").unwrap_or_else(|| beside.into());
    let path = std::path::Path::new(&root).join(name);
    if !path.exists() {
        let path = path.display();
        eprintln!("SKIPPED: no {path}: set CARRYSAVE_VECTORS to the folder of test vectors");
        return None;
    }
    let text = std::fs::read_to_string(path).expect("a readable file");
    Some(text.replace('\r', ""))
}

/// Bytes of hexadecimal text with any white space.
pub fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u32> = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_digit(16).expect("hexadecimal"))
        .collect();
    assert!(digits.len().is_multiple_of(2));
    digits
        .chunks(2)
        .map(|pair| (pair[0] << 4 | pair[1]) as u8)
        .collect()
}
