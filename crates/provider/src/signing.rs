//! The entries that all algorithms of signatures have.

use crate::abi::Param;
use crate::failure::{Failure, bytes, text, write};
use crate::held::{self, Held, Operation};
use crate::param::Params;
use core::ffi::{c_char, c_int, c_void};
use zeroize::Zeroizing;

/// An operation that signs or verifies.
pub trait Signing: Operation + Default {
    /// Takes a key; without one, goes on with the last.
    ///
    /// # Safety
    /// `key` must be null or a key of this algorithm.
    unsafe fn init(&mut self, key: *const c_void, signing: bool) -> Result<(), Failure>;
    /// The length of the longest signature.
    fn most(&self) -> Result<usize, Failure>;
    /// Signs what belongs to the operation: a digest, or a message.
    fn sign(&mut self, tbs: &[u8]) -> Result<Zeroizing<Vec<u8>>, Failure>;
    /// Fails unless the signature is valid.
    fn verify(&mut self, signature: &[u8], tbs: &[u8]) -> Result<(), Failure>;
}

/// An operation on a message that comes in pieces.
pub trait Streaming: Signing {
    /// Begins with the hash of this name, or with that which is set.
    fn message(&mut self, hash: Option<&str>) -> Result<(), Failure>;
    /// Takes a piece.
    fn update(&mut self, data: &[u8]) -> Result<(), Failure>;
    /// Signs the message.
    fn sign_message(&mut self) -> Result<Zeroizing<Vec<u8>>, Failure>;
    /// Fails unless the signature of the message is valid.
    fn verify_message(&mut self, signature: &[u8]) -> Result<(), Failure>;
}

pub unsafe extern "C" fn new<T: Signing>(
    provider: *mut c_void,
    _properties: *const c_char,
) -> *mut c_void {
    // SAFETY: OpenSSL passes what the provider gave it.
    unsafe { held::new::<T>(provider) }
}

pub unsafe extern "C" fn init<T: Signing, const SIGNING: bool>(
    context: *mut c_void,
    key: *mut c_void,
    params: *const Param,
) -> c_int {
    // SAFETY: OpenSSL passes a context and a key of ours, and a list.
    unsafe {
        Held::change(context, |context: &mut T| {
            context.init(key, SIGNING)?;
            context.set(&Params::new(params))
        })
    }
}

pub unsafe extern "C" fn message_init<T: Streaming, const SIGNING: bool>(
    context: *mut c_void,
    digest: *const c_char,
    key: *mut c_void,
    params: *const Param,
) -> c_int {
    // SAFETY: OpenSSL passes a context and a key of ours, a text, and a list.
    unsafe {
        Held::change(context, |context: &mut T| {
            context.init(key, SIGNING)?;
            context.set(&Params::new(params))?;
            context.message(text(digest)?)
        })
    }
}

pub unsafe extern "C" fn update<T: Streaming>(
    context: *mut c_void,
    data: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: OpenSSL passes a context of ours, and data.
    unsafe { Held::change(context, |context: &mut T| context.update(bytes(data, len))) }
}

pub unsafe extern "C" fn sign<T: Signing>(
    context: *mut c_void,
    out: *mut u8,
    len: *mut usize,
    size: usize,
    tbs: *const u8,
    tbs_len: usize,
) -> c_int {
    // SAFETY: OpenSSL passes a context of ours, room, and data.
    unsafe {
        Held::change(context, |context: &mut T| {
            write(out, len, size, context.most()?, || {
                context.sign(bytes(tbs, tbs_len))
            })
        })
    }
}

pub unsafe extern "C" fn sign_final<T: Streaming>(
    context: *mut c_void,
    out: *mut u8,
    len: *mut usize,
    size: usize,
) -> c_int {
    // SAFETY: OpenSSL passes a context of ours, and room.
    unsafe {
        Held::change(context, |context: &mut T| {
            write(out, len, size, context.most()?, || context.sign_message())
        })
    }
}

pub unsafe extern "C" fn verify<T: Signing>(
    context: *mut c_void,
    signature: *const u8,
    signature_len: usize,
    tbs: *const u8,
    tbs_len: usize,
) -> c_int {
    // SAFETY: OpenSSL passes a context of ours, and data.
    unsafe {
        Held::change(context, |context: &mut T| {
            context.verify(bytes(signature, signature_len), bytes(tbs, tbs_len))
        })
    }
}

pub unsafe extern "C" fn verify_final<T: Streaming>(
    context: *mut c_void,
    signature: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: OpenSSL passes a context of ours, and data.
    unsafe {
        Held::change(context, |context: &mut T| {
            context.verify_message(bytes(signature, len))
        })
    }
}
