//! Writes what the fuzzers begin with, a folder for each target: `cargo run --release --example seeds`, in the folder
//! `fuzz`.

use carrysave_arith::{PLANS, Plan};
use carrysave_engine::plan;
use carrysave_fuzz::{CURVES, KEY, PASSWORD, TEXT};
use carrysave_schemes::{
    cms, dl,
    ec::{Algorithm, AnyPrivateKey},
    hash::Hash,
    legacy::{self, esign, ies, rabin, rw},
    rsa,
    sshsig::SshSignature,
};
use getrandom::SysRng;
use rand_core::UnwrapErr;
use std::{error::Error, fs};

fn seed(target: &str, name: &str, bytes: impl AsRef<[u8]>) -> Result<(), Box<dyn Error>> {
    let folder = format!("corpus/{target}");
    fs::create_dir_all(&folder)?;
    Ok(fs::write(format!("{folder}/{name}"), bytes)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let rng = &mut UnwrapErr(SysRng);

    let key = &*KEY;
    seed("keys", "rsa-pkcs8", key.to_pkcs8_der())?;
    seed("keys", "rsa-pkcs8-pem", &*key.to_pkcs8_pem())?;
    seed("keys", "rsa-pkcs1", key.to_pkcs1_der())?;
    seed("keys", "rsa-spki", key.public().to_spki_der())?;
    seed("keys", "rsa-pkcs1-public", key.public().to_pkcs1_der())?;
    for (i, line) in ["", "no-pty,command=\"a b\" "].iter().enumerate() {
        let line = format!("# keys\n{line}{}\n", key.public().to_openssh("a comment"));
        seed("keys", &format!("authorized-{i}"), line)?;
    }
    for file in fs::read_dir("../crates/schemes/tests/data/keys")? {
        let file = file?;
        let name = file
            .file_name()
            .into_string()
            .map_err(|_| "a name in UTF-8")?;
        seed("keys", &name, fs::read(file.path())?)?;
        seed("pem", &name, fs::read(file.path())?)?;
    }
    seed(
        "pem",
        "lax",
        format!(
            "text\n{}\r\n-----BEGIN X-----\n\n A A\nAA \n-----END X----- \nmore",
            &*key.to_pkcs8_pem()
        ),
    )?;
    seed("keys", "rsa-openssh", key.public().to_openssh("a comment"))?;
    for group in [dl::Named::Modp2048, dl::Named::Ffdhe2048] {
        let key = dl::PrivateKey::generate_with(&group.group(), rng);
        for form in [dl::Form::Dsa, dl::Form::X942] {
            let name = format!("dl-{}-{form:?}", group.name());
            seed("keys", &name, key.to_pkcs8_der(form)?)?;
            seed(
                "keys",
                &format!("{name}-public"),
                key.public().to_spki_der(form)?,
            )?;
        }
    }
    for &algorithm in Algorithm::ALL {
        let key = AnyPrivateKey::generate_with(algorithm, rng);
        seed(
            "keys",
            &format!("{}-pkcs8", algorithm.name()),
            key.to_pkcs8_der(),
        )?;
        seed(
            "keys",
            &format!("{}-spki", algorithm.name()),
            key.public().to_spki_der(),
        )?;
    }
    let small = || legacy::KeygenOptions { allow_small: true };
    macro_rules! legacy {
        ($($scheme:ident $bits:literal)*) => { $(
            let legacy = $scheme::PrivateKey::generate_with(rng, $bits, small())?;
            seed("keys", stringify!($scheme), legacy.to_der())?;
            seed("keys", concat!(stringify!($scheme), "-public"), legacy.public().to_der())?;
        )* };
    }
    legacy!(esign 768 rabin 1024 rw 1024);

    let rsa = || cms::Recipient::from_public_key(key.public().clone());
    let curve = |i: usize| cms::Recipient::from_curve_key(CURVES[i].public());
    let password = || cms::Recipient::from_password(PASSWORD);
    for (name, to, pem, hash) in [
        ("sha256", vec![rsa()?], false, Hash::Sha256),
        ("pem", vec![rsa()?], true, Hash::Sha1),
        ("p256", vec![curve(0)?], false, Hash::Sha256),
        ("x25519", vec![curve(1)?], false, Hash::Sha256),
        ("password", vec![password()], false, Hash::Sha256),
        (
            "mixed",
            vec![password(), curve(1)?, rsa()?],
            true,
            Hash::Sha256,
        ),
    ] {
        let mut message = Vec::new();
        let options = cms::EncryptOptions {
            len: None,
            pem,
            hash,
            iterations: 10,
        };
        cms::encrypt(rng, &to, &options, &mut &TEXT[..], &mut message)?;
        seed("messages", name, message)?;
    }
    if let AnyPrivateKey::P256(key) = &CURVES[0] {
        let sealed = ies::ecies_encrypt(key.public(), rng, Hash::Sha256, b"", &TEXT)?;
        seed("messages", "ecies", sealed)?;
    }
    // What others wrote and malformed, for other keys.
    for folder in fs::read_dir("../crates/schemes/tests/data/cms")? {
        let folder = folder?;
        for file in fs::read_dir(folder.path())? {
            let file = file?;
            let name = format!("{:?}-{:?}", folder.file_name(), file.file_name()).replace('"', "");
            seed("messages", &name, fs::read(file.path())?)?;
        }
    }

    let signature = SshSignature {
        key: b"a key".to_vec(),
        namespace: "file".into(),
        hash: Hash::Sha512,
        kind: "ssh-ed25519".into(),
        signature: vec![7; 64],
    };
    seed("pem", "sshsig", signature.to_pem())?;
    if let AnyPrivateKey::P256(key) = &CURVES[0] {
        let signature = key.ecdsa_sign(Hash::Sha256, &Hash::Sha256.digest(b""))?;
        seed("paddings", "ecdsa", signature.to_der())?;
    }

    let block = [
        &[0][..],
        &rsa::eme_oaep_encode(Hash::Sha1, Hash::Sha1, b"", b"text", &[7; 20], 128)?,
    ]
    .concat();
    seed("paddings", "oaep", block)?;
    let digest = Hash::Sha256.digest(b"");
    seed(
        "paddings",
        "pss",
        [
            &[4][..],
            &rsa::emsa_pss_encode(Hash::Sha256, Hash::Sha256, &digest, 1023, &[1; 20])?,
        ]
        .concat(),
    )?;

    for target in ["numbers", "gmp"] {
        let bits = [[85, 127].as_slice(), &[0xff; 96]].concat();
        seed(target, "bits", bits)?;
        let runs = [[100, 100].as_slice(), &[0xff; 300], &[0; 300], &[1]].concat();
        seed(target, "runs", runs)?;
    }
    for choice in 0..9 {
        let name = choice.to_string();
        seed("openssl", &name, vec![choice; 40 * usize::from(choice)])?;
    }

    seed("text", "native", plan::to_toml(Plan::native()))?;
    for (i, plan) in PLANS.iter().enumerate() {
        seed("text", &i.to_string(), plan::to_toml(plan))?;
    }
    let record = fs::read("../lab-records/zen5-2core-2026-11-25/modexp.csv")?;
    seed("text", "record", &record[..record.len().min(4000)])?;
    seed("text", "digits", "0123456789abcdef")
}
