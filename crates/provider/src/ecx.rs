//! KEYMGMT of keys that are 32 octets (RFC 8410): of X25519 and of Ed25519.

use crate::abi::{Callback, Dispatch, Param, keymgmt, kind, select};
use crate::counters;
use crate::failure::Failure;
use crate::held::{self, Held};
use crate::keys::{self, Progress, selected};
use crate::param::{List, Params, Value, wanted};
use core::ffi::{CStr, c_int, c_void};
use core::marker::PhantomData;
use core::ptr::null;

pub const LEN: usize = 32;
const PUBLIC: &CStr = c"pub";
const PRIVATE: &CStr = c"priv";
const ENCODED: &CStr = c"encoded-pub-key";

/// An algorithm with such keys.
pub trait Algorithm: Sized + 'static {
    const NAME: &str;
    /// The size of a key by OpenSSL's account.
    const BITS: i32;
    /// The most octets of a result: of a secret, or of a signature.
    const MOST: i32;
    /// Whether keys sign. The others agree on secrets, and TLS sends their public parts.
    const SIGNS: bool;
    type Private: Clone;
    type Public: Copy + PartialEq + AsRef<[u8]>;

    fn generate() -> Self::Private;
    fn private(octets: &[u8; LEN]) -> Self::Private;
    fn octets(private: &Self::Private) -> &[u8; LEN];
    fn public_of(private: &Self::Private) -> Self::Public;
    fn public(octets: &[u8; LEN]) -> Result<Self::Public, Failure>;
}

/// The parts of a key, as far as there are any.
pub struct Key<A: Algorithm> {
    pub private: Option<A::Private>,
    pub public: Option<A::Public>,
}

impl<A: Algorithm> Default for Key<A> {
    fn default() -> Self {
        Key {
            private: None,
            public: None,
        }
    }
}

/// The octets where the caller has them: a copy that moves leaves others behind.
fn octets<A: Algorithm>(value: Value<'_>) -> Result<&[u8; LEN], Failure> {
    let given = value.octets()?;
    given.try_into().map_err(|_| {
        Failure::new(format!(
            "a key of {} has {LEN} bytes, and this one {}",
            A::NAME,
            given.len()
        ))
    })
}

fn public<A: Algorithm>(value: Value<'_>) -> Result<A::Public, Failure> {
    A::public(octets::<A>(value)?)
}

impl<A: Algorithm> Key<A> {
    /// The selected parts, as OpenSSL names them.
    fn list(&self, selection: c_int) -> List {
        let mut list = List::default();
        if selection & select::PAIR != 0
            && let Some(public) = &self.public
        {
            list.octets(PUBLIC, public.as_ref());
        }
        if selection & select::PRIVATE != 0
            && let Some(private) = &self.private
        {
            list.octets(PRIVATE, A::octets(private));
        }
        list
    }
}

impl<A: Algorithm> keys::Key for Key<A> {
    fn import(&mut self, selection: c_int, params: &Params<'_>) -> Result<(), Failure> {
        if selection & select::PRIVATE != 0
            && let Some(value) = params.find(PRIVATE)
        {
            let private = A::private(octets::<A>(value)?);
            self.public = Some(A::public_of(&private));
            self.private = Some(private);
        }
        if let Some(value) = params.find(PUBLIC) {
            let public = public::<A>(value)?;
            if self.private.is_some() && self.public.as_ref() != Some(&public) {
                return Err(Failure::new(
                    "the public key does not belong to the private key",
                ));
            }
            self.public = Some(public);
        }
        match self.public {
            Some(_) => {
                counters::IMPORTS.count();
                Ok(())
            }
            None => Err(Failure::new(
                "the key has neither a public nor a private part",
            )),
        }
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

    fn has(&self, selection: c_int) -> bool {
        (selection & select::PRIVATE == 0 || self.private.is_some())
            && (selection & select::PUBLIC == 0 || self.public.is_some())
    }

    fn matches(&self, other: &Self, selection: c_int) -> bool {
        let equal = self.public.is_some() && self.public == other.public;
        !selected(selection, select::PAIR) || equal
    }

    fn part(&self, selection: c_int) -> Result<Self, Failure> {
        Ok(Key {
            private: self
                .private
                .clone()
                .filter(|_| selected(selection, select::PRIVATE)),
            public: self.public.filter(|_| selected(selection, select::PAIR)),
        })
    }

    fn set(&mut self, params: &Params<'_>) -> Result<(), Failure> {
        if !A::SIGNS
            && let Some(value) = params.find(ENCODED)
        {
            *self = Key {
                private: None,
                public: Some(public::<A>(value)?),
            };
        }
        Ok(())
    }
}

unsafe extern "C" fn validate<A: Algorithm>(
    key: *const c_void,
    selection: c_int,
    _kind: c_int,
) -> c_int {
    // SAFETY: as `keys::has`; a key that has its parts is valid.
    unsafe { keys::has::<Key<A>>(key, selection) }
}

unsafe extern "C" fn get_params<A: Algorithm>(key: *mut c_void, params: *mut Param) -> c_int {
    // SAFETY: it is a key of ours, and a list of OpenSSL's.
    unsafe {
        Held::look(key, |key: &Key<A>| {
            let mut list = None;
            for mut param in wanted(params) {
                match param.name().to_bytes() {
                    b"bits" => param.set_integer(A::BITS)?,
                    b"security-bits" => param.set_integer(128)?,
                    b"max-size" => param.set_integer(A::MOST)?,
                    // There is no choice of a hash.
                    b"mandatory-digest" if A::SIGNS => param.set_text(c"")?,
                    b"encoded-pub-key" if !A::SIGNS => {
                        let public = key.public.as_ref().ok_or_else(Failure::order)?;
                        param.set_octets(public.as_ref())?;
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

/// The parameters of a key, of which one is for agreements alone, or for signatures.
const fn describe(own: Param) -> [Param; 7] {
    [
        Param::describe(c"bits", kind::INTEGER),
        Param::describe(c"security-bits", kind::INTEGER),
        Param::describe(c"max-size", kind::INTEGER),
        own,
        Param::describe(PUBLIC, kind::OCTETS),
        Param::describe(PRIVATE, kind::OCTETS),
        Param::END,
    ]
}

unsafe extern "C" fn gettable<A: Algorithm>(_provider: *mut c_void) -> *const Param {
    static SIGNING: [Param; 7] = describe(Param::describe(c"mandatory-digest", kind::UTF8));
    static AGREEING: [Param; 7] = describe(Param::describe(ENCODED, kind::OCTETS));
    if A::SIGNS {
        SIGNING.as_ptr()
    } else {
        AGREEING.as_ptr()
    }
}

unsafe extern "C" fn settable<A: Algorithm>(_provider: *mut c_void) -> *const Param {
    static SETTABLE: [Param; 2] = [Param::describe(ENCODED, kind::OCTETS), Param::END];
    SETTABLE[usize::from(A::SIGNS)..].as_ptr()
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
struct Generation<A> {
    pair: bool,
    algorithm: PhantomData<A>,
}

impl<A: Algorithm> keys::Generation for Generation<A> {
    type Key = Key<A>;
    const SETTABLE: &'static [Param] = if A::SIGNS {
        &[Param::END]
    } else {
        &[Param::describe(c"group", kind::UTF8), Param::END]
    };

    fn new(selection: c_int) -> Result<Self, Failure> {
        Ok(Generation {
            pair: selected(selection, select::PAIR),
            algorithm: PhantomData,
        })
    }

    fn set(&mut self, params: &Params<'_>) -> Result<(), Failure> {
        if let Some(group) = params.find(c"group")
            && (A::SIGNS || !group.text()?.eq_ignore_ascii_case(A::NAME))
        {
            return Err(Failure::new(format!(
                "keys of {} are of no other group: leave the group out",
                A::NAME
            )));
        }
        if params.find(c"dhkem-ikm").is_some() {
            return Err(Failure::new(
                "keys are not derived from dhkem-ikm here: ask for provider=default",
            ));
        }
        Ok(())
    }

    fn generate(&self, _progress: &Progress) -> Result<Key<A>, Failure> {
        if !self.pair {
            return Ok(Key::default());
        }
        let private = A::generate();
        counters::KEYS.count();
        Ok(Key {
            public: Some(A::public_of(&private)),
            private: Some(private),
        })
    }
}

/// The functions for keys of an algorithm.
pub const fn keys<A: Algorithm>() -> [Dispatch; 20] {
    [
        keymgmt::NEW.is(held::new::<Key<A>>),
        keymgmt::FREE.is(held::free::<Key<A>>),
        keymgmt::HAS.is(keys::has::<Key<A>>),
        keymgmt::VALIDATE.is(validate::<A>),
        keymgmt::MATCH.is(keys::matches::<Key<A>>),
        keymgmt::IMPORT.is(keys::import::<Key<A>>),
        keymgmt::IMPORT_TYPES.is(types),
        keymgmt::EXPORT.is(keys::export::<Key<A>>),
        keymgmt::EXPORT_TYPES.is(types),
        keymgmt::DUP.is(keys::dup::<Key<A>>),
        keymgmt::GET_PARAMS.is(get_params::<A>),
        keymgmt::GETTABLE_PARAMS.is(gettable::<A>),
        keymgmt::SET_PARAMS.is(keys::set::<Key<A>>),
        keymgmt::SETTABLE_PARAMS.is(settable::<A>),
        keymgmt::GEN_INIT.is(keys::generation::<Generation<A>>),
        keymgmt::GEN_SET_PARAMS.is(keys::set_generation::<Generation<A>>),
        keymgmt::GEN_SETTABLE_PARAMS.is(keys::settable_generation::<Generation<A>>),
        keymgmt::GEN.is(keys::generate::<Generation<A>>),
        keymgmt::GEN_CLEANUP.is(held::free::<Generation<A>>),
        Dispatch::END,
    ]
}
