//! The operands of Threefish.

use crate::op::{Generator, Sizes};

/// n blocks of m words, 4, 8 or 16.
pub static SIZES: Sizes = Sizes {
    about: "n blocks of m words",
    // Up to two groups of the widest vectors in flight.
    walk: || {
        let blocks = (1..=13).chain([15, 16, 17, 23, 24, 25, 31, 32, 33, 47, 48, 49, 96, 97]);
        blocks.flat_map(|n| [4, 8, 16].map(|m| (n, m))).collect()
    },
    // As many blocks of Threefish-256 as that.
    of_bits: |bits| Some(((bits / 64).div_ceil(4), 4)),
};

/// The step by which the tweak's lower word grows from block to block, often 0.
pub static STEP: Generator = Generator {
    about: "any, often 0",
    make: |source, _, _, _| {
        let any = source.limb();
        vec![[0, 1, any][source.choose(3)]]
    },
};
