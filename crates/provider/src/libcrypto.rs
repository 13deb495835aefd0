//! Functions of libcrypto that OpenSSL does not pass to providers: looked up by name in the process, where it has them.
//!
//! A program may hold libcrypto where its names are not seen (an extension of Python's), or have it without names (linked
//! statically and stripped). What needs these functions says so there.

use core::ffi::CStr;
use core::mem::transmute_copy;

/// # Safety
/// F must be the type of the function of this name.
pub unsafe fn function<F>(name: &CStr) -> Option<F> {
    // SAFETY: the name is a C string.
    let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    // SAFETY: functions are as long as addresses.
    (!address.is_null()).then(|| unsafe { transmute_copy(&address) })
}

/// A structure of functions, with the function `get` that looks them up once: `None` unless all are there.
macro_rules! functions {
    ($(#[$doc:meta])* $Library:ident {
        $($field:ident = $name:ident ($($Argument:ty),*) $(-> $Result:ty)?;)*
    }) => {
        $(#[$doc])*
        struct $Library {
            $($field: unsafe extern "C" fn($($Argument),*) $(-> $Result)?,)*
        }

        impl $Library {
            fn get() -> Option<&'static $Library> {
                static LIBRARY: std::sync::OnceLock<Option<$Library>> = std::sync::OnceLock::new();
                let look_up = || {
                    // SAFETY: the types are those of OpenSSL's headers.
                    unsafe {
                        Some($Library {
                            $($field: {
                                let name = concat!(stringify!($name), "\0").as_bytes();
                                let name = core::ffi::CStr::from_bytes_until_nul(name).ok()?;
                                crate::libcrypto::function(name)?
                            },)*
                        })
                    }
                };
                LIBRARY.get_or_init(look_up).as_ref()
            }
        }
    };
}

pub(crate) use functions;
