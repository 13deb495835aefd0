//! Nothing of a secret is left in memory once what held it is dropped: checked by a search of this process's memory.
//!
//! `cargo run --release -p carrysave-proof --bin wiped` makes and uses private keys of every scheme and keys of every cipher, drops
//! them, and looks for pieces of 16 bytes of what was secret: on the heap, freed or not, and on the stacks, also below
//! where they end now. It ends with 0 if there are none and if copies that are planted are found, with 1 if not, and with
//! 77 where the system does not show a process its memory.
//!
//! What a single register held, and what was paged out, is not looked for.

use carrysave_arith::Nat;
use carrysave_arith::curve::P256;
use carrysave_kernels::{
    Cpu,
    aes::{Ctr, Decrypt, Encrypt},
};
use carrysave_proof::memory::Needles;
use carrysave_schemes::{
    cms,
    dl::{self, Named},
    ec::{self, X25519PrivateKey},
    hash::Hash,
    legacy::{self, esign, ies, nr, rabin, rw},
    rsa::{KeygenOptions, PrivateKey, batch},
};
use carrysave_symmetric::{
    aes::Aes,
    rijndael::Rijndael,
    skein::{Parameters, Skein},
    threefish::{Threefish, Version},
};
use getrandom::SysRng;
use rand_core::{Rng as _, UnwrapErr};
use std::{array, collections::BTreeMap, hint::black_box, process::ExitCode};
use zeroize::Zeroizing;

/// Does something with secrets, and says which.
type Subject = fn(&mut Needles);

const SUBJECTS: &[(&str, Subject)] = &[
    ("RSA: generation, signatures, decryption", use_rsa),
    ("RSA: key files", read_rsa),
    ("RSA: in lanes", rsa_lanes),
    ("GF(p)*: keys, agreement, signatures", use_dl),
    ("elliptic curves: keys, agreement", use_ec),
    ("X25519", use_x25519),
    ("Rabin, Rabin-Williams, ESIGN", use_legacy),
    ("DLIES and ECIES", use_ies),
    ("CMS", use_cms),
    ("AES", use_aes),
    ("Threefish", use_threefish),
    ("Skein as a MAC", use_skein),
    ("Rijndael", use_rijndael),
];

/// Copies that are left, which must be found.
const PLANTED: &[(&str, Subject)] = &[
    ("planted: freed memory", |needles| {
        let key = random::<32>();
        needles.add("key", &*key);
        drop(black_box(key.to_vec()));
    }),
    ("planted: a stack that is left", |needles| {
        let key = random::<32>();
        needles.add("key", &*key);
        leave(&key);
    }),
];

fn main() -> ExitCode {
    let mut failed = false;
    for (name, subject) in PLANTED {
        match left(name, *subject) {
            Ok(count) => failed |= count == 0,
            Err(error) => {
                eprintln!(
                    "SKIPPED: wiping was not checked, because memory cannot be read: {error}"
                );
                return ExitCode::from(77);
            }
        }
    }
    for (name, subject) in SUBJECTS {
        failed |= !left(name, *subject).is_ok_and(|count| count == 0);
    }
    if failed {
        eprintln!("FAILED: a secret was left, or a planted one was not found");
        return ExitCode::FAILURE;
    }
    println!("nothing is left of a secret, and every planted copy was found");
    ExitCode::SUCCESS
}

/// How many pieces of its secrets a subject leaves.
fn left(name: &str, subject: Subject) -> std::io::Result<usize> {
    let mut needles = Needles::default();
    below(|| subject(&mut needles));
    let found = needles.search()?;
    println!("{:>4} left  {name}", found.len());
    let mut places = BTreeMap::<_, usize>::new();
    for found in &found {
        *places.entry((found.secret, &found.mapping)).or_default() += 1;
    }
    for ((secret, mapping), count) in places {
        println!("      {count:>4} of {secret} in {mapping}");
    }
    Ok(found.len())
}

/// Calls `f` so far down the stack that the search does not write over what it leaves there.
#[inline(never)]
fn below(f: impl FnOnce()) {
    let room = black_box([0_u8; 1 << 16]);
    f();
    black_box(&room);
}

/// A copy of the key in a frame that ends.
#[inline(never)]
fn leave(key: &[u8; 32]) {
    black_box(*key);
}

fn random<const N: usize>() -> Zeroizing<[u8; N]> {
    let mut bytes = Zeroizing::new([0; N]);
    UnwrapErr(SysRng).fill_bytes(&mut *bytes);
    bytes
}

fn rsa_key(needles: &mut Needles) -> PrivateKey {
    let options = KeygenOptions {
        allow_small: true,
        ..KeygenOptions::default()
    };
    let key = PrivateKey::generate(|| UnwrapErr(SysRng), 1024, &options, &|_| ()).expect("a key");
    needles.add_limbs("d", key.d().limbs());
    for prime in key.primes() {
        needles.add_limbs("a prime", prime.limbs());
    }
    key
}

fn use_rsa(needles: &mut Needles) {
    let (key, rng, hash) = (rsa_key(needles), &mut UnwrapErr(SysRng), Hash::Sha256);
    let digest = hash.digest(b"a message");
    for _ in 0..2 {
        key.rsassa_pss_sign(rng, hash, hash, 32, &digest)
            .expect("a signature");
        key.rsassa_pkcs1_v1_5_sign(rng, hash, &digest)
            .expect("a signature");
    }
    let secret = random::<32>();
    needles.add("the message", &*secret);
    let (public, oaep) = (key.public(), &*secret);
    let c = public
        .rsaes_oaep_encrypt(rng, hash, hash, b"", oaep)
        .expect("it is short");
    assert!(
        key.rsaes_oaep_decrypt(rng, hash, hash, b"", &c)
            .expect("a message")[..]
            == oaep[..]
    );
    let c = public
        .rsaes_pkcs1_v1_5_encrypt(rng, oaep)
        .expect("it is short");
    assert!(key.rsaes_pkcs1_v1_5_decrypt(rng, &c).expect("a message")[..] == oaep[..]);
}

fn read_rsa(needles: &mut Needles) {
    let (key, rng) = (rsa_key(needles), &mut UnwrapErr(SysRng));
    let again = PrivateKey::from_any(&key.to_pkcs1_der(), None).expect("a key");
    let again = PrivateKey::from_any(again.to_pkcs1_pem().as_bytes(), None).expect("a key");
    let again = PrivateKey::from_any(&again.to_pkcs8_der(), None).expect("a key");
    let again = PrivateKey::from_any(again.to_pkcs8_pem().as_bytes(), None).expect("a key");
    let sealed = again.to_pkcs8_encrypted_pem(b"password", rng);
    let again = PrivateKey::from_any(sealed.as_bytes(), Some(b"password")).expect("a key");
    let primes = again.primes().cloned().collect();
    PrivateKey::from_primes(primes, again.public().e().clone()).expect("a key");
    again.validate().expect("a key");
}

fn rsa_lanes(needles: &mut Needles) {
    let (key, rng) = (rsa_key(needles), &mut UnwrapErr(SysRng));
    let plan = carrysave_arith::Plan::best(Cpu::native()).always_in_lanes();
    let key = key.with_plan(Cpu::native(), plan);
    let two = Nat::from_limb(2);
    for root in batch::rsasp1(rng, &[(&key, &two); 8]) {
        root.expect("a right result");
    }
}

fn use_dl(needles: &mut Needles) {
    let (rng, hash) = (&mut UnwrapErr(SysRng), Hash::Sha256);
    let group = Named::Ffdhe2048.group();
    let [a, b] = [(); 2].map(|()| dl::PrivateKey::generate(&group, rng));
    needles.add_limbs("x", a.x().limbs());
    let z = a.dh_agree(b.public()).expect("one group");
    needles.add("what was agreed on", &z);
    drop(z);
    let digest = hash.digest(b"a message");
    for key in [&a, &a.precomputed()] {
        key.dsa_sign(hash, &digest).expect("a signature");
        nr::sign(key, hash, &digest).expect("a signature");
    }
    for signature in dl::batch::dsa_sign(&[(&a, hash, &digest[..]); 8]) {
        signature.expect("a signature");
    }
    let der = a.to_pkcs8_der(dl::Form::X942).expect("a form for it");
    dl::PrivateKey::from_pkcs8_der(&der).expect("a key");
}

fn use_ec(needles: &mut Needles) {
    let rng = &mut UnwrapErr(SysRng);
    let [a, b] = [(); 2].map(|()| ec::PrivateKey::<P256>::generate(rng));
    needles.add("the scalar", &a.to_be_bytes());
    let z = a.agree(b.public());
    needles.add("what was agreed on", &z);
    drop(z);
    ec::PrivateKey::<P256>::from_pkcs8_der(&a.to_pkcs8_der()).expect("a key");
    let any = ec::AnyPrivateKey::from_pkcs8_der(&a.to_pkcs8_der()).expect("a key");
    let sealed = any.to_pkcs8_encrypted_pem(b"password", rng);
    ec::AnyPrivateKey::from_any(sealed.as_bytes(), Some(b"password")).expect("a key");
}

fn use_x25519(needles: &mut Needles) {
    let rng = &mut UnwrapErr(SysRng);
    let [a, b] = [(); 2].map(|()| X25519PrivateKey::generate(rng));
    needles.add("the scalar", a.as_bytes());
    let z = a.agree(&b.public()).expect("a point");
    needles.add("what was agreed on", &z);
    drop(z);
    X25519PrivateKey::from_pkcs8_der(&a.to_pkcs8_der()).expect("a key");
}

fn use_legacy(needles: &mut Needles) {
    let (rng, hash) = (&mut UnwrapErr(SysRng), Hash::Sha256);
    let options = legacy::KeygenOptions { allow_small: true };
    let digest = hash.digest(b"a message");
    let key = rabin::PrivateKey::generate(rng, 1024, options).expect("a good size");
    add_integers(needles, "Rabin", &key.to_der(), &key.public().to_der());
    key.rabinss_pssr_sign(rng, hash, b"", &digest)
        .expect("a signature");
    rabin::PrivateKey::from_der(&key.to_der()).expect("a key");
    let key = rw::PrivateKey::generate(rng, 1024, options).expect("a good size");
    add_integers(
        needles,
        "Rabin-Williams",
        &key.to_der(),
        &key.public().to_der(),
    );
    key.rwss_emsa2_sign(rng, hash, &digest)
        .expect("a signature");
    rw::PrivateKey::from_der(&key.to_der()).expect("a key");
    let key = esign::PrivateKey::generate(rng, 1023, options).expect("a good size");
    add_integers(needles, "ESIGN", &key.to_der(), &key.public().to_der());
    key.esign_emsa5_sign(rng, hash, &digest)
        .expect("a signature");
    esign::PrivateKey::from_der(&key.to_der()).expect("a key");
}

fn use_ies(needles: &mut Needles) {
    let (rng, hash) = (&mut UnwrapErr(SysRng), Hash::Sha256);
    let m = random::<64>();
    needles.add("the message", &*m);
    let key = ec::PrivateKey::<P256>::generate(rng);
    let c = ies::ecies_encrypt(key.public(), rng, hash, b"", &*m);
    assert!(ies::ecies_decrypt(&key, hash, b"", &c).expect("a message")[..] == m[..]);
    let key = dl::PrivateKey::generate(&Named::Ffdhe2048.group(), rng);
    let c = ies::dlies_encrypt(key.public(), rng, hash, b"", &*m).expect("a good key");
    assert!(ies::dlies_decrypt(&key, hash, b"", &c).expect("a message")[..] == m[..]);
}

fn use_cms(needles: &mut Needles) {
    let key = rsa_key(needles);
    let mut m = Zeroizing::new(vec![0; 4096]);
    UnwrapErr(SysRng).fill_bytes(&mut m);
    needles.add("the message", &m);
    let mut password = Zeroizing::new(vec![0; 32]);
    UnwrapErr(SysRng).fill_bytes(&mut password);
    needles.add("the password", &password);
    let recipients = [
        cms::Recipient::from_public_key(key.public().clone()).expect("a recipient"),
        cms::Recipient::from_password(&password),
    ];
    let mut c = Vec::new();
    let options = cms::EncryptOptions {
        iterations: 1000,
        ..Default::default()
    };
    let rng = &mut UnwrapErr(SysRng);
    cms::encrypt(rng, &recipients, &options, &mut &m[..], &mut c).expect("a message");
    // With room for all: what grows leaves copies.
    let mut opened = Zeroizing::new(Vec::with_capacity(m.len()));
    let options = cms::DecryptOptions::default();
    cms::decrypt(rng, &key, &options, &mut &c[..], &mut *opened).expect("the message");
    assert!(opened[..] == m[..]);
    opened.clear();
    let password = cms::Identity::password(&password);
    cms::decrypt(rng, password, &options, &mut &c[..], &mut *opened).expect("the message");
    assert!(opened[..] == m[..]);
}

/// Looks for the integers of a key file that are not in that of the public key.
fn add_integers(needles: &mut Needles, name: &'static str, der: &[u8], public: &[u8]) {
    // Of the sequence, whose length takes up to three octets.
    let mut rest = &der[2 + (der[1] & 0x7f) as usize * usize::from(der[1] & 0x80 != 0)..];
    while let [2, length, tail @ ..] = rest {
        let (length, tail) = match length {
            0x81 => (tail[0].into(), &tail[1..]),
            0x82 => (usize::from(tail[0]) << 8 | usize::from(tail[1]), &tail[2..]),
            _ => ((*length).into(), tail),
        };
        let (integer, after) = tail.split_at(length);
        let integer = integer.strip_prefix(&[0]).unwrap_or(integer);
        if integer.len() >= 32 && !public.windows(integer.len()).any(|known| known == integer) {
            needles.add(name, integer);
        }
        rest = after;
    }
}

fn use_aes(needles: &mut Needles) {
    let key = random::<32>();
    needles.add("the key", &*key);
    for cpu in Cpu::native().masks() {
        let aes = Aes::with_cpu(cpu, &*key).expect("a length that there is");
        let mut data = [0; 1024];
        aes.ecb_encrypt(&mut data);
        aes.cbc_encrypt(&[0; 16], &mut data);
        aes.cbc_decrypt(&[0; 16], &mut data);
        aes.apply_ctr(&[0; 16], 128, 0, &mut data);
    }
    // What counter mode saves: blocks after two rounds, which three rounds and one back make too.
    let keys = random::<{ 16 * 11 }>();
    let keys = keys.as_chunks().0;
    let counter = |i| if i % 16 == 15 { i as u8 / 16 } else { 0 };
    let mut saved = Zeroizing::new(array::from_fn::<u8, 64, _>(counter));
    let portable = Cpu::portable();
    Encrypt::best(portable).call_in_place(&mut *saved, &[keys[0], keys[1], keys[2], [0; 16]]);
    Decrypt::best(portable).call_in_place(&mut *saved, &[[0; 16]; 2]);
    needles.add("counters after two rounds", &*saved);
    for ctr in Ctr::all(Cpu::native()) {
        ctr.call_in_place(&mut [0; 16384], keys, &[0; 16]);
    }
}

fn use_threefish(needles: &mut Needles) {
    let key = random::<64>();
    needles.add("the key", &*key);
    for cpu in Cpu::native().masks() {
        let cipher = Threefish::<8>::with_version(cpu, Version::V1_3, &*key);
        let mut data = [0; 4096];
        cipher.encrypt([0; 2], &mut data);
        cipher.decrypt([0; 2], &mut data);
        cipher.apply_ctr([0; 2], array::from_fn(|i| i as u64), 0, &mut data);
    }
}

fn use_skein(needles: &mut Needles) {
    let key = random::<64>();
    needles.add("the key", &*key);
    let mut mac = Skein::<8>::new(&Parameters::new(32).key(&*key));
    mac.update(&[0; 1024]);
    mac.finalize().read(&mut [0; 32]);
}

fn use_rijndael(needles: &mut Needles) {
    let key = random::<32>();
    needles.add("the key", &*key);
    let cipher = Rijndael::new(32, &*key).expect("lengths that there are");
    let mut data = [0; 1024];
    cipher.encrypt(&mut data);
    cipher.decrypt(&mut data);
}
