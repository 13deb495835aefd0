//! Files that hold more than one key, or keys in the forms of other programs.

use crate::support::Folder;
use std::process::Command;

/// A folder with the shared keys, or `None` with a printed notice without the program `openssl`.
fn folder() -> Option<Folder> {
    if Command::new("openssl").arg("version").output().is_err() {
        eprintln!("SKIPPED: there is no openssl program here");
        return None;
    }
    let f = Folder::with_keys();
    f.write("file", "a file");
    Some(f)
}

fn openssl(f: &Folder, arguments: &str) {
    f.run_program("openssl", arguments, b"").ok();
}

fn text(f: &Folder, name: &str) -> String {
    String::from_utf8(f.read(name)).unwrap()
}

/// Whether the owner of a key can read the message `c`.
fn reads(f: &Folder, key: &str) -> bool {
    let run = f.run(&format!("decrypt --key {key} c --out -"));
    run.code == Some(0) && run.out == b"a file"
}

#[test]
fn every_key_of_a_file_is_a_recipient() {
    let Some(f) = folder() else { return };
    for key in ["a", "b"] {
        openssl(
            &f,
            &format!("req -x509 -key {key}.pem -out {key}.crt -subj /CN={key} -days 3"),
        );
    }
    let [a, b] = ["a", "b"].map(|key| {
        let f = &f;
        let pem = text(f, &format!("{key}.pub"));
        let certificate = text(f, &format!("{key}.crt"));
        (pem, certificate)
    });
    for file in [
        format!("{}{}", a.0, b.0),
        format!("comment\n{}\n\nanother\n{}", b.0, a.0),
        format!("{}{}", a.1, b.1),
        format!("{}{}", a.1, b.0),
        // A server's bundle: one recipient twice, and the other.
        format!("{}{}{}", text(&f, "a.pem"), a.1, b.0),
    ] {
        f.write("to", &file);
        f.run("encrypt --small --to to file --out c").ok();
        assert!(reads(&f, "a.pem") && reads(&f, "b.pem"), "{file}");
    }
    // What cannot be used is not passed over.
    f.write(
        "to",
        format!(
            "{}-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n{}",
            a.0, b.0
        ),
    );
    let line = a.0.lines().count() + 1;
    let error = f.run("encrypt --small --to to file --out d").fails(3);
    assert!(error.contains(&format!("line {line}:")), "{error}");
    assert!(!f.path("d").exists());
}

#[test]
fn lines_of_authorized_keys_are_recipients() {
    let f = Folder::new();
    f.write("file", "a file");
    for key in ["a", "b"] {
        f.run(&format!(
            "keygen --quiet --bits 2048 --public-format openssh --out {key}.pem"
        ))
        .ok();
    }
    let [a, b] = ["a.pub", "b.pub"].map(|name| text(&f, name));
    f.write(
        "keys",
        format!("# our keys\n\n{}no-pty,from=\"a b\" {b}", a),
    );
    f.run("encrypt --small --to keys file --out c").ok();
    assert!(reads(&f, "a.pem") && reads(&f, "b.pem"));
    let other =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ1gvJMeYWw7Nk/Rm8GqX3Y/4z0c4dVvSPhS5sC0oHtQ you\n";
    for (line, reason) in [
        (other.to_owned(), "Ed25519"),
        (format!("cert-authority {b}"), "cert-authority"),
        ("something else\n".to_owned(), "line 3"),
    ] {
        f.write("keys", format!("{a}\n{line}"));
        let error = f.run("encrypt --small --to keys file --out d").fails(3);
        assert!(
            error.contains("line 3") && error.contains(reason),
            "{error}"
        );
    }
}

#[test]
fn of_a_chain_the_first_certificate_receives() {
    let Some(f) = folder() else { return };
    openssl(
        &f,
        "req -x509 -key b.pem -out b.crt -subj /CN=authority -days 3",
    );
    openssl(&f, "req -new -key a.pem -out a.csr -subj /CN=server");
    openssl(
        &f,
        "x509 -req -in a.csr -CA b.crt -CAkey b.pem -CAcreateserial -days 3 -out a.crt",
    );
    f.write("chain", [f.read("a.crt"), f.read("b.crt")].concat());
    f.run("encrypt --small --to chain file --out c").ok();
    assert!(reads(&f, "a.pem") && !reads(&f, "b.pem"));
    let shown = String::from_utf8(f.run("inspect chain").ok()).unwrap();
    assert!(
        shown.contains("subject      CN=server") && shown.contains("issuer       CN=authority")
    );
    assert_eq!(shown.matches("\nchain ").count(), 1, "{shown}");
}

#[test]
fn certificates_are_shown_as_other_programs_show_them() {
    let Some(f) = folder() else { return };
    for (kind, name) in [
        ("rsa:2048", "RSA"),
        ("rsa-pss -pkeyopt rsa_keygen_bits:2048", "RSA"),
        ("ec -pkeyopt ec_paramgen_curve:P-256", "P-256"),
    ] {
        openssl(
            &f,
            &format!(
                "req -x509 -nodes -newkey {kind} -keyout k.pem -out c.pem -subj /O=us/CN=me -days 3"
            ),
        );
        let shown = String::from_utf8(f.run("inspect c.pem").ok()).unwrap();
        assert!(
            shown.contains(&format!("type         {name} certificate")),
            "{shown}"
        );
        assert!(
            shown.contains("subject      CN=me,O=us") || shown.contains("subject      O=us,CN=me"),
            "{shown}"
        );
        for hash in ["sha256", "sha1"] {
            let theirs = f
                .run_program(
                    "openssl",
                    &format!("x509 -in c.pem -noout -fingerprint -{hash}"),
                    b"",
                )
                .ok();
            let theirs = String::from_utf8(theirs).unwrap();
            assert!(shown.contains(theirs.trim()), "{shown} {theirs}");
        }
        // Of a key and its certificate: the same fingerprints.
        let line = |text: &str, name: &str| {
            text.lines()
                .find(|line| line.starts_with(name))
                .map(str::to_owned)
        };
        let key = String::from_utf8(f.run("inspect k.pem").ok()).unwrap();
        for name in ["fingerprint", "ssh-keygen"] {
            assert!(
                line(&key, name).is_some() && line(&key, name) == line(&shown, name),
                "{key} {shown}"
            );
        }
    }
}

#[test]
fn curves_agree_by_certificates_and_keys_of_every_form() {
    let Some(f) = folder() else { return };
    openssl(&f, "ecparam -name prime256v1 -genkey -out own.pem");
    openssl(
        &f,
        "req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256 -keyout k.pem -out c.pem -subj /CN=me -days 3",
    );
    f.run("agree --key own.pem --peer c.pem --out s1").ok();
    openssl(&f, "pkey -in own.pem -pubout -out own.pub");
    f.run("agree --key k.pem --peer own.pub --out s2").ok();
    assert_eq!(f.read("s1"), f.read("s2"));
    openssl(&f, "pkeyutl -derive -inkey k.pem -peerkey own.pub -out s3");
    assert_eq!(f.read("s1"), f.read("s3"));
}

#[test]
fn the_reason_why_a_key_is_refused_is_said() {
    let Some(f) = folder() else { return };
    f.write("password", "secret\n");
    openssl(
        &f,
        "pkcs8 -topk8 -in a.pem -out camellia.pem -v2 camellia256 -passout pass:secret",
    );
    openssl(
        &f,
        "pkcs8 -topk8 -in a.pem -out many.pem -iter 10000001 -passout pass:secret",
    );
    openssl(
        &f,
        "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-192 -out old.pem",
    );
    for (file, reason) in [
        ("camellia.pem", "Camellia"),
        ("many.pem", "10000001 times"),
        ("old.pem", "P-192"),
        ("password", "neither PEM"),
    ] {
        for command in [
            "inspect",
            "sign --small file --out s --key",
            "decrypt file --out s --key",
        ] {
            let error = f
                .run(&format!("{command} {file} --password-file password"))
                .fails(3);
            assert!(error.contains(reason), "{command} {file}: {error}");
        }
    }
    // The private key of a bundle whose first block is damaged.
    f.write(
        "bundle",
        [
            b"-----BEGIN CERTIFICATE-----\nAA\n-----END CERTIFICATE-----\n".to_vec(),
            f.read("a.pem"),
        ]
        .concat(),
    );
    f.run("sign --small --key bundle file --out s").ok();
    let run = f.run("inspect bundle");
    assert_eq!(run.code, Some(3), "{}", run.err);
    let shown = String::from_utf8(run.out).unwrap();
    assert!(
        shown.contains("refused") && shown.contains("RSA private key"),
        "{shown}"
    );
}

#[test]
fn keys_for_pss_alone_say_how_to_sign() {
    let Some(f) = folder() else { return };
    openssl(
        &f,
        "genpkey -algorithm RSA-PSS -pkeyopt rsa_keygen_bits:2048 -pkeyopt rsa_pss_keygen_md:sha384 \
         -pkeyopt rsa_pss_keygen_mgf1_md:sha384 -pkeyopt rsa_pss_keygen_saltlen:50 -out pss.pem",
    );
    openssl(&f, "pkey -in pss.pem -pubout -out pss.pub");
    f.run("sign --key pss.pem file").ok();
    f.run("verify --key pss.pub file").ok();
    openssl(
        &f,
        "dgst -sha384 -verify pss.pub -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:50 -signature file.sig file",
    );
    for options in ["--hash sha256", "--padding pkcs1", "--salt-len 49"] {
        let error = f
            .run(&format!("sign {options} --key pss.pem --out s file"))
            .fails(3);
        assert!(error.contains("what it is for"), "{error}");
    }
    let error = f.run("encrypt --to pss.pub --out c file").fails(3);
    assert!(error.contains("RSASSA-PSS alone"), "{error}");
}

#[test]
fn keys_that_bend_a_standard_are_used_with_a_warning() {
    let Some(f) = folder() else { return };
    openssl(
        &f,
        "pkcs8 -topk8 -in a.pem -out old.pem -v1 PBE-SHA1-3DES -passout pass:secret",
    );
    f.write("password", "secret\n");
    let run = f.run("sign --small --key old.pem --password-file password file --out s");
    assert!(run.err.contains("warning: old.pem: "), "{}", run.err);
    run.ok();
}
