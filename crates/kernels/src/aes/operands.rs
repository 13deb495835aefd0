//! The operands of AES.

use crate::op::Sizes;

/// n blocks in m rounds, 1 to 16.
pub static SIZES: Sizes = Sizes {
    about: "n blocks, m rounds",
    // Up to two groups of the widest vectors in flight; two windows of counters, and more.
    walk: || {
        let few = (1..=9).chain([12, 15, 16, 17, 31, 32, 33, 36, 64, 65]);
        let few = few.flat_map(|n| [1, 2, 3, 10, 12, 14, 16].map(|m| (n, m)));
        let many = [512, 805].into_iter();
        let many = many.flat_map(|n| [10, 12, 14].map(|m| (n, m)));
        few.chain(many).collect()
    },
    // AES-128.
    of_bits: |bits| Some(((bits / 64).div_ceil(2), 10)),
};
