//! KEYMGMT of `EC`.

use super::{Domain, Group, Private, Public};
use crate::abi::{Dispatch, Param, keymgmt, kind, operation, select};
use crate::counters;
use crate::failure::Failure;
use crate::held::{self, Held};
use crate::keys::{self, Key as _, Progress, selected};
use crate::param::{List, Params, Value, significant, wanted};
use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr::null;
use std::sync::Arc;

const GROUP: &CStr = c"group";
const PUBLIC: &CStr = c"pub";
const PRIVATE: &CStr = c"priv";
const ENCODED: &CStr = c"encoded-pub-key";
const FIELD_TYPE: &CStr = c"prime-field";

/// The parts of a key, as far as there are any.
#[derive(Clone, Default)]
pub struct Key {
    pub group: Option<&'static Group>,
    pub private: Option<Arc<dyn Private>>,
    pub public: Option<Arc<dyn Public>>,
    form: Form,
}

/// How a key is written.
#[derive(Clone, Copy, Default)]
struct Form {
    /// Points are compressed.
    compressed: bool,
    /// The curve is described in numbers, and not named.
    described: bool,
}

impl Form {
    /// What parameters ask for; this as far as they do not say.
    fn or(self, params: &Params<'_>) -> Result<Form, Failure> {
        Ok(Form {
            compressed: compressed(params)?.unwrap_or(self.compressed),
            described: described(params)?.unwrap_or(self.described),
        })
    }
}

/// Whether parameters ask for compressed points; `None` if they do not say.
fn compressed(params: &Params<'_>) -> Result<Option<bool>, Failure> {
    let Some(format) = params.find(c"point-format") else {
        return Ok(None);
    };
    match format.text()? {
        "compressed" => Ok(Some(true)),
        "uncompressed" => Ok(Some(false)),
        name => Err(Failure::new(format!(
            "points are not written in the format \"{name}\" here: use compressed or uncompressed"
        ))),
    }
}

/// Whether parameters ask for a description of the curve; `None` if they do not say.
fn described(params: &Params<'_>) -> Result<Option<bool>, Failure> {
    let Some(encoding) = params.find(c"encoding") else {
        return Ok(None);
    };
    match encoding.text()?.to_ascii_lowercase().as_str() {
        "named_curve" => Ok(Some(false)),
        "explicit" => Ok(Some(true)),
        name => Err(Failure::new(format!(
            "curves are not written in the encoding \"{name}\": use named_curve or explicit"
        ))),
    }
}

/// The curve, which must be named: a description alone does not say that it is safe.
fn named(params: &Params<'_>) -> Result<Option<&'static Group>, Failure> {
    let group = params.find(GROUP).map(|group| Group::find(group.text()?));
    group.transpose()
}

impl Key {
    pub fn group(&self) -> Result<&'static Group, Failure> {
        self.group
            .ok_or_else(|| Failure::new("the key has no curve: set the group first"))
    }

    fn list(&self, selection: c_int) -> List {
        let mut list = List::default();
        if let Some(group) = self.group {
            list.text(GROUP, group.name);
            let encoding = if self.form.described {
                c"explicit"
            } else {
                c"named_curve"
            };
            list.text(c"encoding", encoding);
            let format = if self.form.compressed {
                c"compressed"
            } else {
                c"uncompressed"
            };
            list.text(c"point-format", format);
        }
        if selection & select::PAIR != 0
            && let Some(public) = &self.public
        {
            list.octets(PUBLIC, &self.encoded(public.octets()));
        }
        if selection & select::PRIVATE != 0
            && let Some(private) = &self.private
        {
            list.natural(PRIVATE, &private.octets());
        }
        list
    }

    /// Describes the curve in numbers, beside its name.
    fn describe(&self, group: &Group, list: &mut List) {
        let Domain {
            p,
            a,
            b,
            generator,
            order,
        } = (group.domain)();
        list.text(c"field-type", FIELD_TYPE);
        for (name, number) in [
            (c"p", &p[..]),
            (c"a", &a),
            (c"b", &b),
            (c"order", &order),
            (c"cofactor", &[1]),
        ] {
            // Whoever asks has room for the number, not for zeros in front of it.
            match significant(number) {
                [] => list.natural(name, &[0]),
                octets => list.natural(name, octets),
            }
        }
        list.octets(c"generator", &self.encoded(generator));
    }

    /// A point in this key's format (SEC 1, 2.3.3).
    fn encoded(&self, octets: Vec<u8>) -> Vec<u8> {
        match octets.last() {
            Some(last) if self.form.compressed => {
                let x = &octets[1..octets.len() / 2 + 1];
                [&[2 | last & 1], x].concat()
            }
            _ => octets,
        }
    }

    /// The coordinates of the point.
    fn coordinates(&self) -> Option<[Vec<u8>; 2]> {
        let octets = self.public.as_ref()?.octets();
        let (x, y) = octets[1..].split_at(octets.len() / 2);
        Some([x.to_vec(), y.to_vec()])
    }

    fn set_public(&mut self, value: Value<'_>) -> Result<(), Failure> {
        self.public = Some((self.group()?.public)(value.octets()?)?);
        self.private = None;
        Ok(())
    }
}

impl keys::Key for Key {
    fn has(&self, selection: c_int) -> bool {
        let has = |part, there| selection & part == 0 || there;
        has(select::PRIVATE, self.private.is_some())
            && has(select::PUBLIC, self.public.is_some())
            && has(select::DOMAIN, self.group.is_some())
    }

    fn matches(&self, other: &Key, selection: c_int) -> bool {
        let same_group = match (self.group, other.group) {
            (Some(own), Some(other)) => core::ptr::eq(own, other),
            _ => false,
        };
        let same_public = match (&self.public, &other.public) {
            (Some(own), Some(other)) => own.equals(&**other),
            _ => false,
        };
        (!selected(selection, select::DOMAIN) || same_group)
            && (!selected(selection, select::PAIR) || same_public)
    }

    fn import(&mut self, selection: c_int, params: &Params<'_>) -> Result<(), Failure> {
        let mut key = Key {
            group: named(params)?.or(self.group),
            form: self.form.or(params)?,
            ..Key::default()
        };
        let group = key.group()?;
        if selection & select::PAIR != 0
            && let Some(point) = params.find(PUBLIC)
        {
            key.public = Some((group.public)(point.octets()?)?);
        }
        if selection & select::PRIVATE != 0
            && let Some(number) = params.find(PRIVATE)
        {
            let private = group.private(&number.natural()?, key.public.as_deref())?;
            key.public.get_or_insert_with(|| private.public());
            key.private = Some(private);
        }
        *self = key;
        Ok(())
    }

    fn export(&self, selection: c_int) -> List {
        let mut list = self.list(selection);
        if selected(selection, select::DOMAIN)
            && let Some(group) = self.group
        {
            self.describe(group, &mut list);
        }
        list
    }

    fn part(&self, selection: c_int) -> Key {
        Key {
            group: self.group,
            private: self
                .private
                .clone()
                .filter(|_| selected(selection, select::PRIVATE)),
            public: self
                .public
                .clone()
                .filter(|_| selected(selection, select::PAIR)),
            form: self.form,
        }
    }

    fn set(&mut self, params: &Params<'_>) -> Result<(), Failure> {
        self.form = self.form.or(params)?;
        match params.find(ENCODED) {
            Some(value) => self.set_public(value),
            None => Ok(()),
        }
    }
}

unsafe extern "C" fn validate(key: *const c_void, selection: c_int, _kind: c_int) -> c_int {
    // SAFETY: it is a key of ours.
    unsafe {
        Held::look(key, |key: &Key| {
            if !key.has(selection & (select::PAIR | select::DOMAIN)) {
                return Err(Failure::new("the key lacks a part that is to be checked"));
            }
            // Points and numbers were checked when they came. What is left is that they belong together.
            if selection & select::PAIR == select::PAIR
                && let (Some(private), Some(public)) = (&key.private, &key.public)
            {
                let own = key.group()?.private(&private.octets(), None)?;
                if !public.equals(&*own.public()) {
                    return Err(Failure::new(
                        "the public key does not belong to the private key",
                    ));
                }
            }
            Ok(())
        })
    }
}

unsafe extern "C" fn get_params(key: *mut c_void, params: *mut Param) -> c_int {
    // SAFETY: it is a key of ours, and a list of OpenSSL's.
    unsafe {
        Held::look(key, |key: &Key| {
            let group = key.group()?;
            let (mut list, mut described) = (None, None);
            for mut param in wanted(params) {
                match param.name().to_bytes() {
                    b"bits" => param.set_integer(group.bits)?,
                    b"security-bits" => param.set_integer(group.security_bits())?,
                    b"max-size" => param.set_integer(group.signature_size() as i32)?,
                    b"default-digest" => param.set_text(c"SHA256")?,
                    b"field-type" => param.set_text(FIELD_TYPE)?,
                    b"p" | b"a" | b"b" | b"generator" | b"order" | b"cofactor" => {
                        let numbers = || {
                            let mut list = List::default();
                            key.describe(group, &mut list);
                            list
                        };
                        described.get_or_insert_with(numbers).answer(&mut param)?;
                    }
                    b"decoded-from-explicit" | b"use-cofactor-flag" => param.set_integer(0)?,
                    b"encoded-pub-key" => {
                        let public = key.public.as_ref().ok_or_else(Failure::order)?;
                        param.set_octets(&key.encoded(public.octets()))?;
                    }
                    b"qx" | b"qy" => {
                        if let Some([x, y]) = key.coordinates() {
                            let first = param.name() == c"qx";
                            let mut list = List::default();
                            list.natural(
                                if first { c"qx" } else { c"qy" },
                                if first { &x } else { &y },
                            );
                            list.answer(&mut param)?;
                        }
                    }
                    _ => list
                        .get_or_insert_with(|| key.list(select::PAIR))
                        .answer(&mut param)?,
                }
            }
            Ok(())
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

/// Whether a pair is to be generated, or an empty key of a curve.
struct Generation {
    group: Option<&'static Group>,
    form: Form,
    pair: bool,
}

impl keys::Generation for Generation {
    type Key = Key;
    const SETTABLE: &'static [Param] = &[
        Param::describe(GROUP, kind::UTF8),
        Param::describe(c"encoding", kind::UTF8),
        Param::describe(c"point-format", kind::UTF8),
        Param::END,
    ];

    fn new(selection: c_int) -> Result<Generation, Failure> {
        Ok(Generation {
            group: None,
            form: Form::default(),
            pair: selected(selection, select::PAIR),
        })
    }

    fn set(&mut self, params: &Params<'_>) -> Result<(), Failure> {
        if params.find(c"dhkem-ikm").is_some() {
            return Err(Failure::new(
                "keys are not derived from dhkem-ikm here: ask for provider=default",
            ));
        }
        self.group = named(params)?.or(self.group);
        self.form = self.form.or(params)?;
        Ok(())
    }

    fn generate(&self, _progress: &Progress) -> Result<Key, Failure> {
        let group = self
            .group
            .ok_or_else(|| Failure::new("no curve is set: set the group, such as P-256"))?;
        let private = self.pair.then(|| {
            counters::KEYS.count();
            (group.generate)()
        });
        Ok(Key {
            group: Some(group),
            public: private.as_ref().map(|private| private.public()),
            private,
            form: self.form,
        })
    }
}

impl keys::Templated for Generation {
    fn like(&mut self, template: &Key) -> Result<(), Failure> {
        self.group = Some(template.group()?);
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
