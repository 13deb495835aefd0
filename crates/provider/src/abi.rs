//! The binary interface between OpenSSL and a provider: three structures, the numbers of functions and their types
//! (openssl/core.h, openssl/core_dispatch.h).
//!
//! It is stable from OpenSSL 3.0 on: a later version adds numbers, and changes none.

use core::ffi::{CStr, c_char, c_int, c_uint, c_void};
use core::marker::PhantomData;
use core::mem::{size_of, transmute_copy};
use core::ptr::{null, null_mut};

/// A parameter that is passed in, asked for, or described: `OSSL_PARAM`. One with a null key ends a list.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Param {
    pub key: *const c_char,
    /// One of [`kind`].
    pub kind: c_uint,
    pub data: *mut c_void,
    pub size: usize,
    /// How long the value is, which whoever sets it writes here.
    pub return_size: usize,
}

// SAFETY: those in statics describe parameters, and have no data.
unsafe impl Sync for Param {}

impl Param {
    /// The description of a parameter.
    pub const fn describe(key: &'static CStr, kind: c_uint) -> Param {
        Param {
            key: key.as_ptr(),
            kind,
            data: null_mut(),
            size: 0,
            return_size: UNMODIFIED,
        }
    }

    /// The end of a list.
    pub const END: Param = Param {
        key: null(),
        kind: 0,
        data: null_mut(),
        size: 0,
        return_size: 0,
    };
}

/// `OSSL_PARAM_UNMODIFIED`: nobody has set the parameter.
pub const UNMODIFIED: usize = usize::MAX;

/// The types of parameters.
pub mod kind {
    use core::ffi::c_uint;
    pub const INTEGER: c_uint = 1;
    /// In the machine's byte order, of any length.
    pub const UNSIGNED: c_uint = 2;
    pub const UTF8: c_uint = 4;
    pub const OCTETS: c_uint = 5;
    pub const UTF8_POINTER: c_uint = 6;
    pub const OCTETS_POINTER: c_uint = 7;
}

/// An entry of a table of functions: `OSSL_DISPATCH`. Number 0 ends the table.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Dispatch {
    pub number: c_int,
    pub function: Option<unsafe extern "C" fn()>,
}

impl Dispatch {
    /// The end of a table.
    pub const END: Dispatch = Dispatch {
        number: 0,
        function: None,
    };
}

/// An algorithm: `OSSL_ALGORITHM`. Null names end a list.
#[repr(C)]
#[derive(Debug)]
pub struct Algorithm {
    /// The names, separated by colons.
    pub names: *const c_char,
    pub properties: *const c_char,
    pub functions: *const Dispatch,
    pub description: *const c_char,
}

// SAFETY: its pointers lead to statics.
unsafe impl Sync for Algorithm {}

impl Algorithm {
    /// The end of a list.
    pub const END: Algorithm = Algorithm {
        names: null(),
        properties: null(),
        functions: null(),
        description: null(),
    };
}

/// The types of keys that an algorithm takes: names, and a null.
#[derive(Debug)]
pub struct KeyTypes([*const c_char; 2]);

// SAFETY: the names are statics.
unsafe impl Sync for KeyTypes {}

impl KeyTypes {
    pub const fn new(name: &'static CStr) -> KeyTypes {
        KeyTypes([name.as_ptr(), null()])
    }

    pub const fn as_ptr(&self) -> *const *const c_char {
        self.0.as_ptr()
    }
}

/// An error of a provider: `OSSL_ITEM`. Number 0 ends a list.
#[repr(C)]
#[derive(Debug)]
pub struct Item {
    pub number: c_uint,
    pub text: *const c_char,
}

// SAFETY: the text is a static.
unsafe impl Sync for Item {}

/// The number and the type of a function.
#[derive(Debug)]
pub struct Function<F>(c_int, PhantomData<fn() -> F>);

impl<F: Copy> Function<F> {
    const fn new(number: c_int) -> Self {
        Function(number, PhantomData)
    }

    #[cfg(test)]
    pub const fn number(&self) -> c_int {
        self.0
    }

    /// The entry of a table with this function.
    pub const fn is(&self, function: F) -> Dispatch {
        assert!(size_of::<F>() == size_of::<unsafe extern "C" fn()>());
        Dispatch {
            number: self.0,
            // SAFETY: all functions have pointers of one size. OpenSSL calls it with the type that belongs to the number.
            function: Some(unsafe { transmute_copy(&function) }),
        }
    }

    /// The function of this number in a table that ends with number 0.
    ///
    /// # Safety
    /// The table must be OpenSSL's.
    pub unsafe fn find(&self, mut table: *const Dispatch) -> Option<F> {
        // SAFETY: the table ends with number 0.
        unsafe {
            while (*table).number != 0 {
                if (*table).number == self.0 {
                    let function = (*table).function?;
                    return Some(transmute_copy(&function));
                }
                table = table.add(1);
            }
        }
        None
    }
}

macro_rules! functions {
    ($(
        $(#[$doc:meta])* $module:ident { $($Name:ident = $number:literal: ($($argument:ty),*) $(-> $result:ty)?;)* }
    )*) => {$(
        $(#[$doc])*
        pub mod $module {
            use super::*;
            $(pub const $Name: Function<unsafe extern "C" fn($($argument),*) $(-> $result)?> = Function::new($number);)*

            /// The numbers by their names, for the test that compares them with OpenSSL's headers.
            #[cfg(test)]
            pub const ALL: &[(&str, c_int)] = &[$((stringify!($Name), $Name.number())),*];
        }
    )*};
}

/// A callback that takes parameters: `OSSL_CALLBACK`.
pub type Callback = unsafe extern "C" fn(*const Param, *mut c_void) -> c_int;

type Void = *mut c_void;
type In = *const u8;
type Out = *mut u8;

functions! {
    /// What OpenSSL has for providers.
    upcall {
        GET_PARAMS = 2: (*const c_void, *mut Param) -> c_int;
        NEW_ERROR = 5: (*const c_void);
        SET_ERROR_DEBUG = 6: (*const c_void, *const c_char, c_int, *const c_char);
        VSET_ERROR = 7: (*const c_void, u32, *const c_char, *mut c_void);
    }
    /// A provider itself.
    provider {
        TEARDOWN = 1024: (Void);
        GETTABLE_PARAMS = 1025: (Void) -> *const Param;
        GET_PARAMS = 1026: (Void, *mut Param) -> c_int;
        QUERY_OPERATION = 1027: (Void, c_int, *mut c_int) -> *const Algorithm;
        GET_REASON_STRINGS = 1029: (Void) -> *const Item;
        GET_CAPABILITIES = 1030: (Void, *const c_char, Callback, Void) -> c_int;
    }
    /// Keys of an algorithm: making, moving and describing them.
    keymgmt {
        NEW = 1: (Void) -> Void;
        GEN_INIT = 2: (Void, c_int, *const Param) -> Void;
        GEN_SET_PARAMS = 4: (Void, *const Param) -> c_int;
        GEN_SETTABLE_PARAMS = 5: (Void, Void) -> *const Param;
        GEN_SET_TEMPLATE = 3: (Void, Void) -> c_int;
        GEN = 6: (Void, Option<Callback>, Void) -> Void;
        GEN_CLEANUP = 7: (Void);
        FREE = 10: (Void);
        GET_PARAMS = 11: (Void, *mut Param) -> c_int;
        GETTABLE_PARAMS = 12: (Void) -> *const Param;
        SET_PARAMS = 13: (Void, *const Param) -> c_int;
        SETTABLE_PARAMS = 14: (Void) -> *const Param;
        QUERY_OPERATION_NAME = 20: (c_int) -> *const c_char;
        HAS = 21: (*const c_void, c_int) -> c_int;
        VALIDATE = 22: (*const c_void, c_int, c_int) -> c_int;
        MATCH = 23: (*const c_void, *const c_void, c_int) -> c_int;
        IMPORT = 40: (Void, c_int, *const Param) -> c_int;
        IMPORT_TYPES = 41: (c_int) -> *const Param;
        EXPORT = 42: (Void, c_int, Callback, Void) -> c_int;
        EXPORT_TYPES = 43: (c_int) -> *const Param;
        DUP = 44: (*const c_void, c_int) -> Void;
    }
    /// Signatures.
    signature {
        NEWCTX = 1: (Void, *const c_char) -> Void;
        SIGN_INIT = 2: (Void, Void, *const Param) -> c_int;
        SIGN = 3: (Void, Out, *mut usize, usize, In, usize) -> c_int;
        VERIFY_INIT = 4: (Void, Void, *const Param) -> c_int;
        VERIFY = 5: (Void, In, usize, In, usize) -> c_int;
        VERIFY_RECOVER_INIT = 6: (Void, Void, *const Param) -> c_int;
        VERIFY_RECOVER = 7: (Void, Out, *mut usize, usize, In, usize) -> c_int;
        DIGEST_SIGN_INIT = 8: (Void, *const c_char, Void, *const Param) -> c_int;
        DIGEST_SIGN_UPDATE = 9: (Void, In, usize) -> c_int;
        DIGEST_SIGN_FINAL = 10: (Void, Out, *mut usize, usize) -> c_int;
        DIGEST_SIGN = 11: (Void, Out, *mut usize, usize, In, usize) -> c_int;
        DIGEST_VERIFY_INIT = 12: (Void, *const c_char, Void, *const Param) -> c_int;
        DIGEST_VERIFY_UPDATE = 13: (Void, In, usize) -> c_int;
        DIGEST_VERIFY_FINAL = 14: (Void, In, usize) -> c_int;
        DIGEST_VERIFY = 15: (Void, In, usize, In, usize) -> c_int;
        FREECTX = 16: (Void);
        DUPCTX = 17: (Void) -> Void;
        GET_CTX_PARAMS = 18: (Void, *mut Param) -> c_int;
        GETTABLE_CTX_PARAMS = 19: (Void, Void) -> *const Param;
        SET_CTX_PARAMS = 20: (Void, *const Param) -> c_int;
        SETTABLE_CTX_PARAMS = 21: (Void, Void) -> *const Param;
        QUERY_KEY_TYPES = 26: () -> *const *const c_char;
        SIGN_MESSAGE_INIT = 27: (Void, Void, *const Param) -> c_int;
        SIGN_MESSAGE_UPDATE = 28: (Void, In, usize) -> c_int;
        SIGN_MESSAGE_FINAL = 29: (Void, Out, *mut usize, usize) -> c_int;
        VERIFY_MESSAGE_INIT = 30: (Void, Void, *const Param) -> c_int;
        VERIFY_MESSAGE_UPDATE = 31: (Void, In, usize) -> c_int;
        VERIFY_MESSAGE_FINAL = 32: (Void) -> c_int;
    }
    /// Ciphers.
    cipher {
        NEWCTX = 1: (Void) -> Void;
        ENCRYPT_INIT = 2: (Void, In, usize, In, usize, *const Param) -> c_int;
        DECRYPT_INIT = 3: (Void, In, usize, In, usize, *const Param) -> c_int;
        UPDATE = 4: (Void, Out, *mut usize, usize, In, usize) -> c_int;
        FINAL = 5: (Void, Out, *mut usize, usize) -> c_int;
        CIPHER = 6: (Void, Out, *mut usize, usize, In, usize) -> c_int;
        FREECTX = 7: (Void);
        DUPCTX = 8: (Void) -> Void;
        GET_PARAMS = 9: (*mut Param) -> c_int;
        GET_CTX_PARAMS = 10: (Void, *mut Param) -> c_int;
        SET_CTX_PARAMS = 11: (Void, *const Param) -> c_int;
        GETTABLE_PARAMS = 12: (Void) -> *const Param;
        GETTABLE_CTX_PARAMS = 13: (Void, Void) -> *const Param;
        SETTABLE_CTX_PARAMS = 14: (Void, Void) -> *const Param;
    }
    /// Public-key encryption.
    asym_cipher {
        NEWCTX = 1: (Void) -> Void;
        ENCRYPT_INIT = 2: (Void, Void, *const Param) -> c_int;
        ENCRYPT = 3: (Void, Out, *mut usize, usize, In, usize) -> c_int;
        DECRYPT_INIT = 4: (Void, Void, *const Param) -> c_int;
        DECRYPT = 5: (Void, Out, *mut usize, usize, In, usize) -> c_int;
        FREECTX = 6: (Void);
        DUPCTX = 7: (Void) -> Void;
        GET_CTX_PARAMS = 8: (Void, *mut Param) -> c_int;
        GETTABLE_CTX_PARAMS = 9: (Void, Void) -> *const Param;
        SET_CTX_PARAMS = 10: (Void, *const Param) -> c_int;
        SETTABLE_CTX_PARAMS = 11: (Void, Void) -> *const Param;
    }
    /// Key agreement.
    keyexch {
        NEWCTX = 1: (Void) -> Void;
        INIT = 2: (Void, Void, *const Param) -> c_int;
        DERIVE = 3: (Void, Out, *mut usize, usize) -> c_int;
        SET_PEER = 4: (Void, Void) -> c_int;
        FREECTX = 5: (Void);
        DUPCTX = 6: (Void) -> Void;
        SET_CTX_PARAMS = 7: (Void, *const Param) -> c_int;
        SETTABLE_CTX_PARAMS = 8: (Void, Void) -> *const Param;
        GET_CTX_PARAMS = 9: (Void, *mut Param) -> c_int;
        GETTABLE_CTX_PARAMS = 10: (Void, Void) -> *const Param;
    }
    /// Hash functions.
    digest {
        NEWCTX = 1: (Void) -> Void;
        INIT = 2: (Void, *const Param) -> c_int;
        UPDATE = 3: (Void, In, usize) -> c_int;
        FINAL = 4: (Void, Out, *mut usize, usize) -> c_int;
        FREECTX = 6: (Void);
        DUPCTX = 7: (Void) -> Void;
        GET_PARAMS = 8: (*mut Param) -> c_int;
        GETTABLE_PARAMS = 11: (Void) -> *const Param;
    }
}

/// Kinds of operations.
pub mod operation {
    use core::ffi::c_int;
    pub const DIGEST: c_int = 1;
    pub const CIPHER: c_int = 2;
    pub const KEYMGMT: c_int = 10;
    pub const KEYEXCH: c_int = 11;
    pub const SIGNATURE: c_int = 12;
    pub const ASYM_CIPHER: c_int = 13;
}

/// Parts of keys.
pub mod select {
    use core::ffi::c_int;
    pub const PRIVATE: c_int = 1;
    pub const PUBLIC: c_int = 2;
    pub const PAIR: c_int = PRIVATE | PUBLIC;
    /// For curves, which one.
    pub const DOMAIN: c_int = 4;
    /// For RSA-PSS, the restrictions.
    pub const OTHER: c_int = 0x80;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use std::fs;
    use std::path::PathBuf;

    /// The folders of OpenSSL's headers: the system's, and those of the crate `openssl-src` where cargo has it.
    fn headers() -> Vec<PathBuf> {
        let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
        let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
        let registries = home.and_then(|home| fs::read_dir(home.join("registry/src")).ok());
        let crates = registries.into_iter().flatten().flatten();
        let crates = crates.filter_map(|registry| fs::read_dir(registry.path()).ok());
        let crates = crates.flatten().flatten().map(|package| package.path());
        let sources = crates.map(|package| package.join("openssl/include/openssl"));
        let system = PathBuf::from("/usr/include/openssl");
        let all = std::iter::once(system).chain(sources);
        all.filter(|folder| folder.join("core_dispatch.h").exists())
            .collect()
    }

    /// The numbers that a header defines.
    fn numbers(header: &str) -> HashMap<&str, i64> {
        let definition = |line| {
            let mut words = str::split_whitespace(line);
            let first = words.next()?;
            let name = match first {
                "#define" => words.next()?,
                "#" => words.nth(1)?,
                _ => return None,
            };
            let number = words.next()?;
            let number = match number.strip_prefix("0x") {
                Some(digits) => i64::from_str_radix(digits, 16),
                None => number.parse(),
            };
            Some((name, number.ok()?))
        };
        header.lines().filter_map(definition).collect()
    }

    #[test]
    fn numbers_are_those_of_the_headers() {
        let folders = headers();
        if folders.is_empty() {
            eprintln!("SKIPPED: there are no headers of OpenSSL");
        }
        for folder in folders {
            let read = |name| fs::read_to_string(folder.join(name)).unwrap();
            let (core, dispatch) = (read("core.h"), read("core_dispatch.h"));
            let (core, dispatch) = (numbers(&core), numbers(&dispatch));
            let mut compared = 0;
            let mut compare = |prefix: &str, all: &[(&str, c_int)]| {
                for (name, number) in all {
                    let name = format!("OSSL_FUNC_{prefix}_{name}");
                    // An older version lacks what came later.
                    if let Some(&theirs) = dispatch.get(&*name) {
                        assert_eq!(theirs, i64::from(*number), "{name} in {folder:?}");
                        compared += 1;
                    }
                }
            };
            compare("CORE", upcall::ALL);
            compare("PROVIDER", provider::ALL);
            compare("KEYMGMT", keymgmt::ALL);
            compare("SIGNATURE", signature::ALL);
            compare("ASYM_CIPHER", asym_cipher::ALL);
            compare("KEYEXCH", keyexch::ALL);
            compare("DIGEST", digest::ALL);
            compare("CIPHER", cipher::ALL);
            assert!(compared >= 90, "{compared} in {folder:?}");
            for (name, number) in [
                ("OSSL_OP_DIGEST", operation::DIGEST),
                ("OSSL_OP_CIPHER", operation::CIPHER),
                ("OSSL_OP_KEYMGMT", operation::KEYMGMT),
                ("OSSL_OP_KEYEXCH", operation::KEYEXCH),
                ("OSSL_OP_SIGNATURE", operation::SIGNATURE),
                ("OSSL_OP_ASYM_CIPHER", operation::ASYM_CIPHER),
                ("OSSL_KEYMGMT_SELECT_PRIVATE_KEY", select::PRIVATE),
                ("OSSL_KEYMGMT_SELECT_PUBLIC_KEY", select::PUBLIC),
                ("OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS", select::DOMAIN),
                ("OSSL_KEYMGMT_SELECT_OTHER_PARAMETERS", select::OTHER),
            ] {
                assert_eq!(dispatch[name], i64::from(number), "{name} in {folder:?}");
            }
            for (name, number) in [
                ("OSSL_PARAM_INTEGER", kind::INTEGER),
                ("OSSL_PARAM_UNSIGNED_INTEGER", kind::UNSIGNED),
                ("OSSL_PARAM_UTF8_STRING", kind::UTF8),
                ("OSSL_PARAM_OCTET_STRING", kind::OCTETS),
                ("OSSL_PARAM_UTF8_PTR", kind::UTF8_POINTER),
                ("OSSL_PARAM_OCTET_PTR", kind::OCTETS_POINTER),
            ] {
                assert_eq!(core[name], i64::from(number), "{name} in {folder:?}");
            }
        }
    }
}
