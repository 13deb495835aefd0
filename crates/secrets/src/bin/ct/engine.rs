//! The engine: tasks of every kind in batches, by a service, by its clients and by a team, with secret random numbers.

use crate::hidden::{SecretRng, secrets};
use carrysave_arith::{Modulus, Nat, task::Power};
use carrysave_engine::{
    Batch, Decrypter, Job, Output, Service, ServiceOptions, Signer, Threads, run_on,
};
use carrysave_schemes::{
    dl,
    ec::{
        self, Algorithm, AnyPrivateKey, Ed448PrivateKey, Ed25519PrivateKey, P256, X448PrivateKey,
        X25519PrivateKey,
        ed448::task::SignEd448,
        ed25519::task::SignEd25519,
        task::{EcdhAgree, Generate, Generator, SignEcdsa, X448Agree, X25519Agree, X25519Public},
    },
    hash::Hash,
    rsa::{
        Padding, PrivateKey,
        task::{
            DecryptOaep, DecryptPkcs1v15, EncryptOaep, EncryptPkcs1v15, RawPrivate, SignPkcs1v15,
            SignPss,
        },
    },
};
use carrysave_secrets::valgrind::{poison, reveal};
use getrandom::SysRng;
use rand_core::UnwrapErr;
use std::{hint::black_box, sync::Arc};

/// A task of each kind that takes a secret.
fn jobs(key: &PrivateKey, group: &dl::Group) -> Vec<Job> {
    let (rng, open, hash) = (
        &mut UnwrapErr(SecretRng),
        &mut UnwrapErr(SysRng),
        Hash::Sha256,
    );
    let digest = hash.digest(b"a message");
    let public = key.public();
    let oaep = public.rsaes_oaep_encrypt(open, hash, hash, b"", b"a secret");
    let v1_5 = public.rsaes_pkcs1_v1_5_encrypt(open, b"a secret");
    let power = {
        let base = Nat::random_below(public.n(), rng);
        let exponent = Nat::from_limbs(&[7; 4]);
        poison(exponent.limbs());
        Power::new(Modulus::new(public.n()).expect("odd"), base, exponent)
    };
    let dh = dl::PrivateKey::generate_with(group, rng);
    let p256 = ec::PrivateKey::<P256>::generate_with(rng);
    let sec1 = p256.public().to_sec1();
    reveal(&sec1);
    let x25519 = X25519PrivateKey::generate_with(rng);
    let x448 = X448PrivateKey::generate_with(rng);
    let publics = (x25519.public(), x448.public());
    let ecdsa = AnyPrivateKey::generate_with(Algorithm::P256, rng);
    let (ed25519, ed448) = (
        Ed25519PrivateKey::generate_with(rng),
        Ed448PrivateKey::generate_with(rng),
    );
    vec![
        SignPss {
            key: key.clone(),
            hash,
            mgf: hash,
            salt_len: 32,
            digest: digest.clone(),
        }
        .into(),
        SignPkcs1v15 {
            key: key.clone(),
            hash,
            digest: digest.clone(),
        }
        .into(),
        DecryptOaep {
            key: key.clone(),
            hash,
            mgf: hash,
            label: vec![],
            ciphertext: oaep.expect("it is short"),
        }
        .into(),
        DecryptPkcs1v15 {
            key: key.clone(),
            ciphertext: v1_5.expect("it is short"),
        }
        .into(),
        RawPrivate {
            key: key.clone(),
            x: Nat::random_below(public.n(), rng),
        }
        .into(),
        EncryptOaep {
            key: public.clone(),
            hash,
            mgf: hash,
            label: vec![],
            message: secrets(10).into(),
        }
        .into(),
        EncryptPkcs1v15 {
            key: public.clone(),
            message: secrets(10).into(),
        }
        .into(),
        power.into(),
        dl::task::DhAgree {
            key: dh.clone(),
            public: dh.public().clone(),
        }
        .into(),
        dl::task::SignDsa {
            key: dh,
            hash,
            digest: digest.clone(),
        }
        .into(),
        EcdhAgree {
            key: p256,
            public: ec::PublicKey::from_sec1(&sec1).expect("a point"),
        }
        .into(),
        X25519Public(x25519.clone()).into(),
        X25519Agree {
            key: x25519,
            public: publics.0,
        }
        .into(),
        X448Agree {
            key: x448,
            public: publics.1,
        }
        .into(),
        Generate(Generator(Algorithm::P256)).into(),
        Generate(Generator(Algorithm::X25519)).into(),
        Generate(Generator(Algorithm::Ed25519)).into(),
        SignEcdsa {
            key: Arc::new(ecdsa),
            hash,
            digest,
        }
        .into(),
        SignEd25519 {
            key: ed25519,
            message: secrets(10),
        }
        .into(),
        SignEd448 {
            key: ed448,
            message: secrets(10),
        }
        .into(),
    ]
}

/// All kinds, each nine times, so that lanes are filled and some are left.
pub fn batches(key: &PrivateKey, group: &dl::Group) {
    let jobs: Vec<Job> = jobs(key, group)
        .into_iter()
        .flat_map(|job| vec![job; 9])
        .collect();
    for result in Batch::new(2).run_with(|| UnwrapErr(SecretRng), &jobs) {
        black_box::<Output>(result.expect("a right result"));
    }
}

/// All kinds by a service and by a team of threads, and paddings of RSA by the clients of a service.
pub fn services(key: &PrivateKey, group: &dl::Group) {
    let options = ServiceOptions {
        threads: 2,
        ..ServiceOptions::default()
    };
    let service = Service::with_rng(options, || UnwrapErr(SecretRng)).expect("a service");
    let service = Arc::new(service);
    let threads = Threads::unmeasured(2);
    for job in jobs(key, group) {
        let alone = run_on(&job, &threads, &mut UnwrapErr(SecretRng));
        black_box::<Output>(alone.expect("a right result"));
        black_box::<Output>(service.run(job).expect("a right result"));
    }
    let (open, hash) = (&mut UnwrapErr(SysRng), Hash::Sha256);
    let digest = hash.digest(b"a message");
    let signer = Signer::new(service.clone());
    for padding in [Padding::Pkcs1v15, Padding::pss(hash)] {
        black_box(
            signer
                .sign(key, hash, padding, &digest)
                .expect("a signature"),
        );
    }
    let decrypter = Decrypter::new(service.clone());
    let public = key.public();
    let c = public.rsaes_oaep_encrypt(open, hash, hash, b"", b"a secret");
    let m = decrypter.rsaes_oaep_decrypt(key, hash, hash, b"", &c.expect("it is short"));
    black_box(m.expect("a message"));
    let c = public.rsaes_pkcs1_v1_5_encrypt(open, b"a secret");
    let m = decrypter.rsaes_pkcs1_v1_5_decrypt(key, &c.expect("it is short"));
    black_box(m.expect("a message"));
    service.shutdown();
}
