//! `schemes`: a row for each line of a published benchmark of public-key schemes (Zidenberg, Optimizing Crypto++ library
//! for P4), named as there: `dsa/signature-with-precomputation`.
//!
//! Every hash is SHA-256, and what is signed is a message: its hash is part of the operation. Groups have a q of 160 bits
//! at 1024 bits and one of 256 at 2048; curves have 256 and 384 bits. Keys are made anew for each run, and rivals have the
//! same.

mod elliptic;

use super::{Experiment, Levels, Share, rsa::pkcs8};
use crate::{
    Bench, Error,
    bench::Race,
    race::Contender,
    record::Size,
    rivals::{DlKey, RIVALS, Refusal},
};
use carrysave_arith::{Nat, Plan};
use carrysave_engine::{AnyTask, Batch};
use carrysave_schemes::dl::task::{DhAgree, SignDsa};
use carrysave_schemes::{
    dl,
    hash::Hash,
    legacy::{self, esign, ies, mqv, nr, rabin, rw},
    rsa,
};
use getrandom::{SysRng, rand_core::UnwrapErr};
use std::ops::Deref;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "schemes",
    about: "public-key schemes of a published benchmark, old ones too: SHA-256, one operation at a time",
    run,
    levels: Levels {
        quick: Some(Share::new(&[2048], 0.02, 5.0)),
        standard: Share::new(&[], 0.1, 20.0),
        full: Share::new(&[], 0.3, 40.0),
    },
};

const MESSAGE: &[u8; 32] = b"thirty-two bytes to work upon...";
const SMALL: legacy::KeygenOptions = legacy::KeygenOptions { allow_small: true };

fn run(bench: &mut Bench<'_>) -> Result<(), Error> {
    let asked = bench.bits(&[]);
    let sizes = |all: &[usize]| -> Vec<usize> {
        let wanted = |bits: &usize| asked.is_empty() || asked.contains(bits);
        all.iter().copied().filter(wanted).collect()
    };
    if !asked.is_empty() && sizes(&[256, 384, 1023, 1024, 1536, 2046, 2048]).is_empty() {
        return Err(Error(
            "schemes has sizes of 1024 and 2048 bits, ESIGN of 1023, 1536 and 2046, and curves of 256 and 384"
                .to_owned(),
        ));
    }
    for bits in sizes(&[256, 384]) {
        elliptic::races(bench, bits)?;
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

/// An operation that programs of rivals do as well, from the same octets.
struct Operation<'a> {
    name: &'a str,
    bits: usize,
    /// What rivals are given: a key or a group first.
    octets: &'a [&'a [u8]],
    /// Whether what a rival gives is right.
    right: &'a dyn Fn(&[u8]) -> bool,
}

impl Operation<'_> {
    /// A race of ours with those rivals.
    fn race<T, E: std::fmt::Debug>(
        &self,
        bench: &mut Bench<'_>,
        op: impl Fn() -> Result<T, E>,
        right: impl Fn(&T) -> bool,
    ) {
        self.race_of(bench, &[("carrysave", &op)], right);
    }

    /// A race of some ways of ours with those rivals.
    fn race_of<T, E: std::fmt::Debug>(
        &self,
        bench: &mut Bench<'_>,
        ways: &[Way<'_, T, E>],
        right: impl Fn(&T) -> bool,
    ) {
        let mut race = bench.race(self.name, Size::Bits(self.bits));
        for &(name, op) in ways {
            race.enter(name, || (), |()| op(), |answer| judge(answer, &right));
        }
        self.join(&mut race);
        race.run();
    }

    /// Has those rivals enter a race.
    fn join(&self, race: &mut Race<'_, '_>) {
        for rival in RIVALS {
            let (Some(prepare), label) = (rival.scheme, rival.label()) else {
                continue;
            };
            if !race.wants(&label) {
                continue;
            }
            match prepare(self.name, self.octets) {
                Ok(it) if (self.right)(&it.answer) => {
                    race.admit(Contender::elsewhere(label, it.first, it.again))
                }
                Ok(_) => race.refuse(&label, "its answer is wrong".to_owned()),
                Err(Refusal::NotOffered) => {}
                Err(Refusal::Failed(error)) => race.refuse(&label, error),
            }
        }
    }
}

/// A contender of ours: its name and what it does.
type Way<'a, T, E> = (&'static str, &'a dyn Fn() -> Result<T, E>);

/// The contender whose key has signed again and again, and has the tables that this earns it.
const IN_USE: &str = "carrysave/in-use";

/// What a rival gives for a signature that is right.
const RIGHT: &[u8] = &[1];

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

/// The races of a scheme that encrypts octets.
fn encryption<M: Deref<Target = Vec<u8>>, E: std::fmt::Debug + std::fmt::Display>(
    bench: &mut Bench<'_>,
    [encryption, decryption]: [&str; 2],
    bits: usize,
    private: &[u8],
    encrypt: impl Fn() -> Result<Vec<u8>, E>,
    decrypt: impl Fn(&[u8]) -> Result<M, E>,
) -> Result<(), Error> {
    let ciphertext = encrypt().map_err(broken)?;
    let decrypts = |c: &[u8]| decrypt(c).is_ok_and(|m| *m == MESSAGE);
    let operation = Operation {
        name: encryption,
        bits,
        octets: &[private, MESSAGE],
        right: &decrypts,
    };
    operation.race(bench, encrypt, |c| decrypts(c));
    let operation = Operation {
        name: decryption,
        bits,
        octets: &[private, &ciphertext],
        right: &|m| m == MESSAGE,
    };
    operation.race(bench, || decrypt(&ciphertext), |m| **m == MESSAGE);
    Ok(())
}

/// The races of a scheme that signs in several ways, with signatures as octets. The first way makes what is verified.
fn signature<E: std::fmt::Debug + std::fmt::Display>(
    bench: &mut Bench<'_>,
    [signature, verification]: [&str; 2],
    bits: usize,
    private: &[u8],
    ways: &[Way<'_, Vec<u8>, E>],
    verify: impl Fn(&[u8]) -> Result<(), E>,
) -> Result<(), Error> {
    let signed = ways[0].1().map_err(broken)?;
    let verifies = |s: &[u8]| verify(s).is_ok();
    let operation = Operation {
        name: signature,
        bits,
        octets: &[private, MESSAGE],
        right: &verifies,
    };
    operation.race_of(bench, ways, |s| verifies(s));
    let octets: &[&[u8]] = &[private, MESSAGE, &signed];
    let operation = Operation {
        name: verification,
        bits,
        octets,
        right: &|right| right == RIGHT,
    };
    operation.race(bench, || verify(&signed), |()| true);
    Ok(())
}

fn with_rsa(bench: &mut Bench<'_>, bits: usize) -> Result<(), Error> {
    let der = pkcs8(bits)?;
    let key = rsa::PrivateKey::from_any(der, None)
        .map_err(broken)?
        .with_cpu(bench.cpu());
    let (public, hash) = (key.public(), Hash::Sha256);
    encryption(
        bench,
        ["rsa/encryption", "rsa/decryption"],
        bits,
        der,
        || public.rsaes_oaep_encrypt(&mut rng(), hash, hash, b"", MESSAGE),
        |c| key.rsaes_oaep_decrypt(&mut rng(), hash, hash, b"", c),
    )?;
    signature(
        bench,
        ["rsa/signature", "rsa/verification"],
        bits,
        der,
        &[("carrysave", &|| {
            key.rsassa_pkcs1_v1_5_sign(&mut rng(), hash, &digest())
        })],
        |s| public.rsassa_pkcs1_v1_5_verify(hash, &digest(), s),
    )
}

fn with_rabin(bench: &mut Bench<'_>, bits: usize) -> Result<(), Error> {
    let key = rabin::PrivateKey::generate_with(&mut rng(), bits, SMALL)
        .map_err(broken)?
        .with_cpu(bench.cpu());
    let (public, hash, der) = (key.public(), Hash::Sha256, key.to_der());
    encryption(
        bench,
        ["rabin/encryption", "rabin/decryption"],
        bits,
        &der,
        || public.rabines_oaep_encrypt(&mut rng(), hash, b"", MESSAGE),
        |c| key.rabines_oaep_decrypt(&mut rng(), hash, b"", c),
    )?;
    signature(
        bench,
        ["rabin/signature", "rabin/verification"],
        bits,
        &der,
        &[("carrysave", &|| {
            key.rabinss_pssr_sign(&mut rng(), hash, b"", &digest())
        })],
        |s| public.rabinss_pssr_verify(hash, b"", &digest(), s),
    )
}

fn with_rw(bench: &mut Bench<'_>, bits: usize) -> Result<(), Error> {
    let key = rw::PrivateKey::generate_with(&mut rng(), bits, SMALL)
        .map_err(broken)?
        .with_cpu(bench.cpu());
    let (public, hash) = (key.public(), Hash::Sha256);
    signature(
        bench,
        ["rw/signature", "rw/verification"],
        bits,
        &key.to_der(),
        &[("carrysave", &|| {
            key.rwss_pssr_sign(&mut rng(), hash, b"", &digest())
        })],
        |s| public.rwss_pssr_verify(hash, b"", &digest(), s),
    )
}

fn with_esign(bench: &mut Bench<'_>, bits: usize) -> Result<(), Error> {
    let key = esign::PrivateKey::generate_with(&mut rng(), bits, SMALL)
        .map_err(broken)?
        .with_cpu(bench.cpu());
    let (public, hash) = (key.public(), Hash::Sha256);
    signature(
        bench,
        ["esign/signature", "esign/verification"],
        bits,
        &key.to_der(),
        &[("carrysave", &|| {
            key.esign_emsa5_sign(&mut rng(), hash, &digest())
        })],
        |s| public.esign_emsa5_verify(hash, &digest(), s),
    )
}

/// What is done in groups: DSA and Diffie-Hellman.
fn with_groups(bench: &mut Bench<'_>, bits: usize) -> Result<(), Error> {
    let q = if bits < 2048 { 160 } else { 256 };
    let (group, _) =
        dl::Group::generate_with(&mut rng(), bits, q, Hash::Sha256, &mut || ()).map_err(broken)?;
    let group = group.with_plan(bench.cpu(), Plan::best(bench.cpu()));
    let key = dl::PrivateKey::generate_with(&group, &mut rng());
    // Tables only where they are asked for: none that powers have earned, but in the contender that shows just that.
    with_group(bench, &key.without_tables(), Some(&key), "")?;
    with_group(bench, &key.precomputed(), None, "-with-precomputation")?;
    let octets = |key: &dl::PrivateKey| (key.to_be_bytes(), key.public().to_be_bytes());
    let [short, peer, peer_short] =
        [(); 3].map(|()| dl::PrivateKey::generate_with(key.group(), &mut rng()));
    let theirs =
        mqv::mqv_agree([&peer, &peer_short], [key.public(), short.public()]).map_err(broken)?;
    let domain = key.group().to_der(dl::Form::Dsa).map_err(broken)?;
    let ((a, _), (x, public_x)) = (octets(&key), octets(&short));
    let operation = Operation {
        name: "mqv/key-agreement",
        bits,
        octets: &[
            &domain,
            &a,
            &x,
            &public_x,
            &octets(&peer).1,
            &octets(&peer_short).1,
        ],
        right: &|z| z == &theirs[..],
    };
    let agree = || mqv::mqv_agree([&key, &short], [peer.public(), peer_short.public()]);
    operation.race(bench, agree, |z| *z == theirs);
    agreement(bench, bits, &key)?;
    signatures(bench, bits, &key);
    Ok(())
}

/// What there is with tables and without, which names in `end`; signatures also with a key that earns its tables.
fn with_group(
    bench: &mut Bench<'_>,
    key: &dl::PrivateKey,
    in_use: Option<&dl::PrivateKey>,
    end: &str,
) -> Result<(), Error> {
    let (group, public, hash, bits) = (key.group(), key.public(), Hash::Sha256, key.group().bits());
    let der = key.to_pkcs8_der(dl::Form::Dsa).map_err(broken)?;
    let from_octets = |s: &[u8]| dl::Signature::from_be_bytes(group, s);

    let sign = || key.dsa_sign(hash, &digest());
    let verify = |s: &dl::Signature| public.dsa_verify(hash, &digest(), s);
    let signed = sign().map_err(broken)?;
    let in_der = signed.to_der();
    let rivals = |bench: &mut Bench<'_>| match end {
        "" => keys(bench, key),
        _ => vec![],
    };

    let name = &format!("dsa/signature{end}");
    let mut others = rivals(bench);
    let mut race = bench.race(name, Size::Bits(bits));
    race.enter(
        "carrysave",
        || (),
        |()| sign(),
        |s| judge(s, |s| verify(s).is_ok()),
    );
    if let Some(key) = in_use {
        race.enter(
            IN_USE,
            || (),
            |()| key.dsa_sign(hash, &digest()),
            |s| judge(s, |s| verify(s).is_ok()),
        );
    }
    for (label, other) in &mut others {
        let right = |der: &Vec<u8>| dl::Signature::from_der(der).is_ok_and(|s| verify(&s).is_ok());
        race.enter(
            label,
            || (),
            |()| other.sign_dsa(&digest()),
            |s| judge(s, right),
        );
    }
    let right = |s: &[u8]| from_octets(s).is_ok_and(|s| verify(&s).is_ok());
    Operation {
        name,
        bits,
        octets: &[&der, MESSAGE],
        right: &right,
    }
    .join(&mut race);
    race.run();

    let name = &format!("dsa/verification{end}");
    let mut others = rivals(bench);
    let mut race = bench.race(name, Size::Bits(bits));
    race.enter(
        "carrysave",
        || (),
        |()| verify(&signed),
        |v| judge(v, |()| true),
    );
    for (label, other) in &mut others {
        race.enter(
            label,
            || (),
            |()| other.verify_dsa(&digest(), &in_der),
            |v| judge(v, |()| true),
        );
    }
    let octets: &[&[u8]] = &[&der, MESSAGE, &signed.to_be_bytes(group)];
    Operation {
        name,
        bits,
        octets,
        right: &|right| right == RIGHT,
    }
    .join(&mut race);
    race.run();

    let nr_sign = |key| Ok(nr::sign(key, hash, &digest())?.to_be_bytes(group));
    let (with_key, with_key_in_use) = (|| nr_sign(key), in_use.map(|key| move || nr_sign(key)));
    let mut ways: Vec<Way<'_, Vec<u8>, dl::Error>> = vec![("carrysave", &with_key)];
    if let Some(sign) = &with_key_in_use {
        ways.push((IN_USE, sign));
    }
    signature(
        bench,
        [
            &format!("nr/signature{end}"),
            &format!("nr/verification{end}"),
        ],
        bits,
        &der,
        &ways,
        |s| nr::verify(public, hash, &digest(), &from_octets(s)?),
    )?;

    let encrypt = || ies::dlies_encrypt(public, &mut rng(), hash, b"", MESSAGE);
    let decrypt = |c: &[u8]| ies::dlies_decrypt(key, hash, b"", c);
    let decrypts = |c: &[u8]| decrypt(c).is_ok_and(|m| *m == MESSAGE);
    let name = &format!("dlies/encryption{end}");
    Operation {
        name,
        bits,
        octets: &[&der, MESSAGE],
        right: &decrypts,
    }
    .race(bench, encrypt, |c| decrypts(c));
    if end.is_empty() {
        let ciphertext = encrypt().map_err(broken)?;
        let octets: &[&[u8]] = &[&der, &ciphertext];
        let operation = Operation {
            name: "dlies/decryption",
            bits,
            octets,
            right: &|m| m == MESSAGE,
        };
        operation.race(bench, || decrypt(&ciphertext), |m| **m == MESSAGE);
    }

    let domain = group.to_der(dl::Form::Dsa).map_err(broken)?;
    let generate = || Ok::<_, Error>(dl::PrivateKey::generate_with(group, &mut rng()));
    let is_pair = |pair: &[u8]| {
        let (x, y) = pair
            .split_at_checked(group.order_size())
            .unwrap_or_default();
        let [x, y] = [x, y].map(Nat::from_be_bytes);
        dl::PrivateKey::with_public(group, &x, &y).is_ok()
    };
    for scheme in ["dh", "mqv"] {
        let name = &format!("{scheme}/key-pair-generation{end}");
        Operation {
            name,
            bits,
            octets: &[&domain],
            right: &is_pair,
        }
        .race(bench, generate, |_| true);
    }
    Ok(())
}

/// How many jobs are done at once.
const JOBS: usize = 64;

/// The octets that all tasks give.
fn all_of<T>(batch: &Batch, tasks: &[T]) -> Result<Vec<Vec<u8>>, String>
where
    T: AnyTask<Output: AsRef<[u8]>, Error: std::fmt::Debug>,
{
    let octets = |result: Result<T::Output, T::Error>| match result {
        Ok(octets) => Ok(octets.as_ref().to_vec()),
        Err(error) => Err(format!("{error:?}")),
    };
    batch.run_with(rng, tasks).into_iter().map(octets).collect()
}

/// DSA in a batch, against one after the other.
fn signatures(bench: &mut Bench<'_>, bits: usize, key: &dl::PrivateKey) {
    let (hash, digest) = (Hash::Sha256, digest());
    let jobs = vec![
        SignDsa {
            key: key.clone(),
            hash,
            digest: digest.clone()
        };
        JOBS
    ];
    let batch = Batch::new(1);
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
    let peer = dl::PrivateKey::generate_with(key.group(), &mut rng());
    let secret = peer.agree(key.public()).map_err(broken)?;
    let domain = key.group().to_der(dl::Form::Dsa).map_err(broken)?;
    let octets = peer.public().to_be_bytes();
    let peer = peer.public().to_spki_der(dl::Form::X942).map_err(broken)?;
    let (_, public) = dl::PublicKey::from_spki_der(&peer).map_err(broken)?;
    // Whoever is met every time would get a table.
    let met = public.without_tables();
    let mut others = keys(bench, key);
    let name = "dh/key-agreement";
    let mut race = bench.race(name, Size::Bits(bits));
    race.enter(
        "carrysave",
        || (),
        |()| key.agree(&met),
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
    let octets: &[&[u8]] = &[&domain, &key.to_be_bytes(), &octets];
    Operation {
        name,
        bits,
        octets,
        right: &|z| z == &secret[..],
    }
    .join(&mut race);
    race.run();

    let jobs = vec![
        DhAgree {
            key: key.clone(),
            public
        };
        JOBS
    ];
    let batch = Batch::new(1);
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
