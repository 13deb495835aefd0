//! Messages of every kind, both ways with the `openssl` program, and what is said of those that are not read.

use crate::support::{Folder, noise};
use std::process::Command;

/// Keys and certificates of OpenSSL's making: `rsa`, `p256`, `p384`, `p521`, each `.key` and `.crt`, and `x25519` without
/// a certificate. `None`, loudly, without the program.
fn folder() -> Option<Folder> {
    match Command::new("openssl").arg("version").output() {
        Ok(output) if output.status.success() => {}
        _ => {
            eprintln!("SKIPPED: there is no openssl program here");
            return None;
        }
    }
    let f = Folder::new();
    for (name, options) in [
        ("rsa", "rsa:2048"),
        ("p256", "ec -pkeyopt ec_paramgen_curve:P-256"),
        ("p384", "ec -pkeyopt ec_paramgen_curve:P-384"),
        ("p521", "ec -pkeyopt ec_paramgen_curve:P-521"),
    ] {
        openssl(
            &f,
            &format!(
                "req -x509 -newkey {options} -nodes -keyout {name}.key -out {name}.crt -subj /CN={name} -days 30"
            ),
        );
    }
    f.write("password", "open-sesame\n");
    f.write("file", noise(100_000));
    Some(f)
}

fn openssl(f: &Folder, arguments: &str) -> Vec<u8> {
    f.run_program("openssl", arguments, b"").ok()
}

/// Decrypts `c` by these options, and gives what was said.
fn decrypt(f: &Folder, options: &str) -> String {
    let run = f.run(&format!("decrypt {options} c --out d"));
    let err = run.err.clone();
    run.ok();
    assert!(f.read("d") == f.read("file"), "{options}");
    err
}

const EVERYBODY: [&str; 5] = [
    "--key rsa.key",
    "--key p256.key",
    "--key p384.key",
    "--key p521.key",
    "--password-file password",
];

#[test]
fn theirs_for_everybody_by_every_cipher() {
    let Some(f) = folder() else { return };
    for cipher in [
        "",
        "-des3",
        "-aes128",
        "-aes-192-cbc",
        "-aes256",
        "-aes-128-gcm",
        "-aes-256-gcm",
    ] {
        for (form, options) in [("DER", ""), ("SMIME", "-keyid"), ("PEM", "-stream")] {
            let gcm = cipher.ends_with("gcm");
            // It cannot wrap for a password beside GCM.
            let password = if gcm {
                ""
            } else {
                "-pwri_password open-sesame"
            };
            openssl(
                &f,
                &format!(
                    "cms -encrypt -binary {cipher} -outform {form} {options} -in file -out c {password} rsa.crt p256.crt p384.crt p521.crt"
                ),
            );
            for who in EVERYBODY {
                if gcm && who.contains("password") {
                    let said = f.run(&format!("decrypt {who} c --out e")).fails(1);
                    assert!(
                        said.contains("1 RSA key, 3 key agreements; use --key"),
                        "{said}"
                    );
                    continue;
                }
                let said = decrypt(&f, who);
                assert_eq!(said.contains("not authenticated"), !gcm, "{cipher}: {said}");
                let refused = f.run(&format!("decrypt --require-authenticated {who} c --out e"));
                if gcm {
                    refused.ok();
                } else {
                    let said = refused.fails(3);
                    assert!(said.contains("--require-authenticated"), "{said}");
                    assert!(!f.path("e").exists());
                }
                let _ = std::fs::remove_file(f.path("e"));
            }
        }
    }
}

#[test]
fn theirs_by_certificate_and_by_options() {
    let Some(f) = folder() else { return };
    for name in ["rsa", "p256", "p384", "p521"] {
        openssl(
            &f,
            &format!("cms -encrypt -binary -aes256 -outform DER -in file -out c {name}.crt"),
        );
        decrypt(&f, &format!("--key {name}.key --recipient {name}.crt"));
    }
    for options in [
        "-keyopt ecdh_kdf_md:sha256",
        "-keyopt ecdh_kdf_md:sha384",
        "-keyopt ecdh_kdf_md:sha512",
        "-keyopt ecdh_cofactor_mode:1",
    ] {
        openssl(
            &f,
            &format!(
                "cms -encrypt -binary -aes128 -outform DER -in file -out c -recip p256.crt {options}"
            ),
        );
        decrypt(&f, "--key p256.key");
    }
    for (digest, mask) in [("sha1", "sha1"), ("sha512", "sha256")] {
        let options = format!(
            "-keyopt rsa_padding_mode:oaep -keyopt rsa_oaep_md:{digest} -keyopt rsa_mgf1_md:{mask}"
        );
        openssl(
            &f,
            &format!("cms -encrypt -binary -outform DER -in file -out c -recip rsa.crt {options}"),
        );
        decrypt(&f, "--key rsa.key");
    }
    // What old mail programs get.
    openssl(&f, "smime -encrypt -binary -in file -out c rsa.crt");
    assert!(decrypt(&f, "--key rsa.key").contains("not authenticated"));
}

#[test]
fn theirs_that_are_refused_say_why() {
    let Some(f) = folder() else { return };
    let secret = "000102030405060708090a0b0c0d0e0f";
    for (command, key, code, said) in [
        (
            format!("cms -encrypt -aes128 -secretkey {secret} -secretkeyid 01"),
            "--key rsa.key",
            1,
            "1 shared key; use `openssl cms -decrypt -secretkey`",
        ),
        (
            "cms -encrypt -aes128 -pwri_password x".to_owned(),
            "--key p256.key",
            1,
            "1 password; use --password",
        ),
        (
            "cms -encrypt -aes128 -pwri_password x".to_owned(),
            "--password-file password",
            1,
            "does not decrypt",
        ),
        (
            "cms -encrypt -camellia128 -recip rsa.crt".to_owned(),
            "--key rsa.key",
            3,
            "Camellia-128-CBC (1.2.392.200011.61.1.1.1.2)",
        ),
        (
            format!("cms -EncryptedData_encrypt -aes128 -secretkey {secret}"),
            "--key rsa.key",
            3,
            "EncryptedData (1.2.840.113549.1.7.6)",
        ),
        (
            "cms -data_create".to_owned(),
            "--key rsa.key",
            3,
            "content type data",
        ),
        (
            "cms -sign -signer rsa.crt -inkey rsa.key".to_owned(),
            "--key rsa.key",
            3,
            "SignedData",
        ),
    ] {
        openssl(
            &f,
            &format!("{command} -binary -outform DER -in file -out c"),
        );
        let refused = f.run(&format!("decrypt {key} c --out e")).fails(code);
        assert!(refused.contains(said), "{command}: {refused}");
        assert!(!f.path("e").exists());
    }
    let run = f.run("decrypt --key rsa.crt c --out e").fails(3);
    assert!(run.contains("private key"), "{run}");
    assert_eq!(f.run("decrypt c --out e").code, Some(2));
    f.run("decrypt --key rsa.key --recipient p256.crt c --out e")
        .fails(2);
}

#[test]
fn ours_for_everybody() {
    let Some(f) = folder() else { return };
    for curve in ["p256", "p384", "p521"] {
        f.write(
            &format!("{curve}.pub"),
            openssl(&f, &format!("pkey -in {curve}.key -pubout")),
        );
    }
    for (options, form) in [("", "DER"), ("--pem", "PEM")] {
        for suffix in ["crt", "pub"] {
            let to: String = ["p256", "p384", "p521"]
                .iter()
                .map(|curve| format!("--to {curve}.{suffix} "))
                .collect();
            f.run(&format!(
                "encrypt {options} --to rsa.crt {to} --password --password-file password file --out c"
            ))
            .ok();
            for who in EVERYBODY {
                assert!(decrypt(&f, who).is_empty());
                decrypt(&f, &format!("--require-authenticated {who}"));
            }
            for name in ["rsa", "p256", "p384", "p521"] {
                // By the certificate: without it, it tries RSA keys only.
                let recipient = format!("-recip {name}.crt");
                let plain = openssl(
                    &f,
                    &format!(
                        "cms -decrypt -binary -inform {form} -in c -inkey {name}.key {recipient}"
                    ),
                );
                assert!(plain == f.read("file"), "{name} {suffix}");
            }
            let plain = openssl(
                &f,
                &format!("cms -decrypt -binary -inform {form} -in c -pwri_password open-sesame"),
            );
            assert!(plain == f.read("file"), "password");
        }
    }
    // The file of the password alone says that it is for a password.
    f.run("encrypt --password-file password file --out c").ok();
    decrypt(&f, "--password-file password");
    assert_eq!(f.run("encrypt file --out c").code, Some(2));
}

/// OpenSSL has no such messages: only ourselves read them.
#[test]
fn ours_for_x25519_and_secp256k1() {
    let f = Folder::new();
    f.write("file", noise(1000));
    for curve in ["x25519", "secp256k1"] {
        f.run(&format!("keygen --curve {curve} --out {curve}.pem"))
            .ok();
        f.run(&format!("encrypt --to {curve}.pub file --out c"))
            .ok();
        decrypt(&f, &format!("--key {curve}.pem"));
    }
    let said = f.run("decrypt --key x25519.pem c --out e").fails(1);
    assert!(said.contains("1 key agreement"), "{said}");
}

/// A message that was signed first.
#[test]
fn content_of_another_type_is_written_with_a_note() {
    let f = Folder::new();
    let data = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../schemes/tests/data/cms/cms-content-type"
    );
    let run = f.run(&format!(
        "decrypt --key {data}/key.pem {data}/inner_signed.cms --out d"
    ));
    let note = "note: the plaintext is SignedData (1.2.840.113549.1.7.2), written as it is";
    assert!(run.err.contains(note), "{}", run.err);
    run.ok();
    assert_eq!(f.read("d"), b"hello world");
}
