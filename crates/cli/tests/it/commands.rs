//! Every command does its job.

use crate::support::{Folder, full, gone, noise};
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
fn hash_and_cipher_go_on_with_the_threads_they_get() {
    let f = Folder::new();
    f.write("data", noise(3 << 20));
    f.write("key", [7; 16]);
    let iv = "00112233445566778899aabbccddeeff";
    for arguments in [
        "hash --tree --threads 8 data".to_owned(),
        format!("cipher --raw -a aes-128 -m ctr -k key --iv {iv} --threads 8 data --out -"),
    ] {
        let few = f.run_with_few_threads(&arguments).ok();
        assert_eq!(
            few,
            f.run(&arguments.replace("--threads 8", "--threads 1")).ok(),
            "{arguments}"
        );
    }
}

#[test]
fn more_threads_than_any_system_starts_are_as_many_as_pay() {
    let f = Folder::with_keys();
    f.write("data", noise(3 << 20));
    f.write("key", [7; 32]);
    for arguments in [
        "hash --tree data",
        "cipher -k key data --out c",
        "cipher -d -k key c --out d",
        "encrypt --to a.pub data --out e",
        "decrypt -k a.pem e --out d",
        "keygen --small --bits 1024 --out k.pem",
        "sign -k a.pem --batch data",
        "verify -k a.pub --batch data",
        "demo --small --bits 1024 --seconds 0 data",
    ] {
        f.run(&format!("{arguments} --threads 100000")).ok();
    }
    assert!(f.read("d") == f.read("data"));
}

#[test]
fn keygen_goes_on_with_the_threads_it_gets() {
    let f = Folder::new();
    f.run_with_few_threads("keygen --small --bits 1024 --threads 8 --out a.pem")
        .ok();
    f.run("inspect a.pem").ok();
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
    f.run("keygen --small --bits 1024 --out no/such/folder/k.pem")
        .fails(4);
    f.run("keygen --small --bits 1024 --out k.pem --public-out no/such/folder/k.pub")
        .fails(4);
    assert!(f.contents().is_empty());
}

#[test]
fn keys_of_curves_agree() {
    let f = Folder::new();
    f.write("password", "correct horse\n");
    for curve in ["p-256", "p-384", "p-521", "secp256k1", "x25519"] {
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
        ("keygen --curve p-256 --out u --public-format openssh", 2),
        ("keygen --curve p-256 --out c.pem", 2),
    ] {
        f.run(arguments).fails(code);
    }
    assert!(!f.path("u").exists());
    // Keys of curves are not for RSA's commands.
    f.write("file", "x");
    assert!(
        f.run("sign --key c.pem file --out u")
            .fails(3)
            .contains("elliptic curves")
    );
    // A key of RSA is found out as before, its password asked for once.
    f.run("keygen --quiet --small --bits 1024 --out r.pem --password-file password")
        .ok();
    let report = f.run("inspect --password-file password r.pem").ok();
    assert!(report.starts_with(b"type         RSA private key"));
}

#[test]
fn inspect_keeps_secrets_unless_asked() {
    let f = Folder::with_keys();
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
    // RFC 8410, 10.3.
    let ed25519 = "MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC";
    let pem = |label, text| format!("-----BEGIN {label}-----\n{text}\n-----END {label}-----\n");
    f.write("ed", pem("PRIVATE KEY", ed25519));
    f.write("sec1", pem("EC PRIVATE KEY", "MAA="));
    let said = f.run("inspect ed").fails(3);
    assert!(
        said.contains("a key for Ed25519, which is not known: known are"),
        "{said}"
    );
    let said = f.run("inspect sec1").fails(3);
    assert!(
        said.contains("SEC 1's form")
            && said.contains("openssl pkcs8")
            && !said.contains("RSA private"),
        "{said}"
    );
    for (own, peer, bad) in [("a.pem", "c.pub", "a.pem"), ("c.pem", "a.pub", "a.pub")] {
        let said = f.run(&format!("agree -k {own} -p {peer} -o s")).fails(3);
        let expected = format!("{bad}: this key is not of a curve that is known: use one of P-256");
        assert!(said.contains(&expected), "{said}");
    }
}

#[test]
fn signatures_of_every_kind() {
    let f = Folder::with_keys();
    f.write("file", noise(100_000));
    f.write("other", noise(100_001));
    let schemes = [
        "",
        "--hash sha1",
        "--hash sha384",
        "--hash sha512-256 --salt-len 20",
        "--hash sha3-256",
        "--salt-len 0",
        "--padding pkcs1",
        "--padding pkcs1 --hash sha512",
        "--padding pkcs1 --hash sha3-512",
    ];
    for scheme in schemes {
        let signed = f.run(&format!("sign --key a.pem {scheme} file --out s"));
        if scheme.contains("sha1") {
            assert!(signed.fails(2).contains("SHA-1"));
            continue;
        }
        signed.ok();
        assert_eq!(f.read("s").len(), 128);
        let good = f
            .run(&format!("verify --key a.pub --signature s {scheme} file"))
            .ok();
        assert_eq!(good, b"the signature is good\n");
        f.run_with(
            &format!("verify --key a.pem --signature s {scheme} -"),
            &f.read("file"),
        )
        .ok();
        f.run(&format!("verify --key a.pub --signature s {scheme} other"))
            .fails(1);
        f.run(&format!("verify --key b.pub --signature s {scheme} file"))
            .fails(1);
        let _ = fs::remove_file(f.path("s"));
    }
    let piped = f.run_with("sign --key a.pem --out -", &f.read("file")).ok();
    f.write("s", &piped);
    f.run("verify --quiet --key a.pub --signature s file").ok();
    f.run("verify --key a.pub --signature s --padding pkcs1 file")
        .fails(1);
    f.run("verify --key a.pub --signature s --salt-len 31 file")
        .fails(1);
    f.run("sign --key a.pem --padding pkcs1 --salt-len 3 file --out t")
        .fails(2);
    f.run("sign --key a.pem --salt-len 1000 file --out t")
        .fails(3);
    assert!(!f.path("t").exists());
}

#[test]
fn encrypted_files_of_every_kind() {
    let f = Folder::with_keys();
    for len in [0, 1, 1000, 65_536, 300_001] {
        let data = noise(len);
        f.write("file", &data);
        for options in ["", "--pem", "--hash sha1", "--to b.pub"] {
            f.run(&format!("encrypt --to a.pub {options} file --out c"))
                .ok();
            f.run("decrypt --key a.pem c --out d").ok();
            assert_eq!(f.read("d"), data, "{options}, {len} bytes");
            let piped = f
                .run_with(&format!("encrypt --to a.pub {options} --out -"), &data)
                .ok();
            let plain = f.run_with("decrypt --key a.pem --out -", &piped).ok();
            assert_eq!(plain, data, "{options}, {len} bytes through pipes");
        }
        f.run("decrypt --key b.pem c --out d").ok();
    }
}

/// In pieces that several threads share.
#[test]
fn long_encrypted_files() {
    let f = Folder::with_keys();
    for len in [1 << 20, (3 << 20) + 77] {
        let data = noise(len);
        f.write("file", &data);
        for threads in [1, 2, 5] {
            let seal = format!("encrypt --to a.pub --threads {threads}");
            let open = format!("decrypt --key a.pem --threads {threads}");
            f.run(&format!("{seal} file --out c")).ok();
            f.run(&format!("{open} c --out d")).ok();
            assert!(f.read("d") == data, "{len} bytes, {threads} threads");
            let piped = f.run_with(&format!("{seal} --out -"), &data).ok();
            let plain = f.run_with(&format!("{open} --out -"), &piped).ok();
            assert!(plain == data, "{len} bytes in a pipe, {threads} threads");
            let mut bad = f.read("c");
            bad[len / 2] ^= 1;
            f.write("bad", bad);
            f.run(&format!("{open} bad --out x")).fails(1);
            f.write("bad", &f.read("c")[..len / 2]);
            f.run(&format!("{open} bad --out x")).fails(3);
            assert!(!f.path("x").exists());
        }
    }
}

#[test]
fn segmented_files_as_the_thesis_wrote_them() {
    let f = Folder::with_keys();
    for len in [0, 1, 115, 116, 117, 232, 5000] {
        f.write("file", noise(len));
        let run = f.run("encrypt --segmented --to a.pub file --out c");
        assert!(
            run.err.contains("warning: --segmented is for study only"),
            "{}",
            run.err
        );
        run.ok();
        assert_eq!(
            f.read("c").len(),
            len.div_ceil(116).max(1) * 128,
            "{len} bytes"
        );
        f.run("decrypt --segmented --key a.pem c --out d").ok();
        assert_eq!(f.read("d"), noise(len), "{len} bytes");
    }
    f.run("encrypt --segmented --to a.pub --to b.pub file --out e")
        .fails(2);
    f.write("short", &f.read("c")[..300]);
    f.run("decrypt --segmented --key a.pem short --out e")
        .fails(3);
    f.run_with("decrypt --segmented --key a.pem - --out e", b"")
        .fails(3);
    assert!(!f.path("e").exists());
}

#[test]
fn outputs_replace_files_and_follow_links_but_not_devices() {
    let f = Folder::with_keys();
    f.write("file", b"content");
    f.write("target", b"old");
    std::os::unix::fs::symlink(f.path("target"), f.path("link")).unwrap();
    f.run("encrypt --to a.pub file --out link").ok();
    assert!(fs::symlink_metadata(f.path("link")).unwrap().is_symlink());
    assert_ne!(f.read("target"), b"old");
    f.run("encrypt --to a.pub file --out file").ok();
    assert_eq!(f.run("decrypt --key a.pem file --out -").ok(), b"content");
    f.run("decrypt --key a.pem file --out /dev/null").ok();
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    f.run("decrypt --key a.pem file --out .").fails(4);
}

/// Whatever the command, and under whatever name.
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
    f.run("keygen --quiet --small --bits 1024 --password-file password --out locked.pem")
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

#[test]
fn whoever_does_not_listen_holds_nothing_up() {
    let f = Folder::with_keys();
    for name in ["d/0", "d/1"] {
        fs::create_dir_all(f.path("d")).unwrap();
        f.write(name, noise(100));
    }
    f.write("list", "no hash");
    f.write("short", [7; 16]);
    for err in [full, gone] {
        for (arguments, code) in [
            ("inspect nowhere", 4),
            ("keygen --small --bits 1024 --out k.pem --force", 0),
            ("keygen --curve x25519 --out x.pem --force", 0),
            ("sign --key a.pem --force --batch missing d", 5),
            ("sign --key a.pem --keep --batch d", 0),
            ("hash nowhere neither", 5),
            ("hash --check --warn list", 3),
            ("encrypt --segmented --to a.pub d/0 --out c", 0),
            ("decrypt --segmented --key a.pem c --out p", 0),
            ("cipher --raw -a aes-128 -m ecb -k short d/0.sig --out e", 0),
        ] {
            let status = f.run_into(arguments, Stdio::null(), err());
            assert_eq!(status, Some(code), "{arguments}");
        }
        for name in ["d/0.sig", "d/1.sig"] {
            fs::remove_file(f.path(name)).unwrap();
        }
    }
    assert_eq!(f.read("p"), f.read("d/0"));
}

#[test]
fn an_output_that_cannot_be_begun_is_named_alone() {
    let f = Folder::with_keys();
    f.write("file", b"content");
    let said = f.run("encrypt --to a.pub file --out no/such/c").fails(4);
    assert_eq!(
        said,
        "carrysave: cannot write no/such/c: No such file or directory (os error 2)\n"
    );
}

#[test]
fn plan_prints_the_plan_of_a_processor() {
    let f = Folder::new();
    let text = |arguments: &str| String::from_utf8(f.run(arguments).ok()).unwrap();
    let best = carrysave::arith::Plan::best(carrysave::arith::Cpu::native());
    let printed = text("plan");
    for (name, value, meaning) in best.settings() {
        assert!(
            printed.contains(&format!("{name}: {value}\n    {meaning}\n")),
            "{printed}"
        );
    }
    assert!(printed.contains(best.machine) && printed.contains(best.date));
    let lesser = text("plan --without avx512ifma");
    assert!(lesser.contains("radix52: never"), "{lesser}");
    assert_eq!(f.run("plan --without nonsense").code, Some(2));
}

#[test]
fn tune_writes_a_plan_that_commands_follow() {
    let f = Folder::new();
    f.run("tune --seconds 0 --out plan.toml --record tuned.csv")
        .ok();
    let text = String::from_utf8(f.read("plan.toml")).unwrap();
    assert!(
        String::from_utf8(f.read("tuned.csv"))
            .unwrap()
            .contains("tune,mul,")
    );
    // A choice that no built-in plan makes.
    let line = text
        .lines()
        .find(|line| line.starts_with("radix = "))
        .unwrap();
    fs::write(f.path("plan.toml"), text.replace(line, "radix = 12345")).unwrap();
    let printed = String::from_utf8(f.run("plan --plan plan.toml").ok()).unwrap();
    assert!(printed.contains("\nradix: 12345\n"), "{printed}");
    f.run("keygen --bits 2048 --out key.pem").ok();
    fs::write(f.path("file"), "content").unwrap();
    f.run("sign --plan plan.toml --key key.pem --out file.sig file")
        .ok();
    f.run("verify --key key.pub --signature file.sig file").ok();

    fs::write(f.path("bad.toml"), "radix = 12").unwrap();
    let said = f.run("plan --plan bad.toml").fails(3);
    assert!(
        said.contains("bad.toml: the plan lacks the setting machine: tune it again"),
        "{said}"
    );
    f.run("plan --plan nowhere.toml").fails(4);
    let said = f.run("plan --plan .").fails(4);
    assert!(said.contains("cannot read .: is a directory"), "{said}");
    let plan = f.read("plan.toml");
    assert_eq!(f.run_with("plan --plan -", &plan).ok(), printed.as_bytes());
    let said = f
        .run_with("sign --plan - --key key.pem --out s", &plan)
        .fails(2);
    assert!(said.contains("cannot stand for two files"), "{said}");

    // A lesser processor follows the plan as a lesser machine would, or says why it does not.
    let plan = String::from_utf8(plan).unwrap();
    let needs = plan
        .lines()
        .find(|line| line.starts_with("needs = "))
        .unwrap();
    for (_, name) in carrysave::kernels::Isa::ALL {
        let lesser = |command: &str| f.run(&format!("{command} --without {name}"));
        if needs.split(['"', '+']).any(|needed| needed == *name) {
            let said = lesser("plan --plan plan.toml").fails(3);
            assert!(said.contains("plan.toml: it was tuned for "), "{said}");
            lesser("bench modexp --plan plan.toml").fails(3);
        } else {
            let printed = String::from_utf8(lesser("plan --plan plan.toml").ok()).unwrap();
            assert!(printed.contains("\nradix: 12345\n"), "{name}: {printed}");
        }
    }
    assert_eq!(f.run("tune --seconds -1 --out x").code, Some(2));
    assert!(!f.path("x").exists());
}

#[test]
fn kernels_says_what_runs_here_and_why() {
    let f = Folder::new();
    let text = |arguments: &str| String::from_utf8(f.run(arguments).ok()).unwrap();
    let table = text("kernels");
    for op in carrysave::kernels::REGISTRY {
        assert!(table.contains(op.name), "{} is not listed", op.name);
        let contract = text(&format!("kernels --op {}", op.name));
        assert!(
            contract.contains(op.contract.effect) && contract.contains(op.contract.source),
            "{contract}"
        );
    }
    assert_eq!(
        table.matches("chosen: the first").count(),
        carrysave::kernels::REGISTRY.len()
    );
    let all = carrysave::kernels::Isa::ALL
        .iter()
        .map(|(_, name)| *name)
        .collect::<Vec<_>>()
        .join(",");
    let bare = text(&format!("kernels --without {all}"));
    assert!(
        bare.starts_with("this processor: -\n") && !bare.contains("chosen by"),
        "{bare}"
    );
    assert!(bare.contains("missing"));
    f.run("kernels --op nonsense").fails(2);
    assert_eq!(f.run("kernels --without nonsense").code, Some(2));
}

#[test]
fn completions_and_manual() {
    let f = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = f.run(&format!("completions {shell}")).ok();
        assert!(
            String::from_utf8(script).unwrap().contains("keygen"),
            "{shell}"
        );
    }
    let manual = String::from_utf8(f.run("man").ok()).unwrap();
    assert!(
        manual.contains(".TH carrysave 1") && manual.contains("Exit status"),
        "{manual}"
    );
    f.run("man --out-dir .").ok();
    let pages = f.contents();
    assert!(
        pages.contains_key("carrysave.1") && pages.contains_key("carrysave-encrypt.1"),
        "{:?}",
        pages.keys()
    );
    f.run("man --out-dir no/such/folder").fails(4);
}

#[test]
fn demo_shows_the_main_job_and_leaves_nothing() {
    let f = Folder::new();
    f.write("file", noise(10_000));
    let text =
        String::from_utf8(f.run("demo --small --bits 1024 --seconds 0.01 file").ok()).unwrap();
    for word in [
        "keygen",
        "encrypt",
        "decrypt",
        "tampering",
        "sign",
        "verify",
        "signatures/s",
    ] {
        assert!(text.contains(word), "{word} is missing: {text}");
    }
    assert_eq!(f.contents().len(), 1);
    f.run("demo --bits 1024")
        .code
        .filter(|code| *code == 2)
        .unwrap();
    let said = f.run("demo --small --bits 512").fails(2);
    assert!(said.contains("784 bits"), "{said}");
    f.run("demo missing")
        .code
        .filter(|code| *code == 4)
        .unwrap();
}

#[test]
fn bench_measures_and_writes_json_lines() {
    let f = Folder::new();
    let text = f
        .run("bench modexp --bits 512 --seconds 0.01 --json --record r.csv")
        .ok();
    let record = String::from_utf8(f.read("r.csv")).unwrap();
    assert!(
        record.contains("\nexperiment,") && record.contains("\nmodexp,"),
        "{record}"
    );
    let text = String::from_utf8(text).unwrap();
    assert!(text.lines().count() > 0);
    for line in text.lines() {
        assert!(
            line.starts_with("{\"experiment\":\"modexp\"") && line.ends_with('}'),
            "{line}"
        );
        let fields = [
            "operation",
            "bits",
            "implementation",
            "threads",
            "ops_per_second",
            "ns_median",
            "ns_spread",
            "core_ghz",
            "samples",
        ];
        for field in fields {
            assert!(
                line.contains(&format!("\"{field}\":")),
                "{field} is missing: {line}"
            );
        }
    }
    f.run("bench nonsense").fails(2);
    f.run("bench --seconds=-1").fails(2);
}

#[test]
fn figures_that_cannot_be_written_are_an_error() {
    let f = Folder::new();
    for (options, out, code) in [
        ("", full(), 4),
        ("--json", full(), 4),
        ("--record -", full(), 4),
        ("", gone(), 0),
        ("--json", gone(), 0),
        ("--record -", gone(), 0),
    ] {
        let bench = format!("bench modexp --bits 512 --seconds 0.01 {options}");
        let status = f.run_into(&bench, out, Stdio::null());
        assert_eq!(status, Some(code), "{options}");
    }
    // Before anything is measured, which would take hours.
    for arguments in [
        "bench --seconds 3600 --record no/such/folder/r.csv",
        "tune --seconds 60 --out no/such/folder/plan.toml",
        "tune --seconds 60 --out plan.toml --record no/such/folder/r.csv",
    ] {
        f.run(arguments).fails(4);
    }
    assert!(f.contents().is_empty());
}

#[test]
fn an_interrupt_leaves_nothing_behind() {
    for (signal, input) in [
        ("INT", "encrypt --to a.pub"),
        ("TERM", "encrypt --to a.pub"),
        ("INT", "decrypt --key a.pem"),
    ] {
        let f = Folder::with_keys();
        let before = f.contents();
        let mut child = std::process::Command::new(crate::support::PROGRAM)
            .args(input.split(' '))
            .args(["--out", "c"])
            .current_dir(f.path("."))
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        // Waiting for a child closes its standard input unless somebody holds it.
        let _stdin = child.stdin.take();
        // It has begun when its temporary file is there, and waits for input that never comes.
        while f.contents().len() == before.len() {
            assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
        crate::support::signal(&child, signal);
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}");
        assert_eq!(f.contents(), before, "{signal}");
    }
}

/// While signatures are written side by side.
#[test]
fn an_interrupt_of_a_batch_leaves_nothing_unfinished() {
    let f = Folder::with_keys();
    fs::create_dir(f.path("d")).unwrap();
    for i in 0..1500 {
        f.write(&format!("d/{i}"), b"");
    }
    for _ in 0..5 {
        let mut child = f.start("sign --key a.pem --force --batch d --manifest m");
        // It has begun to write when one of them is there.
        let names = || {
            let entries = fs::read_dir(f.path("d")).unwrap();
            let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
            names.collect::<Vec<String>>()
        };
        while !names().iter().any(|name| name.starts_with(".carrysave-")) {
            assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        crate::support::signal(&child, "INT");
        assert_eq!(child.wait().unwrap().code(), Some(130));
        let left: Vec<String> = names()
            .into_iter()
            .filter(|name| name.starts_with('.'))
            .collect();
        assert_eq!(left, [""; 0]);
        assert_eq!(f.read("m"), b"{\"code\":130,\"reason\":\"interrupted\"}\n");
    }
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
