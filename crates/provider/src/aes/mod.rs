//! CIPHER of AES in the modes CTR and ECB. CBC stays with the default provider: libssl has its ciphers remove the paddings
//! and codes of old TLS records in CBC.

mod ctr;
mod data;
mod ecb;

pub use ctr::Ctr;
pub use ecb::Ecb;

use crate::abi::{Dispatch, Param, cipher, kind};
use crate::counters;
use crate::failure::{Failure, bytes, quiet};
use crate::held::{self, Held, Operation};
use crate::param::{Params, Wanted, wanted};
use carrysave::symmetric::aes::Aes;
use core::ffi::{c_int, c_void};
use data::Data;

/// Bytes of a block.
const BLOCK: usize = 16;

/// A mode of operation, with its state.
pub trait Mode: Default + Clone + 'static {
    /// Its number in OpenSSL.
    const NUMBER: i32;
    /// Bytes of an initialisation vector.
    const IV: usize;
    /// Bytes that are encrypted at a time, as a program sees it.
    const UNIT: usize;

    /// Begins a message.
    fn start(&mut self, encrypts: bool, iv: Option<&[u8; BLOCK]>);
    /// Encrypts or decrypts what is there; returns how many bytes it has written.
    fn update(&mut self, aes: &Aes, data: Data<'_>) -> Result<usize, Failure>;
    /// Ends the message; returns how many bytes it has written.
    fn finish(&mut self, aes: &Aes, out: Data<'_>) -> Result<usize, Failure>;
    /// Encrypts or decrypts all at once, without padding.
    fn once(&mut self, aes: &Aes, data: Data<'_>) -> Result<usize, Failure>;
    /// Whether messages are padded.
    fn pads(&self) -> bool {
        false
    }
    /// Has messages padded or not, if the mode pads at all.
    fn set_padding(&mut self, _pads: bool) {}
    /// The first initialisation vector, the next one, and how many bytes of the last block are used up.
    fn position(&self) -> Option<(&[u8; BLOCK], &[u8; BLOCK], usize)> {
        None
    }
}

/// A cipher with a key of so many bytes, once it has one.
#[derive(Clone, Default)]
struct Context<M, const KEY: usize> {
    aes: Option<Aes>,
    mode: M,
}

impl<M: Mode, const KEY: usize> Context<M, KEY> {
    fn start(
        &mut self,
        encrypts: bool,
        key: &[u8],
        iv: &[u8],
        params: &Params<'_>,
    ) -> Result<(), Failure> {
        let iv = match iv {
            [] => None,
            _ if M::IV == 0 => None,
            _ => Some(iv.try_into().map_err(|_| {
                Failure::new(format!(
                    "the initialisation vector has {} bytes: pass one of {BLOCK}",
                    iv.len()
                ))
            })?),
        };
        if !key.is_empty() {
            let aes = (key.len() == KEY).then(|| Aes::new(key)).flatten();
            let wrong = || {
                Failure::new(format!(
                    "the key has {} bytes: pass one of {KEY}",
                    key.len()
                ))
            };
            self.aes = Some(aes.ok_or_else(wrong)?);
            counters::CIPHERS.count();
        }
        self.mode.start(encrypts, iv);
        self.set(params)
    }
}

impl<M: Mode, const KEY: usize> Operation for Context<M, KEY> {
    const SETTABLE: &'static [Param] = &[
        Param::describe(c"padding", kind::UNSIGNED),
        Param::describe(c"num", kind::UNSIGNED),
        Param::describe(c"keylen", kind::UNSIGNED),
        Param::describe(c"ivlen", kind::UNSIGNED),
        Param::END,
    ];
    const GETTABLE: &'static [Param] = &[
        Param::describe(c"keylen", kind::UNSIGNED),
        Param::describe(c"ivlen", kind::UNSIGNED),
        Param::describe(c"padding", kind::UNSIGNED),
        Param::describe(c"num", kind::UNSIGNED),
        Param::describe(c"iv", kind::OCTETS),
        Param::describe(c"updated-iv", kind::OCTETS),
        Param::END,
    ];

    fn set(&mut self, params: &Params<'_>) -> Result<(), Failure> {
        if let Some(value) = params.find(c"padding") {
            self.mode.set_padding(value.integer()? != 0);
        }
        for (name, expected) in [(c"keylen", KEY), (c"ivlen", M::IV)] {
            let other = params.find(name).map(|value| value.integer()).transpose()?;
            if other.is_some_and(|len| len != expected as i64) {
                return Err(Failure::new(format!(
                    "this cipher has a key of {KEY} bytes and an initialisation vector of {}: fetch the cipher that has the length you need",
                    M::IV
                )));
            }
        }
        let used = self.mode.position().map_or(0, |(.., used)| used);
        match params
            .find(c"num")
            .map(|value| value.integer())
            .transpose()?
        {
            Some(number) if number != used as i64 => Err(Failure::new(
                "the place within a block cannot be set: give the bytes before it to the cipher, too",
            )),
            _ => Ok(()),
        }
    }

    fn answer(&self, wanted: &mut Wanted<'_>) -> Result<(), Failure> {
        match (wanted.name().to_bytes(), self.mode.position()) {
            (b"keylen", _) => wanted.set_integer(KEY as i32),
            (b"ivlen", _) => wanted.set_integer(M::IV as i32),
            (b"padding", _) => wanted.set_integer(self.mode.pads().into()),
            (b"num", Some((.., used))) => wanted.set_integer(used as i32),
            (b"iv", Some((first, ..))) => wanted.set_octets_or_pointer(first),
            (b"updated-iv", Some((_, next, _))) => wanted.set_octets_or_pointer(next),
            _ => Ok(()),
        }
    }
}

unsafe extern "C" fn init<M: Mode, const KEY: usize, const ENCRYPTS: bool>(
    context: *mut c_void,
    key: *const u8,
    key_len: usize,
    iv: *const u8,
    iv_len: usize,
    params: *const Param,
) -> c_int {
    // SAFETY: it is a context of ours, and OpenSSL passes bytes and a list.
    unsafe {
        Held::change(context, |context: &mut Context<M, KEY>| {
            let (key, iv) = (bytes(key, key_len), bytes(iv, iv_len));
            context.start(ENCRYPTS, key, iv, &Params::new(params))
        })
    }
}

/// An entry that writes to `out`, of a context with a key.
///
/// # Safety
/// `context` must be one of ours, `out` writable for `size` bytes, `from` readable for `from_len`, and `len` writable.
unsafe fn written<M: Mode, const KEY: usize>(
    context: *mut c_void,
    (out, len, size): (*mut u8, *mut usize, usize),
    (from, from_len): (*const u8, usize),
    call: fn(&mut M, &Aes, Data<'_>) -> Result<usize, Failure>,
) -> c_int {
    // SAFETY: as the caller says.
    unsafe {
        Held::change(context, |context: &mut Context<M, KEY>| {
            let Context { aes, mode } = context;
            let aes = aes.as_ref().ok_or_else(Failure::order)?;
            let written = call(mode, aes, Data::new(out, size, from, from_len))?;
            if let Some(len) = len.as_mut() {
                *len = written;
            }
            Ok(())
        })
    }
}

unsafe extern "C" fn update<M: Mode, const KEY: usize>(
    context: *mut c_void,
    out: *mut u8,
    len: *mut usize,
    size: usize,
    from: *const u8,
    from_len: usize,
) -> c_int {
    // SAFETY: OpenSSL passes what the function says.
    unsafe { written::<M, KEY>(context, (out, len, size), (from, from_len), M::update) }
}

unsafe extern "C" fn finish<M: Mode, const KEY: usize>(
    context: *mut c_void,
    out: *mut u8,
    len: *mut usize,
    size: usize,
) -> c_int {
    // SAFETY: OpenSSL passes what the function says.
    unsafe { written::<M, KEY>(context, (out, len, size), (out, 0), M::finish) }
}

unsafe extern "C" fn once<M: Mode, const KEY: usize>(
    context: *mut c_void,
    out: *mut u8,
    len: *mut usize,
    size: usize,
    from: *const u8,
    from_len: usize,
) -> c_int {
    // SAFETY: OpenSSL passes what the function says.
    unsafe { written::<M, KEY>(context, (out, len, size), (from, from_len), M::once) }
}

unsafe extern "C" fn get_params<M: Mode, const KEY: usize>(params: *mut Param) -> c_int {
    quiet(0, || {
        // SAFETY: OpenSSL passes a list.
        let mut params = unsafe { wanted(params) };
        let answered = params.all(|mut param| {
            let answered = match param.name().to_bytes() {
                b"mode" => param.set_integer(M::NUMBER),
                b"keylen" => param.set_integer(KEY as i32),
                b"ivlen" => param.set_integer(M::IV as i32),
                b"blocksize" => param.set_integer(M::UNIT as i32),
                b"aead" | b"custom-iv" | b"cts" | b"tls-multi" | b"has-randkey"
                | b"encrypt-then-mac" => param.set_integer(0),
                _ => Ok(()),
            };
            answered.is_ok()
        });
        c_int::from(answered)
    })
}

unsafe extern "C" fn gettable_params(_provider: *mut c_void) -> *const Param {
    static GETTABLE: [Param; 11] = [
        Param::describe(c"mode", kind::UNSIGNED),
        Param::describe(c"keylen", kind::UNSIGNED),
        Param::describe(c"ivlen", kind::UNSIGNED),
        Param::describe(c"blocksize", kind::UNSIGNED),
        Param::describe(c"aead", kind::INTEGER),
        Param::describe(c"custom-iv", kind::INTEGER),
        Param::describe(c"cts", kind::INTEGER),
        Param::describe(c"tls-multi", kind::INTEGER),
        Param::describe(c"has-randkey", kind::INTEGER),
        Param::describe(c"encrypt-then-mac", kind::INTEGER),
        Param::END,
    ];
    GETTABLE.as_ptr()
}

/// The functions of AES in a mode, with a key of KEY bytes.
pub const fn table<M: Mode, const KEY: usize>() -> [Dispatch; 15] {
    [
        cipher::NEWCTX.is(held::new::<Context<M, KEY>>),
        cipher::FREECTX.is(held::free::<Context<M, KEY>>),
        cipher::DUPCTX.is(held::dup::<Context<M, KEY>>),
        cipher::ENCRYPT_INIT.is(init::<M, KEY, true>),
        cipher::DECRYPT_INIT.is(init::<M, KEY, false>),
        cipher::UPDATE.is(update::<M, KEY>),
        cipher::FINAL.is(finish::<M, KEY>),
        cipher::CIPHER.is(once::<M, KEY>),
        cipher::GET_PARAMS.is(get_params::<M, KEY>),
        cipher::GET_CTX_PARAMS.is(held::get::<Context<M, KEY>>),
        cipher::SET_CTX_PARAMS.is(held::set::<Context<M, KEY>>),
        cipher::GETTABLE_PARAMS.is(gettable_params),
        cipher::GETTABLE_CTX_PARAMS.is(held::gettable::<Context<M, KEY>>),
        cipher::SETTABLE_CTX_PARAMS.is(held::settable::<Context<M, KEY>>),
        Dispatch::END,
    ]
}
