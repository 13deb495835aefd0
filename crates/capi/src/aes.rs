//! AES in the modes ECB, CBC and CTR.

use crate::error::{cs_error, cs_error::*, entry};
use crate::memory::{addresses, free, give, input, object, text};
use crate::threads::{cs_threads, team};
use carrysave::symmetric::aes::Aes;
use core::ffi::c_uint;

/// AES with a key, which is wiped when it is freed. No mode authenticates. `to` and `from` of the functions are the
/// same buffer or two apart, and `to` is apart from their other inputs; from 1 MiB on they use `threads`, or the calling
/// thread alone if that is null.
///
/// Threads: any number may use one object at once; one frees it.
pub struct cs_aes(Aes);

/// AES with a key of 16, 24 or 32 bytes.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_aes_new(
    key: *const u8,
    key_len: usize,
    aes: *mut *mut cs_aes,
) -> cs_error {
    entry! { give(aes, || Aes::new(input(key, key_len)?).map(cs_aes).ok_or(CS_ERROR_LENGTH)) }
}

/// Wipes and frees; null is nothing.
///
/// Threads: one, the last to use it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_aes_free(aes: *mut cs_aes) {
    // SAFETY: as the header says.
    unsafe { free(aes) }
}

/// Encrypts each block of 16 bytes by itself.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_aes_ecb_encrypt(
    aes: *const cs_aes,
    threads: *const cs_threads,
    to: *mut u8,
    from: *const u8,
    len: usize,
) -> cs_error {
    entry! {
        let (aes, team) = (&object(aes)?.0, team(threads)?);
        blocks(len)?;
        aes.ecb_encrypt_on(team, text(to, from, len, &[])?);
        Ok(())
    }
}

/// Inverts `cs_aes_ecb_encrypt`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_aes_ecb_decrypt(
    aes: *const cs_aes,
    threads: *const cs_threads,
    to: *mut u8,
    from: *const u8,
    len: usize,
) -> cs_error {
    entry! {
        let (aes, team) = (&object(aes)?.0, team(threads)?);
        blocks(len)?;
        aes.ecb_decrypt_on(team, text(to, from, len, &[])?);
        Ok(())
    }
}

/// Encrypts consecutive streams of equal length, each whole blocks in a chain of its own: `ivs` has 16 bytes for each,
/// `len` is the length of all. One stream cannot be divided; many are encrypted side by side.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_aes_cbc_encrypt(
    aes: *const cs_aes,
    threads: *const cs_threads,
    ivs: *const u8,
    ivs_len: usize,
    to: *mut u8,
    from: *const u8,
    len: usize,
) -> cs_error {
    entry! {
        let (aes, team) = (&object(aes)?.0, team(threads)?);
        let (ivs, rest) = input(ivs, ivs_len)?.as_chunks();
        if ivs.is_empty() || !rest.is_empty() || !len.is_multiple_of(16 * ivs.len()) {
            return Err(CS_ERROR_LENGTH);
        }
        let text = text(to, from, len, &[addresses(ivs)])?;
        aes.cbc_encrypt_streams_on(team, ivs, text);
        Ok(())
    }
}

/// Decrypts one stream of `cs_aes_cbc_encrypt`; `iv` has 16 bytes.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_aes_cbc_decrypt(
    aes: *const cs_aes,
    threads: *const cs_threads,
    iv: *const u8,
    iv_len: usize,
    to: *mut u8,
    from: *const u8,
    len: usize,
) -> cs_error {
    entry! {
        let (aes, team) = (&object(aes)?.0, team(threads)?);
        let iv: &[u8; 16] = input(iv, iv_len)?.try_into().map_err(|_| CS_ERROR_LENGTH)?;
        blocks(len)?;
        aes.cbc_decrypt_on(team, iv, text(to, from, len, &[addresses(iv)])?);
        Ok(())
    }
}

/// Encrypts or decrypts in counter mode, from byte `position` of the stream on. `counter` is the first counter block,
/// of 16 bytes; its last `bits` bits, 1 to 128, count. A counter block must never be used twice with a key.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_aes_ctr(
    aes: *const cs_aes,
    threads: *const cs_threads,
    counter: *const u8,
    counter_len: usize,
    bits: c_uint,
    position: u64,
    to: *mut u8,
    from: *const u8,
    len: usize,
) -> cs_error {
    entry! {
        let (aes, team) = (&object(aes)?.0, team(threads)?);
        let counter: &[u8; 16] = input(counter, counter_len)?.try_into().map_err(|_| CS_ERROR_LENGTH)?;
        if !(1..=128).contains(&bits) || position.checked_add(len as u64).is_none() {
            return Err(CS_ERROR_ARGUMENT);
        }
        let text = text(to, from, len, &[addresses(counter)])?;
        aes.apply_ctr_on(team, counter, bits, position, text);
        Ok(())
    }
}

fn blocks(len: usize) -> Result<(), cs_error> {
    match len.is_multiple_of(16) {
        true => Ok(()),
        false => Err(CS_ERROR_LENGTH),
    }
}
