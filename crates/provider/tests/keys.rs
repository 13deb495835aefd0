//! Keys that a program makes of their parts, and parameters that make no sense.

mod common;

use common::libcrypto::*;
use std::ffi::{CStr, c_int, c_uint};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

impl Library {
    /// The key with these parts, or null.
    fn key_of(&self, name: &CStr, parts: &mut [(&'static CStr, c_uint, Vec<u8>)]) -> Ptr {
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
            let taken = EVP_PKEY_fromdata(context, &mut key, 0x87, params.as_ptr()) == 1;
            EVP_PKEY_CTX_free(context);
            ERR_clear_error();
            assert_eq!(taken, !key.is_null());
        }
        key
    }

    /// Whether a key with these parts is taken.
    fn takes(&self, name: &CStr, parts: &mut [(&'static CStr, c_uint, Vec<u8>)]) -> bool {
        let key = self.key_of(name, parts);
        // SAFETY: it is used no more.
        unsafe { EVP_PKEY_free(key) };
        !key.is_null()
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

/// The default provider's keys on curves that are not here, whose libcrypto this process has.
#[test]
fn keys_on_other_curves_do_what_programs_ask() {
    let library = Turn::take();
    let of = c"provider=carrysave";
    let group = c"brainpoolP320r1";
    let [own, peer] = [(); 2].map(|()| library.curve(group, c"uncompressed", of));
    let mut secrets = [[0; 40]; 2];
    // SAFETY: each gets what the one before made, and lengths are those of the data.
    unsafe {
        let context = |key| EVP_PKEY_CTX_new_from_pkey(library.context, key, of.as_ptr());
        let check = |key| {
            let context = context(key);
            let verdict = EVP_PKEY_check(context);
            EVP_PKEY_CTX_free(context);
            ERR_clear_error();
            verdict == 1
        };
        let again = EVP_PKEY_dup(own);
        assert_eq!((EVP_PKEY_eq(own, again), EVP_PKEY_eq(own, peer)), (1, 0));
        assert!(check(own) && check(again));
        // A peer is made of the own key's curve and an encoded point, as libssl makes it.
        let point = asked(peer, c"encoded-pub-key", false, 200).unwrap();
        let other = EVP_PKEY_new();
        assert_eq!(EVP_PKEY_copy_parameters(other, own), 1);
        assert!(!check(other), "it is a curve alone");
        let (at, len) = (point.as_ptr(), point.len());
        assert_eq!(EVP_PKEY_set1_encoded_public_key(other, at, len), 1);
        assert_eq!(EVP_PKEY_eq(other, peer), 1);
        assert!(asked(own, c"priv", true, 100).is_some());
        assert!(asked(other, c"priv", true, 100).is_none_or(|octets| octets.is_empty()));
        for (secret, own, peer) in [(0, own, other), (1, peer, again)] {
            let secret = &mut secrets[secret];
            let (context, mut len) = (context(own), 0);
            assert_eq!(EVP_PKEY_derive_init(context), 1);
            assert_eq!(EVP_PKEY_derive_set_peer(context, peer), 1);
            assert_eq!(EVP_PKEY_derive(context, null_mut(), &mut len), 1);
            assert_eq!(len, secret.len());
            assert_eq!(EVP_PKEY_derive(context, secret.as_mut_ptr(), &mut len), 1);
            EVP_PKEY_CTX_free(context);
        }
        assert_eq!(secrets[0], secrets[1]);
        assert_ne!(secrets[0], [0; 40]);
        // A key of its parts, on a curve by its name and on one in numbers.
        let number = asked(own, c"priv", true, 40).unwrap();
        let point = asked(own, c"pub", false, 200).unwrap();
        let name = (c"group", 4, group.to_bytes().to_vec());
        let numbers = DOMAIN.map(|(name, number)| {
            let value = asked(own, name, number, 200).unwrap();
            (name, if number { 2 } else { 5 }, value)
        });
        let kind = (c"field-type", 4, b"prime-field".to_vec());
        for mut parts in [vec![name], [vec![kind], numbers.to_vec()].concat()] {
            parts.extend([(c"priv", 2, number.clone()), (c"pub", 5, point.clone())]);
            let key = library.key_of(c"EC", &mut parts);
            assert!(check(key));
            assert_eq!(EVP_PKEY_eq(key, own), 1);
            let (mut signature, mut len, digest) = ([0; 100], 100, [7; 32]);
            let sign = context(key);
            assert_eq!(EVP_PKEY_sign_init(sign), 1);
            let at = signature.as_mut_ptr();
            assert_eq!(EVP_PKEY_sign(sign, at, &mut len, digest.as_ptr(), 32), 1);
            EVP_PKEY_CTX_free(sign);
            for (digest, good) in [(digest, true), ([8; 32], false)] {
                let verify = context(own);
                assert_eq!(EVP_PKEY_verify_init(verify), 1);
                let verdict = EVP_PKEY_verify(verify, signature.as_ptr(), len, digest.as_ptr(), 32);
                assert_eq!(verdict == 1, good);
                EVP_PKEY_CTX_free(verify);
                ERR_clear_error();
            }
            EVP_PKEY_free(key);
        }
        let mut bad = point.clone();
        bad[1] ^= 1;
        assert!(EVP_PKEY_set1_encoded_public_key(other, bad.as_ptr(), bad.len()) <= 0);
        ERR_clear_error();
        for key in [own, peer, again, other] {
            EVP_PKEY_free(key);
        }
    }
    for name in [
        "keys",
        "imports",
        "signatures",
        "verifications",
        "agreements",
    ] {
        assert_eq!(library.count(name), 0, "{name}");
    }
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

/// Calls of [`on_candidate`], and how many of them let the search go on.
static CALLS: AtomicI32 = AtomicI32::new(0);
static PERMITTED: AtomicI32 = AtomicI32::new(0);

extern "C" fn on_candidate(_: Ptr) -> c_int {
    (CALLS.fetch_add(1, Relaxed) < PERMITTED.load(Relaxed)).into()
}

/// A program hears of each candidate while an RSA key is generated, and ends the search.
#[test]
fn generation_is_reported_and_ended() {
    let library = Turn::take();
    for name in [c"RSA", c"RSA-PSS"] {
        for permitted in [c_int::MAX, 0] {
            CALLS.store(0, Relaxed);
            PERMITTED.store(permitted, Relaxed);
            let mut key = null_mut();
            // SAFETY: each gets what the one before made; the callback takes any context.
            unsafe {
                let context = EVP_PKEY_CTX_new_from_name(library.context, name.as_ptr(), null());
                assert_eq!(EVP_PKEY_keygen_init(context), 1);
                EVP_PKEY_CTX_set_cb(context, on_candidate);
                let made = EVP_PKEY_generate(context, &mut key) == 1;
                EVP_PKEY_CTX_free(context);
                ERR_clear_error();
                assert_eq!((made, !key.is_null()), (permitted > 0, permitted > 0));
                EVP_PKEY_free(key);
            }
            let calls = CALLS.load(Relaxed);
            assert!(
                if permitted > 0 { calls > 1 } else { calls == 1 },
                "{calls}"
            );
        }
    }
    assert_eq!(library.count("keys"), 2);
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
