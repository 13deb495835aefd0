//! Skein.

use crate::error::{cs_error, cs_error::*, entry};
use crate::memory::{Output, changed, free, give, input};
use crate::threads::{cs_threads, team};
use carrysave::symmetric::skein::{Parameters, Skein256, Skein512, Skein1024, Tree};
use core::ffi::c_int;

/// A running hash. Its state is wiped when it is freed.
///
/// Threads: one at a time.
pub struct cs_skein {
    /// Nothing after the end.
    hash: Option<Hash>,
    bytes: usize,
}

enum Hash {
    W4(Skein256),
    W8(Skein512),
    W16(Skein1024),
}

use Hash::*;

/// Which function of the family, for `cs_skein_new`. Fill it with zeros first.
#[repr(C)]
pub struct cs_skein_parameters {
    /// The bits of the state: 256, 512 or 1024.
    pub state_bits: c_int,
    /// Whether to hash as a tree, whose leaves are hashed side by side and on several threads: 0 for a chain, 1 for the
    /// usual tree, or 2 for that of `leaf`, `node` and `height`.
    pub tree: c_int,
    /// Leaves have 2^leaf blocks: 1 to 48.
    pub leaf: u8,
    /// Nodes have 2^node blocks: 1 to 48.
    pub node: u8,
    /// The most levels: 2 to 255.
    pub height: u8,
    /// The bytes of the output.
    pub out_len: usize,
    /// A key, for a message authentication code; null and 0 without one.
    pub key: *const u8,
    /// Its bytes.
    pub key_len: usize,
    /// A personalization, or null and 0.
    pub personalization: *const u8,
    /// Its bytes.
    pub personalization_len: usize,
    /// A nonce, or null and 0.
    pub nonce: *const u8,
    /// Its bytes.
    pub nonce_len: usize,
}

/// Starts a hash.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_skein_new(
    parameters: *const cs_skein_parameters,
    hash: *mut *mut cs_skein,
) -> cs_error {
    entry! {
        give(hash, || {
            let of = crate::memory::object(parameters)?;
            if of.out_len as u64 >= 1 << 61 {
                return Err(CS_ERROR_LENGTH);
            }
            let mut p = Parameters::new(of.out_len as u64).key(input(of.key, of.key_len)?);
            let personalization = input(of.personalization, of.personalization_len)?;
            if !personalization.is_empty() {
                p = p.personalization(personalization);
            }
            let nonce = input(of.nonce, of.nonce_len)?;
            if !nonce.is_empty() {
                p = p.nonce(nonce);
            }
            match of.tree {
                0 => {}
                1 => p = p.tree(Tree::default()),
                2 => p = p.tree(Tree::new(of.leaf, of.node, of.height).ok_or(CS_ERROR_ARGUMENT)?),
                _ => return Err(CS_ERROR_ARGUMENT),
            }
            let hash = match of.state_bits {
                256 => W4(Skein256::new(&p)),
                512 => W8(Skein512::new(&p)),
                1024 => W16(Skein1024::new(&p)),
                _ => return Err(CS_ERROR_ARGUMENT),
            };
            Ok(cs_skein { hash: Some(hash), bytes: of.out_len })
        })
    }
}

/// Adds the next piece of the message. A tree uses `threads`, or the calling thread alone if that is null; pieces of 4
/// MiB and more are fastest then.
///
/// Threads: one at a time a hash.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_skein_update(
    hash: *mut cs_skein,
    threads: *const cs_threads,
    data: *const u8,
    len: usize,
) -> cs_error {
    entry! {
        let (data, team) = (input(data, len)?, team(threads)?);
        match changed(hash)?.hash.as_mut().ok_or(CS_ERROR_ARGUMENT)? {
            W4(hash) => hash.update_on(team, data),
            W8(hash) => hash.update_on(team, data),
            W16(hash) => hash.update_on(team, data),
        }
        Ok(())
    }
}

/// Ends the message and writes the output: `len` is `out_len` of the parameters. The hash can only be freed then.
///
/// Threads: one at a time a hash.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_skein_final(hash: *mut cs_skein, out: *mut u8, len: usize) -> cs_error {
    entry! {
        let (hash, out) = (changed(hash)?, Output::new(out, len)?);
        if len != hash.bytes {
            return Err(CS_ERROR_LENGTH);
        }
        let mut bytes = zeroize::Zeroizing::new(vec![0; len]);
        match hash.hash.take().ok_or(CS_ERROR_ARGUMENT)? {
            W4(hash) => hash.finalize().read(&mut bytes),
            W8(hash) => hash.finalize().read(&mut bytes),
            W16(hash) => hash.finalize().read(&mut bytes),
        }
        out.write(&bytes)
    }
}

/// Wipes and frees; null is nothing.
///
/// Threads: one, the last to use it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_skein_free(hash: *mut cs_skein) {
    // SAFETY: as the header says.
    unsafe { free(hash) }
}
