//! DIGEST of Skein (version 1.3): `SKEIN-256`, `SKEIN-512` and `SKEIN-1024`, with as many bits of output as of state, and
//! `SKEIN-512-256`.

use crate::abi::{Dispatch, Param, digest, kind};
use crate::failure::{Failure, Held, checked, quiet, write};
use crate::param::wanted;
use carrysave::symmetric::skein::{Parameters, Skein};
use core::ffi::{c_int, c_void};
use core::ptr::null_mut;
use zeroize::Zeroizing;

/// A hash with a state of W words and an output of LEN bytes, while it runs.
#[derive(Clone)]
struct Running<const W: usize, const LEN: usize>(Option<Skein<W>>);

unsafe extern "C" fn new<const W: usize, const LEN: usize>(provider: *mut c_void) -> *mut c_void {
    // SAFETY: OpenSSL passes what the provider gave it.
    match unsafe { Held::<()>::shared(provider) } {
        Some(Held { core, .. }) => quiet(null_mut(), || {
            Held::give(core.clone(), Running::<W, LEN>(None))
        }),
        None => null_mut(),
    }
}

unsafe extern "C" fn free<const W: usize, const LEN: usize>(hash: *mut c_void) {
    // SAFETY: OpenSSL passes what `new` or `dup` gave it.
    unsafe { Held::<Running<W, LEN>>::free(hash) }
}

unsafe extern "C" fn dup<const W: usize, const LEN: usize>(hash: *mut c_void) -> *mut c_void {
    // SAFETY: it is a hash of ours.
    match unsafe { Held::<Running<W, LEN>>::shared(hash) } {
        Some(Held { core, it }) => quiet(null_mut(), || Held::give(core.clone(), it.clone())),
        None => null_mut(),
    }
}

/// # Safety
/// `hash` must be of [`new`].
unsafe fn with<const W: usize, const LEN: usize>(
    hash: *mut c_void,
    call: impl FnOnce(&mut Option<Skein<W>>) -> Result<(), Failure>,
) -> c_int {
    // SAFETY: as the caller says.
    match unsafe { Held::<Running<W, LEN>>::exclusive(hash) } {
        Some(Held { core, it }) => checked(core, || call(&mut it.0)),
        None => 0,
    }
}

unsafe extern "C" fn init<const W: usize, const LEN: usize>(
    hash: *mut c_void,
    _params: *const Param,
) -> c_int {
    // SAFETY: it is a hash of ours.
    unsafe {
        with::<W, LEN>(hash, |hash| {
            *hash = Some(Skein::new(&Parameters::new(LEN as u64)));
            Ok(())
        })
    }
}

unsafe extern "C" fn update<const W: usize, const LEN: usize>(
    hash: *mut c_void,
    data: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: it is a hash of ours, and data.
    unsafe {
        with::<W, LEN>(hash, |hash| {
            let hash = hash.as_mut().ok_or_else(Failure::order)?;
            hash.update(crate::failure::bytes(data, len));
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
        with::<W, LEN>(hash, |hash| {
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
    [
        digest::NEWCTX.is(new::<W, LEN>),
        digest::FREECTX.is(free::<W, LEN>),
        digest::DUPCTX.is(dup::<W, LEN>),
        digest::INIT.is(init::<W, LEN>),
        digest::UPDATE.is(update::<W, LEN>),
        digest::FINAL.is(finish::<W, LEN>),
        digest::GET_PARAMS.is(get_params::<W, LEN>),
        digest::GETTABLE_PARAMS.is(gettable),
        Dispatch::END,
    ]
}
