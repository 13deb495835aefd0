//! Planted leaks.

use crate::{arith, count, hidden::SecretRng, rsa};
use carrysave_arith::{
    Nat, Plan,
    curve::{X25519_BASE, x25519_in_lanes},
    field::{Fe, Vectors},
    lanes::LANES,
};
use carrysave_kernels::{Cpu, Limb};
use carrysave_schemes::{
    dl::{self, Named},
    hash::Hash,
    rsa::batch,
};
use carrysave_secrets::{planted, valgrind::secret};
use getrandom::SysRng;
use rand_core::UnwrapErr;
use std::{hint::black_box, process::ExitCode};

/// Leaks of the three kinds that memcheck must see. Ends with valgrind's code only if it reports each of them.
pub fn plant() -> ExitCode {
    let key = secret(0x0123_4567_89ab_cdef);
    // The secrets of the checks above must still be secret in the results.
    let rsa = rsa::generation();
    let prime = rsa.primes().next().expect("two of them").limbs()[0];
    let (rng, hash) = (&mut UnwrapErr(SysRng), Hash::Sha256);
    let c = rsa.public().rsaes_oaep_encrypt(rng, hash, hash, b"", b"x");
    let m = rsa.rsaes_oaep_decrypt(rng, hash, hash, b"", &c.expect("it is short"));
    let m = m.expect("a right message")[0];
    let in_lanes = rsa.with_plan(Cpu::native(), Plan::best(Cpu::native()).always_in_lanes());
    let two = Nat::from_limb(2);
    let roots = batch::rsasp1(rng, &[(&in_lanes, &two); LANES]);
    let root = roots[LANES - 1].as_ref().expect("a right result").limbs()[0];
    let k = [secret(7) as u8; 32];
    let shared = x25519_in_lanes(
        Vectors::best(Cpu::native()),
        &[k; LANES],
        &[X25519_BASE; LANES],
    )[LANES - 1][0];
    let factor = Nat::from_limbs(&[key; 15]);
    let product = factor.mul_with(&factor, arith::by_transforms()).limbs()[29];
    let group = Named::Modp1536Legacy.group();
    let dh = dl::PrivateKey::generate_with(&group, &mut UnwrapErr(SecretRng));
    let agreed = dh.agree(dh.public()).expect("one group")[0];
    let found = [
        count("planted: a branch on what two keys agreed on", || {
            if agreed & 1 == 1 {
                black_box(agreed);
            }
        }),
        count("planted: a branch on what a lane's ladder gave", || {
            if shared & 1 == 1 {
                black_box(shared);
            }
        }),
        count("planted: a branch on a product by transforms", || {
            if product & 1 == 1 {
                black_box(product);
            }
        }),
        count("planted: a branch on a prime that was generated", || {
            if prime >> 1 & 1 == 1 {
                black_box(prime);
            }
        }),
        count("planted: a branch on a message that was decrypted", || {
            if m & 1 == 1 {
                black_box(m);
            }
        }),
        count(
            "planted: a branch on a root that was taken in a lane",
            || {
                if root & 1 == 1 {
                    black_box(root);
                }
            },
        ),
        count(
            "planted: a lane's entry of a table read at its index",
            || {
                let (table, index) = (black_box([[7; LANES]; 16]), [key % 16; LANES]);
                let entry = |lane: usize| table[index[lane] as usize][lane];
                black_box(std::array::from_fn::<Limb, LANES, _>(entry));
            },
        ),
        count("planted: a ladder as long as its nonce", || {
            black_box(planted::ladder_by_length(&Fe::from_limb(7), &[key; 4]));
        }),
        count(
            "planted: a ladder that exits behind the highest bit",
            || {
                black_box(planted::ladder_with_exit(&Fe::from_limb(7), &[key; 4]));
            },
        ),
        count("planted: a branch on a bit", || {
            if key & 1 == 1 {
                black_box(key);
            }
        }),
        count("planted: a comparison that stops early", || {
            let (a, b) = ([key; 4], black_box([1; 4]));
            black_box((0..4).find(|&i| a[i] != b[i]));
        }),
        count("planted: a table read at a secret index", || {
            let table: [Limb; 16] = black_box([7; 16]);
            black_box(table[key as usize % 16]);
        }),
    ];
    if found.contains(&0) {
        // Not through `exit`, so that valgrind's own code does not replace this one.
        std::process::abort();
    }
    ExitCode::SUCCESS
}
