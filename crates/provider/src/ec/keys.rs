//! KEYMGMT of `EC`.

use super::foreign::{CURVE, Foreign};
use super::parts::{ENCODED, Form, GROUP, PRIVATE, PUBLIC, Parts, named};
use super::{Group, Private, Public};
use crate::abi::{Callback, Dispatch, Param, keymgmt, kind, operation, select};
use crate::counters;
use crate::failure::Failure;
use crate::held::{self, Held};
use crate::keys::{self, Progress, selected};
use crate::param::{List, Params, wanted};
use core::ffi::{c_char, c_int, c_void};
use core::ptr::null;
use std::sync::Arc;

/// A key.
#[derive(Clone)]
pub enum Key {
    /// On a curve that is here, or on none yet.
    Own(Parts),
    /// On another curve.
    Foreign(Arc<Foreign>),
}

impl Default for Key {
    fn default() -> Key {
        Key::Own(Parts::default())
    }
}

impl Key {
    /// The private part, if it is there.
    pub fn private(&self) -> Option<Arc<dyn Private>> {
        match self {
            Key::Own(key) => Some(key.private.clone()?),
            Key::Foreign(key) => {
                let there = key.has(select::PRIVATE);
                there.then(|| key.clone() as Arc<dyn Private>)
            }
        }
    }

    /// The public part, if it is there.
    pub fn public(&self) -> Option<Arc<dyn Public>> {
        match self {
            Key::Own(key) => Some(key.public.clone()?),
            Key::Foreign(key) => {
                let there = key.has(select::PUBLIC);
                there.then(|| key.clone() as Arc<dyn Public>)
            }
        }
    }

    /// The octets of a secret, unless only an agreement tells.
    pub fn secret_size(&self) -> Result<Option<usize>, Failure> {
        match self {
            Key::Own(key) => Ok(Some(key.group()?.field_size())),
            Key::Foreign(_) => Ok(None),
        }
    }

    /// The most octets of a signature.
    pub fn signature_size(&self) -> Result<usize, Failure> {
        match self {
            Key::Own(key) => Ok(key.group()?.signature_size()),
            Key::Foreign(key) => Ok(key.signature_size()),
        }
    }
}

/// Whether parameters describe a curve that is not here.
fn foreign(params: &Params<'_>) -> Result<bool, Failure> {
    match params.find(GROUP) {
        // OpenSSL passes no such key from provider to provider.
        Some(name) if name.text()?.eq_ignore_ascii_case("SM2") => Err(Failure::new(
            "keys of SM2 are not of the algorithm EC here: use the algorithm SM2",
        )),
        Some(name) => Ok(Group::find(name.text()?).is_none()),
        None => Ok(params.find(c"p").is_some()),
    }
}

impl keys::Key for Key {
    fn has(&self, selection: c_int) -> bool {
        match self {
            Key::Own(key) => key.has(selection),
            Key::Foreign(key) => key.has(selection),
        }
    }

    fn matches(&self, other: &Key, selection: c_int) -> bool {
        match (self, other) {
            (Key::Own(key), Key::Own(other)) => key.matches(other, selection),
            (Key::Foreign(key), Key::Foreign(other)) => key.matches(other, selection),
            _ => false,
        }
    }

    fn import(&mut self, selection: c_int, params: &Params<'_>) -> Result<(), Failure> {
        match self {
            Key::Own(key) if !foreign(params)? => key.import(selection, params),
            _ => {
                *self = Key::Foreign(Arc::new(Foreign::import(selection, params)?));
                Ok(())
            }
        }
    }

    unsafe fn export(
        &self,
        selection: c_int,
        callback: Callback,
        argument: *mut c_void,
    ) -> Result<(), Failure> {
        // SAFETY: as the caller says.
        unsafe {
            match self {
                Key::Own(key) => key.export(selection).pass(callback, argument),
                Key::Foreign(key) => key.export(selection, callback, argument),
            }
        }
    }

    fn part(&self, selection: c_int) -> Result<Key, Failure> {
        match self {
            Key::Own(key) => Ok(Key::Own(key.part(selection))),
            Key::Foreign(key) => Ok(Key::Foreign(Arc::new(key.part(selection)?))),
        }
    }

    fn set(&mut self, params: &Params<'_>) -> Result<(), Failure> {
        match self {
            Key::Own(key) => key.set(params),
            Key::Foreign(key) => key.set(params),
        }
    }
}

/// `OSSL_KEYMGMT_VALIDATE_QUICK_CHECK`.
const QUICK: c_int = 1;

unsafe extern "C" fn validate(key: *const c_void, selection: c_int, kind: c_int) -> c_int {
    // SAFETY: it is a key of ours.
    unsafe {
        Held::look(key, |key: &Key| match key {
            Key::Own(key) => key.validate(selection),
            Key::Foreign(key) => key.validate(selection, kind == QUICK),
        })
    }
}

unsafe extern "C" fn get_params(key: *mut c_void, params: *mut Param) -> c_int {
    // SAFETY: it is a key of ours, and a list of OpenSSL's.
    unsafe {
        Held::look(key, |key: &Key| match key {
            Key::Own(key) => key.answer(wanted(params)),
            Key::Foreign(key) => key.answer(params),
        })
    }
}

static GETTABLE: [Param; 22] = [
    Param::describe(c"bits", kind::INTEGER),
    Param::describe(c"security-bits", kind::INTEGER),
    Param::describe(c"max-size", kind::INTEGER),
    Param::describe(c"default-digest", kind::UTF8),
    Param::describe(c"field-type", kind::UTF8),
    Param::describe(c"p", kind::UNSIGNED),
    Param::describe(c"a", kind::UNSIGNED),
    Param::describe(c"b", kind::UNSIGNED),
    Param::describe(c"generator", kind::OCTETS),
    Param::describe(c"order", kind::UNSIGNED),
    Param::describe(c"cofactor", kind::UNSIGNED),
    Param::describe(c"decoded-from-explicit", kind::INTEGER),
    Param::describe(c"use-cofactor-flag", kind::INTEGER),
    Param::describe(GROUP, kind::UTF8),
    Param::describe(c"encoding", kind::UTF8),
    Param::describe(c"point-format", kind::UTF8),
    Param::describe(ENCODED, kind::OCTETS),
    Param::describe(PUBLIC, kind::OCTETS),
    Param::describe(c"qx", kind::UNSIGNED),
    Param::describe(c"qy", kind::UNSIGNED),
    Param::describe(PRIVATE, kind::UNSIGNED),
    Param::END,
];

unsafe extern "C" fn gettable(_provider: *mut c_void) -> *const Param {
    GETTABLE.as_ptr()
}

unsafe extern "C" fn settable(_provider: *mut c_void) -> *const Param {
    static SETTABLE: [Param; 4] = [
        Param::describe(ENCODED, kind::OCTETS),
        Param::describe(c"point-format", kind::UTF8),
        Param::describe(c"encoding", kind::UTF8),
        Param::END,
    ];
    SETTABLE.as_ptr()
}

unsafe extern "C" fn types(selection: c_int) -> *const Param {
    static PARTS: [Param; 6] = [
        Param::describe(GROUP, kind::UTF8),
        Param::describe(c"encoding", kind::UTF8),
        Param::describe(c"point-format", kind::UTF8),
        Param::describe(PUBLIC, kind::OCTETS),
        Param::describe(PRIVATE, kind::UNSIGNED),
        Param::END,
    ];
    if selection & (select::PAIR | select::DOMAIN) == 0 {
        null()
    } else {
        PARTS.as_ptr()
    }
}

unsafe extern "C" fn operation_name(operation: c_int) -> *const c_char {
    match operation {
        operation::SIGNATURE => c"ECDSA".as_ptr(),
        operation::KEYEXCH => c"ECDH".as_ptr(),
        _ => null(),
    }
}

/// What a pair, or a curve alone, is generated of.
struct Generation {
    pair: bool,
    stated: List,
    template: Option<Key>,
}

impl Generation {
    /// The generation on a curve that is here, of all that was stated.
    fn own(&self, params: &Params<'_>) -> Result<Key, Failure> {
        let mut key = match &self.template {
            Some(Key::Own(template)) => template.part(select::DOMAIN),
            _ => Parts::default(),
        };
        key.form = key.form.or(params)?;
        key.group = named(params)?.or(key.group);
        let group = key
            .group
            .ok_or_else(|| Failure::new("no curve is set: set the group, such as P-256"))?;
        if self.pair {
            counters::KEYS.count();
            let private = (group.generate)();
            key.public = Some(private.public());
            key.private = Some(private);
        }
        Ok(Key::Own(key))
    }
}

impl keys::Generation for Generation {
    type Key = Key;
    const SETTABLE: &'static [Param] = CURVE;

    fn new(selection: c_int) -> Result<Generation, Failure> {
        Ok(Generation {
            pair: selected(selection, select::PAIR),
            stated: List::default(),
            template: None,
        })
    }

    fn set(&mut self, params: &Params<'_>) -> Result<(), Failure> {
        if params.find(c"dhkem-ikm").is_some() {
            return Err(Failure::new(
                "keys are not derived from dhkem-ikm here: ask for provider=default",
            ));
        }
        Form::default().or(params)?;
        self.stated.take(params, Self::SETTABLE)
    }

    fn generate(&self, _progress: &Progress) -> Result<Key, Failure> {
        let list = self.stated.params();
        // SAFETY: the list lives until the end.
        let params = unsafe { Params::new(list.as_ptr()) };
        match &self.template {
            Some(Key::Foreign(template)) if params.find(GROUP).is_none() => {
                let key = Foreign::generate(self.pair, &params, Some(template))?;
                Ok(Key::Foreign(Arc::new(key)))
            }
            _ if foreign(&params)? => {
                let key = Foreign::generate(self.pair, &params, None)?;
                Ok(Key::Foreign(Arc::new(key)))
            }
            _ => self.own(&params),
        }
    }
}

impl keys::Templated for Generation {
    fn like(&mut self, template: &Key) -> Result<(), Failure> {
        self.template = Some(template.clone());
        Ok(())
    }
}

pub static EC: [Dispatch; 22] = [
    keymgmt::NEW.is(held::new::<Key>),
    keymgmt::FREE.is(held::free::<Key>),
    keymgmt::HAS.is(keys::has::<Key>),
    keymgmt::VALIDATE.is(validate),
    keymgmt::MATCH.is(keys::matches::<Key>),
    keymgmt::IMPORT.is(keys::import::<Key>),
    keymgmt::IMPORT_TYPES.is(types),
    keymgmt::EXPORT.is(keys::export::<Key>),
    keymgmt::EXPORT_TYPES.is(types),
    keymgmt::DUP.is(keys::dup::<Key>),
    keymgmt::GET_PARAMS.is(get_params),
    keymgmt::GETTABLE_PARAMS.is(gettable),
    keymgmt::SET_PARAMS.is(keys::set::<Key>),
    keymgmt::SETTABLE_PARAMS.is(settable),
    keymgmt::QUERY_OPERATION_NAME.is(operation_name),
    keymgmt::GEN_INIT.is(keys::generation::<Generation>),
    keymgmt::GEN_SET_PARAMS.is(keys::set_generation::<Generation>),
    keymgmt::GEN_SETTABLE_PARAMS.is(keys::settable_generation::<Generation>),
    keymgmt::GEN_SET_TEMPLATE.is(keys::set_template::<Generation>),
    keymgmt::GEN.is(keys::generate::<Generation>),
    keymgmt::GEN_CLEANUP.is(held::free::<Generation>),
    Dispatch::END,
];
