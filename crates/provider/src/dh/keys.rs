//! KEYMGMT of `DH`.

use super::{Group, Private};
use crate::abi::{Callback, Dispatch, Param, keymgmt, kind, select};
use crate::counters;
use crate::failure::Failure;
use crate::held::{self, Held};
use crate::keys::{self, Key as _, Progress, selected};
use crate::param::{List, Params, Value, significant, wanted};
use crate::rsa::keys::security_bits;
use crate::work;
use carrysave::arith::Nat;
use carrysave::dl::Parameters;
use carrysave::system_rng;
use core::ffi::{CStr, c_int, c_void};
use core::ptr::null;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::Arc;

const GROUP: &CStr = c"group";
const LENGTH: &CStr = c"priv_len";
const PUBLIC: &CStr = c"pub";
const PRIVATE: &CStr = c"priv";
const ENCODED: &CStr = c"encoded-pub-key";

/// The parts of a key, as far as there are any.
#[derive(Clone, Default)]
pub struct Key {
    group: Option<Arc<Group>>,
    pub private: Option<Arc<Private>>,
    /// Between 1 and p - 1.
    pub public: Option<Nat>,
}

fn natural(params: &Params<'_>, name: &CStr) -> Result<Option<Nat>, Failure> {
    let number = params.find(name).map(|value| value.natural()).transpose()?;
    Ok(number.map(|octets| Nat::from_be_bytes(&octets)))
}

/// The stated length of private numbers; `None` if there is none.
fn length(value: Value<'_>) -> Result<Option<usize>, Failure> {
    let length = usize::try_from(value.integer()?).ok();
    Ok(length.filter(|length| *length > 0))
}

/// The group that parameters state, if they do: its name, its numbers, or both.
fn stated(params: &Params<'_>) -> Result<Option<Arc<Group>>, Failure> {
    // They belong to X9.42, which has a place for them.
    if params.find(c"seed").is_some() || params.find(c"j").is_some() {
        return Err(Failure::new(
            "groups have no seed and no cofactor here: leave them out, or ask for provider=default",
        ));
    }
    let numbers = [c"p", c"g", c"q"].map(|name| natural(params, name));
    let [p, g, q] = numbers;
    let group = match (p?, g?, q?) {
        (Some(p), Some(g), q) => Some(Group::stated(p, g, q.map(Nat::trim_vartime))?),
        _ => match params.find(GROUP) {
            Some(name) => Some(Group::find(name.text()?)?),
            None => None,
        },
    };
    Ok(group)
}

impl Key {
    pub fn group(&self) -> Result<&Arc<Group>, Failure> {
        let group = self.group.as_ref();
        group.ok_or_else(|| Failure::new("the key has no group: set the group, or p and g, first"))
    }

    /// Takes a public key that is in their range.
    fn set_public(&mut self, y: Nat) -> Result<(), Failure> {
        if !self.group()?.parameters.may_be_public_vartime(&y) {
            return Err(Failure::new(
                "the public key is not between 1 and p - 1: refuse whoever sent it",
            ));
        }
        self.public = Some(y.trim_vartime());
        Ok(())
    }

    /// Checks what is selected. That p is odd and of a possible length, and g and the public key are in their ranges, was
    /// checked when they came.
    fn validate(&self, selection: c_int, quick: bool) -> Result<(), Failure> {
        if !self.has(selection & (select::PAIR | select::DOMAIN)) {
            return Err(Failure::new("the key lacks a part that is to be checked"));
        }
        let group = self.group()?;
        if selection & select::DOMAIN != 0 && !quick && group.name.is_none() {
            group.parameters.check(group.q.as_ref())?;
        }
        if selection & select::PUBLIC != 0
            && let Some(public) = &self.public
        {
            group.check_public(public)?;
        }
        if selection & select::PRIVATE != 0
            && let Some(private) = &self.private
        {
            private.check(group)?;
        }
        if selection & select::PAIR == select::PAIR
            && let (Some(private), Some(public)) = (&self.private, &self.public)
            && private.public(group) != *public
        {
            return Err(Failure::new(
                "the public key does not belong to the private key",
            ));
        }
        Ok(())
    }

    /// The public key, in as many octets as p has (RFC 8446, 4.2.8.1).
    fn encoded(&self) -> Result<Vec<u8>, Failure> {
        let public = self.public.as_ref().ok_or_else(Failure::order)?;
        let octets = public.to_be_bytes(self.group()?.parameters.size());
        Ok(octets.ok_or_else(Failure::order)?.to_vec())
    }
}

impl Key {
    /// The selected parts, as OpenSSL names them.
    fn list(&self, selection: c_int) -> List {
        let mut list = List::default();
        // Whoever asks has room for the number, not for zeros in front of it.
        let number = |list: &mut List, name, number: &Nat| {
            list.natural(name, significant(&number.to_be_bytes_vartime()));
        };
        if let Some(group) = &self.group {
            number(&mut list, c"p", group.parameters.p());
            number(&mut list, c"g", group.parameters.g());
            if let Some(q) = &group.q {
                number(&mut list, c"q", q);
            }
            if let Some(name) = group.name {
                list.text(GROUP, name);
            }
            if let Some(length) = group.length {
                list.integer(LENGTH, length as c_int);
            }
            // There is no seed from which to repeat the group.
            list.integer(c"gindex", -1);
            list.integer(c"pcounter", -1);
            list.integer(c"hindex", 0);
        }
        if selection & select::PAIR != 0
            && let Some(public) = &self.public
        {
            number(&mut list, PUBLIC, public);
        }
        if selection & select::PRIVATE != 0
            && let Some(private) = &self.private
            && let Some(octets) = private.x.to_be_bytes(private.bits.div_ceil(8))
        {
            list.natural(PRIVATE, &octets);
        }
        list
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
        let same_group = match (&self.group, &other.group) {
            (Some(own), Some(other)) => own.parameters == other.parameters,
            _ => false,
        };
        let same_public = self.public.is_some() && self.public == other.public;
        (!selected(selection, select::DOMAIN) || same_group)
            && (!selected(selection, select::PAIR) || same_public)
    }

    fn import(&mut self, selection: c_int, params: &Params<'_>) -> Result<(), Failure> {
        let mut key = Key {
            group: stated(params)?.or(self.group.clone()),
            ..Key::default()
        };
        if let Some(value) = params.find(LENGTH) {
            key.group = Some(Group::with_length(key.group()?.clone(), length(value)?));
        }
        let group = key.group()?.clone();
        if selection & select::PAIR != 0
            && let Some(y) = natural(params, PUBLIC)?
        {
            key.set_public(y)?;
        }
        if selection & select::PRIVATE != 0
            && let Some(x) = natural(params, PRIVATE)?
        {
            let private = Private::new(&group, &x)?;
            if key.public.is_none() {
                key.set_public(private.public(&group))?;
            }
            key.private = Some(Arc::new(private));
        }
        if selection & select::PAIR != 0 && key.public.is_none() {
            return Err(Failure::new(
                "the key has neither a public nor a private part",
            ));
        }
        *self = key;
        counters::IMPORTS.count();
        Ok(())
    }

    unsafe fn export(
        &self,
        selection: c_int,
        callback: Callback,
        argument: *mut c_void,
    ) -> Result<(), Failure> {
        // SAFETY: as the caller says.
        unsafe { self.list(selection).pass(callback, argument) }
    }

    fn part(&self, selection: c_int) -> Result<Key, Failure> {
        Ok(Key {
            group: self.group.clone(),
            private: self
                .private
                .clone()
                .filter(|_| selected(selection, select::PRIVATE)),
            public: self
                .public
                .clone()
                .filter(|_| selected(selection, select::PAIR)),
        })
    }

    fn set(&mut self, params: &Params<'_>) -> Result<(), Failure> {
        if let Some(value) = params.find(ENCODED) {
            self.set_public(Nat::from_be_bytes(value.octets()?))?;
            self.private = None;
        }
        Ok(())
    }
}

/// The entry that checks a key. Its parameters alone may be checked quickly (1).
unsafe extern "C" fn validate(key: *const c_void, selection: c_int, kind: c_int) -> c_int {
    // SAFETY: it is a key of ours.
    unsafe {
        Held::look(key, |key: &Key| {
            work::apart(|| key.validate(selection, kind == 1))
        })
    }
}

unsafe extern "C" fn get_params(key: *mut c_void, params: *mut Param) -> c_int {
    // SAFETY: it is a key of ours, and a list of OpenSSL's.
    unsafe {
        Held::look(key, |key: &Key| {
            let group = key.group()?;
            let mut list = None;
            for mut param in wanted(params) {
                match param.name().to_bytes() {
                    b"bits" => param.set_integer(group.parameters.bits() as i32)?,
                    b"security-bits" => param.set_integer(group.security_bits() as i32)?,
                    b"max-size" => param.set_integer(group.parameters.size() as i32)?,
                    b"encoded-pub-key" => param.set_octets(&key.encoded()?)?,
                    _ => list
                        .get_or_insert_with(|| key.list(select::PAIR))
                        .answer(&mut param)?,
                }
            }
            Ok(())
        })
    }
}

/// The parameters of a group, which are the first of a list.
const fn with_group<const N: usize>(mut list: [Param; N]) -> [Param; N] {
    list[0] = Param::describe(c"p", kind::UNSIGNED);
    list[1] = Param::describe(c"q", kind::UNSIGNED);
    list[2] = Param::describe(c"g", kind::UNSIGNED);
    list[3] = Param::describe(GROUP, kind::UTF8);
    list[4] = Param::describe(LENGTH, kind::INTEGER);
    list[5] = Param::describe(c"gindex", kind::INTEGER);
    list[6] = Param::describe(c"pcounter", kind::INTEGER);
    list[7] = Param::describe(c"hindex", kind::INTEGER);
    list
}

/// The parameters of a group and the parts of a key.
const fn with_parts<const N: usize>(list: [Param; N]) -> [Param; N] {
    let mut list = with_group(list);
    list[8] = Param::describe(PUBLIC, kind::UNSIGNED);
    list[9] = Param::describe(PRIVATE, kind::UNSIGNED);
    list
}

unsafe extern "C" fn gettable(_provider: *mut c_void) -> *const Param {
    static GETTABLE: [Param; 15] = {
        let mut list = with_parts([Param::END; 15]);
        list[10] = Param::describe(c"bits", kind::INTEGER);
        list[11] = Param::describe(c"security-bits", kind::INTEGER);
        list[12] = Param::describe(c"max-size", kind::INTEGER);
        list[13] = Param::describe(ENCODED, kind::OCTETS);
        list
    };
    GETTABLE.as_ptr()
}

unsafe extern "C" fn settable(_provider: *mut c_void) -> *const Param {
    static SETTABLE: [Param; 2] = [Param::describe(ENCODED, kind::OCTETS), Param::END];
    SETTABLE.as_ptr()
}

unsafe extern "C" fn types(selection: c_int) -> *const Param {
    static PARTS: [Param; 11] = with_parts([Param::END; 11]);
    static PARAMETERS: [Param; 9] = with_group([Param::END; 9]);
    match (selection & select::PAIR, selection & select::DOMAIN) {
        (0, 0) => null(),
        (0, _) => PARAMETERS.as_ptr(),
        (_, _) => PARTS.as_ptr(),
    }
}

/// What is to be generated: a group, a pair of a group, or both.
struct Generation {
    selection: c_int,
    /// A group that is given.
    group: Option<Arc<Group>>,
    /// Whether the group of a size is a standard one, not a new one.
    standard: bool,
    bits: usize,
    generator: u64,
    length: Option<usize>,
}

impl Generation {
    fn group(&self, progress: &Progress) -> Result<Arc<Group>, Failure> {
        if let Some(group) = &self.group {
            return Ok(group.clone());
        }
        if self.standard {
            return Group::find(&format!("ffdhe{}", self.bits));
        }
        if self.selection & select::DOMAIN == 0 {
            return Err(Failure::new(
                "no group is set: set the group, such as ffdhe2048, or give parameters",
            ));
        }
        let made = work::apart(|| {
            let (g, stop) = (Nat::from_limb(self.generator), AtomicBool::new(false));
            let mut tested = 0;
            let mut tick = || {
                tested += 1;
                stop.store(!progress.report(tested), Relaxed);
            };
            let rng = &mut system_rng();
            Ok(Parameters::generate_with(
                self.bits,
                g,
                Some(&stop),
                rng,
                &mut tick,
            )?)
        })?;
        let made = made.ok_or_else(|| Failure::new("the program stopped the generation"))?;
        let group = Group::stated(made.p().clone(), made.g().clone(), None)?;
        // As newer versions of OpenSSL have it: p is a safe prime.
        let length = 2 * security_bits(group.parameters.bits()) as usize;
        Ok(Group::with_length(group, Some(length.next_multiple_of(25))))
    }
}

impl keys::Generation for Generation {
    type Key = Key;
    const SETTABLE: &'static [Param] = &[
        Param::describe(GROUP, kind::UTF8),
        Param::describe(c"type", kind::UTF8),
        Param::describe(c"pbits", kind::UNSIGNED),
        Param::describe(c"safeprime-generator", kind::INTEGER),
        Param::describe(LENGTH, kind::INTEGER),
        Param::END,
    ];

    fn new(selection: c_int) -> Result<Generation, Failure> {
        Ok(Generation {
            selection,
            group: None,
            standard: false,
            bits: 2048,
            generator: 2,
            length: None,
        })
    }

    fn set(&mut self, params: &Params<'_>) -> Result<(), Failure> {
        if let Some(name) = params.find(GROUP) {
            self.group = Some(Group::find(name.text()?)?);
        }
        if let Some(name) = params.find(c"type") {
            self.standard = match name.text()? {
                "group" => true,
                "generator" | "default" => false,
                name => {
                    return Err(Failure::new(format!(
                        "groups of DH are not generated by \"{name}\": use the type group or generator, or keys of DHX"
                    )));
                }
            };
        }
        let small = |value: Value<'_>| {
            let number = u32::try_from(value.integer()?).ok();
            number.ok_or_else(|| Failure::new("a number of the new group is negative or too large"))
        };
        if let Some(bits) = params.find(c"pbits") {
            self.bits = small(bits)? as usize;
        }
        if let Some(generator) = params.find(c"safeprime-generator") {
            self.generator = small(generator)?.into();
        }
        if let Some(value) = params.find(LENGTH) {
            self.length = length(value)?;
        }
        Ok(())
    }

    fn generate(&self, progress: &Progress) -> Result<Key, Failure> {
        let mut group = self.group(progress)?;
        if self.selection & select::PAIR == 0 {
            return Ok(Key {
                group: Some(group),
                ..Key::default()
            });
        }
        if self.length.is_some() {
            group = Group::with_length(group, self.length);
        }
        let private = group.generate()?;
        let mut key = Key {
            group: Some(group.clone()),
            ..Key::default()
        };
        // The power of a bad generator may be 1.
        key.set_public(private.public(&group))?;
        key.private = Some(Arc::new(private));
        counters::KEYS.count();
        Ok(key)
    }
}

impl keys::Templated for Generation {
    fn like(&mut self, template: &Key) -> Result<(), Failure> {
        self.group = Some(template.group()?.clone());
        Ok(())
    }
}

pub static DH: [Dispatch; 21] = [
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
    keymgmt::GEN_INIT.is(keys::generation::<Generation>),
    keymgmt::GEN_SET_PARAMS.is(keys::set_generation::<Generation>),
    keymgmt::GEN_SETTABLE_PARAMS.is(keys::settable_generation::<Generation>),
    keymgmt::GEN_SET_TEMPLATE.is(keys::set_template::<Generation>),
    keymgmt::GEN.is(keys::generate::<Generation>),
    keymgmt::GEN_CLEANUP.is(held::free::<Generation>),
    Dispatch::END,
];
