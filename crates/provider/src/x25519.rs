//! KEYMGMT and KEYEXCH of `X25519` (RFC 7748).

use crate::abi::{Callback, Dispatch, Param, keyexch, keymgmt, kind, select};
use crate::counters;
use crate::failure::{Failure, write};
use crate::held::{self, Held};
use crate::param::{List, Params, Value, wanted};
use carrysave::ec::{X25519PrivateKey, X25519PublicKey};
use core::ffi::{CStr, c_int, c_void};
use core::ptr::null;
use zeroize::Zeroizing;

const LEN: usize = 32;
const PUBLIC: &CStr = c"pub";
const PRIVATE: &CStr = c"priv";
const ENCODED: &CStr = c"encoded-pub-key";

/// The parts of a key, as far as there are any.
#[derive(Clone, Default)]
struct Key {
    private: Option<X25519PrivateKey>,
    public: Option<X25519PublicKey>,
}

fn octets(value: Value<'_>) -> Result<Zeroizing<[u8; LEN]>, Failure> {
    let mut octets = Zeroizing::new([0; LEN]);
    let given = value.octets()?;
    if given.len() != LEN {
        return Err(Failure::new(format!(
            "a key of X25519 has 32 bytes, and this one {}",
            given.len()
        )));
    }
    octets.copy_from_slice(given);
    Ok(octets)
}

fn public(value: Value<'_>) -> Result<X25519PublicKey, Failure> {
    Ok(X25519PublicKey(*octets(value)?))
}

impl Key {
    fn import(&mut self, selection: c_int, params: &Params<'_>) -> Result<(), Failure> {
        if selection & select::PRIVATE != 0
            && let Some(value) = params.find(PRIVATE)
        {
            let private = X25519PrivateKey::from_bytes(&*octets(value)?);
            self.public = Some(private.public());
            self.private = Some(private);
        }
        if let Some(value) = params.find(PUBLIC) {
            let public = public(value)?;
            if self.private.is_some() && self.public.as_ref() != Some(&public) {
                return Err(Failure::new(
                    "the public key does not belong to the private key",
                ));
            }
            self.public = Some(public);
        }
        match self.public {
            Some(_) => Ok(()),
            None => Err(Failure::new(
                "the key has neither a public nor a private part",
            )),
        }
    }

    fn list(&self, selection: c_int) -> List {
        let mut list = List::default();
        if selection & select::PAIR != 0
            && let Some(public) = &self.public
        {
            list.octets(PUBLIC, &public.0);
        }
        if selection & select::PRIVATE != 0
            && let Some(private) = &self.private
        {
            list.octets(PRIVATE, private.as_bytes());
        }
        list
    }

    fn has(&self, selection: c_int) -> bool {
        (selection & select::PRIVATE == 0 || self.private.is_some())
            && (selection & select::PUBLIC == 0 || self.public.is_some())
    }
}

/// The group of TLS 1.3 and of earlier versions (RFC 8446, 4.2.7; RFC 8422).
pub fn group() -> List {
    let mut group = List::default();
    group.text(c"tls-group-name", c"x25519");
    group.text(c"tls-group-name-internal", c"X25519");
    group.text(c"tls-group-alg", c"X25519");
    group.integer(c"tls-group-id", 0x1d);
    group.integer(c"tls-group-sec-bits", 128);
    group.integer(c"tls-min-tls", 0x0301);
    group.integer(c"tls-max-tls", 0);
    group.integer(c"tls-min-dtls", 0xfeff);
    group.integer(c"tls-max-dtls", 0);
    group
}

unsafe extern "C" fn has(key: *const c_void, selection: c_int) -> c_int {
    // SAFETY: it is a key of ours.
    let key = unsafe { Held::<Key>::get(key) };
    c_int::from(key.is_some_and(|key| key.has(selection)))
}

unsafe extern "C" fn validate(key: *const c_void, selection: c_int, _kind: c_int) -> c_int {
    // SAFETY: as `has`; a key that has its parts is valid.
    unsafe { has(key, selection) }
}

unsafe extern "C" fn matches(a: *const c_void, b: *const c_void, selection: c_int) -> c_int {
    // SAFETY: they are keys of ours.
    let (Some(a), Some(b)) = (unsafe { (Held::<Key>::get(a), Held::<Key>::get(b)) }) else {
        return 0;
    };
    let equal = a.public.is_some() && a.public == b.public;
    c_int::from(selection & select::PAIR == 0 || equal)
}

unsafe extern "C" fn import(key: *mut c_void, selection: c_int, params: *const Param) -> c_int {
    // SAFETY: it is a key of ours, and a list of OpenSSL's.
    unsafe {
        Held::change(key, |key: &mut Key| {
            key.import(selection, &Params::new(params))
        })
    }
}

unsafe extern "C" fn export(
    key: *mut c_void,
    selection: c_int,
    callback: Callback,
    argument: *mut c_void,
) -> c_int {
    // SAFETY: it is a key of ours, and a callback of OpenSSL's.
    unsafe {
        Held::look(key, |key: &Key| {
            key.list(selection).pass(callback, argument)
        })
    }
}

unsafe extern "C" fn dup(key: *const c_void, selection: c_int) -> *mut c_void {
    let selected = |part| selection & part != 0;
    // SAFETY: it is a key of ours.
    unsafe {
        Held::make(key, |key: &Key| {
            Ok(Key {
                private: key.private.clone().filter(|_| selected(select::PRIVATE)),
                public: key.public.filter(|_| selected(select::PAIR)),
            })
        })
    }
}

unsafe extern "C" fn get_params(key: *mut c_void, params: *mut Param) -> c_int {
    // SAFETY: it is a key of ours, and a list of OpenSSL's.
    unsafe {
        Held::look(key, |key: &Key| {
            for mut param in wanted(params) {
                match param.name().to_bytes() {
                    b"bits" => param.set_integer(253)?,
                    b"security-bits" => param.set_integer(128)?,
                    b"max-size" => param.set_integer(LEN as i32)?,
                    b"encoded-pub-key" => {
                        let public = key.public.as_ref().ok_or_else(Failure::order)?;
                        param.set_octets(&public.0)?;
                    }
                    _ => key.list(select::PAIR).answer(&mut param)?,
                }
            }
            Ok(())
        })
    }
}

static GETTABLE: [Param; 7] = [
    Param::describe(c"bits", kind::INTEGER),
    Param::describe(c"security-bits", kind::INTEGER),
    Param::describe(c"max-size", kind::INTEGER),
    Param::describe(ENCODED, kind::OCTETS),
    Param::describe(PUBLIC, kind::OCTETS),
    Param::describe(PRIVATE, kind::OCTETS),
    Param::END,
];

unsafe extern "C" fn gettable(_provider: *mut c_void) -> *const Param {
    GETTABLE.as_ptr()
}

unsafe extern "C" fn set_params(key: *mut c_void, params: *const Param) -> c_int {
    // SAFETY: it is a key of ours, and a list of OpenSSL's.
    unsafe {
        Held::change(key, |key: &mut Key| {
            if let Some(value) = Params::new(params).find(ENCODED) {
                *key = Key {
                    private: None,
                    public: Some(public(value)?),
                };
            }
            Ok(())
        })
    }
}

unsafe extern "C" fn settable(_provider: *mut c_void) -> *const Param {
    static SETTABLE: [Param; 2] = [Param::describe(ENCODED, kind::OCTETS), Param::END];
    SETTABLE.as_ptr()
}

unsafe extern "C" fn types(selection: c_int) -> *const Param {
    static PARTS: [Param; 3] = [
        Param::describe(PUBLIC, kind::OCTETS),
        Param::describe(PRIVATE, kind::OCTETS),
        Param::END,
    ];
    if selection & select::PAIR == 0 {
        null()
    } else {
        PARTS.as_ptr()
    }
}

/// Whether a pair is to be generated, or an empty key for parameters, of which there are none.
struct Generation {
    pair: bool,
}

impl Generation {
    fn set(&mut self, params: &Params<'_>) -> Result<(), Failure> {
        if let Some(group) = params.find(c"group")
            && !group.text()?.eq_ignore_ascii_case("x25519")
        {
            return Err(Failure::new("the group of a key of X25519 is x25519"));
        }
        if params.find(c"dhkem-ikm").is_some() {
            return Err(Failure::new(
                "keys are not derived from dhkem-ikm here: ask for provider=default",
            ));
        }
        Ok(())
    }
}

unsafe extern "C" fn generation(
    provider: *mut c_void,
    selection: c_int,
    params: *const Param,
) -> *mut c_void {
    // SAFETY: OpenSSL passes what the provider gave it, and a list.
    unsafe {
        Held::<()>::make(provider, |()| {
            let mut generation = Generation {
                pair: selection & select::PAIR != 0,
            };
            generation.set(&Params::new(params))?;
            Ok(generation)
        })
    }
}

unsafe extern "C" fn set_generation(generation: *mut c_void, params: *const Param) -> c_int {
    // SAFETY: it is of `generation`, and a list of OpenSSL's.
    unsafe {
        Held::change(generation, |generation: &mut Generation| {
            generation.set(&Params::new(params))
        })
    }
}

unsafe extern "C" fn settable_generation(
    _generation: *mut c_void,
    _provider: *mut c_void,
) -> *const Param {
    static SETTABLE: [Param; 2] = [Param::describe(c"group", kind::UTF8), Param::END];
    SETTABLE.as_ptr()
}

unsafe extern "C" fn generate(
    generation: *mut c_void,
    _callback: Option<Callback>,
    _argument: *mut c_void,
) -> *mut c_void {
    // SAFETY: it is of `generation`.
    unsafe {
        Held::make(generation, |generation: &Generation| {
            if !generation.pair {
                return Ok(Key::default());
            }
            let private = X25519PrivateKey::generate();
            counters::KEYS.count();
            Ok(Key {
                public: Some(private.public()),
                private: Some(private),
            })
        })
    }
}

pub static KEYS: [Dispatch; 20] = [
    keymgmt::NEW.is(held::new::<Key>),
    keymgmt::FREE.is(held::free::<Key>),
    keymgmt::HAS.is(has),
    keymgmt::VALIDATE.is(validate),
    keymgmt::MATCH.is(matches),
    keymgmt::IMPORT.is(import),
    keymgmt::IMPORT_TYPES.is(types),
    keymgmt::EXPORT.is(export),
    keymgmt::EXPORT_TYPES.is(types),
    keymgmt::DUP.is(dup),
    keymgmt::GET_PARAMS.is(get_params),
    keymgmt::GETTABLE_PARAMS.is(gettable),
    keymgmt::SET_PARAMS.is(set_params),
    keymgmt::SETTABLE_PARAMS.is(settable),
    keymgmt::GEN_INIT.is(generation),
    keymgmt::GEN_SET_PARAMS.is(set_generation),
    keymgmt::GEN_SETTABLE_PARAMS.is(settable_generation),
    keymgmt::GEN.is(generate),
    keymgmt::GEN_CLEANUP.is(held::free::<Generation>),
    Dispatch::END,
];

/// An agreement: the own key, and the other's.
#[derive(Clone, Default)]
struct Exchange {
    own: Option<X25519PrivateKey>,
    peer: Option<X25519PublicKey>,
}

unsafe extern "C" fn init(exchange: *mut c_void, key: *mut c_void, _params: *const Param) -> c_int {
    // SAFETY: they are an exchange and a key of ours.
    unsafe {
        Held::change(exchange, |exchange: &mut Exchange| {
            let own = Held::<Key>::get(key).and_then(|key| key.private.clone());
            let own = own.ok_or_else(|| Failure::new("the own key has no private part"))?;
            *exchange = Exchange {
                own: Some(own),
                peer: None,
            };
            Ok(())
        })
    }
}

unsafe extern "C" fn set_peer(exchange: *mut c_void, key: *mut c_void) -> c_int {
    // SAFETY: they are an exchange and a key of ours.
    unsafe {
        Held::change(exchange, |exchange: &mut Exchange| {
            let peer = Held::<Key>::get(key).and_then(|key| key.public);
            let peer = peer.ok_or_else(|| Failure::new("the other's key has no public part"))?;
            exchange.peer = Some(peer);
            Ok(())
        })
    }
}

unsafe extern "C" fn derive(
    exchange: *mut c_void,
    out: *mut u8,
    len: *mut usize,
    size: usize,
) -> c_int {
    // SAFETY: it is an exchange of ours, and room of this size.
    unsafe {
        Held::look(exchange, |exchange: &Exchange| {
            let (Some(own), Some(peer)) = (&exchange.own, &exchange.peer) else {
                return Err(Failure::order());
            };
            write(out, len, size, LEN, || {
                let secret = own.agree(peer)?;
                counters::AGREEMENTS.count();
                Ok(secret)
            })
        })
    }
}

pub static EXCHANGE: [Dispatch; 7] = [
    keyexch::NEWCTX.is(held::new::<Exchange>),
    keyexch::FREECTX.is(held::free::<Exchange>),
    keyexch::DUPCTX.is(held::dup::<Exchange>),
    keyexch::INIT.is(init),
    keyexch::SET_PEER.is(set_peer),
    keyexch::DERIVE.is(derive),
    Dispatch::END,
];
