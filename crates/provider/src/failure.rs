//! What went wrong, as OpenSSL's queue of errors tells it, and the walls that no panic passes.

use crate::abi::{Dispatch, Item, upcall};
use core::ffi::{CStr, c_char, c_int, c_uint, c_void};
use core::fmt::Display;
use core::ptr::null;
use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Why a call failed, in a sentence that says what to do.
#[derive(Debug)]
pub struct Failure {
    reason: c_uint,
    text: String,
}

const REFUSED: c_uint = 1;
const PANIC: c_uint = 2;

/// The texts of the reasons.
pub static REASONS: [Item; 3] = [
    Item {
        number: REFUSED,
        text: c"carrysave refused".as_ptr(),
    },
    Item {
        number: PANIC,
        text: c"carrysave has a bug: please report it".as_ptr(),
    },
    Item {
        number: 0,
        text: null(),
    },
];

impl Failure {
    pub fn new(text: impl Display) -> Failure {
        Failure {
            reason: REFUSED,
            text: text.to_string(),
        }
    }

    /// A function was called without what belongs to it, or out of order.
    pub fn order() -> Failure {
        Failure::new("the call comes too early: initialise the operation with a key first")
    }
}

impl From<carrysave::rsa::Error> for Failure {
    fn from(error: carrysave::rsa::Error) -> Failure {
        Failure::new(error)
    }
}

impl From<carrysave::KeyError> for Failure {
    fn from(error: carrysave::KeyError) -> Failure {
        Failure::new(error)
    }
}

impl From<carrysave::dl::Error> for Failure {
    fn from(error: carrysave::dl::Error) -> Failure {
        Failure::new(error)
    }
}

impl From<carrysave::ec::Error> for Failure {
    fn from(error: carrysave::ec::Error) -> Failure {
        Failure::new(error)
    }
}

/// The functions by which a loaded provider reports errors.
pub struct Core {
    handle: *const c_void,
    new_error: Option<unsafe extern "C" fn(*const c_void)>,
    set_error_debug:
        Option<unsafe extern "C" fn(*const c_void, *const c_char, c_int, *const c_char)>,
    vset_error: Option<unsafe extern "C" fn(*const c_void, u32, *const c_char, *mut c_void)>,
}

// SAFETY: OpenSSL lets every thread use the handle.
unsafe impl Send for Core {}
// SAFETY: as above.
unsafe impl Sync for Core {}

impl Core {
    /// # Safety
    /// Both must be those that OpenSSL gave to the provider.
    pub unsafe fn new(handle: *const c_void, functions: *const Dispatch) -> Core {
        // SAFETY: as the caller says.
        unsafe {
            Core {
                handle,
                new_error: upcall::NEW_ERROR.find(functions),
                set_error_debug: upcall::SET_ERROR_DEBUG.find(functions),
                vset_error: upcall::VSET_ERROR.find(functions),
            }
        }
    }

    /// Puts a failure into the queue of this thread.
    fn raise(&self, failure: &Failure) {
        let (Some(new), Some(debug), Some(set)) =
            (self.new_error, self.set_error_debug, self.vset_error)
        else {
            return;
        };
        // It is a format without any argument.
        let text = failure.text.replace('%', "%%").replace('\0', "");
        let Ok(text) = CString::new(text) else { return };
        // A va_list, from which nothing is taken: a pointer to a structure wherever OpenSSL runs.
        let mut arguments = [0_u64; 8];
        let file: &CStr = c"carrysave";
        // SAFETY: the handle is alive as long as there are objects of the provider, and strings end with a null.
        unsafe {
            new(self.handle);
            debug(self.handle, file.as_ptr(), 0, file.as_ptr());
            set(
                self.handle,
                failure.reason,
                text.as_ptr(),
                arguments.as_mut_ptr().cast(),
            );
        }
    }
}

/// Runs what OpenSSL called. A failure or a panic goes to the queue of errors; `failed` is the result then.
pub fn entry<R>(core: &Core, failed: R, call: impl FnOnce() -> Result<R, Failure>) -> R {
    let result = catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|_| {
        Err(Failure {
            reason: PANIC,
            text: "a panic was caught".to_owned(),
        })
    });
    result.unwrap_or_else(|failure| {
        core.raise(&failure);
        failed
    })
}

/// Runs what cannot fail, and must not panic into OpenSSL all the same.
pub fn quiet<R>(failed: R, call: impl FnOnce() -> R) -> R {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or(failed)
}

/// [`entry`] of a call that gives 1 for success, 0 for failure.
pub fn checked(core: &Core, call: impl FnOnce() -> Result<(), Failure>) -> c_int {
    entry(core, 0, || call().map(|()| 1))
}

/// Writes bytes of a result as OpenSSL asks for them: without a place for them, only their greatest length `most`. Refuses
/// less room than that before it knows the result, as a refusal would tell the length of a secret.
///
/// # Safety
/// `len` must be null or writable, and `out` null or so for `size` bytes.
pub unsafe fn write(
    out: *mut u8,
    len: *mut usize,
    size: usize,
    most: usize,
    bytes: impl FnOnce() -> Result<zeroize::Zeroizing<Vec<u8>>, Failure>,
) -> Result<(), Failure> {
    let set = |written| {
        if !len.is_null() {
            // SAFETY: as the caller says.
            unsafe { *len = written };
        }
    };
    if out.is_null() {
        set(most);
        return Ok(());
    }
    if size < most {
        return Err(Failure::new(format!(
            "there is room for {size} bytes, and the result may have {most}: ask for the length first"
        )));
    }
    let bytes = bytes()?;
    // SAFETY: no result is longer than `most`.
    unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), out, bytes.len().min(most)) };
    set(bytes.len().min(most));
    Ok(())
}

/// The bytes of an argument.
///
/// # Safety
/// `at` must be null, or `len` bytes must lie there until the call is over.
pub unsafe fn bytes<'a>(at: *const u8, len: usize) -> &'a [u8] {
    if at.is_null() {
        return &[];
    }
    // SAFETY: as the caller says.
    unsafe { core::slice::from_raw_parts(at, len) }
}

/// The text of an argument; `None` if there is none.
///
/// # Safety
/// `at` must be null or a C string.
pub unsafe fn text<'a>(at: *const c_char) -> Result<Option<&'a str>, Failure> {
    if at.is_null() {
        return Ok(None);
    }
    // SAFETY: as the caller says.
    let text = unsafe { CStr::from_ptr(at) };
    let text = text.to_str().map_err(Failure::new)?;
    Ok(Some(text).filter(|text| !text.is_empty()))
}
