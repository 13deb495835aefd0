//! BLAKE3, with its assembly.

use super::{Bulk, Refusal, Rival, hashing};

pub(super) const RIVAL: Rival = Rival {
    bulk: Some(|_, bulk| match bulk {
        Bulk::Blake3 => hashing(|data| ::blake3::hash(data).as_bytes().to_vec()),
        _ => Err(Refusal::NotOffered),
    }),
    ..Rival::new("blake3", || {
        concat!("blake3 ", env!("LAB_VERSION_BLAKE3")).to_owned()
    })
};
