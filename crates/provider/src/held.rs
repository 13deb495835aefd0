//! Objects that OpenSSL holds by pointers, and the entries that all kinds of them have.

use crate::abi::Param;
use crate::failure::{Core, Failure, checked, entry, quiet};
use crate::param::{Params, Wanted, wanted};
use core::ffi::{c_int, c_void};
use core::ptr::null_mut;
use std::sync::Arc;

/// An object with the way to report its errors.
pub struct Held<T> {
    core: Arc<Core>,
    it: T,
}

impl<T> Held<T> {
    /// Gives an object to OpenSSL.
    pub fn give(core: Arc<Core>, it: T) -> *mut c_void {
        Box::into_raw(Box::new(Held { core, it })).cast()
    }

    /// The object behind a pointer; `None` if that is null.
    ///
    /// # Safety
    /// `object` must be null or one of [`Held::give`], which nobody changes until the call is over.
    pub unsafe fn get<'a>(object: *const c_void) -> Option<&'a T> {
        // SAFETY: as the caller says.
        unsafe { object.cast::<Held<T>>().as_ref() }.map(|held| &held.it)
    }

    /// Runs a call that changes the object: 1 for success, 0 for failure.
    ///
    /// # Safety
    /// `object` must be null or one of [`Held::give`], which nobody else uses until the call is over.
    pub unsafe fn change(
        object: *mut c_void,
        call: impl FnOnce(&mut T) -> Result<(), Failure>,
    ) -> c_int {
        // SAFETY: as the caller says.
        match unsafe { object.cast::<Held<T>>().as_mut() } {
            Some(Held { core, it }) => checked(core, || call(it)),
            None => 0,
        }
    }

    /// Runs a call that leaves the object as it is: 1 for success, 0 for failure.
    ///
    /// # Safety
    /// As for [`Held::get`].
    pub unsafe fn look(
        object: *const c_void,
        call: impl FnOnce(&T) -> Result<(), Failure>,
    ) -> c_int {
        // SAFETY: as the caller says.
        match unsafe { object.cast::<Held<T>>().as_ref() } {
            Some(Held { core, it }) => checked(core, || call(it)),
            None => 0,
        }
    }

    /// Gives OpenSSL an object that is made of this one; null for failure.
    ///
    /// # Safety
    /// As for [`Held::get`].
    pub unsafe fn make<U>(
        object: *const c_void,
        call: impl FnOnce(&T) -> Result<U, Failure>,
    ) -> *mut c_void {
        // SAFETY: as the caller says.
        match unsafe { object.cast::<Held<T>>().as_ref() } {
            Some(Held { core, it }) => {
                entry(core, null_mut(), || Ok(Held::give(core.clone(), call(it)?)))
            }
            None => null_mut(),
        }
    }
}

/// The entry that makes an object, of the provider.
pub unsafe extern "C" fn new<T: Default>(provider: *mut c_void) -> *mut c_void {
    // SAFETY: OpenSSL passes what the provider gave it.
    unsafe { Held::<()>::make(provider, |()| Ok(T::default())) }
}

/// The entry that copies an object.
pub unsafe extern "C" fn dup<T: Clone>(object: *mut c_void) -> *mut c_void {
    // SAFETY: OpenSSL passes an object of this kind.
    unsafe { Held::<T>::make(object, |it| Ok(it.clone())) }
}

/// The entry that frees an object.
pub unsafe extern "C" fn free<T>(object: *mut c_void) {
    if object.is_null() {
        return;
    }
    // SAFETY: OpenSSL passes an object of this kind, and uses it no more.
    let held = unsafe { Box::from_raw(object.cast::<Held<T>>()) };
    quiet((), || drop(held));
}

/// An operation with parameters.
pub trait Operation: 'static {
    /// What programs set.
    const SETTABLE: &'static [Param];
    /// What programs ask for.
    const GETTABLE: &'static [Param];

    /// Takes parameters; leaves those that are not its own.
    fn set(&mut self, params: &Params<'_>) -> Result<(), Failure>;
    /// Answers what is asked for; leaves what is not its own.
    fn answer(&self, wanted: &mut Wanted<'_>) -> Result<(), Failure>;
}

/// The entry that sets parameters.
pub unsafe extern "C" fn set<T: Operation>(object: *mut c_void, params: *const Param) -> c_int {
    // SAFETY: OpenSSL passes an object of this kind, and a list.
    unsafe { Held::change(object, |it: &mut T| it.set(&Params::new(params))) }
}

/// The entry that says what can be set.
pub unsafe extern "C" fn settable<T: Operation>(
    _object: *mut c_void,
    _provider: *mut c_void,
) -> *const Param {
    T::SETTABLE.as_ptr()
}

/// The entry that answers what is asked for.
pub unsafe extern "C" fn get<T: Operation>(object: *mut c_void, params: *mut Param) -> c_int {
    // SAFETY: OpenSSL passes an object of this kind, and a list.
    unsafe {
        Held::look(object, |it: &T| {
            wanted(params).try_for_each(|mut param| it.answer(&mut param))
        })
    }
}

/// The entry that says what can be asked for.
pub unsafe extern "C" fn gettable<T: Operation>(
    _object: *mut c_void,
    _provider: *mut c_void,
) -> *const Param {
    T::GETTABLE.as_ptr()
}
