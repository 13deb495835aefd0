//! Threefish.

use crate::error::{Outcome, cs_error, cs_error::*, entry};
use crate::memory::{addresses, free, give, input, object, text};
use crate::threads::{cs_threads, team};
use carrysave::symmetric::threefish::{Threefish256, Threefish512, Threefish1024};

/// Threefish with a key, which is wiped when it is freed. No mode authenticates. Tweaks are two words. `to` and `from`
/// of the functions are the same buffer or two apart, and `to` is apart from their other inputs; from 256 KiB on they use
/// `threads`, or the calling thread alone if that is null.
///
/// Threads: any number may use one object at once; one frees it.
pub struct cs_threefish(Cipher);

enum Cipher {
    W4(Threefish256),
    W8(Threefish512),
    W16(Threefish1024),
}

use Cipher::*;

/// Evaluates an expression with the cipher of any width.
macro_rules! with {
    ($of:expr, $cipher:ident => $body:expr) => {
        match $of {
            W4($cipher) => $body,
            W8($cipher) => $body,
            W16($cipher) => $body,
        }
    };
}

impl Cipher {
    fn block(&self) -> usize {
        match self {
            W4(_) => 32,
            W8(_) => 64,
            W16(_) => 128,
        }
    }

    fn blocks(&self, len: usize) -> Outcome {
        match len.is_multiple_of(self.block()) {
            true => Ok(()),
            false => Err(CS_ERROR_LENGTH),
        }
    }
}

/// # Safety
/// `tweak` is null or two words lie there.
unsafe fn words<'a>(tweak: *const u64) -> Outcome<&'a [u64; 2]> {
    // SAFETY: as the caller says.
    let words = unsafe { input(tweak, 2) }?;
    words.try_into().map_err(|_| CS_ERROR_LENGTH)
}

/// Threefish-256, -512 or -1024, by the length of the key: 32, 64 or 128 bytes, which is that of a block, too.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_threefish_new(
    key: *const u8,
    key_len: usize,
    cipher: *mut *mut cs_threefish,
) -> cs_error {
    entry! {
        give(cipher, || {
            let key = input(key, key_len)?;
            Ok(cs_threefish(match key_len {
                32 => W4(Threefish256::new(key)),
                64 => W8(Threefish512::new(key)),
                128 => W16(Threefish1024::new(key)),
                _ => return Err(CS_ERROR_LENGTH),
            }))
        })
    }
}

/// Wipes and frees; null is nothing.
///
/// Threads: one, the last to use it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_threefish_free(cipher: *mut cs_threefish) {
    // SAFETY: as the header says.
    unsafe { free(cipher) }
}

/// Encrypts blocks, the first with `tweak`, whose word `tweak[0]` increases by one from block to block: equal blocks do
/// not stay equal. For sectors of a disk, `tweak[1]` is the sector.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_threefish_encrypt(
    cipher: *const cs_threefish,
    threads: *const cs_threads,
    tweak: *const u64,
    to: *mut u8,
    from: *const u8,
    len: usize,
) -> cs_error {
    entry! {
        let (cipher, team, tweak) = (&object(cipher)?.0, team(threads)?, words(tweak)?);
        cipher.blocks(len)?;
        let text = text(to, from, len, &[addresses(tweak)])?;
        with!(cipher, cipher => cipher.encrypt_counting_on(team, *tweak, text));
        Ok(())
    }
}

/// Inverts `cs_threefish_encrypt`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_threefish_decrypt(
    cipher: *const cs_threefish,
    threads: *const cs_threads,
    tweak: *const u64,
    to: *mut u8,
    from: *const u8,
    len: usize,
) -> cs_error {
    entry! {
        let (cipher, team, tweak) = (&object(cipher)?.0, team(threads)?, words(tweak)?);
        cipher.blocks(len)?;
        let text = text(to, from, len, &[addresses(tweak)])?;
        with!(cipher, cipher => cipher.decrypt_counting_on(team, *tweak, text));
        Ok(())
    }
}

/// Encrypts or decrypts in counter mode, from byte `position` of the stream on. `counter` has a block's words, of which
/// `counter[0]` counts. A counter must never be used twice with a key and a tweak.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_threefish_ctr(
    cipher: *const cs_threefish,
    threads: *const cs_threads,
    tweak: *const u64,
    counter: *const u64,
    counter_len: usize,
    position: u64,
    to: *mut u8,
    from: *const u8,
    len: usize,
) -> cs_error {
    entry! {
        let (cipher, team, tweak) = (&object(cipher)?.0, team(threads)?, words(tweak)?);
        let counter = input(counter, counter_len)?;
        if position.checked_add(len as u64).is_none() {
            return Err(CS_ERROR_ARGUMENT);
        }
        with!(cipher, cipher => {
            let first = counter.try_into().map_err(|_| CS_ERROR_LENGTH)?;
            let text = text(to, from, len, &[addresses(tweak), addresses(counter)])?;
            cipher.apply_ctr_on(team, *tweak, first, position, text);
        });
        Ok(())
    }
}
