//! The legacy schemes against known answers, Crypto++, hostile keys and injected faults.
//!
//! The vectors lie outside of the repository: `CARRYSAVE_VECTORS`, or else `../shared/vectors` beside it. Without them,
//! and without Crypto++ and a C++ compiler, the tests that need them say that they were skipped.
#![allow(missing_docs)]

mod agreement;
mod cryptopp;
mod ecnr;
mod elements;
mod faults;
mod integrated;
mod keys;
mod nr;
#[path = "../support/mod.rs"]
mod support;
mod vectors;

use carrysave_schemes::legacy::{KeygenOptions, esign, rabin, rw};
use support::rng;

const SMALL: KeygenOptions = KeygenOptions { allow_small: true };

fn rabin_key(bits: usize) -> rabin::PrivateKey {
    rabin::PrivateKey::generate_with(&mut rng(), bits, SMALL).unwrap()
}

fn rw_key(bits: usize) -> rw::PrivateKey {
    rw::PrivateKey::generate_with(&mut rng(), bits, SMALL).unwrap()
}

fn esign_key(bits: usize) -> esign::PrivateKey {
    esign::PrivateKey::generate_with(&mut rng(), bits, SMALL).unwrap()
}
