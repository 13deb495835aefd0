//! The provider inside of a program: libcrypto calls it from many threads, after a fork, from jobs that are paused and
//! torn down, and with keys and parameters that make no sense.

mod common;

use common::{COUNTERS, Setup};
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::ops::Deref;
use std::ptr::{null, null_mut};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, thread};

type Ptr = *mut c_void;

#[repr(C)]
struct Param {
    key: *const c_char,
    kind: c_uint,
    data: Ptr,
    size: usize,
    return_size: usize,
}

#[link(name = "crypto")]
unsafe extern "C" {
    fn OSSL_LIB_CTX_new() -> Ptr;
    fn OSSL_LIB_CTX_load_config(context: Ptr, file: *const c_char) -> c_int;
    fn ERR_clear_error();
    fn EVP_PKEY_CTX_new_from_name(
        library: Ptr,
        name: *const c_char,
        properties: *const c_char,
    ) -> Ptr;
    fn EVP_PKEY_CTX_free(context: Ptr);
    fn EVP_PKEY_fromdata_init(context: Ptr) -> c_int;
    fn EVP_PKEY_fromdata(
        context: Ptr,
        key: *mut Ptr,
        selection: c_int,
        params: *const Param,
    ) -> c_int;
    fn EVP_PKEY_keygen_init(context: Ptr) -> c_int;
    fn EVP_PKEY_generate(context: Ptr, key: *mut Ptr) -> c_int;
    fn EVP_PKEY_CTX_set_params(context: Ptr, params: *const Param) -> c_int;
    fn EVP_PKEY_CTX_new_from_pkey(library: Ptr, key: Ptr, properties: *const c_char) -> Ptr;
    fn EVP_PKEY_sign_init(context: Ptr) -> c_int;
    fn EVP_PKEY_sign(
        context: Ptr,
        signature: *mut u8,
        len: *mut usize,
        tbs: *const u8,
        tbs_len: usize,
    ) -> c_int;
    fn EVP_PKEY_verify(
        context: Ptr,
        signature: *const u8,
        len: usize,
        tbs: *const u8,
        tbs_len: usize,
    ) -> c_int;
    fn EVP_PKEY_free(key: Ptr);
    fn EVP_PKEY_get_params(key: Ptr, params: *mut Param) -> c_int;
    fn EVP_PKEY_todata(key: Ptr, selection: c_int, params: *mut *mut Param) -> c_int;
    fn OSSL_PARAM_free(params: *mut Param);
    fn EVP_MD_CTX_new() -> Ptr;
    fn EVP_MD_CTX_free(context: Ptr);
    fn EVP_MD_CTX_copy_ex(to: Ptr, from: Ptr) -> c_int;
    fn EVP_DigestSignInit_ex(
        context: Ptr,
        key_context: *mut Ptr,
        digest: *const c_char,
        library: Ptr,
        properties: *const c_char,
        key: Ptr,
        params: *const Param,
    ) -> c_int;
    fn EVP_DigestSignUpdate(context: Ptr, data: *const u8, len: usize) -> c_int;
    fn EVP_DigestSignFinal(context: Ptr, signature: *mut u8, len: *mut usize) -> c_int;
    fn EVP_DigestVerifyInit_ex(
        context: Ptr,
        key_context: *mut Ptr,
        digest: *const c_char,
        library: Ptr,
        properties: *const c_char,
        key: Ptr,
        params: *const Param,
    ) -> c_int;
    fn EVP_DigestVerify(
        context: Ptr,
        signature: *const u8,
        len: usize,
        data: *const u8,
        data_len: usize,
    ) -> c_int;
    fn ASYNC_init_thread(most: usize, first: usize) -> c_int;
    fn ASYNC_WAIT_CTX_new() -> Ptr;
    fn ASYNC_WAIT_CTX_free(context: Ptr);
    fn ASYNC_WAIT_CTX_get_all_fds(context: Ptr, fds: *mut c_int, count: *mut usize) -> c_int;
    fn ASYNC_start_job(
        job: *mut Ptr,
        context: Ptr,
        result: *mut c_int,
        function: unsafe extern "C" fn(Ptr) -> c_int,
        argument: Ptr,
        size: usize,
    ) -> c_int;
}

const PAUSED: c_int = 2;
const FINISHED: c_int = 3;

/// A library context with the provider before the default one, and an RSA key of 2048 bits.
struct Library {
    setup: Setup,
    context: Ptr,
    key: Ptr,
}

// SAFETY: OpenSSL's objects may be used by all threads.
unsafe impl Sync for Library {}
// SAFETY: as above.
unsafe impl Send for Library {}

/// One test at a time has the library, as the counters are those of the process.
struct Turn {
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
    fn take() -> Turn {
        static LIBRARY: LazyLock<Mutex<Library>> = LazyLock::new(|| Mutex::new(Library::new()));
        let library = LIBRARY.lock().unwrap_or_else(PoisonError::into_inner);
        let before = COUNTERS.map(|name| library.setup.count(name));
        Turn { library, before }
    }

    /// A count since this test began.
    fn count(&self, name: &str) -> u64 {
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

    fn sign(&self, message: &[u8]) -> Vec<u8> {
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

    fn signing(&self) -> Ptr {
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

    fn verifies(&self, signature: &[u8], message: &[u8]) -> bool {
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

#[test]
fn many_threads_sign_at_once() {
    let library = &Turn::take();
    thread::scope(|scope| {
        for i in 0..16_u8 {
            scope.spawn(move || {
                for j in 0..40 {
                    let message = [i, j];
                    let signature = library.sign(&message);
                    assert!(library.verifies(&signature, &message));
                    assert!(!library.verifies(&signature, &[j, i, 0]));
                }
            });
        }
    });
    let count = |name| library.count(name);
    assert_eq!((count("signatures"), count("verifications")), (640, 1280));
    assert!(
        count("shared") > 0,
        "more threads than processors wait together"
    );
}

#[test]
fn a_copied_context_goes_on_alone() {
    let library = Turn::take();
    let mut signatures = Vec::new();
    // SAFETY: both are contexts, and there is room.
    unsafe {
        let first = library.signing();
        assert_eq!(EVP_DigestSignUpdate(first, b"ab".as_ptr(), 2), 1);
        let second = EVP_MD_CTX_new();
        assert_eq!(EVP_MD_CTX_copy_ex(second, first), 1);
        assert_eq!(EVP_DigestSignUpdate(second, b"c".as_ptr(), 1), 1);
        for context in [first, second] {
            let (mut signature, mut len) = (vec![0; 256], 256);
            assert_eq!(
                EVP_DigestSignFinal(context, signature.as_mut_ptr(), &mut len),
                1
            );
            signatures.push(signature);
            EVP_MD_CTX_free(context);
        }
    }
    assert!(library.verifies(&signatures[0], b"ab"));
    assert!(library.verifies(&signatures[1], b"abc"));
}

/// A server's workers are forked from a process that has signed already, also by its threads for groups.
#[test]
fn a_forked_process_signs() {
    let library = Turn::take();
    let one = || library.sign(b"warm");
    // Threads that belong to the parent alone are there.
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..10).for_each(|_| drop(library.sign(b"warm"))));
        }
    });
    let one = one();
    for _ in 0..4 {
        // SAFETY: the child signs, and ends without what belongs to the parent's other threads.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let good = library.verifies(&one, b"warm")
                && (0..20).all(|i| library.verifies(&library.sign(&[i]), &[i]));
            // SAFETY: it ends at once.
            unsafe { libc::_exit(c_int::from(!good)) };
        }
        let mut status = -1;
        // SAFETY: it is a child.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert_eq!(status, 0);
    }
    assert_eq!(library.count("signatures"), 80 + 1 + 4 * 20);
}

/// A job that signs, like a handshake does.
struct Job<'a> {
    library: &'a Library,
    signature: Vec<u8>,
}

unsafe extern "C" fn sign(argument: Ptr) -> c_int {
    // SAFETY: jobs get a pointer to where one lies.
    let job = unsafe { &mut **argument.cast::<*mut Job<'_>>() };
    job.signature = job.library.sign(b"in a job");
    1
}

fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Waits until no more descriptors than these are open: the thread may be busy with what nobody waits for.
fn closed(before: usize) {
    let started = Instant::now();
    while descriptors() != before {
        assert!(
            started.elapsed() < Duration::from_secs(60),
            "{} are open, {before} were",
            descriptors()
        );
        thread::sleep(Duration::from_millis(10));
    }
}

/// Starts or resumes a job; whether it has finished.
fn step(handle: &mut Ptr, context: Ptr, job: &mut Job<'_>) -> bool {
    let mut result = 0;
    let mut argument: *mut Job<'_> = job;
    // SAFETY: the job lives longer than what runs it.
    let state = unsafe {
        let size = size_of::<Ptr>();
        ASYNC_start_job(
            handle,
            context,
            &mut result,
            sign,
            (&raw mut argument).cast(),
            size,
        )
    };
    assert!(
        state == PAUSED || (state, result) == (FINISHED, 1),
        "{state} {result}"
    );
    state == FINISHED
}

fn wait(context: Ptr) {
    let (mut fd, mut count) = (-1, 1);
    // SAFETY: there is room for one descriptor.
    unsafe {
        assert_eq!(ASYNC_WAIT_CTX_get_all_fds(context, &mut fd, &mut count), 1);
        assert_eq!(count, 1);
        let mut poll = libc::pollfd {
            fd,
            events: libc::POLLIN,
            revents: 0,
        };
        assert_eq!(libc::poll(&mut poll, 1, 60_000), 1);
    }
}

#[test]
fn jobs_are_paused_and_run_side_by_side() {
    let library = Turn::take();
    // SAFETY: it needs nothing.
    assert_eq!(unsafe { ASYNC_init_thread(0, 0) }, 1);
    // SAFETY: as above.
    let context = || unsafe { ASYNC_WAIT_CTX_new() };
    let empty = || Job {
        library: &library,
        signature: Vec::new(),
    };
    let mut jobs: Vec<_> = (0..64).map(|_| (null_mut(), context(), empty())).collect();
    let before = descriptors();
    // Each connection signs several times, with one descriptor.
    for round in 1..=3 {
        for (handle, context, job) in &mut jobs {
            assert!(!step(handle, *context, job), "it pauses");
        }
        assert_eq!(descriptors(), before + 64);
        for (handle, context, job) in &mut jobs {
            while !step(handle, *context, job) {
                wait(*context);
            }
            assert!(library.verifies(&job.signature, b"in a job"));
            *handle = null_mut();
        }
        assert_eq!(library.count("pauses"), 64 * round);
    }
    assert!(library.count("groups") < 3 * 64, "none ran beside another");
    for (_, context, _) in jobs {
        // SAFETY: its jobs have finished.
        unsafe { ASYNC_WAIT_CTX_free(context) };
    }
    closed(before);
}

/// A connection that ends while its job is paused frees the context, and never resumes the job.
#[test]
fn torn_down_jobs_leave_nothing_open() {
    let library = Turn::take();
    // SAFETY: it needs nothing.
    assert_eq!(unsafe { ASYNC_init_thread(0, 0) }, 1);
    let before = descriptors();
    for _ in 0..2000 {
        // SAFETY: the context is freed once, and nothing of it is used then.
        unsafe {
            let context = ASYNC_WAIT_CTX_new();
            let mut job = Box::new(Job {
                library: &library,
                signature: Vec::new(),
            });
            let mut handle = null_mut();
            assert!(!step(&mut handle, context, &mut job));
            ASYNC_WAIT_CTX_free(context);
            // Its stack stays, as OpenSSL leaves it.
            Box::leak(job);
        }
    }
    closed(before);
    assert_eq!(library.count("pauses"), 2000);
    assert!(library.verifies(&library.sign(b"after all"), b"after all"));
}

/// Functions of OpenSSL 3.4 and later, for algorithms with a hash in their name.
struct Named {
    fetch: unsafe extern "C" fn(Ptr, *const c_char, *const c_char) -> Ptr,
    sign_init: unsafe extern "C" fn(Ptr, Ptr, *const Param) -> c_int,
    sign_update: unsafe extern "C" fn(Ptr, *const u8, usize) -> c_int,
    sign_final: unsafe extern "C" fn(Ptr, *mut u8, *mut usize) -> c_int,
    verify_init: unsafe extern "C" fn(Ptr, Ptr, *const Param) -> c_int,
    verify_update: unsafe extern "C" fn(Ptr, *const u8, usize) -> c_int,
    verify_final: unsafe extern "C" fn(Ptr) -> c_int,
    set_signature: unsafe extern "C" fn(Ptr, *const u8, usize) -> c_int,
}

impl Named {
    fn find() -> Option<Named> {
        /// # Safety
        /// F must be the type of the function.
        unsafe fn function<F>(name: &CStr) -> Option<F> {
            // SAFETY: functions are as long as addresses.
            unsafe {
                let address = libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr());
                (!address.is_null()).then(|| std::mem::transmute_copy(&address))
            }
        }
        // SAFETY: the types are those of openssl/evp.h.
        unsafe {
            Some(Named {
                fetch: function(c"EVP_SIGNATURE_fetch")?,
                sign_init: function(c"EVP_PKEY_sign_message_init")?,
                sign_update: function(c"EVP_PKEY_sign_message_update")?,
                sign_final: function(c"EVP_PKEY_sign_message_final")?,
                verify_init: function(c"EVP_PKEY_verify_message_init")?,
                verify_update: function(c"EVP_PKEY_verify_message_update")?,
                verify_final: function(c"EVP_PKEY_verify_message_final")?,
                set_signature: function(c"EVP_PKEY_CTX_set_signature")?,
            })
        }
    }
}

#[test]
fn algorithms_with_a_hash_in_their_name_agree_with_the_others() {
    let Some(named) = Named::find() else {
        eprintln!("SKIPPED: libcrypto is older than 3.4");
        return;
    };
    let library = Turn::take();
    let (ours, theirs) = (c"provider=carrysave".as_ptr(), c"provider=default".as_ptr());
    let names = [
        c"RSA-SHA1",
        c"RSA-SHA256",
        c"RSA-SHA2-384",
        c"RSA-SHA2-512/256",
        c"RSA-SHA3-256",
    ];
    for (i, name) in (1..).zip(names) {
        for (signer, verifier) in [(ours, theirs), (theirs, ours)] {
            // SAFETY: each gets what the one before made, and lengths are those of the data.
            unsafe {
                let sign = (named.fetch)(library.context, name.as_ptr(), signer);
                let verify = (named.fetch)(library.context, name.as_ptr(), verifier);
                let context = EVP_PKEY_CTX_new_from_pkey(library.context, library.key, signer);
                assert_eq!((named.sign_init)(context, sign, null()), 1, "{name:?}");
                for part in [&b"a mes"[..], b"sage"] {
                    assert_eq!((named.sign_update)(context, part.as_ptr(), part.len()), 1);
                }
                let (mut signature, mut len) = (vec![0; 256], 256);
                assert_eq!(
                    (named.sign_final)(context, signature.as_mut_ptr(), &mut len),
                    1
                );
                EVP_PKEY_CTX_free(context);
                let context = EVP_PKEY_CTX_new_from_pkey(library.context, library.key, verifier);
                for (message, good) in [(b"a message", true), (b"b message", false)] {
                    assert_eq!((named.verify_init)(context, verify, null()), 1);
                    assert_eq!((named.set_signature)(context, signature.as_ptr(), len), 1);
                    assert_eq!((named.verify_update)(context, message.as_ptr(), 9), 1);
                    assert_eq!((named.verify_final)(context) == 1, good, "{name:?}");
                }
                EVP_PKEY_CTX_free(context);
                ERR_clear_error();
            }
        }
        assert_eq!(
            (library.count("signatures"), library.count("verifications")),
            (i, 2 * i)
        );
    }
}

/// By OpenSSL's functions for messages, each verifies what the other signs; those for digests need another variant.
#[test]
fn ed25519_signs_messages_and_no_digests() {
    let Some(named) = Named::find() else {
        eprintln!("SKIPPED: libcrypto is older than 3.4");
        return;
    };
    let library = Turn::take();
    let name = c"ED25519".as_ptr();
    let message = b"a message";
    let mut key = null_mut();
    // SAFETY: each gets what the one before made, and lengths are those of the data.
    unsafe {
        let generation = EVP_PKEY_CTX_new_from_name(library.context, name, null());
        assert_eq!(EVP_PKEY_keygen_init(generation), 1);
        assert_eq!(EVP_PKEY_generate(generation, &mut key), 1);
        EVP_PKEY_CTX_free(generation);
        let (ours, theirs) = (c"provider=carrysave".as_ptr(), c"provider=default".as_ptr());
        for (signer, verifier) in [(ours, theirs), (theirs, ours), (ours, ours)] {
            let context = EVP_PKEY_CTX_new_from_pkey(library.context, key, signer);
            let algorithm = (named.fetch)(library.context, name, signer);
            let (mut signature, mut len) = ([0; 64], 64);
            let mut sign = || {
                let (at, m) = (signature.as_mut_ptr(), message.as_ptr());
                EVP_PKEY_sign(context, at, &mut len, m, message.len()) == 1
            };
            assert_eq!((named.sign_init)(context, algorithm, null()), 1);
            assert!(sign());
            assert_eq!(EVP_PKEY_sign_init(context), 1);
            let mut other = [1; 64];
            let (at, m) = (other.as_mut_ptr(), message.as_ptr());
            assert!(EVP_PKEY_sign(context, at, &mut 64, m, message.len()) <= 0);
            EVP_PKEY_CTX_free(context);
            let context = EVP_PKEY_CTX_new_from_pkey(library.context, key, verifier);
            let algorithm = (named.fetch)(library.context, name, verifier);
            for (message, good) in [(message, true), (b"b message", false)] {
                assert_eq!((named.verify_init)(context, algorithm, null()), 1);
                let (s, m) = (signature.as_ptr(), message.as_ptr());
                let verdict = EVP_PKEY_verify(context, s, 64, m, message.len());
                assert_eq!(verdict == 1, good);
            }
            EVP_PKEY_CTX_free(context);
            ERR_clear_error();
        }
        EVP_PKEY_free(key);
    }
    let counts = ["keys", "signatures", "verifications"].map(|name| library.count(name));
    assert_eq!(counts, [1, 2, 4]);
}

/// Bytes that look random, and are the same in each run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

/// A parameter with this value.
fn param(key: &'static CStr, kind: c_uint, value: &mut Vec<u8>) -> Param {
    Param {
        key: key.as_ptr(),
        kind,
        data: value.as_mut_ptr().cast(),
        size: value.len(),
        return_size: usize::MAX,
    }
}

const END: Param = Param {
    key: null(),
    kind: 0,
    data: null_mut(),
    size: 0,
    return_size: 0,
};

impl Library {
    /// Whether a key with these parts is taken.
    fn takes(&self, name: &CStr, parts: &mut [(&'static CStr, c_uint, Vec<u8>)]) -> bool {
        let mut params: Vec<Param> = parts
            .iter_mut()
            .map(|(key, kind, value)| param(key, *kind, value))
            .collect();
        params.push(END);
        let mut key = null_mut();
        // SAFETY: the list ends as it must.
        unsafe {
            let context = EVP_PKEY_CTX_new_from_name(self.context, name.as_ptr(), null());
            assert_eq!(EVP_PKEY_fromdata_init(context), 1);
            let taken = EVP_PKEY_fromdata(context, &mut key, 0x83, params.as_ptr()) == 1;
            EVP_PKEY_CTX_free(context);
            EVP_PKEY_free(key);
            ERR_clear_error();
            taken
        }
    }
}

/// A description of a curve in numbers: the names of the parameters, and whether each is a number.
const DOMAIN: [(&CStr, bool); 6] = [
    (c"p", true),
    (c"a", true),
    (c"b", true),
    (c"order", true),
    (c"cofactor", true),
    (c"generator", false),
];

impl Library {
    /// A new key of a curve, of this provider or another.
    fn curve(&self, group: &CStr, format: &CStr, properties: &CStr) -> Ptr {
        let mut texts = [group, format].map(|text| text.to_bytes_with_nul().to_vec());
        let [group, format] = &mut texts;
        let params = [
            param(c"group", 4, group),
            param(c"point-format", 4, format),
            END,
        ];
        let mut key = null_mut();
        // SAFETY: each gets what the one before made; the list ends as it must.
        unsafe {
            let (name, properties) = (c"EC".as_ptr(), properties.as_ptr());
            let generation = EVP_PKEY_CTX_new_from_name(self.context, name, properties);
            assert_eq!(EVP_PKEY_keygen_init(generation), 1);
            assert_eq!(EVP_PKEY_CTX_set_params(generation, params.as_ptr()), 1);
            assert_eq!(EVP_PKEY_generate(generation, &mut key), 1);
            EVP_PKEY_CTX_free(generation);
        }
        key
    }
}

/// A parameter of a key, into room of this size. Numbers fill it.
fn asked(key: Ptr, name: &'static CStr, number: bool, size: usize) -> Option<Vec<u8>> {
    let mut value = vec![0; size];
    let kind = if number { 2 } else { 5 };
    let mut params = [param(name, kind, &mut value), END];
    // SAFETY: the list ends as it must.
    let good = unsafe { EVP_PKEY_get_params(key, params.as_mut_ptr()) } == 1;
    // SAFETY: it needs nothing.
    unsafe { ERR_clear_error() };
    let len = params[0].return_size;
    (good && len <= size).then(|| value[..len].to_vec())
}

#[test]
fn curves_are_described_as_the_default_provider_describes_them() {
    let library = Turn::take();
    for group in [
        c"P-224",
        c"P-256",
        c"P-384",
        c"P-521",
        c"secp256k1",
        c"brainpoolP256r1",
        c"brainpoolP384r1",
        c"brainpoolP512r1",
    ] {
        for format in [c"uncompressed", c"compressed"] {
            let keys = [c"provider=carrysave", c"provider=default"];
            let [own, theirs] = keys.map(|of| library.curve(group, format, of));
            for (name, number) in DOMAIN {
                let value = asked(theirs, name, number, 256).unwrap();
                assert_eq!(asked(own, name, number, 256).as_ref(), Some(&value));
                // A number fits the room that it needs, and no less.
                let zeros = value.iter().rev().take_while(|&&byte| number && byte == 0);
                let len = (value.len() - zeros.count()).max(1);
                assert_eq!(asked(own, name, number, len).unwrap(), value[..len]);
                if len > 1 {
                    assert_eq!(asked(own, name, number, len - 1), None, "{name:?}");
                }
            }
            let mut list = null_mut();
            // SAFETY: the list is OpenSSL's, and ends with a null key.
            unsafe {
                assert_eq!(EVP_PKEY_todata(own, 0x84, &mut list), 1);
                let names = (0..).map(|i| (*list.add(i)).key);
                let names: Vec<&CStr> = names
                    .take_while(|name| !name.is_null())
                    .map(|name| CStr::from_ptr(name))
                    .collect();
                for (name, _) in DOMAIN {
                    assert!(names.contains(&name), "{names:?}");
                }
                OSSL_PARAM_free(list);
                EVP_PKEY_free(own);
                EVP_PKEY_free(theirs);
            }
        }
    }
    assert_eq!(library.count("keys"), 16);
}

#[test]
fn absurd_keys_are_refused() {
    const NUMBER: c_uint = 2;
    let library = Turn::take();
    let one = |byte: u8, len: usize| vec![byte; len];
    // In the machine's byte order: the last byte is the highest.
    for (n, e) in [
        (vec![], vec![3]),
        (vec![0], vec![3]),
        (one(0xff, 256), vec![]),
        (one(0xff, 256), vec![0]),
        (one(0xff, 256), vec![1]),
        (one(0xff, 256), vec![2]),
        (one(0xfe, 256), vec![3]),
        (one(0xff, 4), vec![3]),
        (one(0xff, 20_000), vec![3]),
        (one(0xff, 256), one(0xff, 300)),
        (vec![15], vec![3]),
    ] {
        let mut parts = [(c"n", NUMBER, n.clone()), (c"e", NUMBER, e.clone())];
        assert!(!library.takes(c"RSA", &mut parts), "{n:?} {e:?}");
    }
    // A public key that nobody has tried to factor is as good as any.
    let mut parts = [
        (c"n", NUMBER, one(0xff, 256)),
        (c"e", NUMBER, vec![1, 0, 1]),
    ];
    assert!(library.takes(c"RSA", &mut parts));
    // Its private key is none.
    for factor in [vec![3], one(0xff, 128), one(1, 256), vec![1], vec![2]] {
        let mut parts = [
            (c"n", NUMBER, one(0xff, 256)),
            (c"e", NUMBER, vec![1, 0, 1]),
            (c"d", NUMBER, one(7, 256)),
            (c"rsa-factor1", NUMBER, factor.clone()),
            (c"rsa-factor2", NUMBER, factor),
        ];
        assert!(!library.takes(c"RSA", &mut parts));
    }
    for (kind, value) in [
        (1, one(0xff, 256)),
        (4, one(b'a', 9)),
        (5, one(1, 256)),
        (99, one(1, 256)),
    ] {
        let mut parts = [(c"n", kind, value), (c"e", NUMBER, vec![3])];
        assert!(!library.takes(c"RSA", &mut parts), "{kind}");
    }
    for name in [c"X25519", c"ED25519"] {
        for len in [0, 31, 33, 64, 20_000] {
            assert!(!library.takes(name, &mut [(c"pub", 5, one(9, len))]));
            assert!(!library.takes(name, &mut [(c"priv", 5, one(9, len))]));
        }
        let mut pair = [(c"priv", 5, one(9, 32)), (c"pub", 5, one(9, 32))];
        assert!(!library.takes(name, &mut pair));
        assert!(!library.takes(name, &mut [(c"priv", NUMBER, one(9, 32))]));
        assert!(!library.takes(name, &mut []));
        assert!(library.takes(name, &mut [(c"priv", 5, one(9, 32))]));
    }
    // 2 is no y of a point; 1 above the prime is no y in its shortest form.
    let above = [vec![0xee], one(0xff, 30), vec![0x7f]].concat();
    for y in [[vec![2], one(0, 31)].concat(), above] {
        assert!(!library.takes(c"ED25519", &mut [(c"pub", 5, y)]));
    }
    let on = |group: &CStr, mut parts: Vec<(&'static CStr, c_uint, Vec<u8>)>| {
        parts.push((c"group", 4, group.to_bytes().to_vec()));
        library.takes(c"EC", &mut parts)
    };
    let (text, octets) = (4, 5);
    // 0, the order and more are no numbers, and the middle of nowhere is no point.
    for number in [
        vec![],
        vec![0],
        one(0, 32),
        one(0xff, 32),
        one(1, 33),
        one(1, 20_000),
    ] {
        assert!(!on(c"P-256", vec![(c"priv", NUMBER, number)]));
    }
    let mut point = [vec![4], one(9, 64)].concat();
    assert!(!on(c"P-256", vec![(c"pub", octets, point.clone())]));
    for len in [0, 1, 2, 33, 64, 66, 20_000] {
        point.resize(len, 4);
        assert!(
            !on(c"P-256", vec![(c"pub", octets, point.clone())]),
            "{len}"
        );
    }
    // A curve alone is a key without its parts.
    assert!(on(c"P-256", vec![]));
    assert!(!on(c"P-257", vec![(c"priv", NUMBER, one(1, 32))]));
    assert!(!on(c"", vec![(c"priv", NUMBER, one(1, 32))]));
    assert!(!on(c"P-256", vec![(c"priv", octets, one(1, 32))]));
    for (encoding, known) in [("explicit", true), ("named_curve", true), ("other", false)] {
        let encoding = (c"encoding", text, encoding.as_bytes().to_vec());
        let parts = vec![encoding, (c"priv", NUMBER, one(1, 32))];
        assert_eq!(on(c"P-256", parts), known);
    }
    assert!(!library.takes(c"EC", &mut [(c"priv", NUMBER, one(1, 32))]));
    // Numbers may lack zeros in front, or have some too many.
    for number in [one(1, 3), one(1, 32), [one(1, 32), one(0, 5)].concat()] {
        assert!(on(c"P-256", vec![(c"priv", NUMBER, number)]));
    }
}

#[test]
fn absurd_keys_of_dh_are_refused() {
    const NUMBER: c_uint = 2;
    let library = Turn::take();
    let one = |byte: u8, len: usize| vec![byte; len];
    let takes = |p: &[u8], g: &[u8], mut parts: Vec<(&'static CStr, c_uint, Vec<u8>)>| {
        parts.extend([(c"p", NUMBER, p.to_vec()), (c"g", NUMBER, g.to_vec())]);
        library.takes(c"DH", &mut parts)
    };
    let public = |y: &[u8]| vec![(c"pub", NUMBER, y.to_vec())];
    // An odd p that nobody has tried to factor is as good as any, and so are the numbers below it.
    let (p, below) = (one(0xff, 128), [vec![0xfe], one(0xff, 127)].concat());
    assert!(takes(&p, &[2], public(&[2])));
    for p in [
        vec![],
        vec![0],
        vec![23],
        one(0xff, 63),
        [vec![0xfe], one(0xff, 127)].concat(),
        one(0xff, 1251),
        one(0xff, 20_000),
    ] {
        assert!(!takes(&p, &[2], public(&[2])), "{} bytes", p.len());
    }
    let refused = [
        vec![],
        vec![0],
        vec![1],
        below.clone(),
        p.clone(),
        one(0xff, 129),
        one(7, 9000),
    ];
    for number in &refused {
        assert!(!takes(&p, number, public(&[2])), "{number:?}");
        assert!(!takes(&p, &[2], public(number)), "{number:?}");
    }
    for number in [vec![], vec![0], one(0, 40), one(0xff, 129), one(7, 9000)] {
        let key = vec![(c"priv", NUMBER, number.clone())];
        assert!(!takes(&p, &[2], key), "{number:?}");
    }
    assert!(takes(&p, &[2], vec![(c"priv", NUMBER, one(7, 128))]));
    for q in [vec![0], vec![1], p.clone(), one(0xff, 200)] {
        let mut key = public(&[2]);
        key.push((c"q", NUMBER, q.clone()));
        assert!(!takes(&p, &[2], key), "{q:?}");
    }
    let mut key = public(&[2]);
    key.push((c"seed", 5, one(1, 20)));
    assert!(!takes(&p, &[2], key));
    assert!(!takes(&p, &[2], vec![]));
    assert!(!library.takes(
        c"DH",
        &mut [(c"p", NUMBER, p.clone()), (c"pub", NUMBER, vec![2])]
    ));
    let named = |name: &[u8]| {
        library.takes(
            c"DH",
            &mut [(c"group", 4, name.to_vec()), (c"pub", NUMBER, vec![2])],
        )
    };
    assert!(named(b"ffdhe2048") && named(b"MODP_8192"));
    assert!(!named(b"") && !named(b"ffdhe2049"));
    assert_eq!(library.count("agreements"), 0);
}

/// Whatever the parameters are, the process lives, and signs afterwards.
#[test]
fn parameters_without_sense_do_no_harm() {
    const NAMES: [&CStr; 16] = [
        c"n",
        c"e",
        c"d",
        c"rsa-factor1",
        c"rsa-factor2",
        c"rsa-exponent1",
        c"digest",
        c"mgf1-digest",
        c"saltlen",
        c"pad-mode",
        c"pub",
        c"priv",
        c"p",
        c"q",
        c"g",
        c"group",
    ];
    let library = Turn::take();
    let mut random = Random(0x5eed);
    for _ in 0..3000 {
        let mut parts: Vec<_> = (0..random.below(6))
            .map(|_| {
                let len = [0, 1, 2, 4, 7, 8, 16, 32, 100][random.below(9)];
                let value = (0..len).map(|_| random.next() as u8).collect();
                (
                    NAMES[random.below(NAMES.len())],
                    random.below(8) as c_uint,
                    value,
                )
            })
            .filter(|(_, kind, _)| !matches!(kind, 6 | 7)) // pointers
            .collect();
        let names = [c"RSA", c"RSA-PSS", c"X25519", c"ED25519", c"EC", c"DH"];
        library.takes(names[random.below(names.len())], &mut parts);
        let mut params: Vec<Param> = parts
            .iter_mut()
            .map(|(key, kind, value)| param(key, *kind, value))
            .collect();
        params.push(END);
        // SAFETY: the list ends as it must.
        unsafe {
            let context = EVP_PKEY_CTX_new_from_pkey(library.context, library.key, null());
            assert_eq!(EVP_PKEY_sign_init(context), 1);
            EVP_PKEY_CTX_set_params(context, params.as_ptr());
            EVP_PKEY_CTX_free(context);
            ERR_clear_error();
        }
    }
    assert!(library.verifies(&library.sign(b"still"), b"still"));
}
