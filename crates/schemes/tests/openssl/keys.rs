//! Files of keys in every form that `openssl` writes.

use crate::{Workshop, rng, workshop};
use carrysave_schemes::ec::{Algorithm, AnyPrivateKey};
use carrysave_schemes::hash::Hash;
use carrysave_schemes::rsa::{KeygenOptions, PrivateKey, PssParameters, Purpose};
use carrysave_schemes::{
    KeyError,
    keys::{self, Content, Entry, Key},
};
use std::process::Command;

/// The contents of a file of `openssl`, with the password.
fn entries(workshop: &Workshop, name: &str) -> Vec<Entry> {
    keys::read(&workshop.read(name), Some(b"secret"))
}

/// The only key in a file of `openssl`.
fn key(workshop: &Workshop, words: &str, name: &str) -> Key {
    let entries = entries(workshop, name);
    match &entries[..] {
        [
            Entry {
                content: Ok(Content::Key(key)),
                ..
            },
        ] => key.clone(),
        other => panic!("openssl {words}: {other:?}"),
    }
}

const LEGACY: &str = "-provider legacy -provider default";

#[test]
fn private_keys_in_every_form() {
    let Some(workshop) = workshop() else { return };
    for words in [
        "genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out rsa.pem",
        "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384 -out ec.pem",
        "genpkey -genparam -algorithm DSA -pkeyopt dsa_paramgen_bits:1024 -pkeyopt dsa_paramgen_q_bits:160 -out dsa.params",
        "genpkey -paramfile dsa.params -out dsa.pem",
        "genpkey -algorithm X25519 -out x25519.pem",
        "genpkey -algorithm ED25519 -out ed25519.pem",
    ] {
        workshop.run(words);
    }
    for name in ["rsa", "ec", "dsa", "x25519", "ed25519"] {
        let own = key(&workshop, name, &format!("{name}.pem"));
        assert!(own.is_private());
        let read = |words: &str| {
            workshop.run(words);
            let back = key(&workshop, words, "back");
            assert!(
                back.is_private() && back.has_public_of(&own),
                "openssl {words}"
            );
        };
        for cipher in [
            "aes-128-cbc -v2prf hmacWithSHA512",
            "aes-192-cbc",
            "aes-256-cbc -iter 1",
            "des3",
        ] {
            read(&format!(
                "pkcs8 -topk8 -in {name}.pem -passout pass:secret -out back -v2 {cipher}"
            ));
        }
        read(&format!(
            "pkcs8 -topk8 -in {name}.pem -passout pass:secret -out back -scrypt -outform DER"
        ));
        for (cipher, notes) in [("aes-256-cbc", 0), ("des3", 0), ("des-cbc", 1)] {
            read(&format!(
                "pkcs8 -topk8 -in {name}.pem -passout pass:secret -out back -v2 {cipher} {LEGACY}"
            ));
            let found = entries(&workshop, "back")[0].notes.len();
            assert_eq!(found, notes, "{cipher} in PBES2");
        }
        for scheme in [
            "PBE-SHA1-3DES",
            "PBE-SHA1-2DES",
            "PBE-SHA1-RC2-128",
            "PBE-SHA1-RC2-40",
            "PBE-MD5-DES",
            "PBE-SHA1-DES",
            "PBE-MD5-RC2-64",
            "PBE-SHA1-RC2-64",
        ] {
            read(&format!(
                "pkcs8 -topk8 -in {name}.pem -passout pass:secret -out back -v1 {scheme} {LEGACY}"
            ));
            assert_eq!(
                entries(&workshop, "back")[0].notes.len(),
                1,
                "{scheme} can be broken"
            );
        }
        if name.ends_with("25519") {
            continue;
        }
        read(&format!("pkey -in {name}.pem -traditional -out back"));
        read(&format!(
            "pkey -in {name}.pem -traditional -out back -outform DER"
        ));
        for cipher in ["-aes128", "-aes192", "-aes256", "-des3"] {
            read(&format!(
                "{name} -in {name}.pem -out back {cipher} -passout pass:secret {}",
                match name {
                    "rsa" => "-traditional",
                    _ => "",
                }
            ));
            assert_eq!(
                entries(&workshop, "back")[0].notes.len(),
                1,
                "{cipher} after MD5 can be broken"
            );
        }
        let curve = "ecparam -name prime256v1 -genkey -out back";
        workshop.run(curve);
        assert!(matches!(
            key(&workshop, curve, "back"),
            Key::CurvePrivate(_)
        ));
    }
}

#[test]
fn what_is_refused_is_refused_with_its_name_and_a_way_out() {
    let Some(workshop) = workshop() else { return };
    workshop.run("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out ec.pem");
    for (words, reason, way) in [
        ("-v1 PBE-SHA1-RC4-128", "RC4", "openssl pkcs8 -topk8"),
        ("-v2 camellia256", "Camellia", "openssl pkcs8 -topk8"),
        ("-v2 aria-256-cbc", "ARIA", "openssl pkcs8 -topk8"),
        ("-iter 10000001", "10000001", "openssl pkcs8 -topk8"),
    ] {
        workshop.run(&format!(
            "pkcs8 -topk8 -in ec.pem -passout pass:secret -out back {words} {LEGACY}"
        ));
        // There is no request for a password that does not help.
        for password in [None, Some(&b"secret"[..])] {
            let error = keys::read(&workshop.read("back"), password)
                .remove(0)
                .content
                .unwrap_err();
            let said = error.to_string();
            assert!(
                said.contains(reason) && said.contains(way),
                "{words}: {said}"
            );
        }
    }
    for (algorithm, name) in [
        (
            "EC -pkeyopt ec_paramgen_curve:brainpoolP256t1",
            "the curve 1.3.36.3.3.2.8.1.1.8",
        ),
        ("EC -pkeyopt ec_paramgen_curve:P-192", "P-192"),
    ] {
        workshop.run(&format!("genpkey -algorithm {algorithm} -out other.pem"));
        let entries = entries(&workshop, "other.pem");
        let refused = entries[0].content.as_ref().unwrap_err();
        assert!(
            matches!(refused, KeyError::Algorithm { found, .. } if found == name),
            "{refused:?}"
        );
    }
    workshop.run("pkcs8 -topk8 -in ec.pem -passout pass:secret -out back");
    let error = |password| {
        keys::read(&workshop.read("back"), password)
            .remove(0)
            .content
            .unwrap_err()
    };
    assert_eq!(error(None), KeyError::PasswordNeeded);
    assert_eq!(error(Some(b"guess")), KeyError::Password);
}

#[test]
fn certificates_and_stores() {
    let Some(workshop) = workshop() else { return };
    for (words, is_key) in [
        ("rsa:2048", true),
        ("rsa-pss -pkeyopt rsa_keygen_bits:2048", true),
        ("ec -pkeyopt ec_paramgen_curve:P-256", true),
        ("ed25519", true),
    ] {
        workshop.run(&format!("req -x509 -nodes -subj /CN=me/O=us -days 3 -newkey {words} -keyout key.pem -out cert.pem"));
        let found = entries(&workshop, "cert.pem");
        let Ok(Content::Certificate(certificate)) = &found[0].content else {
            panic!("{words}: {found:?}");
        };
        assert_eq!(certificate.key().is_ok(), is_key, "{words}");
        assert_eq!(certificate.subject().as_deref(), Some("O=us,CN=me"));
        assert!(certificate.may_have_issued(certificate) && certificate.validity().is_some());
        if !is_key {
            continue;
        }
        for options in [
            "",
            "-legacy",
            "-macalg sha512 -keypbe AES-128-CBC -certpbe NONE",
            "-keypbe NONE -certpbe NONE",
            "-keypbe NONE -certpbe NONE -nomac",
            "-keypbe PBE-SHA1-2DES -certpbe PBE-SHA1-RC2-40 -legacy",
        ] {
            let words = format!(
                "pkcs12 -export -inkey key.pem -in cert.pem -passout pass:secret -out back {options}"
            );
            workshop.run(&words);
            let found = entries(&workshop, "back");
            let private = found.iter().find_map(|entry| match &entry.content {
                Ok(Content::Key(key)) => Some(key),
                _ => None,
            });
            let private = private.unwrap_or_else(|| panic!("openssl {words}: {found:?}"));
            assert!(private.is_private() && private.has_public_of(certificate.key().unwrap()));
            assert_eq!(found.len(), 2, "openssl {words}");
            let weak = found.iter().any(|entry| !entry.notes.is_empty());
            assert_eq!(weak, options.contains("-legacy"), "openssl {words}");
            let wrong = keys::read(&workshop.read("back"), Some(b"guess"));
            let open = options.contains("-nomac");
            assert!(
                open || matches!(wrong[0].content, Err(KeyError::Password)),
                "openssl {words}: {wrong:?}"
            );
        }
    }
}

#[test]
fn stores_that_are_altered_are_refused_with_a_sentence() {
    let Some(workshop) = workshop() else { return };
    workshop.run("genpkey -algorithm ed25519 -out key.pem");
    workshop
        .run("pkcs12 -export -nocerts -inkey key.pem -passout pass:secret -iter 5 -out store.p12");
    let store = workshop.read("store.p12");
    assert!(keys::read(&store, Some(b"secret"))[0].content.is_ok());
    let refused = |store: &[u8], why: &str| {
        let entries = keys::read(store, Some(b"secret"));
        let error = entries[0].content.as_ref().unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    };
    // The type of the contents, data, becomes that of signed data.
    let data = b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01";
    let at = store.windows(9).position(|oid| oid == data).unwrap();
    let mut signed = store.clone();
    signed[at + 8] = 2;
    refused(&signed, "it is signed");
    // The number of iterations of the authentication code is the last of all.
    assert!(store.ends_with(&[2, 1, 5]));
    let mut never = store;
    *never.last_mut().unwrap() = 0;
    refused(&never, "hashed 0 times");
}

/// Without a code of authentication a wrong password gives a right padding once in 255 times, and no key.
#[test]
fn a_store_without_a_code_says_that_the_password_is_wrong() {
    let Some(workshop) = workshop() else { return };
    workshop.run("req -x509 -nodes -subj /CN=me -newkey ec -pkeyopt ec_paramgen_curve:P-256 -keyout key.pem -out cert.pem");
    for options in ["", "-nocerts", "-keypbe NONE"] {
        let words = "pkcs12 -export -nomac -iter 1 -inkey key.pem -in cert.pem -passout pass:secret -out store.p12";
        workshop.run(&format!("{words} {options}"));
        let store = workshop.read("store.p12");
        let read = |password: &[u8]| keys::read(&store, Some(password)).remove(0).content;
        assert!(read(b"secret").is_ok(), "{options}");
        for i in 0..1500_u32 {
            let error = read(format!("{i}").as_bytes()).unwrap_err();
            assert_eq!(error, KeyError::Password, "{options}, {i}");
        }
    }
}

/// DER has no element that is as by default: SHA-1, its MGF1, a salt of 20 octets.
#[test]
fn parameters_of_pss_are_written_as_openssl_writes_them() {
    let Some(workshop) = workshop() else { return };
    for (md, mgf, salt) in [
        ("sha256", "sha256", 20),
        ("sha256", "sha1", 32),
        ("sha1", "sha256", 21),
        ("sha1", "sha1", 20),
    ] {
        let options = format!(
            "-pkeyopt rsa_pss_keygen_md:{md} -pkeyopt rsa_pss_keygen_mgf1_md:{mgf} -pkeyopt rsa_pss_keygen_saltlen:{salt}"
        );
        workshop.run(&format!(
            "genpkey -algorithm RSA-PSS -pkeyopt rsa_keygen_bits:2048 {options} -out pss.pem"
        ));
        workshop.run("pkey -in pss.pem -pubout -out pss.pub");
        let Key::RsaPrivate(key) = key(&workshop, &options, "pss.pem") else {
            panic!()
        };
        assert_eq!(*key.to_pkcs8_pem().as_bytes(), *workshop.read("pss.pem"));
        let public = key.public().to_spki_pem();
        assert_eq!(public.as_bytes(), workshop.read("pss.pub"), "{options}");
    }
}

#[test]
fn keys_for_pss_alone_obey_their_parameters() {
    let Some(workshop) = workshop() else { return };
    let rng = &mut crate::rng();
    let digest = |hash: Hash| hash.digest(b"a message");
    workshop.write("message", b"a message");
    for (options, own) in [
        ("", None),
        (
            "-pkeyopt rsa_pss_keygen_md:sha384 -pkeyopt rsa_pss_keygen_mgf1_md:sha256 -pkeyopt rsa_pss_keygen_saltlen:40",
            Some(PssParameters {
                hash: Hash::Sha384,
                mgf: Hash::Sha256,
                min_salt_len: 40,
            }),
        ),
    ] {
        workshop.run(&format!(
            "genpkey -algorithm RSA-PSS -pkeyopt rsa_keygen_bits:2048 {options} -out pss.pem"
        ));
        workshop.run("pkey -in pss.pem -pubout -out pss.pub");
        let Key::RsaPrivate(key) = key(&workshop, options, "pss.pem") else {
            panic!()
        };
        assert_eq!(key.public().purpose(), Purpose::Pss(own));
        let public = keys::read(&workshop.read("pss.pub"), None)
            .remove(0)
            .content
            .unwrap();
        let Content::Key(Key::RsaPublic(public)) = public else {
            panic!()
        };
        assert_eq!(public.purpose(), Purpose::Pss(own));
        // Written as they were read.
        assert_eq!(*key.to_pkcs8_pem().as_bytes(), *workshop.read("pss.pem"));
        assert_eq!(public.to_spki_pem().as_bytes(), workshop.read("pss.pub"));

        let (hash, mgf, salt) = own.map_or((Hash::Sha256, Hash::Sha256, 32), |own| {
            (own.hash, own.mgf, 48)
        });
        let signature = key
            .rsassa_pss_sign(rng, hash, mgf, salt, &digest(hash))
            .unwrap();
        public
            .rsassa_pss_verify(hash, mgf, None, &digest(hash), &signature)
            .unwrap();
        workshop.write("signature", &signature);
        workshop.run(&format!("dgst -{hash} -verify pss.pub -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:{salt} \
                               -sigopt rsa_mgf1_md:{mgf} -signature signature message"));
        let refused = |result: Result<Vec<u8>, _>| {
            assert!(
                matches!(result, Err(carrysave_schemes::rsa::Error::Purpose(_))),
                "{result:?}"
            );
        };
        refused(key.rsassa_pkcs1_v1_5_sign(rng, hash, &digest(hash)));
        refused(public.rsaes_oaep_encrypt(rng, hash, hash, b"", b"m"));
        refused(public.rsaes_pkcs1_v1_5_encrypt(rng, b"m"));
        refused(
            key.rsaes_oaep_decrypt(rng, hash, hash, b"", &signature)
                .map(|m| m.to_vec()),
        );
        refused(
            key.rsaes_pkcs1_v1_5_decrypt(rng, &signature)
                .map(|m| m.to_vec()),
        );
        refused(
            public
                .rsassa_pkcs1_v1_5_verify(hash, &digest(hash), &signature)
                .map(|()| vec![]),
        );
        if own.is_some() {
            refused(key.rsassa_pss_sign(rng, Hash::Sha256, mgf, salt, &digest(Hash::Sha256)));
            refused(key.rsassa_pss_sign(rng, hash, hash, salt, &digest(hash)));
            refused(key.rsassa_pss_sign(rng, hash, mgf, 39, &digest(hash)));
            // A signature that another program made with the key, with a salt that is too short.
            let free = carrysave_schemes::rsa::PrivateKey::from_components(
                key.public().n().clone(),
                key.public().e().clone(),
                key.d().clone(),
                key.primes().cloned().collect(),
            );
            let short = free
                .unwrap()
                .rsassa_pss_sign(rng, hash, mgf, 39, &digest(hash))
                .unwrap();
            refused(
                public
                    .rsassa_pss_verify(hash, mgf, None, &digest(hash), &short)
                    .map(|()| vec![]),
            );
        }
    }
}

#[test]
fn openssh_writes_keys_that_are_read() {
    let Some(workshop) = workshop() else { return };
    if Command::new("ssh-keygen").arg("-?").output().is_err() {
        eprintln!("SKIPPED: no program `ssh-keygen`: install openssh-client to check its keys");
        return;
    }
    for (kind, password) in [
        ("rsa -b 2048", ""),
        ("rsa -b 2048", "secret"),
        ("rsa -b 2048 -Z aes128-cbc", "secret"),
        ("ecdsa -b 256", ""),
        ("ecdsa -b 384 -Z aes192-ctr", "secret"),
        ("ecdsa -b 521", "secret"),
    ] {
        let _ = std::fs::remove_file(workshop.path("key"));
        let made = Command::new("ssh-keygen")
            .args(["-q", "-C", "me", "-f"])
            .arg(workshop.path("key"))
            .args(["-N", password, "-t"])
            .args(kind.split(' '))
            .status()
            .unwrap();
        assert!(made.success(), "ssh-keygen -t {kind}");
        let private = key(&workshop, kind, "key");
        let public = key(&workshop, kind, "key.pub");
        assert!(
            private.is_private() && private.has_public_of(&public),
            "{kind}"
        );
        if !password.is_empty() {
            let error = |password| {
                keys::read(&workshop.read("key"), password)
                    .remove(0)
                    .content
                    .unwrap_err()
            };
            assert_eq!(
                (error(None), error(Some(b"guess"))),
                (KeyError::PasswordNeeded, KeyError::Password)
            );
        }
        let shown = Command::new("ssh-keygen")
            .arg("-lf")
            .arg(workshop.path("key.pub"))
            .output()
            .unwrap();
        let shown = String::from_utf8(shown.stdout).unwrap();
        use base64ct::Encoding;
        let digest = Hash::Sha256.digest(&public.to_openssh_blob().unwrap());
        let digest = base64ct::Base64Unpadded::encode_string(&digest);
        assert!(shown.contains(&digest), "{shown} {digest}");
    }
}

/// Whichever bit of a key in OpenSSH's form is changed: it is refused, or what is changed is no part of the key.
#[test]
fn a_changed_openssh_key_is_no_other_key() {
    use base64ct::{Base64, Encoding};
    for algorithm in [Algorithm::Ed25519, Algorithm::P256] {
        let key = AnyPrivateKey::generate(algorithm);
        let text = key.to_openssh("me", None, &mut rng()).unwrap();
        let lines: String = text.lines().filter(|line| !line.starts_with('-')).collect();
        let octets = Base64::decode_vec(&lines).unwrap();
        let public = key.public().to_openssh_blob().unwrap();
        let read = |octets: &[u8]| {
            let text = Base64::encode_string(octets);
            let pem = format!(
                "-----BEGIN OPENSSH PRIVATE KEY-----\n{text}\n-----END OPENSSH PRIVATE KEY-----\n"
            );
            keys::read(pem.as_bytes(), None).remove(0).content
        };
        // The public half without its last octet, without all but its kind, and with an octet more.
        let at = octets.windows(public.len()).position(|part| part == public);
        let (head, rest) = octets.split_at(at.unwrap());
        let (head, rest) = (&head[..head.len() - 4], &rest[public.len()..]);
        let with = |public: &[u8]| {
            let len = (public.len() as u32).to_be_bytes();
            read(&[head, &len, public, rest].concat())
                .map(|_| ())
                .map_err(|e| e.to_string())
        };
        assert_eq!(with(&public), Ok(()));
        let kind = 4 + public[3] as usize;
        for other in [
            &public[..public.len() - 1],
            &public[..kind],
            &[&public[..], &[0]].concat(),
        ] {
            let why = with(other).unwrap_err();
            assert!(
                why.contains("its two halves are of different keys"),
                "{why}"
            );
        }
        let mut refused = 0;
        for i in 0..octets.len() {
            let mut changed = octets.clone();
            changed[i] ^= 1;
            match read(&changed) {
                Ok(Content::Key(Key::CurvePrivate(read))) => {
                    assert_eq!(
                        read.public().to_openssh_blob().unwrap(),
                        public,
                        "{algorithm}, {i}"
                    );
                }
                Ok(other) => panic!("{algorithm}, {i}: {other:?}"),
                Err(_) => refused += 1,
            }
        }
        assert!(
            refused > 3 * octets.len() / 4,
            "{algorithm}: {refused} of {}",
            octets.len()
        );
    }
}

#[test]
fn openssh_reads_keys_that_are_written() {
    let Some(workshop) = workshop() else { return };
    let mut files = vec![];
    for algorithm in Algorithm::ALL {
        let key = AnyPrivateKey::generate(*algorithm);
        let line = key.public().to_openssh("me");
        for password in [None, Some(&b"secret"[..])] {
            let text = key.to_openssh("me", password, &mut rng());
            assert_eq!(text.is_some(), line.is_some(), "{algorithm}");
            files.extend(text.zip(line.clone()).map(|pair| (pair, password)));
        }
    }
    assert_eq!(files.len(), 8);
    let options = KeygenOptions::default();
    let key = PrivateKey::generate_with(rng, 2048, &options, &|_| ()).unwrap();
    for password in [None, Some(&b"secret"[..])] {
        let text = key.to_openssh("me", password, &mut rng()).unwrap();
        files.push(((text, key.public().to_openssh("me")), password));
    }
    for ((text, line), password) in &files {
        let found = keys::read(text.as_bytes(), *password).remove(0);
        let public = keys::read(line.as_bytes(), None).remove(0);
        let (found, public) = (found.content.unwrap(), public.content.unwrap());
        let (Content::Key(found), Content::Key(public)) = (found, public) else {
            panic!("keys");
        };
        assert!(found.is_private() && found.has_public_of(&public), "{line}");
    }
    if Command::new("ssh-keygen").arg("-?").output().is_err() {
        eprintln!("SKIPPED: no program `ssh-keygen`: install openssh-client to check its keys");
        return;
    }
    for ((text, line), password) in &files {
        let _ = std::fs::remove_file(workshop.path("key"));
        workshop.write("key", text.as_bytes());
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(workshop.path("key"), mode).unwrap();
        let password = String::from_utf8(password.unwrap_or_default().to_vec()).unwrap();
        let shown = Command::new("ssh-keygen")
            .args(["-y", "-P", &password, "-f"])
            .arg(workshop.path("key"))
            .output()
            .unwrap();
        assert_eq!(String::from_utf8(shown.stdout).unwrap().trim_end(), line);
    }
}

/// A Python with pyca/cryptography; `None` with a printed notice if there is none.
fn python() -> Option<&'static str> {
    let has = |python: &&str| {
        let run = Command::new(python)
            .args(["-c", "import cryptography"])
            .output();
        run.is_ok_and(|output| output.status.success())
    };
    let python = ["python3", "/usr/bin/python3"].into_iter().find(has);
    if python.is_none() {
        eprintln!("SKIPPED: no Python with pyca/cryptography: install python3-cryptography");
    }
    python
}

/// Every form in which pyca/cryptography writes a private key, and its public key; and it reads ours.
#[test]
fn pyca_writes_keys_that_are_read_and_reads_ours() {
    const SCRIPT: &str = r#"
import sys, warnings
warnings.filterwarnings("ignore")
from cryptography.hazmat.primitives.asymmetric import rsa, ec, dsa, x25519
from cryptography.hazmat.primitives import serialization as s
from cryptography.hazmat.primitives.serialization import pkcs12
if sys.argv[1] == "read":
    ours = open("ours", "rb").read()
    key = s.load_pem_private_key(ours, b"secret" if b"ENCRYPTED" in ours else None)
    pem = key.public_key().public_bytes(s.Encoding.PEM, s.PublicFormat.SubjectPublicKeyInfo)
    assert pem == open("ours.pub", "rb").read()
    sys.exit(0)
keys = {
    "rsa": rsa.generate_private_key(65537, 2048),
    "p256": ec.generate_private_key(ec.SECP256R1()),
    "p521": ec.generate_private_key(ec.SECP521R1()),
    "k1": ec.generate_private_key(ec.SECP256K1()),
    "dsa": dsa.generate_private_key(1024),
    "x25519": x25519.X25519PrivateKey.generate(),
}
f = s.PrivateFormat
for name, key in keys.items():
    open(f"{name}.public", "wb").write(
        key.public_key().public_bytes(s.Encoding.PEM, s.PublicFormat.SubjectPublicKeyInfo))
    for form in [f.PKCS8, f.TraditionalOpenSSL, f.OpenSSH]:
        for encoding in [s.Encoding.PEM, s.Encoding.DER]:
            for encryption in [s.NoEncryption(), s.BestAvailableEncryption(b"secret")]:
                try:
                    text = key.private_bytes(encoding, form, encryption)
                except Exception:
                    continue
                kind = "locked" if isinstance(encryption, s.BestAvailableEncryption) else "plain"
                open(f"{name}.{str(form).split('.')[-1]}.{str(encoding).split('.')[-1]}.{kind}", "wb").write(text)
    try:
        text = pkcs12.serialize_key_and_certificates(b"me", key, None, None, s.BestAvailableEncryption(b"secret"))
        open(f"{name}.store.locked", "wb").write(text)
    except Exception:
        pass
"#;
    let (Some(workshop), Some(python)) = (workshop(), python()) else {
        return;
    };
    let run = |word: &str| {
        let mut command = Command::new(python);
        let output = command
            .args(["-c", SCRIPT, word])
            .current_dir(workshop.path(""))
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    };
    run("write");
    let mut read = 0;
    for file in std::fs::read_dir(workshop.path("")).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let own = key(&workshop, &name, &name);
        let public = format!("{}.public", name.split('.').next().unwrap());
        assert!(own.has_public_of(&key(&workshop, &name, &public)), "{name}");
        assert_eq!(own.is_private(), name != public, "{name}");
        if name.ends_with("locked") {
            let locked = keys::read(&workshop.read(&name), None).remove(0).content;
            assert_eq!(locked.unwrap_err(), KeyError::PasswordNeeded, "{name}");
        }
        read += 1;
    }
    assert!(read >= 40, "{read} files");
    let Key::RsaPrivate(rsa) = key(&workshop, "rsa", "rsa.PKCS8.PEM.plain") else {
        panic!()
    };
    let Key::CurvePrivate(curve) = key(&workshop, "p521", "p521.PKCS8.PEM.plain") else {
        panic!()
    };
    let rng = &mut crate::rng();
    for (private, public) in [
        (rsa.to_pkcs8_pem(), rsa.public().to_spki_pem()),
        (
            rsa.to_pkcs8_encrypted_pem(b"secret", rng),
            rsa.public().to_spki_pem(),
        ),
        (curve.to_pkcs8_pem(), curve.public().to_spki_pem()),
        (
            curve.to_pkcs8_encrypted_pem(b"secret", rng),
            curve.public().to_spki_pem(),
        ),
    ] {
        workshop.write("ours", private.as_bytes());
        workshop.write("ours.pub", public);
        run("read");
    }
}
