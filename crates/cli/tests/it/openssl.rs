//! Both directions with the `openssl` program.

use crate::support::{Folder, noise};
use std::process::Command;

/// A folder with a key `k.pem` and a certificate `c.pem` of OpenSSL's making; `None`, loudly, without the program.
fn folder() -> Option<Folder> {
    match Command::new("openssl").arg("version").output() {
        Ok(output) if output.status.success() => {}
        _ => {
            eprintln!("SKIPPED: there is no openssl program here");
            return None;
        }
    }
    let f = Folder::with_keys();
    openssl(
        &f,
        "req -x509 -newkey rsa:2048 -nodes -keyout k.pem -out c.pem -subj /CN=alice -days 30",
    );
    openssl(&f, "req -x509 -key a.pem -out a.crt -subj /CN=a -days 30");
    f.write("file", noise(200_000));
    Some(f)
}

fn openssl(f: &Folder, arguments: &str) -> Vec<u8> {
    f.run_program("openssl", arguments, b"").ok()
}

#[test]
fn messages_of_ours() {
    let Some(f) = folder() else { return };
    for (options, form) in [
        ("", "DER"),
        ("--pem", "PEM"),
        ("--hash sha1", "DER"),
        ("--hash sha384", "DER"),
        ("--to a.pub", "DER"),
    ] {
        for to in ["c.pem", "k.pem"] {
            f.run(&format!("encrypt {options} --to {to} file --out c"))
                .ok();
            let plain = openssl(
                &f,
                &format!("cms -decrypt -binary -inform {form} -in c -inkey k.pem"),
            );
            assert!(plain == f.read("file"), "{options} {to}");
            // Of unknown length, as BER.
            let piped = f
                .run_with(
                    &format!("encrypt {options} --to {to} --out -"),
                    &f.read("file"),
                )
                .ok();
            f.write("c", piped);
            let plain = openssl(
                &f,
                &format!("cms -decrypt -binary -inform {form} -in c -inkey k.pem"),
            );
            assert!(plain == f.read("file"), "{options} {to}, piped");
        }
    }
    f.run("encrypt --to c.pem file --out c").ok();
    let plain = openssl(
        &f,
        "cms -decrypt -binary -inform DER -in c -inkey k.pem -recip c.pem",
    );
    assert!(plain == f.read("file"), "by issuer and serial number");
}

#[test]
fn messages_of_theirs() {
    let Some(f) = folder() else { return };
    let transports = [
        "",
        "-keyid",
        "-stream",
        "-keyopt rsa_padding_mode:oaep",
        "-stream -keyopt rsa_padding_mode:oaep -keyopt rsa_oaep_md:sha384",
        "-keyopt rsa_padding_mode:oaep -keyopt rsa_oaep_md:sha256 -keyopt rsa_mgf1_md:sha1",
    ];
    for (i, cipher) in [
        "128-gcm", "192-gcm", "256-gcm", "128-cbc", "192-cbc", "256-cbc",
    ]
    .iter()
    .enumerate()
    {
        for (j, transport) in transports.iter().enumerate() {
            let form = ["DER", "PEM", "SMIME"][(i + j) % 3];
            let command = format!(
                "cms -encrypt -binary -aes-{cipher} -outform {form} -in file -out c -recip c.pem {transport}"
            );
            openssl(&f, &command);
            for recipient in ["", "--recipient c.pem"] {
                let run = f.run(&format!("decrypt --key k.pem {recipient} c --out d"));
                assert_eq!(
                    run.err.contains("is not authenticated"),
                    cipher.ends_with("cbc"),
                    "{command}: {}",
                    run.err
                );
                run.ok();
                assert!(f.read("d") == f.read("file"), "{command} {recipient}");
            }
        }
    }
    // Among several recipients the key is found, and with its certificate at once.
    openssl(
        &f,
        "cms -encrypt -binary -aes-256-gcm -outform DER -in file -out c -recip a.crt -recip c.pem",
    );
    for recipient in ["", "--recipient c.pem"] {
        f.run(&format!("decrypt --key k.pem {recipient} c --out d"))
            .ok();
        assert!(f.read("d") == f.read("file"));
    }
    f.run("decrypt --key k.pem --recipient a.crt c --out e")
        .fails(2);
    f.run("decrypt --key b.pem c --out e").fails(1);
    // What is not supported is said, not guessed.
    openssl(
        &f,
        "cms -sign -binary -outform DER -in file -out c -signer c.pem -inkey k.pem",
    );
    f.run("decrypt --key k.pem c --out e").fails(3);
    assert!(!f.path("e").exists());
}

#[test]
fn keys() {
    let Some(f) = folder() else { return };
    f.write("password", "secret\n");
    let public = openssl(&f, "pkey -in k.pem -pubout");
    for (name, command) in [
        ("pkcs8.der", "pkey -in k.pem -outform DER"),
        ("pkcs1.pem", "rsa -in k.pem -traditional"),
        ("pkcs1.der", "rsa -in k.pem -traditional -outform DER"),
        (
            "encrypted.pem",
            "pkcs8 -topk8 -in k.pem -v2 aes-256-cbc -passout file:password",
        ),
        (
            "scrypt.pem",
            "pkcs8 -topk8 -in k.pem -scrypt -scrypt_N 1024 -passout file:password",
        ),
    ] {
        f.write(name, openssl(&f, command));
        f.run(&format!(
            "sign --password-file password --key {name} file --out s"
        ))
        .ok();
        f.write("k.pub", &public);
        f.run("verify --key k.pub --signature s file").ok();
        f.run("verify --key c.pem --signature s file").ok();
    }
    for (name, command) in [
        ("spki.der", "pkey -in k.pem -pubout -outform DER"),
        ("pkcs1.pub", "rsa -in k.pem -RSAPublicKey_out"),
        (
            "pkcs1.pub.der",
            "rsa -in k.pem -RSAPublicKey_out -outform DER",
        ),
        ("c.der", "x509 -in c.pem -outform DER"),
    ] {
        f.write(name, openssl(&f, command));
        f.run(&format!("verify --key {name} --signature s file"))
            .ok();
    }
    // Ours, checked by theirs.
    for options in [
        "",
        "--der",
        "--format pkcs1",
        "--format pkcs1 --der",
        "--password-file password",
        "--primes 3",
    ] {
        f.run(&format!(
            "keygen --force --quiet --small --bits 1024 --out o.key {options}"
        ))
        .ok();
        let form = if options.contains("--der") {
            "DER"
        } else {
            "PEM"
        };
        let report = openssl(
            &f,
            &format!("rsa -in o.key -inform {form} -check -noout -passin file:password"),
        );
        assert!(
            String::from_utf8(report).unwrap().contains("RSA key ok"),
            "{options}"
        );
        let from_private = openssl(
            &f,
            &format!("pkey -in o.key -inform {form} -pubout -passin file:password"),
        );
        assert_eq!(
            openssl(&f, &format!("pkey -pubin -in o.pub -inform {form}")),
            from_private,
            "{options}"
        );
    }
}

#[test]
fn signatures() {
    let Some(f) = folder() else { return };
    f.write("k.pub", openssl(&f, "pkey -in k.pem -pubout"));
    let hashes = [
        "sha224",
        "sha256",
        "sha384",
        "sha512",
        "sha512-224",
        "sha512-256",
        "sha3-224",
        "sha3-256",
        "sha3-384",
        "sha3-512",
    ];
    for hash in hashes {
        let theirs = hash;
        let paddings = [
            ("--padding pkcs1", ""),
            (
                "--padding pss",
                "-sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:digest",
            ),
            (
                "--padding pss --salt-len 0",
                "-sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:0",
            ),
        ];
        for (ours, options) in paddings {
            f.run(&format!(
                "sign --key k.pem --hash {hash} {ours} file --out s"
            ))
            .ok();
            openssl(
                &f,
                &format!("dgst -{theirs} -verify k.pub -signature s {options} file"),
            );
            openssl(
                &f,
                &format!("dgst -{theirs} -sign k.pem -out t {options} file"),
            );
            f.run(&format!(
                "verify --key k.pub --hash {hash} {ours} --signature t file"
            ))
            .ok();
        }
        // Whatever salt OpenSSL takes by default is accepted when none is asked for.
        openssl(
            &f,
            &format!(
                "dgst -{theirs} -sign k.pem -out t -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:max file"
            ),
        );
        f.run(&format!(
            "verify --key k.pub --hash {hash} --signature t file"
        ))
        .ok();
    }
    openssl(&f, "dgst -sha1 -sign k.pem -out t file");
    f.run("verify --key k.pub --hash sha1 --padding pkcs1 --signature t file")
        .ok();
}

/// The curves of ECDH and ECDSA: our name, OpenSSL's, and the hash of signatures.
const CURVES: [[&str; 3]; 8] = [
    ["p-224", "secp224r1", "sha224"],
    ["p-256", "prime256v1", "sha256"],
    ["p-384", "secp384r1", "sha384"],
    ["p-521", "secp521r1", "sha512"],
    ["secp256k1", "secp256k1", "sha256"],
    ["brainpoolp256r1", "brainpoolP256r1", "sha256"],
    ["brainpoolp384r1", "brainpoolP384r1", "sha384"],
    ["brainpoolp512r1", "brainpoolP512r1", "sha512"],
];

/// Those of them that this OpenSSL has; the others are left out, loudly.
fn curves(f: &Folder) -> Vec<[&'static str; 3]> {
    let list = String::from_utf8(openssl(f, "ecparam -list_curves")).unwrap();
    let names = list.lines().map(|line| line.split(':').next().unwrap());
    let names: Vec<&str> = names.map(str::trim).collect();
    let is_there = |[_, theirs, _]: &[&str; 3]| {
        let is_there = names.contains(theirs);
        if !is_there {
            eprintln!("SKIPPED: this openssl has no {theirs}");
        }
        is_there
    };
    CURVES.into_iter().filter(is_there).collect()
}

#[test]
fn agreements() {
    let Some(f) = folder() else { return };
    f.write("password", "secret\n");
    let weierstrass = |[curve, theirs, _]: [&'static str; 3]| {
        let options = format!("-algorithm EC -pkeyopt ec_paramgen_curve:{theirs}");
        (curve, options)
    };
    let montgomery = ["x25519", "x448"].map(|curve| (curve, format!("-algorithm {curve}")));
    let all = curves(&f).into_iter().map(weierstrass).chain(montgomery);
    for (curve, options) in all {
        openssl(&f, &format!("genpkey {options} -out theirs.pem"));
        let plain = openssl(&f, "pkey -in theirs.pem -pubout");
        f.write("theirs.pub", plain);
        f.run(&format!("keygen --curve {curve} --out ours.pem --force"))
            .ok();
        f.run("agree --key ours.pem --peer theirs.pub --out s").ok();
        openssl(
            &f,
            "pkeyutl -derive -inkey theirs.pem -peerkey ours.pub -out t",
        );
        assert_eq!(f.read("s"), f.read("t"), "{curve}");
        // Their files, plain and encrypted, and compressed points.
        openssl(
            &f,
            "pkcs8 -topk8 -in theirs.pem -out e.pem -v2 aes-256-cbc -passout file:password",
        );
        openssl(
            &f,
            "pkcs8 -topk8 -nocrypt -in theirs.pem -outform DER -out plain.der",
        );
        if !curve.starts_with('x') {
            openssl(
                &f,
                "ec -in theirs.pem -pubout -conv_form compressed -out theirs.pub",
            );
        }
        for key in ["theirs.pem", "e.pem", "plain.der"] {
            f.run(&format!(
                "agree --key {key} --password-file password --peer ours.pub --out u"
            ))
            .ok();
            assert_eq!(f.read("s"), f.read("u"), "{curve} {key}");
        }
        f.run("agree --key ours.pem --peer theirs.pub --out u").ok();
        assert_eq!(f.read("s"), f.read("u"), "{curve} compressed");
        // Our files.
        f.run(&format!(
            "keygen --curve {curve} --out ours.pem --password-file password --force"
        ))
        .ok();
        let public = openssl(&f, "pkey -in ours.pem -passin file:password -pubout");
        assert_eq!(public, f.read("ours.pub"), "{curve}");
    }
}

/// Each verifies the other's signatures, with the keys of both, by the hash of the curve and by another.
#[test]
fn signatures_of_ecdsa() {
    let Some(f) = folder() else { return };
    f.write("other", "another file");
    for [curve, theirs, own_hash] in curves(&f) {
        f.run(&format!("keygen --curve {curve} --out ours.pem --force"))
            .ok();
        openssl(
            &f,
            &format!("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:{theirs} -out theirs.pem"),
        );
        openssl(&f, "pkey -in theirs.pem -pubout -out theirs.pub");
        for key in ["ours", "theirs"] {
            for (option, hash) in [("", own_hash), ("--hash sha3-256", "sha3-256")] {
                f.run(&format!("sign --force {option} --key {key}.pem file"))
                    .ok();
                let verify = format!("dgst -{hash} -verify {key}.pub -signature file.sig");
                openssl(&f, &format!("{verify} file"));
                let refused = f.run_program("openssl", &format!("{verify} other"), b"");
                assert_ne!(refused.code, Some(0), "{curve} {key} {hash}");
                openssl(&f, &format!("dgst -{hash} -sign {key}.pem -out sig file"));
                let verify = format!("verify {option} --key {key}.pub --signature sig");
                f.run(&format!("{verify} file")).ok();
                f.run(&format!("{verify} other")).fails(1);
            }
        }
    }
}

/// A certificate verifies what its key signed, and another's does not.
#[test]
fn certificates_of_curves_verify() {
    let Some(f) = folder() else { return };
    for new in ["ec -pkeyopt ec_paramgen_curve:P-256", "ed25519"] {
        for name in ["own", "other"] {
            openssl(
                &f,
                &format!(
                    "req -x509 -newkey {new} -nodes -keyout {name}.pem -out {name}.crt -subj /CN={name} -days 30"
                ),
            );
        }
        openssl(&f, "x509 -in own.crt -outform DER -out own.der");
        f.run("sign --force --key own.pem file").ok();
        for certificate in ["own.crt", "own.der"] {
            f.run(&format!("verify --key {certificate} file")).ok();
            f.run(&format!("verify --key {certificate} --batch file"))
                .ok();
        }
        f.run("verify --key other.crt file").fails(1);
    }
}

/// Both sign alike, and each reads the other's keys.
#[test]
fn signatures_of_edwards_curves() {
    let Some(f) = folder() else { return };
    for curve in ["ed25519", "ed448"] {
        f.run(&format!("keygen --curve {curve} --out ours.pem --force"))
            .ok();
        openssl(&f, &format!("genpkey -algorithm {curve} -out theirs.pem"));
        openssl(&f, "pkey -in theirs.pem -pubout -out theirs.pub");
        for key in ["ours", "theirs"] {
            f.run(&format!("sign --force --key {key}.pem file")).ok();
            openssl(
                &f,
                &format!("pkeyutl -sign -rawin -inkey {key}.pem -in file -out sig"),
            );
            assert_eq!(f.read("file.sig"), f.read("sig"), "{curve} {key}");
            f.run(&format!("verify --key {key}.pub file")).ok();
            openssl(
                &f,
                &format!(
                    "pkeyutl -verify -rawin -pubin -inkey {key}.pub -in file -sigfile file.sig"
                ),
            );
        }
        let shown = String::from_utf8(f.run("inspect theirs.pem").ok()).unwrap();
        assert!(shown.to_lowercase().contains(curve), "{shown}");
    }
}

#[test]
fn signatures_with_another_hash_for_the_mask() {
    let Some(f) = folder() else { return };
    openssl(&f, "rsa -in k.pem -pubout -out k.pub");
    let pss = "-sigopt rsa_padding_mode:pss -sigopt rsa_mgf1_md:sha512";
    f.run("sign --key k.pem --mgf-hash sha512 file").ok();
    openssl(
        &f,
        &format!("dgst -sha256 {pss} -verify k.pub -signature file.sig file"),
    );
    openssl(
        &f,
        &format!("dgst -sha256 {pss} -sign k.pem -out file.sig file"),
    );
    f.run("verify --key k.pub --mgf-hash sha512 file").ok();
    f.run("verify --key k.pub file").fails(1);
    // As text, both ways.
    openssl(&f, "base64 -in file.sig -out text");
    f.run("verify --key k.pub --mgf-hash sha512 --signature text file")
        .ok();
    f.run("sign --key k.pem --base64 --out text file").ok();
    openssl(&f, "base64 -d -in text -out file.sig");
    f.run("verify --key k.pub file").ok();
}
