//! The bits of random numbers, for the tests of each crate that draws some.

use std::{collections::BTreeMap, ops::Range};

/// The numbers in which bits are compared.
pub const DRAWS: usize = 256;

/// Each of these bits, from the lowest one of big-endian octets, is 1 in an eighth of the numbers and 0 in an eighth, and no
/// two of them are always equal, or always different.
///
/// Of a fair bit this is untrue once in 2^119 runs, and of two independent bits once in 2^255. The tests compare fewer than
/// 2^18 bits together, so that chance makes one of them fail once in 2^101 runs.
pub fn vary(what: &str, numbers: &[impl AsRef<[u8]>], bits: Range<usize>) {
    assert_eq!(numbers.len(), DRAWS, "{what}");
    let mut columns = BTreeMap::new();
    for bit in bits {
        let is_set = |number: &[u8]| number[number.len() - 1 - bit / 8] >> (bit % 8) & 1 == 1;
        let column: Vec<bool> = numbers.iter().map(|x| is_set(x.as_ref())).collect();
        let set = column.iter().filter(|&&is_set| is_set).count();
        assert!(
            (33..=DRAWS - 33).contains(&set),
            "{what}: bit {bit} is set in {set} of {DRAWS}"
        );
        // One of a column and its complement stands for both.
        let either: Vec<bool> = column.iter().map(|is_set| is_set ^ column[0]).collect();
        if let Some(other) = columns.insert(either, bit) {
            panic!("{what}: bits {other} and {bit} are always equal, or always different");
        }
    }
}
