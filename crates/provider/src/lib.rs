//! An OpenSSL provider: RSA, ECDSA, ECDH, Diffie-Hellman, Ed25519, X25519, AES and Skein of carrysave for every program that uses OpenSSL 3
//! or later, by configuration alone. docs/guide/tls.md is for its users, docs/design/provider.md says how it works.
//!
//! The module has one exported symbol, [`OSSL_provider_init`], and links no libcrypto: whatever loads it passes what it
//! needs. Loading it starts no thread and measures nothing.
//!
//! | file | holds |
//! | --- | --- |
//! | `abi` | the binary interface: structures, numbers and types of functions |
//! | `param`, `failure` | parameters and errors; the walls that no panic passes |
//! | `held` | objects that OpenSSL holds, and the entries that all of them have |
//! | `signing`, `agreement` | the entries of all signatures, and of all agreements |
//! | `rsa`, `ec`, `dh`, `x25519`, `ed25519`, `aes`, `skein` | the algorithms |
//! | `keys` | the entries of keys and of their generation |
//! | `ecx` | keys of X25519 and Ed25519 |
//! | `kdf` | keys that an agreement derives from its secret |
//! | `groups` | groups of TLS |
//! | `der` | the little of DER that is written |
//! | `digests` | hash functions by OpenSSL's names |
//! | `work` | where a private operation runs |
//! | `asynchronous` | handshakes that OpenSSL can pause |
//! | `queue` | what waits meanwhile |
//! | `libcrypto` | functions that OpenSSL does not pass to providers |
//! | `counters` | how often what was done |

#![deny(unsafe_op_in_unsafe_fn)]

mod abi;
mod aes;
mod agreement;
mod asynchronous;
mod counters;
mod der;
mod dh;
mod digests;
mod ec;
mod ecx;
mod ed25519;
mod failure;
mod groups;
mod held;
mod kdf;
mod keys;
mod libcrypto;
mod param;
mod queue;
mod rsa;
mod signing;
mod skein;
mod work;
mod x25519;

use abi::{Algorithm, Callback, Dispatch, Item, Param, kind, operation, provider, upcall};
use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr::null;
use failure::{Core, REASONS, checked, quiet};
use held::Held;
use param::wanted;
use std::sync::Arc;

/// What OpenSSL calls once it has loaded the module: takes its functions, and gives those of the provider. Returns 1,
/// or 0 if the configuration is wrong.
///
/// # Safety
/// `functions` must be a table that ends with number 0; `own` and `provider` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn OSSL_provider_init(
    handle: *const c_void,
    functions: *const Dispatch,
    own: *mut *const Dispatch,
    provider: *mut *mut c_void,
) -> c_int {
    // SAFETY: the caller passes what belongs together.
    let core = unsafe { Core::new(handle, functions) };
    let core = Arc::new(core);
    checked(&core, || {
        asynchronous::prepare();
        ec::foreign::prepare();
        // SAFETY: as above.
        if let Some(path) = unsafe { setting(handle, functions, c"counters") } {
            // A process that may not write the file counts for itself: other users' programs read the configuration, too.
            _ = counters::keep_in(&path);
        }
        // SAFETY: both are writable.
        unsafe {
            *own = FUNCTIONS.as_ptr();
            *provider = Held::give(core.clone(), ());
        }
        Ok(())
    })
}

/// A setting of the provider's section in the configuration.
///
/// # Safety
/// As for [`OSSL_provider_init`].
unsafe fn setting(
    handle: *const c_void,
    functions: *const Dispatch,
    name: &'static CStr,
) -> Option<String> {
    let mut text: *const c_char = null();
    let mut params = [
        Param {
            data: (&raw mut text).cast(),
            size: size_of::<*const c_char>(),
            ..Param::describe(name, kind::UTF8_POINTER)
        },
        Param::END,
    ];
    // SAFETY: the caller passes what belongs together; the text is OpenSSL's and lives as long as the provider.
    unsafe {
        let get = upcall::GET_PARAMS.find(functions)?;
        if get(handle, params.as_mut_ptr()) != 1 || text.is_null() {
            return None;
        }
        Some(CStr::from_ptr(text).to_string_lossy().into_owned())
    }
}

static FUNCTIONS: [Dispatch; 7] = [
    provider::TEARDOWN.is(held::free::<()>),
    provider::GETTABLE_PARAMS.is(gettable),
    provider::GET_PARAMS.is(get),
    provider::QUERY_OPERATION.is(query),
    provider::GET_REASON_STRINGS.is(reasons),
    provider::GET_CAPABILITIES.is(capabilities),
    Dispatch::END,
];

static GETTABLE: [Param; 16] = {
    let mut all = [Param::END; 16];
    all[0] = Param::describe(c"name", kind::UTF8_POINTER);
    all[1] = Param::describe(c"version", kind::UTF8_POINTER);
    all[2] = Param::describe(c"buildinfo", kind::UTF8_POINTER);
    all[3] = Param::describe(c"status", kind::INTEGER);
    let mut i = 0;
    while i < counters::ALL.len() {
        all[4 + i] = Param::describe(counters::ALL[i].1, kind::UNSIGNED);
        i += 1;
    }
    all
};

unsafe extern "C" fn gettable(_provider: *mut c_void) -> *const Param {
    GETTABLE.as_ptr()
}

/// The version with a null at its end.
const VERSION: &CStr =
    match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => c"",
    };

unsafe extern "C" fn get(provider: *mut c_void, params: *mut Param) -> c_int {
    let answer = |(): &()| {
        // SAFETY: OpenSSL passes a list.
        for mut param in unsafe { wanted(params) } {
            match param.name().to_bytes() {
                b"name" => param.set_text(c"carrysave")?,
                b"version" | b"buildinfo" => param.set_text(VERSION)?,
                b"status" => param.set_integer(1)?,
                _ => {
                    let found = counters::ALL.iter().find(|(_, name)| *name == param.name());
                    if let Some((counter, _)) = found {
                        param.set_count(counter.get())?;
                    }
                }
            }
        }
        Ok(())
    };
    // SAFETY: OpenSSL passes what the provider gave it.
    unsafe { Held::look(provider, answer) }
}

/// The groups of TLS.
unsafe extern "C" fn capabilities(
    provider: *mut c_void,
    capability: *const c_char,
    callback: Callback,
    argument: *mut c_void,
) -> c_int {
    // SAFETY: OpenSSL passes what the provider gave it, a C string, and a callback.
    unsafe {
        Held::look(provider, |(): &()| {
            if CStr::from_ptr(capability) != c"TLS-GROUP" {
                return Ok(());
            }
            let groups = core::iter::once(x25519::GROUP).chain(ec::groups());
            let mut groups = groups.chain(ec::foreign::groups()).chain(dh::groups());
            groups.try_for_each(|group| group.list().pass(callback, argument))
        })
    }
}

unsafe extern "C" fn reasons(_provider: *mut c_void) -> *const Item {
    REASONS.as_ptr()
}

const PROPERTIES: *const c_char = c"provider=carrysave".as_ptr();

/// An algorithm of this provider.
const fn row(
    names: &'static CStr,
    functions: &'static [Dispatch],
    description: &'static CStr,
) -> Algorithm {
    Algorithm {
        names: names.as_ptr(),
        properties: PROPERTIES,
        functions: functions.as_ptr(),
        description: description.as_ptr(),
    }
}

static KEYS: [Algorithm; 7] = [
    row(
        c"RSA:rsaEncryption:1.2.840.113549.1.1.1",
        &rsa::keys::RSA,
        c"RSA keys of carrysave",
    ),
    row(
        c"RSA-PSS:RSASSA-PSS:1.2.840.113549.1.1.10",
        &rsa::keys::PSS,
        c"RSA-PSS keys of carrysave",
    ),
    row(
        c"X25519:1.3.101.110",
        &x25519::KEYS,
        c"X25519 keys of carrysave",
    ),
    row(
        c"ED25519:1.3.101.112",
        &ed25519::KEYS,
        c"Ed25519 keys of carrysave",
    ),
    row(
        c"EC:id-ecPublicKey:1.2.840.10045.2.1",
        &ec::keys::EC,
        c"keys of elliptic curves of carrysave",
    ),
    row(
        c"DH:dhKeyAgreement:1.2.840.113549.1.3.1",
        &dh::keys::DH,
        c"Diffie-Hellman keys of carrysave",
    ),
    Algorithm::END,
];

/// Signatures whose hash is in the name, by their rows in [`digests::ALL`].
static FIXED: [[Dispatch; 21]; 11] = [
    rsa::signature::fixed::<0>(),
    rsa::signature::fixed::<1>(),
    rsa::signature::fixed::<2>(),
    rsa::signature::fixed::<3>(),
    rsa::signature::fixed::<4>(),
    rsa::signature::fixed::<5>(),
    rsa::signature::fixed::<6>(),
    rsa::signature::fixed::<7>(),
    rsa::signature::fixed::<8>(),
    rsa::signature::fixed::<9>(),
    rsa::signature::fixed::<10>(),
];

#[rustfmt::skip]
static SIGNATURES: [Algorithm; 15] = [
    row(c"ECDSA", &ec::signature::ECDSA, c"ECDSA of carrysave"),
    row(c"ED25519:1.3.101.112", &ed25519::SIGNATURE, c"Ed25519 of carrysave"),
    row(c"RSA:rsaEncryption:1.2.840.113549.1.1.1", &rsa::signature::RSA, c"RSA signatures of carrysave"),
    row(c"RSA-SHA1:RSA-SHA-1:sha1WithRSAEncryption:1.2.840.113549.1.1.5", &FIXED[0], c"RSA with SHA-1"),
    row(c"RSA-SHA2-224:RSA-SHA224:sha224WithRSAEncryption:1.2.840.113549.1.1.14", &FIXED[1], c"RSA with SHA-224"),
    row(c"RSA-SHA2-256:RSA-SHA256:sha256WithRSAEncryption:1.2.840.113549.1.1.11", &FIXED[2], c"RSA with SHA-256"),
    row(c"RSA-SHA2-384:RSA-SHA384:sha384WithRSAEncryption:1.2.840.113549.1.1.12", &FIXED[3], c"RSA with SHA-384"),
    row(c"RSA-SHA2-512:RSA-SHA512:sha512WithRSAEncryption:1.2.840.113549.1.1.13", &FIXED[4], c"RSA with SHA-512"),
    row(c"RSA-SHA2-512/224:RSA-SHA512-224:sha512-224WithRSAEncryption:1.2.840.113549.1.1.15", &FIXED[5], c"RSA with SHA-512/224"),
    row(c"RSA-SHA2-512/256:RSA-SHA512-256:sha512-256WithRSAEncryption:1.2.840.113549.1.1.16", &FIXED[6], c"RSA with SHA-512/256"),
    row(c"RSA-SHA3-224:id-rsassa-pkcs1-v1_5-with-sha3-224:2.16.840.1.101.3.4.3.13", &FIXED[7], c"RSA with SHA3-224"),
    row(c"RSA-SHA3-256:id-rsassa-pkcs1-v1_5-with-sha3-256:2.16.840.1.101.3.4.3.14", &FIXED[8], c"RSA with SHA3-256"),
    row(c"RSA-SHA3-384:id-rsassa-pkcs1-v1_5-with-sha3-384:2.16.840.1.101.3.4.3.15", &FIXED[9], c"RSA with SHA3-384"),
    row(c"RSA-SHA3-512:id-rsassa-pkcs1-v1_5-with-sha3-512:2.16.840.1.101.3.4.3.16", &FIXED[10], c"RSA with SHA3-512"),
    Algorithm::END,
];

static CTR: [[Dispatch; 15]; 3] = [
    aes::table::<aes::Ctr, 16>(),
    aes::table::<aes::Ctr, 24>(),
    aes::table::<aes::Ctr, 32>(),
];

static ECB: [[Dispatch; 15]; 3] = [
    aes::table::<aes::Ecb, 16>(),
    aes::table::<aes::Ecb, 24>(),
    aes::table::<aes::Ecb, 32>(),
];

#[rustfmt::skip]
static CIPHERS: [Algorithm; 7] = [
    row(c"AES-128-CTR", &CTR[0], c"AES-128 in counter mode of carrysave"),
    row(c"AES-192-CTR", &CTR[1], c"AES-192 in counter mode of carrysave"),
    row(c"AES-256-CTR", &CTR[2], c"AES-256 in counter mode of carrysave"),
    row(c"AES-128-ECB:2.16.840.1.101.3.4.1.1", &ECB[0], c"AES-128, block by block, of carrysave"),
    row(c"AES-192-ECB:2.16.840.1.101.3.4.1.21", &ECB[1], c"AES-192, block by block, of carrysave"),
    row(c"AES-256-ECB:2.16.840.1.101.3.4.1.41", &ECB[2], c"AES-256, block by block, of carrysave"),
    Algorithm::END,
];

static PUBLIC_KEY_CIPHERS: [Algorithm; 2] = [
    row(
        c"RSA:rsaEncryption:1.2.840.113549.1.1.1",
        &rsa::cipher::RSA,
        c"RSA encryption of carrysave",
    ),
    Algorithm::END,
];

static EXCHANGES: [Algorithm; 4] = [
    row(c"ECDH", &ec::exchange::ECDH, c"ECDH of carrysave"),
    row(
        c"DH:dhKeyAgreement:1.2.840.113549.1.3.1",
        &dh::exchange::DH,
        c"Diffie-Hellman of carrysave",
    ),
    row(
        c"X25519:1.3.101.110",
        &x25519::EXCHANGE,
        c"X25519 of carrysave",
    ),
    Algorithm::END,
];

static SKEIN256: [Dispatch; 9] = skein::table::<4, 32>();
static SKEIN512: [Dispatch; 9] = skein::table::<8, 64>();
static SKEIN512_256: [Dispatch; 9] = skein::table::<8, 32>();

static DIGESTS: [Algorithm; 4] = [
    row(
        c"SKEIN-512:SKEIN-512-512:SKEIN512",
        &SKEIN512,
        c"Skein-512 of carrysave",
    ),
    row(
        c"SKEIN-512-256",
        &SKEIN512_256,
        c"Skein-512 of 256 bits of carrysave",
    ),
    row(
        c"SKEIN-256:SKEIN-256-256:SKEIN256",
        &SKEIN256,
        c"Skein-256 of carrysave",
    ),
    Algorithm::END,
];

unsafe extern "C" fn query(
    _provider: *mut c_void,
    operation: c_int,
    no_cache: *mut c_int,
) -> *const Algorithm {
    // SAFETY: OpenSSL passes a place for the answer, or none.
    if let Some(no_cache) = unsafe { no_cache.as_mut() } {
        *no_cache = 0;
    }
    quiet(null(), || match operation {
        operation::DIGEST => DIGESTS.as_ptr(),
        operation::KEYEXCH => EXCHANGES.as_ptr(),
        operation::KEYMGMT => KEYS.as_ptr(),
        operation::SIGNATURE => SIGNATURES.as_ptr(),
        operation::ASYM_CIPHER => PUBLIC_KEY_CIPHERS.as_ptr(),
        operation::CIPHER => CIPHERS.as_ptr(),
        _ => null(),
    })
}
