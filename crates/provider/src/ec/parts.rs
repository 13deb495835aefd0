//! A key on a curve that is here, by its parts.

use super::{Domain, Group, OwnPrivate, OwnPublic};
use crate::abi::select;
use crate::counters;
use crate::failure::Failure;
use crate::keys::selected;
use crate::param::{List, Params, Value, Wanted, significant};
use core::ffi::{CStr, c_int};
use std::sync::Arc;

pub const GROUP: &CStr = c"group";
pub const PUBLIC: &CStr = c"pub";
pub const PRIVATE: &CStr = c"priv";
pub const ENCODED: &CStr = c"encoded-pub-key";
const FIELD_TYPE: &CStr = c"prime-field";

/// The parts of a key, as far as there are any.
#[derive(Clone, Default)]
pub struct Parts {
    pub group: Option<&'static Group>,
    pub private: Option<Arc<dyn OwnPrivate>>,
    pub public: Option<Arc<dyn OwnPublic>>,
    pub form: Form,
}

/// How a key is written.
#[derive(Clone, Copy, Default)]
pub struct Form {
    /// Points are compressed.
    compressed: bool,
    /// The curve is described in numbers, and not named.
    described: bool,
}

impl Form {
    /// What parameters ask for; this as far as they do not say.
    pub fn or(self, params: &Params<'_>) -> Result<Form, Failure> {
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
pub fn named(params: &Params<'_>) -> Result<Option<&'static Group>, Failure> {
    let Some(name) = params.find(GROUP) else {
        return Ok(None);
    };
    let name = name.text()?;
    match Group::find(name) {
        Some(group) => Ok(Some(group)),
        None => Err(Failure::new(format!(
            "the curve \"{name}\" is not among those of carrysave: use prime256v1, or ask for provider=default"
        ))),
    }
}

impl Parts {
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

    pub fn has(&self, selection: c_int) -> bool {
        let has = |part, there| selection & part == 0 || there;
        has(select::PRIVATE, self.private.is_some())
            && has(select::PUBLIC, self.public.is_some())
            && has(select::DOMAIN, self.group.is_some())
    }

    pub fn matches(&self, other: &Parts, selection: c_int) -> bool {
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

    pub fn import(&mut self, selection: c_int, params: &Params<'_>) -> Result<(), Failure> {
        let mut key = Parts {
            group: named(params)?.or(self.group),
            form: self.form.or(params)?,
            ..Parts::default()
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
        counters::IMPORTS.count();
        Ok(())
    }

    pub fn export(&self, selection: c_int) -> List {
        let mut list = self.list(selection);
        if selected(selection, select::DOMAIN)
            && let Some(group) = self.group
        {
            self.describe(group, &mut list);
        }
        list
    }

    pub fn part(&self, selection: c_int) -> Parts {
        Parts {
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

    pub fn set(&mut self, params: &Params<'_>) -> Result<(), Failure> {
        self.form = self.form.or(params)?;
        match params.find(ENCODED) {
            Some(value) => self.set_public(value),
            None => Ok(()),
        }
    }

    /// Checks what is selected. Points and numbers were checked when they came. What is left is that they belong together.
    pub fn validate(&self, selection: c_int) -> Result<(), Failure> {
        if !self.has(selection & (select::PAIR | select::DOMAIN)) {
            return Err(Failure::new("the key lacks a part that is to be checked"));
        }
        if selection & select::PAIR == select::PAIR
            && let (Some(private), Some(public)) = (&self.private, &self.public)
        {
            let own = self.group()?.private(&private.octets(), None)?;
            if !public.equals(&*own.public()) {
                return Err(Failure::new(
                    "the public key does not belong to the private key",
                ));
            }
        }
        Ok(())
    }

    /// Answers what is asked for.
    pub fn answer<'a>(&self, params: impl Iterator<Item = Wanted<'a>>) -> Result<(), Failure> {
        let group = self.group()?;
        let (mut list, mut described) = (None, None);
        for mut param in params {
            match param.name().to_bytes() {
                b"bits" => param.set_integer(group.bits)?,
                b"security-bits" => param.set_integer(group.security_bits())?,
                b"max-size" => param.set_integer(group.signature_size() as i32)?,
                b"default-digest" => param.set_text(c"SHA256")?,
                b"field-type" => param.set_text(FIELD_TYPE)?,
                b"p" | b"a" | b"b" | b"generator" | b"order" | b"cofactor" => {
                    let numbers = || {
                        let mut list = List::default();
                        self.describe(group, &mut list);
                        list
                    };
                    described.get_or_insert_with(numbers).answer(&mut param)?;
                }
                b"decoded-from-explicit" | b"use-cofactor-flag" => param.set_integer(0)?,
                b"encoded-pub-key" => {
                    let public = self.public.as_ref().ok_or_else(Failure::order)?;
                    param.set_octets(&self.encoded(public.octets()))?;
                }
                b"qx" | b"qy" => {
                    if let Some([x, y]) = self.coordinates() {
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
                    .get_or_insert_with(|| self.list(select::PAIR))
                    .answer(&mut param)?,
            }
        }
        Ok(())
    }
}
