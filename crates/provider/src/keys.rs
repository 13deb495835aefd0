//! The entries that keys of several algorithms have, and those of their generation.

use crate::abi::{Callback, Param, kind};
use crate::failure::Failure;
use crate::held::Held;
use crate::param::Params;
use core::ffi::{c_int, c_void};

/// A key of parts that are there or not.
pub trait Key: Sized + 'static {
    /// Whether all selected parts are there.
    fn has(&self, selection: c_int) -> bool;
    /// Whether the selected parts are those of another key.
    fn matches(&self, other: &Self, selection: c_int) -> bool;
    /// Takes the selected parts, and counts that if the key is used here.
    fn import(&mut self, selection: c_int, params: &Params<'_>) -> Result<(), Failure>;
    /// Passes the selected parts to a callback.
    ///
    /// # Safety
    /// The argument must be what belongs to the callback.
    unsafe fn export(
        &self,
        selection: c_int,
        callback: Callback,
        argument: *mut c_void,
    ) -> Result<(), Failure>;
    /// A key of the selected parts.
    fn part(&self, selection: c_int) -> Result<Self, Failure>;
    /// Takes what a program sets.
    fn set(&mut self, params: &Params<'_>) -> Result<(), Failure>;
}

pub unsafe extern "C" fn has<K: Key>(key: *const c_void, selection: c_int) -> c_int {
    // SAFETY: OpenSSL passes a key of this kind.
    let key = unsafe { Held::<K>::get(key) };
    c_int::from(key.is_some_and(|key| key.has(selection)))
}

pub unsafe extern "C" fn matches<K: Key>(
    a: *const c_void,
    b: *const c_void,
    selection: c_int,
) -> c_int {
    // SAFETY: OpenSSL passes keys of this kind.
    let both = unsafe { Held::<K>::get(a).zip(Held::<K>::get(b)) };
    c_int::from(both.is_some_and(|(a, b)| a.matches(b, selection)))
}

pub unsafe extern "C" fn import<K: Key>(
    key: *mut c_void,
    selection: c_int,
    params: *const Param,
) -> c_int {
    // SAFETY: OpenSSL passes a key of this kind, and a list.
    unsafe {
        Held::change(key, |key: &mut K| {
            key.import(selection, &Params::new(params))
        })
    }
}

pub unsafe extern "C" fn export<K: Key>(
    key: *mut c_void,
    selection: c_int,
    callback: Callback,
    argument: *mut c_void,
) -> c_int {
    // SAFETY: OpenSSL passes a key of this kind, and a callback of its own.
    unsafe { Held::look(key, |key: &K| key.export(selection, callback, argument)) }
}

pub unsafe extern "C" fn dup<K: Key>(key: *const c_void, selection: c_int) -> *mut c_void {
    // SAFETY: OpenSSL passes a key of this kind.
    unsafe { Held::make(key, |key: &K| key.part(selection)) }
}

pub unsafe extern "C" fn set<K: Key>(key: *mut c_void, params: *const Param) -> c_int {
    // SAFETY: OpenSSL passes a key of this kind, and a list.
    unsafe { Held::change(key, |key: &mut K| key.set(&Params::new(params))) }
}

/// Whether a selection has a part.
pub const fn selected(selection: c_int, part: c_int) -> bool {
    selection & part != 0
}

/// What is to be generated.
pub trait Generation: Sized + 'static {
    type Key: 'static;
    /// What programs set.
    const SETTABLE: &'static [Param];

    /// The generation of the selected parts.
    fn new(selection: c_int) -> Result<Self, Failure>;
    /// Takes what a program sets.
    fn set(&mut self, params: &Params<'_>) -> Result<(), Failure>;
    fn generate(&self, progress: &Progress) -> Result<Self::Key, Failure>;
}

/// A generation that takes the group of another key.
pub trait Templated: Generation {
    fn like(&mut self, template: &Self::Key) -> Result<(), Failure>;
}

pub unsafe extern "C" fn generation<G: Generation>(
    provider: *mut c_void,
    selection: c_int,
    params: *const Param,
) -> *mut c_void {
    // SAFETY: OpenSSL passes what the provider gave it, and a list.
    unsafe {
        Held::<()>::make(provider, |()| {
            let mut generation = G::new(selection)?;
            generation.set(&Params::new(params))?;
            Ok(generation)
        })
    }
}

pub unsafe extern "C" fn set_generation<G: Generation>(
    generation: *mut c_void,
    params: *const Param,
) -> c_int {
    // SAFETY: OpenSSL passes what `generation` made, and a list.
    unsafe {
        Held::change(generation, |generation: &mut G| {
            generation.set(&Params::new(params))
        })
    }
}

pub unsafe extern "C" fn settable_generation<G: Generation>(
    _generation: *mut c_void,
    _provider: *mut c_void,
) -> *const Param {
    G::SETTABLE.as_ptr()
}

pub unsafe extern "C" fn set_template<G: Templated>(
    generation: *mut c_void,
    template: *mut c_void,
) -> c_int {
    // SAFETY: OpenSSL passes what `generation` made, and a key of this kind.
    unsafe {
        Held::change(generation, |generation: &mut G| {
            generation.like(Held::get(template).ok_or_else(Failure::order)?)
        })
    }
}

pub unsafe extern "C" fn generate<G: Generation>(
    generation: *mut c_void,
    callback: Option<Callback>,
    argument: *mut c_void,
) -> *mut c_void {
    let progress = Progress { callback, argument };
    // SAFETY: OpenSSL passes what `generation` made.
    unsafe { Held::make(generation, |generation: &G| generation.generate(&progress)) }
}

/// What is told how far a search is, and may stop it.
pub struct Progress {
    callback: Option<Callback>,
    argument: *mut c_void,
}

// SAFETY: the thread that OpenSSL called waits for the one that reports.
unsafe impl Sync for Progress {}

impl Progress {
    /// Reports a candidate; false if the search is to end.
    pub fn report(&self, mut tested: c_int) -> bool {
        let Some(callback) = self.callback else {
            return true;
        };
        let mut potential: c_int = 0;
        let param = |name, value: &mut c_int| Param {
            data: (&raw mut *value).cast(),
            size: size_of::<c_int>(),
            ..Param::describe(name, kind::INTEGER)
        };
        let params = [
            param(c"potential", &mut potential),
            param(c"iteration", &mut tested),
            Param::END,
        ];
        // SAFETY: the argument belongs to the callback, and the list outlives the call.
        unsafe { callback(params.as_ptr(), self.argument) == 1 }
    }
}
