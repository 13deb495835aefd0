//! Finds and reads vector files. Each test of this crate uses a part of it.
#![allow(dead_code)]

use carrysave_arith::{Cpu, Nat};
use carrysave_kernels::REGISTRY;
use carrysave_schemes::hash::Hash;
use rand_core::UnwrapErr;
use std::cell::Cell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::LazyLock;

pub type Rng = UnwrapErr<getrandom::SysRng>;

pub fn rng() -> Rng {
    UnwrapErr(getrandom::SysRng)
}

/// A file or folder of vectors, or `None` with a printed notice.
pub fn path(name: &str) -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/vectors");
    let root =
        std::env::var_os("CARRYSAVE_VECTORS").map_or_else(|| PathBuf::from(beside), PathBuf::from);
    let path = root.join(name);
    if !path.exists() {
        eprintln!(
            "SKIPPED: no {}: set CARRYSAVE_VECTORS to the folder of test vectors",
            path.display()
        );
        return None;
    }
    Some(path)
}

pub fn read(name: &str) -> Option<String> {
    path(name).map(|path| {
        std::fs::read_to_string(path)
            .expect("a readable file")
            .replace('\r', "")
    })
}

/// Bytes of hexadecimal text with any white space; an odd number of digits gets a zero in front.
pub fn hex(text: &str) -> Vec<u8> {
    let text = text.trim_start_matches("0x");
    let mut digits: Vec<u8> = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| {
            c.to_digit(16)
                .unwrap_or_else(|| panic!("{c:?} in {text:?} is not hexadecimal")) as u8
        })
        .collect();
    if !digits.len().is_multiple_of(2) {
        digits.insert(0, 0);
    }
    digits
        .chunks(2)
        .map(|pair| pair[0] << 4 | pair[1])
        .collect()
}

/// As many bytes as an array has, of hexadecimal text.
pub fn array<const N: usize>(text: &str) -> [u8; N] {
    hex(text).try_into().expect("its length")
}

/// A number in hexadecimal; white space and leading zeros do not matter.
pub fn nat(text: &str) -> Nat {
    Nat::from_be_bytes(&hex(text)).trim_vartime()
}

pub fn hash(name: &str) -> Hash {
    name.trim().parse().unwrap_or_else(|e| panic!("{e}"))
}

/// The last value of every field seen so far.
#[derive(Debug, Default)]
pub struct Fields(HashMap<String, String>);

impl Fields {
    pub fn text(&self, name: &str) -> &str {
        self.get(name).unwrap_or_else(|| panic!("no field {name}"))
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        hex(self.text(name))
    }

    pub fn nat(&self, name: &str) -> Nat {
        nat(self.text(name))
    }
}

/// Iterates over `name, value` pairs; calls `case` after each field called `last`, with every field's last value.
/// Returns the number of cases.
pub fn for_each_case(
    pairs: impl IntoIterator<Item = (String, String)>,
    last: &str,
    mut case: impl FnMut(&Fields),
) -> usize {
    let mut fields = Fields::default();
    let mut count = 0;
    for (name, value) in pairs {
        let complete = name == last;
        fields.0.insert(name, value);
        if complete {
            case(&fields);
            count += 1;
        }
    }
    count
}

/// Lines `name = value` (NIST, Botan, BoringSSL). A line `[text]` is the field "[".
pub fn assignments(text: &str) -> Vec<(String, String)> {
    let lines = text
        .lines()
        .map(|line| line.split(" #").next().unwrap_or(line).trim());
    lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(
            |line| match (line.strip_prefix('['), line.split_once('=')) {
                (Some(section), _) => ("[".to_owned(), section.trim_end_matches(']').to_owned()),
                (None, Some((name, value))) => (name.trim().to_owned(), value.trim().to_owned()),
                (None, None) => (line.to_owned(), String::new()),
            },
        )
        .collect()
}

/// A comment line `# Name:` followed by lines of hexadecimal (RSA Laboratories, pyca).
pub fn labelled(text: &str) -> Vec<(String, String)> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        let hexadecimal = line
            .chars()
            .all(|c| c.is_ascii_hexdigit() || c.is_whitespace());
        match pairs.last_mut() {
            _ if line.starts_with('#') => {
                pairs.push((
                    line.trim_matches(['#', ':', ' ', '\t']).to_owned(),
                    String::new(),
                ));
            }
            Some((_, value)) if hexadecimal => value.push_str(line.trim()),
            _ => {}
        }
    }
    // A field is complete only with its value, so headings are dropped.
    pairs.retain(|(_, value)| !value.is_empty());
    pairs
}

/// `Name: value`, continued after a backslash, with comments after `#` (Crypto++).
pub fn continued(text: &str) -> Vec<(String, String)> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        let (continues, line) = (
            line.trim_end().ends_with('\\'),
            line.trim_end().trim_end_matches('\\'),
        );
        let line = line.split('#').next().unwrap_or("").trim();
        match (open, line.split_once(':')) {
            (false, Some((name, value))) => pairs.push((name.to_owned(), value.trim().to_owned())),
            // Some files omit the backslash.
            _ if !line.is_empty() => {
                let (_, value) = pairs.last_mut().expect("continues something");
                value.push_str(&format!(" {line}"));
            }
            _ => {}
        }
        open = continues;
    }
    pairs
}

/// Values for this processor and for lesser ones that choose other kernels. A test gets the whole processor and one
/// other, a different one at each call; with `CARRYSAVE_SLOW=1` all.
pub fn masks() -> Vec<Cpu> {
    static ALL: LazyLock<Vec<Cpu>> = LazyLock::new(|| {
        let chosen =
            |cpu: &Cpu| -> Vec<_> { REGISTRY.iter().map(|op| op.admitted(*cpu).next()).collect() };
        let mut masks: Vec<Cpu> = Cpu::native().masks().collect();
        masks.dedup_by_key(|cpu| chosen(cpu));
        masks
    });
    thread_local! { static ASKED: Cell<usize> = const { Cell::new(0) } }
    let (native, others) = ALL.split_first().expect("the processor itself");
    if others.is_empty() || std::env::var_os("CARRYSAVE_SLOW").is_some() {
        return ALL.clone();
    }
    vec![
        *native,
        others[ASKED.replace(ASKED.get() + 1) % others.len()],
    ]
}

pub fn flipped(x: &Nat, bit: usize) -> Nat {
    let mut limbs = x.limbs().to_vec();
    limbs[bit / 64] ^= 1 << (bit % 64);
    Nat::from_limbs(&limbs)
}

/// Caches the result for the last input, for files in which many cases share a key.
pub struct Last<K, V>(Option<(K, V)>);

impl<K: PartialEq, V> Last<K, V> {
    pub fn new() -> Self {
        Last(None)
    }

    pub fn get(&mut self, key: K, make: impl FnOnce(&K) -> V) -> &V {
        if self.0.as_ref().is_none_or(|(k, _)| *k != key) {
            let value = make(&key);
            self.0 = Some((key, value));
        }
        &self.0.as_ref().expect("just put there").1
    }
}
