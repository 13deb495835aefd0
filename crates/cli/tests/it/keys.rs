//! Keys are made, shown and guarded.

use crate::support::{Folder, full, noise};
use carrysave_cli::io::{self, Access, Output};
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

#[test]
fn keygen_writes_every_format_and_inspect_reads_it() {
    let f = Folder::new();
    f.write("password", "correct horse\nsecond line\n");
    let formats = [
        "--format pkcs8",
        "--format pkcs1",
        "--format pkcs8 --der",
        "--format pkcs1 --der --public-format pkcs1",
        "--public-format pkcs1",
        "--public-format openssh",
        "--password-file password",
        "--password-file password --der",
        "--primes 3",
        "--e 3 --threads 1",
        "--e 0x100000001 --threads 3",
        "--format openssh --public-format openssh",
        "--format openssh --password-file password",
    ];
    for (i, format) in formats.iter().enumerate() {
        f.run(&format!(
            "keygen --quiet --small --bits 1024 --out {i}.key {format}"
        ))
        .ok();
        let mode = fs::metadata(f.path(&format!("{i}.key")))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600, "{format}");
        let fingerprint = |file: &str| {
            let report = f
                .run(&format!("inspect --password-file password {file}"))
                .ok();
            let report = String::from_utf8(report).unwrap();
            assert!(report.contains("size         1024 bits"), "{report}");
            let line = report
                .lines()
                .find(|line| line.starts_with("fingerprint"))
                .unwrap();
            line.to_owned()
        };
        assert_eq!(
            fingerprint(&format!("{i}.key")),
            fingerprint(&format!("{i}.pub")),
            "{format}"
        );
    }
    assert!(f.read("0.key").starts_with(b"-----BEGIN PRIVATE KEY-----"));
    assert!(
        f.read("1.key")
            .starts_with(b"-----BEGIN RSA PRIVATE KEY-----")
    );
    assert!(
        f.read("6.key")
            .starts_with(b"-----BEGIN ENCRYPTED PRIVATE KEY-----")
    );
    assert!(f.read("5.pub").starts_with(b"ssh-rsa "));
    f.write("password", "wrong");
    f.run("inspect --password-file password 6.key").fails(3);
}

#[test]
fn keygen_goes_on_with_the_threads_it_gets() {
    let f = Folder::new();
    f.run_with_few_threads("keygen --small --bits 1024 --threads 8 --out a.pem")
        .ok();
    f.run("inspect a.pem").ok();
}

/// None at all is started, not even that which watches for interrupts, for one of the longest keys.
#[test]
fn keygen_goes_on_without_threads() {
    let f = Folder::new();
    for quiet in ["", "--quiet "] {
        let run = f.run_without_threads(&format!(
            "keygen {quiet}--threads 8 --bits 2048 --force --out a.pem"
        ));
        assert!(!run.err.contains("panicked"), "{}", run.err);
        run.ok();
    }
    f.write("data", b"data");
    for command in [
        "sign --key a.pem --threads 8 --batch data",
        "verify --key a.pub --batch data",
        "encrypt --to a.pub --threads 8 data --out c",
        "decrypt --key a.pem --threads 8 c --out d",
        "hash --tree --threads 8 data c",
    ] {
        f.run_without_threads(command).ok();
    }
    assert_eq!(f.read("d"), b"data");
}

#[test]
fn small_keys_are_for_those_who_want_them() {
    let f = Folder::with_small_keys();
    f.write("file", b"data");
    let before = f.contents();
    let why = "1024 bits can be broken: use 2048 or more";
    for (command, key) in [
        ("sign --key a.pem file --out s", "a.pem"),
        ("sign --key a.pem --batch file", "a.pem"),
        ("encrypt --to a.pub file --out s", "a.pub"),
        ("encrypt --segmented --to b.pub file --out s", "b.pub"),
    ] {
        let said = f.run(command).fails(2);
        let expected = format!("carrysave: {key}: {why}, or --small for tests\n");
        assert_eq!(said, expected, "{command}");
    }
    let said = f.run("keygen --bits 1024 --out k.pem").fails(2);
    assert!(said.contains("--small"), "{said}");
    for impossible in ["504", "1030", "16392"] {
        let said = f.run(&format!("keygen --bits {impossible} --out k.pem"));
        assert!(!said.fails(2).contains("--small"), "{impossible}");
    }
    assert_eq!(f.contents(), before);
    f.run("sign --small --key a.pem file --out s").ok();
    f.run("sign --small --key a.pem --batch file").ok();
    f.run("encrypt --small --to a.pub file --out c").ok();
    for (command, key) in [
        ("verify --key a.pub --signature s file", "a.pub"),
        ("verify --quiet --key a.pem --batch file", "a.pem"),
        ("decrypt --key a.pem c --out d", "a.pem"),
    ] {
        let run = f.run(command);
        assert_eq!(run.err, format!("carrysave: warning: {key}: {why}\n"));
        run.ok();
    }
    assert_eq!(f.read("d"), b"data");
}

/// OpenSSL calls a key with more invalid.
#[test]
fn a_key_has_no_more_primes_than_others_take() {
    let f = Folder::new();
    let refused = "keygen --bits 2048 --primes 4 --out k.pem";
    let said = f.run(refused).fails(2);
    assert!(
        said.contains("3 primes at most") && said.contains("--many-primes"),
        "{said}"
    );
    assert!(f.contents().is_empty());
    for (options, valid) in [("--primes 3", true), ("--primes 4 --many-primes", false)] {
        f.run(&format!(
            "keygen --quiet --bits 2048 {options} --force --out k.pem"
        ))
        .ok();
        f.run("inspect k.pem").ok();
        let there = std::process::Command::new("openssl")
            .arg("version")
            .output();
        if there.is_err() {
            eprintln!("SKIPPED: what openssl says: it is not there");
            continue;
        }
        let check = f.run_program("openssl", "pkey -check -noout -in k.pem", b"");
        assert_eq!(check.code == Some(0), valid, "{options}: {}", check.err);
    }
}

#[test]
fn keygen_does_not_replace_a_key_unasked() {
    let f = Folder::with_keys();
    let before = f.contents();
    f.run("keygen --small --bits 1024 --out a.pem").fails(2);
    f.run("keygen --small --bits 1024 --out new.pem --public-out b.pub")
        .fails(2);
    assert_eq!(f.contents(), before);
    f.run("keygen --small --bits 1024 --out a.pem --force").ok();
    assert_ne!(f.read("a.pem"), before["a.pem"]);
    assert_ne!(f.read("a.pub"), before["a.pub"]);
}

/// Where the public key leads to the private one by a link, either would be lost.
#[test]
fn keygen_puts_no_two_keys_into_one_file() {
    let f = Folder::with_keys();
    std::os::unix::fs::symlink("a.pem", f.path("link")).unwrap();
    std::os::unix::fs::symlink("new.pem", f.path("new.pub")).unwrap();
    let before = f.contents();
    for line in [
        "--out a.pem --public-out link",
        "--out link --public-out ./a.pem",
        "--out new.pem",
    ] {
        let said = f
            .run(&format!("keygen --curve p-256 --force {line}"))
            .fails(2);
        assert!(said.contains("would go to one file"), "{said}");
    }
    assert_eq!(f.contents(), before);
}

#[test]
fn keygen_refuses_what_makes_no_key() {
    let f = Folder::new();
    let options = [
        "--bits 1024",
        "--bits 2049",
        "--bits 0",
        "--e 4",
        "--e 1",
        "--primes 9",
        "--small --bits 256",
    ];
    for options in options {
        f.run(&format!("keygen --out k.pem {options}")).fails(2);
    }
    f.run("keygen --out k.pem --format pkcs1 --encrypt")
        .fails(2);
    f.run("keygen --out k.pub").fails(2);
    let said = f.run("keygen --curve x25519 --out k.pub --force").fails(2);
    assert!(said.contains("--public-out"), "{said}");
    f.write("password", "correct horse\n");
    for format in ["pkcs1", "sec1"] {
        let said = f
            .run(&format!(
                "keygen --out k.pem --format {format} --password-file password"
            ))
            .fails(2);
        assert!(said.contains("can be encrypted"), "{said}");
    }
    fs::remove_file(f.path("password")).unwrap();
    f.run("keygen --small --bits 1024 --out no/such/folder/k.pem")
        .fails(4);
    f.run("keygen --small --bits 1024 --out k.pem --public-out no/such/folder/k.pub")
        .fails(4);
    assert!(f.contents().is_empty());
}

/// Every curve that signs.
const SIGNING: [&str; 10] = [
    "p-224",
    "p256",
    "p-384",
    "p-521",
    "secp256k1",
    "brainpoolp256r1",
    "brainpoolp384r1",
    "brainpoolp512r1",
    "ed25519",
    "ed448",
];

#[test]
fn keys_of_curves_sign() {
    let f = Folder::with_keys();
    f.write("m", "a message");
    f.write("other", "another message");
    for curve in SIGNING {
        f.run(&format!(
            "keygen --quiet --force --curve {curve} --out c.pem"
        ))
        .ok();
        f.run("sign --force --key c.pem m").ok();
        let signature = f.read("m.sig");
        f.run("sign --key c.pem --out again m").ok();
        assert_eq!(f.read("again"), signature, "{curve}: it is deterministic");
        f.run("verify --key c.pub m").ok();
        f.run("verify --key c.pem m").ok();
        let said = f.run("verify --key c.pub --signature m.sig other").fails(1);
        assert!(said.contains("the signature does not fit"), "{said}");
        f.run("sign --base64 --key c.pem --out text m").ok();
        f.run("verify --key c.pub --signature text m").ok();
        let p1363 = f.run("sign --p1363 --key c.pem --out numbers m");
        let own = match curve {
            "ed25519" => Some("SHA-512"),
            "ed448" => Some("SHAKE256"),
            _ => None,
        };
        if let Some(own) = own {
            assert!(p1363.fails(2).contains("--p1363"));
            let said = f.run("sign --hash sha256 --key c.pem --out s m").fails(2);
            assert!(said.contains(own), "{said}");
        } else {
            p1363.ok();
            assert_eq!(f.read("numbers").len() % 2, 0);
            f.run("verify --key c.pub --signature numbers m").ok();
            f.run("sign --hash sha3-256 --key c.pem --out s m").ok();
            f.run("verify --hash sha3-256 --key c.pub --signature s m")
                .ok();
            f.run("verify --key c.pub --signature s m").fails(1);
            // Damaged, and with the numbers 0, it is a signature that does not fit.
            let mut damaged = f.read("m.sig");
            damaged[3] ^= 0x40;
            for bytes in [damaged, vec![0; f.read("numbers").len()]] {
                f.write("bad", bytes);
                let said = f.run("verify --key c.pub --signature bad m").fails(1);
                assert!(said.contains("the signature does not fit"), "{said}");
            }
            assert!(
                f.run("sign --hash sha1 --key c.pem --out s m")
                    .fails(2)
                    .contains("SHA-1")
            );
        }
        let said = f.run("sign --padding pss --key c.pem --out s m").fails(2);
        assert!(said.contains("has no padding"), "{said}");
        f.write("short", [48, 3, 2, 1]);
        let said = f.run("verify --key c.pub --signature short m").fails(3);
        assert!(said.contains("a signature of this key is"), "{said}");
    }
    // Many at once, and of another key's none.
    f.run("sign --force --key c.pem --batch m other").ok();
    f.run("verify --key c.pub --batch m other").ok();
    f.run("sign --force --key a.pem m").ok();
    f.run("verify --key c.pub --batch m other")
        .code
        .expect("it ended");
    for name in ["X25519", "X448"] {
        let curve = name.to_lowercase();
        f.run(&format!(
            "keygen --quiet --force --curve {curve} --out x.pem"
        ))
        .ok();
        let said = f.run("sign --key x.pem --out s m").fails(3);
        assert!(
            said.contains(&format!("a private key for {name}")) && said.contains("Ed448"),
            "{said}"
        );
    }
}

#[test]
fn keys_of_curves_have_their_formats() {
    let f = Folder::new();
    f.write("m", "a message");
    for curve in SIGNING {
        let keygen = format!("keygen --quiet --force --curve {curve} --out c.pem");
        f.run(&keygen).ok();
        let shown = String::from_utf8(f.run("inspect c.pub").ok()).unwrap();
        let ssh = ["p256", "p-384", "p-521", "ed25519"].contains(&curve);
        assert_eq!(shown.contains("ssh-keygen"), ssh, "{shown}");
        let line = f.run(&format!("{keygen} --public-format openssh"));
        if ssh {
            line.ok();
            f.run("sign --force --key c.pem m").ok();
            f.run("verify --key c.pub m").ok();
        } else {
            assert!(line.fails(2).contains("OpenSSH has keys of"));
        }
        for der in ["", " --der"] {
            let sec1 = f.run(&format!("{keygen} --format sec1{der}"));
            if ["ed25519", "ed448"].contains(&curve) {
                assert!(sec1.fails(2).contains("SEC 1"));
                continue;
            }
            sec1.ok();
            f.run("sign --force --key c.pem m").ok();
            f.run("verify --key c.pub m").ok();
        }
    }
    let text = "keygen --quiet --force --curve p256 --format sec1 --out c.pem";
    f.run(text).ok();
    assert!(
        f.read("c.pem")
            .starts_with(b"-----BEGIN EC PRIVATE KEY-----")
    );
    assert!(
        f.run("keygen --format sec1 --out r.pem")
            .fails(2)
            .contains("SEC 1")
    );
    assert!(
        f.run("keygen --curve p256 --format pkcs1 --out r.pem")
            .fails(2)
            .contains("PKCS #1")
    );
}

#[test]
fn keys_of_curves_agree() {
    let f = Folder::new();
    f.write("password", "correct horse\n");
    for curve in ["p-256", "p-384", "p-521", "secp256k1", "x25519", "x448"] {
        f.run(&format!("keygen --curve {curve} --out a.pem --force"))
            .ok();
        f.run(&format!(
            "keygen --curve {curve} --out b.der --der --password-file password --force"
        ))
        .ok();
        let mode = fs::metadata(f.path("a.pem")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        f.run("agree --key a.pem --peer b.pub --out s").ok();
        f.run("agree --key b.der --password-file password --peer a.pem --out t")
            .ok();
        assert_eq!(f.read("s"), f.read("t"), "{curve}");
        let mode = fs::metadata(f.path("s")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let report = |arguments: &str| String::from_utf8(f.run(arguments).ok()).unwrap();
        let public = report("inspect b.pub");
        assert!(
            public
                .to_lowercase()
                .contains(&format!("{curve} public key")),
            "{public}"
        );
        let private = report("inspect --private --password-file password b.der");
        assert_eq!(private.replace("private", "public"), public);
        let loud = report("inspect --private --show-secrets a.pem");
        assert!(loud.contains("secret       "), "{loud}");
        f.run("inspect --private a.pub").fails(3);
    }
    f.run("keygen --curve p-256 --out c.pem").ok();
    for (arguments, code) in [
        ("agree --key a.pem --peer c.pub --out u", 3),
        ("agree --key a.pub --peer a.pub --out u", 3),
        ("agree --key a.pem --peer password --out u", 3),
        ("agree --key a.pem --peer nobody.pub --out u", 4),
        ("keygen --curve p-256 --out u --format pkcs1", 2),
        ("keygen --curve x25519 --out u --public-format openssh", 2),
        ("keygen --curve p-224 --out u --format openssh", 2),
        ("keygen --curve p-256 --out u --format openssh --der", 2),
        ("keygen --primes 3 --out u --format openssh", 2),
        ("keygen --curve p-256 --out c.pem", 2),
    ] {
        f.run(arguments).fails(code);
    }
    assert!(!f.path("u").exists());
    // Keys of curves agree, and encrypt no messages by themselves as RSA does.
    f.run("agree --key c.pem --peer c.pub --out u").ok();
    // A key of RSA is found out as before, its password asked for once.
    f.run("keygen --quiet --small --bits 1024 --out r.pem --password-file password")
        .ok();
    let report = f.run("inspect --password-file password r.pem").ok();
    assert!(report.starts_with(b"type         RSA private key"));
}

#[test]
fn inspect_keeps_secrets_unless_asked() {
    let f = Folder::with_small_keys();
    let text = |arguments: &str| String::from_utf8(f.run(arguments).ok()).unwrap();
    let quiet = text("inspect --private a.pem");
    assert!(
        quiet.contains("RSA private key") && quiet.contains("fit together"),
        "{quiet}"
    );
    assert!(quiet.contains("1024 bits can be broken"), "{quiet}");
    let loud = text("inspect --private --show-secrets a.pem");
    let secret = |line: &&str| line.starts_with("d ") || line.starts_with("prime ");
    assert_eq!(loud.lines().filter(secret).count(), 3);
    assert_eq!(quiet.lines().filter(secret).count(), 0);
    assert!(text("inspect a.pub").contains("RSA public key"));
    f.run("inspect --private a.pub").fails(3);
    assert_eq!(
        f.run_with("inspect -", &f.read("a.pub")).ok(),
        f.run("inspect a.pub").ok()
    );
}

#[test]
fn inspect_shows_keys_of_groups() {
    use carrysave::arith::Nat;
    use carrysave::dl::{Form, Named, PrivateKey};
    use rand_core::UnwrapErr;
    let rng = &mut UnwrapErr(getrandom::SysRng);
    let f = Folder::new();
    f.write("password", "correct horse\n");
    let x = Nat::from_hex("123456789abcdef0123456789abcdef0123456789abcdef01234567").unwrap();
    let key = PrivateKey::new(&Named::Modp1536Legacy.group(), &x).unwrap();
    for (form, name) in [
        (Form::Dsa, "DSA"),
        (Form::X942, "Diffie-Hellman"),
        (Form::Pkcs3, "Diffie-Hellman"),
    ] {
        f.write("own", key.to_pkcs8_pem(form).unwrap().as_bytes());
        let locked = key.to_pkcs8_encrypted_der(form, b"correct horse", rng);
        f.write("locked", &locked.unwrap()[..]);
        f.write("pub", key.public().to_spki_pem(form).unwrap());
        let text = |arguments: &str| String::from_utf8(f.run(arguments).ok()).unwrap();
        let public = text("inspect pub");
        assert!(
            public.starts_with(&format!("type         {name} public key\n")),
            "{public}"
        );
        for part in [
            "1536 bits, of order 1535 bits\n",
            "modp1536-legacy\n",
            "can be broken",
        ] {
            assert!(public.contains(part), "{public}");
        }
        assert!(
            public.contains(&key.public().y().to_hex_vartime()),
            "{public}"
        );
        for private in ["own", "--password-file password locked"] {
            let private = text(&format!("inspect --private {private}"));
            assert_eq!(private.replace("private", "public"), public);
        }
        let loud = text("inspect --private --show-secrets own");
        assert!(loud.contains(&key.x().to_hex_vartime()), "{loud}");
        f.run("inspect --private pub").fails(3);
        f.write("password", "correct horse\n");
    }
    f.write("password", "wrong");
    let said = f.run("inspect --password-file password locked").fails(3);
    assert!(said.contains("check the password"), "{said}");
    // One whose y, as long as it was, is no square and so no element of the group.
    let spki = key.public().to_spki_der(Form::Pkcs3).unwrap();
    let cut = spki.len() - 192;
    f.write("bad", [&spki[..cut], &[0xfb; 192]].concat());
    let said = f.run("inspect bad").fails(3);
    assert!(said.contains("its y is not an element"), "{said}");
}

#[test]
fn keys_that_are_not_known_are_named() {
    let f = Folder::with_keys();
    f.run("keygen --quiet --curve p-256 --out c.pem").ok();
    // RFC 9881, C.1: a key of ML-DSA-44, by its seed.
    let mldsa = "MDQCAQAwCwYJYIZIAWUDBAMRBCKAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f";
    let pem = |label, text| format!("-----BEGIN {label}-----\n{text}\n-----END {label}-----\n");
    f.write("mldsa", pem("PRIVATE KEY", mldsa));
    f.write("sec1", pem("EC PRIVATE KEY", "MAA="));
    let said = f.run("inspect mldsa").fails(3);
    assert!(said.contains("a key for ML-DSA: use one for RSA"), "{said}");
    let said = f.run("inspect sec1").fails(3);
    assert!(
        said.contains("ASN.1") && !said.contains("RSA private"),
        "{said}"
    );
    for (own, peer, bad) in [("a.pem", "c.pub", "a.pem"), ("c.pem", "a.pub", "a.pub")] {
        let said = f.run(&format!("agree -k {own} -p {peer} -o s")).fails(3);
        assert!(
            said.contains(&format!("{bad}: this is a "))
                && said.contains("for RSA: a key of a NIST curve"),
            "{said}"
        );
    }
    f.write("text", "no key\n");
    let said = f.run("agree -k c.pem -p text -o s").fails(3);
    assert!(said.contains("text: this is not a key"), "{said}");
    // With the point 0 every secret is 0 (RFC 7748, 6.1).
    let zero = "MCowBQYDK2VuAyEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    f.write("zero", pem("PUBLIC KEY", zero));
    let said = f.run("inspect zero");
    let said = String::from_utf8(said.ok()).unwrap();
    assert!(
        said.contains("warning") && said.contains("small order"),
        "{said}"
    );
}

/// For every command, and under any name.
#[test]
fn no_output_replaces_a_key_or_password() {
    let f = Folder::with_keys();
    f.write("password", "correct horse\n");
    f.write("key", noise(32));
    f.write("file", b"content");
    f.write("key.sig", f.read("a.pem"));
    for name in ["own", "peer"] {
        f.run(&format!("keygen --quiet --curve x25519 --out {name}.pem"))
            .ok();
    }
    f.run("keygen --quiet --bits 2048 --password-file password --out locked.pem")
        .ok();
    f.run("encrypt --to a.pub file --out file.cms").ok();
    f.run("cipher --key-file key file --out file.enc").ok();
    std::os::unix::fs::symlink(f.path("a.pem"), f.path("link")).unwrap();
    let before = f.contents();
    let locked = "--key locked.pem --password-file password";
    for (arguments, lost) in [
        ("agree -k own.pem -p peer.pub -o own.pem", "own.pem"),
        ("agree -k own.pem -p peer.pub -o peer.pub", "peer.pub"),
        ("sign -k a.pem -o a.pem file", "a.pem"),
        ("sign -k a.pem -o ./link file", "./link"),
        ("sign -k link -o a.pem file", "a.pem"),
        (&format!("sign {locked} -o password file"), "password"),
        (
            &format!("sign {locked} --batch file --manifest password"),
            "password",
        ),
        ("sign -k a.pem --batch file --manifest a.pem", "a.pem"),
        ("verify -k a.pub --batch file --manifest a.pub", "a.pub"),
        ("encrypt --to b.pub --to a.pub -o b.pub file", "b.pub"),
        ("encrypt --segmented --to a.pub -o a.pub file", "a.pub"),
        ("decrypt -k a.pem -o a.pem file.cms", "a.pem"),
        ("cipher -k key -o key file", "key"),
        ("cipher -d -k key -o key file.enc", "key"),
        (
            "cipher --password-file password -o password file",
            "password",
        ),
        (
            "keygen --small -b 1024 --password-file password --force -o password",
            "password",
        ),
        (
            "keygen --curve p-256 --password-file password --force -o k --public-out password",
            "password",
        ),
    ] {
        let said = f.run(arguments).fails(2);
        assert!(said.contains(&format!("carrysave: {lost}: ")), "{said}");
        assert_eq!(f.contents(), before, "{arguments}");
    }
    // A signature of a batch goes beside its file, and not where the key is.
    let said = f.run("sign -k key.sig --force --batch key");
    assert_eq!(said.code, Some(5), "{}", said.err);
    assert!(
        said.err.contains("key.sig: this file is in use"),
        "{}",
        said.err
    );
    assert_eq!(f.contents(), before);
    // The file itself may be replaced.
    f.run("cipher -k key -o file file").ok();
    f.run("cipher -d -k key -o file file").ok();
    assert_eq!(f.contents(), before);
}

/// A public key whose private one nobody has is none.
#[test]
fn keygen_loses_no_private_key_to_a_full_device() {
    let f = Folder::new();
    f.write("k.pub", b"another's");
    let line = "keygen --quiet --curve p-256 --force --out - --public-out k.pub";
    assert_eq!(f.run_into(line, full(), Stdio::null()), Some(4));
    assert_eq!(f.read("k.pub"), b"another's");
    f.run(line).ok();
    assert_ne!(f.read("k.pub"), b"another's");
}

/// Another program makes a key file of the same name while a key is generated.
#[test]
fn keygen_replaces_nothing_that_appears_meanwhile() {
    for (taken, other) in [("k.pem", "k.pub"), ("k.pub", "k.pem")] {
        let f = Folder::new();
        f.pipe("password");
        let mut child =
            f.start("keygen --quiet --small --bits 1024 --out k.pem --password-file password");
        // It looks whether there is a file, and then for the password.
        let mut password = fs::File::create(f.path("password")).unwrap();
        f.write(taken, b"another's");
        password.write_all(b"secret\n").unwrap();
        drop(password);
        assert_eq!(child.wait().unwrap().code(), Some(2), "{taken}");
        let said = String::from_utf8(f.read("err")).unwrap();
        let there = format!("carrysave: {taken}: there is a file already: use another name, or");
        assert!(said.starts_with(&there), "{said}");
        assert_eq!(f.read(taken), b"another's");
        assert!(!f.path(other).exists(), "{other}");
    }
}

/// What is removed may leave its number to the next file, which is no key.
#[test]
fn outputs_are_kept_from_keys_in_use_alone() {
    let f = Folder::new();
    for _ in 0..20 {
        f.write("key", b"key");
        io::keep(&f.path("key"));
        assert!(Output::create(&f.path("key"), Access::Umask).is_err());
        fs::remove_file(f.path("key")).unwrap();
        f.write("new", b"new");
        assert!(Output::create(&f.path("new"), Access::Umask).is_ok());
        fs::remove_file(f.path("new")).unwrap();
    }
}
