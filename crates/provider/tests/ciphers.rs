//! AES in the pieces and places of any program: libcrypto gives this provider and the default one the same calls, and both
//! must answer alike.

mod common;

use common::Setup;
use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr::null;
use std::sync::LazyLock;

type Ptr = *mut c_void;

#[link(name = "crypto")]
unsafe extern "C" {
    fn OSSL_LIB_CTX_new() -> Ptr;
    fn OSSL_LIB_CTX_load_config(context: Ptr, file: *const c_char) -> c_int;
    fn EVP_CIPHER_fetch(library: Ptr, name: *const c_char, properties: *const c_char) -> Ptr;
    fn EVP_CIPHER_free(cipher: Ptr);
    fn EVP_CIPHER_CTX_new() -> Ptr;
    fn EVP_CIPHER_CTX_free(context: Ptr);
    fn EVP_CIPHER_CTX_copy(to: Ptr, from: Ptr) -> c_int;
    fn EVP_CIPHER_CTX_set_padding(context: Ptr, padding: c_int) -> c_int;
    fn EVP_CIPHER_CTX_get_updated_iv(context: Ptr, iv: *mut u8, len: usize) -> c_int;
    fn EVP_CIPHER_CTX_get_original_iv(context: Ptr, iv: *mut u8, len: usize) -> c_int;
    fn EVP_CIPHER_CTX_get_num(context: Ptr) -> c_int;
    fn EVP_CIPHER_get_mode(cipher: Ptr) -> c_int;
    fn EVP_CIPHER_get_block_size(cipher: Ptr) -> c_int;
    fn EVP_CIPHER_get_key_length(cipher: Ptr) -> c_int;
    fn EVP_CIPHER_get_iv_length(cipher: Ptr) -> c_int;
    fn EVP_CIPHER_get_flags(cipher: Ptr) -> u64;
    fn EVP_CipherInit_ex2(
        context: Ptr,
        cipher: Ptr,
        key: *const u8,
        iv: *const u8,
        encrypts: c_int,
        params: *const c_void,
    ) -> c_int;
    fn EVP_CipherUpdate(
        context: Ptr,
        out: *mut u8,
        len: *mut c_int,
        from: *const u8,
        from_len: c_int,
    ) -> c_int;
    fn EVP_CipherFinal_ex(context: Ptr, out: *mut u8, len: *mut c_int) -> c_int;
    fn EVP_Cipher(context: Ptr, out: *mut u8, from: *const u8, len: u32) -> c_int;
}

/// Numbers that repeat from run to run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % end
    }

    fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.below(256) as u8).collect()
    }
}

/// A cipher of a provider, and a context for it.
struct Side {
    cipher: Ptr,
    context: Ptr,
}

impl Side {
    fn new(library: Ptr, name: &str, provider: &str) -> Side {
        let [name, properties] = [name.to_owned(), format!("provider={provider}")]
            .map(|text| CString::new(text).unwrap());
        // SAFETY: a library and C strings.
        unsafe {
            let cipher = EVP_CIPHER_fetch(library, name.as_ptr(), properties.as_ptr());
            assert!(!cipher.is_null(), "{name:?} of {properties:?}");
            let context = EVP_CIPHER_CTX_new();
            Side { cipher, context }
        }
    }

    fn start(&mut self, key: &[u8], iv: &[u8], encrypts: bool, padding: bool) -> [c_int; 2] {
        let iv = if iv.is_empty() { null() } else { iv.as_ptr() };
        // SAFETY: key and vector are as long as the cipher says.
        unsafe {
            [
                EVP_CipherInit_ex2(
                    self.context,
                    self.cipher,
                    key.as_ptr(),
                    iv,
                    encrypts.into(),
                    null(),
                ),
                EVP_CIPHER_CTX_set_padding(self.context, padding.into()),
            ]
        }
    }

    /// What an update gives, from a place of its own or from that of the result, so many bytes on.
    fn update(&mut self, bytes: &[u8], in_place: Option<usize>) -> (c_int, Vec<u8>) {
        let mut room = vec![0; bytes.len() + 64];
        let mut len = 0;
        let from = match in_place {
            Some(at) => {
                room[at..][..bytes.len()].copy_from_slice(bytes);
                room[at..].as_ptr()
            }
            None => bytes.as_ptr(),
        };
        let (out, count) = (room.as_mut_ptr(), bytes.len() as c_int);
        // SAFETY: there is room for a block more.
        let done = unsafe { EVP_CipherUpdate(self.context, out, &raw mut len, from, count) };
        (done, room[..len as usize].to_vec())
    }

    fn finish(&mut self) -> (c_int, Vec<u8>) {
        let (mut room, mut len) = ([0; 32], 0);
        // SAFETY: there is room for a block.
        let done = unsafe { EVP_CipherFinal_ex(self.context, room.as_mut_ptr(), &raw mut len) };
        let len = if done == 1 { len as usize } else { 0 };
        (done, room[..len].to_vec())
    }

    /// Goes on with a copy.
    fn copy(&mut self) {
        // SAFETY: a new context, and one that is left.
        unsafe {
            let copy = EVP_CIPHER_CTX_new();
            assert_eq!(EVP_CIPHER_CTX_copy(copy, self.context), 1);
            EVP_CIPHER_CTX_free(self.context);
            self.context = copy;
        }
    }

    /// The place in the stream: both initialisation vectors, and the bytes used of a block.
    fn place(&self) -> ([[u8; 16]; 2], c_int) {
        let mut both = [[0; 16]; 2];
        // SAFETY: there is room for a vector.
        unsafe {
            let [next, first] = both.each_mut().map(|iv| iv.as_mut_ptr());
            assert_eq!(EVP_CIPHER_CTX_get_updated_iv(self.context, next, 16), 1);
            assert_eq!(EVP_CIPHER_CTX_get_original_iv(self.context, first, 16), 1);
            (both, EVP_CIPHER_CTX_get_num(self.context))
        }
    }

    /// What programs ask about the cipher.
    fn facts(&self) -> (c_int, c_int, c_int, c_int, u64) {
        // SAFETY: a cipher.
        unsafe {
            (
                EVP_CIPHER_get_mode(self.cipher),
                EVP_CIPHER_get_block_size(self.cipher),
                EVP_CIPHER_get_key_length(self.cipher),
                EVP_CIPHER_get_iv_length(self.cipher),
                EVP_CIPHER_get_flags(self.cipher),
            )
        }
    }
}

impl Drop for Side {
    fn drop(&mut self) {
        // SAFETY: they are used no more.
        unsafe {
            EVP_CIPHER_CTX_free(self.context);
            EVP_CIPHER_free(self.cipher);
        }
    }
}

/// A library context with both providers, for all tests: a process counts in one file.
struct Library {
    setup: Setup,
    context: Ptr,
}

// SAFETY: every thread may use a library context.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
    let setup = Setup::new();
    let file = CString::new(setup.path("openssl.cnf").to_str().unwrap()).unwrap();
    // SAFETY: a file.
    unsafe {
        let context = OSSL_LIB_CTX_new();
        assert_eq!(OSSL_LIB_CTX_load_config(context, file.as_ptr()), 1);
        Library { setup, context }
    }
});

#[test]
fn both_providers_answer_alike() {
    let (library, mut numbers) = (LIBRARY.context, Numbers(1));
    for (bytes, mode) in [16, 24, 32]
        .iter()
        .flat_map(|bytes| [(bytes, "CTR"), (bytes, "ECB")])
    {
        let name = format!("AES-{}-{mode}", 8 * bytes);
        let mut sides =
            ["carrysave", "default"].map(|provider| Side::new(library, &name, provider));
        let [ours, theirs] = &mut sides;
        assert_eq!(ours.facts(), theirs.facts(), "{name}");
        for _ in 0..400 {
            let key = numbers.bytes(*bytes);
            let iv = match (mode, numbers.below(3)) {
                ("ECB", _) => vec![],
                (_, 0) => [vec![0xff; 15], numbers.bytes(1)].concat(),
                _ => numbers.bytes(16),
            };
            let (encrypts, padding) = (numbers.below(2) == 0, numbers.below(2) == 0);
            let started =
                [&mut *ours, &mut *theirs].map(|side| side.start(&key, &iv, encrypts, padding));
            assert_eq!(started[0], started[1], "{name}");
            for _ in 0..numbers.below(6) {
                let len = match numbers.below(3) {
                    0 => 16 * numbers.below(30),
                    1 => numbers.below(40),
                    _ => numbers.below(2000),
                };
                let piece = numbers.bytes(len);
                // In place, where both modes have nothing kept.
                let in_place = (mode == "CTR" && numbers.below(2) == 0).then_some(0);
                let [a, b] = [&mut *ours, &mut *theirs].map(|side| side.update(&piece, in_place));
                assert_eq!(a, b, "{name}: {len} bytes, {encrypts} {padding}");
                if numbers.below(4) == 0 {
                    ours.copy();
                    theirs.copy();
                }
                if mode == "CTR" {
                    assert_eq!(ours.place(), theirs.place(), "{name}");
                }
            }
            assert_eq!(
                ours.finish(),
                theirs.finish(),
                "{name}: {encrypts} {padding}"
            );
        }
        // All at once, without padding.
        for encrypts in [true, false] {
            let key = numbers.bytes(*bytes);
            let iv = if mode == "CTR" {
                numbers.bytes(16)
            } else {
                vec![]
            };
            let message = numbers.bytes(4096);
            let all = [&mut *ours, &mut *theirs].map(|side| {
                side.start(&key, &iv, encrypts, false);
                let mut out = vec![0; 4096];
                // SAFETY: there is room for as many bytes.
                let done =
                    unsafe { EVP_Cipher(side.context, out.as_mut_ptr(), message.as_ptr(), 4096) };
                (done, out)
            });
            assert_eq!(all[0], all[1], "{name}");
        }
    }
    assert!(LIBRARY.setup.count("ciphers") >= 2400);
}

/// Whatever overlaps is read before it is overwritten, with bytes kept from a piece before and without.
#[test]
fn overlapping_places_do_no_harm() {
    let (library, mut numbers) = (LIBRARY.context, Numbers(2));
    let (key, iv) = (numbers.bytes(16), numbers.bytes(16));
    let mut compared = 0;
    for (name, encrypts, before) in [
        ("AES-128-CTR", true, 0),
        ("AES-128-CTR", true, 5),
        ("AES-128-ECB", true, 0),
        ("AES-128-ECB", true, 5),
        ("AES-128-ECB", false, 0),
        ("AES-128-ECB", false, 16),
    ] {
        let mut side = Side::new(library, name, "carrysave");
        for len in [1, 15, 16, 32, 100, 1000] {
            let (first, message) = (numbers.bytes(before), numbers.bytes(len));
            let begin = |side: &mut Side| {
                side.start(&key, &iv, encrypts, true);
                side.update(&first, None);
            };
            begin(&mut side);
            let apart = side.update(&message, None);
            assert_eq!(apart.0, 1);
            for at in [0, 1, 16, 40] {
                begin(&mut side);
                let overlapping = side.update(&message, Some(at));
                // OpenSSL itself may refuse such places.
                if overlapping.0 == 1 {
                    assert_eq!(overlapping, apart, "{name}: {len} bytes, {at} on");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn nothing_is_encrypted_without_a_key() {
    let side = Side::new(LIBRARY.context, "AES-256-CTR", "carrysave");
    let mut out = [0; 32];
    let mut len = 0;
    // SAFETY: a context without a key.
    unsafe {
        assert_eq!(
            EVP_CipherInit_ex2(side.context, side.cipher, null(), null(), 1, null()),
            1
        );
        let from = [0_u8; 16];
        let update = EVP_CipherUpdate(
            side.context,
            out.as_mut_ptr(),
            &raw mut len,
            from.as_ptr(),
            16,
        );
        assert_ne!(update, 1);
    }
}
