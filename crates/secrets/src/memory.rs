//! The search for remains of secrets in a process's memory.

use std::{
    fs::File,
    io::{self, BufRead, BufReader},
    ops::Range,
    os::unix::fs::FileExt,
};
use zeroize::Zeroize;

/// Bytes of a piece of a secret. Fewer could come from one register.
const WINDOW: usize = 16;
/// The distance between pieces of a secret: a limb, so that every limb is in two pieces.
const STEP: usize = 8;
/// Bytes of memory read at once.
const CHUNK: usize = 1 << 16;

/// Pieces of secrets, xored with a constant so that they are not found here.
pub struct Needles {
    mask: u64,
    /// Each piece with the name of its secret, sorted.
    pieces: Vec<([u64; 2], &'static str)>,
    /// The lowest 16 bits of the first halves: the filter for each byte of memory.
    seen: Vec<bool>,
}

/// A piece that was found.
#[derive(Debug)]
pub struct Found {
    /// The name of its secret.
    pub secret: &'static str,
    /// The kernel's name for the mapping, such as `[stack]`, or nothing.
    pub mapping: String,
    /// Its address.
    pub address: usize,
}

impl Default for Needles {
    fn default() -> Self {
        Needles {
            mask: 0x9e37_79b9_7f4a_7c15,
            pieces: Vec::new(),
            seen: vec![false; 1 << 16],
        }
    }
}

impl Needles {
    /// Looks for these bytes, too, in their order and reversed.
    ///
    /// # Panics
    /// If there are fewer than fit a piece.
    pub fn add(&mut self, secret: &'static str, bytes: &[u8]) {
        assert!(bytes.len() >= WINDOW, "{secret} is too short to be found");
        for i in (0..=bytes.len() - WINDOW).step_by(STEP) {
            let window = &bytes[i..i + WINDOW];
            let halves = |order: &dyn Fn(usize) -> u8| {
                [0, STEP].map(|at| {
                    let half = (0..STEP)
                        .rev()
                        .fold(0, |half, j| half << 8 | u64::from(order(at + j)));
                    half ^ self.mask
                })
            };
            for piece in [halves(&|j| window[j]), halves(&|j| window[WINDOW - 1 - j])] {
                self.seen[(piece[0] ^ self.mask) as usize & 0xffff] = true;
                self.pieces.push((piece, secret));
            }
        }
        self.pieces.sort_unstable();
    }

    /// Looks for this number, too: its words, the least significant first, and their bytes in both orders.
    ///
    /// # Panics
    /// If it has one word.
    pub fn add_limbs(&mut self, secret: &'static str, limbs: &[u64]) {
        let mut bytes: Vec<u8> = limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect();
        self.add(secret, &bytes);
        bytes.zeroize();
    }

    /// Every place of a piece in this process's writable memory: heap and stacks, including freed memory.
    ///
    /// # Errors
    /// If the system does not let a process read its own memory.
    pub fn search(&self) -> io::Result<Vec<Found>> {
        self.search_in("self")
    }

    /// Every place of a piece in another process's writable memory.
    ///
    /// # Errors
    /// If the system does not let this process read it.
    pub fn search_process(&self, id: u32) -> io::Result<Vec<Found>> {
        self.search_in(&id.to_string())
    }

    fn search_in(&self, process: &str) -> io::Result<Vec<Found>> {
        let memory = File::open(format!("/proc/{process}/mem"))?;
        let mut chunk = vec![0; CHUNK];
        let mut found = Vec::new();
        for line in BufReader::new(File::open(format!("/proc/{process}/maps"))?).lines() {
            let line = line?;
            let Some((range, mapping)) = writable(&line) else {
                continue;
            };
            for at in range.clone().step_by(CHUNK - (WINDOW - 1)) {
                let bytes = &mut chunk[..CHUNK.min(range.end - at)];
                // A mapping may be gone by now, or refuse.
                if memory.read_exact_at(bytes, at as u64).is_err() {
                    break;
                }
                let own = bytes.as_ptr_range();
                for i in 0..=bytes.len().saturating_sub(WINDOW) {
                    let Some(secret) = bytes.get(i..i + WINDOW).and_then(|w| self.find(w)) else {
                        continue;
                    };
                    let address = at + i;
                    let own = own.start.addr()..own.end.addr();
                    if process != "self" || !own.contains(&address) {
                        let mapping = mapping.to_owned();
                        found.push(Found {
                            secret,
                            mapping,
                            address,
                        });
                    }
                }
                bytes.zeroize();
            }
        }
        Ok(found)
    }

    /// The name of the piece's secret.
    fn find(&self, window: &[u8]) -> Option<&'static str> {
        let half =
            |at: usize| u64::from_le_bytes(window[at..at + STEP].try_into().expect("eight bytes"));
        let low = half(0);
        if !self.seen[low as usize & 0xffff] {
            return None;
        }
        let piece = [low ^ self.mask, half(STEP) ^ self.mask];
        let i = self
            .pieces
            .binary_search_by(|(known, _)| known.cmp(&piece))
            .ok()?;
        Some(self.pieces[i].1)
    }
}

/// The addresses of a line of `/proc/self/maps` and its name, if the memory can be written.
fn writable(line: &str) -> Option<(Range<usize>, &str)> {
    let mut fields = line.split_whitespace();
    let (range, access) = (fields.next()?, fields.next()?);
    let (start, end) = range.split_once('-')?;
    let address = |text| usize::from_str_radix(text, 16).ok();
    access
        .starts_with("rw")
        .then_some((address(start)?..address(end)?, fields.nth(3).unwrap_or("")))
}
