//! Random numbers of the schemes: each bit of a key, a nonce, a salt or a blinding factor varies, independently of the others.
//!
//! Numbers are read where they come out: in keys, files and messages, by the inverse operation, or as `testing` shows them.

#[path = "../../arith/tests/support/bits.rs"]
mod bits;
#[path = "support/mod.rs"]
mod support;

use bits::{DRAWS, vary};
use carrysave_arith::{Cpu, Modulus, Nat};
use carrysave_schemes::cms;
use carrysave_schemes::dl::{self, Group, Named, Parameters};
use carrysave_schemes::ec::{self, Algorithm, AnyPrivateKey, P256};
use carrysave_schemes::hash::Hash;
use carrysave_schemes::legacy::{self, esign, rabin};
use carrysave_schemes::rsa::{KeygenOptions, PrivateKey};
use carrysave_schemes::testing::{self, RsaStage};
use carrysave_symmetric::aes::Aes;
use carrysave_team::Serial;
use rand_core::{Infallible, TryCryptoRng, TryRng};
use std::iter::repeat_with;
use std::sync::LazyLock;
use support::rng;

const SHA: Hash = Hash::Sha256;

fn drawn<T>(draw: impl FnMut() -> T) -> Vec<T> {
    repeat_with(draw).take(DRAWS).collect()
}

fn rsa_key(bits: usize) -> PrivateKey {
    let options = KeygenOptions {
        allow_small: true,
        ..Default::default()
    };
    PrivateKey::generate_with(rng, bits, &options, &|_| ()).unwrap()
}

/// A short key so that the tests are quick.
static KEY: LazyLock<PrivateKey> = LazyLock::new(|| rsa_key(1024));

/// A short group so that the tests are quick.
fn small_group() -> Group {
    let made = Group::generate_with(&mut rng(), 512, 160, SHA, &mut || ());
    made.unwrap().0
}

/// The octets of a number below the modulus of 1024 bits.
fn block(m: &Nat) -> Vec<u8> {
    m.to_be_bytes(128).expect("below the modulus").to_vec()
}

/// The bits of a private key that are fair: of octets all, also those that X25519 and X448 set and clear when they use the
/// key; of a number below an order that begins with ones all, and below another order all but the highest eight.
fn fair(algorithm: Algorithm) -> usize {
    let bits = 8 * algorithm.size();
    match algorithm {
        Algorithm::P521 => 521,
        Algorithm::BrainpoolP256r1 | Algorithm::BrainpoolP384r1 | Algorithm::BrainpoolP512r1 => {
            bits - 8
        }
        _ => bits,
    }
}

#[test]
fn keys_of_every_curve_vary() {
    let rng = &mut rng();
    for &algorithm in Algorithm::ALL {
        let keys = drawn(|| AnyPrivateKey::generate_with(algorithm, rng).to_octets());
        vary(algorithm.name(), &keys, 0..fair(algorithm));
    }
}

#[test]
fn keys_made_together_vary() {
    for &algorithm in Algorithm::ALL {
        let keys = AnyPrivateKey::generate_many_with(algorithm, &mut rng(), DRAWS);
        let keys: Vec<_> = keys.iter().map(AnyPrivateKey::to_octets).collect();
        vary(algorithm.name(), &keys, 0..fair(algorithm));
    }
}

/// The bits between the lowest one and the highest two of each prime, which are set.
#[test]
fn primes_of_rsa_vary() {
    let keys = repeat_with(|| rsa_key(512)).take(DRAWS / 2);
    let primes = keys.flat_map(|key| {
        let octets = |p: &Nat| p.to_be_bytes(32).expect("half of 512 bits");
        key.primes().map(octets).collect::<Vec<_>>()
    });
    vary("a prime", &primes.collect::<Vec<_>>(), 1..254);
}

#[test]
fn blinding_of_rsa_varies() {
    let rng = &mut rng();
    let factors = drawn(|| {
        // A key of its own has no factor from an earlier operation. The blinded root of 1 is the factor.
        let (key, mut found) = (KEY.with_cpu(Cpu::native()), vec![]);
        let mut look = |_: usize, stage: RsaStage, value: &Nat| {
            if stage == RsaStage::Result {
                found = block(value);
            }
            None::<Nat>
        };
        testing::rsadp(&key, &Serial, rng, &Nat::one(), &mut look).unwrap();
        found
    });
    // Up to the modulus, which leaves the highest bits less than fair.
    vary("a blinding factor", &factors, 0..1016);
}

/// Octets without their mask: MGF1 of a seed (RFC 8017, B.2.1).
fn unmasked(masked: &[u8], seed: &[u8]) -> Vec<u8> {
    let mask = (0_u32..).flat_map(|i| SHA.digest(&[seed, &i.to_be_bytes()].concat()));
    masked.iter().zip(mask).map(|(a, b)| a ^ b).collect()
}

/// The seed inside a block of OAEP (RFC 8017, 7.1.1): 00, the masked seed, the masked data.
fn seed(block: &[u8]) -> Vec<u8> {
    unmasked(&block[1..33], &block[33..])
}

/// The salt of 32 octets inside a block of PSS (RFC 8017, 9.1.1): masked data with the salt last, a digest, bc.
fn salt(block: &[u8]) -> Vec<u8> {
    let (data, digest) = block[..127].split_at(95);
    unmasked(data, digest).split_off(63)
}

#[test]
fn paddings_of_rsa_vary() {
    let (rng, public, digest) = (&mut rng(), KEY.public(), SHA.digest(b"a message"));
    let decrypted = |c: &[u8]| {
        let m = KEY.rsadp(&mut support::rng(), &Nat::from_be_bytes(c));
        block(&m.unwrap())
    };
    // 00 02, octets other than 0, and 00.
    let padding = drawn(|| {
        let c = public.rsaes_pkcs1_v1_5_encrypt(rng, b"").unwrap();
        decrypted(&c)[2..127].to_vec()
    });
    vary("padding of PKCS #1 v1.5", &padding, 0..1000);
    let seeds = drawn(|| {
        let c = public.rsaes_oaep_encrypt(rng, SHA, SHA, b"", b"").unwrap();
        seed(&decrypted(&c))
    });
    vary("a seed of OAEP", &seeds, 0..256);
    let salts = drawn(|| {
        let s = KEY.rsassa_pss_sign(rng, SHA, SHA, 32, &digest).unwrap();
        salt(&block(&public.rsavp1(&Nat::from_be_bytes(&s)).unwrap()))
    });
    vary("a salt of PSS", &salts, 0..256);
}

#[test]
fn legacy_schemes_vary() {
    let (rng, digest) = (&mut rng(), SHA.digest(b"a message"));
    let small = legacy::KeygenOptions { allow_small: true };
    let key = rabin::PrivateKey::generate_with(rng, 1024, small).unwrap();
    let seeds = drawn(|| {
        let c = key
            .public()
            .rabines_oaep_encrypt(rng, SHA, b"", b"")
            .unwrap();
        seed(&block(&key.invert(rng, &Nat::from_be_bytes(&c)).unwrap()))
    });
    vary("a seed of OAEP with Rabin's scheme", &seeds, 0..256);
    let salts = drawn(|| {
        let s = key.rabinss_pssr_sign(rng, SHA, b"", &digest).unwrap();
        let image = key.public().apply_vartime(&Nat::from_be_bytes(&s));
        salt(&block(&image.unwrap()))
    });
    vary("a salt of PSSR", &salts, 0..256);
    // It is below the modulus, which leaves the highest bits less than fair.
    let key = esign::PrivateKey::generate_with(rng, 768, small).unwrap();
    let signatures = drawn(|| key.esign_emsa5_sign(rng, SHA, &digest).unwrap());
    vary("a signature of ESIGN", &signatures, 0..760);
}

#[test]
fn exponents_vary() {
    let rng = &mut rng();
    let group = small_group();
    let octets = |x: &Nat, len| x.to_be_bytes(len).expect("of this length");
    let keys = drawn(|| octets(dl::PrivateKey::generate_with(&group, rng).x(), 20));
    // Up to q, which leaves the highest bits less than fair.
    vary("a key of a group", &keys, 0..152);
    let named = Named::Ffdhe2048.group();
    let keys = drawn(|| octets(dl::PrivateKey::generate_with(&named, rng).x(), 29));
    vary("a key of a named group", &keys, 0..225);
    let parameters = Parameters::new(group.p().clone(), group.g().clone()).unwrap();
    let exponents = drawn(|| octets(&parameters.random_exponent(200, None, rng), 25));
    // The highest is set.
    vary("an exponent", &exponents, 0..199);
    let exponents = drawn(|| octets(&parameters.random_exponent(160, Some(group.q()), rng), 20));
    vary("an exponent below q", &exponents, 0..152);
}

/// The nonce of a signature r, s of a digest with the key x: (z + r x) / s modulo the order.
fn nonce(order: &Modulus, digest: &[u8], x: &[u8], signature: &[u8]) -> Vec<u8> {
    let (r, s) = signature.split_at(signature.len() / 2);
    let [z, x, r, s] = [digest, x, r, s].map(|octets| order.reduce(&Nat::from_be_bytes(octets)));
    let sum = order.add(&z, &order.mul(&r, &x));
    let k = order.mul(&sum, &order.inv(&s).expect("prime to the order"));
    k.to_be_bytes(s.width() * 8).expect("its width").to_vec()
}

#[test]
fn nonces_vary() {
    let (rng, digest) = (&mut rng(), SHA.digest(b"a message"));
    let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
    let order = Modulus::new(&Nat::from_hex(order).unwrap()).unwrap();
    let key = ec::PrivateKey::<P256>::generate_with(rng);
    let x = key.to_be_bytes();
    let nonces = drawn(|| {
        let signature = key.ecdsa_sign_randomized(rng, SHA, &digest).unwrap();
        nonce(&order, &digest, &x, &signature.to_be_bytes())
    });
    vary("a nonce of ECDSA", &nonces, 0..256);
    let nonces = drawn(|| {
        let signature = key.ecdsa_sign_octets(rng, &digest).unwrap();
        nonce(&order, &digest, &x, &signature.to_be_bytes())
    });
    vary("a nonce of ECDSA for octets", &nonces, 0..256);
    // Those of RFC 6979 vary from message to message.
    let mut digests = (0_u32..).map(|i| SHA.digest(&i.to_be_bytes()));
    let nonces = drawn(|| {
        let digest = digests.next().expect("without end");
        let signature = key.ecdsa_sign(SHA, &digest).unwrap();
        nonce(&order, &digest, &x, &signature.to_be_bytes())
    });
    vary("a nonce of RFC 6979", &nonces, 0..256);

    let group = small_group();
    let key = dl::PrivateKey::generate_with(&group, rng);
    let nonces = drawn(|| {
        let signature = key.dsa_sign_randomized(rng, SHA, &digest).unwrap();
        let octets = signature.to_be_bytes(&group);
        nonce(group.order(), &digest[..20], &key.to_be_bytes(), &octets)
    });
    // Up to q, which leaves the highest bits less than fair.
    vary("a nonce of DSA", &nonces, 0..152);
}

/// The contents of the OCTET STRINGs in DER, in their order.
fn octet_strings(mut der: &[u8]) -> Vec<&[u8]> {
    let mut found = vec![];
    while let [tag, first, rest @ ..] = der {
        let (digits, rest) = rest.split_at(usize::from(first.saturating_sub(0x80)));
        let len = match digits {
            [] => usize::from(*first),
            _ => digits
                .iter()
                .fold(0, |len, digit| len << 8 | usize::from(*digit)),
        };
        let (contents, rest) = rest.split_at(len);
        match tag {
            0x04 => found.push(contents),
            tag if tag & 0x20 != 0 => found.extend(octet_strings(contents)),
            _ => {}
        }
        der = rest;
    }
    found
}

/// The octets in a message behind the key that a password encrypts (RFC 3211, 2.3.1), and the key.
fn of_password(salt: &[u8], iv: &[u8], encrypted: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let mut kek = [0; 32];
    pbkdf2::pbkdf2::<hmac::Hmac<sha2::Sha256>>(b"a password", salt, 1, &mut kek).unwrap();
    let aes = Aes::new(&kek).unwrap();
    // Encrypted twice: the last block of the first time was the vector of the second.
    let mut data: [u8; 48] = encrypted.try_into().expect("three blocks");
    let (rest, last) = data.split_at_mut(32);
    aes.cbc_decrypt(rest.last_chunk().unwrap(), last);
    aes.cbc_decrypt((&*last).try_into().unwrap(), rest);
    aes.cbc_decrypt(iv.try_into().unwrap(), &mut data);
    (data[36..].to_vec(), data[4..36].to_vec())
}

#[test]
fn messages_vary() {
    let rng = &mut rng();
    let to = [
        cms::Recipient::from_public_key(KEY.public().clone()).unwrap(),
        cms::Recipient::from_password(b"a password"),
    ];
    let options = cms::EncryptOptions {
        len: Some(0),
        iterations: 1,
        ..Default::default()
    };
    let mut parts = [const { Vec::new() }; 5];
    for _ in 0..DRAWS {
        let mut message = vec![];
        cms::encrypt(rng, &to, &options, &mut &b""[..], &mut message).unwrap();
        let strings = octet_strings(&message);
        let [transported, salt, iv, encrypted, nonce, _tag] = strings[..] else {
            panic!("{} strings", strings.len());
        };
        let key = KEY
            .rsaes_oaep_decrypt(rng, SHA, SHA, b"", transported)
            .unwrap();
        let (behind, same) = of_password(salt, iv, encrypted);
        assert_eq!(*key, same);
        let found = [same, nonce.to_vec(), salt.to_vec(), iv.to_vec(), behind];
        parts
            .iter_mut()
            .zip(found)
            .for_each(|(all, one)| all.push(one));
    }
    let names = [
        "a content key",
        "a nonce",
        "a salt",
        "a vector",
        "octets behind a key",
    ];
    for (name, part) in names.into_iter().zip(parts) {
        vary(name, &part, 0..8 * part[0].len());
    }
}

/// Gives the octets 1, 2, 3 and so on, or their complements.
struct Count {
    given: u8,
    flip: u8,
}

impl TryRng for Count {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unreachable!("octets are asked for")
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        unreachable!("octets are asked for")
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        for octet in out {
            self.given += 1;
            *octet = self.given ^ self.flip;
        }
        Ok(())
    }
}

impl TryCryptoRng for Count {}

/// Files of keys have the very octets of their generator. It takes long to derive a key from a password, so there are two
/// files of each form, which show each bit as 0 and as 1.
#[test]
fn files_have_what_a_generator_gives() {
    let key = AnyPrivateKey::generate(Algorithm::Ed25519);
    for flip in [0, 0xff] {
        let rng = || Count { given: 0, flip };
        let given = |len: u8| (1..=len).map(|octet| octet ^ flip).collect::<Vec<u8>>();
        let file = key.to_pkcs8_encrypted_der(b"a password", &mut rng());
        let [salt, iv, _] = octet_strings(&file)[..] else {
            panic!("a salt, a vector and data");
        };
        assert_eq!([salt, iv].concat(), given(32));

        let file = |password: Option<&[u8]>| {
            let text = key.to_openssh("", password, &mut rng()).unwrap();
            der::pem::decode_vec(text.as_bytes()).unwrap().1
        };
        // Without a password the check stands in the clear, twice.
        let (check, plain) = ([given(4), given(4)].concat(), file(None));
        assert!(plain.windows(8).any(|octets| octets == check));
        // The salt comes next, as a string behind its length.
        let salt = [&[0, 0, 0, 16][..], &given(20)[4..]].concat();
        let encrypted = file(Some(b"a password"));
        assert!(encrypted.windows(20).any(|octets| octets == salt));
    }
}
