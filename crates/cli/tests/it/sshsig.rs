//! Signatures of OpenSSH, in both directions with the program `ssh-keygen`.

use crate::support::Folder;
use base64ct::{Base64, Encoding};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

/// Keys of each kind that OpenSSH has: `keygen`'s options.
const KEYS: [&str; 5] = [
    "--bits 2048",
    "--curve p-256",
    "--curve p-384",
    "--curve p-521",
    "--curve ed25519",
];

/// A folder with a key of OpenSSH in `k` and `k.pub`, and what is to be signed in `file` and `other`.
fn folder(options: &str) -> Folder {
    let f = Folder::new();
    f.run(&format!(
        "keygen {options} --format openssh --public-format openssh --out k --public-out k.pub"
    ))
    .ok();
    std::fs::set_permissions(f.path("k"), Permissions::from_mode(0o600)).unwrap();
    let signer = String::from_utf8(f.read("k.pub")).unwrap();
    f.write("allowed", format!("me {signer}"));
    f.write("file", "what is signed\n");
    f.write("other", "what is not\n");
    f
}

/// Whether the program is here; says so loudly if it is not.
fn has_openssh() -> bool {
    let found = Command::new("ssh-keygen").arg("-?").output().is_ok();
    if !found {
        eprintln!(
            "SKIPPED: no program `ssh-keygen`: install openssh-client to check its signatures"
        );
    }
    found
}

#[test]
fn openssh_verifies_what_is_signed() {
    if !has_openssh() {
        return;
    }
    for options in KEYS {
        let f = folder(options);
        for (namespace, hash) in [("file", ""), ("git", "--hash sha256")] {
            f.run(&format!(
                "sign --key k --format sshsig --namespace {namespace} {hash} --force file"
            ))
            .ok();
            let verify = |namespace: &str, file: &str| {
                let arguments = format!("-Y verify -f allowed -I me -n {namespace} -s file.sig");
                f.run_program("ssh-keygen", &arguments, &f.read(file)).code
            };
            assert_eq!(verify(namespace, "file"), Some(0), "{options} {namespace}");
            assert_ne!(verify(namespace, "other"), Some(0), "{options} {namespace}");
            assert_ne!(verify("mail", "file"), Some(0), "{options} {namespace}");
        }
    }
}

#[test]
fn what_openssh_signs_is_verified() {
    if !has_openssh() {
        return;
    }
    for options in KEYS {
        let f = folder(options);
        for (namespace, hash) in [("file", "sha512"), ("git", "sha256")] {
            let _ = std::fs::remove_file(f.path("file.sig"));
            let arguments = format!("-Y sign -f k -n {namespace} -O hashalg={hash} file");
            f.run_program("ssh-keygen", &arguments, b"").ok();
            let good = format!("verify --key k.pub --format sshsig --namespace {namespace}");
            f.run(&format!("{good} file")).ok();
            f.run(&format!("{good} --hash {hash} file")).ok();
            f.run(&format!("{good} --signature file.sig other"))
                .fails(1);
        }
    }
}

#[test]
fn another_key_purpose_or_file_is_refused() {
    for options in KEYS {
        let f = folder(options);
        f.run("sign --key k --format sshsig file").ok();
        // The purpose is `file` unless it is named.
        f.run("verify --key k.pub --format sshsig file").ok();
        let error = f
            .run("verify --key k.pub --format sshsig --namespace git file")
            .fails(1);
        assert!(error.contains("\"file\""), "{error}");
        f.run("verify --key k.pub --format sshsig --signature file.sig other")
            .fails(1);
        f.run(&format!("keygen {options} --out k2")).ok();
        let error = f.run("verify --key k2.pub --format sshsig file").fails(1);
        assert!(error.contains("another key"), "{error}");
        let error = f
            .run("verify --key k.pub --format sshsig --hash sha256 file")
            .fails(3);
        assert!(error.contains("sha512"), "{error}");
        // It is there already, and is kept as one of this key and purpose only.
        f.run("sign --key k --format sshsig file").fails(2);
        f.run("sign --key k --format sshsig --keep file").ok();
        f.run("sign --key k --format sshsig --namespace git --keep file")
            .fails(3);
        // The signature of the message alone, and text that is none.
        f.run("sign --key k --out file.raw file").ok();
        f.run("verify --key k.pub --format sshsig --signature file.raw file")
            .fails(3);
    }
}

/// The kind of a signature stands in it twice: for the key, and for itself.
#[test]
fn a_signature_of_another_kind_than_its_key_is_refused() {
    let f = folder("--curve p-256");
    f.run("sign --key k --format sshsig file").ok();
    let armored = String::from_utf8(f.read("file.sig")).unwrap();
    let lines: Vec<&str> = armored.lines().collect();
    let (first, last) = (lines[0], lines[lines.len() - 1]);
    let body = lines[1..lines.len() - 1].concat();
    let mut octets = Base64::decode_vec(&body).unwrap();
    let kind = b"ecdsa-sha2-nistp256";
    let places: Vec<usize> = (0..octets.len() - kind.len())
        .filter(|&at| octets[at..].starts_with(kind))
        .collect();
    assert_eq!(places.len(), 2);
    octets[places[1] + kind.len() - 3..][..3].copy_from_slice(b"384");
    let body = Base64::encode_string(&octets);
    f.write("file.sig", format!("{first}\n{body}\n{last}\n"));
    f.run("verify --key k.pub --format sshsig file").fails(1);
}

#[test]
fn what_openssh_has_not_is_refused() {
    let f = folder("--bits 2048");
    f.run("keygen --curve secp256k1 --out s").ok();
    for (arguments, reason) in [
        ("--key k --padding pss", "--padding"),
        ("--key k --salt-len 20", "--salt-len"),
        ("--key k --hash sha384", "sha256 or sha512"),
        ("--key s", "ed25519"),
    ] {
        let error = f
            .run(&format!("sign --format sshsig {arguments} file"))
            .fails(2);
        assert!(error.contains(reason), "{arguments}: {error}");
    }
    // The command line's own refusals are of several lines.
    for arguments in [
        "--namespace file",
        "--format sshsig --base64",
        "--format sshsig --p1363",
    ] {
        let run = f.run(&format!("sign --key k {arguments} file"));
        assert_eq!(run.code, Some(2), "{arguments}: {}", run.err);
    }
    assert!(!f.path("file.sig").exists());
}
