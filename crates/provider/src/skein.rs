//! DIGEST of Skein (version 1.3): `SKEIN-256` and `SKEIN-512`, with as many bits of output as of state, and `SKEIN-512-256`.
//! libcrypto keeps digests in 64 bytes (`EVP_MAX_MD_SIZE`), and does not look whether they fit.

use crate::abi::{Dispatch, Param, digest, kind};
use crate::failure::{Failure, bytes, quiet, write};
use crate::held::{self, Held};
use crate::param::wanted;
use carrysave::symmetric::skein::{Parameters, Skein};
use core::ffi::{c_int, c_void};
use zeroize::Zeroizing;

/// The room that libcrypto has for a digest, in bytes.
const EVP_MAX_MD_SIZE: usize = 64;

/// A hash with a state of W words, once it runs.
type Running<const W: usize> = Option<Skein<W>>;

unsafe extern "C" fn init<const W: usize, const LEN: usize>(
    hash: *mut c_void,
    _params: *const Param,
) -> c_int {
    // SAFETY: it is a hash of ours.
    unsafe {
        Held::change(hash, |hash: &mut Running<W>| {
            *hash = Some(Skein::new(&Parameters::new(LEN as u64)));
            Ok(())
        })
    }
}

unsafe extern "C" fn update<const W: usize>(
    hash: *mut c_void,
    data: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: it is a hash of ours, and data.
    unsafe {
        Held::change(hash, |hash: &mut Running<W>| {
            let hash = hash.as_mut().ok_or_else(Failure::order)?;
            hash.update(bytes(data, len));
            Ok(())
        })
    }
}

unsafe extern "C" fn finish<const W: usize, const LEN: usize>(
    hash: *mut c_void,
    out: *mut u8,
    len: *mut usize,
    size: usize,
) -> c_int {
    // SAFETY: it is a hash of ours, and room.
    unsafe {
        Held::change(hash, |hash: &mut Running<W>| {
            let hash = hash.take().ok_or_else(Failure::order)?;
            write(out, len, size, LEN, || {
                let mut digest = Zeroizing::new(vec![0; LEN]);
                hash.finalize().read(&mut digest);
                Ok(digest)
            })
        })
    }
}

unsafe extern "C" fn get_params<const W: usize, const LEN: usize>(params: *mut Param) -> c_int {
    quiet(0, || {
        // SAFETY: OpenSSL passes a list.
        let mut params = unsafe { wanted(params) };
        let answered = params.all(|mut param| {
            let answered = match param.name().to_bytes() {
                b"blocksize" => param.set_integer(8 * W as i32),
                b"size" => param.set_integer(LEN as i32),
                b"xof" | b"algid-absent" => param.set_integer(0),
                _ => Ok(()),
            };
            answered.is_ok()
        });
        c_int::from(answered)
    })
}

unsafe extern "C" fn gettable(_provider: *mut c_void) -> *const Param {
    static GETTABLE: [Param; 5] = [
        Param::describe(c"blocksize", kind::UNSIGNED),
        Param::describe(c"size", kind::UNSIGNED),
        Param::describe(c"xof", kind::INTEGER),
        Param::describe(c"algid-absent", kind::INTEGER),
        Param::END,
    ];
    GETTABLE.as_ptr()
}

/// The functions of a hash with a state of W words and an output of LEN bytes.
pub const fn table<const W: usize, const LEN: usize>() -> [Dispatch; 9] {
    assert!(LEN <= EVP_MAX_MD_SIZE);
    [
        digest::NEWCTX.is(held::new::<Running<W>>),
        digest::FREECTX.is(held::free::<Running<W>>),
        digest::DUPCTX.is(held::dup::<Running<W>>),
        digest::INIT.is(init::<W, LEN>),
        digest::UPDATE.is(update::<W>),
        digest::FINAL.is(finish::<W, LEN>),
        digest::GET_PARAMS.is(get_params::<W, LEN>),
        digest::GETTABLE_PARAMS.is(gettable),
        Dispatch::END,
    ]
}
