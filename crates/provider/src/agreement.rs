//! The entries that all key agreements have.

use crate::abi::{Dispatch, Param, keyexch};
use crate::failure::{Failure, write};
use crate::held::{self, Held, Operation};
use crate::param::Params;
use core::ffi::{c_int, c_void};
use zeroize::Zeroizing;

/// An agreement of an own key and another's.
pub trait Agreement: Clone + Default + 'static {
    type Key: 'static;

    /// The agreement of an own key, with nothing of another before.
    fn of(key: &Self::Key) -> Result<Self, Failure>;
    /// Takes the other's key.
    fn meet(&mut self, key: &Self::Key) -> Result<(), Failure>;
    /// The most octets of the result where a program has room for so many, or asks how many it needs.
    fn most(&self, room: Option<usize>) -> Result<usize, Failure>;
    /// The result, which is counted if it was made here.
    fn derive(&self) -> Result<Zeroizing<Vec<u8>>, Failure>;
}

/// The private part of an own key.
pub fn own<T>(part: Option<T>) -> Result<T, Failure> {
    part.ok_or_else(|| Failure::new("the own key has no private part"))
}

/// The public part of the other's key.
pub fn others<T>(part: Option<T>) -> Result<T, Failure> {
    part.ok_or_else(|| Failure::new("the other's key has no public part"))
}

unsafe extern "C" fn init<A: Agreement>(
    agreement: *mut c_void,
    key: *mut c_void,
    _params: *const Param,
) -> c_int {
    // SAFETY: OpenSSL passes an agreement and a key of ours.
    unsafe {
        Held::change(agreement, |agreement: &mut A| {
            *agreement = A::of(Held::get(key).ok_or_else(Failure::order)?)?;
            Ok(())
        })
    }
}

unsafe extern "C" fn init_with_params<A: Agreement + Operation>(
    agreement: *mut c_void,
    key: *mut c_void,
    params: *const Param,
) -> c_int {
    // SAFETY: OpenSSL passes an agreement and a key of ours, and a list.
    unsafe {
        Held::change(agreement, |agreement: &mut A| {
            *agreement = A::of(Held::get(key).ok_or_else(Failure::order)?)?;
            agreement.set(&Params::new(params))
        })
    }
}

unsafe extern "C" fn set_peer<A: Agreement>(agreement: *mut c_void, key: *mut c_void) -> c_int {
    // SAFETY: OpenSSL passes an agreement and a key of ours.
    unsafe {
        Held::change(agreement, |agreement: &mut A| {
            agreement.meet(Held::get(key).ok_or_else(Failure::order)?)
        })
    }
}

unsafe extern "C" fn derive<A: Agreement>(
    agreement: *mut c_void,
    out: *mut u8,
    len: *mut usize,
    size: usize,
) -> c_int {
    // SAFETY: OpenSSL passes an agreement of ours, and room of this size.
    unsafe {
        Held::look(agreement, |agreement: &A| {
            let room = (!out.is_null()).then_some(size);
            write(out, len, size, agreement.most(room)?, || agreement.derive())
        })
    }
}

/// The functions of an agreement without parameters.
pub const fn table<A: Agreement>() -> [Dispatch; 7] {
    [
        keyexch::NEWCTX.is(held::new::<A>),
        keyexch::FREECTX.is(held::free::<A>),
        keyexch::DUPCTX.is(held::dup::<A>),
        keyexch::INIT.is(init::<A>),
        keyexch::SET_PEER.is(set_peer::<A>),
        keyexch::DERIVE.is(derive::<A>),
        Dispatch::END,
    ]
}

/// The functions of an agreement with parameters.
pub const fn table_with_params<A: Agreement + Operation>() -> [Dispatch; 11] {
    [
        keyexch::NEWCTX.is(held::new::<A>),
        keyexch::FREECTX.is(held::free::<A>),
        keyexch::DUPCTX.is(held::dup::<A>),
        keyexch::INIT.is(init_with_params::<A>),
        keyexch::SET_PEER.is(set_peer::<A>),
        keyexch::DERIVE.is(derive::<A>),
        keyexch::SET_CTX_PARAMS.is(held::set::<A>),
        keyexch::SETTABLE_CTX_PARAMS.is(held::settable::<A>),
        keyexch::GET_CTX_PARAMS.is(held::get::<A>),
        keyexch::GETTABLE_CTX_PARAMS.is(held::gettable::<A>),
        Dispatch::END,
    ]
}
