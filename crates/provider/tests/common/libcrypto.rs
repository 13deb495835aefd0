//! libcrypto with the provider, within the test's own process.

use super::{COUNTERS, Setup};
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::ops::Deref;
use std::ptr::{null, null_mut};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

pub type Ptr = *mut c_void;

/// `OSSL_PARAM`.
#[repr(C)]
pub struct Param {
    pub key: *const c_char,
    pub kind: c_uint,
    pub data: Ptr,
    pub size: usize,
    pub return_size: usize,
}

#[link(name = "crypto")]
unsafe extern "C" {
    pub fn OSSL_LIB_CTX_new() -> Ptr;
    pub fn OSSL_LIB_CTX_load_config(context: Ptr, file: *const c_char) -> c_int;
    pub fn ERR_clear_error();
    pub fn EVP_PKEY_CTX_new_from_name(
        library: Ptr,
        name: *const c_char,
        properties: *const c_char,
    ) -> Ptr;
    pub fn EVP_PKEY_CTX_free(context: Ptr);
    pub fn EVP_PKEY_fromdata_init(context: Ptr) -> c_int;
    pub fn EVP_PKEY_fromdata(
        context: Ptr,
        key: *mut Ptr,
        selection: c_int,
        params: *const Param,
    ) -> c_int;
    pub fn EVP_PKEY_keygen_init(context: Ptr) -> c_int;
    pub fn EVP_PKEY_generate(context: Ptr, key: *mut Ptr) -> c_int;
    pub fn EVP_PKEY_CTX_set_cb(context: Ptr, callback: unsafe extern "C" fn(Ptr) -> c_int);
    pub fn EVP_PKEY_CTX_set_params(context: Ptr, params: *const Param) -> c_int;
    pub fn EVP_PKEY_CTX_new_from_pkey(library: Ptr, key: Ptr, properties: *const c_char) -> Ptr;
    pub fn EVP_PKEY_sign_init(context: Ptr) -> c_int;
    pub fn EVP_PKEY_sign(
        context: Ptr,
        signature: *mut u8,
        len: *mut usize,
        tbs: *const u8,
        tbs_len: usize,
    ) -> c_int;
    pub fn EVP_PKEY_verify(
        context: Ptr,
        signature: *const u8,
        len: usize,
        tbs: *const u8,
        tbs_len: usize,
    ) -> c_int;
    pub fn EVP_PKEY_free(key: Ptr);
    pub fn EVP_PKEY_dup(key: Ptr) -> Ptr;
    pub fn EVP_PKEY_eq(a: Ptr, b: Ptr) -> c_int;
    pub fn EVP_PKEY_check(context: Ptr) -> c_int;
    pub fn EVP_PKEY_copy_parameters(to: Ptr, from: Ptr) -> c_int;
    pub fn EVP_PKEY_new() -> Ptr;
    pub fn EVP_PKEY_set1_encoded_public_key(key: Ptr, octets: *const u8, len: usize) -> c_int;
    pub fn EVP_PKEY_verify_init(context: Ptr) -> c_int;
    pub fn EVP_PKEY_derive_init(context: Ptr) -> c_int;
    pub fn EVP_PKEY_derive_set_peer(context: Ptr, peer: Ptr) -> c_int;
    pub fn EVP_PKEY_derive(context: Ptr, secret: *mut u8, len: *mut usize) -> c_int;
    pub fn EVP_PKEY_get_params(key: Ptr, params: *mut Param) -> c_int;
    pub fn EVP_PKEY_todata(key: Ptr, selection: c_int, params: *mut *mut Param) -> c_int;
    pub fn OSSL_PARAM_free(params: *mut Param);
    pub fn EVP_MD_CTX_new() -> Ptr;
    pub fn EVP_MD_CTX_free(context: Ptr);
    pub fn EVP_MD_CTX_copy_ex(to: Ptr, from: Ptr) -> c_int;
    pub fn EVP_DigestSignInit_ex(
        context: Ptr,
        key_context: *mut Ptr,
        digest: *const c_char,
        library: Ptr,
        properties: *const c_char,
        key: Ptr,
        params: *const Param,
    ) -> c_int;
    pub fn EVP_DigestSignUpdate(context: Ptr, data: *const u8, len: usize) -> c_int;
    pub fn EVP_DigestSignFinal(context: Ptr, signature: *mut u8, len: *mut usize) -> c_int;
    pub fn EVP_DigestVerifyInit_ex(
        context: Ptr,
        key_context: *mut Ptr,
        digest: *const c_char,
        library: Ptr,
        properties: *const c_char,
        key: Ptr,
        params: *const Param,
    ) -> c_int;
    pub fn EVP_DigestVerify(
        context: Ptr,
        signature: *const u8,
        len: usize,
        data: *const u8,
        data_len: usize,
    ) -> c_int;
    pub fn ASYNC_init_thread(most: usize, first: usize) -> c_int;
    pub fn ASYNC_WAIT_CTX_new() -> Ptr;
    pub fn ASYNC_WAIT_CTX_free(context: Ptr);
    pub fn ASYNC_WAIT_CTX_get_all_fds(context: Ptr, fds: *mut c_int, count: *mut usize) -> c_int;
    pub fn ASYNC_start_job(
        job: *mut Ptr,
        context: Ptr,
        result: *mut c_int,
        function: unsafe extern "C" fn(Ptr) -> c_int,
        argument: Ptr,
        size: usize,
    ) -> c_int;
}

/// A library context with the provider before the default one, and an RSA key of 2048 bits.
pub struct Library {
    pub setup: Setup,
    pub context: Ptr,
    pub key: Ptr,
}

// SAFETY: OpenSSL's objects may be used by all threads.
unsafe impl Sync for Library {}
// SAFETY: as above.
unsafe impl Send for Library {}

/// One test at a time has the library, as the counters are those of the process.
pub struct Turn {
    library: MutexGuard<'static, Library>,
    before: [u64; COUNTERS.len()],
}

impl Deref for Turn {
    type Target = Library;

    fn deref(&self) -> &Library {
        &self.library
    }
}

impl Turn {
    pub fn take() -> Turn {
        static LIBRARY: LazyLock<Mutex<Library>> = LazyLock::new(|| Mutex::new(Library::new()));
        let library = LIBRARY.lock().unwrap_or_else(PoisonError::into_inner);
        let before = COUNTERS.map(|name| library.setup.count(name));
        Turn { library, before }
    }

    /// A count since this test began.
    pub fn count(&self, name: &str) -> u64 {
        let at = COUNTERS.iter().position(|own| *own == name).unwrap();
        self.library.setup.count(name) - self.before[at]
    }
}

impl Library {
    fn new() -> Library {
        let setup = Setup::new();
        let file = CString::new(setup.path("openssl.cnf").to_str().unwrap()).unwrap();
        let mut key = null_mut();
        // SAFETY: each gets what the one before made.
        let context = unsafe {
            let context = OSSL_LIB_CTX_new();
            assert_eq!(OSSL_LIB_CTX_load_config(context, file.as_ptr()), 1);
            let generation = EVP_PKEY_CTX_new_from_name(context, c"RSA".as_ptr(), null());
            assert_eq!(EVP_PKEY_keygen_init(generation), 1);
            assert_eq!(EVP_PKEY_generate(generation, &mut key), 1);
            EVP_PKEY_CTX_free(generation);
            context
        };
        assert_eq!(setup.count("keys"), 1);
        Library {
            setup,
            context,
            key,
        }
    }

    pub fn sign(&self, message: &[u8]) -> Vec<u8> {
        let mut signature = vec![0; 256];
        let mut len = signature.len();
        // SAFETY: there is room for the signature.
        unsafe {
            let context = self.signing();
            assert_eq!(
                EVP_DigestSignUpdate(context, message.as_ptr(), message.len()),
                1
            );
            assert_eq!(
                EVP_DigestSignFinal(context, signature.as_mut_ptr(), &mut len),
                1
            );
            EVP_MD_CTX_free(context);
        }
        assert_eq!(len, 256);
        signature
    }

    pub fn signing(&self) -> Ptr {
        // SAFETY: the key and the context fit.
        unsafe {
            let context = EVP_MD_CTX_new();
            let digest = c"SHA2-256".as_ptr();
            let (library, key) = (self.context, self.key);
            let good =
                EVP_DigestSignInit_ex(context, null_mut(), digest, library, null(), key, null());
            assert_eq!(good, 1);
            context
        }
    }

    pub fn verifies(&self, signature: &[u8], message: &[u8]) -> bool {
        // SAFETY: lengths are those of the slices.
        unsafe {
            let context = EVP_MD_CTX_new();
            let digest = c"SHA2-256".as_ptr();
            let (library, key) = (self.context, self.key);
            let good =
                EVP_DigestVerifyInit_ex(context, null_mut(), digest, library, null(), key, null());
            assert_eq!(good, 1);
            let (s, m) = (signature, message);
            let good = EVP_DigestVerify(context, s.as_ptr(), s.len(), m.as_ptr(), m.len());
            EVP_MD_CTX_free(context);
            ERR_clear_error();
            good == 1
        }
    }
}

/// A parameter with this value.
pub fn param(key: &'static CStr, kind: c_uint, value: &mut Vec<u8>) -> Param {
    Param {
        key: key.as_ptr(),
        kind,
        data: value.as_mut_ptr().cast(),
        size: value.len(),
        return_size: usize::MAX,
    }
}

pub const END: Param = Param {
    key: null(),
    kind: 0,
    data: null_mut(),
    size: 0,
    return_size: 0,
};
