//! `schemes`: a row for each line of a published benchmark of public-key schemes (Zidenberg, Optimizing Crypto++ library
//! for P4), named as there: `dsa/signature-with-precomputation`.
//!
//! Every hash is SHA-256. Groups have a q of 160 bits at 1024 bits and one of 256 at 2048. Keys are made anew for each run.

use super::{Experiment, rsa::pkcs8};
use crate::{
    Bench, Error,
    record::Size,
    rivals::{DlKey, RIVALS, Refusal},
};
use carrysave_arith::Plan;
use carrysave_engine::{Batch, Job, Output};
use carrysave_schemes::{
    dl,
    hash::Hash,
    legacy::{self, esign, ies, mqv, nr, rabin, rw},
    rsa,
};
use getrandom::{SysRng, rand_core::UnwrapErr};
use std::num::NonZeroUsize;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "schemes",
    about: "public-key schemes of a published benchmark, old ones too: SHA-256, one operation at a time",
    run,
};

const MESSAGE: &[u8; 32] = b"thirty-two bytes to work upon...";
const SMALL: legacy::KeygenOptions = legacy::KeygenOptions { allow_small: true };

fn run(bench: &mut Bench<'_>) -> Result<(), Error> {
    let asked = bench.bits(&[]);
    let sizes = |all: &[usize]| -> Vec<usize> {
        let wanted = |bits: &usize| asked.is_empty() || asked.contains(bits);
        all.iter().copied().filter(wanted).collect()
    };
    if !asked.is_empty() && sizes(&[1023, 1024, 1536, 2046, 2048]).is_empty() {
        return Err(Error(
            "schemes has sizes of 1024 and 2048 bits, and ESIGN of 1023, 1536 and 2046".to_owned(),
        ));
    }
    for bits in sizes(&[1024, 2048]) {
        with_rsa(bench, bits)?;
        with_rabin(bench, bits)?;
        with_rw(bench, bits)?;
        with_groups(bench, bits)?;
    }
    for bits in sizes(&[1023, 1536, 2046]) {
        with_esign(bench, bits)?;
    }
    Ok(())
}

fn rng() -> UnwrapErr<SysRng> {
    UnwrapErr(SysRng)
}

fn digest() -> Vec<u8> {
    Hash::Sha256.digest(MESSAGE)
}

/// What makes no sense where keys are our own.
fn broken(error: impl std::fmt::Display) -> Error {
    Error(format!("a key for the benchmark cannot be made: {error}"))
}

/// A race of one: what works is right.
fn alone<T, E: std::fmt::Debug>(
    bench: &mut Bench<'_>,
    operation: &str,
    bits: usize,
    op: impl Fn() -> Result<T, E>,
    right: impl Fn(&T) -> bool,
) {
    let mut race = bench.race(operation, Size::Bits(bits));
    race.enter(
        "carrysave",
        || (),
        |()| op(),
        |answer| judge(answer, &right),
    );
    race.run();
}

fn judge<T, E: std::fmt::Debug>(
    answer: &Result<T, E>,
    right: impl Fn(&T) -> bool,
) -> Result<(), String> {
    match answer {
        Ok(answer) if right(answer) => Ok(()),
        Ok(_) => Err("its answer is wrong".to_owned()),
        Err(error) => Err(format!("it failed: {error:?}")),
    }
}

fn with_rsa(bench: &mut Bench<'_>, bits: usize) -> Result<(), Error> {
    let key = rsa::PrivateKey::from_any(pkcs8(bits)?, None)
        .map_err(broken)?
        .with_cpu(bench.cpu());
    let (public, hash, digest) = (key.public(), Hash::Sha256, digest());
    let encrypt = || public.rsaes_oaep_encrypt(&mut rng(), hash, hash, b"", MESSAGE);
    let decrypt = |c: &[u8]| key.rsaes_oaep_decrypt(&mut rng(), hash, hash, b"", c);
    let ciphertext = encrypt().map_err(broken)?;
    let decrypts = |c: &Vec<u8>| decrypt(c).is_ok_and(|m| *m == MESSAGE);
    alone(bench, "rsa/encryption", bits, encrypt, decrypts);
    alone(
        bench,
        "rsa/decryption",
        bits,
        || decrypt(&ciphertext),
        |m| **m == MESSAGE,
    );
    let sign = || key.rsassa_pkcs1_v1_5_sign(&mut rng(), hash, &digest);
    let verify = |s: &[u8]| public.rsassa_pkcs1_v1_5_verify(hash, &digest, s);
    let signature = sign().map_err(broken)?;
    alone(bench, "rsa/signature", bits, sign, |s| verify(s).is_ok());
    alone(
        bench,
        "rsa/verification",
        bits,
        || verify(&signature),
        |()| true,
    );
    Ok(())
}

fn with_rabin(bench: &mut Bench<'_>, bits: usize) -> Result<(), Error> {
    let key = rabin::PrivateKey::generate(&mut rng(), bits, SMALL)
        .map_err(broken)?
        .with_cpu(bench.cpu());
    let (public, hash, digest) = (key.public(), Hash::Sha256, digest());
    let encrypt = || public.rabines_oaep_encrypt(&mut rng(), hash, b"", MESSAGE);
    let decrypt = |c: &[u8]| key.rabines_oaep_decrypt(&mut rng(), hash, b"", c);
    let ciphertext = encrypt().map_err(broken)?;
    let decrypts = |c: &Vec<u8>| decrypt(c).is_ok_and(|m| *m == MESSAGE);
    alone(bench, "rabin/encryption", bits, encrypt, decrypts);
    alone(
        bench,
        "rabin/decryption",
        bits,
        || decrypt(&ciphertext),
        |m| **m == MESSAGE,
    );
    let sign = || key.rabinss_pssr_sign(&mut rng(), hash, b"", &digest);
    let verify = |s: &[u8]| public.rabinss_pssr_verify(hash, b"", &digest, s);
    let signature = sign().map_err(broken)?;
    alone(bench, "rabin/signature", bits, sign, |s| verify(s).is_ok());
    alone(
        bench,
        "rabin/verification",
        bits,
        || verify(&signature),
        |()| true,
    );
    Ok(())
}

fn with_rw(bench: &mut Bench<'_>, bits: usize) -> Result<(), Error> {
    let key = rw::PrivateKey::generate(&mut rng(), bits, SMALL)
        .map_err(broken)?
        .with_cpu(bench.cpu());
    let (public, hash, digest) = (key.public(), Hash::Sha256, digest());
    let sign = || key.rwss_pssr_sign(&mut rng(), hash, b"", &digest);
    let verify = |s: &[u8]| public.rwss_pssr_verify(hash, b"", &digest, s);
    let signature = sign().map_err(broken)?;
    alone(bench, "rw/signature", bits, sign, |s| verify(s).is_ok());
    alone(
        bench,
        "rw/verification",
        bits,
        || verify(&signature),
        |()| true,
    );
    Ok(())
}

fn with_esign(bench: &mut Bench<'_>, bits: usize) -> Result<(), Error> {
    let key = esign::PrivateKey::generate(&mut rng(), bits, SMALL)
        .map_err(broken)?
        .with_cpu(bench.cpu());
    let (public, hash, digest) = (key.public(), Hash::Sha256, digest());
    let sign = || key.esign_emsa5_sign(&mut rng(), hash, &digest);
    let verify = |s: &[u8]| public.esign_emsa5_verify(hash, &digest, s);
    let signature = sign().map_err(broken)?;
    alone(bench, "esign/signature", bits, sign, |s| verify(s).is_ok());
    alone(
        bench,
        "esign/verification",
        bits,
        || verify(&signature),
        |()| true,
    );
    Ok(())
}

/// What is done in groups: DSA and Diffie-Hellman.
fn with_groups(bench: &mut Bench<'_>, bits: usize) -> Result<(), Error> {
    let q = if bits < 2048 { 160 } else { 256 };
    let (group, _) =
        dl::Group::generate(&mut rng(), bits, q, Hash::Sha256, &mut || ()).map_err(broken)?;
    let group = group.with_plan(bench.cpu(), Plan::best(bench.cpu()));
    let key = dl::PrivateKey::generate(&group, &mut rng());
    for (key, end) in [
        (key.clone(), ""),
        (key.precomputed(), "-with-precomputation"),
    ] {
        let (hash, digest) = (Hash::Sha256, digest());
        // Keys that have no table do not get one from being used again.
        let again = || match end {
            "" => key.without_tables(),
            _ => key.clone(),
        };
        let sign = || again().dsa_sign(hash, &digest);
        let verify = |s: &dl::Signature| key.public().dsa_verify(hash, &digest, s);
        let signature = sign().map_err(broken)?;
        let der = signature.to_der();
        let rivals = |bench: &mut Bench<'_>| {
            if end.is_empty() {
                keys(bench, &key)
            } else {
                vec![]
            }
        };

        let operation = format!("dsa/signature{end}");
        let mut others = rivals(bench);
        let mut race = bench.race(&operation, Size::Bits(bits));
        race.enter(
            "carrysave",
            || (),
            |()| sign(),
            |s| judge(s, |s| verify(s).is_ok()),
        );
        for (label, other) in &mut others {
            let right =
                |der: &Vec<u8>| dl::Signature::from_der(der).is_ok_and(|s| verify(&s).is_ok());
            race.enter(
                label,
                || (),
                |()| other.sign_dsa(&digest),
                |s| judge(s, right),
            );
        }
        race.run();

        let operation = format!("dsa/verification{end}");
        let mut others = rivals(bench);
        let mut race = bench.race(&operation, Size::Bits(bits));
        race.enter(
            "carrysave",
            || (),
            |()| verify(&signature),
            |v| judge(v, |()| true),
        );
        for (label, other) in &mut others {
            race.enter(
                label,
                || (),
                |()| other.verify_dsa(&digest, &der),
                |v| judge(v, |()| true),
            );
        }
        race.run();

        let sign = || nr::sign(&again(), hash, &digest);
        let verify = |s: &dl::Signature| nr::verify(key.public(), hash, &digest, s);
        let signature = sign().map_err(broken)?;
        alone(bench, &format!("nr/signature{end}"), bits, sign, |s| {
            verify(s).is_ok()
        });
        alone(
            bench,
            &format!("nr/verification{end}"),
            bits,
            || verify(&signature),
            |()| true,
        );

        let encrypt = || ies::dlies_encrypt(again().public(), &mut rng(), hash, b"", MESSAGE);
        let decrypt = |c: &[u8]| ies::dlies_decrypt(&key, hash, b"", c);
        let ciphertext = encrypt().map_err(broken)?;
        let decrypts = |c: &Vec<u8>| decrypt(c).is_ok_and(|m| *m == MESSAGE);
        alone(
            bench,
            &format!("dlies/encryption{end}"),
            bits,
            encrypt,
            decrypts,
        );
        if end.is_empty() {
            alone(
                bench,
                "dlies/decryption",
                bits,
                || decrypt(&ciphertext),
                |m| **m == MESSAGE,
            );
        }

        let generate = || Ok::<_, Error>(dl::PrivateKey::generate(again().group(), &mut rng()));
        for scheme in ["dh", "mqv"] {
            let operation = format!("{scheme}/key-pair-generation{end}");
            alone(bench, &operation, bits, generate, |_| true);
        }
    }
    let [short, peer, peer_short] =
        [(); 3].map(|()| dl::PrivateKey::generate(key.group(), &mut rng()));
    let theirs =
        mqv::mqv_agree([&peer, &peer_short], [key.public(), short.public()]).map_err(broken)?;
    let agree = || mqv::mqv_agree([&key, &short], [peer.public(), peer_short.public()]);
    alone(bench, "mqv/key-agreement", bits, agree, |z| *z == theirs);
    agreement(bench, bits, &key)?;
    signatures(bench, bits, &key);
    Ok(())
}

/// So many at once.
const JOBS: usize = 64;

/// Does all jobs, and says whether each gave octets.
fn all_of(batch: &Batch, jobs: &[Job]) -> Result<Vec<Vec<u8>>, String> {
    let octets = |result| match result {
        Ok(Output::Bytes(octets)) => Ok(octets.to_vec()),
        Ok(other) => Err(format!("{other:?} is no answer")),
        Err(error) => Err(format!("{error:?}")),
    };
    batch.run(rng, jobs).into_iter().map(octets).collect()
}

/// DSA in a batch, against one after the other.
fn signatures(bench: &mut Bench<'_>, bits: usize, key: &dl::PrivateKey) {
    let (hash, digest) = (Hash::Sha256, digest());
    let jobs = vec![
        Job::SignDsa {
            key: key.clone(),
            hash,
            digest: digest.clone()
        };
        JOBS
    ];
    let batch = Batch::new(NonZeroUsize::MIN);
    let mut others = keys(bench, key);
    let operation = format!("dsa/signature/{JOBS}");
    let mut race = bench.race(&operation, Size::Bits(bits));
    race.of_jobs(JOBS);
    let right = |der: &Vec<u8>| {
        dl::Signature::from_der(der)
            .is_ok_and(|s| key.public().dsa_verify(hash, &digest, &s).is_ok())
    };
    let all_right = |all: &Vec<Vec<u8>>| all.len() == JOBS && all.iter().all(right);
    race.enter(
        "carrysave/batch",
        || (),
        |()| all_of(&batch, &jobs),
        |all| judge(all, all_right),
    );
    for (label, other) in &mut others {
        let one_by_one = |_: &mut ()| {
            (0..JOBS)
                .map(|_| other.sign_dsa(&digest))
                .collect::<Result<Vec<_>, _>>()
        };
        race.enter(label, || (), one_by_one, |all| judge(all, all_right));
    }
    race.run();
}

/// Diffie-Hellman. Each side makes the same secret, or it does not race.
fn agreement(bench: &mut Bench<'_>, bits: usize, key: &dl::PrivateKey) -> Result<(), Error> {
    let peer = dl::PrivateKey::generate(key.group(), &mut rng());
    let secret = peer.dh_agree(key.public()).map_err(broken)?;
    let peer = peer.public().to_spki_der(dl::Form::X942).map_err(broken)?;
    let (_, public) = dl::PublicKey::from_spki_der(&peer).map_err(broken)?;
    let mut others = keys(bench, key);
    let mut race = bench.race("dh/key-agreement", Size::Bits(bits));
    race.enter(
        "carrysave",
        || (),
        // Whoever is met every time would get a table.
        |()| key.dh_agree(&public.without_tables()),
        |z| judge(z, |z| **z == *secret),
    );
    for (label, other) in &mut others {
        match other.meet(&peer) {
            Ok(()) => race.enter(
                label,
                || (),
                |()| other.agree(),
                |z| judge(z, |z| *z == *secret),
            ),
            Err(refusal) => race.refuse(label, format!("{refusal:?}")),
        }
    }
    race.run();

    let jobs = vec![
        Job::DhAgree {
            key: key.clone(),
            public
        };
        JOBS
    ];
    let batch = Batch::new(NonZeroUsize::MIN);
    let operation = format!("dh/key-agreement/{JOBS}");
    let mut race = bench.race(&operation, Size::Bits(bits));
    race.of_jobs(JOBS);
    let right = |all: &Vec<Vec<u8>>| all.len() == JOBS && all.iter().all(|z| *z == *secret);
    race.enter(
        "carrysave/batch",
        || (),
        |()| all_of(&batch, &jobs),
        |all| judge(all, right),
    );
    for (label, other) in &mut others {
        let one_by_one = |_: &mut ()| {
            (0..JOBS)
                .map(|_| other.agree())
                .collect::<Result<Vec<_>, _>>()
        };
        race.enter(label, || (), one_by_one, |all| judge(all, right));
    }
    race.run();
    Ok(())
}

/// The key with each of those who have such keys.
fn keys(bench: &mut Bench<'_>, key: &dl::PrivateKey) -> Vec<(String, Box<dyn DlKey>)> {
    let forms = [dl::Form::Dsa, dl::Form::X942].map(|form| key.to_pkcs8_der(form));
    let [Ok(dsa), Ok(dh)] = forms else {
        return vec![];
    };
    let mut keys = vec![];
    for rival in RIVALS {
        let Some(load) = rival.dl else { continue };
        match load(&dsa, &dh) {
            Ok(key) => keys.push((rival.label(), key)),
            Err(Refusal::NotOffered) => {}
            Err(Refusal::Failed(error)) => {
                bench.refuse("dl", Size::Bits(key.group().bits()), &rival.label(), error);
            }
        }
    }
    keys
}
