//! Checks that nothing of a dropped secret remains in memory, by a search of this process's memory.
//!
//! `cargo run --release -p carrysave-secrets --bin wiped` makes and uses private keys of every scheme and keys of every
//! cipher, drops them, and looks for 16-byte pieces of the secrets: on the heap, freed or not, and on the stacks, also
//! below their current ends. The exit status is 0 if there are none and all planted copies are found, 1 if not, and 77
//! if the system does not let a process read its memory.
//!
//! Contents of single registers and of swapped-out pages are not searched.

mod ciphers;
mod foreign;
mod keys;
mod messages;
mod program;

use carrysave_arith::curve::{
    BrainpoolP256r1, BrainpoolP384r1, BrainpoolP512r1, P224, P256, P384, P521, Secp256k1,
};
use carrysave_secrets::memory::{Found, Needles};
use getrandom::SysRng;
use rand_core::{Rng as _, UnwrapErr};
use std::{
    cell::Cell, collections::BTreeMap, env, hint::black_box, io, mem::MaybeUninit, path::Path,
    process::ExitCode,
};
use zeroize::Zeroizing;

/// Uses secrets, and names them.
type Subject = fn(&mut Needles);

const SUBJECTS: &[(&str, Subject)] = &[
    ("RSA: generation, signatures, decryption", keys::rsa),
    ("RSA: files of 2048 bits", keys::rsa_files_2048),
    ("RSA: files of 3072 bits", keys::rsa_files_3072),
    ("RSA: files of 4096 bits", keys::rsa_files_4096),
    ("RSA: in lanes", keys::rsa_lanes),
    ("GF(p)*: keys, agreement, signatures", keys::dl),
    ("P-224: keys, agreement, signatures", keys::curve::<P224>),
    ("P-256: keys, agreement, signatures", keys::curve::<P256>),
    ("P-384: keys, agreement, signatures", keys::curve::<P384>),
    ("P-521: keys, agreement, signatures", keys::curve::<P521>),
    (
        "secp256k1: keys, agreement, signatures",
        keys::curve::<Secp256k1>,
    ),
    (
        "brainpoolP256r1: keys, agreement, signatures",
        keys::curve::<BrainpoolP256r1>,
    ),
    (
        "brainpoolP384r1: keys, agreement, signatures",
        keys::curve::<BrainpoolP384r1>,
    ),
    (
        "brainpoolP512r1: keys, agreement, signatures",
        keys::curve::<BrainpoolP512r1>,
    ),
    ("X25519", keys::x25519),
    ("Ed25519", keys::ed25519),
    ("X448", keys::x448),
    ("Ed448", keys::ed448),
    ("Rabin, Rabin-Williams, ESIGN", keys::legacy),
    ("MQV, HMQV, FHMQV", keys::mqv),
    ("DLIES and ECIES", messages::ies),
    ("CMS", messages::cms),
    ("AES-128: ECB, encryption", ciphers::aes_ecb_encrypt::<16>),
    ("AES-192: ECB, encryption", ciphers::aes_ecb_encrypt::<24>),
    ("AES-256: ECB, encryption", ciphers::aes_ecb_encrypt::<32>),
    ("AES-128: ECB, decryption", ciphers::aes_ecb_decrypt::<16>),
    ("AES-192: ECB, decryption", ciphers::aes_ecb_decrypt::<24>),
    ("AES-256: ECB, decryption", ciphers::aes_ecb_decrypt::<32>),
    ("AES-128: CBC, encryption", ciphers::aes_cbc_encrypt::<16>),
    ("AES-192: CBC, encryption", ciphers::aes_cbc_encrypt::<24>),
    ("AES-256: CBC, encryption", ciphers::aes_cbc_encrypt::<32>),
    (
        "AES-128: CBC, encryption of streams",
        ciphers::aes_cbc_streams::<16>,
    ),
    (
        "AES-192: CBC, encryption of streams",
        ciphers::aes_cbc_streams::<24>,
    ),
    (
        "AES-256: CBC, encryption of streams",
        ciphers::aes_cbc_streams::<32>,
    ),
    ("AES-128: CBC, decryption", ciphers::aes_cbc_decrypt::<16>),
    ("AES-192: CBC, decryption", ciphers::aes_cbc_decrypt::<24>),
    ("AES-256: CBC, decryption", ciphers::aes_cbc_decrypt::<32>),
    ("AES-256: CBC, padding", ciphers::aes_padding),
    ("AES-128: CTR", ciphers::aes_ctr::<16>),
    ("AES-192: CTR", ciphers::aes_ctr::<24>),
    ("AES-256: CTR", ciphers::aes_ctr::<32>),
    ("AES: CTR, blocks that are saved", ciphers::aes_windows),
    ("Threefish-256", ciphers::threefish::<4>),
    ("Threefish-512", ciphers::threefish::<8>),
    ("Threefish-1024", ciphers::threefish::<16>),
    ("Skein as a MAC", ciphers::skein),
    ("Rijndael", ciphers::rijndael),
];

/// Planted copies, which must be found.
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
    failed |= foreign::all();
    match env::args_os().nth(1) {
        Some(program) => failed |= program::all(Path::new(&program)),
        None => println!("SKIPPED: the program: name it to have its memory searched, too"),
    }
    if failed {
        eprintln!("FAILED: a secret was left, or a planted one was not found");
        return ExitCode::FAILURE;
    }
    println!("nothing is left of a secret, and every planted copy was found");
    ExitCode::SUCCESS
}

/// The number of pieces of its secrets that a subject leaves.
fn left(name: &str, subject: impl FnOnce(&mut Needles)) -> io::Result<usize> {
    let mut needles = Needles::default();
    STEPS.set(0);
    below(|| subject(&mut needles));
    let found = needles.search()?;
    print(name, &found);
    Ok(found.len())
}

/// Prints each finding and its place.
fn print(name: &str, found: &[Found]) {
    println!("{:>4} left  {name}", found.len());
    let mut places = BTreeMap::<_, Vec<usize>>::new();
    for found in found {
        let place = (found.secret, &found.mapping);
        places.entry(place).or_default().push(found.address);
    }
    for ((secret, mapping), at) in places {
        let (count, first, last) = (at.len(), at[0], at[at.len() - 1]);
        println!("      {count:>4} of {secret} in {mapping}, from {first:#x} to {last:#x}");
    }
}

/// Calls `f` so deep in the stack that neither the search nor later calls in the same subject overwrite its traces.
fn below<R>(f: impl FnOnce() -> R) -> R {
    STEPS.set(STEPS.get() + 1);
    descend(STEPS.get(), f)
}

thread_local! {
    /// The number of such calls in this subject.
    static STEPS: Cell<usize> = const { Cell::new(0) };
}

#[inline(never)]
fn descend<R>(steps: usize, f: impl FnOnce() -> R) -> R {
    /// More than any operation takes.
    const STEP: usize = 3 << 14;
    // Not initialised: the old contents must stay.
    let mut room = MaybeUninit::<[u8; STEP]>::uninit();
    black_box(&mut room);
    let result = match steps {
        0 => f(),
        _ => descend(steps - 1, f),
    };
    black_box(&mut room);
    result
}

/// Copies of the key in a frame that ends, so many that what is called next does not overwrite all.
#[inline(never)]
fn leave(key: &[u8; 32]) {
    black_box(&[*key; 256]);
}

fn random<const N: usize>() -> Zeroizing<[u8; N]> {
    let mut bytes = Zeroizing::new([0; N]);
    rng().fill_bytes(&mut *bytes);
    bytes
}

/// `length` random octets on the heap.
fn filled(length: usize) -> Zeroizing<Vec<u8>> {
    let mut bytes = Zeroizing::new(vec![0; length]);
    rng().fill_bytes(&mut bytes);
    bytes
}

fn rng() -> UnwrapErr<SysRng> {
    UnwrapErr(SysRng)
}
